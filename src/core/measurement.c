#include "roofline/measurement.h"

#include <math.h>
#include <stdlib.h>

void roof_measurement_init(roof_measurement *measurement) {
  *measurement = (roof_measurement){.flops = NAN, .bytes = NAN, .seconds = NAN};
}

void roof_measurement_done(roof_measurement *measurement) {
  free(measurement->samples);
  roof_measurement_init(measurement);
}
