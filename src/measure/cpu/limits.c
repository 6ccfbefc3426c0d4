/* What a core can do per cycle, by processor and register width. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/probe.h"
#include "measure/cpu/cpu.h"

static const char intel[] = "Intel 248966";
static const char amd[] = "AMD Software Optimization Guide";

enum { NARROW, WIDE };

/** The first row that fits counts. `flag` must be among the processor's flags; model -1 is any. Columns:
 * pipes that multiply, that add, that do either, that add products of bytes; cycles per tile; bytes. */
static const struct {
  const char *vendor;
  int family;
  int model;
  const char *flag;
  int width;
  rf_core_limits limits;
} rows[] = {
    /* servers from Sapphire Rapids on */
    {"GenuineIntel", 6, -1, "amx_tile", WIDE, {2, 2, 2, 2, 16, 128, 64, 64, intel}},
    {"GenuineIntel", 6, -1, "amx_tile", NARROW, {2, 2, 3, 2, 16, 96, 64, 64, intel}},
    /* clients with one 512-bit pipe: Ice Lake, Tiger Lake, Rocket Lake */
    {"GenuineIntel", 6, 125, "avx512f", WIDE, {1, 1, 1, 1, NAN, 128, 64, 64, intel}},
    {"GenuineIntel", 6, 126, "avx512f", WIDE, {1, 1, 1, 1, NAN, 128, 64, 64, intel}},
    {"GenuineIntel", 6, 140, "avx512f", WIDE, {1, 1, 1, 1, NAN, 128, 64, 64, intel}},
    {"GenuineIntel", 6, 141, "avx512f", WIDE, {1, 1, 1, 1, NAN, 128, 64, 64, intel}},
    {"GenuineIntel", 6, 167, "avx512f", WIDE, {1, 1, 1, 1, NAN, 128, 64, 64, intel}},
    {"GenuineIntel", 6, -1, "avx512f", WIDE, {2, 2, 2, 2, NAN, 128, 64, 64, intel}},
    /* three loads and a third adder from Alder Lake on */
    {"GenuineIntel", 6, -1, "avx_vnni", NARROW, {2, 2, 3, 2, NAN, 96, 64, 64, intel}},
    {"GenuineIntel", 6, -1, "fma", NARROW, {2, 2, 2, 2, NAN, 64, 32, 64, intel}},
    /* Zen 4 executes 512-bit instructions in two passes of 256-bit pipes; additions have separate pipes */
    {"AuthenticAMD", 25, -1, "avx512f", WIDE, {1, 1, 2, 1, NAN, 64, 32, 32, amd}},
    {"AuthenticAMD", 26, -1, "avx512f", WIDE, {2, 2, 4, 2, NAN, 128, 64, 64, amd}},
    {"AuthenticAMD", 23, -1, "fma", NARROW, {2, 2, 4, NAN, NAN, 64, 32, 32, amd}},
    {"AuthenticAMD", 25, -1, "fma", NARROW, {2, 2, 4, 2, NAN, 64, 32, 32, amd}},
    {"AuthenticAMD", 26, -1, "fma", NARROW, {2, 2, 4, 2, NAN, 64, 32, 64, amd}},
};

/** What /proc/cpuinfo says of the first processor. */
typedef struct identity {
  char vendor[32];
  int family;
  int model;
  char flags[8192];
} identity;

static identity read_identity(void) {
  static const char file[] = "/proc/cpuinfo";
  double family = rf_probe_number("", file, "cpu family"), model = rf_probe_number("", file, "model");
  identity id = {
      .family = isnan(family) ? -1 : (int)family, .model = isnan(model) ? -1 : (int)model, .flags = " "};
  if (!rf_probe_key("", file, "vendor_id", id.vendor, sizeof id.vendor)) {
    id.vendor[0] = '\0';
  }
  if (!rf_probe_key("", file, "flags", id.flags + 1, sizeof id.flags - 2)) {
    id.flags[1] = '\0';
  }
  strcat(id.flags, " ");
  return id;
}

static bool has_flag(const identity *id, const char *flag) {
  char word[32];
  snprintf(word, sizeof word, " %s ", flag);
  return strstr(id->flags, word) != NULL;
}

rf_core_limits rf_cpu_limits(int bits) {
  identity id = read_identity();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].width == (bits >= 512 ? WIDE : NARROW) && strcmp(rows[i].vendor, id.vendor) == 0 &&
        rows[i].family == id.family && (rows[i].model < 0 || rows[i].model == id.model) &&
        has_flag(&id, rows[i].flag)) {
      return rows[i].limits;
    }
  }
  return (rf_core_limits){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, ""};
}

/** Cycles per step of one chain while `pipes` of each kind are always busy. */
static double step_cycles(const rf_core_limits *l, double products, double sums) {
  return fmax(fmax(products / l->multiply_pipes, sums / l->add_pipes), (products + sums) / l->fp_pipes);
}

double rf_cpu_peak_kernel_limit(const rf_core_limits *limits, const rf_peak_kernel *kernel) {
  static const struct {
    double products, sums;
  } steps[RF_PEAK_FORM_COUNT] = {[RF_PEAK_FMA] = {1, 0},
                                 [RF_PEAK_ADD] = {0, 1},
                                 [RF_PEAK_MUL] = {1, 0},
                                 [RF_PEAK_MUL_ADD] = {1, 1},
                                 [RF_PEAK_FMA_ADD] = {0.5, 0.5}};
  double cycles = step_cycles(limits, steps[kernel->form].products, steps[kernel->form].sums);
  if (kernel->form == RF_PEAK_TILE) {
    cycles = limits->tile_cycles;
  } else if (kernel->form == RF_PEAK_DOT) {
    cycles = kernel->dtype == ROOF_INT8 ? 1 / limits->dot_pipes : NAN;
  }
  return kernel->operations / cycles;
}

double rf_cpu_transfer_limit(const rf_core_limits *limits, double loads, double stores) {
  return (loads + stores) / fmax(loads / limits->load_bytes, stores / limits->store_bytes);
}
