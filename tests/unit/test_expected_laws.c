/* Laws that expected times obey on every machine: less work is not slower, and both times one after the other are the most. */
#include "test.h"

#include <math.h>
#include <stdio.h>

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/effects.h"
#include "roofline/ops.h"
#include "roofline/shape.h"

static const char *const machines[] = {"h100", "b200", "a100", "l40s", "l4", "mi300x", "rtx-4090"};
enum { MACHINES = sizeof machines / sizeof machines[0] };

static const roof_dtype formats[] = {ROOF_FP32, ROOF_BF16, ROOF_FP8};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/** What a law says of a target. */
typedef void law(const roof_target *target);

/** Holds a law to each machine and format that it has a path for. */
static void hold_everywhere(law *holds) {
  roof_options options = roof_options_default();
  for (int i = 0; i < MACHINES; i++) {
    owned roof_machine *gpu = NULL;
    assert_int_equal(roof_catalog_load(machines[i], &gpu, NULL), ROOF_OK);
    for (int f = 0; f < FORMATS; f++) {
      roof_types types = roof_types_of(formats[f]);
      roof_target target;
      assert_int_equal(roof_target_init(&target, gpu, &types, &options, NULL), ROOF_OK);
      holds(&target);
    }
  }
}

static roof_prediction predicted(const roof_target *target, const char *name, const char *words) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, words, values, NULL), ROOF_OK);
  roof_predict(target, op, values, &p);
  return p;
}

static double expected(const roof_target *target, const char *name, const char *words) {
  return predicted(target, name, words).expected_seconds;
}

/** Experts spread over twice the devices leave each half of the rows and weights, next to the same router. */
static void more_devices(const roof_target *target) {
  static const char *const layers[] = {"hidden=2048 intermediate=768 experts=128 top_k=8",
                                       "hidden=7168 intermediate=2048 experts=256 top_k=8",
                                       "hidden=4096 intermediate=14336 experts=8 top_k=2 gated=0"};
  static const int most[] = {128, 256, 8};
  for (int i = 0; i < 3; i++) {
    for (int tokens = 1; tokens <= 65536; tokens *= 16) {
      double last = INFINITY;
      for (int ep = 1; ep <= most[i]; ep *= 2) {
        char words[128];
        snprintf(words, sizeof words, "tokens=%d %s ep=%d", tokens, layers[i], ep);
        double seconds = expected(target, "moe", words);
        assert_true(seconds <= last * (1 + 1e-9));
        last = seconds;
      }
    }
  }
}

static void more_devices_do_not_slow_each(void **state) {
  (void)state;
  hold_everywhere(more_devices);
}

/** The same rows for twice the matrices: as many bytes of rows and more of weights. Up to where a matrix's rows fill no more than a
 * tile: what they fill of another is gone there. */
static void more_groups(const roof_target *target) {
  static const int columns[] = {64, 512, 1536, 8192};
  for (int rows = 1024; rows <= 65536; rows *= 8) {
    for (int c = 0; c < 4; c++) {
      double last = 0;
      for (int groups = 1; rows / groups > 128; groups *= 2) {
        char words[80];
        snprintf(words, sizeof words, "batch=%d groups=%d in=2048 out=%d", rows, groups, columns[c]);
        double seconds = expected(target, "grouped", words);
        assert_true(seconds >= last * (1 - 1e-9));
        last = seconds;
      }
    }
  }
}

static void more_groups_do_not_take_less(void **state) {
  (void)state;
  hold_everywhere(more_groups);
}

/** One matrix is a product: libraries' kernels for either reach half as much of the peak as the others' at least (data/constants:
 * efficiency), and what a product's quantising adds is of the formats narrower than 16 bits. */
static void one_group_takes_as_long_as_a_product(void **state) {
  (void)state;
  static const char *const shapes[] = {"batch=65536 in=2048 out=512", "batch=65536 in=512 out=64",
                                       "batch=8192 in=4096 out=4096"};
  roof_options options = roof_options_default();
  roof_types types = roof_types_of(ROOF_BF16);
  for (int i = 0; i < MACHINES; i++) {
    owned roof_machine *gpu = NULL;
    roof_target target;
    assert_int_equal(roof_catalog_load(machines[i], &gpu, NULL), ROOF_OK);
    assert_int_equal(roof_target_init(&target, gpu, &types, &options, NULL), ROOF_OK);
    for (int s = 0; s < 3; s++) {
      char words[80];
      snprintf(words, sizeof words, "groups=1 %s", shapes[s]);
      double times = expected(&target, "grouped", words) / expected(&target, "linear", shapes[s]);
      assert_true(times > 0.5 && times < 2);
    }
  }
}

/** A width of one column is a tile's at most: what the layer does in addition to its products fills none. */
static void a_narrow_layer_is_no_slower_than_a_wide_one(const roof_target *target) {
  double last = 0;
  for (int wide = 1; wide <= 4096; wide *= 2) {
    char words[80];
    snprintf(words, sizeof words, "tokens=1 hidden=6412 intermediate=%d experts=512 top_k=10", wide);
    double seconds = expected(target, "moe", words);
    assert_true(seconds >= last * (1 - 1e-9));
    last = seconds;
  }
}

static void narrow_layers_take_less(void **state) {
  (void)state;
  hold_everywhere(a_narrow_layer_is_no_slower_than_a_wide_one);
}

/** What of two times is not hidden, the results of the last tiles included, is the shorter of them at most. */
static void products_of_short_depths(const roof_target *target) {
  for (int depth = 32; depth <= 4096; depth *= 2) {
    char words[64];
    roof_effect_part parts[ROOF_EFFECT_COUNT];
    snprintf(words, sizeof words, "m=8192 n=8192 k=%d", depth);
    roof_prediction p = predicted(target, "gemm", words);
    double longer = fmax(p.compute_seconds, p.memory_seconds), corner = 0;
    int count = roof_effects_of(target, &p, parts);
    for (int i = 0; i < count; i++) {
      roof_effect e = parts[i].effect;
      corner = e == ROOF_EFFECT_CORNER ? parts[i].seconds : corner;
      longer += e < ROOF_EFFECT_CORNER ? parts[i].seconds : 0;
    }
    assert_true(corner <= longer * (1 + 1e-9));
  }
}

static void both_times_one_after_the_other_are_the_most(void **state) {
  (void)state;
  hold_everywhere(products_of_short_depths);
}

/** One more query head on the same keys, also where it is the first of another block. */
static void more_heads(const roof_target *target) {
  static const int batches[] = {1, 5, 35, 200}, keys[] = {896, 4096};
  for (int b = 0; b < 4; b++) {
    for (int k = 0; k < 2; k++) {
      double last = 0;
      for (int heads = 1; heads <= 272; heads++) {
        char words[96];
        snprintf(words, sizeof words, "batch=%d heads=%d kv_heads=1 q_len=1 kv_len=%d head_dim=128",
                 batches[b], heads, keys[k]);
        double seconds = expected(target, "attention", words);
        assert_true(seconds >= last * 0.98);
        last = seconds;
      }
    }
  }
}

static void a_head_more_is_not_faster(void **state) {
  (void)state;
  hold_everywhere(more_heads);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(more_devices_do_not_slow_each),
      cmocka_unit_test(more_groups_do_not_take_less),
      cmocka_unit_test(one_group_takes_as_long_as_a_product),
      cmocka_unit_test(narrow_layers_take_less),
      cmocka_unit_test(both_times_one_after_the_other_are_the_most),
      cmocka_unit_test(a_head_more_is_not_faster),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
