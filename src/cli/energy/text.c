/* The roofline of energy for people. */
#include <math.h>
#include <stdlib.h>

#include "cli/energy/energy.h"

enum { SHORT = 48, BAR = 20, ROWS_MAX = 64 };

static void add_answer(roof_text *out, const roof_energy_subject *s) {
  roof_text_addf(out, RF_MARK_BOLD "%s, %s %s: ", roof_machine_title(s->target.machine),
                 roof_dtype_name(s->dtype), roof_unit_name(s->unit));
  if (!isnan(s->energy_balance)) {
    roof_text_addf(out, "at best %.5g GFLOP/s per watt, half of it at %.4g FLOP/B; ",
                   s->best_flops_per_joule / 1e9, s->energy_balance);
    roof_text_add(out, s->race_to_halt ? "racing to halt pays" : "racing to halt is not enough");
  } else {
    roof_text_add(out, "no peak or bandwidth is known, so no balance");
  }
  roof_text_add(out, RF_MARK_END "\n\n");
}

static void add_source(roof_text *out, const roof_energy_subject *s) {
  char x[SHORT];
  const roof_energy *e = &s->target.machine->energy;
  const roof_energy_costs *c = &s->target.costs;
  if (c->power_only) {
    roof_text_addf(
        out, "  assumed     %s drawn all the time, whatever is done: the machine's file says no joules,\n",
        cli_quantity(x, c->constant_watts, "W"));
    roof_text_add(out, "              so every energy here is at most, and follows the time alone\n");
    roof_text_addf(out, "  its power   %s: %s\n", roof_provenance_name(e->kind), e->source);
    return;
  }
  roof_text_addf(out, "  constant    %s%s\n", cli_quantity(x, c->constant_watts, "W"),
                 isnan(e->idle_watts) ? ": the idle power is not known" : ", drawn whatever is done");
  roof_text_addf(out, "  joules      %s: %s\n", roof_provenance_name(e->kind), e->source);
}

static const char *flop_name(const void *row, char *scratch) {
  const roof_peak *peak = ((const roof_energy_flop *)row)->peak;
  snprintf(scratch, CLI_SCRATCH, "%s %s", roof_dtype_name(peak->dtype), roof_unit_name(peak->unit));
  return scratch;
}

static const cli_column flop_columns[] = {
    {NULL, "a FLOP of", .text = flop_name},
    {NULL, "peak", "FLOP/s", CLI_FIELD(NUMBER, roof_energy_flop, flops_per_second)},
    {NULL, "joules", "J", CLI_FIELD(NUMBER, roof_energy_flop, joules)},
    {NULL, "with constant power", "J", CLI_FIELD(NUMBER, roof_energy_flop, effective_joules)},
    {NULL, "GFLOP/s per watt", .scale = 1e-9, .digits = 5,
     CLI_FIELD(NUMBER, roof_energy_flop, flops_per_joule)},
    {0}};

static const char *byte_level(const void *row, char *scratch) {
  (void)scratch;
  return ((const roof_energy_byte *)row)->level->name;
}

static const cli_column byte_columns[] = {
    {NULL, "a byte from", .text = byte_level},
    {NULL, "bandwidth", "B/s", CLI_FIELD(NUMBER, roof_energy_byte, bytes_per_second)},
    {NULL, "joules", "J", CLI_FIELD(NUMBER, roof_energy_byte, joules)},
    {NULL, "with constant power", "J", CLI_FIELD(NUMBER, roof_energy_byte, effective_joules)},
    {0}};

static void add_costs(roof_text *out, const roof_energy_subject *s) {
  roof_energy_flop flops[ROOF_ENERGY_FLOPS];
  roof_energy_byte bytes[ROOF_LEVEL_KIND_COUNT];
  size_t flop_count = roof_energy_flops(s, flops), byte_count = roof_energy_bytes(s, bytes);
  roof_text_add(out, "\n");
  cli_columns_add_text(out, CLI_ROWS(flop_columns, flops, flop_count));
  roof_text_add(out, "\n");
  cli_columns_add_text(out, CLI_ROWS(byte_columns, bytes, byte_count));
}

static void add_balance(roof_text *out, const roof_energy_subject *s) {
  char x[SHORT], y[SHORT];
  const roof_energy_line *l = &s->line;
  double time = s->time_balance, energy = s->energy_balance;
  double most = s->most_watts, watts = s->target.machine->energy.watts;
  if (isnan(energy)) {
    return;
  }
  roof_text_addf(
      out,
      "\n  balance     time %.4g FLOP/B, the ridge; energy %.4g FLOP/B, where bytes take as much as FLOPs\n",
      time, energy);
  if (s->race_to_halt) {
    roof_text_add(out,
                  "  race        what is compute-bound in time is so in energy: make it fast, then halt\n");
  } else {
    roof_text_addf(
        out,
        "  race        from %.4g to %.4g FLOP/B FLOPs take the time but bytes most of the energy: fewer\n"
        "              bytes still save joules where they save no time\n",
        time, energy);
  }
  roof_text_addf(out, "  power       %s far left of the ridge, %s at it,",
                 cli_quantity(x, roof_energy_watts(l, time * 1e-6), "W"), cli_quantity(y, most, "W"));
  roof_text_addf(out, " %s far right\n", cli_quantity(x, roof_energy_watts(l, time * 1e6), "W"));
  if (most > watts * (1 + 1e-9)) {
    roof_text_addf(out, "              more than the machine's %s: both at full rate would be throttled\n",
                   cli_quantity(x, watts, "W"));
  }
}

static void add_term(roof_text *out, const char *name, double joules, double all) {
  char x[SHORT];
  int length = all > 0 ? (int)lround(BAR * joules / all) : 0;
  roof_text_addf(out, "  %-11s %-10s ", name, cli_quantity(x, joules, "J"));
  for (int i = 0; i < BAR; i++) {
    roof_text_add(out, i < length ? "\xE2\x96\x88" : " ");
  }
  roof_text_addf(out, " %5.1f %%  ", all > 0 ? 100 * joules / all : 0);
}

/** The terms of one point, the sum and what it means. */
static void add_point(roof_text *out, const roof_energy_subject *s, const roof_energy_point *point) {
  char x[SHORT], y[SHORT];
  const roof_energy_costs *c = &s->target.costs;
  const roof_prediction *p = &point->prediction;
  const roof_energy_use *u = &point->use;
  double all = u->expected_joules, balance = s->energy_balance;
  if (!c->power_only) {
    add_term(out, "FLOPs", u->flop_joules, all);
    roof_text_addf(out, "%s x %s\n", cli_quantity(x, p->work.flops, "FLOP"),
                   cli_quantity(y, c->joules_per_flop[p->work.unit], "J"));
  }
  for (int i = 0; i < p->level_count; i++) {
    if (u->level_joules[i] > 0) {
      add_term(out, p->levels[i].level->name, u->level_joules[i], all);
      roof_text_addf(out, "%s x %s\n", cli_quantity(x, p->levels[i].bytes, "B"),
                     cli_quantity(y, c->joules_per_byte[p->levels[i].level->level], "J"));
    }
  }
  add_term(out, "constant", u->constant_joules, all);
  roof_text_addf(out, "%s x the expected %s\n", cli_quantity(x, c->constant_watts, "W"),
                 cli_quantity(y, p->expected_seconds, "s"));
  roof_text_addf(out, "  together    %s expected;", cli_quantity(x, all, "J"));
  roof_text_addf(out, " at the bounds %s where times hide each other, %s where they add up\n",
                 cli_quantity(x, u->lower_joules, "J"), cli_quantity(y, u->upper_joules, "J"));
  roof_text_addf(out, "  power       %s on average\n", cli_quantity(x, u->watts, "W"));
  if (point->bound != NULL) {
    roof_text_addf(
        out, "  efficiency  %.5g GFLOP/s per watt expected, %.5g at the lower bound, of at most %.5g\n",
        u->flops_per_joule / 1e9, point->best_flops_per_joule / 1e9, s->best_flops_per_joule / 1e9);
    roof_text_addf(
        out, "  intensity   %.4g FLOP/B, %s of the energy balance of %.4g: %s take most of the energy\n",
        p->intensity, p->intensity >= balance ? "right" : "left", balance, point->bound);
  }
}

/* The first column is headed by the operation. */
static const cli_column point_columns[] = {
    {NULL, "", CLI_FIELD(NAME, roof_energy_point, label)},
    {NULL, "FLOP/B", .digits = 4, CLI_FIELD(NUMBER, roof_energy_point, intensity)},
    {NULL, "times hide", "J", CLI_FIELD(NUMBER, roof_energy_point, use.lower_joules)},
    {NULL, "times add", "J", CLI_FIELD(NUMBER, roof_energy_point, use.upper_joules)},
    {NULL, "expected", "J", CLI_FIELD(NUMBER, roof_energy_point, use.expected_joules)},
    {NULL, "power", "W", CLI_FIELD(NUMBER, roof_energy_point, use.watts)},
    {NULL, "GFLOP/s per watt", .scale = 1e-9, .digits = 5,
     CLI_FIELD(NUMBER, roof_energy_point, flops_per_joule)},
    {NULL, "most of it", .none = "bytes", CLI_FIELD(TEXT, roof_energy_point, bound)},
    {0}};

static roof_status add_points(roof_text *out, const roof_energy_subject *s, roof_error *error) {
  cli_column columns[sizeof point_columns / sizeof point_columns[0]];
  size_t points = s->shape->points, count = 0;
  roof_energy_point *rows = calloc(ROWS_MAX + 1, sizeof *rows);
  roof_status status = rows != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "energy: out of memory");
  for (size_t i = 0; i < points && status == ROOF_OK; i++) {
    i = i == ROWS_MAX ? points - 1 : i;
    status = roof_energy_point_at(s, i, &rows[count++], error);
  }
  if (status == ROOF_OK) {
    cli_columns_copy(point_columns, columns, sizeof columns / sizeof columns[0]);
    columns[0].header = s->shape->op->name;
    cli_columns_add_text(out, CLI_ROWS(columns, rows, count));
  }
  if (points > ROWS_MAX + 1) {
    roof_text_addf(out, "  %d of %zu points; --csv has all\n", ROWS_MAX + 1, points);
  }
  free(rows);
  return status;
}

static roof_status add_op(roof_text *out, const roof_energy_subject *s, roof_error *error) {
  char x[SHORT], y[SHORT];
  roof_energy_point p;
  roof_status status = roof_energy_point_at(s, 0, &p, error);
  if (status != ROOF_OK) {
    return status;
  }
  bool several = s->shape->points > 1;
  roof_text_addf(out, RF_MARK_BOLD "%s on %s: ", s->shape->op->name, roof_machine_title(s->target.machine));
  if (several) {
    roof_text_addf(out, "%zu points, ", s->shape->points);
    roof_text_addf(out, "energy balance at %.4g FLOP/B", s->energy_balance);
  } else {
    roof_text_addf(out, "%s%s, %s on average", s->target.costs.power_only ? "at most " : "about ",
                   cli_quantity(x, p.use.expected_joules, "J"), cli_quantity(y, p.use.watts, "W"));
  }
  roof_text_add(out, RF_MARK_END "\n\n");
  if (several) {
    return add_points(out, s, error);
  }
  add_point(out, s, &p);
  return ROOF_OK;
}

roof_status cli_energy_text(roof_text *out, const roof_energy_subject *s, roof_error *error) {
  roof_status status = ROOF_OK;
  if (s->shape != NULL) {
    status = add_op(out, s, error);
    roof_text_add(out, "\n");
  } else {
    add_answer(out, s);
  }
  add_source(out, s);
  if (s->shape == NULL) {
    add_costs(out, s);
    add_balance(out, s);
  }
  return status;
}
