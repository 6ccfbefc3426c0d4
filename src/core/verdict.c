#include "roofline/place.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

/** The convention and the published measurements that it is held against are in docs/verdicts.md. */
static const roof_verdict bands[] = {
    {0, "bug",
     "under half of the ceiling: a bug in the kernel, the shape or the measurement until shown otherwise"},
    {0.50, "low", "below the usual 65 to 85 %: look for the cause of the gap"},
    {0.65, "normal", "where well-made kernels land"},
    {0.85, "good", "close to the ceiling: little is left to win without changing the algorithm"},
    {0.90, "remeasure",
     "suspiciously close to the ceiling: measure again; data in a cache, a higher clock or work counted "
     "twice look so"},
    {1 + DBL_EPSILON, "explain", "above the ceiling: the ceiling, the work counted or the time is wrong"},
};

/** Against a ceiling that a benchmark reached, kernels stand higher. */
static const roof_verdict achieved_bands[] = {
    {0, "bug",
     "under half of what a benchmark reaches: a bug in the kernel, the shape or the measurement until shown "
     "otherwise"},
    {0.50, "low", "below the usual 70 to 90 %: look for the cause of the gap"},
    {0.70, "normal", "where well-made kernels land"},
    {0.90, "done", "as good as the benchmark: only another roof brings more"},
    {1 + DBL_EPSILON, "explain",
     "faster than the benchmark: the ceiling, the work counted or the time is wrong"},
};

static const struct {
  const roof_verdict *bands;
  size_t count;
} bases[ROOF_BASIS_COUNT] = {
    [ROOF_THEORETICAL] = {bands, sizeof bands / sizeof bands[0]},
    [ROOF_ACHIEVED] = {achieved_bands, sizeof achieved_bands / sizeof achieved_bands[0]},
};

const roof_verdict *roof_verdict_on(roof_basis basis, double share) {
  if (!(share >= 0)) {
    return NULL;
  }
  size_t i = bases[basis].count - 1;
  while (share < bases[basis].bands[i].from) {
    i--;
  }
  return &bases[basis].bands[i];
}

/** What takes the time of work that is bound by its launches is no ceiling. */
static const roof_verdict of_launches = {
    0, "overhead",
    "launching takes the time, not a ceiling: only fewer or larger launches make it faster; far above their "
    "cost, count the launches and the host's time"};

/** Slow, as the prediction said. */
static const roof_verdict as_foreseen = {0, "expected",
                                         "as predicted: its algorithm and its size limit it, so only another "
                                         "one of them is much faster"};

/** Faster than the prediction's interval. */
static const roof_verdict beyond_foreseen = {
    0, "faster", "nine in ten like it take longer: data may be kept from before, or work counted twice"};

/** As "remeasure", without the caches: arithmetic does not come from them. */
static const roof_verdict of_arithmetic = {
    0.90, "remeasure",
    "suspiciously close to the ceiling: measure again; a higher clock or work counted twice look so"};

/** A band of either basis. */
static bool is_band(const roof_verdict *found, const char *name) {
  return found != NULL && strcmp(found->name, name) == 0;
}

const roof_verdict *roof_verdict_in(roof_regime regime, const roof_verdict *found) {
  bool lands = is_band(found, "normal") || is_band(found, "good");
  if (regime == ROOF_OVERHEAD_BOUND && found != NULL && !lands && !is_band(found, "explain")) {
    return &of_launches;
  }
  return regime == ROOF_COMPUTE_BOUND && is_band(found, "remeasure") ? &of_arithmetic : found;
}

const roof_verdict *roof_verdict_heed(const roof_verdict *found, double share, double seconds, double fastest,
                                      double slowest) {
  bool slow = is_band(found, "bug") || is_band(found, "low");
  bool lands = is_band(found, "normal") || is_band(found, "good");
  bool below = lands && share * seconds < found->from * fastest; /* what was predicted is of a lower band */
  if ((slow || below) && seconds < fastest) {
    return &beyond_foreseen;
  }
  return slow && seconds <= slowest ? &as_foreseen : found;
}
