/* The roofline of energy: terms, bounds, what is known of a machine, and the points of its line. */
#include "test.h"

#include "owned.h"
#include "roofline/energy.h"
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

int main(void) {
#define TEST(function) cmocka_unit_test_setup(function, set_up)
  const struct CMUnitTest tests[] = {
      TEST(terms_add_and_time_bounds_the_constant),
      TEST(formats_have_their_own_cost),
      TEST(a_level_pays_for_what_none_further_out_supplies),
      TEST(power_alone_is_drawn_all_the_time),
      TEST(the_line_bends_at_the_balance),
      TEST(balance_and_power_for_any_costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
