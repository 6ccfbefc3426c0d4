#include "documents/json.h"

#include <math.h>

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
