#include "cli/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

enum { DIGITS = 15 };

/** What a column says of a row: a text, else a number, else nothing. */
typedef struct value {
  const char *text;
  double number;
  bool flag; /**< `number` is 0 or 1 */
} value;

static bool is_end(const cli_column *c) {
  return c->key == NULL && c->header == NULL;
}

static bool is_text(const cli_column *c) {
  return c->text != NULL || c->kind == CLI_COLUMN_TEXT || c->kind == CLI_COLUMN_NAME ||
         c->kind == CLI_COLUMN_REGIME;
}

static value value_of(const cli_column *c, const void *row, char scratch[CLI_SCRATCH]) {
  const void *at = (const char *)row + c->offset;
  const char *text = NULL;
  if (c->text != NULL) {
    text = c->text(row, scratch);
  } else if (c->number != NULL) {
    double number = c->number(row);
    return (value){NULL, number, c->kind == CLI_COLUMN_FLAG && !isnan(number)};
  } else if (c->kind == CLI_COLUMN_NUMBER) {
    return (value){NULL, *(const double *)at, false};
  } else if (c->kind == CLI_COLUMN_COUNT) {
    int count = *(const int *)at;
    return (value){NULL, count < 0 ? (double)NAN : (double)count, false};
  } else if (c->kind == CLI_COLUMN_SIZE) {
    return (value){NULL, (double)*(const size_t *)at, false};
  } else if (c->kind == CLI_COLUMN_FLAG) {
    return (value){NULL, *(const bool *)at, true};
  } else if (c->kind == CLI_COLUMN_REGIME) {
    text = roof_regime_name(*(const roof_regime *)at);
  } else {
    text = c->kind == CLI_COLUMN_TEXT ? *(const char *const *)at : at;
    text = text != NULL && c->kind == CLI_COLUMN_NAME && text[0] == '\0' ? NULL : text;
  }
  return (value){text, NAN, false};
}

const char *cli_column_say(char scratch[CLI_SCRATCH], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(scratch, CLI_SCRATCH, format, arguments);
  va_end(arguments);
  return scratch;
}

static json_t *json_of(value v) {
  return v.text != NULL ? json_string(v.text)
         : v.flag       ? json_boolean(v.number != 0)
                        : rf_json_number(v.number);
}

json_t *cli_columns_object(const cli_column *columns, const void *row) {
  char scratch[CLI_SCRATCH];
  json_t *object = json_object();
  for (const cli_column *c = columns; !is_end(c); c++) {
    if (c->key != NULL) {
      rf_json_set(object, c->key, json_of(value_of(c, row, scratch)));
    }
  }
  return object;
}

void cli_columns_copy(const cli_column *columns, cli_column *copy, size_t most) {
  for (size_t i = 0; i < most; i++) {
    copy[i] = columns[i];
    if (is_end(&columns[i])) {
      return;
    }
  }
}

/** The next row that is shown, from *index on, which then is the one after it; NULL after the last. */
static const void *next_row(cli_rows rows, size_t *index) {
  while (*index < rows.count) {
    const void *row = (const char *)rows.first + (*index)++ * rows.size;
    if (rows.shown == NULL || rows.shown(row)) {
      return row;
    }
  }
  return NULL;
}

json_t *cli_columns_json(cli_rows rows) {
  json_t *list = json_array();
  size_t next = 0;
  for (const void *row; (row = next_row(rows, &next)) != NULL;) {
    rf_json_append(list, cli_columns_object(rows.columns, row));
  }
  return list;
}

static void add_cell(cli_grid *grid, const cli_column *c, const void *row) {
  char scratch[CLI_SCRATCH], quantity[48];
  value v = value_of(c, row, scratch);
  const char *unit = c->unit_at != 0   ? *(const char *const *)(const void *)((const char *)row + c->unit_at)
                     : c->unit != NULL ? c->unit
                                       : "";
  double scaled = c->scale != 0 ? v.number * c->scale : v.number;
  if (v.text != NULL) {
    rf_cells_add_text(grid, v.text);
  } else if (isnan(v.number)) {
    rf_cells_add_text(grid, c->none != NULL ? c->none : "-");
  } else if (v.flag) {
    rf_cells_add_text(grid, v.number != 0 ? "yes" : "no");
  } else if (c->binary) {
    rf_cells_add_text(grid, roof_bytes_format(quantity, sizeof quantity, v.number));
  } else if (c->fixed) {
    bool nothing = fabs(scaled) < 0.5 * pow(10, -c->digits); /* no "-0.0" */
    cli_grid_add(grid, "%.*f%s", c->digits, nothing ? 0 : scaled, unit);
  } else if (c->digits > 0 && fabs(scaled) < pow(10, c->digits)) {
    cli_grid_add(grid, "%.*g%s", c->digits, scaled, unit);
  } else if (c->digits > 0) {
    cli_grid_add(grid, "%s%s", cli_number(quantity, scaled), unit);
  } else {
    rf_cells_add_text(grid, roof_quantity_format(quantity, sizeof quantity, scaled, unit));
  }
}

int cli_columns_add_cells(cli_grid *grid, cli_rows rows) {
  size_t next = 0;
  int width = 0;
  for (const cli_column *c = rows.columns; !is_end(c); c++) {
    if (c->header != NULL) {
      cli_grid_add(grid, "%s", c->header);
      width++;
    }
  }
  for (const void *row; (row = next_row(rows, &next)) != NULL;) {
    for (const cli_column *c = rows.columns; !is_end(c); c++) {
      if (c->header != NULL) {
        add_cell(grid, c, row);
      }
    }
  }
  return width;
}

void cli_columns_add_text(roof_text *out, cli_rows rows) {
  cli_grid grid = {0};
  rf_table_column columns[RF_TABLE_COLUMNS];
  int count = 0;
  for (const cli_column *c = rows.columns; !is_end(c) && count < RF_TABLE_COLUMNS; c++) {
    if (c->header != NULL) {
      columns[count++] = (rf_table_column){.right = !is_text(c) || c->right,
                                           .name = c->name,
                                           .whole = c->whole,
                                           .verdict = c->verdict,
                                           .optional = c->optional,
                                           .rank = c->rank};
    }
  }
  (void)cli_columns_add_cells(&grid, rows);
  cli_grid_end_as(&grid, out, columns, count, rows.wide);
}

static void add_csv_header(roof_text *out, const cli_column *columns) {
  const char *separator = "";
  for (const cli_column *c = columns; !is_end(c); c++) {
    if (c->key != NULL) {
      roof_text_addf(out, "%s%s", separator, c->key);
      separator = ",";
    }
  }
  roof_text_add(out, "\n");
}

static void add_csv_field(roof_text *out, const cli_column *c, const void *row) {
  roof_text field = {0};
  c->add(row, &field);
  roof_text_add_csv(out, field.data != NULL ? field.data : "");
  out->failed = out->failed || field.failed;
  roof_text_done(&field);
}

void cli_columns_add_csv_row(roof_text *out, const cli_column *columns, const void *row) {
  char scratch[CLI_SCRATCH];
  const char *separator = "";
  for (const cli_column *c = columns; !is_end(c); c++) {
    if (c->key == NULL) {
      continue;
    }
    value v = value_of(c, row, scratch);
    roof_text_add(out, separator);
    separator = ",";
    if (c->add != NULL) {
      add_csv_field(out, c, row);
    } else if (v.text != NULL) {
      roof_text_add_csv(out, v.text);
    } else if (v.flag) {
      roof_text_add(out, v.number != 0 ? "true" : "false");
    } else {
      roof_text_add_number(out, isfinite(v.number) ? v.number : NAN,
                           c->csv_digits != 0 ? c->csv_digits : DIGITS);
    }
  }
  roof_text_add(out, "\n");
}

void cli_columns_add_csv(roof_text *out, cli_rows rows) {
  add_csv_header(out, rows.columns);
  size_t next = 0;
  for (const void *row; (row = next_row(rows, &next)) != NULL;) {
    cli_columns_add_csv_row(out, rows.columns, row);
  }
}

roof_status cli_columns_print_csv(cli_rows rows, roof_error *error) {
  roof_text out = {0};
  cli_columns_add_csv(&out, rows);
  return cli_print_end(&out, ROOF_OK, error);
}

/** What the column `name` says; "" where there is none. */
static const char *name_of(cli_rows rows, const void *row, char scratch[CLI_SCRATCH]) {
  for (const cli_column *c = rows.columns; !is_end(c); c++) {
    if (c->key != NULL && strcmp(c->key, "name") == 0) {
      return value_of(c, row, scratch).text;
    }
  }
  return "";
}

static const void *find_named(cli_rows rows, const char *name, roof_error *error) {
  char scratch[CLI_SCRATCH];
  const char **names = calloc(rows.count + 1, sizeof *names);
  const void *found = NULL;
  size_t next = 0, count = 0;
  for (const void *row; (row = next_row(rows, &next)) != NULL && names != NULL;) {
    names[count] = name_of(rows, row, scratch);
    found = found == NULL && strcmp(names[count++], name) == 0 ? row : found;
  }
  if (names == NULL) {
    roof_error_set(error, ROOF_E_MEMORY, "list: out of memory");
  } else if (found == NULL) {
    roof_error_unknown(error, "show", name, names, "`list` shows all");
  }
  free(names);
  return found;
}

/** "default sizes  n=1Mi", a line per key that is known. */
static void add_lines(roof_text *out, const cli_column *columns, const void *row) {
  char scratch[CLI_SCRATCH], key[64];
  for (const cli_column *c = columns; !is_end(c); c++) {
    value v = value_of(c, row, scratch);
    const char *text = v.flag ? (v.number != 0 ? "yes" : "no") : v.text;
    if (c->key == NULL || text == NULL || text[0] == '\0') {
      continue;
    }
    snprintf(key, sizeof key, "  %-12s  ", c->key);
    for (char *at = strchr(key, '_'); at != NULL; at = strchr(at, '_')) {
      *at = ' ';
    }
    roof_text_addf(out, "%s%s\n", key, text);
  }
}

roof_status cli_columns_print_named(const cli_args *args, cli_rows rows, const char *schema, const char *name,
                                    roof_error *error) {
  const void *row = find_named(rows, name, error);
  roof_text out = {0};
  if (row == NULL) {
    return ROOF_E_NAME;
  }
  if (args->json) {
    json_t *object = json_pack("{s:s}", "schema", schema);
    rf_json_merge(object, cli_columns_object(rows.columns, row));
    return cli_json_print(object, error);
  }
  if (args->csv) {
    return cli_columns_print_csv(
        (cli_rows){.columns = rows.columns, .first = row, .count = 1, .size = rows.size}, error);
  }
  add_lines(&out, rows.columns, row);
  return cli_print_end(&out, ROOF_OK, error);
}
