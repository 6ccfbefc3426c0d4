/* The kernels of a profile under a machine's ceilings, most time lost first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "roofline/advise.h"

/** Most time lost first; where that is unknown, by time, after the others. */
static int by_loss(const void *a, const void *b) {
  const roof_ranked_record *x = a, *y = b;
  double lost_x = x->at.lost_seconds, lost_y = y->at.lost_seconds;
  bool known_x = !isnan(lost_x), known_y = !isnan(lost_y);
  double vx = known_x ? lost_x : x->at.seconds, vy = known_y ? lost_y : y->at.seconds;
  if (known_x != known_y) {
    return known_x ? -1 : 1;
  }
  if (isnan(vx) || isnan(vy) || vx == vy) {
    return isnan(vx) != isnan(vy) ? (isnan(vx) ? 1 : -1) : strcmp(x->record->name, y->record->name);
  }
  return vx > vy ? -1 : 1;
}

/** A device with work in less than half of its cycles waits for the host, whatever its ceilings say. */
static bool is_starved(const roof_record *record) {
  double clue[ROOF_CLUE_COUNT];
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    clue[i] = NAN;
  }
  for (size_t i = 0; i < record->counter_count; i++) {
    roof_clue which;
    if (roof_clue_parse(record->counters[i].name, &which, NULL) == ROOF_OK) {
      clue[which] = record->counters[i].value;
    }
  }
  roof_seen seen = roof_regime_seen(clue);
  return seen.resource != NULL && seen.busy && seen.regime == ROOF_OVERHEAD_BOUND;
}

static void add(roof_ranking *r, const roof_ceilings *ceilings, const roof_record *record) {
  roof_ranked_record *row = &r->rows[r->count++];
  roof_counted work;
  row->record = record;
  roof_record_counted(record, &work);
  roof_place(ceilings, &work, &row->at);
  if (record->ran != NULL) {
    roof_place_heed(ceilings, record->ran->op, record->ran->values, &record->ran->types,
                    (double)record->calls, &row->at);
  }
  row->starved = is_starved(record);
  r->seconds += isnan(row->at.seconds) ? 0 : row->at.seconds;
  r->lost_seconds += row->at.lost_seconds > 0 ? row->at.lost_seconds : 0;
}

roof_status roof_profile_rank(const roof_profile *profile, const roof_ceilings *ceilings, const char *filter,
                              roof_ranking *ranking, roof_error *error) {
  regex_t pattern;
  roof_ranking r = {.lost_seconds = ceilings->machine != NULL ? 0 : NAN};
  roof_status status = filter != NULL ? rf_import_regex("--filter", filter, &pattern, error) : ROOF_OK;
  if (status != ROOF_OK) {
    return status;
  }
  r.rows = calloc(profile->count + 1, sizeof *r.rows);
  for (size_t i = 0; i < profile->count && r.rows != NULL; i++) {
    if (filter == NULL || regexec(&pattern, profile->records[i].name, 0, NULL, 0) == 0) {
      add(&r, ceilings, &profile->records[i]);
    }
  }
  if (filter != NULL) {
    regfree(&pattern);
  }
  if (r.rows == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  }
  qsort(r.rows, r.count, sizeof *r.rows, by_loss);
  for (size_t i = 0; i < r.count; i++) {
    r.rows[i].time_share = r.rows[i].at.seconds / r.seconds;
    if (r.rows[i].at.seconds > 0 && (r.longest == NULL || r.rows[i].at.seconds > r.longest->at.seconds)) {
      r.longest = &r.rows[i];
    }
  }
  *ranking = r;
  return ROOF_OK;
}
