/** Figures while they are measured. */
#ifndef MEASURE_CPU_TRIAL_H
#define MEASURE_CPU_TRIAL_H

#include "host/clock.h"
#include "measure/cpu/cpu.h"

/** Runs one window of a figure and returns its seconds; *clock_hz is the clock read next to it, NaN:
 * unknown. */
typedef double rf_window(void *user, double *clock_hz);

/** Which statistic of the windows is a figure's value. */
typedef enum rf_estimate {
  RF_FASTEST, /**< a core's own limit: the fast end, which most windows of a quiet machine reach */
  RF_SHARED,  /**< a shared resource: the fast end, reached while other programs do not use it */
  RF_TYPICAL  /**< what a program will typically get: the median */
} rf_estimate;

/** The quantile of the windows' seconds that is the estimate.
 *  Units: none. Ownership: none. Errors: none. */
double rf_estimate_fraction(rf_estimate estimate);

enum { RF_CANDIDATE_MAX = 40 };

/** The variants of a figure's work, of which the fastest counts. All are tried in turns before the first
 * round; those not much slower are tried again, half as often, before the second, so that a disturbance is
 * seldom mistaken for a slow variant. */
typedef struct rf_choice {
  rf_window *window;                       /**< runs one window of the selected variant */
  double (*select)(void *user, int index); /**< selects a variant; returns the work of one of its windows */
  double (*ready)(void *user); /**< called for the chosen variant: sets the window's length; returns its
                                    work */
  int count;                   /**< of variants, at most RF_CANDIDATE_MAX; 0: there is no choice */
  int tries;                   /**< windows of each variant, each time */
  int chosen;
  int visits;                      /**< times that the variants were tried */
  double cycles[RF_CANDIDATE_MAX]; /**< for the same work: they do not change with the clock */
} rf_choice;

/** Runs a few windows of every variant in turns and selects the fastest of these and earlier tries, among
 *  equals the first.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none; returns its index. */
int rf_choice_try(rf_choice *choice, void *user);

/** A figure while it is measured. Its windows come in rounds spread over the whole run, because disturbances
 * (another guest, the clock, the placement of a guest by its host) last longer than a window. */
typedef struct rf_trial {
  char figure[96]; /**< "fp64 vector AVX-512, 1 core" */
  rf_window *window;
  /** Fills in the machine from the windows so far, or NULL; the rate is work per second. */
  void (*finish)(rf_bench *bench, struct rf_trial *trial);
  /** Says once, when no more windows come, how the figure was measured, or NULL. */
  void (*describe)(rf_bench *bench, struct rf_trial *trial);
  void *user; /**< of all these functions, outlives the trial */
  rf_choice choice;
  double work;            /**< FLOP, bytes, cycles or regions of a window */
  const rf_core_set *set; /**< who works; NULL: the calling thread or all */
  int cores;
  rf_estimate estimate;
  roof_conditions *conditions; /**< in the machine */
  double *seconds;             /**< of each window */
  double *clocks;
  double *widths;   /**< of its narrowest core right after it; infinite: nobody looked */
  rf_widest widest; /**< that these cores ever were */
  size_t count, capacity;
  size_t ends[ROOF_ROUND_MAX]; /**< where each round's windows end */
  double watched_seconds;      /**< of the rounds, all processors of the system */
  double rate;                 /**< work per second */
  double fast_rate, slow_rate; /**< of two modes, NaN when there is one */
  bool settled;                /**< further rounds would not improve it */
} rf_trial;

/** Adds a figure to measure, without samples; the caller fills in the rest before adding the next one.
 *  Units: none.
 *  Ownership: the bench's, until rf_trials_done.
 *  Errors: ROOF_E_MEMORY; *out on success only. */
roof_status rf_trial_add(rf_bench *bench, rf_trial **out, roof_error *error);

/** Measures all figures round by round, those that break a law of ceilings (laws.h) again, and fills in the
 *  machine.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_MEMORY, ROOF_E_UNSUPPORTED for a time that is not possible. */
roof_status rf_trials_run(rf_bench *bench, roof_error *error);

/** Frees figures and samples.
 *  Units: none. Ownership: releases them. Errors: none. */
void rf_trials_done(rf_bench *bench);

/** The estimate from the windows of `begin` to `end`: of those at the figure's own clock, not in a short boost of it, or of
 *  those of them on whole cores, the faster; of all where the clock is unknown.
 *  Units: s. Ownership: none. Errors: NaN without memory. */
double rf_trial_seconds(const rf_trial *trial, size_t begin, size_t end, double clock);

/** A quantile of the windows' seconds.
 *  Units: s. Ownership: none. Errors: NaN without windows. */
double rf_trial_quantile(const rf_trial *trial, double fraction);

#endif
