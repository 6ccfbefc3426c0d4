/* The four kernels of STREAM on accelerators. */
#include "kernels/device/_device.h"

enum { ITEMS = 256, AHEAD = 4 };

static int plan(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches,
                const char *entry) {
  double n = run->values[0], packs = fmax(1, n * roof_dtype_bytes(run->dtype) / 16);
  launches[0] = rf_device_launch_of(entry, rf_device_tiles(packs, ITEMS * AHEAD), 1, ITEMS, 1);
  rf_device_add_buffer(launches, o->in[0]);
  if (o->in[1] != NULL) {
    rf_device_add_buffer(launches, o->in[1]);
  }
  rf_device_add_buffer(launches, o->out);
  rf_device_add_index(launches, n);
  return 1;
}

#define STREAM(name_)                                                                                        \
  static int plan_##name_(const roof_kernel_run *run, const rf_device_operands *o,                           \
                          rf_device_launch *launches) {                                                      \
    return plan(run, o, launches, "stream_" #name_);                                                         \
  }                                                                                                          \
  static const rf_device_kernel name_ = {.program = "stream", .reference = #name_, .plan = plan_##name_};
STREAM(copy)
STREAM(scale)
STREAM(add)
STREAM(triad)

#define ROW(name_, summary_, loop_)                                                                          \
  {                                                                                                          \
    .name = "device-" #name_, .op = #name_, .summary = summary_, .in_loop = loop_, .sizes = "n=134217728",   \
    .quick_sizes = "n=4194304", .processor_sizes = "n=33554432", .supports = rf_device_floats,               \
    RF_ON_DEVICES(&name_)                                                                                    \
  }

static const roof_kernel kernels[] = {
    ROW(copy, "b = a", false),
    ROW(scale, "b = s a", false),
    ROW(add, "c = a + b", false),
    ROW(triad, "a = b + s c", true),
};

const rf_kernel_family rf_kernels_device_stream = {kernels, sizeof kernels / sizeof kernels[0]};
