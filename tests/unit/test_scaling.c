/* Constants of one machine as another's. */
#include "catalog/scaling.h"

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/family.h"
#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/effects.h"
#include "roofline/ops.h"
#include "roofline/shape.h"

static roof_machine *load(const char *name) {
  roof_machine *machine = NULL;
  setenv("XDG_CONFIG_HOME", "/dev/null", 1);
  assert_int_equal(roof_catalog_load(name, &machine, NULL), ROOF_OK);
  return machine;
}

static const roof_constants *decode_of(const roof_machine *machine, const char *framework) {
  roof_types types = roof_types_of(ROOF_BF16);
  const roof_constants *c = roof_constants_find(machine, ROOF_KERNEL_DECODE, &types, framework);
  assert_non_null(c);
  return c;
}

static void a_machine_keeps_its_own(void **state) {
  (void)state;
  owned roof_machine *h200 = load("nvidia-h200-sxm");
  rf_scaling t = rf_scaling_of(decode_of(h200, NULL), h200, h200, false);
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    assert_near(t.factors[i], 1, 0);
  }
  for (int i = 0; i < ROOF_DTYPE_COUNT; i++) {
    assert_near(t.clocks[i], 1, 0);
  }
}

/** The same units with less memory behind them each draw more of it; times are clocks. */
static void family_members_scale(void **state) {
  (void)state;
  owned roof_machine *h200 = load("nvidia-h200-sxm");
  owned roof_machine *pcie = load("nvidia-h100-pcie");
  const roof_constants *theirs = decode_of(h200, NULL), *own = decode_of(pcie, NULL);
  double clock = pcie->clock_hz / h200->clock_hz, part = 2000.0 / 4800 * 132 / 114;
  assert_string_equal(own->machine, "");
  assert_int_equal(own->kind, ROOF_ASSUMED);
  assert_near(own->values[ROOF_LATENCY_SECONDS], theirs->values[ROOF_LATENCY_SECONDS] / clock, 1e-3);
  assert_near(own->values[ROOF_UNIT_BANDWIDTH], theirs->values[ROOF_UNIT_BANDWIDTH] * sqrt(clock / part),
              1e-3);
  assert_near(own->values[ROOF_BANDWIDTH], theirs->values[ROOF_BANDWIDTH], 1e-3);
  assert_true(own->values[ROOF_TIME_HIGH] > theirs->values[ROOF_TIME_HIGH]);
  assert_true(own->values[ROOF_TIME_LOW] < theirs->values[ROOF_TIME_LOW]);
}

/** Another family's machine shows more of it, another host as much; where the interval is of machines apart, nothing does. */
static void intervals_widen_with_distance(void **state) {
  (void)state;
  owned roof_machine *h200 = load("nvidia-h200-sxm");
  owned roof_machine *h20 = load("nvidia-h20");
  owned roof_machine *a100 = load("nvidia-a100-sxm-80gb");
  roof_constants product = {.kernel = ROOF_KERNEL_PRODUCT}, eager = {.kernel = ROOF_KERNEL_PRODUCT};
  snprintf(eager.framework, sizeof eager.framework, "%s", ROOF_EAGER);
  double family = rf_scaling_of(&product, h200, h20, false).factors[ROOF_TIME_HIGH];
  double other = rf_scaling_of(&product, h200, a100, false).factors[ROOF_TIME_HIGH];
  assert_true(1 < family && family < other);
  assert_near(rf_scaling_of(&product, h200, a100, false).factors[ROOF_TIME_LOW], 1 / other, 1e-12);
  assert_near(rf_scaling_of(&eager, h200, h20, false).factors[ROOF_TIME_HIGH], other, 1e-12);
  assert_near(rf_scaling_of(&product, h200, a100, true).factors[ROOF_TIME_HIGH], 1, 0);
}

/** A unit with a quarter of the operations in a clock is kept from its peak by the same clocks, a quarter as often. */
static void slower_units_reach_more_of_their_peak(void **state) {
  (void)state;
  owned roof_machine *h200 = load("nvidia-h200-sxm");
  owned roof_machine *h20 = load("nvidia-h20");
  double e = decode_of(h200, NULL)->values[ROOF_EFFICIENCY];
  rf_scaling t = rf_scaling_of(decode_of(h200, NULL), h200, h20, false);
  assert_near(t.clocks[ROOF_BF16], 148.0 / 78 / (989.4 / 132), 1e-9);
  assert_near(decode_of(h20, NULL)->values[ROOF_EFFICIENCY], e / (e + (1 - e) * t.clocks[ROOF_BF16]),
              2e-4); /* files have four digits */
}

/** The machine as its file would be with 16-bit units so many times as fast, its constants scaled anew. */
static void speed_up_16_bits(roof_machine *machine, double times) {
  for (int i = 0; i < machine->peak_count; i++) {
    roof_peak *peak = &machine->peaks[i];
    peak->flops_per_second *= peak->dtype == ROOF_FP16 || peak->dtype == ROOF_BF16 ? times : 1;
  }
  machine->constants_count = 0;
  rf_families families = {0};
  assert_int_equal(rf_catalog_inherit(machine, &families, NULL), ROOF_OK);
  rf_families_done(&families);
}

static double product_seconds(const roof_machine *machine, roof_dtype dtype) {
  roof_types types = roof_types_of(dtype);
  roof_options options = roof_options_default();
  roof_target target;
  roof_prediction p;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, "m=4096 n=4096 k=4096", values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  return p.expected_seconds;
}

/** Constants of products in 16 bits serve formats without timings of their own: what they reach of a peak goes by their own units. */
static void another_format_is_scaled_by_its_own_units(void **state) {
  (void)state;
  static const roof_dtype others[] = {ROOF_TF32, ROOF_FP64};
  owned roof_machine *h100 = load("nvidia-h100-sxm");
  owned roof_machine *faster = load("nvidia-h100-sxm");
  speed_up_16_bits(faster, 1.3);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    assert_near(product_seconds(faster, others[i]), product_seconds(h100, others[i]), 1e-3);
  }
  assert_true(product_seconds(faster, ROOF_BF16) < product_seconds(h100, ROOF_BF16));
}

/** What is not known of a machine leaves the constants as they are. */
static void unknown_figures_change_nothing(void **state) {
  (void)state;
  owned roof_machine *h200 = load("nvidia-h200-sxm");
  owned roof_machine *empty = roof_machine_new();
  double values[ROOF_CONSTANT_COUNT], own[ROOF_CONSTANT_COUNT];
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    values[i] = 0.5;
  }
  rf_scaling t = rf_scaling_of(decode_of(h200, NULL), h200, empty, true);
  rf_scaling_apply(&t, values, own);
  assert_memory_equal(own, values, sizeof own);
}

/** Every accelerator has constants of every kind, of its family or of all: an interval wider than a family's own. */
static void families_without_timings_have_those_of_all(void **state) {
  (void)state;
  owned roof_machine *b60 = load("intel-arc-pro-b60");
  owned roof_machine *h200 = load("nvidia-h200-sxm");
  roof_types types = roof_types_of(ROOF_BF16);
  for (int kind = 0; kind < ROOF_KERNEL_KIND_COUNT; kind++) {
    const roof_constants *c = roof_constants_find(b60, (roof_kernel_kind)kind, &types, NULL);
    assert_non_null(c);
  }
  const roof_constants *all = decode_of(b60, NULL), *own = decode_of(h200, NULL);
  assert_true(all->values[ROOF_TIME_HIGH] / all->values[ROOF_TIME_LOW] >
              own->values[ROOF_TIME_HIGH] / own->values[ROOF_TIME_LOW]);
}

/** Of a peak that somebody measured no more is expected where constants are of other families: of every format that multiplies in
 * its matrix units, not of one with a measurement of its own above, nor of machines of a fitted family. */
static void no_more_of_a_peak_is_expected_than_was_measured(void **state) {
  (void)state;
  static const struct {
    const char *machine;
    roof_dtype dtype;
    double share; /* 0: that of all families */
  } cases[] = {{"mi300x", ROOF_BF16, 0.5112}, {"mi300x", ROOF_FP8, 0.5112}, {"mi325x", ROOF_BF16, 0.6004},
               {"mi210", ROOF_BF16, 0},       {"mi250x-gcd", ROOF_BF16, 0}, {"b580", ROOF_BF16, 0}};
  owned roof_machine *all = load("intel-arc-pro-b60");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    owned roof_machine *machine = load(cases[i].machine);
    roof_types types = roof_types_of(cases[i].dtype);
    const roof_constants *c = roof_constants_find(machine, ROOF_KERNEL_PRODUCT, &types, NULL);
    const roof_constants *shared = roof_constants_find(all, ROOF_KERNEL_PRODUCT, &types, NULL);
    double share = cases[i].share > 0 ? cases[i].share : shared->values[ROOF_EFFICIENCY];
    assert_near(c->values[ROOF_EFFICIENCY], share, 1e-4);
    assert_int_equal(strstr(c->source, "no more than was measured") != NULL, cases[i].share > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_machine_keeps_its_own),
      cmocka_unit_test(family_members_scale),
      cmocka_unit_test(intervals_widen_with_distance),
      cmocka_unit_test(slower_units_reach_more_of_their_peak),
      cmocka_unit_test(another_format_is_scaled_by_its_own_units),
      cmocka_unit_test(unknown_figures_change_nothing),
      cmocka_unit_test(families_without_timings_have_those_of_all),
      cmocka_unit_test(no_more_of_a_peak_is_expected_than_was_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
