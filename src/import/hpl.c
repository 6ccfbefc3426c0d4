/* HPL's output: one line per run, its residual below. */
#include <math.h>
#include <string.h>

#include "import/import.h"

static const char header[] = "T/V                N    NB     P     Q";

static int detect(const char *text, size_t size) {
  (void)size;
  return strstr(text, header) != NULL && strstr(text, "Gflops") != NULL ? 95 : 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  bool table; /**< the header was seen */
  uint64_t failed;
} reading;

/** "WR11C2R4       29184   192     2     2             178.34              9.292e+01". */
static roof_status take_run(reading *r, char *line, roof_error *error) {
  enum { MOST = 12, COLUMNS = 7 };
  char *words[MOST];
  int64_t n = 0, nb = 0, p = 0, q = 0;
  uint64_t picoseconds;
  if (rf_import_words(line, words, MOST) < COLUMNS || !rf_import_count(words[1], &n) ||
      !rf_import_count(words[2], &nb) || !rf_import_count(words[3], &p) || !rf_import_count(words[4], &q)) {
    return ROOF_OK;
  }
  double seconds = rf_import_number(words[5], NULL), rate = rf_import_number(words[6], NULL) * 1e9;
  const char *name = rf_import_textf(r->profile, "HPL n=%.0f nb=%.0f p=%.0f q=%.0f %s", (double)n, (double)nb,
                                     (double)p, (double)q, words[0]);
  if (!(seconds > 0) || !(rate > 0) || !rf_import_picoseconds(seconds, &picoseconds)) {
    rf_import_skip(r->profile, name, "no time and rate in it");
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  rf_import_call(r->profile, record, picoseconds);
  double flops = (2. / 3 * (double)n + 3. / 2) * (double)n * (double)n;
  rf_import_add(&record->other_flops[ROOF_FP64], flops, "HPL's own count: 2/3 n^3 + 3/2 n^2",
                ROOF_QUALITY_DERIVED);
  rf_import_missing(&record->bytes[ROOF_MEMORY], "HPL counts none");
  rf_import_counter(r->profile, record, "processes", (double)p * (double)q, seconds);
  return ROOF_OK;
}

static roof_status take_line(reading *r, char *line, roof_error *error) {
  if (strncmp(line, header, sizeof header - 1) == 0) {
    r->table = true;
  } else if (strncmp(line, "||Ax-b||", 8) == 0 && strstr(line, "FAILED") != NULL) {
    r->failed++;
  } else if (r->table && line[0] == 'W') {
    return take_run(r, line, error);
  }
  return ROOF_OK;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  roof_status status = ROOF_OK;
  size_t length = 0;
  for (char *line; status == ROOF_OK && (line = rf_import_line(source, &length)) != NULL;) {
    status = take_line(&r, line, error);
  }
  if (status == ROOF_OK && profile->count == 0) {
    return rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "no run with a time and Gflops in it");
  }
  if (status == ROOF_OK && r.failed > 0) {
    rf_import_fact(profile, "residual_checks_failed", NAN,
                   rf_import_textf(profile, "%.0f", (double)r.failed));
  }
  return status;
}

const roof_format rf_format_hpl = {
    .name = "hpl",
    .title = "HPL output",
    .gives = "time and FLOPs of every run, as HPL counts them",
    .detect = detect,
    .read = read,
    .ends_lines = true,
};
