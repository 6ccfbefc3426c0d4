/** One figure of a machine as some of its cores have it. */
#ifndef CORE_CORES_H
#define CORE_CORES_H

#include "roofline/machine.h"

/** Turns a peak of all cores of `machine` into that of `cores` of them; as roof_machine_for_cores, 0: all. */
void rf_cores_peak(const roof_machine *machine, int cores, roof_peak *peak);

/** The same for a level. */
void rf_cores_level(const roof_machine *machine, int cores, roof_level *level);

#endif
