/* Rounds of windows over all figures, and their evaluation. */
#include "measure/cpu/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/number.h"
#include "core/stats.h"
#include "host/clock.h"
#include "host/noise.h"
#include "measure/cpu/laws.h"
#include "measure/cpu/pace.h"
#include "measure/sampler.h"

enum { TRIAL_MAX = 256, CHUNK = 64, ROUNDS_LEAST = 4, ROUNDS_QUICK = 2, WINDOWS_LEAST = 3 };

/** Rounds beyond the least number begin within this many times the budget of an item. */
static const double ITEMS = 17;

/** The share of an item's budget that one round takes. */
static const double SLICE = 0.04;

double rf_estimate_fraction(rf_estimate estimate) {
  static const double fractions[] = {[RF_FASTEST] = 0.05, [RF_SHARED] = 0.1, [RF_TYPICAL] = 0.5};
  return fractions[estimate];
}

roof_status rf_trial_add(rf_bench *bench, rf_trial **out, roof_error *error) {
  if (bench->trials == NULL) {
    bench->trials = calloc(TRIAL_MAX, sizeof *bench->trials);
  }
  if (bench->trials == NULL || bench->trial_count == TRIAL_MAX) {
    return roof_error_set(error, ROOF_E_MEMORY, "figures: out of memory");
  }
  *out = &bench->trials[bench->trial_count++];
  return ROOF_OK;
}

/** Room for more windows; false when memory is out. */
static bool grow(rf_trial *t) {
  double **const lists[] = {&t->seconds, &t->clocks, &t->widths};
  size_t capacity = t->capacity + CHUNK;
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    double *more = realloc(*lists[i], capacity * sizeof *more);
    if (more == NULL) {
      return false;
    }
    *lists[i] = more;
  }
  t->capacity = capacity;
  return true;
}

static roof_status keep(rf_trial *t, double seconds, double clock, double width, roof_error *error) {
  if (!(seconds > 0) || isinf(seconds)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "%s: a window took %g s by this machine's clock, which is impossible", t->figure,
                          seconds);
  }
  if (t->count == t->capacity && !grow(t)) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", t->figure);
  }
  t->seconds[t->count] = seconds;
  t->widths[t->count] = width;
  t->clocks[t->count++] = clock > 0 && isfinite(clock) ? clock : NAN;
  return ROOF_OK;
}

static double unkept(void *user) {
  const rf_trial *t = user;
  double clock;
  return t->window(t->user, &clock);
}

static double clock_now(void) {
  return RF_CLOCK_CHAIN / rf_clock_chain();
}

/** The quantile of those of `values` that are known. */
static double quantile(const double *values, size_t count, double fraction) {
  double *sorted = malloc((count + 1) * sizeof *sorted), result = NAN;
  size_t known = 0;
  for (size_t i = 0; i < count && sorted != NULL; i++) {
    sorted[known] = values[i];
    known += isnan(values[i]) ? 0 : 1;
  }
  if (known > 0) {
    result = rf_stats_quantile(sorted, known, fraction);
  }
  free(sorted);
  return result;
}

/** A variant that was much slower in an earlier try is not tried again. */
static bool is_hopeful(const rf_choice *c, int way) {
  static const double far = 1.3;
  return c->visits == 0 || c->cycles[way] <= far * c->cycles[c->chosen];
}

int rf_choice_try(rf_choice *c, void *user) {
  enum { TRIES = 4 };
  static const double better = 1.005;
  double seconds[RF_CANDIDATE_MAX * TRIES], clocks[RF_CANDIDATE_MAX * TRIES];
  int most = c->tries < TRIES ? c->tries : TRIES, tries = c->visits == 0 ? most : (most + 1) / 2;
  int best = c->chosen;
  for (int i = 0; i < tries * c->count; i++) {
    clocks[i] = NAN;
    seconds[i] = INFINITY;
    if (is_hopeful(c, i % c->count)) {
      double work = c->select(user, i % c->count);
      seconds[i] = c->window(user, &clocks[i]) / work;
    }
  }
  double usual = quantile(clocks, (size_t)(tries * c->count), 0.5);
  for (int i = 0; i < c->count; i++) { /* a clock below the usual one is discarded: the window was
                                          interrupted */
    double first = INFINITY, second = INFINITY;
    for (int k = i; k < tries * c->count; k += c->count) {
      double clock = fmax(clocks[k], usual), cycles = seconds[k] * (isfinite(clock) ? clock : 1);
      second = fmin(second, fmax(first, cycles));
      first = fmin(first, cycles);
    }
    c->cycles[i] = fmin(c->cycles[i] > 0 ? c->cycles[i] : INFINITY, tries > 1 ? second : first);
  }
  for (int i = 0; i < c->count; i++) {
    best = better * c->cycles[i] < c->cycles[best] ? i : best;
  }
  c->select(user, best);
  c->chosen = best;
  c->visits++;
  return best;
}

/** Tries the variants again and uses the fastest so far for the figure. */
static void choose(rf_trial *t) {
  int before = t->choice.chosen, best = rf_choice_try(&t->choice, t->user);
  if (best != before || t->count == 0) { /* windows of another variant do not count for this one */
    t->work = t->choice.ready(t->user);
    t->count = 0;
    t->watched_seconds = 0;
    t->conditions->round_count = 0;
    t->conditions->stolen_seconds = NAN;
  }
}

/** The width of the narrowest core that works; infinite where that says nothing: who works is not known, or the cores are of
 * several kinds. */
static double width_now(const rf_bench *bench, rf_trial *t) {
  if (t->set == NULL || t->estimate == RF_TYPICAL || rf_core_set_is_mixed(bench, t->set)) {
    return INFINITY;
  }
  double width = rf_team_width(&bench->team, t->set->threads);
  rf_widest_add(&t->widest, width);
  return isnan(width) ? INFINITY : width;
}

/** One round of one figure. */
static roof_status take_round(const rf_bench *bench, rf_trial *t, double slice, roof_error *error) {
  roof_conditions *q = t->conditions;
  if (t->set != NULL) {
    rf_core_set_enter(bench, t->set);
  }
  if (t->choice.count > 0 && t->choice.visits < (bench->options->quick ? 1 : 2)) {
    choose(t);
  }
  rf_noise before = rf_noise_now();
  size_t first = t->count;
  double start = rf_clock_seconds();
  q->clock_before_hz = q->round_count == 0 ? clock_now() : q->clock_before_hz;
  size_t dropped = rf_warm_up(unkept, t, slice / 4, NULL);
  q->warm_up_samples = (q->round_count > 0 ? q->warm_up_samples : 0) + (double)dropped;
  double width = width_now(bench, t);
  roof_status status = ROOF_OK;
  while (status == ROOF_OK && (t->count < first + WINDOWS_LEAST || rf_clock_seconds() - start < slice)) {
    double clock = NAN, earlier = width, seconds = t->window(t->user, &clock);
    width = width_now(bench, t);
    status = keep(t, seconds, clock, fmin(earlier, width), error);
  }
  q->clock_after_hz = clock_now();
  rf_noise_add(&before, q);
  t->watched_seconds += (rf_clock_seconds() - before.seconds) * (double)sysconf(_SC_NPROCESSORS_ONLN);
  t->ends[q->round_count++] = t->count;
  if (t->set != NULL) {
    rf_core_set_leave(bench, t->set);
  }
  return status;
}

double rf_trial_quantile(const rf_trial *trial, double fraction) {
  return quantile(trial->seconds, trial->count, fraction);
}

/** Those windows of `begin` to `end` at the figure's own clock, not in a short boost of it, next to which the cores were at
 * least so wide. Returns how many. */
static size_t windows_at(const rf_trial *t, size_t begin, size_t end, double clock, double wide,
                         double *seconds) {
  static const double same = 0.01;
  size_t count = 0;
  for (size_t i = begin; i < end; i++) {
    seconds[count] = t->seconds[i];
    count += !(t->clocks[i] / clock - 1 > same) && t->widths[i] >= wide;
  }
  return count;
}

/** The estimate from such windows; infinite where they are too few. */
static double estimate_at(const rf_trial *t, size_t begin, size_t end, double clock, double wide,
                          double *seconds) {
  size_t count = windows_at(t, begin, end, clock, wide, seconds);
  rf_stats_sort(seconds, count);
  return count < WINDOWS_LEAST ? INFINITY
                               : roof_stats_quantile(seconds, count, rf_estimate_fraction(t->estimate));
}

double rf_trial_seconds(const rf_trial *t, size_t begin, size_t end, double clock) {
  double *seconds = malloc((end - begin) * sizeof *seconds);
  if (seconds == NULL) {
    return NAN;
  }
  double usual = estimate_at(t, begin, end, clock, 0, seconds);
  double whole = estimate_at(t, begin, end, clock, rf_widest_whole(&t->widest), seconds);
  free(seconds);
  return isinf(usual) ? quantile(t->seconds + begin, end - begin, rf_estimate_fraction(t->estimate))
                      : fmin(usual, whole);
}

/** The spread of the rounds: for typical values the slowest from the fastest; for the fast end the second
 * from the fastest, so that no single round sets the figure. */
static double rounds_apart(const rf_trial *t) {
  double sorted[ROOF_ROUND_MAX];
  int count = t->conditions->round_count;
  memcpy(sorted, t->conditions->rounds, sizeof sorted);
  rf_stats_sort(sorted, (size_t)count);
  return count < 2 ? 0 : sorted[count - 1] / sorted[t->estimate == RF_TYPICAL ? 0 : count - 2] - 1;
}

/** Fills in the rounds, the rate and the clock of the windows that give the rate. The usual clock is the upper
 * quartile, because an interrupted window reads too low. */
static void compare_rounds(rf_trial *t) {
  roof_conditions *q = t->conditions;
  double low = INFINITY, high = 0, usual = quantile(t->clocks, t->count, 0.75);
  size_t begin = 0;
  for (int r = 0; r < q->round_count; begin = t->ends[r++]) {
    q->rounds[r] = t->work / rf_trial_seconds(t, begin, t->ends[r], usual);
    double clock = quantile(t->clocks + begin, t->ends[r] - begin, 0.75);
    low = fmin(low, clock);
    high = fmax(high, clock);
  }
  t->rate = t->work / rf_trial_seconds(t, 0, t->count, usual);
  rf_pace pace = rf_pace_of(t->seconds, t->clocks, t->ends, q->round_count, t->work / t->rate);
  q->clock_hz = pace.clock_hz;
  q->clock_spread = pace.spread;
  q->clock_drift = (high - low) / usual;
  q->per_cycle = t->rate / t->cores / q->clock_hz;
}

/** Adds the steal time if it was large, as a reason for the spread of the rounds. */
static void add_stolen(const rf_trial *t, char *text, size_t size) {
  static const double much = 0.1;
  double stolen = fmin(1, t->conditions->stolen_seconds / t->watched_seconds);
  size_t used = strlen(text);
  if (used > 0 && used < size && stolen > much) {
    snprintf(text + used, size - used, "; the hypervisor took %.0f %% of the time", 100 * stolen);
  }
}

/** Why the figure may not be reproducible, or "". */
static void judge(rf_trial *t, const rf_samples *samples) {
  static const double alone = 0.015, shifted = 0.02, half_slower = 0.05;
  roof_conditions *q = t->conditions;
  double apart = rounds_apart(t), fast, slow, slower = t->rate * samples->stats.median / t->work - 1;
  bool shared = t->estimate == RF_SHARED, modes = shared && rf_samples_modes(samples, &fast, &slow);
  t->fast_rate = modes ? t->work / fast : NAN;
  t->slow_rate = modes ? t->work / slow : NAN;
  q->noisy[0] = '\0';
  if (modes) {
    snprintf(q->noisy, sizeof q->noisy, "two modes, %.0f %% apart", 100 * (slow / fast - 1));
  } else if (q->round_count < 2) {
    strcpy(q->noisy, "there was time for one round only");
  } else if (apart > (t->estimate == RF_TYPICAL ? shifted : alone)) {
    rf_format(q->noisy, sizeof q->noisy,
              t->estimate != RF_TYPICAL && q->round_count > 2 ? "one round was %.1f %% faster than all others"
                                                              : "rounds differ by %.1f %%",
              100 * apart);
  } else if (shared && slower > half_slower) {
    snprintf(q->noisy, sizeof q->noisy, "half of the windows were at least %.0f %% slower", 100 * slower);
  }
  add_stolen(t, q->noisy, sizeof q->noisy);
}

/** Evaluates the windows so far; the trial is settled once more windows would not change the result. */
static roof_status assess(rf_trial *t, double precision, roof_error *error) {
  roof_conditions *q = t->conditions;
  double *sorted = malloc(t->count * sizeof *sorted);
  if (sorted == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", t->figure);
  }
  memcpy(sorted, t->seconds, t->count * sizeof *sorted);
  rf_samples samples = {.seconds = sorted, .count = t->count};
  roof_status status = roof_stats_of(sorted, t->count, &samples.stats, error);
  if (status == ROOF_OK) {
    const roof_stats *stats = &samples.stats;
    bool tight =
        fmax(stats->ci_high - stats->median, stats->median - stats->ci_low) <= precision * stats->median;
    compare_rounds(t);
    judge(t, &samples);
    q->samples = (double)t->count;
    q->spread = stats->spread;
    q->outliers = (double)roof_stats_outliers(sorted, t->count, RF_OUTLIER);
    t->settled = tight && q->noisy[0] == '\0';
    if (tight) {
      rf_sampling_say(q->stopped, precision);
    } else {
      strcpy(q->stopped, "time spent");
    }
  }
  free(sorted);
  return status;
}

static void give(const rf_bench *bench, const rf_trial *t) {
  roof_windows windows = {.figure = t->figure,
                          .work = t->work,
                          .seconds = t->seconds,
                          .clocks = t->clocks,
                          .count = t->count,
                          .ends = t->ends,
                          .rounds = t->conditions->round_count};
  if (bench->options->keep != NULL) {
    bench->options->keep(bench->options->keep_user, &windows);
  }
}

/** One more round of every figure that has not settled. */
static roof_status one_round(rf_bench *bench, double slice, double deadline, int *left, roof_error *error) {
  roof_status status = ROOF_OK;
  *left = 0;
  for (int i = 0; i < bench->trial_count && status == ROOF_OK; i++) {
    rf_trial *t = &bench->trials[i];
    bool alone = t->conditions->round_count < 2; /* with nothing to compare it with, it gets another round in
                                                    any case */
    if (!t->settled && (alone || rf_clock_seconds() < deadline)) {
      status = take_round(bench, t, slice, error);
      (*left)++;
    }
  }
  return status;
}

static roof_status assess_all(rf_bench *bench, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < bench->trial_count && status == ROOF_OK; i++) {
    status = assess(&bench->trials[i], bench->options->precision, error);
  }
  return status;
}

static roof_status all_rounds(rf_bench *bench, roof_error *error) {
  int least = bench->options->quick ? ROUNDS_QUICK : ROUNDS_LEAST, left = 1;
  double slice = bench->budget * SLICE, end = rf_clock_seconds() + bench->budget * ITEMS;
  roof_status status = ROOF_OK;
  for (int round = 0; round < ROOF_ROUND_MAX && left > 0 && status == ROOF_OK; round++) {
    char step[64];
    snprintf(step, sizeof step,
             round < least ? "round %d of all figures" : "round %d of the figures that are not yet steady",
             round + 1);
    rf_bench_step(bench, step);
    status = one_round(bench, slice, end, &left, error);
    bool last = round + 1 >= least || rf_clock_seconds() >= end;
    if (status == ROOF_OK && last) {
      status = assess_all(bench, error);
    }
  }
  return status;
}

/** Warns of noisy figures and says what to do. */
static void note_noisy(rf_bench *bench) {
  enum { NAMED = 4 };
  char names[320] = "";
  size_t used = 0;
  int noisy = 0;
  for (int i = 0; i < bench->trial_count; i++) {
    const rf_trial *t = &bench->trials[i];
    if (t->conditions->noisy[0] != '\0' && noisy++ < NAMED && used < sizeof names) {
      used += (size_t)snprintf(names + used, sizeof names - used, "%s%s: %s", used > 0 ? "; " : "", t->figure,
                               t->conditions->noisy);
    }
  }
  if (noisy > 0) {
    rf_bench_note(bench,
                  "noisy: %d of %d figures (%s%s): stop other work on the machine and measure "
                  "again; `roofline doctor` lists possible causes",
                  noisy, bench->trial_count, names, noisy > NAMED ? "; ..." : "");
  }
}

/** Fills in the machine. */
static void finish_all(rf_bench *bench) {
  for (int i = 0; i < bench->trial_count; i++) {
    rf_trial *t = &bench->trials[i];
    if (t->finish != NULL) {
      t->finish(bench, t);
    }
  }
}

static rf_trial *trial_of(const rf_bench *bench, const roof_conditions *conditions) {
  for (int i = 0; i < bench->trial_count; i++) {
    if (bench->trials[i].conditions == conditions) {
      return &bench->trials[i];
    }
  }
  return NULL;
}

/** Measures the figures of a breach again, all their variants included. */
static roof_status repeat(rf_bench *bench, const rf_breach *breach, roof_error *error) {
  static const double longer = 4;
  roof_status status = ROOF_OK;
  for (int i = 0; i < 2 && status == ROOF_OK; i++) {
    rf_trial *t = trial_of(bench, breach->figures[i]);
    if (t == NULL || t->conditions->round_count == ROOF_ROUND_MAX) {
      continue;
    }
    t->choice.visits = 0;
    status = take_round(bench, t, longer * bench->budget * SLICE, error);
    status = status == ROOF_OK ? assess(t, bench->options->precision, error) : status;
  }
  return status;
}

/** Measures again what breaks a law of ceilings, a few times; what still does is marked. */
static roof_status uphold_laws(rf_bench *bench, roof_error *error) {
  enum { ATTEMPTS = 3 };
  rf_breach breaches[RF_BREACH_MAX];
  roof_status status = ROOF_OK;
  int count = rf_laws_check(bench->machine, bench->team.topology.core_count, breaches);
  for (int k = 0; k < ATTEMPTS && count > 0 && status == ROOF_OK; k++) {
    rf_bench_step(bench, "figures that contradict each other, again");
    for (int i = 0; i < count && status == ROOF_OK; i++) {
      status = repeat(bench, &breaches[i], error);
    }
    finish_all(bench);
    count = rf_laws_check(bench->machine, bench->team.topology.core_count, breaches);
  }
  rf_laws_mark(breaches, count);
  return status;
}

roof_status rf_trials_run(rf_bench *bench, roof_error *error) {
  roof_status status = all_rounds(bench, error);
  if (status == ROOF_OK) {
    finish_all(bench);
    status = uphold_laws(bench, error);
  }
  for (int i = 0; i < bench->trial_count && status == ROOF_OK; i++) {
    rf_trial *t = &bench->trials[i];
    if (t->describe != NULL) {
      t->describe(bench, t);
    }
    give(bench, t);
  }
  char unknown[128];
  if (status == ROOF_OK) {
    note_noisy(bench);
    if (rf_noise_unknown(unknown, sizeof unknown)[0] != '\0') {
      rf_bench_note(bench, "%s", unknown);
    }
  }
  return status;
}

void rf_trials_done(rf_bench *bench) {
  for (int i = 0; i < bench->trial_count; i++) {
    free(bench->trials[i].seconds);
    free(bench->trials[i].clocks);
    free(bench->trials[i].widths);
  }
  free(bench->trials);
  bench->trials = NULL;
  bench->trial_count = 0;
}
