#include "host/probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static FILE *open_below(const char *root, const char *path) {
  char full[4096];
  int length = snprintf(full, sizeof full, "%s%s", root, path);
  return length < (int)sizeof full ? fopen(full, "re") : NULL;
}

bool rf_probe_key(const char *root, const char *path, const char *key, char *line, size_t size) {
  char text[4096];
  FILE *file = open_below(root, path);
  if (file == NULL) {
    snprintf(line, size, "%s", strerror(errno));
    return false;
  }
  bool found = false;
  errno = 0;
  while (!found && fgets(text, sizeof text, file) != NULL) {
    found = strncmp(text, key, strlen(key)) == 0;
  }
  int why = errno;
  fclose(file);
  if (!found) {
    snprintf(line, size, "%s", why != 0 ? strerror(why) : "says nothing");
    return false;
  }
  text[strcspn(text, "\n")] = '\0';
  char *value = text + strlen(key);
  snprintf(line, size, "%s", key[0] != '\0' ? value + strspn(value, " \t:") : value);
  return true;
}

bool rf_probe_line(const char *root, const char *path, char *line, size_t size) {
  return rf_probe_key(root, path, "", line, size);
}
