/* Lines of a trace: their cells, and what is made of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/units.h"
#include "service/trace.h"

int rf_trace_cells(const char *line, size_t length, trace_cell cells[TRACE_CELLS]) {
  int count = 0;
  const char *end = line + length;
  for (const char *at = line; at <= end; at++) {
    const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma != NULL ? comma : end;
    if (count == TRACE_CELLS) {
      return -1;
    }
    cells[count++] = (trace_cell){at, (size_t)(stop - at)};
    at = stop;
  }
  return count;
}

roof_status rf_trace_wanted(const trace_reader *r, const char *line, size_t length,
                            trace_cell wanted[TRACE_CELLS], int *column, roof_error *error) {
  trace_cell cells[TRACE_CELLS];
  int count = rf_trace_cells(line, length, cells);
  if (count != r->cell_count) {
    *column = (int)length + 1;
    return roof_error_set(error, ROOF_E_PARSE, "%d columns, the header has %d", count, r->cell_count);
  }
  for (int i = 0; r->columns[i] >= 0; i++) {
    wanted[i] = cells[r->columns[i]];
  }
  return ROOF_OK;
}

roof_status rf_trace_tokens(trace_cell cell, const char *line, double *tokens, int *column,
                            roof_error *error) {
  double value = NAN;
  size_t read = roof_number_read(cell.at, cell.length, &value);
  if (read != cell.length || !(value >= 0 && value <= 1e8) || value != floor(value)) {
    *column = (int)(cell.at - line) + 1;
    return roof_error_set(error, ROOF_E_PARSE, "`%.*s`: a whole number of tokens from 0 to 1e8",
                          (int)(cell.length < 40 ? cell.length : 40), cell.at);
  }
  *tokens = value;
  return ROOF_OK;
}

static bool grow(void **list, size_t *room, size_t count, size_t each) {
  if (count < *room) {
    return true;
  }
  size_t wanted = *room > 0 ? 2 * *room : 1024;
  void *more = realloc(*list, wanted * each);
  if (more == NULL) {
    return false;
  }
  *list = more;
  *room = wanted;
  return true;
}

roof_status rf_trace_add_block(trace_reader *r, unsigned block, roof_error *error) {
  roof_requests *out = r->out;
  void *list = out->blocks;
  if (!grow(&list, &r->block_room, out->block_count, sizeof *out->blocks)) {
    return roof_error_set(error, ROOF_E_MEMORY, "serve: out of memory");
  }
  out->blocks = list;
  out->blocks[out->block_count++] = block;
  return ROOF_OK;
}

roof_status rf_trace_add(trace_reader *r, const roof_request *request, roof_error *error) {
  roof_requests *out = r->out;
  void *list = out->requests;
  if (request->prompt < 1 || request->generate < 1) {
    out->skipped++;
    return ROOF_OK;
  }
  if (!grow(&list, &r->request_room, out->count, sizeof *out->requests)) {
    return roof_error_set(error, ROOF_E_MEMORY, "serve: out of memory");
  }
  out->requests = list;
  out->requests[out->count++] = *request;
  return ROOF_OK;
}
