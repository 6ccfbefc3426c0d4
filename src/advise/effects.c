/* The effects between the bare roofline and the expected time, in lines. */
#include <math.h>
#include <string.h>

#include "roofline/effects.h"
#include "roofline/explain.h"
#include "roofline/units.h"

enum { SHORT = 48 };

static void sort_by_seconds(roof_effect_part *parts, int count) {
  for (int i = 1; i < count; i++) {
    for (int k = i; k > 0 && fabs(parts[k].seconds) > fabs(parts[k - 1].seconds); k--) {
      roof_effect_part swapped = parts[k];
      parts[k] = parts[k - 1];
      parts[k - 1] = swapped;
    }
  }
}

static void add_effect(roof_text *out, const char *name, double value, const char *why) {
  char seconds[SHORT];
  roof_quantity_format(seconds, SHORT, fabs(value), "s");
  int micro = strstr(seconds, "\xC2\xB5") != NULL; /* two bytes, one column */
  roof_text_addf(out, "    %-10s %c%*s  %s\n", name, value < 0 ? '-' : '+', 9 + micro, seconds, why);
}

void roof_prediction_effects(roof_text *out, const roof_target *target, const roof_prediction *p, int most) {
  static const double worth_naming = 0.005, shown = 0.0005; /* of the time, which has four digits */
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  int count = roof_effects_of(target, p, parts);
  double others = 0;
  sort_by_seconds(parts, count);
  for (int i = 0; i < count && i < most; i++) {
    if (fabs(parts[i].seconds) >= worth_naming * p->expected_seconds) {
      add_effect(out, roof_effect_name(parts[i].effect), parts[i].seconds, parts[i].text);
    } else {
      others += parts[i].seconds;
    }
  }
  if (most >= ROOF_EFFECT_COUNT && fabs(others) >= shown * p->expected_seconds) {
    add_effect(out, "others", others, "of which none is half a percent of the time");
  }
}
