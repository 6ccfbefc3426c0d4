/** Tables of the operations room. */
#ifndef OPS_OPS_H
#define OPS_OPS_H

#include "roofline/ops.h"

/** One family of operations: `src/ops/NAME.c` exports `const rf_op_family roof_family_NAME`. */
typedef struct rf_op_family {
  const roof_op *ops;
  int count;
} rf_op_family;

/** Whether a value divides another: heads are in groups of one size. */
roof_status rf_check_divides(const roof_op *op, const double *values, int part, int whole, roof_error *error);

/** Whether a value is at most another. */
roof_status rf_check_at_most(const roof_op *op, const double *values, int part, int whole, roof_error *error);

/** Whether the results of a gated unit have two halves. */
roof_status rf_check_halves(const roof_op *op, const double *values, int out, int gated, roof_error *error);

#endif
