#include "ledger/entry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sodium.h>

static const char no_previous[] = "0000000000000000000000000000000000000000000000000000000000000000";
_Static_assert(sizeof no_previous == LEDGER_DIGEST + 1, "a digit per zero");

static const char first_start[] = "{\"sequence\":1,\"kind\":\"";
static const char seal_key[] = ",\"sha256\":\"";
static const char seal_end[] = "\"}";
enum { SEAL_LENGTH = sizeof seal_key - 1 + LEDGER_DIGEST + sizeof seal_end - 1 };

/** SHA-256 of the two parts; libsodium needs no set-up for it. */
static void digest(const char *text, size_t length, const char *more, char out[LEDGER_DIGEST + 1]) {
  crypto_hash_sha256_state state;
  unsigned char bytes[crypto_hash_sha256_BYTES];
  crypto_hash_sha256_init(&state);
  crypto_hash_sha256_update(&state, (const unsigned char *)text, length);
  crypto_hash_sha256_update(&state, (const unsigned char *)more, strlen(more));
  crypto_hash_sha256_final(&state, bytes);
  sodium_bin2hex(out, LEDGER_DIGEST + 1, bytes, sizeof bytes);
}

/** The time of day as ISO 8601 UTC with milliseconds. */
static void write_time(char *buffer, size_t size) {
  struct timespec now;
  struct tm utc;
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &utc);
  size_t length = strftime(buffer, size, "%Y-%m-%dT%H:%M:%S", &utc);
  snprintf(buffer + length, size - length, ".%03dZ", (int)(now.tv_nsec / 1000000));
}

roof_status ledger_entry_write(const ledger_entry *last, json_t *fields, roof_text *line, roof_error *error) {
  char when[40], seal[LEDGER_DIGEST + 1];
  write_time(when, sizeof when);
  json_t *object =
      json_pack("{s:I, s:O, s:s, s:s}", "sequence", (json_int_t)(last != NULL ? last->sequence + 1 : 1),
                "kind", json_object_get(fields, "kind"), "time", when, "version", ROOFLINE_VERSION);
  json_t *previous = json_pack("{s:s}", "previous", last != NULL ? last->digest : no_previous);
  bool built = object != NULL && previous != NULL && json_object_update(object, fields) == 0 &&
               json_object_update(object, previous) == 0;
  char *text = built ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(object);
  json_decref(previous);
  size_t start = line->length;
  if (text != NULL) {
    size_t open = strlen(text) - 1; /* without the closing brace */
    digest(text, open, "", seal);
    roof_text_add_bytes(line, text, open);
    roof_text_addf(line, "%s%s%s\n", seal_key, seal, seal_end);
    free(text);
  }
  /* Short of memory jansson may leave a key out of the text and call that success: what does not read back is
   * not sealed. */
  ledger_entry written;
  bool good = text != NULL && !line->failed &&
              ledger_entry_read(line->data + start, line->length - start - 1, false, NULL, &written) == NULL;
  return good ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "ledger: out of memory");
}

/** True when the line ends with the SHA-256 of what stands before it. */
static bool sealed(const char *line, size_t length) {
  char expected[SEAL_LENGTH + 1], seal[LEDGER_DIGEST + 1];
  if (length < SEAL_LENGTH) {
    return false;
  }
  digest(line, length - SEAL_LENGTH, "", seal);
  snprintf(expected, sizeof expected, "%s%s%s", seal_key, seal, seal_end);
  return memcmp(line + length - SEAL_LENGTH, expected, SEAL_LENGTH) == 0;
}

/** Copies a text that fits and is not empty. */
static bool take_text(char *out, size_t size, const char *text) {
  size_t length = strlen(text);
  if (length == 0 || length >= size) {
    return false;
  }
  memcpy(out, text, length + 1);
  return true;
}

static const char *read_prediction(json_t *root, ledger_entry *entry) {
  const char *label = NULL, *regime = NULL, *binding = NULL;
  if (json_unpack(root, "{s:s, s:{s:F, s:F}, s:s, s:s}", "label", &label, "seconds", "lower",
                  &entry->lower_seconds, "expected", &entry->expected_seconds, "regime", &regime, "binding",
                  &binding) != 0 ||
      !take_text(entry->label, sizeof entry->label, label) ||
      !take_text(entry->regime, sizeof entry->regime, regime) ||
      !take_text(entry->binding, sizeof entry->binding, binding)) {
    return "a prediction needs a label, seconds, a regime and what binds";
  }
  return entry->lower_seconds > 0 && entry->expected_seconds > 0 ? NULL : "its times must be positive";
}

static const char *read_measurement(json_t *root, ledger_entry *entry) {
  const char *label = NULL;
  if (json_unpack(root, "{s:s, s:F}", "label", &label, "seconds", &entry->seconds) != 0 ||
      !take_text(entry->label, sizeof entry->label, label)) {
    return "a measurement needs a label and seconds";
  }
  return entry->seconds > 0 ? NULL : "its time must be positive";
}

static const char *read_fields(json_t *root, bool chained, const ledger_entry *last, ledger_entry *entry) {
  double sequence = 0;
  const char *kind = NULL, *previous = NULL;
  if (json_unpack(root, "{s:F, s:s, s:s}", "sequence", &sequence, "kind", &kind, "previous", &previous) !=
          0 ||
      !(sequence >= 1 && sequence <= 0x1p53)) {
    return "it has no sequence, kind or previous";
  }
  entry->sequence = (size_t)sequence;
  if (chained && entry->sequence != (last != NULL ? last->sequence + 1 : 1)) {
    return "its sequence number does not follow";
  }
  if (chained && strcmp(previous, last != NULL ? last->digest : no_previous) != 0) {
    return "the line before it was changed";
  }
  entry->measured = strcmp(kind, "measurement") == 0;
  if (!entry->measured && strcmp(kind, "prediction") != 0) {
    return "its kind is neither prediction nor measurement";
  }
  return entry->measured ? read_measurement(root, entry) : read_prediction(root, entry);
}

const char *ledger_entry_read(const char *line, size_t length, bool chained, const ledger_entry *last,
                              ledger_entry *entry) {
  if (!sealed(line, length)) {
    return "its SHA-256 does not match";
  }
  json_t *root = json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
  if (root == NULL) {
    return "it is not one JSON object";
  }
  ledger_entry read = {0};
  const char *why = read_fields(root, chained, last, &read);
  json_decref(root);
  if (why == NULL) {
    digest(line, length, "\n", read.digest);
    *entry = read;
  }
  return why;
}

bool ledger_begins(const char *text, size_t length) {
  size_t compared = length < sizeof first_start - 1 ? length : sizeof first_start - 1;
  return memcmp(text, first_start, compared) == 0;
}

static roof_status bad_entry(const char *file, size_t number, const char *why, roof_error *error) {
  roof_error_set(error, ROOF_E_GATE, "entry %zu: %s", number, why);
  roof_error_at(error, file, (int)number, 0);
  return ROOF_E_GATE;
}

static bool make_room(ledger_entries *ledger) {
  size_t count = ledger->count;
  if ((count & (count - 1)) != 0) { /* the capacity is a power of two */
    return true;
  }
  ledger_entry *more = realloc(ledger->entries, (count > 0 ? 2 * count : 1) * sizeof *more);
  ledger->entries = more != NULL ? more : ledger->entries;
  return more != NULL;
}

roof_status ledger_read(const char *text, size_t length, const char *file, ledger_entries *out,
                        roof_error *error) {
  ledger_entries ledger = {0};
  roof_status status = ROOF_OK;
  for (const char *line = text, *end = text + length; line < end && status == ROOF_OK;) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    const ledger_entry *last = ledger.count > 0 ? &ledger.entries[ledger.count - 1] : NULL;
    ledger_entry entry;
    const char *why = newline == NULL ? "it is incomplete: appending it was cut short"
                                      : ledger_entry_read(line, (size_t)(newline - line), true, last, &entry);
    if (why != NULL) {
      status = bad_entry(file, ledger.count + 1, why, error);
    } else if (!make_room(&ledger)) {
      status = roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", file);
    } else {
      ledger.entries[ledger.count++] = entry;
      line = newline + 1;
    }
  }
  if (status != ROOF_OK) {
    free(ledger.entries);
    return status;
  }
  *out = ledger;
  return ROOF_OK;
}
