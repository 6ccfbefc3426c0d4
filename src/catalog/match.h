/** Names of devices as people and drivers write them. */
#ifndef CATALOG_MATCH_H
#define CATALOG_MATCH_H

#include <stdbool.h>
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

/** True for a size of memory, "12gb".
 *  Units: none.
 *  Ownership: only read.
 *  Errors: none. */
bool rf_catalog_is_size(const char *word);

/** True where `size` is none of the sizes that the words of an RTX card's name and aliases have: an RTX 3080 of 12 GB is
 *  another card than the one of 10 GB. A machine without a size may have any, and the size of others may be their host's
 *  ("GH200 120GB").
 *  Units: none.
 *  Ownership: only reads.
 *  Errors: none. */
bool rf_catalog_other_size(const char *name, const char *aliases, const char *size);

/** The letters and digits of a name, small, without the vendor and the kind of memory: "NVIDIA A100-SXM4-80GB" and
 *  `nvidia-a100-sxm-80gb` are "a100sxm80gb".
 *  Units: none.
 *  Ownership: fills the caller's text; returns `key`.
 *  Errors: truncates to `size`. */
char *rf_catalog_key(const char *name, char *key, size_t size);

#endif
