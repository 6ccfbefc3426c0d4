#include "region/counting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "region/events.h"

void rf_counting_init(rf_counting *counting) {
  char kernel[160];
  const char *why = rf_counters_open(), *reason = rf_events_reason(kernel, sizeof kernel);
  memset(counting, 0, sizeof *counting);
  counting->flops = why == NULL;
  if (why != NULL) { /* that the machine has no events is a better reason than that the library finds none */
    snprintf(counting->flops_reason, sizeof counting->flops_reason, "%s", reason != NULL ? reason : why);
  }
  counting->memory = rf_uncore_find("", &counting->uncore);
  if (!counting->memory) {
    snprintf(counting->memory_reason, sizeof counting->memory_reason,
             "no memory controller's counters (uncore_imc) in /sys/bus/event_source/devices");
  }
}

void rf_counting_start(rf_counting *counting, pid_t process) {
  counting->counters = (rf_counters){0};
  const char *why = counting->flops ? rf_counters_attach(&counting->counters, process) : NULL;
  char buffer[160];
  if (why != NULL) {
    counting->flops = false;
    snprintf(counting->flops_reason, sizeof counting->flops_reason, "%s", why);
  }
  why = counting->memory ? rf_uncore_start(&counting->uncore, buffer, sizeof buffer) : NULL;
  if (why != NULL) {
    counting->memory = false;
    snprintf(counting->memory_reason, sizeof counting->memory_reason, "%s", why);
  }
}

void rf_counting_stop(rf_counting *counting, rf_counts *counts) {
  long long flops[RF_COUNTER_MAX];
  bool got = counting->flops && rf_counters_read(&counting->counters, flops);
  for (int i = 0; i < RF_COUNTER_MAX; i++) {
    counts->flops[i] = got && i < rf_counters_count() ? (double)flops[i] : NAN;
  }
  counts->memory_bytes = counting->memory ? rf_uncore_stop(&counting->uncore) : NAN;
  if (counting->flops) {
    rf_counters_stop(&counting->counters);
  }
}
