/** What every unit test includes: cmocka with the headers it needs before it, and comparisons of doubles. */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** Watched by the address sanitizer, which takes memory and stack of its own. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#endif

/** With sanitizers, where what counts in millions takes minutes. */
static inline bool test_sanitized(void) {
#if defined(SANITIZED)
  return true;
#else
  return false;
#endif
}

/** On an emulated processor, where large products take minutes (tests/lint/processors.sh). */
static inline bool test_emulated(void) {
  return getenv("ROOFLINE_EMULATED") != NULL;
}

/* What cmocka does not say of itself: a test that failed does not go on, so that a pointer which must not be NULL is not. */
void _fail(const char *file, int line) __attribute__((noreturn));
#undef assert_non_null
#define assert_non_null(pointer)                                                                             \
  ((pointer) != NULL ? (void)0 : (print_error("%s is NULL\n", #pointer), _fail(__FILE__, __LINE__)))

/** Fails unless `value` is within the relative `tolerance` of `expected`. */
#define assert_near(value, expected, tolerance)                                                              \
  do {                                                                                                       \
    double value_ = (value), expected_ = (expected);                                                         \
    if (!(fabs(value_ - expected_) <= (tolerance)*fabs(expected_))) {                                        \
      fail_msg("%s = %.17g is not within %g of %.17g", #value, value_, (double)(tolerance), expected_);      \
    }                                                                                                        \
  } while (0)

#endif
