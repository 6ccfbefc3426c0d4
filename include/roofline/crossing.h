/** Where a prediction changes sides as one parameter grows.
 *
 *  Example:
 *    extern const roof_target *target; // by roof_target_init
 *    const roof_op *op;
 *    double typed[ROOF_PARAM_MAX];
 *    roof_crossing crossing;
 *    if (roof_op_find("linear", &op, NULL) == ROOF_OK &&
 *        roof_shape_values(op, "batch=1 in=4096 out=4096", typed, NULL) == ROOF_OK) {
 *      roof_crossing_critical(target, op, typed, roof_op_param_index(op, "batch"), &crossing);
 *      printf("compute-bound from batch=%g\n", crossing.at);
 *    } */
#ifndef ROOFLINE_CROSSING_H
#define ROOFLINE_CROSSING_H

#include "roofline/predict.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct roof_crossing {
  int param;
  double value; /**< exact, a real number; NaN: never */
  double at;    /**< first whole value that is on the new side itself; NaN: never */
  roof_regime from;
  roof_regime to;
  roof_regime there; /**< at `at`: when not `to`, overhead, network or capacity hides the crossing */
  char why[192];
} roof_crossing;

/** Where the compute time and the memory time are first equal as parameter `param` grows from 1, or why never.
 *  `typed` as roof_predict_at takes it (NaN follows another parameter).
 *  Units: the parameter's.
 *  Ownership: fills *out.
 *  Errors: value and at NaN, with the reason in `why`. */
ROOF_API void roof_crossing_critical(const roof_target *target, const roof_op *op, const double *typed,
                                     int param, roof_crossing *out);

/** The change of sides after `crossing` as its parameter grows on: intensity that rises may fall again.
 *  Units: the parameter's.
 *  Ownership: writes the next to *crossing; without one *crossing stays.
 *  Errors: false where there is none. */
ROOF_API bool roof_crossing_next(const roof_target *target, const roof_op *op, const double *typed,
                                 roof_crossing *crossing);

/** Where the regime at `low` ends on the way to `high`, at which it is another.
 *  Units: the parameter's.
 *  Ownership: fills *out.
 *  Errors: none. */
ROOF_API void roof_crossing_between(const roof_target *target, const roof_op *op, const double *typed,
                                    int param, double low, double high, roof_crossing *out);

/** Appends "compute-bound from NAME=310 (exactly 309.699)", or why never.
 *  Units: the parameter's.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_crossing_write(roof_text *out, const char *name, const roof_crossing *crossing);

#ifdef __cplusplus
}
#endif
#endif
