/* Constants fitted to a part of the timings and judged by the rest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy/fitting.h"

enum { PART = 1 }; /* of the timings to judge, another than the fits hold out for themselves */

static const char *const names[] = {
#define NAME(symbol, name, text) name,
    ROOF_SPLIT_MAP(NAME)
#undef NAME
        NULL};

const char *roof_split_name(roof_split split) {
  return (unsigned)split < ROOF_SPLIT_COUNT ? names[split] : "?";
}

roof_status roof_split_parse(const char *text, roof_split *split, roof_error *error) {
  for (int i = 0; i < ROOF_SPLIT_COUNT; i++) {
    if (strcmp(text, names[i]) == 0) {
      *split = (roof_split)i;
      return ROOF_OK;
    }
  }
  roof_error_unknown(error, "split", text, names, NULL);
  return ROOF_E_NAME;
}

static const roof_machine *machine_of(const rf_case *c) {
  return c->at->device->machine;
}

static bool same_machine(const roof_machine *a, const roof_machine *b) {
  return strcmp(a->name, b->name) == 0;
}

/** Fits the first timings and judges the last `judged` of them. */
static roof_status fit_and_judge(rf_fitting *f, rf_case *all, size_t count, size_t judged,
                                 const roof_constants *of) {
  roof_fit fit = {.constants = *of};
  size_t held;
  if (judged == 0) {
    return ROOF_OK;
  }
  if (count - judged < RF_LEAST_TO_FIT) {
    char why[160];
    snprintf(why, sizeof why, "%.60s, %s in %s: fewer than %d other timings to fit",
             machine_of(&all[count - 1])->name, roof_kernel_kind_name(of->kernel), roof_dtype_name(of->dtype),
             RF_LEAST_TO_FIT);
    return rf_gaps_add(&f->cases.gaps, why, judged, f->error);
  }
  roof_status status = rf_fitting_fit(f, all, count - judged, &fit, &held);
  if (status == ROOF_OK) {
    rf_fitting_judge(f, &all[count - judged], judged);
  }
  return status;
}

/** Each machine by constants of the others of its family, where it is alone by those of all others. */
static roof_status by_device(rf_fitting *f, rf_case *all, size_t count, const roof_constants *of) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < f->cases.device_count && status == ROOF_OK; i++) {
    const roof_machine *machine = f->cases.devices[i].machine;
    bool again = machine == NULL;
    for (size_t k = 0; k < i && !again; k++) {
      again = f->cases.devices[k].machine != NULL && same_machine(f->cases.devices[k].machine, machine);
    }
    if (again) {
      continue;
    }
    size_t family = rf_move_last(all, count, rf_same_family, machine);
    size_t judged = rf_move_last(&all[count - family], family, same_machine, machine);
    bool alone = family - judged < RF_LEAST_TO_FIT;
    status = fit_and_judge(f, alone ? all : &all[count - family], alone ? count : family, judged, of);
  }
  return status;
}

/** Each family by constants of a part of its own timings. */
static roof_status by_part(rf_fitting *f, size_t count, rf_held by, const roof_constants *of) {
  roof_status status = ROOF_OK;
  while (count > 0 && status == ROOF_OK) {
    size_t family = rf_move_last(f->chosen, count, rf_same_family, machine_of(&f->chosen[0]));
    rf_case *all = &f->chosen[count - family];
    status = fit_and_judge(f, all, family, rf_hold_out(all, family, by, PART), of);
    count -= family;
  }
  return status;
}

static roof_status judge_kind(rf_fitting *f, roof_split split, const roof_constants *of) {
  rf_fitting_choose(f, of);
  if (f->chosen_count > 0 && !roof_kernel_uses(of->kernel, ROOF_LATENCY_SECONDS)) {
    char why[96];
    snprintf(why, sizeof why, "%s: no form of their time is known", roof_kernel_kind_name(of->kernel));
    return rf_gaps_add(&f->cases.gaps, why, f->chosen_count, f->error);
  }
  roof_status status = rf_fitting_drop_doubtful(f);
  if (status != ROOF_OK || f->chosen_count == 0) {
    return status;
  }
  return split == ROOF_SPLIT_DEVICE
             ? by_device(f, f->chosen, f->chosen_count, of)
             : by_part(f, f->chosen_count, split == ROOF_SPLIT_SHAPE ? RF_BY_SHAPE : RF_ONE_BY_ONE, of);
}

/** All kinds and formats of one framework. */
static roof_status judge_framework(rf_fitting *f, roof_split split, const char *framework) {
  roof_status status = ROOF_OK;
  for (int kernel = 0; kernel < ROOF_KERNEL_KIND_COUNT; kernel++) {
    for (int i = 0; i < RF_VARIANTS * ROOF_DTYPE_COUNT && status == ROOF_OK; i++) {
      roof_constants of = {.kernel = (roof_kernel_kind)kernel,
                           .dtype = (roof_dtype)(i / RF_VARIANTS),
                           .blocks = i % 2 == 1,
                           .narrow = i / 2 % 2 == 1};
      snprintf(of.framework, sizeof of.framework, "%s", framework);
      status = judge_kind(f, split, &of);
    }
  }
  return status;
}

static roof_status judge_all(rf_fitting *f, roof_split split, roof_accuracy *accuracy) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < f->cases.prepared_count && status == ROOF_OK; i++) {
    const char *framework = f->cases.prepared[i].framework;
    bool again = false;
    for (size_t k = 0; k < i && !again; k++) {
      again = strcmp(f->cases.prepared[k].framework, framework) == 0;
    }
    status = again ? ROOF_OK : judge_framework(f, split, framework);
  }
  if (status == ROOF_OK && f->judged_count == 0) {
    const rf_gaps *gaps = &f->cases.gaps;
    return roof_error_set(f->error, ROOF_E_ARGUMENT, "no timing can be judged by constants of others: %s",
                          gaps->count > 0 ? gaps->list[gaps->count - 1].why : "all are needed to fit");
  }
  return status == ROOF_OK ? rf_fitting_collect(f, accuracy) : status;
}

roof_status roof_accuracy_split(const roof_profile *profile, const roof_machine *machine,
                                const roof_options *options, roof_split split, roof_accuracy *accuracy,
                                roof_error *error) {
  roof_accuracy made = {0};
  rf_fitting f;
  roof_status status = rf_fitting_init(&f, profile, machine, options, error);
  status = status == ROOF_OK ? judge_all(&f, split, &made) : status;
  if (status == ROOF_OK) {
    *accuracy = made;
  } else {
    roof_accuracy_done(&made);
  }
  rf_fitting_done(&f);
  return status;
}
