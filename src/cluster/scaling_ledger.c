#include "cluster/scaling_ledger.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/ops.h"
#include "roofline/place.h"

/** "gemm m=1024 n=1024 k=1024 fp64 strong on 4 ranks", which no kernel that runs alone is named. */
static roof_status name_point(const rf_scaling_study *study, const rf_scaling_point *point,
                              char parameters[ROOF_LABEL_MAX], char label[ROOF_LABEL_MAX],
                              roof_error *error) {
  const roof_op *op = NULL;
  char problem[ROOF_LABEL_MAX];
  roof_status status = roof_op_find(study->kernel->op, &op, error);
  if (status == ROOF_OK) {
    roof_op_write_values(op, point->part.whole, parameters, ROOF_LABEL_MAX);
    roof_op_label(op, study->kernel->name, study->kernel->dtype, point->part.whole, problem, sizeof problem);
    snprintf(label, ROOF_LABEL_MAX, "%.90s %s on %d rank%s", problem, study->weak ? "weak" : "strong",
             point->part.ranks, point->part.ranks == 1 ? "" : "s");
  }
  return status;
}

static roof_status fill(const rf_scaling_study *study, const rf_scaling_point *point,
                        const roof_machine *machine, roof_sealing *s, roof_error *error) {
  char parameters[ROOF_LABEL_MAX];
  roof_sealing_init(s);
  roof_status status = name_point(study, point, parameters, s->label, error);
  s->named = true;
  s->origin = ROOF_SEALING_PREDICTED;
  snprintf(s->machine, sizeof s->machine, "%s", study->machine);
  snprintf(s->op, sizeof s->op, "%s", study->kernel->op);
  snprintf(s->parameters, sizeof s->parameters, "%s", parameters);
  snprintf(s->dtype, sizeof s->dtype, "%s", roof_dtype_name(study->kernel->dtype));
  snprintf(s->regime, sizeof s->regime, "%s", roof_regime_name(point->predicted.regime));
  snprintf(s->binding, sizeof s->binding, "%s", point->predicted.binding);
  s->flops = point->part.flops;
  s->network_seconds = point->predicted.network_seconds;
  s->lower_seconds = point->predicted.lower_seconds;
  s->expected_seconds = s->upper_seconds = point->predicted.seconds;
  s->expected_low_seconds = point->predicted.low;
  s->expected_high_seconds = point->predicted.high;
  return status == ROOF_OK ? roof_sealing_complete(s, machine, error) : status;
}

roof_status rf_scaling_seal(const rf_scaling_task *task, const rf_scaling_study *study, roof_error *error) {
  roof_sealings list = {0};
  roof_status status = ROOF_OK;
  for (int i = 0; i < study->count && status == ROOF_OK; i++) {
    roof_sealing one;
    status = fill(study, &study->points[i], task->machine, &one, error);
    status = status == ROOF_OK ? roof_sealings_add(&list, &one, error) : status;
  }
  if (status == ROOF_OK) {
    status = roof_ledger_seal(task->ledger, list.list, list.count, &task->how, error);
  }
  roof_sealings_done(&list);
  return status;
}

/** As reconcile judges it: by the bound, heeding what was expected. */
static const char *judge(const rf_scaling_point *point, const roof_measurement *m) {
  roof_counted counted;
  roof_placed placed;
  roof_counted_of(m, &counted);
  roof_place_time(point->predicted.lower_seconds, ROOF_THEORETICAL, m->seconds, counted.noise, &placed);
  const roof_verdict *verdict = roof_verdict_in(point->predicted.regime, placed.verdict);
  verdict = roof_verdict_heed(verdict, placed.share, m->seconds, point->predicted.low, point->predicted.high);
  return verdict != NULL ? verdict->name : "";
}

/** The point as the ledger takes it; the samples stay the caller's. */
static roof_status describe(const rf_scaling_study *study, const rf_scaling_point *point, double *samples,
                            size_t count, roof_measurement *m, roof_error *error) {
  char parameters[ROOF_LABEL_MAX];
  roof_measurement_init(m);
  roof_status status = name_point(study, point, parameters, m->label, error);
  snprintf(m->machine, sizeof m->machine, "%s", study->machine);
  m->dtype = study->kernel->dtype;
  m->flops = point->part.flops;
  m->threads = point->part.ranks;
  m->link_bytes = point->part.sent_bytes;
  m->samples = samples;
  m->sample_count = count;
  m->taken = (double)NAN;
  m->taken_from = ROOF_TAKEN_PROCESS;
  snprintf(m->counted_flops, sizeof m->counted_flops, "formula");
  status = status == ROOF_OK ? roof_stats_of(samples, count, &m->stats, error) : status;
  m->seconds = m->stats.median;
  return status;
}

roof_status rf_scaling_record(const rf_scaling_task *task, rf_scaling_study *study, rf_scaling_point *point,
                              double *samples, size_t count, roof_error *error) {
  roof_measurement m;
  roof_status status = describe(study, point, samples, count, &m, error);
  status = status == ROOF_OK ? roof_ledger_record(task->ledger, &m, 1, &task->how, error) : status;
  if (status == ROOF_OK) {
    point->measured.seconds = m.seconds;
    point->measured.low = m.stats.quartile_low;
    point->measured.high = m.stats.quartile_high;
    point->measured.steps = (int)count;
    snprintf(point->measured.verdict, sizeof point->measured.verdict, "%s", judge(point, &m));
    study->measured++;
  }
  return status;
}
