/* A scene's roofs and dots as rows. */
#include <math.h>

#include "roofline/draw.h"

static roof_scene_row row_of_roof(const roof_scene *scene, const roof_scene_roof *roof) {
  return (roof_scene_row){.what = roof->style == ROOF_DASHED ? "measured roof" : "roof",
                          .machine = scene->series[roof->series],
                          .label = roof->label,
                          .verdict = "",
                          .intensity = NAN,
                          .ceiling_flops_per_second = NAN,
                          .share = NAN,
                          .flops_per_second = roof->flops_per_second,
                          .bytes_per_second = roof->bytes_per_second};
}

static roof_scene_row row_of_dot(const roof_scene *scene, const roof_scene_dot *dot) {
  double ceiling = dot->ceiling_flops_per_second > 0 ? dot->ceiling_flops_per_second : (double)NAN;
  bool common = scene->subtitle[0] != '\0' && scene->left_out == 0;
  return (roof_scene_row){.what = dot->predicted ? "predicted" : "measured",
                          .machine = scene->series[dot->series],
                          .label = dot->label,
                          .operation = common ? scene->subtitle : dot->label,
                          .limit = dot->detail,
                          .verdict = dot->predicted         ? "predicted"
                                     : dot->verdict != NULL ? dot->verdict
                                                            : "",
                          .ceiling_flops_per_second = ceiling,
                          .share = dot->flops_per_second / ceiling,
                          .intensity = dot->intensity,
                          .flops_per_second = dot->flops_per_second,
                          .bytes_per_second = NAN};
}

size_t roof_scene_rows(const roof_scene *scene, roof_scene_row rows[ROOF_SCENE_ROOFS + ROOF_SCENE_DOTS]) {
  size_t count = 0;
  for (int i = 0; i < scene->roof_count; i++) {
    rows[count++] = row_of_roof(scene, &scene->roofs[i]);
  }
  for (int i = 0; i < scene->dot_count; i++) {
    rows[count++] = row_of_dot(scene, &scene->dots[i]);
  }
  return count;
}
