/** Levers after they were found. */
#ifndef ADVISE_LEVERS_H
#define ADVISE_LEVERS_H

#include "roofline/advise.h"

/** Largest gain first; what makes it fit at all before everything. */
void rf_levers_sort(roof_lever *levers, size_t count);

/** Counters show a device that works only `busy` of the time: what makes the kernel faster brings less, fewer
 * launches bring up to the rest. */
void rf_levers_starve(roof_lever *levers, size_t count, double busy);

#endif
