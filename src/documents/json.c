#include "documents/json.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"

enum { MOST_CONTAINERS = 1 << 17, GIVEN = 8 /* characters at a time */ };

/** What one look at a document's text shows. */
typedef struct extent {
  size_t containers;
  size_t longest; /**< characters of its longest string or number, or more */
} extent;

static extent measure(const char *text, size_t length) {
  extent e = {0, 0};
  size_t from = 0;
  bool string = false;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '"') {
      string = !string;
    } else if (string) {
      i += text[i] == '\\';
    } else if (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t' || text[i] == ',' ||
               text[i] == ':' || text[i] == '{' || text[i] == '[' || text[i] == '}' || text[i] == ']') {
      e.containers += text[i] == '{' || text[i] == '[';
      e.longest = i - from > e.longest ? i - from : e.longest;
      from = i + 1;
    }
  }
  e.longest = length - from > e.longest ? length - from : e.longest;
  return e;
}

/** Something of what this thread writes could not be kept. */
static _Thread_local bool lost;

/** An allocation of jansson's failed in this thread. */
static _Thread_local bool starved;

/** Memory for jansson's reader when there is no other: without a character that it could not keep it runs past the end of
 *  a string, or ends the program. It is given no more text then, so that a little is enough. */
static _Thread_local struct {
  char *data;
  size_t size, used;
  size_t largest; /**< of one block: what the longest string can need; without others it gives up */
} spare;

static json_malloc_t allocate;
static json_free_t release;

static void *take_spare(size_t size) {
  size_t room = (size + 15) / 16 * 16;
  if (size > spare.largest || room > spare.size - spare.used) {
    return NULL;
  }
  spare.used += room;
  return spare.data + spare.used - room;
}

static void *allocate_noting(size_t size) {
  void *data = allocate(size);
  starved = starved || data == NULL;
  return data != NULL ? data : take_spare(size);
}

static void release_noting(void *data) {
  if ((uintptr_t)data - (uintptr_t)spare.data >= spare.size) {
    release(data);
  }
}

/** jansson's reader goes on without the characters for which there was no memory, its writer without a key: only its allocator knows. */
static void watch_allocations(void) {
  json_get_alloc_funcs(&allocate, &release);
  json_set_alloc_funcs(allocate_noting, release_noting);
}

static void watch(void) {
  static pthread_once_t watched = PTHREAD_ONCE_INIT;
  (void)pthread_once(&watched, watch_allocations);
  starved = false;
}

/** Text that is not read yet. */
typedef struct rest {
  const char *text;
  size_t length;
} rest;

static size_t give(void *buffer, size_t size, void *user) {
  rest *r = user;
  size_t most = size < GIVEN ? size : GIVEN, count = starved ? 0 : r->length < most ? r->length : most;
  memcpy(buffer, r->text, count);
  r->text += count;
  r->length -= count;
  return count;
}

/** With the spare memory, which nothing that it returns is in. */
static json_t *load_sparing(const char *text, size_t length, size_t longest, size_t flags,
                            json_error_t *why) {
  /* its buffer doubles; each character given can end a string and make what holds it grow */
  spare.largest = 2 * (longest + 16);
  spare.size = 2 * spare.largest + (GIVEN + 1) * (3 * spare.largest + 256);
  spare.used = 0;
  spare.data = malloc(spare.size);
  starved = spare.data == NULL;
  rest all = {text, length};
  json_t *root = starved ? NULL : json_load_callback(give, &all, flags, why);
  if (starved) {
    json_decref(root);
    root = NULL;
  }
  free(spare.data);
  spare.data = NULL;
  spare.size = spare.used = spare.largest = 0;
  return root;
}

json_t *rf_json_load(const char *text, size_t length, size_t flags, json_error_t *why) {
  json_error_t unused;
  why = why != NULL ? why : &unused;
  extent e = measure(text, length);
  if (e.containers > MOST_CONTAINERS) {
    *why = (json_error_t){.line = 0};
    snprintf(why->text, sizeof why->text,
             "more than %d objects and lists in one document: split it into several", MOST_CONTAINERS);
    return NULL;
  }
  watch();
  json_t *root = load_sparing(text, length, e.longest, flags, why);
  if (root == NULL && !starved && json_error_code(why) == json_error_null_character) {
    snprintf(why->text, sizeof why->text - 1, "\\u0000 is no character of a text");
  }
  if (starved) {
    *why = (json_error_t){.line = -1, .column = -1, .text = "out of memory"};
    why->text[JSON_ERROR_TEXT_LENGTH - 1] = json_error_out_of_memory; /* where json_error_code finds it */
  }
  return root;
}

roof_status rf_json_read(const char *text, size_t length, size_t flags, const char *file, const char *prefix,
                         json_t **document, roof_error *error) {
  json_error_t why;
  *document = rf_json_load(text, length, flags, &why);
  if (*document != NULL) {
    return ROOF_OK;
  }
  if (json_error_code(&why) == json_error_out_of_memory) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", file);
  }
  roof_error_set(error, ROOF_E_PARSE, "%s%s", prefix, why.text);
  return roof_error_at(error, file, why.line, why.line > 0 && why.column <= 0 ? 1 : why.column);
}

void rf_json_note(bool kept) {
  lost = lost || !kept;
}

void rf_json_set(json_t *object, const char *key, json_t *value) {
  rf_json_note(json_object_set_new(object, key, value) == 0);
}

void rf_json_set_text(json_t *object, const char *key, const char *text) {
  if (text != NULL) {
    rf_json_set(object, key, json_string(text));
  }
}

void rf_json_append(json_t *array, json_t *value) {
  rf_json_note(json_array_append_new(array, value) == 0);
}

void rf_json_merge(json_t *object, json_t *other) {
  rf_json_note(json_object_update(object, other) == 0);
  json_decref(other);
}

void rf_json_begin(void) {
  watch();
  lost = false;
}

bool rf_json_starved(void) {
  return starved;
}

bool rf_json_lost(void) {
  bool was = lost;
  lost = false;
  return was;
}

char *rf_json_dump(const json_t *document, size_t flags) {
  watch();
  char *text = !rf_json_lost() && document != NULL ? json_dumps(document, flags) : NULL;
  if (starved) {
    free(text);
    text = NULL;
  }
  return text;
}

double rf_json_number_of(json_t *value) {
  return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *rf_json_text_of(json_t *value) {
  return json_is_string(value) ? json_string_value(value) : "";
}

json_t *rf_json_number(double value) {
  if (!isfinite(value)) {
    return json_null();
  }
  return value == floor(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value) : json_real(value);
}

json_t *rf_json_numbers(const double *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    rf_json_append(list, rf_json_number(values[i]));
  }
  return list;
}

json_t *rf_json_filled(json_t *object) {
  if (json_object_size(object) > 0) {
    return object;
  }
  rf_json_note(object != NULL);
  json_decref(object);
  return json_null();
}

/** Text of jansson, in which a string may hold characters that no terminal should be sent, as escapes. */
static void add_shown(roof_text *out, const char *json) {
  while (*json != '\0') {
    size_t plain = strcspn(json, "\x7F\xC2\xD8\xE2"); /* with which they begin */
    size_t length = roof_text_sequence(json + plain);
    bool shown = json[plain] == '\0' || roof_text_shown(json + plain) > 0;
    roof_text_add_bytes(out, json, shown ? plain + length : plain);
    if (!shown) {
      roof_text_addf(out, "\\u%04x", rf_letters_code(json + plain, length));
    }
    json += plain + length;
  }
}

void rf_json_add(json_t *document, size_t flags, roof_text *out) {
  size_t digits = (flags & JSON_REAL_PRECISION(0x1F)) != 0 ? 0 : JSON_REAL_PRECISION(15);
  char *dump = rf_json_dump(document, flags | digits);
  json_decref(document);
  out->failed = out->failed || dump == NULL;
  add_shown(out, dump != NULL ? dump : "");
  free(dump);
}

roof_status rf_json_write(json_t *document, const char *what, roof_text *out, roof_error *error) {
  rf_json_add(document, JSON_INDENT(2), out);
  roof_text_add(out, "\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", what) : ROOF_OK;
}

void rf_json_set_numbers(json_t *object, const rf_json_member *members, size_t count) {
  for (size_t i = 0; i < count; i++) {
    rf_json_set(object, members[i].key, rf_json_number(members[i].value));
  }
}

json_t *rf_json_seconds(const double *times) {
  const rf_json_member members[] = {
      {"compute", times[0]},  {"memory", times[1]},       {"overhead", times[2]},
      {"network", times[3]},  {"lower", times[4]},        {"upper", times[5]},
      {"expected", times[6]}, {"expected_low", times[7]}, {"expected_high", times[8]}};
  json_t *object = json_object();
  RF_JSON_SET(object, members);
  return object;
}

json_t *rf_json_texts(const char *first, size_t size, int count) {
  json_t *array = json_array();
  for (int i = 0; i < count; i++) {
    rf_json_append(array, json_string(first + (size_t)i * size));
  }
  return array;
}
