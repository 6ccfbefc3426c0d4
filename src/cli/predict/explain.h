/** The arithmetic of a prediction, step by step with the numbers filled in. */
#ifndef CLI_PREDICT_EXPLAIN_H
#define CLI_PREDICT_EXPLAIN_H

#include "cli/cli.h"

void cli_explain_prediction(roof_text *out, const roof_target *target, const roof_op *op,
                            const double *values, const roof_prediction *prediction);

#endif
