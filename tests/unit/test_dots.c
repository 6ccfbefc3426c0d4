/* What is drawn where: the points of an operation and measured kernels as dots of a scene. */
#include "test.h"

#include <jansson.h>
#include <stdio.h>

#include "owned.h"
#include "roofline/documents.h"
#include "roofline/draw.h"
#include "roofline/ops.h"

static roof_scene scene; /* large */
static roof_machine *machines[2];
static roof_target targets[2];

static roof_machine *make(const char *name, double bandwidth) {
  roof_text file = {0};
  roof_machine *machine = NULL;
  roof_text_addf(&file,
                 "{\"schema\": \"roofline.machine/1\", \"name\": \"%s\", \"peaks\": ["
                 "{\"dtype\": \"fp32\", \"unit\": \"vector\", \"flops_per_second\": 1e13},"
                 "{\"dtype\": \"fp32\", \"unit\": \"matrix\", \"flops_per_second\": 2e13}],"
                 "\"levels\": [{\"name\": \"L2\", \"bytes_per_second\": 9e12},"
                 " {\"name\": \"HBM\", \"bytes_per_second\": %.0f}]}",
                 name, bandwidth);
  assert_int_equal(roof_machine_read(file.data, file.length, "x", &machine, NULL), ROOF_OK);
  roof_text_done(&file);
  return machine;
}

static int set_up(void **state) {
  (void)state;
  const roof_types types = roof_types_of(ROOF_FP32);
  const roof_options options = roof_options_default();
  for (int i = 0; i < 2; i++) {
    machines[i] = make(i == 0 ? "one" : "two", 1e12 * (i + 1));
    assert_int_equal(roof_target_init(&targets[i], machines[i], &types, &options, NULL), ROOF_OK);
  }
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  roof_machine_free(machines[0]);
  roof_machine_free(machines[1]);
  return 0;
}

static void start(int count) {
  roof_scene_init(&scene);
  assert_int_equal(roof_scene_add_machines(&scene, machines, count, ROOF_FP32, NULL), ROOF_OK);
}

static roof_status add(const char *op, const char *shape, int series, bool arrows, roof_error *error) {
  const roof_op *found = NULL;
  roof_shape parsed;
  assert_int_equal(roof_op_find(op, &found, NULL), ROOF_OK);
  assert_int_equal(roof_shape_parse_text(&parsed, found, shape, NULL), ROOF_OK);
  roof_status status = roof_scene_add_shape(&scene, &targets[series], series, &parsed, arrows, error);
  roof_shape_done(&parsed);
  return status;
}

static void of_several_machines_only_the_outlines_are_drawn(void **state) {
  (void)state;
  start(1);
  assert_string_equal(scene.title, "one: fp32 roofline");
  assert_int_equal(scene.roof_count, 4);
  start(2);
  assert_string_equal(scene.title, "one, two: fp32 roofline");
  assert_int_equal(scene.roof_count, 6);
  for (int i = 0; i < scene.roof_count; i++) {
    assert_true(isnan(scene.roofs[i].bytes_per_second) || scene.roofs[i].level == ROOF_MEMORY);
  }
}

static void the_title_names_the_formats_that_are_drawn(void **state) {
  (void)state;
  start(1);
  roof_peak *peak = &machines[0]->peaks[0];
  roof_dtype before = peak->dtype;
  for (int i = 0; i < machines[0]->peak_count; i++) {
    machines[0]->peaks[i].dtype = ROOF_FP64;
  }
  start(1);
  assert_string_equal(scene.title, "one: fp32 roofline"); /* no peak of it: the levels alone */
  assert_int_equal(roof_scene_add_peak(&scene, 0, machines[0], ROOF_FP64, peak->unit, NULL), ROOF_OK);
  assert_string_equal(scene.title, "one: fp64 roofline");
  for (int i = 0; i < machines[0]->peak_count; i++) {
    machines[0]->peaks[i].dtype = before;
  }
}

static void a_point_stands_at_its_intensity_and_expected_rate_under_what_is_attainable(void **state) {
  (void)state;
  start(1);
  assert_int_equal(add("add", "n=1000", 0, true, NULL), ROOF_OK);
  assert_int_equal(scene.dot_count, 1);
  assert_near(scene.dots[0].intensity, 1.0 / 12, 1e-12);
  assert_near(scene.dots[0].ceiling_flops_per_second, 1e12 / 12, 1e-12);
  roof_prediction p;
  const roof_op *op = NULL;
  const double n = 1000;
  assert_int_equal(roof_op_find("add", &op, NULL), ROOF_OK);
  roof_predict(&targets[0], op, &n, &p);
  assert_true(p.expected_seconds > p.lower_seconds);
  assert_near(scene.dots[0].flops_per_second, 1000 / p.expected_seconds, 1e-12);
  assert_true(scene.dots[0].predicted && scene.dots[0].next == -1);
  assert_string_equal(scene.dots[0].label, "add n=1000");
}

static void arrows_follow_the_last_list(void **state) {
  (void)state;
  static const int next[] = {1, 2, -1, 4, 5, -1};
  start(1);
  assert_int_equal(add("gemm", "m=64,128 n=256,512,1024 k=64", 0, true, NULL), ROOF_OK);
  assert_int_equal(scene.dot_count, 6);
  for (int i = 0; i < 6; i++) {
    assert_int_equal(scene.dots[i].next, next[i]);
  }
  assert_string_equal(scene.dots[4].label, "gemm m=128 n=512");
}

static void what_has_no_place_says_why(void **state) {
  (void)state;
  roof_error error = {0};
  start(1);
  assert_int_equal(add("copy", "n=1000", 0, false, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "copy: it does no FLOPs, so it has no place on a roofline");
  assert_int_equal(add("add", "n=1..1100+1", 0, false, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "add n=1025: a chart holds at most 1024 dots");
}

static void one_operation_on_several_machines_is_labelled_by_them(void **state) {
  (void)state;
  start(2);
  assert_int_equal(add("add", "n=1000", 0, false, NULL), ROOF_OK);
  assert_int_equal(add("add", "n=1000", 1, false, NULL), ROOF_OK);
  roof_scene_label_by_machine(&scene);
  assert_string_equal(scene.subtitle, "add n=1000");
  assert_string_equal(scene.dots[1].label, "two");
  start(2);
  assert_int_equal(add("add", "n=1000", 0, false, NULL), ROOF_OK);
  assert_int_equal(add("add", "n=2000", 1, false, NULL), ROOF_OK);
  roof_scene_label_by_machine(&scene);
  assert_string_equal(scene.subtitle, "");
  assert_string_equal(scene.dots[1].label, "add n=2000");
}

static void measured_kernels_without_figures_have_no_place(void **state) {
  (void)state;
  roof_measurements all = {0};
  roof_measurement *m = NULL;
  roof_error error = {0};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(roof_measurements_add(&all, &m, NULL), ROOF_OK);
    snprintf(m->label, sizeof m->label, "kernel %d", i);
    m->seconds = 1e-3;
    m->flops = i == 1 ? NAN : 1e8;
    m->bytes = 4e8;
  }
  start(1);
  assert_int_equal(
      roof_scene_add_measurements(&scene, machines[0], 0, all.list, all.count, "mine.json", true, NULL),
      ROOF_OK);
  assert_int_equal(scene.dot_count, 2);
  assert_int_equal(scene.dots[0].next, 1);
  assert_near(scene.dots[1].flops_per_second, 1e11, 1e-12);
  assert_string_equal(scene.subtitle, "2 of 3 kernels of mine.json: the others lack FLOPs or bytes");
  assert_int_equal(scene.left_out, 1);
  start(1);
  assert_int_equal(
      roof_scene_add_measurements(&scene, machines[0], 0, all.list + 1, 1, "mine.json", true, &error),
      ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "mine.json: no kernel of it has time, FLOPs and bytes");
  roof_measurements_done(&all);
}

static void a_scene_is_written_as_its_document(void **state) {
  (void)state;
  roof_text text = {0};
  start(1);
  assert_int_equal(add("add", "n=1000,2000", 0, true, NULL), ROOF_OK);
  assert_int_equal(roof_scene_write(&scene, &text, NULL), ROOF_OK);
  json_t *document = json_loads(text.data, 0, NULL);
  assert_string_equal(json_string_value(json_object_get(document, "schema")), "roofline.plot/1");
  assert_int_equal(json_array_size(json_object_get(document, "roofs")), 4);
  json_t *dot = json_array_get(json_object_get(document, "dots"), 0);
  assert_int_equal(json_integer_value(json_object_get(dot, "next")), 1);
  assert_true(json_is_null(json_object_get(dot, "measured_flops_per_second")));
  json_decref(document);
  roof_text_done(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_several_machines_only_the_outlines_are_drawn),
      cmocka_unit_test(the_title_names_the_formats_that_are_drawn),
      cmocka_unit_test(a_point_stands_at_its_intensity_and_expected_rate_under_what_is_attainable),
      cmocka_unit_test(arrows_follow_the_last_list),
      cmocka_unit_test(what_has_no_place_says_why),
      cmocka_unit_test(one_operation_on_several_machines_is_labelled_by_them),
      cmocka_unit_test(measured_kernels_without_figures_have_no_place),
      cmocka_unit_test(a_scene_is_written_as_its_document),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
