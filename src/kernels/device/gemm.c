/* The ladder of gemm on accelerators. */
#include "kernels/device/_device.h"

enum { M, N, K };

/** How a rung divides C: the elements and the work-items of a work-group; `rows_first`: x counts rows. */
typedef struct tiling {
  const char *entry;
  int tall, wide, items_x, items_y;
  bool rows_first;
} tiling;

static int plan(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches,
                const tiling *t) {
  const double *v = run->values;
  double down = rf_device_tiles(v[M], t->tall), across = rf_device_tiles(v[N], t->wide);
  launches[0] = rf_device_launch_of(t->entry, t->rows_first ? down : across, t->rows_first ? across : down,
                                    t->items_x, t->items_y);
  rf_device_add_buffer(launches, o->in[0]);
  rf_device_add_buffer(launches, o->in[1]);
  rf_device_add_buffer(launches, o->out);
  for (int i = M; i <= K; i++) {
    rf_device_add_int(launches, v[i]);
  }
  return 1;
}

#define RUNG(name, tall, wide, items_x, items_y, rows_first)                                                 \
  static int plan_##name(const roof_kernel_run *run, const rf_device_operands *o,                            \
                         rf_device_launch *launches) {                                                       \
    static const tiling t = {"gemm_" #name, tall, wide, items_x, items_y, rows_first};                       \
    return plan(run, o, launches, &t);                                                                       \
  }                                                                                                          \
  static const rf_device_kernel name = {.program = "gemm", .reference = "gemm-naive", .plan = plan_##name};
RUNG(naive, 16, 16, 16, 16, true)
RUNG(coalesced, 8, 32, 32, 8, false)
RUNG(tiled, 16, 16, 16, 16, false)
RUNG(blocked_1d, 64, 32, 256, 1, false)
RUNG(blocked_2d, 128, 128, 256, 1, false)
RUNG(vectorised, 128, 128, 256, 1, false)
RUNG(waves, 128, 128, 256, 1, false)
RUNG(double_buffered, 128, 128, 256, 1, false)

#define ROW(number, name_, detail_, summary_)                                                                \
  {                                                                                                          \
    .name = "device-gemm-" name_, .op = "gemm", .rung = number, .in_loop = number == 1 || number == 8,       \
    .summary = summary_, .sizes = "m=4096 n=4096 k=4096", .quick_sizes = "m=256 n=256 k=256",                \
    .processor_sizes = "m=384 n=384 k=384", .supports = rf_kernel_is_native, RF_ON_DEVICES(&detail_)         \
  }

static const roof_kernel kernels[] = {
    ROW(1, "naive", naive,
        "one element per work-item, neighbours in a column: every load is a separate line"),
    ROW(2, "coalesced", coalesced, "neighbours in a row: work-items share lines"),
    ROW(3, "tiled", tiled, "tiles in shared memory: an element is read from memory once per work-group"),
    ROW(4, "blocked-1d", blocked_1d,
        "8 elements of a column per work-item: B is loaded once for all of them"),
    ROW(5, "blocked-2d", blocked_2d, "8 x 8 elements per work-item: 16 loads for 64 multiply-adds"),
    ROW(6, "vectorised", vectorised, "four elements per load, A transposed in its tile"),
    ROW(7, "waves", waves, "the work-items of a subgroup close together: no bank conflicts"),
    ROW(8, "double-buffered", double_buffered, "two pairs of tiles: loads go on behind the multiply-adds"),
};

const rf_kernel_family rf_kernels_device_gemm = {kernels, sizeof kernels / sizeof kernels[0]};
