#include <string.h>

#include "cli/chart.h"

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

roof_status roof_chart_check(const char *path, roof_error *error) {
  return ends_with(path, ".svg") || ends_with(path, ".html")
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "--to %s: the name must end in .svg or .html", path);
}

roof_status roof_chart_write(const char *path, const roof_scene *scene, const roof_table *table,
                             roof_error *error) {
  roof_text out = {0};
  roof_status status = roof_chart_check(path, error);
  if (status == ROOF_OK) {
    status = ends_with(path, ".svg")
                 ? roof_draw_svg(scene, &out, error)
                 : roof_draw_html(scene->title, NULL, scene, table, table->rows > 0, NULL, &out, error);
  }
  if (status == ROOF_OK) {
    status = roof_write_file(path, out.data, out.length, error);
  }
  roof_text_done(&out);
  return status;
}
