/** Letters of names without regard to case, the same in every locale: in a Turkish one the C library takes `I` and
 *  `i` for two letters. Only ASCII letters have cases here. */
#ifndef CORE_LETTERS_H
#define CORE_LETTERS_H

#include <stddef.h>
#include <string.h>

static inline int rf_lower(int c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/** strncasecmp of the C locale. */
static inline int rf_letters_compare_some(const char *a, const char *b, size_t length) {
  for (size_t i = 0; i < length; i++) {
    int x = rf_lower((unsigned char)a[i]), y = rf_lower((unsigned char)b[i]);
    if (x != y || x == '\0') {
      return x - y;
    }
  }
  return 0;
}

/** strcasecmp of the C locale. */
static inline int rf_letters_compare(const char *a, const char *b) {
  return rf_letters_compare_some(a, b, (size_t)-1);
}

/** strcasestr of the C locale. */
static inline const char *rf_letters_find(const char *text, const char *word) {
  size_t length = strlen(word);
  for (; *text != '\0' || length == 0; text++) {
    if (rf_letters_compare_some(text, word, length) == 0) {
      return text;
    }
  }
  return NULL;
}

/** The code point of a well formed sequence of UTF-8. */
static inline unsigned rf_letters_code(const char *sequence, size_t length) {
  const unsigned char *s = (const unsigned char *)sequence;
  unsigned code = length == 1 ? s[0] : s[0] & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; i++) {
    code = code << 6 | (s[i] & 0x3Fu);
  }
  return code;
}

#endif
