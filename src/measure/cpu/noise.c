#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/cpu/cpu.h"

roof_noise roof_noise_now(void) {
  roof_noise noise = {.stolen_seconds = NAN, .load = NAN, .seconds = roof_clock_seconds()};
  FILE *file = fopen("/proc/stat", "re");
  if (file != NULL) {
    double ticks = NAN;
    if (fscanf(file, "cpu %*f %*f %*f %*f %*f %*f %*f %lf", &ticks) == 1) {
      noise.stolen_seconds = ticks / (double)sysconf(_SC_CLK_TCK);
    }
    fclose(file);
  }
  double loads[1];
  if (getloadavg(loads, 1) == 1) {
    noise.load = loads[0];
  }
  return noise;
}
