/* The Azure LLM inference traces of 2023 and 2024: CSV with TIMESTAMP, ContextTokens, GeneratedTokens (Patel et al. 2024, Splitwise;
 * Stojkovic et al. 2025, DynamoLLM), the time as "2023-11-16 18:17:03.9799600" or with "+00:00" behind it. */
#include <math.h>
#include <string.h>

#include "roofline/units.h"
#include "service/trace.h"

enum { TIME, PROMPT, GENERATE };
static const char *const columns[] = {"TIMESTAMP", "ContextTokens", "GeneratedTokens", NULL};

static bool detect(const char *line, size_t length) {
  static const char begin[] = "TIMESTAMP,";
  return length >= sizeof begin - 1 && memcmp(line, begin, sizeof begin - 1) == 0;
}

/** A number of `length` digits at `at`, or -1. */
static int digits(const char *at, int length) {
  int value = 0;
  for (int i = 0; i < length; i++) {
    if (at[i] < '0' || at[i] > '9') {
      return -1;
    }
    value = 10 * value + at[i] - '0';
  }
  return value;
}

/** Days from 1970 to a date (Hinnant 2013, days_from_civil). */
static double days_of(int year, int month, int day) {
  int y = month <= 2 ? year - 1 : year, era = y / 400, of_era = y - era * 400;
  int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097.0 + (of_era * 365 + of_era / 4 - of_era / 100 + of_year) - 719468;
}

/** Seconds of "2023-11-16 18:17:03.9799600"; false where it is none. */
static bool read_time(trace_cell cell, double *seconds) {
  static const char form[] = "dddd-dd-dd dd:dd:";
  enum { BEFORE = sizeof form - 1 };
  const char *t = cell.at;
  if (cell.length < BEFORE + 2) {
    return false;
  }
  for (int i = 0; i < BEFORE; i++) {
    bool digit = t[i] >= '0' && t[i] <= '9', blank = form[i] == ' ' && t[i] == 'T';
    if (form[i] == 'd' ? !digit : t[i] != form[i] && !blank) {
      return false;
    }
  }
  double second = NAN;
  size_t rest = cell.length - BEFORE, read = 0;
  while (read < rest && ((t[BEFORE + read] >= '0' && t[BEFORE + read] <= '9') || t[BEFORE + read] == '.')) {
    read++;
  }
  bool utc = read == rest || (t[BEFORE + read] == 'Z' && read + 1 == rest) ||
             (rest - read == 6 && memcmp(t + BEFORE + read, "+00:00", 6) == 0);
  if (!utc || roof_number_read(t + BEFORE, read, &second) != read || !(second < 61)) {
    return false;
  }
  double days = days_of(digits(t, 4), digits(t + 5, 2), digits(t + 8, 2));
  *seconds = 86400 * days + 3600.0 * digits(t + 11, 2) + 60.0 * digits(t + 14, 2) + second;
  return true;
}

static roof_status read(trace_reader *reader, const char *line, size_t length, int *column,
                        roof_error *error) {
  trace_cell cells[TRACE_CELLS];
  roof_request r = {0};
  roof_status status = rf_trace_wanted(reader, line, length, cells, column, error);
  if (status == ROOF_OK && !read_time(cells[TIME], &r.seconds)) {
    *column = (int)(cells[TIME].at - line) + 1;
    return roof_error_set(error, ROOF_E_PARSE, "`%.*s`: no time like 2023-11-16 18:17:03.9799600",
                          (int)(cells[TIME].length < 40 ? cells[TIME].length : 40), cells[TIME].at);
  }
  status = status == ROOF_OK ? rf_trace_tokens(cells[PROMPT], line, &r.prompt, column, error) : status;
  status = status == ROOF_OK ? rf_trace_tokens(cells[GENERATE], line, &r.generate, column, error) : status;
  return status == ROOF_OK ? rf_trace_add(reader, &r, error) : status;
}

const trace_format rf_trace_azure = {
    .name = "Azure LLM inference", .columns = columns, .detect = detect, .read = read};
