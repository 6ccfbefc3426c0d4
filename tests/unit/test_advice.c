/* What `advise` answers, asked of the library: shares of a time, a change, the machines, everything at once. */
#include "test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/ops.h"

static roof_machine *h100 = NULL, *h200 = NULL;
static roof_target before, after;
static const roof_op *gemv;
static double values[ROOF_PARAM_MAX];

static int load(void **state) {
  (void)state;
  roof_types half = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  options.without = ROOF_EFFECTS_ALL; /* gains by hand, of the bound */
  bool good =
      roof_catalog_load("h100", &h100, NULL) == ROOF_OK && roof_catalog_load("h200", &h200, NULL) == ROOF_OK;
  if (!good) {
    return 1;
  }
  h100->launch_seconds = h200->launch_seconds = NAN; /* gains of work alone */
  good = roof_target_init(&before, h100, &half, &options, NULL) == ROOF_OK &&
         roof_op_find("gemv", &gemv, NULL) == ROOF_OK;
  roof_op_defaults(gemv, values);
  values[0] = 8192;
  values[1] = 28672;
  return !good;
}

static int unload(void **state) {
  (void)state;
  roof_machine_free(h100);
  roof_machine_free(h200);
  return 0;
}

static void fresh(const roof_machine *machine, roof_target *target) {
  roof_types half = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  assert_int_equal(roof_target_init(target, machine, &half, &options, NULL), ROOF_OK);
}

static void shares_of_a_time_move_with_what_they_wait_on(void **state) {
  (void)state;
  roof_time_mix mix;
  fresh(h200, &after);
  assert_int_equal(roof_time_mix_parse("decode=0.8,prefill=0.2", &mix, NULL), ROOF_OK);
  assert_int_equal(mix.count, 2);
  assert_int_equal(roof_time_mix_solve(&mix, &before, &after, NULL), ROOF_OK);
  assert_near(mix.parts[0].gain, 4.8 / 3.35, 1e-3);
  assert_near(mix.parts[1].gain, 1, 1e-9);
  assert_near(mix.gain, 1 / (0.8 / mix.parts[0].gain + 0.2), 1e-12);
  assert_near(mix.parts[0].after + mix.parts[1].after, 1, 1e-12);
  static const struct {
    const char *text, *why;
  } bad[] = {{"decod=1", "did you mean `decode`"},
             {"decode=0.9", "add up to 0.9"},
             {"decode=2", "0 to 1"},
             {"decode", "PHASE=SHARE"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    roof_error error;
    assert_int_not_equal(roof_time_mix_parse(bad[i].text, &mix, &error), ROOF_OK);
    assert_non_null(strstr(error.message, bad[i].why));
    assert_int_equal(mix.count, 2); /* as it was */
  }
}

static void a_change_is_set_against_what_was(void **state) {
  (void)state;
  roof_what_if out;
  roof_change twice = {.peak = 1, .bandwidth = 2}, dearer = {.peak = 1, .bandwidth = 1};
  assert_int_equal(roof_what_if_of(&before, values, &before, values, gemv, &twice, &out, NULL), ROOF_OK);
  assert_near(out.gain, 2, 1e-9);
  assert_non_null(strstr(out.moved, "bandwidth"));
  dearer.seconds = out.predictions[0].expected_seconds;
  assert_int_equal(roof_what_if_of(&before, values, &before, values, gemv, &dearer, &out, NULL), ROOF_OK);
  assert_near(out.gain, 0.5, 1e-9);
}

static void a_change_is_read_from_words(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } bad[] = {{"m", "not key=value"},
             {"m=", "not key=value"},
             {"peak=0x", "peak=0: a factor over 0"},
             {"cost=-1s", "cost=-1s: must not be negative"},
             {"cost=1x", "--set cost: "},
             {"weight=int4", "did you mean `weights`"},
             {"m=-1", "m"}};
  const roof_formats plain = {.dtype = "fp16"};
  roof_variation v = roof_variation_init(&plain, values);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    roof_error error = {0};
    assert_int_not_equal(roof_variation_read(&v, gemv, bad[i].text, &error), ROOF_OK);
    assert_non_null(strstr(error.message, bad[i].why));
  }
  assert_true(v.change.peak == 1 && v.change.seconds == 0 && v.values[0] == 8192 && v.machine == NULL);
  const char *const good[] = {"m=4096",         "weights=int4", "group=128", "machine=h200",
                              "bandwidth=1.5x", "peak=2",       "cost=2us"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    assert_int_equal(roof_variation_read(&v, gemv, good[i], NULL), ROOF_OK);
  }
  assert_true(v.values[0] == 4096 && v.change.peak == 2 && v.change.bandwidth == 1.5);
  assert_near(v.change.seconds, 2e-6, 1e-12);
  assert_string_equal(v.machine, "h200");
  roof_types types;
  assert_int_equal(roof_formats_read(&v.formats, h100, &types, NULL), ROOF_OK);
  assert_true(types.compute == ROOF_FP16 && types.weights == ROOF_INT4 && types.group == 128);
}

/** What of formats and options has no effect on an operation, as one message. */
static const char *idle_on(const roof_target *target, const char *name, const char *text,
                           const roof_formats *formats, const roof_options_text *options) {
  static roof_error error;
  const roof_op *op;
  double point[ROOF_PARAM_MAX];
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, text, point, NULL), ROOF_OK);
  unsigned typed = roof_typed_of(formats, options);
  unsigned idle = typed & ~roof_typed_used(typed, target, op, point);
  error = (roof_error){0};
  assert_int_equal(roof_typed_refuse(idle, name, &error), idle != 0 ? ROOF_E_ARGUMENT : ROOF_OK);
  return error.message;
}

static void what_has_no_effect_depends_on_the_operation(void **state) {
  (void)state;
  const char *gemm = "m=64 n=64 k=64", *attention = "batch=1 heads=8 q_len=64 kv_len=64 head_dim=64";
  const roof_formats none = {0}, kv = {.kv = "fp8"}, weights = {.weights = "int4", .output = "fp8"};
  const roof_options_text plain = {0}, tile = {.tile = "8"}, link = {.link = "NVLink 4"},
                          sparse = {.sparse = 1};
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  roof_target target;
  assert_int_equal(roof_target_init(&target, h100, &types, &options, NULL), ROOF_OK);
  assert_string_equal(idle_on(&target, "gemm", gemm, &kv, &plain),
                      "--kv: has no effect: gemm stores no keys and values");
  assert_string_equal(idle_on(&target, "attention", attention, &kv, &plain), "");
  assert_string_equal(idle_on(&target, "gemm", gemm, &weights, &tile), "");
  assert_non_null(strstr(idle_on(&target, "copy", "n=64", &weights, &plain), "--weights: "));
  assert_non_null(strstr(idle_on(&target, "copy", "n=64", &none, &tile), "--tile: "));
  assert_non_null(strstr(idle_on(&target, "gemm", gemm, &none, &link), "--link: "));
  assert_string_equal(idle_on(&target, "allreduce", "size=1MB ranks=8", &none, &link), "");
  assert_non_null(strstr(idle_on(&target, "add", "n=64", &none, &sparse), "--sparse: "));
  assert_string_equal(idle_on(&target, "gemm", gemm, &none, &plain), "");
}

static void formats_that_are_not_said_suit_the_machine(void **state) {
  (void)state;
  const roof_formats none = {0}, wrong = {.kv = "fp17"}, group = {.group = "0"};
  roof_types types = roof_types_of(ROOF_FP64);
  roof_machine *bare;
  roof_error error = {0};
  assert_int_equal(roof_formats_read(&wrong, h100, &types, &error), ROOF_E_NAME);
  assert_int_equal(roof_formats_read(&group, h100, &types, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "--group 0: must be at least 1"));
  assert_int_equal(types.compute, ROOF_FP64);
  assert_int_equal(roof_formats_read(&none, h100, &types, NULL), ROOF_OK);
  assert_int_equal(types.compute, ROOF_FP16);
  bare = roof_machine_new();
  assert_non_null(bare);
  assert_int_equal(roof_formats_read(&none, bare, &types, NULL), ROOF_OK);
  assert_int_equal(types.compute, ROOF_FP32);
  roof_machine_free(bare);
}

static json_t *document_of(roof_text *text) {
  json_t *document = json_loads(text->data, 0, NULL);
  assert_non_null(document);
  roof_text_done(text);
  return document;
}

static const char *schema_of(json_t *document) {
  return json_string_value(json_object_get(document, "schema"));
}

static void what_is_answered_is_written(void **state) {
  (void)state;
  static const char *const sets[] = {"bandwidth=2x", NULL};
  const roof_change twice = {.peak = 1, .bandwidth = 2};
  roof_what_if x;
  roof_what_if_figure figures[ROOF_WHAT_IF_FIGURES];
  roof_time_mix mix;
  roof_text text = {0};
  assert_int_equal(roof_what_if_of(&before, values, &before, values, gemv, &twice, &x, NULL), ROOF_OK);
  assert_int_equal(roof_what_if_compare(&x, figures), ROOF_WHAT_IF_FIGURES);
  assert_string_equal(figures[4].name, "bandwidth");
  assert_near(figures[4].value[1], 2 * figures[4].value[0], 1e-12);
  assert_int_equal(roof_what_if_write(&x, sets, &text, NULL), ROOF_OK);
  json_t *document = document_of(&text);
  assert_string_equal(schema_of(document), "roofline.what_if/1");
  assert_int_equal(json_array_size(json_object_get(document, "set")), 1);
  json_decref(document);
  assert_int_equal(roof_time_mix_parse("decode=0.8,prefill=0.2", &mix, NULL), ROOF_OK);
  assert_int_equal(roof_time_mix_solve(&mix, &before, &after, NULL), ROOF_OK);
  assert_int_equal(roof_time_mix_write(&mix, &before, &after, &text, NULL), ROOF_OK);
  document = document_of(&text);
  assert_string_equal(schema_of(document), "roofline.mix/1");
  assert_int_equal(json_array_size(json_object_get(document, "parts")), 2);
  json_decref(document);
}

static void advice_is_written_with_the_machines(void **state) {
  (void)state;
  static roof_advice advice;
  roof_question question = roof_question_init();
  roof_ranked_machine *all = NULL;
  roof_text text = {0};
  int count = 0;
  question.measured_seconds = 240e-6;
  assert_int_equal(roof_advise(&before, gemv, values, &question, &advice, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_rank(&before, gemv, values, &all, &count, NULL), ROOF_OK);
  assert_int_equal(roof_advice_write(&before, gemv, values, &advice, all, count, &text, NULL), ROOF_OK);
  json_t *document = document_of(&text), *measured = json_object_get(document, "measured");
  assert_string_equal(schema_of(document), "roofline.advice/1");
  assert_string_equal(json_string_value(json_object_get(document, "side")), "memory");
  assert_near(json_number_value(json_object_get(measured, "seconds")), 240e-6, 1e-12);
  assert_int_equal(json_array_size(json_object_get(document, "levers")), advice.lever_count);
  assert_int_equal(json_array_size(json_object_get(document, "machines")), count);
  json_decref(document);
  free(all);
}

static void machines_are_ranked_by_time_and_energy(void **state) {
  (void)state;
  roof_ranked_machine *all = NULL;
  int count = 0, own = 0;
  assert_int_equal(roof_catalog_rank(&before, gemv, values, &all, &count, NULL), ROOF_OK);
  assert_true(count > 10);
  for (int i = 0; i < count; i++) {
    assert_int_equal(all[i].rank, i + 1);
    assert_true(i == 0 || all[i].seconds >= all[i - 1].seconds);
    assert_true(isnan(all[i].joules) == (all[i].energy_rank == -1));
    if (all[i].own) {
      own++;
      assert_string_equal(all[i].name, h100->name);
      assert_near(all[i].gain, 1, 0.02); /* the catalogue's has a launch cost */
    }
  }
  assert_int_equal(own, 1);
  free(all);
}

static void a_question_is_read_from_words(void **state) {
  (void)state;
  roof_question question = roof_question_init();
  roof_error error = {0};
  bool read = true;
  assert_int_equal(roof_question_read(&question, "m=8192", &read, NULL), ROOF_OK);
  assert_false(read);
  assert_int_equal(roof_question_read(&question, "measured=240us", &read, NULL), ROOF_OK);
  assert_true(read);
  assert_near(question.measured_seconds, 240e-6, 1e-12);
  assert_int_equal(roof_question_read(&question, "wall=0", &read, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "a time must be over 0"));
  assert_true(isnan(question.wall_seconds));
}

static void advice_is_complete(void **state) {
  (void)state;
  static roof_advice advice;
  roof_question question = roof_question_init();
  roof_error error;
  assert_int_equal(roof_advise(&before, gemv, values, &question, &advice, NULL), ROOF_OK);
  assert_true(isnan(advice.placed.share) && !advice.done && advice.lever_count > 3 && advice.best != NULL);
  question.measured_seconds = 2 * advice.now.lower_seconds;
  question.clue[ROOF_CLUE_SECTOR] = 0.5;
  assert_int_equal(roof_advise(&before, gemv, values, &question, &advice, NULL), ROOF_OK);
  assert_near(advice.placed.share, 0.5, 1e-12);
  assert_true(advice.cause_count > 0 && advice.causes[0].certainty == ROOF_SHOWN);
  assert_ptr_equal(advice.evidence.prediction, &advice.now);
  roof_text text = {0};
  roof_advice_describe(&text, &before, gemv, &advice);
  assert_true(strncmp(text.data, "memory side: gemv on ", 21) == 0);
  assert_non_null(strstr(text.data, "\n  4. efficiency  50 % of the ceiling"));
  assert_non_null(strstr(text.data, "\n  shown          "));
  roof_text_done(&text);
  question.measured_seconds = 0.5 * advice.now.lower_seconds;
  static roof_advice wrong;
  assert_int_equal(roof_advise(&before, gemv, values, &question, &wrong, NULL), ROOF_OK);
  roof_advice_describe(&text, &before, gemv, &wrong);
  assert_non_null(strstr(text.data, "is 200 % of what "));
  assert_non_null(strstr(text.data, "\n  before anything else, check\n"));
  roof_text_done(&text);
  question.measured_seconds = NAN;
  assert_int_equal(roof_advise(&before, gemv, values, &question, &advice, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "needs a time"));
  assert_near(advice.placed.share, 0.5, 1e-12); /* as it was */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_of_a_time_move_with_what_they_wait_on),
      cmocka_unit_test(a_change_is_set_against_what_was),
      cmocka_unit_test(a_change_is_read_from_words),
      cmocka_unit_test(what_has_no_effect_depends_on_the_operation),
      cmocka_unit_test(formats_that_are_not_said_suit_the_machine),
      cmocka_unit_test(what_is_answered_is_written),
      cmocka_unit_test(advice_is_written_with_the_machines),
      cmocka_unit_test(machines_are_ranked_by_time_and_energy),
      cmocka_unit_test(a_question_is_read_from_words),
      cmocka_unit_test(advice_is_complete),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
