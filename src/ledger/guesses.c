/* What persons predicted, next to what the model did, graded over all labels. */
#include <math.h>
#include <stdlib.h>

#include "core/number.h"
#include "ledger/entry.h"
#include "roofline/stats.h"

/** |predicted / measured - 1| of those that a person predicted too; returns how many. */
static size_t gather(const roof_reconcile *all, double *mine, double *models, size_t *nearer) {
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++) {
    const roof_reconciled *r = &all->entries[i];
    if (!isnan(r->mine_seconds)) {
      mine[count] = fabs(r->mine_error);
      models[count] = fabs(r->predicted_seconds / r->measured_seconds - 1);
      *nearer += mine[count] < models[count];
      count++;
    }
  }
  return count;
}

roof_status rf_ledger_grade(const roof_reconcile *all, roof_guesses *guesses, roof_error *error) {
  roof_guesses g = {.median_error = NAN, .model_median_error = NAN};
  double *errors = calloc(2 * all->count + 1, sizeof *errors);
  roof_stats stats;
  if (errors == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "reconcile: out of memory");
  }
  double *models = errors + all->count;
  g.count = gather(all, errors, models, &g.nearer);
  if (g.count > 0 && roof_stats_of(errors, g.count, &stats, NULL) == ROOF_OK) {
    g.median_error = stats.median;
  }
  if (g.count > 0 && roof_stats_of(models, g.count, &stats, NULL) == ROOF_OK) {
    g.model_median_error = stats.median;
  }
  free(errors);
  *guesses = g;
  return ROOF_OK;
}
