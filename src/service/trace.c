#include "service/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/units.h"

static const trace_format *const formats[] = {&rf_trace_azure, &rf_trace_burstgpt, &rf_trace_mooncake};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

void roof_requests_done(roof_requests *requests) {
  free(requests->requests);
  free(requests->blocks);
  free(requests->path);
  *requests = (roof_requests){0};
}

static bool is_name(trace_cell cell, const char *name) {
  return cell.length == strlen(name) && memcmp(cell.at, name, cell.length) == 0;
}

/** Where the wanted columns are. */
static roof_status read_header(trace_reader *r, const trace_format *f, const char *line, size_t length,
                               roof_error *error) {
  trace_cell cells[TRACE_CELLS];
  r->cell_count = rf_trace_cells(line, length, cells);
  for (int i = 0; f->columns[i] != NULL; i++) {
    r->columns[i] = -1;
    for (int c = 0; c < r->cell_count; c++) {
      r->columns[i] = is_name(cells[c], f->columns[i]) ? c : r->columns[i];
    }
    if (r->columns[i] < 0) {
      return roof_error_set(error, ROOF_E_PARSE, "%s: no column `%s`", f->name, f->columns[i]);
    }
    r->columns[i + 1] = -1;
  }
  return ROOF_OK;
}

static int by_time(const void *a, const void *b) {
  const roof_request *x = a, *y = b;
  return x->seconds != y->seconds ? (x->seconds > y->seconds) - (x->seconds < y->seconds)
                                  : (x->line > y->line) - (x->line < y->line);
}

/** In the order of their times, from that of the first on. */
static void order(roof_requests *out) {
  qsort(out->requests, out->count, sizeof *out->requests, by_time);
  double first = out->requests[0].seconds;
  for (size_t i = 0; i < out->count; i++) {
    out->requests[i].seconds -= first;
  }
}

static const trace_format *find_format(const char *line, size_t length) {
  for (int i = 0; i < FORMAT_COUNT; i++) {
    if (formats[i]->detect(line, length)) {
      return formats[i];
    }
  }
  return NULL;
}

static size_t line_length(const char *at, const char *end) {
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  return (size_t)((stop != NULL ? stop : end) - at);
}

roof_status rf_trace_line(trace_reader *r, const trace_format *f, const char *line, size_t length, int number,
                          const char *path, roof_error *error) {
  int column = 1;
  roof_status status = ROOF_OK;
  length -= length > 0 && line[length - 1] == '\r' ? 1 : 0;
  if (number == 1 && f->columns != NULL) {
    status = read_header(r, f, line, length, error);
  } else if (length > 0) {
    size_t before = r->out->count;
    status = f->read(r, line, length, &column, error);
    if (status == ROOF_OK && r->out->count > before) {
      r->out->requests[before].line = (size_t)number;
    }
  }
  if (status != ROOF_OK) {
    roof_error_at(error, path, number, column);
  }
  return status;
}

roof_status rf_trace_format_of(const char *line, size_t length, const char *path, const trace_format **format,
                               roof_error *error) {
  *format = find_format(line, length);
  if (*format != NULL) {
    return ROOF_OK;
  }
  roof_error_set(
      error, ROOF_E_PARSE,
      "trace: neither Azure's CSV (TIMESTAMP,ContextTokens,GeneratedTokens), BurstGPT's "
      "(Timestamp,...,Request "
      "tokens,Response tokens,...) nor Mooncake's JSON lines (timestamp, input_length, output_length)");
  roof_error_at(error, path, 1, 1);
  return ROOF_E_PARSE;
}

void rf_trace_count(roof_requests *r, const roof_request *q) {
  r->first_seconds = r->count == 0 ? q->seconds : r->first_seconds;
  r->last_seconds = q->seconds;
  r->prompt_tokens += q->prompt;
  r->generated_tokens += q->generate;
  r->count++;
  if (q->prompt + q->generate > r->longest.prompt + r->longest.generate) {
    r->longest = *q;
    r->longest_number = r->count;
  }
}

static void count_all(roof_requests *r) {
  size_t count = r->count;
  r->count = 0;
  for (size_t i = 0; i < count; i++) {
    rf_trace_count(r, &r->requests[i]);
  }
}

roof_status rf_trace_read(const char *text, size_t length, const char *path, roof_requests *requests,
                          roof_error *error) {
  roof_requests made = {0};
  trace_reader reader = {.out = &made, .columns = {-1}, .end = text + length};
  const trace_format *f = NULL;
  const char *end = text + length;
  int number = 0;
  roof_status status = rf_trace_format_of(text, line_length(text, end), path, &f, error);
  for (const char *at = text; at < end && status == ROOF_OK;) {
    size_t whole = line_length(at, end);
    status = rf_trace_line(&reader, f, at, whole, ++number, path, error);
    at += whole + 1;
  }
  if (status == ROOF_OK && made.count == 0) {
    status = roof_error_set(error, ROOF_E_INPUT, "%s: no request with a prompt and an answer", path);
  }
  if (status != ROOF_OK) {
    roof_requests_done(&made);
    return status;
  }
  made.format = f->name;
  made.block_tokens = f->block_tokens;
  order(&made);
  count_all(&made);
  *requests = made;
  return ROOF_OK;
}

double roof_requests_rate(const roof_requests *requests) {
  double seconds = requests->last_seconds - requests->first_seconds;
  return seconds > 0 ? (double)(requests->count - 1) / seconds : INFINITY;
}
