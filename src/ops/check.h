/** How two values of an operation must fit. */
#ifndef OPS_CHECK_H
#define OPS_CHECK_H

#include "roofline/op.h"

/** Whether a value divides another: heads are in groups of one size. */
roof_status rf_check_divides(const roof_op *op, const double *values, int part, int whole, roof_error *error);

/** Whether a value is at most another. */
roof_status rf_check_at_most(const roof_op *op, const double *values, int part, int whole, roof_error *error);

/** Whether the results of a gated unit have two halves. */
roof_status rf_check_halves(const roof_op *op, const double *values, int out, int gated, roof_error *error);

#endif
