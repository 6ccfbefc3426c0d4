#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "advise/rules.h"
#include "core/number.h"
#include "roofline/text.h"
#include "roofline/units.h"

static const struct {
  const char *name;
  char unit;
} clues[ROOF_CLUE_COUNT] = {
#define CLUE(symbol, name, unit, text) [symbol] = {name, unit},
    ROOF_CLUE_MAP(CLUE)
#undef CLUE
};

const char *roof_clue_name(roof_clue clue) {
  return (unsigned)clue < ROOF_CLUE_COUNT ? clues[clue].name : "?";
}

roof_status roof_clue_parse(const char *text, roof_clue *clue, roof_error *error) {
  const char *names[ROOF_CLUE_COUNT + 1] = {NULL};
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    names[i] = clues[i].name;
    if (strcmp(text, names[i]) == 0) {
      *clue = (roof_clue)i;
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "counter", text, names, NULL);
}

/** A clock may be over its nominal rate, and a rate over the peak of another path. */
static double most_of(roof_clue clue) {
  bool over = clue == ROOF_CLUE_CLOCK || clue == ROOF_CLUE_VECTOR || clue == ROOF_CLUE_WIDER;
  return clues[clue].unit != 's' ? INFINITY : over ? 2 : 1;
}

roof_status roof_clue_check(roof_clue clue, double value, roof_error *error) {
  static const double rounding = 1.005, typed_as_percent = 2;
  if (!isfinite(value) || value < 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "counter %s: %g is no share", clues[clue].name, value);
  }
  if (value <= most_of(clue) * rounding) {
    return ROOF_OK;
  }
  return value > typed_as_percent
             ? roof_error_set(error, ROOF_E_ARGUMENT, "counter %s: %g is no share; write %g as %g or %g%%",
                              clues[clue].name, value, value, value / 100, value)
             : roof_error_set(error, ROOF_E_ARGUMENT, "counter %s: %g is no share: at most 1, or 100%%",
                              clues[clue].name, value);
}

roof_status roof_clue_read(const char *text, roof_clue *clue, double *value, roof_error *error) {
  char name[64];
  const char *equals = strchr(text, '=');
  if (equals == NULL || strlen(text) >= sizeof name) {
    return roof_error_set(error, ROOF_E_PARSE, "counter `%.40s`: not NAME=VALUE", text);
  }
  snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  roof_clue found;
  double read;
  roof_status status = roof_clue_parse(name, &found, error);
  if (status == ROOF_OK) {
    status = roof_quantity_parse_unit(equals + 1, "%", &read, error);
  }
  if (status == ROOF_OK) {
    status = roof_clue_check(found, read, error);
  }
  if (status == ROOF_OK) {
    *clue = found;
    *value = fmin(read, most_of(found));
  }
  return status;
}

/** Fills an unknown clue; NaN stays unknown, what rounding or another figure leaves outside is cut off. */
static void derive(roof_evidence *e, roof_clue clue, double value) {
  if (isnan(e->clue[clue])) {
    e->clue[clue] = value < 0 ? 0 : value;
  }
}

/** The same from the time and the ceilings alone: other causes leave the same figure, so it shows none. */
static void infer(roof_evidence *e, roof_clue clue, double value) {
  e->inferred[clue] |= isnan(e->clue[clue]);
  derive(e, clue, value);
}

/** Reading each line before it is overwritten adds the written bytes once more to the bus. The clue is 0
 * where the gap is too small to hold that. */
static double write_allocate(const roof_prediction *p, double fraction) {
  double share = (p->work.write_bytes - p->work.update_bytes) / p->bytes;
  return fraction * (1 + share) <= 1 ? share / (1 + share) : 0;
}

static double wider_peak(const roof_evidence *e) {
  const roof_peak *peak = e->prediction->peak;
  double bytes = roof_dtype_bytes(peak->dtype), nearest = INFINITY;
  double rate = NAN;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    double wider = roof_dtype_bytes((roof_dtype)d);
    const roof_peak *other = roof_machine_peak(e->machine, (roof_dtype)d, peak->unit, false, ROOF_DATASHEET);
    if (other != NULL && wider > bytes && wider < nearest &&
        other->flops_per_second < peak->flops_per_second) {
      nearest = wider;
      rate = other->flops_per_second;
    }
  }
  return rate;
}

/** What vector units that have no path for the format can give in it at most: the best of their peaks, by
 * the widths of the two formats. */
static double widest_vector(const roof_evidence *e) {
  double bytes = roof_dtype_bytes(e->prediction->peak->dtype), best = NAN;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    const roof_peak *other = roof_machine_peak(e->machine, (roof_dtype)d, ROOF_VECTOR, false, ROOF_DATASHEET);
    if (other != NULL) {
      best = fmax(best, other->flops_per_second * roof_dtype_bytes((roof_dtype)d) / bytes);
    }
  }
  return best;
}

/** The rate against the vector units. A peak of another format only rules them out: under it is 0, no clue. */
static double vector_share(const roof_evidence *e, double rate) {
  const roof_peak *peak = e->prediction->peak;
  if (peak->unit != ROOF_MATRIX) {
    return 0;
  }
  const roof_peak *vector = roof_machine_peak(e->machine, peak->dtype, ROOF_VECTOR, false, ROOF_DATASHEET);
  double other = rate / widest_vector(e);
  return vector != NULL ? rate / vector->flops_per_second : other > 1 ? other : 0;
}

/** The rate against what other paths of the machine can do; over 1 such a path is not the one taken. */
static void derive_paths(roof_evidence *e) {
  const roof_prediction *p = e->prediction;
  double rate = p->work.flops / e->measured_seconds;
  infer(e, ROOF_CLUE_VECTOR, vector_share(e, rate));
  infer(e, ROOF_CLUE_WIDER, rate / wider_peak(e));
}

/** The time that is left when all others hide behind it. */
static double longest_term(const roof_prediction *p) {
  double busy = fmax(fmax(p->compute_seconds, p->memory_seconds), p->network_seconds);
  return fmax(fmax(busy, p->overhead_seconds), p->lower_seconds);
}

void roof_evidence_derive(roof_evidence *e) {
  const roof_prediction *p = e->prediction;
  double seconds = e->measured_seconds;
  double fraction = p->lower_seconds / seconds;
  derive(e, ROOF_CLUE_FRACTION, fraction);
  infer(e, ROOF_CLUE_LAUNCH, p->overhead_seconds / seconds);
  infer(e, ROOF_CLUE_EXPOSED, (fmin(seconds, p->upper_seconds) - longest_term(p)) / seconds);
  infer(e, ROOF_CLUE_BEYOND, 1 - p->upper_seconds / seconds);
  if (p->bytes > 0) {
    infer(e, ROOF_CLUE_WRITE_ALLOCATE, write_allocate(p, fraction));
    derive(e, ROOF_CLUE_TRAFFIC, e->counted_bytes / p->bytes);
  }
  if (e->machine != NULL && p->peak != NULL && p->work.flops > 0) {
    derive_paths(e);
  }
  derive(e, ROOF_CLUE_IDLE, 1 - seconds / e->wall_seconds);
  derive(e, ROOF_CLUE_WAVE, 1 - e->waves / ceil(e->waves));
}

roof_evidence roof_evidence_of(const roof_prediction *prediction, const roof_machine *machine,
                               double measured_seconds) {
  roof_evidence e = {.prediction = prediction,
                     .machine = machine,
                     .measured_seconds = measured_seconds,
                     .wall_seconds = NAN,
                     .counted_bytes = NAN,
                     .waves = NAN,
                     .achieved = NAN};
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    e.clue[i] = NAN;
  }
  roof_evidence_derive(&e);
  return e;
}

void roof_evidence_take(roof_evidence *e, const double counted[ROOF_CLUE_COUNT]) {
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    if (!isnan(counted[i])) {
      e->clue[i] = counted[i];
      e->inferred[i] = false;
    }
  }
  roof_evidence_derive(e);
}

static int regimes_of(const roof_prediction *p) {
  bool matrix = p->regime == ROOF_COMPUTE_BOUND && p->peak != NULL && p->peak->unit == ROOF_MATRIX;
  return 1 << p->regime | (matrix ? RF_IN_MATRIX : 0);
}

/** How far past its threshold the value is: 0 at it, 1 at `full`, negative before it. */
static double strength(const rf_rule *r, double value) {
  return (value - r->threshold) / (r->full - r->threshold);
}

static void format_value(char *buffer, size_t size, roof_clue clue, double value) {
  static const struct {
    char unit;
    double scale;
    const char *suffix;
  } forms[] = {{'s', 100, " %"}, {'x', 1, "x"}, {'n', 1, ""}};
  size_t i = 0;
  while (forms[i].unit != clues[clue].unit) {
    i++;
  }
  rf_format(buffer, size, "%.3g%s", value * forms[i].scale, forms[i].suffix);
}

static void write_sentence(const rf_rule *r, double value, char *buffer, size_t size) {
  const char *mark = strstr(r->sentence, "{}");
  char number[32], limit[32];
  if (isnan(value)) {
    snprintf(buffer, size, "not ruled out: %s is not known", clues[r->clue].name);
    return;
  }
  format_value(number, sizeof number, r->clue, value);
  format_value(limit, sizeof limit, r->clue, r->threshold);
  snprintf(buffer, size, "%.*s%s%s (%s %s)", (int)(mark - r->sentence), r->sentence, number, mark + 2,
           r->full > r->threshold ? "over" : "under", limit);
}

static bool is_possible(const rf_rule *r, const roof_evidence *e) {
  return isnan(e->clue[r->clue]) || e->inferred[r->clue];
}

/** Shown causes come first, then what the time suggests, then causes without a figure. */
static double weight_of(const rf_rule *r, const roof_evidence *e, double past) {
  if (isnan(e->clue[r->clue])) {
    return (r->regimes == RF_IN_ALL ? 0.05 : 0.1) * r->weight;
  }
  return is_possible(r, e) ? 0.1 + 0.04 * r->weight * fmin(past, 1) : r->weight * (0.3 + 0.7 * fmin(past, 1));
}

/** True where the rate is more than the path that the rule names can give. */
static bool is_too_fast(const rf_rule *r, const roof_evidence *e) {
  bool vector = r->clue == ROOF_CLUE_VECTOR || r->clue == ROOF_CLUE_MATRIX;
  return (vector && e->clue[ROOF_CLUE_VECTOR] > 1) ||
         (r->clue == ROOF_CLUE_WIDER && e->clue[ROOF_CLUE_WIDER] > 1);
}

/** How many times slower a cause makes a kernel at most, of those that have a limit of their own. */
static const struct {
  roof_clue clue;
  double most;
} limits[] = {
    {ROOF_CLUE_WAVE, 2},      /* one full wave and one block more */
    {ROOF_CLUE_SMT, 2},       /* two threads share a core */
    {ROOF_CLUE_PAGE_WALK, 3}, /* walks go through the same caches as the data */
    {ROOF_CLUE_REMOTE, 4},    /* links between nodes carry a quarter of the memory's rate, or more */
    {ROOF_CLUE_CLOCK, 5},     /* the lowest clock against the nominal one */
};

/** True where the gap is more than the rule's cause can make, so that without a figure it is not named. */
static bool is_too_small(const rf_rule *r, const roof_evidence *e) {
  const roof_prediction *p = e->prediction;
  double slower = p->lower_seconds / p->expected_seconds / e->clue[ROOF_CLUE_FRACTION];
  bool known = !isnan(e->clue[r->clue]) && !e->inferred[r->clue];
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    if (!known && r->clue == limits[i].clue && slower > limits[i].most) {
      return true;
    }
  }
  return false;
}

bool roof_evidence_has_gap(const roof_evidence *evidence) {
  const roof_prediction *p = evidence->prediction;
  double foreseen = p->lower_seconds / p->expected_high_seconds;
  return !(evidence->clue[ROOF_CLUE_FRACTION] >= fmin(roof_options_default().efficiency_low, foreseen));
}

bool roof_evidence_is_starved(const roof_evidence *e) {
  return e->clue[ROOF_CLUE_ACTIVE] < RF_STARVED_ACTIVE || e->clue[ROOF_CLUE_IDLE] > RF_STARVED_IDLE;
}

/** Whether there is time that the cause could have taken: what was counted explains any that was not expected. */
static bool has_slowed(const rf_rule *r, const roof_evidence *e) {
  return is_possible(r, e) ? roof_evidence_has_gap(e)
                           : !(e->measured_seconds <= e->prediction->expected_seconds);
}

static bool fits(const rf_rule *r, const roof_evidence *e) {
  return (r->devices & rf_device_of(e->machine)) != 0 && (r->regimes & regimes_of(e->prediction)) != 0 &&
         !is_too_fast(r, e) && !is_too_small(r, e) && has_slowed(r, e);
}

bool rf_clue_is_unused(const roof_evidence *e, roof_clue clue) {
  int regimes = 0;
  for (size_t i = 0; i < rf_rule_count; i++) {
    bool here = rf_rules[i].clue == clue && (rf_rules[i].devices & rf_device_of(e->machine)) != 0;
    regimes |= here ? rf_rules[i].regimes : 0;
  }
  return !isnan(e->clue[clue]) && !e->inferred[clue] && regimes != 0 &&
         (regimes & regimes_of(e->prediction)) == 0;
}

static const char *measurement_of(const rf_rule *r, const roof_machine *machine) {
  bool known =
      machine != NULL && (strcmp(machine->vendor, "NVIDIA") == 0 || strcmp(machine->vendor, "nvidia") == 0);
  return known && r->metric != NULL ? r->metric : r->measurement;
}

/** True when the rule applies; *out then has the cause. */
static bool apply(const rf_rule *r, const roof_evidence *e, roof_cause *out) {
  double value = e->clue[r->clue];
  double past = isnan(value) ? 0 : strength(r, value);
  if (!fits(r, e) || (!isnan(value) && past <= 0)) {
    return false;
  }
  *out = (roof_cause){.name = r->name,
                      .certainty = is_possible(r, e) ? ROOF_POSSIBLE : ROOF_SHOWN,
                      .clue = r->clue,
                      .value = value,
                      .threshold = r->threshold,
                      .weight = weight_of(r, e, past),
                      .measurement = measurement_of(r, e->machine),
                      .action = r->action,
                      .source = r->source};
  write_sentence(r, value, out->sentence, sizeof out->sentence);
  return true;
}

/** Puts a cause in its place among `count` ranked ones; of two by one name or one figure the better
 * evidence stands, the first where they are equal. */
static size_t insert(roof_cause *ranked, size_t count, const roof_cause *cause) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(ranked[i].name, cause->name) == 0 || ranked[i].clue == cause->clue) {
      if (ranked[i].weight >= cause->weight) {
        return count;
      }
      memmove(&ranked[i], &ranked[i + 1], (count - i - 1) * sizeof *ranked);
      count--;
      break;
    }
  }
  size_t place = count;
  while (place > 0 && ranked[place - 1].weight < cause->weight) {
    ranked[place] = ranked[place - 1];
    place--;
  }
  ranked[place] = *cause;
  return count + 1;
}

size_t roof_causes_rank(const roof_evidence *evidence, roof_cause *out, size_t capacity) {
  roof_cause ranked[RF_RULES_MAX], cause;
  size_t count = 0;
  for (size_t i = 0; i < rf_rule_count; i++) {
    if (apply(&rf_rules[i], evidence, &cause)) {
      count = insert(ranked, count, &cause);
    }
  }
  size_t kept = count < capacity ? count : capacity;
  if (kept > 0) {
    memcpy(out, ranked, kept * sizeof *out);
  }
  return count;
}

/** What the binding resource delivered: "HBM delivers 2.4 TB/s". */
static void write_reached(const roof_evidence *e, char *buffer, size_t size) {
  const roof_prediction *p = e->prediction;
  char binding[ROOF_NAME_MAX], rate[48];
  double bytes = p->bytes;
  for (int i = 0; i < p->level_count; i++) {
    bytes = p->levels[i].level == p->binding ? p->levels[i].bytes : bytes;
  }
  const struct {
    double amount;
    const char *unit;
    const char *verb;
  } of[ROOF_REGIME_COUNT] = {
      [ROOF_COMPUTE_BOUND] = {p->work.flops, "FLOP/s", "computes"},
      [ROOF_MEMORY_BOUND] = {bytes, "B/s", "delivers"},
      [ROOF_OVERHEAD_BOUND] = {p->work.launches, "/s", "starts"},
      [ROOF_NETWORK_BOUND] = {p->work.link_bytes, "B/s", "delivers"},
      [ROOF_CAPACITY_BOUND] = {bytes, "B/s", "delivers"},
  };
  const roof_level_time *cache = roof_prediction_bound_level(p);
  roof_prediction_binding(p, binding, sizeof binding);
  if (cache != NULL) {
    snprintf(binding, sizeof binding, "%s", cache->level->name);
  }
  if (!(of[p->regime].amount > 0)) {
    snprintf(buffer, size, "%s binds", binding);
    return;
  }
  snprintf(buffer, size, "%s %s %s", binding, of[p->regime].verb,
           roof_quantity_format(rate, sizeof rate, of[p->regime].amount / e->measured_seconds,
                                of[p->regime].unit));
}

/** The one gap of an answer: ", 6.1 points below the expected 77.1 %"; nothing where that is not known. */
static void write_gap(const roof_evidence *e, char *buffer, size_t size) {
  const roof_prediction *p = e->prediction;
  double expected = 100 * p->lower_seconds / p->expected_seconds;
  double gap = expected - 100 * e->clue[ROOF_CLUE_FRACTION];
  buffer[0] = '\0';
  if (isfinite(gap)) {
    rf_format(buffer, size, ", %.1f points %s the expected %.1f %%", fabs(gap), gap >= 0 ? "below" : "above",
              expected);
  }
}

/** True where only what was predicted to be slow says that there is nothing to look for. */
static bool is_within(const roof_evidence *e) {
  return !roof_evidence_has_gap(e) && e->clue[ROOF_CLUE_FRACTION] < roof_options_default().efficiency_low &&
         e->measured_seconds >= e->prediction->expected_low_seconds;
}

static void write_why(const roof_evidence *e, const roof_cause *causes, size_t count, char *buffer,
                      size_t size) {
  if (count > 0 && causes[0].certainty == ROOF_SHOWN) {
    snprintf(buffer, size, "; %s: %s", causes[0].name, causes[0].sentence);
  } else if (is_within(e)) {
    char low[32], high[32];
    snprintf(buffer, size, ": within its predicted interval, %s to %s",
             roof_quantity_format(low, sizeof low, e->prediction->expected_low_seconds, "s"),
             roof_quantity_format(high, sizeof high, e->prediction->expected_high_seconds, "s"));
  } else if (e->achieved > 1) {
    snprintf(buffer, size,
             "; it is above its measured ceiling, so that ceiling, the work or the time is wrong");
  } else if (!roof_evidence_has_gap(e)) {
    snprintf(buffer, size, ": nothing to explain");
  } else {
    snprintf(buffer, size, "; no counter shows why");
  }
}

char *roof_causes_sentence(const roof_evidence *evidence, const roof_cause *causes, size_t count,
                           char *buffer, size_t size) {
  char reached[160], gap[80], why[320];
  /* Time in which no kernel runs is no part of what the kernel itself misses. */
  while (count > 0 && causes[0].clue == ROOF_CLUE_IDLE) {
    causes++;
    count--;
  }
  double fraction = evidence->clue[ROOF_CLUE_FRACTION];
  write_reached(evidence, reached, sizeof reached);
  write_gap(evidence, gap, sizeof gap);
  write_why(evidence, causes, count, why, sizeof why);
  bool above = fraction > 1 + ROOF_PLACE_ROUNDING;
  bool other = roof_prediction_is_kept(evidence->prediction) &&
               roof_prediction_bound_level(evidence->prediction) == NULL;
  rf_format(buffer, size, "%s, %.1f %% of %s%s%s", reached, 100 * fraction,
            other ? "the lower bound" : "its ceiling", above ? "; " : gap,
            above ? "it is above its ceiling, so the ceiling, the work or the time is wrong" : why);
  return buffer;
}

/** What a kernel waits on. Where several are past their thresholds the furthest past is named; a starved
 * device comes before all. */
static const struct {
  const char *resource;
  roof_clue clue;
  double threshold;
  double full;
  double first; /**< added to the strength */
} resources[] = {
    {"host launch", ROOF_CLUE_ACTIVE, 0.50, 0, 10}, /* STARVED */
    {"compute", ROOF_CLUE_COMPUTE, 0.60, 1, 0},
    {"compute", ROOF_CLUE_MATRIX, 0.60, 1, 0},
    {"memory", ROOF_CLUE_MEMORY, 0.60, 1, 0},
    {"shared memory", ROOF_CLUE_SHARED, 0.60, 1, 0},
    {"registers", ROOF_CLUE_SPILL, 0.10, 1, 0},
    {"scheduler", ROOF_CLUE_STALLED, 0.60, 1, -1}, /* warps stall on any of the above: the last to blame */
};

const char *roof_evidence_waiting(const roof_evidence *evidence) {
  const char *resource = NULL;
  double worst = -INFINITY;
  for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++) {
    double value = evidence->clue[resources[i].clue];
    double past = (value - resources[i].threshold) / (resources[i].full - resources[i].threshold);
    if (past > 0 && past + resources[i].first > worst) {
      worst = past + resources[i].first;
      resource = resources[i].resource;
    }
  }
  return resource;
}
