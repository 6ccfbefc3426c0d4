/* Predictions as scenes: an operation at each level of the memory, the operations of a model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "roofline/plot.h"

static bool is_alike(const roof_prediction *p, int i, int k) {
  return p->levels[k].seconds > 0 &&
         fabs(p->levels[k].bytes - p->levels[i].bytes) <= 1e-3 * p->levels[i].bytes;
}

/** "gemm at L1, L2": the levels that move as many bytes. */
static void name_level(const roof_op *op, const roof_prediction *p, int i, char *label, size_t size) {
  size_t used = (size_t)snprintf(label, size, "%.30s at", op->name);
  for (int k = 0; k <= i && used < size; k++) {
    if (is_alike(p, i, k)) {
      used += (size_t)snprintf(label + used, size - used, "%s %.15s", label[used - 1] == 't' ? "" : ",",
                               p->levels[k].level->name);
    }
  }
}

/** A dot at the bytes of level `i`, joined to the one before; the outermost has the operation's name. */
static int add_level(roof_scene *scene, const roof_target *target, const roof_op *op,
                     const roof_prediction *p, int i, int before) {
  const roof_level_time *at = &p->levels[i];
  bool outer = i == p->level_count - 1;
  roof_scene_dot dot = {.intensity = at->intensity,
                        .flops_per_second = p->work.flops / p->expected_seconds,
                        .attainable_flops_per_second = outer ? p->attainable : 0,
                        .ceiling_flops_per_second = outer ? roof_prediction_ceiling(p) : 0,
                        .predicted = true,
                        .inner = !outer,
                        .level = at->level->level,
                        .next = -1};
  snprintf(dot.key, sizeof dot.key, "%s", op->name);
  name_level(op, p, i, dot.label, sizeof dot.label);
  roof_prediction_wall(p, dot.detail, sizeof dot.detail);
  int added = outer ? roof_scene_add_predicted(scene, &dot, target, p) : roof_scene_add_dot(scene, &dot);
  if (added >= 0 && before >= 0) {
    scene->dots[before].next = added;
  }
  return added >= 0 ? added : before;
}

/** Whether a level further out moves as many bytes: one dot stands for both. */
static bool is_repeated(const roof_prediction *p, int i) {
  for (int k = i + 1; k < p->level_count; k++) {
    if (is_alike(p, i, k)) {
      return true;
    }
  }
  return false;
}

/** One machine in one format: a dot for each level that the bytes differ at. */
static roof_status add_levels(roof_scene *scene, const roof_target *target, const roof_op *op,
                              const double *values, roof_error *error) {
  roof_prediction p;
  int last = -1;
  roof_predict(target, op, values, &p);
  if (!(p.work.flops > 0) || !(p.expected_seconds > 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: %s, so it has no place on a roofline", op->name,
                          p.work.flops > 0 ? "its time is not known" : "it does no FLOPs");
  }
  roof_status status =
      p.peak != NULL ? roof_scene_add_peak(scene, 0, target->machine, p.peak->dtype, p.peak->unit, error)
                     : ROOF_OK;
  for (int i = 0; i < p.level_count && status == ROOF_OK; i++) {
    bool drawn = p.levels[i].bytes > 0 && p.levels[i].seconds > 0 && !is_repeated(&p, i);
    last = drawn ? add_level(scene, target, op, &p, i, last) : last;
  }
  return status != ROOF_OK || last >= 0
             ? status
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: no level's bandwidth is known", op->name);
}

/** One after the other, a colour each: machines, or the formats of one. */
static roof_status add_targets(roof_scene *scene, const roof_targets *t, const roof_shape *shape,
                               roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < t->count && status == ROOF_OK; i++) {
    status = roof_scene_add_machine(scene, t->targets[i].machine, t->targets[i].types.compute, error);
    if (status == ROOF_OK && i > 0 && t->targets[i].machine == t->targets[i - 1].machine) {
      status =
          roof_error_set(error, ROOF_E_ARGUMENT, "several formats: `roofline plot` draws them on one chart");
    }
    roof_scene_outline(scene);
  }
  for (int i = 0; i < t->count && status == ROOF_OK; i++) {
    status = roof_scene_add_shape(scene, &t->targets[i], i, shape, false, error);
  }
  return status;
}

roof_status roof_prediction_scene(const roof_targets *targets, const roof_shape *shape, roof_scene *scene,
                                  roof_error *error) {
  const roof_target *first = &targets->targets[0];
  double values[ROOF_PARAM_MAX];
  char words[160], apart[ROOF_FORMATS_APART];
  roof_scene_init(scene);
  snprintf(scene->title, sizeof scene->title, "%.40s on %.60s, %s%s", shape->op->name,
           targets->count > 1 ? "several machines" : roof_machine_title(first->machine),
           roof_dtype_name(first->types.compute), roof_formats_apart(&first->types, apart, sizeof apart));
  roof_status status = roof_shape_point(shape, 0, values, error);
  if (status == ROOF_OK) {
    roof_op_write_values(shape->op, values, words, sizeof words);
    snprintf(scene->subtitle, sizeof scene->subtitle, "%.159s", words);
  }
  if (targets->count > 1) {
    return status == ROOF_OK ? add_targets(scene, targets, shape, error) : status;
  }
  status =
      status == ROOF_OK ? roof_scene_add_machine(scene, first->machine, first->types.compute, error) : status;
  return status == ROOF_OK ? add_levels(scene, first, shape->op, values, error) : status;
}

roof_status roof_model_scene(const roof_model_target *target, const roof_model_answer *answer,
                             roof_scene *scene, roof_error *error) {
  const roof_model_settings *s = &target->settings;
  roof_scene_init(scene);
  snprintf(scene->title, sizeof scene->title, "%.60s on %.60s", roof_model_title(target->model),
           roof_machine_title(target->machine));
  rf_format(scene->subtitle, sizeof scene->subtitle,
            "batch %.0f, %.0f tokens in, %.0f out: each operation as large as its share of its phase's time",
            s->batch, s->prompt, s->generate);
  roof_status status = roof_scene_add_machine(scene, target->machine, target->plain.types.compute, error);
  return status == ROOF_OK ? roof_scene_add_model(scene, target->machine, NULL, answer, error) : status;
}
