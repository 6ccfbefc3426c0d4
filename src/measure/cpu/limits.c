/* What a core can do in a cycle, by processor and register width. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/cpu/cpu.h"

static const char intel[] = "Intel 64 and IA-32 Architectures Optimization Reference Manual (248966)";
static const char amd[] = "AMD Software Optimization Guide of the family";

/** The first row that fits counts. `flag` must be among the processor's flags; model -1 is any. */
static const struct {
  const char *vendor;
  int family;
  int model;
  const char *flag;
  const char *isa;
  roof_core_limits limits;
} rows[] = {
    {"GenuineIntel", 6, -1, "amx_tile", "AVX-512", {2, 128, intel}}, /* servers from Sapphire Rapids on */
    {"GenuineIntel", 6, 125, "avx512f", "AVX-512", {1, 128, intel}}, /* Ice Lake client */
    {"GenuineIntel", 6, 126, "avx512f", "AVX-512", {1, 128, intel}},
    {"GenuineIntel", 6, 140, "avx512f", "AVX-512", {1, 128, intel}}, /* Tiger Lake */
    {"GenuineIntel", 6, 141, "avx512f", "AVX-512", {1, 128, intel}},
    {"GenuineIntel", 6, 167, "avx512f", "AVX-512", {1, 128, intel}}, /* Rocket Lake */
    {"GenuineIntel", 6, -1, "avx512f", "AVX-512", {2, 128, intel}},
    {"GenuineIntel", 6, -1, "avx_vnni", "AVX2+FMA", {2, 96, intel}}, /* three loads from Alder Lake on */
    {"GenuineIntel", 6, -1, "fma", "AVX2+FMA", {2, 64, intel}},
    {"AuthenticAMD", 25, -1, "avx512f", "AVX-512", {1, 64, amd}},  /* Zen 4: two 256-bit pipes, double pumped
                                                                    */
    {"AuthenticAMD", 26, -1, "avx512f", "AVX-512", {2, 128, amd}}, /* Zen 5 */
    {"AuthenticAMD", 23, -1, "fma", "AVX2+FMA", {2, 64, amd}},
    {"AuthenticAMD", 25, -1, "fma", "AVX2+FMA", {2, 64, amd}},
    {"AuthenticAMD", 26, -1, "fma", "AVX2+FMA", {2, 64, amd}},
};

/** What /proc/cpuinfo says of the first processor. */
typedef struct identity {
  char vendor[32];
  int family;
  int model;
  char flags[8192];
} identity;

static identity read_identity(void) {
  identity id = {.family = -1, .model = -1};
  char *line = NULL;
  size_t size = 0;
  FILE *file = fopen("/proc/cpuinfo", "re");
  while (file != NULL && getline(&line, &size, file) > 1) {
    if (sscanf(line, "vendor_id : %31s", id.vendor) != 1 &&
        sscanf(line, "cpu family : %d", &id.family) != 1) {
      sscanf(line, "model : %d", &id.model);
    }
    if (strncmp(line, "flags", 5) == 0) {
      snprintf(id.flags, sizeof id.flags, "%s ", strchr(line, ':') != NULL ? strchr(line, ':') + 1 : "");
      id.flags[strcspn(id.flags, "\n")] = ' ';
    }
  }
  free(line);
  if (file != NULL) {
    fclose(file);
  }
  return id;
}

static bool has_flag(const identity *id, const char *flag) {
  char word[32];
  snprintf(word, sizeof word, " %s ", flag);
  return strstr(id->flags, word) != NULL;
}

roof_core_limits roof_cpu_limits(const char *isa) {
  identity id = read_identity();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (strcmp(rows[i].isa, isa) == 0 && strcmp(rows[i].vendor, id.vendor) == 0 &&
        rows[i].family == id.family && (rows[i].model < 0 || rows[i].model == id.model) &&
        has_flag(&id, rows[i].flag)) {
      return rows[i].limits;
    }
  }
  return (roof_core_limits){NAN, NAN, ""};
}
