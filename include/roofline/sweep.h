/** One operation over the points of a shape on one or more machines: its points, and where the regime changes.
 *
 *  Example:
 *    extern const roof_shape *shape; // by roof_shape_parse
 *    extern const roof_target *target; // by roof_target_init
 *    roof_sweep sweep;
 *    roof_prediction p;
 *    double values[ROOF_PARAM_MAX];
 *    if (roof_sweep_init(&sweep, shape, target, 1, NULL) == ROOF_OK) {
 *      for (size_t i = 0; i < sweep.count && roof_sweep_point(&sweep, i, values, &p, NULL) == ROOF_OK; i++) {
 *        printf("%g s\n", p.expected_seconds);
 *      }
 *      roof_sweep_done(&sweep);
 *    } */
#ifndef ROOFLINE_SWEEP_H
#define ROOFLINE_SWEEP_H

#include "roofline/crossing.h"
#include "roofline/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Every point of a shape on every target, target by target. */
typedef struct roof_sweep {
  const roof_shape *shape;
  const roof_target *targets;
  int target_count;
  size_t count;           /**< points on all targets */
  unsigned char *regimes; /**< the roof_regime of each point that roof_sweep_point has predicted */
} roof_sweep;

/** Where the regime changes on a line of points. */
typedef struct roof_sweep_crossing {
  roof_crossing crossing;
  const roof_target *target;
  size_t start; /**< the shape's point at which the line begins */
  bool within;  /**< between the first and the last value of the line; else beyond, or never */
} roof_sweep_crossing;

/** Receives a crossing.
 *  Units: the parameters'.
 *  Ownership: `context` is the caller's; *crossing is gone afterwards.
 *  Errors: false: no more are wanted. */
typedef bool roof_crossing_visit(void *context, const roof_sweep_crossing *crossing);

/** Makes a sweep whose every point can be predicted on every target.
 *  Units: none.
 *  Ownership: keeps both pointers; fills *sweep on success only, release with roof_sweep_done.
 *  Errors: as roof_shape_point and roof_target_supports, ROOF_E_MEMORY. */
ROOF_API roof_status roof_sweep_init(roof_sweep *sweep, const roof_shape *shape, const roof_target *targets,
                                     int target_count, roof_error *error);

/** The target of point `index`.
 *  Units: none.
 *  Ownership: the sweep's.
 *  Errors: none. */
ROOF_API const roof_target *roof_sweep_target(const roof_sweep *sweep, size_t index);

/** Predicts point `index` and keeps its regime.
 *  Units: as roof_prediction.
 *  Ownership: fills `values` (ROOF_PARAM_MAX) and *prediction on success only.
 *  Errors: as roof_shape_point. */
ROOF_API roof_status roof_sweep_point(const roof_sweep *sweep, size_t index, double *values,
                                      roof_prediction *prediction, roof_error *error);

/** Visits, axis by axis and line by line, every change of regime between neighbouring points and the crossing of
 *  compute and memory time, in the order of the axis. An axis that does not count has none.
 *  Units: the parameters'.
 *  Ownership: keeps nothing; every point must have been predicted.
 *  Errors: false when `visit` wanted no more. */
ROOF_API bool roof_sweep_crossings(const roof_sweep *sweep, roof_crossing_visit *visit, void *context);

/** Appends the answer in a sentence: on one machine and one axis what binds at the first value and where that changes
 *  (at most 16 changes), else how many points are bound by what.
 *  Units: as printed.
 *  Ownership: appends to the caller's text; every point must have been predicted.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_sweep_sentence(roof_text *out, const roof_sweep *sweep);

/** Appends what every point shares: "in=4096 out=4096 in fp16".
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_sweep_fixed(roof_text *out, const roof_sweep *sweep);

/** Appends at most `most` crossings, a line each: the axis, where, why, and with which other values.
 *  Units: as printed.
 *  Ownership: appends to the caller's text; every point must have been predicted.
 *  Errors: false where there are more; a text that runs out of memory says so itself. */
ROOF_API bool roof_sweep_crossings_write(roof_text *out, const roof_sweep *sweep, size_t most);

/** The points that a table of at most `most` rows shows: all, else the ends, both sides of changes of regime, and
 *  some between.
 *  Units: none.
 *  Ownership: fills `rows` with indices in order; every point must have been predicted.
 *  Errors: none; returns how many there are. */
ROOF_API size_t roof_sweep_select(const roof_sweep *sweep, size_t *rows, size_t most);

/** Frees a sweep.
 *  Units: none.
 *  Ownership: releases what roof_sweep_init filled; not the shape and the targets.
 *  Errors: none. */
ROOF_API void roof_sweep_done(roof_sweep *sweep);

#ifdef __cplusplus
}
#endif
#endif
