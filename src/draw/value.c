#include "draw/value.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "roofline/units.h"

/** The prefixes that quantities are written with. */
static const struct {
  const char *text;
  double factor;
} prefixes[] = {{"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40},     {"Pi", 0x1p50},
                {"k", 1e3},     {"M", 1e6},     {"G", 1e9},     {"T", 1e12},        {"P", 1e15},
                {"E", 1e18},    {"Z", 1e21},    {"m", 1e-3},    {"\xC2\xB5", 1e-6}, {"n", 1e-9},
                {"p", 1e-12},   {"f", 1e-15},   {"a", 1e-18}};

/** Whether the text is a unit that may have a prefix, or nothing. */
static int is_unit(const char *text) {
  static const char *const units[] = {"", "s", "B", "FLOP", "byte", "J", "W", "Hz", "tokens", "requests"};
  size_t length = strcspn(text, "/ ,;");
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (strlen(units[i]) == length && strncmp(text, units[i], length) == 0) {
      return 1;
    }
  }
  return 0;
}

static double factor_of(const char *rest) {
  size_t length = strlen(rest);
  if (length > 0 && rest[length - 1] == '%') {
    return 0.01;
  }
  rest += strspn(rest, " ");
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] && !is_unit(rest); i++) {
    size_t prefix = strlen(prefixes[i].text);
    if (strncmp(rest, prefixes[i].text, prefix) == 0 && is_unit(rest + prefix)) {
      return prefixes[i].factor;
    }
  }
  return 1;
}

double rf_value_of_text(const char *text) {
  double value;
  const char *start = text + strspn(text, "<>~+ ");
  size_t read = roof_number_read(start, strlen(start), &value);
  return read > 0 && isfinite(value) ? value * factor_of(start + read) : (double)NAN;
}
