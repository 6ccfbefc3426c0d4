#include "host/probe.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"

/* The longest line is that of the flags in /proc/cpuinfo. */
enum { LONGEST = 8192 };

static FILE *open_below(const char *root, const char *path) {
  char full[4096];
  int length = snprintf(full, sizeof full, "%s%s", root, path);
  return length < (int)sizeof full ? fopen(full, "re") : NULL;
}

bool rf_probe_key(const char *root, const char *path, const char *key, char *line, size_t size) {
  char text[LONGEST];
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
    errno = why;
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

size_t rf_probe_numbers(const char *root, const char *path, const char *key, double *values, size_t most) {
  char line[LONGEST];
  return rf_probe_key(root, path, key, line, sizeof line) ? rf_numbers_read(line, values, most) : 0;
}

double rf_probe_number(const char *root, const char *path, const char *key) {
  double value;
  errno = 0;
  return rf_probe_numbers(root, path, key, &value, 1) == 1 ? value : NAN;
}
