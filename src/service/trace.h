/** Requests as a file has them: one reader a format. */
#ifndef SERVICE_TRACE_H
#define SERVICE_TRACE_H

#include "roofline/service.h"

enum { TRACE_CELLS = 16 };

/** A part of a line. */
typedef struct trace_cell {
  const char *at;
  size_t length;
} trace_cell;

/** A file being read. */
typedef struct trace_reader {
  roof_requests *out;
  size_t request_room, block_room;
  int columns[TRACE_CELLS]; /**< of a header: where each wanted one is, or -1 */
  int cell_count;           /**< of the header */
  const char *end;          /**< of the text, or the line: a NUL */
} trace_reader;

typedef struct trace_format {
  const char *name;
  const char *const *columns; /**< of the header, NULL behind the last wanted; NULL: the file has none */
  double block_tokens;        /**< of a block of prompts, 0: the file has none */
  /** Whether a file begins so. */
  bool (*detect)(const char *line, size_t length);
  /** Adds a line's request; *column (from 1) is where an error is. */
  roof_status (*read)(trace_reader *reader, const char *line, size_t length, int *column, roof_error *error);
} trace_format;

extern const trace_format rf_trace_azure, rf_trace_burstgpt, rf_trace_mooncake;

/** Reads a whole text. `path` is for errors; `text` ends with a NUL and seven more readable bytes. */
roof_status rf_trace_read(const char *text, size_t length, const char *path, roof_requests *requests,
                          roof_error *error);

/** The format of a file that begins with a line. */
roof_status rf_trace_format_of(const char *line, size_t length, const char *path, const trace_format **format,
                               roof_error *error);

/** Reads a line, by its number from 1; the first may be a header. */
roof_status rf_trace_line(trace_reader *reader, const trace_format *format, const char *line, size_t length,
                          int number, const char *path, roof_error *error);

/** Counts a request in what all of them are like. */
void rf_trace_count(roof_requests *requests, const roof_request *request);

/* trace_stream.c */
typedef struct trace_stream trace_stream;

/** Opens a file; `path` is kept. Release with rf_trace_close. */
roof_status rf_trace_open(const char *path, trace_stream **stream, roof_error *error);
void rf_trace_close(trace_stream *stream);

/** The next request, *row NULL behind the last; it and its blocks are there until the one after it is asked for. */
roof_status rf_trace_next(trace_stream *stream, const roof_request **row, const unsigned **blocks,
                          roof_error *error);

/* trace_rows.c */
/** Cells of a line of CSV without quotes; -1 where there are more than TRACE_CELLS. */
int rf_trace_cells(const char *line, size_t length, trace_cell cells[TRACE_CELLS]);

/** The wanted cells of a line, in the order of the format's columns. */
roof_status rf_trace_wanted(const trace_reader *reader, const char *line, size_t length,
                            trace_cell wanted[TRACE_CELLS], int *column, roof_error *error);

/** A whole number of tokens. */
roof_status rf_trace_tokens(trace_cell cell, const char *line, double *tokens, int *column,
                            roof_error *error);

/** Adds a request; one without a prompt or an answer is counted as skipped. */
roof_status rf_trace_add(trace_reader *reader, const roof_request *request, roof_error *error);

/** Adds a block to the prompt of the request that is added next. */
roof_status rf_trace_add_block(trace_reader *reader, unsigned block, roof_error *error);

#endif
