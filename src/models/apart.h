/** Two pools compared. */
#ifndef MODELS_APART_H
#define MODELS_APART_H

#include "roofline/apart.h"

/** Whether two pools come before others: those whose queue does not grow at the slow end of their range; of such the cheaper per
 *  token, without prices fewer devices, or as many that generate more. */
bool rf_apart_is_better(const roof_apart *apart, const roof_apart *than);

#endif
