/** Where everything of an SVG chart is, in pixels: labels kept apart from each other and from the dots. */
#ifndef RF_DRAW_LAYOUT_H
#define RF_DRAW_LAYOUT_H

#include "draw/geometry.h"

/** A rectangle whose width runs along the unit vector (c, s); (1, 0) is upright. */
typedef struct rf_rect {
  double x, y, half_width, half_height, c, s;
} rf_rect;

/** A placed text; `rect` encloses it. With a leader, a line joins it to `anchor`. */
typedef struct rf_mark {
  char text[96]; /**< "": left out */
  rf_rect rect;
  rf_point anchor;
  bool leader;
} rf_mark;

enum {
  RF_MARK_MEMORY = ROOF_SCENE_ROOFS + ROOF_SCENE_DOTS, /**< the words "memory-bound" */
  RF_MARK_COMPUTE,
  RF_MARK_COUNT
};

typedef struct rf_layout {
  rf_geometry geometry;
  int width;                       /**< of the picture */
  double left, top, right, bottom; /**< the plot */
  bool numbered;                   /**< the dots carry numbers and a key gives their labels */
  double least_share;              /**< dots that take less of the time have neither: there are many */
  rf_mark marks[RF_MARK_COUNT];    /**< of ceiling i at i, of dot i at ROOF_SCENE_ROOFS + i */
} rf_layout;

#define RF_FONT_SIZE 12.0
#define RF_DOT_RADIUS 5.0

roof_status rf_layout_make(const roof_scene *scene, int width, rf_layout *layout, roof_error *error);

/** Whether a dot has a label or a number. */
bool rf_layout_names(const rf_layout *layout, const roof_scene_dot *dot);

/** A dot's radius: three fifths of the usual one for no time, twice it for all of it. */
double rf_dot_radius(const roof_scene_dot *dot);

/** Pixels of a point of the log-log plane. */
rf_point rf_layout_point(const rf_layout *layout, double x, double y);

/** True when the rectangles are less than `gap` apart. */
bool rf_rect_near(const rf_rect *a, const rf_rect *b, double gap);

/** The thin rectangle along a line. */
rf_rect rf_rect_line(rf_point from, rf_point to);

#endif
