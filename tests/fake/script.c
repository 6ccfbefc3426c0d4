/* FAKE_CUDA: what the emulated device says of itself and what goes wrong. README.md has the words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/** Behind `key` where it begins a word of the script, or NULL. */
static const char *find(const char *script, const char *key) {
  for (const char *at = script; at != NULL && (at = strstr(at, key)) != NULL; at++) {
    if (at == script || at[-1] == ' ') {
      return at + strlen(key);
    }
  }
  return NULL;
}

int fake_number(const char *key, int otherwise) {
  const char *at = find(getenv("FAKE_CUDA"), key);
  return at != NULL ? atoi(at) : otherwise;
}

bool fake_says(const char *key, const char *word) {
  const char *at = find(getenv("FAKE_CUDA"), key);
  size_t length = strlen(word);
  return at != NULL && strncmp(at, word, length) == 0 && (at[length] == '\0' || at[length] == ' ');
}

void fake_word(const char *key, const char *otherwise, char *word, size_t size) {
  const char *at = find(getenv("FAKE_CUDA"), key);
  at = at != NULL ? at : otherwise;
  snprintf(word, size, "%.*s", (int)strcspn(at, " "), at);
}

int fake_failing(const char *call) {
  static char last[128];
  static int times;
  const char *script = getenv("FAKE_CUDA"), *at = find(script, "fail=");
  size_t length = strlen(call);
  if (script == NULL || strcmp(script, last) != 0) {
    snprintf(last, sizeof last, "%s", script != NULL ? script : "");
    times = 0;
  }
  if (at == NULL || strncmp(at, call, length) != 0 || at[length] != ':') {
    return 0;
  }
  const char *from = strchr(at, '@');
  return ++times >= (from != NULL ? atoi(from + 1) : 1) ? atoi(at + length + 1) : 0;
}
