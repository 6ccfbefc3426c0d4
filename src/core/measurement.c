#include "roofline/measurement.h"

#include <math.h>
#include <stdlib.h>

void roof_measurement_init(roof_measurement *measurement) {
  *measurement = (roof_measurement){
      .flops = NAN, .bytes = NAN, .seconds = NAN, .watts = NAN, .joules = NAN, .taken = NAN};
  roof_conditions_init(&measurement->conditions);
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    measurement->level_bytes[i] = NAN;
  }
}

void roof_measurement_done(roof_measurement *measurement) {
  free(measurement->samples);
  roof_measurement_init(measurement);
}
