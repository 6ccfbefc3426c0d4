/* likwid-bench: one report per test, of all its threads together. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "import/import.h"

static int detect(const char *text, size_t size) {
  (void)size;
  return strstr(text, "LIKWID MICRO BENCHMARK") != NULL || strstr(text, "Data volume (Byte):") != NULL ? 96
                                                                                                       : 0;
}

typedef struct test_report {
  char test[64];
  double seconds, flops, bytes, size;
} test_report;

static const test_report empty = {.test = "", .seconds = NAN, .flops = NAN, .bytes = NAN, .size = NAN};

/** "Time:			2.956277e-02 sec". */
static void take_value(test_report *report, const char *line) {
  struct {
    const char *label;
    double *value;
  } const labels[] = {{"Time:", &report->seconds},
                      {"Number of Flops:", &report->flops},
                      {"Data volume (Byte):", &report->bytes},
                      {"Size (Byte):", &report->size}};
  for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
    size_t length = strlen(labels[i].label);
    if (strncmp(line, labels[i].label, length) == 0) {
      char number[40];
      const char *at = line + length + strspn(line + length, " \t");
      snprintf(number, sizeof number, "%.*s", (int)strcspn(at, " \t"), at);
      *labels[i].value = rf_import_number(number, NULL);
    }
  }
}

static roof_status flush(roof_profile *profile, const test_report *report, roof_error *error) {
  uint64_t picoseconds;
  const char *name = rf_import_textf(profile, "%s %.0f B", report->test, report->size);
  if (!rf_import_picoseconds(report->seconds, &picoseconds)) {
    rf_import_skip(profile, name, "no time in it");
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(profile, error);
  }
  bool single = strstr(report->test, "_sp") != NULL;
  rf_import_call(profile, record, picoseconds);
  rf_import_add(&record->flops[single ? ROOF_FP32 : ROOF_FP64][ROOF_VECTOR], report->flops,
                isnan(report->flops) ? "not in the report" : "the test's own count", ROOF_QUALITY_DERIVED);
  rf_import_add(&record->bytes[ROOF_MEMORY], report->bytes,
                isnan(report->bytes)
                    ? "not in the report"
                    : "the test's own count, without write-allocate; a small set stays in a cache",
                ROOF_QUALITY_ESTIMATED);
  return ROOF_OK;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  test_report report = empty;
  roof_status status = ROOF_OK;
  size_t length = 0;
  for (char *line; status == ROOF_OK && (line = rf_import_line(source, &length)) != NULL;) {
    if (strncmp(line, "Test: ", 6) == 0) {
      report = empty;
      snprintf(report.test, sizeof report.test, "%.60s", line + 6);
    } else if (strncmp(line, "MByte/s:", 8) == 0 && report.test[0] != '\0') {
      status = flush(profile, &report, error);
      report = empty;
    } else {
      take_value(&report, line);
    }
  }
  return status == ROOF_OK && profile->count == 0
             ? rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "no finished test in it")
             : status;
}

const roof_format rf_format_likwid_bench = {
    .name = "likwid-bench",
    .title = "likwid-bench output",
    .gives = "time, FLOPs and bytes as each test counts them",
    .detect = detect,
    .read = read,
};
