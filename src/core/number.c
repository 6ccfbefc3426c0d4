#include "core/number.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/units.h"

/** Makes the C locale that of this thread; returns the one it replaces. The C library keeps it: nothing to free. */
static locale_t enter_c(void) {
  static _Atomic(locale_t) c;
  locale_t known = atomic_load_explicit(&c, memory_order_relaxed);
  if (known == (locale_t)0) {
    known = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    atomic_store_explicit(&c, known, memory_order_relaxed);
  }
  return uselocale(known);
}

int rf_vformat(char *buffer, size_t size, const char *format, va_list arguments) {
  locale_t before = enter_c();
  int length = vsnprintf(buffer, size, format, arguments);
  uselocale(before);
  return length;
}

int rf_format(char *buffer, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = rf_vformat(buffer, size, format, arguments);
  va_end(arguments);
  return length;
}

/** Powers of ten that a double holds exactly: one multiplication or division rounds once. */
static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { TENS_MAX = sizeof tens / sizeof tens[0] - 1 };

/** A decimal number as it is written: its digits as far as they fit, times a power of ten. */
typedef struct decimal {
  uint64_t digits;
  int exponent;
  int count;   /**< digits read, zeros in front not counted */
  bool exact;  /**< `digits` holds all of them */
  size_t used; /**< characters; 0: no number */
} decimal;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/** Reads digits from text[d->used] on; `step` is what each adds to the exponent. */
static size_t read_digits(decimal *d, const char *text, size_t length, int step) {
  size_t from = d->used;
  for (; d->used < length && is_digit(text[d->used]); d->used++) {
    d->count += d->count > 0 || text[d->used] != '0';
    if (d->count <= 18) {
      d->digits = 10 * d->digits + (uint64_t)(text[d->used] - '0');
      d->exponent += step;
    }
  }
  return d->used - from;
}

/** The exponent at text[d->used], if one is there: an `e` without digits is none. */
static void read_exponent(decimal *d, const char *text, size_t length) {
  size_t at = d->used;
  if (at >= length || (text[at] != 'e' && text[at] != 'E')) {
    return;
  }
  at++;
  bool negative = at < length && text[at] == '-';
  at += at < length && (text[at] == '-' || text[at] == '+');
  if (at >= length || !is_digit(text[at])) {
    return;
  }
  int size = 0;
  for (; at < length && is_digit(text[at]); at++) {
    size = size < 100000 ? 10 * size + (text[at] - '0') : size;
  }
  d->exponent += negative ? -size : size;
  d->used = at;
}

static decimal read_decimal(const char *text, size_t length) {
  decimal d = {.used = 0};
  size_t found = read_digits(&d, text, length, 0);
  if (d.used < length && text[d.used] == '.') {
    d.used++;
    found += read_digits(&d, text, length, -1);
  }
  if (found == 0) {
    return (decimal){.used = 0};
  }
  d.exact = d.count <= 18;
  read_exponent(&d, text, length);
  return d;
}

/** strtod of the C locale. Returns false for more characters than any number needs. */
static bool read_slowly(const char *text, size_t length, double *value) {
  char copy[1024];
  if (length >= sizeof copy) {
    return false;
  }
  memcpy(copy, text, length);
  copy[length] = '\0';
  int error = errno;
  locale_t before = enter_c();
  *value = strtod(copy, NULL);
  uselocale(before);
  errno = error;
  return true;
}

/** Reads up to 18 digits times a power of ten that 64 bits of mantissa hold exactly (5^27 < 2^63), so that one rounding
 * to them and one to a double are one to a double, unless the first came next to the middle between two doubles. */
static bool read_extended(const decimal *d, double *value) {
#if LDBL_MANT_DIG == 64
  enum { POWER_MAX = 27, BELOW = 0x7FF, MIDDLE = 0x400 };
  int power = abs(d->exponent);
  if (!d->exact || power > POWER_MAX) {
    return false;
  }
  long double ten = power > TENS_MAX ? (long double)tens[TENS_MAX] * (long double)tens[power - TENS_MAX]
                                     : (long double)tens[power];
  long double read = d->exponent < 0 ? (long double)d->digits / ten : (long double)d->digits * ten;
  uint64_t mantissa;
  memcpy(&mantissa, &read, sizeof mantissa);
  int below = (int)(mantissa & BELOW);
  *value = (double)read;
  return below < MIDDLE - 1 || below > MIDDLE + 1;
#else
  (void)d;
  (void)value;
  return false;
#endif
}

size_t roof_number_read(const char *text, size_t length, double *value) {
  size_t sign = length > 0 && (text[0] == '-' || text[0] == '+');
  decimal d = read_decimal(text + sign, length - sign);
  double read = (double)d.digits;
  if (d.used == 0) {
    return 0;
  }
  /* Both factors are exact, so that their product or quotient is rounded once. */
  if (d.exact && d.digits <= 1ULL << 53 && d.exponent >= -TENS_MAX && d.exponent <= TENS_MAX) {
    read = d.exponent < 0 ? read / tens[-d.exponent] : read * tens[d.exponent];
  } else if (!read_extended(&d, &read) && !read_slowly(text + sign, d.used, &read)) {
    return 0;
  }
  *value = sign > 0 && text[0] == '-' ? -read : read;
  return sign + d.used;
}

size_t rf_numbers_read(const char *text, double *values, size_t most) {
  size_t count = 0;
  for (; count < most; count++) {
    text += strspn(text, " \t");
    size_t length = roof_number_read(text, strlen(text), &values[count]);
    if (length == 0) {
      break;
    }
    text += length;
  }
  return count;
}

static size_t write_integer(char *buffer, uint64_t value) {
  static const char pairs[] =
      "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
      "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
  char digits[20];
  size_t at = sizeof digits;
  while (value >= 10) {
    at -= 2;
    memcpy(digits + at, pairs + 2 * (value % 100), 2);
    value /= 100;
  }
  if (value > 0 || at == sizeof digits) {
    digits[--at] = (char)('0' + value);
  }
  memcpy(buffer, digits + at, sizeof digits - at);
  return sizeof digits - at;
}

/** Decimal exponent of `value`, from its binary one: exact or one too small. */
static int exponent_of(double value) {
  int binary;
  frexp(value, &binary);
  return (int)floor((binary - 1) * 0.301029995663981195);
}

/** `value` as `digits` digits times 10^(*exponent - digits + 1); 0 when the powers of ten do not reach. */
static uint64_t scale_to_digits(double value, int digits, int *exponent) {
  *exponent = exponent_of(value);
  for (int tries = 0; tries < 2; tries++) {
    int shift = digits - 1 - *exponent;
    if (shift > TENS_MAX || shift < -TENS_MAX) {
      return 0;
    }
    uint64_t mantissa = (uint64_t)((shift >= 0 ? value * tens[shift] : value / tens[-shift]) + 0.5);
    if (mantissa < (uint64_t)tens[digits]) {
      return mantissa;
    }
    ++*exponent;
  }
  return 0;
}

/** Places `count` digits whose first stands for 10^exponent, as %g would. */
static size_t place(char *buffer, const char *digits, size_t count, int exponent) {
  size_t at = 0;
  bool scientific = exponent < -4 || exponent > 20;
  if (exponent < 0 && !scientific) {
    memcpy(buffer, "0.0000", 6);
    at = (size_t)(1 - exponent);
    memcpy(buffer + at, digits, count);
    return at + count;
  }
  size_t whole = scientific ? 1 : (size_t)exponent + 1, leading = count < whole ? count : whole;
  memcpy(buffer, digits, leading);
  memset(buffer + leading, '0', whole - leading);
  at = whole;
  if (count > whole) {
    buffer[at++] = '.';
    memcpy(buffer + at, digits + whole, count - whole);
    at += count - whole;
  }
  if (scientific) {
    buffer[at++] = 'e';
    buffer[at++] = exponent < 0 ? '-' : '+';
    unsigned size = (unsigned)abs(exponent);
    if (size < 10) {
      buffer[at++] = '0';
    }
    at += write_integer(buffer + at, size);
  }
  return at;
}

/** A value that is not negative, without a final NUL. */
static size_t write_positive(char *buffer, double value, int digits) {
  if (value < 0x1p53 && value == (double)(uint64_t)value) {
    return write_integer(buffer, (uint64_t)value);
  }
  int exponent = 0;
  uint64_t mantissa = digits <= 15 && isfinite(value) ? scale_to_digits(value, digits, &exponent) : 0;
  if (mantissa == 0) {
    return (size_t)rf_format(buffer, ROOF_NUMBER_SIZE - 1, "%.*g", digits, value);
  }
  char text[24];
  size_t count = write_integer(text, mantissa);
  while (count > 1 && text[count - 1] == '0') {
    count--;
  }
  return place(buffer, text, count, exponent);
}

static size_t write_shortest(char *buffer, double value) {
  size_t length = 0;
  double back = NAN;
  for (int digits = 15; digits <= 17 && back != value; digits++) {
    length = write_positive(buffer, value, digits);
    roof_number_read(buffer, length, &back);
  }
  return length;
}

size_t roof_number_write(char *buffer, double value, int digits) {
  size_t length = 0;
  if (value < 0) {
    buffer[length++] = '-';
    value = -value;
  }
  if (!isnan(value)) {
    length += digits < 1 ? write_shortest(buffer + length, value)
                         : write_positive(buffer + length, value, digits < 17 ? digits : 17);
  }
  buffer[length] = '\0';
  return length;
}
