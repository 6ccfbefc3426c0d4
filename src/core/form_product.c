/* Matrix products: tiles handed out to the units in waves, the depth split where tiles alone keep too few units busy. */
#include "core/form.h"
#include "roofline/dtype.h"

/** Times its even part of the bandwidth that one unit can draw. */
static const double unit_draws = 2.5;

/** Fewest elements of the depth in a part of a split. */
static const double least_depth = 128;

/** Bytes of a partial sum and of what activations come in. */
static const double sum_bytes = 4, wide_bytes = 2;

/** Products with weights of their own between two with the same. */
static const double other_weights = 4;

enum { SIDES = 7, MOST_PARTS = 16 };

static const double sides[SIDES] = {32, 64, 128, 192, 256, 8, 16};

/** Tiles that libraries have, by their sides, and their elements over the share of the rate that they reach: small ones
 * ask too much of the unit's own memory. (2 / (1/rows + 1/columns) / 84)^1.3, fitted to bf16 on four families; the last
 * two are those of a matrix times few vectors, which stream the matrix past: half of the rate. */
static const struct {
  unsigned char rows, columns;
  double cost;
} tilings[] = {{4, 2, 32768},         {2, 4, 32768},         {3, 2, 24576},         {2, 3, 24576},
               {2, 2, 16384},         {2, 1, 8192},          {1, 2, 8192},          {1, 4, 16384},
               {1, 1, 4096 / 0.7022}, {0, 1, 2048 / 0.4145}, {1, 0, 2048 / 0.4145}, {5, 2, 1024 / 0.5},
               {6, 2, 2048 / 0.5}};

enum { TILINGS = sizeof tilings / sizeof tilings[0], NARROW = TILINGS - 2 };

/** What all ways to cut a product share. */
typedef struct product {
  roof_kernel_shape shape;
  double turns_per_tile; /**< 1 / units */
  double unit_seconds;   /**< of one multiplication and addition by one unit */
  double memory;         /**< s with all units busy */
  double store;          /**< s of it for the results */
  double sum_seconds;    /**< at the memory for one part's sums */
  double wave_seconds, split_seconds;
  bool waved, drawn, split; /**< effects that are not left out */
} product;

/** One way: what a unit does in one turn, and how often all do. */
typedef struct way {
  double tile_seconds; /**< of one tile's whole depth */
  double turns;        /**< tiles of the whole depth / units */
  double split, share; /**< parts, and 1 over them */
} way;

/** The times of one way, s. */
typedef struct cut_times {
  double compute, memory, waves, split;
} cut_times;

/** The least whole number that is not less, of numbers from 0 to 2^51; a call of ceil() takes longer than the rest. */
static inline double whole(double x) {
  const double shift = 4503599627370496.0;
  double nearest = (x + shift) - shift;
  return nearest < x ? nearest + 1 : nearest;
}

/** Waves of so many turns, one where a quotient's rounding made it a little more. */
static inline double waves_of(double turns) {
  return whole(turns * (1 - 1e-12));
}

static inline double doublings(double parts) {
  return parts >= 16 ? 4 : parts >= 8 ? 3 : parts >= 4 ? 2 : 1;
}

/** `full`: share of the tiles that the matrix fills; 1 where tiles are no effect to leave out. */
static inline cut_times time_way(const product *p, const way *w, double full) {
  double turns = w->turns * w->split, waves = p->waved ? waves_of(turns * full) : turns * full;
  cut_times t = {
      .compute = waves * w->tile_seconds * w->share, .memory = p->memory, .waves = waves * p->wave_seconds};
  if (p->drawn && turns * unit_draws < 1) {
    t.memory /= turns * unit_draws;
  }
  if (p->split && w->split > 1) {
    t.split = p->split_seconds * doublings(w->split) + p->sum_seconds * w->split;
  }
  return t;
}

/** The ways to split one tiling within one wave: whether one is faster than *least, which it becomes. */
static inline bool try_splits(const product *p, way w, double *least, double *parts) {
  bool faster = false;
  for (w.split = w.share = 1; w.split <= MOST_PARTS; w.split *= 2, w.share *= 0.5) {
    cut_times t = time_way(p, &w, 1);
    double seconds = (t.compute > t.memory ? t.compute : t.memory) + t.waves + t.split;
    if (seconds < *least) {
      *least = seconds;
      *parts = w.split;
      faster = true;
    }
    if (2 * w.split * w.turns > 1 || p->shape.depth < 2 * w.split * least_depth) {
      break;
    }
  }
  return faster;
}

/** The fastest way, by the longer of both times: their corner would hardly change it. */
static void choose(const product *p, rf_cut *best) {
  double rows[SIDES], columns[SIDES], least = INFINITY, depth_seconds = p->shape.depth * p->unit_seconds;
  int chosen = 0;
  for (int i = 0; i < SIDES; i++) {
    rows[i] = whole(p->shape.rows / sides[i]);
    columns[i] = whole(p->shape.columns / sides[i]) * p->shape.count;
  }
  for (int i = 0; i < TILINGS; i++) {
    if (i >= NARROW && p->shape.rows > sides[tilings[i].rows]) {
      continue;
    }
    way w = {.tile_seconds = tilings[i].cost * depth_seconds,
             .turns = rows[tilings[i].rows] * columns[tilings[i].columns] * p->turns_per_tile};
    if (w.turns * w.tile_seconds >= least) { /* with all units busy to the end */
      continue;
    }
    chosen = try_splits(p, w, &least, &best->split) ? i : chosen;
  }
  int r = tilings[chosen].rows, c = tilings[chosen].columns;
  best->tile_rows = sides[r];
  best->tile_columns = sides[c];
  best->tiles = rows[r] * columns[c];
  best->waves = waves_of(best->tiles * p->turns_per_tile * best->split);
  best->rate = sides[r] * sides[c] / tilings[chosen].cost;
}

/** An algorithm's passes before and after its products: their bytes at the memory, and a launch of their own. */
static double passes_seconds(const rf_run *run) {
  double bytes = run->work->kernel.routed * run->target->seconds_per_byte[run->target->memory][0];
  return rf_without(run, ROOF_EFFECT_TILES) ? 0
                                            : bytes / run->c[ROOF_BANDWIDTH] + run->c[ROOF_LATENCY_SECONDS];
}

/** Seconds of the pass that writes activations in a format narrower than they come in. */
static double quantise_seconds(const rf_run *run) {
  const roof_kernel_shape *s = &run->work->kernel;
  double narrow = roof_dtype_bytes(run->target->types.compute);
  if (narrow >= wide_bytes || run->c[ROOF_QUANTISE_PASSES] <= 0) {
    return 0;
  }
  double rows = s->count * s->rows;
  return run->c[ROOF_QUANTISE_PASSES] * rows * s->depth * (wide_bytes + narrow) *
             run->target->seconds_per_byte[run->target->memory][0] / run->c[ROOF_BANDWIDTH] +
         run->c[ROOF_ROW_SECONDS] * rows / run->target->units;
}

/** The time at the memory, where activations are kept from the run before and weights have those of others between. */
static double stream_seconds(const rf_run *run) {
  const roof_work *w = run->work;
  double gain = run->c[ROOF_CACHE_GAIN] - 1, seconds = run->memory / run->c[ROOF_BANDWIDTH];
  double weights = w->weight_bytes / (w->read_bytes + w->write_bytes);
  return gain > 0 ? seconds * (weights / (1 + gain * rf_kept_of(run, other_weights * w->working_set)) +
                               (1 - weights) / (1 + gain * rf_kept(run)))
                  : seconds;
}

static product product_of(const rf_run *run, const roof_kernel_shape *s) {
  double memory = stream_seconds(run), area = s->count * s->rows * s->columns;
  double share = s->group > 0 && s->routed <= 0 && !rf_without(run, ROOF_EFFECT_TILES) ? s->group : 1;
  return (product){
      .shape = *s,
      .turns_per_tile = 1 / run->target->units,
      .unit_seconds = share * run->compute / (area * s->depth) * run->target->units / run->c[ROOF_EFFICIENCY],
      .memory = memory,
      .store = s->group > 0
                   ? 0
                   : memory * run->work->write_bytes / (run->work->read_bytes + run->work->write_bytes),
      .sum_seconds =
          sum_bytes * area * run->target->seconds_per_byte[run->target->memory][0] * memory / run->memory,
      .wave_seconds = run->c[ROOF_WAVE_SECONDS],
      .split_seconds = run->c[ROOF_SPLIT_SECONDS],
      .waved = !rf_without(run, ROOF_EFFECT_WAVES),
      .drawn = !rf_without(run, ROOF_EFFECT_UNITS),
      .split = !rf_without(run, ROOF_EFFECT_SPLIT)};
}

/** The longer time, and part of the shorter: the sum of their cubes; libraries hide one behind the other alike. A tile's
 * results are written when its arithmetic is done: the nearer both times are, the more of that is not hidden. */
static double corner(const rf_run *run, const product *p, const cut_times *t) {
  double longer = t->compute > t->memory ? t->compute : t->memory;
  double share = (t->compute > t->memory ? t->memory : t->compute) / longer;
  return rf_without(run, ROOF_EFFECT_CORNER) ? longer
                                             : rf_rounded(t->compute, t->memory) + p->store * share * share;
}

/** The times of a cut; without the effect of tiles the matrix fills them, and they are at the rate of large ones. */
static cut_times time_cut(const rf_run *run, const product *p, const rf_cut *cut) {
  double area = cut->tile_rows * cut->tile_columns, full = 1, rate = cut->rate;
  if (rf_without(run, ROOF_EFFECT_TILES)) {
    full = p->shape.count * p->shape.rows * p->shape.columns / (cut->tiles * area);
    rate = 1;
  }
  way w = {.tile_seconds = area * p->shape.depth * p->unit_seconds / rate,
           .turns = cut->tiles * p->turns_per_tile,
           .split = cut->split,
           .share = 1 / cut->split};
  return time_way(p, &w, full);
}

/** Of a shape that is the work's or that of its algorithm's products. Not inlined: it would be twice as large. */
static __attribute__((noinline)) double cut_seconds(const rf_run *run, const roof_kernel_shape *shape,
                                                    rf_cut *cut) {
  product p = product_of(run, shape);
  if (!(p.unit_seconds >= 0 && p.memory > 0)) {
    return fmax(run->compute / run->c[ROOF_EFFICIENCY], p.memory);
  }
  if (cut->tiles <= 0) {
    choose(&p, cut);
  }
  cut_times t = time_cut(run, &p, cut);
  return corner(run, &p, &t) + t.waves + t.split + quantise_seconds(run);
}

/** By an algorithm in passes: POINTS products of a point of each tile, of a part of the depth each. */
static double passed_seconds(const rf_run *run, rf_cut *cut) {
  enum { POINTS = 36, TAPS = 9 };
  roof_kernel_shape s = run->work->kernel;
  s.rows *= s.group * TAPS / POINTS;
  s.depth /= TAPS;
  s.count = POINTS;
  s.routed = 0;
  return cut_seconds(run, &s, cut) + passes_seconds(run);
}

double rf_form_product(const rf_run *run, rf_cut *cut) {
  const roof_kernel_shape *shape = &run->work->kernel;
  if (shape->routed <= 0) {
    return cut_seconds(run, shape, cut);
  }
  rf_cut other = *cut;
  bool chosen = cut->tiles > 0;
  double direct = cut->passes ? INFINITY : cut_seconds(run, shape, cut);
  double passed = cut->passes || !chosen ? passed_seconds(run, &other) : INFINITY;
  if (passed < direct) {
    *cut = other;
    cut->passes = true;
  }
  return fmin(direct, passed);
}
