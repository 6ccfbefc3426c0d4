/* The worked shapes of a GEMM on an H100 SXM: 989 TFLOP/s fp16, 3.35 TB/s. */
#include "test.h"

#include <jansson.h>

#include "owned.h"
#include "roofline/documents.h"
#include "roofline/explain.h"
#include "roofline/ledger.h"
#include "roofline/ops.h"
#include "roofline/predict.h"

static roof_machine *h100 = NULL;
static roof_target target;
static const roof_op *gemm;

static int set_up(void **state) {
  (void)state;
  empty_machine(&h100);
  strcpy(h100->name, "h100");
  fill_machine(h100, 1, 1, 0);
  h100->peaks[0].dtype = ROOF_FP16;
  h100->peaks[0].unit = ROOF_MATRIX;
  h100->peaks[0].flops_per_second = 989e12;
  strcpy(h100->levels[0].name, "HBM");
  h100->levels[0].level = ROOF_MEMORY;
  h100->levels[0].bytes = 80e9;
  h100->levels[0].bytes_per_second = 3.35e12;
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  return roof_target_init(&target, h100, &types, &options, NULL) != ROOF_OK ||
         roof_op_find("gemm", &gemm, NULL) != ROOF_OK;
}

static roof_prediction predict(double m, double n, double k) {
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_op_defaults(gemm, values);
  values[0] = m;
  values[1] = n;
  values[2] = k;
  assert_int_equal(roof_op_complete(gemm, values, NULL), ROOF_OK);
  roof_predict(&target, gemm, values, &p);
  return p;
}

static void large_gemm_is_compute_bound(void **state) {
  (void)state;
  roof_prediction p = predict(8192, 28672, 8192);
  assert_true(p.work.flops == 3848290697216.0);
  assert_true(p.bytes == 1073741824.0);
  assert_true(p.intensity == 3584);
  assert_near(p.ridge, 295.2239, 1e-6);
  assert_int_equal(p.regime, ROOF_COMPUTE_BOUND);
  assert_near(p.lower_seconds, 3891.1e-6, 1e-4);
  assert_near(p.upper_seconds, 4211.6e-6, 1e-4);
  assert_near(p.expected_seconds, 4988.6e-6, 1e-4);
  assert_near(p.expected_low_seconds, 4577.8e-6, 1e-4);
  assert_near(p.expected_high_seconds, 5986.3e-6, 1e-4);
}

static void skinny_and_small_gemms(void **state) {
  (void)state;
  roof_prediction p = predict(4096, 4096, 128);
  assert_int_equal(p.regime, ROOF_MEMORY_BOUND);
  assert_near(p.expected_seconds, 13.64e-6, 1e-3);
  p = predict(1, 28672, 8192);
  assert_near(p.intensity, 0.99984, 1e-5);
  assert_int_equal(predict(1, 4096, 4096).regime, ROOF_MEMORY_BOUND);
  assert_int_equal(predict(1, 1024, 1024).regime, ROOF_OVERHEAD_BOUND);
}

static void what_binds_has_a_name(void **state) {
  (void)state;
  char text[32];
  roof_prediction p = predict(8192, 28672, 8192);
  assert_string_equal(roof_prediction_binding(&p, text, sizeof text), "fp16 matrix");
  p.peak = NULL;
  assert_string_equal(roof_prediction_binding(&p, text, sizeof text), "unknown");
  p = predict(1, 4096, 4096);
  assert_string_equal(roof_prediction_binding(&p, text, sizeof text), "HBM");
  p = predict(1, 1024, 1024);
  assert_string_equal(roof_prediction_binding(&p, text, sizeof text), "launch");
  p = predict(1e6, 1e6, 1e6);
  assert_int_equal(p.regime, ROOF_CAPACITY_BOUND);
  assert_string_equal(roof_prediction_binding(&p, text, sizeof text), "HBM");
}

static void critical_batch(void **state) {
  (void)state;
  double values[ROOF_PARAM_MAX];
  roof_op_defaults(gemm, values);
  values[1] = 28672;
  values[2] = 8192;
  assert_near(roof_predict_crossing(&target, gemm, values, 0), 309.568, 1e-5);
  values[1] = values[2] = 256;
  assert_true(isnan(roof_predict_crossing(&target, gemm, values, 0)));
}

static void escape_from_overhead(void **state) {
  (void)state;
  double bytes, flops;
  roof_predict_escape(&target, ROOF_MATRIX, &bytes, &flops);
  assert_near(bytes, 20.904e6, 1e-4);
  assert_near(flops, 6.17136e9, 1e-4);
  roof_target slow = target;
  slow.overhead_cutoff = 0;
  slow.launch_seconds = 8e-6; /* work shorter than its launch does not escape either */
  roof_predict_escape(&slow, ROOF_MATRIX, &bytes, &flops);
  assert_near(flops, 6.17136e9, 1e-4);
}

static void one_parameter_at_any_value(void **state) {
  (void)state;
  double values[ROOF_PARAM_MAX];
  roof_prediction p, at;
  roof_op_defaults(gemm, values);
  values[0] = values[1] = values[2] = 512;
  roof_predict_at(&target, gemm, values, 0, 1024.5, &at);
  assert_true(values[0] == 512);
  assert_true(at.work.flops == 2 * 1024.5 * 512 * 512);
  roof_predict_at(&target, gemm, values, 0, 1024, &at);
  p = predict(1024, 512, 512);
  assert_true(at.lower_seconds == p.lower_seconds && at.intensity == p.intensity);

  const roof_op *attention = NULL;
  assert_int_equal(roof_op_find("attention", &attention, NULL), ROOF_OK);
  int heads = roof_op_param_index(attention, "heads"), kv_heads = roof_op_param_index(attention, "kv_heads");
  double shape[ROOF_PARAM_MAX];
  roof_op_defaults(attention, shape);
  for (int i = 0; i < kv_heads; i++) {
    shape[i] = 64;
  }
  roof_predict_at(&target, attention, shape, heads, 8, &p);
  assert_true(isnan(shape[kv_heads]));
  shape[heads] = shape[kv_heads] = 8;
  roof_predict(&target, attention, shape, &at);
  assert_true(p.bytes == at.bytes);
}

static void vector_lanes_of_an_unknown_peak_are_no_lack(void **state) {
  (void)state;
  const roof_op *relu = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  assert_int_equal(roof_op_find("relu", &relu, NULL), ROOF_OK);
  roof_op_defaults(relu, values);
  values[0] = 1e9;
  assert_int_equal(roof_target_supports(&target, ROOF_VECTOR, NULL), ROOF_OK);
  roof_predict(&target, relu, values, &p);
  assert_true(isnan(p.compute_seconds));
  assert_int_equal(p.regime, ROOF_MEMORY_BOUND);
}

static void a_prediction_is_written_as_its_document(void **state) {
  (void)state;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_text text = {0};
  roof_op_defaults(gemm, values);
  values[0] = values[1] = values[2] = 4096;
  roof_predict(&target, gemm, values, &p);
  assert_int_equal(roof_prediction_write(&target, gemm, values, &p, &text, NULL), ROOF_OK);
  json_t *document = json_loads(text.data, 0, NULL);
  assert_string_equal(json_string_value(json_object_get(document, "schema")), "roofline.prediction/1");
  assert_true(json_number_value(json_object_get(document, "flops")) == p.work.flops);
  json_t *seconds = json_object_get(document, "seconds");
  assert_true(json_is_null(json_object_get(seconds, "network")) == (bool)isnan(p.network_seconds));
  assert_true(fabs(json_number_value(json_object_get(seconds, "lower")) / p.lower_seconds - 1) < 1e-14);
  json_decref(document);
  roof_text_done(&text);
}

static void the_side_is_that_of_the_level_that_binds(void **state) {
  (void)state;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_op_defaults(gemm, values);
  values[0] = values[1] = values[2] = 4096;
  roof_predict(&target, gemm, values, &p);
  roof_ridge_side side = roof_prediction_side(&p);
  assert_true(side.right && side.inner == NULL && side.ridge == p.ridge);
  assert_true(fabs(side.times / (p.intensity / p.ridge) - 1) < 1e-14);
  values[0] = 1;
  roof_predict(&target, gemm, values, &p);
  side = roof_prediction_side(&p);
  assert_true(!side.right && side.times > 1);
  roof_level cache = {.level = ROOF_L2}; /* a level inside is the slower one */
  p.levels[p.level_count++] = p.levels[0];
  p.levels[0] = (roof_level_time){.level = &cache, .bytes = 1e9, .intensity = 10, .ridge = 5};
  p.binding = &cache;
  side = roof_prediction_side(&p);
  assert_true(side.inner == &cache && side.right && side.times == 2);
  p.work.flops = 0;
  assert_true(isnan(roof_prediction_side(&p).times));
}

static void predictions_are_written_with_what_is_sealed(void **state) {
  (void)state;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_sealing sealing;
  roof_sealings sealed = {0};
  roof_text text = {0};
  const roof_target two[] = {target, target};
  roof_op_defaults(gemm, values);
  values[0] = values[1] = values[2] = 4096;
  roof_predict(&target, gemm, values, &p);
  assert_int_equal(roof_predictions_write(two, 2, gemm, values, NULL, &text, NULL), ROOF_OK);
  json_t *document = json_loads(text.data, 0, NULL);
  assert_string_equal(json_string_value(json_object_get(document, "schema")), "roofline.predictions/1");
  assert_int_equal(json_array_size(json_object_get(document, "predictions")), 2);
  json_decref(document);
  text.length = 0;
  assert_int_equal(roof_sealing_of(&target, gemm, values, &p, &sealing, NULL), ROOF_OK);
  assert_int_equal(roof_sealing_name(&sealing, "ffn", NULL), ROOF_OK);
  assert_int_equal(roof_sealings_add(&sealed, &sealing, NULL), ROOF_OK);
  assert_int_equal(roof_predictions_write(two, 1, gemm, values, &sealed, &text, NULL), ROOF_OK);
  document = json_loads(text.data, 0, NULL);
  assert_string_equal(json_string_value(json_object_get(document, "schema")), "roofline.prediction/1");
  assert_string_equal(json_string_value(json_object_get(document, "label")), "ffn");
  json_decref(document);
  roof_sealings_done(&sealed);
  roof_text_done(&text);
}

static void units_and_formats_that_are_none_are_refused(void **state) {
  (void)state;
  roof_options options = roof_options_default();
  roof_types types = roof_types_of(ROOF_FP16);
  roof_target other;
  roof_error error;
  for (options.unit = -2; options.unit <= (int)ROOF_UNIT_COUNT; options.unit++) {
    bool is_one = options.unit >= -1 && options.unit < (int)ROOF_UNIT_COUNT;
    assert_int_equal(roof_target_init(&other, h100, &types, &options, &error),
                     is_one ? ROOF_OK : ROOF_E_ARGUMENT);
  }
  options.unit = -1;
  types.kv = ROOF_DTYPE_COUNT;
  assert_int_equal(roof_target_init(&other, h100, &types, &options, &error), ROOF_E_ARGUMENT);
}

static void values_out_of_range_are_refused(void **state) {
  (void)state;
  const roof_options options = roof_options_default();
  const roof_types types = roof_types_of(ROOF_FP16);
  static const double groups[] = {-3, 0.1, NAN}, bytes[] = {-1, NAN, INFINITY};
  roof_target other;
  for (size_t i = 0; i < 3; i++) {
    roof_types group = types, weight = types;
    group.group = groups[i];
    weight.weight_bytes = bytes[i];
    assert_int_equal(roof_target_init(&other, h100, &group, &options, NULL), ROOF_E_ARGUMENT);
    assert_int_equal(roof_target_init(&other, h100, &weight, &options, NULL), ROOF_E_ARGUMENT);
  }
  roof_options both = options, endless = options;
  both.warm = both.cold = true;
  endless.launch = INFINITY;
  assert_int_equal(roof_target_init(&other, h100, &types, &both, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(roof_target_init(&other, h100, &types, &endless, NULL), ROOF_E_ARGUMENT);
}

/** What a level without a bandwidth supplies takes a time that is not known, not none. */
static void bytes_of_unknown_bandwidth_are_unknown(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  roof_target other;
  roof_prediction p;
  double values[ROOF_PARAM_MAX], bandwidth = h100->levels[0].bytes_per_second;
  h100->levels[0].bytes_per_second = NAN;
  assert_int_equal(roof_target_init(&other, h100, &types, &options, NULL), ROOF_OK);
  roof_op_defaults(gemm, values);
  values[0] = values[1] = values[2] = 64;
  roof_predict(&other, gemm, values, &p);
  assert_true(isnan(p.lower_seconds) && isnan(p.expected_seconds) && isnan(p.upper_seconds));
  assert_int_equal(roof_prediction_bounds(&other, &p, NULL), ROOF_E_UNSUPPORTED);
  assert_int_equal(roof_prediction_check(&other, &p, NULL), ROOF_E_UNSUPPORTED);
  h100->levels[0].bytes_per_second = bandwidth;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_gemm_is_compute_bound),
      cmocka_unit_test(skinny_and_small_gemms),
      cmocka_unit_test(what_binds_has_a_name),
      cmocka_unit_test(critical_batch),
      cmocka_unit_test(escape_from_overhead),
      cmocka_unit_test(one_parameter_at_any_value),
      cmocka_unit_test(vector_lanes_of_an_unknown_peak_are_no_lack),
      cmocka_unit_test(a_prediction_is_written_as_its_document),
      cmocka_unit_test(the_side_is_that_of_the_level_that_binds),
      cmocka_unit_test(predictions_are_written_with_what_is_sealed),
      cmocka_unit_test(units_and_formats_that_are_none_are_refused),
      cmocka_unit_test(values_out_of_range_are_refused),
      cmocka_unit_test(bytes_of_unknown_bandwidth_are_unknown),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
