/* Sums, softmax and rmsnorm on accelerators: a group a row. */
#include "kernels/device/_device.h"

enum { LANES = 256, GROUPS = 1024 };

/** Bytes of what is computed with. */
static double sum_bytes(const roof_kernel_run *run) {
  return run->dtype == ROOF_FP64 ? 8 : 4;
}

static double parts_scratch(const roof_kernel_run *run) {
  return GROUPS * sum_bytes(run);
}

static double rows_scratch(const roof_kernel_run *run) {
  return 2 * run->values[0] * sum_bytes(run);
}

static int plan_reduce(const roof_kernel_run *run, const roof_device_operands *o,
                       roof_device_launch *launches) {
  double n = run->values[0], groups = fmin(GROUPS, roof_device_tiles(n, 4 * LANES));
  launches[0] = roof_device_launch_of("rows_reduce", groups, 1, LANES, 1);
  roof_device_add_buffer(&launches[0], o->in[0]);
  roof_device_add_buffer(&launches[0], o->scratch);
  roof_device_add_index(&launches[0], n);
  launches[1] = roof_device_launch_of("rows_reduce_parts", 1, 1, LANES, 1);
  roof_device_add_buffer(&launches[1], o->scratch);
  roof_device_add_buffer(&launches[1], o->out);
  roof_device_add_int(&launches[1], groups);
  return 2;
}

/** A launch of a group a row on some buffers, then the columns. */
static roof_device_launch rows_launch(const roof_kernel_run *run, const char *entry, void *const *buffers) {
  roof_device_launch launch = roof_device_launch_of(entry, run->values[0], 1, LANES, 1);
  for (int i = 0; buffers[i] != NULL; i++) {
    roof_device_add_buffer(&launch, buffers[i]);
  }
  roof_device_add_int(&launch, run->values[1]);
  return launch;
}

#define BUFFERS(...) ((void *const[]){__VA_ARGS__, NULL})

static int plan_softmax_unfused(const roof_kernel_run *run, const roof_device_operands *o,
                                roof_device_launch *launches) {
  launches[0] = rows_launch(run, "rows_maximum", BUFFERS(o->in[0], o->scratch));
  launches[1] = rows_launch(run, "rows_exponentials", BUFFERS(o->in[0], o->scratch));
  launches[2] = rows_launch(run, "rows_quotients", BUFFERS(o->in[0], o->scratch, o->out));
  roof_device_add_int(&launches[1], run->values[0]);
  roof_device_add_int(&launches[2], run->values[0]);
  return 3;
}

static int plan_softmax(const roof_kernel_run *run, const roof_device_operands *o,
                        roof_device_launch *launches) {
  launches[0] = rows_launch(run, "rows_softmax", BUFFERS(o->in[0], o->out));
  return 1;
}

static int plan_rmsnorm_unfused(const roof_kernel_run *run, const roof_device_operands *o,
                                roof_device_launch *launches) {
  launches[0] = rows_launch(run, "rows_factor", BUFFERS(o->in[0], o->scratch));
  launches[1] = rows_launch(run, "rows_scaled", BUFFERS(o->in[0], o->in[1], o->scratch, o->out));
  return 2;
}

static int plan_rmsnorm(const roof_kernel_run *run, const roof_device_operands *o,
                        roof_device_launch *launches) {
  launches[0] = rows_launch(run, "rows_rmsnorm", BUFFERS(o->in[0], o->in[1], o->out));
  return 1;
}

#define TEXT .program = "rows"
static const roof_device_kernel reduce = {TEXT, .reference = "reduce", .scratch = parts_scratch,
                                          .plan = plan_reduce},
                                softmax_unfused = {TEXT, .reference = "softmax", .scratch = rows_scratch,
                                                   .plan = plan_softmax_unfused},
                                softmax = {TEXT, .reference = "softmax", .plan = plan_softmax},
                                rmsnorm_unfused = {TEXT, .reference = "rmsnorm", .scratch = rows_scratch,
                                                   .plan = plan_rmsnorm_unfused},
                                rmsnorm = {TEXT, .reference = "rmsnorm", .plan = plan_rmsnorm};

#define ROWS .sizes = "rows=32768 cols=4096", .quick_sizes = "rows=256 cols=1024"

static const roof_kernel kernels[] = {
    {.name = "device-reduce",
     .op = "reduce",
     .summary = "sum of x: each group its part, then one group what they found",
     .sizes = "n=268435456",
     .quick_sizes = "n=4194304",
     .supports = roof_device_floats,
     ROOF_ON_DEVICES(&reduce)},
    {.name = "device-softmax-unfused",
     .op = "softmax",
     .summary = "softmax of each row in three kernels: x is read three times",
     ROWS,
     .supports = roof_device_floats,
     ROOF_ON_DEVICES(&softmax_unfused)},
    {.name = "device-softmax",
     .in_loop = true,
     .op = "softmax",
     .summary = "softmax of each row in one kernel: the row stays in shared memory",
     ROWS,
     .supports = roof_device_floats,
     ROOF_ON_DEVICES(&softmax)},
    {.name = "device-rmsnorm-unfused",
     .op = "rmsnorm",
     .summary = "rmsnorm of each row in two kernels: x is read twice",
     ROWS,
     .supports = roof_device_floats,
     ROOF_ON_DEVICES(&rmsnorm_unfused)},
    {.name = "device-rmsnorm",
     .in_loop = true,
     .op = "rmsnorm",
     .summary = "rmsnorm of each row in one kernel: the row stays in shared memory",
     ROWS,
     .supports = roof_device_floats,
     ROOF_ON_DEVICES(&rmsnorm)},
};

const roof_kernel_family roof_kernels_device_rows = {kernels, sizeof kernels / sizeof kernels[0]};
