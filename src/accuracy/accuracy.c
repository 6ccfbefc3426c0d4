#include "roofline/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy/cases.h"
#include "core/stats.h"

static const struct {
  const char *key, *title;
} groupings[] = {
#define ROW(symbol, key, title) {key, title},
    ROOF_ACCURACY_MAP(ROW)
#undef ROW
};

const char *roof_accuracy_key(roof_accuracy_by by) {
  return (unsigned)by < ROOF_ACCURACY_COUNT ? groupings[by].key : "?";
}

const char *roof_accuracy_title(roof_accuracy_by by) {
  return (unsigned)by < ROOF_ACCURACY_COUNT ? groupings[by].title : "?";
}

/** Durations as people compare them; what is under a limit belongs to its row. */
static const struct {
  double limit; /**< s */
  const char *name;
} durations[] = {{10e-6, "under 10 us"}, {30e-6, "10 to 30 us"}, {100e-6, "30 to 100 us"},
                 {1e-3, "0.1 to 1 ms"},  {10e-3, "1 to 10 ms"},  {INFINITY, "10 ms and more"}};

static const char *duration_of(double seconds) {
  int i = 0;
  while (seconds >= durations[i].limit) {
    i++;
  }
  return durations[i].name;
}

rf_judged rf_case_judge(const rf_case *c, const roof_prediction *p) {
  double seconds = c->seconds;
  return (rf_judged){.error = p->expected_seconds / seconds - 1,
                     .point = {roof_kernel_kind_name(c->kernel), p->expected_seconds, seconds},
                     .bound_error = fabs(p->lower_seconds / seconds - 1),
                     .inside = seconds >= p->expected_low_seconds && seconds <= p->expected_high_seconds,
                     .below = seconds < 0.98 * p->lower_seconds,
                     .key = {[ROOF_ACCURACY_DEVICE] = c->at->device->machine->name,
                             [ROOF_ACCURACY_KERNEL] = roof_kernel_kind_name(c->kernel),
                             [ROOF_ACCURACY_OPERATION] = c->record->ran->op->name,
                             [ROOF_ACCURACY_FORMAT] = c->at->format,
                             [ROOF_ACCURACY_DURATION] = duration_of(seconds),
                             [ROOF_ACCURACY_HOW] = c->record->ran->how}};
}

rf_judged rf_run_judge(const rf_run_case *c) {
  double seconds = c->seconds;
  const char *figure = roof_served_figure_name(c->figure);
  rf_judged judged = {.error = c->expected / seconds - 1,
                      .point = {figure, c->expected, seconds},
                      .bound_error = fabs(c->lower / seconds - 1),
                      .inside = seconds >= c->low && seconds <= c->high,
                      .below = seconds < 0.98 * c->lower};
  for (int i = 0; i < ROOF_ACCURACY_COUNT; i++) {
    judged.key[i] = c->key[i][0] != '\0' ? c->key[i] : NULL;
  }
  judged.key[ROOF_ACCURACY_OPERATION] = figure;
  judged.key[ROOF_ACCURACY_DURATION] = duration_of(seconds);
  return judged;
}

/* Errors taken together */

void rf_accuracy_line(const rf_judged *all, size_t count, const char *name, double *room,
                      roof_accuracy_line *line) {
  size_t inside = 0, below = 0;
  double sum = 0;
  *line = (roof_accuracy_line){.count = count};
  snprintf(line->name, sizeof line->name, "%s", name);
  for (size_t i = 0; i < count; i++) {
    inside += all[i].inside;
    below += all[i].below;
    sum += fabs(all[i].error);
    room[i] = all[i].error;
  }
  line->bias = rf_stats_quantile(room, count, 0.5);
  for (size_t i = 0; i < count; i++) {
    room[i] = fabs(all[i].error);
  }
  line->median = rf_stats_quantile(room, count, 0.5);
  line->p90 = rf_stats_quantile(room, count, 0.9);
  for (size_t i = 0; i < count; i++) {
    room[i] = all[i].bound_error;
  }
  line->bound_median = rf_stats_quantile(room, count, 0.5);
  line->mean = sum / (double)count;
  line->inside = (double)inside / (double)count;
  line->below = (double)below / (double)count;
}

static int by_group(const void *a, const void *b) {
  const rf_judged *x = a, *y = b;
  return strcmp(x->group, y->group);
}

static int by_count(const void *a, const void *b) {
  const roof_accuracy_line *x = a, *y = b;
  return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->name, y->name);
}

static int rank(const char *name) {
  int i = 0;
  while (strcmp(durations[i].name, name) != 0) {
    i++;
  }
  return i;
}

static int by_duration(const void *a, const void *b) {
  const roof_accuracy_line *x = a, *y = b;
  return rank(x->name) - rank(y->name);
}

/** Moves the timings that have a key to the front, and says how many. */
static size_t with_key(rf_judged *all, size_t count, roof_accuracy_by by) {
  size_t with = 0;
  for (size_t i = 0; i < count; i++) {
    all[i].group = all[i].key[by];
    if (all[i].group != NULL) {
      rf_judged one = all[i];
      all[i] = all[with];
      all[with++] = one;
    }
  }
  return with;
}

/** Sorts the timings by what they are taken together by, and adds up each group. */
static roof_status group(rf_judged *all, size_t count, roof_accuracy *a, roof_accuracy_by by, double *room,
                         roof_error *error) {
  size_t groups = 1;
  count = with_key(all, count, by);
  qsort(all, count, sizeof *all, by_group);
  for (size_t i = 1; i < count; i++) {
    groups += by_group(&all[i - 1], &all[i]) != 0;
  }
  a->lines[by] = calloc(groups, sizeof *a->lines[by]);
  if (a->lines[by] == NULL) {
    return rf_accuracy_no_memory(error);
  }
  for (size_t i = 0, end; i < count; i = end) {
    end = i + 1;
    while (end < count && by_group(&all[i], &all[end]) == 0) {
      end++;
    }
    rf_accuracy_line(&all[i], end - i, all[i].group, room, &a->lines[by][a->line_count[by]++]);
  }
  qsort(a->lines[by], groups, sizeof *a->lines[by], by == ROOF_ACCURACY_DURATION ? by_duration : by_count);
  return ROOF_OK;
}

roof_status rf_accuracy_collect(rf_judged *all, size_t count, roof_accuracy *accuracy, roof_error *error) {
  double *room = malloc(count * sizeof *room);
  accuracy->points = malloc(count * sizeof *accuracy->points);
  roof_status status = room != NULL && accuracy->points != NULL ? ROOF_OK : rf_accuracy_no_memory(error);
  for (size_t i = 0; i < count && accuracy->points != NULL; i++) {
    accuracy->points[i] = all[i].point;
  }
  if (status == ROOF_OK) {
    rf_accuracy_line(all, count, "all", room, &accuracy->all);
  }
  for (int by = 0; by < ROOF_ACCURACY_COUNT && status == ROOF_OK; by++) {
    status = group(all, count, accuracy, (roof_accuracy_by)by, room, error);
  }
  free(room);
  return status;
}

static roof_status judge_all(const rf_cases *cases, rf_judged *all, roof_accuracy *accuracy,
                             roof_error *error) {
  for (size_t i = 0; i < cases->count; i++) {
    roof_prediction p;
    rf_case_predict(&cases->list[i], &cases->list[i].at->target, &p);
    all[i] = rf_case_judge(&cases->list[i], &p);
  }
  for (size_t i = 0; i < cases->run_count; i++) {
    all[cases->count + i] = rf_run_judge(&cases->runs[i]);
  }
  return rf_accuracy_collect(all, cases->count + cases->run_count, accuracy, error);
}

static roof_status accuracy_of(const roof_profile *profile, const roof_machine *machine,
                               const roof_options *options, bool simulated, roof_accuracy *accuracy,
                               roof_error *error) {
  roof_accuracy made = {0};
  rf_cases cases;
  roof_status status = rf_cases_init(&cases, profile, machine, options, simulated, error);
  rf_judged *all = status == ROOF_OK ? malloc((cases.count + cases.run_count) * sizeof *all) : NULL;
  if (status == ROOF_OK) {
    status = all != NULL ? judge_all(&cases, all, &made, error) : rf_accuracy_no_memory(error);
  }
  free(all);
  if (status == ROOF_OK) {
    made.gaps = cases.gaps.list;
    made.gap_count = cases.gaps.count;
    cases.gaps = (rf_gaps){0};
    *accuracy = made;
  } else {
    roof_accuracy_done(&made);
  }
  rf_cases_done(&cases);
  return status;
}

roof_status roof_accuracy_of(const roof_profile *profile, const roof_machine *machine,
                             const roof_options *options, roof_accuracy *accuracy, roof_error *error) {
  return accuracy_of(profile, machine, options, false, accuracy, error);
}

roof_status roof_accuracy_simulated(const roof_profile *profile, const roof_machine *machine,
                                    const roof_options *options, roof_accuracy *accuracy, roof_error *error) {
  return accuracy_of(profile, machine, options, true, accuracy, error);
}

void roof_accuracy_done(roof_accuracy *accuracy) {
  for (int by = 0; by < ROOF_ACCURACY_COUNT; by++) {
    free(accuracy->lines[by]);
  }
  free(accuracy->points);
  free(accuracy->gaps);
  *accuracy = (roof_accuracy){0};
}
