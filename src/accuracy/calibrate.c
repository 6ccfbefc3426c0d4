/* Which timings are fitted, kind of kernel by kind and format by format; sample.c fits one of them. */
#include "roofline/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy/fitting.h"
#include "core/number.h"

typedef struct calibrating {
  const roof_calibrate_options *how;
  const char *framework; /**< whose timings alone; NULL: all */
  rf_fitting fitting;
  roof_calibration made;
  roof_error *error;
} calibrating;

roof_calibrate_options roof_calibrate_options_default(void) {
  return (roof_calibrate_options){.kernel = -1, .dtype = -1};
}

/* What may be fitted */

static bool of_family(const roof_machine *machine, const char *family) {
  return strcmp(machine->family, family) == 0 || strcmp(machine->device_class, family) == 0 ||
         strcmp(machine->name, family) == 0;
}

static roof_status check_families(const calibrating *k) {
  const roof_machine *first = k->fitting.cases.list[0].at->device->machine;
  for (size_t i = 1; i < k->fitting.cases.count && k->how->machine == NULL && k->how->family == NULL; i++) {
    const roof_machine *machine = k->fitting.cases.list[i].at->device->machine;
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
  for (size_t i = 0; i < k->fitting.cases.count && status == ROOF_OK; i++) {
    const roof_machine *machine = k->fitting.cases.list[i].at->device->machine;
    char why[128];
    if (k->how->family == NULL || of_family(machine, k->how->family)) {
      k->fitting.cases.list[kept++] = k->fitting.cases.list[i];
      continue;
    }
    snprintf(why, sizeof why, "%.60s: not of the family %.40s", machine->name, k->how->family);
    status = rf_gaps_add(&k->fitting.cases.gaps, why, 1, k->error);
  }
  k->fitting.cases.count = kept;
  return status == ROOF_OK && kept == 0
             ? roof_error_set(k->error, ROOF_E_ARGUMENT, "no timing is of the family %s: %s", k->how->family,
                              k->fitting.cases.gaps.list[k->fitting.cases.gaps.count - 1].why)
             : status;
}

/* One kind and format */

/** The frameworks of the chosen timings, as many as there is room for. */
static void name_frameworks(const rf_fitting *f, roof_fit *fit) {
  for (size_t i = 0; i < f->chosen_count && fit->framework_count < ROOF_FIT_FRAMEWORKS; i++) {
    const char *name = f->chosen[i].at->framework;
    int k = 0;
    while (k < fit->framework_count && strcmp(fit->frameworks[k], name) != 0) {
      k++;
    }
    if (k == fit->framework_count && name[0] != '\0') {
      snprintf(fit->frameworks[fit->framework_count++], ROOF_FRAMEWORK_MAX, "%s", name);
    }
  }
}

static roof_status fit_chosen(calibrating *k, roof_fit *fit) {
  rf_fitting *f = &k->fitting;
  size_t held = 0;
  roof_form *in_place = malloc(RF_PREPARED * sizeof *in_place);
  if (in_place == NULL) {
    return rf_accuracy_no_memory(k->error);
  }
  rf_fitting_keep_forms(f, fit->constants.kernel, in_place);
  roof_status status = rf_fitting_fit(f, f->chosen, f->chosen_count, fit, &held);
  if (status == ROOF_OK) {
    fit->worse = fit->after.median > fit->before.median;
    name_frameworks(f, fit);
    if (fit->worse) {
      rf_fitting_put_forms(f, fit->constants.kernel, in_place);
    }
    rf_fitting_judge(f, &f->chosen[f->chosen_count - held], held);
    k->made.count++;
  }
  free(in_place);
  return status;
}

/** Why too few of the timings chosen before the doubtful were dropped are left to fit. */
static void explain_few(const rf_fitting *f, const roof_constants *of, size_t chosen, char why[160]) {
  const char *kernel = roof_kernel_kind_name(of->kernel), *dtype = roof_dtype_name(of->dtype);
  if (2 * f->too_fast > chosen && chosen >= RF_LEAST_TO_FIT) {
    rf_format(why, 160,
              "%s in %s: %zu of %zu timings are faster than their lower bound (median %.3gx): check the unit "
              "of the times",
              kernel, dtype, f->too_fast, chosen, f->too_fast_times);
  } else {
    snprintf(why, 160, "%s in %s: fewer than %d timings to fit", kernel, dtype, RF_LEAST_TO_FIT);
  }
}

static roof_status fit_kind(calibrating *k, const roof_constants *of) {
  rf_fitting *f = &k->fitting;
  const char *kernel = roof_kernel_kind_name(of->kernel);
  char why[160];
  rf_fitting_choose(f, of);
  if (f->chosen_count == 0) {
    return ROOF_OK;
  }
  if (!roof_kernel_uses(of->kernel, ROOF_LATENCY_SECONDS)) {
    snprintf(why, sizeof why, "%s: no form of their time is known", kernel);
    return rf_gaps_add(&f->cases.gaps, why, f->chosen_count, k->error);
  }
  size_t chosen = f->chosen_count;
  roof_status status = rf_fitting_drop_doubtful(f);
  if (status == ROOF_OK && f->chosen_count < RF_LEAST_TO_FIT) {
    explain_few(f, of, chosen, why);
    return rf_gaps_add(&f->cases.gaps, why, f->chosen_count, k->error);
  }
  roof_fit *fit = &k->made.fits[k->made.count];
  fit->constants = *of;
  fit->spreads = true;
  return status == ROOF_OK ? fit_chosen(k, fit) : status;
}

/** Constants of the framework asked for or, where those of a machine are to be replaced, of each that predicts timings. */
static roof_status fit_frameworks(calibrating *k, roof_constants *of) {
  const rf_cases *cases = &k->fitting.cases;
  snprintf(of->framework, sizeof of->framework, "%s", k->framework != NULL ? k->framework : "");
  roof_status status = fit_kind(k, of);
  for (size_t i = 0; i < cases->prepared_count && k->fitting.in_place && status == ROOF_OK; i++) {
    const char *framework = rf_framework_in_place(&cases->prepared[i], of->kernel);
    bool again = framework[0] == '\0';
    for (size_t before = 0; before < i && !again; before++) {
      again = strcmp(rf_framework_in_place(&cases->prepared[before], of->kernel), framework) == 0;
    }
    if (!again) {
      snprintf(of->framework, sizeof of->framework, "%s", framework);
      status = fit_kind(k, of);
    }
  }
  return status;
}

/** One kind and format that was asked for, with and without scales for blocks, and what is stored narrower. */
static roof_status fit_format(calibrating *k, roof_kernel_kind kernel, roof_dtype dtype) {
  roof_constants of = {.kernel = kernel, .dtype = dtype, .kind = ROOF_MEASURED};
  if ((k->how->kernel >= 0 && k->how->kernel != (int)kernel) ||
      (k->how->dtype >= 0 && k->how->dtype != (int)dtype)) {
    return ROOF_OK;
  }
  roof_status status = ROOF_OK;
  for (int variant = 0; variant < RF_VARIANTS && status == ROOF_OK; variant++) {
    of.blocks = variant % 2 == 1;
    of.narrow = variant / 2 == 1;
    status = fit_frameworks(k, &of);
  }
  return status;
}

/** What runs of whole models say, each figure by itself. */
static roof_status explain(calibrating *k) {
  const rf_cases *cases = &k->fitting.cases;
  double *room = malloc((3 * cases->run_count + 1) * sizeof *room);
  if (room == NULL) {
    return rf_accuracy_no_memory(k->error);
  }
  for (int figure = ROOF_SERVED_TTFT; figure <= ROOF_SERVED_TPOT; figure++) {
    k->made.run_count += rf_runs_explain(cases->runs, cases->run_count, (roof_served_figure)figure, room,
                                         &k->made.runs[k->made.run_count]);
  }
  free(room);
  return ROOF_OK;
}

/** Nothing to judge, but what was left out. */
static roof_status keep_gaps(calibrating *k) {
  k->made.judged.gaps = k->fitting.cases.gaps.list;
  k->made.judged.gap_count = k->fitting.cases.gaps.count;
  k->fitting.cases.gaps = (rf_gaps){0};
  return ROOF_OK;
}

/** The machine of all timings, where it is one. */
static void name_machine(calibrating *k) {
  const rf_cases *cases = &k->fitting.cases;
  const char *first = cases->list[0].at->device->machine->name;
  bool one = true;
  for (size_t i = 1; i < cases->count && one; i++) {
    one = strcmp(cases->list[i].at->device->machine->name, first) == 0;
  }
  snprintf(k->made.machine, sizeof k->made.machine, "%s", one ? first : "");
}

/** The constants of every kind and format that has timings. */
static roof_status fit_kernels(calibrating *k) {
  roof_status status = check_families(k);
  status = status == ROOF_OK ? keep_family(k) : status;
  if (status == ROOF_OK) {
    name_machine(k);
  }
  for (int kernel = 0; kernel < ROOF_KERNEL_KIND_COUNT; kernel++) {
    for (int dtype = 0; dtype < ROOF_DTYPE_COUNT && status == ROOF_OK; dtype++) {
      status = fit_format(k, (roof_kernel_kind)kernel, (roof_dtype)dtype);
    }
  }
  return status;
}

static roof_status fit_all(calibrating *k) {
  roof_status status = explain(k);
  if (status == ROOF_OK && k->fitting.cases.count > 0) {
    status = fit_kernels(k);
  }
  if (status == ROOF_OK && k->made.count == 0) {
    const rf_gaps *gaps = &k->fitting.cases.gaps;
    return k->made.run_count > 0 ? keep_gaps(k)
                                 : roof_error_set(k->error, ROOF_E_ARGUMENT, "no timings to fit: %s",
                                                  gaps->count > 0 ? gaps->list[gaps->count - 1].why
                                                                  : "none of that kind or format");
  }
  return status == ROOF_OK ? rf_fitting_collect(&k->fitting, &k->made.judged) : status;
}

roof_status roof_calibrate(const roof_profile *profile, const roof_calibrate_options *how,
                           const roof_options *options, roof_calibration *calibration, roof_error *error) {
  calibrating k = {.how = how, .framework = options->framework, .error = error};
  roof_options each = *options; /* the timings name frameworks that no machine has constants of yet */
  each.framework = NULL;
  roof_status status = rf_fitting_init(&k.fitting, profile, how->machine, &each, error);
  if (status == ROOF_OK) {
    k.fitting.source = how->source != NULL ? how->source : "timings";
    k.fitting.in_place = k.framework == NULL && how->family == NULL;
    k.made.fits = calloc(ROOF_KERNEL_KIND_COUNT * (k.fitting.cases.prepared_count + 1), sizeof *k.made.fits);
    status = k.made.fits != NULL ? fit_all(&k) : rf_accuracy_no_memory(error);
  }
  if (status == ROOF_OK) {
    *calibration = k.made;
  } else {
    roof_calibration_done(&k.made);
  }
  rf_fitting_done(&k.fitting);
  return status;
}

/** Whether constants that were fitted take the place of a machine's own. */
static bool replaces(const roof_fit *fit, const roof_constants *own) {
  const roof_constants *c = &fit->constants;
  return !fit->worse && c->kernel == own->kernel && c->dtype == own->dtype && c->blocks == own->blocks &&
         c->narrow == own->narrow && strcmp(c->framework, own->framework) == 0;
}

roof_status roof_calibration_apply(const roof_calibration *calibration, roof_machine *machine,
                                   roof_error *error) {
  int kept = 0;
  size_t added = 0;
  for (int i = 0; i < machine->constants_count; i++) {
    const roof_constants *own = &machine->constants[i];
    bool replaced = own->kind == ROOF_ASSUMED;
    for (size_t f = 0; f < calibration->count && !replaced; f++) {
      replaced = replaces(&calibration->fits[f], own);
    }
    if (!replaced) {
      machine->constants[kept++] = *own;
    }
  }
  for (size_t f = 0; f < calibration->count; f++) {
    added += !calibration->fits[f].worse;
  }
  if ((size_t)kept + added > ROOF_CONSTANTS_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: more than %d constants of kernels", machine->name,
                          ROOF_CONSTANTS_MAX);
  }
  machine->constants_count = kept;
  for (size_t f = 0; f < calibration->count; f++) {
    if (!calibration->fits[f].worse) {
      roof_constants *own = roof_machine_add_constants(machine);
      *own = calibration->fits[f].constants;
      own->machine[0] = '\0';
    }
  }
  return ROOF_OK;
}

void roof_calibration_done(roof_calibration *calibration) {
  free(calibration->fits);
  roof_accuracy_done(&calibration->judged);
  *calibration = (roof_calibration){0};
}
