#include "roofline/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/catalog.h"

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

/** One timing judged. */
typedef struct judged {
  double error, bound_error;
  bool inside, below;
  const char *key[ROOF_ACCURACY_COUNT];
  const char *group; /**< the one of `key` that is being sorted by */
} judged;

/** A machine under the name of a device, NULL where the catalogue has none, and why. */
typedef struct device {
  const char *name;
  roof_machine *own; /**< loaded here */
  const roof_machine *machine;
  char why[512];
} device;

/** A device computing in some formats. */
typedef struct prepared {
  const device *device;
  roof_types types;
  roof_target target;
  char format[ROOF_NAME_MAX];
} prepared;

enum { DEVICES = 64, PREPARED = 256 };

typedef struct judging {
  const roof_machine *machine; /**< NULL: each timing's own */
  const roof_options *options;
  device devices[DEVICES];
  size_t device_count;
  prepared *prepared;
  size_t prepared_count;
  judged *all;
  size_t count;
  roof_accuracy *accuracy;
  roof_error *error;
} judging;

static roof_status no_memory(roof_error *error) {
  return roof_error_set(error, ROOF_E_MEMORY, "accuracy: out of memory");
}

static roof_status leave_out(judging *j, const char *why, size_t count) {
  roof_accuracy *a = j->accuracy;
  for (size_t i = 0; i < a->gap_count; i++) {
    if (strncmp(a->gaps[i].why, why, sizeof a->gaps[i].why - 1) == 0) {
      a->gaps[i].count += count;
      return ROOF_OK;
    }
  }
  roof_accuracy_gap *grown = realloc(a->gaps, (a->gap_count + 1) * sizeof *grown);
  if (grown == NULL) {
    return no_memory(j->error);
  }
  a->gaps = grown;
  a->gaps[a->gap_count].count = count;
  snprintf(a->gaps[a->gap_count++].why, sizeof grown->why, "%s", why);
  return ROOF_OK;
}

/** NULL: too many of them. */
static device *device_of(judging *j, const char *name) {
  for (size_t i = 0; i < j->device_count; i++) {
    if (strcmp(j->devices[i].name, name) == 0) {
      return &j->devices[i];
    }
  }
  if (j->device_count == DEVICES) {
    return NULL;
  }
  device *d = &j->devices[j->device_count++];
  roof_error why = {0};
  d->name = name;
  d->machine = j->machine;
  if (d->machine == NULL && roof_catalog_load(name, &d->own, &why) == ROOF_OK) {
    d->machine = d->own;
  }
  snprintf(d->why, sizeof d->why, "%s", why.message);
  return d;
}

/** "bf16", "bf16 x int4, 128 per scale", "bf16, cache fp8". */
static void name_format(const roof_types *t, char format[ROOF_NAME_MAX]) {
  char weights[16] = "", scales[32] = "", cache[24] = "";
  if (t->weights != t->compute) {
    snprintf(weights, sizeof weights, " x %s", roof_dtype_name(t->weights));
  }
  if (t->group > 0) {
    snprintf(scales, sizeof scales, ", %.0f per scale", t->group);
  }
  if (t->kv != t->compute) {
    snprintf(cache, sizeof cache, ", cache %s", roof_dtype_name(t->kv));
  }
  snprintf(format, ROOF_NAME_MAX, "%s%s%s%s", roof_dtype_name(t->compute), weights, scales, cache);
}

static bool same_types(const roof_types *a, const roof_types *b) {
  return a->compute == b->compute && a->weights == b->weights && a->output == b->output && a->kv == b->kv &&
         a->scale == b->scale && a->group == b->group;
}

/** NULL: with the reason in *why. */
static const prepared *prepare(judging *j, const device *d, const roof_types *types, roof_error *why) {
  for (size_t i = 0; i < j->prepared_count; i++) {
    if (j->prepared[i].device == d && same_types(&j->prepared[i].types, types)) {
      return &j->prepared[i];
    }
  }
  if (j->prepared_count == PREPARED) {
    roof_error_set(why, ROOF_E_ARGUMENT, "more than %d devices and formats", PREPARED);
    return NULL;
  }
  prepared *p = &j->prepared[j->prepared_count];
  p->device = d;
  p->types = *types;
  name_format(types, p->format);
  if (roof_target_init(&p->target, d->machine, types, j->options, why) != ROOF_OK) {
    return NULL;
  }
  j->prepared_count++;
  return p;
}

static void judge(judging *j, const prepared *at, const roof_record *record, const roof_prediction *p) {
  double seconds = roof_record_seconds(record) / (double)record->calls;
  j->all[j->count++] =
      (judged){.error = p->expected_seconds / seconds - 1,
               .bound_error = fabs(p->lower_seconds / seconds - 1),
               .inside = seconds >= p->expected_low_seconds && seconds <= p->expected_high_seconds,
               .below = seconds < 0.98 * p->lower_seconds,
               .key = {[ROOF_ACCURACY_DEVICE] = at->device->machine->name,
                       [ROOF_ACCURACY_OPERATION] = record->ran->op->name,
                       [ROOF_ACCURACY_FORMAT] = at->format,
                       [ROOF_ACCURACY_DURATION] = duration_of(seconds),
                       [ROOF_ACCURACY_HOW] = record->ran->how}};
}

static roof_status take(judging *j, const roof_record *record) {
  const roof_ran *ran = record->ran;
  if (ran == NULL || !record->timed || record->picoseconds == 0) {
    return leave_out(j, "the file gives no shape or no time of it", 1);
  }
  const device *d = device_of(j, ran->device);
  if (d == NULL || d->machine == NULL) {
    return leave_out(j, d != NULL ? d->why : "too many devices", 1);
  }
  roof_error why = {0};
  const prepared *at = prepare(j, d, &ran->types, &why);
  if (at == NULL) {
    return leave_out(j, why.message, 1);
  }
  roof_prediction p;
  roof_predict(&at->target, ran->op, ran->values, &p);
  if (p.work.flops > 0 && roof_target_supports(&at->target, p.work.unit, &why) != ROOF_OK) {
    return leave_out(j, why.message, 1);
  }
  if (!(p.expected_seconds > 0) || isnan(p.network_seconds)) {
    return leave_out(j, "its machine has no figure that bounds it", 1);
  }
  judge(j, at, record, &p);
  return ROOF_OK;
}

/* Errors taken together */

static int by_number(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static double quantile(double *values, size_t count, double fraction) {
  qsort(values, count, sizeof *values, by_number);
  return roof_stats_quantile(values, count, fraction);
}

/** The errors of `all`; `room` holds as many numbers. */
static void summarise(const judged *all, size_t count, const char *name, double *room,
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
  line->bias = quantile(room, count, 0.5);
  for (size_t i = 0; i < count; i++) {
    room[i] = fabs(all[i].error);
  }
  line->median = quantile(room, count, 0.5);
  line->p90 = quantile(room, count, 0.9);
  for (size_t i = 0; i < count; i++) {
    room[i] = all[i].bound_error;
  }
  line->bound_median = quantile(room, count, 0.5);
  line->mean = sum / (double)count;
  line->inside = (double)inside / (double)count;
  line->below = (double)below / (double)count;
}

static int by_group(const void *a, const void *b) {
  const judged *x = a, *y = b;
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

/** Sorts the timings by what they are taken together by, and adds up each group. */
static roof_status group(judging *j, roof_accuracy_by by, double *room) {
  roof_accuracy *a = j->accuracy;
  size_t groups = 1;
  for (size_t i = 0; i < j->count; i++) {
    j->all[i].group = j->all[i].key[by];
  }
  qsort(j->all, j->count, sizeof *j->all, by_group);
  for (size_t i = 1; i < j->count; i++) {
    groups += by_group(&j->all[i - 1], &j->all[i]) != 0;
  }
  a->lines[by] = calloc(groups, sizeof *a->lines[by]);
  if (a->lines[by] == NULL) {
    return no_memory(j->error);
  }
  for (size_t i = 0, end; i < j->count; i = end) {
    end = i + 1;
    while (end < j->count && by_group(&j->all[i], &j->all[end]) == 0) {
      end++;
    }
    summarise(&j->all[i], end - i, j->all[i].group, room, &a->lines[by][a->line_count[by]++]);
  }
  qsort(a->lines[by], groups, sizeof *a->lines[by], by == ROOF_ACCURACY_DURATION ? by_duration : by_count);
  return ROOF_OK;
}

static roof_status collect(judging *j) {
  double *room = malloc(j->count * sizeof *room);
  roof_status status = room != NULL ? ROOF_OK : no_memory(j->error);
  if (status == ROOF_OK) {
    summarise(j->all, j->count, "all", room, &j->accuracy->all);
  }
  for (int by = 0; by < ROOF_ACCURACY_COUNT && status == ROOF_OK; by++) {
    status = group(j, (roof_accuracy_by)by, room);
  }
  free(room);
  return status;
}

static roof_status judge_all(judging *j, const roof_profile *profile) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < profile->skip_count && status == ROOF_OK; i++) {
    char why[512];
    snprintf(why, sizeof why, "%.200s: %.300s", profile->skips[i].what, profile->skips[i].why);
    status = leave_out(j, why, (size_t)profile->skips[i].times);
  }
  for (size_t i = 0; i < profile->count && status == ROOF_OK; i++) {
    status = take(j, &profile->records[i]);
  }
  if (status == ROOF_OK && j->count == 0) {
    status = roof_error_set(j->error, ROOF_E_ARGUMENT, "no timing can be judged: %s",
                            j->accuracy->gap_count > 0 ? j->accuracy->gaps[0].why : "there is none");
  }
  return status == ROOF_OK ? collect(j) : status;
}

roof_status roof_accuracy_of(const roof_profile *profile, const roof_machine *machine,
                             const roof_options *options, roof_accuracy *accuracy, roof_error *error) {
  roof_accuracy made = {0};
  judging *j = calloc(1, sizeof *j);
  judged *all = malloc((profile->count + 1) * sizeof *all);
  prepared *targets = malloc(PREPARED * sizeof *targets);
  roof_status status = ROOF_OK;
  if (j == NULL || all == NULL || targets == NULL) {
    status = no_memory(error);
  } else {
    *j = (judging){.machine = machine,
                   .options = options,
                   .prepared = targets,
                   .all = all,
                   .accuracy = &made,
                   .error = error};
    status = judge_all(j, profile);
  }
  for (size_t i = 0; j != NULL && i < j->device_count; i++) {
    roof_machine_free(j->devices[i].own);
  }
  free(j);
  free(all);
  free(targets);
  if (status == ROOF_OK) {
    *accuracy = made;
  } else {
    roof_accuracy_done(&made);
  }
  return status;
}

void roof_accuracy_done(roof_accuracy *accuracy) {
  for (int by = 0; by < ROOF_ACCURACY_COUNT; by++) {
    free(accuracy->lines[by]);
  }
  free(accuracy->gaps);
  *accuracy = (roof_accuracy){0};
}
