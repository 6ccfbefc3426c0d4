/** Reading a whole file. */
#ifndef CATALOG_FILE_H
#define CATALOG_FILE_H

#include "roofline/text.h"

/** Appends the file at `path` to `out`: ROOF_E_INPUT when it cannot be read or is larger than 16 MiB. */
roof_status catalog_file_read(const char *path, roof_text *out, roof_error *error);

#endif
