/** Empty figures: every number NaN, every count 0, every text "". */
#ifndef CORE_FIGURES_H
#define CORE_FIGURES_H

#include "roofline/machine.h"

void rf_level_init(roof_level *level);
void rf_domain_init(roof_domain *domain);

#endif
