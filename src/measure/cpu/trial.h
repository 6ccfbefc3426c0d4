/** Figures while they are measured. */
#ifndef MEASURE_CPU_TRIAL_H
#define MEASURE_CPU_TRIAL_H

#include "measure/cpu/cpu.h"

/** One window of a figure: its seconds; *clock_hz as seen beside it, NaN unknown. */
typedef double rf_window(void *user, double *clock_hz);

/** What stands for all windows of a figure. */
typedef enum rf_estimate {
  RF_FASTEST, /**< what the core can do: the fast end, which most windows of a quiet machine reach */
  RF_SHARED,  /**< what others use too: the fast end, which is what there is when they leave it alone */
  RF_TYPICAL  /**< what a program will see: the median */
} rf_estimate;

/** The quantile of the windows' seconds that is the estimate.
 *  Units: none. Ownership: none. Errors: none. */
double rf_estimate_fraction(rf_estimate estimate);

enum { RF_CANDIDATE_MAX = 40 };

/** The ways of doing a figure's work, of which the fastest counts. They take turns before the first round,
 *  and those that were not far slower, half as often, before the second; a disturbance is then seldom taken
 *  for a slow way. */
typedef struct rf_choice {
  rf_window *window;                       /**< one way on trial */
  double (*select)(void *user, int index); /**< sets the way; the work of one window of it */
  double (*ready)(void *user); /**< the way is chosen: sets how long a window is; the work of one */
  int count;                   /**< of ways, at most RF_CANDIDATE_MAX; 0: there is no choice */
  int tries;                   /**< of each way, each time */
  int chosen;
  int visits;                      /**< times that the ways were tried */
  double cycles[RF_CANDIDATE_MAX]; /**< for the same work: they do not change with the clock */
} rf_choice;

/** Gives every way a few windows in turn and selects the fastest of these and earlier tries; of equals the
 *  first.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none; returns its index. */
int rf_choice_try(rf_choice *choice, void *user);

/** A figure in the making. Its windows come in rounds spread over the whole run, because what disturbs a
 *  machine (a neighbour, the clock, where the host put its guest) lasts longer than a window. */
typedef struct rf_trial {
  char figure[96]; /**< "fp64 vector AVX-512, 1 core" */
  rf_window *window;
  /** Fills in the machine from the windows; the rate is work per second. */
  void (*finish)(rf_bench *bench, struct rf_trial *trial);
  void *user; /**< of all these functions, outlives the trial */
  rf_choice choice;
  double work;            /**< FLOP, bytes, cycles or regions of a window */
  const rf_core_set *set; /**< who works; NULL: the calling thread or all */
  int cores;
  rf_estimate estimate;
  roof_conditions *conditions; /**< in the machine */
  double *seconds;             /**< of each window */
  double *clocks;
  size_t count, capacity;
  size_t ends[ROOF_ROUND_MAX]; /**< where each round's windows end */
  double watched_seconds;      /**< of the rounds, all processors of the system */
  double rate;                 /**< work per second */
  double fast_rate, slow_rate; /**< of two modes, NaN when there is one */
  bool settled;                /**< more rounds would not make it better known */
} rf_trial;

/** A figure to measure, its samples not yet there; the caller fills in the rest before the next one.
 *  Units: none.
 *  Ownership: the bench's, until rf_trials_done.
 *  Errors: ROOF_E_MEMORY; *out on success only. */
roof_status rf_trial_add(rf_bench *bench, rf_trial **out, roof_error *error);

/** Measures all figures round by round, then lets each fill in the machine.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_MEMORY, ROOF_E_UNSUPPORTED for a time that is not possible. */
roof_status rf_trials_run(rf_bench *bench, roof_error *error);

/** Frees figures and samples.
 *  Units: none. Ownership: releases them. Errors: none. */
void rf_trials_done(rf_bench *bench);

/** A quantile of the windows' seconds.
 *  Units: s. Ownership: none. Errors: NaN without windows. */
double rf_trial_quantile(const rf_trial *trial, double fraction);

#endif
