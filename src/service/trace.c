#include "service/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "roofline/units.h"

static const trace_format *const formats[] = {&rf_trace_azure, &rf_trace_burstgpt, &rf_trace_mooncake};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

void roof_requests_done(roof_requests *requests) {
  free(requests->requests);
  free(requests->blocks);
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

/** Every line of a text. */
static roof_status read_lines(trace_reader *r, const trace_format *f, const char *text, size_t length,
                              const char *path, roof_error *error) {
  const char *end = text + length;
  roof_status status = ROOF_OK;
  int number = 0;
  for (const char *at = text; at < end && status == ROOF_OK;) {
    size_t whole = line_length(at, end), own = whole;
    int column = 1;
    own -= own > 0 && at[own - 1] == '\r' ? 1 : 0;
    number++;
    if (number == 1 && f->columns != NULL) {
      status = read_header(r, f, at, own, error);
    } else if (own > 0) {
      size_t before = r->out->count;
      status = f->read(r, at, own, &column, error);
      if (status == ROOF_OK && r->out->count > before) {
        r->out->requests[before].line = (size_t)number;
      }
    }
    if (status != ROOF_OK) {
      roof_error_at(error, path, number, column);
    }
    at += whole + 1;
  }
  return status;
}

roof_status rf_trace_read(const char *text, size_t length, const char *path, roof_requests *requests,
                          roof_error *error) {
  roof_requests made = {0};
  trace_reader reader = {.out = &made, .columns = {-1}, .end = text + length};
  const trace_format *f = find_format(text, line_length(text, text + length));
  if (f == NULL) {
    roof_error_set(
        error, ROOF_E_PARSE,
        "trace: neither Azure's CSV (TIMESTAMP,ContextTokens,GeneratedTokens), BurstGPT's "
        "(Timestamp,...,Request "
        "tokens,Response tokens,...) nor Mooncake's JSON lines (timestamp, input_length, output_length)");
    roof_error_at(error, path, 1, 1);
    return ROOF_E_PARSE;
  }
  made.format = f->name;
  made.block_tokens = f->block_tokens;
  roof_status status = read_lines(&reader, f, text, length, path, error);
  if (status == ROOF_OK && made.count == 0) {
    status = roof_error_set(error, ROOF_E_INPUT, "%s: no request with a prompt and an answer", path);
  }
  if (status != ROOF_OK) {
    roof_requests_done(&made);
    return status;
  }
  order(&made);
  *requests = made;
  return ROOF_OK;
}

roof_status roof_requests_read(const char *path, roof_requests *requests, roof_error *error) {
  enum { PADDING = 8 };
  rf_file_mapping file;
  roof_status status = rf_file_map(path, &file, error);
  if (status != ROOF_OK) {
    return status;
  }
  char *text = malloc(file.length + PADDING);
  if (text == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "serve: out of memory");
  } else {
    memcpy(text, file.data, file.length);
    memset(text + file.length, 0, PADDING);
    status = rf_trace_read(text, file.length, path, requests, error);
  }
  free(text);
  rf_file_unmap(&file);
  return status;
}

double roof_requests_rate(const roof_requests *requests) {
  double last = requests->count > 0 ? requests->requests[requests->count - 1].seconds : 0;
  return last > 0 ? (double)(requests->count - 1) / last : INFINITY;
}
