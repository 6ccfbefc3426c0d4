/** One operation at many points at once, as arrays have them: a column of values for each parameter, a column of
 *  results for each figure that is asked for.
 *
 *  Example:
 *    extern const roof_target *target; // by roof_target_init
 *    const roof_op *gemm;
 *    double m[] = {1, 64, 4096}, size = 4096, seconds[3];
 *    unsigned char regimes[3];
 *    if (roof_op_find("gemm", &gemm, NULL) == ROOF_OK) {
 *      roof_column columns[ROOF_PARAM_MAX] = {{m, 1}, {&size, 0}, {&size, 0}};
 *      roof_points out = {.regimes = regimes};
 *      out.figures[ROOF_POINT_EXPECTED_SECONDS] = seconds;
 *      if (roof_points_predict(target, gemm, columns, 3, &out, NULL) == ROOF_OK) {
 *        printf("%g s, %s\n", seconds[2], roof_regime_name((roof_regime)regimes[2]));
 *      }
 *    } */
#ifndef ROOFLINE_POINTS_H
#define ROOFLINE_POINTS_H

#include <stddef.h>

#include "roofline/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, member of roof_prediction): the figures that are numbers. */
#define ROOF_POINT_MAP(X)                                                                                    \
  X(ROOF_POINT_FLOPS, work.flops)                                                                            \
  X(ROOF_POINT_BYTES, bytes)                                                                                 \
  X(ROOF_POINT_INTENSITY, intensity)                                                                         \
  X(ROOF_POINT_RIDGE, ridge)                                                                                 \
  X(ROOF_POINT_ATTAINABLE, attainable)                                                                       \
  X(ROOF_POINT_COMPUTE_SECONDS, compute_seconds)                                                             \
  X(ROOF_POINT_MEMORY_SECONDS, memory_seconds)                                                               \
  X(ROOF_POINT_OVERHEAD_SECONDS, overhead_seconds)                                                           \
  X(ROOF_POINT_NETWORK_SECONDS, network_seconds)                                                             \
  X(ROOF_POINT_LOWER_SECONDS, lower_seconds)                                                                 \
  X(ROOF_POINT_UPPER_SECONDS, upper_seconds)                                                                 \
  X(ROOF_POINT_EXPECTED_SECONDS, expected_seconds)                                                           \
  X(ROOF_POINT_EXPECTED_LOW_SECONDS, expected_low_seconds)                                                   \
  X(ROOF_POINT_EXPECTED_HIGH_SECONDS, expected_high_seconds)                                                 \
  X(ROOF_POINT_ENERGY_JOULES, energy_joules)

typedef enum roof_point_figure {
#define ROOF_POINT_ENUM(symbol, member) symbol,
  ROOF_POINT_MAP(ROOF_POINT_ENUM)
#undef ROOF_POINT_ENUM
      ROOF_POINT_FIGURES
} roof_point_figure;

/** The values of one parameter: that of point i is values[i * stride]. `stride` 0: one value for all points; `values`
 *  NULL: the default, or what it follows. NaN is as NULL. */
typedef struct roof_column {
  const double *values;
  size_t stride;
} roof_column;

/** Where the results go, one of each point; NULL: not asked for. */
typedef struct roof_points {
  double *figures[ROOF_POINT_FIGURES];
  unsigned char *regimes;  /**< roof_regime */
  unsigned char *bindings; /**< roof_level_kind of the level that gives the memory time; 255: none does */
} roof_points;

/** Predicts `count` points of `op`, one after another, on one core.
 *  Units: the parameters'; s, bytes, FLOP, FLOP/s, FLOP/byte, J.
 *  Ownership: `columns` has one for each parameter of `op`, in its order; fills the caller's arrays, on failure those
 *  of the points before.
 *  Errors: as roof_op_complete and roof_target_supports, naming the point, from 0. */
ROOF_API roof_status roof_points_predict(const roof_target *target, const roof_op *op,
                                         const roof_column *columns, size_t count, const roof_points *out,
                                         roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
