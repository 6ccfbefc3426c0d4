/* GEMM predictions per second on one core, of the bare roofline and with all effects, and what the machine allows: every prediction writes
 * sizeof(roof_prediction) bytes, so a loop that only copies that many is a limit no predictor passes. Both
 * run in the same process, alternating. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "roofline/catalog.h"
#include "roofline/ops.h"
#include "roofline/predict.h"
#include "roofline/stats.h"

enum { SHAPES = 1024, ROUNDS = 41, PASSES = 200 };

static double shapes[SHAPES][ROOF_PARAM_MAX];
static volatile double consumed;

/** Seconds of one core given to this thread: other programs on a shared machine do not count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static roof_status fill_shapes(const roof_op *gemm, roof_error *error) {
  for (int i = 0; i < SHAPES; i++) {
    roof_op_defaults(gemm, shapes[i]);
    shapes[i][0] = 1 + (i & 31) * 67;
    shapes[i][1] = 64 << (i >> 5 & 7);
    shapes[i][2] = 128 << (i >> 8);
    roof_status status = roof_op_complete(gemm, shapes[i], error);
    if (status != ROOF_OK) {
      return status;
    }
  }
  return ROOF_OK;
}

static double predict_rate(const roof_target *target, const roof_op *gemm) {
  roof_prediction p;
  double sum = 0, start = now();
  for (int pass = 0; pass < PASSES; pass++) {
    for (int i = 0; i < SHAPES; i++) {
      roof_predict(target, gemm, shapes[i], &p);
      sum += p.expected_seconds + (double)p.regime;
    }
  }
  double elapsed = now() - start;
  consumed = sum;
  return (double)PASSES * SHAPES / elapsed;
}

static double copy_rate(const roof_prediction *from) {
  static roof_prediction to;
  double start = now();
  for (int i = 0; i < PASSES * SHAPES; i++) {
    memcpy(&to, from, sizeof to);
    __asm__ volatile("" : : "r"(&to) : "memory");
  }
  double elapsed = now() - start;
  consumed = to.expected_seconds;
  return (double)PASSES * SHAPES / elapsed;
}

static roof_status measure(const roof_target *bare, const roof_target *target, const roof_op *gemm,
                           roof_error *error) {
  double predictions[ROUNDS], complete[ROUNDS], copies[ROUNDS];
  roof_prediction p;
  roof_predict(bare, gemm, shapes[0], &p);
  for (int i = 0; i < ROUNDS; i++) {
    predictions[i] = predict_rate(bare, gemm);
    complete[i] = predict_rate(target, gemm);
    copies[i] = copy_rate(&p);
  }
  roof_stats predicted, completed, copied;
  roof_status status = roof_stats_of(predictions, ROUNDS, &predicted, error);
  status = status == ROOF_OK ? roof_stats_of(complete, ROUNDS, &completed, error) : status;
  status = status == ROOF_OK ? roof_stats_of(copies, ROUNDS, &copied, error) : status;
  if (status == ROOF_OK) {
    printf("predictions_per_second %.4g\nspread %.3f\neffects_per_second %.4g\neffects_spread %.3f\n"
           "limit_per_second %.4g\nbytes %zu\n",
           predicted.median, predicted.spread, completed.median, completed.spread, copied.median,
           sizeof(roof_prediction));
  }
  return status;
}

int main(void) {
  static roof_machine *machine = NULL;
  roof_target target, bare;
  const roof_op *gemm = NULL;
  roof_error error = {0};
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  roof_status status = roof_catalog_load("h100", &machine, &error);
  status = status == ROOF_OK ? roof_target_init(&target, machine, &types, &options, &error) : status;
  options.without = ROOF_EFFECTS_ALL;
  status = status == ROOF_OK ? roof_target_init(&bare, machine, &types, &options, &error) : status;
  status = status == ROOF_OK ? roof_op_find("gemm", &gemm, &error) : status;
  status = status == ROOF_OK ? fill_shapes(gemm, &error) : status;
  status = status == ROOF_OK ? measure(&bare, &target, gemm, &error) : status;
  if (status != ROOF_OK) {
    fprintf(stderr, "bench-predict: %s\n", error.message);
  }
  return roof_status_exit_code(status);
}
