/* What John McCalpin's STREAM prints: the best rate and the average, least and most time of four kernels. */
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "import/import.h"

/** FLOPs and bytes of one element of 8 bytes, as STREAM counts them: no write-allocate. */
static const struct {
  const char *row, *name;
  double flops, bytes;
} kernels[] = {
    {"Copy:", "copy", 0, 16}, {"Scale:", "scale", 1, 16}, {"Add:", "add", 1, 24}, {"Triad:", "triad", 2, 24}};

enum { KERNEL_COUNT = sizeof kernels / sizeof kernels[0] };

static int detect(const char *text, size_t size) {
  (void)size;
  return strstr(text, "Best Rate MB/s") != NULL && strstr(text, "Triad:") != NULL ? 95 : 0;
}

/** "Array size = 10000000 (elements)": unknown is NaN. */
static double array_size(const char *line) {
  static const char before[] = "Array size = ";
  const char *at = strstr(line, before);
  double elements = NAN;
  return at != NULL && rf_numbers_read(at + strlen(before), &elements, 1) == 1 ? elements : NAN;
}

static roof_status read_kernel(roof_source *source, roof_profile *profile, const char *line, int k,
                               roof_error *error) {
  double columns[4]; /* the best rate, then the average, least and most time */
  uint64_t picoseconds;
  size_t count = rf_numbers_read(line + strlen(kernels[k].row), columns, 4);
  double rate = columns[0], least = columns[2];
  if (count != 4 || !(rate > 0) || !rf_import_picoseconds(least, &picoseconds)) {
    return rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                           "`%s` is not followed by a rate and three times in seconds", kernels[k].row);
  }
  roof_record *record = rf_import_record(profile, kernels[k].name, strlen(kernels[k].name));
  if (record == NULL) {
    return rf_import_settled(profile, error);
  }
  double bytes = rate * 1e6 * least;
  rf_import_call(profile, record, picoseconds);
  rf_import_add(&record->bytes[ROOF_MEMORY], bytes, "best rate x least time; no write-allocate",
                ROOF_QUALITY_DERIVED);
  rf_import_add(&record->flops[ROOF_FP64][ROOF_VECTOR], bytes / kernels[k].bytes * kernels[k].flops,
                "STREAM's own count an element", ROOF_QUALITY_DERIVED);
  return ROOF_OK;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  roof_status status = ROOF_OK;
  size_t length = 0;
  int found = 0;
  for (char *line; status == ROOF_OK && (line = rf_import_line(source, &length)) != NULL;) {
    double elements = array_size(line);
    if (!isnan(elements)) {
      rf_import_fact(profile, "array_elements", elements, NULL);
    }
    for (int k = 0; k < KERNEL_COUNT; k++) {
      if (strncmp(line, kernels[k].row, strlen(kernels[k].row)) == 0) {
        status = read_kernel(source, profile, line, k, error);
        found++;
      }
    }
  }
  if (status == ROOF_OK && found == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 1, 0,
                             "no line of STREAM's results (`Triad:` and so on)");
  }
  return status;
}

const roof_format rf_format_stream = {
    .name = "stream",
    .title = "STREAM output",
    .gives = "time, FLOPs, DRAM bytes",
    .detect = detect,
    .read = read,
};
