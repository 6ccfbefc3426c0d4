/** What reading, writing and making machine files share. */
#ifndef DOCUMENTS_MACHINE_FIELDS_H
#define DOCUMENTS_MACHINE_FIELDS_H

#include "core/figures.h"

#define MACHINE_SCHEMA "roofline.machine/1"

/** True for letters, digits and . _ + - only. */
bool rf_machine_name_is_good(const char *name);

#endif
