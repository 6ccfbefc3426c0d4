/** What is assumed of a machine whose file does not say it. */
#ifndef CATALOG_ASSUME_H
#define CATALOG_ASSUME_H

#include "roofline/machine.h"

/** Gives an accelerator without a launch cost the one of its class, with its source.
 *  Units: s. Ownership: none. Errors: none. */
void rf_catalog_assume(roof_machine *machine);

#endif
