/* How many blocks an SM of an NVIDIA GPU holds at a time. */
#include <math.h>
#include <string.h>

#include "advise/topics.h"
#include "core/number.h"
#include "roofline/units.h"

enum { WARP = 32, REGISTER_STEP = 256, PARTITIONS = 4, BLOCK_THREADS = 1024, SHORT = 48 };

/** Thread counts of a block, its threads' registers, its bytes of shared memory: as typed. */
enum { THREADS, REGISTERS, SHARED };

static double round_up(double value, double step) {
  return ceil(value / step) * step;
}

static double warps_of(double threads) {
  return ceil(threads / WARP);
}

/** Registers that a warp takes: its SM has four parts, each of a quarter of the registers. */
static double warp_registers(const roof_block_use *use) {
  return round_up(use->registers * WARP, REGISTER_STEP);
}

static double shared_of(const roof_block_limits *l, const roof_block_use *use) {
  return round_up(use->shared + l->reserved_shared, l->shared_step);
}

/** Blocks that each limit allows; the lowest of them. */
static double allowed(const roof_block_limits *l, const roof_block_use *use,
                      double most[ROOF_OCCUPANCY_LIMITS]) {
  double warps = warps_of(use->threads), shared = shared_of(l, use);
  double quarter = floor(l->unit_registers / PARTITIONS / warp_registers(use));
  most[ROOF_OCCUPANCY_WARPS] = floor(l->unit_warps / warps);
  most[ROOF_OCCUPANCY_BLOCKS] = l->unit_blocks;
  most[ROOF_OCCUPANCY_REGISTERS] = floor(PARTITIONS * quarter / warps);
  most[ROOF_OCCUPANCY_SHARED] = shared > 0 ? floor(l->unit_shared / shared) : INFINITY;
  double least = INFINITY;
  for (int i = 0; i < ROOF_OCCUPANCY_LIMITS; i++) {
    least = fmin(least, most[i]);
  }
  return least;
}

/** The largest value of one of a copy's uses, in `step`s below what it is, with which more than `blocks` fit. */
static double next_use(const roof_block_limits *l, roof_block_use *use, double *of, double step,
                       double blocks) {
  double most[ROOF_OCCUPANCY_LIMITS];
  for (*of = round_up(*of, step) - step; *of > 0 || (*of == 0 && of == &use->shared); *of -= step) {
    if (allowed(l, use, most) > blocks) {
      return *of;
    }
  }
  return NAN;
}

static roof_status check_launch(const roof_block_limits *l, const roof_block_use *use, roof_error *error) {
  char a[SHORT], b[SHORT];
  double registers = warp_registers(use) * round_up(warps_of(use->threads), PARTITIONS);
  if (use->threads > BLOCK_THREADS) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "threads=%.0f: a block has at most %d", use->threads,
                          BLOCK_THREADS);
  }
  if (use->registers > l->thread_registers) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "registers=%.0f: a thread has at most %.0f", use->registers,
                          l->thread_registers);
  }
  if (registers > l->unit_registers) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "threads=%.0f registers=%.0f: the block takes %.0f registers, and an SM has %.0f",
                          use->threads, use->registers, registers, l->unit_registers);
  }
  return use->shared <= l->block_shared
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "shared=%s: a block has at most %s",
                              roof_bytes_format(a, SHORT, use->shared),
                              roof_bytes_format(b, SHORT, l->block_shared));
}

roof_status roof_occupancy_of(const roof_block_limits *limits, const roof_block_use *use,
                              roof_occupancy *occupancy, roof_error *error) {
  roof_status status = check_launch(limits, use, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_occupancy o = {0};
  roof_block_use less = *use;
  double most[ROOF_OCCUPANCY_LIMITS];
  o.blocks = allowed(limits, use, o.most);
  while (o.most[o.limit] > o.blocks) {
    o.limit++;
  }
  o.warps = o.blocks * warps_of(use->threads);
  o.share = o.warps / limits->unit_warps;
  o.block_registers = warp_registers(use) * warps_of(use->threads);
  o.block_shared = shared_of(limits, use);
  o.next_registers = next_use(limits, &less, &less.registers, REGISTER_STEP / WARP, o.blocks);
  less = *use;
  o.next_shared = next_use(limits, &less, &less.shared, limits->shared_step, o.blocks);
  less = *use;
  o.next_threads = next_use(limits, &less, &less.threads, WARP, o.blocks);
  if (!isnan(o.next_threads) && allowed(limits, &less, most) * warps_of(less.threads) <= o.warps) {
    o.next_threads = NAN; /* more blocks, of fewer warps in all */
  }
  *occupancy = o;
  return ROOF_OK;
}

const char *roof_occupancy_limit_name(roof_occupancy_limit limit) {
  static const char *const names[ROOF_OCCUPANCY_LIMITS] = {
      [ROOF_OCCUPANCY_WARPS] = "warps",
      [ROOF_OCCUPANCY_BLOCKS] = "blocks",
      [ROOF_OCCUPANCY_REGISTERS] = "registers",
      [ROOF_OCCUPANCY_SHARED] = "shared memory",
  };
  return names[limit];
}

/** A use of an SM is no work. */
static void no_work(const roof_op *op, const double *values, const roof_types *types, roof_work *work) {
  (void)op, (void)values, (void)types, (void)work;
}

static const roof_param params[] = {
    [THREADS] = {.name = "threads", .fallback = NAN, .text = "of a block"},
    [REGISTERS] = {.name = "registers", .fallback = 32, .text = "of a thread (ptxas -v)"},
    [SHARED] = {.name = "shared",
                .kind = ROOF_PARAM_BYTES,
                .fallback = 0,
                .text = "bytes of a block, static and dynamic"},
    {.name = NULL}};

const roof_op rf_advise_occupancy = {.name = "occupancy",
                                     .family = "",
                                     .summary = "a kernel's use of an SM",
                                     .flops = "0",
                                     .bytes = "0",
                                     .flops_per_element = NAN,
                                     .source = "",
                                     .work = no_work,
                                     .params = params};

static void add_most(roof_text *out, const char *limit, double blocks) {
  roof_text_addf(out, "  %-13s  %4.0f %-6s  ", limit, blocks, blocks == 1 ? "block" : "blocks");
}

static void add_limits(roof_text *out, const roof_block_limits *l, const roof_block_use *use,
                       const roof_occupancy *o) {
  char a[SHORT], b[SHORT];
  add_most(out, "warps", o->most[ROOF_OCCUPANCY_WARPS]);
  roof_text_addf(out, "%.0f of %.0f warps each\n", warps_of(use->threads), l->unit_warps);
  add_most(out, "registers", o->most[ROOF_OCCUPANCY_REGISTERS]);
  roof_text_addf(out, "%.0f of %.0f each\n", o->block_registers, l->unit_registers);
  if (isfinite(o->most[ROOF_OCCUPANCY_SHARED])) {
    add_most(out, "shared memory", o->most[ROOF_OCCUPANCY_SHARED]);
    roof_text_addf(out, "%s of %s each", roof_bytes_format(a, SHORT, o->block_shared),
                   roof_bytes_format(b, SHORT, l->unit_shared));
    roof_text_addf(out, "%s\n", l->reserved_shared > 0 ? ", 1 KiB of it the system's" : "");
  }
  roof_text_addf(out, "  blocks         %4.0f\n", o->most[ROOF_OCCUPANCY_BLOCKS]);
}

/** "registers and shared memory": all that allow no more blocks than there are. */
static void add_binding(roof_text *out, const roof_occupancy *o) {
  const char *lead = "limited by ";
  for (int i = (int)o->limit; i < ROOF_OCCUPANCY_LIMITS; i++) {
    if (o->most[i] == o->blocks) {
      roof_text_addf(out, "%s%s", lead, roof_occupancy_limit_name((roof_occupancy_limit)i));
      lead = " and ";
    }
  }
  roof_text_add(out, "\n");
}

/** What would let one block more in, and fill the SM further. */
static void add_next(roof_text *out, const roof_occupancy *o, const roof_block_use *use) {
  char text[SHORT];
  const char *lead = "  one block more with ";
  if (o->share >= 1) {
    return;
  }
  if (!isnan(o->next_registers)) {
    roof_text_addf(out, "%sregisters=%.0f", lead, o->next_registers);
    lead = ", or ";
  }
  if (!isnan(o->next_shared) && use->shared > 0) {
    roof_text_addf(out, "%sshared=%.0f (%s)", lead, o->next_shared,
                   roof_bytes_format(text, SHORT, o->next_shared));
    lead = ", or ";
  }
  if (!isnan(o->next_threads)) {
    roof_text_addf(out, "%sthreads=%.0f", lead, o->next_threads);
    lead = "";
  }
  roof_text_add(out, lead[0] == ' ' ? "  no single change lets more warps in\n" : "\n");
}

static roof_block_use use_of(const roof_lesson *lesson) {
  return (roof_block_use){lesson->values[THREADS], lesson->values[REGISTERS], lesson->values[SHARED]};
}

void rf_advise_occupancy_of(const roof_lesson *lesson, roof_occupancy *occupancy) {
  const roof_block_limits *l = roof_block_limits_of(lesson->target->machine);
  const roof_block_use use = use_of(lesson);
  if (l != NULL) {
    (void)roof_occupancy_of(l, &use, occupancy, NULL);
  }
}

void rf_advise_work_occupancy(roof_text *out, const roof_lesson *lesson) {
  const roof_block_limits *l = roof_block_limits_of(lesson->target->machine);
  const roof_block_use use = use_of(lesson);
  roof_occupancy o;
  roof_error why;
  char shared[SHORT];
  if (l == NULL) {
    roof_text_add(out, "  unknown: it has no blocks, or their limits are not known; --machine h100 and other "
                       "NVIDIA GPUs have them\n");
    return;
  }
  if (roof_occupancy_of(l, &use, &o, &why) != ROOF_OK) {
    roof_text_addf(out, "  no block can be launched: %s\n", why.message);
    return;
  }
  roof_text_addf(out, "  threads=%.0f registers=%.0f shared=%s: ", use.threads, use.registers,
                 roof_bytes_format(shared, SHORT, use.shared));
  roof_text_addf(out, "%.0f block%s per SM, %.0f of %.0f warps, %.3g %%, ", o.blocks,
                 o.blocks == 1 ? "" : "s", o.warps, l->unit_warps, 100 * o.share);
  add_binding(out, &o);
  add_limits(out, l, &use, &o);
  add_next(out, &o, &use);
  roof_text_addf(out, "  (%s; CUDA C++ Programming Guide and cuda_occupancy.h of CUDA 13)\n", l->isa);
}
