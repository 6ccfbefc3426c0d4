/** How often each expert is chosen, from a text. */
#ifndef WEIGHTS_EXPERTS_H
#define WEIGHTS_EXPERTS_H

#include "roofline/weights.h"

/** As roof_expert_shares_read; `path` is for errors. */
roof_status rf_experts_read(const char *text, const char *path, double shares[ROOF_EXPERT_SHARES_MAX],
                            int *count, roof_error *error);

#endif
