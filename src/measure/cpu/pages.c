/* Whether the system really provided the large pages that were requested. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "host/probe.h"
#include "measure/cpu/cpu.h"

double rf_pages_large(const void *data, size_t bytes) {
  static const char huge[] = "AnonHugePages:";
  uintptr_t begin = (uintptr_t)data, from = 0, to = 0;
  double large = 0, kib = 0;
  bool ours = false;
  char *line = NULL;
  size_t size = 0;
  FILE *file = fopen("/proc/self/smaps", "re");
  if (file == NULL) {
    return NAN;
  }
  while (getline(&line, &size, file) > 0) {
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
      ours = from < begin + bytes && to > begin;
    } else if (ours && strncmp(line, huge, strlen(huge)) == 0 &&
               rf_numbers_read(line + strlen(huge), &kib, 1) == 1) {
      large += 1024 * kib;
    }
  }
  free(line);
  fclose(file);
  return fmin(1, large / (double)bytes);
}

const char *rf_pages_refused(double share) {
  static const char setting[] = "/sys/kernel/mm/transparent_hugepage/enabled";
  char mode[64];
  if (!rf_probe_line("", setting, mode, sizeof mode)) {
    return "this system has no transparent large pages";
  }
  bool never = strstr(mode, "[never]") != NULL;
  return never          ? "transparent large pages are off (/sys/kernel/mm/transparent_hugepage/enabled)"
         : isnan(share) ? "the system does not report which pages it provided"
                        : "the system provided small pages although large ones were requested";
}
