/* What clang's analyzer cannot see from one file, included before each (tests/lint/tidy.sh): a status that was
 * set as an error is never ROOF_OK. No build includes this. */
#ifndef ROOFLINE_TESTS_LINT_LIB_ANALYZED_H
#define ROOFLINE_TESTS_LINT_LIB_ANALYZED_H

#include "roofline/status.h"

#define ANALYZED_ERROR(call)                                                                                 \
  __extension__({                                                                                            \
    roof_status analyzed = (call);                                                                           \
    if (analyzed == ROOF_OK) {                                                                               \
      __builtin_unreachable();                                                                               \
    }                                                                                                        \
    analyzed;                                                                                                \
  })
#define roof_error_set(error, code, ...) ANALYZED_ERROR((roof_error_set)(error, code, __VA_ARGS__))
#define roof_error_unknown(...) ANALYZED_ERROR((roof_error_unknown)(__VA_ARGS__))
#define roof_error_suggest(...) ANALYZED_ERROR((roof_error_suggest)(__VA_ARGS__))
#define roof_error_at(...) ANALYZED_ERROR((roof_error_at)(__VA_ARGS__))

#endif
