/** Which colour of the palette a line or a dot of a roofline has. */
#ifndef RF_DRAW_HUE_H
#define RF_DRAW_HUE_H

#include "draw/palette.h"

/** Whether the chart is of one machine: then a level has the same hue in every chart, else a machine or format has
 *  one. */
bool rf_hue_by_level(const roof_scene *scene);

/** The indices into rf_palette. A dot has the hue of the level whose bytes its intensity is of, where it names one,
 *  else that of its series; a series without a level or ceilings of its own one that no level has. */
int rf_hue_of_roof(const roof_scene *scene, const roof_scene_roof *roof);
int rf_hue_of_dot(const roof_scene *scene, const roof_scene_dot *dot);
int rf_hue_of_series(const roof_scene *scene, int series);

enum { RF_GROUPS = 6 };

/** The groups that the dots of a chart of one machine are coloured by, in the order they come; none of fewer than two.
 *  Returns how many. */
int rf_hue_groups(const roof_scene *scene, const char *groups[RF_GROUPS]);
int rf_hue_of_group(int group);

/** The hue that a level has in every chart of one machine. */
int rf_hue_of_level(roof_level_kind level);

/** The hue of a series' ridge: that of its outermost ramp. */
int rf_hue_of_ridge(const roof_scene *scene, int series);

/** One hue of a chart by levels and what it means. */
typedef struct rf_hue_key {
  int hue;
  const char *name; /**< "compute", "L2", "memory" */
} rf_hue_key;

enum { RF_HUE_KEYS = 1 + ROOF_LEVEL_KIND_COUNT };

/** What the hues of the ceilings mean, inner to outer, compute first; none of a chart of several machines. Returns how
 *  many. */
int rf_hue_keys(const roof_scene *scene, rf_hue_key keys[RF_HUE_KEYS]);

#endif
