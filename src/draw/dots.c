/* What is drawn where: the points of an operation and measured kernels as dots of a scene. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/geometry.h"
#include "roofline/advise.h"
#include "roofline/draw.h"

/** "gemm m=8 n=8 k=8": what was typed, or with several points what changes. */
static roof_status name_dot(const roof_shape *shape, size_t index, const double *values, char *label,
                            size_t size, roof_error *error) {
  roof_text text = {0};
  const roof_op *op = shape->op;
  roof_text_add(&text, op->name);
  for (int i = 0; i < roof_op_param_count(op) && shape->points == 1; i++) {
    char value[64];
    if (shape->typed & 1u << i) {
      roof_text_addf(&text, " %s=%s", op->params[i].name,
                     roof_op_value_text(op, i, values[i], value, sizeof value));
    }
  }
  if (shape->points > 1) {
    roof_text_add(&text, " ");
    roof_shape_add_point(&text, shape, index, -1);
  }
  snprintf(label, size, "%s", text.data != NULL ? text.data : "");
  bool failed = text.failed;
  roof_text_done(&text);
  return failed ? roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", op->name) : ROOF_OK;
}

int roof_scene_add_predicted(roof_scene *scene, const roof_scene_dot *dot, const roof_target *target,
                             const roof_prediction *prediction) {
  roof_placed at;
  rf_scene_heed_mix(scene, dot->series, target, &prediction->work);
  if (prediction->regime != ROOF_MEMORY_BOUND || roof_prediction_is_kept(prediction)) {
    return roof_scene_add_dot(scene, dot);
  }
  roof_place_work(target, &prediction->work, prediction->expected_seconds, NAN, &at);
  at.verdict = NULL; /* nothing was measured */
  return roof_scene_add_placed(scene, dot, &at);
}

/** Says why a dot was not `added` (negative); `joined`: an arrow leads to it from the dot before. */
static roof_status finish_dot(roof_scene *scene, const roof_scene_dot *dot, int added, bool joined,
                              roof_error *error) {
  if (added < 0 && scene->dot_count == ROOF_SCENE_DOTS) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d dots", dot->label,
                          ROOF_SCENE_DOTS);
  }
  if (added < 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: %s gives it no attainable rate", dot->label,
                          scene->series[dot->series]);
  }
  if (joined) {
    scene->dots[added - 1].next = added;
  }
  return ROOF_OK;
}

static roof_status add_point(roof_scene *scene, const roof_target *target, const roof_shape *shape,
                             size_t index, roof_scene_dot *dot, bool joined, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_status status = roof_shape_point(shape, index, values, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_predict(target, shape->op, values, &p);
  if (!(p.work.flops > 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: it does no FLOPs, so it has no place on a roofline",
                          shape->op->name);
  }
  status = roof_prediction_bounds(target, &p, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (p.peak != NULL) {
    status = roof_scene_add_peak(scene, dot->series, target->machine, p.peak->dtype, p.peak->unit, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  dot->intensity = p.intensity;
  dot->attainable_flops_per_second = p.attainable;
  dot->ceiling_flops_per_second = roof_prediction_ceiling(&p);
  dot->flops_per_second = p.work.flops / p.expected_seconds;
  if (name_dot(shape, index, values, dot->label, sizeof dot->label, error) != ROOF_OK) {
    return ROOF_E_MEMORY;
  }
  roof_prediction_wall(&p, dot->detail, sizeof dot->detail);
  return finish_dot(scene, dot, roof_scene_add_predicted(scene, dot, target, &p), joined, error);
}

roof_status roof_scene_add_shape(roof_scene *scene, const roof_target *target, int series,
                                 const roof_shape *shape, bool arrows, roof_error *error) {
  roof_status status = ROOF_OK;
  int axes = shape->axis_count;
  for (size_t i = 0; i < shape->points && status == ROOF_OK; i++) {
    roof_scene_dot dot = {.predicted = true, .series = series, .group = shape->op->family, .next = -1};
    /* The last list runs fastest: an arrow follows its values and ends with them. */
    bool first = axes == 0 || i % shape->axes[axes - 1].count == 0;
    status = add_point(scene, target, shape, i, &dot, arrows && !first, error);
  }
  return status;
}

/** The level that the bytes were counted at; ROOF_REGISTERS: none, or several. */
static roof_level_kind counted_level(const roof_measurement *m) {
  roof_level_kind level = ROOF_REGISTERS;
  int count = 0;
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    level = m->level_bytes[i] > 0 ? (roof_level_kind)i : level;
    count += m->level_bytes[i] > 0;
  }
  return count == 1 ? level : ROOF_REGISTERS;
}

roof_status roof_scene_add_measurements(roof_scene *scene, const roof_machine *machine, int series,
                                        const roof_measurement *list, size_t count, const char *name,
                                        bool arrows, roof_error *error) {
  roof_ceilings ceilings;
  size_t placed = 0;
  roof_status status = roof_ceilings_init(&ceilings, machine, 0, NULL, error);
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    const roof_measurement *m = &list[i];
    roof_placed at;
    roof_scene_dot dot = {.intensity = m->flops / m->bytes,
                          .flops_per_second = m->flops / m->seconds,
                          .series = series,
                          .level = counted_level(m),
                          .next = -1};
    if (!(m->flops > 0) || !(m->bytes > 0) || !(m->seconds > 0)) {
      continue;
    }
    snprintf(dot.label, sizeof dot.label, "%s", m->label);
    snprintf(dot.detail, sizeof dot.detail, "measured%s%.140s", m->note[0] != '\0' ? ": " : "", m->note);
    status = roof_place_measurement(&ceilings, m, &at, error);
    const roof_peak *peak = status == ROOF_OK ? ceilings.peak[at.dtype][at.unit] : NULL;
    if (peak != NULL) {
      status = roof_scene_add_peak(scene, series, machine, peak->dtype, peak->unit, error);
    }
    if (status != ROOF_OK) {
      return status;
    }
    int added = roof_scene_add_placed(scene, &dot, &at);
    status = finish_dot(scene, &dot, added, arrows && placed > 0, error);
    placed++;
  }
  if (status == ROOF_OK && placed == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: no kernel of it has time, FLOPs and bytes", name);
  }
  if (status == ROOF_OK && placed < count) {
    roof_text subtitle = {0};
    roof_text_addf(&subtitle, "%zu of %zu kernels of %.80s: the others lack FLOPs or bytes", placed, count,
                   name);
    snprintf(scene->subtitle, sizeof scene->subtitle, "%s", subtitle.data != NULL ? subtitle.data : "");
    scene->left_out += (int)(count - placed);
    status = subtitle.failed ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory") : status;
    roof_text_done(&subtitle);
  }
  return status;
}

static roof_status add_title(roof_scene *scene, roof_machine *const *machines, int count, roof_dtype dtype,
                             roof_error *error) {
  roof_text title = {0};
  for (int i = 0; i < count; i++) {
    roof_text_addf(&title, "%s%s", i > 0 ? ", " : "",
                   count == 1 ? roof_machine_title(machines[i]) : machines[i]->name);
  }
  rf_scene_title(scene, title.data != NULL ? title.data : "", dtype);
  bool failed = title.failed;
  roof_text_done(&title);
  return failed ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory") : ROOF_OK;
}

roof_status roof_scene_add_machines(roof_scene *scene, roof_machine *const *machines, int count,
                                    roof_dtype dtype, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = roof_scene_add_machine(scene, machines[i], dtype, error);
    if (count > 1) {
      roof_scene_outline(scene); /* of each at once: all that is known of eight machines has no room */
    }
  }
  return status == ROOF_OK ? add_title(scene, machines, count, dtype, error) : status;
}

void roof_scene_label_by_machine(roof_scene *scene) {
  bool alike = scene->dot_count > 1 && scene->series_count > 1;
  for (int i = 1; i < scene->dot_count && alike; i++) {
    alike = strcmp(scene->dots[i].label, scene->dots[0].label) == 0;
  }
  if (!alike) {
    return;
  }
  snprintf(scene->subtitle, sizeof scene->subtitle, "%s", scene->dots[0].label);
  for (int i = 0; i < scene->dot_count; i++) {
    roof_scene_dot *dot = &scene->dots[i];
    snprintf(dot->label, sizeof dot->label, "%s", scene->series[dot->series]);
  }
}
