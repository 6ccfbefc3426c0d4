/* The operations: their parameters, formulas and sources. */
#include <math.h>
#include <string.h>

#include "cli/columns.h"

CLI_WORD(unit_of, roof_op, roof_unit_name(r->unit))

static void add_usage(const void *row, roof_text *out) {
  roof_op_add_usage(out, row);
}

static const cli_column columns[] = {
    {.key = "name", CLI_FIELD(TEXT, roof_op, name)},
    {.key = "family", CLI_FIELD(TEXT, roof_op, family)},
    {.key = "parameters", .add = add_usage},
    {.key = "unit", .text = unit_of},
    {.key = "flops", CLI_FIELD(TEXT, roof_op, flops)},
    {.key = "bytes", CLI_FIELD(TEXT, roof_op, bytes)},
    {.key = "link_bytes", CLI_FIELD(TEXT, roof_op, link)},
    {.key = "flops_per_element", CLI_FIELD(NUMBER, roof_op, flops_per_element)},
    {.key = "summary", CLI_FIELD(TEXT, roof_op, summary)},
    {.key = "source", CLI_FIELD(TEXT, roof_op, source)},
    {0},
};

/** Ends the table of a family. */
static void end_family(roof_text *out, cli_grid *grid, const char *family) {
  if (family[0] != '\0') {
    roof_text_addf(out, "%s%s\n", out->length > 0 ? "\n" : "", family);
    cli_grid_end_bare(grid, out, "lll");
  }
}

/** A line of the list, in the table of its family; of a new one where it is the first of it. */
static void add_line(roof_text *out, cli_grid *grid, const roof_op *op, const char *family) {
  roof_text usage = {0};
  if (strcmp(family, op->family) != 0) {
    end_family(out, grid, family);
  }
  roof_op_add_usage(&usage, op);
  cli_grid_add(grid, "%s", op->name);
  cli_grid_add(grid, "%s", usage.data != NULL ? usage.data : "");
  out->failed = out->failed || usage.failed;
  cli_grid_add(grid, "%s", op->summary);
  roof_text_done(&usage);
}

static roof_status list(const cli_args *args, const char *text, roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  const char *family = "";
  cli_grid grid = {0};
  const roof_op *op = NULL;
  if (args->json) {
    status = roof_userops_write(args->userops, args->userops_count, text, &out, error);
  } else if (args->csv) {
    cli_columns_add_csv(&out, CLI_ROWS(columns, op, 0));
  }
  for (int i = 0; !args->json && (op = roof_userops_at(args->userops, args->userops_count, i)) != NULL; i++) {
    if (!roof_op_mentions(op, text)) {
      continue;
    }
    args->csv ? cli_columns_add_csv_row(&out, columns, op) : add_line(&out, &grid, op, family);
    family = op->family;
  }
  if (!args->json && !args->csv) {
    end_family(&out, &grid, family);
  }
  if (!args->json && family[0] == '\0') {
    status = roof_error_set(error, ROOF_E_NAME, "op list: nothing contains `%.80s`", text);
  }
  return cli_print_end(&out, status, error);
}

/** A parameter as a record. */
typedef struct record {
  roof_param p;
  const char *fallback; /**< NULL: it has none of its own */
} record;

static record record_of(const roof_op *op, int index, char scratch[CLI_SCRATCH]) {
  const roof_param *p = &op->params[index];
  return (record){*p, isnan(p->fallback) ? NULL
                                         : roof_op_value_text(op, index, p->fallback, scratch, CLI_SCRATCH)};
}

static void add_choices(const void *row, roof_text *out) {
  const roof_param *p = &((const record *)row)->p;
  for (int i = 0; i < ROOF_CHOICE_MAX && p->choices[i] != NULL; i++) {
    roof_text_addf(out, "%s%s", i > 0 ? ";" : "", p->choices[i]);
  }
}

static void add_records(roof_text *out, const roof_op *op) {
  static const cli_column parameters[] = {
      {.key = "name", CLI_FIELD(TEXT, record, p.name)},
      {.key = "default", CLI_FIELD(TEXT, record, fallback)},
      {.key = "same_as", CLI_FIELD(TEXT, record, p.same_as)},
      {.key = "choices", .add = add_choices},
      {.key = "text", CLI_FIELD(TEXT, record, p.text)},
      {0},
  };
  char scratch[CLI_SCRATCH];
  record r;
  cli_columns_add_csv(out, CLI_ROWS(parameters, &r, 0));
  for (int i = 0; i < roof_op_param_count(op); i++) {
    r = record_of(op, i, scratch);
    cli_columns_add_csv_row(out, parameters, &r);
  }
}

static void add_page(roof_text *out, const roof_op *op) {
  roof_text_addf(out, "%s%s%s\n\n  unit        %s\n  FLOP        %s\n  bytes       %s\n", op->name,
                 op->summary[0] != '\0' ? ": " : "", op->summary, roof_unit_name(op->unit), op->flops,
                 op->bytes);
  if (op->link != NULL) {
    roof_text_addf(out, "  link bytes  %s\n  messages    %s\n", op->link, op->steps);
  }
  if (!isnan(op->flops_per_element)) {
    roof_text_addf(out, "  per element %g FLOP\n", op->flops_per_element);
  }
  roof_text_addf(out, "  source      %s\n\n", op->source);
  for (int i = 0; i < roof_op_param_count(op); i++) {
    char scratch[CLI_SCRATCH];
    record r = record_of(op, i, scratch);
    const char *fallback = r.p.same_as != NULL ? r.p.same_as : r.fallback;
    roof_text_addf(out, "  %-13s %*s%s%s\n", r.p.name, r.p.text[0] != '\0' ? -12 : 0,
                   fallback != NULL ? fallback : "needed", r.p.text[0] != '\0' ? " " : "", r.p.text);
  }
  roof_text_add(
      out, "\n  a, w, o, kv are bytes per element of activations, weights (with scales), result, KV cache;"
           " bytes are read + written, each once\n");
}

static roof_status show(const cli_args *args, const char *name, roof_error *error) {
  const roof_op *op = NULL;
  roof_text out = {0};
  roof_status status = cli_select_op(args, name, &op, error);
  if (status == ROOF_OK && args->json) {
    status = roof_op_write(op, &out, error);
  } else if (status == ROOF_OK) {
    args->csv ? add_records(&out, op) : add_page(&out, op);
  }
  return cli_print_end(&out, status, error);
}

static roof_status run(const cli_args *args, roof_error *error) {
  bool listed = args->list || args->word_count == 0;
  roof_status status = cli_args_limit_words(args, listed ? 1 : 2, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (listed) {
    return list(args, args->word_count > 0 ? args->words[0] : "", error);
  }
  if (strcmp(args->words[0], "show") == 0 && args->word_count == 2) {
    return show(args, args->words[1], error);
  }
  return roof_error_set(error, ROOF_E_ARGUMENT, "op %s: use `op list [TEXT]` or `op show NAME`",
                        args->words[0]);
}

const cli_command cli_cmd_op = {
    .name = "op",
    .task = CLI_TASK_LOOK_UP,
    .arguments = "list [TEXT] | show NAME",
    .summary = "the operations with parameters, formulas and sources",
    .examples = "  roofline op list gemm\n  roofline op show attention\n",
    .writes = "txt json csv",
    .groups = CLI_ARGS_OPS | CLI_ARGS_LIST,
    .run = run,
};
