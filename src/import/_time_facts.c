/* The time of the busiest device as facts of the whole run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

static const char *const names[] = {"span_seconds",
                                    "idle_seconds",
                                    "idle_share",
                                    "mean_gap_seconds",
                                    "launch_interval_seconds",
                                    "mean_kernel_seconds",
                                    "idle_before_launch_seconds",
                                    "launches_are_the_limit"};

bool rf_import_is_time_fact(const roof_fact *fact) {
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(fact->name, names[i]) == 0) {
      return true;
    }
  }
  return strncmp(fact->name, "device_", 7) == 0 && roof_text_ends_with(fact->name, "_idle_share");
}

static void forget(roof_profile *profile) {
  size_t kept = 0;
  for (size_t i = 0; i < profile->fact_count; i++) {
    if (!rf_import_is_time_fact(&profile->facts[i])) {
      profile->facts[kept++] = profile->facts[i];
    }
  }
  profile->fact_count = kept;
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x != y ? (x < y ? -1 : 1) : 0;
}

/** The median difference between neighbouring numbers. */
static double median_interval(int64_t *numbers, size_t count) {
  qsort(numbers, count, sizeof *numbers, by_number);
  for (size_t i = 0; i + 1 < count; i++) {
    numbers[i] = numbers[i + 1] - numbers[i];
  }
  qsort(numbers, count - 1, sizeof *numbers, by_number);
  return (double)numbers[(count - 1) / 2];
}

/** Whether launches are the limit: the median time between two of them is no less than the mean kernel. */
static void launch_facts(roof_profile *profile, const roof_device_time *d) {
  const roof_timeline *t = profile->timeline;
  int64_t *starts = malloc((t->slice_count + 1) * sizeof *starts);
  double busy = 0;
  size_t count = 0;
  if (starts == NULL) {
    rf_import_starved(profile);
    return;
  }
  for (size_t i = 0; i < t->slice_count; i++) {
    const roof_slice *s = &t->slices[i];
    if (s->launched != ROOF_LAUNCH_UNKNOWN && t->tracks[s->track].device == d->device) {
      starts[count++] = s->launched;
      busy += (double)(s->end - s->start) * 1e-9;
    }
  }
  if (count > 2) {
    double interval = median_interval(starts, count) * 1e-9, kernel = busy / (double)count;
    rf_import_fact(profile, "launch_interval_seconds", interval, NULL);
    rf_import_fact(profile, "mean_kernel_seconds", kernel, NULL);
    rf_import_fact(profile, "idle_before_launch_seconds", d->idle[ROOF_IDLE_HOST] + d->idle[ROOF_IDLE_SYNC],
                   NULL);
    rf_import_fact(profile, "launches_are_the_limit", NAN, interval >= kernel ? "yes" : "no");
  }
  free(starts);
}

static void idle_facts(roof_profile *profile, const roof_device_time *d) {
  if (d->calls < 2 || !(d->span_seconds > 0)) {
    return;
  }
  rf_import_fact(profile, "span_seconds", d->span_seconds, NULL);
  rf_import_fact(profile, "idle_seconds", d->idle_seconds, NULL);
  rf_import_fact(profile, "idle_share", d->idle_seconds / d->span_seconds, NULL);
  if (d->gaps > 0) {
    rf_import_fact(profile, "mean_gap_seconds", d->idle_seconds / (double)d->gaps, NULL);
  }
}

void rf_import_time_facts(roof_profile *profile) {
  roof_accounting all;
  if (profile->timeline == NULL || profile->timeline->slice_count == 0) {
    return;
  }
  forget(profile);
  if (profile->timeline->trace_count > 1) {
    return;
  }
  if (roof_timeline_account(profile->timeline, &all, NULL) != ROOF_OK) {
    rf_import_starved(profile);
    return;
  }
  const roof_device_time *most = &all.devices[0];
  for (size_t i = 1; i < all.device_count; i++) {
    most = all.devices[i].busy_seconds > most->busy_seconds ? &all.devices[i] : most;
  }
  launch_facts(profile, most);
  idle_facts(profile, most);
  for (size_t i = 0; i < all.device_count; i++) {
    const roof_device_time *d = &all.devices[i];
    if (d != most && d->calls > 1 && d->span_seconds > 0) {
      rf_import_fact(profile, rf_import_textf(profile, "device_%d_idle_share", d->device),
                     d->idle_seconds / d->span_seconds, NULL);
    }
  }
  roof_accounting_done(&all);
}
