/* Samples of kernels, alone and two of them in turns. */
#include <math.h>
#include <stdlib.h>

#include "host/clock.h"
#include "measure/cpu/cpu.h"
#include "measure/sampler.h"

/** A sample: so many calls that the clock's resolution is negligible. */
typedef struct calls {
  roof_kernel_run *run;
  int count;
  const rf_team *team; /**< whose cores are looked at, of the first `threads` */
  int threads;
} calls;

static double time_calls(void *user) {
  calls *c = user;
  double start = rf_clock_seconds();
  for (int i = 0; i < c->count; i++) {
    c->run->kernel->execute(c->run);
  }
  return rf_clock_seconds() - start;
}

static double width_now(void *user) {
  const calls *c = user;
  return rf_team_width(c->team, c->threads);
}

static calls calls_of(roof_kernel_run *run) {
  static const double least_seconds = 50e-6;
  calls c = {run, 1, NULL, 0};
  double seconds = fmin(time_calls(&c), time_calls(&c));
  c.count = (int)fmax(1, ceil(least_seconds / fmax(seconds, 1e-8)));
  return c;
}

static rf_sampling sampling_of(const calls *c, double budget, double precision) {
  static const double span = 0.05; /* what disturbs a processor comes and goes within that */
  return (rf_sampling){
      .calls = c->count, .budget = budget, .span = span, .least = 5, .most = 1000, .precision = precision};
}

/** Cores of several kinds are not alike wide, and a look at those of a library's threads would be in their way. */
static bool looks(const roof_kernel_run *run, const rf_team *team, bool alone) {
  return team != NULL && (alone || team->topology.kind_count == 1) && run->kernel->library == NULL &&
         !isnan(rf_clock_width());
}

/* The cores of several threads are seldom all whole where one is not: in a guest they may share one with each other. All their
 * samples count. */
roof_status rf_cpu_sample(roof_kernel_run *run, const rf_team *team, bool alone, double budget,
                          double precision, rf_samples *samples, roof_error *error) {
  static rf_widest widest; /* in this process */
  calls c = calls_of(run);
  rf_sampling sampling = sampling_of(&c, budget, precision);
  sampling.width = looks(run, team, alone) ? width_now : NULL;
  sampling.widest = &widest;
  sampling.whole_only = alone;
  c.team = team;
  c.threads = alone ? 1 : run->threads;
  return rf_sample(time_calls, &c, &sampling, samples, error);
}

enum { TURN_MOST = 16 };

/** Two kernels: the samples of this turn, and all of the second one, the warm-up included. */
typedef struct turns {
  calls kernels[2];
  double turn[2][TURN_MOST];
  int taken, length; /**< of the samples of this turn */
  double *seconds;   /**< of the second kernel, per call */
  size_t count, room;
} turns;

/** Samples of one kernel, with its threads awake and those of the other asleep: threads of a library wait for their next
 *  product without sleeping, some for 25 ms, on a core that the other kernel needs. */
static void take_turn(calls *c, double *seconds, int length) {
  rf_team_settle();
  c->run->kernel->execute(c->run);
  for (int i = 0; i < length; i++) {
    seconds[i] = time_calls(c);
  }
}

/** So many samples that a turn is longer than the start of threads that sleep. */
static int turn_length(turns *t) {
  static const double long_enough = 10e-3;
  double seconds = fmin(time_calls(&t->kernels[0]), time_calls(&t->kernels[1]));
  return (int)fmin(TURN_MOST, ceil(long_enough / fmax(seconds, 1e-8)));
}

static bool keep(turns *t, double seconds) {
  if (t->count == t->room) {
    size_t room = 2 * t->room + 64;
    double *grown = realloc(t->seconds, room * sizeof *grown);
    if (grown == NULL) {
      return false;
    }
    t->seconds = grown;
    t->room = room;
  }
  t->seconds[t->count++] = seconds;
  return true;
}

/** A sample of the first; NAN, which ends the sampling, when memory is out. */
static double time_in_turns(void *user) {
  turns *t = user;
  if (t->taken == t->length) {
    for (int i = 0; i < 2; i++) {
      take_turn(&t->kernels[i], t->turn[i], t->length);
    }
    t->taken = 0;
  }
  int i = t->taken++;
  return keep(t, t->turn[1][i] / t->kernels[1].count) ? t->turn[0][i] : NAN;
}

roof_status rf_cpu_sample_in_turns(roof_kernel_run runs[2], double budget, double precision,
                                   rf_samples samples[2], roof_error *error) {
  turns t = {.kernels = {calls_of(&runs[0]), calls_of(&runs[1])}};
  t.length = t.taken = turn_length(&t);
  rf_sampling sampling = sampling_of(&t.kernels[0], budget, precision);
  roof_status status = rf_sample(time_in_turns, &t, &sampling, &samples[0], error);
  if (status == ROOF_OK) {
    size_t warm_up = t.count - samples[0].count;
    status = rf_samples_like(&samples[0], t.seconds + warm_up, samples[0].count, &samples[1], error);
    if (status != ROOF_OK) {
      rf_samples_done(&samples[0]);
    }
  }
  free(t.seconds);
  return status;
}
