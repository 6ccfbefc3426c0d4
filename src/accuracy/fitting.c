#include "accuracy/fitting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/scaling.h"
#include "core/stats.h"
#include "roofline/time.h"

/** Timings of one group as they are checked together: on one machine, in one format, run by one program. */
typedef struct group {
  const rf_prepared *at;
  const char *how;
  size_t count;
  double floor;  /**< s: the 5th percentile */
  double spread; /**< the 25th percentile over that */
} group;

enum { GROUPS = 512, LEAST_OF_FLOOR = 40 };

/** The lower bound itself may be off. */
static const double most_too_fast = 1 / 0.98;

/** A floor that is this often that of another program's timings is a host's, and covers as many times itself. */
static const double host_floor = 5, host_floor_spread = 1.6, host_floor_covers = 3;

static bool same_group(const group *g, const rf_case *c) {
  return g->at == c->at && strcmp(g->how, c->record->ran->how) == 0;
}

static void measure_floor(rf_fitting *f, group *g) {
  size_t count = 0;
  for (size_t i = 0; i < f->chosen_count; i++) {
    if (same_group(g, &f->chosen[i])) {
      f->room[count++] = f->chosen[i].seconds;
    }
  }
  rf_stats_sort(f->room, count);
  g->count = count;
  g->floor = roof_stats_quantile(f->room, count, 0.05);
  g->spread = roof_stats_quantile(f->room, count, 0.25) / g->floor;
}

static size_t find_groups(rf_fitting *f, group *groups) {
  size_t count = 0;
  for (size_t i = 0; i < f->chosen_count; i++) {
    size_t g = 0;
    while (g < count && !same_group(&groups[g], &f->chosen[i])) {
      g++;
    }
    if (g == count && count < GROUPS) {
      groups[count++] = (group){.at = f->chosen[i].at, .how = f->chosen[i].record->ran->how};
      measure_floor(f, &groups[g]);
    }
  }
  return count;
}

/** The least floor among the groups that are large enough. */
static double least_floor(const group *groups, size_t count) {
  double least = INFINITY;
  for (size_t i = 0; i < count; i++) {
    least = groups[i].count >= LEAST_OF_FLOOR ? fmin(least, groups[i].floor) : least;
  }
  return least;
}

static const group *group_of(const group *groups, size_t count, const rf_case *c) {
  for (size_t i = 0; i < count; i++) {
    if (same_group(&groups[i], c)) {
      return &groups[i];
    }
  }
  return NULL;
}

/** How many times less than its lower bound a timing is. */
static double times_too_fast(const rf_case *c) {
  roof_prediction p;
  rf_case_predict(c, &c->at->target, &p);
  return p.lower_seconds / c->seconds;
}

/** Why a timing cannot be of the kernel alone; "" where it can. */
static void doubt(const rf_case *c, const group *g, double least, double too_fast, char why[512]) {
  const char *name = c->at->device->machine->name, *how = c->record->ran->how;
  why[0] = '\0';
  if (too_fast > most_too_fast) {
    snprintf(why, 512, "%s, %s, %s: faster than the lower bound", name, c->at->format, how);
  } else if (g != NULL && g->count >= LEAST_OF_FLOOR && g->floor > host_floor * least &&
             g->spread < host_floor_spread && c->seconds < host_floor_covers * g->floor) {
    snprintf(why, 512, "%s, %s, %s: a host's floor of %.0f us, not the kernel", name, c->at->format, how,
             1e6 * g->floor);
  }
}

roof_status rf_fitting_drop_doubtful(rf_fitting *f) {
  group *groups = malloc(GROUPS * sizeof *groups);
  roof_status status = groups != NULL ? ROOF_OK : rf_accuracy_no_memory(f->error);
  size_t count = groups != NULL ? find_groups(f, groups) : 0, kept = 0;
  f->too_fast = 0;
  double least = groups != NULL ? least_floor(groups, count) : 0;
  for (size_t i = 0; i < f->chosen_count && status == ROOF_OK; i++) {
    char why[512];
    double too_fast = times_too_fast(&f->chosen[i]);
    doubt(&f->chosen[i], group_of(groups, count, &f->chosen[i]), least, too_fast, why);
    if (too_fast > most_too_fast) {
      f->room[f->too_fast++] = too_fast;
    }
    if (why[0] == '\0') {
      f->chosen[kept++] = f->chosen[i];
    } else {
      status = rf_gaps_add(&f->cases.gaps, why, 1, f->error);
    }
  }
  f->chosen_count = kept;
  rf_stats_sort(f->room, f->too_fast);
  f->too_fast_times = f->too_fast > 0 ? roof_stats_quantile(f->room, f->too_fast, 0.5) : NAN;
  free(groups);
  return status;
}

/* One kind and format */

/** The errors of some timings, after those judged already. */
static void judge(const rf_fitting *f, const rf_case *all, size_t count, roof_accuracy_line *line) {
  rf_judged *judged = &f->judged[f->judged_count];
  for (size_t i = 0; i < count; i++) {
    roof_prediction p;
    rf_case_predict(&all[i], &all[i].at->target, &p);
    judged[i] = rf_case_judge(&all[i], &p);
  }
  rf_accuracy_line(judged, count, "", f->room, line);
}

void rf_fitting_judge(rf_fitting *f, const rf_case *all, size_t count) {
  roof_accuracy_line line;
  if (count > 0) {
    judge(f, all, count, &line);
    f->judged_count += count;
  }
}

static double clamp(double value, double low, double high) {
  return fmin(fmax(value, low), high);
}

/** The interval that eight in ten of sorted ratios are in. */
static void set_interval(const double *ratios, size_t count, double *values) {
  const roof_constant_row *low = roof_constant_row_of(ROOF_TIME_LOW),
                          *high = roof_constant_row_of(ROOF_TIME_HIGH);
  values[ROOF_TIME_LOW] = clamp(roof_stats_quantile(ratios, count, 0.1), low->least, low->most);
  values[ROOF_TIME_HIGH] = clamp(roof_stats_quantile(ratios, count, 0.9), high->least, high->most);
}

/** Measured over expected of some timings, sorted; until the next call. */
static const double *measure_ratios(rf_fitting *f, const rf_case *all, size_t count) {
  for (size_t i = 0; i < count; i++) {
    roof_prediction p;
    rf_case_predict(&all[i], &all[i].at->target, &p);
    f->room[i] = all[i].seconds / p.expected_seconds;
  }
  rf_stats_sort(f->room, count);
  return f->room;
}

const char *rf_framework_in_place(const rf_prepared *p, roof_kernel_kind kernel) {
  const roof_constants *c =
      roof_constants_find(p->device->machine, kernel, &p->types, p->target.options.framework);
  return c != NULL ? c->framework : "";
}

static bool is_of_framework(const rf_fitting *f, const roof_constants *c, const rf_prepared *p) {
  return f->in_place ? strcmp(rf_framework_in_place(p, c->kernel), c->framework) == 0
                     : c->framework[0] == '\0' || strcmp(p->framework, c->framework) == 0;
}

/** Whether predictions in some formats of a framework are by these constants. */
static bool are_for(const rf_fitting *f, const roof_constants *c, const rf_prepared *p) {
  return p->types.compute == c->dtype && roof_types_in_blocks(&p->types) == c->blocks &&
         roof_types_narrow(&p->types, c->kernel) == c->narrow && is_of_framework(f, c, p);
}

/** The machine that constants were fitted on. */
static const roof_machine *machine_of(const rf_fitting *f, const roof_constants *c) {
  const rf_accuracy_device *device = f->cases.devices;
  while (device->machine == NULL || strcmp(device->machine->name, c->machine) != 0) {
    device++;
  }
  return device->machine;
}

static bool has_machine(const rf_case *all, size_t count, const roof_machine *machine) {
  bool found = false;
  for (size_t i = 0; i < count && !found; i++) {
    found = all[i].at->device->machine == machine;
  }
  return found;
}

/** Has the targets of these formats, and of the framework where they are one's, use the constants of `count` timings, whose
 * interval is of other machines already where it is `apart`. */
static void use(rf_fitting *f, const rf_case *all, size_t count, const roof_constants *c, bool apart) {
  const roof_machine *own = machine_of(f, c);
  for (size_t i = 0; i < f->cases.prepared_count; i++) {
    rf_prepared *p = &f->cases.prepared[i];
    roof_form *form = &p->target.forms[c->kernel];
    if (!are_for(f, c, p)) {
      continue;
    }
    for (int v = 0; v < ROOF_CONSTANT_COUNT; v++) {
      form->values[v] = isnan(c->values[v]) ? roof_constant_row_of((roof_constant)v)->neutral : c->values[v];
    }
    bool wide = apart || has_machine(all, count, p->device->machine);
    rf_scaling scaling = rf_scaling_of(c, own, p->device->machine, wide);
    rf_scaling_apply(&scaling, form->values, form->values);
    form->known = true;
  }
}

/** The names of the machines of some timings. */
static void name_machines(const rf_fitting *f, const rf_case *all, size_t count, char *names, size_t size) {
  names[0] = '\0';
  for (size_t i = 0; i < f->cases.device_count; i++) {
    const rf_accuracy_device *device = &f->cases.devices[i];
    bool used = false;
    for (size_t c = 0; c < count && !used; c++) {
      used = all[c].at->device == device;
    }
    size_t length = strlen(names);
    if (used && strstr(names, device->machine->name) == NULL) {
      snprintf(names + length, size - length, "%s%s", length > 0 ? ", " : "", device->machine->name);
    }
  }
}

static void name_source(const rf_fitting *f, const rf_case *all, size_t count, roof_fit *fit) {
  char machines[256], date[ROOF_TIME_MAX];
  name_machines(f, all, count, machines, sizeof machines);
  snprintf(fit->constants.source, sizeof fit->constants.source,
           "fitted by `roofline calibrate` on %.200s, %s, %zu timings", f->source, machines, count);
  snprintf(fit->constants.date, sizeof fit->constants.date, "%.10s", roof_time_write(roof_time_now(), date));
}

/** `near`: as rf_sample_fit takes it. */
static roof_status fit_all(rf_fitting *f, const rf_case *all, size_t count, const double *near,
                           roof_fit *fit) {
  const roof_machine *own = all[0].at->device->machine;
  roof_status status = rf_sample_fit(own, all, count, near, fit, f->error);
  if (status == ROOF_OK) {
    memcpy(fit->constants.machine, own->name, sizeof fit->constants.machine);
    use(f, all, count, &fit->constants, true);
  }
  return status;
}

/* Families */

enum { OF_A_FAMILY = 200 /* ratios, as many of each */ };

/** Numbers to take quantiles of. */
typedef struct ratios {
  double *list;
  size_t count;
} ratios;

bool rf_same_family(const roof_machine *a, const roof_machine *b) {
  return strcmp(a->name, b->name) == 0 || (a->family[0] != '\0' && strcmp(a->family, b->family) == 0);
}

size_t rf_move_last(rf_case *all, size_t count, bool (*is)(const roof_machine *, const roof_machine *),
                    const roof_machine *machine) {
  size_t first = count;
  for (size_t i = 0; i < first;) {
    if (is(all[i].at->device->machine, machine)) {
      rf_case last = all[i];
      all[i] = all[--first];
      all[first] = last;
    } else {
      i++;
    }
  }
  return count - first;
}

/** A machine of each family. */
static size_t find_families(const rf_case *all, size_t count, const roof_machine *of[RF_DEVICES]) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    const roof_machine *machine = all[i].at->device->machine;
    size_t k = 0;
    while (k < found && !rf_same_family(of[k], machine)) {
      k++;
    }
    if (k == found) {
      of[found++] = machine;
    }
  }
  return found;
}

/** How much further than among so few families, from 2, one that nobody timed may be: the 90th percentile of Student's t over that
 * of the normal distribution. */
static double further(size_t families) {
  static const double t[] = {2.40, 1.47, 1.28, 1.20, 1.15, 1.12, 1.10};
  size_t known = sizeof t / sizeof t[0];
  return families - 2 < known ? t[families - 2] : 1;
}

/** Adds measured over expected of a family's timings, which are the last, by constants of the others; the family's own median
 * `by` times as far. */
static roof_status add_ratios(rf_fitting *f, rf_case *all, size_t count, size_t judged, roof_fit fit,
                              double by, ratios *wide) {
  if (judged == 0 || count - judged < RF_LEAST_TO_FIT) {
    return ROOF_OK;
  }
  fit.spreads = false;
  roof_status status = fit_all(f, all, count - judged, NULL, &fit);
  if (status == ROOF_OK) {
    const double *own = measure_ratios(f, &all[count - judged], judged);
    double moved = pow(roof_stats_quantile(own, judged, 0.5), by - 1);
    for (int i = 0; i < OF_A_FAMILY; i++) {
      wide->list[wide->count++] = moved * roof_stats_quantile(own, judged, (i + 0.5) / OF_A_FAMILY);
    }
  }
  return status;
}

/** Measured over expected, sorted, as many of each family, by constants of the other families; none where there is one
 * family. Orders the timings anew; the list is freed by who asks for it, also on failure. */
static roof_status measure_families(rf_fitting *f, rf_case *all, size_t count, const roof_fit *fit,
                                    ratios *wide) {
  const roof_machine *of[RF_DEVICES];
  size_t families = find_families(all, count, of);
  *wide = (ratios){0};
  if (families < 2) {
    return ROOF_OK;
  }
  wide->list = malloc(families * OF_A_FAMILY * sizeof *wide->list);
  if (wide->list == NULL) {
    return rf_accuracy_no_memory(f->error);
  }
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < families && status == ROOF_OK; i++) {
    size_t judged = rf_move_last(all, count, rf_same_family, of[i]);
    status = add_ratios(f, all, count, judged, *fit, further(families), wide);
  }
  if (wide->count > 0) {
    rf_stats_sort(wide->list, wide->count);
  }
  return status;
}

/* Shapes */

enum { PARTS = 5, FEW_HELD = 1000 };

/** Measured over expected, sorted, of PARTS parts of the timings, each by constants of the rest, which are not far from those of `fit`:
 * one part of few timings says little of what others will do. Orders them anew, the part that is held out again the last; the list is
 * freed by who asks for it, also on failure. */
static roof_status measure_parts(rf_fitting *f, rf_case *all, size_t count, const roof_fit *fit,
                                 ratios *wide) {
  roof_status status = ROOF_OK;
  *wide = (ratios){.list = malloc(PARTS * count * sizeof *wide->list)};
  if (wide->list == NULL) {
    return rf_accuracy_no_memory(f->error);
  }
  for (unsigned part = PARTS; part > 0 && status == ROOF_OK; part--) {
    size_t held =
        rf_hold_out(all, count, RF_BY_SHAPE, part + 1); /* 0 is held out of this fit, 1 by a split */
    if (held == 0 || count - held < RF_LEAST_TO_FIT) {
      continue;
    }
    roof_fit other = {.constants = fit->constants};
    status = fit_all(f, all, count - held, fit->constants.values, &other);
    if (status == ROOF_OK) {
      memcpy(&wide->list[wide->count], measure_ratios(f, &all[count - held], held),
             held * sizeof *wide->list);
      wide->count += held;
    }
  }
  rf_hold_out(all, count, RF_BY_SHAPE, 0);
  rf_stats_sort(wide->list, wide->count);
  return status;
}

/** Constants of `count` timings, and their interval: that of families that nobody timed where these are of several, else
 * that of shapes: of the `held` timings after them, or where these are few of several parts. */
static roof_status fit_and_judge(rf_fitting *f, rf_case *all, size_t count, size_t held, roof_fit *fit) {
  const rf_case *rest = &all[count - (fit->apart ? 0 : held)];
  ratios wide;
  judge(f, rest, held, &fit->before);
  roof_status status = measure_families(f, all, count, fit, &wide);
  bool several = wide.count > 0;
  status = status == ROOF_OK ? fit_all(f, all, count, NULL, fit) : status;
  if (status == ROOF_OK && !several && fit->apart && held < FEW_HELD) {
    free(wide.list);
    status = measure_parts(f, all, count + held, fit, &wide);
  }
  if (status == ROOF_OK) {
    bool parts = wide.count > 0;
    const double *list = parts ? wide.list : measure_ratios(f, rest, held);
    set_interval(list, parts ? wide.count : held, fit->constants.values);
    use(f, all, count, &fit->constants, several);
    judge(f, rest, held, &fit->after);
  }
  free(wide.list);
  return status;
}

roof_status rf_fitting_fit(rf_fitting *f, rf_case *all, size_t count, roof_fit *fit, size_t *held) {
  size_t apart = rf_hold_out(all, count, RF_BY_SHAPE, 0);
  fit->apart = apart >= RF_LEAST_TO_FIT;
  *held = fit->apart ? apart : count;
  roof_status status = fit_and_judge(f, all, count - (fit->apart ? apart : 0), *held, fit);
  if (status == ROOF_OK) {
    name_source(f, all, count, fit);
  }
  return status;
}

/* All of it */

void rf_fitting_choose(rf_fitting *f, const roof_constants *of) {
  f->chosen_count = 0;
  for (size_t i = 0; i < f->cases.count; i++) {
    const rf_case *c = &f->cases.list[i];
    if (c->kernel == of->kernel && are_for(f, of, c->at)) {
      f->chosen[f->chosen_count++] = *c;
    }
  }
}

void rf_fitting_keep_forms(const rf_fitting *f, roof_kernel_kind kernel, roof_form forms[RF_PREPARED]) {
  for (size_t i = 0; i < f->cases.prepared_count; i++) {
    forms[i] = f->cases.prepared[i].target.forms[kernel];
  }
}

void rf_fitting_put_forms(rf_fitting *f, roof_kernel_kind kernel, const roof_form forms[RF_PREPARED]) {
  for (size_t i = 0; i < f->cases.prepared_count; i++) {
    f->cases.prepared[i].target.forms[kernel] = forms[i];
  }
}

roof_status rf_fitting_collect(rf_fitting *f, roof_accuracy *accuracy) {
  roof_status status = rf_accuracy_collect(f->judged, f->judged_count, accuracy, f->error);
  if (status == ROOF_OK) {
    accuracy->gaps = f->cases.gaps.list;
    accuracy->gap_count = f->cases.gaps.count;
    f->cases.gaps = (rf_gaps){0};
  }
  return status;
}

roof_status rf_fitting_init(rf_fitting *f, const roof_profile *profile, const roof_machine *machine,
                            const roof_options *options, roof_error *error) {
  *f = (rf_fitting){.source = "timings", .error = error};
  roof_status status = rf_cases_init(&f->cases, profile, machine, options, false, error);
  if (status != ROOF_OK) {
    return status;
  }
  f->judged = malloc((2 * f->cases.count + 1) * sizeof *f->judged); /* those judged, and those of a fit */
  f->chosen = malloc((f->cases.count + 1) * sizeof *f->chosen);
  f->room = malloc((f->cases.count + 1) * sizeof *f->room);
  return f->judged != NULL && f->chosen != NULL && f->room != NULL ? ROOF_OK : rf_accuracy_no_memory(error);
}

void rf_fitting_done(rf_fitting *f) {
  rf_cases_done(&f->cases);
  free(f->judged);
  free(f->chosen);
  free(f->room);
  *f = (rf_fitting){0};
}
