/* A JSON answer as a table: one row of the table here says which list of a schema has the rows, and its
 * columns. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"

enum { DIGITS = 15, STEP = 64 };

/** `rows` names the lists that have the rows, `+` between lists and `>` before one inside another's objects;
 * empty: the answer is the one row. A column is the name of a member, or `name=path`: steps with `.` between
 * them, the last perhaps `#`, the names of an object's members, or `*`, the sum of their numbers. What an
 * inner object lacks is the outer one's. `@` is the list's name. */
static const struct {
  const char *schema;
  const char *rows;
  const char *columns;
} tables[] = {
    {"roofline.ledger/1", "entries",
     "sequence,time,kind,label,machine,op,parameters,dtype,regime,binding,flops,bytes,"
     "lower_seconds=seconds.lower,expected_seconds=seconds.expected,measured_seconds=seconds,samples,"
     "prediction,"
     "unsealed,commit,sha256"},
    {"roofline.model_sweep/1", "points",
     "machine,precision,values=label,ttft_seconds,tpot_seconds,tokens_per_second,batch_tokens_per_second,"
     "device_tokens_per_second,prompt_tokens_per_second,joules_per_token,price_per_million_tokens,"
     "total_bytes,spare_bytes,fits,regime,intensity,mfu,mbu,why"},
};

/** Where a row is: in an object of an outer list perhaps, in a list of that name. */
typedef struct place {
  json_t *row;
  json_t *outer; /**< or NULL */
  const char *list;
} place;

/** The members of an object as one field: their names, or the sum of their numbers. */
static json_t *fold(json_t *object, bool named) {
  const char *name;
  json_t *value;
  roof_text names = {0};
  double sum = 0;
  bool known = false;
  json_object_foreach(object, name, value) {
    roof_text_addf(&names, "%s%s", names.length > 0 ? "+" : "", name);
    sum += json_is_number(value) ? json_number_value(value) : 0;
    known = known || json_is_number(value);
  }
  json_t *folded = !json_is_object(object) ? json_null()
                   : named                 ? json_string(names.data != NULL ? names.data : "")
                                           : rf_json_number(known ? sum : NAN);
  roof_text_done(&names);
  return folded;
}

/** What a column's path leads to, a new reference. */
static json_t *follow(const place *at, const char *path) {
  char step[STEP];
  json_t *value = at->row;
  if (strcmp(path, "@") == 0) {
    return json_string(at->list);
  }
  while (*path != '\0') {
    size_t length = strcspn(path, ".");
    snprintf(step, sizeof step, "%.*s", (int)length, path);
    path += length + (path[length] == '.');
    if (strcmp(step, "*") == 0 || strcmp(step, "#") == 0) {
      return fold(value, step[0] == '#');
    }
    json_t *inner = json_object_get(value, step);
    value = inner == NULL && value == at->row ? json_object_get(at->outer, step) : inner;
  }
  return value != NULL ? json_incref(value) : json_null();
}

/** A value as text: unknown is empty, of a list the values or names. */
static void add_value(roof_text *out, json_t *value) {
  size_t index;
  json_t *element;
  if (json_is_array(value)) {
    json_array_foreach(value, index, element) {
      json_t *name = json_object_get(element, "name");
      roof_text_add(out, index > 0 ? ";" : "");
      add_value(out, name != NULL ? name : element);
    }
  } else if (json_is_integer(value)) {
    roof_text_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  } else if (json_is_number(value)) {
    roof_text_add_number(out, json_number_value(value), DIGITS);
  } else if (json_is_boolean(value)) {
    roof_text_add(out, json_is_true(value) ? "true" : "false");
  } else if (json_is_string(value)) {
    roof_text_add(out, json_string_value(value));
  }
}

/** The next column, "name" or "name=path"; false after the last. */
static bool next_column(const char **columns, char name[STEP], char path[STEP]) {
  size_t length = strcspn(*columns, ","), key = strcspn(*columns, ",=");
  if (length == 0) {
    return false;
  }
  size_t from = key < length ? key + 1 : 0;
  snprintf(name, STEP, "%.*s", (int)key, *columns);
  snprintf(path, STEP, "%.*s", (int)(length - from), *columns + from);
  *columns += length + ((*columns)[length] == ',');
  return true;
}

static void add_header(roof_text *out, const char *columns) {
  char name[STEP], path[STEP];
  for (bool first = true; next_column(&columns, name, path); first = false) {
    roof_text_addf(out, "%s%s", first ? "" : ",", name);
  }
  roof_text_add(out, "\n");
}

static void add_row(roof_text *out, const place *at, const char *columns) {
  char name[STEP], path[STEP];
  for (bool first = true; next_column(&columns, name, path); first = false) {
    roof_text field = {0};
    json_t *value = follow(at, path);
    add_value(&field, value);
    roof_text_add(out, first ? "" : ",");
    roof_text_add_csv(out, field.data != NULL ? field.data : "");
    out->failed = out->failed || field.failed;
    roof_text_done(&field);
    json_decref(value);
  }
  roof_text_add(out, "\n");
}

/** The rows of the list `name` of `object`, or those of a list inside its objects. */
static void add_list(roof_text *out, json_t *object, const char *name, const char *columns) {
  char own[STEP];
  size_t length = strcspn(name, ">"), index, nested;
  json_t *row, *inner;
  snprintf(own, sizeof own, "%.*s", (int)length, name);
  json_array_foreach(json_object_get(object, own), index, row) {
    if (name[length] == '\0') {
      add_row(out, &(place){row, NULL, own}, columns);
      continue;
    }
    json_array_foreach(json_object_get(row, name + length + 1), nested, inner) {
      add_row(out, &(place){inner, row, own}, columns);
    }
  }
}

void cli_answer_add_csv(roof_text *out, json_t *answer) {
  const char *schema = json_string_value(json_object_get(answer, "schema"));
  for (size_t i = 0; schema != NULL && i < sizeof tables / sizeof tables[0]; i++) {
    char rows[STEP], *rest = NULL;
    if (strcmp(tables[i].schema, schema) != 0) {
      continue;
    }
    add_header(out, tables[i].columns);
    if (tables[i].rows[0] == '\0') {
      add_row(out, &(place){answer, NULL, ""}, tables[i].columns);
    }
    snprintf(rows, sizeof rows, "%s", tables[i].rows);
    for (char *list = strtok_r(rows, "+", &rest); list != NULL; list = strtok_r(NULL, "+", &rest)) {
      add_list(out, answer, list, tables[i].columns);
    }
  }
}

roof_status cli_answer_print(const cli_args *args, json_t *answer, roof_error *error) {
  if (!args->csv) {
    return cli_json_print(answer, error);
  }
  roof_text text = {0};
  cli_answer_add_csv(&text, answer);
  json_decref(answer);
  roof_status status = cli_print(&text, error);
  roof_text_done(&text);
  return status;
}
