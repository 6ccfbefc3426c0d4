/* What a transfer between two ranks has of a collective's times, and what it has not. */
#include "test.h"

#include "roofline/catalog.h"
#include "roofline/effects.h"
#include "roofline/ops.h"
#include "roofline/shape.h"

/** Seconds on H200 with a pipeline that takes `fill` seconds until it is full. */
static double seconds_of(const char *name, const char *shape, double fill) {
  roof_machine *h200 = NULL;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  assert_int_equal(roof_catalog_load("h200", &h200, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, h200, &types, &options, NULL), ROOF_OK);
  target.forms[ROOF_KERNEL_COLLECTIVE].values[ROOF_SPLIT_SECONDS] = fill;
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, shape, values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  roof_machine_free(h200);
  return p.expected_seconds;
}

/** Chunks are handed on from rank to rank, or copied next to those sent; of a buffer for one other rank neither. */
static void a_send_fills_no_pipeline(void **state) {
  (void)state;
  assert_true(seconds_of("sendrecv", "size=64M", 1e-5) == seconds_of("sendrecv", "size=64M", 0));
  assert_true(seconds_of("allreduce", "size=64M ranks=2", 1e-5) >
              seconds_of("allreduce", "size=64M ranks=2", 0) + 9e-6);
  assert_true(seconds_of("alltoall", "size=64M ranks=2", 1e-5) >
              seconds_of("alltoall", "size=64M ranks=2", 0) + 9e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_send_fills_no_pipeline)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
