/* y = A x on accelerators; A also as int8 or int4 in groups of 128, each with a scale in fp16 (W8A16,
 * W4A16). */
#include "kernels/device/_device.h"

#include <float.h>

enum { ITEMS = 128, LEAST_ITEMS = 8, ROWS = 4, GROUPED = 128, ROUND_ITEMS = 32, PARTS_OF_X = 3 };

/** A launch for m rows of `steps` loads each. A row gets as many work-items as leave each of them eight
 * loads; the rest of the work-group takes other rows. */
static rf_device_launch rows_launch(const roof_kernel_run *run, const char *entry, double steps) {
  int items = ITEMS;
  while (items > LEAST_ITEMS && steps < 8 * items) {
    items /= 2;
  }
  int rows_per_group = ITEMS / items;
  return rf_device_launch_of(entry, rf_device_tiles(run->values[0], ROWS * rows_per_group), 1, items,
                             rows_per_group);
}

static void add_arguments(const roof_kernel_run *run, const rf_device_operands *o, void *x,
                          rf_device_launch *launch) {
  rf_device_add_buffer(launch, o->in[0]);
  rf_device_add_buffer(launch, x);
  rf_device_add_buffer(launch, o->out);
  rf_device_add_int(launch, run->values[0]);
  rf_device_add_int(launch, run->values[1]);
}

/** By packs of 16 bytes where every row begins at one. */
static int plan_plain(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  double packs = run->values[1] * roof_dtype_bytes(run->dtype) / 16;
  launches[0] = fmod(packs, 1) == 0 ? rows_launch(run, "gemv_packs", packs)
                                    : rows_launch(run, "gemv_elements", run->values[1]);
  add_arguments(run, o, o->in[1], &launches[0]);
  return 1;
}

/** Bits of one weight. */
static int bits_of(const roof_kernel_run *run) {
  return run->kernel->types->weights == ROOF_INT4 ? 4 : 8;
}

static double weight_bytes(const roof_kernel_run *run) {
  return run->values[0] * run->values[1] * bits_of(run) / 8;
}

/** x as whole numbers: three bytes each, and a step of 4 bytes per group. */
static double narrow_scratch(const roof_kernel_run *run) {
  return run->values[1] * PARTS_OF_X + run->values[1] / GROUPED * 4;
}

static int plan_narrow(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  bool four = bits_of(run) == 4;
  double n = run->values[1];
  launches[0] = rf_device_launch_of("gemv_round", n / GROUPED, 1, ROUND_ITEMS, 1);
  rf_device_add_buffer(&launches[0], o->in[1]);
  rf_device_add_buffer(&launches[0], o->scratch);
  rf_device_add_int(&launches[0], n);
  rf_device_add_int(&launches[0], four);
  launches[1] = rows_launch(run, four ? "gemv_int4" : "gemv_int8", n * bits_of(run) / 128);
  add_arguments(run, o, o->scratch, &launches[1]);
  return 2;
}

/** Random bytes, but no -128, then scales that keep weights below 1. */
static roof_status narrow_prepare(roof_kernel_run *run, roof_error *error) {
  double m = run->values[0], n = run->values[1], bytes = weight_bytes(run);
  if (fmod(n, GROUPED) != 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: n must be a multiple of %d, its group of weights",
                          run->kernel->name, GROUPED);
  }
  roof_status status = rf_operands_prepare(run, bytes / 2 + m * n / GROUPED, n, m, 0, error);
  if (status == ROOF_OK) {
    uint8_t *weights = ((rf_operands *)run->state)->in[0];
#pragma omp parallel for schedule(static) num_threads(run->threads)
    for (size_t i = 0; i < (size_t)bytes; i++) {
      double value = rf_random_at(3, i);
      weights[i] = (uint8_t)(bits_of(run) == 4 ? (int)(128 + 128 * value) & 255 : (int)rint(127 * value));
    }
#pragma omp parallel for schedule(static) num_threads(run->threads)
    for (size_t i = 0; i < (size_t)(m * n / GROUPED); i++) {
      rf_data_set(weights + (size_t)bytes, ROOF_FP16, i,
                  (1.5 + 0.5 * rf_random_at(4, i)) / (bits_of(run) == 4 ? 16 : 256));
    }
  }
  return status;
}

static double weight_at(const roof_kernel_run *run, size_t i) {
  const uint8_t *weights = ((const rf_operands *)run->state)->in[0];
  double scale = rf_data_at(weights + (size_t)weight_bytes(run), ROOF_FP16, i / GROUPED);
  int whole = bits_of(run) == 8 ? (int8_t)weights[i] : (weights[i / 2] >> i % 2 * 4 & 15) - 8;
  return scale * whole;
}

/** Sums in fp32, rounded to fp16 once. */
static double reference(const roof_kernel_run *run, size_t row, double *tolerance) {
  const rf_operands *o = run->state;
  size_t n = (size_t)run->values[1];
  double total = 0, magnitude = 0;
  for (size_t j = 0; j < n; j++) {
    double product = weight_at(run, row * n + j) * rf_data_at(o->in[1], run->dtype, j);
    total += product;
    magnitude += fabs(product);
  }
  *tolerance = 0x1p-11 * fabs(total) + 0x1p-24 + (8 + sqrt((double)n)) * 0x1p-23 * magnitude;
  return total;
}

static roof_status narrow_check(roof_kernel_run *run, roof_error *error) {
  return rf_kernel_compare(run, (size_t)run->values[0], 256, reference, error);
}

static bool is_fp16(roof_dtype dtype) {
  return dtype == ROOF_FP16;
}

static const rf_device_kernel plain = {.program = "gemv", .reference = "gemv", .plan = plan_plain},
                              narrow = {.program = "gemv",
                                        .reference = "gemv",
                                        .scratch = narrow_scratch,
                                        .plan = plan_narrow};

#define WEIGHTS(format)                                                                                      \
  {                                                                                                          \
    .compute = ROOF_FP16, .weights = format, .output = ROOF_FP16, .accumulate = ROOF_FP32, .kv = ROOF_FP16,  \
    .scale = ROOF_FP16, .group = GROUPED                                                                     \
  }
static const roof_types int8_weights = WEIGHTS(ROOF_INT8), int4_weights = WEIGHTS(ROOF_INT4);

/* Weights several times the last cache, so that the few microseconds of rounding x hardly show. */
#define NARROW(types_, sizes_)                                                                               \
  .variant = "", .sizes = sizes_, .quick_sizes = "m=1024 n=1024", .processor_sizes = "m=4096 n=16384",       \
  .supports = is_fp16, .backends = rf_on_devices, .detail = &narrow, .types = types_,                        \
  .prepare = narrow_prepare, .check = narrow_check, .release = rf_operands_release

static const roof_kernel kernels[] = {
    {.name = "device-gemv",
     .in_loop = true,
     .op = "gemv",
     .summary = "y = A x, four rows per work-group",
     .sizes = "m=16384 n=16384",
     .quick_sizes = "m=1024 n=1024",
     .processor_sizes = "m=4096 n=16384",
     .supports = rf_device_floats,
     RF_ON_DEVICES(&plain)},
    {.name = "device-gemv-int8",
     .op = "gemv",
     .summary = "y = A x, A as int8 with a scale per 128 weights, x in fp16 as three bytes",
     NARROW(&int8_weights, "m=32768 n=16384")},
    {.name = "device-gemv-int4",
     .op = "gemv",
     .summary = "y = A x, A as int4 with a scale per 128 weights, x in fp16 as three bytes",
     NARROW(&int4_weights, "m=65536 n=16384")},
};

const rf_kernel_family rf_kernels_device_gemv = {kernels, sizeof kernels / sizeof kernels[0]};
