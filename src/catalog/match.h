/** Names of devices as people and drivers write them. */
#ifndef CATALOG_MATCH_H
#define CATALOG_MATCH_H

#include <stddef.h>

enum { RF_WORDS = 24, RF_WORD = 24 };

typedef struct rf_words {
  char list[RF_WORDS][RF_WORD];
  int count;
} rf_words;

/** Lower-case runs of letters and digits of a name; "80 GB" is one word, "80gb". Vendors' ornaments are left out.
 *  Units: none.
 *  Ownership: adds to *out, which begins empty.
 *  Errors: none; what does not fit is left out. */
void rf_catalog_words(const char *text, rf_words *out);

/** The letters and digits of a name, small, without the vendor and the kind of memory: "NVIDIA A100-SXM4-80GB" and
 *  `nvidia-a100-sxm-80gb` are "a100sxm80gb".
 *  Units: none.
 *  Ownership: fills the caller's text; returns `key`.
 *  Errors: truncates to `size`. */
char *rf_catalog_key(const char *name, char *key, size_t size);

#endif
