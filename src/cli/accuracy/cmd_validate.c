/* Predictions against what others measured. */
#include "cli/columns.h"
#include "roofline/accuracy.h"

#define PERCENT .unit = " %", .scale = 100, .digits = 1, .fixed = true
static const cli_column columns[] = {
    {.key = "name", .header = "", CLI_FIELD(NAME, roof_accuracy_line, name)},
    {.key = "timings", .header = "timings", .fixed = true, CLI_FIELD(SIZE, roof_accuracy_line, count)},
    {.key = "median_error", .header = "median", PERCENT, CLI_FIELD(NUMBER, roof_accuracy_line, median)},
    {.key = "mean_error", .header = "mean", PERCENT, CLI_FIELD(NUMBER, roof_accuracy_line, mean)},
    {.key = "p90_error", .header = "90th", PERCENT, CLI_FIELD(NUMBER, roof_accuracy_line, p90)},
    {.key = "bias", .header = "bias", PERCENT, CLI_FIELD(NUMBER, roof_accuracy_line, bias)},
    {.key = "median_error_of_lower",
     .header = "bound",
     PERCENT,
     CLI_FIELD(NUMBER, roof_accuracy_line, bound_median)},
    {.key = "fraction_inside_interval",
     .header = "inside",
     PERCENT,
     CLI_FIELD(NUMBER, roof_accuracy_line, inside)},
    {.key = "fraction_below_lower", .header = "below", PERCENT, CLI_FIELD(NUMBER, roof_accuracy_line, below)},
    {0}};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

/** A group of one line says nothing more than the first line. */
static void add_groups(const roof_accuracy *a, roof_text *out) {
  cli_column named[COLUMNS];
  for (int by = 0; by < ROOF_ACCURACY_COUNT; by++) {
    if (a->line_count[by] > 1) {
      cli_columns_copy(columns, named, COLUMNS);
      named[0].header = roof_accuracy_title((roof_accuracy_by)by);
      roof_text_add(out, "\n");
      cli_columns_add_text(out, CLI_ROWS(named, a->lines[by], a->line_count[by]));
    }
  }
}

static void add_text(const roof_accuracy *a, roof_text *out) {
  roof_text_addf(out, "%.1f %% off (median of %zu timings), %.1f %% of them inside the predicted interval\n",
                 100 * a->all.median, a->all.count, 100 * a->all.inside);
  roof_text_add(out, "\n");
  cli_columns_add_text(out, CLI_ROWS(columns, &a->all, 1));
  add_groups(a, out);
  roof_text_add(
      out, "\n  median, mean, 90th: of |predicted / measured - 1|; bias: of its median with the sign\n"
           "  bound: the same median for the lower bound alone, the bare roofline\n"
           "  inside: measured within expected_low to expected_high; below: faster than 98 % of the bound\n");
  for (size_t i = 0; i < a->gap_count; i++) {
    roof_text_addf(out, "  left out: %zu: %s\n", a->gaps[i].count, a->gaps[i].why);
  }
}

static void add_csv(const roof_accuracy *a, roof_text *out) {
  cli_columns_add_csv(out, CLI_ROWS(columns, &a->all, 1));
  for (int by = 0; by < ROOF_ACCURACY_COUNT; by++) {
    for (size_t i = 0; i < a->line_count[by]; i++) {
      cli_columns_add_csv_row(out, columns, &a->lines[by][i]);
    }
  }
}

/** `machine` may be NULL. */
static roof_status print(const cli_args *args, const roof_profile *profile, const roof_machine *machine,
                         roof_error *error) {
  roof_options options;
  roof_accuracy accuracy = {0};
  roof_text out = {0};
  roof_status status = cli_select_options(args, &options, error);
  status = status == ROOF_OK ? roof_accuracy_of(profile, machine, &options, &accuracy, error) : status;
  if (status == ROOF_OK && args->json) {
    status = roof_accuracy_write(&accuracy, machine, &out, error);
  } else if (status == ROOF_OK) {
    (args->csv ? add_csv : add_text)(&accuracy, &out);
  }
  roof_accuracy_done(&accuracy);
  return cli_print_end(&out, status, error);
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_profile profile;
  roof_machine **machines = NULL;
  int count = 0;
  if (args->word_count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "validate: which file of timings?");
  }
  roof_status status = roof_profile_init(&profile, error);
  if (status != ROOF_OK) {
    return status;
  }
  for (int i = 0; i < args->word_count && status == ROOF_OK; i++) {
    status = roof_import(args->words[i], NULL, &profile, error);
  }
  if (status == ROOF_OK && args->machines != NULL) {
    status = cli_select_machines(args, &machines, &count, error);
  }
  status = status == ROOF_OK ? print(args, &profile, count > 0 ? machines[0] : NULL, error) : status;
  roof_machines_free(machines, count);
  roof_profile_done(&profile);
  return status;
}

const cli_command cli_cmd_validate = {
    .name = "validate",
    .task = CLI_TASK_MEASURE,
    .arguments = "TIMINGS.csv ...",
    .summary =
        "how far predictions are from what others measured: error and coverage by operation, format, size",
    .examples =
        "  roofline validate gemm_h200_sxm.csv\n"
        "  roofline validate linear.csv vec.csv --json\n"
        "\n"
        "  A file gives a time and the shape of each operation; `roofline import --list` names the formats.\n"
        "  Each timing is predicted on the machine that the file names, or on --machine.\n",
    .writes = "txt json csv",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_MODEL,
    .run = run,
};
