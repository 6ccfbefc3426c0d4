/* Why a reconciled kernel is as fast as it is: the prediction as far as it was sealed, and the causes ranked. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/entry.h"
#include "roofline/catalog.h"

/** The peak that "fp16 matrix" names; false when it names none. */
static bool read_peak(const char *binding, double flops_per_second, roof_peak *peak) {
  char dtype[32], unit[32];
  *peak = (roof_peak){.flops_per_second = flops_per_second};
  return sscanf(binding, "%31s %31s", dtype, unit) == 2 &&
         roof_dtype_parse(dtype, &peak->dtype, NULL) == ROOF_OK &&
         roof_unit_parse(unit, &peak->unit, NULL) == ROOF_OK;
}

/** The time of each cache, were all bytes from there. */
static void restore_caches(roof_why *why, const roof_reconciled *r) {
  roof_prediction *p = &why->prediction;
  for (int kind = ROOF_L1; kind < ROOF_MEMORY; kind++) {
    double rate = r->level_bytes_per_second[kind];
    why->caches[kind] = (roof_level){.kind = ROOF_DATASHEET};
    snprintf(why->caches[kind].name, sizeof why->caches[kind].name, "%s",
             roof_level_kind_name((roof_level_kind)kind));
    if (rate > 0) {
      p->levels[p->level_count++] =
          (roof_level_time){.level = &why->caches[kind], .bytes = r->bytes, .seconds = r->bytes / rate};
    }
  }
}

/** The prediction as far as it was sealed. */
static void restore(roof_why *why, const roof_reconciled *r) {
  roof_prediction *p = &why->prediction;
  *p = (roof_prediction){.bytes = r->bytes,
                         .regime = rf_ledger_regime(r->regime),
                         .compute_seconds = r->compute_seconds,
                         .memory_seconds = r->memory_seconds,
                         .overhead_seconds = r->overhead_seconds,
                         .lower_seconds = r->ceiling_seconds,
                         .upper_seconds = rf_ledger_paced_upper(r),
                         .expected_seconds = r->ceiling_seconds / r->expected_fraction,
                         .expected_low_seconds = r->fastest_seconds,
                         .expected_high_seconds = r->slowest_seconds,
                         .binding = &why->level,
                         .link = &why->link};
  roof_work_init(&p->work);
  p->work.flops = r->flops;
  p->work.write_bytes = NAN;
  p->work.link_bytes = NAN;
  restore_caches(why, r);
  p->regime = p->regime == ROOF_CAPACITY_BOUND ? ROOF_MEMORY_BOUND : p->regime; /* it ran all the same */
  snprintf(why->level.name, sizeof why->level.name, "%s", r->binding);
  snprintf(why->link.name, sizeof why->link.name, "%s", r->binding);
  if (p->regime == ROOF_COMPUTE_BOUND && read_peak(r->binding, r->flops / r->compute_seconds, &why->peak)) {
    p->peak = &why->peak;
  }
}

void roof_why_of(roof_why *why, const roof_reconciled *r, const roof_machine *machine) {
  restore(why, r);
  why->machine = (roof_machine){0};
  snprintf(why->machine.device_class, sizeof why->machine.device_class, "%s", r->device_class);
  machine = machine == NULL && r->device_class[0] != '\0' ? &why->machine : machine;
  roof_evidence evidence = roof_evidence_of(&why->prediction, machine, r->measured_seconds);
  evidence.counted_bytes = r->counted_bytes;
  roof_evidence_take(&evidence, r->clue);
  /* what could slow down a kernel says nothing of a whole model */
  bool whole = strncmp(r->parameters, "phase=", strlen("phase=")) == 0;
  size_t found = whole ? 0 : roof_causes_rank(&evidence, why->causes, ROOF_WHY_CAUSES);
  why->count = found < ROOF_WHY_CAUSES ? found : ROOF_WHY_CAUSES;
  roof_causes_sentence(&evidence, why->causes, why->count, why->sentence, sizeof why->sentence);
}

static const roof_reconcile_machine *find_machine(const roof_reconcile *all, const char *name) {
  for (size_t i = 0; i < all->machine_count; i++) {
    if (strcmp(all->machines[i].name, name) == 0) {
      return &all->machines[i];
    }
  }
  return NULL;
}

static roof_status add_machine(roof_reconcile *all, const char *name, roof_error *error) {
  roof_reconcile_machine *list = realloc(all->machines, (all->machine_count + 1) * sizeof *list);
  if (list == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "reconcile: out of memory");
  }
  all->machines = list;
  roof_reconcile_machine *one = &list[all->machine_count++];
  *one = (roof_reconcile_machine){.machine = NULL};
  snprintf(one->name, sizeof one->name, "%s", name);
  roof_status status = roof_catalog_load_known(name, &one->machine, error);
  return status == ROOF_OK && one->machine != NULL ? roof_machine_digest(one->machine, one->digest, error)
                                                   : status;
}

static bool has_changed(const roof_reconciled *r, const roof_reconcile_machine *today) {
  return r->machine_digest[0] != '\0' && today->digest[0] != '\0' &&
         strcmp(r->machine_digest, today->digest) != 0;
}

roof_status rf_reconcile_machines(roof_reconcile *all, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < all->count && status == ROOF_OK; i++) {
    roof_reconciled *r = &all->entries[i];
    status = find_machine(all, r->machine) == NULL ? add_machine(all, r->machine, error) : ROOF_OK;
    r->machine_changed = status == ROOF_OK && has_changed(r, find_machine(all, r->machine));
  }
  return status;
}

const roof_machine *rf_reconcile_machine(const roof_reconcile *all, const char *name) {
  const roof_reconcile_machine *known = find_machine(all, name);
  return known != NULL ? known->machine : NULL;
}

void roof_reconcile_why(roof_reconcile *all, size_t index, roof_why *why) {
  const roof_reconciled *r = &all->entries[index];
  roof_why_of(why, r, rf_reconcile_machine(all, r->machine));
}
