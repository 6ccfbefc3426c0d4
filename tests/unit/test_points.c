/* Many points of one operation, as arrays have them. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "roofline/catalog.h"
#include "roofline/ops.h"
#include "roofline/points.h"

enum { POINTS = 5 };

typedef struct case_of {
  roof_machine *machine;
  roof_target target;
  const roof_op *op;
} case_of;

static void begin(case_of *c, const char *machine, const char *op, roof_dtype dtype) {
  roof_types types = roof_types_of(dtype);
  roof_options options = roof_options_default();
  assert_int_equal(roof_catalog_load(machine, &c->machine, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&c->target, c->machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find(op, &c->op, NULL), ROOF_OK);
}

static void each_point_is_predicted_as_alone(void **state) {
  (void)state;
  case_of c;
  double results[ROOF_POINT_FIGURES][POINTS], m[2 * POINTS] = {1, 0, 16, 0, 256, 0, 4096, 0, 65536, 0},
                                                    k = 8192;
  unsigned char regimes[POINTS], bindings[POINTS];
  roof_points out = {.regimes = regimes, .bindings = bindings};
  begin(&c, "h100", "gemm", ROOF_FP16);
  for (int i = 0; i < ROOF_POINT_FIGURES; i++) {
    out.figures[i] = results[i];
  }
  const roof_column columns[ROOF_PARAM_MAX] = {{m, 2}, {&k, 0}, {&k, 0}};
  assert_int_equal(roof_points_predict(&c.target, c.op, columns, POINTS, &out, NULL), ROOF_OK);
  for (int i = 0; i < POINTS; i++) {
    double values[ROOF_PARAM_MAX] = {m[2 * i], k, k, 1, 0};
    roof_prediction p;
    roof_predict(&c.target, c.op, values, &p);
#define SAME(symbol, member) assert_memory_equal(&results[symbol][i], &p.member, sizeof p.member);
    ROOF_POINT_MAP(SAME)
    assert_int_equal(regimes[i], p.regime);
    assert_int_equal(bindings[i], p.binding->level);
  }
  assert_int_not_equal(regimes[0], regimes[POINTS - 1]);
  roof_machine_free(c.machine);
}

static void what_is_not_asked_for_is_not_written(void **state) {
  (void)state;
  case_of c;
  double n[] = {1024, 2048}, seconds[2];
  roof_points out = {0};
  begin(&c, "h100", "relu", ROOF_FP32);
  out.figures[ROOF_POINT_EXPECTED_SECONDS] = seconds;
  assert_int_equal(roof_points_predict(&c.target, c.op, &(roof_column){n, 1}, 2, &out, NULL), ROOF_OK);
  assert_true(seconds[0] > 0 && seconds[1] >= seconds[0]);
  roof_machine_free(c.machine);
}

static void an_error_names_its_point(void **state) {
  (void)state;
  case_of c;
  roof_error error;
  double m[] = {1, 2, 2.5}, k = 64, seconds[3] = {NAN, NAN, NAN};
  roof_column columns[ROOF_PARAM_MAX] = {{m, 1}, {&k, 0}, {&k, 0}};
  roof_points out = {0};
  begin(&c, "h100", "gemm", ROOF_FP16);
  out.figures[ROOF_POINT_LOWER_SECONDS] = seconds;
  assert_int_equal(roof_points_predict(&c.target, c.op, columns, 3, &out, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "point 2: "));
  assert_true(seconds[1] > 0 && isnan(seconds[2]));
  columns[1] = (roof_column){NULL, 0};
  assert_int_equal(roof_points_predict(&c.target, c.op, columns, 1, &out, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "n"));
  assert_null(strstr(error.message, "point"));
  roof_machine_free(c.machine);
}

static void a_format_that_the_machine_lacks_is_refused(void **state) {
  (void)state;
  case_of c;
  double size = 64;
  const roof_column columns[ROOF_PARAM_MAX] = {{&size, 0}, {&size, 0}, {&size, 0}};
  begin(&c, "v100", "gemm", ROOF_FP8);
  assert_int_equal(roof_points_predict(&c.target, c.op, columns, 2, &(roof_points){0}, NULL),
                   ROOF_E_UNSUPPORTED);
  roof_machine_free(c.machine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_point_is_predicted_as_alone),
      cmocka_unit_test(what_is_not_asked_for_is_not_written),
      cmocka_unit_test(an_error_names_its_point),
      cmocka_unit_test(a_format_that_the_machine_lacks_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
