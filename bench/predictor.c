/* Replies of the predictor per second on one core next to the C calls that they are made of, in turns in one process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roofline/catalog.h"
#include "roofline/load.h"
#include "roofline/ops.h"
#include "roofline/predictor.h"
#include "roofline/stats.h"
#include "roofline/weights.h"

enum { LINES = 1024, ROUNDS = 21, PASSES = 20 };

static char op_lines[LINES][160], step_lines[LINES][160];
static double shapes[LINES][ROOF_PARAM_MAX];
static roof_load loads[LINES];
static volatile double consumed;

/** Seconds of one core given to this thread. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static roof_status fill(const roof_op *gemm, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < LINES && status == ROOF_OK; i++) {
    int m = 1 + (i & 31) * 67, n = 64 << (i >> 5 & 7), k = 128 << (i >> 8), batch = 1 + i % 256,
        context = 4 * i;
    snprintf(op_lines[i], sizeof op_lines[i],
             "{\"id\":%d,\"op\":\"gemm\",\"parameters\":{\"m\":%d,\"n\":%d,\"k\":%d},\"machine\":\"h100\","
             "\"dtype\":\"fp16\"}",
             i, m, n, k);
    snprintf(step_lines[i], sizeof step_lines[i],
             "{\"id\":%d,\"model\":\"llama-3.1-8b\",\"batch\":%d,\"context\":%d,\"machine\":\"h100\"}", i,
             batch, context);
    loads[i] = (roof_load){.decodes = batch, .context = context, .logits = batch};
    roof_op_defaults(gemm, shapes[i]);
    shapes[i][0] = m, shapes[i][1] = n, shapes[i][2] = k;
    status = roof_op_complete(gemm, shapes[i], error);
  }
  return status;
}

static double reply_rate(roof_predictor *predictor, char lines[LINES][160], roof_text *out) {
  double start = now();
  for (int i = 0; i < PASSES * LINES; i++) {
    const char *line = lines[i % LINES];
    out->length = 0;
    roof_predictor_answer(predictor, line, strlen(line), out, NULL);
  }
  return PASSES * LINES / (now() - start);
}

static double op_rate(const roof_target *target, const roof_op *gemm) {
  roof_prediction p;
  double sum = 0, start = now();
  for (int i = 0; i < PASSES * LINES; i++) {
    roof_predict(target, gemm, shapes[i % LINES], &p);
    sum += p.expected_seconds;
  }
  consumed = sum;
  return PASSES * LINES / (now() - start);
}

static double step_rate(const roof_model_target *target, roof_model_phase *phase) {
  double sum = 0, start = now();
  for (int i = 0; i < PASSES * LINES; i++) {
    roof_load_phase(target, &loads[i % LINES], phase);
    sum += phase->expected_seconds;
  }
  consumed = sum;
  return PASSES * LINES / (now() - start);
}

static roof_status show(const char *name, double *rates, roof_error *error) {
  roof_stats s;
  roof_status status = roof_stats_of(rates, ROUNDS, &s, error);
  if (status == ROOF_OK) {
    printf("%s_per_second %.4g\n%s_spread %.3f\n", name, s.median, name, s.spread);
  }
  return status;
}

static roof_status measure(roof_predictor *predictor, const roof_target *target, const roof_op *gemm,
                           const roof_model_target *model, roof_error *error) {
  static roof_model_phase phase;
  double replies[ROUNDS], calls[ROUNDS], step_replies[ROUNDS], steps[ROUNDS];
  roof_text out = {0};
  for (int i = 0; i < ROUNDS; i++) {
    replies[i] = reply_rate(predictor, op_lines, &out);
    calls[i] = op_rate(target, gemm);
    step_replies[i] = reply_rate(predictor, step_lines, &out);
    steps[i] = step_rate(model, &phase);
  }
  roof_text_done(&out);
  roof_status status = show("replies", replies, error);
  status = status == ROOF_OK ? show("calls", calls, error) : status;
  status = status == ROOF_OK ? show("step_replies", step_replies, error) : status;
  return status == ROOF_OK ? show("step_calls", steps, error) : status;
}

int main(void) {
  static roof_model model;
  static roof_model_target step;
  roof_machine *machine = NULL;
  roof_predictor *predictor = NULL;
  roof_target target;
  const roof_op *gemm = NULL;
  roof_error error = {0};
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  roof_status status = roof_catalog_load("h100", &machine, &error);
  status = status == ROOF_OK ? roof_target_init(&target, machine, &types, &options, &error) : status;
  status = status == ROOF_OK ? roof_op_find("gemm", &gemm, &error) : status;
  status = status == ROOF_OK ? fill(gemm, &error) : status;
  status = status == ROOF_OK ? roof_model_load("llama-3.1-8b", &model, &error) : status;
  roof_model_settings settings = roof_model_settings_default(&model);
  status = status == ROOF_OK ? roof_model_target_init(&step, &model, machine, &settings, &error) : status;
  status = status == ROOF_OK ? roof_predictor_new(&predictor, &error) : status;
  status = status == ROOF_OK ? measure(predictor, &target, gemm, &step, &error) : status;
  roof_predictor_free(predictor);
  roof_machine_free(machine);
  if (status != ROOF_OK) {
    fprintf(stderr, "bench-predictor: %s\n", error.message);
  }
  return roof_status_exit_code(status);
}
