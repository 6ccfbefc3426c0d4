#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/measure.h"
#include "roofline/text.h"

#define ROW(backend) extern const roof_backend rf_backend_##backend;
#include "registry/backends.inc"
#undef ROW

static const roof_backend *const backends[] = {
#define ROW(backend) &rf_backend_##backend,
#include "registry/backends.inc"
#undef ROW
};

enum { BACKEND_COUNT = sizeof backends / sizeof backends[0] };

int roof_backend_count(void) {
  return BACKEND_COUNT;
}

const roof_backend *roof_backend_at(int index) {
  return index >= 0 && index < BACKEND_COUNT ? backends[index] : NULL;
}

roof_status roof_backend_find(const char *name, const roof_backend **backend, roof_error *error) {
  const char *names[BACKEND_COUNT + 1] = {NULL};
  for (int i = 0; i < BACKEND_COUNT; i++) {
    if (strcmp(backends[i]->name, name) == 0) {
      *backend = backends[i];
      return ROOF_OK;
    }
    names[i] = backends[i]->name;
  }
  return roof_error_unknown(error, "backend", name, names, NULL);
}

double roof_share_in_turns(const roof_measurement *own, const roof_measurement *other) {
  size_t count = own->sample_count < other->sample_count ? own->sample_count : other->sample_count;
  double *shares = malloc((count + 1) * sizeof *shares);
  roof_stats stats;
  for (size_t i = 0; shares != NULL && i < count; i++) {
    shares[i] = other->samples[i] / own->samples[i];
  }
  bool known = shares != NULL && count > 0 && roof_stats_of(shares, count, &stats, NULL) == ROOF_OK;
  free(shares);
  return known ? stats.median : (double)NAN;
}

const char *roof_backend_sizes(const roof_backend *backend, const roof_kernel *kernel, bool quick) {
  bool small = kernel->processor_sizes != NULL && backend->on_processor != NULL && backend->on_processor();
  return quick ? kernel->quick_sizes : small ? kernel->processor_sizes : kernel->sizes;
}

roof_measure_options roof_measure_options_default(void) {
  return (roof_measure_options){.seconds_per_item = 0.4, .precision = 0.01};
}
