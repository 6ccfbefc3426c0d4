/* Mixtures of experts: tiles of the rows that each expert got, waves of both products, weights at the bandwidth that busy
 * units draw, passes that sort the rows and add them up. */
#include "core/form.h"
#include "roofline/dtype.h"

/** Rows of a tile, and the share of the unit's rate that it reaches with columns of 128. */
static const struct { double rows, rate; } tilings[] = {{8, 0.5}, {16, 0.7}, {32, 0.8}, {64, 0.9}, {128, 1}};

enum { TILINGS = sizeof tilings / sizeof tilings[0] };

static const double tile_columns = 128, wide_bytes = 2;

/** What a tiling makes of both products. */
typedef struct products {
  double tiles, waves, compute;
  double strips; /**< tiles of a row of them: those below take their weights from the last cache */
} products;

/** Rows of a tile; vector lanes have no more than there are. */
static double rows_of(const rf_run *run, int tiling) {
  const roof_kernel_shape *s = &run->work->kernel;
  return rf_is_on_lanes(run) ? fmin(tilings[tiling].rows, s->rows / s->count) : tilings[tiling].rows;
}

/** One product of `columns` x `depth`: waves of its tiles, and the seconds of their arithmetic. */
static void add_product(const rf_run *run, int tiling, double columns, double depth, double mac_seconds,
                        products *sum) {
  const roof_kernel_shape *s = &run->work->kernel;
  double each = s->rows / s->count, units = run->target->units, tile_rows = rows_of(run, tiling);
  bool tiled = !rf_without(run, ROOF_EFFECT_TILES), waved = !rf_without(run, ROOF_EFFECT_WAVES);
  double high = each > tile_rows ? each / tile_rows + 0.5 : 1;
  double strips = s->count * fmax(1, columns / tile_columns), tiles = strips * high;
  double full = tiled ? 1 : each / (high * tile_rows) * fmin(1, columns / tile_columns);
  double waves = tiles * full / units;
  waves = waved ? ceil(waves) : waves;
  sum->tiles += tiles;
  sum->strips += strips;
  sum->waves += ceil(tiles / units);
  sum->compute +=
      waves * units * tile_rows * tile_columns * depth * mac_seconds / (tiled ? tilings[tiling].rate : 1);
}

static products cut_rows(const rf_run *run, int tiling) {
  const roof_kernel_shape *s = &run->work->kernel;
  double flop_seconds = run->compute / run->work->flops / run->c[ROOF_EFFICIENCY];
  double flops = 2 * s->rows * s->depth * (s->columns + s->group), mac_seconds = 2 * flop_seconds;
  products sum = {.compute = (run->work->flops - flops) * flop_seconds}; /* router, activation, sum */
  add_product(run, tiling, s->columns, s->depth, mac_seconds, &sum);
  if (s->group > 0) {
    add_product(run, tiling, s->depth, s->group, mac_seconds, &sum);
  }
  return sum;
}

/** What a unit draws of stored weights, in times of the 4 bits with which kernels that unpack them to 16 were timed: it unpacks so
 * many elements, however wide. */
static double unpacked_times(const roof_types *types) {
  static const double timed_bytes = 0.5;
  double stored = roof_dtype_bytes(types->weights), computed = roof_dtype_bytes(types->compute);
  return computed == 2 && stored < computed ? fmax(1, stored / timed_bytes) : 1;
}

/** The time at the memory: an expert's weights come in once for all tiles of its rows, drawn by few units; the rest by all. */
static double draw_seconds(const rf_run *run, const products *p) {
  const roof_work *w = run->work;
  const roof_kernel_shape *s = &w->kernel;
  const roof_types *types = &run->target->types;
  double weights = roof_types_weight_bytes(types, s->count * s->depth * (s->columns + s->group)) /
                   (w->read_bytes + w->write_bytes);
  double each = run->c[ROOF_UNIT_BANDWIDTH] / (s->group > 0 ? 2 : 1) / run->target->units;
  double busy = fmin(1, p->strips * each * unpacked_times(types));
  return rf_stream_seconds(run) * (weights / busy + 1 - weights);
}

double rf_form_experts(const rf_run *run, rf_cut *cut) {
  const roof_kernel_shape *s = &run->work->kernel;
  products best = {.compute = INFINITY};
  for (int i = 0; i < TILINGS; i++) {
    products p = cut_rows(run, i);
    if (p.compute + p.waves * run->c[ROOF_WAVE_SECONDS] <
        best.compute + best.waves * run->c[ROOF_WAVE_SECONDS]) {
      best = p;
      cut->tile_rows = rows_of(run, i);
    }
  }
  cut->tile_columns = tile_columns;
  cut->tiles = best.tiles;
  cut->drawing = best.strips;
  cut->waves = best.waves;
  double passes = run->c[ROOF_ROUTING_PASSES] * 2 * wide_bytes * s->routed * s->depth *
                  run->target->seconds_per_byte[run->target->memory][0] / run->c[ROOF_BANDWIDTH];
  double units = best.compute + best.waves * run->c[ROOF_WAVE_SECONDS];
  return rf_corner(units, draw_seconds(run, &best), run->c[ROOF_CORNER]) + passes;
}
