/** Where machine files are searched, and one of them read. */
#ifndef CATALOG_FOLDERS_H
#define CATALOG_FOLDERS_H

#include <stdbool.h>

#include "roofline/machine.h"

/** Calls `visit` with each folder of $ROOFLINE_PATH and the user's folder, in that order, until it returns
 *  true; returns whether it did. Sets *failed when memory is short. */
bool rf_catalog_folders(bool (*visit)(const char *folder, void *context), void *context, bool *failed);

/** Reads a machine file. *machine, set on success only, is the caller's.
 *  Errors: ROOF_E_INPUT, and as roof_machine_read. */
roof_status rf_catalog_load_file(const char *path, roof_machine **machine, roof_error *error);

#endif
