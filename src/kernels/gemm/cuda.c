/* The rungs of the ladder that only CUDA has: fp32 by the copy engine, bf16 on tensor cores, and the vendor's
 * library. */
#include "host/cublas.h"
#include "kernels/cuda/tiles.h"
#include "kernels/device/_traffic.h"
#include "kernels/gemm/_gemm.h"

static bool is_bf16(roof_dtype dtype) {
  return dtype == ROOF_BF16;
}

static bool is_checked(roof_dtype dtype) {
  return dtype == ROOF_FP64 || dtype == ROOF_FP32 || dtype == ROOF_BF16;
}

/** The copies are of 16 bytes: every row of A, B and C must begin at a multiple of that. */
static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  int each = 16 / (int)roof_dtype_bytes(run->dtype);
  return s.n % (size_t)each == 0 && s.k % (size_t)each == 0
             ? rf_gemm_prepare_plain(run, error)
             : roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: n and k must be multiples of %d",
                              run->kernel->name, each);
}

static void add_shape(rf_device_launch *launch, const roof_kernel_run *run) {
  for (int i = 0; i < 3; i++) {
    rf_device_add_int(launch, run->values[i]);
  }
}

static int plan_mma(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  const double *v = run->values;
  launches[0] = rf_device_launch_of("gemm_mma", rf_device_tiles(v[0], MMA_TILE_M),
                                    rf_device_tiles(v[1], MMA_TILE_N), MMA_THREADS, 1);
  launches[0].shared = MMA_SHARED;
  rf_device_add_buffer(launches, o->in[0]);
  rf_device_add_buffer(launches, o->in[1]);
  rf_device_add_buffer(launches, o->out);
  add_shape(launches, run);
  return 1;
}

/** One block per multiprocessor, which takes tile after tile. A number of fp32 is described as two of
 * bf16. */
static int plan_tma(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  int32_t m = (int32_t)run->values[0], n = (int32_t)run->values[1], k = (int32_t)run->values[2];
  launches[0] = rf_device_launch_of("gemm_tma", 0, 1, TMA_THREADS, 1);
  launches[0].shared = TMA_SHARED;
  launches[0].tasks = rf_device_tiles(m, TMA_TILE_M) * rf_device_tiles(n, TMA_TILE_N);
  launches[0].cluster = 1;
  rf_device_add_tensor(launches, (rf_device_tensor){o->in[0], 2 * k, m, TMA_TILE_M, 0});
  rf_device_add_tensor(launches, (rf_device_tensor){o->in[1], 2 * n, k, TMA_TILE_K, 0});
  rf_device_add_buffer(launches, o->out);
  add_shape(launches, run);
  return 1;
}

/** A and B as the copy engine sees them, A in boxes of so many rows. */
static void add_factors(rf_device_launch *launch, const roof_kernel_run *run, const rf_device_operands *o,
                        int rows) {
  int32_t m = (int32_t)run->values[0], n = (int32_t)run->values[1], k = (int32_t)run->values[2];
  launch->shared = WGMMA_SHARED(WGMMA_STAGES, WGMMA_C_BOXES);
  rf_device_add_tensor(launch, (rf_device_tensor){o->in[0], k, m, rows, 0});
  rf_device_add_tensor(launch, (rf_device_tensor){o->in[1], n, k, WGMMA_TILE_K, 0});
}

static int plan_wgmma(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  const double *v = run->values;
  launches[0] = rf_device_launch_of("gemm_wgmma", rf_device_tiles(v[0], WGMMA_TILE_M),
                                    rf_device_tiles(v[1], WGMMA_TILE_N), 256, 1);
  add_factors(launches, run, o, WGMMA_TILE_M);
  rf_device_add_buffer(launches, o->out);
  add_shape(launches, run);
  return 1;
}

/** Blocks that take tile after tile; `down` of a cluster have the same columns, `across` the same rows. */
static int persistent(const char *entry, int down, int across, const roof_kernel_run *run,
                      const rf_device_operands *o, rf_device_launch *launches) {
  const double *v = run->values;
  launches[0] = rf_device_launch_of(entry, 0, 1, 384, 1);
  launches[0].tasks =
      rf_device_tiles(v[0], down * WGMMA_TILE_M) * rf_device_tiles(v[1], across * WGMMA_TILE_N);
  launches[0].cluster = down * across;
  add_factors(launches, run, o, WGMMA_TILE_M / across);
  rf_device_add_tensor(launches,
                       (rf_device_tensor){o->out, (int32_t)run->values[1], (int32_t)run->values[0], 64, 0});
  add_shape(launches, run);
  return 1;
}

static int plan_specialised(const roof_kernel_run *run, const rf_device_operands *o,
                            rf_device_launch *launches) {
  return persistent("gemm_specialised", 1, 1, run, o, launches);
}

/** How pairs of blocks multiply. */
typedef struct pairs {
  bool across;     /**< they share rows of A; else columns of B */
  int stages;      /**< 0: four, of which three leave room for all of C */
  int band;        /**< tiles down before the next one to the right; 0: BAND */
  bool everywhere; /**< as rf_device_launch has it */
} pairs;

static int in_pairs(const pairs *p, const roof_kernel_run *run, const rf_device_operands *o,
                    rf_device_launch *launches) {
  const char *entry = p->across ? "gemm_cluster_across" : p->stages > 0 ? "gemm_cluster_few" : "gemm_cluster";
  int count = persistent(entry, p->across ? 1 : 2, p->across ? 2 : 1, run, o, launches);
  if (p->stages > 0) {
    launches[0].shared = WGMMA_SHARED(WGMMA_FEW_STAGES, WGMMA_TILE_N / 64);
  }
  launches[0].everywhere = p->everywhere;
  rf_device_add_int(launches, p->band > 0 ? p->band : BAND);
  return count;
}

#define IN_PAIRS(name, ...)                                                                                  \
  static int plan_##name(const roof_kernel_run *run, const rf_device_operands *o,                            \
                         rf_device_launch *launches) {                                                       \
    static const pairs how = {__VA_ARGS__};                                                                  \
    return in_pairs(&how, run, o, launches);                                                                 \
  }
IN_PAIRS(cluster, .band = BAND)
IN_PAIRS(band_4, .band = 4)
IN_PAIRS(band_16, .band = 16)
IN_PAIRS(all, .everywhere = true)
IN_PAIRS(across, .across = true)
IN_PAIRS(across_16, .across = true, .band = 16)
IN_PAIRS(three, .stages = WGMMA_FEW_STAGES)

/* A band of 16 blocks across is as many rows as one of 8 pairs down. */
static const rf_device_variant cluster_variants[] = {{"band=4", plan_band_4},
                                                     {"band=16", plan_band_16},
                                                     {"grid=all", plan_all},
                                                     {"multicast=a", plan_across},
                                                     {"multicast=a band=16", plan_across_16},
                                                     {"stages=3", plan_three},
                                                     {NULL, NULL}};
/* Large, of few rows, and of few steps. */
static const char *const cluster_shapes[] = {"m=4096 n=4096 k=4096", "m=8192 n=8192 k=8192",
                                             "m=128 n=28672 k=4096", "m=8192 n=8192 k=512", NULL};

/** Sums that clusters leave to others; as many as there can be on any device. */
static double parts_scratch(const roof_kernel_run *run) {
  (void)run;
  return PARTS_FLAGS * 4.0 + 2.0 * PARTS_BLOCKS * PARTS_SUMS * 4;
}

/** All clusters there are, since any number of them ends together: what is divided is steps along k. */
static int plan_stream_k(const roof_kernel_run *run, const rf_device_operands *o,
                         rf_device_launch *launches) {
  persistent("gemm_stream_k", 2, 1, run, o, launches);
  launches[0].tasks *= rf_device_tiles(run->values[2], WGMMA_TILE_K);
  rf_device_add_buffer(launches, o->scratch);
  return 1;
}

static const rf_device_kernel tma = {.program = "gemm_tma", .plan = plan_tma};
static const rf_device_kernel mma = {.program = "gemm_mma", .plan = plan_mma};
static const rf_device_kernel wgmma = {.program = "gemm_wgmma", .plan = plan_wgmma};
static const rf_device_kernel specialised = {.program = "gemm_wgmma", .plan = plan_specialised};
static const rf_device_kernel cluster = {.program = "gemm_wgmma",
                                         .plan = plan_cluster,
                                         .variants = cluster_variants,
                                         .shapes = cluster_shapes,
                                         .tile = {WGMMA_TILE_K, WGMMA_TILE_N, 2 * WGMMA_TILE_M}};
static const rf_device_kernel stream_k = {
    .program = "gemm_wgmma", .scratch = parts_scratch, .zeros = PARTS_FLAGS * 4, .plan = plan_stream_k};
static const rf_device_kernel cublas = {.program = "cublas"};

/* A thread of the first has 8 rows and 16 columns, a warp 64 and 64: 2 turns for A and 4 for B. Tensor cores ask for the
 * rows and columns of a warp's 64 x 32 or a warpgroup's 64 x 256. A cluster is a block twice as tall to B. */
#define ALGORITHM(name, ...)                                                                                 \
  static void name##_algorithm(const roof_kernel_run *run, const roof_target *units, roof_algorithm *out) {  \
    static const rf_device_tiling tiling = {.rows_first = true, __VA_ARGS__};                                \
    rf_device_gemm_algorithm(run, units, &tiling, out);                                                      \
  }
ALGORITHM(tma, .tall = TMA_TILE_M, .wide = TMA_TILE_N, .rows = 8, .columns = 16, .resident = 1, .turns = {6})
ALGORITHM(mma, .tall = MMA_TILE_M, .wide = MMA_TILE_N, .resident = 2, .asked = 1.0 / 64 + 1.0 / 32)
ALGORITHM(wgmma, .tall = WGMMA_TILE_M, .wide = WGMMA_TILE_N, .resident = 1, .asked = 1.0 / 64 + 1.0 / 256)
ALGORITHM(cluster, .tall = 2 * WGMMA_TILE_M, .wide = WGMMA_TILE_N, .resident = 1,
          .asked = 1.0 / 64 + 1.0 / 256)

#define SHARED_BY_ALL                                                                                        \
  .op = "gemm", .quick_sizes = "m=2048 n=2048 k=2048", .backends = rf_on_cuda, .check = rf_gemm_check,       \
  .release = rf_operands_release

#define RUNG(name_, variant_, rung_, detail_, way_, supports_, sizes_, summary_)                             \
  {                                                                                                          \
    .name = name_, .variant = variant_, .rung = rung_, .detail = detail_, .summary = summary_,               \
    .supports = supports_, .sizes = sizes_, .algorithm = way_##_algorithm, .prepare = prepare, SHARED_BY_ALL \
  }
#define IN_BF16(name, variant, rung, detail, way, summary)                                                   \
  RUNG(name, variant, rung, detail, way, is_bf16, "m=8192 n=8192 k=8192", summary)

static const roof_kernel kernels[] = {
    RUNG("gemm-tma", "tma", 9, &tma, tma, rf_device_fp32, "m=4096 n=4096 k=4096",
         "the copy engine fetches, 8 x 16 elements per thread; persistent blocks take tile after tile "
         "(Hopper)"),
    IN_BF16("gemm-mma", "mma.sync", 9, &mma, mma,
            "tensor cores, a warp at a time; tiles copied ahead (Ampere and later)"),
    IN_BF16("gemm-wgmma", "wgmma", 10, &wgmma, wgmma,
            "four warps at a time, from tiles that the copy engine brings (Hopper)"),
    IN_BF16("gemm-specialised", "specialised", 11, &specialised, wgmma,
            "one warp fetches, eight multiply; blocks stay and take tile after tile (Hopper)"),
    IN_BF16("gemm-cluster", "cluster", 12, &cluster, cluster,
            "pairs of blocks share each tile of B (Hopper)"),
    IN_BF16("gemm-stream-k", "stream-k", 13, &stream_k, cluster,
            "the last round's tiles are divided along k, so that all blocks end together (Hopper)"),
    {.name = "gemm-cublas",
     .variant = "cuBLASLt",
     .sizes = "m=8192 n=8192 k=8192",
     .summary = "NVIDIA's library, by its own choice of algorithm",
     .supports = is_checked,
     .disabled_reason = rf_cublas_disabled_reason,
     .library = rf_cublas_version,
     .detail = &cublas,
     .prepare = rf_gemm_prepare_plain,
     SHARED_BY_ALL},
};

const rf_kernel_family rf_kernels_gemm_cuda = {kernels, sizeof kernels / sizeof kernels[0]};
