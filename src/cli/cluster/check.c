/* The gate of an acceptance: measured nodes against an earlier run, or against the machine that each should be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cluster/cluster.h"
#include "cli/columns.h"
#include "cluster/nodes.h"

static const char *quantity(double value, const char *unit, const char *words, char scratch[CLI_SCRATCH]) {
  if (isnan(value)) {
    return words;
  }
  if (unit[0] == '\0') {
    snprintf(scratch, CLI_SCRATCH, "%.0f", value);
    return scratch;
  }
  return roof_quantity_format(scratch, CLI_SCRATCH, value, unit);
}

CLI_WORD(expected_text, roof_node_change, quantity(r->expected, r->unit, r->was, scratch))
CLI_WORD(measured_text, roof_node_change, quantity(r->measured, r->unit, r->is, scratch))
CLI_VALUE(change_of, roof_node_change, r->ratio - 1)
CLI_WORD(verdict_of, roof_node_change, roof_node_verdict_name(r->verdict))

static const cli_column columns[] = {
    {.key = "node", .header = "node", .name = true, CLI_FIELD(NAME, roof_node_change, node)},
    {.key = "figure", .header = "figure", .name = true, CLI_FIELD(NAME, roof_node_change, figure)},
    {.key = "unit", CLI_FIELD(NAME, roof_node_change, unit)},
    {.key = "expected", CLI_FIELD(NUMBER, roof_node_change, expected)},
    {.key = "measured", CLI_FIELD(NUMBER, roof_node_change, measured)},
    {.key = "was", CLI_FIELD(NAME, roof_node_change, was)},
    {.key = "is", CLI_FIELD(NAME, roof_node_change, is)},
    {.header = "expected", .right = true, .text = expected_text},
    {.header = "measured", .right = true, .text = measured_text},
    {.header = "change", CLI_PERCENT(1), .none = "", .number = change_of},
    {.key = "noise",
     .header = "noise",
     .rank = 1,
     CLI_PERCENT(1),
     .none = "",
     CLI_FIELD(NUMBER, roof_node_change, noise)},
    {.key = "verdict", .header = "verdict", .name = true, .verdict = true, .text = verdict_of},
    {0},
};

static roof_status print(const cli_args *args, const char *expected, const roof_nodes_changes *changes,
                         roof_error *error) {
  roof_text out = {0};
  cli_rows rows = CLI_ROWS(columns, changes->list, changes->count);
  roof_status status = ROOF_OK;
  if (args->json) {
    status = roof_nodes_changes_write(changes, &out, error);
  } else if (args->csv) {
    cli_columns_add_csv(&out, rows);
  } else {
    roof_text_addf(&out, "%s against %s: ", args->words[1], expected);
    roof_nodes_changes_sentence(changes, &out);
    roof_text_add(&out, "\n");
    if (changes->count > 0) {
      rf_answer_add_part(&out, ROOF_PAGE_VERDICTS);
      roof_text_add(&out, "\n");
      cli_columns_add_text(&out, rows);
    }
  }
  return cli_print_end(&out, status, error);
}

/** A file of nodes, or any name of a machine. */
static roof_status compare(const char *expected, double tolerance, bool typed, const roof_nodes *measured,
                           roof_nodes_changes *changes, roof_error *error) {
  roof_nodes *old = NULL;
  roof_machine *machine = NULL;
  roof_status status;
  if (rf_nodes_is_file(expected)) {
    if (typed) {
      return roof_error_set(error, ROOF_E_ARGUMENT,
                            "--tolerance: is of a machine; two runs are compared by their own noise");
    }
    status = roof_nodes_load(expected, &old, error);
    status = status == ROOF_OK ? roof_nodes_compare(old, measured, changes, error) : status;
  } else {
    status = roof_catalog_load(expected, &machine, error);
    status = status == ROOF_OK ? roof_nodes_expect(machine, tolerance, measured, changes, error) : status;
  }
  roof_nodes_free(old);
  roof_machine_free(machine);
  return status;
}

/** The share that `text` in percent is, with or without its sign; NULL: a tenth. */
static roof_status read_tolerance(const char *text, double *share, roof_error *error) {
  *share = 0.1;
  if (text == NULL) {
    return ROOF_OK;
  }
  size_t used = roof_number_read(text, strlen(text), share);
  const char *end = text + used;
  *share /= 100;
  bool fine = used > 0 && (*end == '\0' || strcmp(end, "%") == 0) && *share >= 0 && *share < 1;
  return fine ? ROOF_OK
              : roof_error_set(error, ROOF_E_ARGUMENT,
                               "--tolerance %s: a share in percent from 0 to below 100", text);
}

roof_status cli_cluster_check(const cli_args *args, const char *expected, const char *tolerance,
                              roof_error *error) {
  roof_nodes *measured = NULL;
  roof_nodes_changes changes = {0};
  double share = 0;
  roof_status status = cli_args_limit_words(args, 2, error);
  if (status == ROOF_OK && (args->word_count < 2 || expected == NULL)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "cluster check: %s: roofline cluster check cluster.json --against EXPECTED",
                            args->word_count < 2 ? "no file named" : "needs --against");
  }
  if (status == ROOF_OK && args->file != NULL) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "--to %s: `cluster check` writes files that end in .txt, .html, .json or .csv",
                            args->to);
  }
  status = status == ROOF_OK ? read_tolerance(tolerance, &share, error) : status;
  status = status == ROOF_OK ? roof_nodes_load(args->words[1], &measured, error) : status;
  if (status == ROOF_OK) {
    status = compare(expected, share, tolerance != NULL, measured, &changes, error);
  }
  status = status == ROOF_OK ? print(args, expected, &changes, error) : status;
  bool fell = changes.fallen > 0;
  roof_nodes_changes_done(&changes);
  roof_nodes_free(measured);
  return status == ROOF_OK && fell ? ROOF_E_GATE : status;
}
