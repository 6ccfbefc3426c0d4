/** Verdicts: what a measured share of the ceiling means. */
#ifndef ROOFLINE_ADVISE_H
#define ROOFLINE_ADVISE_H

#include "roofline/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One band of lower bound / measured time, from `from` to the next row's. */
typedef struct roof_verdict {
  double from;
  const char *name;    /**< bug, low, normal, good, remeasure, explain */
  const char *meaning; /**< a clause that follows the name */
} roof_verdict;

/** The band of a fraction of the ceiling (lower bound / measured time): under 0.50 bug, to 0.65 low, to 0.85
 *  normal, to 0.90 good, to 1 remeasure, over 1 explain; a threshold belongs to the band above it, 1 to
 *  remeasure. Units: a ratio. Ownership: static. Errors: NULL for NaN or a negative fraction. */
ROOF_API const roof_verdict *roof_verdict_of(double fraction);

#ifdef __cplusplus
}
#endif
#endif
