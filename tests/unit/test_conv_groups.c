/* The time of convolutions in groups: no more than of all channels at once, which are a way to do them. */
#include <stdio.h>

#include "test.h"

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/effects.h"
#include "roofline/ops.h"
#include "roofline/shape.h"

/** A cut of a product is taken that takes so much longer than the fastest. */
static const double good_enough = 1.03;

static roof_target target;

static roof_prediction predict(const char *shape, int groups) {
  char text[160];
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  snprintf(text, sizeof text, "%s groups=%d", shape, groups);
  assert_int_equal(roof_op_find("conv2d", &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, text, values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  return p;
}

static double seconds_of(const char *shape, int groups) {
  return predict(shape, groups).expected_seconds;
}

static int next_divisor(int of, int after) {
  do {
    after++;
  } while (after <= of && of % after != 0);
  return after;
}

/** Of as many channels in and out, and in all batches. */
static void hold(int channels, int kernel, int side) {
  for (int groups = 2; groups <= channels; groups = next_divisor(channels, groups)) {
    double before = 0;
    for (int batch = 1; batch <= 64; batch *= 4) {
      char shape[120];
      snprintf(shape, sizeof shape, "batch=%d in_channels=%d out_channels=%d height=%d width=%d kernel=%d",
               batch, channels, channels, side, side, kernel);
      double grouped = seconds_of(shape, groups), dense = seconds_of(shape, 1);
      if (grouped > dense * good_enough || grouped < before * (1 - 1e-9)) {
        fail_msg("%s in %d groups: %g s; dense %g s, fewer images %g s", shape, groups, grouped, dense,
                 before);
      }
      before = grouped;
    }
  }
}

static void groups_are_no_slower_than_all_at_once(void **state) {
  (void)state;
  static const char *const machines[] = {"a100", "h100", "l40s", "b200", "t4", "mi300x"};
  static const int channels[] = {32, 48, 64, 96, 128, 256, 1024};
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
    owned roof_machine *machine = NULL;
    assert_int_equal(roof_catalog_load(machines[m], &machine, NULL), ROOF_OK);
    for (int narrow = 0; narrow < 2; narrow++) {
      roof_types types = roof_types_of(narrow ? ROOF_FP16 : ROOF_FP32);
      roof_options options = roof_options_default();
      assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
      for (size_t c = 0; c < sizeof channels / sizeof channels[0]; c++) {
        hold(channels[c], 3, 56);
        hold(channels[c], 5, 14);
      }
    }
  }
}

/** An image's channels each by itself take about as long as their bytes; groups that share a tile say so. */
static void channels_alone_stream(void **state) {
  (void)state;
  static const char shape[] = "batch=32 in_channels=64 out_channels=64 height=56 width=56 kernel=3";
  owned roof_machine *a100 = NULL;
  roof_types types = roof_types_of(ROOF_FP32);
  roof_options options = roof_options_default();
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  assert_int_equal(roof_catalog_load("a100", &a100, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, a100, &types, &options, NULL), ROOF_OK);
  roof_prediction alone = predict(shape, 64);
  assert_true(alone.expected_seconds < 2 * alone.memory_seconds);
  target.types.compute = ROOF_TF32;
  roof_prediction joined = predict(shape, 16);
  int count = roof_effects_of(&target, &joined, parts), said = 0;
  for (int i = 0; i < count; i++) {
    said += strstr(parts[i].text, "16 groups in one product") != NULL;
  }
  assert_int_equal(said, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(groups_are_no_slower_than_all_at_once),
                                     cmocka_unit_test(channels_alone_stream)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
