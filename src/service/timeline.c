#include "service/timeline.h"

#include <math.h>
#include <string.h>

static const double first_width = 1e-3;

void rf_timeline_start(roof_service_timeline *t) {
  memset(t, 0, sizeof *t);
  t->bin_seconds = first_width;
}

static void add(roof_service_bin *to, const roof_service_bin *from, double seconds) {
  to->queue += seconds * from->queue;
  to->batch += seconds * from->batch;
  to->kv += seconds * from->kv;
  to->preemptions += from->preemptions;
}

/** Makes bins twice as wide until there is one at a time. */
static size_t bin_at(roof_service_timeline *t, double seconds) {
  while (seconds >= t->bin_seconds * ROOF_SERVICE_BINS) {
    for (size_t i = 0; i < ROOF_SERVICE_BINS; i++) {
      roof_service_bin two = {0};
      for (size_t k = 2 * i; k < 2 * i + 2 && k < ROOF_SERVICE_BINS; k++) {
        add(&two, &t->bins[k], 1);
      }
      t->bins[i] = two;
    }
    t->bin_seconds *= 2;
  }
  return (size_t)(seconds / t->bin_seconds);
}

void rf_timeline_add(roof_service_timeline *t, double start, double seconds, const roof_service_bin *state) {
  double end = start + seconds;
  size_t last = bin_at(t, end);
  for (size_t bin = (size_t)(start / t->bin_seconds); bin <= last; bin++) {
    double from = fmax(start, (double)bin * t->bin_seconds),
           to = fmin(end, (double)(bin + 1) * t->bin_seconds);
    add(&t->bins[bin], state, fmax(0, to - from));
  }
}

void rf_timeline_preempt(roof_service_timeline *t, double seconds) {
  t->bins[bin_at(t, seconds)].preemptions++;
}

void rf_timeline_end(roof_service_timeline *t, double blocks) {
  for (size_t i = 0; i < ROOF_SERVICE_BINS; i++) {
    roof_service_bin *b = &t->bins[i];
    b->queue /= t->bin_seconds;
    b->batch /= t->bin_seconds;
    b->kv = isinf(blocks) ? NAN : b->kv / (blocks * t->bin_seconds);
    t->count = b->queue > 0 || b->batch > 0 || b->kv > 0 || b->preemptions > 0 ? i + 1 : t->count;
  }
}
