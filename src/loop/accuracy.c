/* How far the sealed expectations were off. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/number.h"
#include "core/stats.h"
#include "loop/loop.h"

static bool is_inside(const roof_loop_kernel *k) {
  return k->measured_seconds >= k->prediction.expected_low_seconds &&
         k->measured_seconds <= k->prediction.expected_high_seconds;
}

double rf_loop_error(const roof_loop_kernel *k) {
  return fabs(k->prediction.expected_seconds / k->measured_seconds - 1);
}

static bool was_measured(const roof_loop_kernel *k) {
  return k->skipped[0] == '\0' && k->measured_seconds > 0;
}

/** Whether most of its samples had the cores for themselves. */
static bool is_whole(const roof_loop_kernel *k) {
  static const double most = 0.5;
  return k->disturbed < most;
}

/** The median of the errors of kernels, or of those on whole cores alone, and their 90th percentile; returns how many. */
static int summarise(const roof_loop *loop, bool whole, double *errors, double *median, double *ninetieth) {
  int count = 0;
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    if (was_measured(k) && (!whole || is_whole(k))) {
      errors[count++] = rf_loop_error(k);
    }
  }
  rf_stats_sort(errors, (size_t)count);
  *median = count > 0 ? (errors[(count - 1) / 2] + errors[count / 2]) / 2 : NAN;
  *ninetieth = count > 0 ? errors[(count * 9 + 9) / 10 - 1] : NAN;
  return count;
}

roof_status roof_loop_accuracy_of(const roof_loop *loop, roof_loop_accuracy *accuracy, roof_error *error) {
  roof_loop_accuracy a = {.coverage = NAN};
  double *errors = calloc((size_t)loop->count + 1, sizeof *errors);
  bool held[ROOF_LEVEL_KIND_COUNT] = {false};
  int within = 0;
  if (errors == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "loop: out of memory");
  }
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    if (was_measured(k)) {
      within += is_inside(k);
      held[k->level] = true;
      a.alone = a.alone || (!k->shown && k->cores == ROOF_LOOP_ALONE);
      a.looked += !isnan(k->disturbed);
    }
  }
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    a.levels += held[i];
  }
  a.points = summarise(loop, false, errors, &a.median, &a.ninetieth);
  a.coverage = a.points > 0 ? (double)within / a.points : NAN;
  a.whole = summarise(loop, true, errors, &a.whole_median, &a.whole_ninetieth);
  free(errors);
  *accuracy = a;
  return ROOF_OK;
}

char *roof_loop_accuracy_sentence(const roof_loop_accuracy *a, char *buffer, size_t size) {
  buffer[0] = '\0';
  if (a->points > 0) {
    rf_format(buffer, size, "off by %.3g %%, 90th percentile %.3g %%; %d of %d inside", 100 * a->median,
              100 * a->ninetieth, (int)lround(a->coverage * a->points), a->points);
  }
  return buffer;
}

char *roof_loop_sharing_sentence(const roof_loop_accuracy *a, char *buffer, size_t size) {
  buffer[0] = '\0';
  if (a->whole == a->looked) {
    return buffer;
  }
  int used =
      rf_format(buffer, size, "%d of %d shared a core with something", a->looked - a->whole, a->looked);
  if (a->whole > 0) {
    rf_format(buffer + used, size - (size_t)used, "; the other %d off by %.3g %%, 90th percentile %.3g %%",
              a->whole, 100 * a->whole_median, 100 * a->whole_ninetieth);
  }
  return buffer;
}

char *roof_loop_place(const roof_loop *loop, const roof_loop_kernel *k, char *buffer, size_t size) {
  const roof_level *level = loop->target.level[k->level];
  int cores = (int)loop->machine->unit_count;
  bool alone = k->cores == ROOF_LOOP_ALONE || cores == 1;
  snprintf(buffer, size, "%s, %d core%s", level != NULL ? level->name : "memory", alone ? 1 : cores,
           alone ? "" : "s");
  return buffer;
}
