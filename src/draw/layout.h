/** Where everything of an SVG chart is, in pixels: labels kept apart from each other and from the dots. */
#ifndef ROOF_DRAW_LAYOUT_H
#define ROOF_DRAW_LAYOUT_H

#include "draw/geometry.h"

/** A rectangle whose width runs along the unit vector (c, s); (1, 0) is upright. */
typedef struct roof_rect {
  double x, y, half_width, half_height, c, s;
} roof_rect;

/** A placed text; `rect` encloses it. With a leader, a line joins it to `anchor`. */
typedef struct roof_mark {
  char text[96]; /**< "": left out */
  roof_rect rect;
  roof_point anchor;
  bool leader;
} roof_mark;

enum {
  ROOF_MARK_MEMORY = ROOF_SCENE_ROOFS + ROOF_SCENE_DOTS, /**< the words "memory-bound" */
  ROOF_MARK_COMPUTE,
  ROOF_MARK_COUNT
};

typedef struct roof_layout {
  roof_geometry geometry;
  double left, top, right, bottom;  /**< the plot */
  bool numbered;                    /**< the dots carry numbers and a key gives their labels */
  roof_mark marks[ROOF_MARK_COUNT]; /**< of roof i at i, of dot i at ROOF_SCENE_ROOFS + i */
} roof_layout;

#define ROOF_FONT_SIZE 12.0
#define ROOF_DOT_RADIUS 5.0

roof_status roof_layout_make(const roof_scene *scene, roof_layout *layout, roof_error *error);

/** A dot's radius: three fifths of the usual one for no time, twice it for all of it. */
double roof_dot_radius(const roof_scene_dot *dot);

/** Pixels of a point of the log-log plane. */
roof_point roof_layout_point(const roof_layout *layout, double x, double y);

/** True when the rectangles are less than `gap` apart. */
bool roof_rect_near(const roof_rect *a, const roof_rect *b, double gap);

/** The thin rectangle along a line. */
roof_rect roof_rect_line(roof_point from, roof_point to);

#endif
