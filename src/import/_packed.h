/** Bytes of a file or of memory, unpacked. */
#ifndef IMPORT_PACKED_H
#define IMPORT_PACKED_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline/status.h"

typedef struct rf_packed rf_packed;

/** Starts on an open file, which is closed with it; -1: on `size` bytes at `data`, which outlive it. NULL when
 *  out of memory; the file is then the caller's. */
rf_packed *rf_packed_new(int descriptor, const char *data, size_t size);

void rf_packed_free(rf_packed *packed);

/** Up to `size` next bytes, unpacked where the first ones are those of gzip, zstd or xz; fewer at the end of the
 *  file or after a failure: `why` (of `room` bytes) says why. Errors: ROOF_E_INPUT, ROOF_E_MEMORY in *status. */
size_t rf_packed_read(rf_packed *packed, char *to, size_t size, roof_status *status, char *why, size_t room);

/** Whether the packed data were seen to end too early. */
bool rf_packed_cut(const rf_packed *packed);

/** The file when it holds its bytes as they are, else -1. */
int rf_packed_descriptor(const rf_packed *packed);

#endif
