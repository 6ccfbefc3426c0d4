#include "cluster/collectives_ledger.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

/** What both lines of the ledger have in common. */
static void name_line(const rf_collectives_ledger *l, const roof_collective_curve *curve,
                      const roof_collective_time *t, char *label, char *parameters) {
  if (t->bytes > 0) {
    rf_format(parameters, ROOF_LABEL_MAX, "size=%.0f ranks=%d", t->bytes, curve->ranks);
  } else {
    snprintf(parameters, ROOF_LABEL_MAX, "ranks=%d", curve->ranks);
  }
  snprintf(label, ROOF_LABEL_MAX, "%.16s%.23s %.80s", l->prefix, curve->op, parameters);
}

/** No algorithm beats it: a message, and a rank's bytes at the best rate that was seen. */
static double bound(const rf_collective *of, const roof_distance_fit *far, const roof_collective_time *t,
                    int ranks) {
  double best = INFINITY;
  for (int i = 0; i < far->time_count; i++) {
    const roof_message_time *m = &far->times[i];
    best = fmin(best,
                fmin(m->seconds, isnan(m->windowed_seconds) ? m->seconds : m->windowed_seconds) / m->bytes);
  }
  double bytes = of->copies * t->bytes * (ranks - 1) / ranks;
  return fmin(fmax(far->times[0].seconds_low, bytes * best), t->predicted[t->expected]);
}

static void fill(const rf_collectives_ledger *l, const rf_collective *of, const roof_distance_fit *far,
                 const roof_collective_curve *curve, const roof_collective_time *t, roof_sealing *s) {
  char parameters[ROOF_LABEL_MAX];
  roof_sealing_init(s);
  name_line(l, curve, t, s->label, parameters);
  s->named = true;
  s->origin = ROOF_SEALING_PREDICTED;
  snprintf(s->machine, sizeof s->machine, "%s", l->machine);
  snprintf(s->op, sizeof s->op, "%s", curve->op);
  snprintf(s->parameters, sizeof s->parameters, "%s", parameters);
  snprintf(s->dtype, sizeof s->dtype, "%s", roof_dtype_name(ROOF_FP32));
  snprintf(s->regime, sizeof s->regime, "%s", roof_regime_name(ROOF_NETWORK_BOUND));
  snprintf(s->binding, sizeof s->binding, "%s", curve->algorithms[t->expected]);
  s->lower_seconds = bound(of, far, t, curve->ranks);
  s->expected_seconds = s->network_seconds = s->upper_seconds = t->predicted[t->expected];
  for (int i = 0; i < curve->algorithm_count; i++) {
    s->upper_seconds = fmax(s->upper_seconds, t->predicted[i]);
  }
}

roof_status rf_collectives_seal(void *ledger, const roof_collective_curve *curves, int count,
                                roof_error *error) {
  const rf_collectives_ledger *l = ledger;
  const roof_distance_fit *far = roof_fabric_farthest(l->fabric);
  roof_sealings list = {0};
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    for (int k = 0; k < curves[i].time_count && status == ROOF_OK; k++) {
      roof_sealing one;
      fill(l, &rf_collectives[i], far, &curves[i], &curves[i].times[k], &one);
      status = roof_sealings_add(&list, &one, error);
    }
  }
  if (status == ROOF_OK) {
    status = roof_ledger_seal(l->path, list.list, list.count, &l->how, error);
  }
  roof_sealings_done(&list);
  return status;
}

void rf_collectives_keep(void *ledger, const roof_collective_curve *curve, int size, const double *samples,
                         size_t count) {
  rf_collectives_ledger *l = ledger;
  if (count == 0) {
    return;
  }
  roof_measurement *grown = realloc(l->list, (l->count + 1) * sizeof *grown);
  double *own = malloc(2 * count * sizeof *own);
  l->list = grown != NULL ? grown : l->list;
  if (grown == NULL || own == NULL) {
    l->starved = true;
    free(own);
    return;
  }
  char parameters[ROOF_LABEL_MAX];
  roof_measurement *m = &l->list[l->count++];
  roof_measurement_init(m);
  name_line(l, curve, &curve->times[size], m->label, parameters);
  snprintf(m->machine, sizeof m->machine, "%s", l->machine);
  m->dtype = ROOF_FP32;
  memcpy(own, samples, count * sizeof *own);
  memcpy(own + count, samples, count * sizeof *own);
  roof_stats_of(own + count, count, &m->stats, NULL);
  m->samples = own;
  m->sample_count = count;
  m->seconds = m->stats.median;
  m->taken = (double)NAN;
  m->taken_from = ROOF_TAKEN_PROCESS;
}

roof_status rf_collectives_record(rf_collectives_ledger *ledger, roof_error *error) {
  roof_status status =
      ledger->starved ? roof_error_set(error, ROOF_E_MEMORY, "network: out of memory") : ROOF_OK;
  if (status == ROOF_OK && ledger->count > 0) {
    status = roof_ledger_record(ledger->path, ledger->list, ledger->count, &ledger->how, error);
  }
  for (size_t i = 0; i < ledger->count; i++) {
    roof_measurement_done(&ledger->list[i]);
  }
  free(ledger->list);
  ledger->list = NULL;
  ledger->count = 0;
  return status;
}
