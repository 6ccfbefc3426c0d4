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

void rf_json_add(json_t *document, size_t flags, roof_text *out) {
  char *dump = document != NULL ? json_dumps(document, flags | JSON_REAL_PRECISION(15)) : NULL;
  json_decref(document);
  out->failed = out->failed || dump == NULL;
  roof_text_add(out, dump != NULL ? dump : "");
  free(dump);
}

roof_status rf_json_write(json_t *document, const char *what, roof_text *out, roof_error *error) {
  rf_json_add(document, JSON_INDENT(2), out);
  roof_text_add(out, "\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", what) : ROOF_OK;
}
