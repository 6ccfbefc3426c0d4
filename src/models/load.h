/** The parts that the time of a step is the sum of, each for itself. */
#ifndef MODELS_LOAD_H
#define MODELS_LOAD_H

#include "models/step.h"
#include "roofline/load.h"

/** Seconds to expect of what grows with `extent` alone; `scratch` is left with no phase in it. Offloaded weights are in
 *  MODEL_OF_ALL alone: what hides of their transfer is no part of a sum. */
double rf_model_load_seconds(const roof_model_target *target, const roof_load *load, model_extent extent,
                             roof_model_phase *scratch);

#endif
