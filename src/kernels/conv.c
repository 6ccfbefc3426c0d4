/* 2-D convolution: in[0] is the input (batch, channels, rows, columns), in[1] the weights (output channels,
 * input channels of the group, rows, columns). */
#include <math.h>
#include <omp.h>

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
  return roof_operands_prepare(run, input, v[OUT_CHANNELS] * (double)depth_of(&s), (double)outputs(&s),
                               scratch, error);
}

/** Index of an input element, or SIZE_MAX in the padding. `channel` counts through the batch. */
static size_t input_index(const shape *s, size_t channel, size_t y, size_t x, size_t ky, size_t kx) {
  size_t row = y * s->stride + ky - s->top, column = x * s->stride + kx - s->left; /* wraps when negative */
  return row < s->height && column < s->width ? (channel * s->height + row) * s->width + column : SIZE_MAX;
}

static double reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const roof_operands *o = run->state;
  shape s = shape_of(run);
  size_t out_channel = i / pixels(&s) % (s.groups * s.out), image = i / pixels(&s) / (s.groups * s.out);
  size_t y = i % pixels(&s) / s.out_width, x = i % s.out_width;
  size_t first = image * s.groups * s.in + out_channel / s.out * s.in;
  double total = 0, magnitude = 0;
  for (size_t p = 0; p < depth_of(&s); p++) {
    size_t tap = p % (s.kernel * s.kernel);
    size_t at = input_index(&s, first + p / (s.kernel * s.kernel), y, x, tap / s.kernel, tap % s.kernel);
    double weight = roof_data_at(o->in[1], run->dtype, out_channel * depth_of(&s) + p);
    double product = at == SIZE_MAX ? 0 : weight * roof_data_at(o->in[0], run->dtype, at);
    total += product;
    magnitude += fabs(product);
  }
  *tolerance = (2 + sqrt((double)depth_of(&s))) * 2 * roof_kernel_epsilon(run->dtype) * magnitude;
  return total;
}

static roof_status check(roof_kernel_run *run, roof_error *error) {
  shape s = shape_of(run);
  return roof_kernel_compare(run, outputs(&s), 4096, reference, error);
}

/* Direct: a row of the output is the sum of shifted rows of the input. */

static roof_status direct_prepare(roof_kernel_run *run, roof_error *error) {
  return prepare(run, DIRECT, 0, error);
}

/** The output columns [*first, *end), out of `count` from `x` on, whose tap `kx` is inside the input. */
static void inside(const shape *s, size_t kx, size_t x, size_t count, size_t *first, size_t *end) {
  size_t begin = kx < s->left ? (s->left - kx + s->stride - 1) / s->stride : 0;
  size_t after = s->width + s->left > kx ? (s->width + s->left - kx - 1) / s->stride + 1 : 0;
  *first = begin < x ? x : roof_smaller(begin, x + count);
  *end = after < *first ? *first : roof_smaller(after, x + count);
}

/** out[x] += weight * in[x * stride + shift] where that is inside the row. */
static void add_row(const roof_kernel_run *run, const shape *s, double weight, const void *in, size_t kx,
                    void *out) {
  const roof_operands *o = run->state;
  size_t first, end;
  inside(s, kx, 0, s->out_width, &first, &end);
  if (s->stride == 1) {
    o->loops->axpy[0](weight, roof_element(run, in, first + kx - s->left), roof_element(run, out, first),
                      end - first);
    return;
  }
  for (size_t x = first; x < end; x++) {
    double product = weight * roof_data_at(in, run->dtype, x * s->stride + kx - s->left);
    roof_data_set(out, run->dtype, x, roof_data_at(out, run->dtype, x) + product);
  }
}

/** Row `y` of one output channel of one image. */
static void direct_row(const roof_kernel_run *run, const shape *s, size_t image, size_t channel, size_t y) {
  const roof_operands *o = run->state;
  size_t first = (image * s->groups + channel / s->out) * s->in;
  void *out =
      roof_element(run, o->out, ((image * s->groups * s->out + channel) * s->out_height + y) * s->out_width);
  o->loops->fill[0](out, 0, s->out_width);
  for (size_t c = 0; c < s->in; c++) {
    for (size_t ky = 0; ky < s->kernel; ky++) {
      size_t row = y * s->stride + ky - s->top; /* wraps when negative */
      for (size_t kx = 0; kx < s->kernel && row < s->height; kx++) {
        size_t tap = ((channel * s->in + c) * s->kernel + ky) * s->kernel + kx;
        add_row(run, s, roof_data_at(o->in[1], run->dtype, tap),
                roof_element(run, o->in[0], ((first + c) * s->height + row) * s->width), kx, out);
      }
    }
  }
}

static void direct_execute(roof_kernel_run *run) {
  shape s = shape_of(run);
  size_t channels = s.groups * s.out;
#pragma omp parallel for schedule(static) num_threads(run->threads)
  for (size_t i = 0; i < s.batch * channels * s.out_height; i++) {
    direct_row(run, &s, i / s.out_height / channels, i / s.out_height % channels, i % s.out_height);
  }
}

/* im2col: the input of each output pixel becomes a column of a matrix, written in panels as wide as a tile;
 * the weights times that matrix are the output. */

static size_t weight_elements(const shape *s, const roof_loops *loops) {
  return s->groups * roof_round_up(s->out, (size_t)loops->tile_rows) * depth_of(s);
}

static size_t image_elements(const shape *s, const roof_loops *loops) {
  return s->groups * roof_round_up(pixels(s), (size_t)loops->tile_columns) * depth_of(s);
}

static roof_status im2col_prepare(roof_kernel_run *run, roof_error *error) {
  const roof_loops *loops = roof_lanes_loops(roof_lanes_best(), run->dtype);
  shape s = shape_of(run);
  double elements = (double)weight_elements(&s, loops) + (double)s.batch * (double)image_elements(&s, loops);
  return prepare(run, IM2COL, elements * roof_dtype_bytes(run->dtype), error);
}

/** What tap (ky, kx) of one channel multiplies at the `wide` output pixels from `first` on, row by row. */
#define EXPAND(type)                                                                                         \
  static void expand_##type(const shape *s, const type *in, size_t ky, size_t kx, size_t first, size_t wide, \
                            type *to) {                                                                      \
    size_t y = first / s->out_width, x = first % s->out_width, count, begin, end;                            \
    for (size_t done = 0; done < wide; done += count, x = 0, y++) {                                          \
      count = roof_smaller(s->out_width - x, wide - done);                                                   \
      size_t row = y * s->stride + ky - s->top; /* wraps when negative */                                    \
      inside(s, kx, x, y < s->out_height && row < s->height ? count : 0, &begin, &end);                      \
      type *pixel = to + done - x;                                                                           \
      for (size_t j = x; j < begin; j++) {                                                                   \
        pixel[j] = 0;                                                                                        \
      }                                                                                                      \
      for (size_t j = begin; j < end; j++) {                                                                 \
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
  const roof_operands *o = run->state;
  size_t tall = (size_t)o->loops->tile_rows, depth = depth_of(s), padded = roof_round_up(s->out, tall);
#pragma omp for schedule(static) nowait
  for (size_t i = 0; i < s->groups * padded; i += tall) {
    size_t group = i / padded, row = i % padded;
    roof_slices rows = {roof_element(run, o->in[1], (group * s->out + row) * depth), depth, 1, s->out - row,
                        depth};
    roof_tile_pack(run->dtype, rows, tall, roof_element(run, o->scratch, i * depth));
  }
}

/** The panel of one group of one image that begins at pixel `first`. */
static void *panel_of(const roof_kernel_run *run, const shape *s, size_t plane, size_t first) {
  const roof_operands *o = run->state;
  size_t plane_elements = image_elements(s, o->loops) / s->groups;
  return roof_element(run, o->scratch,
                      weight_elements(s, o->loops) + plane * plane_elements + first * depth_of(s));
}

/** One panel of columns. */
static void expand(const roof_kernel_run *run, const shape *s, size_t plane, size_t first) {
  const roof_operands *o = run->state;
  size_t wide = (size_t)o->loops->tile_columns, taps = s->kernel * s->kernel;
  for (size_t p = 0; p < depth_of(s); p++) {
    const void *in = roof_element(run, o->in[0], (plane * s->in + p / taps) * s->height * s->width);
    void *to = roof_element(run, panel_of(run, s, plane, first), p * wide);
    size_t ky = p % taps / s->kernel, kx = p % s->kernel;
    if (run->dtype == ROOF_FP64) {
      expand_double(s, in, ky, kx, first, wide, to);
    } else {
      expand_float(s, in, ky, kx, first, wide, to);
    }
  }
}

/** All output channels of one group at the pixels of one panel. */
static void multiply_panel(const roof_kernel_run *run, const shape *s, size_t plane, size_t first) {
  const roof_operands *o = run->state;
  size_t tall = (size_t)o->loops->tile_rows, depth = depth_of(s);
  size_t weights = plane % s->groups * roof_round_up(s->out, tall);
  for (size_t row = 0; row < s->out; row += tall) {
    roof_tile_part part = {.c = roof_element(run, o->out, (plane * s->out + row) * pixels(s) + first),
                           .stride = pixels(s),
                           .rows = s->out - row,
                           .columns = pixels(s) - first};
    roof_tile_multiply(o->loops, run->dtype, depth, roof_element(run, o->scratch, (weights + row) * depth),
                       panel_of(run, s, plane, first), part);
  }
}

static void im2col_execute(roof_kernel_run *run) {
  const roof_operands *o = run->state;
  shape s = shape_of(run);
  size_t wide = (size_t)o->loops->tile_columns, panels = (pixels(&s) + wide - 1) / wide;
#pragma omp parallel num_threads(run->threads)
  {
    pack_weights(run, &s);
#pragma omp for schedule(static)
    for (size_t i = 0; i < s.batch * s.groups * panels; i++) {
      expand(run, &s, i / panels, i % panels * wide);
    }
#pragma omp for schedule(static)
    for (size_t i = 0; i < s.batch * s.groups * panels; i++) {
      multiply_panel(run, &s, i / panels, i % panels * wide);
    }
  }
}

static const roof_kernel kernels[] = {
    {.name = "conv2d-direct",
     .op = "conv2d",
     .variant = "direct",
     .summary = "sums of shifted rows of the input",
     .sizes = "batch=8 in_channels=64 out_channels=64 height=112 width=112 kernel=3",
     .quick_sizes = "batch=2 in_channels=64 out_channels=64 height=112 width=112 kernel=3",
     ROOF_NATIVE,
     .prepare = direct_prepare,
     .execute = direct_execute,
     .check = check},
    {.name = "conv2d-im2col",
     .op = "conv2d",
     .variant = "im2col",
     .summary = "weights times the expanded input, tiles in registers",
     .sizes = "batch=8 in_channels=64 out_channels=64 height=112 width=112 kernel=3 algorithm=im2col",
     .quick_sizes = "batch=2 in_channels=64 out_channels=64 height=112 width=112 kernel=3 algorithm=im2col",
     ROOF_NATIVE,
     .prepare = im2col_prepare,
     .execute = im2col_execute,
     .check = check},
};

const roof_kernel_family roof_kernels_conv = {kernels, sizeof kernels / sizeof kernels[0]};
