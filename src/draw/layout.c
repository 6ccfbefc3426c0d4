#include "draw/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/glyph.h"

/** What a label pays: lower is better, and from `forbidden` on it may not stay. */
static const double forbidden = 1000, crosses_roof = 40, crosses_drop = 6, crosses_leader = 60;

/** A dot with a longer label than this many pixels gets a number instead. */
static const double longest_label = 240;

static const double pi = 3.14159265358979323846;

roof_point roof_layout_point(const roof_layout *layout, double x, double y) {
  const roof_geometry *g = &layout->geometry;
  return (roof_point){layout->left + (x - g->low.x) / (g->high.x - g->low.x) * (layout->right - layout->left),
                      layout->bottom -
                          (y - g->low.y) / (g->high.y - g->low.y) * (layout->bottom - layout->top)};
}

roof_rect roof_rect_line(roof_point from, roof_point to) {
  return (roof_rect){(from.x + to.x) / 2, (from.y + to.y) / 2, hypot(to.x - from.x, to.y - from.y) / 2, 0.5,
                     atan2(to.y - from.y, to.x - from.x)};
}

/** Half the length of a rectangle's shadow on the direction (c, s). */
static double shadow(const roof_rect *r, double c, double s) {
  double x = cos(r->angle), y = sin(r->angle);
  return r->half_width * fabs(x * c + y * s) + r->half_height * fabs(x * s - y * c);
}

/** Separating axis test: apart when their shadows are on a side of either. */
bool roof_rect_near(const roof_rect *a, const roof_rect *b, double gap) {
  double dx = b->x - a->x, dy = b->y - a->y;
  double reach = gap + hypot(a->half_width, a->half_height) + hypot(b->half_width, b->half_height);
  if (fabs(dx) > reach || fabs(dy) > reach) {
    return false;
  }
  const double angles[] = {a->angle, a->angle + pi / 2, b->angle, b->angle + pi / 2};
  for (int i = 0; i < 4; i++) {
    double c = cos(angles[i]), s = sin(angles[i]);
    if (fabs(dx * c + dy * s) >= shadow(a, c, s) + shadow(b, c, s) + gap) {
      return false;
    }
  }
  return true;
}

static bool inside_plot(const roof_layout *layout, const roof_rect *r) {
  double width = shadow(r, 1, 0), height = shadow(r, 0, 1);
  return r->x - width >= layout->left + 2 && r->x + width <= layout->right - 2 &&
         r->y - height >= layout->top + 2 && r->y + height <= layout->bottom - 2;
}

/** One search for a mark's place. */
typedef struct search {
  const roof_scene *scene;
  roof_layout *layout;
  int self;
  double cost;
  roof_mark best;
} search;

static roof_point dot_point(const search *s, int dot) {
  const roof_scene_dot *d = &s->scene->dots[dot];
  return roof_layout_point(s->layout, log10(d->intensity), log10(d->flops_per_second));
}

static roof_rect dot_rect(const search *s, int dot) {
  roof_point p = dot_point(s, dot);
  return (roof_rect){p.x, p.y, ROOF_DOT_RADIUS + 1, ROOF_DOT_RADIUS + 1, 0};
}

static double collide_marks(const search *s, const roof_mark *mark, double limit) {
  double cost = 0;
  roof_rect leader = roof_rect_line((roof_point){mark->rect.x, mark->rect.y}, mark->anchor);
  for (int i = 0; i < ROOF_MARK_COUNT && cost < limit; i++) {
    const roof_mark *other = &s->layout->marks[i];
    if (i == s->self || other->text[0] == '\0') {
      continue;
    }
    if (roof_rect_near(&mark->rect, &other->rect, 2)) {
      return forbidden;
    }
    if (mark->leader && roof_rect_near(&leader, &other->rect, 1)) {
      cost += crosses_leader;
    }
    if (other->leader) {
      roof_rect line = roof_rect_line((roof_point){other->rect.x, other->rect.y}, other->anchor);
      cost += roof_rect_near(&mark->rect, &line, 1) ? crosses_leader : 0;
    }
  }
  return cost;
}

static double collide_dots(const search *s, const roof_mark *mark) {
  double cost = 0;
  roof_rect leader = roof_rect_line((roof_point){mark->rect.x, mark->rect.y}, mark->anchor);
  for (int i = 0; i < s->scene->dot_count; i++) {
    roof_rect dot = dot_rect(s, i);
    if (roof_rect_near(&mark->rect, &dot, 1)) {
      return forbidden;
    }
    if (mark->leader && i != s->self - ROOF_SCENE_ROOFS && roof_rect_near(&leader, &dot, 0)) {
      cost += crosses_leader;
    }
    if (!isnan(s->layout->geometry.ceilings[i])) {
      roof_point roof = {dot.x, roof_layout_point(s->layout, 0, s->layout->geometry.ceilings[i]).y};
      roof_rect drop = roof_rect_line((roof_point){dot.x, dot.y}, roof);
      cost += roof_rect_near(&mark->rect, &drop, 0) ? crosses_drop : 0;
    }
  }
  return cost;
}

static double collide_roofs(const search *s, const roof_mark *mark) {
  const roof_geometry *g = &s->layout->geometry;
  double cost = 0;
  for (int i = 0; i < s->scene->roof_count; i++) {
    roof_rect line = roof_rect_line(roof_layout_point(s->layout, g->from[i].x, g->from[i].y),
                                    roof_layout_point(s->layout, g->to[i].x, g->to[i].y));
    cost += roof_rect_near(&mark->rect, &line, 1) ? crosses_roof : 0;
  }
  for (int i = 0; i < ROOF_SCENE_SERIES; i++) {
    roof_point ridge = roof_layout_point(s->layout, g->ridges[i].x, g->ridges[i].y);
    if (!isnan(ridge.x)) {
      roof_rect drop = roof_rect_line(ridge, (roof_point){ridge.x, s->layout->bottom});
      cost += roof_rect_near(&mark->rect, &drop, 1) ? crosses_drop : 0;
    }
  }
  return cost;
}

/** Keeps the mark at this place, which by itself costs `cost`, if it is the best so far. */
static void consider(search *s, roof_mark mark, double cost) {
  if (cost >= s->cost || !inside_plot(s->layout, &mark.rect)) {
    return;
  }
  cost += collide_marks(s, &mark, s->cost - cost);
  if (cost < s->cost) {
    cost += collide_dots(s, &mark);
  }
  if (cost < s->cost) {
    cost += collide_roofs(s, &mark);
  }
  if (cost < s->cost) {
    s->cost = cost;
    s->best = mark;
  }
}

/** Rings of places around the anchor, near ones and those to the right first. */
static void search_around(search *s) {
  static const double rings[] = {0, 7, 16, 28, 42, 60, 82, 110};
  enum { DIRECTIONS = 16 };
  const roof_mark *mark = &s->layout->marks[s->self];
  for (size_t ring = 0; ring < sizeof rings / sizeof rings[0]; ring++) {
    for (int i = 0; i < DIRECTIONS; i++) {
      double c = cos(i * 2 * pi / DIRECTIONS), up = sin(i * 2 * pi / DIRECTIONS);
      double reach = ROOF_DOT_RADIUS + 4 + rings[ring];
      roof_mark place = *mark;
      place.rect.angle = 0;
      place.rect.x = mark->anchor.x + c * (mark->rect.half_width + reach);
      place.rect.y = mark->anchor.y - up * (mark->rect.half_height + reach);
      place.leader = ring >= 2;
      consider(s, place, rings[ring] * 0.6 + (place.leader ? 8 : 0) + 2 * (1 - c) + (up < 0 ? 0.5 : 0));
    }
  }
}

/** Every place of the plot; for the label that found none nearby. */
static void search_everywhere(search *s) {
  const roof_layout *layout = s->layout;
  roof_mark place = layout->marks[s->self];
  place.leader = true;
  place.rect.angle = 0;
  double step_x = fmax(place.rect.half_width, 8), step_y = place.rect.half_height + 2;
  for (double y = layout->top + place.rect.half_height + 3; y < layout->bottom; y += step_y) {
    for (double x = layout->left + place.rect.half_width + 3; x < layout->right; x += step_x) {
      place.rect.x = x;
      place.rect.y = y;
      consider(s, place, 200 + hypot(x - place.anchor.x, y - place.anchor.y) * 0.6);
    }
  }
}

/** Places along a roof on both sides: ramps from their low end, flat roofs from the right. */
static void search_along(search *s) {
  const roof_geometry *g = &s->layout->geometry;
  const roof_scene_roof *roof = &s->scene->roofs[s->self];
  bool flat = !isnan(roof->flops_per_second);
  roof_point from = roof_layout_point(s->layout, g->from[s->self].x, g->from[s->self].y);
  roof_point to = roof_layout_point(s->layout, g->to[s->self].x, g->to[s->self].y);
  double length = hypot(to.x - from.x, to.y - from.y);
  double along_x = (to.x - from.x) / length, along_y = (to.y - from.y) / length;
  roof_mark place = s->layout->marks[s->self];
  place.leader = false;
  place.rect.angle = atan2(along_y, along_x);
  double slack = length - 2 * place.rect.half_width - 16;
  for (double at = 0; at <= slack; at += 12) {
    double centre = (flat ? slack - at : at) + place.rect.half_width + 8;
    for (int side = 0; side < 2; side++) {
      double offset = (side == 0 ? -1 : 1) * (place.rect.half_height + 3);
      place.rect.x = from.x + along_x * centre - along_y * offset;
      place.rect.y = from.y + along_y * centre + along_x * offset;
      bool usual = (side == 0) == (roof->style == ROOF_SOLID);
      consider(s, place, at * 0.05 + (usual ? 0 : 4));
    }
  }
}

/** Finds the mark's best place and keeps it; false when there is none. */
static bool settle(const roof_scene *scene, roof_layout *layout, int self, void (*look)(search *)) {
  search s = {.scene = scene, .layout = layout, .self = self, .cost = forbidden};
  look(&s);
  if (s.cost < forbidden) {
    layout->marks[self] = s.best;
  }
  return s.cost < forbidden;
}

static void prepare(roof_mark *mark, const char *text, double most, roof_point anchor) {
  char elided[sizeof mark->text];
  roof_glyph_elide(elided, sizeof elided, text, most / ROOF_FONT_SIZE);
  *mark = (roof_mark){.anchor = anchor,
                      .rect = {anchor.x, anchor.y, roof_glyph_ems(elided) * ROOF_FONT_SIZE / 2 + 1,
                               ROOF_FONT_SIZE * 0.62, 0}};
  snprintf(mark->text, sizeof mark->text, "%s", elided);
}

static void settle_roofs(const roof_scene *scene, roof_layout *layout) {
  const roof_geometry *g = &layout->geometry;
  for (int i = 0; i < scene->roof_count; i++) {
    roof_mark ready;
    roof_point middle =
        roof_layout_point(layout, (g->from[i].x + g->to[i].x) / 2, (g->from[i].y + g->to[i].y) / 2);
    prepare(&ready, scene->roofs[i].label, 330, middle);
    layout->marks[i] = ready;
    if (!settle(scene, layout, i, search_along) && !settle(scene, layout, i, search_around) &&
        !settle(scene, layout, i, search_everywhere)) {
      layout->marks[i].text[0] = '\0';
    }
  }
}

/** True when the dot's arrow leads to one of the same label, which then stands for both. */
static bool shares_label(const roof_scene *scene, const roof_scene_dot *dot) {
  return dot->next >= 0 && dot->next < scene->dot_count && &scene->dots[dot->next] != dot &&
         strcmp(scene->dots[dot->next].label, dot->label) == 0;
}

/** What a dot carries; NULL when that is too long. */
static const char *dot_words(const roof_scene *scene, const roof_layout *layout, int dot, char number[16]) {
  const char *label = scene->dots[dot].label;
  if (layout->numbered) {
    snprintf(number, 16, "%d", dot + 1);
    return number;
  }
  if (shares_label(scene, &scene->dots[dot])) {
    return "";
  }
  return roof_glyph_ems(label) * ROOF_FONT_SIZE <= longest_label ? label : NULL;
}

/** The place of one dot's label or number; the one it has when there is none better. False: no room. */
static bool settle_dot(const roof_scene *scene, roof_layout *layout, int dot) {
  const roof_scene_dot *d = &scene->dots[dot];
  int self = ROOF_SCENE_ROOFS + dot;
  roof_mark before = layout->marks[self];
  char number[16];
  const char *words = dot_words(scene, layout, dot, number);
  if (words == NULL) {
    return false;
  }
  prepare(&layout->marks[self], words, longest_label,
          roof_layout_point(layout, log10(d->intensity), log10(d->flops_per_second)));
  if (words[0] == '\0' || settle(scene, layout, self, search_around)) {
    return true;
  }
  if (before.text[0] == '\0' && layout->numbered && settle(scene, layout, self, search_everywhere)) {
    return true;
  }
  layout->marks[self] = before;
  return before.text[0] != '\0';
}

/** Places every dot's label, then again, now that the others are known. Numbers, if the labels have no room.
 */
static void settle_dots(const roof_scene *scene, roof_layout *layout) {
  enum { PASSES = 3 };
  bool room = true;
  for (int pass = 0; pass < PASSES; pass++) {
    for (int i = 0; i < scene->dot_count && (room || layout->numbered); i++) {
      room = settle_dot(scene, layout, i) && room;
    }
  }
  if (!room && !layout->numbered) {
    for (int i = 0; i < scene->dot_count; i++) {
      layout->marks[ROOF_SCENE_ROOFS + i].text[0] = '\0';
    }
    layout->numbered = true;
    settle_dots(scene, layout);
  }
}

static void search_region(search *s) {
  roof_mark place = s->layout->marks[s->self];
  int side = s->self == ROOF_MARK_MEMORY ? -1 : 1;
  place.rect.x = place.anchor.x + side * (place.rect.half_width + 10);
  for (int row = 0; row < 4; row++) {
    place.rect.y = s->layout->bottom - (row + 0.8) * 2 * place.rect.half_height;
    consider(s, place, forbidden - crosses_drop + row);
  }
}

/** "memory-bound" left of all ridges and "compute-bound" right of them, where nothing else is. */
static void settle_regions(const roof_scene *scene, roof_layout *layout) {
  double left = NAN, right = NAN;
  for (int i = 0; i < ROOF_SCENE_SERIES; i++) {
    left = fmin(left, layout->geometry.ridges[i].x);
    right = fmax(right, layout->geometry.ridges[i].x);
  }
  const struct {
    int mark;
    double ridge;
    const char *text;
  } regions[] = {{ROOF_MARK_MEMORY, left, "\xE2\x97\x82 memory-bound"},
                 {ROOF_MARK_COMPUTE, right, "compute-bound \xE2\x96\xB8"}};
  for (int i = 0; i < 2; i++) {
    roof_mark ready;
    prepare(&ready, regions[i].text, 200,
            roof_layout_point(layout, regions[i].ridge, layout->geometry.low.y));
    layout->marks[regions[i].mark] = ready;
    if (isnan(regions[i].ridge) || !settle(scene, layout, regions[i].mark, search_region)) {
      layout->marks[regions[i].mark].text[0] = '\0';
    }
  }
}

roof_status roof_layout_make(const roof_scene *scene, roof_layout *layout, roof_error *error) {
  *layout = (roof_layout){.left = 118, .top = 66, .right = 936, .bottom = 546};
  roof_status status = roof_geometry_make(scene, &layout->geometry, error);
  if (status == ROOF_OK) {
    settle_roofs(scene, layout);
    settle_dots(scene, layout);
    settle_regions(scene, layout);
  }
  return status;
}
