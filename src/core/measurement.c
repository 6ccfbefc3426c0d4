#include "roofline/measurement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/digest.h"

void roof_measurement_init(roof_measurement *measurement) {
  *measurement = (roof_measurement){.flops = NAN,
                                    .bytes = NAN,
                                    .write_share = NAN,
                                    .update_share = NAN,
                                    .seconds = NAN,
                                    .calls = NAN,
                                    .threads = NAN,
                                    .total_seconds = NAN,
                                    .link_bytes = NAN,
                                    .own_seconds = NAN,
                                    .given = {NAN, NAN, NAN, NAN, false, false},
                                    .memory_bytes_per_second = NAN,
                                    .memory_pace = NAN,
                                    .watts = NAN,
                                    .joules = NAN,
                                    .taken = NAN};
  roof_conditions_init(&measurement->conditions);
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    measurement->level_bytes[i] = NAN;
  }
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    measurement->dtype_flops[d] = NAN;
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      measurement->unit_flops[d][u] = NAN;
    }
  }
}

void roof_measurement_name(roof_measurement *measurement, const char *name) {
  enum { DIGEST = 17 }; /* "~" and 16 digits */
  size_t size = sizeof measurement->label, kept = size - 1 - DIGEST;
  if (strlen(name) < size) {
    snprintf(measurement->label, size, "%s", name);
    return;
  }
  while (kept > 0 && ((unsigned char)name[kept] & 0xC0) == 0x80) { /* within a character of UTF-8 */
    kept--;
  }
  snprintf(measurement->label, size, "%.*s~%016" PRIx64, (int)kept, name, rf_digest(name, strlen(name)));
}

void roof_measurement_done(roof_measurement *measurement) {
  free(measurement->samples);
  roof_measurement_init(measurement);
}

const char *roof_taken_name(roof_taken taken) {
  static const char *const names[ROOF_TAKEN_COUNT] = {"",         "by hand",   "pipe",
                                                      "document", "file date", "this process"};
  return names[taken];
}
