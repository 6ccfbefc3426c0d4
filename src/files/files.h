/** Files written complete or not at all. */
#ifndef FILES_FILES_H
#define FILES_FILES_H

#include <stddef.h>

#include "roofline/status.h"

/** Writes a file through a temporary name: complete, synced and renamed, or not at all.
 *  Units: bytes. Ownership: `data` is not kept. Errors: ROOF_E_OUTPUT. */
roof_status roof_write_file(const char *path, const char *data, size_t length, roof_error *error);

#endif
