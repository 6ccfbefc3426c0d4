/** How much memory this process may have, and the caches before it. */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

/** Bytes that may still be allocated without swapping, below the folder `root` ("" for this machine):
 *  MemAvailable, and the control groups' limits.
 *  Units: bytes. Ownership: none. Errors: infinity when the system does not report it. */
double rf_memory_available(const char *root);

/** Size of the data cache of `level` (1 to 3) of the first core, as hwloc reports it.
 *  Units: bytes. Ownership: none. Errors: 32 KiB, 512 KiB or 32 MiB when the system does not report it. */
double rf_cache_bytes(int level);

#endif
