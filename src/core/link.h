/** Why a machine's devices cannot exchange anything, in words. */
#ifndef CORE_LINK_H
#define CORE_LINK_H

#include "core/number.h"
#include "roofline/predict.h"

enum { RF_LINK_LACK = 192 };

/** Why no link of the target joins so many devices: roof_target_link gave NULL. */
void rf_link_lack(const roof_target *target, double ranks, char *text, size_t size);

/** The most devices that one of the links joins, the one asked for where there is one. */
double rf_link_most(const roof_target *target);

/** Whether a link joins so many devices; NaN or 0: not known how many, any link does. */
bool rf_link_joins(const roof_link *link, double ranks);

/** Seconds of one message within a node: what the link's file says, else what its kind is assumed to take. */
double rf_link_latency(const roof_link *link);

#endif
