/* B = A' on accelerators. */
#include "kernels/device/_traffic.h"

enum { TILE = 32, SECTOR = 32 };

static void add_arguments(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launch) {
  rf_device_add_buffer(launch, o->in[0]);
  rf_device_add_buffer(launch, o->out);
  rf_device_add_int(launch, run->values[0]);
  rf_device_add_int(launch, run->values[1]);
}

static int plan(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches,
                const char *entry) {
  double rows = run->values[0], columns = run->values[1];
  launches[0] =
      rf_device_launch_of(entry, rf_device_tiles(columns, TILE), rf_device_tiles(rows, TILE), TILE, 8);
  add_arguments(run, o, launches);
  return 1;
}

static int plan_naive(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  return plan(run, o, launches, "transpose_naive");
}

static int plan_tiled(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  return plan(run, o, launches, "transpose_tiled");
}

/** Where all rows of A and of B begin at a multiple of 16 bytes; by elements elsewhere. Tiles as in
 * transpose.cl. */
static int plan_packs(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  double rows = run->values[0], columns = run->values[1], bytes = roof_dtype_bytes(run->dtype);
  int line = bytes == 2 ? 8 : 16, side = line * 16 / (int)bytes, items = side * line / 4;
  if (fmod(rows * bytes, 16) != 0 || fmod(columns * bytes, 16) != 0) {
    return plan_tiled(run, o, launches);
  }
  launches[0] = rf_device_launch_of(
      "transpose_packs", rf_device_tiles(columns, side) * rf_device_tiles(rows, side), 1, items, 1);
  add_arguments(run, o, launches);
  return 1;
}

/** Each store is a sector of 32 bytes of its own to the next cache, which puts them together. */
static void naive_algorithm(const roof_kernel_run *run, const roof_target *units, roof_algorithm *out) {
  (void)units;
  out->level_bytes[ROOF_L2] = run->values[0] * run->values[1] * (roof_dtype_bytes(run->dtype) + SECTOR);
}

#define TRANSPOSE(plan_)                                                                                     \
  { .program = "transpose", .reference = "transpose", .plan = plan_ }
static const rf_device_kernel naive = TRANSPOSE(plan_naive), tiled = TRANSPOSE(plan_tiled),
                              packs = TRANSPOSE(plan_packs);

#define ROW(name_, rung_, summary_, detail_, algorithm_)                                                     \
  {                                                                                                          \
    .name = name_, .op = "transpose", .rung = rung_, .summary = summary_, .sizes = "rows=16384 cols=16384",  \
    .quick_sizes = "rows=1024 cols=512", .processor_sizes = "rows=4096 cols=4096",                           \
    .supports = rf_device_floats, .algorithm = algorithm_, RF_ON_DEVICES(&detail_)                           \
  }

static const roof_kernel kernels[] = {
    ROW("device-transpose-naive", 1, "B = A', each store to a separate line", naive, naive_algorithm),
    ROW("device-transpose-tiled", 2, "B = A', tiles turned in shared memory by elements", tiled, NULL),
    ROW("device-transpose", 3, "B = A', tiles turned in shared memory, lines of 128 bytes each way", packs,
        NULL),
};

const rf_kernel_family rf_kernels_device_transpose = {kernels, sizeof kernels / sizeof kernels[0]};
