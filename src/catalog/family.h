/** Constants of kernels that a machine has from its family. */
#ifndef CATALOG_FAMILY_H
#define CATALOG_FAMILY_H

#include "roofline/machine.h"

/** Documents of constants and the machines that they were fitted on, by their index among those built in; each is read once,
 * however many machines inherit from it. Begins as {0}; rf_families_done frees what was read. */
typedef struct rf_families {
  roof_machine **constants, **owners;
} rf_families;

void rf_families_done(rf_families *families);

/** Adds to a machine the constants that it does not have itself, as assumed ones: of its family, then of its class of
 * device (data/constants/FAMILY.KIND.json). */
roof_status rf_catalog_inherit(roof_machine *machine, rf_families *families, roof_error *error);

/** As roof_catalog_load, for one of many machines: what several inherit is read once.
 *  Errors: those of roof_catalog_load. */
roof_status rf_catalog_load(const char *name, rf_families *families, roof_machine **machine,
                            roof_error *error);

#endif
