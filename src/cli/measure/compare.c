/* What changed between two measurements: the view of roof_machine_changes. */
#include "cli/columns.h"
#include "cli/machine/machine.h"
#include "roofline/changes.h"

CLI_VALUE(change_of, roof_figure_change, r->ratio - 1)
CLI_VALUE(cycle_change_of, roof_figure_change, r->cycle_ratio - 1)
CLI_WORD(verdict_of, roof_figure_change, roof_change_verdict_name(r->verdict))

static const cli_column columns[] = {
    {.key = "figure", .header = "figure", CLI_FIELD(NAME, roof_figure_change, figure)},
    {.key = "unit", CLI_FIELD(TEXT, roof_figure_change, unit)},
    {.key = "old", .header = "old", .none = "", CLI_QUANTITY(roof_figure_change, old_value, unit)},
    {.key = "new", .header = "new", .none = "", CLI_QUANTITY(roof_figure_change, new_value, unit)},
    {.header = "change", CLI_PERCENT(1), .none = "", .number = change_of},
    {.header = "per cycle", .rank = 1, CLI_PERCENT(1), .none = "", .number = cycle_change_of},
    {.key = "ratio", CLI_FIELD(NUMBER, roof_figure_change, ratio)},
    {.key = "noise",
     .header = "noise",
     .rank = 2,
     CLI_PERCENT(1),
     .none = "",
     CLI_FIELD(NUMBER, roof_figure_change, noise)},
    {.key = "verdict", .header = "verdict", .name = true, .verdict = true, .text = verdict_of},
    {.key = "ratio_per_cycle", CLI_FIELD(NUMBER, roof_figure_change, cycle_ratio)},
    {.key = "p", CLI_FIELD(NUMBER, roof_figure_change, p)},
    {.key = "noisy_old", CLI_FIELD(NAME, roof_figure_change, noisy_old)},
    {.key = "noisy_new", CLI_FIELD(NAME, roof_figure_change, noisy_new)},
    {0},
};

roof_status cli_measure_compare_print(const cli_args *args, const roof_machine *old, const roof_machine *new,
                                      roof_error *error) {
  roof_changes changes;
  roof_text text = {0};
  roof_status status = roof_machine_changes(old, new, &changes, error);
  if (status != ROOF_OK) {
    return status;
  }
  cli_rows rows = CLI_ROWS(columns, changes.list, changes.count);
  if (args->json) {
    status = roof_changes_write(&changes, old, new, &text, error);
  } else if (args->csv) {
    cli_columns_add_csv(&text, rows);
  } else {
    roof_changes_sentence(&changes, &text);
    roof_text_add(&text, "\n");
    if (changes.count > 0) {
      roof_text_add(&text, "\n");
      cli_columns_add_text(&text, rows);
    }
    if (!args->quiet) {
      roof_text_addf(
          &text,
          "\n  old: %s of %s, new: %s of %s; noise: what the rounds of figures marked noisy differ by, "
          "or both spreads, at least %.0f %%\n",
          old->name, old->date, new->name, new->date, 100 * ROOF_CHANGE_REPEATABLE);
    }
  }
  bool fell = changes.fallen > 0;
  roof_changes_done(&changes);
  status = cli_print_end(&text, status, error);
  return status == ROOF_OK && fell ? ROOF_E_GATE : status;
}
