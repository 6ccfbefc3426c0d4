/* Rates of events by interval, as `perf stat -I` counts them. */
#include "import/_intervals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "roofline/stats.h"
#include "roofline/units.h"

static interval_series *series_of(interval_list *all, const char *region, const char *event) {
  for (size_t i = 0; i < all->count; i++) {
    if (all->list[i].region == region && all->list[i].event == event) {
      return &all->list[i];
    }
  }
  interval_series *more = realloc(all->list, (all->count + 1) * sizeof *more);
  double *rates = malloc(INTERVAL_RATES * sizeof *rates);
  all->list = more != NULL ? more : all->list;
  if (more == NULL || rates == NULL) {
    free(rates);
    return NULL;
  }
  more[all->count] =
      (interval_series){.region = region, .event = event, .stamp = NAN, .rates = rates, .stride = 1};
  return &more[all->count++];
}

/** Ends the interval at hand. When the list is full, every second of it stays. */
static void close_interval(interval_series *s) {
  double length = s->stamp - s->before;
  if (!(length > 0)) {
    return;
  }
  if (s->count == INTERVAL_RATES) {
    for (size_t i = 0; i < s->count / 2; i++) {
      s->rates[i] = s->rates[2 * i];
    }
    s->count /= 2;
    s->stride *= 2;
  }
  if (s->intervals++ % s->stride == 0) {
    s->rates[s->count++] = s->sum / length;
  }
}

bool rf_intervals_add(interval_list *all, const char *region, const char *event, double stamp, double value) {
  if (all->stamp != stamp) {
    all->before = all->stamp;
    all->stamp = stamp;
  }
  interval_series *s = isnan(value) ? NULL : series_of(all, region, event);
  if (s == NULL) {
    return isnan(value);
  }
  if (s->stamp != stamp) {
    close_interval(s);
    s->before = all->before;
    s->stamp = stamp;
    s->sum = 0;
  }
  s->sum += value;
  return true;
}

static void add_fact(roof_profile *profile, const interval_series *s, const double rates[3]) {
  bool clock = strcmp(s->event, "task-clock") == 0 || strcmp(s->event, "cpu-clock") == 0;
  char words[3][32];
  for (int i = 0; i < 3; i++) {
    if (clock) {
      rf_format(words[i], sizeof words[i], "%.3g", rates[i]);
    } else {
      roof_quantity_format(words[i], sizeof words[i], rates[i], "/s");
    }
  }
  rf_import_fact(profile,
                 rf_import_textf(profile, clock ? "busy_processors_(%s)" : "%s_by_interval", s->event), NAN,
                 rf_import_textf(profile, "%s to %s, median %s", words[0], words[2], words[1]));
}

bool rf_interval_is(const char *counter) {
  return strncmp(counter, RF_INTERVAL, strlen(RF_INTERVAL)) == 0;
}

static void settle(interval_series *s, bool alone, roof_profile *profile) {
  static const char *const names[] = {"least", "median", "most"};
  roof_stats stats;
  close_interval(s);
  roof_record *record = s->count > 0 ? rf_import_record(profile, s->region, strlen(s->region)) : NULL;
  if (record == NULL || roof_stats_of(s->rates, s->count, &stats, NULL) != ROOF_OK) {
    return;
  }
  const double rates[] = {stats.minimum, stats.median, stats.maximum};
  for (int i = 0; i < 3; i++) {
    rf_import_counter(profile, record,
                      rf_import_textf(profile, RF_INTERVAL "%s_%s_per_second", names[i], s->event), rates[i],
                      1);
  }
  if (alone) {
    add_fact(profile, s, rates);
  }
}

void rf_intervals_settle(interval_list *all, roof_profile *profile) {
  bool alone = true;
  uint64_t most = 0;
  for (size_t i = 0; i < all->count; i++) {
    alone = alone && all->list[i].region == all->list[0].region;
  }
  for (size_t i = 0; i < all->count; i++) {
    settle(&all->list[i], alone, profile);
    most = all->list[i].intervals > most ? all->list[i].intervals : most;
  }
  if (most > 0) {
    rf_import_fact(profile, "intervals", NAN, rf_import_textf(profile, "%.0f", (double)most));
  }
}

void rf_intervals_done(interval_list *all) {
  for (size_t i = 0; i < all->count; i++) {
    free(all->list[i].rates);
  }
  free(all->list);
}
