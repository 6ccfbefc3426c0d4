/* Reads JSON documents that are not quite JSON. */
#include "import/_json.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/letters.h"
#include "documents/json.h"

enum { DOCUMENT_MAX = 1 << 30 };

/** Length of a bare word at `p` that stands for no number, 0: it is none. */
static size_t no_number(const char *p, const char *end) {
  static const char *const words[] = {"infinity", "nan", "inf"};
  size_t sign = p < end && (*p == '-' || *p == '+');
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    size_t length = sign + strlen(words[i]);
    if ((size_t)(end - p) >= length && rf_letters_compare_some(p + sign, words[i], length - sign) == 0 &&
        (p + length == end || !isalnum((unsigned char)p[length]))) {
      return length;
    }
  }
  return 0;
}

/** Puts an empty text and blanks in the place of NaN, Infinity and -inf outside of texts. */
static void clean(char *text, size_t length) {
  const char *end = text + length;
  bool quoted = false;
  for (char *p = text; p < end; p++) {
    if (*p == '"') {
      quoted = !quoted;
    } else if (quoted && *p == '\\') {
      p++;
    } else if (!quoted && (isalpha((unsigned char)*p) || *p == '-') &&
               (p == text || !isalnum((unsigned char)p[-1]))) {
      size_t word = no_number(p, end);
      if (word > 0) {
        memset(p, ' ', word);
        p[0] = p[1] = '"';
        p += word - 1;
      }
    }
  }
}

json_t *rf_import_document_line(char *text, size_t length, json_error_t *why) {
  clean(text, length);
  json_t *read = rf_json_load(text, length, JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL | JSON_DECODE_ANY, why);
  rf_json_note(read != NULL || json_error_code(why) != json_error_out_of_memory);
  return read;
}

roof_status rf_import_document_prepared(roof_source *source, void (*prepare)(char *text, char *end),
                                        json_t **document, roof_error *error) {
  char *data = NULL;
  size_t size = 0;
  json_error_t why;
  roof_status status = rf_import_all(source, DOCUMENT_MAX, &data, &size, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (prepare != NULL) {
    prepare(data, data + size);
  }
  json_t *read = rf_import_document_line(data, size, &why);
  if (read == NULL) {
    return rf_import_error(source, error, ROOF_E_PARSE, why.line, why.column, "not JSON: %s", why.text);
  }
  *document = read;
  return ROOF_OK;
}

roof_status rf_import_document(roof_source *source, json_t **document, roof_error *error) {
  return rf_import_document_prepared(source, NULL, document, error);
}

double rf_import_number_of(const json_t *value) {
  return json_is_string(value)   ? rf_import_number(json_string_value(value), NULL)
         : json_is_number(value) ? json_number_value(value)
                                 : NAN;
}

double rf_import_member(const json_t *object, const char *key) {
  return rf_import_number_of(json_object_get(object, key));
}

const char *rf_import_member_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : "";
}

roof_status rf_import_json_line(roof_source *source, char *line, size_t length, json_t **object,
                                roof_error *error) {
  json_error_t why;
  *object = rf_import_document_line(line, length, &why);
  if (*object == NULL && rf_import_unended(source)) {
    rf_import_cut_record(source);
    return ROOF_OK;
  }
  return *object != NULL
             ? ROOF_OK
             : rf_import_error(source, error, ROOF_E_PARSE, 0, why.column, "not JSON: %s", why.text);
}
