/** Folders of files that last for a while, whatever characters are in their names. */
#ifndef HOST_FOLDER_H
#define HOST_FOLDER_H

#include <glob.h>
#include <stddef.h>

#include "roofline/status.h"

/** Makes a folder with a name of its own in TMPDIR or /tmp.
 *  Units: bytes. Ownership: writes `path`, "" where it fails. Errors: ROOF_E_OUTPUT. */
roof_status rf_folder_make(char *path, size_t size, roof_error *error);

/** The paths of the files in `folder` whose names match, sorted, NULL after the last.
 *  Units: none. Ownership: of *found, globfree. Errors: none. */
char **rf_folder_match(const char *folder, const char *names, glob_t *found);

/** Removes the files of `folder` whose names begin so, "": all; and the folder where that was all.
 *  Units: none. Ownership: none. Errors: none. */
void rf_folder_remove(const char *folder, const char *beginning);

#endif
