/** Two pools compared. */
#ifndef MODELS_APART_H
#define MODELS_APART_H

#include "roofline/apart.h"

/** Whether two pools cost less per token, without prices whether they are fewer devices, or as many that generate more. */
bool rf_apart_is_cheaper(const roof_apart *apart, const roof_apart *than);

#endif
