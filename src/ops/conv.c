/* Convolution. */
#include "ops/row.h"

enum { BATCH, IN_CHANNELS, OUT_CHANNELS, HEIGHT, WIDTH, KERNEL, STRIDE, PADDING, GROUPS, ALGORITHM };

/** Output elements along a side of `size`; padding `same` keeps ceil(size / stride). */
static double output_side(double size, const double *v) {
  if (v[PADDING] == ROOF_CHOICE_VALUE(0)) {
    return ceil(size / v[STRIDE]);
  }
  return floor((size + 2 * v[PADDING] - v[KERNEL]) / v[STRIDE]) + 1;
}

/** Of a side of `size`, what is read: a stride longer than the kernel leaves out what lies between. */
static double touched_side(double size, const double *v) {
  return v[STRIDE] > v[KERNEL] ? fmin(size, output_side(size, v) * v[KERNEL]) : size;
}

/** How many times fewer products a fast algorithm needs, its transforms not counted: Winograd's with tiles of 6 x 6 for
 * kernels up to 3 (F(4x4, 3x3): 36 in place of 144), Fourier transforms in tiles of 32 x 32 for larger ones, two products
 * for each point of a tile. Both make the outputs that a stride leaves out. */
static double fewer_products(const double *v) {
  double k = v[KERNEL], outputs = v[KERNEL] <= 3 ? (7 - k) * k / 6 : (33 - k) * k / sqrt(2048);
  return k < 32 ? fmax(1, outputs * outputs / (v[STRIDE] * v[STRIDE])) : 1;
}

/** Tiles of side x side outputs that cover all of them. */
static double tiles_of(const double *v, double side) {
  return v[BATCH] * ceil(output_side(v[HEIGHT], v) / side) * ceil(output_side(v[WIDTH], v) / side);
}

/** Columns of a tile that libraries have of any product. */
enum { TILE = 64 };

/** Whether each channel is convolved by itself. */
static bool is_depthwise(const double *v) {
  return v[GROUPS] > 1 && v[GROUPS] == v[IN_CHANNELS];
}

/** Of groups apart as many are one product, with zeros off its diagonal, as fill a tile. Channels alone have no tiles to fill:
 * they stream through one product, each column with weights of its own. */
static roof_kernel_shape product_of(const double *v, double pixels, double products) {
  double groups = v[GROUPS], each = v[OUT_CHANNELS] / groups;
  double joined = is_depthwise(v) ? 1 : fmin(groups, fmax(1, floor(TILE / each)));
  double count = is_depthwise(v) ? 1 : groups / joined;
  return (roof_kernel_shape){.kind = ROOF_KERNEL_PRODUCT,
                             .count = count,
                             .rows = pixels,
                             .columns = v[OUT_CHANNELS] / count,
                             .depth = joined * products,
                             .sequences = joined};
}

/** The product that libraries make of it, in fp32 for 3 x 3 kernels one of Winograd's: for few channels of the output
 * F(2x2, 3x3) in one kernel, 16 multiplications for 4 outputs, 32 channels at a time; else 36 products of a point of each
 * tile of 4 x 4 outputs, of which those past the border are wasted, in passes that may take longer than they save. */
static roof_kernel_shape kernel_of(const double *v, const roof_types *t, double pixels, double products) {
  enum { FEW = 32 };
  double in = v[IN_CHANNELS], out = v[OUT_CHANNELS], tiles = tiles_of(v, 4);
  roof_kernel_shape shape = product_of(v, pixels, products);
  bool winograd = t->compute == ROOF_FP32 && v[KERNEL] == 3 && v[STRIDE] == 1 && !is_depthwise(v);
  if (winograd && out <= FEW) {
    shape.columns = TILE;
    shape.group = 16 * tiles_of(v, 2) * FEW / (9 * pixels * out);
  } else if (winograd) {
    shape.group = 4 * tiles / pixels;
    shape.routed = 2 * 36 * (tiles * (in + out) + in * out) * roof_dtype_bytes(t->compute);
  }
  return shape;
}

static void conv2d(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double a = roof_dtype_bytes(t->compute), weight = roof_types_weight_bytes(t, 1);
  double pixels = v[BATCH] * output_side(v[HEIGHT], v) * output_side(v[WIDTH], v);
  double taps = v[KERNEL] * v[KERNEL];
  double products = v[IN_CHANNELS] / v[GROUPS] * taps;
  double expanded = v[ALGORITHM] * pixels * v[IN_CHANNELS] * taps * a;
  w->flops = 2 * pixels * v[OUT_CHANNELS] * products;
  w->weight_bytes = v[OUT_CHANNELS] * products * weight;
  double touched = v[BATCH] * touched_side(v[HEIGHT], v) * touched_side(v[WIDTH], v);
  w->read_bytes = touched * v[IN_CHANNELS] * a + w->weight_bytes + expanded;
  w->write_bytes = pixels * v[OUT_CHANNELS] * roof_dtype_bytes(t->output) + expanded;
  w->working_set = w->read_bytes + w->write_bytes - expanded;
  w->no_reuse_bytes = pixels * v[OUT_CHANNELS] * products * (a + weight);
  double fewer = fewer_products(v);
  if (fewer > 1) {
    w->least.flops = w->flops / fewer;
    w->least.why = v[KERNEL] <= 3 ? "Winograd's algorithm, F(4x4, 3x3)" : "a Fourier transform";
  }
  w->kernel = kernel_of(v, t, pixels, products);
}

static roof_status check(const roof_op *op, const double *v, roof_error *error) {
  if (fmod(v[IN_CHANNELS], v[GROUPS]) != 0 || fmod(v[OUT_CHANNELS], v[GROUPS]) != 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: groups=%.0f must divide in_channels and out_channels",
                          op->name, v[GROUPS]);
  }
  if (!(output_side(v[HEIGHT], v) >= 1 && output_side(v[WIDTH], v) >= 1)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: kernel=%.0f is larger than the padded input", op->name,
                          v[KERNEL]);
  }
  return ROOF_OK;
}

#define SIDE(size)                                                                                           \
  "(padding == same ? ceil(" size " / stride) : floor((" size " + 2 * padding - kernel) / stride) + 1)"
#define TOUCHED(size) "(stride > kernel ? min(" size ", " SIDE(size) " * kernel) : " size ")"
#define INPUT "batch * " TOUCHED("height") " * " TOUCHED("width")
#define PIXELS "batch * " SIDE("height") " * " SIDE("width")

static const roof_op ops[] = {
    {.name = "conv2d",
     .family = "conv",
     .summary = "2-D convolution with a square kernel; im2col writes and reads the expanded input",
     .unit = ROOF_MATRIX,
     .flops = "2 * " PIXELS " * out_channels * in_channels / groups * kernel * kernel",
     .bytes = INPUT " * in_channels * a + "
                    "out_channels * in_channels / groups * kernel * kernel * w + " PIXELS
                    " * (out_channels * o + (algorithm == im2col) * 2 * in_channels * kernel * kernel * a)",
     .flops_per_element = NAN,
     .source = "Chellapilla et al. 2006 (im2col); Dumoulin and Visin 2016 (output sizes); an FMA is 2 FLOP; "
               "at best fewer at stride 1: Lavin and Gray 2016 (Winograd, kernels up to 3: F(2x2, 3x3) 2.25 "
               "times, F(4x4, 3x3) 4 times), Mathieu et al. 2014 (Fourier transforms, larger kernels)",
     .work = conv2d,
     .check = check,
     .batch = "batch",
     .params = PARAMS(
         [BATCH] = COUNT("batch", "images"), [IN_CHANNELS] = COUNT("in_channels", "channels of the input"),
         [OUT_CHANNELS] = COUNT("out_channels", "channels of the output"),
         [HEIGHT] = COUNT("height", "rows of the input"), [WIDTH] = COUNT("width", "columns of the input"),
         [KERNEL] = COUNT("kernel", "rows and columns of the kernel"),
         [STRIDE] = COUNT_OR("stride", 1, "step between outputs"),
         [PADDING] = {.name = "padding",
                      .kind = ROOF_PARAM_AMOUNT,
                      .fallback = ROOF_CHOICE_VALUE(0),
                      .choices = {"same"},
                      .text = "zeros added on each side; same: the output is ceil(input / stride)"},
         [GROUPS] = COUNT_OR("groups", 1, "groups of channels convolved apart"),
         [ALGORITHM] = {.name = "algorithm",
                        .kind = ROOF_PARAM_CHOICE,
                        .fallback = 0,
                        .choices = {"direct", "im2col"},
                        .text = "direct, or a product over the expanded input"})},
};

FAMILY(conv);
