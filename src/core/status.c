#include "roofline/status.h"

#include <stdio.h>
#include <string.h>

#include "core/number.h"

static const struct {
  int exit_code;
  const char *text;
} statuses[] = {
#define ROW(symbol, exit_code, text) [symbol] = {exit_code, text},
    ROOF_STATUS_MAP(ROW)
#undef ROW
};

enum { STATUS_COUNT = sizeof statuses / sizeof statuses[0] };

const char *roof_status_text(roof_status status) {
  return (unsigned)status < STATUS_COUNT ? statuses[status].text : "unknown";
}

int roof_status_exit_code(roof_status status) {
  return (unsigned)status < STATUS_COUNT ? statuses[status].exit_code : 4;
}

roof_status roof_error_set(roof_error *error, roof_status code, const char *format, ...) {
  if (error == NULL) {
    return code;
  }
  memset(error, 0, sizeof *error);
  error->code = code;
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return code;
}

roof_status roof_error_at(roof_error *error, const char *file, int line, int column) {
  if (error == NULL) {
    return ROOF_E_INTERNAL;
  }
  snprintf(error->file, sizeof error->file, "%s", file);
  error->line = line;
  error->column = column;
  return error->code;
}
