/* y = rmsnorm(x) W on accelerators, in two kernels and in one. in[1] holds the gains, then W. */
#include "kernels/device/_traffic.h"

enum { BATCH, IN, OUT };
enum { ITEMS = 256, BLOCK = 128 };

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  const double *v = run->values;
  return rf_operands_prepare(run, v[BATCH] * v[IN], v[IN] + v[IN] * v[OUT], v[BATCH] * v[OUT], 0, error);
}

/** Normalised rows, in what is computed with. */
static double scratch(const roof_kernel_run *run) {
  return run->values[BATCH] * run->values[IN] * (run->dtype == ROOF_FP64 ? 8 : 4);
}

static rf_device_launch tiles(const roof_kernel_run *run, const char *entry, void *x,
                              const rf_device_operands *o) {
  const double *v = run->values;
  rf_device_launch launch =
      rf_device_launch_of(entry, rf_device_tiles(v[OUT], BLOCK), rf_device_tiles(v[BATCH], BLOCK), ITEMS, 1);
  rf_device_add_buffer(&launch, x);
  rf_device_add_buffer(&launch, o->in[1]);
  rf_device_add_buffer(&launch, o->out);
  for (int i = BATCH; i <= OUT; i++) {
    rf_device_add_int(&launch, v[i]);
  }
  return launch;
}

static int plan_unfused(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  const double *v = run->values;
  launches[0] = rf_device_launch_of("linear_normalise", v[BATCH], 1, ITEMS, 1);
  rf_device_add_buffer(&launches[0], o->in[0]);
  rf_device_add_buffer(&launches[0], o->in[1]);
  rf_device_add_buffer(&launches[0], o->scratch);
  rf_device_add_int(&launches[0], v[IN]);
  launches[1] = tiles(run, "linear_multiply", o->scratch, o);
  return 2;
}

static int plan_fused(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  launches[0] = tiles(run, "linear_fused", o->in[0], o);
  return 1;
}

/** Sums of `in` terms, a square root, a division and three more roundings. */
static double reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const rf_operands *o = run->state;
  size_t in = (size_t)run->values[IN], out = (size_t)run->values[OUT], row = i / out;
  double square = 0, total = 0, magnitude = 0;
  for (size_t p = 0; p < in; p++) {
    double x = rf_data_at(o->in[0], run->dtype, row * in + p);
    double w = rf_data_at(o->in[1], run->dtype, p) * rf_data_at(o->in[1], run->dtype, in + p * out + i % out);
    square += x * x / (double)in;
    total += x * w;
    magnitude += fabs(x * w);
  }
  double factor = 1 / sqrt(square + RF_NORM_EPSILON);
  double sums = run->dtype == ROOF_FP64 ? 0x1p-52 : 0x1p-23;
  *tolerance =
      (rf_kernel_epsilon(run->dtype) * fabs(total) + (8 + sqrt((double)in)) * sums * magnitude) * factor;
  return total * factor;
}

static roof_status check(roof_kernel_run *run, roof_error *error) {
  return rf_kernel_compare(run, (size_t)(run->values[BATCH] * run->values[OUT]), 1024, reference, error);
}

/** What the fused kernel moves, and the normalised rows to memory and back. */
static void unfused_algorithm(const roof_kernel_run *run, const roof_target *units, roof_algorithm *out) {
  const double *v = run->values;
  double elements = v[BATCH] * v[IN] + v[IN] + v[IN] * v[OUT] + v[BATCH] * v[OUT];
  rf_device_passes(units, elements * roof_dtype_bytes(run->dtype) + 2 * scratch(run), scratch(run), out);
}

static const rf_device_kernel unfused = {.program = "linear",
                                         .reference = "",
                                         .scratch = scratch,
                                         .plan = plan_unfused},
                              fused = {.program = "linear", .reference = "", .plan = plan_fused};

#define ROW                                                                                                  \
  .variant = "", .op = "linear", .sizes = "batch=4096 in=4096 out=4096",                                     \
  .quick_sizes = "batch=64 in=256 out=256", .processor_sizes = "batch=384 in=384 out=384",                   \
  .supports = rf_device_floats, .backends = rf_on_devices, .prepare = prepare, .check = check,               \
  .release = rf_operands_release

static const roof_kernel kernels[] = {
    {.name = "device-rmsnorm-linear-unfused",
     .rung = 1,
     .summary = "y = rmsnorm(x) W in two kernels: the normalised rows go to memory and come back",
     .detail = &unfused,
     .algorithm = unfused_algorithm,
     ROW},
    {.name = "device-rmsnorm-linear",
     .rung = 2,
     .summary = "y = rmsnorm(x) W in one kernel: a row's factor waits for the end of its sums",
     .detail = &fused,
     ROW},
};

const rf_kernel_family rf_kernels_device_linear = {kernels, sizeof kernels / sizeof kernels[0]};
