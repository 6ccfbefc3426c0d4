/* 2-D convolution: in[0] is the input (batch, channels, rows, columns), in[1] the weights (output channels,
 * input channels of the group, rows, columns). */
#include <math.h>
#include <string.h>

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

/* Direct: each tap adds the product of its weights and the input shifted by it, tiles of output channels by
 * pixels of a row. The input is copied with the zeros around it; columns that a stride takes together lie
 * together. */

/** Where the copied input of one channel is. */
typedef struct padded {
  size_t rows;
  size_t columns; /**< of the `stride` parts of a row */
  size_t channel; /**< elements of a channel */
} padded;

static padded padded_of(const shape *s) {
  padded p = {.rows = (s->out_height - 1) * s->stride + s->kernel,
              .columns = s->out_width + (s->kernel - 1) / s->stride};
  p.channel = p.rows * s->stride * p.columns;
  return p;
}

#define PAD(type)                                                                                            \
  static void pad_##type(const shape *s, const padded *p, const type *in, type *to) {                        \
    for (size_t part = 0; part < p->rows * s->stride; part++) {                                              \
      size_t row = part / s->stride - s->top; /* these wrap when negative */                                 \
      for (size_t j = 0; j < p->columns; j++) {                                                              \
        size_t column = j * s->stride + part % s->stride - s->left;                                          \
        *to++ = row < s->height && column < s->width ? in[row * s->width + column] : 0;                      \
      }                                                                                                      \
    }                                                                                                        \
  }
PAD(double)
PAD(float)

static size_t packed_weights(const shape *s, const rf_loops *loops) {
  return s->groups * rf_round_up(s->out, (size_t)loops->tile_rows) * depth_of(s);
}

static roof_status direct_prepare(roof_kernel_run *run, roof_error *error) {
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), run->dtype);
  shape s = shape_of(run);
  size_t elements = packed_weights(&s, loops) + s.batch * s.groups * s.in * padded_of(&s).channel;
  elements += (size_t)loops->tile_columns; /* whole registers are loaded */
  return prepare(run, DIRECT, (double)elements * roof_dtype_bytes(run->dtype), error);
}

/** The weights of a tap for the output channels of a group from `first`, a multiple of a tile's rows, on. */
static void *weights_of(const roof_kernel_run *run, const shape *s, size_t group, size_t tap, size_t first) {
  const rf_operands *o = run->state;
  size_t padded_out = rf_round_up(s->out, (size_t)o->loops->tile_rows), taps = s->kernel * s->kernel;
  return rf_element(run, o->scratch, ((group * taps + tap) * padded_out + first) * s->in);
}

static void *input_of(const roof_kernel_run *run, const shape *s, const padded *p, size_t channel) {
  const rf_operands *o = run->state;
  return rf_element(run, o->scratch, packed_weights(s, o->loops) + channel * p->channel);
}

static void pack_taps(const roof_kernel_run *run, const shape *s) {
  const rf_operands *o = run->state;
  size_t tall = (size_t)o->loops->tile_rows, taps = s->kernel * s->kernel;
#pragma omp for schedule(static) nowait
  for (size_t i = 0; i < s->groups * taps; i++) {
    for (size_t first = 0; first < s->out; first += tall) {
      size_t row = (i / taps * s->out + first) * s->in * taps + i % taps;
      rf_slices slices = {rf_element(run, o->in[1], row), s->in, taps, s->out - first, s->in * taps};
      rf_tile_pack(run->dtype, slices, tall, weights_of(run, s, i / taps, i % taps, first));
    }
  }
}

static void pad_input(const roof_kernel_run *run, const shape *s, const padded *p) {
  const rf_operands *o = run->state;
#pragma omp for schedule(static)
  for (size_t i = 0; i < s->batch * s->groups * s->in; i++) {
    const void *in = rf_element(run, o->in[0], i * s->height * s->width);
    if (run->dtype == ROOF_FP64) {
      pad_double(s, p, in, input_of(run, s, p, i));
    } else {
      pad_float(s, p, in, input_of(run, s, p, i));
    }
  }
}

/** Adds one tap after the other to tiles of the output channels of a group of an image, a row's pixels from x
 * on. */
static void direct_pixels(const roof_kernel_run *run, const shape *s, const padded *p, size_t plane, size_t y,
                          size_t x) {
  const rf_operands *o = run->state;
  const rf_loops *l = o->loops;
  size_t tall = (size_t)l->tile_rows, lanes = (size_t)l->lanes;
  size_t columns = rf_smaller((size_t)l->tile_columns, s->out_width - x), wide = (columns - 1) / lanes;
  for (size_t channel = 0; channel < s->out; channel += tall) {
    size_t height = rf_smaller(tall, s->out - channel);
    rf_tile t = {.depth = s->in, .a_stride = 1, .a_step = tall, .b_stride = p->channel};
    t.c = rf_element(run, o->out, (plane * s->out + channel) * pixels(s) + y * s->out_width + x);
    t.c_stride = pixels(s);
    t.last = columns - wide * lanes;
    for (size_t tap = 0; tap < s->kernel * s->kernel; tap++) {
      size_t ky = tap / s->kernel, kx = tap % s->kernel;
      size_t part = (y * s->stride + ky) * s->stride + kx % s->stride;
      t.a = weights_of(run, s, plane % s->groups, tap, channel);
      t.b = rf_element(run, input_of(run, s, p, plane * s->in), part * p->columns + x + kx / s->stride);
      t.add = tap > 0;
      l->tile[height - 1][wide](&t);
    }
  }
}

static void direct_part(const roof_kernel_run *run, int thread, int threads) {
  const rf_operands *o = run->state;
  shape s = shape_of(run);
  padded p = padded_of(&s);
  (void)thread;
  (void)threads;
  pack_taps(run, &s);
  pad_input(run, &s, &p);
#pragma omp for schedule(static)
  for (size_t i = 0; i < s.batch * s.groups * s.out_height; i++) {
    for (size_t x = 0; x < s.out_width; x += (size_t)o->loops->tile_columns) {
      direct_pixels(run, &s, &p, i / s.out_height, i % s.out_height, x);
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

/** The output columns [*first, *end), out of `count` from `x` on, whose tap `kx` is inside the input. */
static void inside(const shape *s, size_t kx, size_t x, size_t count, size_t *first, size_t *end) {
  size_t begin = kx < s->left ? (s->left - kx + s->stride - 1) / s->stride : 0;
  size_t after = s->width + s->left > kx ? (s->width + s->left - kx - 1) / s->stride + 1 : 0;
  *first = begin < x ? x : rf_smaller(begin, x + count);
  *end = after < *first ? *first : rf_smaller(after, x + count);
}

/** What tap (ky, kx) of one channel multiplies at the `wide` output pixels from `first` on, row by row. */
#define EXPAND(type)                                                                                         \
  static void expand_##type(const shape *s, const type *in, size_t ky, size_t kx, size_t first, size_t wide, \
                            type *to) {                                                                      \
    size_t y = first / s->out_width, x = first % s->out_width, count, begin, end;                            \
    for (size_t done = 0; done < wide; done += count, x = 0, y++) {                                          \
      count = rf_smaller(s->out_width - x, wide - done);                                                     \
      size_t row = y * s->stride + ky - s->top; /* wraps when negative */                                    \
      inside(s, kx, x, y < s->out_height && row < s->height ? count : 0, &begin, &end);                      \
      type *pixel = to + done - x;                                                                           \
      for (size_t j = x; j < begin; j++) {                                                                   \
        pixel[j] = 0;                                                                                        \
      }                                                                                                      \
      if (s->stride == 1 && begin < end) {                                                                   \
        memcpy(pixel + begin, in + row * s->width + begin + kx - s->left, (end - begin) * sizeof *in);       \
      }                                                                                                      \
      for (size_t j = begin; j < end && s->stride > 1; j++) {                                                \
        pixel[j] = in[row * s->width + j * s->stride + kx - s->left];                                        \
      }                                                                                                      \
      for (size_t j = end; j < x + count; j++) {                                                             \
        pixel[j] = 0;                                                                                        \
      }                                                                                                      \
    }                                                                                                        \
  }
EXPAND(double)
EXPAND(float)

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
    if (run->dtype == ROOF_FP64) {
      expand_double(s, in, ky, kx, pixel, wide, rf_element(run, to, kx * wide));
    } else {
      expand_float(s, in, ky, kx, pixel, wide, rf_element(run, to, kx * wide));
    }
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
