/* The rungs in fp8 that only CUDA has, and the vendor's library. The numbers are e4m3; of the scales each factor has one, or A
 * one for each 128 numbers of a row and B one for each 128 x 128. */
#include "host/cublas.h"
#include "kernels/cuda/tiles.h"
#include "kernels/device/_traffic.h"
#include "kernels/gemm/_fp8.h"
#include "kernels/gemm/_gemm.h"

enum { BLOCK = FP8_TILE_K, STRIP = 32 }; /* STRIP: scales in a row of the copy engine's box */

static const roof_types by_matrix = {.compute = ROOF_FP8,
                                     .weights = ROOF_FP8,
                                     .output = ROOF_BF16,
                                     .accumulate = ROOF_FP32,
                                     .kv = ROOF_FP8,
                                     .scale = ROOF_FP32},
                        by_block = {.compute = ROOF_FP8,
                                    .weights = ROOF_FP8,
                                    .output = ROOF_BF16,
                                    .accumulate = ROOF_FP32,
                                    .kv = ROOF_FP8,
                                    .scale = ROOF_FP32,
                                    .group = BLOCK * BLOCK};

static bool is_fp8(roof_dtype dtype) {
  return dtype == ROOF_FP8;
}

static bool is_by_block(const roof_kernel_run *run) {
  return run->kernel->types == &by_block;
}

static size_t blocks_of(size_t count) {
  return (count + BLOCK - 1) / BLOCK;
}

/** Scales of the factor: of A for each block of k all rows of whole tiles, of B for each block of rows all blocks of k. */
static size_t scale_count(const roof_kernel_run *run, int which) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  return !is_by_block(run) ? 1
         : which == 0      ? blocks_of(s.k) * blocks_of(s.m) * BLOCK
                           : blocks_of(s.n) * blocks_of(s.k);
}

/** Bytes of the numbers of a factor, up to a multiple of what the copy engine asks of the scales' place. */
static size_t number_bytes(const roof_kernel_run *run, int which) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  return ((which == 0 ? s.m : s.n) * s.k + BLOCK - 1) / BLOCK * BLOCK;
}

void *rf_gemm_fp8_scale(const roof_kernel_run *run, const void *factor, int which) {
  return is_fp8(run->dtype) ? (void *)((uintptr_t)factor + number_bytes(run, which)) : NULL;
}

/** Scales from a half to one and a half. */
static void fill_scales(const roof_kernel_run *run, int which) {
  const rf_operands *o = run->state;
  float *scales = rf_gemm_fp8_scale(run, o->in[which], which);
  for (size_t i = 0; i < scale_count(run, which); i++) {
    scales[i] = (float)(1 + rf_random_at(5 + (uint64_t)which, i) / 2);
  }
}

/** The copies are of 16 bytes: every row of A, B and C must begin at a multiple of that. */
static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  double bytes[2];
  roof_status status = rf_gemm_single(run, error);
  if (status == ROOF_OK && (s.n % 8 != 0 || s.k % 16 != 0)) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: n must be a multiple of 8 and k of 16",
                            run->kernel->name);
  }
  for (int i = 0; i < 2; i++) {
    bytes[i] = (double)(number_bytes(run, i) + scale_count(run, i) * sizeof(float));
  }
  if (status == ROOF_OK) {
    status = rf_operands_prepare(run, bytes[0], bytes[1], 2.0 * (double)(s.m * s.n), 0, error);
  }
  for (int i = 0; i < 2 && status == ROOF_OK; i++) {
    fill_scales(run, i);
  }
  if (status == ROOF_OK) {
    rf_data_poison(((rf_operands *)run->state)->out, ROOF_BF16, s.m * s.n, rf_kernel_setup_threads(run));
  }
  return status;
}

/** The scales of a row of A and a column of B in a block of k. */
static double scale_at(const roof_kernel_run *run, size_t row, size_t column, size_t block) {
  const rf_operands *o = run->state;
  const float *a = rf_gemm_fp8_scale(run, o->in[0], 0), *b = rf_gemm_fp8_scale(run, o->in[1], 1);
  rf_gemm_sizes s = rf_gemm_shape(run);
  return is_by_block(run) ? (double)a[block * blocks_of(s.m) * BLOCK + row] *
                                (double)b[column / BLOCK * blocks_of(s.k) + block]
                          : (double)*a * (double)*b;
}

/** Every 32 products go to a sum of which tensor cores keep 13 bits behind the first (DeepSeek-V3, section 3.3.2): the sum so far,
 * and the products, lose that much of their size. With scales of their own 128 of them are summed apart, in fp32. */
static double reference(const roof_kernel_run *as, size_t i, double *tolerance) {
  roof_kernel_run run = *as;
  const rf_operands *o = run.state;
  rf_gemm_sizes s = rf_gemm_shape(&run);
  size_t row = i / s.n, column = i % s.n;
  double total = 0, part = 0, lost = 0;
  run.dtype = ROOF_FP8;
  for (size_t q = 0; q < s.k; q++) {
    double scale = scale_at(&run, row, column, q / BLOCK);
    double product = scale * rf_data_at(o->in[0], ROOF_FP8, row * s.k + q) *
                     rf_data_at(o->in[1], ROOF_FP8, column * s.k + q);
    part = q % BLOCK == 0 && is_by_block(&run) ? product : part + product;
    total += product;
    lost += 0x1p-13 * (fabs(product) + (q % 32 == 31 ? fabs(part) : 0)) + 0x1p-23 * fabs(product);
  }
  *tolerance = 0x1p-8 * fabs(total) + lost;
  return total;
}

/** C is in bf16. */
static roof_status check(roof_kernel_run *run, roof_error *error) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  roof_kernel_run as = *run;
  as.dtype = ROOF_BF16;
  return rf_kernel_compare(&as, s.m * s.n, 4096, reference, error);
}

static int32_t int_of(double value) {
  return (int32_t)value;
}

/** A kernel's tiles: blocks of a cluster have the same columns. */
typedef struct tiles {
  const char *entry;
  int cluster, rows, columns;
} tiles;

static double count_of(const tiles *t, const roof_kernel_run *run) {
  return rf_device_tiles(run->values[0], t->cluster * t->rows) * rf_device_tiles(run->values[1], t->columns);
}

/** Blocks that take tile after tile; the copy engine counts in 16 bits. */
static rf_device_launch persistent(const tiles *t, const roof_kernel_run *run, const rf_device_operands *o) {
  const double *v = run->values;
  rf_device_launch launch = rf_device_launch_of(t->entry, 0, 1, 384, 1);
  launch.tasks = count_of(t, run);
  launch.cluster = t->cluster;
  rf_device_add_tensor(&launch, (rf_device_tensor){o->in[0], int_of(v[2]) / 2, int_of(v[0]), t->rows, 0});
  rf_device_add_tensor(&launch,
                       (rf_device_tensor){o->in[1], int_of(v[2]) / 2, int_of(v[1]), t->columns / 2, 0});
  return launch;
}

static void add_product(rf_device_launch *launch, const roof_kernel_run *run, const rf_device_operands *o) {
  rf_device_add_tensor(launch,
                       (rf_device_tensor){o->out, int_of(run->values[1]), int_of(run->values[0]), 64, 0});
}

static void add_shape(rf_device_launch *launch, const roof_kernel_run *run) {
  for (int i = 0; i < 3; i++) {
    rf_device_add_int(launch, run->values[i]);
  }
}

static void add_scales(rf_device_launch *launch, const roof_kernel_run *run, const rf_device_operands *o) {
  rf_device_add_buffer(launch, rf_gemm_fp8_scale(run, o->in[0], 0));
  rf_device_add_buffer(launch, rf_gemm_fp8_scale(run, o->in[1], 1));
}

static int plan_by_matrix(const tiles *t, const roof_kernel_run *run, const rf_device_operands *o,
                          rf_device_launch *launches) {
  launches[0] = persistent(t, run, o);
  launches[0].shared = FP8_SHARED;
  add_product(launches, run, o);
  add_scales(launches, run, o);
  add_shape(launches, run);
  return 1;
}

static const tiles alone = {"gemm_fp8", 1, FP8_TILE_M, FP8_TILE_N},
                   pairs = {"gemm_fp8_cluster", 2, FP8_TILE_M, FP8_TILE_N},
                   tall = {"gemm_fp8_split", 1, FP8_TILE_M, FP8_TILE_N},
                   low = {"gemm_fp8_split_64", 1, FP8_TILE_M / 2, FP8_TILE_N},
                   in_blocks = {"gemm_fp8_scaled", 2, FP8_TILE_M, SCALED_TILE_N};

static int plan_specialised(const roof_kernel_run *run, const rf_device_operands *o,
                            rf_device_launch *launches) {
  return plan_by_matrix(&alone, run, o, launches);
}

static int plan_cluster(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  return plan_by_matrix(&pairs, run, o, launches);
}

/** Which tiles, and how many parts along k. */
typedef struct choice {
  const tiles *tiles;
  double splits, bytes;
} choice;

/** Bytes of the sums that the parts leave. */
static double parts_bytes(const roof_kernel_run *run, double splits) {
  return splits > 1 ? splits * run->values[0] * run->values[1] * 4 : 0;
}

/** What the busiest of `units` multiprocessors copies: for each step of its tiles the rows of A and its share of the columns
 * of B. Parts leave their sums and read them again, and the second kernel's start costs about as much as a stage:
 * 2 us at the 25 GB/s that a multiprocessor has of the memory (H100). */
static double busiest_bytes(const tiles *t, double splits, const roof_kernel_run *run, double units) {
  double steps = ceil(rf_device_tiles(run->values[2], FP8_TILE_K) / splits);
  double rounds = ceil(count_of(t, run) * splits / floor(units / t->cluster));
  double parts = splits > 1 ? FP8_STAGE + 2 * parts_bytes(run, splits) / units : 0;
  return rounds * steps * (t->rows + t->columns / t->cluster) * FP8_TILE_K + parts;
}

/** The choice with the fewest bytes. Tiles that are at most half as many as the multiprocessors may be divided, so that all
 * parts run at once; no device has more than PARTS_BLOCKS. */
static choice choose(const roof_kernel_run *run, double units) {
  static const tiles *const known[] = {&pairs, &tall, &low};
  double steps = rf_device_tiles(run->values[2], FP8_TILE_K);
  choice best = {&pairs, 1, INFINITY};
  for (size_t i = 0; i < sizeof known / sizeof known[0] && units >= 2; i++) {
    double most = fmin(floor(fmin(units, PARTS_BLOCKS) / count_of(known[i], run)), steps);
    for (double splits = 1; splits == 1 || (splits <= most && known[i] != &pairs); splits++) {
      choice c = {known[i], splits, busiest_bytes(known[i], splits, run, units)};
      best = c.bytes < best.bytes ? c : best;
    }
  }
  return best;
}

/** As many parts as there can be on any device. */
static double split_scratch(const roof_kernel_run *run) {
  return fmin(parts_bytes(run, fmax(2, rf_device_tiles(run->values[2], FP8_TILE_K))),
              4.0 * PARTS_BLOCKS * FP8_TILE_M * FP8_TILE_N);
}

static int plan_split(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  enum { EACH = 4 * 256 }; /* of C, for a block */
  choice c = choose(run, o->units);
  double product = run->values[0] * run->values[1];
  plan_by_matrix(c.tiles, run, o, launches);
  if (c.tiles == &pairs) {
    return 1;
  }
  launches[0].tasks *= c.splits;
  rf_device_add_buffer(&launches[0], o->scratch);
  rf_device_add_int(&launches[0], c.splits);
  launches[1] = rf_device_launch_of("gemm_fp8_add", rf_device_tiles(product, EACH), 1, 256, 1);
  launches[1].early = true;
  rf_device_add_buffer(&launches[1], o->scratch);
  rf_device_add_buffer(&launches[1], o->out);
  add_scales(&launches[1], run, o);
  rf_device_add_int(&launches[1], c.splits);
  rf_device_add_index(&launches[1], product);
  return c.splits > 1 ? 2 : 1;
}

static int plan_scaled(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  int32_t rows = (int32_t)(scale_count(run, 0) / STRIP);
  launches[0] = persistent(&in_blocks, run, o);
  launches[0].shared = SCALED_SHARED;
  rf_device_add_tensor(
      launches, (rf_device_tensor){rf_gemm_fp8_scale(run, o->in[0], 0), 2 * STRIP, rows, SCALED_ROWS, 0});
  add_product(launches, run, o);
  rf_device_add_buffer(launches, rf_gemm_fp8_scale(run, o->in[1], 1));
  add_shape(launches, run);
  return 1;
}

static const rf_device_kernel specialised = {.program = "gemm_fp8", .plan = plan_specialised},
                              cluster = {.program = "gemm_fp8", .plan = plan_cluster},
                              split = {.program = "gemm_fp8", .scratch = split_scratch, .plan = plan_split},
                              scaled = {.program = "gemm_fp8", .plan = plan_scaled},
                              cublas = {.program = "cublas"};

/* A warpgroup asks for 64 rows and all columns of its tile. */
#define ALGORITHM(name, tall_, wide_)                                                                        \
  static void name##_algorithm(const roof_kernel_run *run, const roof_target *units, roof_algorithm *out) {  \
    static const rf_device_tiling tiling = {                                                                 \
        .rows_first = true, .tall = tall_, .wide = wide_, .resident = 1, .asked = 1.0 / 64 + 1.0 / (wide_)}; \
    rf_device_gemm_algorithm(run, units, &tiling, out);                                                      \
  }
ALGORITHM(specialised, FP8_TILE_M, FP8_TILE_N)
ALGORITHM(cluster, 2 * FP8_TILE_M, FP8_TILE_N)
ALGORITHM(scaled, 2 * FP8_TILE_M, SCALED_TILE_N)

/** By the tiles chosen; what parts leave and read again stays in the last cache. */
static void split_algorithm(const roof_kernel_run *run, const roof_target *units, roof_algorithm *out) {
  choice c = choose(run, units->machine->unit_count);
  const rf_device_tiling tiling = {.rows_first = true,
                                   .tall = c.tiles->cluster * c.tiles->rows,
                                   .wide = c.tiles->columns,
                                   .resident = 1,
                                   .asked = 1.0 / 64 + (c.tiles == &low ? 2.0 : 1.0) / c.tiles->columns};
  rf_device_gemm_algorithm(run, units, &tiling, out);
  out->level_bytes[ROOF_L2] += 2 * parts_bytes(run, c.splits);
}

#define IN_FP8                                                                                               \
  .op = "gemm", .sizes = "m=8192 n=8192 k=8192", .quick_sizes = "m=2048 n=2048 k=2048",                      \
  .backends = rf_on_cuda, .supports = is_fp8, .prepare = prepare, .check = check,                            \
  .release = rf_operands_release
#define RUNG(name_, variant_, rung_, way, types_, summary_)                                                  \
  {                                                                                                          \
    .name = name_, .variant = variant_, .rung = rung_, .detail = &way, .algorithm = way##_algorithm,         \
    .types = &types_, .summary = summary_, IN_FP8                                                            \
  }

static const roof_kernel kernels[] = {
    RUNG("gemm-fp8-scaled", "fp8, block scales", 9, scaled, by_block,
         "e4m3 with a scale per 128 numbers of A and 128 x 128 of B, summed in fp32 (Hopper)"),
    RUNG("gemm-fp8", "fp8", 10, specialised, by_matrix,
         "e4m3 with a scale per matrix: one warp fetches, eight multiply (Hopper)"),
    RUNG("gemm-fp8-cluster", "fp8, cluster", 11, cluster, by_matrix,
         "e4m3 with a scale per matrix: pairs of blocks share each tile of B (Hopper)"),
    RUNG("gemm-fp8-split", "fp8, split-k", 12, split, by_matrix,
         "e4m3 with a scale per matrix: where tiles are few, low ones and parts along k (Hopper)"),
    {.name = "gemm-fp8-cublas",
     .variant = "cuBLASLt, fp8",
     .summary = "NVIDIA's library in e4m3 with a scale per matrix, by its own choice of algorithm",
     .types = &by_matrix,
     .disabled_reason = rf_cublas_disabled_reason,
     .library = rf_cublas_version,
     .detail = &cublas,
     IN_FP8},
};

const rf_kernel_family rf_kernels_gemm_fp8 = {kernels, sizeof kernels / sizeof kernels[0]};
