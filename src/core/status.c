#include "roofline/status.h"

#include <stdio.h>
#include <string.h>

#include "core/letters.h"
#include "core/number.h"
#include "roofline/text.h"

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

/** Adds to the message as much as fits. */
ROOF_PRINTF(2, 3)
static void append(roof_error *error, const char *format, ...) {
  size_t used = strlen(error->message);
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(error->message + used, sizeof error->message - used, format, arguments);
  va_end(arguments);
}

/** Whether no earlier candidate is the same. */
static bool is_first(const char *const *candidates, int at) {
  int i = 0;
  while (strcmp(candidates[i], candidates[at]) != 0) {
    i++;
  }
  return i == at;
}

/** Names all candidates that begin with `name`, if they are several and few; returns whether it did. */
static bool suggest_longer(roof_error *error, const char *name, const char *const *candidates) {
  enum { FEW = 8 };
  const char *longer[FEW];
  int count = 0;
  size_t length = strlen(name);
  for (int i = 0; candidates[i] != NULL && length > 1; i++) {
    if (rf_letters_compare_some(candidates[i], name, length) == 0 && is_first(candidates, i)) {
      if (count == FEW) {
        return false;
      }
      longer[count++] = candidates[i];
    }
  }
  if (count < 2) {
    return false;
  }
  append(error, "; did you mean");
  for (int i = 0; i < count; i++) {
    append(error, "%s `%s`", i == 0 ? "" : i + 1 == count ? " or" : ",", longer[i]);
  }
  append(error, "?");
  return true;
}

roof_status roof_error_suggest(roof_error *error, const char *name, const char *const *candidates) {
  enum { LIST_MAX = 125 };
  size_t length = 0;
  if (error == NULL) {
    return ROOF_E_NAME;
  }
  if (suggest_longer(error, name, candidates)) {
    return error->code;
  }
  const char *near = roof_suggest(name, candidates);
  if (near != NULL) {
    append(error, "; did you mean `%s`?", near);
    return error->code;
  }
  for (int i = 0; candidates[i] != NULL; i++) {
    length += strlen(candidates[i]) + 2;
  }
  for (int i = 0; candidates[i] != NULL && length <= LIST_MAX; i++) {
    append(error, "%s%s", i > 0 ? ", " : "; known: ", candidates[i]);
  }
  return error->code;
}

roof_status roof_error_unknown(roof_error *error, const char *what, const char *name,
                               const char *const *candidates, const char *hint) {
  roof_error_set(error, ROOF_E_NAME, "%s `%.80s`: unknown", what, name);
  roof_error_suggest(error, name, candidates);
  if (error != NULL && hint != NULL) {
    append(error, "; %s", hint);
  }
  return ROOF_E_NAME;
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
