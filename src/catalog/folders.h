/** Where machine files are searched. */
#ifndef CATALOG_FOLDERS_H
#define CATALOG_FOLDERS_H

#include <stdbool.h>

/** Calls `visit` with each folder of $ROOFLINE_PATH and the user's folder, in that order, until it returns
 *  true; returns whether it did. Sets *failed when memory is short. */
bool rf_catalog_folders(bool (*visit)(const char *folder, void *context), void *context, bool *failed);

#endif
