/** Constants of kernels that a machine has from its family. */
#ifndef CATALOG_FAMILY_H
#define CATALOG_FAMILY_H

#include "roofline/machine.h"

/** Adds to a machine the constants that it does not have itself, as assumed ones: of its family, then of its class of
 * device (data/constants/FAMILY.KIND.json). */
roof_status rf_catalog_inherit(roof_machine *machine, roof_error *error);

#endif
