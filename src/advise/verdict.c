#include "roofline/advise.h"

#include <float.h>
#include <stddef.h>

/** The convention and the published measurements that it is held against are in docs/verdicts.md. */
static const roof_verdict bands[] = {
    {0, "bug",
     "under half of the ceiling: a bug in the kernel, the shape or the measurement until shown otherwise"},
    {0.50, "low", "below the usual 65 to 85 %: look for the cause of the gap"},
    {0.65, "normal", "where well-made kernels land"},
    {0.85, "good", "close to the ceiling: little is left to win without changing the algorithm"},
    {0.90, "remeasure", "suspiciously close to the ceiling: measure again, a cache may serve the data"},
    {1 + DBL_EPSILON, "explain", "above the ceiling: the ceiling, the work counted or the time is wrong"},
};

const roof_verdict *roof_verdict_of(double fraction) {
  if (!(fraction >= 0)) {
    return NULL;
  }
  size_t i = sizeof bands / sizeof bands[0] - 1;
  while (fraction < bands[i].from) {
    i--;
  }
  return &bands[i];
}
