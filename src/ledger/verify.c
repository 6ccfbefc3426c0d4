/* Whether a ledger holds, what it is a continuation of, and what its signatures cover. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger/entry.h"
#include "ledger/file.h"

/** Every prediction must be signed by the key; counts its signatures. */
static roof_status check_signer(const char *path, const roof_ledger_entries *ledger, const char *key,
                                roof_ledger_summary *s, roof_error *error) {
  char expected[LEDGER_PUBLIC_KEY + 1];
  roof_status status = rf_ledger_key_public(key, expected, error);
  for (size_t i = 0; i < ledger->count && status == ROOF_OK; i++) {
    const roof_ledger_entry *entry = &ledger->entries[i];
    bool own = strcmp(entry->public_key, expected) == 0;
    s->own_signatures += own;
    s->covered = own ? i + 1 : s->covered;
    if (!entry->measured && !own) {
      status = roof_error_set(error, ROOF_E_GATE, "entry %zu: its prediction is %s", i + 1,
                              entry->public_key[0] == '\0' ? "not signed" : "signed by another key");
      roof_error_at(error, path, (int)(i + 1), 0);
    }
  }
  return status;
}

static void count(const roof_ledger_entries *ledger, roof_ledger_summary *s) {
  s->entries = ledger->count;
  for (size_t i = 0; i < ledger->count; i++) {
    const roof_ledger_entry *entry = &ledger->entries[i];
    s->measurements += entry->measured;
    s->signatures += entry->public_key[0] != '\0';
  }
  s->predictions = s->entries - s->measurements;
  memcpy(s->head, ledger->entries[ledger->count - 1].digest, sizeof s->head);
}

/** How many torn ends lie next to a ledger. */
static size_t count_torn_files(const char *path) {
  char name[PATH_MAX];
  size_t count = 0;
  while (rf_ledger_torn_name(path, count + 1, name, sizeof name) && access(name, F_OK) == 0) {
    count++;
  }
  return count;
}

static roof_status refuse_empty(const char *path, roof_error *error) {
  return roof_error_set(error, ROOF_E_GATE, "%s: has no entries: there is nothing that could hold", path);
}

roof_status roof_ledger_verify(const char *path, const char *key, roof_ledger_summary *summary,
                               roof_error *error) {
  roof_ledger_entries ledger = {0};
  roof_ledger_summary s = {.keyed = key != NULL};
  roof_status status = rf_ledger_load(path, true, &ledger, NULL, error);
  if (status == ROOF_OK) {
    status = ledger.count > 0 ? ROOF_OK : refuse_empty(path, error);
  }
  if (status == ROOF_OK && key != NULL) {
    status = check_signer(path, &ledger, key, &s, error);
  }
  if (status == ROOF_OK) {
    count(&ledger, &s);
    s.torn_files = count_torn_files(path);
    status = rf_ledger_doubts_of(&ledger, &s.doubts, error);
  }
  if (status == ROOF_OK) {
    *summary = s;
  }
  free(ledger.entries);
  return status;
}

roof_status roof_ledger_check(const roof_ledger_summary *s, const char *ledger, roof_error *error) {
  if (s->keyed && s->covered < s->entries) {
    return roof_error_set(error, ROOF_E_GATE,
                          "%s: --strict: no signature of the key covers entries from %zu on", ledger,
                          s->covered + 1);
  }
  if (s->torn_files > s->doubts.torn) {
    return roof_error_set(error, ROOF_E_GATE,
                          "%s: --strict: torn ends kept next to it: %zu; entries tell of %zu", ledger,
                          s->torn_files, s->doubts.torn);
  }
  return rf_ledger_doubts_check(&s->doubts, ledger, error);
}

bool rf_ledger_head_read(const char *text, size_t *number, char digest[ROOF_DIGEST_MAX]) {
  char *end;
  unsigned long long value = strtoull(text, &end, 10);
  bool good = text[0] >= '1' && text[0] <= '9' && *end == ':' && strlen(end + 1) == LEDGER_DIGEST &&
              strspn(end + 1, "0123456789abcdef") == LEDGER_DIGEST;
  if (good) {
    *number = (size_t)value;
    memcpy(digest, end + 1, LEDGER_DIGEST + 1);
  }
  return good;
}

roof_status rf_ledger_goes_on(const roof_ledger_entries *ledger, const char *path, const char *earlier,
                              size_t number, const char *digest, roof_error *error) {
  if (number > ledger->count) {
    return roof_error_set(error, ROOF_E_GATE, "%s: does not extend %s: %zu of its %zu entries are missing",
                          path, earlier, number - ledger->count, number);
  }
  return strcmp(ledger->entries[number - 1].digest, digest) == 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_GATE,
                              "%s: does not extend %s: entry %zu is another, or one before it", path, earlier,
                              number);
}

/** The head of an earlier state: as text, or of a file. */
static roof_status earlier_head(const char *earlier, size_t *number, char digest[ROOF_DIGEST_MAX],
                                roof_error *error) {
  roof_ledger_entries old = {0};
  if (rf_ledger_head_read(earlier, number, digest)) {
    return ROOF_OK;
  }
  roof_status status = rf_ledger_load(earlier, false, &old, NULL, error);
  if (status == ROOF_OK && old.count == 0) {
    status = refuse_empty(earlier, error);
  }
  if (status == ROOF_OK) {
    *number = old.count;
    memcpy(digest, old.entries[old.count - 1].digest, ROOF_DIGEST_MAX);
  }
  free(old.entries);
  return status;
}

roof_status roof_ledger_extends(const char *path, const char *earlier, size_t *entries, roof_error *error) {
  char digest[ROOF_DIGEST_MAX];
  size_t number = 0;
  roof_ledger_entries ledger = {0};
  roof_status status = earlier_head(earlier, &number, digest, error);
  status = status == ROOF_OK ? rf_ledger_load(path, false, &ledger, NULL, error) : status;
  status = status == ROOF_OK ? rf_ledger_goes_on(&ledger, path, earlier, number, digest, error) : status;
  if (status == ROOF_OK) {
    *entries = number;
  }
  free(ledger.entries);
  return status;
}
