/** One operation over the points of a shape: where the regime changes along each axis. */
#ifndef ROOFLINE_SWEEP_H
#define ROOFLINE_SWEEP_H

#include "roofline/crossing.h"
#include "roofline/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Receives a crossing on the line of points that begins at point `start`; false: no more are wanted. */
typedef bool roof_crossing_visit(void *context, size_t start, const roof_crossing *crossing);

/** Visits, line by line along `axis`, every change of regime between neighbouring points and the crossing of compute
 *  and memory time, in the order of the axis. An axis that does not count has none.
 *
 *  Units: the parameters'.
 *  Ownership: keeps nothing; `regimes` has the roof_regime of every point of `shape` on `target`, a byte each.
 *  Errors: false when `visit` wanted no more. */
ROOF_API bool roof_sweep_crossings(const roof_target *target, const roof_shape *shape, int axis,
                                   const unsigned char *regimes, roof_crossing_visit *visit, void *context);

#ifdef __cplusplus
}
#endif
#endif
