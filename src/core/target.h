/** What predictions ask of a target besides its figures. */
#ifndef CORE_TARGET_H
#define CORE_TARGET_H

#include "roofline/predict.h"

/** The level before the memory; NULL: there is none beyond the first caches, or its size is not known. */
const roof_level *rf_last_cache(const roof_target *target);

#endif
