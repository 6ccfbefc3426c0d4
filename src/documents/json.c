#include "documents/json.h"

#include <math.h>
#include <stdlib.h>

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

roof_status rf_json_write(json_t *document, const char *what, roof_text *out, roof_error *error) {
  char *dump = document != NULL ? json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
  json_decref(document);
  if (dump != NULL) {
    roof_text_add(out, dump);
    roof_text_add(out, "\n");
  }
  bool written = dump != NULL && !out->failed;
  free(dump);
  return written ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", what);
}
