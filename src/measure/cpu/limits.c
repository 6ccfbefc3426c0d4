/* What a core can do per cycle, by processor and register width. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/probe.h"
#include "measure/cpu/cpu.h"

static const char intel[] = "Intel 248966";
static const char amd[] = "AMD Software Optimization Guide";

enum { HALF = 128, NARROW = 256, WIDE = 512 };

#define ANY 0, 255
#define UNKNOWN                                                                                              \
  { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, "" }

/** The first row that fits counts: registers of `bits` or fewer, or of WIDE, models from `first` to
 * `last`, `flag` among the processor's flags, `named` in its name. Columns: pipes that multiply, that add, that do
 * either, that add products of bytes; cycles per tile; bytes. */
static const struct {
  const char *vendor;
  int family;
  int first, last;
  const char *flag;
  int bits;
  const char *named;
  rf_core_limits limits;
} rows[] = {
    /* servers from Sapphire Rapids on */
    {"GenuineIntel", 6, ANY, "amx_tile", WIDE, "", {2, 2, 2, 2, 16, 128, 64, 64, intel}},
    {"GenuineIntel", 6, ANY, "amx_tile", NARROW, "", {2, 2, 3, 2, 16, 96, 64, 64, intel}},
    /* clients with one 512-bit pipe: Ice Lake, Tiger Lake, Rocket Lake */
    {"GenuineIntel", 6, 125, 126, "avx512f", WIDE, "", {1, 1, 1, 1, NAN, 128, 64, 64, intel}},
    {"GenuineIntel", 6, 140, 141, "avx512f", WIDE, "", {1, 1, 1, 1, NAN, 128, 64, 64, intel}},
    {"GenuineIntel", 6, 167, 167, "avx512f", WIDE, "", {1, 1, 1, 1, NAN, 128, 64, 64, intel}},
    /* Skylake, Cascade Lake and Cooper Lake have one or two, by name (Intel ARK, listed by
     * github.com/jeffhammond/vpu-count), where a hypervisor keeps it */
    {"GenuineIntel", 6, 85, 85, "avx512f", WIDE, "Platinum", {2, 2, 2, 2, NAN, 128, 64, 64, intel}},
    {"GenuineIntel", 6, 85, 85, "avx512f", WIDE, "Gold 6", {2, 2, 2, 2, NAN, 128, 64, 64, intel}},
    {"GenuineIntel", 6, 85, 85, "avx512f", WIDE, "W-", {2, 2, 2, 2, NAN, 128, 64, 64, intel}},
    {"GenuineIntel", 6, 85, 85, "avx512f", WIDE, "Core(TM)", {2, 2, 2, 2, NAN, 128, 64, 64, intel}},
    {"GenuineIntel", 6, 85, 85, "avx512f", WIDE, "", {NAN, NAN, NAN, NAN, NAN, 128, 64, 64, intel}},
    {"GenuineIntel", 6, ANY, "avx512f", WIDE, "", {2, 2, 2, 2, NAN, 128, 64, 64, intel}},
    /* efficient cores alone, of narrower pipes: Sierra Forest, Grand Ridge, Alder Lake-N, Clearwater Forest (models: Linux) */
    {"GenuineIntel", 6, 175, 175, "fma", NARROW, "", UNKNOWN},
    {"GenuineIntel", 6, 182, 182, "fma", NARROW, "", UNKNOWN},
    {"GenuineIntel", 6, 190, 190, "fma", NARROW, "", UNKNOWN},
    {"GenuineIntel", 6, 221, 221, "fma", NARROW, "", UNKNOWN},
    /* three loads and a third adder from Alder Lake on */
    {"GenuineIntel", 6, ANY, "avx_vnni", NARROW, "", {2, 2, 3, 2, NAN, 96, 64, 64, intel}},
    {"GenuineIntel", 6, ANY, "fma", NARROW, "", {2, 2, 2, 2, NAN, 64, 32, 64, intel}},
    /* Zen and Zen+ execute 256-bit instructions in two parts on 128-bit pipes */
    {"AuthenticAMD", 23, 0, 0x2f, "fma", HALF, "", {2, 2, 4, NAN, NAN, 32, 16, 32, amd}},
    {"AuthenticAMD", 23, 0, 0x2f, "fma", NARROW, "", {1, 1, 2, NAN, NAN, 32, 16, 32, amd}},
    /* Zen 4 executes 512-bit instructions in two passes of 256-bit pipes; additions have separate pipes */
    {"AuthenticAMD", 25, ANY, "avx512f", WIDE, "", {1, 1, 2, 1, NAN, 64, 32, 32, amd}},
    /* Zen 5 in Strix Point and Krackan Point has narrower pipes than elsewhere, for integers too */
    {"AuthenticAMD", 26, 0x20, 0x2f, "avx512f", WIDE, "", UNKNOWN},
    {"AuthenticAMD", 26, 0x60, 0x6f, "avx512f", WIDE, "", UNKNOWN},
    {"AuthenticAMD", 26, 0x20, 0x2f, "fma", NARROW, "", {2, 2, 4, NAN, NAN, 64, 32, NAN, amd}},
    {"AuthenticAMD", 26, 0x60, 0x6f, "fma", NARROW, "", {2, 2, 4, NAN, NAN, 64, 32, NAN, amd}},
    {"AuthenticAMD", 26, ANY, "avx512f", WIDE, "", {2, 2, 4, 2, NAN, 128, 64, 64, amd}},
    {"AuthenticAMD", 23, ANY, "fma", NARROW, "", {2, 2, 4, NAN, NAN, 64, 32, 32, amd}},
    {"AuthenticAMD", 25, ANY, "fma", NARROW, "", {2, 2, 4, 2, NAN, 64, 32, 32, amd}},
    {"AuthenticAMD", 26, ANY, "fma", NARROW, "", {2, 2, 4, 2, NAN, 64, 32, 64, amd}},
};

/** What /proc/cpuinfo says of the first processor. */
typedef struct identity {
  char vendor[32];
  int family;
  int model;
  char name[128];
  char flags[8192];
} identity;

static identity read_identity(const char *root) {
  static const char file[] = "/proc/cpuinfo";
  double family = rf_probe_number(root, file, "cpu family"), model = rf_probe_number(root, file, "model");
  identity id = {
      .family = isnan(family) ? -1 : (int)family, .model = isnan(model) ? -1 : (int)model, .flags = " "};
  if (!rf_probe_key(root, file, "vendor_id", id.vendor, sizeof id.vendor)) {
    id.vendor[0] = '\0';
  }
  if (!rf_probe_key(root, file, "model name", id.name, sizeof id.name)) {
    id.name[0] = '\0';
  }
  if (!rf_probe_key(root, file, "flags", id.flags + 1, sizeof id.flags - 2)) {
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

static bool fits(int row_bits, int bits) {
  return row_bits == WIDE ? bits >= WIDE : bits <= row_bits;
}

rf_core_limits rf_cpu_limits(const char *root, int bits) {
  identity id = read_identity(root);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (fits(rows[i].bits, bits) && strcmp(rows[i].vendor, id.vendor) == 0 && rows[i].family == id.family &&
        rows[i].first <= id.model && id.model <= rows[i].last && has_flag(&id, rows[i].flag) &&
        strstr(id.name, rows[i].named) != NULL) {
      return rows[i].limits;
    }
  }
  return (rf_core_limits)UNKNOWN;
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
