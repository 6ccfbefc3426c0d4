/* Advice in words: the side, the five questions, causes, losses, what to do. */
#include <math.h>

#include "advise/rules.h"
#include "core/form.h"
#include "core/link.h"
#include "core/mix.h"
#include "roofline/advise.h"
#include "roofline/losses.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { SHORT = 48, LINE = 512, POSSIBLE = 3 };

/** Advice and what it is of. */
typedef struct subject {
  const roof_target *target;
  const roof_op *op;
  const roof_advice *advice;
} subject;

/** A time that the machine cannot reach: the figures are wrong, not the kernel. */
static bool is_above(const subject *a) {
  return a->advice->placed.state > ROOF_PLACE_POSSIBLE;
}

static void add_impossible(const subject *a, roof_text *out) {
  char measured[SHORT], best[SHORT], binding[ROOF_NAME_MAX];
  roof_text_addf(out, "%s: %s in %s is %.4g %% of what %s can do: it takes at least %s (%s)\n\n",
                 a->advice->placed.state == ROOF_PLACE_ABOVE ? "above the benchmark" : "impossible",
                 a->op->name, roof_quantity_format(measured, SHORT, a->advice->measured_seconds, "s"),
                 100 * a->advice->placed.share, roof_machine_title(a->target->machine),
                 roof_quantity_format(best, SHORT, a->advice->now.lower_seconds, "s"),
                 roof_prediction_binding(&a->advice->now, binding, sizeof binding));
}

/** What to doubt, the likeliest first. */
static void add_doubts(roof_text *out) {
  roof_text_add(out, "\n  before anything else, check\n"
                     "    1. the time: its unit, one call or many, and whether the device was waited for\n"
                     "    2. the work: shape, format, work that was skipped (zeros, a cached result)\n"
                     "    3. the machine: its name, and a clock over the nominal one\n");
}

/** The side before anything else. */
static void add_side(const subject *a, roof_text *out) {
  const roof_prediction *p = &a->advice->now;
  char binding[ROOF_NAME_MAX], expected[SHORT], best[SHORT];
  double distance = p->intensity / p->ridge;
  roof_text_addf(out, "%s side: %s on %s is bound by %s", roof_regime_name(p->regime), a->op->name,
                 roof_machine_title(a->target->machine), roof_prediction_binding(p, binding, sizeof binding));
  if (distance > 0) {
    double times = distance >= 1 ? distance : 1 / distance;
    roof_text_addf(out, times < 1000 ? ", %.3gx" : ", %.0fx", times);
    roof_text_addf(out, " %s of the ridge", distance >= 1 ? "right" : "left");
  }
  const roof_level_time *cache = roof_prediction_bound_level(p);
  roof_text_addf(out, "; about %s, at best %s%s%s\n\n",
                 roof_quantity_format(expected, SHORT, p->expected_seconds, "s"),
                 roof_quantity_format(best, SHORT, p->lower_seconds, "s"), cache != NULL ? " from " : "",
                 cache != NULL ? cache->level->name : "");
}

static void add_efficiency(const subject *a, roof_text *out) {
  char measured[SHORT], best[SHORT], sum[SHORT];
  if (isnan(a->advice->measured_seconds)) {
    roof_text_addf(out, "  4. efficiency  not measured; measured=TIME gives it (%.0f to %.0f %% is normal)\n",
                   100 * a->target->options.efficiency_low, 100 * a->target->options.efficiency_high);
    return;
  }
  roof_text_addf(out,
                 "  4. efficiency  %.4g %% of the ceiling: %s measured, %s at best, %s if nothing overlaps; "
                 "%s, %s\n",
                 100 * a->advice->placed.share,
                 roof_quantity_format(measured, SHORT, a->advice->measured_seconds, "s"),
                 roof_quantity_format(best, SHORT, a->advice->now.lower_seconds, "s"),
                 roof_quantity_format(sum, SHORT, a->advice->now.upper_seconds, "s"),
                 a->advice->placed.verdict->name, a->advice->placed.verdict->meaning);
  if (a->advice->achieved_seconds != a->advice->now.lower_seconds) {
    const roof_verdict *verdict = roof_verdict_on(ROOF_ACHIEVED, a->advice->achieved_share);
    roof_text_addf(out, "                 %.4g %% of the measured ceiling: %s, %s\n",
                   100 * a->advice->achieved_share, verdict->name, verdict->meaning);
  }
}

/** What stands in place of a ridge where the link binds: its rate, and what the steps cost. */
static void add_link(const subject *a, roof_text *out) {
  const roof_link *link = a->advice->now.link;
  char rate[SHORT], latency[SHORT];
  roof_text_addf(out, "  2. ridge       none: %s gives %s, in %.0f step%s", link->name,
                 roof_quantity_format(rate, SHORT, link->bytes_per_second, "B/s"),
                 a->advice->now.work.link_steps, a->advice->now.work.link_steps == 1 ? "" : "s");
  double each = rf_message_seconds(a->target, link);
  if (isnan(each)) {
    roof_text_addf(out, " of %s, assumed\n",
                   roof_quantity_format(latency, SHORT, rf_link_latency(link), "s"));
  } else {
    roof_text_addf(out, " of %s\n", roof_quantity_format(latency, SHORT, each, "s"));
  }
}

/** The five questions to ask before changing anything. */
static void add_questions(const subject *a, roof_text *out) {
  const roof_prediction *p = &a->advice->now;
  const roof_target *t = a->target;
  char x[SHORT], y[SHORT];
  const roof_lever *best = a->advice->best;
  if (p->bytes > 0) {
    roof_text_addf(out, "  1. intensity   %.4g FLOP/B: %s over %s\n", p->intensity,
                   roof_quantity_format(x, SHORT, p->work.flops, "FLOP"),
                   roof_quantity_format(y, SHORT, p->bytes, "B"));
  } else {
    roof_text_addf(out, "  1. intensity   none: no memory traffic counted, %s over the link\n",
                   roof_quantity_format(x, SHORT, p->work.link_bytes, "B"));
  }
  bool sent = p->link != NULL && (p->regime == ROOF_NETWORK_BOUND || !(p->bytes > 0));
  if (sent) {
    add_link(a, out);
  } else if (isnan(p->ridge)) {
    roof_text_add(out, "  2. ridge       unknown: the machine lacks a peak or a bandwidth for it\n");
  } else {
    roof_text_addf(out, "  2. ridge       %.4g FLOP/B: %s over %s\n", p->ridge,
                   roof_quantity_format(x, SHORT, 1 / t->seconds_per_flop[p->work.unit], "FLOP/s"),
                   roof_quantity_format(y, SHORT, rf_mix_rate(t, p), "B/s"));
  }
  roof_text_addf(out, "  3. side        %s-bound%s%s\n", roof_regime_name(p->regime),
                 p->regime == ROOF_MEMORY_BOUND ? ": read less (quantize, fuse, keep prefixes cached)" : "",
                 sent || p->regime == ROOF_NETWORK_BOUND ? ""
                                                         : "; the ridge is where it changes, not a goal");
  add_efficiency(a, out);
  if (is_above(a)) {
    roof_text_add(out, "  5. lever       none before the figures are right\n");
  } else if (best == NULL) {
    roof_text_add(out, "  5. lever       none on this machine\n");
  } else if (isnan(best->gain)) {
    roof_text_addf(out, "  5. lever       %s: %s\n", roof_lever_name(best->kind), best->change);
  } else {
    roof_text_addf(out, "  5. lever       %s: %s, %.3gx\n", roof_lever_name(best->kind), best->change,
                   best->gain);
  }
}

static void add_causes(const subject *a, roof_text *out) {
  char sentence[LINE];
  const char *waiting = roof_evidence_waiting(&a->advice->evidence);
  roof_text_addf(out, "\n  %s\n",
                 roof_causes_sentence(&a->advice->evidence, a->advice->causes, a->advice->cause_count,
                                      sentence, sizeof sentence));
  if (waiting != NULL) {
    roof_text_addf(out, "  it waits on    %s, by the counters\n", waiting);
  }
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    if (rf_clue_is_unused(&a->advice->evidence, (roof_clue)i)) {
      roof_text_addf(out, "  not used       %s: no sign of a cause in %s-bound work\n",
                     roof_clue_name((roof_clue)i), roof_regime_name(a->advice->now.regime));
    }
  }
  int possible = 0;
  for (size_t i = 0; i < a->advice->cause_count; i++) {
    const roof_cause *c = &a->advice->causes[i];
    if (c->certainty == ROOF_SHOWN) {
      roof_text_addf(out, "  shown          %s: %s; %s\n", c->name, c->sentence, c->action);
    } else if (possible++ < POSSIBLE) {
      roof_text_addf(out, "  possible       %s: measure %s\n", c->name, c->measurement);
    }
  }
}

/** What each cause took of the ceiling, where more than the ceiling and the end are known. */
static void add_losses(const subject *a, roof_text *out) {
  roof_losses losses;
  char rate[SHORT];
  if (roof_losses_of(a->advice, a->target, &losses, NULL) != ROOF_OK || losses.count < 3) {
    return;
  }
  roof_text_add(out, "\n  where it goes\n");
  for (int i = 0; i < losses.count; i++) {
    const roof_loss *l = &losses.steps[i];
    roof_text_addf(out, "    %-12s %15s  %5.1f %%  %s\n", l->name,
                   roof_quantity_format(rate, SHORT, l->rate, losses.unit), 100 * l->share, l->why);
  }
}

static void add_actions(const subject *a, roof_text *out) {
  double share = a->advice->placed.share;
  const roof_actions *actions = roof_actions_for(&a->advice->evidence);
  const roof_machine *machine = a->target->machine;
  bool kernel = actions->regime == ROOF_COMPUTE_BOUND || actions->regime == ROOF_MEMORY_BOUND;
  if (kernel && share < a->target->options.efficiency_low) {
    roof_text_add(out, "\n  before rewriting it, check\n");
    for (int i = 0; roof_actions_check(machine, i) != NULL; i++) {
      roof_text_addf(out, "    %d. %s\n", i + 1, roof_actions_check(machine, i));
    }
  }
  roof_text_addf(out, "\n  %s\n", actions->name);
  for (int i = 0; i < 3; i++) {
    roof_text_addf(out, "    %d. %s\n", i + 1, actions->actions[i]);
  }
  const roof_decision *next = roof_decision_of(&a->advice->evidence);
  if (next != NULL) {
    roof_text_addf(out, "  next step      %s: %s\n", next->observation, next->step);
  }
}

/** At nine tenths of what the machine was measured to reach the kernel is done. */
static void add_stop(const subject *a, roof_text *out) {
  const roof_lever *best = a->advice->best;
  if (a->advice->done) {
    bool known = a->advice->achieved_seconds != a->advice->now.lower_seconds;
    roof_text_addf(out, "\n  stop: %.3g %% of the %s, the kernel is done; ", 100 * a->advice->achieved_share,
                   known ? "measured ceiling" : "ceiling");
    roof_text_addf(
        out, best != NULL ? "what would raise the ceiling: %s\n" : "nothing here would raise the ceiling%s\n",
        best != NULL ? best->change : "");
  }
}

void roof_advice_describe(roof_text *out, const roof_target *target, const roof_op *op,
                          const roof_advice *advice) {
  const subject about = {target, op, advice}, *a = &about;
  if (is_above(a)) {
    add_impossible(a, out);
    add_questions(a, out);
    add_doubts(out);
    return;
  }
  add_side(a, out);
  add_questions(a, out);
  if (!isnan(advice->measured_seconds)) {
    add_causes(a, out);
    add_losses(a, out);
    add_stop(a, out);
    add_actions(a, out);
  }
}
