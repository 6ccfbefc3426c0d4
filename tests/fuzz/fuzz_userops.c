/* Reads user operations from any bytes; those that are read must predict without a negative or infinite count
 * on shapes that they accept. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "roofline/catalog.h"

static void use(const roof_op *op) {
  static const double sizes[] = {1, 7, 4096, 0x1p53};
  roof_types types = roof_types_of(ROOF_FP16);
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    double values[ROOF_PARAM_MAX];
    roof_op_defaults(op, values);
    for (int i = 0; i < roof_op_param_count(op); i++) {
      values[i] = isnan(values[i]) && op->params[i].same_as == NULL ? sizes[s] : values[i];
    }
    roof_work work;
    roof_work_init(&work);
    bool accepted = roof_op_complete(op, values, NULL) == ROOF_OK;
    op->work(op, values, &types, &work);
    if (accepted && !(work.flops >= 0 && work.read_bytes >= 0 && work.write_bytes >= 0 &&
                      isfinite(work.flops + work.read_bytes + work.write_bytes))) {
      abort();
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  roof_userops ops;
  if (roof_userops_read((const char *)data, size, "fuzz", &ops, NULL) == ROOF_OK) {
    for (size_t i = 0; i < ops.count; i++) {
      use(&ops.ops[i]);
    }
    roof_userops_done(&ops);
  }
  return 0;
}
