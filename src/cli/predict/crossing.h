/** Where a prediction changes sides as one parameter grows. */
#ifndef CLI_PREDICT_CROSSING_H
#define CLI_PREDICT_CROSSING_H

#include "cli/cli.h"

typedef struct cli_crossing {
  int param;
  double value; /**< exact, a real number; NaN: never */
  double at;    /**< first whole value of the new side; NaN: never */
  roof_regime from;
  roof_regime to;
  roof_regime
      there; /**< what binds at `at`: when not `to`, overhead, network or capacity hides the crossing */
  char why[192];
} cli_crossing;

/** Where the compute time and the memory time of `typed` values are equal as `param` grows from 1, or why
 *  never. */
void cli_crossing_critical(const roof_target *target, const roof_op *op, const double *typed, int param,
                           cli_crossing *out);

/** Where the regime `from` at `low` ends on the way to `high`, at which it is another. */
void cli_crossing_between(const roof_target *target, const roof_op *op, const double *typed, int param,
                          double low, double high, cli_crossing *out);

/** Appends "compute-bound from NAME=310 (exactly 309.699)", or why never. */
void cli_crossing_add(roof_text *out, const char *name, const cli_crossing *crossing);

#endif
