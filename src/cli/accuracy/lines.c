#include "cli/accuracy/lines.h"

const cli_column cli_accuracy_columns[] = {
    {.key = "name", .header = "", CLI_FIELD(NAME, roof_accuracy_line, name)},
    {.key = "timings", .header = "timings", .fixed = true, CLI_FIELD(SIZE, roof_accuracy_line, count)},
    {.key = "median_error",
     .header = "median",
     CLI_PERCENT(1),
     CLI_FIELD(NUMBER, roof_accuracy_line, median)},
    {.key = "mean_error", .header = "mean", CLI_PERCENT(1), CLI_FIELD(NUMBER, roof_accuracy_line, mean)},
    {.key = "p90_error", .header = "90th", CLI_PERCENT(1), CLI_FIELD(NUMBER, roof_accuracy_line, p90)},
    {.key = "bias", .header = "bias", CLI_PERCENT(1), CLI_FIELD(NUMBER, roof_accuracy_line, bias)},
    {.key = "median_error_of_lower",
     .header = "bound",
     CLI_PERCENT(1),
     CLI_FIELD(NUMBER, roof_accuracy_line, bound_median)},
    {.key = "fraction_inside_interval",
     .header = "inside",
     CLI_PERCENT(1),
     CLI_FIELD(NUMBER, roof_accuracy_line, inside)},
    {.key = "fraction_below_lower",
     .header = "below",
     CLI_PERCENT(1),
     CLI_FIELD(NUMBER, roof_accuracy_line, below)},
    {0}};

enum { COLUMNS = sizeof cli_accuracy_columns / sizeof cli_accuracy_columns[0] };

void cli_gaps_add(const roof_accuracy *a, roof_text *out) {
  for (size_t i = 0; i < a->gap_count; i++) {
    roof_text_addf(out, "  left out: %zu: %s\n", a->gaps[i].count, a->gaps[i].why);
  }
}

bool cli_accuracy_of_runs(const roof_accuracy *a) {
  return a->line_count[ROOF_ACCURACY_MODEL] > 0 && a->line_count[ROOF_ACCURACY_KERNEL] == 0;
}

static bool has_line(const roof_accuracy_line *lines, size_t count, const roof_accuracy_line *line) {
  bool found = false;
  for (size_t i = 0; i < count && !found; i++) {
    found = lines[i].count == line->count && lines[i].mean == line->mean && lines[i].bias == line->bias;
  }
  return found;
}

/** A group of one line says nothing more than the first line; of runs one of a line for each figure than those figures' lines. */
static bool says_more(const roof_accuracy *a, int by) {
  const roof_accuracy_line *figures = a->lines[ROOF_ACCURACY_OPERATION];
  bool runs = cli_accuracy_of_runs(a), more = by == ROOF_ACCURACY_OPERATION || !runs;
  for (size_t i = 0; i < a->line_count[by] && !more; i++) {
    more = !has_line(figures, a->line_count[ROOF_ACCURACY_OPERATION], &a->lines[by][i]);
  }
  return more && a->line_count[by] > 1 && !(runs && by == ROOF_ACCURACY_DURATION);
}

/** Errors of several figures together are of none: runs have them by figure alone. */
void cli_accuracy_add(const roof_accuracy *a, roof_text *out) {
  cli_column named[COLUMNS];
  if (!cli_accuracy_of_runs(a) || a->line_count[ROOF_ACCURACY_OPERATION] == 1) {
    roof_text_add(out, "\n");
    cli_columns_add_text(out, CLI_ROWS(cli_accuracy_columns, &a->all, 1));
  }
  for (int by = 0; by < ROOF_ACCURACY_COUNT; by++) {
    if (says_more(a, by)) {
      cli_columns_copy(cli_accuracy_columns, named, COLUMNS);
      named[0].header = roof_accuracy_title((roof_accuracy_by)by);
      roof_text_add(out, "\n");
      cli_columns_add_text(out, CLI_ROWS(named, a->lines[by], a->line_count[by]));
    }
  }
  roof_text_add(
      out, "\n  median, mean, 90th: of |predicted / measured - 1|; bias: of its median with the sign\n"
           "  bound: the same median for the lower bound alone, the bare roofline\n"
           "  inside: measured within expected_low to expected_high; below: faster than 98 % of the bound\n");
  cli_gaps_add(a, out);
}

void cli_accuracy_add_csv(const roof_accuracy *a, roof_text *out) {
  cli_columns_add_csv(out, CLI_ROWS(cli_accuracy_columns, &a->all, 1));
  for (int by = 0; by < ROOF_ACCURACY_COUNT; by++) {
    for (size_t i = 0; i < a->line_count[by]; i++) {
      cli_columns_add_csv_row(out, cli_accuracy_columns, &a->lines[by][i]);
    }
  }
}

roof_status cli_timings_import(const cli_args *args, roof_profile *profile, roof_error *error) {
  if (args->word_count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "which file of timings? `roofline import --list` names the formats");
  }
  roof_status status = roof_profile_init(profile, error);
  for (int i = 0; i < args->word_count && status == ROOF_OK; i++) {
    status =
        roof_served_is_setting(args->words[i]) ? ROOF_OK : roof_import(args->words[i], NULL, profile, error);
  }
  for (int i = 0; i < args->word_count && status == ROOF_OK; i++) {
    status = roof_served_is_setting(args->words[i]) ? roof_profile_set_runs(profile, args->words[i], error)
                                                    : ROOF_OK;
  }
  return status;
}
