/* Reads a ledger from any bytes and, when it holds, reconciles it. The first byte chooses whether the lines
 * are sealed first, so that what follows the seal is reached too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/entry.h"

static void read_and_match(const char *text, size_t length) {
  roof_ledger_entries ledger;
  roof_reconcile result;
  if (rf_ledger_read(text, length, "fuzz", true, &ledger, NULL) != ROOF_OK) {
    return;
  }
  if (rf_ledger_match(&ledger, false, &result, NULL) == ROOF_OK) {
    roof_reconcile_done(&result);
  }
  free(ledger.entries);
}

/** Seals each line's JSON object again as the ledger would. */
static void seal_and_read(const char *text, size_t length) {
  roof_text sealed = {0};
  ledger_link link = rf_ledger_link_first();
  for (const char *line = text, *end = text + length; line < end;) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    const char *stop = newline != NULL ? newline : end;
    json_t *fields = json_loadb(line, (size_t)(stop - line), 0, NULL);
    if (json_is_object(fields) && json_object_get(fields, "kind") != NULL) {
      (void)rf_ledger_entry_write(&link, fields, NULL, &sealed, NULL);
    }
    json_decref(fields);
    line = stop + 1;
  }
  if (sealed.length > 0) {
    read_and_match(sealed.data, sealed.length);
  }
  roof_text_done(&sealed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const char *text = (const char *)data + 1;
  if (data[0] == 's') {
    seal_and_read(text, size - 1);
  } else {
    read_and_match(text, size - 1);
  }
  return 0;
}
