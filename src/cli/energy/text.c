/* The roofline of energy for people. */
#include <math.h>
#include <string.h>

#include "cli/energy/energy.h"
#include "cli/grid.h"

enum { SHORT = 48, NAME = 96, BAR = 20, ROWS_MAX = 64 };

static void add_quantity(cli_grid *grid, double value, const char *unit) {
  char text[SHORT];
  cli_grid_add(grid, "%s", isnan(value) ? "-" : cli_quantity(text, value, unit));
}

/** As people compare devices: GFLOP/s per watt. */
static void add_efficiency(cli_grid *grid, double flops_per_joule) {
  cli_grid_add(grid, isnan(flops_per_joule) ? "-" : "%.5g", flops_per_joule / 1e9);
}

static void add_answer(roof_text *out, const roof_energy_subject *s, bool color) {
  const roof_energy_line *l = &s->line;
  bool known = !isnan(roof_energy_balance(l));
  roof_text_addf(out, "%s%s, %s %s: ", color ? "\033[1m" : "", roof_machine_title(s->target.machine),
                 roof_dtype_name(s->dtype), roof_unit_name(s->unit));
  if (known) {
    roof_text_addf(out, "at best %.5g GFLOP/s per watt, half of it at %.4g FLOP/B; ",
                   roof_energy_efficiency(l, INFINITY) / 1e9, roof_energy_balance(l));
    roof_text_add(out, roof_energy_race_to_halt(l) ? "racing to halt pays" : "racing to halt is not enough");
  } else {
    roof_text_add(out, "no peak or bandwidth is known, so no balance");
  }
  roof_text_addf(out, "%s\n\n", color ? "\033[0m" : "");
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

static void add_flops(roof_text *out, const roof_energy_subject *s) {
  cli_grid grid = {0};
  roof_energy_flop f;
  const char *const heads[] = {"a FLOP of", "peak", "joules", "with constant power", "GFLOP/s per watt"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    cli_grid_add(&grid, "%s", heads[i]);
  }
  for (int i = 0; roof_energy_subject_flop(s, i, &f); i++) {
    double limit = roof_energy_efficiency(&f.line, INFINITY);
    cli_grid_add(&grid, "%s %s", roof_dtype_name(f.peak->dtype), roof_unit_name(f.peak->unit));
    add_quantity(&grid, f.peak->flops_per_second, "FLOP/s");
    add_quantity(&grid, s->target.costs.power_only ? NAN : f.line.joules_per_flop, "J");
    add_quantity(&grid, 1 / limit, "J");
    add_efficiency(&grid, limit);
  }
  roof_text_add(out, "\n");
  cli_grid_end(&grid, out, "lrrrr");
}

static void add_bytes(roof_text *out, const roof_energy_subject *s) {
  cli_grid grid = {0};
  roof_energy_byte b;
  const char *const heads[] = {"a byte from", "bandwidth", "joules", "with constant power"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    cli_grid_add(&grid, "%s", heads[i]);
  }
  for (int i = 0; roof_energy_byte_at(&s->target, i, &b); i++) {
    cli_grid_add(&grid, "%s", b.level->name);
    add_quantity(&grid, b.bytes_per_second, "B/s");
    add_quantity(&grid, b.joules, "J");
    add_quantity(&grid, b.effective_joules, "J");
  }
  roof_text_add(out, "\n");
  cli_grid_end(&grid, out, "lrrr");
}

static void add_balance(roof_text *out, const roof_energy_subject *s) {
  char x[SHORT], y[SHORT];
  const roof_energy_line *l = &s->line;
  double time = roof_energy_time_balance(l), energy = roof_energy_balance(l);
  double most = roof_energy_watts(l, time), watts = s->target.machine->energy.watts;
  if (isnan(energy)) {
    return;
  }
  roof_text_addf(
      out,
      "\n  balance     time %.4g FLOP/B, the ridge; energy %.4g FLOP/B, where bytes take as much as FLOPs\n",
      time, energy);
  if (roof_energy_race_to_halt(l)) {
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
static void add_point(roof_text *out, const roof_energy_subject *s, const roof_prediction *p,
                      const roof_energy_use *u) {
  char x[SHORT], y[SHORT];
  const roof_energy_costs *c = &s->target.costs;
  double all = u->expected_joules;
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
  if (p->work.flops > 0) {
    roof_text_addf(out,
                   "  efficiency  %.5g GFLOP/s per watt expected, %.5g at the lower bound, of at most %.5g\n",
                   u->flops_per_joule / 1e9, p->work.flops / u->lower_joules / 1e9,
                   roof_energy_efficiency(&s->line, INFINITY) / 1e9);
    roof_text_addf(
        out, "  intensity   %.4g FLOP/B, %s of the energy balance of %.4g: %s take most of the energy\n",
        p->intensity, p->intensity >= roof_energy_balance(&s->line) ? "right" : "left",
        roof_energy_balance(&s->line), roof_energy_bound(&s->line, p->intensity));
  }
}

static void add_row(cli_grid *grid, const char *name, const roof_energy_subject *s, const roof_prediction *p,
                    const roof_energy_use *u) {
  bool counted = p->work.flops > 0;
  cli_grid_add(grid, "%s", name);
  cli_grid_add(grid, counted ? "%.4g" : "-", p->intensity);
  add_quantity(grid, u->lower_joules, "J");
  add_quantity(grid, u->upper_joules, "J");
  add_quantity(grid, u->expected_joules, "J");
  add_quantity(grid, u->watts, "W");
  add_efficiency(grid, counted ? u->flops_per_joule : NAN);
  cli_grid_add(grid, "%s", counted ? roof_energy_bound(&s->line, p->intensity) : "bytes");
}

static roof_status add_points(roof_text *out, const roof_energy_subject *s, roof_error *error) {
  const char *const heads[] = {s->shape->op->name, "FLOP/B", "times hide",       "times add",
                               "expected",         "power",  "GFLOP/s per watt", "most of it"};
  cli_grid grid = {0};
  roof_prediction p;
  roof_energy_use u;
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    cli_grid_add(&grid, "%s", heads[i]);
  }
  for (size_t i = 0; i < s->shape->points && status == ROOF_OK; i++) {
    char name[NAME];
    status = roof_energy_point(s, i, &p, &u, error);
    if (status == ROOF_OK && (i < ROWS_MAX || i == s->shape->points - 1)) {
      roof_energy_point_name(s, i, name, sizeof name);
      add_row(&grid, name, s, &p, &u);
    }
  }
  cli_grid_end(&grid, out, "lrrrrrrl");
  if (s->shape->points > ROWS_MAX + 1) {
    roof_text_addf(out, "  %d of %zu points; --csv has all\n", ROWS_MAX + 1, s->shape->points);
  }
  return status;
}

static roof_status add_op(roof_text *out, const roof_energy_subject *s, bool color, roof_error *error) {
  char x[SHORT], y[SHORT];
  roof_prediction p;
  roof_energy_use u;
  roof_status status = roof_energy_point(s, 0, &p, &u, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_text_addf(out, "%s%s on %s: ", color ? "\033[1m" : "", s->shape->op->name,
                 roof_machine_title(s->target.machine));
  if (s->shape->points > 1) {
    roof_text_addf(out, "%zu points, ", s->shape->points);
    roof_text_addf(out, "energy balance at %.4g FLOP/B", roof_energy_balance(&s->line));
  } else {
    roof_text_addf(out, "%s%s, %s on average", s->target.costs.power_only ? "at most " : "about ",
                   cli_quantity(x, u.expected_joules, "J"), cli_quantity(y, u.watts, "W"));
  }
  roof_text_addf(out, "%s\n\n", color ? "\033[0m" : "");
  if (s->shape->points > 1) {
    status = add_points(out, s, error);
  } else {
    add_point(out, s, &p, &u);
  }
  return status;
}

roof_status cli_energy_text(roof_text *out, const roof_energy_subject *s, bool color, roof_error *error) {
  roof_status status = ROOF_OK;
  if (s->shape != NULL) {
    status = add_op(out, s, color, error);
    roof_text_add(out, "\n");
  } else {
    add_answer(out, s, color);
  }
  add_source(out, s);
  if (s->shape == NULL) {
    add_flops(out, s);
    add_bytes(out, s);
    add_balance(out, s);
  }
  return status;
}
