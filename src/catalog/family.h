/** Constants of kernels that a machine has from its family. */
#ifndef CATALOG_FAMILY_H
#define CATALOG_FAMILY_H

#include "roofline/machine.h"

/** Adds to a machine the constants of its family (data/constants) that it does not have itself, as assumed ones. */
roof_status rf_catalog_inherit(roof_machine *machine, roof_error *error);

#endif
