/* What --to writes: the kernels under the ceilings, the time line, or on a page both with the answer's lines and its table. */
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/import/import.h"
#include "roofline/plot.h"

enum { DEVICES = 8, LINES = 48 };

/** The answer's lines, each device's under its label where there are several. */
static void add_words(const import_answer *answer, roof_text *out) {
  size_t count = answer->time.device_count;
  roof_text_add(out, answer->profile->truncated ? "truncated file\n" : "");
  roof_accounting_sentence(&answer->time, out);
  for (size_t i = 0; i < count && i < DEVICES && count > 1; i++) {
    const roof_accounting one = {.devices = &answer->time.devices[i], .device_count = 1};
    roof_text_addf(out, "%s: ", answer->time.devices[i].label);
    roof_accounting_sentence(&one, out);
  }
  cli_import_add_elsewhere(answer, out);
  roof_ranking_sentence(answer->profile, &answer->ranking, answer->ceilings->machine, out);
}

/** Draws what there is; on a page it may be nothing. */
static roof_status draw(const cli_args *args, const import_answer *answer, roof_scene *scene, bool levels,
                        bool timeline, roof_text *svg, roof_error *error) {
  bool page = strcmp(args->ending, "html") == 0, timed = answer->time.device_count > 0;
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
  return status == ROOF_OK && timed && (page || !roofline)
             ? roof_timeline_svg(answer->profile, &answer->time, svg, error)
             : status;
}

static roof_status write_page(const cli_args *args, const import_answer *answer, const char *title,
                              const roof_text *svg, roof_error *error) {
  cli_page_table table = {0};
  roof_text words = {0};
  const char *lines[LINES + 1] = {NULL};
  int count = 0;
  add_words(answer, &words);
  for (char *rest = words.data, *line; count < LINES && (line = strsep(&rest, "\n")) != NULL;) {
    lines[count] = line;
    count += line[0] != '\0';
  }
  lines[count] = NULL;
  roof_status status = words.failed
                           ? roof_error_set(error, ROOF_E_MEMORY, "import: out of memory")
                           : cli_page_table_fill(&table, "Kernels", cli_import_rows(answer, SIZE_MAX), error);
  status = status == ROOF_OK ? cli_chart_write_page(args, title, lines, svg, &table.table, error) : status;
  cli_page_table_done(&table);
  roof_text_done(&words);
  return status;
}

roof_status cli_import_write(const cli_args *args, const import_answer *answer, bool levels, bool timeline,
                             roof_error *error) {
  roof_scene *scene = calloc(1, sizeof *scene);
  roof_text svg = {0};
  roof_status status = scene != NULL ? draw(args, answer, scene, levels, timeline, &svg, error)
                                     : roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  status = status == ROOF_OK ? write_page(args, answer, scene->title, &svg, error) : status;
  if (status == ROOF_OK) {
    cli_chart_warn_above(args->file, scene);
  }
  roof_text_done(&svg);
  free(scene);
  return status;
}
