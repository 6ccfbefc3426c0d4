#include "cli/advise/advise.h"

#include <math.h>

enum { TOP = 5, TOP_ENERGY = 3 };

CLI_WORD(lever_name, roof_lever, roof_lever_name(r->kind))
CLI_VALUE(lever_helps, roof_lever, roof_lever_helps(r))

static const cli_column lever_columns[] = {{.key = "lever", .text = lever_name},
                                           {.key = "change", CLI_FIELD(NAME, roof_lever, change)},
                                           {.key = "gain", CLI_FIELD(NUMBER, roof_lever, gain)},
                                           {.key = "helps", .kind = CLI_COLUMN_FLAG, .number = lever_helps},
                                           {.key = "seconds", CLI_FIELD(NUMBER, roof_lever, seconds)},
                                           {.key = "moved", CLI_FIELD(NAME, roof_lever, moved)},
                                           {.key = "why", CLI_FIELD(NAME, roof_lever, why)},
                                           {.key = "regime", CLI_FIELD(REGIME, roof_lever, regime)},
                                           {.key = "flips_at", CLI_FIELD(NUMBER, roof_lever, flips_at)},
                                           {0}};

cli_rows cli_advise_levers(const cli_advice *a) {
  return CLI_ROWS(lever_columns, a->advice.levers, a->advice.lever_count);
}

static void add_lever_row(cli_grid *grid, const roof_lever *l) {
  if (isnan(l->gain)) {
    cli_grid_add(grid, l->kind == ROOF_LEVER_LAUNCHES ? "?" : "fits");
  } else {
    cli_grid_add(grid, "%.3gx", l->gain);
  }
  cli_grid_add(grid, "%s", roof_lever_name(l->kind));
  cli_grid_add(grid, "%s", l->change);
}

static void add_levers(const cli_advice *a, roof_text *out, bool wanted) {
  roof_text_add(out, wanted ? "\n  what would help, best first\n" : "\n  what will not help\n");
  cli_grid grid = {0};
  bool any = false;
  for (size_t i = 0; i < a->advice.lever_count; i++) {
    const roof_lever *l = &a->advice.levers[i];
    if (roof_lever_helps(l) != wanted) {
      continue;
    }
    any = true;
    add_lever_row(&grid, l);
    cli_grid_add(&grid, wanted ? "moves %s; %s" : "%.0s%s", wanted ? l->moved : "", l->why);
  }
  if (any) {
    cli_grid_end_bare(&grid, out, "rlll");
  } else {
    roof_text_add(out, "  nothing of these\n");
  }
}

CLI_WORD(machine_name, roof_ranked_machine,
         cli_column_say(scratch, "%s%s", r->name, r->own ? " (this one)" : ""))

static const cli_column machine_columns[] = {
    {NULL, "", .digits = 3, CLI_FIELD(COUNT, roof_ranked_machine, rank)},
    {NULL, "machine", .name = true, .whole = true, .text = machine_name},
    {NULL, "time", "s", CLI_FIELD(NUMBER, roof_ranked_machine, seconds)},
    {NULL, "gain", "x", .digits = 3, CLI_FIELD(NUMBER, roof_ranked_machine, gain)},
    {NULL, "bound", .rank = 2, CLI_FIELD(REGIME, roof_ranked_machine, regime)},
    {NULL, "power", "W", .none = "", .rank = 1, CLI_FIELD(NUMBER, roof_ranked_machine, watts)},
    {NULL, "energy", "J", .none = "", CLI_FIELD(NUMBER, roof_ranked_machine, joules)},
    {NULL, "by energy", .digits = 3, .none = "", CLI_FIELD(COUNT, roof_ranked_machine, energy_rank)},
    {0}};

static bool is_among_the_first(const void *row) {
  const roof_ranked_machine *m = row;
  return m->own || m->rank <= TOP || (m->energy_rank > 0 && m->energy_rank <= TOP_ENERGY);
}

/** The fastest machines, and the best by energy among the rest; all with --all. */
static void add_machines(const cli_advice *a, roof_text *out) {
  if (roof_evidence_is_starved(&a->advice.evidence)) {
    roof_text_add(out,
                  "\n  hardware: not compared; the device waits for work, and a faster one would wait too\n");
    return;
  }
  if (a->machine_count == 0) {
    roof_text_add(out,
                  "\n  hardware: no machine of the catalogue has the figures to be compared with this one\n");
    return;
  }
  cli_rows rows = CLI_ROWS(machine_columns, a->machines, (size_t)a->machine_count);
  rows.shown = a->all_machines ? NULL : is_among_the_first;
  roof_text_addf(out, "\n  hardware: %d machines%s by expected time, and by time x board power\n",
                 a->machine_count,
                 a->advice.now.regime == ROOF_OVERHEAD_BOUND ? " whose launch cost is known" : "");
  cli_columns_add_text(out, rows);
}

void cli_advise_text(const cli_advice *a, roof_text *out) {
  roof_advice_describe(out, a->target, a->op, &a->advice);
  if (a->advice.placed.state <= ROOF_PLACE_POSSIBLE) {
    add_levers(a, out, true);
    add_levers(a, out, false);
    add_machines(a, out);
  }
}
