/** Files written complete or not at all. */
#ifndef HOST_WRITE_H
#define HOST_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "roofline/status.h"

/** Writes a file through a temporary name: complete, synced and renamed, or not at all. It keeps its mode; a link is
 *  written through.
 *  Units: bytes. Ownership: `data` is not kept. Errors: ROOF_E_OUTPUT. */
roof_status rf_write_file(const char *path, const char *data, size_t length, roof_error *error);

/** Writes a new file, complete and synced with its folder, or none.
 *  Units: bytes. Ownership: `data` is not kept. Errors: ROOF_E_OUTPUT with errno, EEXIST where there is one. */
roof_status rf_write_new(const char *path, mode_t mode, const char *data, size_t length);

/** Syncs the folder that `path` is in, so that a new name in it survives a crash; true also where the system has no
 *  such thing, or does not let this user.
 *  Units: none. Ownership: none. Errors: false with errno. */
bool rf_write_sync_folder(const char *path);

/** Fails where `path` could not be written: a folder, or in one that cannot be written to. `stream`: it stands for an
 *  open stream, whose folder does not matter.
 *  Units: none. Ownership: none. Errors: ROOF_E_OUTPUT. */
roof_status rf_write_check(const char *path, bool stream, roof_error *error);

/** Whether `path` is written to as it stands, a device or a pipe, and never replaced.
 *  Units: none. Ownership: none. Errors: none. */
bool rf_write_in_place(const char *path);

/** `name`, which ends in the XXXXXX that mkstemp or mkdtemp fill in, in TMPDIR or /tmp.
 *  Units: bytes. Ownership: writes `path`. Errors: ROOF_E_OUTPUT when it does not fit. */
roof_status rf_temporary_name(char *path, size_t size, const char *name, roof_error *error);

#endif
