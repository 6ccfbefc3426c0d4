#include "roofline/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/letters.h"
#include "core/number.h"

/** Decimal and binary prefixes. `m` and smaller ones only apply to a quantity with a unit. */
static const struct {
  double factor;
  char text[9];
  bool counts; /* also allowed on a bare count */
} prefixes[] = {
    {0x1p10, "Ki", true},      {0x1p20, "Mi", true},   {0x1p30, "Gi", true},     {0x1p40, "Ti", true},
    {0x1p50, "Pi", true},      {0x1p60, "Ei", true},   {1e3, "k", true},         {1e3, "K", true},
    {1e6, "M", true},          {1e9, "G", true},       {1e12, "T", true},        {1e15, "P", true},
    {1e18, "E", true},         {1e-3, "m", false},     {1e-6, "u", false},       {1e-6, "\xC2\xB5", false},
    {1e-6, "\xCE\xBC", false}, /* the Greek letter */
    {1e-9, "n", false},        {1e-12, "p", false},    {1e-15, "f", false},      {1e-18, "a", false},
    {1e6, "million", true},    {1e9, "billion", true}, {1e12, "trillion", true},
};

/** What people write for a unit, with a decimal prefix in either case: "1200 tflops". */
static const struct {
  char text[8], unit[7];
  bool exact; /**< a B is a byte and a b a bit, an F no f */
} aliases[] = {
    {"flops", "FLOP/s", false}, {"flop/s", "FLOP/s", false}, {"flops/s", "FLOP/s", false},
    {"ops", "FLOP/s", false},   {"op/s", "FLOP/s", false},   {"F", "FLOP/s", true},
    {"Bps", "B/s", true},       {"bps", "bit/s", true},
};

static roof_status parse_number(const char *text, double *value, const char **rest, roof_error *error) {
  double parsed = 0;
  size_t length = roof_number_read(text, strlen(text), &parsed);
  if (length == 0) {
    return roof_error_set(error, ROOF_E_PARSE, "`%s`: not a number", text);
  }
  if (!isfinite(parsed)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: not a finite number", text);
  }
  *value = parsed;
  *rest = text + length;
  return ROOF_OK;
}

static roof_status scale(const char *text, double number, double factor, double *value, roof_error *error) {
  if (!isfinite(number * factor)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: too large", text);
  }
  *value = number * factor;
  return ROOF_OK;
}

/** The factor of the prefix in either case; NaN where it is none of a count. */
static double prefix_factor(const char *prefix, size_t length) {
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] && length > 0; i++) {
    if (prefixes[i].counts && strlen(prefixes[i].text) == length &&
        rf_letters_compare_some(prefixes[i].text, prefix, length) == 0) {
      return prefixes[i].factor;
    }
  }
  return length == 0 ? 1 : NAN;
}

/** The factor of `word` where it is another name of `unit`, with its prefix; NaN where it is not. */
static double alias_factor(const char *word, const char *unit) {
  double factor = NAN;
  for (size_t i = 0; i < sizeof aliases / sizeof aliases[0] && isnan(factor); i++) {
    size_t length = strlen(word), own = strlen(aliases[i].text);
    const char *end = word + (length > own ? length - own : 0);
    bool named =
        rf_letters_compare(end, aliases[i].text) == 0 && (!aliases[i].exact || *end == aliases[i].text[0]);
    factor = named && strcmp(aliases[i].unit, unit) == 0 ? prefix_factor(word, (size_t)(end - word)) : NAN;
  }
  return factor;
}

roof_status roof_quantity_parse_unit(const char *text, const char *unit, double *value, roof_error *error) {
  double number = 0;
  const char *rest = text;
  roof_status status = parse_number(text, &number, &rest, error);
  if (status != ROOF_OK) {
    return status;
  }
  while (*rest == ' ') {
    rest++;
  }
  if (*rest == '\0' || (unit[0] != '\0' && strcmp(rest, unit) == 0)) {
    return scale(text, strcmp(rest, "%") == 0 ? number / 100 : number, 1, value, error);
  }
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    size_t length = strlen(prefixes[i].text);
    bool begins = strncmp(rest, prefixes[i].text, length) == 0;
    bool bare = begins && rest[length] == '\0';
    bool with_unit = begins && unit[0] != '\0' && unit[0] != '%' && strcmp(rest + length, unit) == 0;
    if (with_unit || (bare && prefixes[i].counts)) {
      return scale(text, number, prefixes[i].factor, value, error);
    }
  }
  double factor = alias_factor(rest, unit);
  if (!isnan(factor)) {
    return scale(text, number, factor, value, error);
  }
  if (unit[0] == '\0' && strcmp(rest, "B") == 0) {
    return roof_error_set(error, ROOF_E_PARSE, "`%s`: B is for bytes; for billions write `%.*sG`", text,
                          (int)strcspn(text, " B"), text);
  }
  return roof_error_set(error, ROOF_E_PARSE,
                        "`%s`: `%s` is not a known %s%s (k M G T P E decimal, Ki Mi Gi binary)", text, rest,
                        unit[0] != '\0' ? "unit; use " : "suffix", unit);
}

roof_status roof_quantity_parse(const char *text, double *value, roof_error *error) {
  return roof_quantity_parse_unit(text, "", value, error);
}

char *roof_quantity_format(char *buffer, size_t size, double value, const char *unit) {
  enum { PLAIN = 6, LAST = 12 };
  static const char names[][3] = {"a", "f", "p", "n", "\xC2\xB5", "m", "", "k", "M", "G", "T", "P", "E"};
  if (isnan(value)) {
    snprintf(buffer, size, "unknown");
    return buffer;
  }
  value = value == 0 ? 0 : value; /* without a sign */
  double magnitude = fabs(value);
  int index = PLAIN, last = strcmp(unit, "s") == 0 ? PLAIN : LAST; /* nobody counts in kiloseconds */
  if (magnitude > 0 && isfinite(magnitude)) {
    index += (int)floor(log10(magnitude) / 3);
    index = index < 0 ? 0 : index > last ? last : index;
    index += index < last && magnitude / pow(10, 3 * (index - PLAIN)) >= 999.95; /* rounded, it is 1.000 */
  }
  double scaled = value / pow(10, 3 * (index - PLAIN));
  int decimals = fabs(scaled) >= 999.95 ? 0 : fabs(scaled) >= 99.995 ? 1 : fabs(scaled) >= 9.9995 ? 2 : 3;
  if (value == 0) {
    decimals = 0;
  }
  bool gap = unit[0] != '\0' || names[index][0] != '\0';
  bool beyond =
      fabs(scaled) >= 1e6 || (value != 0 && fabs(scaled) < 0.9); /* past the prefixes: an exponent */
  rf_format(buffer, size, beyond ? "%.*e%s%s%s" : "%.*f%s%s%s", beyond ? 3 : decimals,
            beyond ? value : scaled, gap ? " " : "", beyond ? "" : names[index], unit);
  return buffer;
}

char *roof_bytes_format(char *buffer, size_t size, double bytes) {
  static const char names[][4] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
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
  rf_format(buffer, size, whole && fabs(bytes) < 1e6 ? "%.0f %s" : "%.4g %s", bytes, names[index]);
  return buffer;
}
