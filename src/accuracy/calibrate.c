/* Which timings are fitted, kind of kernel by kind and format by format; sample.c fits one of them. */
#include "roofline/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy/sample.h"
#include "roofline/time.h"

/** Timings of one group as they are checked together: on one machine, in one format, run by one program. */
typedef struct group {
  const rf_prepared *at;
  const char *how;
  size_t count;
  double floor;  /**< s: the 5th percentile */
  double spread; /**< the 25th percentile over that */
} group;

enum { GROUPS = 512, LEAST_TO_FIT = 20, LEAST_OF_FLOOR = 40 };

/** A floor that is this often that of another program's timings is a host's, and covers as many times itself. */
static const double host_floor = 5, host_floor_spread = 1.6, host_floor_covers = 3;

typedef struct calibrating {
  const roof_calibrate_options *how;
  const char *framework; /**< whose timings alone; NULL: all */
  rf_cases cases;
  rf_judged *judged; /**< timings that were not fitted */
  size_t judged_count;
  rf_case *chosen; /**< of one kind and format */
  size_t chosen_count;
  double *room;
  roof_calibration made;
  roof_error *error;
} calibrating;

roof_calibrate_options roof_calibrate_options_default(void) {
  return (roof_calibrate_options){.kernel = -1, .dtype = -1};
}

static bool same_group(const group *g, const rf_case *c) {
  return g->at == c->at && strcmp(g->how, c->record->ran->how) == 0;
}

static int by_number(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void measure_floor(calibrating *k, group *g) {
  size_t count = 0;
  for (size_t i = 0; i < k->chosen_count; i++) {
    if (same_group(g, &k->chosen[i])) {
      k->room[count++] = k->chosen[i].seconds;
    }
  }
  qsort(k->room, count, sizeof *k->room, by_number);
  g->count = count;
  g->floor = roof_stats_quantile(k->room, count, 0.05);
  g->spread = roof_stats_quantile(k->room, count, 0.25) / g->floor;
}

static size_t find_groups(calibrating *k, group *groups) {
  size_t count = 0;
  for (size_t i = 0; i < k->chosen_count; i++) {
    size_t g = 0;
    while (g < count && !same_group(&groups[g], &k->chosen[i])) {
      g++;
    }
    if (g == count && count < GROUPS) {
      groups[count++] = (group){.at = k->chosen[i].at, .how = k->chosen[i].record->ran->how};
      measure_floor(k, &groups[g]);
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

/** Why a timing cannot be of the kernel alone; "" where it can. */
static void doubt(const rf_case *c, const group *g, double least, char why[512]) {
  roof_prediction p;
  rf_case_predict(c, &c->at->target, &p);
  const char *name = c->at->device->machine->name, *how = c->record->ran->how;
  why[0] = '\0';
  if (c->seconds < 0.98 * p.lower_seconds) {
    snprintf(why, 512, "%s, %s, %s: faster than the lower bound", name, c->at->format, how);
  } else if (g != NULL && g->count >= LEAST_OF_FLOOR && g->floor > host_floor * least &&
             g->spread < host_floor_spread && c->seconds < host_floor_covers * g->floor) {
    snprintf(why, 512, "%s, %s, %s: a host's floor of %.0f us, not the kernel", name, c->at->format, how,
             1e6 * g->floor);
  }
}

/** Drops the chosen timings that cannot be of the kernel alone. */
static roof_status drop_doubtful(calibrating *k) {
  group *groups = malloc(GROUPS * sizeof *groups);
  roof_status status = groups != NULL ? ROOF_OK : rf_accuracy_no_memory(k->error);
  size_t count = groups != NULL ? find_groups(k, groups) : 0, kept = 0;
  double least = groups != NULL ? least_floor(groups, count) : 0;
  for (size_t i = 0; i < k->chosen_count && status == ROOF_OK; i++) {
    char why[512];
    doubt(&k->chosen[i], group_of(groups, count, &k->chosen[i]), least, why);
    if (why[0] == '\0') {
      k->chosen[kept++] = k->chosen[i];
    } else {
      status = rf_gaps_add(&k->cases.gaps, why, 1, k->error);
    }
  }
  k->chosen_count = kept;
  free(groups);
  return status;
}

/* What may be fitted */

static bool of_family(const roof_machine *machine, const char *family) {
  return strcmp(machine->family, family) == 0 || strcmp(machine->device_class, family) == 0;
}

static roof_status check_families(const calibrating *k) {
  const roof_machine *first = k->cases.list[0].at->device->machine;
  for (size_t i = 1; i < k->cases.count && k->how->machine == NULL && k->how->family == NULL; i++) {
    const roof_machine *machine = k->cases.list[i].at->device->machine;
    if (strcmp(machine->name, first->name) != 0 &&
        (machine->family[0] == '\0' || strcmp(machine->family, first->family) != 0)) {
      return roof_error_set(k->error, ROOF_E_ARGUMENT,
                            "timings of %s and %s, which are not of one family: which one, or which machine?",
                            first->name, machine->name);
    }
  }
  return ROOF_OK;
}

static roof_status keep_family(calibrating *k) {
  roof_status status = ROOF_OK;
  size_t kept = 0;
  for (size_t i = 0; i < k->cases.count && status == ROOF_OK; i++) {
    const roof_machine *machine = k->cases.list[i].at->device->machine;
    char why[128];
    if (k->how->family == NULL || of_family(machine, k->how->family)) {
      k->cases.list[kept++] = k->cases.list[i];
      continue;
    }
    snprintf(why, sizeof why, "%.60s: not of the family %.40s", machine->name, k->how->family);
    status = rf_gaps_add(&k->cases.gaps, why, 1, k->error);
  }
  k->cases.count = kept;
  return status == ROOF_OK && kept == 0
             ? roof_error_set(k->error, ROOF_E_ARGUMENT, "no timing is of the family %s: %s", k->how->family,
                              k->cases.gaps.list[k->cases.gaps.count - 1].why)
             : status;
}

static void choose(calibrating *k, roof_kernel_kind kernel, roof_dtype dtype) {
  k->chosen_count = 0;
  for (size_t i = 0; i < k->cases.count; i++) {
    const rf_case *c = &k->cases.list[i];
    if (c->kernel == kernel && c->at->types.compute == dtype &&
        (k->framework == NULL || strcmp(c->at->framework, k->framework) == 0)) {
      k->chosen[k->chosen_count++] = *c;
    }
  }
}

/* One kind and format */

/** Judges the timings that were not fitted. */
static void judge(calibrating *k, const rf_case *all, size_t count, roof_accuracy_line *line) {
  rf_judged *judged = &k->judged[k->judged_count];
  for (size_t i = 0; i < count; i++) {
    roof_prediction p;
    rf_case_predict(&all[i], &all[i].at->target, &p);
    judged[i] = rf_case_judge(&all[i], &p);
  }
  rf_accuracy_line(judged, count, "", k->room, line);
}

static double clamp(double value, double low, double high) {
  return fmin(fmax(value, low), high);
}

/** The interval of the timings not fitted: measured over expected. */
static void set_interval(calibrating *k, const rf_case *all, size_t count, double *values) {
  for (size_t i = 0; i < count; i++) {
    roof_prediction p;
    rf_case_predict(&all[i], &all[i].at->target, &p);
    k->room[i] = all[i].seconds / p.expected_seconds;
  }
  qsort(k->room, count, sizeof *k->room, by_number);
  const roof_constant_row *low = roof_constant_row_of(ROOF_TIME_LOW),
                          *high = roof_constant_row_of(ROOF_TIME_HIGH);
  values[ROOF_TIME_LOW] = clamp(roof_stats_quantile(k->room, count, 0.1), low->least, low->most);
  values[ROOF_TIME_HIGH] = clamp(roof_stats_quantile(k->room, count, 0.9), high->least, high->most);
}

/** Has the targets of these formats use the constants. */
static void use(calibrating *k, const roof_constants *c) {
  for (size_t i = 0; i < k->cases.prepared_count; i++) {
    rf_prepared *p = &k->cases.prepared[i];
    roof_form *form = &p->target.forms[c->kernel];
    if (p->types.compute != c->dtype) {
      continue;
    }
    form->known = true;
    for (int v = 0; v < ROOF_CONSTANT_COUNT; v++) {
      form->values[v] = isnan(c->values[v]) ? roof_constant_row_of((roof_constant)v)->neutral : c->values[v];
    }
  }
}

static void name_source(const calibrating *k, roof_fit *fit) {
  char devices[256] = "", date[ROOF_TIME_MAX];
  for (size_t i = 0; i < k->cases.device_count; i++) {
    const roof_machine *machine = k->cases.devices[i].machine;
    bool used = false;
    for (size_t c = 0; c < k->chosen_count && !used; c++) {
      used = k->chosen[c].at->device == &k->cases.devices[i];
    }
    size_t length = strlen(devices);
    if (used && strstr(devices, machine->name) == NULL) {
      snprintf(devices + length, sizeof devices - length, "%s%s", length > 0 ? ", " : "", machine->name);
    }
  }
  snprintf(fit->constants.source, sizeof fit->constants.source,
           "fitted by `roofline calibrate` on %.200s, %s, %zu timings",
           k->how->source != NULL ? k->how->source : "timings", devices, k->chosen_count);
  snprintf(fit->constants.date, sizeof fit->constants.date, "%.10s", roof_time_write(roof_time_now(), date));
}

static roof_status fit_chosen(calibrating *k, roof_fit *fit) {
  size_t held = rf_hold_out(k->chosen, k->chosen_count);
  const rf_case *rest = &k->chosen[k->chosen_count - held];
  bool few = held < LEAST_TO_FIT;
  roof_status status = rf_sample_fit(k->chosen, k->chosen_count - (few ? 0 : held), fit, k->error);
  if (status != ROOF_OK) {
    return status;
  }
  rest = few ? k->chosen : rest;
  held = few ? k->chosen_count : held;
  fit->apart = !few;
  judge(k, rest, held, &fit->before);
  use(k, &fit->constants);
  set_interval(k, rest, held, fit->constants.values);
  use(k, &fit->constants);
  judge(k, rest, held, &fit->after);
  k->judged_count += held;
  name_source(k, fit);
  return ROOF_OK;
}

static roof_status fit_kind(calibrating *k, roof_kernel_kind kernel, roof_dtype dtype) {
  choose(k, kernel, dtype);
  if (k->chosen_count == 0) {
    return ROOF_OK;
  }
  char why[160];
  size_t all = k->chosen_count;
  if (!roof_kernel_uses(kernel, ROOF_LATENCY_SECONDS)) {
    snprintf(why, sizeof why, "%s: no form of their time is known", roof_kernel_kind_name(kernel));
    return rf_gaps_add(&k->cases.gaps, why, all, k->error);
  }
  roof_status status = drop_doubtful(k);
  if (status == ROOF_OK && k->chosen_count < LEAST_TO_FIT) {
    snprintf(why, sizeof why, "%s in %s: fewer than %d timings to fit", roof_kernel_kind_name(kernel),
             roof_dtype_name(dtype), LEAST_TO_FIT);
    return rf_gaps_add(&k->cases.gaps, why, k->chosen_count, k->error);
  }
  if (status == ROOF_OK) {
    roof_fit *fit = &k->made.fits[k->made.count];
    fit->constants = (roof_constants){.kernel = kernel, .dtype = dtype, .kind = ROOF_MEASURED};
    if (k->framework != NULL) {
      snprintf(fit->constants.framework, sizeof fit->constants.framework, "%s", k->framework);
    }
    status = fit_chosen(k, fit);
    k->made.count += status == ROOF_OK;
  }
  return status;
}

static roof_status fit_all(calibrating *k) {
  roof_status status = check_families(k);
  status = status == ROOF_OK ? keep_family(k) : status;
  for (int kernel = 0; kernel < ROOF_KERNEL_KIND_COUNT; kernel++) {
    for (int dtype = 0; dtype < ROOF_DTYPE_COUNT && status == ROOF_OK; dtype++) {
      if ((k->how->kernel < 0 || k->how->kernel == kernel) && (k->how->dtype < 0 || k->how->dtype == dtype)) {
        status = fit_kind(k, (roof_kernel_kind)kernel, (roof_dtype)dtype);
      }
    }
  }
  if (status == ROOF_OK && k->made.count == 0) {
    const rf_gaps *gaps = &k->cases.gaps;
    return roof_error_set(k->error, ROOF_E_ARGUMENT, "no timings to fit: %s",
                          gaps->count > 0 ? gaps->list[gaps->count - 1].why : "none of that kind or format");
  }
  return status == ROOF_OK ? rf_accuracy_collect(k->judged, k->judged_count, &k->made.judged, k->error)
                           : status;
}

static roof_status make_room(calibrating *k) {
  k->judged = malloc(k->cases.count * sizeof *k->judged);
  k->chosen = malloc(k->cases.count * sizeof *k->chosen);
  k->room = malloc(k->cases.count * sizeof *k->room);
  k->made.fits = calloc((size_t)ROOF_KERNEL_KIND_COUNT * ROOF_DTYPE_COUNT, sizeof *k->made.fits);
  return k->judged != NULL && k->chosen != NULL && k->room != NULL && k->made.fits != NULL
             ? ROOF_OK
             : rf_accuracy_no_memory(k->error);
}

roof_status roof_calibrate(const roof_profile *profile, const roof_calibrate_options *how,
                           const roof_options *options, roof_calibration *calibration, roof_error *error) {
  calibrating k = {.how = how, .framework = options->framework, .error = error};
  roof_status status = rf_cases_init(&k.cases, profile, how->machine, options, error);
  status = status == ROOF_OK ? make_room(&k) : status;
  status = status == ROOF_OK ? fit_all(&k) : status;
  if (status == ROOF_OK) {
    k.made.judged.gaps = k.cases.gaps.list;
    k.made.judged.gap_count = k.cases.gaps.count;
    k.cases.gaps = (rf_gaps){0};
    *calibration = k.made;
  } else {
    roof_calibration_done(&k.made);
  }
  rf_cases_done(&k.cases);
  free(k.judged);
  free(k.chosen);
  free(k.room);
  return status;
}

roof_status roof_calibration_apply(const roof_calibration *calibration, roof_machine *machine,
                                   roof_error *error) {
  int kept = 0;
  for (int i = 0; i < machine->constants_count; i++) {
    const roof_constants *own = &machine->constants[i];
    bool replaced = own->kind == ROOF_ASSUMED;
    for (size_t f = 0; f < calibration->count && !replaced; f++) {
      replaced = calibration->fits[f].constants.kernel == own->kernel &&
                 calibration->fits[f].constants.dtype == own->dtype &&
                 strcmp(calibration->fits[f].constants.framework, own->framework) == 0;
    }
    if (!replaced) {
      machine->constants[kept++] = *own;
    }
  }
  if ((size_t)kept + calibration->count > ROOF_CONSTANTS_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: more than %d constants of kernels", machine->name,
                          ROOF_CONSTANTS_MAX);
  }
  machine->constants_count = kept;
  for (size_t f = 0; f < calibration->count; f++) {
    *roof_machine_add_constants(machine) = calibration->fits[f].constants;
  }
  return ROOF_OK;
}

void roof_calibration_done(roof_calibration *calibration) {
  free(calibration->fits);
  roof_accuracy_done(&calibration->judged);
  *calibration = (roof_calibration){0};
}
