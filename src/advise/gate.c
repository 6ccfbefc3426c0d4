#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "roofline/advise.h"
#include "roofline/ops.h"
#include "roofline/shape.h"
#include "roofline/stats.h"

static const struct {
  const char *name;
  const char *meaning;
  bool misses;
} states[ROOF_GATE_STATE_COUNT] = {
#define STATE(symbol, name, misses, meaning) [symbol] = {name, meaning, misses},
    ROOF_GATE_MAP(STATE)
#undef STATE
};

const char *roof_gate_name(roof_gate_state state) {
  return (unsigned)state < ROOF_GATE_STATE_COUNT ? states[state].name : "?";
}

const char *roof_gate_meaning(roof_gate_state state) {
  return (unsigned)state < ROOF_GATE_STATE_COUNT ? states[state].meaning : "?";
}

bool roof_gate_misses(roof_gate_state state) {
  return (unsigned)state >= ROOF_GATE_STATE_COUNT || states[state].misses;
}

roof_gate roof_gate_default(void) {
  return (roof_gate){.least = 0.65, .max_regression = 0.05, .significance = 0.05};
}

/** Forgives the last digits: 1 / C(6, 3) is 0.05. */
static bool rare(double chance, double significance) {
  return chance <= significance * (1 + 1e-9);
}

/** The smallest n for which n runs per side can be distinguished: 1 / C(2n, n) is at most `significance`. */
static size_t runs_needed(double significance) {
  size_t n = 1;
  for (double chance = 0.5; !rare(chance, significance) && n < 1000; n++) {
    double next = (double)(n + 1);
    chance *= next / (2 * (2 * next - 1));
  }
  return n;
}

static roof_status against_baseline(const roof_gate *gate, double *now, size_t now_count, double *before,
                                    size_t before_count, roof_gate_result *result, roof_error *error) {
  roof_rank_test test;
  roof_status status = roof_stats_mann_whitney(now, now_count, before, before_count, &test, error);
  if (status != ROOF_OK) {
    return status;
  }
  result->regression =
      roof_stats_quantile(now, now_count, 0.5) / roof_stats_quantile(before, before_count, 0.5) - 1;
  if (result->regression > gate->max_regression) {
    bool few = !rare(test.least, gate->significance);
    result->p = few ? NAN : test.p_greater;
    result->state = few                                        ? ROOF_GATE_FEW
                    : rare(test.p_greater, gate->significance) ? ROOF_GATE_SLOWER
                                                               : ROOF_GATE_NOISE;
  }
  return ROOF_OK;
}

/** Whether its launch takes its time, so that a share of the ceiling says nothing of it. */
static bool only_waits(const roof_placed *placed) {
  return placed->verdict != NULL && strcmp(placed->verdict->name, "overhead") == 0;
}

/** What the share alone says; PASS where it is good enough. */
static roof_gate_state state_of(const roof_gate *gate, const roof_placed *placed) {
  if (placed->state == ROOF_PLACE_UNKNOWN) {
    bool counted = placed->seconds > 0 && (placed->flops > 0 || placed->bytes > 0);
    return !counted ? ROOF_GATE_UNKNOWN : gate->least > 0 ? ROOF_GATE_NO_CEILING : ROOF_GATE_PASS;
  }
  return placed->state == ROOF_PLACE_IMPOSSIBLE               ? ROOF_GATE_IMPOSSIBLE
         : placed->share < gate->least && !only_waits(placed) ? ROOF_GATE_LOW
                                                              : ROOF_GATE_PASS;
}

roof_status roof_gate_judge(const roof_gate *gate, const roof_placed *placed, double *now, size_t now_count,
                            double *before, size_t before_count, roof_gate_result *result,
                            roof_error *error) {
  roof_gate_result judged = {.state = before_count > 0 ? ROOF_GATE_PASS : ROOF_GATE_NEW,
                             .regression = NAN,
                             .p = NAN,
                             .runs_needed = runs_needed(gate->significance)};
  if (before_count > 0) {
    roof_status status = against_baseline(gate, now, now_count, before, before_count, &judged, error);
    if (status != ROOF_OK) {
      return status;
    }
  }
  roof_gate_state state = state_of(gate, placed);
  bool unknown = state == ROOF_GATE_UNKNOWN || state == ROOF_GATE_NO_CEILING;
  if (state != ROOF_GATE_PASS && !(unknown && roof_gate_misses(judged.state))) {
    judged.state = state;
  }
  *result = judged;
  return ROOF_OK;
}

/* Two documents */

/** The verdict where the document predicts on this machine, or the label is that of an operation with its shape. */
static roof_status heed_prediction(const roof_ceilings *ceilings, const roof_measurement *m,
                                   roof_placed *placed, roof_error *error) {
  const roof_op *op;
  double values[ROOF_PARAM_MAX];
  roof_dtype dtype;
  bool same = ceilings->machine != NULL && strcmp(ceilings->machine->name, m->machine) == 0;
  if (same && !isnan(m->given.slowest_seconds)) {
    roof_place_foresee(placed, m->given.fastest_seconds, m->given.slowest_seconds);
    return ROOF_OK;
  }
  roof_error why = {0}; /* of a label that is no operation's, which is none of the caller's */
  roof_status status = roof_shape_of_label(m->label, &op, values, &dtype, &why);
  if (status == ROOF_OK) {
    roof_types types = roof_types_of(dtype);
    roof_place_heed(ceilings, op, values, &types, 1, placed);
  }
  return status == ROOF_E_MEMORY ? roof_error_set(error, status, "%s", why.message) : ROOF_OK;
}

void roof_place_given(const roof_given *given, double noise, roof_placed *placed) {
  roof_placed at = *placed, limited, own;
  if (isnan(given->ceiling_seconds)) {
    return;
  }
  roof_place_time(given->limit_seconds, ROOF_THEORETICAL, at.seconds, noise, &limited);
  roof_place_time(given->ceiling_seconds, given->achieved ? ROOF_ACHIEVED : ROOF_THEORETICAL, at.seconds,
                  noise, &own);
  bool beyond = limited.state == ROOF_PLACE_IMPOSSIBLE; /* the hardware, not the benchmark alone */
  at.state = beyond ? limited.state : own.state;
  memcpy(at.why, beyond ? limited.why : own.why, sizeof at.why);
  at.basis = own.basis;
  at.ceiling_seconds = own.ceiling_seconds;
  at.limit_seconds = own.limit_seconds;
  at.share = own.share;
  at.at_least = own.at_least;
  at.headroom = own.headroom;
  at.lost_seconds = own.lost_seconds;
  if (given->launched) {
    at.regime = ROOF_OVERHEAD_BOUND;
    rf_format(at.binding, sizeof at.binding, "launch");
  }
  at.verdict = roof_verdict_in(at.regime, own.verdict);
  roof_place_foresee(&at, given->fastest_seconds, given->slowest_seconds);
  *placed = at;
}

/** Under the ceilings of a machine. */
static roof_status place_under(const roof_ceilings *ceilings, const roof_measurement *m, roof_counted *work,
                               roof_placed *placed, roof_error *error) {
  const roof_op *op = roof_op_of_kernel(m->label);
  work->unit = op != NULL ? (int)op->unit : -1;
  roof_place(ceilings, work, placed);
  roof_status status = heed_prediction(ceilings, m, placed, error);
  roof_place_withhold(placed, m->uncounted);
  return status;
}

roof_status roof_place_measurement(const roof_ceilings *ceilings, const roof_measurement *m,
                                   roof_placed *placed, roof_error *error) {
  roof_counted work;
  roof_placed at;
  roof_status status = ROOF_OK;
  roof_counted_of(m, &work);
  if (ceilings != NULL) {
    status = place_under(ceilings, m, &work, &at, error);
  } else {
    roof_place_time(NAN, ROOF_THEORETICAL, m->seconds, work.noise, &at);
    roof_place_foresee(&at, m->given.fastest_seconds, m->given.slowest_seconds);
    at.flops = m->flops;
    at.bytes = isnan(m->bytes) ? m->link_bytes : m->bytes;
  }
  if (status == ROOF_OK) {
    roof_place_given(&m->given, work.noise, &at);
    *placed = at;
  }
  return status;
}

/** A kernel of one side with its runs, which are its samples, or its time alone. */
typedef struct contender {
  const roof_measurement *m;
  roof_placed placed;
  double *runs;
  size_t count;
} contender;

static roof_status enter(const roof_gate_side *side, size_t index, contender *c, roof_error *error) {
  const roof_measurement *m = &side->kernels[index];
  *c = (contender){.m = m, .count = m->sample_count > 0 ? m->sample_count : 1};
  if (m->label[0] == '\0' || m->seconds < 0) {
    return roof_error_set(error, ROOF_E_INPUT, "kernel %zu: needs a name and seconds over 0", index + 1);
  }
  roof_status status = roof_place_measurement(side->ceilings, m, &c->placed, error);
  if (status != ROOF_OK || !(m->seconds > 0)) { /* a profiler's clock shows 0 of what is too short for it */
    c->count = 0;
    return status;
  }
  c->runs = malloc(c->count * sizeof *c->runs);
  if (c->runs == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "check: out of memory");
  }
  c->runs[0] = m->seconds;
  for (size_t i = 0; i < m->sample_count; i++) {
    c->runs[i] = m->samples[i];
    if (!(c->runs[i] > 0)) {
      return roof_error_set(error, ROOF_E_INPUT, "%s: sample %zu is not a time", m->label, i + 1);
    }
  }
  return ROOF_OK;
}

/** Runs as multiples of the ceiling, so that two machines can be compared. */
static void scale(contender *c) {
  for (size_t i = 0; i < c->count; i++) {
    c->runs[i] /= c->placed.ceiling_seconds;
  }
}

static void write_message(const roof_gate *gate, const char *why, roof_gate_line *l) {
  const roof_gate_result *g = &l->result;
  char *at = l->message;
  switch (g->state) {
  case ROOF_GATE_LOW:
    rf_format(at, ROOF_GATE_MESSAGE, "%.1f %% of its ceiling, under %.1f %%", 100 * l->placed.share,
              100 * gate->least);
    break;
  case ROOF_GATE_SLOWER:
    rf_format(at, ROOF_GATE_MESSAGE,
              "%.1f %% slower than the baseline (allowed %.1f %%), p = %.2g of %zu runs against %zu",
              100 * g->regression, 100 * gate->max_regression, g->p, l->runs, l->before_runs);
    break;
  case ROOF_GATE_NOISE:
    rf_format(at, ROOF_GATE_MESSAGE, "%.1f %% slower, within the noise: p = %.2g of %zu runs against %zu",
              100 * g->regression, g->p, l->runs, l->before_runs);
    break;
  case ROOF_GATE_FEW:
    rf_format(at, ROOF_GATE_MESSAGE,
              "%.1f %% slower, but too few runs to exclude chance: %zu against %zu, take %zu on each side",
              100 * g->regression, l->runs, l->before_runs, g->runs_needed);
    break;
  case ROOF_GATE_PASS:
    snprintf(at, ROOF_GATE_MESSAGE, "%s",
             why != NULL              ? why
             : only_waits(&l->placed) ? "not judged by its share: a launch takes as long"
                                      : l->placed.why);
    break;
  default:
    snprintf(at, ROOF_GATE_MESSAGE, "%s",
             why != NULL                ? why
             : l->placed.why[0] != '\0' ? l->placed.why
                                        : roof_gate_meaning(g->state));
  }
}

static roof_status judge_pair(const roof_gate *gate, contender *now, contender *before, bool same_machine,
                              roof_gate_line *l, roof_error *error) {
  const char *why = NULL;
  *l = (roof_gate_line){.label = now->m->label,
                        .placed = now->placed,
                        .before_share = before != NULL ? before->placed.share : NAN,
                        .runs = now->count,
                        .before_runs = before != NULL ? before->count : 0};
  if (!isnan(now->placed.share) && !isnan(l->before_share)) {
    scale(now);
    scale(before);
  } else if (before != NULL && !same_machine) {
    why = "on another machine than the baseline, and a ceiling is not known";
  }
  bool comparable = before != NULL && why == NULL && now->count > 0;
  roof_status status =
      roof_gate_judge(gate, &now->placed, now->runs, now->count, comparable ? before->runs : NULL,
                      comparable ? before->count : 0, &l->result, error);
  if (why != NULL && l->result.state == ROOF_GATE_NEW) {
    l->result.state = ROOF_GATE_NO_CEILING;
  }
  write_message(gate, why, l);
  return status;
}

/** The nth kernel of `label`, from 0; the side's count where it has none. */
static size_t find_nth(const roof_gate_side *side, const char *label, size_t nth) {
  size_t i = 0;
  while (i < side->count && (strcmp(side->kernels[i].label, label) != 0 || nth-- > 0)) {
    i++;
  }
  return i;
}

/** Where `other` has the kernel at `index` of `side`: kernels of one label are matched in their order. */
static size_t find_match(const roof_gate_side *side, size_t index, const roof_gate_side *other) {
  const char *label = side->kernels[index].label;
  size_t nth = 0;
  for (size_t i = 0; i < index; i++) {
    nth += strcmp(side->kernels[i].label, label) == 0;
  }
  return find_nth(other, label, nth);
}

static roof_status judge_kernel(const roof_gate *gate, const roof_gate_side *now, size_t index,
                                const roof_gate_side *before, roof_gate_line *l, roof_error *error) {
  contender mine = {0}, theirs = {0};
  size_t other = before != NULL ? find_match(now, index, before) : 0;
  roof_status status = enter(now, index, &mine, error);
  bool found = before != NULL && other < before->count;
  if (status == ROOF_OK && found) {
    status = enter(before, other, &theirs, error);
  }
  if (status == ROOF_OK) {
    bool same = before != NULL && strcmp(now->machine, before->machine) == 0;
    status = judge_pair(gate, &mine, found ? &theirs : NULL, same, l, error);
  }
  if (status == ROOF_OK && before == NULL && l->result.state == ROOF_GATE_NEW) {
    l->result.state = ROOF_GATE_PASS;
    write_message(gate, NULL, l);
  } else if (status == ROOF_OK && l->result.state == ROOF_GATE_NEW &&
             find_nth(before, l->label, 0) < before->count) {
    snprintf(l->message, sizeof l->message, "the baseline has this name fewer times");
  }
  free(mine.runs);
  free(theirs.runs);
  return status;
}

static roof_status add_gone(const roof_gate *gate, const roof_gate_side *before, size_t index,
                            roof_gate_report *report, roof_error *error) {
  roof_placed placed, none;
  roof_gate_line *l = &report->lines[report->count];
  roof_status status = roof_place_measurement(before->ceilings, &before->kernels[index], &placed, error);
  if (status != ROOF_OK) {
    return status;
  }
  report->count++;
  roof_place_time(NAN, ROOF_THEORETICAL, NAN, NAN, &none);
  none.why[0] = '\0';
  *l = (roof_gate_line){.label = before->kernels[index].label,
                        .placed = none,
                        .before_share = placed.share,
                        .result = {.state = ROOF_GATE_GONE, .regression = NAN, .p = NAN}};
  write_message(gate, NULL, l);
  return ROOF_OK;
}

roof_status roof_gate_check(const roof_gate *gate, const roof_gate_side *now, const roof_gate_side *before,
                            roof_gate_report *report, roof_error *error) {
  size_t gone = before != NULL ? before->count : 0;
  roof_gate_report r = {.gate = *gate,
                        .machine = now->ceilings != NULL ? now->ceilings->machine->name : now->machine,
                        .lines = calloc(now->count + gone + 1, sizeof *r.lines)};
  roof_status status =
      r.lines != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "check: out of memory");
  for (size_t i = 0; i < now->count && status == ROOF_OK; i++) {
    status = judge_kernel(gate, now, i, before, &r.lines[r.count++], error);
  }
  for (size_t i = 0; i < gone && status == ROOF_OK; i++) {
    if (find_match(before, i, now) == now->count) {
      status = add_gone(gate, before, i, &r, error);
    }
  }
  for (size_t i = 0; i < r.count; i++) {
    r.missed += roof_gate_misses(r.lines[i].result.state);
    r.unknown += r.lines[i].result.state == ROOF_GATE_UNKNOWN;
  }
  if (status == ROOF_OK) {
    *report = r;
  } else {
    roof_gate_report_done(&r);
  }
  return status;
}

bool roof_gate_passes(const roof_gate_report *r) {
  return r->missed == 0 && r->unknown < r->count;
}

/** Whether every share is of a ceiling that a benchmark reached. */
static bool is_achieved(const roof_gate_report *r) {
  bool any = false, all = true;
  for (size_t i = 0; i < r->count; i++) {
    const roof_placed *at = &r->lines[i].placed;
    any = any || !isnan(at->share);
    all = all && (isnan(at->share) || at->basis == ROOF_ACHIEVED);
  }
  return any && all;
}

void roof_gate_sentence(const roof_gate_report *r, const char *against, roof_text *out) {
  roof_text_addf(out, "%zu of %zu kernels pass%s%s: at least %.4g %% of the %sceiling",
                 r->count - r->missed - r->unknown, r->count, r->machine[0] != '\0' ? " on " : "", r->machine,
                 100 * r->gate.least, is_achieved(r) ? "achieved " : "");
  if (against != NULL) {
    roof_text_addf(out, ", at most %.4g %% slower than %s", 100 * r->gate.max_regression, against);
  }
  if (r->unknown > 0) {
    roof_text_addf(out, "; %zu unknown", r->unknown);
  }
}

void roof_gate_report_done(roof_gate_report *report) {
  free(report->lines);
  *report = (roof_gate_report){0};
}
