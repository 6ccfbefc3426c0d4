/* Mooncake (Qin et al. 2025): JSON lines with timestamp in milliseconds, input_length, output_length and hash_ids, one for each
 * 512 tokens of the prompt; equal ones stand for equal blocks after equal ones. */
#include <math.h>
#include <string.h>

#include "documents/scan.h"
#include "roofline/units.h"
#include "service/trace.h"

static bool detect(const char *line, size_t length) {
  static const char key[] = "\"input_length\"";
  for (size_t i = 0; length > 0 && line[0] == '{' && i + sizeof key - 1 <= length; i++) {
    if (memcmp(line + i, key, sizeof key - 1) == 0) {
      return true;
    }
  }
  return false;
}

/** A number of any length as 32 bits: those of a trace are counted from 0, others are hashed (FNV-1a). */
static unsigned block_of(rf_span value) {
  double number = NAN;
  if (roof_number_read(value.at, value.size, &number) == value.size && number >= 0 && number < 4294967296.0) {
    return (unsigned)number;
  }
  unsigned hash = 2166136261u;
  for (size_t i = 0; i < value.size; i++) {
    hash = (hash ^ (unsigned char)value.at[i]) * 16777619u;
  }
  return hash;
}

static roof_status add_blocks(trace_reader *reader, rf_span list, roof_request *r, roof_error *error) {
  roof_status status = ROOF_OK;
  const char *at = list.at + 1;
  rf_span key, value;
  r->first_block = reader->out->block_count;
  r->block_count = 0; /* of a list that is given twice the last counts */
  while (status == ROOF_OK && list.at[0] == '[' && rf_scan_next(&at, &key, &value)) {
    status = rf_trace_add_block(reader, block_of(value), error);
    r->block_count++;
  }
  return status;
}

static roof_status read_member(trace_reader *reader, const char *line, rf_span key, rf_span value,
                               roof_request *r, int *column, roof_error *error) {
  const trace_cell cell = {value.at, value.size};
  if (rf_scan_is(key, "input_length")) {
    return rf_trace_tokens(cell, line, &r->prompt, column, error);
  }
  if (rf_scan_is(key, "output_length")) {
    return rf_trace_tokens(cell, line, &r->generate, column, error);
  }
  if (rf_scan_is(key, "hash_ids")) {
    return add_blocks(reader, value, r, error);
  }
  if (rf_scan_is(key, "timestamp")) {
    bool whole = roof_number_read(value.at, value.size, &r->seconds) == value.size;
    if (!whole || !(r->seconds >= 0 && r->seconds < 1e15)) {
      *column = (int)(value.at - line) + 1;
      return roof_error_set(error, ROOF_E_PARSE, "timestamp: no time in milliseconds");
    }
    r->seconds /= 1000;
  }
  return ROOF_OK;
}

static roof_status read(trace_reader *reader, const char *line, size_t length, int *column,
                        roof_error *error) {
  rf_scan scan = {.end = reader->end};
  rf_span object = {0}, key, value;
  roof_request r = {.prompt = NAN, .generate = NAN, .seconds = NAN};
  const char *after = line[0] == '{' ? rf_scan_value(&scan, line, &object) : NULL;
  if (after == NULL || after > line + length || rf_scan_blank(after) < line + length) {
    return roof_error_set(error, ROOF_E_PARSE, "no JSON object on a line of its own");
  }
  roof_status status = ROOF_OK;
  const char *at = line + 1;
  while (status == ROOF_OK && rf_scan_next(&at, &key, &value)) {
    status = read_member(reader, line, key, value, &r, column, error);
  }
  if (status == ROOF_OK && (isnan(r.prompt) || isnan(r.generate) || isnan(r.seconds))) {
    return roof_error_set(error, ROOF_E_PARSE, "no %s",
                          isnan(r.prompt)     ? "input_length"
                          : isnan(r.generate) ? "output_length"
                                              : "timestamp");
  }
  return status == ROOF_OK ? rf_trace_add(reader, &r, error) : status;
}

const trace_format rf_trace_mooncake = {
    .name = "Mooncake", .block_tokens = 512, .detect = detect, .read = read};
