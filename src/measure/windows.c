/* All samples of the ceilings, written as roofline.samples/1. */
#include <math.h>

#include "roofline/measure.h"

static void add_numbers(roof_text *out, const char *key, const double *numbers, size_t count) {
  roof_text_addf(out, ", \"%s\": [", key);
  for (size_t i = 0; i < count; i++) {
    roof_text_add(out, i > 0 ? ", " : "");
    if (isfinite(numbers[i])) {
      roof_text_add_number(out, numbers[i], 6);
    } else {
      roof_text_add(out, "null");
    }
  }
  roof_text_add(out, "]");
}

void roof_windows_write(void *user, const roof_windows *windows) {
  roof_text *out = user;
  roof_text_add(out, out->length > 0 ? ",\n  " : "{\"schema\": \"roofline.samples/1\", \"figures\": [\n  ");
  roof_text_add(out, "{\"figure\": ");
  roof_text_add_json(out, windows->figure);
  roof_text_add(out, ", \"work\": ");
  roof_text_add_number(out, windows->work, 15);
  roof_text_add(out, ", \"round_ends\": [");
  for (int i = 0; i < windows->rounds; i++) {
    roof_text_addf(out, "%s%zu", i > 0 ? ", " : "", windows->ends[i]);
  }
  roof_text_add(out, "]");
  add_numbers(out, "seconds", windows->seconds, windows->count);
  add_numbers(out, "clock_hz", windows->clocks, windows->count);
  roof_text_add(out, "}");
}

roof_status roof_windows_finish(roof_text *out, roof_error *error) {
  roof_text_add(out, out->length > 0 ? "\n]}\n" : "{\"schema\": \"roofline.samples/1\", \"figures\": []}\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "--samples: out of memory") : ROOF_OK;
}
