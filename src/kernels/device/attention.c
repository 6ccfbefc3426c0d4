/* Attention on accelerators, with its scores in memory and without. */
#include "kernels/cuda/tiles.h"
#include "kernels/device/_pages.h"
#include "kernels/device/_traffic.h"

enum { BATCH, HEADS, Q_LEN, KV_LEN, HEAD_DIM, KV_HEADS, CAUSAL };
enum { MOST_UNITS = 512, ROUNDS = 2 }; /* of a device; of blocks, one after the other */
enum { TILE = 16, DIM = 128, FLASH_ROWS = 64, FLASH_ACROSS = 16, FLASH_DOWN = 8 };

static double heads_of(const roof_kernel_run *run) {
  return run->values[BATCH] * run->values[HEADS];
}

static double scores_scratch(const roof_kernel_run *run) {
  return heads_of(run) * run->values[Q_LEN] * run->values[KV_LEN] * 4;
}

/** Elements of K, after which V begins. */
static double values_at(const roof_kernel_run *run) {
  const double *v = run->values;
  return v[BATCH] * v[KV_HEADS] * v[KV_LEN] * v[HEAD_DIM];
}

static void add_shape(const roof_kernel_run *run, rf_device_launch *launch) {
  const double *v = run->values, shape[] = {v[HEADS], v[KV_HEADS], v[Q_LEN], v[KV_LEN], v[HEAD_DIM]};
  for (int i = 0; i < 5; i++) {
    rf_device_add_int(launch, shape[i]);
  }
}

static void add_scale(const roof_kernel_run *run, rf_device_launch *launch) {
  rf_device_add_int(launch, run->values[CAUSAL]);
  rf_device_add_float(launch, 1 / sqrt(run->values[HEAD_DIM]));
}

static int plan_standard(const roof_kernel_run *run, const rf_device_operands *o,
                         rf_device_launch *launches) {
  const double *v = run->values;
  double down = rf_device_tiles(v[Q_LEN], TILE);
  launches[0] = rf_device_launch_of("attention_scores", rf_device_tiles(v[KV_LEN], TILE), down, TILE, TILE);
  launches[0].groups[2] = (unsigned)heads_of(run);
  rf_device_add_buffer(&launches[0], o->in[0]);
  rf_device_add_buffer(&launches[0], o->in[1]);
  rf_device_add_buffer(&launches[0], o->scratch);
  add_shape(run, &launches[0]);
  add_scale(run, &launches[0]);
  launches[1] = rf_device_launch_of("attention_softmax", heads_of(run) * v[Q_LEN], 1, TILE * TILE, 1);
  rf_device_add_buffer(&launches[1], o->scratch);
  rf_device_add_int(&launches[1], v[KV_LEN]);
  launches[2] = rf_device_launch_of("attention_values", rf_device_tiles(v[HEAD_DIM], TILE), down, TILE, TILE);
  launches[2].groups[2] = (unsigned)heads_of(run);
  rf_device_add_buffer(&launches[2], o->scratch);
  rf_device_add_buffer(&launches[2], o->in[1]);
  rf_device_add_buffer(&launches[2], o->out);
  add_shape(run, &launches[2]);
  rf_device_add_index(&launches[2], values_at(run));
  return 3;
}

static int plan_flash(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  launches[0] = rf_device_launch_of("attention_flash", rf_device_tiles(run->values[Q_LEN], FLASH_ROWS),
                                    heads_of(run), FLASH_ACROSS, FLASH_DOWN);
  rf_device_add_buffer(launches, o->in[0]);
  rf_device_add_buffer(launches, o->in[1]);
  rf_device_add_buffer(launches, o->out);
  add_shape(run, launches);
  add_scale(run, launches);
  rf_device_add_index(launches, values_at(run));
  return 1;
}

/** Blocks of `rows` queries of every head; blocks that share a head of K are neighbours. */
static rf_device_launch tensor_launch(const roof_kernel_run *run, const char *const entries[2][2], int rows,
                                      int threads) {
  const double *v = run->values;
  rf_device_launch launch =
      rf_device_launch_of(entries[v[HEAD_DIM] == DIM][run->dtype == ROOF_FP16],
                          rf_device_tiles(v[Q_LEN], rows), v[HEADS] / v[KV_HEADS], threads, 1);
  launch.groups[2] = (unsigned)(v[BATCH] * v[KV_HEADS]);
  return launch;
}

/** Lengths, the mask and the scale of powers of two. */
static void add_lengths(const roof_kernel_run *run, rf_device_launch *launch) {
  const double *v = run->values;
  rf_device_add_int(launch, v[Q_LEN]);
  rf_device_add_int(launch, v[KV_LEN]);
  rf_device_add_int(launch, v[CAUSAL]);
  rf_device_add_float(launch, M_LOG2E / sqrt(v[HEAD_DIM]));
}

static int plan_mma(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  static const char *const entries[2][2] = {{"attention_mma_64_bf16", "attention_mma_64_fp16"},
                                            {"attention_mma_128_bf16", "attention_mma_128_fp16"}};
  launches[0] = tensor_launch(run, entries, ATTENTION_MMA_ROWS, ATTENTION_MMA_THREADS);
  launches[0].shared = (unsigned)ATTENTION_MMA_SHARED((int)run->values[HEAD_DIM]);
  rf_device_add_buffer(launches, o->in[0]);
  rf_device_add_buffer(launches, o->in[1]);
  rf_device_add_buffer(launches, o->out);
  add_lengths(run, launches);
  rf_device_add_index(launches, values_at(run));
  return 1;
}

/** Heads of K whose tasks follow each other. Under a mask, as many as have 16 MiB of keys and values, which a Hopper's last
 * cache keeps (FlashAttention 3 has the same size); without one all tasks are of one length, and a head's need not wait. */
static double section_of(const roof_kernel_run *run) {
  static const double most = 16 << 20;
  const double *v = run->values;
  double heads = v[BATCH] * v[KV_HEADS], bytes = 2 * values_at(run) / heads * roof_dtype_bytes(run->dtype);
  return v[CAUSAL] != 0 ? fmax(1, fmin(heads, floor(most / bytes))) : 1;
}

static double counter_scratch(const roof_kernel_run *run) {
  (void)run;
  return sizeof(uint32_t);
}

/** One plane per head; a block takes 64 queries at a time, and for each multiprocessor one takes task after task. */
static int plan_wgmma(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  static const struct {
    const char *entries[2];
    int keys;
  } tiles[] = {{{"attention_wgmma_64_bf16", "attention_wgmma_64_fp16"}, ATTENTION_WGMMA_KEYS},
               {{"attention_wgmma_128_bf16", "attention_wgmma_128_fp16"}, ATTENTION_WGMMA_KEYS},
               {{"attention_wgmma_plain_bf16", "attention_wgmma_plain_fp16"}, ATTENTION_WGMMA_KEYS_PLAIN}};
  const double *v = run->values;
  int which = v[HEAD_DIM] < DIM ? 0 : v[CAUSAL] != 0 ? 1 : 2, keys = tiles[which].keys;
  int32_t dim = (int32_t)v[HEAD_DIM], stored = (int32_t)(v[BATCH] * v[KV_HEADS]);
  double blocks = fmin(heads_of(run) * rf_device_tiles(v[Q_LEN], ATTENTION_WGMMA_ROWS), o->units);
  launches[0] = rf_device_launch_of(tiles[which].entries[run->dtype == ROOF_FP16], blocks, 1,
                                    ATTENTION_WGMMA_THREADS, 1);
  launches[0].shared = (unsigned)ATTENTION_WGMMA_SHARED(keys, dim);
  rf_device_add_tensor(launches,
                       (rf_device_tensor){o->in[0], dim, (int32_t)v[Q_LEN], 64, (int32_t)heads_of(run)});
  rf_device_add_tensor(launches, (rf_device_tensor){o->in[1], dim, (int32_t)v[KV_LEN], keys, 2 * stored});
  rf_device_add_buffer(launches, o->out);
  rf_device_add_buffer(launches, o->scratch);
  rf_device_add_int(launches, stored);
  rf_device_add_int(launches, v[HEADS] / v[KV_HEADS]);
  rf_device_add_int(launches, section_of(run));
  add_lengths(run, launches);
  return 1;
}

/* Decoding: the rows of one tile are the queries of all heads that share a head of K, and the keys are divided over the
 * device. */

/** How the work is divided over blocks. */
typedef struct division {
  double heads; /**< of K, of all sequences */
  double rows;  /**< queries of each */
  int across;   /**< warps with rows of their own */
  double down;  /**< blocks that the rows take */
  double tiles; /**< of keys */
  double splits;
} division;

/** Tiles that a multiprocessor's slot takes one after the other with so many splits. */
static double tiles_in_turn(const division *d, double splits, double slots) {
  return rf_device_tiles(d->heads * d->down * splits, (int)slots) * ceil(d->tiles / splits);
}

/** Blocks that run at once on `units` multiprocessors. Of shared memory each also takes 1 KiB for the system (CUDA C++
 *  Programming Guide, "Compute Capabilities"); an A100 has room for one of 96 KiB. */
static double slots_of(const roof_kernel_run *run, double units, double unit_bytes) {
  double block = ATTENTION_DECODE_SHARED((int)run->values[HEAD_DIM]) + 1024;
  double each = isnan(unit_bytes) ? ATTENTION_DECODE_BLOCKS : fmax(1, floor(unit_bytes / block));
  return fmin(ATTENTION_DECODE_BLOCKS, each) * fmin(units, MOST_UNITS);
}

/** The fewest splits that keep the multiprocessors nearly as busy as any number does. */
static double splits_of(const division *d, double slots) {
  static const double near = 1.05;
  double blocks = d->heads * d->down;
  double most = fmin(d->tiles, rf_device_tiles(ROUNDS * slots, (int)blocks)), least = INFINITY, splits = 1;
  for (double s = 1; s <= most; s++) {
    least = fmin(least, tiles_in_turn(d, s, slots));
  }
  while (tiles_in_turn(d, splits, slots) > near * least) {
    splits++;
  }
  return splits;
}

static division divide(const roof_kernel_run *run, double units, double unit_bytes) {
  const double *v = run->values;
  division d = {.heads = v[BATCH] * v[KV_HEADS],
                .rows = v[HEADS] / v[KV_HEADS] * v[Q_LEN],
                .tiles = rf_device_tiles(v[KV_LEN], ATTENTION_DECODE_KEYS)};
  double warps = rf_device_tiles(d.rows, ATTENTION_DECODE_ROWS);
  d.across = warps <= 2 ? (int)warps : ATTENTION_DECODE_WARPS;
  d.down = rf_device_tiles(warps, d.across);
  d.splits = splits_of(&d, slots_of(run, units, unit_bytes));
  return d;
}

/** Sums of `splits` parts of each row, and their largest scores and totals; none where one block has all keys. */
static double parts_bytes(const roof_kernel_run *run, const division *d, double splits) {
  return splits > 1 ? d->heads * d->rows * splits * (run->values[HEAD_DIM] + 2) * 4 : 0;
}

/** As many splits as there can be on any device. */
static double decode_scratch(const roof_kernel_run *run) {
  division d = divide(run, MOST_UNITS, NAN);
  double slots = ATTENTION_DECODE_BLOCKS * MOST_UNITS;
  return parts_bytes(run, &d, fmin(d.tiles, ceil(ROUNDS * slots / (d.heads * d.down))));
}

/** The kernels named, by head_dim and format, for keys and values of which V begins at `values`. */
static int decode_launches(const roof_kernel_run *run, const rf_device_operands *o,
                           const char *const decodes[2][2], double values, rf_device_launch *launches) {
  static const char *const merges[2][2] = {{"attention_merge_64_bf16", "attention_merge_64_fp16"},
                                           {"attention_merge_128_bf16", "attention_merge_128_fp16"}};
  const double *v = run->values;
  bool wide = v[HEAD_DIM] == DIM, fp16 = run->dtype == ROOF_FP16;
  division d = divide(run, o->units, o->unit_local_bytes);
  launches[0] = rf_device_launch_of(decodes[wide][fp16], d.splits, d.down, ATTENTION_DECODE_THREADS, 1);
  launches[0].groups[2] = (unsigned)d.heads;
  launches[0].shared = (unsigned)ATTENTION_DECODE_SHARED((int)v[HEAD_DIM]);
  rf_device_add_buffer(&launches[0], o->in[0]);
  rf_device_add_buffer(&launches[0], o->in[1]);
  rf_device_add_buffer(&launches[0], o->out);
  rf_device_add_buffer(&launches[0], o->scratch);
  rf_device_add_int(&launches[0], v[KV_HEADS]);
  rf_device_add_int(&launches[0], d.rows);
  rf_device_add_int(&launches[0], d.across);
  add_lengths(run, &launches[0]);
  rf_device_add_index(&launches[0], values);
  launches[1] = rf_device_launch_of(merges[wide][fp16], d.heads * d.rows, 1, ATTENTION_DECODE_THREADS, 1);
  launches[1].shared = (unsigned)ATTENTION_MERGE_SHARED((int)v[HEAD_DIM]);
  launches[1].early = true;
  rf_device_add_buffer(&launches[1], o->scratch);
  rf_device_add_buffer(&launches[1], o->out);
  rf_device_add_int(&launches[1], d.splits);
  return d.splits > 1 ? 2 : 1;
}

static int plan_decode(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  static const char *const decodes[2][2] = {{"attention_decode_64_bf16", "attention_decode_64_fp16"},
                                            {"attention_decode_128_bf16", "attention_decode_128_fp16"}};
  return decode_launches(run, o, decodes, values_at(run), launches);
}

static int plan_paged(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *launches) {
  static const char *const decodes[2][2] = {{"attention_paged_64_bf16", "attention_paged_64_fp16"},
                                            {"attention_paged_128_bf16", "attention_paged_128_fp16"}};
  return decode_launches(run, o, decodes, rf_pages_values_at(run, ATTENTION_DECODE_PAGE), launches);
}

/** Keys and values pass once for each block of rows, parts are stored and read again. */
static void decode_algorithm(const roof_kernel_run *run, const roof_target *units, roof_algorithm *out) {
  division d = divide(run, units->machine->unit_count, NAN);
  double element = roof_dtype_bytes(run->dtype), parts = parts_bytes(run, &d, d.splits);
  double queries = d.heads * d.rows * run->values[HEAD_DIM], stored = 2 * values_at(run);
  if (!isnan(units->machine->unit_count)) {
    rf_device_passes(units, (2 * queries + d.down * stored) * element + 2 * parts, parts, out);
  }
}

/** Heads that fill whole fragments and swizzled rows. */
static roof_status check_dim(const roof_kernel_run *run, roof_error *error) {
  double dim = run->values[HEAD_DIM];
  return dim == DIM / 2 || dim == DIM
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: not written for head_dim=%.0f, only %d and %d",
                              run->kernel->name, dim, DIM / 2, DIM);
}

static roof_status tensor_prepare(roof_kernel_run *run, roof_error *error) {
  roof_status status = check_dim(run, error);
  return status == ROOF_OK ? rf_device_prepare(run, error) : status;
}

static roof_status paged_prepare(roof_kernel_run *run, roof_error *error) {
  roof_status status = check_dim(run, error);
  return status == ROOF_OK ? rf_pages_prepare(run, ATTENTION_DECODE_PAGE, error) : status;
}

/** Heads that the tiles can hold. */
static roof_status flash_prepare(roof_kernel_run *run, roof_error *error) {
  if (run->values[HEAD_DIM] > DIM) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: is written for head_dim up to %d",
                          run->kernel->name, DIM);
  }
  return rf_device_prepare(run, error);
}

static const rf_device_kernel standard = {
    .program = "attention", .reference = "attention-naive", .scratch = scores_scratch, .plan = plan_standard};
static const rf_device_kernel flash = {
    .program = "attention", .reference = "attention-flash", .plan = plan_flash};
static const rf_device_kernel decode = {.program = "attention_decode",
                                        .reference = "attention-flash",
                                        .scratch = decode_scratch,
                                        .plan = plan_decode};
static const rf_device_kernel paged = {.program = "attention_decode",
                                       .reference = "attention-flash",
                                       .scratch = decode_scratch,
                                       .plan = plan_paged};
static const rf_device_kernel mma = {
    .program = "attention_mma", .reference = "attention-flash", .plan = plan_mma};
static const rf_device_kernel wgmma = {.program = "attention_wgmma",
                                       .reference = "attention-flash",
                                       .scratch = counter_scratch,
                                       .zeros = sizeof(uint32_t),
                                       .plan = plan_wgmma};

static bool supports(roof_dtype dtype) {
  return dtype == ROOF_FP32 || dtype == ROOF_FP16 || dtype == ROOF_BF16;
}

static bool is_narrow(roof_dtype dtype) {
  return dtype == ROOF_FP16 || dtype == ROOF_BF16;
}

#define ON_TENSOR_CORES(name_, rung_, variant_, detail_, summary_)                                           \
  {                                                                                                          \
    .name = name_, .op = "attention", .rung = rung_, .variant = variant_, .summary = summary_,               \
    .sizes = "batch=2 heads=16 q_len=8192 kv_len=8192 head_dim=128",                                         \
    .quick_sizes = "batch=1 heads=16 q_len=2048 kv_len=2048 head_dim=128", .supports = is_narrow,            \
    .backends = rf_on_cuda, .detail = detail_, .prepare = tensor_prepare, .check = rf_device_check,          \
    .release = rf_device_release                                                                             \
  }

#define DECODES(name_, variant_, detail_, prepare_, check_, summary_)                                        \
  {                                                                                                          \
    .name = name_, .op = "attention", .variant = variant_, .summary = summary_,                              \
    .sizes = "batch=16 heads=64 q_len=1 kv_len=8192 head_dim=128 kv_heads=8",                                \
    .quick_sizes = "batch=4 heads=32 q_len=1 kv_len=2048 head_dim=128 kv_heads=8", .supports = is_narrow,    \
    .backends = rf_on_cuda, .detail = detail_, .algorithm = decode_algorithm, .prepare = prepare_,           \
    .check = check_, .release = rf_device_release                                                            \
  }

static const roof_kernel kernels[] = {
    {.name = "device-attention-standard",
     .op = "attention",
     .rung = 1,
     .summary = "scores to memory, their softmax, then V: three kernels",
     .sizes = "batch=1 heads=32 q_len=2048 kv_len=2048 head_dim=128 algorithm=standard",
     .quick_sizes = "batch=1 heads=2 q_len=64 kv_len=128 head_dim=64 algorithm=standard",
     .processor_sizes = "batch=1 heads=4 q_len=256 kv_len=256 head_dim=64 algorithm=standard",
     .supports = supports,
     RF_ON_DEVICES(&standard)},
    {.name = "device-attention-flash",
     .in_loop = true,
     .op = "attention",
     .rung = 2,
     .variant = "",
     .summary = "a tile of queries against a tile of keys at a time, its scores in shared memory",
     .sizes = "batch=1 heads=32 q_len=2048 kv_len=2048 head_dim=128 algorithm=flash",
     .quick_sizes = "batch=1 heads=2 q_len=64 kv_len=128 head_dim=64 algorithm=flash",
     .processor_sizes = "batch=1 heads=4 q_len=256 kv_len=256 head_dim=64 algorithm=flash",
     .supports = supports,
     .backends = rf_on_devices,
     .detail = &flash,
     .prepare = flash_prepare,
     .check = rf_device_check,
     .release = rf_device_release},
    ON_TENSOR_CORES("attention-flash-mma", 3, "mma.sync", &mma,
                    "tensor cores, a warp at a time; scores stay in registers (Ampere and later)"),
    ON_TENSOR_CORES("attention-flash-wgmma", 4, "wgmma", &wgmma,
                    "four warps at a time; one fetches, eight multiply, softmax overlaps products (Hopper)"),
    DECODES("attention-decode", "split-kv", &decode, tensor_prepare, rf_device_check,
            "few queries, many keys: heads that share K in one tile, keys divided over blocks (Ampere "
            "and later)"),
    DECODES("attention-decode-paged", "paged", &paged, paged_prepare, rf_pages_check,
            "the same from a cache in pages of 16 keys, which a table names (Ampere and later)"),
};

const rf_kernel_family rf_kernels_device_attention = {kernels, sizeof kernels / sizeof kernels[0]};
