/* Topics worked from what a chip is made of: what its peaks and bandwidths follow from, what a tile or an instruction
 * of a matrix unit takes, and what the same work is in other conventions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/topics.h"
#include "core/number.h"
#include "roofline/advise.h"
#include "roofline/units.h"

enum { SHORT = 48, FMA_FLOP = 2, WORD = 4 };

static const char *quantity(char buffer[SHORT], double value, const char *unit) {
  return roof_quantity_format(buffer, SHORT, value, unit);
}

static double fp32_vector(const roof_machine *machine) {
  const roof_peak *peak = roof_machine_peak(machine, ROOF_FP32, ROOF_VECTOR, false, ROOF_DATASHEET);
  return peak != NULL ? peak->flops_per_second : NAN;
}

/** "132 SM x 4096 FLOP x 1.830 GHz", where the file says what the peak follows from. */
static void add_factors(roof_text *out, const roof_machine *m, const roof_peak *p) {
  double clock = isnan(p->clock_hz) ? m->clock_hz : p->clock_hz;
  char text[SHORT];
  if (m->unit_count > 0 && p->flops_per_cycle > 0 && clock > 0 && p->kind != ROOF_MEASURED) {
    roof_text_addf(out, "  = %g %s x %g FLOP x %s", m->unit_count,
                   m->unit_kind[0] != '\0' ? m->unit_kind : "units", p->flops_per_cycle,
                   quantity(text, clock, "Hz"));
  }
}

/** "  AVX2 add, 1 core": with which instructions and on how many cores a peak was measured; nothing where that is not said. */
static void add_where(roof_text *out, const roof_peak *p) {
  if (p->isa[0] != '\0' || p->cores > 0) {
    roof_text_addf(out, "  %s", p->isa);
  }
  if (p->cores > 0) {
    roof_text_addf(out, "%s%d core%s", p->isa[0] != '\0' ? ", " : "", p->cores, p->cores > 1 ? "s" : "");
  }
}

void rf_advise_work_peak(roof_text *out, const roof_lesson *lesson) {
  const roof_machine *m = lesson->target->machine;
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *p = &m->peaks[i];
    char rate[SHORT];
    if (isnan(p->flops_per_second)) {
      continue;
    }
    roof_text_addf(out, "  %-5s %-6s %-6s %15s  %-9s", roof_dtype_name(p->dtype), roof_unit_name(p->unit),
                   p->sparse ? "sparse" : "dense", quantity(rate, p->flops_per_second, "FLOP/s"),
                   roof_provenance_name(p->kind));
    if (fp32_vector(m) > 0) {
      roof_text_addf(out, "  %6.4gx fp32 vector", p->flops_per_second / fp32_vector(m));
    }
    add_factors(out, m, p);
    add_where(out, p);
    roof_text_add(out, "\n");
  }
}

static bool has_isa(const roof_machine *m, const char *isa) {
  size_t length = strlen(isa);
  for (int i = 0; i < m->peak_count; i++) {
    if (strncmp(m->peaks[i].isa, isa, length) == 0 && strchr(" ", m->peaks[i].isa[length]) != NULL) {
      return true;
    }
  }
  return false;
}

/** The L2 by its clock, and as far as it was measured. */
static void add_l2(roof_text *out, const roof_machine *m) {
  const roof_level *level = roof_machine_level(m, ROOF_L2, ROOF_DATASHEET);
  const roof_level *measured = roof_machine_level(m, ROOF_L2, ROOF_MEASURED);
  char rate[SHORT], clock[SHORT];
  double most = level != NULL && level->kind != ROOF_MEASURED ? level->bytes_per_second : NAN;
  if (most > 0 && m->clock_hz > 0) {
    roof_text_addf(out, "  L2         %10s = %.0f B x %s (%s)\n", quantity(rate, most, "B/s"),
                   most / m->clock_hz, quantity(clock, m->clock_hz, "Hz"), level->source);
  }
  double best =
      measured != NULL && measured->kind == ROOF_MEASURED ? roof_level_bandwidth(measured, 0, 0) : NAN;
  if (!isnan(best)) {
    roof_text_addf(out, "  L2         %10s measured (%s)\n", quantity(rate, best, "B/s"), measured->source);
  }
}

/** What each level's bandwidth follows from. The registers are not in the files: every multiply-add of the
 * vector unit reads three numbers and writes one. */
static void add_bandwidths(roof_text *out, const roof_machine *m) {
  const roof_level *l1 = roof_machine_level(m, ROOF_L1, ROOF_DATASHEET);
  const roof_level *memory = roof_machine_level(m, ROOF_MEMORY, ROOF_DATASHEET);
  char a[SHORT], b[SHORT];
  double fmas = fp32_vector(m) / FMA_FLOP, l1_rate = l1 != NULL ? l1->bytes_per_second : NAN;
  if (fmas > 0) {
    roof_text_addf(out, "  registers  %10s = %s x 4 numbers (3 read, 1 written) x 4 B, fp32 vector\n",
                   quantity(a, fmas * 4 * WORD, "B/s"), quantity(b, fmas, "FMA/s"));
  }
  if (l1 != NULL && l1_rate > 0 && m->clock_hz > 0) {
    roof_text_addf(out, "  %-10s %10s = %g x %.4g B x %s\n", l1->name, quantity(a, l1_rate, "B/s"),
                   l1->instances, l1_rate / l1->instances / m->clock_hz, quantity(b, m->clock_hz, "Hz"));
  }
  add_l2(out, m);
  if (memory != NULL && memory->bus_bits > 0 && memory->transfers_per_second > 0) {
    roof_text_addf(out, "  %-10s %10s = %g bits / 8 x %s\n", memory->name,
                   quantity(a, memory->bus_bits / 8 * memory->transfers_per_second, "B/s"), memory->bus_bits,
                   quantity(b, memory->transfers_per_second, "T/s"));
  }
}

void rf_advise_work_bandwidths(roof_text *out, const roof_lesson *lesson) {
  size_t length = out->length;
  roof_text_add(out, "  bandwidths and what they follow from\n");
  size_t head = out->length;
  add_bandwidths(out, lesson->target->machine);
  if (out->length == head && !out->failed) {
    out->length = length;
    out->data[length] = '\0';
  }
}

/** The innermost level that holds `bytes`, one instance of it; NULL: none is known to. */
static const roof_level *holder_of(const roof_target *target, double bytes) {
  for (int k = ROOF_L1; k < ROOF_LEVEL_KIND_COUNT; k++) {
    const roof_level *level = target->level[k];
    if (level != NULL && level->bytes >= bytes) {
      return level;
    }
  }
  return NULL;
}

void rf_advise_work_tiles(roof_text *out, const roof_lesson *lesson) {
  static const double sides[] = {1, 8, 32, 64, 128, 256, 512};
  const roof_work *w = &lesson->prediction.work;
  const roof_target *target = lesson->target;
  const roof_block_limits *block = roof_block_limits_of(target->machine);
  double bandwidth = 1 / target->seconds_per_byte[target->memory][0];
  double peak = 1 / target->seconds_per_flop[w->unit], size = roof_dtype_bytes(target->types.compute);
  roof_text_addf(out, "  %4s  %10s  %6s  %14s  %9s  %11s  %s\n", "tile", "moved", "FLOP/B",
                 "at memory's rate", "of peak", "three tiles", "are kept in");
  for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
    double tile = sides[i], bytes = fmax(lesson->prediction.bytes, w->no_reuse_bytes / tile + w->write_bytes);
    double rate = fmin(peak, w->flops / bytes * bandwidth), kept = 3 * tile * tile * size;
    const roof_level *level = holder_of(target, kept);
    char a[SHORT], b[SHORT], c[SHORT], share[SHORT] = "unknown";
    if (!isnan(peak)) {
      rf_format(share, sizeof share, "%.3g %%", 100 * rate / peak);
    }
    roof_text_addf(out, "  %4.0f  %10s  %6.4g  %16s  %9s  %11s  %s%s\n", tile, quantity(a, bytes, "B"),
                   w->flops / bytes, quantity(b, rate, "FLOP/s"), share, roof_bytes_format(c, SHORT, kept),
                   level != NULL ? level->name : "no level known",
                   block != NULL && kept > block->block_shared ? ", more than a block can have" : "");
  }
}

static const struct {
  roof_dtype dtype;
  const char *use;
} uses[] = {
    {ROOF_FP64, "solvers, simulation"},
    {ROOF_FP32, "simulation, sums, master weights"},
    {ROOF_TF32, "products of fp32 data"},
    {ROOF_FP16, "inference; training with a scaled loss"},
    {ROOF_BF16, "training, inference"},
    {ROOF_FP8, "products of training and inference, KV cache"},
    {ROOF_FP6, "weights"},
    {ROOF_FP4, "weights; products where native"},
    {ROOF_FP3, "weights"},
    {ROOF_INT8, "inference"},
    {ROOF_INT4, "weights"},
};

static const roof_peak *best_peak(const roof_machine *m, roof_dtype dtype) {
  const roof_peak *matrix = roof_machine_peak(m, dtype, ROOF_MATRIX, false, ROOF_DATASHEET);
  return matrix != NULL ? matrix : roof_machine_peak(m, dtype, ROOF_VECTOR, false, ROOF_DATASHEET);
}

void rf_advise_work_precision(roof_text *out, const roof_lesson *lesson) {
  const roof_machine *m = lesson->target->machine;
  roof_text_addf(out, "  %-5s %5s %6s  %16s  %15s %8s  %s\n", "", "bits", "B", "FLOP/B, batch 1",
                 "best dense peak", "of fp32", "used for");
  for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
    double bytes = roof_dtype_bytes(uses[i].dtype);
    const roof_peak *peak = best_peak(m, uses[i].dtype);
    char rate[SHORT];
    roof_text_addf(out, "  %-5s %5g %6g  %15.4g  ", roof_dtype_name(uses[i].dtype), 8 * bytes, bytes,
                   2 / bytes);
    if (peak == NULL) {
      roof_text_addf(out, "%15s %8s  %s\n", "not native", "", uses[i].use);
      continue;
    }
    roof_text_addf(out, "%15s %7.4gx  %s\n", quantity(rate, peak->flops_per_second, "FLOP/s"),
                   peak->flops_per_second / fp32_vector(m), uses[i].use);
  }
}

/** The sums whose first product is no addition: a result of k products has 2 k - 1 FLOP. */
static bool is_sum_of_products(const roof_op *op) {
  static const char *const names[] = {"gemm", "linear", "gemv", "dot"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(op->name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

void rf_advise_work_exact(roof_text *out, const roof_lesson *lesson) {
  const roof_prediction *p = &lesson->prediction;
  double results = p->work.write_bytes / roof_dtype_bytes(lesson->target->types.output);
  if (!is_sum_of_products(lesson->op)) {
    return;
  }
  roof_text_addf(out,
                 "  %s: %.15g FLOP with a multiply-add as 2; exactly, the first product of each of %.15g\n",
                 lesson->op->name, p->work.flops, results);
  roof_text_addf(out, "  results being no addition: %.15g FLOP, %.4g FLOP/B\n", p->work.flops - results,
                 (p->work.flops - results) / p->bytes);
}

/** What a tensor core does in one clock in fp16 with fp32 sums, as the white paper of its architecture says. */
static const struct {
  const char *isa;
  int fmas, per_sm;
  const char *shape, *source;
} cores[] = {
    {"sm_70", 64, 8, "4 x 4 x 4 = ", "NVIDIA Tesla V100 white paper, 2017"},
    {"sm_75", 64, 8, "4 x 4 x 4 = ", "NVIDIA Turing white paper, 2018"},
    {"sm_80", 256, 4, "8 x 4 x 8 = ", "NVIDIA A100 white paper, 2020"},
    {"sm_90", 512, 4, "", "NVIDIA H100 white paper, 2022: twice an A100's"},
};

static void add_core(roof_text *out, const roof_machine *m) {
  for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
    if (has_isa(m, cores[i].isa)) {
      roof_text_addf(out, "  a tensor core does %s%d FMA per clock in fp16, the %d of an SM %d FLOP (%s)\n",
                     cores[i].shape, cores[i].fmas, cores[i].per_sm,
                     FMA_FLOP * cores[i].fmas * cores[i].per_sm, cores[i].source);
    }
  }
}

/** Instructions in fp16, and the compute capabilities that have them (PTX ISA, mma, wmma, wgmma and tcgen05). */
static const struct {
  const char *name;
  double m, n, k;
  int from, to;
} instructions[] = {{"mma m16n8k16", 16, 8, 16, 80, 999},
                    {"wmma 16x16x16", 16, 16, 16, 70, 999},
                    {"wgmma m64n256k16", 64, 256, 16, 90, 90},
                    {"tcgen05 m128n256k16", 128, 256, 16, 100, 119}};

/** 90 of "sm_90"; 0: the machine has none. */
static int capability(const roof_machine *m) {
  for (int i = 0; i < m->peak_count; i++) {
    if (strncmp(m->peaks[i].isa, "sm_", 3) == 0) {
      return atoi(m->peaks[i].isa + 3);
    }
  }
  return 0;
}

/** A product in whole tiles of each instruction; false: none of the machine's is known. */
static bool add_tiles(roof_text *out, const roof_machine *machine, double m, double n, double k) {
  int has = capability(machine);
  bool any = false;
  for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++) {
    double sides[] = {instructions[i].m, instructions[i].n, instructions[i].k};
    double tiles = ceil(m / sides[0]) * ceil(n / sides[1]) * ceil(k / sides[2]);
    double each = sides[0] * sides[1] * sides[2];
    if (has < instructions[i].from || has > instructions[i].to) {
      continue;
    }
    any = true;
    roof_text_addf(out, "    %-17s %6.0f FMA each: %.15g instructions, %.4g %% of their FMA useful\n",
                   instructions[i].name, each, tiles, 100 * m * n * k / (tiles * each));
  }
  return any;
}

void rf_advise_work_mma(roof_text *out, const roof_lesson *lesson) {
  const roof_op *op = lesson->op;
  const roof_machine *machine = lesson->target->machine;
  int m = roof_op_param_index(op, "m"), n = roof_op_param_index(op, "n"), k = roof_op_param_index(op, "k");
  add_core(out, machine);
  if (m < 0 || n < 0 || k < 0) {
    return;
  }
  const double *v = lesson->values;
  roof_text_addf(out, "  %.15g x %.15g x %.15g in whole tiles\n", v[m], v[n], v[k]);
  if (!add_tiles(out, machine, v[m], v[n], v[k])) {
    roof_text_addf(out, "    of %s no matrix instruction is known here\n", roof_machine_title(machine));
  }
}

void rf_advise_work_conventions(roof_text *out, const roof_lesson *lesson) {
  const roof_prediction *p = &lesson->prediction;
  const char *class = lesson->target->machine->device_class;
  char a[SHORT], b[SHORT];
  double elsewhere = p->work.write_bytes - p->work.update_bytes;
  if (!(p->work.write_bytes > 0)) {
    return;
  }
  roof_text_addf(out, "  reads alone, as some lessons count: %s, %.4g FLOP/B\n",
                 quantity(a, p->work.read_bytes, "B"), p->work.flops / p->work.read_bytes);
  if (strcmp(class, "cpu") == 0 && elsewhere > 0) {
    roof_text_addf(
        out, "  where a cache reads each line before it is written (no streaming stores): %s, %.4g FLOP/B\n",
        quantity(b, p->bytes + elsewhere, "B"), p->work.flops / (p->bytes + elsewhere));
  }
}

/** "HBM  3.350 TB/s by its file, 2.958 TB/s measured: 88.3 %, 11.7 % lost", or that nothing was measured. */
static void add_loss(roof_text *out, const char *name, double rated, double measured, const char *unit) {
  char a[SHORT], b[SHORT];
  double share = measured / rated;
  if (isnan(rated)) {
    return;
  }
  roof_text_addf(out, "  %-12s %15s by its file, ", name, quantity(a, rated, unit));
  if (isnan(measured)) {
    roof_text_add(out, "not measured\n");
    return;
  }
  roof_text_addf(out, "%s measured: %.3g %%", quantity(b, measured, unit), 100 * share);
  roof_text_addf(out, share <= 1 ? ", %.3g %% lost\n" : ", over it by %.3g %%\n", 100 * fabs(1 - share));
}

/** The limit of a measured figure, else the figure. */
static double rated_level(const roof_level *level) {
  return level->kind == ROOF_MEASURED ? level->limit_bytes_per_second : roof_level_bandwidth(level, 0, 0);
}

static double rated_peak(const roof_peak *peak) {
  return peak->kind == ROOF_MEASURED ? peak->limit_flops_per_second : peak->flops_per_second;
}

void rf_advise_work_losses(roof_text *out, const roof_lesson *lesson) {
  const roof_machine *m = lesson->target->machine;
  const roof_peak *rated = best_peak(m, lesson->target->types.compute);
  for (int k = 0; k < ROOF_LEVEL_KIND_COUNT; k++) {
    const roof_level *level = roof_machine_level(m, (roof_level_kind)k, ROOF_DATASHEET);
    const roof_level *best = roof_machine_level(m, (roof_level_kind)k, ROOF_MEASURED);
    if (level != NULL) {
      bool known = best->kind == ROOF_MEASURED;
      add_loss(out, level->name, rated_level(level), known ? roof_level_bandwidth(best, 0, 0) : NAN, "B/s");
    }
  }
  if (rated != NULL) {
    const roof_peak *best = roof_machine_peak(m, rated->dtype, rated->unit, false, ROOF_MEASURED);
    char name[SHORT];
    snprintf(name, sizeof name, "%s %s", roof_dtype_name(rated->dtype), roof_unit_name(rated->unit));
    add_loss(out, name, rated_peak(rated), best->kind == ROOF_MEASURED ? best->flops_per_second : NAN,
             "FLOP/s");
  }
  roof_text_add(
      out, "  each figure's source: `roofline machine show`; a kernel's own share: `roofline plot losses`\n");
}

void rf_advise_work_dequant(roof_text *out, const roof_lesson *lesson) {
  static const struct {
    const char *name, *weights;
    bool unpack;
  } ways[] = {{"weights as computed", NULL, false},
              {"AWQ, fused", "awq", false},
              {"NF4, fused", "nf4", false},
              {"NF4, own kernel", "nf4", true}};
  const roof_target *before = lesson->target;
  const roof_formats formats = {.dtype = roof_dtype_name(before->types.compute)};
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    roof_formats changed = formats;
    const roof_change change = {.peak = 1, .bandwidth = 1, .unpack = ways[i].unpack};
    roof_types types;
    roof_target after;
    roof_what_if x;
    changed.weights = ways[i].weights;
    roof_status status = roof_formats_read(&changed, before->machine, &types, NULL);
    status = status == ROOF_OK ? roof_target_init(&after, before->machine, &types, &before->options, NULL)
                               : status;
    status = status == ROOF_OK ? roof_what_if_of(before, lesson->values, &after, lesson->values, lesson->op,
                                                 &change, &x, NULL)
                               : status;
    if (status == ROOF_OK) {
      char bytes[SHORT], seconds[SHORT];
      roof_text_addf(out, "  %-20s %10s moved, about %10s: %.3gx\n", ways[i].name,
                     quantity(bytes, x.predictions[1].bytes, "B"),
                     quantity(seconds, x.predictions[1].expected_seconds, "s"), x.gain);
    }
  }
}
