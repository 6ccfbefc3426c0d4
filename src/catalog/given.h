/** A machine of two figures, without a file. */
#ifndef CATALOG_GIVEN_H
#define CATALOG_GIVEN_H

#include <stdbool.h>

#include "roofline/machine.h"

/** Whether a name is figures: it begins with "peak=" or "bandwidth=". */
bool rf_catalog_is_given(const char *name);

/** Makes the machine of "peak=19.5TFLOP/s bandwidth=2039GB/s"; "peak=fp16:312TFLOP/s" is one format's, a peak without a
 *  format that of all others.
 *  Units: as roof_machine. Ownership: *machine, set on success only, is the caller's. Errors: ROOF_E_PARSE,
 *  ROOF_E_ARGUMENT, ROOF_E_NAME, ROOF_E_MEMORY. */
roof_status rf_catalog_load_given(const char *name, roof_machine **machine, roof_error *error);

#endif
