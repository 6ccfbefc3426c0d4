/** What the control groups of this process allow. */
#ifndef HOST_GROUPS_H
#define HOST_GROUPS_H

#include <stdbool.h>

/** Reads the figures of one group in `folder` below the root; `second`: version 2. False if it has none. */
typedef bool rf_group_visit(void *user, const char *root, const char *folder, bool second);

/** Visits the process's own group and all groups above it in the hierarchy of a controller ("cpu", "memory"),
 *  of version 2 or, if that has none, 1, below the folder `root` ("" for this machine); *second
 *  (nullable) becomes the version that was read.
 *  Units: none.
 *  Ownership: none.
 *  Errors: false if no group has a figure. */
bool rf_groups_visit(const char *root, const char *controller, rf_group_visit *visit, void *user,
                     bool *second);

/** What the groups leave of memory: the least of limit - use.
 *  Units: bytes. Ownership: none. Errors: infinity without a limit. */
double rf_groups_memory(const char *root);

/** The least limit of the groups.
 *  Units: bytes. Ownership: none. Errors: infinity without a limit. */
double rf_groups_memory_limit(const char *root);

#endif
