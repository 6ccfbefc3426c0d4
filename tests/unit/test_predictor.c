/* The predictor's replies against the C calls that they are made of; what it keeps of targets. */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "roofline/catalog.h"
#include "roofline/load.h"
#include "roofline/ops.h"
#include "roofline/predictor.h"
#include "roofline/weights.h"

static roof_predictor *predictor;

static int start(void **state) {
  (void)state;
  return roof_predictor_new(&predictor, NULL) == ROOF_OK ? 0 : -1;
}

static int end(void **state) {
  (void)state;
  roof_predictor_free(predictor);
  return 0;
}

/** The reply to a request, checked to be one line; the caller's. */
static json_t *reply_to(const char *request) {
  roof_text out = {0};
  assert_int_equal(roof_predictor_answer(predictor, request, strlen(request), &out, NULL), ROOF_OK);
  assert_ptr_equal(memchr(out.data, '\n', out.length), out.data + out.length - 1);
  json_t *reply = json_loadb(out.data, out.length, 0, NULL);
  assert_non_null(reply);
  roof_text_done(&out);
  return reply;
}

static double seconds_of(json_t *reply, const char *key) {
  return json_number_value(json_object_get(json_object_get(reply, "seconds"), key));
}

static void test_an_operation_is_roof_predict(void **state) {
  (void)state;
  roof_machine *machine = NULL;
  roof_target target;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  assert_int_equal(roof_catalog_load("mi300x", &machine, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, "m=17 n=4096 k=4096", values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  json_t *reply = reply_to("{\"op\": \"gemm\", \"parameters\": {\"m\": 17, \"n\": 4096, \"k\": \"4096\"}, "
                           "\"machine\": \"mi300x\", \"dtype\": \"bf16\"}");
  assert_near(seconds_of(reply, "lower"), p.lower_seconds, 1e-14);
  assert_near(seconds_of(reply, "upper"), p.upper_seconds, 1e-14);
  assert_near(seconds_of(reply, "expected"), p.expected_seconds, 1e-14);
  assert_near(seconds_of(reply, "expected_low"), p.expected_low_seconds, 1e-14);
  assert_near(seconds_of(reply, "expected_high"), p.expected_high_seconds, 1e-14);
  assert_string_equal(json_string_value(json_object_get(reply, "regime")), roof_regime_name(p.regime));
  json_decref(reply);
  roof_machine_free(machine);
}

static void test_a_step_is_roof_load_phase(void **state) {
  (void)state;
  roof_machine *machine = NULL;
  roof_model *model = malloc(sizeof *model);
  roof_model_target *target = malloc(sizeof *target);
  roof_model_phase *phase = malloc(sizeof *phase);
  assert_non_null(model);
  assert_non_null(target);
  assert_non_null(phase);
  assert_int_equal(roof_catalog_load("h200", &machine, NULL), ROOF_OK);
  assert_int_equal(roof_model_load("llama-3.1-8b", model, NULL), ROOF_OK);
  roof_model_settings settings = roof_model_settings_default(model);
  settings.tp = 2;
  assert_int_equal(roof_model_target_init(target, model, machine, &settings, NULL), ROOF_OK);
  const roof_load load = {
      .decodes = 12, .context = 900, .prompts = 1, .queries = 512, .past = 64, .logits = 13};
  roof_load_phase(target, &load, phase);
  json_t *reply =
      reply_to("{\"model\": \"llama-3.1-8b\", \"plan\": \"tp=2\", \"machine\": \"h200\", \"batch\": 12, "
               "\"context\": 900, \"prompts\": 1, \"queries\": 512, \"past\": 64}");
  assert_near(seconds_of(reply, "expected"), phase->expected_seconds, 1e-14);
  assert_near(seconds_of(reply, "lower"), phase->lower_seconds, 1e-14);
  json_decref(reply);
  free(phase);
  free(target);
  free(model);
  roof_machine_free(machine);
}

/** The sequences of a step are those of one replica, whatever the batch of the plan. */
static void test_a_plan_of_replicas_and_microbatches_has_steps(void **state) {
  (void)state;
#define STEP(plan, batch)                                                                                    \
  "{\"model\": \"llama-3.1-8b\", \"machine\": \"h100\", \"context\": 10, \"batch\": " batch                  \
  ", \"plan\": \"" plan "\"}"
  json_t *one = reply_to(STEP("tp=1", "4")), *replica = reply_to(STEP("dp=2", "4"));
  json_t *stages = reply_to(STEP("pp=2", "4")), *said = reply_to(STEP("pp=2 microbatches=2", "4"));
  json_t *many = reply_to(STEP("pp=2 microbatches=8", "4"));
  assert_true(seconds_of(replica, "expected") > 0);
  assert_near(seconds_of(replica, "expected"), seconds_of(one, "expected"), 1e-14);
  assert_near(seconds_of(said, "expected"), seconds_of(stages, "expected"), 1e-14);
  assert_string_equal(json_string_value(json_object_get(json_object_get(many, "error"), "message")),
                      "microbatches=8: the step has 4 sequences");
#undef STEP
  json_decref(one);
  json_decref(replica);
  json_decref(stages);
  json_decref(said);
  json_decref(many);
}

/** More targets than are kept, twice: the second round is answered as the first was. */
static void test_targets_come_back(void **state) {
  (void)state;
  enum { TARGETS = 100 };
  double first[TARGETS];
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < TARGETS; i++) {
      char request[256];
      snprintf(request, sizeof request,
               "{\"op\": \"copy\", \"parameters\": {\"n\": 1048576}, \"machine\": \"peak=1TFLOP/s "
               "bandwidth=%dGB/s\"}",
               100 + i);
      json_t *reply = reply_to(request);
      double seconds = seconds_of(reply, "lower");
      assert_true(seconds > 0);
      first[i] = round == 0 ? seconds : first[i];
      assert_true(seconds == first[i] && (i == 0 || seconds < first[i - 1]));
      json_decref(reply);
    }
  }
}

static void test_a_refused_request_leaves_nothing_behind(void **state) {
  (void)state;
  static const char good[] = "{\"op\": \"copy\", \"parameters\": {\"n\": 8}, \"machine\": \"h100\"}";
  json_t *before = reply_to(good);
  json_decref(reply_to("{\"op\": \"copy\", \"machine\": \"h100\", \"link\": \"none such\"}"));
  json_decref(
      reply_to("{\"model\": \"llama-3.1-8b\", \"machine\": \"h100\", \"plan\": \"tp=3\", \"batch\": 1}"));
  json_t *after = reply_to(good);
  assert_true(json_equal(before, after));
  json_decref(before);
  json_decref(after);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_an_operation_is_roof_predict, start, end),
      cmocka_unit_test_setup_teardown(test_a_step_is_roof_load_phase, start, end),
      cmocka_unit_test_setup_teardown(test_a_plan_of_replicas_and_microbatches_has_steps, start, end),
      cmocka_unit_test_setup_teardown(test_targets_come_back, start, end),
      cmocka_unit_test_setup_teardown(test_a_refused_request_leaves_nothing_behind, start, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
