/* A kernel of a profile as one measurement, for the ledger. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/_intervals.h"
#include "import/_stalls.h"
#include "roofline/advise.h"
#include "roofline/documents.h"

/** Adds a count per call to a figure and to the sum of all; `how` is that of the largest. */
typedef struct sum {
  double *all;
  double largest;
  char *how;
  size_t size;
} sum;

static bool add(sum *s, double *figure, const roof_count *count, double calls) {
  double value = count->value / calls;
  if (isnan(value)) {
    return false;
  }
  *figure = value;
  *s->all = isnan(*s->all) ? value : *s->all + value;
  bool most = value > s->largest;
  if (most) {
    s->largest = value;
    snprintf(s->how, s->size, "%s", count->source);
  }
  return most;
}

static void add_flops(roof_measurement *m, const roof_record *record, double calls) {
  sum s = {&m->flops, -1, m->counted_flops, sizeof m->counted_flops};
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    bool most = add(&s, &m->dtype_flops[d], &record->other_flops[d], calls);
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      most |= add(&s, &m->unit_flops[d][u], &record->flops[d][u], calls);
    }
    m->dtype = most ? (roof_dtype)d : m->dtype;
  }
}

/** Bytes of each level; those of the outermost are the measurement's. */
static void add_bytes(roof_measurement *m, const roof_record *record, double calls) {
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    const roof_count *count = &record->bytes[l];
    if (!isnan(count->value)) {
      m->bytes = m->level_bytes[l] = count->value / calls;
      snprintf(m->counted, sizeof m->counted, "%s", count->source);
    }
  }
  if (isnan(m->bytes)) {
    m->bytes = record->other_bytes.value / calls;
    snprintf(m->counted, sizeof m->counted, "%s", record->other_bytes.source);
  }
  m->link_bytes = record->link_bytes.value / calls;
  snprintf(m->link, sizeof m->link, "%s", record->link);
}

/** Clues with a valid value first, then as many others as fit. */
static void add_counters(roof_measurement *m, const roof_record *record) {
  for (int clues = 1; clues >= 0; clues--) {
    for (size_t i = 0; i < record->counter_count; i++) {
      roof_clue clue;
      bool is_clue = roof_clue_parse(record->counters[i].name, &clue, NULL) == ROOF_OK;
      if (is_clue == (clues == 1) && !rf_stall_is(record->counters[i].name) &&
          !rf_interval_is(record->counters[i].name) && isfinite(record->counters[i].value)) {
        (void)roof_measurement_count(m, record->counters[i].name, record->counters[i].value, NULL);
      }
    }
  }
}

/** Its label, and what its calls were named before --merge gave them that, where it can be shown in one line. */
static void add_names(roof_measurement *m, const roof_record *record) {
  const char *own = record->own_name;
  if (own != NULL && strcmp(own, record->name) != 0 && roof_text_is_plain(own)) {
    roof_measurement_name(m, own);
    size_t used = (size_t)snprintf(m->measured_as, sizeof m->measured_as, "%s", m->label);
    if (record->own_names > 1) {
      snprintf(m->measured_as + used, sizeof m->measured_as - used, " and %" PRIu64 " more",
               record->own_names - 1);
    }
  }
  roof_measurement_name(m, record->name);
}

roof_status roof_record_measurement(const roof_record *record, roof_measurement *measurement,
                                    roof_error *error) {
  double calls = record->calls > 0 ? (double)record->calls : 1;
  roof_measurement m;
  roof_status status = ROOF_OK;
  roof_measurement_init(&m);
  m.dtype = ROOF_FP32;
  add_names(&m, record);
  m.calls = (double)record->calls;
  m.total_seconds = roof_record_seconds(record);
  m.seconds = m.total_seconds / calls;
  add_flops(&m, record, calls);
  add_bytes(&m, record, calls);
  add_counters(&m, record);
  for (size_t i = 0; i < record->sample_count && status == ROOF_OK; i++) {
    status = roof_measurement_sample(&m, record->samples[i], error);
  }
  if (status != ROOF_OK) {
    roof_measurement_done(&m);
    return status;
  }
  *measurement = m;
  return ROOF_OK;
}

roof_status roof_ranking_measurements(const roof_profile *profile, const roof_ranking *ranking,
                                      const roof_machine *machine, roof_measurements *all,
                                      roof_error *error) {
  roof_measurements list = {0};
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < ranking->count && status == ROOF_OK; i++) {
    roof_measurement *m = NULL;
    status = roof_measurements_add(&list, &m, error);
    if (status == ROOF_OK &&
        (status = roof_record_measurement(ranking->rows[i].record, m, error)) == ROOF_OK) {
      m->taken = profile->taken;
      snprintf(m->uncounted, sizeof m->uncounted, "%s", ranking->rows[i].uncounted);
      m->taken_from = isnan(profile->taken)    ? ROOF_TAKEN_PIPE
                      : profile->dated_by_file ? ROOF_TAKEN_FILE
                                               : ROOF_TAKEN_SAID;
      snprintf(m->machine, sizeof m->machine, "%s", machine != NULL ? machine->name : "");
    }
  }
  if (status != ROOF_OK) {
    roof_measurements_done(&list);
    return status;
  }
  *all = list;
  return ROOF_OK;
}
