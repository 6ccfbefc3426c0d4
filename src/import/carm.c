/* The CARM tool's MACHINE_roofline.csv: ceilings by instruction set, precision and threads. */
#include <math.h>
#include <string.h>

#include "import/_ceilings.h"

static int detect(const char *text, size_t size) {
  (void)size;
  return strncmp(text, "Name:,", 6) == 0 && strstr(text, "L1 Size:") != NULL &&
                 strstr(text, "FP Inst.") != NULL
             ? 95
             : 0;
}

/** Names are repeated in the header, so columns are found by position. */
enum { ISA = 1, PRECISION = 2, THREADS = 3, FIRST_LEVEL = 9, LEVELS = 4, FLOPS = 17, FMA_FLOPS = 19 };

/** The size of a cache in the first line, "L1 Size:,32" in KiB. */
static double cache_bytes(const import_row *first, const char *label) {
  int at = rf_import_column(first, label);
  double kibibytes = at >= 0 ? rf_import_number(rf_import_field(first, at + 1), NULL) : NAN;
  return kibibytes > 0 ? kibibytes * 1024 : NAN;
}

static void take_row(roof_profile *profile, const import_row *row, const double bytes[LEVELS]) {
  static const char *const levels[LEVELS] = {"L1", "L2", "L3", "DRAM"};
  const char *isa = rf_import_field(row, ISA), *precision = rf_import_field(row, PRECISION);
  const char *source = rf_import_textf(profile, "CARM tool, %s, %s, %s threads", isa, precision,
                                       rf_import_field(row, THREADS));
  roof_dtype dtype = strcmp(precision, "sp") == 0 ? ROOF_FP32 : ROOF_FP64;
  for (int i = 0; i < LEVELS; i++) {
    double rate = rf_import_number(rf_import_field(row, FIRST_LEVEL + 2 * i), NULL) * 1e9;
    rf_ceilings_level(profile, levels[i], rate, bytes[i], source);
  }
  double plain = rf_import_number(rf_import_field(row, FLOPS), NULL),
         fma = rf_import_number(rf_import_field(row, FMA_FLOPS), NULL);
  if (strcmp(precision, "sp") == 0 || strcmp(precision, "dp") == 0) {
    rf_ceilings_peak(profile, dtype, ROOF_VECTOR, fmax(plain, fma) * 1e9, isa, source);
  } else {
    rf_import_skip(profile, precision, "neither sp nor dp");
  }
}

/** The most threads of any row: those figures are the machine's. */
static double most_threads(const import_row *rows, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, rf_import_number(rf_import_field(&rows[i], THREADS), NULL));
  }
  return most;
}

enum { ROWS = 256 };

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  static const char *const sizes[] = {"L1 Size:", "L2 Size:", "L3 Size:"};
  import_row rows[ROWS] = {{0}}, first = {0}, header = {0};
  roof_status status = ROOF_OK;
  size_t count = 0;
  double bytes[LEVELS] = {NAN, NAN, NAN, NAN};
  if (rf_import_csv(source, ',', &first, &status, error) &&
      rf_import_csv(source, ',', &header, &status, error)) {
    while (count < ROWS && rf_import_csv(source, ',', &rows[count], &status, error)) {
      count += rows[count].count > FMA_FLOPS;
    }
  }
  for (size_t i = 0; i < 3; i++) {
    bytes[i] = cache_bytes(&first, sizes[i]);
  }
  rf_ceilings_name(profile, rf_import_field(&first, 1), "carm");
  double most = most_threads(rows, count);
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    if (rf_import_number(rf_import_field(&rows[i], THREADS), NULL) == most) {
      take_row(profile, &rows[i], bytes);
    } else {
      rf_import_skip(profile, "rows of fewer threads", "the machine's ceilings are those of all its threads");
    }
  }
  for (size_t i = 0; i < ROWS; i++) {
    rf_import_row_done(&rows[i]);
  }
  rf_import_row_done(&first);
  rf_import_row_done(&header);
  return status == ROOF_OK ? rf_ceilings_settle(source, profile, error) : status;
}

const roof_format rf_format_carm = {
    .name = "carm",
    .title = "CARM tool CSV",
    .gives = "a machine: bandwidth and size of each level, peaks; --to FILE.json writes it as a machine file",
    .detect = detect,
    .read = read,
};
