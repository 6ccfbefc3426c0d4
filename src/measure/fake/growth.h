/** What `measure` finds beyond single figures, of a scripted machine. */
#ifndef MEASURE_FAKE_GROWTH_H
#define MEASURE_FAKE_GROWTH_H

#include "measure/fake/script.h"
#include "roofline/report.h"

/** Adds ceilings by cores, the curve, the sweep of intensity and divisions, as far as the script has them.
 *  Units: SI. Ownership: copies. Errors: none; what there is no memory for is left out. */
void rf_fake_add_growth(roof_machine *machine, const rf_script *script, const char *source);

#endif
