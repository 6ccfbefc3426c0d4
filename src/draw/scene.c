#include "roofline/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/glyph.h"
#include "roofline/units.h"

void roof_scene_init(roof_scene *scene) {
  memset(scene, 0, sizeof *scene);
}

/** Adds one ceiling of a series: `what` names it, `rate` is in FLOP/s, or with a `level` in B/s. */
static bool add_roof(roof_scene *scene, int series, const char *what, double rate, const roof_level *level,
                     roof_line_style style) {
  bool flat = level == NULL;
  if (!(rate > 0) || isinf(rate)) {
    return true;
  }
  if (scene->roof_count == ROOF_SCENE_ROOFS) {
    return false;
  }
  char quantity[32];
  roof_quantity_format(quantity, sizeof quantity, rate, flat ? "FLOP/s" : "B/s");
  roof_scene_roof *roof = &scene->roofs[scene->roof_count++];
  *roof = (roof_scene_roof){.flops_per_second = flat ? rate : NAN,
                            .bytes_per_second = flat ? NAN : rate,
                            .style = style,
                            .level = flat ? ROOF_REGISTERS : level->level,
                            .series = series};
  snprintf(roof->label, sizeof roof->label, "%.35s %s%s", what, quantity,
           style == ROOF_DASHED ? " measured" : "");
  rf_glyph_trim(roof->label, sizeof roof->label);
  return true;
}

/** The datasheet figure is solid, or the limit of the measured figure if there is no datasheet; the measured
 * figure is dashed. */
static bool add_peaks(roof_scene *scene, int series, const roof_machine *machine, roof_dtype dtype,
                      roof_unit unit) {
  const roof_peak *rated = roof_machine_peak(machine, dtype, unit, false, ROOF_DATASHEET);
  const roof_peak *measured = roof_machine_peak(machine, dtype, unit, false, ROOF_MEASURED);
  if (rated == NULL) {
    return true;
  }
  char what[48];
  snprintf(what, sizeof what, "%s %s", roof_dtype_name(dtype), roof_unit_name(unit));
  double limit = rated->kind == ROOF_MEASURED ? rated->limit_flops_per_second : rated->flops_per_second;
  return add_roof(scene, series, what, limit, NULL, ROOF_SOLID) &&
         (measured->kind != ROOF_MEASURED ||
          add_roof(scene, series, what, measured->flops_per_second, NULL, ROOF_DASHED));
}

/** The fastest of a level's access patterns; no mix of reads and writes can be faster. */
static double best_bandwidth(const roof_level *level) {
  double costs[ROOF_MIX_COUNT];
  roof_level_costs(level, costs);
  return 1 / roof_costs_least(costs);
}

static double best_limit(const roof_level *level) {
  double limit = fmax(level->limit_bytes_per_second, level->write_limit_bytes_per_second);
  limit = fmax(limit, fmax(level->copy_limit_bytes_per_second, level->update_limit_bytes_per_second));
  return fmax(limit, level->triad_limit_bytes_per_second);
}

static bool add_level(roof_scene *scene, int series, const roof_machine *machine, roof_level_kind kind) {
  const roof_level *rated = roof_machine_level(machine, kind, ROOF_DATASHEET);
  const roof_level *measured = roof_machine_level(machine, kind, ROOF_MEASURED);
  if (rated == NULL) {
    return true;
  }
  double limit = rated->kind == ROOF_MEASURED ? best_limit(rated) : best_bandwidth(rated);
  return add_roof(scene, series, rated->name, limit, rated, ROOF_SOLID) &&
         (measured->kind != ROOF_MEASURED ||
          add_roof(scene, series, measured->name, best_bandwidth(measured), measured, ROOF_DASHED));
}

roof_status roof_scene_add_machine(roof_scene *scene, const roof_machine *machine, roof_dtype dtype,
                                   roof_error *error) {
  int roofs = scene->roof_count;
  if (scene->series_count == ROOF_SCENE_SERIES) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d machines", machine->name,
                          ROOF_SCENE_SERIES);
  }
  int series = scene->series_count++;
  char *name = scene->series[series];
  snprintf(name, sizeof scene->series[0], "%s", machine->name);
  bool lanes =
      dtype == ROOF_FP64 || roof_machine_peak(machine, dtype, ROOF_VECTOR, false, ROOF_DATASHEET) != NULL;
  bool room = add_peaks(scene, series, machine, dtype, ROOF_MATRIX) &&
              add_peaks(scene, series, machine, lanes ? dtype : ROOF_FP32, ROOF_VECTOR);
  for (int kind = 0; kind < ROOF_LEVEL_KIND_COUNT; kind++) {
    room = room && add_level(scene, series, machine, (roof_level_kind)kind);
  }
  if (room && scene->roof_count > roofs) {
    return ROOF_OK;
  }
  scene->series_count--;
  scene->roof_count = roofs;
  return room ? roof_error_set(error, ROOF_E_ARGUMENT, "%s: no %s ceiling is known", machine->name,
                               roof_dtype_name(dtype))
              : roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d ceilings", machine->name,
                               ROOF_SCENE_ROOFS);
}

int roof_scene_series(roof_scene *scene, const char *name) {
  char cut[sizeof scene->series[0]];
  snprintf(cut, sizeof cut, "%s", name);
  for (int i = 1; i < scene->series_count; i++) {
    if (strcmp(scene->series[i], cut) == 0) {
      return i;
    }
  }
  if (scene->series_count == ROOF_SCENE_SERIES) {
    return 0;
  }
  memcpy(scene->series[scene->series_count], cut, sizeof cut);
  return scene->series_count++;
}

/** True if another roof of the series hides `roof` from the outline. */
static bool is_detail(const roof_scene *scene, const roof_scene_roof *roof) {
  bool flat = !isnan(roof->flops_per_second);
  for (int i = 0; i < scene->roof_count; i++) {
    const roof_scene_roof *other = &scene->roofs[i];
    if (other->series != roof->series || isnan(other->flops_per_second) == flat) {
      continue;
    }
    bool rated = other->style == ROOF_SOLID && roof->style == ROOF_DASHED;
    if ((!flat && other->level > roof->level) || (rated && (flat || other->level == roof->level))) {
      return true;
    }
  }
  return false;
}

void roof_scene_outline(roof_scene *scene) {
  bool detail[ROOF_SCENE_ROOFS];
  int all = scene->roof_count;
  for (int i = 0; i < all; i++) {
    detail[i] = is_detail(scene, &scene->roofs[i]);
  }
  scene->roof_count = 0;
  for (int i = 0; i < all; i++) {
    if (!detail[i]) {
      scene->roofs[scene->roof_count++] = scene->roofs[i];
    }
  }
}

int roof_scene_add_dot(roof_scene *scene, const roof_scene_dot *dot) {
  bool placed = dot->intensity > 0 && isfinite(dot->intensity) && dot->flops_per_second > 0 &&
                isfinite(dot->flops_per_second);
  if (!placed || dot->series < 0 || dot->series >= ROOF_SCENE_SERIES || scene->dot_count == ROOF_SCENE_DOTS) {
    return -1;
  }
  roof_scene_dot *copy = &scene->dots[scene->dot_count];
  *copy = *dot;
  rf_glyph_trim(copy->label, sizeof copy->label);
  rf_glyph_trim(copy->detail, sizeof copy->detail);
  return scene->dot_count++;
}

roof_status roof_scene_add_peak(roof_scene *scene, int series, const roof_machine *machine, roof_dtype dtype,
                                roof_unit unit, roof_error *error) {
  char what[48];
  int roofs = scene->roof_count;
  size_t length = (size_t)snprintf(what, sizeof what, "%s %s ", roof_dtype_name(dtype), roof_unit_name(unit));
  for (int i = 0; i < roofs; i++) {
    if (scene->roofs[i].series == series && strncmp(scene->roofs[i].label, what, length) == 0) {
      return ROOF_OK;
    }
  }
  if (add_peaks(scene, series, machine, dtype, unit)) {
    return ROOF_OK;
  }
  scene->roof_count = roofs;
  return roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d ceilings", machine->name,
                        ROOF_SCENE_ROOFS);
}

int roof_scene_add_placed(roof_scene *scene, const roof_scene_dot *dot, const roof_placed *placed) {
  roof_scene_dot judged = *dot;
  double flops = placed->flops;
  judged.intensity = dot->intensity > 0 ? dot->intensity : placed->intensity;
  judged.flops_per_second = dot->flops_per_second > 0 ? dot->flops_per_second : flops / placed->seconds;
  if (placed->state != ROOF_PLACE_UNKNOWN && flops > 0 && !dot->inner) {
    judged.ceiling_flops_per_second = judged.flops_per_second / placed->share;
    judged.above = placed->state > ROOF_PLACE_POSSIBLE;
  }
  return roof_scene_add_dot(scene, &judged);
}
