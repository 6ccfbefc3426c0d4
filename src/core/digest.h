/** A short digest of bytes, for tables and names: not one that guards anything. */
#ifndef CORE_DIGEST_H
#define CORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/** FNV-1a (Fowler, Noll and Vo). */
static inline uint64_t rf_digest(const char *bytes, size_t length) {
  uint64_t digest = 14695981039346656037u;
  for (size_t i = 0; i < length; i++) {
    digest = (digest ^ (unsigned char)bytes[i]) * 1099511628211u;
  }
  return digest;
}

#endif
