/* A whole model: is a claimed speed possible, and what does a phase take of energy. */
#include "roofline/whole.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "models/limits.h"
#include "models/step.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { SHORT = 48 };

static const struct {
  const char *name, *unit, *text;
} kinds[ROOF_MODEL_CLAIM_COUNT] = {
#define ROW(symbol, name, unit, text) [symbol] = {name, unit, text},
    ROOF_MODEL_CLAIM_MAP(ROW)
#undef ROW
};

/** What names a kind by its unit alone. */
static const struct {
  const char *unit;
  roof_model_claim_kind kind;
} units[] = {
    {"tokens/s", ROOF_MODEL_CLAIM_RATE},
    {"token/s", ROOF_MODEL_CLAIM_RATE},
    {"tok/s", ROOF_MODEL_CLAIM_RATE},
    {"%", ROOF_MODEL_CLAIM_MFU},
};

/** What `word` claims, by its name or its unit, and where the number begins; ROOF_MODEL_CLAIM_COUNT: nothing. */
static roof_model_claim_kind kind_of(const char *word, const char **number, const char **unit) {
  size_t name = strcspn(word, "=");
  bool named = word[name] == '=';
  *number = named ? word + name + 1 : word;
  for (int k = 0; k < ROOF_MODEL_CLAIM_COUNT; k++) {
    if (named && strlen(kinds[k].name) == name && strncmp(word, kinds[k].name, name) == 0) {
      *unit = kinds[k].unit;
      return (roof_model_claim_kind)k;
    }
  }
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (!named && roof_text_ends_with(word, units[i].unit)) {
      *unit = units[i].unit;
      return units[i].kind;
    }
  }
  return ROOF_MODEL_CLAIM_COUNT;
}

/** A quantity that does not say of what: no setting either. */
static roof_status refuse_bare(const char *word, roof_error *error) {
  double value;
  if (roof_quantity_parse_unit(word, "s", &value, NULL) == ROOF_OK) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%.40s`: of a model say what: ttft=%.40s or tpot=%.40s",
                          word, word, word);
  }
  bool number = strchr(word, '=') == NULL && roof_number_read(word, strlen(word), &value) > 0;
  return number ? roof_error_set(error, ROOF_E_PARSE,
                                 "`%.40s`: of a model what is claimed is ttft=80ms, tpot=18ms, 5000tokens/s, "
                                 "step=14s or mfu=45%%",
                                 word)
                : ROOF_OK;
}

roof_status roof_model_claim_read(const char *word, roof_model_claim *claim, bool *read, roof_error *error) {
  const char *number, *unit;
  double value = NAN;
  roof_model_claim_kind kind = kind_of(word, &number, &unit);
  *read = false;
  if (kind == ROOF_MODEL_CLAIM_COUNT) {
    return refuse_bare(word, error);
  }
  roof_status status = roof_quantity_parse_unit(number, unit, &value, error);
  if (status == ROOF_OK && !(value > 0)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "`%.40s`: must be more than 0", word);
  }
  if (status == ROOF_OK && (kind == ROOF_MODEL_CLAIM_TTFT || kind == ROOF_MODEL_CLAIM_TPOT)) {
    char name[16];
    snprintf(name, sizeof name, "%s=", kinds[kind].name);
    status = rf_limit_ask_unit(name, number, value, 1, error);
  }
  if (status == ROOF_OK) {
    *claim = (roof_model_claim){kind, value};
    *read = true;
  }
  return status;
}

/** What a claim is held against: a phase, perhaps after another, and their least and expected time as the claim counts. */
typedef struct limit {
  const roof_model_phase *phase;
  const roof_model_phase *before; /**< NULL: none */
  double least, expected;         /**< in the claim's unit */
  bool more;                      /**< the limit is the most that is possible */
  double longer; /**< the phase's time to expect, over that of a step whose drafted tokens are all right */
} limit;

/** Seconds of a phase with the one before it. */
typedef struct span {
  double lower, expected, low, high;
} span;

/** Times that the phase is done for what is claimed. */
typedef struct times {
  double least, expected;
} times;

static const limit none = {NULL, NULL, NAN, NAN, false, 1};
static const times once = {1, 1};

static span span_of(const roof_model_phase *p, const roof_model_phase *before) {
  span s = {p->lower_seconds, p->expected_seconds, p->expected_low_seconds, p->expected_high_seconds};
  if (before != NULL) {
    s.lower += before->lower_seconds, s.expected += before->expected_seconds;
    s.low += before->expected_low_seconds, s.high += before->expected_high_seconds;
  }
  return s;
}

static limit time_of(const roof_model_phase *p, const roof_model_phase *before, times n) {
  span s = span_of(p, before);
  return (limit){p, before, s.lower * n.least, s.expected * n.expected, false, n.expected / n.least};
}

/** `amount` of something in the phase's time. */
static limit rate_of(const roof_model_phase *p, const roof_model_phase *before, double amount, times n) {
  limit l = time_of(p, before, n);
  return (limit){p, before, amount / l.least, amount / l.expected, true, l.longer};
}

/** Nobody said how many drafted tokens are right: at best all of them. */
static bool may_all_be_right(const roof_model_settings *s) {
  return s->draft > 0 && !rf_model_typed(s, "accept");
}

/** Steps for each token of a sequence. */
static times steps_of_a_token(const roof_model_target *t, const roof_model_answer *a,
                              const roof_model_phase *step) {
  double each = a->tpot_seconds / step->expected_seconds;
  return (times){may_all_be_right(&t->settings) ? 1 / (t->settings.draft + 1) : each, each};
}

static limit limit_of(const roof_model_target *t, const roof_model_answer *a, roof_model_claim_kind kind) {
  const roof_model_settings *s = &t->settings;
  const roof_model_phase *first = &a->phases[roof_model_first_phase(t)], *step = roof_model_step(a);
  const roof_model_phase *before = isnan(a->encode_seconds) ? NULL : &a->phases[ROOF_PHASE_ENCODE];
  bool generates = roof_model_generates(t);
  times each = generates ? steps_of_a_token(t, a, step) : once;
  switch (kind) {
  case ROOF_MODEL_CLAIM_TTFT:
    return s->train ? none : time_of(first, before, once);
  case ROOF_MODEL_CLAIM_TPOT:
    return generates ? time_of(step, NULL, each) : none;
  case ROOF_MODEL_CLAIM_STEP:
    return s->train ? time_of(first, NULL, once) : none;
  case ROOF_MODEL_CLAIM_RATE:
    return generates ? rate_of(step, NULL, s->batch, each)
                     : rate_of(first, before, s->batch * s->prompt, once);
  default:
    return rate_of(first, NULL, first->mfu * first->expected_seconds, once);
  }
}

static const char *text_of(char buffer[SHORT], double value, roof_model_claim_kind kind) {
  if (kind == ROOF_MODEL_CLAIM_MFU) {
    rf_format(buffer, SHORT, "%.1f %%", 100 * value);
    return buffer;
  }
  return roof_quantity_format(buffer, SHORT, value, kinds[kind].unit);
}

/** "87.3 % of the limit" of a rate; "1.30x the limit" of a time, whose limit is the least that it can be. */
static void place(char buffer[SHORT], const roof_model_judged *j, bool more) {
  double share = j->placed.share;
  if (more) {
    rf_format(buffer, SHORT, "%.1f %% of the limit", 100 * share);
  } else if (j->possible) {
    rf_format(buffer, SHORT, "%.2fx the limit", 1 / share);
  } else if (share >= 2) {
    rf_format(buffer, SHORT, "%.1fx faster than the limit allows", share);
  } else {
    rf_format(buffer, SHORT, "%.1f %% faster than the limit allows", 100 * (share - 1));
  }
}

static void explain(roof_model_judged *j, const roof_model_target *t, const roof_model_answer *a,
                    const roof_model_claim *c, bool more) {
  char claimed[SHORT], most[SHORT], expected[SHORT], at[SHORT];
  if (!j->fits) {
    snprintf(j->because, sizeof j->because, "impossible: %s does not fit, %s short on each of %.0f devices",
             roof_model_title(t->model), roof_bytes_format(most, SHORT, -a->capacity.spare_bytes),
             a->devices);
    return;
  }
  place(at, j, more);
  snprintf(j->because, sizeof j->because, "%s: %s of %s is %s, %s; expected %s",
           j->possible ? "possible" : "impossible", kinds[c->kind].text, text_of(claimed, c->value, c->kind),
           at, text_of(most, j->limit, c->kind), text_of(expected, j->expected, c->kind));
}

/** Some engines hide transfers that are expected to be waited for (DeepSeek-AI 2024, DeepSeek-V3 Technical Report, section 3.2.1,
 *  DualPipe): where they are most of what a claim is faster by, no work need have been counted twice. */
static void heed_transfers(roof_placed *p, double transfers) {
  static const roof_verdict hidden = {
      0, "faster",
      "nine in ten like it take longer: transfers, expected in turn with the work, make most "
      "of the difference and may hide behind it"};
  bool faster = p->verdict != NULL && strcmp(p->verdict->name, "faster") == 0;
  p->verdict = faster && transfers > (p->fastest_seconds - p->seconds) / 2 ? &hidden : p->verdict;
}

roof_status roof_model_claim_judge(const roof_model_target *target, const roof_model_answer *answer,
                                   const roof_model_claim *claim, roof_model_judged *judged,
                                   roof_error *error) {
  limit l = limit_of(target, answer, claim->kind);
  if (l.phase == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: this run of %s has no such figure",
                          kinds[claim->kind].name, roof_model_title(target->model));
  }
  roof_model_judged j = {.limit = l.least,
                         .expected = l.expected,
                         .all_accepted =
                             l.phase == roof_model_step(answer) && may_all_be_right(&target->settings),
                         .phase = l.before != NULL ? "encode and prefill" : roof_phase_name(l.phase->kind),
                         .unit = kinds[claim->kind].unit,
                         .name = kinds[claim->kind].name};
  const span spent = span_of(l.phase, l.before);
  double share = l.more ? claim->value / l.least : l.least / claim->value;
  roof_place_time(spent.lower, target->settings.options.achieved ? ROOF_ACHIEVED : ROOF_THEORETICAL,
                  spent.lower / share, NAN, &j.placed);
  j.placed.verdict = roof_verdict_in(roof_model_phase_regime(l.phase), j.placed.verdict);
  roof_place_foresee(&j.placed, l.longer * spent.low, l.longer * spent.high);
  heed_transfers(&j.placed, l.longer * l.phase->network_seconds);
  j.fits = answer->capacity.fits || isnan(answer->capacity.capacity_bytes);
  j.possible = j.fits && j.placed.state == ROOF_PLACE_POSSIBLE;
  explain(&j, target, answer, claim, l.more);
  *judged = j;
  return ROOF_OK;
}

size_t roof_model_joules_of(const roof_model_target *t, const roof_model_answer *a,
                            roof_model_joules rows[ROOF_PHASE_COUNT]) {
  const roof_model_settings *s = &t->settings;
  size_t count = 0;
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    const roof_model_phase *p = &a->phases[i];
    if (!p->present) {
      continue;
    }
    bool whole = p->kind == roof_model_first_phase(t);
    double tokens =
        whole ? s->batch * (s->prompt - roof_model_prefix(s)) : s->batch * p->yield / p->sequences;
    rows[count++] = (roof_model_joules){.phase = roof_phase_name(p->kind),
                                        .seconds = p->expected_seconds,
                                        .joules = t->devices * p->energy_joules,
                                        .watts = t->devices * p->energy_joules / p->expected_seconds,
                                        .tokens = tokens,
                                        .joules_per_token = t->devices * p->energy_joules / tokens,
                                        .flops_per_joule = p->flops / p->energy_joules,
                                        .regime = roof_model_phase_regime(p)};
  }
  return count;
}
