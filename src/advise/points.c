#include "roofline/points.h"

#include <math.h>
#include <stdio.h>

#define NO_LEVEL 255

/** Completed values of point `index`. */
static roof_status complete(const roof_op *op, const roof_column *columns, const double *defaults,
                            size_t index, double *values, roof_error *error) {
  for (int i = 0; i < roof_op_param_count(op); i++) {
    const roof_column *c = &columns[i];
    double given = c->values != NULL ? c->values[index * c->stride] : NAN;
    values[i] = isnan(given) ? defaults[i] : given;
  }
  return roof_op_complete(op, values, error);
}

static void keep(const roof_points *out, size_t index, const roof_prediction *p) {
#define ROOF_POINT_KEEP(symbol, member)                                                                      \
  if (out->figures[symbol] != NULL) {                                                                        \
    out->figures[symbol][index] = p->member;                                                                 \
  }
  ROOF_POINT_MAP(ROOF_POINT_KEEP)
#undef ROOF_POINT_KEEP
  if (out->regimes != NULL) {
    out->regimes[index] = (unsigned char)p->regime;
  }
  if (out->bindings != NULL) {
    out->bindings[index] = p->binding != NULL ? (unsigned char)p->binding->level : NO_LEVEL;
  }
}

/** Says of which point an error is, where there are several. */
static roof_status refuse(size_t index, size_t count, roof_status status, const roof_error *why,
                          roof_error *error) {
  return count > 1 ? roof_error_set(error, status, "point %zu: %s", index, why->message)
                   : roof_error_set(error, status, "%s", why->message);
}

roof_status roof_points_predict(const roof_target *target, const roof_op *op, const roof_column *columns,
                                size_t count, const roof_points *out, roof_error *error) {
  double defaults[ROOF_PARAM_MAX], values[ROOF_PARAM_MAX];
  roof_error why;
  roof_op_defaults(op, defaults);
  for (size_t i = 0; i < count; i++) {
    roof_prediction p;
    roof_status status = complete(op, columns, defaults, i, values, &why);
    if (status == ROOF_OK) {
      roof_predict(target, op, values, &p);
      status = roof_prediction_bounds(target, &p, &why);
    }
    if (status != ROOF_OK) {
      return refuse(i, count, status, &why, error);
    }
    keep(out, i, &p);
  }
  return ROOF_OK;
}
