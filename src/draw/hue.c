#include "draw/hue.h"

#include <math.h>
#include <string.h>

/** Of rf_palette: blue, and for the levels orange, vermilion, purple, green. */
enum { COMPUTE_HUE = 0, FEW_CORES_HUE = 5, NEUTRAL_HUE = 6 };
static const int level_hues[ROOF_LEVEL_KIND_COUNT] = {
    [ROOF_REGISTERS] = 7, [ROOF_L1] = 4, [ROOF_L2] = 1, [ROOF_L3] = 3, [ROOF_MEMORY] = 2};

int rf_hue_of_level(roof_level_kind level) {
  return level_hues[level];
}

/** Those that no level has: black, sky blue, grey. */
static const int other_hues[] = {NEUTRAL_HUE, 5, 7};

/** Those of groups of dots: black, sky blue, wine, olive, indigo, grey. */
static const int group_hues[RF_GROUPS] = {6, 5, 8, 9, 10, 7};

int rf_hue_groups(const roof_scene *scene, const char *groups[RF_GROUPS]) {
  int count = 0;
  for (int i = 0; i < scene->dot_count && rf_hue_by_level(scene); i++) {
    const char *group = scene->dots[i].group;
    int known = 0;
    while (group != NULL && known < count && strcmp(groups[known], group) != 0) {
      known++;
    }
    if (group != NULL && known == count && count < RF_GROUPS) {
      groups[count++] = group;
    }
  }
  return count > 1 ? count : 0;
}

int rf_hue_of_group(int group) {
  return group_hues[group];
}

/** The hue of a dot's group; -1: it has none of its own. */
static int hue_in_groups(const roof_scene *scene, const roof_scene_dot *dot) {
  const char *groups[RF_GROUPS];
  int count = dot->group != NULL ? rf_hue_groups(scene, groups) : 0;
  for (int i = 0; i < count; i++) {
    if (strcmp(groups[i], dot->group) == 0) {
      return group_hues[i];
    }
  }
  return count > 0 ? group_hues[RF_GROUPS - 1] : -1;
}

static bool is_flat(const roof_scene_roof *roof) {
  return !isnan(roof->flops_per_second);
}

bool rf_hue_by_level(const roof_scene *scene) {
  for (int i = 1; i < scene->roof_count; i++) {
    if (scene->roofs[i].series != scene->roofs[0].series) {
      return false;
    }
  }
  return true;
}

int rf_hue_of_roof(const roof_scene *scene, const roof_scene_roof *roof) {
  return !rf_hue_by_level(scene) ? roof->series % ROOF_SCENE_SERIES
         : is_flat(roof)         ? (roof->cores > 0 ? FEW_CORES_HUE : COMPUTE_HUE)
                                 : level_hues[roof->level];
}

/** The level that all dots of a series name; ROOF_REGISTERS: none. */
static roof_level_kind level_of(const roof_scene *scene, int series) {
  roof_level_kind level = ROOF_REGISTERS;
  bool found = false;
  for (int i = 0; i < scene->dot_count; i++) {
    const roof_scene_dot *dot = &scene->dots[i];
    if (dot->series == series) {
      level = found && dot->level != level ? ROOF_REGISTERS : dot->level;
      found = true;
    }
  }
  return level;
}

int rf_hue_of_series(const roof_scene *scene, int series) {
  enum { OTHERS = sizeof other_hues / sizeof other_hues[0] };
  if (!rf_hue_by_level(scene)) {
    return series % ROOF_SCENE_SERIES;
  }
  roof_level_kind level = level_of(scene, series);
  return level != ROOF_REGISTERS ? level_hues[level] : other_hues[series % OTHERS];
}

/** Whether the dots have the colour of the level that limits them: those that no level limits then have that of compute. */
static bool is_by_wall(const roof_scene *scene) {
  for (int i = 0; i < scene->dot_count; i++) {
    if (scene->dots[i].level != ROOF_REGISTERS) {
      return rf_hue_by_level(scene);
    }
  }
  return false;
}

int rf_hue_of_dot(const roof_scene *scene, const roof_scene_dot *dot) {
  if (rf_hue_by_level(scene) && dot->level != ROOF_REGISTERS) {
    return level_hues[dot->level];
  }
  int hue = hue_in_groups(scene, dot);
  return hue >= 0 ? hue : is_by_wall(scene) ? COMPUTE_HUE : rf_hue_of_series(scene, dot->series);
}

int rf_hue_of_ridge(const roof_scene *scene, int series) {
  const roof_scene_roof *outer = NULL;
  for (int i = 0; i < scene->roof_count; i++) {
    const roof_scene_roof *roof = &scene->roofs[i];
    bool further = outer == NULL || roof->level > outer->level;
    outer = roof->series == series && !is_flat(roof) && further ? roof : outer;
  }
  return outer != NULL ? rf_hue_of_roof(scene, outer) : series % ROOF_SCENE_SERIES;
}

int rf_hue_keys(const roof_scene *scene, rf_hue_key keys[RF_HUE_KEYS]) {
  bool flat = false, levels[ROOF_LEVEL_KIND_COUNT] = {false};
  int count = 0;
  for (int i = 0; i < scene->roof_count && rf_hue_by_level(scene); i++) {
    flat |= is_flat(&scene->roofs[i]);
    levels[scene->roofs[i].level] |= !is_flat(&scene->roofs[i]);
  }
  if (flat) {
    keys[count++] = (rf_hue_key){COMPUTE_HUE, "compute"};
  }
  for (int level = 0; level < ROOF_LEVEL_KIND_COUNT; level++) {
    if (levels[level]) {
      keys[count++] = (rf_hue_key){level_hues[level], roof_level_kind_name((roof_level_kind)level)};
    }
  }
  return count;
}
