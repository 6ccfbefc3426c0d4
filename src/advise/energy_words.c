/* The roofline of energy in words: where the figures are from, the balance, one point by its terms. */
#include <math.h>
#include <string.h>

#include "roofline/joules.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { SHORT = 48, BAR = 20 };

void roof_energy_source_describe(roof_text *out, const roof_energy_subject *s) {
  char x[SHORT];
  const roof_energy *e = &s->target.machine->energy;
  const roof_energy_costs *c = &s->target.costs;
  if (c->power_only) {
    roof_text_addf(
        out,
        "  assumed     %s drawn all the time, whatever is done: the machine's file says no joules, so every "
        "energy here is at full power, and follows the time alone\n",
        roof_quantity_format(x, SHORT, c->constant_watts, "W"));
    roof_text_addf(out, "  its power   %s: %s\n", roof_provenance_name(e->kind), e->source);
    return;
  }
  roof_text_addf(out, "  constant    %s%s\n", roof_quantity_format(x, SHORT, c->constant_watts, "W"),
                 isnan(e->idle_watts) ? ": the idle power is not known" : ", drawn whatever is done");
  roof_text_addf(out, "  joules      %s: %s\n", roof_provenance_name(e->kind), e->source);
}

/** Where the watts are more than the machine may draw. */
static void add_excess(roof_text *out, const roof_energy_subject *s, double watts, const char *what) {
  char x[SHORT];
  double most = s->target.machine->energy.watts;
  if (watts > most * (1 + 1e-9)) {
    roof_text_addf(out, "              more than the machine's %s: %s would be throttled\n",
                   roof_quantity_format(x, SHORT, most, "W"), what);
  }
}

void roof_energy_balance_describe(roof_text *out, const roof_energy_subject *s) {
  char x[SHORT], y[SHORT];
  const roof_energy_line *l = &s->line;
  double time = s->time_balance, energy = s->energy_balance;
  if (isnan(energy)) {
    return;
  }
  roof_text_addf(out, "\n  balance     time %.4g FLOP/B, the ridge; ", time);
  if (s->target.costs.power_only) {
    roof_text_add(out, "energy has none of its own: it is the time's\n");
  } else {
    roof_text_addf(out, "energy %.4g FLOP/B, where bytes take as much as FLOPs\n", energy);
  }
  if (s->race_to_halt) {
    roof_text_add(out,
                  "  race        what is compute-bound in time is so in energy: make it fast, then halt\n");
  } else {
    roof_text_addf(
        out,
        "  race        from %.4g to %.4g FLOP/B FLOPs take the time but bytes most of the energy: fewer "
        "bytes still save joules where they save no time\n",
        time, energy);
  }
  roof_text_addf(out, "  power       %s far left of the ridge, %s at it,",
                 roof_quantity_format(x, SHORT, roof_energy_watts(l, time * 1e-6), "W"),
                 roof_quantity_format(y, SHORT, s->most_watts, "W"));
  roof_text_addf(out, " %s far right\n",
                 roof_quantity_format(x, SHORT, roof_energy_watts(l, time * 1e6), "W"));
  add_excess(out, s, s->most_watts, "both at full rate");
}

static void add_term(roof_text *out, const char *name, double joules, double all) {
  char x[SHORT];
  int length = all > 0 ? (int)lround(BAR * joules / all) : 0;
  roof_quantity_format(x, SHORT, joules, "J");
  int micro = strstr(x, "\xC2\xB5") != NULL; /* two bytes, one column */
  roof_text_addf(out, "  %-11s %-*s ", name, 10 + micro, x);
  for (int i = 0; i < BAR; i++) {
    roof_text_add(out, i < length ? "\xE2\x96\x88" : " ");
  }
  roof_text_addf(out, " %5.1f %%  ", all > 0 ? 100 * joules / all : 0);
}

/** Where the power alone is known, joules are those of the time, and no FLOP or byte has any of its own. */
static const char *most_of(const roof_energy_point *point, bool power_only) {
  bool bytes = strcmp(point->bound, "bytes") == 0;
  return power_only ? (bytes ? "moving the bytes takes most of the time that is paid for"
                             : "computing takes most of the time that is paid for")
         : bytes    ? "bytes take most of the energy"
                    : "FLOPs take most of the energy";
}

void roof_energy_point_describe(roof_text *out, const roof_energy_subject *s,
                                const roof_energy_point *point) {
  char x[SHORT], y[SHORT];
  const roof_energy_costs *c = &s->target.costs;
  const roof_prediction *p = &point->prediction;
  const roof_energy_use *u = &point->use;
  double all = u->expected_joules, balance = c->power_only ? s->time_balance : s->energy_balance;
  if (!c->power_only) {
    add_term(out, "FLOPs", u->flop_joules, all);
    roof_text_addf(out, "%s x %s\n", roof_quantity_format(x, SHORT, p->work.flops, "FLOP"),
                   roof_quantity_format(y, SHORT, c->joules_per_flop[p->work.unit], "J"));
  }
  for (int i = 0; i < p->level_count; i++) {
    if (u->level_joules[i] > 0) {
      add_term(out, p->levels[i].level->name, u->level_joules[i], all);
      roof_text_addf(out, "%s x %s\n", roof_quantity_format(x, SHORT, p->levels[i].bytes, "B"),
                     roof_quantity_format(y, SHORT, c->joules_per_byte[p->levels[i].level->level], "J"));
    }
  }
  add_term(out, "constant", u->constant_joules, all);
  roof_text_addf(out, "%s x the expected %s\n", roof_quantity_format(x, SHORT, c->constant_watts, "W"),
                 roof_quantity_format(y, SHORT, p->expected_seconds, "s"));
  roof_text_addf(out, "  together    %s expected;", roof_quantity_format(x, SHORT, all, "J"));
  roof_text_addf(out, " at the bounds %s where times hide each other, %s where they add up\n",
                 roof_quantity_format(x, SHORT, u->lower_joules, "J"),
                 roof_quantity_format(y, SHORT, u->upper_joules, "J"));
  roof_text_addf(out, "  power       %s on average\n", roof_quantity_format(x, SHORT, u->watts, "W"));
  add_excess(out, s, u->watts, "it");
  if (point->bound != NULL) {
    roof_text_addf(
        out, "  efficiency  %.5g GFLOP/s per watt expected, %.5g at the lower bound, of at most %.5g\n",
        u->flops_per_joule / 1e9, point->best_flops_per_joule / 1e9, s->best_flops_per_joule / 1e9);
    roof_text_addf(out, "  intensity   %.4g FLOP/B, %s of the %s of %.4g: %s\n", p->intensity,
                   p->intensity >= balance ? "right" : "left", c->power_only ? "ridge" : "energy balance",
                   balance, most_of(point, c->power_only));
  }
}
