#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/cpu/cpu.h"

roof_noise roof_noise_now(void) {
  roof_noise noise = {.stolen_seconds = NAN, .seconds = roof_clock_seconds()};
  FILE *file = fopen("/proc/stat", "re");
  if (file != NULL) {
    double ticks = NAN;
    if (fscanf(file, "cpu %*f %*f %*f %*f %*f %*f %*f %lf", &ticks) == 1) {
      noise.stolen_seconds = ticks / (double)sysconf(_SC_CLK_TCK);
    }
    fclose(file);
  }
  struct rusage usage;
  noise.interruptions = getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_nivcsw : NAN;
  return noise;
}

char *roof_noise_since(const roof_noise *before, int threads, char *text, size_t size) {
  static const double stolen_least = 0.01, interruptions_least = 20; /* a second and thread */
  roof_noise now = roof_noise_now();
  double time = (now.seconds - before->seconds) * threads;
  double stolen = (now.stolen_seconds - before->stolen_seconds) / time;
  double interruptions = now.interruptions - before->interruptions;
  text[0] = '\0';
  if (stolen > stolen_least) {
    snprintf(text, size, "noise: the hypervisor took %.1f %% of the time", 100 * stolen);
  } else if (interruptions > interruptions_least * time) {
    snprintf(text, size, "noise: other tasks interrupted %.0f times", interruptions);
  }
  return text;
}
