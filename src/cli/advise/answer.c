#include "cli/advise/advise.h"
#include "cli/advise/causes.h"

#include <math.h>
#include <string.h>

#include "cli/grid.h"

enum { SHORT = 48, LINE = 512, TOP = 5, POSSIBLE = 3 };

static const char *quantity(char buffer[SHORT], double value, const char *unit) {
  return roof_quantity_format(buffer, SHORT, value, unit);
}

static double fraction_of(const cli_advice *a) {
  return a->now.lower_seconds / a->measured;
}

/** The share of what the machine was measured to reach: the honest roof. */
static double achieved_of(const cli_advice *a) {
  return a->achieved_seconds / a->measured;
}

static bool is_done(const cli_advice *a) {
  return achieved_of(a) >= ROOF_STOP_FRACTION && fraction_of(a) <= 1;
}

static const roof_lever *best_lever(const cli_advice *a) {
  for (size_t i = 0; i < a->lever_count; i++) {
    if (a->levers[i].kind != ROOF_LEVER_RESOURCE) {
      return isnan(a->levers[i].gain) || a->levers[i].gain >= ROOF_LEVER_HELPS ? &a->levers[i] : NULL;
    }
  }
  return NULL;
}

/** The side before anything else. */
static void add_side(const cli_advice *a, roof_text *out) {
  const roof_prediction *p = &a->now;
  char binding[ROOF_NAME_MAX], expected[SHORT], best[SHORT];
  double distance = p->intensity / p->ridge;
  roof_text_addf(out, "%s side: %s on %s is bound by %s", roof_regime_name(p->regime), a->op->name,
                 roof_machine_title(a->target->machine), roof_prediction_binding(p, binding, sizeof binding));
  if (distance > 0) {
    roof_text_addf(out, ", %.3gx %s of the ridge", distance >= 1 ? distance : 1 / distance,
                   distance >= 1 ? "right" : "left");
  }
  roof_text_addf(out, "; about %s, at best %s\n\n", quantity(expected, p->expected_seconds, "s"),
                 quantity(best, p->lower_seconds, "s"));
}

static void add_efficiency(const cli_advice *a, roof_text *out) {
  char measured[SHORT], best[SHORT];
  if (isnan(a->measured)) {
    roof_text_addf(out, "  4. efficiency  not measured; measured=TIME gives it (%.0f to %.0f %% is normal)\n",
                   100 * a->target->options.efficiency_low, 100 * a->target->options.efficiency_high);
    return;
  }
  roof_text_addf(out, "  4. efficiency  %.4g %% of the ceiling: %s measured, %s at best; %s, %s\n",
                 100 * fraction_of(a), quantity(measured, a->measured, "s"),
                 quantity(best, a->now.lower_seconds, "s"), roof_verdict_of(fraction_of(a))->name,
                 roof_verdict_of(fraction_of(a))->meaning);
  if (a->achieved_seconds != a->now.lower_seconds) {
    const roof_verdict *verdict = roof_verdict_on(ROOF_ACHIEVED, achieved_of(a));
    roof_text_addf(out, "                 %.4g %% of the measured ceiling: %s, %s\n", 100 * achieved_of(a),
                   verdict->name, verdict->meaning);
  }
}

/** What stands in place of a ridge where the link binds: its rate, and what the steps cost. */
static void add_link(const cli_advice *a, roof_text *out) {
  const roof_link *link = a->target->link;
  char rate[SHORT], latency[SHORT];
  roof_text_addf(out, "  2. ridge       none: %s gives %s, in %.0f steps", link->name,
                 quantity(rate, link->bytes_per_second, "B/s"), a->now.work.link_steps);
  if (isnan(link->latency_seconds)) {
    roof_text_add(out, "; what a step costs is not known, so small messages take longer than this says\n");
  } else {
    roof_text_addf(out, " of %s\n", quantity(latency, link->latency_seconds, "s"));
  }
}

/** The five questions to ask before changing anything. */
static void add_questions(const cli_advice *a, roof_text *out) {
  const roof_prediction *p = &a->now;
  const roof_target *t = a->target;
  char x[SHORT], y[SHORT];
  const roof_lever *best = best_lever(a);
  if (p->bytes > 0) {
    roof_text_addf(out, "  1. intensity   %.4g FLOP/B: %s over %s\n", p->intensity,
                   quantity(x, p->work.flops, "FLOP"), quantity(y, p->bytes, "B"));
  } else {
    roof_text_addf(out, "  1. intensity   none: no memory traffic counted, %s over the link\n",
                   quantity(x, p->work.link_bytes, "B"));
  }
  if (p->regime == ROOF_NETWORK_BOUND && a->target->link != NULL) {
    add_link(a, out);
  } else if (isnan(p->ridge)) {
    roof_text_add(out, "  2. ridge       unknown: the machine lacks a peak or a bandwidth for it\n");
  } else {
    roof_text_addf(out, "  2. ridge       %.4g FLOP/B: %s over %s\n", p->ridge,
                   quantity(x, 1 / t->seconds_per_flop[p->work.unit], "FLOP/s"),
                   quantity(y, 1 / t->seconds_per_byte[t->memory][0], "B/s"));
  }
  roof_text_addf(out, "  3. side        %s-bound%s\n", roof_regime_name(p->regime),
                 p->regime == ROOF_NETWORK_BOUND ? "" : "; the ridge is where it changes, not a goal");
  add_efficiency(a, out);
  if (best == NULL) {
    roof_text_add(out, "  5. lever       none on this machine\n");
  } else if (isnan(best->gain)) {
    roof_text_addf(out, "  5. lever       %s: %s\n", roof_lever_name(best->kind), best->change);
  } else {
    roof_text_addf(out, "  5. lever       %s: %s, %.3gx\n", roof_lever_name(best->kind), best->change,
                   best->gain);
  }
}

static void add_causes(const cli_advice *a, roof_text *out) {
  char sentence[LINE];
  const char *waiting = roof_evidence_waiting(&a->evidence);
  roof_text_addf(out, "\n  %s\n",
                 roof_causes_sentence(&a->evidence, a->causes, a->cause_count, sentence, sizeof sentence));
  if (waiting != NULL) {
    roof_text_addf(out, "  it waits on    %s, by the counters\n", waiting);
  }
  int possible = 0;
  for (size_t i = 0; i < a->cause_count; i++) {
    const roof_cause *c = &a->causes[i];
    if (c->certainty == ROOF_SHOWN) {
      roof_text_addf(out, "  shown          %s: %s; %s\n", c->name, c->sentence, c->action);
    } else if (possible++ < POSSIBLE) {
      roof_text_addf(out, "  possible       %s: measure %s\n", c->name, c->measurement);
    }
  }
}

static void add_actions(const cli_advice *a, roof_text *out) {
  double share = fraction_of(a);
  const roof_actions *actions = roof_actions_of(a->now.regime, share);
  if (share < a->target->options.efficiency_low && a->now.regime != ROOF_NETWORK_BOUND) {
    roof_text_addf(out, "\n  before rewriting it, expected %.0f %% and reached %.3g %%\n",
                   100 * a->target->options.efficiency, 100 * share);
    for (int i = 0; roof_actions_check(i) != NULL; i++) {
      roof_text_addf(out, "    %d. %s\n", i + 1, roof_actions_check(i));
    }
  }
  roof_text_addf(out, "\n  %s\n", actions->name);
  for (int i = 0; i < 3; i++) {
    roof_text_addf(out, "    %d. %s\n", i + 1, actions->actions[i]);
  }
  const roof_decision *next = roof_decision_of(&a->evidence);
  if (next != NULL) {
    roof_text_addf(out, "  next step      %s: %s\n", next->observation, next->step);
  }
}

/** At nine tenths of what the machine was measured to reach the kernel is done. */
static void add_stop(const cli_advice *a, roof_text *out) {
  const roof_lever *best = best_lever(a);
  if (is_done(a)) {
    bool known = a->achieved_seconds != a->now.lower_seconds;
    roof_text_addf(out, "\n  stop: %.3g %% of the %s, the kernel is done; ", 100 * achieved_of(a),
                   known ? "measured ceiling" : "roof");
    roof_text_addf(out,
                   best != NULL ? "what would move the roof: %s\n" : "nothing here would move the roof%s\n",
                   best != NULL ? best->change : "");
  }
}

static void add_lever_row(cli_grid *grid, const roof_lever *l) {
  if (isnan(l->gain)) {
    cli_grid_add(grid, "fits");
  } else {
    cli_grid_add(grid, "%.3gx", l->gain);
  }
  cli_grid_add(grid, "%s", roof_lever_name(l->kind));
  cli_grid_add(grid, "%s", l->change);
}

static bool helps(const roof_lever *l) {
  return isnan(l->gain) || l->gain >= ROOF_LEVER_HELPS;
}

static void add_levers(const cli_advice *a, roof_text *out, bool wanted) {
  roof_text_add(out, wanted ? "\n  what would help, best first\n" : "\n  what will not help\n");
  cli_grid grid = {0};
  bool any = false;
  for (size_t i = 0; i < a->lever_count; i++) {
    const roof_lever *l = &a->levers[i];
    if (helps(l) != wanted) {
      continue;
    }
    any = true;
    add_lever_row(&grid, l);
    cli_grid_add(&grid, wanted ? "moves %s; %s" : "%.0s%s", wanted ? l->moved : "", l->why);
  }
  if (any) {
    cli_grid_end(&grid, out, "rlll");
  } else {
    roof_text_add(out, "  nothing of these\n");
  }
}

/** The fastest machines, and the best by energy among the rest; all with --all. */
static void add_machines(const cli_advice *a, roof_text *out) {
  cli_grid grid = {0};
  const char *heads[] = {"", "machine", "time", "gain", "bound", "power", "energy", "by energy"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    cli_grid_add(&grid, "%s", heads[i]);
  }
  for (int i = 0; i < a->machine_count; i++) {
    const roof_ranked_machine *m = &a->machines[i];
    bool top = i < TOP || (m->energy_rank > 0 && m->energy_rank <= 3);
    bool own = strcmp(m->name, a->target->machine->name) == 0;
    char time[SHORT], watts[SHORT], joules[SHORT];
    if (!a->all_machines && !top && !own) {
      continue;
    }
    cli_grid_add(&grid, "%d", i + 1);
    cli_grid_add(&grid, "%s%s", m->name, own ? " (this one)" : "");
    cli_grid_add(&grid, "%s", quantity(time, m->seconds, "s"));
    cli_grid_add(&grid, "%.3gx", m->gain);
    cli_grid_add(&grid, "%s", roof_regime_name(m->regime));
    cli_grid_add(&grid, "%s", isnan(m->watts) ? "" : quantity(watts, m->watts, "W"));
    cli_grid_add(&grid, "%s", isnan(m->joules) ? "" : quantity(joules, m->joules, "J"));
    cli_grid_add(&grid, m->energy_rank > 0 ? "%d" : "%.0d", m->energy_rank);
  }
  if (a->machine_count == 0) {
    roof_text_add(out,
                  "\n  hardware: no machine of the catalogue has the figures to be compared with this one\n");
    cli_grid_done(&grid);
    return;
  }
  roof_text_addf(out, "\n  hardware: %d machines by expected time, and by time x board power\n",
                 a->machine_count);
  cli_grid_end(&grid, out, "rlrrlrrr");
}

void cli_advise_text(const cli_advice *a, roof_text *out) {
  add_side(a, out);
  add_questions(a, out);
  if (!isnan(a->measured)) {
    add_causes(a, out);
    add_stop(a, out);
    add_actions(a, out);
  }
  add_levers(a, out, true);
  add_levers(a, out, false);
  add_machines(a, out);
}

static json_t *lever_json(const roof_lever *l) {
  return json_pack("{s:s, s:s, s:o, s:b, s:o, s:s, s:s, s:s, s:o}", "lever", roof_lever_name(l->kind),
                   "change", l->change, "gain", cli_json_number(l->gain), "helps", helps(l), "seconds",
                   cli_json_number(l->seconds), "moved", l->moved, "why", l->why, "regime",
                   roof_regime_name(l->regime), "flips_at", cli_json_number(l->flips_at));
}

static json_t *machine_json(const roof_ranked_machine *m) {
  return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", m->name, "regime",
                   roof_regime_name(m->regime), "seconds", cli_json_number(m->seconds), "gain",
                   cli_json_number(m->gain), "watts", cli_json_number(m->watts), "joules",
                   cli_json_number(m->joules), "energy_rank",
                   m->energy_rank > 0 ? json_integer(m->energy_rank) : json_null());
}

static json_t *measured_json(const cli_advice *a) {
  char sentence[LINE];
  if (isnan(a->measured)) {
    return json_null();
  }
  json_t *actions = json_array(), *causes = json_array();
  const roof_actions *group = roof_actions_of(a->now.regime, fraction_of(a));
  for (int i = 0; i < 3; i++) {
    json_array_append_new(actions, json_string(group->actions[i]));
  }
  for (size_t i = 0; i < a->cause_count; i++) {
    json_array_append_new(causes, cli_json_cause(&a->causes[i]));
  }
  const roof_decision *next = roof_decision_of(&a->evidence);
  return json_pack("{s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:s?, s:o, s:b, s:s?}", "seconds",
                   cli_json_number(a->measured), "fraction_of_achieved", cli_json_number(achieved_of(a)),
                   "fraction_of_ceiling", cli_json_number(fraction_of(a)), "verdict",
                   roof_verdict_of(fraction_of(a))->name, "because",
                   roof_causes_sentence(&a->evidence, a->causes, a->cause_count, sentence, sizeof sentence),
                   "class", group->name, "actions", actions, "waits_on", roof_evidence_waiting(&a->evidence),
                   "causes", causes, "stop", is_done(a), "next_step", next != NULL ? next->step : NULL);
}

json_t *cli_advise_json(const cli_advice *a) {
  json_t *levers = json_array(), *machines = json_array();
  for (size_t i = 0; i < a->lever_count; i++) {
    json_array_append_new(levers, lever_json(&a->levers[i]));
  }
  for (int i = 0; i < a->machine_count; i++) {
    json_array_append_new(machines, machine_json(&a->machines[i]));
  }
  return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "schema", "roofline.advice/1", "side",
                   roof_regime_name(a->now.regime), "prediction",
                   cli_json_prediction(a->target, a->op, a->values, &a->now), "measured", measured_json(a),
                   "levers", levers, "machines", machines);
}
