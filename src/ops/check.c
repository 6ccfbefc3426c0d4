#include "ops/check.h"

#include <math.h>

static roof_status refuse(const roof_op *op, const double *values, int part, const char *why, int whole,
                          roof_error *error) {
  return roof_error_set(error, ROOF_E_ARGUMENT, "%s: %s=%.0f %s %s=%.0f", op->name, op->params[part].name,
                        values[part], why, op->params[whole].name, values[whole]);
}

roof_status rf_check_divides(const roof_op *op, const double *values, int part, int whole,
                             roof_error *error) {
  return fmod(values[whole], values[part]) == 0 ? ROOF_OK
                                                : refuse(op, values, part, "must divide", whole, error);
}

roof_status rf_check_at_most(const roof_op *op, const double *values, int part, int whole,
                             roof_error *error) {
  return values[part] <= values[whole] ? ROOF_OK : refuse(op, values, part, "is more than", whole, error);
}

roof_status rf_check_halves(const roof_op *op, const double *values, int out, int gated, roof_error *error) {
  return values[gated] == 0 || fmod(values[out], 2) == 0
             ? ROOF_OK
             : refuse(op, values, out, "is odd, without the two halves of", gated, error);
}
