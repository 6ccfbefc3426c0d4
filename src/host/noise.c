#include "host/noise.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/number.h"
#include "host/clock.h"
#include "host/probe.h"

bool rf_ticks_read(const char *root, double *wanted, double *stolen) {
  enum { USER, NICE, SYSTEM, IDLE, IO_WAIT, IRQ, SOFT_IRQ, STOLEN, COUNT };
  double ticks[COUNT];
  if (rf_probe_numbers(root, "/proc/stat", "cpu ", ticks, COUNT) != COUNT) {
    return false;
  }
  *stolen = ticks[STOLEN];
  *wanted = ticks[USER] + ticks[NICE] + ticks[SYSTEM] + ticks[IRQ] + ticks[SOFT_IRQ] + ticks[STOLEN];
  return true;
}

rf_noise rf_noise_now(void) {
  struct rusage usage;
  bool counted = getrusage(RUSAGE_SELF, &usage) == 0;
  double wanted, stolen = NAN;
  rf_ticks_read("", &wanted, &stolen);
  return (rf_noise){.stolen_seconds = stolen / (double)sysconf(_SC_CLK_TCK),
                    .interruptions = counted ? (double)usage.ru_nivcsw : NAN,
                    .waits = counted ? (double)usage.ru_nvcsw : NAN,
                    .load = rf_probe_number("", "/proc/loadavg", ""),
                    .seconds = rf_clock_seconds()};
}

/** Unknown until the first addition. */
static void add(double *sum, double amount) {
  *sum = isnan(*sum) ? amount : *sum + amount;
}

void rf_noise_add(const rf_noise *before, roof_conditions *conditions) {
  rf_noise now = rf_noise_now();
  add(&conditions->stolen_seconds, fmax(0, now.stolen_seconds - before->stolen_seconds));
  add(&conditions->involuntary_switches, now.interruptions - before->interruptions);
  add(&conditions->voluntary_switches, now.waits - before->waits);
  conditions->load = fmax(conditions->load, now.load);
}

char *rf_noise_since(const rf_noise *before, int threads, char *text, size_t size) {
  static const double stolen_least = 0.01, interruptions_least = 20; /* per second and thread */
  rf_noise now = rf_noise_now();
  double time = (now.seconds - before->seconds) * threads;
  double stolen = (now.stolen_seconds - before->stolen_seconds) / time;
  double interruptions = now.interruptions - before->interruptions;
  text[0] = '\0';
  if (stolen > stolen_least) {
    rf_format(text, size, "noise: the hypervisor took %.1f %% of the time", 100 * stolen);
  } else if (interruptions > interruptions_least * time) {
    snprintf(text, size, "noise: other tasks interrupted %.0f times", interruptions);
  }
  return text;
}

char *rf_noise_unknown(char *text, size_t size) {
  rf_noise now = rf_noise_now();
  bool stolen = isnan(now.stolen_seconds), load = isnan(now.load);
  text[0] = '\0';
  if (stolen || load) {
    snprintf(text, size, "noise: unknown, not reported by the system%s%s%s",
             stolen ? " time the hypervisor takes (/proc/stat)" : "", stolen && load ? " nor" : "",
             load ? " its load (/proc/loadavg)" : "");
  }
  return text;
}
