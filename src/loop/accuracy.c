/* How far the sealed expectations were off. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/number.h"
#include "loop/loop.h"

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool is_inside(const roof_loop_kernel *k) {
  return k->measured_seconds >= k->prediction.expected_low_seconds &&
         k->measured_seconds <= k->prediction.expected_high_seconds;
}

double rf_loop_error(const roof_loop_kernel *k) {
  return fabs(k->prediction.expected_seconds / k->measured_seconds - 1);
}

roof_status roof_loop_accuracy_of(const roof_loop *loop, roof_loop_accuracy *accuracy, roof_error *error) {
  roof_loop_accuracy a = {.median = NAN, .ninetieth = NAN, .coverage = NAN};
  double *errors = calloc((size_t)loop->count + 1, sizeof *errors);
  bool held[ROOF_LEVEL_KIND_COUNT] = {false};
  int within = 0;
  if (errors == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "loop: out of memory");
  }
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    if (k->skipped[0] == '\0' && k->measured_seconds > 0) {
      errors[a.points++] = rf_loop_error(k);
      within += is_inside(k);
      held[k->level] = true;
      a.alone = a.alone || (!k->shown && k->cores == ROOF_LOOP_ALONE);
    }
  }
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    a.levels += held[i];
  }
  if (a.points > 0) {
    qsort(errors, (size_t)a.points, sizeof *errors, compare);
    a.median = (errors[(a.points - 1) / 2] + errors[a.points / 2]) / 2;
    a.ninetieth = errors[(a.points * 9 + 9) / 10 - 1];
    a.coverage = (double)within / a.points;
  }
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

char *roof_loop_place(const roof_loop *loop, const roof_loop_kernel *k, char *buffer, size_t size) {
  const roof_level *level = loop->target.level[k->level];
  int cores = (int)loop->machine->unit_count;
  bool alone = k->cores == ROOF_LOOP_ALONE || cores == 1;
  snprintf(buffer, size, "%s, %d core%s", level != NULL ? level->name : "memory", alone ? 1 : cores,
           alone ? "" : "s");
  return buffer;
}
