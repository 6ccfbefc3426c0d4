/* Which part of a curve of bandwidth over working sets belongs to which level. */
#include <math.h>

#include "core/curve.h"
#include "measure/cpu/cpu.h"

/** Values that differ by less than this lie on one plateau; a level whose ends differ by more is not flat. */
static const double flat = 1.15;

enum { PLATEAU_MAX = ROOF_CURVE_MAX / 3, LEAST_POINTS = 3 };

typedef struct plateau {
  int first, last; /* points */
} plateau;

/** Estimates each point without disturbance: a larger working set is never faster, and disturbances only slow
 * down. */
static void undisturbed(const roof_curve_point *curve, int count, double *rates) {
  double highest = 0;
  for (int i = count - 1; i >= 0; i--) {
    highest = fmax(highest, curve[i].bytes_per_second);
    rates[i] = highest;
  }
}

/** The plateaus, inner to outer: that of the first point, those between with LEAST_POINTS or more, and that
 * of the last point, which is memory. Only one if the curve does not fall. */
static int find_plateaus(const double *rates, int count, plateau *found) {
  int last = count - 1, outer = last, n = 0;
  while (outer > 0 && rates[outer - 1] <= flat * rates[last]) {
    outer--;
  }
  for (int first = 0; first < outer;) {
    int end = first;
    while (end + 1 < outer && flat * rates[end + 1] >= rates[first]) {
      end++;
    }
    if ((first == 0 || end - first + 1 >= LEAST_POINTS) && n < PLATEAU_MAX - 1) {
      found[n++] = (plateau){first, end};
    }
    first = end + 1;
  }
  found[n++] = (plateau){outer, last};
  return n;
}

/** How many octaves of a plateau belong to a level's working sets, above `inner` and up to `own` bytes. */
static double shared(const roof_curve_point *curve, const plateau *p, double inner, double own) {
  double from = fmax(inner, curve[p->first].bytes), to = fmin(own, curve[p->last].bytes);
  return to > from ? log2(to / from) : 0;
}

/** Assigns plateaus from `next` on to caches from `cache` on, in order, so that they overlap most with the
 * reported sizes; returns the overlap. A level without overlap gets none: -1. */
static double assign(const roof_curve_point *curve, const plateau *found, int next, int end,
                     const double *capacities, int cache, int caches, int *of) {
  if (cache == caches) {
    return 0;
  }
  int rest[ROOF_LEVEL_KIND_COUNT];
  double best = assign(curve, found, next, end, capacities, cache + 1, caches, of);
  of[cache] = -1;
  for (int p = next; p < end; p++) {
    double own = shared(curve, &found[p], capacities[cache - 1], capacities[cache]);
    double all = own + assign(curve, found, p + 1, end, capacities, cache + 1, caches, rest);
    if (own > 0 && all > best) {
      best = all;
      of[cache] = p;
      for (int i = cache + 1; i < caches; i++) {
        of[i] = rest[i];
      }
    }
  }
  return best;
}

/** The working sets at which the level's bandwidth should be the same: beyond the level inside it, and up to
 * three quarters of the reported size; for memory the outermost octave or two. */
static void compare_ends(const roof_curve_point *curve, const double *rates, int count, double least,
                         double most, rf_place *place) {
  int first = 0, last = count - 1;
  while (first < count - 1 && curve[first].bytes < least) {
    first++;
  }
  while (last > first && curve[last].bytes > most) {
    last--;
  }
  place->ends[0] = (roof_curve_point){curve[first].bytes, rates[first]};
  place->ends[1] = (roof_curve_point){curve[last].bytes, rates[last]};
  place->sloped = rates[first] > flat * rates[last];
}

double rf_curve_holds(const roof_curve_point *curve, int count, double inner, double reported) {
  static const double apart = 1.4, beyond = 2;
  double rates[ROOF_CURVE_MAX];
  int first = 0, last = count - 1;
  if (count < LEAST_POINTS) {
    return reported;
  }
  undisturbed(curve, count, rates);
  while (first < last && curve[first].bytes < beyond * inner) {
    first++;
  }
  double memory = rf_curve_memory_rate(curve, count), half_way = 2 / (1 / rates[first] + 1 / memory);
  if (first == last || rates[first] < apart * memory) {
    return reported;
  }
  int held = first; /* one slow point is a disturbance */
  while (held + 2 <= last &&
         fmax(curve[held + 1].bytes_per_second, curve[held + 2].bytes_per_second) >= half_way) {
    held++;
  }
  bool seen = held - first + 1 >= LEAST_POINTS;
  return seen && curve[held].bytes < reported / beyond ? curve[held].bytes : reported;
}

int rf_curve_place(const roof_curve_point *curve, int count, const double *capacities, int levels,
                   rf_place *places) {
  double rates[ROOF_CURVE_MAX];
  plateau found[PLATEAU_MAX];
  int of[ROOF_LEVEL_KIND_COUNT], caches = levels - 1;
  for (int i = 0; i < levels; i++) {
    places[i] = (rf_place){.seen = false};
  }
  if (count < LEAST_POINTS || levels < 1 || levels > ROOF_LEVEL_KIND_COUNT) {
    return 0;
  }
  undisturbed(curve, count, rates);
  int plateaus = find_plateaus(rates, count, found);
  of[caches] = plateaus - 1;
  if (caches > 0) {
    of[0] = plateaus > 1 ? 0 : -1;
    assign(curve, found, 1, plateaus - 1, capacities, 1, caches, of);
  }
  for (int i = 0; i < levels; i++) {
    if (of[i] < 0) {
      continue;
    }
    const plateau *p = &found[of[i]];
    double inner = i > 0 ? capacities[i - 1] : 0, end = curve[count - 1].bytes;
    places[i].seen = true;
    places[i].from = curve[p->first].bytes;
    places[i].to = curve[p->last].bytes;
    compare_ends(curve, rates, count,
                 i < caches ? fmax(2 * inner, places[i].from) : fmax(end / 4, fmin(2 * inner, end / 2)),
                 i < caches ? fmax(0.75 * capacities[i], places[i].to) : end, &places[i]);
  }
  return plateaus;
}
