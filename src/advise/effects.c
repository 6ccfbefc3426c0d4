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

void roof_prediction_effects(roof_text *out, const roof_target *target, const roof_prediction *p, int most) {
  static const double worth_naming = 0.005;
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  int count = roof_effects_of(target, p, parts);
  sort_by_seconds(parts, count);
  for (int i = 0; i < count && i < most; i++) {
    char seconds[SHORT];
    roof_quantity_format(seconds, SHORT, fabs(parts[i].seconds), "s");
    int micro = strstr(seconds, "\xC2\xB5") != NULL; /* two bytes, one column */
    if (fabs(parts[i].seconds) >= worth_naming * p->expected_seconds) {
      roof_text_addf(out, "    %-10s %c%*s  %s\n", roof_effect_name(parts[i].effect),
                     parts[i].seconds < 0 ? '-' : '+', 9 + micro, seconds, parts[i].text);
    }
  }
}
