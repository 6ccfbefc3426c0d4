/* 2-D convolution: in[0] is the input (batch, channels, rows, columns), in[1] the weights (output channels,
 * input channels of the group, rows, columns). */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "host/memory.h"
#include "kernels/_tile.h"

enum { BATCH, IN_CHANNELS, OUT_CHANNELS, HEIGHT, WIDTH, KERNEL, STRIDE, PADDING, GROUPS, ALGORITHM };
enum { DIRECT, IM2COL };

/** A shape in whole numbers; `in` and `out` are the channels of one group. */
typedef struct shape {
  size_t batch, groups, in, out, height, width, kernel, stride;
  size_t out_height, out_width;
  size_t top, left; /**< zeros added there */
} shape;

/** Output elements along one side; *before gets the zeros before the first input element. */
static size_t output_side(const roof_kernel_run *run, double size, size_t *before) {
  double kernel = run->values[KERNEL], stride = run->values[STRIDE], padding = run->values[PADDING];
  if (padding == ROOF_CHOICE_VALUE(0)) {
    double out = ceil(size / stride);
    *before = (size_t)floor(fmax(0, (out - 1) * stride + kernel - size) / 2);
    return (size_t)out;
  }
  *before = (size_t)padding;
  return (size_t)floor((size + 2 * padding - kernel) / stride) + 1;
}

static shape shape_of(const roof_kernel_run *run) {
  const double *v = run->values;
  shape s = {.batch = (size_t)v[BATCH],
             .groups = (size_t)v[GROUPS],
             .in = (size_t)(v[IN_CHANNELS] / v[GROUPS]),
             .out = (size_t)(v[OUT_CHANNELS] / v[GROUPS]),
             .height = (size_t)v[HEIGHT],
             .width = (size_t)v[WIDTH],
             .kernel = (size_t)v[KERNEL],
             .stride = (size_t)v[STRIDE]};
  s.out_height = output_side(run, v[HEIGHT], &s.top);
  s.out_width = output_side(run, v[WIDTH], &s.left);
  return s;
}

static size_t pixels(const shape *s) {
  return s->out_height * s->out_width;
}

/** Products of one output element. */
static size_t depth_of(const shape *s) {
  return s->in * s->kernel * s->kernel;
}

static size_t outputs(const shape *s) {
  return s->batch * s->groups * s->out * pixels(s);
}

static roof_status prepare(roof_kernel_run *run, double algorithm, double scratch, roof_error *error) {
  const double *v = run->values;
  if (v[ALGORITHM] != algorithm || (v[PADDING] > 0 && fmod(v[PADDING], 1) != 0)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: computes algorithm=%s, with whole padding",
                          run->kernel->name, algorithm == DIRECT ? "direct" : "im2col");
  }
  shape s = shape_of(run);
  double input = v[BATCH] * v[IN_CHANNELS] * v[HEIGHT] * v[WIDTH];
  return rf_operands_prepare(run, input, v[OUT_CHANNELS] * (double)depth_of(&s), (double)outputs(&s), scratch,
                             error);
}

/** Index of an input element, or SIZE_MAX in the padding. `channel` counts through the batch. */
static size_t input_index(const shape *s, size_t channel, size_t y, size_t x, size_t ky, size_t kx) {
  size_t row = y * s->stride + ky - s->top, column = x * s->stride + kx - s->left; /* wraps when negative */
  return row < s->height && column < s->width ? (channel * s->height + row) * s->width + column : SIZE_MAX;
}

static double reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const rf_operands *o = run->state;
  shape s = shape_of(run);
  size_t out_channel = i / pixels(&s) % (s.groups * s.out), image = i / pixels(&s) / (s.groups * s.out);
  size_t y = i % pixels(&s) / s.out_width, x = i % s.out_width;
  size_t first = image * s.groups * s.in + out_channel / s.out * s.in;
  double total = 0, magnitude = 0;
  for (size_t p = 0; p < depth_of(&s); p++) {
    size_t tap = p % (s.kernel * s.kernel);
    size_t at = input_index(&s, first + p / (s.kernel * s.kernel), y, x, tap / s.kernel, tap % s.kernel);
    double weight = rf_data_at(o->in[1], run->dtype, out_channel * depth_of(&s) + p);
    double product = at == SIZE_MAX ? 0 : weight * rf_data_at(o->in[0], run->dtype, at);
    total += product;
    magnitude += fabs(product);
  }
  *tolerance = (2 + sqrt((double)depth_of(&s))) * 2 * rf_kernel_epsilon(run->dtype) * magnitude;
  return total;
}

static roof_status check(roof_kernel_run *run, roof_error *error) {
  shape s = shape_of(run);
  return rf_kernel_compare(run, outputs(&s), 4096, reference, error);
}

/** The output columns [*first, *end), out of `count` from `x` on, whose tap `kx` is inside the input. */
static void inside(const shape *s, size_t kx, size_t x, size_t count, size_t *first, size_t *end) {
  size_t begin = kx < s->left ? (s->left - kx + s->stride - 1) / s->stride : 0;
  size_t after = s->width + s->left > kx ? (s->width + s->left - kx - 1) / s->stride + 1 : 0;
  *first = begin < x ? x : rf_smaller(begin, x + count);
  *end = after < *first ? *first : rf_smaller(after, x + count);
}

/** What tap `kx` of a row of one channel multiplies at the `count` output pixels from x on: zeros in the padding, and all where the
 * row is outside. */
#define TAKE(type)                                                                                           \
  static void take_##type(const shape *s, const type *in, size_t row, size_t kx, size_t x, size_t count,     \
                          type *to) {                                                                        \
    size_t begin, end;                                                                                       \
    inside(s, kx, x, row < s->height ? count : 0, &begin, &end);                                             \
    type *pixel = to - x;                                                                                    \
    for (size_t j = x; j < begin; j++) {                                                                     \
      pixel[j] = 0;                                                                                          \
    }                                                                                                        \
    if (s->stride == 1 && begin < end) {                                                                     \
      memcpy(pixel + begin, in + row * s->width + begin + kx - s->left, (end - begin) * sizeof *in);         \
    }                                                                                                        \
    for (size_t j = begin; j < end && s->stride > 1; j++) {                                                  \
      pixel[j] = in[row * s->width + j * s->stride + kx - s->left];                                          \
    }                                                                                                        \
    for (size_t j = end; j < x + count; j++) {                                                               \
      pixel[j] = 0;                                                                                          \
    }                                                                                                        \
  }
TAKE(double)
TAKE(float)

static void take_row(const roof_kernel_run *run, const shape *s, const void *in, size_t row, size_t kx,
                     size_t x, size_t count, void *to) {
  if (run->dtype == ROOF_FP64) {
    take_double(s, in, row, kx, x, count, to);
  } else {
    take_float(s, in, row, kx, x, count, to);
  }
}

/* Direct: each column of taps adds the product of its weights and the input shifted by it, tiles of output channels by pixels of a
 * row. What the taps find in some channels is copied before, with the zeros around it: in place each channel would be in a page of
 * its own. Columns that a stride takes together lie together. */

/** Where the input is copied for the pixels of a tile: the rows of taps one after the other, of each all channels. */
typedef struct window {
  size_t channels; /**< at a time, of which the copy fits three quarters of the first cache */
  size_t parts;    /**< of a row, each of which a stride takes together */
  size_t columns;  /**< of a part */
  size_t row;      /**< elements of a row */
} window;

static window window_of(const roof_kernel_run *run, const shape *s) {
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), run->dtype);
  window w = {.parts = rf_smaller(s->stride, s->kernel)};
  w.columns = rf_round_up((size_t)loops->tile_columns + (s->kernel - 1) / s->stride, (size_t)loops->lanes);
  w.row = w.parts * w.columns;
  double channel = (double)(s->kernel * w.row) * roof_dtype_bytes(run->dtype);
  double most = fmax(1, floor(0.75 * rf_cache_bytes(1) / channel)), in = (double)s->in;
  w.channels = (size_t)ceil(in / ceil(in / most));
  return w;
}

static size_t packed_weights(const shape *s, const rf_loops *loops) {
  return s->groups * rf_round_up(s->out, (size_t)loops->tile_rows) * depth_of(s);
}

static size_t window_elements(const shape *s, const window *w) {
  return s->kernel * w->channels * w->row;
}

/** The calling thread's copy. */
static void *window_at(const roof_kernel_run *run, const shape *s, const window *w) {
  const rf_operands *o = run->state;
  size_t thread = (size_t)omp_get_thread_num();
  return rf_element(run, o->scratch, packed_weights(s, o->loops) + thread * window_elements(s, w));
}

static roof_status direct_prepare(roof_kernel_run *run, roof_error *error) {
  shape s = shape_of(run);
  window w = window_of(run, &s);
  size_t elements = packed_weights(&s, rf_lanes_loops(rf_lanes_best(), run->dtype));
  elements += (size_t)run->threads * window_elements(&s, &w);
  return prepare(run, DIRECT, (double)elements * roof_dtype_bytes(run->dtype), error);
}

/** The weights of column kx of the taps for the output channels of a group from `out`, a multiple of a tile's rows, and the input
 * channels from `in`, where some begin that are copied together, on. */
static void *weights_of(const roof_kernel_run *run, const shape *s, size_t group, size_t kx, size_t out,
                        size_t in) {
  const rf_operands *o = run->state;
  size_t tall = (size_t)o->loops->tile_rows, padded_out = rf_round_up(s->out, tall);
  size_t tile = ((group * s->kernel + kx) * padded_out + out) * s->in;
  return rf_element(run, o->scratch, (tile + in * tall) * s->kernel);
}

/** Of a tile of output channels and some input channels, row by row of the column of taps. */
static void pack_some(const roof_kernel_run *run, const shape *s, const window *w, size_t group, size_t kx,
                      size_t out, size_t in) {
  const rf_operands *o = run->state;
  size_t tall = (size_t)o->loops->tile_rows, taps = s->kernel * s->kernel;
  size_t channels = rf_smaller(w->channels, s->in - in),
         from = ((group * s->out + out) * s->in + in) * taps + kx;
  void *to = weights_of(run, s, group, kx, out, in);
  for (size_t ky = 0; ky < s->kernel; ky++) {
    rf_slices slices = {rf_element(run, o->in[1], from + ky * s->kernel), channels, taps, s->out - out,
                        s->in * taps};
    rf_tile_pack(run->dtype, slices, tall, rf_element(run, to, ky * channels * tall));
  }
}

static void pack_taps(const roof_kernel_run *run, const shape *s, const window *w) {
  size_t tall = (size_t)((const rf_operands *)run->state)->loops->tile_rows;
  size_t tiles = (s->out + tall - 1) / tall;
#pragma omp for schedule(static)
  for (size_t i = 0; i < s->groups * s->kernel * tiles; i++) {
    size_t column = i / tiles;
    for (size_t in = 0; in < s->in; in += w->channels) {
      pack_some(run, s, w, column / s->kernel, column % s->kernel, i % tiles * tall, in);
    }
  }
}

/** Pixels of a tile, a part of a row of one group of one image, and what their copy holds. */
typedef struct spot {
  size_t plane, y, x;
  size_t first, channels;
} spot;

/** Part `part` of row ky of the taps, of all channels of a spot; in whole registers where no column of it is padding. */
static void copy_part(const roof_kernel_run *run, const shape *s, const window *w, const spot *at, size_t ky,
                      size_t part) {
  const rf_operands *o = run->state;
  size_t plane = s->height * s->width, row = at->y * s->stride + ky - s->top; /* wraps when negative */
  const void *in = rf_element(run, o->in[0], (at->plane * s->in + at->first) * plane);
  void *to = rf_element(run, window_at(run, s, w), ky * at->channels * w->row + part * w->columns);
  if (s->stride == 1 && row < s->height && at->x >= s->left && at->x - s->left + w->columns <= s->width) {
    o->loops->pack(rf_element(run, in, row * s->width + at->x - s->left), plane, at->channels,
                   w->columns / (size_t)o->loops->lanes, to, w->row);
    return;
  }
  for (size_t i = 0; i < at->channels; i++) {
    take_row(run, s, rf_element(run, in, i * plane), row, part, at->x, w->columns,
             rf_element(run, to, i * w->row));
  }
}

/** Adds one column of taps after the other, of some input channels, to tiles of the output channels. */
static void direct_taps(const roof_kernel_run *run, const shape *s, const window *w, const spot *at) {
  const rf_operands *o = run->state;
  const rf_loops *l = o->loops;
  size_t tall = (size_t)l->tile_rows, lanes = (size_t)l->lanes;
  size_t columns = rf_smaller((size_t)l->tile_columns, s->out_width - at->x), wide = (columns - 1) / lanes;
  for (size_t out = 0; out < s->out; out += tall) {
    size_t height = rf_smaller(tall, s->out - out);
    rf_tile t = {.depth = s->kernel * at->channels, .a_stride = 1, .a_step = tall, .b_stride = w->row};
    t.c = rf_element(run, o->out, (at->plane * s->out + out) * pixels(s) + at->y * s->out_width + at->x);
    t.c_stride = pixels(s);
    t.last = columns - wide * lanes;
    for (size_t kx = 0; kx < s->kernel; kx++) {
      t.a = weights_of(run, s, at->plane % s->groups, kx, out, at->first);
      t.b = rf_element(run, window_at(run, s, w), kx % s->stride * w->columns + kx / s->stride);
      t.add = at->first > 0 || kx > 0;
      l->tile[height - 1][wide](&t);
    }
  }
}

static void direct_pixels(const roof_kernel_run *run, const shape *s, const window *w, spot at) {
  for (at.first = 0; at.first < s->in; at.first += w->channels) {
    at.channels = rf_smaller(w->channels, s->in - at.first);
    for (size_t part = 0; part < s->kernel * w->parts; part++) {
      copy_part(run, s, w, &at, part / w->parts, part % w->parts);
    }
    direct_taps(run, s, w, &at);
  }
}

static void direct_part(const roof_kernel_run *run, int thread, int threads) {
  const rf_operands *o = run->state;
  shape s = shape_of(run);
  window w = window_of(run, &s);
  (void)thread;
  (void)threads;
  pack_taps(run, &s, &w);
#pragma omp for schedule(static)
  for (size_t i = 0; i < s.batch * s.groups * s.out_height; i++) {
    for (size_t x = 0; x < s.out_width; x += (size_t)o->loops->tile_columns) {
      direct_pixels(run, &s, &w, (spot){.plane = i / s.out_height, .y = i % s.out_height, .x = x});
    }
  }
}

static void direct_execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, direct_part);
}

/* im2col: the input of each output pixel becomes a column of a matrix, written in panels as wide as a tile;
 * the weights times that matrix are the output. */

static size_t image_elements(const shape *s, const rf_loops *loops) {
  return s->groups * rf_round_up(pixels(s), (size_t)loops->tile_columns) * depth_of(s);
}

static roof_status im2col_prepare(roof_kernel_run *run, roof_error *error) {
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), run->dtype);
  shape s = shape_of(run);
  double elements = (double)packed_weights(&s, loops) + (double)s.batch * (double)image_elements(&s, loops);
  return prepare(run, IM2COL, elements * roof_dtype_bytes(run->dtype), error);
}

/** What tap (ky, kx) of one channel multiplies at the `wide` output pixels from `first` on, row by row. */
static void expand_tap(const roof_kernel_run *run, const shape *s, const void *in, size_t ky, size_t kx,
                       size_t first, size_t wide, void *to) {
  size_t y = first / s->out_width, x = first % s->out_width, count;
  for (size_t done = 0; done < wide; done += count, x = 0, y++) {
    count = rf_smaller(s->out_width - x, wide - done);
    size_t row = y < s->out_height ? y * s->stride + ky - s->top : SIZE_MAX; /* wraps when negative */
    take_row(run, s, in, row, kx, x, count, rf_element(run, to, done));
  }
}

static void pack_weights(const roof_kernel_run *run, const shape *s) {
  const rf_operands *o = run->state;
  size_t tall = (size_t)o->loops->tile_rows, depth = depth_of(s), padded_out = rf_round_up(s->out, tall);
#pragma omp for schedule(static)
  for (size_t i = 0; i < s->groups * padded_out; i += tall) {
    size_t group = i / padded_out, row = i % padded_out;
    rf_slices rows = {rf_element(run, o->in[1], (group * s->out + row) * depth), depth, 1, s->out - row,
                      depth};
    rf_tile_pack(run->dtype, rows, tall, rf_element(run, o->scratch, i * depth));
  }
}

/** The panel of one group of one image that begins at pixel `first`. */
static void *panel_of(const roof_kernel_run *run, const shape *s, size_t plane, size_t first) {
  const rf_operands *o = run->state;
  size_t plane_elements = image_elements(s, o->loops) / s->groups;
  return rf_element(run, o->scratch,
                    packed_weights(s, o->loops) + plane * plane_elements + first * depth_of(s));
}

/** The taps kx of row ky that find all pixels of a panel side by side in the input: in one of its rows, *row, and none in
 *  the padding. */
static void whole_taps(const shape *s, size_t ky, size_t pixel, size_t wide, size_t *row, rf_share *kx) {
  size_t x = pixel % s->out_width, columns = s->width + s->left;
  *row = pixel / s->out_width + ky - s->top; /* wraps when negative */
  bool together = s->stride == 1 && *row < s->height && x + wide <= s->out_width && x + wide <= columns;
  kx->begin = x < s->left ? s->left - x : 0;
  kx->end = together ? rf_smaller(s->kernel, columns - x - wide + 1) : 0;
}

/** What row ky of the taps of one channel multiplies at the pixels of a panel. */
static void expand_taps(const roof_kernel_run *run, const shape *s, const void *in, size_t ky, size_t pixel,
                        void *to) {
  const rf_loops *l = ((const rf_operands *)run->state)->loops;
  size_t wide = (size_t)l->tile_columns, row = 0;
  rf_share whole;
  whole_taps(s, ky, pixel, wide, &row, &whole);
  if (whole.begin < whole.end) {
    size_t x = pixel % s->out_width + whole.begin - s->left;
    l->pack(rf_element(run, in, row * s->width + x), 1, whole.end - whole.begin, wide / (size_t)l->lanes,
            rf_element(run, to, whole.begin * wide), wide);
  }
  for (size_t kx = 0; kx < s->kernel; kx++) {
    if (kx >= whole.begin && kx < whole.end) {
      continue;
    }
    expand_tap(run, s, in, ky, kx, pixel, wide, rf_element(run, to, kx * wide));
  }
}

/** One panel of columns. */
static void expand(const roof_kernel_run *run, const shape *s, size_t plane, size_t pixel) {
  const rf_operands *o = run->state;
  size_t wide = (size_t)o->loops->tile_columns;
  for (size_t i = 0; i < s->in * s->kernel; i++) {
    size_t channel = plane * s->in + i / s->kernel;
    expand_taps(run, s, rf_element(run, o->in[0], channel * s->height * s->width), i % s->kernel, pixel,
                rf_element(run, panel_of(run, s, plane, pixel), i * s->kernel * wide));
  }
}

/** All output channels of one group at the pixels of one panel. The place of the panel after it is fetched meanwhile. */
static void multiply_panel(const roof_kernel_run *run, const shape *s, size_t plane, size_t pixel) {
  const rf_operands *o = run->state;
  const rf_loops *l = o->loops;
  size_t tall = (size_t)l->tile_rows, lanes = (size_t)l->lanes, wide = (size_t)l->tile_columns;
  size_t columns = rf_smaller(wide, pixels(s) - pixel), registers = (columns - 1) / lanes + 1;
  size_t depth = depth_of(s), line = 64 / (size_t)roof_dtype_bytes(run->dtype), fetched = 0;
  rf_tile t = {.depth = depth, .a_stride = 1, .a_step = tall, .b_stride = wide, .c_stride = pixels(s)};
  t.b = panel_of(run, s, plane, pixel);
  t.last = columns - (registers - 1) * lanes;
  t.ahead_apart = line;
  t.ahead_stride = registers * line;
  for (size_t row = 0; row < s->out; row += tall, fetched += depth / line * t.ahead_stride) {
    t.a = rf_element(run, o->scratch, (plane % s->groups * rf_round_up(s->out, tall) + row) * depth);
    t.c = rf_element(run, o->out, (plane * s->out + row) * pixels(s) + pixel);
    t.ahead = fetched < depth * wide ? rf_element(run, t.b, depth * wide + fetched) : NULL;
    l->tile[rf_smaller(tall, s->out - row) - 1][registers - 1](&t);
  }
}

/** A panel is multiplied when it has been written, while the caches hold it. */
static void im2col_part(const roof_kernel_run *run, int thread, int threads) {
  const rf_operands *o = run->state;
  shape s = shape_of(run);
  size_t wide = (size_t)o->loops->tile_columns, panels = (pixels(&s) + wide - 1) / wide;
  (void)thread;
  (void)threads;
  pack_weights(run, &s);
#pragma omp for schedule(static)
  for (size_t i = 0; i < s.batch * s.groups * panels; i++) {
    expand(run, &s, i / panels, i % panels * wide);
    multiply_panel(run, &s, i / panels, i % panels * wide);
  }
}

static void im2col_execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, im2col_part);
}

static const roof_kernel kernels[] = {
    {.name = "conv2d-direct",
     .op = "conv2d",
     .variant = "direct",
     .summary = "weights of each tap times the shifted input, tiles in registers",
     .sizes = "batch=8 in_channels=64 out_channels=64 height=112 width=112 kernel=3",
     .quick_sizes = "batch=2 in_channels=64 out_channels=64 height=112 width=112 kernel=3",
     RF_NATIVE,
     .prepare = direct_prepare,
     .execute = direct_execute,
     .check = check},
    {.name = "conv2d-im2col",
     .op = "conv2d",
     .variant = "im2col",
     .summary = "weights times the expanded input, tiles in registers",
     .sizes = "batch=8 in_channels=64 out_channels=64 height=112 width=112 kernel=3 algorithm=im2col",
     .quick_sizes = "batch=2 in_channels=64 out_channels=64 height=112 width=112 kernel=3 algorithm=im2col",
     RF_NATIVE,
     .prepare = im2col_prepare,
     .execute = im2col_execute,
     .check = check},
};

const rf_kernel_family rf_kernels_conv = {kernels, sizeof kernels / sizeof kernels[0]};
