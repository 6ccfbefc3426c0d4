#include "accuracy/cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/form.h"
#include "roofline/catalog.h"

roof_status rf_accuracy_no_memory(roof_error *error) {
  return roof_error_set(error, ROOF_E_MEMORY, "accuracy: out of memory");
}

roof_status rf_gaps_add(rf_gaps *gaps, const char *why, size_t count, roof_error *error) {
  for (size_t i = 0; i < gaps->count; i++) {
    if (strncmp(gaps->list[i].why, why, sizeof gaps->list[i].why - 1) == 0) {
      gaps->list[i].count += count;
      return ROOF_OK;
    }
  }
  roof_accuracy_gap *grown = realloc(gaps->list, (gaps->count + 1) * sizeof *grown);
  if (grown == NULL) {
    return rf_accuracy_no_memory(error);
  }
  gaps->list = grown;
  gaps->list[gaps->count].count = count;
  snprintf(gaps->list[gaps->count++].why, sizeof grown->why, "%s", why);
  return ROOF_OK;
}

typedef struct taking {
  rf_cases *cases;
  const roof_machine *machine; /**< NULL: each timing's own */
  const roof_options *options;
  roof_error *error;
} taking;

static roof_status leave_out(const taking *t, const char *why) {
  return rf_gaps_add(&t->cases->gaps, why, 1, t->error);
}

/** *device is NULL where there are too many of them. */
static roof_status device_of(const taking *t, const char *name, const rf_accuracy_device **device) {
  rf_cases *all = t->cases;
  for (size_t i = 0; i < all->device_count; i++) {
    if (strcmp(all->devices[i].name, name) == 0) {
      *device = &all->devices[i];
      return ROOF_OK;
    }
  }
  if (all->device_count == RF_DEVICES) {
    *device = NULL;
    return ROOF_OK;
  }
  rf_accuracy_device *d = &all->devices[all->device_count++];
  roof_error why = {0};
  d->name = name;
  d->machine = t->machine;
  if (d->machine == NULL && roof_catalog_load(name, &d->own, &why) == ROOF_OK) {
    d->machine = d->own;
  }
  snprintf(d->why, sizeof d->why, "%s", why.message);
  *device = d;
  return why.code == ROOF_E_MEMORY ? roof_error_set(t->error, ROOF_E_MEMORY, "%s", why.message) : ROOF_OK;
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
static const rf_prepared *prepare(const taking *t, const rf_accuracy_device *d, const roof_ran *ran,
                                  roof_error *why) {
  rf_cases *all = t->cases;
  const roof_types *types = &ran->types;
  roof_options options = *t->options;
  char framework[ROOF_FRAMEWORK_MAX];
  snprintf(framework, sizeof framework, "%.*s", (int)strcspn(ran->how, "/ "), ran->how);
  for (size_t i = 0; i < all->prepared_count; i++) {
    if (all->prepared[i].device == d && same_types(&all->prepared[i].types, types) &&
        strcmp(all->prepared[i].framework, framework) == 0) {
      return &all->prepared[i];
    }
  }
  if (all->prepared_count == RF_PREPARED) {
    roof_error_set(why, ROOF_E_ARGUMENT, "more than %d devices and formats", RF_PREPARED);
    return NULL;
  }
  rf_prepared *p = &all->prepared[all->prepared_count];
  p->device = d;
  p->types = *types;
  name_format(types, p->format);
  memcpy(p->framework, framework, sizeof framework);
  if (options.framework == NULL) {
    rf_framework_find(d->machine, framework, &options.framework, NULL); /* others run as any */
  }
  if (roof_target_init(&p->target, d->machine, types, &options, why) != ROOF_OK) {
    return NULL;
  }
  all->prepared_count++;
  return p;
}

static roof_status take_run(const taking *t, const roof_served *run) {
  roof_error why = {0};
  const rf_accuracy_device *d = NULL;
  if (device_of(t, run->device, &d) != ROOF_OK) {
    return ROOF_E_MEMORY;
  }
  if (d == NULL || d->machine == NULL) {
    return leave_out(t, d == NULL                ? "too many devices"
                        : run->device[0] == '\0' ? "the file names no device: --machine does"
                                                 : d->why);
  }
  roof_status status = rf_cases_add_run(t->cases, d, run, t->options, &why, t->error);
  return status == ROOF_OK && why.message[0] != '\0' ? leave_out(t, why.message) : status;
}

static roof_status take(const taking *t, const roof_record *record) {
  const roof_ran *ran = record->ran;
  rf_cases *all = t->cases;
  if (record->run != NULL) {
    return take_run(t, record->run);
  }
  if (ran == NULL || !record->timed || record->picoseconds == 0) {
    return leave_out(t, "the file gives no shape or no time of it");
  }
  const rf_accuracy_device *d = NULL;
  if (device_of(t, ran->device, &d) != ROOF_OK) {
    return ROOF_E_MEMORY;
  }
  if (d == NULL || d->machine == NULL) {
    return leave_out(t, d != NULL ? d->why : "too many devices");
  }
  roof_error why = {0};
  const rf_prepared *at = prepare(t, d, ran, &why);
  if (at == NULL) {
    return leave_out(t, why.message);
  }
  roof_prediction p;
  rf_case c = {.at = at, .record = record, .seconds = roof_record_seconds(record) / (double)record->calls};
  rf_case_predict(&c, &at->target, &p);
  if (roof_prediction_bounds(&at->target, &p, &why) != ROOF_OK) {
    return leave_out(t, why.message);
  }
  if (!(p.expected_seconds > 0) || isnan(p.network_seconds)) {
    return leave_out(t, "its machine has no figure that bounds it");
  }
  c.kernel = p.work.kernel.kind;
  all->list[all->count++] = c;
  return ROOF_OK;
}

void rf_case_predict(const rf_case *c, const roof_target *target, roof_prediction *p) {
  roof_predict(target, c->record->ran->op, c->record->ran->values, p);
}

static roof_status take_all(const taking *t, const roof_profile *profile) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < profile->skip_count && status == ROOF_OK; i++) {
    const roof_skip *skip = &profile->skips[i];
    char why[512];
    snprintf(why, sizeof why, "%.200s: %.300s", skip->what, skip->why);
    status = rf_gaps_add(&t->cases->gaps, why, (size_t)skip->times, t->error);
  }
  for (size_t i = 0; i < profile->count && status == ROOF_OK; i++) {
    status = take(t, &profile->records[i]);
  }
  if (status == ROOF_OK && t->cases->count + t->cases->run_count == 0) {
    const rf_gaps *gaps = &t->cases->gaps;
    status = roof_error_set(t->error, ROOF_E_ARGUMENT, "no timing can be judged: %s",
                            gaps->count > 0 ? gaps->list[0].why : "there is none");
  }
  return status;
}

roof_status rf_cases_init(rf_cases *cases, const roof_profile *profile, const roof_machine *machine,
                          const roof_options *options, bool simulated, roof_error *error) {
  *cases = (rf_cases){.simulated = simulated,
                      .list = malloc((profile->count + 1) * sizeof *cases->list),
                      .devices = calloc(RF_DEVICES, sizeof *cases->devices),
                      .prepared = malloc(RF_PREPARED * sizeof *cases->prepared)};
  taking t = {cases, machine, options, error};
  return cases->list != NULL && cases->devices != NULL && cases->prepared != NULL
             ? take_all(&t, profile)
             : rf_accuracy_no_memory(error);
}

void rf_cases_done(rf_cases *cases) {
  for (size_t i = 0; i < cases->device_count; i++) {
    roof_machine_free(cases->devices[i].own);
  }
  free(cases->list);
  free(cases->runs);
  free(cases->devices);
  free(cases->prepared);
  free(cases->gaps.list);
  *cases = (rf_cases){0};
}
