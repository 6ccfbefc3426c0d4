/* Attention over stored keys: few queries, whose keys are shared out (decode), and whole tiles of queries (prefill). */
#include <string.h>

#include "core/form.h"
#include "roofline/dtype.h"

/** Query heads that one block of threads serves, the rows that its arithmetic is padded to, and the keys that come in
 * before it starts and while it ends. */
static const double unit_heads = 64, unit_rows = 16, fill_keys = 128;
static const double most_splits = 64, least_keys = 32;

/** Residents, as fitted, above which a library is taken to have another kernel for single query heads: those without one are
 * fitted with 1 to 1.6, TensorRT-LLM with more than 5 (data/constants, aiconfigurator's H200 and L40S). */
static const double own_kernel = 2;

/** Such a library takes it for groups of heads too where grouped blocks, one for each 128 keys, would be fewer than this share
 * of the units (NVIDIA/TensorRT-LLM, decoderXQAImplCommon.h: kMinHistoryTokensPerBlock, kEnableMinBlockFactor = 4). */
static const double least_busy = 0.25;

/** Its grouped blocks start for keys before a window too, and end at once: in so many waves of the units at most, from where
 * times no longer grow with the keys before it (aiconfigurator's H200, windows of 128 keys in 1,024 to 65,536). */
static const double most_waves = 8;

/** Engines that run the prompts of a step in one call and its decoding in another take the first one's kernel for a prompt of
 * one token too (NVIDIA/TensorRT-LLM, tensorrt_llm/_torch/attention_backend: context phase, generation phase); the others go
 * by the number of queries. */
static const char apart[] = "trtllm";

static bool is_run_by(const roof_target *target, const char *framework) {
  return target->options.framework != NULL && strcmp(target->options.framework, framework) == 0;
}

static bool is_of(const roof_target *target, const char *family) {
  return strcmp(target->machine->family, family) == 0;
}

static bool is_before_hopper(const roof_target *t) {
  return is_of(t, "ampere") || is_of(t, "ampere-rtx") || is_of(t, "ada");
}

roof_kernel_kind rf_attention_kind(const roof_target *target, const roof_kernel_shape *s) {
  bool prompt = s->kind == ROOF_KERNEL_DECODE && s->rows >= s->columns + fmax(0, s->routed);
  return prompt && is_run_by(target, apart) ? ROOF_KERNEL_PREFILL : s->kind;
}

/** Heads that share keys in fp8 have a kernel of their own there on Hopper: it multiplies what is stored, by the eight rows that
 * an instruction takes, and rotates queries and keys itself, which for others is a kernel `before` (NVIDIA/TensorRT-LLM,
 * decoderXQAImplJIT: supportConfigQGMMA says of which groups, applyRoPEInXqaKernel the rest). From which `depth` on, and which
 * share of the latency is of the kernel before, is from aiconfigurator's H200: 4.2 us instead of 7.2. */
static const struct { double group, depth, rows, before; } as_cached = {32, 128, 8, 0.4};

static bool multiplies_stored(const rf_run *run) {
  const roof_kernel_shape *s = &run->work->kernel;
  const roof_target *t = run->target;
  bool wide = roof_dtype_bytes(t->types.compute) > roof_dtype_bytes(t->types.kv);
  return t->types.kv == ROOF_FP8 && wide && s->group > 1 && s->group <= as_cached.group &&
         s->depth >= as_cached.depth && is_run_by(t, apart) && is_of(t, "hopper");
}

/** FlashAttention 2, which vLLM runs where there is no later one, has a block of threads serve the heads of a group only without
 * a window (Dao-AILab/flash-attention, flash_api.cpp: seqlenq_ngroups_swapped); keys in fp8 go to another library. */
static bool is_windowed_apart(const rf_run *run) {
  const roof_target *t = run->target;
  return run->work->kernel.routed != 0 && is_run_by(t, "vllm") && t->types.kv == t->types.compute &&
         !is_of(t, "hopper") && !is_of(t, "blackwell");
}

/** Before Hopper attention over a latent has no kernel for few queries there and runs in that of prompts, which splits no keys and
 * has tiles of 64 rows: 120 ns for each key of aiconfigurator's A100, for 1 head as for 64. */
static bool decodes_as_prompt(const rf_run *run) {
  const roof_target *t = run->target;
  return run->work->kernel.kind == ROOF_KERNEL_MLA_DECODE && is_run_by(t, apart) && is_before_hopper(t);
}

/** FlashAttention 3, which engines but that one run on Hopper, has a block find its sequence by adding up the lengths of those before, 31 at a time,
 * while one block of 32 warps plans them ahead (Dao-AILab/flash-attention, hopper/flash_api.cpp: use_dynamic_split). Seconds of each
 * sequence: aiconfigurator's H200, by as many blocks in more sequences. */
static const struct { double most, each; } looked_up = {992, 1.8e-8};

static double look_up_seconds(const rf_run *run) {
  const roof_kernel_shape *s = &run->work->kernel;
  const roof_target *t = run->target;
  bool varied = s->kind == ROOF_KERNEL_DECODE && s->sequences <= looked_up.most;
  return varied && !is_run_by(t, apart) && is_of(t, "hopper") ? looked_up.each * s->sequences : 0;
}

/** What the shape says of attention with few queries. */
typedef struct decode {
  double units;   /**< blocks of threads before any split */
  double keys;    /**< of each */
  double start;   /**< s that a wave of them takes to start and end */
  double compute; /**< s, padded */
  double keys_in; /**< s that the units take to bring in the keys in the format of the arithmetic */
  double fill;    /**< keys more a unit, in each part of a split */
  double edge;    /**< and once, of those before a window that begins within a tile */
  double rows;    /**< queries of a tile */
  double started; /**< waves at least, those for keys before the window included */
  double saved;   /**< s of the latency, where there is no kernel before */
  double most;    /**< parts that the keys are split in at most */
} decode;

/** The bytes of keys and values, as wide as the arithmetic takes them. */
static double wide_bytes(const rf_run *run) {
  double stored = run->work->cache_bytes;
  const roof_types *t = &run->target->types;
  double wider = roof_dtype_bytes(t->compute) / roof_dtype_bytes(t->kv);
  return stored > 0 ? stored * (wider > 1 ? wider : 1) : run->work->read_bytes;
}

static bool has_own_kernel(const rf_run *run) {
  return run->c[ROOF_RESIDENTS] > own_kernel;
}

/** Blocks that read the keys of a group of query heads; what is left over fills part of one. */
static double shares_of(const rf_run *run) {
  const roof_kernel_shape *s = &run->work->kernel;
  double parts = s->columns > fill_keys ? s->columns / fill_keys : 1;
  bool few = has_own_kernel(run) && s->count * parts < least_busy * run->target->units;
  return few || is_windowed_apart(run) || s->group > run->c[ROOF_GROUP_MOST]
             ? s->group
             : fmax(1, s->group * s->rows / unit_heads);
}

/** Single heads have a kernel without tiles of keys where prompts have their own (NVIDIA/TensorRT-LLM,
 * decoderMaskedMultiheadAttention); keys in fp8 not before Hopper (aiconfigurator's L40S: 32 us for 1,024 heads of 2 keys). */
static double fill_of(const rf_run *run, double own) {
  const roof_target *t = run->target;
  bool wider = t->types.kv != t->types.compute && (is_before_hopper(t) || is_of(t, "blackwell-rtx"));
  bool tiled = own > 1 || run->work->kernel.kind != ROOF_KERNEL_DECODE || !is_run_by(t, apart) || wider;
  return tiled ? fill_keys : 0;
}

/** Not inlined: it would be there twice. */
__attribute__((noinline)) double rf_decode_efficiency(const roof_target *target, const roof_kernel_shape *s,
                                                      double own) {
  const roof_form *prompt = &target->forms[s->kind + 1];
  bool decodes = s->kind == ROOF_KERNEL_DECODE || s->kind == ROOF_KERNEL_MLA_DECODE;
  return decodes && s->rows > 1 && prompt->known ? fmin(own, prompt->values[ROOF_EFFICIENCY]) : own;
}

static decode decode_of(const rf_run *run) {
  const roof_kernel_shape *s = &run->work->kernel;
  double shares = shares_of(run), own = s->group * s->rows / shares,
         bytes = run->work->read_bytes + run->work->write_bytes;
  double own_efficiency = run->c[ROOF_EFFICIENCY],
         efficiency = rf_without(run, ROOF_EFFECT_EFFICIENCY)
                          ? own_efficiency
                          : rf_decode_efficiency(run->target, s, own_efficiency);
  decode d = {.units = s->count * shares,
              .keys = s->columns,
              .start = run->c[ROOF_WAVE_SECONDS] / (own > 1 ? 1 : run->c[ROOF_RESIDENTS]),
              .compute = run->compute / efficiency};
  if (s->routed > 0 && has_own_kernel(run)) {
    d.started = fmin(most_waves, d.units * (s->columns + s->routed) / fill_keys / run->target->units);
  }
  bool as_stored = multiplies_stored(run), as_prompt = decodes_as_prompt(run);
  if (!rf_without(run, ROOF_EFFECT_TILES)) {
    double rows = rf_is_on_lanes(run) ? 1 : as_stored ? as_cached.rows : as_prompt ? unit_heads : unit_rows;
    d.rows = ceil(own / rows) * rows;
    d.compute *= d.rows / own;
    d.fill = fill_of(run, own);
    d.edge = s->routed > 0 ? fmin(fill_keys, s->routed) : 0;
  }
  double taken = as_stored ? run->work->cache_bytes : wide_bytes(run);
  d.keys_in = bytes > 0 ? run->memory * taken / bytes * shares / run->c[ROOF_UNIT_BANDWIDTH] : 0;
  d.most = as_prompt ? 1 : fmin(most_splits, (d.keys + d.edge) / least_keys);
  d.saved = as_stored ? as_cached.before * run->c[ROOF_LATENCY_SECONDS] : 0;
  return d;
}

/** The time with the keys of each unit split in `split`, in so many doublings; a lower bound of it where that is no less
 * than `least`. */
static double split_seconds(const rf_run *run, const decode *d, double memory, double split, int doublings,
                            double least, double *waves) {
  double busy = d->units * split / run->target->units;
  *waves = rf_without(run, ROOF_EFFECT_WAVES) ? busy : ceil(busy);
  double more = 1 + (d->fill * split + d->edge) / d->keys;
  double each = d->compute > d->keys_in ? d->compute : d->keys_in;
  double units = fmax(d->started, *waves) * d->start + *waves / busy * more * each;
  double longer = units > memory ? units : memory, sums = run->c[ROOF_SPLIT_SECONDS] * doublings;
  bool hard = rf_without(run, ROOF_EFFECT_CORNER) || longer + sums >= least;
  return (hard ? longer : rf_rounded(units, memory)) + sums;
}

/** As rf_stream_seconds, with the bandwidth that the machine's last cache has of its own. */
static double cached_seconds(const rf_run *run) {
  double cache = run->target->cache_seconds_per_byte, seconds = run->memory / run->c[ROOF_BANDWIDTH];
  double gain = cache > 0 && !rf_without(run, ROOF_EFFECT_CACHE)
                    ? run->target->seconds_per_byte[run->target->memory][0] / cache
                    : 1;
  return gain > 1 ? seconds / (1 + (gain - 1) * rf_kept(run)) : seconds;
}

double rf_form_decode(const rf_run *run, rf_cut *cut) {
  decode d = decode_of(run);
  double memory = cached_seconds(run), best = INFINITY;
  double split = 1, kept = cut->tiles > 0 ? cut->split : 0;
  for (int n = 0; n == 0 || split <= d.most; n++, split *= 2) {
    if (kept > 0 && split != kept) {
      continue;
    }
    double waves, seconds = split_seconds(run, &d, memory, split, n, best, &waves);
    if (seconds < best) {
      best = seconds;
      *cut = (rf_cut){.what = "blocks of query heads",
                      .tile_rows = d.rows,
                      .tile_columns = d.keys,
                      .tiles = d.units,
                      .split = split,
                      .waves = waves};
    }
  }
  return best - d.saved + (rf_without(run, ROOF_EFFECT_WAVES) ? 0 : look_up_seconds(run));
}

bool rf_attention_splits(const roof_target *target, const roof_kernel_shape *s) {
  bool prompt = s->kind == ROOF_KERNEL_PREFILL || s->kind == ROOF_KERNEL_MLA_PREFILL;
  return prompt && target->forms[s->kind - 1].known && s->rows < s->columns && !is_run_by(target, apart) &&
         (s->rows <= target->forms[s->kind].values[ROOF_TILE_QUERIES] ||
          s->count * s->group * s->rows < unit_heads * target->units);
}

/** Keys that the last query sees, of `pairs` that all see: each sees one more than the one before, up to a window. */
static double most_keys(double queries, double pairs, double keys) {
  double edge = queries + 0.5, rest = edge * edge - 2 * pairs;
  double most = rest > 0 ? edge - sqrt(rest) : pairs / queries + (queries - 1) / 2;
  return most < keys ? most : keys;
}

/** The part of the time at the level that binds which each byte once takes at the memory: what --tile has read again is not
 * what is stored. */
static double once_share(const rf_run *run, double bytes) {
  const roof_target *t = run->target;
  return t->options.tile > 0 ? fmin(1, bytes * t->seconds_per_byte[t->memory][0] / run->memory) : 1;
}

double rf_form_prefill(const rf_run *run, rf_cut *cut) {
  const roof_kernel_shape *s = &run->work->kernel;
  double tile_queries = run->c[ROOF_TILE_QUERIES];
  bool tiles_out = rf_without(run, ROOF_EFFECT_TILES);
  double heads = s->count * s->group, sms = run->target->units;
  double high = tiles_out ? s->rows / tile_queries : ceil(s->rows / tile_queries), tiles = heads * high;
  double compute = run->compute / run->c[ROOF_EFFICIENCY] * high * tile_queries / s->rows;
  double units = compute;
  if (!rf_without(run, ROOF_EFFECT_WAVES)) {
    double pairs = run->work->flops / (4 * s->depth + 5) / heads, start = run->c[ROOF_WAVE_SECONDS];
    double longest = start + most_keys(s->rows, pairs, s->columns) * s->rows / pairs * compute * sms / tiles;
    units = tiles > sms ? tiles / sms * start + compute + longest / 2 : longest;
  }
  *cut = (rf_cut){.what = "tiles of queries",
                  .tile_rows = tile_queries,
                  .tile_columns = s->columns,
                  .tiles = tiles,
                  .split = 1,
                  .waves = ceil(tiles / sms)};
  double bytes = run->work->read_bytes + run->work->write_bytes;
  double added =
      s->rows < s->columns ? s->rows / s->columns : 1; /* the other keys are in the cache from before */
  double stored =
      bytes > 0 ? run->c[ROOF_STORE_PASSES] * added * run->work->cache_bytes / bytes * once_share(run, bytes)
                : 0;
  return rf_corner(units, rf_stream_seconds(run) * (1 + stored), run->c[ROOF_CORNER]);
}
