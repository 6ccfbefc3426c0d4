/* Whole ledgers in memory: lines are read side by side, then the chain is walked. */
#include <stdlib.h>
#include <string.h>

#include "ledger/entry.h"

static const char first_start[] = "{\"sequence\":1,\"kind\":\"";

bool rf_ledger_begins(const char *text, size_t length) {
  size_t compared = length < sizeof first_start - 1 ? length : sizeof first_start - 1;
  return memcmp(text, first_start, compared) == 0;
}

typedef struct line {
  const char *text;
  size_t length;
  const char *why; /**< what is wrong with it, or NULL */
} line;

static size_t count_lines(const char *text, size_t length) {
  size_t count = 0;
  for (const char *at = text, *end = text + length; at < end; count++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    at = newline != NULL ? newline + 1 : end;
  }
  return count;
}

static void split(const char *text, size_t length, line *lines) {
  for (const char *at = text, *end = text + length; at < end; lines++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *why = newline != NULL ? NULL : "it is truncated: appending it was interrupted";
    *lines = (line){.text = at, .length = (size_t)((newline != NULL ? newline : end) - at), .why = why};
    at = newline != NULL ? newline + 1 : end;
  }
}

static void read_lines(line *lines, roof_ledger_entry *entries, size_t count, bool signatures) {
#pragma omp parallel for schedule(static) if (count > 1000)
  for (size_t i = 0; i < count; i++) {
    if (lines[i].why == NULL) {
      lines[i].why = rf_ledger_entry_read(lines[i].text, lines[i].length, &entries[i]);
    }
    if (signatures && lines[i].why == NULL && entries[i].public_key[0] != '\0') {
      lines[i].why = rf_ledger_entry_signature(lines[i].text, lines[i].length, &entries[i]);
    }
  }
}

static roof_status check_chain(const line *lines, const roof_ledger_entry *entries, size_t count,
                               const char *file, roof_error *error) {
  ledger_link link = rf_ledger_link_first();
  for (size_t i = 0; i < count; i++) {
    const char *why = lines[i].why != NULL ? lines[i].why : rf_ledger_entry_follows(&entries[i], &link);
    if (why != NULL) {
      roof_error_set(error, ROOF_E_GATE, "entry %zu: %s", i + 1, why);
      roof_error_at(error, file, (int)(i + 1), 0);
      return ROOF_E_GATE;
    }
    link = rf_ledger_link_after(&entries[i]);
  }
  return ROOF_OK;
}

roof_status rf_ledger_read(const char *text, size_t length, const char *file, bool signatures,
                           roof_ledger_entries *out, roof_error *error) {
  size_t count = count_lines(text, length);
  line *lines = calloc(count + 1, sizeof *lines);
  roof_ledger_entry *entries = calloc(count + 1, sizeof *entries);
  roof_status status = ROOF_OK;
  if (lines == NULL || entries == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", file);
    goto cleanup;
  }
  split(text, length, lines);
  read_lines(lines, entries, count, signatures);
  status = check_chain(lines, entries, count, file, error);
  if (status == ROOF_OK) {
    *out = (roof_ledger_entries){entries, count};
    entries = NULL;
  }
cleanup:
  free(lines);
  free(entries);
  return status;
}
