/* Shared memory and the first cache of a unit deliver 128 bytes in a turn, to 32 work-items: NVIDIA's warp, half of AMD's
 * wavefront. Each further line or bank conflict takes a turn of its own (NVIDIA, CUDA C++ Best Practices Guide, "Shared
 * Memory" and "Coalesced Access"; AMD, CDNA3 ISA guide, "Local Data Share"). What comes from further out is each tile of
 * A and B once for each work-group; from memory once for those that run at the same time. */
#include "kernels/device/_traffic.h"

#include <string.h>

#include "kernels/gemm/_gemm.h"

enum { TURN = 128, SUBGROUP = 32 };

/** Of the whole operands, in bytes. */
typedef struct operands {
  double a, b, c;
} operands;

static operands operands_of(const roof_kernel_run *run) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  double element = roof_dtype_bytes(run->dtype), m = (double)s.m, n = (double)s.n, k = (double)s.k;
  return (operands){m * k * element, k * n * element, m * n * element};
}

static bool is_processor(const roof_target *units) {
  return strcmp(units->machine->device_class, "cpu") == 0;
}

/** For each multiply-add. A processor takes work-items one after the other and loads what each asks for. */
static double asked_bytes(const roof_kernel_run *run, const rf_device_tiling *t, bool processor) {
  double element = roof_dtype_bytes(run->dtype), sums = (double)t->rows * t->columns;
  if (t->rows == 0) {
    return t->asked * element;
  }
  return processor ? element * (t->rows + t->columns) / sums
                   : (double)TURN * t->turns[element > 4] / (SUBGROUP * sums);
}

/** Each tile of A and B once for each work-group that uses it. */
static double tile_bytes(const roof_kernel_run *run, const rf_device_tiling *t) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  operands o = operands_of(run);
  return o.a * rf_device_tiles((double)s.n, t->wide) + o.b * rf_device_tiles((double)s.m, t->tall) + o.c;
}

/** Work-groups that run at the same time are neighbours. The operand along which they lie passes once for each row of
 * them that does, or once altogether if it fits the cache with half to spare; the other one passes once. */
static double wave_bytes(const roof_kernel_run *run, const roof_target *units, const rf_device_tiling *t,
                         double cache) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  operands o = operands_of(run);
  double down = rf_device_tiles((double)s.m, t->tall), across = rf_device_tiles((double)s.n, t->wide);
  double along = t->rows_first ? o.a : o.b, length = t->rows_first ? down : across;
  double together = floor(units->machine->unit_count * t->resident / length);
  double times = ceil((t->rows_first ? across : down) / (together < 1 ? 1 : together));
  bool stays = o.a + o.b + o.c <= cache || along <= cache / 2;
  return o.a + o.b + o.c + (stays ? 0 : along * (times - 1));
}

/** Of the outermost cache that is known, with or without a bandwidth. */
static double cache_inside(const roof_machine *machine, int level) {
  double bytes = NAN;
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *l = &machine->levels[i];
    bytes = l->level > ROOF_L1 && (int)l->level < level && !isnan(l->bytes) ? l->bytes : bytes;
  }
  return bytes;
}

/* A processor's compiler keeps to the order of the work-items: one sum is a chain of multiply-adds of 4 cycles, several
 * go one each cycle (uops.info; Agner Fog, Instruction tables). */
static void slow_down(const roof_target *cores, const rf_device_tiling *t, roof_algorithm *out) {
  out->chained = t->rows * t->columns == 1;
  out->flops_per_cycle = cores->machine->unit_count * (out->chained ? 2.0 / 4 : 2.0);
}

void rf_device_gemm_algorithm(const roof_kernel_run *run, const roof_target *units,
                              const rf_device_tiling *tiling, roof_algorithm *out) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  double tiles = tile_bytes(run, tiling), adds = (double)s.m * (double)s.n * (double)s.k;
  out->level_bytes[ROOF_L1] = adds * asked_bytes(run, tiling, is_processor(units)) + tiles;
  for (int level = ROOF_L2; level < ROOF_LEVEL_KIND_COUNT; level++) {
    double inside = cache_inside(units->machine, level);
    double beyond = level < (int)ROOF_MEMORY ? tiles : NAN;
    out->level_bytes[level] = isnan(inside) ? beyond : wave_bytes(run, units, tiling, inside);
  }
  if (is_processor(units)) {
    slow_down(units, tiling, out);
  }
}

void rf_device_passes(const roof_target *units, double bytes, double kept, roof_algorithm *out) {
  for (int level = ROOF_L2; level < ROOF_LEVEL_KIND_COUNT; level++) {
    out->level_bytes[level] = kept <= cache_inside(units->machine, level) ? NAN : bytes;
  }
}
