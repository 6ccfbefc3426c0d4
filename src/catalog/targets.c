/* Machines by their names, and what is predicted on each: in which formats, with which options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/family.h"
#include "roofline/catalog.h"

static roof_status load_host(roof_machine **machine, roof_error *error) {
  roof_status status = roof_catalog_load("host", machine, error);
  if (status == ROOF_E_NAME) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "machine: none named and this one is not measured yet; use --machine NAME (for instance "
        "h100) or `roofline measure` first");
  }
  return status;
}

/** Loads a machine, or several with commas between them; a path is one, and a title with brackets. */
static roof_status load_named(const char *names, rf_families *families, roof_machine **loaded, int *count,
                              roof_error *error) {
  char copy[1024], *rest = NULL;
  bool one = strpbrk(names, "/(") != NULL; /* and what has units */
  snprintf(copy, sizeof copy, "%s", names);
  roof_status status = ROOF_OK;
  for (char *name = one ? copy : strtok_r(copy, ",", &rest); name != NULL && status == ROOF_OK;
       name = one ? NULL : strtok_r(NULL, ",", &rest)) {
    status = rf_catalog_load(name, families, &loaded[*count], error);
    *count += status == ROOF_OK;
  }
  return status;
}

/** Each takes a quarter of a megabyte. */
enum { MOST_MACHINES = 256 };

roof_status roof_machines_load(const char *const *names, roof_machine ***machines, int *count,
                               roof_error *error) {
  int wanted = 0, total = 1, found = 0;
  while (names != NULL && names[wanted] != NULL) {
    for (const char *c = names[wanted++]; *c != '\0'; c++) {
      total += *c == ',';
    }
    total++;
  }
  if (total - 1 > 2 * MOST_MACHINES) { /* a name counts twice, one after a comma once */
    return roof_error_set(error, ROOF_E_ARGUMENT, "--machine: more than %d", MOST_MACHINES);
  }
  roof_machine **loaded = calloc((size_t)total, sizeof *loaded);
  if (loaded == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "machines: out of memory");
  }
  rf_families families = {0};
  roof_status status = wanted == 0 ? load_host(loaded, error) : ROOF_OK;
  for (int i = 0; i < wanted && status == ROOF_OK; i++) {
    status = load_named(names[i], &families, loaded, &found, error);
  }
  rf_families_done(&families);
  if (status == ROOF_OK && wanted > 0 && found == 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--machine: no name");
  }
  if (status != ROOF_OK) {
    roof_machines_free(loaded, total);
    return status;
  }
  *machines = loaded;
  *count = wanted > 0 ? found : 1;
  return ROOF_OK;
}

void roof_machines_free(roof_machine **machines, int count) {
  for (int i = 0; machines != NULL && i < count; i++) {
    roof_machine_free(machines[i]);
  }
  free(machines);
}

/** Each machine once for each of several formats: copies stand behind it. */
static roof_status repeat_machines(roof_targets *t, int formats, roof_error *error) {
  roof_machine **all = calloc((size_t)(t->count * formats), sizeof *all);
  bool made = all != NULL;
  for (int i = 0; made && i < t->count * formats; i++) {
    all[i] = i % formats == 0 ? t->machines[i / formats] : roof_machine_copy(t->machines[i / formats]);
    made = all[i] != NULL;
  }
  if (!made) {
    for (int i = 0; all != NULL && i < t->count * formats; i++) {
      roof_machine_free(i % formats == 0 ? NULL : all[i]);
    }
    free(all);
    return roof_error_set(error, ROOF_E_MEMORY, "machines: out of memory");
  }
  free(t->machines);
  t->machines = all;
  t->count *= formats;
  return ROOF_OK;
}

/** What each target is of. */
typedef struct wanted {
  const roof_formats *formats;
  const char *const *dtypes;
  int dtype_count; /**< 1: that of `formats` */
  const roof_options_text *options;
} wanted;

static roof_status init_targets(const wanted *w, roof_targets *t, roof_error *error) {
  roof_types types;
  roof_options options;
  roof_status status = roof_options_read(w->options, &options, error);
  for (int i = 0; i < t->count && status == ROOF_OK; i++) {
    roof_formats formats = *w->formats;
    formats.dtype = w->dtype_count > 1 ? w->dtypes[i % w->dtype_count] : formats.dtype;
    status = roof_formats_read(&formats, t->machines[0], &types, error);
    status = status == ROOF_OK ? roof_target_init(&t->targets[i], t->machines[i], &types, &options, error)
                               : status;
  }
  return status;
}

roof_status roof_targets_init(roof_targets *targets, const char *const *machines, const roof_formats *formats,
                              const char *const *dtypes, const roof_options_text *options,
                              roof_error *error) {
  wanted w = {formats, dtypes, 0, options};
  roof_targets t = {.typed = roof_typed_of(formats, options)};
  while (dtypes != NULL && dtypes[w.dtype_count] != NULL) {
    w.dtype_count++;
  }
  roof_status status = roof_machines_load(machines, &t.machines, &t.count, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = w.dtype_count > 1 ? repeat_machines(&t, w.dtype_count, error) : ROOF_OK;
  t.targets = status == ROOF_OK ? calloc((size_t)t.count, sizeof *t.targets) : NULL;
  status = status != ROOF_OK   ? status
           : t.targets != NULL ? init_targets(&w, &t, error)
                               : roof_error_set(error, ROOF_E_MEMORY, "machines: out of memory");
  if (status != ROOF_OK) {
    roof_targets_done(&t);
    return status;
  }
  *targets = t;
  return ROOF_OK;
}

roof_status roof_targets_check(const roof_targets *targets, const roof_shape *shape, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  unsigned idle = targets->typed;
  for (size_t i = 0; i < shape->points && idle != 0; i++) {
    roof_status status = roof_shape_point(shape, i, values, error);
    if (status != ROOF_OK) {
      return status;
    }
    for (int t = 0; t < targets->count; t++) {
      idle &= ~roof_typed_used(idle, &targets->targets[t], shape->op, values);
    }
  }
  return roof_typed_refuse(idle, shape->op->name, error);
}

void roof_targets_done(roof_targets *targets) {
  roof_machines_free(targets->machines, targets->count);
  free(targets->targets);
  *targets = (roof_targets){0};
}
