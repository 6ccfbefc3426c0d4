/** Verdicts: what a measured share of the ceiling means. */
#ifndef ROOFLINE_ADVISE_H
#define ROOFLINE_ADVISE_H

#include "roofline/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One band of measured / attainable, from `from` to the next row's. */
typedef struct roof_verdict {
  double from;
  const char *name;    /**< bug, low, normal, good, remeasure, impossible */
  const char *meaning; /**< one sentence */
} roof_verdict;

/** The band of a fraction of the ceiling (lower bound / measured time): under 0.50 a bug, 0.65 to 0.85
 * normal, over 0.90 measure again, over 1 explain. Source: the roofline bands of seed material, see
 * docs/verdicts.md. Units: a ratio. Ownership: static. Errors: NULL for NaN or a negative fraction. */
ROOF_API const roof_verdict *roof_verdict_of(double fraction);

#ifdef __cplusplus
}
#endif
#endif
