/* A scene written as roofline.plot/1, bars as roofline.bars/1. */
#include <math.h>

#include "documents/json.h"
#include "roofline/charts.h"

static json_t *roof_json(const roof_scene *scene, const roof_scene_roof *roof) {
  return json_pack("{s:s, s:s, s:s, s:o, s:o}", "machine", scene->series[roof->series], "label", roof->label,
                   "kind", roof->style == ROOF_DASHED ? "measured" : "theoretical", "flops_per_second",
                   rf_json_number(roof->flops_per_second), "bytes_per_second",
                   rf_json_number(roof->bytes_per_second));
}

static json_t *dot_json(const roof_scene *scene, const roof_scene_dot *dot) {
  double ceiling = dot->ceiling_flops_per_second > 0 ? dot->ceiling_flops_per_second : NAN;
  double attainable = dot->attainable_flops_per_second > 0 ? dot->attainable_flops_per_second : NAN;
  return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "machine", scene->series[dot->series],
                   "label", dot->label, "intensity", rf_json_number(dot->intensity),
                   "attainable_flops_per_second", rf_json_number(attainable), "expected_flops_per_second",
                   rf_json_number(dot->predicted ? dot->flops_per_second : NAN), "measured_flops_per_second",
                   rf_json_number(dot->predicted ? NAN : dot->flops_per_second), "ceiling_flops_per_second",
                   rf_json_number(ceiling), "verdict",
                   dot->verdict != NULL ? json_string(dot->verdict) : json_null(), "next",
                   dot->next >= 0 ? json_integer(dot->next) : json_null());
}

roof_status roof_scene_write(const roof_scene *scene, roof_text *out, roof_error *error) {
  json_t *roofs = json_array(), *dots = json_array();
  for (int i = 0; i < scene->roof_count; i++) {
    rf_json_append(roofs, roof_json(scene, &scene->roofs[i]));
  }
  for (int i = 0; i < scene->dot_count; i++) {
    rf_json_append(dots, dot_json(scene, &scene->dots[i]));
  }
  return rf_json_write(json_pack("{s:s, s:o, s:o, s:i}", "schema", "roofline.plot/1", "roofs", roofs, "dots",
                                 dots, "left_out", scene->left_out),
                       "plot", out, error);
}

roof_status roof_bars_write(const roof_bars *bars, roof_text *out, roof_error *error) {
  json_t *list = json_array();
  for (int i = 0; i < bars->count; i++) {
    const roof_bar *bar = &bars->bars[i];
    rf_json_append(list, json_pack("{s:s, s:o, s:s}", "label", bar->label, "value",
                                   rf_json_number(bar->value), "note", bar->note));
  }
  return rf_json_write(json_pack("{s:s, s:s, s:s, s:o}", "schema", "roofline.bars/1", "title", bars->title,
                                 "unit", bars->unit, "bars", list),
                       "plot", out, error);
}
