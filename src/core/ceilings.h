/** What the hardware allows of a figure: a datasheet's, or the physical limit of a measured one. */
#ifndef CORE_CEILINGS_H
#define CORE_CEILINGS_H

#include "roofline/place.h"

/** Takes the peaks of such formats: of what is multiplied those that operands have which are scaled so. */
roof_status rf_ceilings_take(roof_ceilings *ceilings, const roof_types *types, roof_error *error);

/** FLOP/s; NaN where only a measured figure is known. */
double rf_peak_limit(const roof_peak *peak);

/** As roof_level_costs; NaN where only measured figures are known. */
void rf_level_limit(const roof_level *level, double costs[ROOF_MIX_COUNT]);

/** True for a row that says how long a load from the level takes and nothing else: predictions have no use for it. */
bool rf_level_is_latency(const roof_level *level);

#endif
