/* Claims judged by the library, as a program would ask. */
#include "test.h"

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/claim.h"
#include "roofline/documents.h"
#include "roofline/effects.h"
#include "roofline/ops.h"
#include "roofline/shape.h"

static roof_machine *machine;
static roof_target target;

static int load(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  options.launch = 0;
  return roof_catalog_load("h100", &machine, NULL) != ROOF_OK ||
         roof_target_init(&target, machine, &types, &options, NULL) != ROOF_OK;
}

static int unload(void **state) {
  (void)state;
  roof_machine_free(machine);
  return 0;
}

static roof_claim_judged judge(roof_claim_kind kind, double value) {
  roof_claim claim;
  roof_claim_judged judged;
  roof_claim_init(&claim);
  claim.value[kind] = value;
  assert_int_equal(roof_claim_judge(&target, &claim, &judged, NULL), ROOF_OK);
  return judged;
}

static void a_rate_of_the_machine(void **state) {
  (void)state;
  const roof_peak *dense = roof_machine_peak(machine, ROOF_FP16, ROOF_MATRIX, false, ROOF_DATASHEET);
  double peak = dense->flops_per_second;
  roof_claim_judged j = judge(ROOF_CLAIM_RATE, 1.7 * peak);
  assert_false(j.possible);
  assert_string_equal(j.limit_name, "dense fp16 matrix peak");
  assert_near(j.limit, peak, 1e-12);
  assert_near(j.placed.share, 1.7, 1e-12);
  assert_near(j.sparse_share, 0.85, 1e-3);
  j = judge(ROOF_CLAIM_SHARE, 0.9);
  assert_true(j.possible && isnan(j.sparse_share));
  assert_near(j.claimed, 0.9 * peak, 1e-12);
  assert_string_equal(j.placed.verdict->name, "remeasure");
  assert_true(judge(ROOF_CLAIM_RATE, 1.004 * peak).possible); /* a datasheet's rounding */
  assert_false(judge(ROOF_CLAIM_RATE, 1.006 * peak).possible);
}

/** A sparse peak is at the clock of the dense one, and no other format's lack of one is an error. */
static void a_sparse_peak_has_the_clock_of_the_dense_one(void **state) {
  (void)state;
  roof_target dense = target;
  roof_types types = roof_types_of(ROOF_FP8);
  roof_options options = roof_options_default();
  roof_claim claim;
  roof_claim_judged judged;
  roof_error error = {0};
  roof_claim_init(&claim);
  claim.value[ROOF_CLAIM_SHARE] = 1.01;
  for (int sparse = 0; sparse < 2; sparse++) {
    options.sparse = sparse != 0;
    assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
    assert_int_equal(roof_claim_judge(&target, &claim, &judged, &error), ROOF_OK);
    assert_false(judged.possible);
    assert_near(judged.clock_hz, 1.83e9, 1e-12);
    assert_near(judged.needed_hz, 1.01 * 1.83e9, 1e-12);
    assert_string_equal(error.message, "");
  }
  target = dense;
}

/** An RTX 5090 computes 236 TFLOP/s of bf16 at its real clock, 209.5 at the nominal one. */
static void what_was_measured_is_possible(void **state) {
  (void)state;
  roof_machine *card = NULL;
  roof_target other, h100 = target;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  assert_int_equal(roof_catalog_load("rtx5090", &card, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&other, card, &types, &options, NULL), ROOF_OK);
  target = other;
  roof_claim_judged j = judge(ROOF_CLAIM_RATE, 230e12), beyond = judge(ROOF_CLAIM_RATE, 260e12),
                    below = judge(ROOF_CLAIM_RATE, 200e12);
  target = h100;
  assert_true(j.possible && j.limit == 236.03e12);
  assert_string_equal(j.limit_name, "measured bf16 matrix peak, above its nominal one");
  assert_false(beyond.possible);
  assert_string_equal(beyond.limit_name, "dense bf16 matrix peak");
  assert_string_equal(below.limit_name, "dense bf16 matrix peak");
  roof_machine_free(card);
}

/** GeForce cards halve plain products with fp32 sums, not those of operands with scales for few numbers. */
static void operands_with_scales_have_their_own_peak(void **state) {
  (void)state;
  static const struct {
    const char *machine;
    roof_dtype dtype;
    double group, peak;
    bool as_plain; /* constants of kernels */
  } cases[] = {
      {"rtx5090", ROOF_FP8, 0, 419e12, true},           {"rtx5090", ROOF_MXFP8, 0, 838e12, true},
      {"rtx5090", ROOF_FP8, 32, 838e12, true},          {"rtx5090", ROOF_FP8, 128.0 * 128, 419e12, false},
      {"rtx-pro-6000", ROOF_MXFP8, 0, 1007.6e12, true}, {"h100", ROOF_MXFP8, 0, 1978.9e12, false}};
  roof_options options = roof_options_default();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_machine *card = NULL;
    roof_target of_card;
    roof_types types = roof_types_of(cases[i].dtype);
    types.group = cases[i].group;
    assert_int_equal(roof_catalog_load(cases[i].machine, &card, NULL), ROOF_OK);
    assert_int_equal(roof_target_init(&of_card, card, &types, &options, NULL), ROOF_OK);
    assert_near(of_card.peak[ROOF_MATRIX]->flops_per_second, cases[i].peak, 1e-3);
    const roof_constants *constants = roof_constants_find(card, ROOF_KERNEL_PRODUCT, &types, NULL);
    assert_int_equal(!constants->blocks, cases[i].as_plain);
    roof_machine_free(card);
  }
}

static void a_bandwidth_is_another_figure(void **state) {
  (void)state;
  roof_claim_judged j = judge(ROOF_CLAIM_BANDWIDTH, 900e9);
  assert_true(j.possible && j.match_count > 0);
  assert_non_null(strstr(j.matches[0].name, "both ways together"));
}

static void an_operation_at_any_speed(void **state) {
  (void)state;
  const roof_op *op = NULL;
  roof_claim claim;
  roof_claim_judged time, rate;
  roof_prediction p;
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  roof_claim_init(&claim);
  claim.op = op;
  roof_op_defaults(op, claim.values);
  claim.values[0] = claim.values[1] = claim.values[2] = 4096;
  assert_int_equal(roof_op_complete(op, claim.values, NULL), ROOF_OK);
  roof_predict(&target, op, claim.values, &p);
  claim.value[ROOF_CLAIM_TIME] = p.lower_seconds / 0.8;
  assert_int_equal(roof_claim_judge(&target, &claim, &time, NULL), ROOF_OK);
  claim.value[ROOF_CLAIM_RATE] = p.work.flops / claim.value[ROOF_CLAIM_TIME];
  assert_int_equal(roof_claim_judge(&target, &claim, &rate, NULL), ROOF_E_ARGUMENT); /* one at once */
  claim.value[ROOF_CLAIM_TIME] = NAN;
  assert_int_equal(roof_claim_judge(&target, &claim, &rate, NULL), ROOF_OK);
  assert_near(time.placed.share, 0.8, 1e-12);
  assert_near(rate.placed.share, 0.8, 1e-12);
  assert_near(time.limit, p.lower_seconds, 1e-12);
  assert_string_equal(time.limit_name, "compute-bound (fp16 matrix)");
  assert_true(time.fits);
  assert_string_equal(roof_claim_kind_name(ROOF_CLAIM_KIND_COUNT), "?");
}

/** Where the last cache keeps the data of a run before, the memory is not the limit, though its time is the longest. */
static void the_limit_is_named_by_what_takes_its_time(void **state) {
  (void)state;
  static const struct {
    const char *op, *shape, *limit;
  } cases[] = {{"conv2d",
                "batch=93 in_channels=4 out_channels=2 height=46 width=64 kernel=7 algorithm=direct",
                "compute-bound (fp32 vector)"},
               {"copy", "n=1M", "overhead-bound (launch)"},
               {"copy", "n=4M", "memory-bound (L2)"},
               {"copy", "n=1G", "memory-bound (GDDR)"}};
  owned roof_machine *card = NULL;
  roof_target l40s;
  roof_types types = roof_types_of(ROOF_FP32);
  roof_options options = roof_options_default();
  assert_int_equal(roof_catalog_load("l40s", &card, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&l40s, card, &types, &options, NULL), ROOF_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_claim claim;
    roof_claim_judged judged;
    roof_claim_init(&claim);
    assert_int_equal(roof_op_find(cases[i].op, &claim.op, NULL), ROOF_OK);
    assert_int_equal(roof_shape_values(claim.op, cases[i].shape, claim.values, NULL), ROOF_OK);
    claim.value[ROOF_CLAIM_TIME] = 1;
    assert_int_equal(roof_claim_judge(&l40s, &claim, &judged, NULL), ROOF_OK);
    assert_string_equal(judged.limit_name, cases[i].limit);
  }
}

static roof_status parse(const char *const *words, int count, roof_claim *claim, roof_error *error) {
  const char *name = roof_claim_operation(words, count);
  const roof_op *op = NULL;
  roof_status status = name != NULL ? roof_op_find(name, &op, error) : ROOF_OK;
  return status == ROOF_OK ? roof_claim_parse(claim, op, words, count, error) : status;
}

static void words_make_a_claim(void **state) {
  (void)state;
  static const char *const rate[] = {"64FLOP/B", "90%"}, *const bits[] = {"400Gb/s"};
  static const char *const operation[] = {"n=2k", "m=1k", "time=1.5ms", "gemm", "k=4"};
  static const char *const apart[] = {"gemm", "8x8x8", "260", "us"}, *const plural[] = {"1400TFLOPs"};
  roof_claim claim;
  assert_int_equal(parse(apart, 4, &claim, NULL), ROOF_OK);
  assert_near(claim.value[ROOF_CLAIM_TIME], 260e-6, 1e-12);
  assert_true(claim.values[2] == 8);
  assert_int_equal(parse(plural, 1, &claim, NULL), ROOF_OK);
  assert_near(claim.value[ROOF_CLAIM_RATE], 1400e12, 1e-12);
  assert_int_equal(parse(rate, 2, &claim, NULL), ROOF_OK);
  assert_true(claim.op == NULL && isnan(claim.value[ROOF_CLAIM_TIME]));
  assert_near(claim.value[ROOF_CLAIM_INTENSITY], 64, 1e-12);
  assert_near(claim.value[ROOF_CLAIM_SHARE], 0.9, 1e-12);
  assert_int_equal(parse(bits, 1, &claim, NULL), ROOF_OK);
  assert_near(claim.value[ROOF_CLAIM_BANDWIDTH], 50e9, 1e-12);
  assert_int_equal(parse(operation, 5, &claim, NULL), ROOF_OK);
  assert_string_equal(claim.op->name, "gemm");
  assert_near(claim.value[ROOF_CLAIM_TIME], 1.5e-3, 1e-12);
  assert_true(claim.values[0] == 1000 && claim.values[1] == 2000 && claim.values[2] == 4);
}

static void words_that_make_none(void **state) {
  (void)state;
  static const struct {
    const char *words[3], *want;
  } rows[] = {{{"1700"}, "which unit?"},
              {{"s"}, "unexpected argument `s`"},
              {{"1ms", "2ms"}, "`2ms`: a second time"},
              {{"m=4", "1TB/s"}, "a shape needs an operation"},
              {{"0TB/s"}, "must be more than 0"},
              {{"gemm", "m=1,2", "1ms"}, "one shape at a time"},
              {{"gemm", "add", "1ms"}, "unexpected argument `add`"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_claim claim = {.op = NULL};
    roof_error error = {0};
    const roof_op *op = NULL;
    int count = 0;
    while (count < 3 && rows[i].words[count] != NULL) {
      count++;
    }
    const char *name = roof_claim_operation(rows[i].words, count);
    (void)roof_op_find(name != NULL ? name : "", &op, NULL);
    assert_int_not_equal(roof_claim_parse(&claim, op, rows[i].words, count, &error), ROOF_OK);
    assert_non_null(strstr(error.message, rows[i].want));
    assert_true(claim.value[ROOF_CLAIM_TIME] == 0); /* untouched */
  }
}

static void a_judged_claim_is_a_document(void **state) {
  (void)state;
  static const char *const words[] = {"1700TFLOP/s"};
  roof_claim claim;
  roof_claim_judged j;
  roof_text out = {0};
  assert_int_equal(parse(words, 1, &claim, NULL), ROOF_OK);
  assert_int_equal(roof_claim_judge(&target, &claim, &j, NULL), ROOF_OK);
  assert_non_null(strstr(j.because, "impossible: 172 % of the dense fp16 matrix peak (989.4 TFLOP/s)"));
  assert_non_null(
      strstr(j.because, "it is 86 % of the 2:4 sparse fp16 peak (1.979 PFLOP/s): a sparse figure"));
  assert_int_equal(roof_claim_write(&target, &claim, &j, &out, NULL), ROOF_OK);
  assert_non_null(strstr(out.data, "\"schema\": \"roofline.claim/1\""));
  assert_non_null(strstr(out.data, j.because));
  roof_text_done(&out);
  roof_options warm = roof_options_default();
  roof_types types = roof_types_of(ROOF_FP16);
  roof_target other;
  roof_error error;
  warm.warm = true;
  assert_int_equal(roof_target_init(&other, machine, &types, &warm, NULL), ROOF_OK);
  assert_int_equal(roof_claim_judge(&other, &claim, &j, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "--warm goes with an operation"));
}

static void a_judgement_says_what_it_rests_on(void **state) {
  (void)state;
  roof_text text = {0};
  roof_claim_judged j = judge(ROOF_CLAIM_RATE, 500e12);
  roof_claim_details(&j, "h100", false, &text);
  assert_memory_equal(text.data, "  claimed  500.0 TFLOP/s in fp16\n  limit    ", 44);
  assert_non_null(strstr(text.data, "; `roofline machine show h100`\n"));
  assert_non_null(strstr(text.data, "  verdict  "));
  text.length = 0;
  j = judge(ROOF_CLAIM_BANDWIDTH, 9e12);
  roof_claim_details(&j, "h100", false, &text);
  assert_memory_equal(text.data, "  claimed  9.000 TB/s\n", 22);
  assert_null(strstr(text.data, "verdict"));
  roof_text_done(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_judgement_says_what_it_rests_on),
      cmocka_unit_test(a_rate_of_the_machine),
      cmocka_unit_test(a_sparse_peak_has_the_clock_of_the_dense_one),
      cmocka_unit_test(what_was_measured_is_possible),
      cmocka_unit_test(operands_with_scales_have_their_own_peak),
      cmocka_unit_test(a_bandwidth_is_another_figure),
      cmocka_unit_test(an_operation_at_any_speed),
      cmocka_unit_test(the_limit_is_named_by_what_takes_its_time),
      cmocka_unit_test(words_make_a_claim),
      cmocka_unit_test(words_that_make_none),
      cmocka_unit_test(a_judged_claim_is_a_document),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
