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

/** Ends the interval of all regions. False when out of memory. */
static bool close_all(interval_list *all) {
  double length = all->stamp - all->before, flops, bytes;
  if (!(length > 0)) {
    return true;
  }
  if (all->done_count == all->done_room) {
    size_t room = all->done_room * 2 + 64;
    roof_interval *more = realloc(all->done, room * sizeof *more);
    if (more == NULL) {
      return false;
    }
    all->done = more;
    all->done_room = room;
  }
  rf_events_sums(&all->events, &flops, &bytes);
  all->done[all->done_count++] = (roof_interval){all->before, all->stamp, flops / length, bytes / length,
                                                 all->cycles > 0 ? all->instructions / all->cycles : NAN};
  return true;
}

/** Adds a count to the interval of all regions. */
static void add_to_all(interval_list *all, const char *event, double value, double bytes) {
  bool instructions = strncmp(event, "instructions", 12) == 0;
  bool cycles = strncmp(event, "cycles", 6) == 0 || strncmp(event, "cpu-cycles", 10) == 0;
  double *to = instructions ? &all->instructions : cycles ? &all->cycles : NULL;
  if (to != NULL && !isnan(value)) {
    *to = isnan(*to) ? value : *to + value;
  }
  (void)rf_events_add(&all->events, event, value, bytes);
}

bool rf_intervals_add(interval_list *all, const char *region, const char *event, double stamp, double value,
                      double bytes) {
  if (all->stamp != stamp) {
    if (!close_all(all)) {
      return false;
    }
    all->before = all->stamp;
    all->stamp = stamp;
    all->instructions = all->cycles = NAN;
    rf_events_init(&all->events);
  }
  add_to_all(all, event, isnan(bytes) ? value : value / bytes, bytes);
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

static const char *in_words(char *to, size_t size, double value, const char *unit) {
  if (unit != NULL) {
    return roof_quantity_format(to, size, value, unit);
  }
  rf_format(to, size, "%.3g", value);
  return to;
}

static double interval_flops(const roof_interval *i) {
  return i->flops_per_second;
}

static double interval_bytes(const roof_interval *i) {
  return i->bytes_per_second;
}

static double interval_ipc(const roof_interval *i) {
  return i->instructions_per_cycle;
}

/** Least, median and most of what intervals are drawn by. */
static void add_rates(roof_profile *profile) {
  static const struct {
    const char *name, *unit;
    double (*of)(const roof_interval *interval);
  } rates[] = {{"flops_by_interval", "FLOP/s", interval_flops},
               {"memory_by_interval", "B/s", interval_bytes},
               {"instructions_per_cycle_by_interval", NULL, interval_ipc}};
  double *values = malloc((profile->interval_count + 1) * sizeof *values);
  if (values == NULL) {
    rf_import_starved(profile);
    return;
  }
  for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
    size_t count = 0;
    roof_stats stats;
    char least[32], median[32], most[32];
    for (size_t i = 0; i < profile->interval_count; i++) {
      values[count] = rates[r].of(&profile->intervals[i]);
      count += isnan(values[count]) ? 0 : 1;
    }
    if (count > 0 && roof_stats_of(values, count, &stats, NULL) == ROOF_OK) {
      rf_import_fact(profile, rates[r].name, NAN,
                     rf_import_textf(profile, "%s to %s, median %s",
                                     in_words(least, sizeof least, stats.minimum, rates[r].unit),
                                     in_words(most, sizeof most, stats.maximum, rates[r].unit),
                                     in_words(median, sizeof median, stats.median, rates[r].unit)));
    }
  }
  free(values);
}

void rf_intervals_settle(interval_list *all, roof_profile *profile) {
  bool alone = true;
  uint64_t most = 0;
  if (!close_all(all)) {
    rf_import_starved(profile);
  }
  if (profile->intervals == NULL) {
    profile->intervals = all->done;
    profile->interval_count = all->done_count;
    all->done = NULL;
    add_rates(profile);
  }
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
  free(all->done);
}
