/** The CPU quota of this process's control groups. */
#ifndef HOST_QUOTA_H
#define HOST_QUOTA_H

#include <stdbool.h>

typedef struct rf_quota {
  double processors; /**< infinity without a limit */
  const char *path;  /**< where it was read; static */
} rf_quota;

/** Reads the least quota of the process's own group and of all groups above it, of version 2 or 1, below the
 *  folder `root` ("" for this machine).
 *  Units: processors.
 *  Ownership: *out on success only.
 *  Errors: false when no group's quota can be read. */
bool rf_quota_read(const char *root, rf_quota *out);

#endif
