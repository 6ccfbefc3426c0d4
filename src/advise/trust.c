/* How far the figures of a measured machine are to be trusted. */
#include "roofline/trust.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "core/stats.h"
#include "roofline/report.h"

enum { FIGURE_MAX = ROOF_PEAK_MAX + 5 * ROOF_LEVEL_MAX };

/** Values of many figures, of which the median counts. */
typedef struct values {
  double list[FIGURE_MAX];
  int count;
} values;

static void add(values *v, double value) {
  if (!isnan(value) && v->count < FIGURE_MAX) {
    v->list[v->count++] = value;
  }
}

static double median(values *v) {
  return rf_stats_quantile(v->list, (size_t)v->count, 0.5);
}

static void add_figure(roof_trust *trust, values *spreads, const roof_conditions *c) {
  if (c != NULL && c->samples > 0) {
    trust->figures++;
    trust->noisy += c->noisy[0] != '\0';
    add(spreads, c->spread);
  }
}

void roof_machine_trust(const roof_machine *machine, roof_trust *trust) {
  values clocks = {.count = 0}, spreads = {.count = 0};
  *trust = (roof_trust){.clock_spread = NAN, .spread = NAN};
  for (int i = 0; i < machine->peak_count; i++) {
    const roof_conditions *c = machine->peaks[i].conditions;
    add_figure(trust, &spreads, c);
    add(&clocks, c != NULL ? c->clock_spread : NAN);
  }
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level_report *r = roof_level_report_of(&machine->levels[i]);
    const roof_conditions *const patterns[] = {&r->read, &r->write, &r->copy, &r->update, &r->triad};
    for (size_t k = 0; k < sizeof patterns / sizeof patterns[0]; k++) {
      add_figure(trust, &spreads, patterns[k]);
    }
  }
  trust->clock_spread = median(&clocks);
  trust->spread = median(&spreads);
  trust->scripted = trust->figures == 0;
}

/** Of a share in percent: what is far off needs none. */
static int digits(double share) {
  return share < 1;
}

char *roof_trust_sentence(const roof_trust *trust, char *buffer, size_t size) {
  static const double few = 0.1;
  bool doubtful = trust->noisy > few * trust->figures;
  if (trust->scripted) {
    snprintf(buffer, size, "nothing was timed here: the figures are given");
    return buffer;
  }
  size_t used = 0;
  if (!isnan(trust->clock_spread)) {
    used = (size_t)rf_format(buffer, size, "clock to %.*f %%, ", digits(trust->clock_spread),
                             100 * trust->clock_spread);
  }
  used += (size_t)rf_format(buffer + used, size - used, "figures to %.*f %%", digits(trust->spread),
                            100 * trust->spread);
  if (trust->noisy > 0 && used < size) {
    snprintf(buffer + used, size - used, "; %d of %d noisy%s", trust->noisy, trust->figures,
             doubtful ? ": see `doctor`" : "");
  }
  return buffer;
}
