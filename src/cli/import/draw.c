/* Kernels of a profile on the roofline: one dot each, or one for each level, joined. */
#include <math.h>
#include <string.h>

#include "cli/import/import.h"
#include "core/number.h"

static int add_dot(const import_answer *answer, roof_scene *scene, const roof_ranked_record *row,
                   roof_level_kind kind, double bytes) {
  const roof_level *counted = answer->ceilings->level[kind];
  const char *level = counted != NULL ? counted->name : roof_level_kind_name(kind);
  const roof_placed *at = &row->at;
  bool inner = kind != at->level;
  char time[32];
  roof_scene_dot dot = {.intensity = at->flops / bytes,
                        .flops_per_second = at->flops / at->seconds,
                        .share = row->time_share,
                        .inner = inner,
                        .next = -1};
  snprintf(dot.label, sizeof dot.label, "%.50s%s%.20s", row->shown, inner ? " at " : "", inner ? level : "");
  rf_format(dot.detail, sizeof dot.detail, "%s, %.1f %% of the time, at %s",
            roof_quantity_format(time, sizeof time, at->seconds, "s"), row->time_share * 100, level);
  return roof_scene_add_placed(scene, &dot, at);
}

/** The flat roofs that the drawn kernels are judged by. */
static roof_status add_peaks(const import_answer *answer, roof_scene *scene, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < answer->ranking.count && status == ROOF_OK; i++) {
    const roof_placed *at = &answer->ranking.rows[i].at;
    const roof_peak *peak = at->flops > 0 ? answer->ceilings->peak[at->dtype][at->unit] : NULL;
    if (peak != NULL && at->bytes > 0) {
      status = roof_scene_add_peak(scene, 0, answer->ceilings->machine, peak->dtype, peak->unit, error);
    }
  }
  return status;
}

static void add_levels(const import_answer *answer, roof_scene *scene, const roof_ranked_record *row) {
  int before = -1;
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    double bytes = row->record->bytes[l].value;
    int dot = bytes > 0 ? add_dot(answer, scene, row, (roof_level_kind)l, bytes) : -1;
    if (dot >= 0 && before >= 0) {
      scene->dots[before].next = dot;
    }
    if (dot >= 0) {
      scene->dots[dot].level = (roof_level_kind)l;
    }
    before = dot >= 0 ? dot : before;
  }
}

roof_status cli_import_draw(const import_answer *answer, roof_scene *scene, bool levels, roof_error *error) {
  if (answer->ceilings->machine == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "no machine to draw: name one with --machine");
  }
  roof_scene_init(scene);
  roof_dtype dtype = answer->ranking.count > 0 ? answer->ranking.rows[0].at.dtype : ROOF_FP32;
  roof_status status = roof_scene_add_machine(scene, answer->ceilings->machine, dtype, error);
  status = status == ROOF_OK ? add_peaks(answer, scene, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  snprintf(scene->title, sizeof scene->title, "Kernels on %.60s",
           roof_machine_title(answer->ceilings->machine));
  roof_text time = {0};
  roof_ranking_time(answer->profile, &answer->ranking, &time);
  snprintf(scene->subtitle, sizeof scene->subtitle, "%s", time.failed ? "" : time.data);
  roof_text_done(&time);
  for (size_t i = 0; i < answer->ranking.count; i++) {
    const roof_ranked_record *row = &answer->ranking.rows[i];
    if (levels) {
      add_levels(answer, scene, row);
    } else if (row->at.bytes > 0) {
      add_dot(answer, scene, row, row->at.level, row->at.bytes);
    }
  }
  return scene->dot_count > 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "nothing to draw: no kernel has FLOPs, bytes and time");
}
