/** Names of devices as people and drivers write them. */
#ifndef CATALOG_MATCH_H
#define CATALOG_MATCH_H

#include <stddef.h>

/** The letters and digits of a name, small, without the vendor and the kind of memory: "NVIDIA A100-SXM4-80GB" and
 *  `nvidia-a100-sxm-80gb` are "a100sxm80gb".
 *  Units: none.
 *  Ownership: fills the caller's text; returns `key`.
 *  Errors: truncates to `size`. */
char *rf_catalog_key(const char *name, char *key, size_t size);

#endif
