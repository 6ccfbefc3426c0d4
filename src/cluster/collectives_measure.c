/* Collectives as they run: all ranks begin at one moment of an agreed clock, and the last to end counts (Hunold and Carpen-Amarie 2015,
 * "MPI Benchmarking Revisited": barriers release ranks at different times, windows of a common clock do not). */
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/collectives.h"
#include "cluster/fabric_clock.h"
#include "cluster/fabric_exchange.h"
#include "host/clock.h"

enum { PILOTS = 3, LEAST = 5, MOST = 32 };

static const double slack = 100e-6; /* s that ranks have to be there */

/** The collectives of one group. */
typedef struct session {
  const rf_mpi *mpi, *engine; /* between the ranks; what is measured */
  int group, rank, size;
  roof_clock clock;
  void *in, *out, *own[2]; /* of the engine; of the host, where they are its */
  double *all;             /* of rank 0: MOST times of each rank */
} session;

static bool largest_of(const session *s, double *value) {
  double *all = calloc((size_t)s->size, sizeof *all);
  bool done = all != NULL && s->mpi->all_gather(s->group, value, all, sizeof *value);
  for (int i = 0; i < s->size && done; i++) {
    *value = fmax(*value, all[i]);
  }
  free(all);
  return done;
}

/** About how long it takes on the slowest rank. */
static bool pilot(const session *s, const rf_collective *of, size_t bytes, double *seconds) {
  bool done = true;
  *seconds = 0;
  for (int i = 0; i < PILOTS && done; i++) {
    done = s->mpi->barrier(s->group);
    double start = rf_clock_seconds();
    done = done && of->run(s->engine, s->group, s->in, s->out, bytes);
    double took = rf_clock_seconds() - start;
    *seconds = i > 0 ? fmax(*seconds, took) : 0; /* the first makes connections */
  }
  return done && largest_of(s, seconds);
}

/** When the last rank ended, by the common clock; a rank that was late spoils that sample. */
static size_t collect(const session *s, int repeats, double *samples) {
  size_t kept = 0;
  for (int k = 0; k < repeats; k++) {
    double last = 0;
    for (int r = 0; r < s->size; r++) {
      double one = s->all[r * MOST + k];
      last = isnan(one) || isnan(last) ? (double)NAN : fmax(last, one);
    }
    if (!isnan(last)) {
      samples[kept++] = last;
    }
  }
  return kept;
}

static bool take(const session *s, const rf_collective *of, size_t bytes, double budget, double *samples,
                 size_t *count) {
  double own[MOST], typical = 0;
  bool done = pilot(s, of, bytes, &typical);
  double period = 2 * typical + slack, fits = budget / period;
  int repeats = fits < LEAST ? LEAST : fits > MOST ? MOST : (int)fits;
  double start = rf_clock_remote(&s->clock, rf_clock_seconds()) + period + 2 * typical;
  done = done && s->mpi->broadcast(s->group, 0, &start, sizeof start);
  for (int k = 0; k < repeats && done; k++) {
    double begin = rf_clock_local(&s->clock, start + k * period);
    bool late = rf_clock_seconds() > begin + slack;
    while (rf_clock_seconds() < begin) {
      sched_yield();
    }
    done = of->run(s->engine, s->group, s->in, s->out, bytes);
    own[k] = late ? (double)NAN : rf_clock_seconds() - begin;
  }
  done = done && s->mpi->gather(s->group, 0, own, s->all, sizeof own);
  *count = done && s->rank == 0 ? collect(s, repeats, samples) : 0;
  return done;
}

/** Sizes from the smallest until the time is spent, by the clock of the rank for which it is first. */
static bool take_curve(const session *s, const rf_collective *of, double budget,
                       const rf_collectives_plan *plan, roof_collective_curve *curve) {
  double start = rf_clock_seconds(), spent = 0;
  bool done = true;
  for (int i = 0; i < curve->time_count && spent <= budget && done; i++) {
    double samples[MOST];
    size_t count = 0;
    done = take(s, of, (size_t)curve->times[i].bytes, budget / curve->time_count, samples, &count);
    if (done && s->rank == 0) {
      if (plan->keeper != NULL) {
        plan->keeper(plan->user, curve, i, samples, count);
      }
      rf_collective_settle(curve, &curve->times[i], samples, count);
    }
    spent = rf_clock_seconds() - start;
    done = done && largest_of(s, &spent);
  }
  return done;
}

/** Memory of the host, where the engine has none of its own. */
static bool take_memory(session *s, double largest) {
  size_t room = (size_t)largest + (size_t)s->size * 64;
  float *numbers = s->in = s->own[0] = malloc(room);
  s->out = s->own[1] = calloc(1, room);
  for (size_t i = 0; i < room / sizeof *numbers && numbers != NULL; i++) {
    numbers[i] = (float)(i % 1021) / 1021;
  }
  return s->in != NULL && s->out != NULL;
}

static bool begin(session *s, const rf_collectives_plan *plan) {
  s->all = s->rank == 0 ? calloc((size_t)s->size * MOST, sizeof *s->all) : NULL;
  s->engine = plan->engine != NULL ? plan->engine : s->mpi;
  s->in = plan->out, s->out = plan->in; /* what goes in comes from where messages go out */
  return (s->rank != 0 || s->all != NULL) && (plan->engine != NULL || take_memory(s, plan->largest));
}

/** The barrier is the last of all, and no engine's. */
static int count_of(const rf_collectives_plan *plan) {
  return plan->engine != NULL ? ROOF_COLLECTIVES - 1 : ROOF_COLLECTIVES;
}

/** All ranks have the curves that rank 0 predicted and sealed. */
static roof_status agree(session *s, const rf_collectives_plan *plan, roof_fabric *fabric,
                         roof_error *error) {
  const roof_distance_fit *far = s->rank == 0 ? roof_fabric_farthest(fabric) : NULL;
  roof_status sealed = ROOF_OK;
  bool fitted =
      far != NULL && far->fit.count > 0; /* else there is nothing to predict by, and nothing is run */
  for (int i = 0; i < count_of(plan) && fitted; i++) {
    rf_collective_predict(&rf_collectives[i], &far->fit, s->size, plan->largest, plan->factor,
                          &fabric->collectives[i]);
  }
  if (fitted && plan->sealer != NULL) {
    sealed = plan->sealer(plan->user, fabric->collectives, count_of(plan), error);
  }
  if (!s->mpi->broadcast(s->group, 0, &sealed, sizeof sealed) ||
      !s->mpi->broadcast(s->group, 0, fabric->collectives, sizeof fabric->collectives)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "network: the MPI refused: %s", s->mpi->reason());
  }
  return sealed == ROOF_OK || s->rank == 0
             ? sealed
             : roof_error_set(error, sealed, "network: rank 0 could not seal the predictions");
}

roof_status rf_collectives_measure(const rf_mpi *mpi, int group, const rf_collectives_plan *plan,
                                   roof_fabric *fabric, roof_error *error) {
  session s = {.mpi = mpi, .group = group, .rank = mpi->rank(group), .size = mpi->size(group)};
  roof_status status =
      begin(&s, plan) ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "network: out of memory");
  status = status == ROOF_OK ? agree(&s, plan, fabric, error) : status;
  bool done = status == ROOF_OK && rf_clock_agree(mpi, group, &s.clock);
  int count = count_of(plan);
  for (int i = 0; i < count && done; i++) {
    done = take_curve(&s, &rf_collectives[i], plan->seconds / count, plan, &fabric->collectives[i]);
  }
  if (status == ROOF_OK && !done) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "network: refused: %s", s.engine->reason());
  }
  bool any = s.rank == 0 && fabric->collectives[0].time_count > 0;
  fabric->collective_count = status == ROOF_OK && any ? count : 0;
  free(s.own[0]);
  free(s.own[1]);
  free(s.all);
  return status;
}
