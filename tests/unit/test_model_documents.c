/* Answers of models, workloads, searches and clusters as documents: what a program gets is what --json prints. */
#include "test.h"

#include <jansson.h>

#include "roofline/catalog.h"
#include "roofline/choice.h"
#include "roofline/documents.h"
#include "roofline/graphs.h"
#include "roofline/weights.h"

static roof_machine *machine;
static roof_model llama;

static int setup(void **state) {
  (void)state;
  bool ready = roof_catalog_load("h100", &machine, NULL) == ROOF_OK &&
               roof_model_load("llama-3.1-8b", &llama, NULL) == ROOF_OK;
  return ready ? 0 : -1;
}

/** The document, checked for its schema; the text is released. */
static json_t *parse(roof_status status, roof_text *text, const char *schema) {
  assert_int_equal(status, ROOF_OK);
  json_t *document = json_loads(text->data, 0, NULL);
  assert_string_equal(json_string_value(json_object_get(document, "schema")), schema);
  roof_text_done(text);
  return document;
}

/** A member's number, `.` between steps. */
static double number(json_t *document, const char *path) {
  char step[64];
  while (*path != '\0') {
    size_t length = strcspn(path, ".");
    memcpy(step, path, length);
    step[length] = '\0';
    document = json_object_get(document, step);
    assert_non_null(document);
    path += length + (path[length] == '.');
  }
  return json_is_number(document) ? json_number_value(document) : NAN;
}

static void a_model(void **state) {
  (void)state;
  static roof_model_answer a;
  roof_model_settings s = roof_model_settings_default(&llama);
  roof_model_target t;
  roof_text text = {0};
  s.batch = 16;
  s.tp = 2;
  assert_int_equal(roof_model_target_init(&t, &llama, machine, &s, NULL), ROOF_OK);
  roof_model_answer_of(&t, &a);
  json_t *d = parse(roof_model_write(&t, &a, &text, NULL), &text, "roofline.model/1");
  const roof_model_phase *decode = &a.phases[ROOF_PHASE_DECODE];
  assert_near(number(d, "tpot_seconds"), a.tpot_seconds, 1e-14);
  assert_true(number(d, "settings.tp") == 2 && number(d, "plan.devices") == 2);
  assert_true(number(d, "memory.weights_bytes") == a.capacity.weight_bytes);
  assert_near(number(d, "phases.decode.seconds.upper"), decode->upper_seconds, 1e-14);
  assert_near(number(d, "phases.decode.seconds.network"), decode->network_seconds, 1e-14);
  assert_true(isnan(number(d, "price_per_million_tokens")) && isnan(number(d, "phases.train")));
  json_t *phase = json_object_get(json_object_get(d, "phases"), "decode");
  assert_int_equal(json_array_size(json_object_get(phase, "operations")), decode->count);
  assert_int_equal(roof_model_phase_span(decode), ROOF_SPAN_NODE);
  assert_string_equal(json_string_value(json_object_get(json_object_get(json_object_get(d, "plan"), "decode"),
                                                        "binding_link")),
                      t.links[ROOF_SPAN_NODE].name);
  json_decref(d);
}

static void a_model_over_values(void **state) {
  (void)state;
  static const char *const words[] = {"batch=1,16", "tp=1,3"};
  roof_model_settings s = roof_model_settings_default(&llama);
  roof_model_axes axes = {0};
  roof_model_precisions p;
  roof_model_sweep sweep;
  roof_text text = {0};
  assert_int_equal(roof_model_settings_read(words, 2, &s, &axes, NULL), ROOF_OK);
  assert_int_equal(roof_model_precisions_parse(NULL, &s.precision, &p, NULL), ROOF_OK);
  assert_int_equal(roof_model_sweep_of(&llama, &machine, 1, &s, &axes, &p, &sweep, NULL), ROOF_OK);
  json_t *d = parse(roof_model_sweep_write(&sweep, &text, NULL), &text, "roofline.model_sweep/1");
  json_t *points = json_object_get(d, "points");
  assert_int_equal(json_array_size(points), 4);
  assert_near(number(json_array_get(points, 2), "tpot_seconds"), sweep.runs[2].figures[ROOF_RUN_TPOT], 1e-14);
  assert_true(number(json_array_get(points, 2), "settings.batch") == 16);
  assert_true(json_is_null(json_object_get(json_array_get(points, 3), "tpot_seconds")));
  assert_string_equal(json_string_value(json_object_get(json_array_get(points, 3), "why")),
                      sweep.runs[3].why);
  json_t *crossings = json_object_get(d, "crossings");
  assert_int_equal(json_array_size(crossings), 2);
  assert_true(number(json_array_get(crossings, 0), "settings.tp") == 1);
  json_decref(d);
  roof_model_sweep_done(&sweep);
  roof_model_axes_done(&axes);
}

static void stored_types_are_summed(void **state) {
  (void)state;
  roof_model m = llama;
  assert_true(roof_model_stored(&m).bytes == 0);
  m.stored[0] = (roof_stored_type){"F16", 2, 100, 200};
  m.stored[1] = (roof_stored_type){"Q8_0", 1, 32, 34};
  m.stored_count = 2;
  roof_stored_type all = roof_model_stored(&m);
  assert_true(all.tensors == 3 && all.elements == 132 && all.bytes == 234);
}

static void a_workload(void **state) {
  (void)state;
  static const char list[] = "gemm m=8k n=8k k=8k count=3\nadd n=1\n";
  roof_workload_reading reading = {.types = roof_types_of(ROOF_FP16), .floats = ROOF_DTYPE_COUNT};
  roof_workload_settings s = roof_workload_settings_default();
  roof_workload w;
  roof_workload_answer a;
  roof_text text = {0};
  assert_int_equal(roof_workload_read_list(list, strlen(list), "layer.txt", &reading, &w, NULL), ROOF_OK);
  assert_int_equal(roof_workload_answer_of(&w, machine, &s, &a, NULL), ROOF_OK);
  json_t *d = parse(roof_workload_write(&w, machine, &s, &a, &text, NULL), &text, "roofline.workload/1");
  assert_near(number(d, "seconds.expected"), a.expected_seconds, 1e-14);
  assert_true(number(d, "calls") == 4 && number(d, "regimes.compute.operations") == 3);
  assert_true(isnan(number(d, "batch")) && isnan(number(d, "memory.fits")));
  json_t *items = json_object_get(d, "operations");
  assert_int_equal(json_array_size(items), 2);
  assert_near(number(json_array_get(items, 0), "share") + number(json_array_get(items, 1), "share"), 1,
              1e-14);
  json_decref(d);
  roof_workload_answer_done(&a);
  roof_workload_done(&w);
}

static void a_search(void **state) {
  (void)state;
  static roof_choices all;
  roof_model_settings s = roof_model_settings_default(&llama);
  roof_model_precisions p;
  roof_text text = {0};
  const roof_offer offer = {machine, 2.5};
  assert_int_equal(roof_model_precisions_parse("bf16/fp8", &s.precision, &p, NULL), ROOF_OK);
  const roof_choice_question q = {&llama, &s, &p,
                                  &offer, 1,  {.devices = 2, .ttft_seconds = NAN, .tpot_seconds = 0.02}};
  assert_int_equal(roof_choices_of(&q, &all, NULL), ROOF_OK);
  json_t *d = parse(roof_choices_write(&q, &all, NULL, "M", &text, NULL), &text, "roofline.plan/1");
  assert_true(number(d, "tried") == all.tried && isnan(number(d, "ttft_limit_seconds")));
  assert_true(number(d, "best.batch") == all.list[0].point.batch);
  assert_true(number(d, "best.tpot_low_seconds") < number(d, "best.tpot_seconds"));
  json_t *points = json_object_get(d, "front");
  assert_int_equal(json_array_size(points), all.front_count);
  for (int i = 0; i < all.front_count; i++) {
    assert_string_equal(json_string_value(json_object_get(json_array_get(points, (size_t)i), "precision")),
                        p.names[all.front[i].point.precision]);
  }
  json_decref(d);
}

static void a_search_of_training(void **state) {
  (void)state;
  static roof_train_front front;
  roof_model_settings s = roof_model_settings_default(&llama);
  roof_text text = {0};
  const roof_failures failures = {.lost = 0.25};
  s.train = true;
  s.batch = 8;
  assert_int_equal(roof_train_search(&llama, machine, &s, 8, &front, NULL), ROOF_OK);
  json_t *d = parse(roof_train_plans_write(&llama, machine, &s, 8, &front, &failures, &text, NULL), &text,
                    "roofline.train_plans/1");
  assert_near(number(d, "failures.lost"), 0.25, 1e-14);
  assert_near(number(d, "best.seconds"), front.best.seconds, 1e-14);
  assert_int_equal(json_array_size(json_object_get(d, "front")), front.count);
  json_decref(d);
  front.count = 0;
  d = parse(roof_train_plans_write(&llama, machine, &s, 8, &front, NULL, &text, NULL), &text,
            "roofline.train_plans/1");
  assert_true(json_is_null(json_object_get(d, "best")));
  assert_true(json_is_null(json_object_get(d, "failures")));
  json_decref(d);
}

static void a_cluster(void **state) {
  (void)state;
  static roof_cluster_answer a;
  static const char *const words[] = {"devices=8", "params=1e9", "tokens=64k", "size=1MiB"};
  roof_cluster_settings s = roof_cluster_settings_default();
  roof_types types = roof_types_of(ROOF_FP8);
  roof_options options = roof_options_default();
  roof_target target;
  roof_text text = {0};
  roof_error error = {0};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(roof_cluster_settings_read(words[i], &s, NULL), ROOF_OK);
  }
  assert_true(s.devices == 8 && s.parameters == 1e9 && s.tokens == 64000 && s.buffer_bytes == 0x1p20);
  assert_int_equal(roof_cluster_settings_read("devises=9", &s, &error), ROOF_E_NAME);
  assert_int_equal(roof_cluster_settings_read("devices", &s, &error), ROOF_E_NAME);
  assert_int_equal(roof_cluster_settings_read("devices=9", &s, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "`devices`: given twice");
  assert_int_equal(roof_cluster_settings_read("node=0", &s, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "node=0: must be a whole number from 1 to 1e18");
  assert_true(s.devices == 8);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_cluster_answer_of(&target, &s, &a, NULL), ROOF_OK);
  json_t *d = parse(roof_cluster_write(&target, &s, &a, &text, NULL), &text, "roofline.cluster/1");
  assert_true(number(d, "devices") == 8 && number(d, "size") == 0x1p20);
  assert_int_equal(json_array_size(json_object_get(d, "links")), a.link_count);
  assert_near(number(json_array_get(json_object_get(d, "all_reduce"), 0), "seconds"), a.routes[0].seconds,
              1e-14);
  json_decref(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model),
      cmocka_unit_test(a_model_over_values),
      cmocka_unit_test(stored_types_are_summed),
      cmocka_unit_test(a_workload),
      cmocka_unit_test(a_search),
      cmocka_unit_test(a_search_of_training),
      cmocka_unit_test(a_cluster),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
