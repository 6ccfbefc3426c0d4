/* Every machine of the catalogue for the same work, by expected time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/family.h"
#include "roofline/catalog.h"

/** Equal times by name: each C library sorts equals another way. */
static int by_time(const void *left, const void *right) {
  const roof_ranked_machine *a = left, *b = right;
  return a->seconds != b->seconds ? (a->seconds > b->seconds) - (a->seconds < b->seconds)
                                  : strcmp(a->name, b->name);
}

/** The cost of a step must be known for both links or for neither, or the unknown one would look faster. */
static bool comparable(const roof_link *a, const roof_link *b) {
  return a == NULL || b == NULL || isnan(a->latency_seconds) == isnan(b->latency_seconds);
}

/** False where the machine lacks the formats, the memory or a figure the time needs; for short work that is
 * the cost of starting it. */
static bool rank_loaded(const roof_target *like, const roof_op *op, const double *values,
                        const roof_machine *machine, bool own, roof_ranked_machine *out) {
  roof_target target;
  roof_prediction p;
  roof_options o = like->options;
  o.sparse = false;
  o.link = NULL;
  if (roof_target_init(&target, machine, &like->types, &o, NULL) != ROOF_OK) {
    return false;
  }
  roof_predict(&target, op, values, &p);
  bool known =
      !(p.work.flops > 0 && isnan(p.compute_seconds)) && roof_prediction_check(&target, &p, NULL) == ROOF_OK;
  known =
      known && !(p.work.link_bytes > 0 && !comparable(roof_target_link(like, p.work.kernel.count), p.link));
  known = known && !(p.regime == ROOF_OVERHEAD_BOUND && isnan(p.overhead_seconds) && !own);
  if (!known || p.regime == ROOF_CAPACITY_BOUND || !(p.expected_seconds > 0)) {
    return false;
  }
  *out = (roof_ranked_machine){.regime = p.regime,
                               .seconds = p.expected_seconds,
                               .watts = machine->energy.watts,
                               .joules = p.expected_seconds * machine->energy.watts};
  return true;
}

/** The machine of `--backend fake` is no hardware: it is compared with others only where it is asked about. */
static bool is_scripted(const roof_machine *machine) {
  return strcmp(machine->vendor, "fake") == 0;
}

static roof_status rank_one(const roof_target *like, const roof_op *op, const double *values,
                            const char *name, rf_families *families, roof_ranked_machine *out, int *found,
                            roof_error *error) {
  roof_machine *machine = NULL;
  bool own = strcmp(name, like->machine->name) == 0;
  roof_error why = {0};
  if (rf_catalog_load(name, families, &machine, &why) == ROOF_E_MEMORY) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s", why.message);
  }
  bool comes = machine != NULL && (own || !is_scripted(machine));
  if (comes && rank_loaded(like, op, values, machine, own, out)) {
    snprintf(out->name, sizeof out->name, "%s", name);
    out->own = own;
    ++*found;
  }
  roof_machine_free(machine);
  return ROOF_OK;
}

static void set_ranks(roof_ranked_machine *all, int count) {
  for (int i = 0; i < count; i++) {
    bool known = !isnan(all[i].joules);
    all[i].rank = i + 1;
    all[i].energy_rank = known ? 1 : -1;
    for (int j = 0; j < count && known; j++) {
      all[i].energy_rank += all[j].joules < all[i].joules;
    }
  }
}

roof_status roof_catalog_rank(const roof_target *target, const roof_op *op, const double *values,
                              roof_ranked_machine **ranked, int *count, roof_error *error) {
  roof_catalog_list list;
  roof_prediction now;
  roof_status status = roof_catalog_list_all(&list, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_ranked_machine *all = calloc(list.count + 1, sizeof *all);
  rf_families families = {0};
  int found = 0;
  roof_predict(target, op, values, &now);
  status = all != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "catalogue: out of memory");
  for (size_t i = 0; status == ROOF_OK && i < list.count; i++) {
    status = rank_one(target, op, values, list.entries[i].name, &families, &all[found], &found, error);
  }
  rf_families_done(&families);
  roof_catalog_list_done(&list);
  if (status != ROOF_OK) {
    free(all);
    return status;
  }
  for (int i = 0; i < found; i++) {
    all[i].gain = now.expected_seconds / all[i].seconds;
  }
  qsort(all, (size_t)found, sizeof *all, by_time);
  set_ranks(all, found);
  *ranked = all;
  *count = found;
  return ROOF_OK;
}
