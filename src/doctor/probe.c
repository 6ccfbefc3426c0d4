#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/checks.h"

static FILE *open_below(const char *root, const char *path) {
  char full[4096];
  int length = snprintf(full, sizeof full, "%s%s", root, path);
  return length < (int)sizeof full ? fopen(full, "re") : NULL;
}

bool roof_probe_key(const char *root, const char *path, const char *key, char *line, size_t size) {
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

bool roof_probe_line(const char *root, const char *path, char *line, size_t size) {
  return roof_probe_key(root, path, "", line, size);
}

int roof_probe_count(const char *list) {
  int count = 0;
  for (const char *at = list; *at >= '0' && *at <= '9';) {
    char *end = NULL;
    long first = strtol(at, &end, 10), last = first;
    if (*end == '-') {
      last = strtol(end + 1, &end, 10);
    }
    count += last >= first ? (int)(last - first) + 1 : 0;
    at = *end == ',' ? end + 1 : end;
  }
  return count;
}

void roof_diagnose(roof_diagnosis *out, roof_health health, const char *path, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(out->value, sizeof out->value, format, arguments);
  va_end(arguments);
  snprintf(out->path, sizeof out->path, "%s", path);
  out->health = health;
}

bool roof_probe_captured(const char *root, const char *what, roof_diagnosis *out) {
  if (root[0] == '\0') {
    return false;
  }
  roof_diagnose(out, ROOF_HEALTH_UNKNOWN, what, "only the running machine can tell");
  return true;
}
