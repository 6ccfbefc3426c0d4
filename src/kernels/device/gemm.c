/* The ladder of gemm on accelerators. */
#include "kernels/device/_traffic.h"

enum { M, N, K };

/** How a rung divides C: the work-items of a work-group, and what it and one of them compute. */
typedef struct tiling {
  const char *entry;
  int items_x, items_y;
  rf_device_tiling group;
} tiling;

static int plan(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches,
                const tiling *t) {
  const double *v = run->values;
  const rf_device_tiling *g = &t->group;
  double down = rf_device_tiles(v[M], g->tall), across = rf_device_tiles(v[N], g->wide);
  launches[0] = rf_device_launch_of(t->entry, g->rows_first ? down : across, g->rows_first ? across : down,
                                    t->items_x, t->items_y);
  rf_device_add_buffer(launches, o->in[0]);
  rf_device_add_buffer(launches, o->in[1]);
  rf_device_add_buffer(launches, o->out);
  for (int i = M; i <= K; i++) {
    rf_device_add_int(launches, v[i]);
  }
  return 1;
}

/* What a subgroup reads at once, in turns of 128 bytes, for one step in depth:
 * - naive: 16 lines for 16 rows of A and one of B; coalesced: a row of A that all share and a line of B;
 * - tiled: 2 rows of A, 16 columns of B; blocked 1d: 8 rows of A that all share, and 32 columns of B;
 * - blocked 2d: rows of A that lie 64 elements apart in the same bank, 2 turns each; columns of B 8 apart: 16 of them in
 *   4 banks of 4 bytes, or 2 of 8;
 * - vectorised: four rows of A at a time that 16 share; columns of B by fours, 8 apart: half of the banks;
 * - waves, double buffered: 32 rows of A and 16 columns of B, each without a conflict. */
#define RUNG(name, tall_, wide_, x, y, rows_first_, rows_, columns_, resident_, words, doubles)              \
  static const tiling of_##name = {.entry = "gemm_" #name,                                                   \
                                   .items_x = x,                                                             \
                                   .items_y = y,                                                             \
                                   .group = {.tall = tall_,                                                  \
                                             .wide = wide_,                                                  \
                                             .rows_first = rows_first_,                                      \
                                             .rows = rows_,                                                  \
                                             .columns = columns_,                                            \
                                             .resident = resident_,                                          \
                                             .turns = {words, doubles}}};                                    \
  static int plan_##name(const roof_kernel_run *run, const rf_device_operands *o,                            \
                         rf_device_launch *launches) {                                                       \
    return plan(run, o, launches, &of_##name);                                                               \
  }                                                                                                          \
  static void name##_algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {  \
    rf_device_gemm_algorithm(run, cores, &of_##name.group, out);                                             \
  }                                                                                                          \
  static const rf_device_kernel name = {.program = "gemm", .reference = "gemm-naive", .plan = plan_##name};
RUNG(naive, 16, 16, 16, 16, true, 1, 1, 8, 17, 17)
RUNG(coalesced, 8, 32, 32, 8, false, 1, 1, 8, 2, 3)
RUNG(tiled, 16, 16, 16, 16, false, 1, 1, 8, 2, 2)
RUNG(blocked_1d, 64, 32, 256, 1, false, 8, 1, 4, 9, 10)
RUNG(blocked_2d, 128, 128, 256, 1, false, 8, 8, 2, 48, 80)
RUNG(vectorised, 128, 128, 256, 1, false, 8, 8, 2, 10, 18)
RUNG(waves, 128, 128, 256, 1, false, 8, 8, 2, 4, 6)
RUNG(double_buffered, 128, 128, 256, 1, false, 8, 8, 2, 4, 6)

#define ROW(number, name_, detail_, summary_)                                                                \
  {                                                                                                          \
    .name = "device-gemm-" name_, .op = "gemm", .rung = number, .in_loop = number == 1 || number == 8,       \
    .summary = summary_, .sizes = "m=4096 n=4096 k=4096", .quick_sizes = "m=256 n=256 k=256",                \
    .processor_sizes = "m=384 n=384 k=384", .supports = rf_kernel_is_native,                                 \
    .algorithm = detail_##_algorithm, RF_ON_DEVICES(&detail_)                                                \
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
