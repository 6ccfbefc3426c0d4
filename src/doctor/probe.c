#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/number.h"
#include "doctor/checks.h"

int rf_probe_count(const char *list) {
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

void rf_diagnose(roof_diagnosis *out, roof_health health, const char *path, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(out->value, sizeof out->value, format, arguments);
  va_end(arguments);
  snprintf(out->path, sizeof out->path, "%s", path);
  out->health = health;
}

bool rf_probe_captured(const char *root, const char *what, roof_diagnosis *out) {
  if (root[0] == '\0') {
    return false;
  }
  rf_diagnose(out, ROOF_HEALTH_UNKNOWN, what, "only a running machine can answer");
  return true;
}
