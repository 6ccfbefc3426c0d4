/* Whole-model answers per second on one core: Llama-3.1-70B (dense, 80 layers) over 8 devices, batch and
 * prompt different each time. */
#include <stdio.h>
#include <time.h>

#include "roofline/catalog.h"
#include "roofline/stats.h"
#include "roofline/weights.h"

enum { ROUNDS = 21, ANSWERS = 20000 };

static volatile double consumed;

/** Seconds of one core given to this thread: other programs on a shared machine do not count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Answers per second of a step of decoding alone. */
static double decode_rate(roof_model_target *target) {
  static roof_model_phase phase;
  double sum = 0, start = now();
  for (int i = 0; i < ANSWERS; i++) {
    target->settings.batch = 1 + i % 64;
    roof_model_phase_of(target, ROOF_PHASE_DECODE, 1000 + i % 100, 1300 + i % 100, &phase);
    sum += phase.expected_seconds;
  }
  consumed = sum;
  return ANSWERS / (now() - start);
}

/** Answers per second of everything: prefill, decoding, capacity, rates. */
static double answer_rate(roof_model_target *target) {
  static roof_model_answer answer;
  double sum = 0, start = now();
  for (int i = 0; i < ANSWERS; i++) {
    target->settings.batch = 1 + i % 64;
    target->settings.prompt = 1000 + i % 100;
    roof_model_answer_of(target, &answer);
    sum += answer.tpot_seconds;
  }
  consumed = sum;
  return ANSWERS / (now() - start);
}

static roof_status report(const char *name, double *rates, roof_error *error) {
  roof_stats stats;
  roof_status status = roof_stats_of(rates, ROUNDS, &stats, error);
  if (status == ROOF_OK) {
    printf("%s_per_second %.4g\n%s_spread %.3f\n", name, stats.median, name, stats.spread);
  }
  return status;
}

int main(void) {
  static roof_machine *machine = NULL;
  static double decodes[ROUNDS], answers[ROUNDS];
  roof_model model;
  roof_model_target target;
  roof_error error = {0};
  roof_status status = roof_catalog_load("h100", &machine, &error);
  status = status == ROOF_OK ? roof_model_load("llama-3.1-70b", &model, &error) : status;
  if (status == ROOF_OK) {
    roof_model_settings settings = roof_model_settings_default(&model);
    settings.tp = 8;
    settings.chunk = 0;
    status = roof_model_target_init(&target, &model, machine, &settings, &error);
  }
  for (int i = 0; i < ROUNDS && status == ROOF_OK; i++) {
    decodes[i] = decode_rate(&target);
    answers[i] = answer_rate(&target);
  }
  status = status == ROOF_OK ? report("decodes", decodes, &error) : status;
  status = status == ROOF_OK ? report("answers", answers, &error) : status;
  if (status != ROOF_OK) {
    fprintf(stderr, "bench-model: %s\n", error.message);
  }
  return roof_status_exit_code(status);
}
