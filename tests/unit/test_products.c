/* The expected time of matrix products, on a machine written for it. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/effects.h"
#include "roofline/explain.h"
#include "roofline/ops.h"

static const char text[] =
    "{\"schema\": \"roofline.machine/1\", \"name\": \"m\", \"device_class\": \"gpu\", \"kind\": "
    "\"datasheet\", \"unit_kind\": \"SM\", \"unit_count\": 132, \"peaks\": [{\"dtype\": \"bf16\", \"unit\": "
    "\"matrix\", \"flops_per_second\": 1e15, \"kind\": \"datasheet\"}, {\"dtype\": \"fp8\", \"unit\": "
    "\"matrix\", \"flops_per_second\": 2e15, \"kind\": \"datasheet\"}], \"levels\": [{\"name\": \"HBM\", "
    "\"bytes\": 8e10, \"bytes_per_second\": 4e12, \"kind\": \"datasheet\"}], \"constants\": [{\"kernel\": "
    "\"product\", \"dtype\": \"bf16\", \"latency_seconds\": 2e-6, \"wave_seconds\": 1e-6, \"efficiency\": "
    "0.85, \"bandwidth\": 0.9, \"split_seconds\": 7e-7, \"time_low\": 0.9, \"time_high\": 1.2, \"kind\": "
    "\"measured\", \"source\": \"here\"}, {\"kernel\": \"product\", \"dtype\": \"fp8\", "
    "\"latency_seconds\": 1e-5, \"efficiency\": 0.8, \"bandwidth\": 0.9, \"quantise_passes\": 2, \"kind\": "
    "\"measured\", \"source\": \"here\"}]}";

static roof_machine *machine;

static int start(void **state) {
  (void)state;
  return roof_machine_read(text, sizeof text - 1, "m", &machine, NULL) == ROOF_OK ? 0 : -1;
}

static int end(void **state) {
  (void)state;
  roof_machine_free(machine);
  return 0;
}

static roof_prediction product(const roof_machine *on, roof_dtype dtype, double m, double n, double k,
                               unsigned without, roof_target *target) {
  roof_types types = roof_types_of(dtype);
  roof_options options = roof_options_default();
  const roof_op *op = NULL;
  roof_prediction p;
  double values[ROOF_PARAM_MAX];
  types.output = ROOF_BF16;
  options.without = without;
  assert_int_equal(roof_target_init(target, on, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  roof_op_defaults(op, values);
  values[0] = m;
  values[1] = n;
  values[2] = k;
  assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
  roof_predict(target, op, values, &p);
  return p;
}

/** The next of a fixed sequence of sizes from 1 to 30,000, small ones as often as large ones. */
static double next_size(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return floor(exp((*state >> 8) / 16777216.0 * log(30000)));
}

static void from_the_bare_roofline_to_the_expected_time(void **state) {
  (void)state;
  unsigned seed = 1;
  for (int i = 0; i < 3000; i++) {
    roof_target target;
    roof_effect_part parts[ROOF_EFFECT_COUNT];
    double m = next_size(&seed), n = next_size(&seed), k = next_size(&seed);
    roof_prediction p = product(machine, i % 2 ? ROOF_BF16 : ROOF_FP8, m, n, k, 0, &target);
    double sum = fmax(p.compute_seconds, p.memory_seconds);
    int count = roof_effects_of(&target, &p, parts);
    for (int j = 0; j < count; j++) {
      assert_true(parts[j].seconds > 0 && parts[j].factor > 1 && strlen(parts[j].text) > 0);
      sum += parts[j].seconds;
    }
    assert_true(fabs(sum / p.expected_seconds - 1) < 1e-9);
    assert_true(p.lower_seconds <= p.expected_low_seconds);
    assert_true(p.expected_low_seconds <= p.expected_seconds);
    assert_true(p.expected_seconds <= p.expected_high_seconds);
  }
}

/** Of a convolution its input, as of a product its rows: not what an expanded input would have. */
static void activations_are_written_in_the_narrow_format_once(void **state) {
  (void)state;
  const double bytes_per_element = 2 * (2 + 1), bandwidth = 0.9 * 4e12;
  roof_types types = roof_types_of(ROOF_FP8);
  roof_options options = roof_options_default();
  const roof_op *op = NULL;
  roof_target target;
  for (int product = 0; product < 2; product++) {
    double values[ROOF_PARAM_MAX];
    roof_prediction p, without;
    const double conv[] = {32, 64, 64, 56, 56, 3}, gemm[] = {4096, 4096, 4096};
    assert_int_equal(roof_op_find(product ? "gemm" : "conv2d", &op, NULL), ROOF_OK);
    roof_op_defaults(op, values);
    memcpy(values, product ? gemm : conv, product ? sizeof gemm : sizeof conv);
    assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
    options.without = 0;
    assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
    roof_predict(&target, op, values, &p);
    options.without = 1u << ROOF_EFFECT_QUANTISE;
    assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
    roof_predict(&target, op, values, &without);
    double elements = product ? 4096.0 * 4096 : 32.0 * 64 * 56 * 56, start = 1e-5 - 2e-6;
    assert_near(p.expected_seconds - without.expected_seconds - start,
                elements * bytes_per_element / bandwidth, 1e-6);
  }
}

/** The cut is chosen by about what the corner adds. */
static void without_an_effect_no_slower(void **state) {
  (void)state;
  unsigned seed = 2;
  for (int i = 0; i < 500; i++) {
    roof_target target;
    double m = next_size(&seed), n = next_size(&seed), k = next_size(&seed);
    double all = product(machine, ROOF_BF16, m, n, k, 0, &target).expected_seconds;
    for (int e = 0; e < ROOF_EFFECT_COUNT; e++) {
      assert_true(product(machine, ROOF_BF16, m, n, k, 1u << e, &target).expected_seconds <= all * cbrt(2));
    }
  }
}

static roof_machine *twice_as_fast(void) {
  roof_machine *fast = NULL;
  assert_int_equal(roof_machine_read(text, sizeof text - 1, "m", &fast, NULL), ROOF_OK);
  for (int i = 0; i < fast->peak_count; i++) {
    fast->peaks[i].flops_per_second *= 2;
  }
  fast->levels[0].bytes_per_second *= 2;
  for (int i = 0; i < fast->constants_count; i++) {
    for (int c = 0; c < ROOF_CONSTANT_COUNT; c++) {
      double scale = strcmp(roof_constant_row_of((roof_constant)c)->unit, "s") == 0 ? 0.5 : 1;
      fast->constants[i].values[c] *= scale;
    }
  }
  return fast;
}

static void half_the_time_on_a_machine_twice_as_fast(void **state) {
  (void)state;
  unsigned seed = 3;
  roof_machine *fast = twice_as_fast();
  for (int i = 0; i < 500; i++) {
    roof_target target;
    double m = next_size(&seed), n = next_size(&seed), k = next_size(&seed);
    roof_dtype dtype = i % 2 ? ROOF_BF16 : ROOF_FP8;
    double slow = product(machine, dtype, m, n, k, 0, &target).expected_seconds;
    assert_true(fabs(2 * product(fast, dtype, m, n, k, 0, &target).expected_seconds / slow - 1) < 1e-9);
  }
  roof_machine_free(fast);
}

static const char *words(const roof_effect_part *parts, int count, roof_effect effect) {
  for (int i = 0; i < count; i++) {
    if (parts[i].effect == effect) {
      return parts[i].text;
    }
  }
  return "";
}

static void says_what_tiles_and_waves_do(void **state) {
  (void)state;
  roof_target target;
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  roof_prediction p = product(machine, ROOF_BF16, 3073, 1408, 16384, 0, &target);
  int count = roof_effects_of(&target, &p, parts);
  assert_string_equal(words(parts, count, ROOF_EFFECT_WAVES),
                      "187 tiles of 192 x 128 on 132 SMs: 2 waves, 29 % idle");
  assert_string_equal(words(parts, count, ROOF_EFFECT_TILES),
                      "tiles of 192 x 128 cover 1.06 times the matrix");
  p = product(machine, ROOF_BF16, 16, 1024, 16384, 0, &target);
  count = roof_effects_of(&target, &p, parts);
  assert_string_equal(words(parts, count, ROOF_EFFECT_SPLIT), "split in 8, whose sums are added at the end");
  assert_string_equal(words(parts, count, ROOF_EFFECT_WAVES),
                      "16 tiles of 32 x 64, split in 8, on 132 SMs: 1 wave");
}

static void one_unit_more_than_a_wave_costs_a_wave(void **state) {
  (void)state;
  roof_target target;
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  double full = product(machine, ROOF_BF16, 256 * 12, 128 * 11, 16384, 0, &target).expected_seconds;
  roof_prediction p = product(machine, ROOF_BF16, 256 * 12 + 1, 128 * 11, 16384, 0, &target);
  int count = roof_effects_of(&target, &p, parts);
  assert_true(p.expected_seconds > 1.1 * full);
  assert_non_null(strstr(words(parts, count, ROOF_EFFECT_WAVES), "% idle"));
}

/** Of two cuts that the memory hides in part the one with less arithmetic is taken, though it matters less to a machine whose memory
 * has more to do: 129 rows against 16384 x 3072 took 1.53 times as long on an H100 as on an H200, of 1.43 times the bandwidth. */
static void less_bandwidth_takes_no_longer_than_its_bytes(void **state) {
  (void)state;
  unsigned seed = 4;
  roof_machine *slow = NULL;
  assert_int_equal(roof_machine_read(text, sizeof text - 1, "m", &slow, NULL), ROOF_OK);
  snprintf(machine->family, sizeof machine->family, "hopper");
  snprintf(slow->family, sizeof slow->family, "hopper");
  slow->levels[0].bytes_per_second /= 1.5;
  for (int i = 0; i < 1000; i++) {
    roof_target target;
    double m = next_size(&seed), n = next_size(&seed), k = next_size(&seed);
    double whole = product(machine, ROOF_BF16, m, n, k, 0, &target).expected_seconds;
    assert_true(product(slow, ROOF_BF16, m, n, k, 0, &target).expected_seconds < 1.5 * 1.01 * whole);
  }
  machine->family[0] = '\0';
  roof_machine_free(slow);
}

static double seconds_of_family(const char *family, roof_dtype dtype, double group, double rows) {
  roof_types types = roof_types_of(dtype);
  roof_options options = roof_options_default();
  const roof_op *op = NULL;
  roof_target target;
  roof_prediction p;
  types.group = group;
  snprintf(machine->family, sizeof machine->family, "%s", family);
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  roof_predict(&target, op, (double[ROOF_PARAM_MAX]){rows, 1536, 3584, 1}, &p);
  machine->family[0] = '\0';
  return p.expected_seconds;
}

/** 1025 x 1536 are 108 tiles of 128 x 128 or 132 of 128 x 96, as many as there are SMs: aiconfigurator's H200 takes the less
 * for it. Kernels with scales of blocks have tiles as wide as a block. */
static void tiles_of_any_width_since_hopper_fill_the_units(void **state) {
  (void)state;
  assert_true(seconds_of_family("hopper", ROOF_BF16, 0, 1025) <
              0.9 * seconds_of_family("ampere", ROOF_BF16, 0, 1025));
  assert_true(seconds_of_family("hopper", ROOF_FP8, 16384, 1025) ==
              seconds_of_family("ampere", ROOF_FP8, 16384, 1025));
}

/** A search for where a regime ends asks of sizes that no count of waves can tell from the next. */
static void a_product_of_any_size_has_a_time(void **state) {
  (void)state;
  for (double size = 1e3; size < 1e90; size *= 1e3) {
    assert_true(seconds_of_family("hopper", ROOF_BF16, 0, size) > 0);
  }
}

/** A unit that gets its operands at half the bandwidth takes twice as long where they are what it waits for. */
static void a_tile_waits_for_its_operands(void **state) {
  (void)state;
  roof_target target;
  roof_prediction p = product(machine, ROOF_BF16, 128, 128 * 132, 16384, 1u << ROOF_EFFECT_CORNER, &target);
  double values[ROOF_CONSTANT_COUNT], seconds[3];
  memcpy(values, target.forms[ROOF_KERNEL_PRODUCT].values, sizeof values);
  values[ROOF_LATENCY_SECONDS] = values[ROOF_WAVE_SECONDS] = values[ROOF_SPLIT_SECONDS] = 0;
  for (int i = 0; i < 3; i++) {
    values[ROOF_UNIT_BANDWIDTH] = i < 2 ? 0.5 / (1 + i) : 1e6;
    seconds[i] = roof_effects_seconds(&target, &p, values);
  }
  assert_true(seconds[1] > 1.8 * seconds[0]);
  assert_true(seconds[2] < 0.5 * seconds[0]);
}

static void narrow_formats_are_written_first(void **state) {
  (void)state;
  roof_target target;
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  double m = 8192, k = 4096;
  roof_prediction p = product(machine, ROOF_FP8, m, 128, k, 0, &target);
  roof_prediction without = product(machine, ROOF_FP8, m, 128, k, 1u << ROOF_EFFECT_QUANTISE, &target);
  double pass = m * k * 3 / (0.9 * 4e12),
         launch = 1e-5 - 2e-6; /* of the kernel that writes them: beyond bf16's */
  assert_true(fabs((p.expected_seconds - without.expected_seconds) / (2 * pass + launch) - 1) < 1e-9);
  product(machine, ROOF_FP8, m, 128, k, 0, &target);
  double values[ROOF_CONSTANT_COUNT];
  memcpy(values, target.forms[ROOF_KERNEL_PRODUCT].values, sizeof values);
  values[ROOF_ROW_SECONDS] = 1e-6; /* a block writes a row, and a unit has one block at a time */
  assert_true(fabs((roof_effects_seconds(&target, &p, values) - p.expected_seconds) / (m / 132 * 1e-6) - 1) <
              1e-9);
  int count = roof_effects_of(&target, &p, parts);
  assert_string_equal(words(parts, count, ROOF_EFFECT_QUANTISE),
                      "activations are written as fp8 before by a kernel: 2.0 passes, 0 ns per row");
  for (int i = 0; i < count; i++) {
    double own = parts[i].effect == ROOF_EFFECT_QUANTISE  ? 2 * pass + launch
                 : parts[i].effect == ROOF_EFFECT_LATENCY ? 2e-6
                                                          : parts[i].seconds;
    assert_true(fabs(parts[i].seconds / own - 1) < 1e-9);
  }
}

static void the_effects_of_most_seconds_are_said_first(void **state) {
  (void)state;
  roof_target target;
  roof_text said = {0};
  roof_prediction p = product(machine, ROOF_BF16, 4097, 4096, 4096, 0, &target);
  roof_prediction_effects(&said, &target, &p, 2);
  assert_string_equal(said.data, "    efficiency + 24.26 µs  85 % of the peak\n"
                                 "    waves      + 4.000 µs  528 tiles of 128 x 256 on 132 SMs: 4 waves\n");
  roof_text_done(&said);
}

static void latency_alone_is_overhead(void **state) {
  (void)state;
  roof_target target;
  assert_int_equal(product(machine, ROOF_BF16, 16, 16, 16, 0, &target).regime, ROOF_OVERHEAD_BOUND);
  assert_int_equal(product(machine, ROOF_BF16, 16, 4096, 4096, 0, &target).regime, ROOF_MEMORY_BOUND);
  assert_int_equal(product(machine, ROOF_BF16, 4096, 4096, 512, 0, &target).regime, ROOF_COMPUTE_BOUND);
}

/** A vector has no tile of 64 rows: on a card with little arithmetic per byte that would take longer than the memory. */
static void a_matrix_times_a_vector_streams_the_matrix(void **state) {
  (void)state;
  roof_machine *card = NULL;
  const roof_op *gemm = NULL;
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  roof_target target;
  roof_prediction p;
  types.weights = ROOF_INT4;
  options.cold = true;
  assert_int_equal(roof_catalog_load("rtx-4090", &card, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("gemm", &gemm, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, card, &types, &options, NULL), ROOF_OK);
  roof_predict(&target, gemm, (double[ROOF_PARAM_MAX]){1, 11008, 4096, 1}, &p);
  assert_true(target.forms[ROOF_KERNEL_PRODUCT].known);
  assert_true(p.expected_seconds < 1.7 * p.memory_seconds);
  roof_machine_free(card);
}

/** The most by which the expected time falls as rows are added, with weights in int4, on a machine of the catalogue. */
static double largest_fall(const char *name, double n, double k) {
  roof_machine *on = NULL;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  const roof_op *op = NULL;
  roof_target target;
  roof_prediction p;
  double values[ROOF_PARAM_MAX], longest = 0, fall = 0;
  types.weights = ROOF_INT4;
  options.cold = true;
  assert_int_equal(roof_catalog_load(name, &on, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, on, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  roof_op_defaults(op, values);
  for (int m = 1; m <= 300; m++) {
    values[0] = m;
    values[1] = n;
    values[2] = k;
    assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
    roof_predict(&target, op, values, &p);
    longest = fmax(longest, p.expected_seconds);
    fall = fmax(fall, 1 - p.expected_seconds / longest);
  }
  roof_machine_free(on);
  return fall;
}

/** Whatever way a product is cut, more rows can be cut so too: but for the last tile's fill, they take no less time. */
static void more_rows_take_no_less_time(void **state) {
  (void)state;
  assert_true(largest_fall("b200", 4096, 27648) < 0.05);
  assert_true(largest_fall("h100", 2560, 10240) < 0.05);
}

/** Nothing is known of the kernels of a class of devices that nobody measured: a share of the bound. */
static void an_unknown_class_has_no_form_of_products(void **state) {
  (void)state;
  roof_machine *tpu = NULL;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  assert_int_equal(roof_catalog_load("google-tpu-v5e", &tpu, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, tpu, &types, &options, NULL), ROOF_OK);
  assert_false(target.forms[ROOF_KERNEL_PRODUCT].known || target.forms[ROOF_KERNEL_DECODE].known);
  roof_machine_free(tpu);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(from_the_bare_roofline_to_the_expected_time),
      cmocka_unit_test(without_an_effect_no_slower),
      cmocka_unit_test(half_the_time_on_a_machine_twice_as_fast),
      cmocka_unit_test(says_what_tiles_and_waves_do),
      cmocka_unit_test(one_unit_more_than_a_wave_costs_a_wave),
      cmocka_unit_test(less_bandwidth_takes_no_longer_than_its_bytes),
      cmocka_unit_test(tiles_of_any_width_since_hopper_fill_the_units),
      cmocka_unit_test(a_product_of_any_size_has_a_time),
      cmocka_unit_test(a_tile_waits_for_its_operands),
      cmocka_unit_test(narrow_formats_are_written_first),
      cmocka_unit_test(the_effects_of_most_seconds_are_said_first),
      cmocka_unit_test(latency_alone_is_overhead),
      cmocka_unit_test(a_matrix_times_a_vector_streams_the_matrix),
      cmocka_unit_test(activations_are_written_in_the_narrow_format_once),
      cmocka_unit_test(more_rows_take_no_less_time),
      cmocka_unit_test(an_unknown_class_has_no_form_of_products),
  };
  return cmocka_run_group_tests(tests, start, end);
}
