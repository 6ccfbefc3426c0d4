/* What a file says of the whole run, in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "import/import.h"
#include "models/words.h"
#include "roofline/text.h"
#include "roofline/units.h"

/** What names of facts end in, and how their values read. */
static const struct {
  const char *ending, *unit;
} endings[] = {{"_bytes_per_second", "B/s"}, {"_seconds", "s"}, {"_hz", "Hz"}, {"_share", "%"}};

char *roof_fact_sentence(const roof_fact *fact, char *buffer, size_t size) {
  const char *unit = "";
  char value[64];
  size_t length = strlen(fact->name);
  for (size_t i = 0; i < sizeof endings / sizeof endings[0] && unit[0] == '\0'; i++) {
    if (roof_text_ends_with(fact->name, endings[i].ending)) {
      unit = endings[i].unit;
      length -= unit[0] != '%' ? strlen(endings[i].ending) : 0;
    }
  }
  if (fact->text != NULL) {
    snprintf(value, sizeof value, "%.63s", fact->text);
  } else if (unit[0] == '\0' && fact->value == floor(fact->value) && fabs(fact->value) < 1e15) {
    rf_format(value, sizeof value, "%.0f", fact->value); /* a count */
  } else if (unit[0] == '\0') {
    rf_plain_number(value, sizeof value, fact->value);
  } else if (unit[0] == '%') {
    rf_format(value, sizeof value, "%.1f %%", 100 * fact->value);
  } else {
    roof_quantity_format(value, sizeof value, fact->value, unit);
  }
  snprintf(buffer, size, "%.*s: %s", (int)length, fact->name, value);
  for (char *c = buffer; *c != '\0' && *c != ':'; c++) {
    *c = *c == '_' ? ' ' : *c;
  }
  return buffer;
}

double roof_profile_fact(const roof_profile *profile, const char *name) {
  for (size_t i = 0; i < profile->fact_count; i++) {
    if (strcmp(profile->facts[i].name, name) == 0) {
      return profile->facts[i].value;
    }
  }
  return NAN;
}
