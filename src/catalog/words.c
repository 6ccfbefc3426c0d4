/* The words of a device's name. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "catalog/match.h"
#include "core/letters.h"

void rf_catalog_words(const char *text, rf_words *out) {
  static const char *const ornaments[] = {"nvidia", "amd",      "intel", "instinct", "geforce",
                                          "tesla",  "graphics", "r",     "tm"};
  for (const char *p = text; *p != '\0' && out->count < RF_WORDS;) {
    size_t length = 0;
    char *word = out->list[out->count];
    for (; isalnum((unsigned char)*p); p++) {
      if (length + 1 < RF_WORD) {
        word[length++] = (char)rf_lower((unsigned char)*p);
      }
    }
    word[length] = '\0';
    if (strncmp(word, "sxm", 3) == 0) { /* SXM4, SXM5: the catalogue writes sxm */
      word[3] = '\0';
    }
    bool ornament = length == 0 || strncmp(word, "hbm", 3) == 0;
    for (size_t i = 0; i < sizeof ornaments / sizeof ornaments[0]; i++) {
      ornament |= strcmp(word, ornaments[i]) == 0;
    }
    bool unit =
        out->count > 0 && strcmp(word, "gb") == 0 && isdigit((unsigned char)out->list[out->count - 1][0]);
    if (unit) {
      strncat(out->list[out->count - 1], "gb", RF_WORD - strlen(out->list[out->count - 1]) - 1);
    }
    out->count += !ornament && !unit;
    p += *p != '\0';
  }
}

bool rf_catalog_is_size(const char *word) {
  size_t digits = strspn(word, "0123456789");
  return digits > 0 && strcmp(word + digits, "gb") == 0;
}

bool rf_catalog_other_size(const char *name, const char *aliases, const char *size) {
  rf_words ours = {0};
  bool sized = false, card = false;
  rf_catalog_words(name, &ours);
  rf_catalog_words(aliases, &ours);
  for (int i = 0; i < ours.count; i++) {
    if (strcmp(ours.list[i], size) == 0) {
      return false;
    }
    sized |= rf_catalog_is_size(ours.list[i]);
    card |= strcmp(ours.list[i], "rtx") == 0;
  }
  return sized && card;
}

char *rf_catalog_key(const char *name, char *key, size_t size) {
  rf_words found = {0};
  size_t used = 0;
  rf_catalog_words(name, &found);
  key[0] = '\0';
  for (int i = 0; i < found.count && used < size; i++) {
    used += (size_t)snprintf(key + used, size - used, "%s", found.list[i]);
  }
  return key;
}
