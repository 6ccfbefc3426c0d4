#include "ledger/entry.h"
#include "host/clock.h"

#include "documents/json.h"
#include "ledger/hash.h"
#include "roofline/version.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char seal_key[] = ",\"sha256\":\"";
static const char seal_end[] = "\"}";
static const char signature_key[] = ",\"signature\":\"";
enum {
  SEAL_LENGTH = sizeof seal_key - 1 + LEDGER_DIGEST + sizeof seal_end - 1,
  SIGNATURE_LENGTH = sizeof signature_key - 1 + LEDGER_SIGNATURE + 1,
};

static void digest_end(crypto_hash_sha256_state *state, char out[LEDGER_DIGEST + 1]) {
  unsigned char bytes[crypto_hash_sha256_BYTES];
  crypto_hash_sha256_final(state, bytes);
  sodium_bin2hex(out, LEDGER_DIGEST + 1, bytes, sizeof bytes);
}

char *roof_ledger_digest(const char *text, size_t length, char digest[ROOF_DIGEST_MAX]) {
  crypto_hash_sha256_state state; /* libsodium needs no set-up for it */
  crypto_hash_sha256_init(&state);
  rf_hash_add(&state, text, length);
  digest_end(&state, digest);
  return digest;
}

ledger_link rf_ledger_link_first(void) {
  ledger_link link = {.sequence = 0};
  memset(link.digest, '0', LEDGER_DIGEST);
  return link;
}

ledger_link rf_ledger_link_after(const roof_ledger_entry *last) {
  ledger_link link = {.sequence = (size_t)last->sequence};
  memcpy(link.digest, last->digest, sizeof link.digest);
  return link;
}

char *rf_ledger_boot(char digest[ROOF_DIGEST_MAX]) {
  const char *boot = rf_clock_boot();
  roof_ledger_digest(boot, strlen(boot), digest);
  digest[boot[0] != '\0' ? LEDGER_BOOT : 0] = '\0';
  return digest;
}

double rf_ledger_uptime(void) {
  double now = rf_clock_since_boot();
  return now > 0 ? round(now * 1000) / 1000 : 0;
}

/** The line's JSON up to where the signature or the seal goes; NULL when out of memory. */
static char *dump(const ledger_link *link, json_t *fields, const ledger_key *key, size_t *length) {
  char when[LEDGER_TIME], boot[ROOF_DIGEST_MAX];
  roof_time_write(roof_time_now(), when);
  json_t *object = json_pack("{s:I, s:O, s:s, s:s}", "sequence", (json_int_t)(link->sequence + 1), "kind",
                             json_object_get(fields, "kind"), "time", when, "version", ROOF_VERSION_TEXT);
  json_t *ends =
      json_pack("{s:s, s:o}", "boot", rf_ledger_boot(boot), "uptime", json_real(rf_ledger_uptime()));
  rf_json_set_text(ends, "public_key", key != NULL ? key->public_key : NULL);
  rf_json_set_text(ends, "previous", link->digest);
  bool built = object != NULL && ends != NULL && json_object_update(object, fields) == 0 &&
               json_object_update(object, ends) == 0;
  char *text = built ? rf_json_dump(object, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(object);
  json_decref(ends);
  *length = text != NULL ? strlen(text) - 1 : 0; /* without the closing brace */
  return text;
}

static void add_signature(roof_text *line, const char *text, size_t length, const ledger_key *key) {
  unsigned char bytes[crypto_sign_BYTES];
  char signature[LEDGER_SIGNATURE + 1];
  crypto_sign_detached(bytes, NULL, (const unsigned char *)text, length, key->secret);
  roof_text_addf(line, "%s%s\"", signature_key,
                 sodium_bin2hex(signature, sizeof signature, bytes, sizeof bytes));
}

bool rf_ledger_entry_is_sealed(const char *line, size_t length) {
  static const char digits[] = "0123456789abcdef";
  enum { KEY = sizeof seal_key - 1, END = sizeof seal_end - 1 };
  const char *said = length >= SEAL_LENGTH ? line + length - SEAL_LENGTH : NULL;
  bool is = said != NULL && memcmp(said, seal_key, KEY) == 0 &&
            memcmp(said + KEY + LEDGER_DIGEST, seal_end, END) == 0;
  for (int i = 0; i < LEDGER_DIGEST && is; i++) {
    is = memchr(digits, said[KEY + i], sizeof digits - 1) != NULL;
  }
  return is;
}

/** True when the line ends with the SHA-256 of what stands before it; `digest` gets that of the whole line.
 */
static bool sealed(const char *line, size_t length, char digest[LEDGER_DIGEST + 1]) {
  enum { KEY = sizeof seal_key - 1, END = sizeof seal_end - 1 };
  char seal[LEDGER_DIGEST + 1];
  if (length < SEAL_LENGTH) {
    return false;
  }
  const char *said = line + length - SEAL_LENGTH;
  crypto_hash_sha256_state state, body;
  crypto_hash_sha256_init(&state);
  rf_hash_add(&state, line, length - SEAL_LENGTH);
  body = state;
  digest_end(&body, seal);
  rf_hash_add(&state, said, SEAL_LENGTH);
  rf_hash_add(&state, "\n", 1);
  digest_end(&state, digest);
  return memcmp(said, seal_key, KEY) == 0 && memcmp(said + KEY, seal, LEDGER_DIGEST) == 0 &&
         memcmp(said + KEY + LEDGER_DIGEST, seal_end, END) == 0;
}

static const char *check_prediction(const roof_ledger_entry *entry) {
  if (entry->of.label[0] == '\0' || entry->of.regime[0] == '\0' || entry->of.binding[0] == '\0' ||
      isnan(entry->of.lower_seconds) || isnan(entry->of.expected_seconds)) {
    return "a prediction needs a label, seconds, a regime and what binds";
  }
  return entry->of.lower_seconds > 0 && entry->of.expected_seconds > 0 ? NULL : "its times must be positive";
}

static const char *check_measurement(const roof_ledger_entry *entry) {
  if (entry->of.label[0] == '\0' || isnan(entry->seconds)) {
    return "a measurement needs a label and seconds";
  }
  return entry->seconds > 0 ? NULL : "its time must be positive";
}

/** What a measurement has by level are bytes, what a prediction has are those of the machine per second. */
static void sort_levels(roof_ledger_entry *entry) {
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    double *rate = &entry->of.level_bytes_per_second[i];
    entry->level_bytes[i] = entry->measured ? *rate : NAN;
    *rate = entry->measured ? NAN : *rate;
  }
}

/** Its moments are moments. */
static bool read_times(roof_ledger_entry *entry) {
  double taken;
  return roof_time_parse(entry->time, &entry->at, NULL) == ROOF_OK &&
         (entry->taken[0] == '\0' || roof_time_parse(entry->taken, &taken, NULL) == ROOF_OK);
}

const char *rf_ledger_entry_read(const char *line, size_t length, roof_ledger_entry *entry) {
  char digest[LEDGER_DIGEST + 1];
  if (!sealed(line, length, digest)) {
    return "its SHA-256 does not match";
  }
  if (!rf_ledger_scan(line, length, entry)) {
    return "it is not one JSON object with the members of an entry alone, each text one line that can be "
           "shown";
  }
  memcpy(entry->digest, digest, sizeof digest);
  entry->measured = strcmp(entry->kind, "measurement") == 0;
  if (!(entry->sequence >= 1 && entry->sequence <= 0x1p53) || entry->sequence != floor(entry->sequence) ||
      strlen(entry->previous) != LEDGER_DIGEST) {
    return "it has no sequence or previous";
  }
  if (!read_times(entry)) {
    return "its time is none";
  }
  if (!entry->measured && strcmp(entry->kind, "prediction") != 0) {
    return "its kind is neither prediction nor measurement";
  }
  sort_levels(entry);
  return entry->measured ? check_measurement(entry) : check_prediction(entry);
}

/** Appends the line's text, its signature and its seal; false when out of memory. */
static bool add_line(const ledger_link *link, json_t *fields, const ledger_key *key, roof_text *line) {
  char seal[LEDGER_DIGEST + 1];
  size_t start = line->length, length;
  char *text = dump(link, fields, key, &length);
  if (text != NULL) {
    roof_text_add_bytes(line, text, length);
    if (key != NULL) {
      add_signature(line, text, length, key);
    }
  }
  bool good = text != NULL && !line->failed;
  free(text);
  if (good) {
    roof_ledger_digest(line->data + start, line->length - start, seal);
    roof_text_addf(line, "%s%s%s\n", seal_key, seal, seal_end);
  }
  return good && !line->failed;
}

roof_status rf_ledger_entry_write(ledger_link *link, json_t *fields, const ledger_key *key, roof_text *line,
                                  roof_error *error) {
  size_t start = line->length;
  roof_ledger_entry written;
  /* Short of memory jansson may leave a key out of the text and call that success: what does not read back is
   * not sealed. */
  if (!add_line(link, fields, key, line) ||
      rf_ledger_entry_read(line->data + start, line->length - start - 1, &written) != NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "ledger: out of memory");
  }
  *link = rf_ledger_link_after(&written);
  return ROOF_OK;
}

const char *rf_ledger_entry_signature(const char *line, size_t length, const roof_ledger_entry *entry) {
  static const char wrong[] = "its signature does not match";
  unsigned char signature[crypto_sign_BYTES], key[crypto_sign_PUBLICKEYBYTES];
  if (length < SEAL_LENGTH + SIGNATURE_LENGTH) {
    return wrong;
  }
  size_t body = length - SEAL_LENGTH - SIGNATURE_LENGTH;
  const char *digits = line + body + sizeof signature_key - 1;
  bool good = memcmp(line + body, signature_key, sizeof signature_key - 1) == 0 &&
              sodium_hex2bin(signature, sizeof signature, digits, LEDGER_SIGNATURE, NULL, NULL, NULL) == 0 &&
              sodium_hex2bin(key, sizeof key, entry->public_key, LEDGER_PUBLIC_KEY, NULL, NULL, NULL) == 0 &&
              crypto_sign_verify_detached(signature, (const unsigned char *)line, body, key) == 0;
  return good ? NULL : wrong;
}

const char *rf_ledger_entry_follows(const roof_ledger_entry *entry, const ledger_link *link) {
  if ((size_t)entry->sequence != link->sequence + 1) {
    return "its sequence number does not follow";
  }
  return strcmp(entry->previous, link->digest) == 0 ? NULL : "the line before it was changed";
}
