#include "roofline/units.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Decimal and binary prefixes. `m`, `u`, `n`, `p` only apply to a quantity with a unit. */
static const struct {
  const char *text;
  double factor;
  int counts; /* also allowed on a bare count */
} prefixes[] = {
    {"Ki", 0x1p10, 1},     {"Mi", 0x1p20, 1}, {"Gi", 0x1p30, 1}, {"Ti", 0x1p40, 1}, {"Pi", 0x1p50, 1},
    {"Ei", 0x1p60, 1},     {"k", 1e3, 1},     {"K", 1e3, 1},     {"M", 1e6, 1},     {"G", 1e9, 1},
    {"T", 1e12, 1},        {"P", 1e15, 1},    {"E", 1e18, 1},    {"m", 1e-3, 0},    {"u", 1e-6, 0},
    {"\xC2\xB5", 1e-6, 0}, {"n", 1e-9, 0},    {"p", 1e-12, 0},
};

/** strtod as in the C locale, whatever locale the program has chosen. */
static double read_number(const char *text, const char **rest) {
  const char *point = localeconv()->decimal_point;
  char copy[512], *end = copy;
  size_t length = strspn(text, "+-0123456789.eE"), whole = strcspn(text, ".");
  length = length < sizeof copy / 2 ? length : sizeof copy / 2;
  bool fraction = whole < length;
  snprintf(copy, sizeof copy, "%.*s%s%.*s", (int)(fraction ? whole : length), text, fraction ? point : "",
           (int)(fraction ? length - whole - 1 : 0), text + (fraction ? whole + 1 : 0));
  double value = strtod(copy, &end);
  size_t used = (size_t)(end - copy);
  *rest = text + used - (fraction && used > whole ? strlen(point) - 1 : 0);
  return value;
}

/** What printf wrote, with the point of the C locale. */
static char *use_point(char *text) {
  const char *point = localeconv()->decimal_point;
  char *found = strstr(text, point);
  if (found != NULL && strcmp(point, ".") != 0) {
    *found = '.';
    memmove(found + 1, found + strlen(point), strlen(found + strlen(point)) + 1);
  }
  return text;
}

static roof_status parse_number(const char *text, double *value, const char **rest, roof_error *error) {
  const char *end = text;
  errno = 0;
  double parsed = read_number(text, &end);
  if (end == text) {
    return roof_error_set(error, ROOF_E_PARSE, "`%s`: not a number", text);
  }
  if (!isfinite(parsed) || (errno == ERANGE && parsed != 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: not a finite number", text);
  }
  *value = parsed;
  *rest = end;
  return ROOF_OK;
}

static roof_status scale(const char *text, double number, double factor, double *value, roof_error *error) {
  if (!isfinite(number * factor)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: too large", text);
  }
  *value = number * factor;
  return ROOF_OK;
}

roof_status roof_quantity_parse_unit(const char *text, const char *unit, double *value, roof_error *error) {
  double number = 0;
  const char *rest = NULL;
  roof_status status = parse_number(text, &number, &rest, error);
  if (status != ROOF_OK) {
    return status;
  }
  while (*rest == ' ') {
    rest++;
  }
  if (*rest == '\0' || (unit[0] != '\0' && strcmp(rest, unit) == 0)) {
    return scale(text, number, 1, value, error);
  }
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    size_t length = strlen(prefixes[i].text);
    bool bare = rest[0] != '\0' && strcmp(rest, prefixes[i].text) == 0;
    bool with_unit =
        strncmp(rest, prefixes[i].text, length) == 0 && unit[0] != '\0' && strcmp(rest + length, unit) == 0;
    if (with_unit || (bare && prefixes[i].counts)) {
      return scale(text, number, prefixes[i].factor, value, error);
    }
  }
  return roof_error_set(error, ROOF_E_PARSE,
                        "`%s`: `%s` is not a known %s%s (k M G T P E are decimal, Ki Mi Gi binary)", text,
                        rest, unit[0] != '\0' ? "unit; use " : "suffix", unit);
}

roof_status roof_quantity_parse(const char *text, double *value, roof_error *error) {
  return roof_quantity_parse_unit(text, "", value, error);
}

char *roof_quantity_format(char *buffer, size_t size, double value, const char *unit) {
  static const char *const names[] = {"p", "n", "\xC2\xB5", "m", "", "k", "M", "G", "T", "P", "E"};
  if (isnan(value)) {
    snprintf(buffer, size, "unknown");
    return buffer;
  }
  double magnitude = fabs(value);
  int index = 4;
  if (magnitude > 0 && isfinite(magnitude)) {
    index += (int)floor(log10(magnitude * (1 + 5e-5)) / 3);
    index = index < 0 ? 0 : index > 10 ? 10 : index;
  }
  double scaled = value / pow(10, 3 * (index - 4));
  int decimals = fabs(scaled) >= 999.95 ? 0 : fabs(scaled) >= 99.995 ? 1 : fabs(scaled) >= 9.9995 ? 2 : 3;
  if (value == 0) {
    decimals = 0;
  }
  bool gap = unit[0] != '\0' || names[index][0] != '\0';
  bool beyond = fabs(scaled) >= 1e6; /* the largest prefix: only an exponent stays readable */
  snprintf(buffer, size, beyond ? "%.*e%s%s%s" : "%.*f%s%s%s", beyond ? 3 : decimals, beyond ? value : scaled,
           gap ? " " : "", beyond ? "" : names[index], unit);
  return use_point(buffer);
}

char *roof_bytes_format(char *buffer, size_t size, double bytes) {
  static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (isnan(bytes)) {
    snprintf(buffer, size, "unknown");
    return buffer;
  }
  int index = 0;
  while (fabs(bytes) >= 1024 && index < 6) {
    bytes /= 1024;
    index++;
  }
  bool whole = fabs(bytes - round(bytes)) < 5e-4;
  snprintf(buffer, size, whole && fabs(bytes) < 1e6 ? "%.0f %s" : "%.4g %s", bytes, names[index]);
  return use_point(buffer);
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

/** Powers of ten that a double holds exactly: one multiplication or division rounds once. */
static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { TENS_MAX = sizeof tens / sizeof tens[0] - 1 };

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

size_t roof_number_write(char *buffer, double value, int digits) {
  if (isnan(value)) {
    return 0;
  }
  size_t sign = 0;
  if (value < 0) {
    buffer[sign++] = '-';
    value = -value;
  }
  if (value < 0x1p53 && value == floor(value)) {
    return sign + write_integer(buffer + sign, (uint64_t)value);
  }
  int exponent = 0;
  uint64_t mantissa =
      digits >= 1 && digits <= 15 && isfinite(value) ? scale_to_digits(value, digits, &exponent) : 0;
  if (mantissa == 0) {
    snprintf(buffer + sign, 32 - sign, "%.*g", digits, value);
    return sign + strlen(use_point(buffer + sign));
  }
  char text[24];
  size_t count = write_integer(text, mantissa);
  while (count > 1 && text[count - 1] == '0') {
    count--;
  }
  return sign + place(buffer + sign, text, count, exponent);
}
