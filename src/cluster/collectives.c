/* The cost of collectives by algorithm: Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH",
 * 2005, sections 4 to 7; each message's time by its own size. Adding up what is reduced is not counted. */
#include "cluster/collectives.h"

#include <math.h>
#include <stdio.h>

#include "core/stats.h"

static double rounds(double ranks) {
  return ceil(log2(ranks));
}

/** Messages of half the size, a quarter, ... down to a rank's part. */
static double halving(const roof_alpha_beta *fit, double ranks, double size) {
  double sum = 0;
  for (double parts = 1; parts < ranks; parts *= 2) {
    size /= 2;
    sum += roof_message_seconds(fit, size);
  }
  return sum;
}

static double ring(const roof_alpha_beta *fit, double ranks, double size) {
  return (ranks - 1) * roof_message_seconds(fit, size / ranks);
}

static double ring_twice(const roof_alpha_beta *fit, double ranks, double size) {
  return 2 * ring(fit, ranks, size);
}

static double whole_each_round(const roof_alpha_beta *fit, double ranks, double size) {
  return rounds(ranks) * roof_message_seconds(fit, size);
}

static double halving_doubling(const roof_alpha_beta *fit, double ranks, double size) {
  return 2 * halving(fit, ranks, size);
}

static double half_each_round(const roof_alpha_beta *fit, double ranks, double size) {
  return rounds(ranks) * roof_message_seconds(fit, size / 2);
}

/** All messages in flight at once. */
static double at_once(const roof_alpha_beta *fit, double ranks, double size) {
  return roof_message_seconds(fit, size / ranks * (ranks - 1));
}

static double scatter_ring(const roof_alpha_beta *fit, double ranks, double size) {
  return halving(fit, ranks, size) + ring(fit, ranks, size);
}

static bool run_allreduce(const rf_mpi *mpi, int group, void *in, void *out, size_t size) {
  return mpi->all_reduce(group, in, out, size / sizeof(float));
}

static bool run_allgather(const rf_mpi *mpi, int group, void *in, void *out, size_t size) {
  return mpi->all_gather(group, in, out, size / (size_t)mpi->size(group));
}

static bool run_reducescatter(const rf_mpi *mpi, int group, void *in, void *out, size_t size) {
  return mpi->reduce_scatter(group, in, out, size / sizeof(float) / (size_t)mpi->size(group));
}

static bool run_alltoall(const rf_mpi *mpi, int group, void *in, void *out, size_t size) {
  return mpi->all_to_all(group, in, out, size / (size_t)mpi->size(group));
}

static bool run_broadcast(const rf_mpi *mpi, int group, void *in, void *out, size_t size) {
  (void)out;
  return mpi->broadcast(group, 0, in, size);
}

static bool run_barrier(const rf_mpi *mpi, int group, void *in, void *out, size_t size) {
  (void)in, (void)out, (void)size;
  return mpi->barrier(group);
}

const rf_collective rf_collectives[ROOF_COLLECTIVES] = {
    {"allreduce",
     true,
     2,
     run_allreduce,
     {{"ring", ring_twice},
      {"recursive doubling", whole_each_round},
      {"halving and doubling", halving_doubling}}},
    {"allgather", true, 1, run_allgather, {{"ring", ring}, {"recursive doubling", halving}}},
    {"reducescatter", true, 1, run_reducescatter, {{"pairwise", ring}, {"recursive halving", halving}}},
    {"alltoall",
     true,
     1,
     run_alltoall,
     {{"pairwise", ring}, {"Bruck", half_each_round}, {"all at once", at_once}}},
    {"broadcast",
     true,
     1,
     run_broadcast,
     {{"tree", whole_each_round},
      {"scatter and ring", scatter_ring},
      {"scatter and doubling", halving_doubling}}},
    {"barrier", false, 0, run_barrier, {{"dissemination", whole_each_round}}},
};

static int fastest(const roof_collective_curve *curve, const roof_collective_time *t) {
  int best = 0;
  for (int i = 1; i < curve->algorithm_count; i++) {
    best = t->predicted[i] < t->predicted[best] ? i : best;
  }
  return best;
}

static void add_size(const rf_collective *of, const roof_alpha_beta *fit, double size,
                     roof_collective_curve *curve) {
  roof_collective_time *t = &curve->times[curve->time_count++];
  *t = (roof_collective_time){.bytes = size, .seconds = NAN, .seconds_low = NAN, .seconds_high = NAN};
  for (int i = 0; i < ROOF_CURVES; i++) {
    t->predicted[i] =
        i < curve->algorithm_count ? of->algorithms[i].seconds(fit, curve->ranks, size) : (double)NAN;
  }
  t->expected = t->follows = fastest(curve, t);
}

void rf_collective_predict(const rf_collective *of, const roof_alpha_beta *fit, int ranks, double largest,
                           int factor, roof_collective_curve *curve) {
  enum { SMALLEST = 8 };
  *curve = (roof_collective_curve){.ranks = ranks};
  snprintf(curve->op, sizeof curve->op, "%s", of->op);
  for (int i = 0; i < ROOF_CURVES && of->algorithms[i].name != NULL; i++) {
    snprintf(curve->algorithms[curve->algorithm_count++], sizeof *curve->algorithms, "%s",
             of->algorithms[i].name);
  }
  if (!of->has_size) {
    add_size(of, fit, 0, curve);
  }
  for (double size = SMALLEST * ranks;
       of->has_size && size <= largest && curve->time_count < ROOF_FABRIC_SIZES; size *= factor) {
    add_size(of, fit, size, curve);
  }
}

void rf_collective_settle(const roof_collective_curve *curve, roof_collective_time *time, double *samples,
                          size_t count) {
  rf_stats_sort(samples, count);
  time->seconds = roof_stats_quantile(samples, count, 0.5);
  time->seconds_low = roof_stats_quantile(samples, count, 0.25);
  time->seconds_high = roof_stats_quantile(samples, count, 0.75);
  for (int i = 0; i < curve->algorithm_count && time->seconds > 0; i++) {
    double far = fabs(log(time->predicted[i] / time->seconds));
    double nearest = fabs(log(time->predicted[time->follows] / time->seconds));
    time->follows = far < nearest ? i : time->follows;
  }
}
