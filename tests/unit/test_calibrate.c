/* Constants fitted to timings that known constants made. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "accuracy/fit.h"
#include "core/number.h"
#include "roofline/calibrate.h"
#include "roofline/ops.h"

#define MACHINE_HEAD                                                                                         \
  "{\"schema\": \"roofline.machine/1\", \"name\": \"m\", \"device_class\": \"gpu\", \"kind\": "              \
  "\"datasheet\","                                                                                           \
  " \"unit_kind\": \"SM\", \"unit_count\": 100, \"peaks\": [{\"dtype\": \"fp32\", \"unit\": \"vector\","     \
  " \"flops_per_second\": 1e13, \"kind\": \"datasheet\"}], \"levels\": [{\"name\": \"HBM\", \"bytes\": "     \
  "8e10,"                                                                                                    \
  " \"bytes_per_second\": 1e12, \"kind\": \"datasheet\"}]"

static const double latency = 7e-6, bandwidth = 0.6;

static roof_machine *machine;

static int start(void **state) {
  (void)state;
  return roof_machine_read(MACHINE_HEAD "}", sizeof MACHINE_HEAD, "m", &machine, NULL) == ROOF_OK ? 0 : -1;
}

static int end(void **state) {
  (void)state;
  roof_machine_free(machine);
  return 0;
}

/** A relu of n elements takes 7 us and its bytes at 60 % of 1 TB/s, give or take 10 %. */
static void add_rows(roof_text *csv, const char *how, int count) {
  roof_text_add(csv, "split,op,dev,B,H,us\n");
  for (int i = 0; i < count; i++) {
    double n = floor(1000 * pow(1e6, i / (double)count));
    double noise = i % 3 == 0 ? 1 : i % 3 == 1 ? 1.1 : 1 / 1.1;
    roof_text_addf(csv, "train,relu,%s,1,%.0f,%.6g\n", how, n,
                   1e6 * noise * (latency + 8 * n / (bandwidth * 1e12)));
  }
}

static roof_status calibrate(const roof_text *csv, const roof_calibrate_options *how, roof_calibration *c,
                             roof_error *error) {
  roof_profile profile;
  roof_options options = roof_options_default();
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(csv->data, csv->length, "t.csv", NULL, &profile, NULL), ROOF_OK);
  roof_status status = roof_calibrate(&profile, how, &options, c, error);
  roof_profile_done(&profile);
  return status;
}

static void constants_are_found_again(void **state) {
  (void)state;
  roof_text csv = {0};
  roof_calibration c;
  roof_calibrate_options how = roof_calibrate_options_default();
  how.machine = machine;
  how.source = "a test";
  add_rows(&csv, "here", 600);
  assert_int_equal(calibrate(&csv, &how, &c, NULL), ROOF_OK);
  assert_int_equal(c.count, 1);
  const roof_fit *fit = &c.fits[0];
  const double *values = fit->constants.values;
  assert_int_equal(fit->constants.kernel, ROOF_KERNEL_STREAM);
  assert_int_equal(fit->constants.dtype, ROOF_FP32);
  assert_near(values[ROOF_LATENCY_SECONDS], latency, 0.05 * latency);
  assert_near(values[ROOF_BANDWIDTH], bandwidth, 0.05 * bandwidth);
  assert_true(isnan(values[ROOF_SPLIT_SECONDS]) && isnan(fit->spread[ROOF_SPLIT_SECONDS]));
  assert_true(fit->spread[ROOF_LATENCY_SECONDS] < 0.1 * latency && fit->gain[ROOF_LATENCY_SECONDS] > 0.1);
  assert_true(values[ROOF_TIME_LOW] > 0.85 && values[ROOF_TIME_HIGH] < 1.15);
  assert_true(fit->after.median < 0.1 && fit->after.median < fit->before.median);
  assert_true(fit->fitted > 400 && fit->after.count > 60 && fit->fitted + fit->after.count == 600);
  assert_non_null(strstr(fit->constants.source, "a test"));
  roof_calibration_done(&c);
  roof_text_done(&csv);
}

/** The same data, the same constants; what is faster than the bound is named, not fitted. */
static void impossible_timings_are_left_out(void **state) {
  (void)state;
  roof_text csv = {0};
  roof_calibration a, b;
  roof_calibrate_options how = roof_calibrate_options_default();
  how.machine = machine;
  add_rows(&csv, "here", 200);
  assert_int_equal(calibrate(&csv, &how, &a, NULL), ROOF_OK);
  for (int i = 0; i < 50; i++) {
    roof_text_addf(&csv, "train,relu,here,1,%d,1\n", 1000001 + i);
  }
  assert_int_equal(calibrate(&csv, &how, &b, NULL), ROOF_OK);
  assert_memory_equal(a.fits[0].constants.values, b.fits[0].constants.values,
                      ROOF_LATENCY_SECONDS * sizeof(double) + sizeof(double));
  assert_int_equal(b.judged.gap_count, 1);
  assert_int_equal(b.judged.gaps[0].count, 50);
  assert_non_null(strstr(b.judged.gaps[0].why, "faster than the lower bound"));
  roof_calibration_done(&a);
  roof_calibration_done(&b);
  roof_text_done(&csv);
}

static const char *const gemm_header = "sys,fw,gemm_dtype,kernel_source,m,n,k,us\n";

static void families_do_not_mix(void **state) {
  (void)state;
  roof_text csv = {0};
  roof_calibration c;
  roof_error error = {0};
  roof_calibrate_options how = roof_calibrate_options_default();
  roof_text_add(&csv, gemm_header);
  roof_text_add(&csv, "h200_sxm,a,bfloat16,x,128,128,128,5\nl40s,a,bfloat16,x,128,128,128,5\n");
  assert_int_equal(calibrate(&csv, &how, &c, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "not of one family"));
  how.family = "nobody";
  assert_int_equal(calibrate(&csv, &how, &c, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "nobody"));
  how.family = "gpu";
  how.kernel = ROOF_KERNEL_COLLECTIVE;
  assert_int_equal(calibrate(&csv, &how, &c, &error), ROOF_E_ARGUMENT);
  roof_text_done(&csv);
}

static void constants_go_into_a_machine(void **state) {
  (void)state;
  roof_text csv = {0}, out = {0};
  roof_calibration c;
  roof_calibrate_options how = roof_calibrate_options_default();
  roof_machine *copy = roof_machine_copy(machine), *again = NULL;
  how.machine = machine;
  add_rows(&csv, "here", 200);
  assert_int_equal(calibrate(&csv, &how, &c, NULL), ROOF_OK);
  roof_constants *old = roof_machine_add_constants(copy), *family = roof_machine_add_constants(copy);
  old->kernel = ROOF_KERNEL_STREAM;
  old->dtype = ROOF_FP32;
  old->kind = ROOF_MEASURED;
  family->kernel = ROOF_KERNEL_PRODUCT;
  family->kind = ROOF_ASSUMED;
  assert_int_equal(roof_calibration_apply(&c, copy, NULL), ROOF_OK);
  assert_int_equal(copy->constants_count, 1);
  assert_near(copy->constants[0].values[ROOF_LATENCY_SECONDS], latency, 0.1 * latency);
  assert_int_equal(roof_calibration_write_constants(&c, "some.stream", &out, NULL), ROOF_OK);
  assert_int_equal(roof_machine_read(out.data, out.length, "some.stream.json", &again, NULL), ROOF_OK);
  assert_int_equal(again->constants_count, 1);
  assert_near(again->constants[0].values[ROOF_BANDWIDTH], c.fits[0].constants.values[ROOF_BANDWIDTH], 1e-12);
  assert_true(isnan(again->constants[0].values[ROOF_SPLIT_SECONDS]));
  roof_machine_free(copy);
  roof_machine_free(again);
  roof_calibration_done(&c);
  roof_text_done(&out);
  roof_text_done(&csv);
}

/** Scales for blocks are other kernels: constants of their own, found by the formats. */
static void formats_in_blocks_are_apart(void **state) {
  (void)state;
  roof_text csv = {0};
  roof_calibration c;
  roof_calibrate_options how = roof_calibrate_options_default();
  roof_machine *h200 = roof_machine_new();
  roof_types plain = roof_types_of(ROOF_FP8), blocks = plain;
  blocks.group = 128 * 128;
  how.family = "gpu";
  roof_text_add(&csv, gemm_header);
  for (int i = 0; i < 200; i++) {
    roof_text_addf(&csv, "h200_sxm,a,%s,x,%d,64,64,%.6g\n", i % 2 == 0 ? "fp8" : "fp8_block", 16 + i,
                   i % 2 == 0 ? 12. : 5.);
  }
  assert_int_equal(calibrate(&csv, &how, &c, NULL), ROOF_OK);
  assert_int_equal(c.count, 2);
  assert_int_equal(roof_calibration_apply(&c, h200, NULL), ROOF_OK);
  const roof_constants *a = roof_constants_find(h200, ROOF_KERNEL_PRODUCT, &plain, NULL),
                       *b = roof_constants_find(h200, ROOF_KERNEL_PRODUCT, &blocks, NULL);
  assert_false(a->blocks);
  assert_true(b->blocks);
  assert_true(c.fits[0].after.median < 0.1 && c.fits[1].after.median < 0.1);
  roof_calibration_done(&c);
  roof_machine_free(h200);
  roof_text_done(&csv);
}

static roof_status judge(const roof_text *csv, roof_split split, const roof_machine *on, roof_accuracy *a,
                         roof_error *error) {
  roof_profile profile;
  roof_options options = roof_options_default();
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(csv->data, csv->length, "t.csv", NULL, &profile, NULL), ROOF_OK);
  roof_status status = roof_accuracy_split(&profile, on, &options, split, a, error);
  roof_profile_done(&profile);
  return status;
}

/** Constants of the others predict the rest; a device that is twice as slow as its ceilings say is off by as much. */
static void a_part_judges_the_rest(void **state) {
  (void)state;
  roof_text csv = {0}, two = {0};
  roof_accuracy a;
  roof_error error = {0};
  add_rows(&csv, "here", 600);
  for (int split = ROOF_SPLIT_SHAPE; split < ROOF_SPLIT_COUNT; split++) {
    roof_split again;
    assert_int_equal(roof_split_parse(roof_split_name((roof_split)split), &again, NULL), ROOF_OK);
    assert_int_equal(again, split);
    if (split != ROOF_SPLIT_DEVICE) {
      assert_int_equal(judge(&csv, (roof_split)split, machine, &a, NULL), ROOF_OK);
      assert_true(a.all.count > 80 && a.all.count < 160);
      assert_true(a.all.median < 0.11 && a.all.inside > 0.6 && a.all.bound_median > 0.3);
      roof_accuracy_done(&a);
    }
  }
  assert_int_equal(judge(&csv, ROOF_SPLIT_DEVICE, machine, &a, &error), ROOF_E_ARGUMENT);
  add_rows(&two, "a100", 200);
  for (int i = 0; i < 30; i++) {
    double n = floor(1000 * pow(1e6, i / 30.0));
    roof_text_addf(&two, "train,relu,a40,1,%.0f,%.6g\n", n, 2e6 * (latency + 8 * n / 0.3e12));
  }
  assert_int_equal(judge(&two, ROOF_SPLIT_DEVICE, NULL, &a, NULL), ROOF_OK);
  assert_int_equal(a.all.count, 230);
  assert_int_equal(a.line_count[ROOF_ACCURACY_DEVICE], 2);
  assert_true(a.lines[ROOF_ACCURACY_DEVICE][1].bias < -0.3);
  roof_accuracy_done(&a);
  roof_text_done(&csv);
  roof_text_done(&two);
}

/** Rosenbrock's valley, and a minimum outside the bounds. */
static double valley(const void *context, const double *at) {
  (void)context;
  double x = 4 * at[0] - 2, y = 4 * at[1] - 2;
  return (1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x);
}

static double slope(const void *context, const double *at) {
  (void)context;
  return at[0] + fabs(at[1] - 0.3) - at[2];
}

static void a_minimum_is_found_within_bounds(void **state) {
  (void)state;
  double at[3] = {0.2, 0.8, 0.5};
  assert_true(rf_fit_descend(valley, NULL, at, 2, 2000) < 1e-4);
  assert_near(at[0], 0.75, 0.01);
  double from[3] = {0.5, 0.5, 0.5};
  assert_true(rf_fit_descend(slope, NULL, from, 3, 1000) < -0.99);
  assert_true(from[0] >= 0 && from[0] < 0.01 && from[2] <= 1 && from[2] > 0.99);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constants_are_found_again),
      cmocka_unit_test(impossible_timings_are_left_out),
      cmocka_unit_test(families_do_not_mix),
      cmocka_unit_test(constants_go_into_a_machine),
      cmocka_unit_test(a_part_judges_the_rest),
      cmocka_unit_test(formats_in_blocks_are_apart),
      cmocka_unit_test(a_minimum_is_found_within_bounds),
  };
  return cmocka_run_group_tests(tests, start, end);
}
