/* What clang's analyzer cannot see from one file, included before each (tests/lint/tidy.sh): a status that was
 * set as an error is never ROOF_OK. No build includes this. */
#ifndef ROOFLINE_TESTS_LINT_LIB_ANALYZED_H
#define ROOFLINE_TESTS_LINT_LIB_ANALYZED_H

#include "roofline/status.h"

static inline roof_status analyzed_error(roof_status code) {
  if (code == ROOF_OK) {
    __builtin_unreachable();
  }
  return code;
}

#define roof_error_set(error, code, ...) analyzed_error((roof_error_set)(error, code, __VA_ARGS__))
#define roof_error_unknown(...) analyzed_error((roof_error_unknown)(__VA_ARGS__))
#define roof_error_suggest(...) analyzed_error((roof_error_suggest)(__VA_ARGS__))
#define roof_error_at(...) analyzed_error((roof_error_at)(__VA_ARGS__))

#endif
