#include "draw/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/frame.h"
#include "draw/glyph.h"

/** The cost of a label's place: lower is better; from `forbidden` on the place is not used. */
static const double forbidden = 1000, crosses_roof = 200, crosses_drop = 30, crosses_leader = 60,
                    seems_anothers = 50;

static const double pi = 3.14159265358979323846;

rf_point rf_layout_point(const rf_layout *layout, double x, double y) {
  const rf_geometry *g = &layout->geometry;
  return (rf_point){layout->left + (x - g->low.x) / (g->high.x - g->low.x) * (layout->right - layout->left),
                    layout->bottom -
                        (y - g->low.y) / (g->high.y - g->low.y) * (layout->bottom - layout->top)};
}

rf_rect rf_rect_line(rf_point from, rf_point to) {
  double x = (from.x + to.x) / 2, y = (from.y + to.y) / 2;
  if (from.x == to.x || from.y == to.y) {
    return (rf_rect){x, y, fmax(fabs(to.x - from.x) / 2, 0.5), fmax(fabs(to.y - from.y) / 2, 0.5), 1, 0};
  }
  double length = rf_length(to.x - from.x, to.y - from.y);
  return (rf_rect){x, y, length / 2, 0.5, (to.x - from.x) / length, (to.y - from.y) / length};
}

/** Half the length of a rectangle's shadow on the direction (c, s). */
static double shadow(const rf_rect *r, double c, double s) {
  return r->half_width * fabs(r->c * c + r->s * s) + r->half_height * fabs(r->c * s - r->s * c);
}

/** True when the shadows on the sides of `a` are apart. */
static bool apart_along(const rf_rect *a, const rf_rect *b, double dx, double dy, double gap) {
  return fabs(dx * a->c + dy * a->s) >= a->half_width + shadow(b, a->c, a->s) + gap ||
         fabs(dy * a->c - dx * a->s) >= a->half_height + shadow(b, -a->s, a->c) + gap;
}

/** Separating axis test: apart when the shadows on a side of either are. */
bool rf_rect_near(const rf_rect *a, const rf_rect *b, double gap) {
  double dx = b->x - a->x, dy = b->y - a->y;
  double reach = gap + a->half_width + a->half_height + b->half_width + b->half_height;
  return fabs(dx) <= reach && fabs(dy) <= reach && !apart_along(a, b, dx, dy, gap) &&
         !apart_along(b, a, dx, dy, gap);
}

static bool inside_plot(const rf_layout *layout, const rf_rect *r) {
  double width = shadow(r, 1, 0), height = shadow(r, 0, 1);
  return r->x - width >= layout->left + 2 && r->x + width <= layout->right - 2 &&
         r->y - height >= layout->top + 2 && r->y + height <= layout->bottom - 2;
}

/** Obstacles for labels, computed once. */
typedef struct board {
  const roof_scene *scene;
  rf_layout *layout;
  rf_rect roofs[ROOF_SCENE_ROOFS];
  rf_rect dots[ROOF_SCENE_DOTS];
  rf_rect warnings[ROOF_SCENE_DOTS]; /**< the "!" of dots above their ceilings */
  int warning_count;
  rf_rect drops[2 * ROOF_SCENE_DOTS + ROOF_SCENE_SERIES]; /**< lines from dots and ridges, arrows */
  int drop_count;
} board;

/** One search for a mark's place. */
typedef struct search {
  const board *on;
  int self;
  double cost;
  rf_mark best;
} search;

/** A dot with a longer label than this many pixels gets a number instead. */
static double longest_label(const rf_layout *layout) {
  return fmin(240, 0.45 * (layout->right - layout->left));
}

double rf_dot_radius(const roof_scene_dot *dot) {
  return RF_DOT_RADIUS * (dot->share > 0 ? sqrt(0.36 + 3.64 * fmin(dot->share, 1)) : 1);
}

static void set_up(board *b) {
  const rf_layout *layout = b->layout;
  const rf_geometry *g = &layout->geometry;
  for (int i = 0; i < b->scene->roof_count; i++) {
    b->roofs[i] = rf_rect_line(rf_layout_point(layout, g->from[i].x, g->from[i].y),
                               rf_layout_point(layout, g->to[i].x, g->to[i].y));
  }
  for (int i = 0; i < b->scene->dot_count; i++) {
    const roof_scene_dot *d = &b->scene->dots[i];
    rf_point p = rf_layout_point(layout, log10(d->intensity), log10(d->flops_per_second));
    double radius = rf_dot_radius(d);
    b->dots[i] = (rf_rect){p.x, p.y, radius + 1, radius + 1, 1, 0};
    if (g->above[i]) {
      b->warnings[b->warning_count++] = (rf_rect){p.x, p.y - radius - 10, 3, RF_FONT_SIZE * 0.62, 1, 0};
    }
    if (!isnan(g->ceilings[i])) {
      rf_point roof = {p.x, rf_layout_point(layout, 0, g->ceilings[i]).y};
      b->drops[b->drop_count++] = rf_rect_line(p, roof);
    }
  }
  for (int i = 0; i < b->scene->dot_count; i++) {
    int next = b->scene->dots[i].next;
    if (next >= 0 && next < b->scene->dot_count) {
      b->drops[b->drop_count++] =
          rf_rect_line((rf_point){b->dots[i].x, b->dots[i].y}, (rf_point){b->dots[next].x, b->dots[next].y});
    }
  }
  for (int i = 0; i < ROOF_SCENE_SERIES; i++) {
    rf_point ridge = rf_layout_point(layout, g->ridges[i].x, g->ridges[i].y);
    if (!isnan(ridge.x)) {
      b->drops[b->drop_count++] = rf_rect_line(ridge, (rf_point){ridge.x, layout->bottom});
    }
  }
}

static rf_rect leader_of(const rf_mark *mark) {
  return rf_rect_line((rf_point){mark->rect.x, mark->rect.y}, mark->anchor);
}

static int count_near(const rf_rect *rect, const rf_rect *others, int count, double gap) {
  int near = 0;
  for (int i = 0; i < count; i++) {
    near += rf_rect_near(rect, &others[i], gap);
  }
  return near;
}

static double collide_marks(const search *s, const rf_mark *mark, const rf_rect *leader) {
  double cost = 0;
  for (int i = 0; i < RF_MARK_COUNT; i++) {
    const rf_mark *other = &s->on->layout->marks[i];
    if (i == s->self || other->text[0] == '\0') {
      continue;
    }
    if (rf_rect_near(&mark->rect, &other->rect, 2)) {
      return forbidden;
    }
    if (mark->leader && rf_rect_near(leader, &other->rect, 1)) {
      cost += crosses_leader;
    }
    if (other->leader) {
      rf_rect line = leader_of(other);
      cost += rf_rect_near(&mark->rect, &line, 1) ? crosses_leader : 0;
    }
  }
  return cost;
}

/** From a point to the nearest side of an upright rectangle. */
static double distance(const rf_rect *r, double x, double y) {
  return rf_length(fmax(fabs(x - r->x) - r->half_width, 0), fmax(fabs(y - r->y) - r->half_height, 0));
}

static double collide_dots(const search *s, const rf_mark *mark, const rf_rect *leader) {
  double cost = 0;
  bool of_dot = s->self >= ROOF_SCENE_ROOFS && s->self < RF_MARK_MEMORY;
  double reach = distance(&mark->rect, mark->anchor.x, mark->anchor.y);
  if (count_near(&mark->rect, s->on->warnings, s->on->warning_count, 1) > 0) {
    return forbidden;
  }
  for (int i = 0; i < s->on->scene->dot_count; i++) {
    if (rf_rect_near(&mark->rect, &s->on->dots[i], 1)) {
      return forbidden;
    }
    bool own = i == s->self - ROOF_SCENE_ROOFS;
    if (mark->leader && !own && rf_rect_near(leader, &s->on->dots[i], 0)) {
      cost += crosses_leader;
    }
    if (of_dot && !own && distance(&mark->rect, s->on->dots[i].x, s->on->dots[i].y) < reach) {
      cost += seems_anothers;
    }
  }
  return cost;
}

/** How many roofs a leader crosses from its own to the label. */
static int roofs_passed(const search *s, const rf_mark *mark, const rf_rect *leader) {
  bool of_roof = mark->leader && s->self < ROOF_SCENE_ROOFS;
  return of_roof ? count_near(leader, s->on->roofs, s->on->scene->roof_count, 1) - 1 : 0;
}

static double collide_lines(const search *s, const rf_mark *mark, const rf_rect *leader) {
  const board *b = s->on;
  int passed = rf_frame_is_narrow(b->layout->width) ? roofs_passed(s, mark, leader) : 0;
  return crosses_roof * (passed + count_near(&mark->rect, b->roofs, b->scene->roof_count, 1)) +
         crosses_drop * count_near(&mark->rect, b->drops, b->drop_count, 1);
}

/** Keeps this place, whose own cost is `cost`, if it is the best so far. */
static void consider(search *s, rf_mark mark, double cost) {
  if (cost >= s->cost || !inside_plot(s->on->layout, &mark.rect)) {
    return;
  }
  rf_rect leader = mark.leader ? leader_of(&mark) : mark.rect;
  cost += collide_dots(s, &mark, &leader);
  if (cost < s->cost) {
    cost += collide_marks(s, &mark, &leader);
  }
  if (cost < s->cost) {
    cost += collide_lines(s, &mark, &leader);
  }
  if (cost < s->cost) {
    s->cost = cost;
    s->best = mark;
  }
}

/** Rings of places around the anchor; near places and places to the right first. */
static void search_around(search *s) {
  static const double rings[] = {0, 7, 16, 28, 42, 60, 82, 110};
  enum { DIRECTIONS = 16 };
  const rf_mark *mark = &s->on->layout->marks[s->self];
  int dot = s->self - ROOF_SCENE_ROOFS;
  bool of_dot = dot >= 0 && dot < s->on->scene->dot_count;
  double radius = of_dot ? rf_dot_radius(&s->on->scene->dots[dot]) : RF_DOT_RADIUS;
  for (size_t ring = 0; ring < sizeof rings / sizeof rings[0]; ring++) {
    for (int i = 0; i < DIRECTIONS; i++) {
      double c = cos(i * 2 * pi / DIRECTIONS), up = sin(i * 2 * pi / DIRECTIONS);
      double reach = radius + 4 + rings[ring];
      rf_mark place = *mark;
      place.rect.x = mark->anchor.x + c * (mark->rect.half_width + reach);
      place.rect.y = mark->anchor.y - up * (mark->rect.half_height + reach);
      place.leader = ring >= 2;
      consider(s, place, rings[ring] * 0.6 + (place.leader ? 8 : 0) + 2 * (1 - c) + (up < 0 ? 0.5 : 0));
    }
  }
}

/** Every place of the plot, for a label that found none nearby. */
static void search_everywhere(search *s) {
  const rf_layout *layout = s->on->layout;
  rf_mark place = layout->marks[s->self];
  place.leader = true;
  double step_x = fmax(place.rect.half_width, 8), step_y = place.rect.half_height + 2;
  for (double y = layout->top + place.rect.half_height + 3; y < layout->bottom; y += step_y) {
    for (double x = layout->left + place.rect.half_width + 3; x < layout->right; x += step_x) {
      place.rect.x = x;
      place.rect.y = y;
      consider(s, place, 80 + rf_length(x - place.anchor.x, y - place.anchor.y) * 0.6);
    }
  }
}

/** Places along a roof on both sides: ramps from their low end, flat roofs from the right. */
static void search_along(search *s) {
  const rf_geometry *g = &s->on->layout->geometry;
  const roof_scene_roof *roof = &s->on->scene->roofs[s->self];
  bool flat = !isnan(roof->flops_per_second);
  rf_point from = rf_layout_point(s->on->layout, g->from[s->self].x, g->from[s->self].y);
  rf_point to = rf_layout_point(s->on->layout, g->to[s->self].x, g->to[s->self].y);
  double length = rf_length(to.x - from.x, to.y - from.y);
  double along_x = (to.x - from.x) / length, along_y = (to.y - from.y) / length;
  rf_mark place = s->on->layout->marks[s->self];
  place.leader = false;
  place.rect.c = along_x;
  place.rect.s = along_y;
  double slack = length - 2 * place.rect.half_width - 16;
  for (double at = 0; at <= slack; at += 12) {
    double centre = (flat ? slack - at : at) + place.rect.half_width + 8;
    for (int try = 0; try < 4; try++) {
      int side = try % 2, past_dots = try / 2;
      double offset = (side == 0 ? -1 : 1) * (place.rect.half_height + 3 + past_dots * (RF_DOT_RADIUS + 2));
      place.rect.x = from.x + along_x * centre - along_y * offset;
      place.rect.y = from.y + along_y * centre + along_x * offset;
      bool usual = (side == 0) == (roof->style == ROOF_SOLID);
      /* A place beyond the dots must not be beyond another roof: the label would seem to be that roof's. */
      if (past_dots == 0 ||
          count_near(&place.rect, s->on->roofs, s->on->scene->roof_count, 2 * RF_DOT_RADIUS + 1) == 1) {
        consider(s, place, at * 0.05 + (usual ? 0 : 4) + past_dots * 6);
      }
    }
  }
}

/** Next to the anchor, to the side that `dx` points to; of a flat roof in a narrow picture as near to it as the plot allows. */
static double aside_at(const rf_layout *layout, const rf_mark *mark, double dx) {
  double half = mark->rect.half_width;
  if (fabs(dx) > 0 || !rf_frame_is_narrow(layout->width)) {
    return mark->anchor.x + copysign(half, dx);
  }
  return fmax(layout->left + half + 3, fmin(layout->right - half - 3, mark->anchor.x));
}

/** Upright places off a roof, past other roofs that run close to it, joined to it by a leader. */
static void search_aside(search *s) {
  static const double reaches[] = {12, 20, 30, 44, 60};
  const rf_geometry *g = &s->on->layout->geometry;
  rf_point from = rf_layout_point(s->on->layout, g->from[s->self].x, g->from[s->self].y);
  rf_point to = rf_layout_point(s->on->layout, g->to[s->self].x, g->to[s->self].y);
  double length = rf_length(to.x - from.x, to.y - from.y);
  double along_x = (to.x - from.x) / length, along_y = (to.y - from.y) / length;
  rf_mark place = s->on->layout->marks[s->self];
  place.leader = true;
  for (double at = 12; at <= length - 12; at += 12) {
    place.anchor = (rf_point){from.x + along_x * at, from.y + along_y * at};
    for (size_t i = 0; i < 2 * (sizeof reaches / sizeof reaches[0]); i++) {
      double reach = reaches[i / 2], side = i % 2 == 0 ? 1 : -1;
      double dx = -along_y * side, dy = along_x * side;
      place.rect.x = dx * reach + aside_at(s->on->layout, &place, dx);
      place.rect.y = place.anchor.y + dy * reach + copysign(place.rect.half_height, dy);
      consider(s, place, 10 + reach * 0.2 + at * 0.01);
    }
  }
}

/** Along the roof; off it where the label would lie on another. */
static void search_roof(search *s) {
  search_along(s);
  if (s->cost >= crosses_roof) {
    search_aside(s);
  }
  if (s->cost >= crosses_roof) {
    search_everywhere(s);
  }
}

/** Along the roof or just off it. */
static void search_close(search *s) {
  double most = s->cost;
  search_along(s);
  if (s->cost == most) {
    search_aside(s);
  }
}

/** Finds the mark's best place that costs less than `most`, and keeps it; false when there is none. */
static bool settle_below(board *b, int self, double most, void (*look)(search *)) {
  search s = {.on = b, .self = self, .cost = most};
  look(&s);
  if (s.cost < most) {
    b->layout->marks[self] = s.best;
  }
  return s.cost < most;
}

static bool settle(board *b, int self, void (*look)(search *)) {
  return settle_below(b, self, forbidden, look);
}

/** Where there is room, at worst across other lines; in a narrow picture next to its own line, touching no other, or below the plot. */
static bool settle_roof(board *b, int roof) {
  if (rf_frame_is_narrow(b->layout->width)) {
    return settle_below(b, roof, crosses_drop, search_close);
  }
  return settle(b, roof, search_roof) || settle(b, roof, search_around) || settle(b, roof, search_everywhere);
}

static void prepare(rf_mark *mark, const char *text, double most, rf_point anchor) {
  char elided[sizeof mark->text];
  rf_glyph_elide(elided, sizeof elided, text, most / RF_FONT_SIZE);
  *mark = (rf_mark){
      .anchor = anchor,
      .rect = {anchor.x, anchor.y, rf_glyph_ems(elided) * RF_FONT_SIZE / 2 + 1, RF_FONT_SIZE * 0.62, 1, 0}};
  snprintf(mark->text, sizeof mark->text, "%s", elided);
}

static void settle_roofs(board *b) {
  const roof_scene *scene = b->scene;
  rf_layout *layout = b->layout;
  const rf_geometry *g = &layout->geometry;
  for (int i = 0; i < scene->roof_count; i++) {
    rf_mark ready;
    rf_point middle =
        rf_layout_point(layout, (g->from[i].x + g->to[i].x) / 2, (g->from[i].y + g->to[i].y) / 2);
    prepare(&ready, scene->roofs[i].label, fmin(330, layout->right - layout->left - 20), middle);
    layout->marks[i] = ready;
    if (!settle_roof(b, i)) {
      layout->marks[i].text[0] = '\0';
    }
  }
}

/** True if the dot's arrow leads to a dot with the same label; one label then serves both. */
static bool shares_label(const roof_scene *scene, const roof_scene_dot *dot) {
  return dot->next >= 0 && dot->next < scene->dot_count && &scene->dots[dot->next] != dot &&
         strcmp(scene->dots[dot->next].label, dot->label) == 0;
}

bool rf_layout_names(const rf_layout *layout, const roof_scene_dot *dot) {
  return dot->share >= layout->least_share;
}

/** The least share of the time that a dot has a label for: of many that differ, the largest have one, of very many that do not
 *  differ none. */
static double least_share(const roof_scene *scene) {
  enum { MANY = 24, NAMED = 10, MOST = 100 };
  int named = 0;
  double least = INFINITY;
  for (int i = 0; i < scene->dot_count && scene->dot_count > MANY; i++) {
    int larger = 0;
    for (int k = 0; k < scene->dot_count; k++) {
      larger += scene->dots[k].share > scene->dots[i].share;
    }
    least = larger < NAMED ? fmin(least, scene->dots[i].share) : least;
  }
  for (int i = 0; i < scene->dot_count; i++) {
    named += scene->dots[i].share >= least;
  }
  return named > MOST ? INFINITY : isinf(least) ? 0 : least;
}

/** The text next to a dot; NULL if it is too long. */
static const char *dot_words(const roof_scene *scene, const rf_layout *layout, int dot, char number[16]) {
  const char *label = scene->dots[dot].label;
  if (!rf_layout_names(layout, &scene->dots[dot])) {
    return "";
  }
  if (layout->numbered) {
    snprintf(number, 16, "%d", dot + 1);
    return number;
  }
  if (shares_label(scene, &scene->dots[dot])) {
    return "";
  }
  return rf_glyph_ems(label) * RF_FONT_SIZE <= longest_label(layout) ? label : NULL;
}

/** Finds the place of one dot's label or number, or keeps its current one if none is better. False: no
 * room. */
static bool settle_dot(board *b, int dot) {
  rf_layout *layout = b->layout;
  int self = ROOF_SCENE_ROOFS + dot;
  rf_mark before = layout->marks[self];
  char number[16];
  const char *words = dot_words(b->scene, layout, dot, number);
  if (words == NULL) {
    return false;
  }
  prepare(&layout->marks[self], words, longest_label(layout), (rf_point){b->dots[dot].x, b->dots[dot].y});
  if (words[0] == '\0' || settle(b, self, search_around)) {
    return true;
  }
  if (before.text[0] == '\0' && layout->numbered && settle(b, self, search_everywhere)) {
    return true;
  }
  layout->marks[self] = before;
  return before.text[0] != '\0';
}

/** Places every dot's label in two passes, the second knowing the places of all others. Uses numbers if the
 * labels have no room.
 */
static void settle_dots(board *b) {
  const roof_scene *scene = b->scene;
  rf_layout *layout = b->layout;
  enum { PASSES = 3 };
  bool room = true;
  for (int pass = 0; pass < PASSES; pass++) {
    for (int i = 0; i < scene->dot_count && (room || layout->numbered); i++) {
      room = settle_dot(b, i) && room;
    }
  }
  if (!room && !layout->numbered) {
    for (int i = 0; i < scene->dot_count; i++) {
      layout->marks[ROOF_SCENE_ROOFS + i].text[0] = '\0';
    }
    layout->numbered = true;
    settle_dots(b);
  }
}

static void search_region(search *s) {
  rf_mark place = s->on->layout->marks[s->self];
  int side = s->self == RF_MARK_MEMORY ? -1 : 1;
  place.rect.x = place.anchor.x + side * (place.rect.half_width + 10);
  for (int row = 0; row < 4; row++) {
    place.rect.y = s->on->layout->bottom - (row + 0.8) * 2 * place.rect.half_height;
    consider(s, place, forbidden - crosses_drop + row);
  }
}

/** "memory-bound" left of all ridges and "compute-bound" right of them, where nothing else is. */
static void settle_regions(board *b) {
  rf_layout *layout = b->layout;
  double left = NAN, right = NAN;
  for (int i = 0; i < ROOF_SCENE_SERIES; i++) {
    left = fmin(left, layout->geometry.ridges[i].x);
    right = fmax(right, layout->geometry.ridges[i].x);
  }
  const struct {
    int mark;
    double ridge;
    const char *text;
  } regions[] = {{RF_MARK_MEMORY, left, "\xE2\x97\x82 memory-bound"},
                 {RF_MARK_COMPUTE, right, "compute-bound \xE2\x96\xB8"}};
  for (int i = 0; i < 2; i++) {
    rf_mark ready;
    prepare(&ready, regions[i].text, 200, rf_layout_point(layout, regions[i].ridge, layout->geometry.low.y));
    layout->marks[regions[i].mark] = ready;
    if (isnan(regions[i].ridge) || !settle(b, regions[i].mark, search_region)) {
      layout->marks[regions[i].mark].text[0] = '\0';
    }
  }
}

/** The plot of a picture of that width. */
static void place_plot(const roof_scene *scene, int width, rf_layout *layout) {
  bool narrow = rf_frame_is_narrow(width);
  double top = 66 + rf_frame_head(NULL, width, scene->title, scene->subtitle);
  *layout = (rf_layout){.width = width,
                        .left = narrow ? 64 : 118,
                        .top = top,
                        .right = width - (narrow ? 16 : 24),
                        .bottom = top + (narrow ? 320 : 480)};
}

roof_status rf_layout_make(const roof_scene *scene, int width, rf_layout *layout, roof_error *error) {
  place_plot(scene, width, layout);
  roof_status status = rf_geometry_make(scene, &layout->geometry, error);
  board *b = status == ROOF_OK ? calloc(1, sizeof *b) : NULL;
  if (status == ROOF_OK && b == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory");
  }
  if (status == ROOF_OK) {
    b->scene = scene;
    b->layout = layout;
    layout->least_share = least_share(scene);
    set_up(b);
    settle_roofs(b);
    settle_dots(b);
    settle_regions(b);
  }
  free(b);
  return status;
}
