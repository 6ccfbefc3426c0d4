/* Where the regime changes along the axes of a shape. */
#include "test.h"

#include <stdlib.h>

#include "roofline/catalog.h"
#include "roofline/ops.h"
#include "roofline/sweep.h"

typedef struct seen {
  int count, wanted;
  size_t starts[8];
  roof_crossing crossings[8];
} seen;

static bool keep(void *context, size_t start, const roof_crossing *crossing) {
  seen *s = context;
  s->starts[s->count] = start;
  s->crossings[s->count++] = *crossing;
  return s->count < s->wanted;
}

static seen sweep(const char *text, int axis, int wanted, bool *all) {
  seen s = {.wanted = wanted};
  roof_machine *h100 = NULL;
  const roof_op *op = NULL;
  roof_shape shape;
  roof_target target;
  unsigned char regimes[64];
  roof_types half = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, h100, &half, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_parse_text(&shape, op, text, NULL), ROOF_OK);
  for (size_t i = 0; i < shape.points; i++) {
    double values[ROOF_PARAM_MAX];
    roof_prediction p;
    assert_int_equal(roof_shape_point(&shape, i, values, NULL), ROOF_OK);
    roof_predict(&target, shape.op, values, &p);
    regimes[i] = (unsigned char)p.regime;
  }
  *all = roof_sweep_crossings(&target, &shape, axis, regimes, keep, &s);
  roof_shape_done(&shape);
  roof_machine_free(h100);
  return s;
}

static void a_line_has_its_crossings_in_order(void **state) {
  (void)state;
  bool all = false;
  seen s = sweep("m=1,64,8192 n=28672 k=8192", 0, 8, &all);
  assert_true(all);
  assert_int_equal(s.count, 1);
  assert_int_equal(s.crossings[0].from, ROOF_MEMORY_BOUND);
  assert_int_equal(s.crossings[0].to, ROOF_COMPUTE_BOUND);
  assert_near(s.crossings[0].at, 310, 1e-12);
  s = sweep("m=1,4096 n=64 k=4096", 0, 8, &all);
  assert_true(s.count >= 2); /* out of the overhead too */
  for (int i = 1; i < s.count; i++) {
    assert_false(s.crossings[i].value < s.crossings[i - 1].value);
  }
}

static void each_line_of_an_axis_is_walked(void **state) {
  (void)state;
  bool all = false;
  seen s = sweep("m=64,8192 n=28672,14336 k=8192", 0, 8, &all);
  assert_int_equal(s.count, 2);
  assert_true(s.starts[0] == 0 && s.starts[1] == 1);
  s = sweep("m=64,8192 n=28672,14336 k=8192", 0, 1, &all);
  assert_false(all);
  assert_int_equal(s.count, 1);
  s = sweep("m=8192 n=28672 k=8192 beta=0,1", 0, 8, &all);
  assert_true(all && s.count == 0); /* beta does not count */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_has_its_crossings_in_order),
      cmocka_unit_test(each_line_of_an_axis_is_walked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
