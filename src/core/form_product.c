/* Matrix products: tiles handed out to the units in waves, the depth split where tiles alone keep too few units busy. */
#include <string.h>

#include "core/form.h"
#include "roofline/dtype.h"
#include "roofline/effects.h"

/** Fewest elements of the depth in a part of a split. */
static const double least_depth = 128;

/** Bytes of a partial sum and of what activations come in. */
static const double sum_bytes = 4, wide_bytes = 2;

/** Products with weights of their own between two with the same. */
static const double other_weights = 4;

/** And where the clock is unknown, times a unit's even part of the memory's bandwidth: what that is on Hopper. */
static const double usual_times = 3.5;

enum { SIDES = 7, MOST_PARTS = 16 };

static const double sides[SIDES] = {32, 64, 128, 192, 256, 8, 16};

/** Tiles that libraries have, by their sides; the last two are those of a matrix times few vectors. */
static const struct {
  unsigned char rows, columns;
} tilings[] = {{4, 2}, {2, 4}, {3, 2}, {2, 3}, {2, 2}, {2, 1}, {1, 2},
               {1, 4}, {1, 1}, {0, 1}, {1, 0}, {5, 2}, {6, 2}};

enum { TILINGS = sizeof tilings / sizeof tilings[0], NARROW = TILINGS - 2 };

/** Since Hopper one side of a tile is what an instruction has rows, or a few of them, and the other any number of its columns, as
 * many as keep all units busy (cuBLAS: kernels nvjet_*_192x168 and the like); what its sums have room for. */
static const double step = 8, widest = 256, most_area = 32768;

typedef struct band {
  double side, strip; /**< 1 / the widest that a tile may be */
  bool turned;        /**< the side is columns */
} band;

static const band bands[] = {{128, 1 / 256.0, false}, {128, 1 / 256.0, true}, {256, 1 / 128.0, false},
                             {256, 1 / 128.0, true},  {64, 1 / 256.0, false}, {64, 1 / 256.0, true}};

enum { BANDS = sizeof bands / sizeof bands[0] };

/** What the corner adds where both times are the same: the cube root of 2, less 1. */
static const double rounded_at_most = 0.26;

/** A cut is as good as any where it takes this much longer than any could. */
static const double good_enough = 1.03;

/** What all ways to cut a product share. */
typedef struct product {
  roof_kernel_shape shape;
  double turns_per_tile; /**< 1 / units */
  double depth_seconds;  /**< of the whole depth */
  double row_seconds;    /**< until a row of a tile has come in, by what a unit gets of the last cache */
  double column_seconds; /**< the same of a column */
  double compute;        /**< s with all units busy, as fast as power allows */
  double floor;          /**< s of that or at the memory, the longer: no cut is faster */
  double memory;         /**< s with all units busy */
  double store;          /**< s of it for the results */
  double meeting[2];     /**< per square and cube of the shorter time: what hides neither way */
  double sum_seconds;    /**< at the memory for one part's sums */
  double wave_seconds, split_seconds;
  bool waved, split; /**< effects that are not left out */
  bool splittable;   /**< scales of blocks keep a depth in one part */
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

/** The fastest way so far. */
typedef struct search {
  const product *product;
  rf_cut *best;
  double least, enough; /**< s */
} search;

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

/** A tile's operands come in while those before are multiplied. */
static inline double tile_seconds(const product *p, double rows, double columns) {
  double multiplied = rows * columns * p->depth_seconds;
  double fed = rows * p->row_seconds + columns * p->column_seconds;
  return fed > multiplied ? fed : multiplied;
}

/** Seconds that sums of so many parts take. */
static inline double split_cost(const product *p, double parts) {
  return p->split && parts > 1 ? p->split_seconds * doublings(parts) + p->sum_seconds * parts : 0;
}

/** `full`: share of the tiles that the matrix fills; 1 where tiles are no effect to leave out. */
static inline cut_times time_way(const product *p, const way *w, double full) {
  double turns = w->turns * w->split, waves = p->waved ? waves_of(turns * full) : turns * full;
  cut_times t = {
      .compute = waves * w->tile_seconds * w->share, .memory = p->memory, .waves = waves * p->wave_seconds};
  t.split = split_cost(p, w->split);
  return t;
}

/** About what the corner adds, the same where arithmetic takes longer than the memory; no more than is not hidden at all. */
static inline double meeting_seconds(const product *p, double compute) {
  double shorter = compute < p->memory ? compute : p->memory;
  double added = shorter * shorter * (p->meeting[0] + shorter * p->meeting[1]);
  return added < shorter ? added : shorter;
}

/** Takes a way if it is faster; its seconds. */
static inline double try_way(search *s, const way *w, double rows, double columns, double tiles) {
  cut_times t = time_way(s->product, w, 1);
  double floor = s->product->floor, longer = t.compute > floor ? t.compute : floor;
  double seconds = longer + meeting_seconds(s->product, t.compute) + t.waves + t.split;
  if (seconds < s->least) {
    s->least = seconds;
    s->best->tile_rows = rows;
    s->best->tile_columns = columns;
    s->best->tiles = tiles;
    s->best->split = w->split;
  }
  return seconds;
}

/** Whether the depth may be split further: within one wave, and where the parts are not too short. */
static inline bool splits_again(const product *p, double split, double turns) {
  return p->splittable && split < MOST_PARTS && 2 * split * turns <= 1 &&
         p->shape.depth >= 2 * split * least_depth;
}

/** All ways to split one tiling. */
static inline void try_splits(search *s, double rows, double columns, double tiles) {
  const product *p = s->product;
  way w = {.tile_seconds = tile_seconds(p, rows, columns),
           .turns = tiles * p->turns_per_tile,
           .split = 1,
           .share = 1};
  if (w.turns * w.tile_seconds >= s->least) { /* with all units busy to the end */
    return;
  }
  for (bool again = true; again; w.split *= 2, w.share *= 0.5) {
    try_way(s, &w, rows, columns, tiles);
    again = splits_again(p, w.split, w.turns);
  }
}

/** The fastest of the tilings that libraries have. */
static void choose_tiling(search *s) {
  const roof_kernel_shape *shape = &s->product->shape;
  double rows[SIDES], columns[SIDES];
  for (int i = 0; i < SIDES; i++) {
    rows[i] = whole(shape->rows / sides[i]);
    columns[i] = whole(shape->columns / sides[i]) * shape->count;
  }
  for (int i = 0; i < TILINGS; i++) {
    int r = tilings[i].rows, c = tilings[i].columns;
    if (i < NARROW || shape->rows <= sides[r]) {
      try_splits(s, sides[r], sides[c], rows[r] * columns[c]);
    }
  }
}

/** Tiles of a band's rows, or columns where it is turned, in `parts` parts: as wide as fill so many waves of the units, or one
 * more. Seconds of the faster. */
static inline double try_widths(search *s, const band *b, double high, double parts, double share) {
  const product *p = s->product;
  double least = INFINITY, across = b->turned ? p->shape.rows : p->shape.columns;
  double each = high * parts * p->turns_per_tile, waves = waves_of(whole(across * b->strip) * each);
  double strips_per_wave = (1 + 1e-12) / each;
  for (int more = 0; more < (waves > 1 ? 2 : 1); more++) {
    double strips = whole((waves + more) * strips_per_wave) - 1;
    double width = strips >= 1 ? step * whole(across / step / strips) : INFINITY;
    if (width * b->side <= most_area && width <= widest) {
      double tiles = high * whole(across / width);
      double rows = b->turned ? width : b->side, columns = b->turned ? b->side : width;
      way w = {.tile_seconds = tile_seconds(p, rows, columns),
               .turns = tiles * p->turns_per_tile,
               .split = parts,
               .share = share};
      double seconds = try_way(s, &w, rows, columns, tiles);
      least = seconds < least ? seconds : least;
    }
  }
  return least;
}

/** The fastest of tiles of any width. */
static void choose_width(search *s) {
  const product *p = s->product;
  for (int i = 0; i < BANDS && s->least > s->enough; i++) {
    const band *b = &bands[i];
    double along = b->turned ? p->shape.columns : p->shape.rows,
           across = b->turned ? p->shape.rows : p->shape.columns;
    double high = whole(along / b->side) * p->shape.count;
    double full = high * b->side * across * p->depth_seconds * p->turns_per_tile;
    if (b->side > 64 && along <= b->side - 64) {
      continue;
    }
    double least =
        (full > p->floor ? full : p->floor) + meeting_seconds(p, full) + (p->waved ? p->wave_seconds : 0);
    double before = INFINITY;
    for (double parts = 1, share = 1; least + split_cost(p, parts) < s->least; parts *= 2, share *= 0.5) {
      double seconds = try_widths(s, b, high, parts, share);
      if (seconds >= before || !splits_again(p, parts, high * p->turns_per_tile)) {
        break;
      }
      before = seconds;
    }
  }
}

/** Whether cuBLAS has such tiles; kernels with scales of blocks have those of their blocks. */
static bool has_any_width(const roof_machine *machine, const product *p) {
  return p->splittable &&
         (strcmp(machine->family, "hopper") == 0 || strcmp(machine->family, "blackwell") == 0);
}

static void choose(const rf_run *run, const product *p, rf_cut *best) {
  const roof_kernel_shape *shape = &p->shape;
  double least = shape->count * shape->rows * shape->columns / most_area * p->turns_per_tile;
  search s = {.product = p, .best = best, .least = INFINITY};
  s.enough = good_enough * (p->floor + meeting_seconds(p, p->compute) +
                            (p->waved ? waves_of(least) : least) * p->wave_seconds);
  if (has_any_width(run->target->machine, p)) {
    choose_width(&s);
  } else {
    choose_tiling(&s);
  }
  best->waves = waves_of(best->tiles * p->turns_per_tile * best->split);
}

/** An algorithm's passes before and after its products: their bytes at the memory, and a launch of their own. */
static double passes_seconds(const rf_run *run) {
  double bytes = run->work->kernel.routed * run->target->seconds_per_byte[run->target->memory][0];
  return rf_without(run, ROOF_EFFECT_TILES) ? 0
                                            : bytes / run->c[ROOF_BANDWIDTH] + run->c[ROOF_LATENCY_SECONDS];
}

/** Seconds of the pass that writes activations in a format narrower than they come in: each once, however often a convolution
 * takes it for another product; in rows of `least_row` elements at least, the shortest that constants are fitted to. */
static double quantise_seconds(const rf_run *run) {
  static const double least_row = 32;
  const roof_work *w = run->work;
  const roof_kernel_shape *s = &w->kernel;
  double narrow = roof_dtype_bytes(run->target->types.compute);
  if (narrow >= wide_bytes || run->c[ROOF_QUANTISE_PASSES] <= 0) {
    return 0;
  }
  double rows = s->count * s->rows;
  double elements = fmin(rows * s->depth, (w->read_bytes - w->weight_bytes) / narrow);
  return run->c[ROOF_QUANTISE_PASSES] * elements * (wide_bytes + narrow) *
             run->target->seconds_per_byte[run->target->memory][0] / run->c[ROOF_BANDWIDTH] +
         run->c[ROOF_ROW_SECONDS] * fmin(rows, elements / least_row) / run->target->units;
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

/** Seconds until a unit has a byte from the last cache. */
static double feed_seconds(const rf_run *run) {
  double times = run->c[ROOF_UNIT_BANDWIDTH], clock = run->target->machine->clock_hz;
  if (rf_without(run, ROOF_EFFECT_UNITS)) {
    return 0;
  }
  if (times > 1e29 && clock > 0) {
    return 1 / (RF_PORT_BYTES * clock);
  }
  return run->target->seconds_per_byte[run->target->memory][0] * run->target->units /
         (times > 1e29 ? usual_times : times);
}

/** Multiplications over those of the work: of an algorithm that has fewer, of zeros where groups are one product. */
static double multiplied_of(const roof_kernel_shape *s) {
  double fewer = s->group > 0 && s->routed <= 0 ? s->group : 1;
  return s->sequences > 1 ? fewer * s->sequences : fewer;
}

static product product_of(const rf_run *run, const roof_kernel_shape *s) {
  double memory = stream_seconds(run), area = s->count * s->rows * s->columns;
  double share = rf_without(run, ROOF_EFFECT_TILES) ? 1 : multiplied_of(s);
  double efficiency = run->c[ROOF_EFFICIENCY], units = run->target->units;
  double feed = feed_seconds(run), narrow = roof_dtype_bytes(run->target->types.compute);
  double weight = run->work->weight_bytes / (s->count * s->columns * s->depth);
  double store =
      s->group > 0 ? 0 : memory * run->work->write_bytes / (run->work->read_bytes + run->work->write_bytes);
  double met = rf_without(run, ROOF_EFFECT_CORNER) ? 0 : 1 / (memory * memory);
  double compute = share * run->compute / efficiency;
  double unit = share * run->compute / (area * s->depth) * units / sqrt(efficiency * sqrt(efficiency));
  return (product){.shape = *s,
                   .turns_per_tile = 1 / units,
                   .depth_seconds = s->depth * unit,
                   .row_seconds = s->depth * feed * narrow,
                   .column_seconds = s->depth * feed * (weight > 0 && weight < narrow ? weight : narrow),
                   .compute = compute,
                   .floor = compute > memory ? compute : memory,
                   .memory = memory,
                   .store = store,
                   .meeting = {met * store, met * rounded_at_most},
                   .sum_seconds = sum_bytes * area * run->target->seconds_per_byte[run->target->memory][0] *
                                  memory / run->memory,
                   .wave_seconds = run->c[ROOF_WAVE_SECONDS],
                   .split_seconds = run->c[ROOF_SPLIT_SECONDS],
                   .waved = !rf_without(run, ROOF_EFFECT_WAVES),
                   .split = !rf_without(run, ROOF_EFFECT_SPLIT),
                   .splittable = !roof_types_in_blocks(&run->target->types)};
}

/** The longer time, and part of the shorter: the sum of their cubes; libraries hide one behind the other alike. A tile's
 * results are written when its arithmetic is done: the nearer both times are, the more of that is not hidden. */
static double corner(const rf_run *run, const product *p, const cut_times *t) {
  double longer = t->compute > t->memory ? t->compute : t->memory, both = t->compute + t->memory;
  double share = (both - longer) / longer;
  return rf_without(run, ROOF_EFFECT_CORNER)
             ? longer
             : fmin(both, rf_rounded(t->compute, t->memory) + p->store * share * share);
}

/** The times of a cut; without the effect of tiles the matrix fills them. Few busy units run faster than all: what keeps all of
 * them from the peak is in part power. */
static cut_times time_cut(const rf_run *run, const product *p, const rf_cut *cut) {
  double full = 1;
  if (rf_without(run, ROOF_EFFECT_TILES)) {
    full =
        p->shape.count * p->shape.rows * p->shape.columns / (cut->tiles * cut->tile_rows * cut->tile_columns);
  }
  way w = {.tile_seconds = tile_seconds(p, cut->tile_rows, cut->tile_columns),
           .turns = cut->tiles * p->turns_per_tile,
           .split = cut->split,
           .share = 1 / cut->split};
  cut_times t = time_way(p, &w, full);
  t.compute = t.compute > p->compute ? t.compute : p->compute;
  return t;
}

/** Of a shape that is the work's or that of its algorithm's products. Not inlined: it would be twice as large. */
static __attribute__((noinline)) double cut_seconds(const rf_run *run, const roof_kernel_shape *shape,
                                                    rf_cut *cut) {
  product p = product_of(run, shape);
  if (!(p.depth_seconds >= 0 && p.memory > 0)) {
    return fmax(run->compute / run->c[ROOF_EFFICIENCY], p.memory);
  }
  if (cut->tiles <= 0) {
    choose(run, &p, cut);
  }
  cut_times t = time_cut(run, &p, cut);
  return corner(run, &p, &t) + t.waves + t.split + quantise_seconds(run);
}

/** By an algorithm in passes: POINTS products of a point of each tile, of a part of the depth each, with all groups in one. */
static double passed_seconds(const rf_run *run, rf_cut *cut) {
  enum { POINTS = 36, TAPS = 9 };
  roof_kernel_shape s = run->work->kernel;
  s.rows *= s.group * TAPS / POINTS;
  s.columns *= s.count;
  s.depth *= s.count / TAPS;
  s.sequences *= s.count;
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
