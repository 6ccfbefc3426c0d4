/* What a config says, or its class where it is silent. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "core/number.h"
#include "weights/config.h"

roof_status rf_config_fail(const config *c, const char *format, ...) {
  char why[256];
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(why, sizeof why, format, arguments);
  va_end(arguments);
  roof_error_set(c->error, ROOF_E_ARGUMENT, "%s", why);
  return roof_error_at(c->error, c->file, 1, 1);
}

size_t rf_config_member(const json_t *object, const char *key) {
  json_t *members = (json_t *)(uintptr_t)object; /* jansson's iterators take no const */
  size_t number = 0;
  for (void *at = json_object_iter(members); at != NULL && strcmp(json_object_iter_key(at), key) != 0;
       at = json_object_iter_next(members, at)) {
    number++;
  }
  return number;
}

double rf_config_value(const config *c, config_quantity quantity, double fallback) {
  double value = c->values[quantity];
  if (isnan(value) && c->arch != NULL && c->arch->defaults[quantity] != 0) {
    value = c->arch->defaults[quantity];
  }
  return isnan(value) ? fallback : value;
}

bool rf_config_flag(const config *c, config_quantity quantity) {
  return rf_config_value(c, quantity, 0) != 0;
}

roof_status rf_config_need(const config *c, config_quantity quantity, double *value) {
  double found = rf_config_value(c, quantity, NAN);
  if (!(found >= 1)) {
    return rf_config_fail(c, "`%s` is missing, and its class has no value for it",
                          rf_config_quantity_name(quantity));
  }
  *value = found;
  return ROOF_OK;
}
