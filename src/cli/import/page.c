/* What --to writes: the kernels under the ceilings, the time line, or on a page both. */
#include <string.h>

#include "cli/chart.h"
#include "cli/import/import.h"
#include "roofline/plot.h"

static roof_status draw_streams(const void *of, int width, roof_text *out, roof_error *error) {
  const import_answer *answer = of;
  return roof_timeline_svg(answer->profile, &answer->time, width, out, error);
}

static roof_status draw_intervals(const void *of, int width, roof_text *out, roof_error *error) {
  const import_answer *answer = of;
  return roof_intervals_svg(answer->profile, width, out, error);
}

static roof_status write_times(const cli_args *args, const import_answer *answer, bool streams,
                               roof_error *error) {
  char title[128];
  roof_timeline_title(answer->profile, title, sizeof title);
  roof_status status =
      cli_chart_write(args, title, streams ? draw_streams : draw_intervals, answer, &(roof_table){0}, error);
  return status == ROOF_E_ARGUMENT && answer->page ? ROOF_OK : status;
}

/** Writes what there is; on a page it may be nothing, or both. */
static roof_status write_charts(const cli_args *args, const import_answer *answer, roof_scene *scene,
                                bool levels, bool timeline, roof_error *error) {
  bool page = answer->page, streams = answer->time.device_count > 0;
  bool timed = streams || answer->profile->interval_count > 0;
  roof_status status = timeline && !page ? ROOF_E_ARGUMENT
                                         : roof_ranking_scene(answer->profile, &answer->ranking,
                                                              answer->ceilings, levels, scene, error);
  bool roofline = status == ROOF_OK;
  if (roofline) {
    status = cli_chart_write(args, scene->title, cli_draw_scene, scene, &(roof_table){0}, error);
  } else if (status == ROOF_E_ARGUMENT && timeline && !timed) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--timeline: no file has times of calls");
  } else if (status == ROOF_E_ARGUMENT && (page || timed)) {
    scene->dot_count = 0;
    status = ROOF_OK;
  }
  return status == ROOF_OK && timed && (page || !roofline) ? write_times(args, answer, streams, error)
                                                           : status;
}

roof_status cli_import_write(const cli_args *args, const import_answer *answer, bool levels, bool timeline,
                             roof_error *error) {
  roof_scene *scene = cli_chart_room();
  roof_status status = write_charts(args, answer, scene, levels, timeline, error);
  if (status == ROOF_OK) {
    cli_chart_warn_above(args->to, scene);
  }
  return status;
}
