/* Which level data are kept in: square tiles, and working sets that are warm. */
#include "test.h"

#include "roofline/catalog.h"
#include "roofline/ops.h"
#include "roofline/predict.h"

static const char *const machines[] = {"h100", "a100", "mi300x", "amd-epyc-9654", "raspberry-pi-5"};
enum { MACHINES = sizeof machines / sizeof machines[0] };

static roof_prediction predict(const roof_machine *machine, roof_dtype dtype, const roof_options *options,
                               const char *name, double size) {
  const roof_op *op = NULL;
  roof_types types = roof_types_of(dtype);
  roof_target target;
  roof_prediction p;
  double values[ROOF_PARAM_MAX];
  assert_int_equal(roof_target_init(&target, machine, &types, options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  roof_op_defaults(op, values);
  for (int i = 0; i < 3 && i < roof_op_param_count(op); i++) {
    values[i] = size;
  }
  roof_predict(&target, op, values, &p);
  return p;
}

/** The outermost level that supplies bytes. */
static const char *source_of(const roof_prediction *p) {
  const char *name = "";
  for (int i = 0; i < p->level_count; i++) {
    name = p->levels[i].bytes > 0 ? p->levels[i].level->name : name;
  }
  return name;
}

static void no_level_supplies_more_than_the_one_inside_it(void **state) {
  (void)state;
  for (int m = 0; m < MACHINES; m++) {
    roof_machine *machine = NULL;
    assert_int_equal(roof_catalog_load(machines[m], &machine, NULL), ROOF_OK);
    roof_options options = roof_options_default();
    roof_prediction before = {.level_count = 0};
    for (double tile = 1; tile < 1e5; tile = floor(tile * 1.07 + 1)) {
      options.tile = tile;
      roof_prediction p = predict(machine, ROOF_FP32, &options, "gemm", 4096);
      for (int i = 0; i < p.level_count; i++) {
        if (i > 0 && p.levels[i].bytes > p.levels[i - 1].bytes) {
          fail_msg("%s, tile %g: %s supplies %g, inside it %g", machines[m], tile, p.levels[i].level->name,
                   p.levels[i].bytes, p.levels[i - 1].bytes);
        }
        if (before.level_count > 0 && p.levels[i].bytes > before.levels[i].bytes) {
          fail_msg("%s: a larger tile, %g, asks more of %s", machines[m], tile, p.levels[i].level->name);
        }
      }
      before = p;
    }
    roof_machine_free(machine);
  }
}

static void a_tile_that_does_not_fit_is_kept_further_out(void **state) {
  (void)state;
  roof_machine *h100 = NULL;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  static const struct {
    double tile;
    const char *keeps, *too_small;
  } cases[] = {
      {0, "", ""}, {128, "registers", ""}, {256, "L2", "L1/shared"}, {1e5, "HBM", "L2"}, {1e9, "", "HBM"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_types half = roof_types_of(ROOF_FP16);
    roof_options options = roof_options_default();
    roof_target target;
    options.tile = cases[i].tile;
    assert_int_equal(roof_target_init(&target, h100, &half, &options, NULL), ROOF_OK);
    roof_tile_fit fit = roof_target_tile(&target);
    assert_string_equal(fit.keeps != NULL ? fit.keeps->name : "", cases[i].keeps);
    assert_string_equal(fit.too_small != NULL ? fit.too_small->name : "", cases[i].too_small);
    assert_true(fit.too_small == NULL || fit.largest < cases[i].tile);
  }
  roof_options options = roof_options_default();
  options.tile = 256;
  assert_int_equal(predict(h100, ROOF_FP16, &options, "gemm", 4096).regime, ROOF_COMPUTE_BOUND);
  roof_machine_free(h100);
}

static void warm_data_fit_one_instance_or_parts_of_all(void **state) {
  (void)state;
  static const struct {
    const char *machine, *op;
    double size;
    const char *source;
  } cases[] = {{"a100", "gemm", 128, "L1/shared"}, /* 192 KiB, one L1 */
               {"a100", "gemm", 256, "L2"},        /* 768 KiB */
               {"a100", "gemm", 512, "L2"},        /* 3 MiB; all L1 together have 20 MiB */
               {"a100", "gemm", 4096, "HBM"},
               {"a100", "triad", 1e6, "L2"},           /* 12 MB: a launch hands it out anew */
               {"amd-epyc-9654", "triad", 1e6, "L2"},  /* 12 MB over 96 L2 of 1 MiB */
               {"amd-epyc-9654", "gemm", 1000, "L3"}}; /* 12 MB that all cores read */
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_machine *machine = NULL;
    assert_int_equal(roof_catalog_load(cases[i].machine, &machine, NULL), ROOF_OK);
    bool processor =
        strcmp(machine->device_class, "cpu") == 0; /* only the sizes of its caches are published */
    for (int k = 0; k < machine->level_count && processor; k++) {
      roof_level *level = &machine->levels[k];
      level->bytes_per_second = isnan(level->bytes_per_second) ? 1e13 : level->bytes_per_second;
    }
    roof_options options = roof_options_default();
    options.warm = true;
    roof_prediction p = predict(machine, ROOF_FP32, &options, cases[i].op, cases[i].size);
    if (strcmp(source_of(&p), cases[i].source) != 0) {
      fail_msg("%s %s %g: from %s, not %s", cases[i].machine, cases[i].op, cases[i].size, source_of(&p),
               cases[i].source);
    }
    roof_machine_free(machine);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_level_supplies_more_than_the_one_inside_it),
      cmocka_unit_test(a_tile_that_does_not_fit_is_kept_further_out),
      cmocka_unit_test(warm_data_fit_one_instance_or_parts_of_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
