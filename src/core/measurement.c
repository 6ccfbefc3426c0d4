#include "roofline/measurement.h"

#include <math.h>
#include <stdlib.h>

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
                                    .ceiling_seconds = NAN,
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

void roof_measurement_done(roof_measurement *measurement) {
  free(measurement->samples);
  roof_measurement_init(measurement);
}
