/* Reads a ledger from any bytes and, when it holds, reconciles it. The first byte chooses whether the lines
 * are sealed first, so that what follows the seal is reached too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/entry.h"
#include "mutate.h"

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

/** Gives the line the digest of the one before it and its own, where it has room for them; appends it. */
static void seal_line(roof_text *out, char previous[ROOF_DIGEST_MAX], const char *line, size_t length) {
  static const char before[] = ",\"previous\":\"", seal[] = ",\"sha256\":\"";
  size_t start = out->length;
  const char *link = memmem(line, length, before, sizeof before - 1),
             *end = memmem(line, length, seal, sizeof seal - 1);
  size_t digits = ROOF_DIGEST_MAX - 1, kept = end != NULL ? (size_t)(end - line) : length;
  roof_text_add_bytes(out, line, kept);
  if (link != NULL && link < end && (size_t)(end - link) >= sizeof before - 1 + digits && !out->failed) {
    memcpy(out->data + start + (link - line) + sizeof before - 1, previous, digits);
  }
  if (end != NULL && !out->failed) {
    char digest[ROOF_DIGEST_MAX];
    roof_ledger_digest(out->data + start, kept, digest);
    roof_text_addf(out, "%s%s\"}", seal, digest);
  }
  roof_text_add(out, "\n");
  if (!out->failed) {
    roof_ledger_digest(out->data + start, out->length - start, previous);
  }
}

/** Changes the text, then makes it a chain again: what is inside an entry is reached, not only that its digest is wrong. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  char previous[ROOF_DIGEST_MAX];
  roof_text sealed = {0};
  size = mutate_text(data, size, most, seed);
  if (size < 2 || data[0] == 's' || seed % 8 == 0) {
    return size;
  }
  memset(previous, '0', sizeof previous);
  roof_text_add_bytes(&sealed, (const char *)data, 1);
  for (const char *line = (const char *)data + 1, *end = (const char *)data + size; line < end;) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    const char *stop = newline != NULL ? newline : end;
    seal_line(&sealed, previous, line, (size_t)(stop - line));
    line = stop + 1;
  }
  if (!sealed.failed && sealed.length <= most) {
    memcpy(data, sealed.data, sealed.length);
    size = sealed.length;
  }
  roof_text_done(&sealed);
  return size;
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
