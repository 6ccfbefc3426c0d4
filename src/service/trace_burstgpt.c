/* BurstGPT (Wang et al. 2024): CSV with Timestamp in seconds, Request tokens, Response tokens and columns that are not asked for.
 * Requests that failed have no response tokens. */
#include <math.h>
#include <string.h>

#include "roofline/units.h"
#include "service/trace.h"

enum { TIME, PROMPT, GENERATE };
static const char *const columns[] = {"Timestamp", "Request tokens", "Response tokens", NULL};

static bool detect(const char *line, size_t length) {
  static const char begin[] = "Timestamp,";
  return length >= sizeof begin - 1 && memcmp(line, begin, sizeof begin - 1) == 0;
}

static roof_status read(trace_reader *reader, const char *line, size_t length, int *column,
                        roof_error *error) {
  trace_cell cells[TRACE_CELLS];
  roof_request r = {0};
  roof_status status = rf_trace_wanted(reader, line, length, cells, column, error);
  if (status != ROOF_OK) {
    return status;
  }
  bool whole = roof_number_read(cells[TIME].at, cells[TIME].length, &r.seconds) == cells[TIME].length;
  if (!whole || !(r.seconds >= 0 && r.seconds < 1e12)) {
    *column = (int)(cells[TIME].at - line) + 1;
    return roof_error_set(error, ROOF_E_PARSE, "`%.*s`: no time in seconds",
                          (int)(cells[TIME].length < 40 ? cells[TIME].length : 40), cells[TIME].at);
  }
  status = rf_trace_tokens(cells[PROMPT], line, &r.prompt, column, error);
  status = status == ROOF_OK ? rf_trace_tokens(cells[GENERATE], line, &r.generate, column, error) : status;
  return status == ROOF_OK ? rf_trace_add(reader, &r, error) : status;
}

const trace_format rf_trace_burstgpt = {
    .name = "BurstGPT", .columns = columns, .detect = detect, .read = read};
