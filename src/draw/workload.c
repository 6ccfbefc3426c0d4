/* What runs as a whole, as dots of a scene: the operations of a graph or a list, the phases of a model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "draw/glyph.h"
#include "roofline/charts.h"

enum { FEW = 12 }; /**< of so many operations the labels say the shapes too */

/** Where an item lies. */
typedef struct place {
  double intensity, rate, seconds;
} place;

static place place_of(const roof_workload_item *item, const roof_prediction *p) {
  return (place){p->intensity, p->work.flops / p->expected_seconds, item->count * p->expected_seconds};
}

/** A dot of the workload, from `first`, at the same place under the same name; NULL: none. */
static roof_scene_dot *find_dot(roof_scene *scene, int first, const char *label, const place *at) {
  for (int i = first; i < scene->dot_count; i++) {
    roof_scene_dot *dot = &scene->dots[i];
    if (strcmp(dot->label, label) == 0 && fabs(dot->intensity - at->intensity) <= 1e-3 * at->intensity &&
        fabs(dot->flops_per_second - at->rate) <= 1e-3 * at->rate) {
      return dot;
    }
  }
  return NULL;
}

static roof_status add_item(roof_scene *scene, int series, int first, const roof_workload_item *item,
                            const roof_prediction *p, double all, bool shapes, roof_error *error) {
  place at = place_of(item, p);
  char wall[ROOF_NAME_MAX];
  roof_scene_dot dot = {.intensity = at.intensity,
                        .flops_per_second = at.rate,
                        .attainable_flops_per_second = p->attainable,
                        .ceiling_flops_per_second = roof_prediction_ceiling(p),
                        .share = at.seconds / all,
                        .predicted = true,
                        .series = series,
                        .next = -1};
  snprintf(dot.label, sizeof dot.label, "%.30s%s%.47s", item->op, shapes ? " " : "",
           shapes ? item->shape : "");
  rf_glyph_trim(dot.label, sizeof dot.label);
  roof_scene_dot *same = find_dot(scene, first, dot.label, &at);
  if (same != NULL) {
    same->share += dot.share;
    return ROOF_OK;
  }
  snprintf(dot.detail, sizeof dot.detail, "%.80s: %.48s", item->shape,
           roof_prediction_wall(p, wall, sizeof wall));
  if (roof_scene_add_dot(scene, &dot) >= 0) {
    return ROOF_OK;
  }
  return scene->dot_count == ROOF_SCENE_DOTS
             ? roof_error_set(error, ROOF_E_ARGUMENT, "chart: it holds at most %d dots", ROOF_SCENE_DOTS)
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: its rate is not known", item->op);
}

/** All operations together, joined to the whole that was added before it. */
static void add_whole(roof_scene *scene, int series, const roof_workload *workload,
                      const roof_workload_answer *answer, bool arrow) {
  roof_scene_dot whole = {.intensity = answer->flops / answer->bytes,
                          .flops_per_second = answer->flops / answer->expected_seconds,
                          .predicted = true,
                          .series = series,
                          .next = -1};
  int before = -1;
  for (int i = 0; i < scene->dot_count; i++) {
    before = strncmp(scene->dots[i].label, "all of ", 7) == 0 ? i : before;
  }
  snprintf(whole.label, sizeof whole.label, "all of %.60s", scene->series[series]);
  snprintf(whole.detail, sizeof whole.detail, "%.0f operations of %.80s", answer->calls, workload->name);
  int added = roof_scene_add_dot(scene, &whole);
  if (added >= 0 && before >= 0 && arrow) {
    scene->dots[before].next = added;
  }
}

roof_status roof_scene_add_workload(roof_scene *scene, const roof_machine *machine, const char *name,
                                    const roof_workload *workload, const roof_workload_answer *answer,
                                    bool arrow, roof_error *error) {
  int series = roof_scene_series(scene, name), first = scene->dot_count;
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < workload->count && status == ROOF_OK; i++) {
    const roof_prediction *p = &answer->items[i];
    if (!(p->work.flops > 0) || !(p->bytes > 0)) {
      continue;
    }
    if (p->peak != NULL) {
      status = roof_scene_add_peak(scene, 0, machine, p->peak->dtype, p->peak->unit, error);
    }
    if (status == ROOF_OK) {
      status = add_item(scene, series, first, &workload->items[i], p, answer->expected_seconds,
                        workload->count <= FEW, error);
    }
  }
  if (status == ROOF_OK && scene->dot_count == first) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%s: none of its operations does FLOPs", workload->name);
  }
  if (status == ROOF_OK) {
    add_whole(scene, series, workload, answer, arrow);
  }
  return status;
}

/** An operation of a phase as large as its part of the phase's time; what does no FLOPs has no place. */
static roof_status add_operation(roof_scene *scene, const roof_machine *machine, int series,
                                 const roof_model_phase *phase, const roof_model_operation *o,
                                 roof_error *error) {
  roof_scene_dot dot = {.intensity = o->intensity,
                        .flops_per_second = o->flops / o->expected_seconds,
                        .ceiling_flops_per_second = o->flops / o->lower_seconds,
                        .share = o->count * o->expected_seconds / phase->expected_seconds,
                        .predicted = true,
                        .series = series,
                        .next = -1};
  if (!(o->flops > 0) || !(o->intensity > 0)) {
    return ROOF_OK;
  }
  if (o->peak != NULL &&
      roof_scene_add_peak(scene, 0, machine, o->peak->dtype, o->peak->unit, error) != ROOF_OK) {
    return ROOF_E_ARGUMENT;
  }
  snprintf(dot.label, sizeof dot.label, "%s %.60s", roof_phase_name(phase->kind), o->name);
  rf_format(dot.detail, sizeof dot.detail, "%.60s: %s, %s-bound, %.1f %% of the time of %s",
            scene->series[series], roof_operation_kind_name(o->kind), roof_regime_name(o->regime),
            100 * dot.share, roof_phase_name(phase->kind));
  return roof_scene_add_dot(scene, &dot) >= 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: no rate is known, or the chart holds no more dots",
                              dot.label);
}

/** All of a phase. */
static roof_status add_phase(roof_scene *scene, int series, const roof_model_phase *phase,
                             roof_error *error) {
  roof_scene_dot dot = {.intensity = phase->flops / phase->memory_bytes,
                        .flops_per_second = phase->flops / phase->expected_seconds,
                        .share = 1,
                        .predicted = true,
                        .series = series,
                        .next = -1};
  snprintf(dot.label, sizeof dot.label, "%s", roof_phase_name(phase->kind));
  snprintf(dot.detail, sizeof dot.detail, "%.90s: %d operations", scene->series[series], phase->count);
  return roof_scene_add_dot(scene, &dot) >= 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: no rate is known, or the chart holds no more dots",
                              dot.label);
}

roof_status roof_scene_add_model(roof_scene *scene, const roof_machine *machine, const char *name,
                                 const roof_model_answer *answer, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < ROOF_PHASE_COUNT && status == ROOF_OK; i++) {
    const roof_model_phase *phase = &answer->phases[i];
    if (!phase->present) {
      continue;
    }
    /* the mixed one is made of the others' operations */
    int operations = phase->kind == ROOF_PHASE_MIXED ? 0 : phase->count;
    int series = roof_scene_series(scene, name != NULL ? name : roof_phase_name(phase->kind));
    for (int k = 0; k < operations && status == ROOF_OK; k++) {
      status = add_operation(scene, machine, series, phase, &phase->operations[k], error);
    }
    status = status == ROOF_OK ? add_phase(scene, series, phase, error) : status;
  }
  return status;
}
