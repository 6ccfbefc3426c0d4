/* What --to writes: the kernels under the ceilings, the time line, or on a page both. */
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/import/import.h"
#include "roofline/plot.h"

/** Draws what there is; on a page it may be nothing. */
static roof_status draw(const import_answer *answer, roof_scene *scene, bool levels, bool timeline,
                        roof_text *svg, roof_error *error) {
  bool page = answer->page, streams = answer->time.device_count > 0;
  bool timed = streams || answer->profile->interval_count > 0;
  roof_status status = timeline && !page ? ROOF_E_ARGUMENT
                                         : roof_ranking_scene(answer->profile, &answer->ranking,
                                                              answer->ceilings, levels, scene, error);
  bool roofline = status == ROOF_OK;
  if (roofline) {
    status = roof_draw_svg(scene, svg, error);
  } else if (status == ROOF_E_ARGUMENT && timeline && !timed) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--timeline: no file has times of calls");
  } else if (status == ROOF_E_ARGUMENT && (page || timed)) {
    roof_timeline_title(answer->profile, scene->title, sizeof scene->title);
    scene->dot_count = 0;
    status = ROOF_OK;
  }
  if (status != ROOF_OK || !timed || (roofline && !page)) {
    return status;
  }
  status = streams ? roof_timeline_svg(answer->profile, &answer->time, svg, error)
                   : roof_intervals_svg(answer->profile, svg, error);
  return status == ROOF_E_ARGUMENT && page ? ROOF_OK : status;
}

roof_status cli_import_write(const cli_args *args, const import_answer *answer, bool levels, bool timeline,
                             roof_error *error) {
  roof_scene *scene = calloc(1, sizeof *scene);
  roof_text svg = {0};
  roof_status status = scene != NULL ? draw(answer, scene, levels, timeline, &svg, error)
                                     : roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  status =
      status == ROOF_OK ? cli_chart_write_svg(args, scene->title, &svg, &(roof_table){0}, error) : status;
  if (status == ROOF_OK) {
    cli_chart_warn_above(args->to, scene);
  }
  roof_text_done(&svg);
  free(scene);
  return status;
}
