/* Numbers as tools write them: units, grouping marks, and texts that mean "no number". */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/letters.h"
#include "import/import.h"
#include "roofline/units.h"

enum { NUMBER_MAX = 64 };

/** True for a blank that groups digits: a space, U+00A0 or U+202F; *length is its bytes. */
static bool is_blank_group(const char *p, size_t *length) {
  *length = *p == ' ' ? 1 : strncmp(p, "\xC2\xA0", 2) == 0 ? 2 : strncmp(p, "\xE2\x80\xAF", 3) == 0 ? 3 : 0;
  return *length > 0;
}

double rf_import_number(const char *text, const import_marks *marks) {
  static const import_marks plain = {'.', 0};
  const import_marks *m = marks != NULL ? marks : &plain;
  char clean[NUMBER_MAX];
  size_t length = 0, blank = 0;
  text += strspn(text, " \t");
  for (const char *p = text; *p != '\0'; p++) {
    bool between = p > text && isdigit((unsigned char)p[-1]);
    if (between && is_blank_group(p, &blank) && isdigit((unsigned char)p[blank])) {
      p += blank - 1;
    } else if (between && m->group != 0 && *p == m->group && isdigit((unsigned char)p[1])) {
      continue;
    } else if (length + 1 >= sizeof clean) {
      return NAN;
    } else {
      clean[length++] = *p == m->decimal ? '.' : *p;
    }
  }
  while (length > 0 && isspace((unsigned char)clean[length - 1])) {
    length--;
  }
  double value = NAN;
  size_t read = roof_number_read(clean, length, &value);
  return read > 0 && read == length && isfinite(value) ? value : NAN;
}

bool rf_import_count(const char *text, int64_t *count) {
  text += strspn(text, " \t");
  const char *digits = text + (*text == '-' || *text == '+');
  int64_t value = 0;
  const char *p = digits;
  for (; isdigit((unsigned char)*p); p++) {
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *p - '0', &value)) {
      return false;
    }
  }
  if (p == digits || p[strspn(p, " \t")] != '\0') {
    return false;
  }
  *count = *text == '-' ? -value : value;
  return true;
}

void rf_import_vote(import_votes *votes, const char *text) {
  const char *point = strrchr(text, '.'), *comma = strrchr(text, ',');
  if (text[strspn(text, "0123456789.,+- ")] != '\0' || (point == NULL && comma == NULL)) {
    return;
  }
  const char *last = comma == NULL || (point != NULL && point > comma) ? point : comma;
  bool alone = point == NULL || comma == NULL;
  bool repeated = alone && strchr(text, *last) != last;
  bool ambiguous =
      alone && !repeated && strspn(last + 1, "0123456789") == 3 && last[4] == '\0' && *text != '0';
  if (ambiguous) {
    return;
  }
  bool is_decimal = !repeated;
  *((*last == '.') == is_decimal ? &votes->point : &votes->comma) += 1;
}

import_marks rf_import_marks_of(const import_votes *votes, char forced) {
  bool comma = forced != 0 ? forced == ',' : votes->comma > votes->point;
  return comma ? (import_marks){',', '.'} : (import_marks){'.', ','};
}

/** A prefix of a unit and what is left of it. */
static const char *prefix(const char *unit, double kilo, double *factor) {
  static const char letters[] = "KMGTP";
  const char *at = *unit == 'k' ? letters : strchr(letters, *unit);
  bool byte = at != NULL && *unit != '\0' && strchr("bBhHfFo", unit[unit[1] == 'i' ? 2 : 1]) != NULL;
  if (!byte || unit[1] == '\0') {
    *factor = 1;
    return unit;
  }
  bool binary = unit[1] == 'i';
  *factor = pow(binary ? 1024 : kilo, (double)(at - letters + 1));
  return unit + (binary ? 2 : 1);
}

static const struct {
  const char *name;
  double factor;
} units[] = {{"s", 1},          {"sec", 1},        {"second", 1},   {"seconds", 1},    {"ms", 1e-3},
             {"msec", 1e-3},    {"msecond", 1e-3}, {"us", 1e-6},    {"usec", 1e-6},    {"usecond", 1e-6},
             {"\u00b5s", 1e-6}, {"ns", 1e-9},      {"nsec", 1e-9},  {"nsecond", 1e-9}, {"ps", 1e-12},
             {"m", 60},         {"min", 60},       {"byte", 1},     {"bytes", 1},      {"b", 1},
             {"hz", 1},         {"bit", 0.125},    {"%", 0.01},     {"flop", 1},       {"flops", 1},
             {"cycle", 1},      {"inst", 1},       {"sector", 1},   {"thread", 1},     {"warp", 1},
             {"block", 1},      {"request", 1},    {"register", 1}, {"op", 1},         {"", 1}};

/** One side of a fraction. */
static double simple_unit(const char *text, size_t length, double kilo) {
  char name[32];
  if (length >= sizeof name) {
    return NAN;
  }
  memcpy(name, text, length);
  name[length] = '\0';
  double factor = 1;
  for (int pass = 0; pass < 2; pass++) {
    const char *rest = pass == 0 ? name : prefix(name, kilo, &factor);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
      if (rf_letters_compare(rest, units[i].name) == 0) {
        return factor * units[i].factor;
      }
    }
  }
  return NAN;
}

double rf_import_unit(const char *unit, double kilo) {
  const char *slash = strchr(unit, '/');
  if (slash == NULL) {
    return simple_unit(unit, strlen(unit), kilo);
  }
  return simple_unit(unit, (size_t)(slash - unit), kilo) / simple_unit(slash + 1, strlen(slash + 1), kilo);
}

bool rf_import_time(const char *text, const char *unit, const import_marks *marks, uint64_t *picoseconds) {
  static const struct {
    const char *unit;
    uint64_t picoseconds;
  } exact[] = {{"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}, {"s", 1000000000000}};
  int64_t count;
  for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
    if (strcmp(unit, exact[i].unit) == 0 && rf_import_count(text, &count)) {
      return count >= 0 && !__builtin_mul_overflow((uint64_t)count, exact[i].picoseconds, picoseconds);
    }
  }
  return rf_import_picoseconds(rf_import_number(text, marks) * rf_import_unit(unit, 1000), picoseconds);
}
