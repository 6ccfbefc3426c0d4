/* Terms and operations explained, worked on the numbers of one operation on one machine. */
#include "test.h"

#include <jansson.h>

#include "owned.h"
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_operation_is_worked_where_its_shape_was_typed),
      cmocka_unit_test(a_term_is_worked_on_the_machine),
      cmocka_unit_test(several_points_and_missing_parameters_are_refused),
      cmocka_unit_test(a_wrong_term_gets_the_nearest_term_or_operation),
      cmocka_unit_test(explanations_and_topics_are_written_as_documents),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
