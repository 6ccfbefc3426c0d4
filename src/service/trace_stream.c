/* A trace read line by line as a run needs it, so that a long one takes no more memory than a short one. */
#include "service/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"

struct trace_stream {
  FILE *file;
  const char *path;
  const trace_format *format;
  trace_reader reader;
  roof_requests one; /**< the request of the line */
  char *line;
  size_t room;
  int number;
};

/** The next line with the bytes behind it that readers may touch; *length without its end; false at the end of the file. */
static bool next_line(trace_stream *s, size_t *length, roof_status *status, roof_error *error) {
  enum { PADDING = 8 };
  ssize_t read = getline(&s->line, &s->room, s->file);
  if (read < 0) {
    return false;
  }
  size_t whole = (size_t)read;
  if (s->room < whole + PADDING) {
    char *more = realloc(s->line, whole + PADDING);
    if (more == NULL) {
      *status = roof_error_set(error, ROOF_E_MEMORY, "serve: out of memory");
      return false;
    }
    s->line = more;
    s->room = whole + PADDING;
  }
  whole -= whole > 0 && s->line[whole - 1] == '\n' ? 1 : 0;
  size_t mark = s->number == 0 ? rf_file_mark(s->line, whole) : 0;
  whole -= mark;
  memmove(s->line, s->line + mark, whole);
  memset(s->line + whole, 0, PADDING);
  *length = whole;
  s->number++;
  return true;
}

roof_status rf_trace_open(const char *path, trace_stream **stream, roof_error *error) {
  FILE *file;
  roof_status status = rf_file_open(path, &file, error);
  if (status != ROOF_OK) {
    return status;
  }
  trace_stream *s = calloc(1, sizeof *s);
  if (s == NULL) {
    fclose(file);
    return roof_error_set(error, ROOF_E_MEMORY, "serve: out of memory");
  }
  s->file = file;
  s->path = path;
  s->reader = (trace_reader){.out = &s->one, .columns = {-1}};
  *stream = s;
  return ROOF_OK;
}

void rf_trace_close(trace_stream *s) {
  if (s != NULL) {
    fclose(s->file);
    free(s->line);
    free(s->one.requests);
    free(s->one.blocks);
    free(s);
  }
}

roof_status rf_trace_next(trace_stream *s, const roof_request **row, const unsigned **blocks,
                          roof_error *error) {
  roof_status status = ROOF_OK;
  size_t length;
  *row = NULL;
  while (status == ROOF_OK && next_line(s, &length, &status, error)) {
    s->one.count = s->one.block_count = 0;
    s->reader.end = s->line + length;
    if (s->number == 1) {
      status = rf_trace_format_of(s->line, length, s->path, &s->format, error);
    }
    status = status == ROOF_OK
                 ? rf_trace_line(&s->reader, s->format, s->line, length, s->number, s->path, error)
                 : status;
    if (status == ROOF_OK && s->one.count > 0) {
      *row = &s->one.requests[0];
      *blocks = s->one.blocks;
      return ROOF_OK;
    }
  }
  return status;
}

/** What all requests of a file are like, and whether they are in the order of their times. */
static roof_status scan(const char *path, roof_requests *out, bool *ordered, roof_error *error) {
  trace_stream *s = NULL;
  const roof_request *row = NULL;
  const unsigned *blocks;
  *ordered = true;
  roof_status status = rf_trace_open(path, &s, error);
  while (status == ROOF_OK && (status = rf_trace_next(s, &row, &blocks, error)) == ROOF_OK && row != NULL) {
    *ordered = *ordered && (out->count == 0 || row->seconds >= out->last_seconds);
    rf_trace_count(out, row);
  }
  if (status == ROOF_OK && out->count == 0) {
    status = roof_error_set(error, ROOF_E_INPUT, "%s: no request with a prompt and an answer", path);
  }
  if (status == ROOF_OK) {
    out->format = s->format->name;
    out->block_tokens = s->format->block_tokens;
    out->skipped = s->one.skipped;
    out->path = strdup(path);
    status = out->path != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "serve: out of memory");
  }
  rf_trace_close(s);
  return status;
}

/** A file out of order is read as a whole. */
static roof_status read_whole(const char *path, roof_requests *requests, roof_error *error) {
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
    size_t mark = rf_file_mark(file.data, file.length), length = file.length - mark;
    memcpy(text, (const char *)file.data + mark, length);
    memset(text + length, 0, PADDING);
    status = rf_trace_read(text, length, path, requests, error);
  }
  free(text);
  rf_file_unmap(&file);
  return status;
}

roof_status roof_requests_read(const char *path, roof_requests *requests, roof_error *error) {
  rf_file_mapping file;
  roof_requests made = {0};
  bool ordered = true;
  roof_status status = rf_file_map(path, &file, error); /* a plain file */
  if (status == ROOF_OK) {
    rf_file_unmap(&file);
    status = scan(path, &made, &ordered, error);
  }
  if (status == ROOF_OK && ordered) {
    *requests = made;
    return ROOF_OK;
  }
  roof_requests_done(&made);
  return status == ROOF_OK ? read_whole(path, requests, error) : status;
}
