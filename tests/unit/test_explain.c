/* Terms and operations explained, worked on the numbers of one operation on one machine. */
#include "test.h"

#include <jansson.h>

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/crossing.h"
#include "roofline/documents.h"
#include "roofline/explain.h"
#include "roofline/ops.h"

static roof_machine *machine;
static roof_target target;

static int set_up(void **state) {
  (void)state;
  static const char file[] =
      "{\"schema\": \"roofline.machine/1\", \"name\": \"plain\","
      " \"peaks\": [{\"dtype\": \"fp16\", \"unit\": \"vector\", \"flops_per_second\": 1e13}],"
      " \"levels\": [{\"name\": \"HBM\", \"bytes_per_second\": 1e12}]}";
  const roof_types types = roof_types_of(ROOF_FP16);
  const roof_options options = roof_options_default();
  return roof_machine_read(file, strlen(file), "plain", &machine, NULL) != ROOF_OK ||
         roof_target_init(&target, machine, &types, &options, NULL) != ROOF_OK;
}

static int tear_down(void **state) {
  (void)state;
  roof_machine_free(machine);
  return 0;
}

/** Explains `topic` (NULL: the operation) on `op` with the words of `shape`. */
static roof_status explain(const char *topic, const char *op, const char *shape, roof_explanation *e,
                           roof_error *error) {
  const roof_topic *found = NULL;
  const roof_op *operation = NULL;
  roof_shape parsed;
  assert_true(topic == NULL || roof_topic_find(topic, &found, NULL) == ROOF_OK);
  assert_int_equal(roof_op_find(op, &operation, NULL), ROOF_OK);
  assert_int_equal(roof_shape_parse_text(&parsed, operation, shape, NULL), ROOF_OK);
  roof_status status = roof_explain(&target, found, &parsed, e, error);
  roof_shape_done(&parsed);
  return status;
}

static void an_operation_is_worked_where_its_shape_was_typed(void **state) {
  (void)state;
  roof_explanation e;
  assert_int_equal(explain(NULL, "add", "n=4", &e, NULL), ROOF_OK);
  assert_string_equal(e.topic, "add");
  assert_non_null(strstr(e.worked.data, "12 numbers of 2 bytes = 24 bytes; 4 FLOP / 24 bytes = 0.167 FLOP/B, "
                                        "60x left of the ridge"));
  roof_explanation_done(&e);
  assert_int_equal(explain(NULL, "gemm", "", &e, NULL), ROOF_OK);
  assert_non_null(strstr(e.text.data, "Give m=... n=... k=... to see it worked."));
  assert_int_equal(e.worked.length, 0);
  roof_explanation_done(&e);
}

static void a_term_is_worked_on_the_machine(void **state) {
  (void)state;
  roof_explanation e;
  assert_int_equal(explain("ridge", "add", "n=1000", &e, NULL), ROOF_OK);
  assert_string_equal(e.topic, "ridge");
  assert_non_null(strstr(e.worked.data, "10.00 TFLOP/s / 1.000 TB/s = 10 FLOP/B"));
  roof_explanation_done(&e);
}

static void several_points_and_missing_parameters_are_refused(void **state) {
  (void)state;
  roof_explanation e;
  roof_error error = {0};
  assert_int_equal(explain(NULL, "add", "n=1,2", &e, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "explain: one shape at a time");
  assert_int_equal(explain("ridge", "gemm", "m=4", &e, &error), ROOF_E_ARGUMENT);
}

static void a_wrong_term_gets_the_nearest_term_or_operation(void **state) {
  (void)state;
  const roof_topic *topic = NULL;
  roof_error error = {0};
  assert_int_equal(roof_topic_find("rigde", &topic, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "did you mean `ridge`?"));
  assert_int_equal(roof_topic_find("sofmax", &topic, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "did you mean `softmax`?"));
  assert_null(topic);
}

static void explanations_and_topics_are_written_as_documents(void **state) {
  (void)state;
  roof_explanation e;
  roof_text text = {0}, topics = {0};
  assert_int_equal(explain(NULL, "gemm", "", &e, NULL), ROOF_OK);
  assert_int_equal(roof_explanation_write(&target, &e, &text, NULL), ROOF_OK);
  json_t *document = json_loads(text.data, 0, NULL);
  assert_string_equal(json_string_value(json_object_get(document, "schema")), "roofline.explanation/1");
  assert_string_equal(json_string_value(json_object_get(document, "text")), e.text.data);
  assert_string_equal(json_string_value(json_object_get(document, "worked")), "");
  assert_string_equal(json_string_value(json_object_get(document, "machine")), "plain");
  json_decref(document);
  assert_int_equal(roof_topics_write(&topics, NULL), ROOF_OK);
  document = json_loads(topics.data, 0, NULL);
  size_t count = json_array_size(json_object_get(document, "topics"));
  assert_true(count >= 30 && roof_topic_at((int)count) == NULL && roof_topic_at((int)count - 1) != NULL);
  json_decref(document);
  roof_text_done(&topics);
  roof_text_done(&text);
  roof_explanation_done(&e);
}

/** The figure that an erratum has right, as the library computes it: of data in memory. */
static double computed(const roof_erratum *e) {
  roof_options options = roof_options_default();
  options.cold = true;
  roof_types types = roof_types_of(e->dtype);
  roof_machine *named = NULL;
  roof_target on;
  roof_prediction p = {.intensity = NAN, .ridge = NAN};
  double values[ROOF_PARAM_MAX];
  const roof_op *op = NULL;
  types.weights = e->weights;
  assert_int_equal(roof_catalog_load(e->machine, &named, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&on, named, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find(e->op != NULL ? e->op : "gemm", &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, e->op != NULL ? e->shape : "m=1 n=1 k=1", values, NULL), ROOF_OK);
  roof_predict(&on, op, values, &p);
  double crossing = e->figure == ROOF_ERRATUM_CROSSING ? roof_predict_crossing(&on, op, values, 0) : NAN;
  const double figures[] = {[ROOF_ERRATUM_INTENSITY] = p.intensity,
                            [ROOF_ERRATUM_RIDGE] = p.ridge,
                            [ROOF_ERRATUM_PEAK] = p.peak->flops_per_second,
                            [ROOF_ERRATUM_SECONDS] = p.lower_seconds,
                            [ROOF_ERRATUM_CROSSING] = crossing};
  double value = figures[e->figure];
  roof_machine_free(named);
  return value;
}

static void the_right_number_of_an_erratum_is_what_the_library_computes(void **state) {
  (void)state;
  int checked = 0;
  for (int i = 0; roof_erratum_at(i) != NULL; i++) {
    const roof_erratum *e = roof_erratum_at(i);
    if (e->figure != ROOF_ERRATUM_TEXT) {
      double value = computed(e);
      if (!(fabs(value / e->right - 1) < 1e-3)) {
        fail_msg("%s: %.9g, not %.9g", e->about, value, e->right);
      }
      checked++;
    }
  }
  assert_in_range(checked, 20, 100);
  assert_null(roof_erratum_at(-1));
}

static void known_kernels_have_an_operation_and_a_source(void **state) {
  (void)state;
  roof_explanation e;
  assert_int_equal(explain("production", "gemm", "m=1 n=1 k=1", &e, NULL), ROOF_OK);
  for (int i = 0; roof_production_at(i) != NULL; i++) {
    const roof_production *k = roof_production_at(i);
    assert_true(k->share > 0 && k->share < 1 && k->source[0] != '\0');
    assert_non_null(strstr(e.worked.data, k->kernel));
  }
  assert_non_null(strstr(e.worked.data, " 2731 "));
  assert_non_null(strstr(e.worked.data, " 3.876 "));
  roof_explanation_done(&e);
}

static void a_topic_answers_to_other_words(void **state) {
  (void)state;
  static const char *const words[][2] = {{"arithmetic-intensity", "intensity"},
                                         {"memory-bound", "memory"},
                                         {"t_math", "regime"},
                                         {"T_comms", "network"},
                                         {"kitchen", "roofline"},
                                         {"FMA", "flop"}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    const roof_topic *topic = NULL;
    assert_int_equal(roof_topic_find(words[i][0], &topic, NULL), ROOF_OK);
    assert_string_equal(topic->name, words[i][1]);
  }
}

static void a_block_holds_so_much(void **state) {
  (void)state;
  const roof_types fp32 = roof_types_of(ROOF_FP32);
  roof_machine *a100 = NULL;
  assert_int_equal(roof_catalog_load("a100", &a100, NULL), ROOF_OK);
  const roof_block_limits *l = roof_block_limits_of(a100);
  assert_near(l->block_shared, 163 * 1024, 0);
  assert_near(l->unit_registers, 65536, 0);
  assert_near(roof_block_tile(a100, &fp32), 117, 0);
  roof_machine_free(a100);
  assert_null(roof_block_limits_of(machine));
  assert_true(isnan(roof_block_tile(machine, &fp32)));
}

static roof_lesson lesson_of(const char *name, const char *shape, double typed[ROOF_PARAM_MAX],
                             double values[ROOF_PARAM_MAX]) {
  roof_lesson lesson = {.target = &target, .typed = typed, .values = values};
  roof_shape parsed;
  assert_int_equal(roof_op_find(name, &lesson.op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_parse_text(&parsed, lesson.op, shape, NULL), ROOF_OK);
  roof_shape_typed(&parsed, 0, typed);
  assert_int_equal(roof_shape_point(&parsed, 0, values, NULL), ROOF_OK);
  roof_shape_done(&parsed);
  roof_predict(&target, lesson.op, values, &lesson.prediction);
  return lesson;
}

static void a_prediction_is_said_in_a_sentence(void **state) {
  (void)state;
  static const char *const cases[][3] = {
      {"add", "n=1G", "add on plain: memory-bound (HBM), about 7.692 ms, at best 6.000 ms"},
      {"add", "n=4",
       "add on plain: overhead-bound (launch), about 30.77 ps and a launch that is not known, shorter than"},
      {"gemm", "m=n=k=4096", "gemm on plain: compute-bound (fp16 vector), about"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double typed[ROOF_PARAM_MAX], values[ROOF_PARAM_MAX];
    roof_text text = {0};
    const roof_lesson lesson = lesson_of(cases[i][0], cases[i][1], typed, values);
    roof_prediction_sentence(&text, &target, lesson.op, &lesson.prediction);
    assert_memory_equal(text.data, cases[i][2], strlen(cases[i][2]));
    roof_text_done(&text);
  }
}

static void a_prediction_is_described_by_its_figures(void **state) {
  (void)state;
  double typed[ROOF_PARAM_MAX], values[ROOF_PARAM_MAX];
  roof_text text = {0};
  roof_lesson lesson = lesson_of("linear", "batch=64 in=4096 out=4096", typed, values);
  roof_prediction_describe(&text, &lesson);
  assert_memory_equal(text.data, "  shape       batch=64 in=4096 out=4096 in fp16\n", 48);
  assert_non_null(strstr(text.data, "  work        2.147 GFLOP, 34.60 MB moved"));
  assert_non_null(strstr(text.data, "    HBM "));
  assert_non_null(strstr(text.data, "  bounds      "));
  assert_non_null(strstr(text.data, "  critical    "));
  assert_null(strstr(text.data, "to escape"));
  roof_text_done(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_right_number_of_an_erratum_is_what_the_library_computes),
      cmocka_unit_test(known_kernels_have_an_operation_and_a_source),
      cmocka_unit_test(a_topic_answers_to_other_words),
      cmocka_unit_test(a_block_holds_so_much),
      cmocka_unit_test(a_prediction_is_said_in_a_sentence),
      cmocka_unit_test(a_prediction_is_described_by_its_figures),
      cmocka_unit_test(an_operation_is_worked_where_its_shape_was_typed),
      cmocka_unit_test(a_term_is_worked_on_the_machine),
      cmocka_unit_test(several_points_and_missing_parameters_are_refused),
      cmocka_unit_test(a_wrong_term_gets_the_nearest_term_or_operation),
      cmocka_unit_test(explanations_and_topics_are_written_as_documents),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
