/* What has run as a scene: built-in kernels, the rungs of a ladder, a program's regions. */
#include <stdio.h>

#include "core/number.h"
#include "roofline/plot.h"
#include "roofline/units.h"

enum { SHORT = 48 };

/* Built-in kernels. */

static roof_status add_run(roof_scene *scene, const roof_run *r, roof_error *error) {
  char size[SHORT], series[SHORT];
  const char *level = r->level != NULL ? r->level->name : "";
  snprintf(series, sizeof series, "data in %.39s", level);
  roof_scene_dot dot = {.series = roof_scene_series(scene, series),
                        .level = r->level != NULL ? r->level->level : ROOF_REGISTERS,
                        .next = -1};
  snprintf(dot.label, sizeof dot.label, "%s%s%s", r->kernel->name, r->point[0] != '\0' ? " " : "", r->point);
  snprintf(dot.detail, sizeof dot.detail, "%s in %s, %.0f %% of its ceiling",
           roof_bytes_format(size, sizeof size, r->working_set), level, 100 * r->at.share);
  return roof_scene_add_placed(scene, &dot, &r->at) >= 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT,
                              "%s: a chart holds at most %d dots, each with FLOPs and bytes",
                              r->measurement.label, ROOF_SCENE_DOTS);
}

roof_status roof_runs_scene(const roof_runs *runs, roof_scene *scene, roof_error *error) {
  roof_scene_init(scene);
  if (runs->machine == NULL || runs->count == 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "chart: %s",
                          runs->count == 0 ? "nothing has run" : "the ceilings are unknown");
  }
  roof_dtype dtype = runs->list[0].dtype;
  snprintf(scene->title, sizeof scene->title, "%s: measured kernels, %s", runs->machine->title,
           roof_dtype_name(dtype));
  snprintf(scene->subtitle, sizeof scene->subtitle,
           "colours: the level that holds the data of a kernel's call");
  roof_status status = roof_scene_add_machine(scene, runs->machine, dtype, error);
  for (size_t i = 0; i < runs->count && status == ROOF_OK; i++) {
    status = runs->list[i].skipped[0] == '\0' ? add_run(scene, &runs->list[i], error) : ROOF_OK;
  }
  return status;
}

/* A ladder. */

/** The sizes that all rungs share, and whose bytes the intensity is of. */
static void write_subtitle(const roof_ladder *l, char *text, size_t size) {
  size_t used = 0;
  for (int i = 0; i < roof_op_param_count(l->op) && used < size; i++) {
    if (l->op->params[i].kind != ROOF_PARAM_CHOICE) {
      used += (size_t)rf_format(text + used, size - used, "%s%s=%.15g", used > 0 ? " " : "",
                                l->op->params[i].name, l->values[i]);
    }
  }
  if (l->moved != NULL && used < size) {
    snprintf(text + used, size - used, "; FLOP per byte that each moves from %s", l->moved->name);
  }
}

roof_status roof_ladder_scene(const roof_ladder *l, roof_scene *scene, roof_error *error) {
  int before = -1;
  roof_scene_init(scene);
  snprintf(scene->title, sizeof scene->title, "%s: the ladder of %s in %s", l->machines[0]->title,
           l->op->name, roof_dtype_name(l->dtype));
  write_subtitle(l, scene->subtitle, sizeof scene->subtitle);
  roof_status status = roof_scene_add_machine(scene, l->machines[0], l->dtype, error);
  for (int i = 0; i < l->count && status == ROOF_OK; i++) {
    const roof_rung *r = &l->rungs[i];
    if (r->skipped[0] != '\0' || (r->kernel->library != NULL && r->alone)) {
      continue;
    }
    roof_scene_dot dot = {.next = -1, .intensity = r->moved_intensity};
    dot.level = l->moved != NULL ? l->moved->level : ROOF_REGISTERS;
    snprintf(dot.label, sizeof dot.label, "%s", r->kernel->name);
    rf_format(dot.detail, sizeof dot.detail, "%.1f %% of the ceiling of %s", 100 * r->at.share,
              r->alone ? "one core" : "all cores");
    int added = roof_scene_add_placed(scene, &dot, &r->at);
    if (before >= 0 && added >= 0 && r->kernel->rung > 0) {
      scene->dots[before].next = added;
    }
    before = added;
  }
  return status;
}

/* A program. */

static roof_status add_part(roof_scene *scene, const roof_program_part *part, roof_error *error) {
  const roof_measurement *m = &part->measurement;
  char time[SHORT];
  if (!(m->flops > 0 && m->bytes > 0)) {
    return ROOF_OK; /* without both it has no place */
  }
  roof_scene_dot dot = {.intensity = m->flops / m->bytes,
                        .flops_per_second = part->threads * m->flops / m->seconds,
                        .next = -1};
  snprintf(dot.label, sizeof dot.label, "%s", m->label);
  snprintf(dot.detail, sizeof dot.detail, "%s per call, %.0f %% of its ceiling",
           roof_quantity_format(time, sizeof time, m->seconds, "s"), 100 * part->placed.share);
  return roof_scene_add_placed(scene, &dot, &part->placed) >= 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d dots", m->label,
                              ROOF_SCENE_DOTS);
}

/** The cores that the ceilings are drawn for: those asked for, else as many as the widest part is judged by. */
static int drawn_cores(const roof_program *program) {
  int count = 0, cores = program->options.cores;
  const roof_program_part *parts = roof_program_parts(program, &count);
  for (int i = 0; i < count && program->options.cores == 0; i++) {
    if (parts[i].placed.cores == 0) {
      return 0; /* all */
    }
    cores = parts[i].placed.cores > cores ? parts[i].placed.cores : cores;
  }
  return cores;
}

/** The ceilings of the cores it used. */
static roof_status add_machine(roof_scene *scene, const roof_program *program, roof_dtype dtype,
                               roof_error *error) {
  int cores = drawn_cores(program);
  roof_machine *drawn = roof_machine_copy(program->ceilings.machine);
  if (drawn == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory");
  }
  if (cores > 0) {
    roof_machine_for_cores(drawn, cores);
    snprintf(scene->subtitle, sizeof scene->subtitle, "ceilings of %d core%s", cores, cores > 1 ? "s" : "");
  }
  roof_status status = roof_scene_add_machine(scene, drawn, dtype, error);
  roof_machine_free(drawn);
  return status;
}

roof_status roof_program_scene(const roof_program *program, roof_scene *scene, roof_error *error) {
  int count = 0;
  const roof_program_part *parts = roof_program_parts(program, &count);
  roof_dtype dtype = parts[0].measurement.dtype;
  const roof_machine *machine = program->ceilings.machine;
  roof_scene_init(scene);
  if (machine == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: the ceilings are unknown", program->name);
  }
  snprintf(scene->title, sizeof scene->title, "%.50s on %.50s, %s", program->name, machine->title,
           roof_dtype_name(dtype));
  roof_status status = add_machine(scene, program, dtype, error);
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = add_part(scene, &parts[i], error);
  }
  return status;
}
