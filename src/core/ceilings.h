/** What the hardware allows of a figure: a datasheet's, or the physical limit of a measured one. */
#ifndef CORE_CEILINGS_H
#define CORE_CEILINGS_H

#include "roofline/predict.h"

/** FLOP/s; NaN where only a measured figure is known. */
double rf_peak_limit(const roof_peak *peak);

/** As roof_level_costs; NaN where only measured figures are known. */
void rf_level_limit(const roof_level *level, double costs[ROOF_MIX_COUNT]);

/** True for a row that says how long a load from the level takes and nothing else: predictions have no use for it. */
bool rf_level_is_latency(const roof_level *level);

#endif
