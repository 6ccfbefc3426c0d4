/* The roofline of energy: terms, bounds, what is known of a machine, and the points of its line. */
#include "test.h"

#include <jansson.h>

#include "owned.h"
#include "roofline/documents.h"
#include "roofline/ops.h"

static roof_machine *machine = NULL;
static roof_target target;
static roof_prediction prediction;

static void add_peak(roof_dtype dtype, roof_unit unit, double rate) {
  roof_peak *p = roof_machine_add_peak(machine);
  p->dtype = dtype;
  p->unit = unit;
  p->flops_per_second = rate;
}

static void add_level(const char *name, roof_level_kind kind, double bytes, double rate) {
  roof_level *l = roof_machine_add_level(machine);
  strcpy(l->name, name);
  l->level = kind;
  l->bytes = bytes;
  l->bytes_per_second = rate;
}

/** 100 TFLOP/s of fp16, 10 of fp32 and fp64, 1 TB/s: a ridge of 100. */
static int set_up(void **state) {
  (void)state;
  empty_machine(&machine);
  add_peak(ROOF_FP16, ROOF_MATRIX, 100e12);
  add_peak(ROOF_FP32, ROOF_VECTOR, 10e12);
  add_peak(ROOF_FP64, ROOF_VECTOR, 10e12);
  add_level("L2", ROOF_L2, 50e6, 10e12);
  add_level("HBM", ROOF_MEMORY, 80e9, 1e12);
  return 0;
}

static void aim(roof_dtype dtype, bool warm) {
  roof_types types = roof_types_of(dtype);
  roof_options options = roof_options_default();
  options.warm = warm;
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
}

/** A GEMM of side `n`, in that format. */
static roof_energy_use use_of(roof_dtype dtype, double n, bool warm) {
  const roof_op *gemm = NULL;
  double values[ROOF_PARAM_MAX];
  assert_int_equal(roof_op_find("gemm", &gemm, NULL), ROOF_OK);
  roof_op_defaults(gemm, values);
  values[0] = values[1] = values[2] = n;
  aim(dtype, warm);
  roof_predict(&target, gemm, values, &prediction);
  return roof_energy_use_of(&target, &prediction);
}

static void terms_add_and_time_bounds_the_constant(void **state) {
  (void)state;
  machine->energy.joules_per_flop = 0.3e-12;
  machine->energy.joules_per_byte = 20e-12;
  roof_energy_use u = use_of(ROOF_FP16, 4096, false);
  assert_near(u.flops_per_joule, 3178.15e9, 1e-5);
  assert_true(u.lower_joules == u.upper_joules && u.constant_joules == 0);
  machine->energy.idle_watts = 100;
  u = use_of(ROOF_FP16, 4096, false);
  double work = 0.3e-12 * prediction.work.flops + 20e-12 * prediction.bytes;
  assert_near(u.flop_joules + u.byte_joules, work, 1e-12);
  assert_near(u.lower_joules, work + 100 * prediction.lower_seconds, 1e-12);
  assert_near(u.upper_joules, work + 100 * prediction.upper_seconds, 1e-12);
  assert_near(u.expected_joules, work + u.constant_joules, 1e-12);
  assert_near(u.watts * prediction.expected_seconds, u.expected_joules, 1e-12);
  assert_true(prediction.energy_joules == u.expected_joules);
}

static void formats_have_their_own_cost(void **state) {
  (void)state;
  machine->energy.joules_per_flop = 4e-12;
  machine->energy.fp32_joules_per_flop = 2e-12;
  machine->energy.joules_per_byte = 1e-11;
  assert_near(use_of(ROOF_FP64, 512, false).flop_joules, 4e-12 * prediction.work.flops, 1e-12);
  assert_near(use_of(ROOF_FP32, 512, false).flop_joules, 2e-12 * prediction.work.flops, 1e-12);
  machine->energy.flops[0] = (roof_flop_energy){.dtype = ROOF_FP16, .unit = ROOF_MATRIX, .joules = 0.5e-12};
  machine->energy.flop_count = 1;
  assert_near(use_of(ROOF_FP16, 512, false).flop_joules, 0.5e-12 * prediction.work.flops, 1e-12);
  assert_near(use_of(ROOF_FP32, 512, false).flop_joules, 2e-12 * prediction.work.flops, 1e-12);
}

static void a_level_pays_for_what_none_further_out_supplies(void **state) {
  (void)state;
  machine->energy.joules_per_flop = 1e-12;
  machine->energy.joules_per_byte = 20e-12;
  machine->energy.bytes[0] = (roof_byte_energy){.level = ROOF_L2, .joules = 5e-12};
  machine->energy.byte_count = 1;
  roof_energy_use u = use_of(ROOF_FP16, 1024, false);
  assert_near(u.byte_joules, 20e-12 * prediction.bytes, 1e-12);
  assert_true(u.level_joules[0] == 0);
  u = use_of(ROOF_FP16, 1024, true);
  assert_near(u.byte_joules, 5e-12 * prediction.bytes, 1e-12);
  assert_near(u.level_joules[0], u.byte_joules, 1e-12);
}

static void power_alone_is_drawn_all_the_time(void **state) {
  (void)state;
  machine->energy.watts = 500;
  roof_energy_use u = use_of(ROOF_FP16, 4096, false);
  assert_true(target.costs.power_only);
  assert_near(u.expected_joules, 500 * prediction.expected_seconds, 1e-12);
  assert_near(u.lower_joules, 500 * prediction.lower_seconds, 1e-12);
  assert_near(u.watts, 500, 1e-12);
  roof_energy_line line = roof_energy_line_of(&target, ROOF_MATRIX);
  assert_near(roof_energy_efficiency(&line, INFINITY), 100e12 / 500, 1e-12);
  assert_near(roof_energy_balance(&line), 50, 1e-12); /* half the rate, half the FLOPs a joule */
  machine->energy.watts = NAN;
  assert_true(isnan(use_of(ROOF_FP16, 4096, false).expected_joules));
}

static void the_line_bends_at_the_balance(void **state) {
  (void)state;
  machine->energy.joules_per_flop = 0.3e-12;
  machine->energy.joules_per_byte = 20e-12;
  aim(ROOF_FP16, false);
  roof_energy_line line = roof_energy_line_of(&target, ROOF_MATRIX);
  assert_near(roof_energy_efficiency(&line, INFINITY), 3333.33e9, 1e-5);
  assert_near(roof_energy_balance(&line), 66.6667, 1e-5);
  assert_near(roof_energy_efficiency(&line, roof_energy_balance(&line)), 1666.67e9, 1e-5);
  assert_near(roof_energy_time_balance(&line), 100, 1e-12);
}

/** Half of the limit at the balance, and no power over that at the ridge, whatever the costs. */
static void balance_and_power_for_any_costs(void **state) {
  (void)state;
  unsigned seed = 7;
  for (int i = 0; i < 2000; i++) {
    double v[5];
    for (int k = 0; k < 5; k++) {
      seed = seed * 1664525 + 1013904223;
      v[k] = pow(10, (seed >> 8) / 16777216.0 * 4);
    }
    roof_energy_line l = {v[0] * 1e-13, v[1] * 1e-12, i % 5 == 0 ? 0 : v[2] / 10, 1e-15 * v[3], 1e-13 * v[4]};
    double half = roof_energy_efficiency(&l, INFINITY) / 2, ridge = roof_energy_time_balance(&l);
    assert_near(roof_energy_efficiency(&l, roof_energy_balance(&l)), half, 1e-9);
    double most =
        l.joules_per_flop / l.seconds_per_flop + l.joules_per_byte / l.seconds_per_byte + l.constant_watts;
    assert_near(roof_energy_watts(&l, ridge), most, 1e-9);
    assert_true(roof_energy_watts(&l, ridge * 3) <= most && roof_energy_watts(&l, ridge / 3) <= most);
    assert_true(roof_energy_efficiency(&l, ridge * 2) >= roof_energy_efficiency(&l, ridge));
  }
}

static const roof_energy_given given = {0.3e-12, 20e-12, 100};

static void a_subject_has_the_figures_given(void **state) {
  (void)state;
  roof_energy_subject s = {.dtype = ROOF_INT4};
  roof_energy_given one = {0.3e-12, NAN, NAN}, none = {NAN, NAN, NAN};
  roof_energy_flop flops[ROOF_ENERGY_FLOPS];
  roof_error error = {0};
  aim(ROOF_FP16, false);
  assert_int_equal(roof_energy_subject_of(&target, NULL, &none, &s, &error), ROOF_E_UNSUPPORTED);
  machine->energy.watts = 500;
  assert_int_equal(roof_energy_subject_of(&target, NULL, &none, &s, NULL), ROOF_OK);
  assert_int_equal(roof_energy_flops(&s, flops), 3);
  assert_int_equal(s.dtype, ROOF_FP16); /* the matrix unit is the faster */
  s.dtype = ROOF_INT4;
  roof_energy_give(&one, machine);
  assert_int_equal(roof_energy_subject_of(&target, NULL, &one, &s, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "both are needed"));
  assert_int_equal(s.dtype, ROOF_INT4);
  roof_energy_give(&given, machine);
  assert_int_equal(machine->energy.kind, ROOF_ASSUMED);
  assert_int_equal(roof_energy_subject_of(&target, NULL, &given, &s, NULL), ROOF_OK);
  assert_near(s.line.joules_per_flop, 0.3e-12, 1e-12);
  assert_near(s.time_balance, 100, 1e-12);
  assert_near(s.most_watts, 0.3e-12 * 100e12 + 20e-12 * 1e12 + 100, 1e-12);
  assert_int_equal(roof_energy_flops(&s, flops), 1); /* given for the format asked for, no other */
  roof_text text = {0};
  roof_energy_source_describe(&text, &s);
  assert_non_null(strstr(text.data, "  joules      assumed: "));
  roof_energy_balance_describe(&text, &s);
  assert_non_null(strstr(text.data, "  balance     time 100 FLOP/B, the ridge; energy "));
  roof_text_done(&text);
}

static void points_and_their_document(void **state) {
  (void)state;
  const roof_op *gemm = NULL;
  roof_shape shape;
  roof_energy_subject s;
  roof_energy_point p;
  roof_text text = {0};
  assert_int_equal(roof_op_find("gemm", &gemm, NULL), ROOF_OK);
  assert_int_equal(roof_shape_parse_text(&shape, gemm, "m=1,4096 n=4096 k=4096", NULL), ROOF_OK);
  roof_energy_give(&given, machine);
  aim(ROOF_FP16, false);
  assert_int_equal(roof_energy_subject_of(&target, &shape, &given, &s, NULL), ROOF_OK);
  assert_int_equal(roof_energy_point_at(&s, 0, &p, NULL), ROOF_OK);
  assert_string_equal(p.label, "m=1");
  assert_string_equal(p.bound, "bytes");
  assert_int_equal(roof_energy_point_at(&s, 1, &p, NULL), ROOF_OK);
  assert_near(p.best_flops_per_joule * p.use.lower_joules, p.prediction.work.flops, 1e-12);
  roof_energy_point_describe(&text, &s, &p);
  assert_true(strncmp(text.data, "  FLOPs ", 8) == 0);
  assert_non_null(strstr(text.data, "\n  together    "));
  assert_null(strstr(text.data, "throttled"));
  roof_text_done(&text);
  machine->energy.watts = p.use.watts / 2;
  roof_energy_point_describe(&text, &s, &p);
  assert_non_null(strstr(text.data, "on average\n              more than the machine's "));
  roof_text_done(&text);
  assert_int_equal(roof_energy_write(&s, 1, &text, NULL), ROOF_OK);
  json_t *document = json_loads(text.data, 0, NULL);
  json_t *subject = json_array_get(json_object_get(document, "machines"), 0);
  json_t *point = json_array_get(json_object_get(subject, "points"), 1);
  assert_string_equal(json_string_value(json_object_get(document, "schema")), "roofline.energy/1");
  assert_near(json_number_value(json_object_get(subject, "time_balance")), 100, 1e-12);
  assert_int_equal(json_array_size(json_object_get(subject, "flop_costs")), 1);
  assert_string_equal(json_string_value(json_object_get(point, "label")), "m=4096");
  assert_near(json_number_value(json_object_get(json_object_get(point, "joules"), "expected")),
              p.use.expected_joules, 1e-12);
  json_decref(document);
  roof_text_done(&text);
  roof_shape_done(&shape);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup(function, set_up)
  const struct CMUnitTest tests[] = {
      TEST(terms_add_and_time_bounds_the_constant),
      TEST(formats_have_their_own_cost),
      TEST(a_level_pays_for_what_none_further_out_supplies),
      TEST(power_alone_is_drawn_all_the_time),
      TEST(the_line_bends_at_the_balance),
      TEST(balance_and_power_for_any_costs),
      TEST(a_subject_has_the_figures_given),
      TEST(points_and_their_document),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
