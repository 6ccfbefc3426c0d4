/* A loop that reads memory and computes, at growing intensity: whether both ceilings overlap at the ridge. */
#include <math.h>

#include "kernels/data.h"
#include "measure/cpu/growth.h"

/** Multiply-adds with each number that is read; intensity is a quarter of it in fp64. */
static const int steps[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};

enum { POINTS = sizeof steps / sizeof steps[0] };
_Static_assert(POINTS <= ROOF_INTENSITY_MAX, "every point has its place");

typedef struct mixing {
  const rf_bench *bench;
  size_t window, at; /**< numbers of each thread */
  size_t steps;
} mixing;

static void mix(void *user, int thread, int threads) {
  const mixing *m = user;
  rf_share share = rf_share_of(m->bench->data_bytes / sizeof(double), thread, threads);
  const double *x = (const double *)m->bench->data + share.begin;
  volatile double sum = m->bench->lanes->fp64->mix(x + m->at, m->window, m->steps);
  (void)sum;
}

/** FLOP/s of a window of data that were read last a whole pass ago. */
static double rate_of(mixing *m) {
  double seconds = rf_team_time(&m->bench->team, m->bench->team.threads, mix, m);
  size_t part = m->bench->data_bytes / sizeof(double) / (size_t)m->bench->team.threads;
  m->at = m->at + 2 * m->window <= part ? m->at + m->window : 0;
  return 2.0 * (double)(m->steps * m->window) * m->bench->team.threads / seconds;
}

void rf_cpu_measure_intensities(rf_bench *bench) {
  enum { WINDOW = (8 << 20) / sizeof(double) };
  int tries = bench->options->quick ? 4 : 10;
  size_t part = bench->data_bytes / sizeof(double) / (size_t)bench->team.threads;
  mixing m = {.bench = bench, .window = part < WINDOW ? part : WINDOW};
  double best[POINTS] = {0};
  rf_bench_step(bench, "arithmetic mixed with loads");
  for (int t = 0; t < tries; t++) {
    for (int i = 0; i < POINTS; i++) {
      m.steps = (size_t)steps[i];
      best[i] = fmax(best[i], rate_of(&m));
    }
  }
  for (int i = 0; i < POINTS; i++) {
    roof_intensity_point *point = roof_machine_add_intensity(bench->machine);
    if (point != NULL) {
      *point = (roof_intensity_point){2.0 * steps[i] / sizeof(double), best[i]};
    }
  }
}
