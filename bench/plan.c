/* Plans searched a second on one core: DeepSeek-V3 on 64 devices and Llama-3.1-70B on 256, every plan and
 * batch. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "roofline/catalog.h"
#include "roofline/plan.h"
#include "roofline/stats.h"
#include "roofline/weights.h"

enum { ROUNDS = 21 };

/** Seconds of one core given to this thread: other programs on a shared machine do not count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Plans and batches per second of one search. */
static roof_status rate(const char *name, const roof_machine *machine, double devices, double *plans,
                        roof_error *error) {
  static roof_plan_front front;
  roof_model model;
  roof_plan_limits limits = {.devices = devices, .ttft_seconds = NAN, .tpot_seconds = NAN};
  roof_status status = roof_model_load(name, &model, error);
  if (status == ROOF_OK) {
    roof_model_settings settings = roof_model_settings_default(&model);
    double start = now();
    status = roof_plan_search(&model, machine, &settings, &settings.precision, 1, &limits, &front, error);
    *plans = front.tried / (now() - start);
  }
  return status;
}

int main(void) {
  static roof_machine *machine = NULL;
  static double experts[ROUNDS], dense[ROUNDS];
  roof_stats a, b;
  roof_error error = {0};
  roof_status status = roof_catalog_load("h100", &machine, &error);
  for (int i = 0; i < ROUNDS && status == ROOF_OK; i++) {
    status = rate("deepseek-v3", machine, 64, &experts[i], &error);
    status = status == ROOF_OK ? rate("llama-3.1-70b", machine, 256, &dense[i], &error) : status;
  }
  status = status == ROOF_OK ? roof_stats_of(experts, ROUNDS, &a, &error) : status;
  status = status == ROOF_OK ? roof_stats_of(dense, ROUNDS, &b, &error) : status;
  if (status != ROOF_OK) {
    fprintf(stderr, "bench-plan: %s\n", error.message);
    return 1;
  }
  printf("experts_per_second %.4g\nexperts_spread %.3f\n", a.median, a.spread);
  printf("dense_per_second %.4g\ndense_spread %.3f\n", b.median, b.spread);
  return 0;
}
