/* B = A' on accelerators. */
#include "kernels/device/_device.h"

enum { TILE = 32 };

static int plan(const roof_kernel_run *run, const roof_device_operands *o, roof_device_launch *launches,
                const char *entry) {
  double rows = run->values[0], columns = run->values[1];
  launches[0] =
      roof_device_launch_of(entry, roof_device_tiles(columns, TILE), roof_device_tiles(rows, TILE), TILE, 8);
  roof_device_add_buffer(launches, o->in[0]);
  roof_device_add_buffer(launches, o->out);
  roof_device_add_int(launches, rows);
  roof_device_add_int(launches, columns);
  return 1;
}

static int plan_naive(const roof_kernel_run *run, const roof_device_operands *o,
                      roof_device_launch *launches) {
  return plan(run, o, launches, "transpose_naive");
}

static int plan_tiled(const roof_kernel_run *run, const roof_device_operands *o,
                      roof_device_launch *launches) {
  return plan(run, o, launches, "transpose_tiled");
}

static const roof_device_kernel naive = {.program = "transpose",
                                         .reference = "transpose",
                                         .plan = plan_naive},
                                tiled = {
                                    .program = "transpose", .reference = "transpose", .plan = plan_tiled};

static const roof_kernel kernels[] = {
    {.name = "device-transpose-naive",
     .op = "transpose",
     .summary = "B = A', each store a line of its own",
     .sizes = "rows=16384 cols=8192",
     .quick_sizes = "rows=1024 cols=512",
     .supports = roof_device_floats,
     ROOF_ON_DEVICES(&naive)},
    {.name = "device-transpose",
     .op = "transpose",
     .summary = "B = A', tiles turned in shared memory",
     .sizes = "rows=16384 cols=8192",
     .quick_sizes = "rows=1024 cols=512",
     .supports = roof_device_floats,
     ROOF_ON_DEVICES(&tiled)},
};

const roof_kernel_family roof_kernels_device_transpose = {kernels, sizeof kernels / sizeof kernels[0]};
