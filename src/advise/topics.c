/* What terms mean, worked on the numbers of one operation on one machine. */
#include <math.h>
#include <string.h>

#include "advise/options.h"
#include "advise/topics.h"
#include "core/figures.h"
#include "core/letters.h"
#include "roofline/advise.h"
#include "roofline/crossing.h"
#include "roofline/formats.h"
#include "roofline/ops.h"
#include "roofline/place.h"
#include "roofline/units.h"

enum { SHORT = 48 };

static const char *quantity(char buffer[SHORT], double value, const char *unit) {
  return roof_quantity_format(buffer, SHORT, value, unit);
}

static double peak_of(const roof_lesson *l) {
  return l->prediction.peak != NULL ? l->prediction.peak->flops_per_second : NAN;
}

static double bandwidth_of(const roof_lesson *l) {
  double bandwidth = peak_of(l) / l->prediction.ridge;
  return isnan(bandwidth) ? 1 / l->target->seconds_per_byte[l->target->memory][0] : bandwidth;
}

/** Says so where the machine does not compute in the format, and with what the memory delivers; false where it does. */
static bool has_no_path(roof_text *out, const roof_lesson *l) {
  char a[SHORT];
  if (!isnan(peak_of(l))) {
    return false;
  }
  roof_dtype dtype = l->target->types.compute;
  bool lacks = rf_lacks_path(l->target->machine, roof_dtype_multiplied(dtype));
  roof_text_addf(out,
                 lacks ? "  %s has no native %s path; its memory delivers %s\n"
                       : "  %s: its %s peak is not known; its memory delivers %s\n",
                 roof_machine_title(l->target->machine), roof_dtype_name(dtype),
                 quantity(a, bandwidth_of(l), "B/s"));
  return true;
}

static const char *memory_name(const roof_lesson *l) {
  return l->target->level[l->target->memory] != NULL ? l->target->level[l->target->memory]->name : "memory";
}

static void add_shape(roof_text *out, const roof_lesson *l) {
  const roof_types *types = &l->target->types;
  char apart[ROOF_FORMATS_APART];
  roof_text_add(out, l->op->name);
  for (int i = 0; i < roof_op_param_count(l->op); i++) {
    char value[64];
    roof_op_value_text(l->op, i, l->values[i], value, sizeof value);
    roof_text_addf(out, " %s=%s", l->op->params[i].name, value);
  }
  roof_text_addf(out, " in %s%s", roof_dtype_name(types->compute),
                 roof_formats_apart(types, apart, sizeof apart));
}

static void work_roofline(roof_text *out, const roof_lesson *l) {
  char a[SHORT], b[SHORT];
  const double at[] = {1, l->prediction.ridge, 1000};
  if (has_no_path(out, l)) {
    return;
  }
  for (int i = 0; i < 3; i++) {
    roof_text_addf(out, "  at %.4g FLOP/B: min(%s, %.4g x %s) = ", at[i], quantity(a, peak_of(l), "FLOP/s"),
                   at[i], quantity(b, bandwidth_of(l), "B/s"));
    roof_text_addf(out, "%s\n", quantity(a, fmin(peak_of(l), at[i] * bandwidth_of(l)), "FLOP/s"));
  }
}

/** Measured bandwidths differ by the share of the bytes that is written, and with them the ridge. */
static void add_mixes(roof_text *out, const roof_lesson *l) {
  const roof_level *level = l->target->level[l->target->memory];
  const roof_work *work = &l->prediction.work;
  char a[SHORT], b[SHORT];
  if (level == NULL || isnan(level->read_bytes_per_second)) {
    return;
  }
  double read = roof_level_bandwidth(level, 0, 0), triad = roof_level_bandwidth(level, 1.0 / 3, 0);
  roof_text_addf(out,
                 "    where %.3g %% of the bytes are written, as here; read alone %s: %.4g FLOP/B, as a "
                 "triad %s: %.4g\n",
                 100 * work->write_bytes / (work->read_bytes + work->write_bytes), quantity(a, read, "B/s"),
                 peak_of(l) / read, quantity(b, triad, "B/s"), peak_of(l) / triad);
}

/** The ridge of every format the machine computes with. */
static void work_ridge(roof_text *out, const roof_lesson *l) {
  char a[SHORT], b[SHORT];
  if (!has_no_path(out, l)) {
    roof_text_addf(out, "  %s / %s = %.4g FLOP/B in %s (%.4g FMA/B)\n", quantity(a, peak_of(l), "FLOP/s"),
                   quantity(b, bandwidth_of(l), "B/s"), l->prediction.ridge,
                   roof_dtype_name(l->prediction.peak->dtype), l->prediction.ridge / 2);
    add_mixes(out, l);
  }
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    const roof_peak *p =
        roof_machine_peak(l->target->machine, (roof_dtype)d, ROOF_MATRIX, false, ROOF_DATASHEET);
    const roof_peak *lanes =
        roof_machine_peak(l->target->machine, (roof_dtype)d, ROOF_VECTOR, false, ROOF_DATASHEET);
    p = p != NULL ? p : lanes;
    if (p != NULL && p != l->prediction.peak) {
      roof_text_addf(out, "  %s / the same = %.4g FLOP/B in %s%s\n",
                     quantity(a, p->flops_per_second, "FLOP/s"), p->flops_per_second / bandwidth_of(l),
                     roof_dtype_name(p->dtype), p == lanes ? " (vector unit)" : "");
    }
  }
}

static void work_intensity(roof_text *out, const roof_lesson *l) {
  const roof_prediction *p = &l->prediction;
  double factor = p->intensity / p->ridge;
  roof_text_add(out, "  ");
  add_shape(out, l);
  roof_text_addf(out, ":\n  %.15g FLOP / %.15g B = %.6g FLOP/B", p->work.flops, p->bytes, p->intensity);
  if (!isnan(factor) && factor > 0) {
    roof_text_addf(out, ", %.4gx %s of the ridge (%.4g)", factor >= 1 ? factor : 1 / factor,
                   factor >= 1 ? "right" : "left", p->ridge);
  }
  roof_text_add(out, "\n");
}

static void work_flop(roof_text *out, const roof_lesson *l) {
  char a[SHORT], b[SHORT];
  if (!has_no_path(out, l)) {
    roof_text_addf(out, "  %s = %s: a multiply-add is 2 FLOP\n", quantity(a, peak_of(l), "FLOP/s"),
                   quantity(b, peak_of(l) / 2, "FMA/s"));
    roof_text_addf(out, "  the ridge of %.4g FLOP/B is %.4g FMA per byte\n", l->prediction.ridge,
                   l->prediction.ridge / 2);
  }
  rf_advise_work_exact(out, l);
}

static void work_bytes(roof_text *out, const roof_lesson *l) {
  char a[SHORT], b[SHORT], c[SHORT];
  const roof_prediction *p = &l->prediction;
  roof_text_add(out, "  ");
  add_shape(out, l);
  roof_text_addf(out, ":\n  %s read + %s written = %s\n", quantity(a, p->work.read_bytes, "B"),
                 quantity(b, p->work.write_bytes, "B"), quantity(c, p->bytes, "B"));
  roof_text_addf(out, "  = %s\n", l->op->bytes);
  if (!isnan(p->work.no_reuse_bytes)) {
    roof_text_addf(out, "  without any reuse on chip it would read %s\n",
                   quantity(a, p->work.no_reuse_bytes, "B"));
  }
  rf_advise_work_conventions(out, l);
}

static void work_times(roof_text *out, const roof_lesson *l) {
  char a[SHORT], b[SHORT], binding[ROOF_NAME_MAX];
  const roof_prediction *p = &l->prediction;
  roof_text_add(out, "  ");
  add_shape(out, l);
  roof_text_addf(out, ":\n  compute  %s\n", quantity(a, p->compute_seconds, "s"));
  roof_text_addf(out, "  memory   %s\n", quantity(a, p->memory_seconds, "s"));
  if (p->work.link_bytes > 0) {
    roof_text_addf(out, "  network  %s\n", quantity(a, p->network_seconds, "s"));
  }
  roof_text_addf(out, "  launches %s; shorter than %s is overhead\n", quantity(a, p->overhead_seconds, "s"),
                 quantity(b, roof_prediction_cutoff(l->target, p), "s"));
  roof_text_addf(out, "  so it is %s-bound (%s)\n", roof_regime_name(p->regime),
                 roof_prediction_binding(p, binding, sizeof binding));
}

/** What doubling a ceiling brings. */
static void work_what_if(roof_text *out, const roof_lesson *l) {
  const roof_prediction *p = &l->prediction;
  double now = fmax(p->compute_seconds, p->memory_seconds);
  work_times(out, l);
  roof_text_addf(out, "  twice the peak would make it %.3gx as fast, twice the bandwidth %.3gx\n",
                 now / fmax(p->compute_seconds / 2, p->memory_seconds),
                 now / fmax(p->compute_seconds, p->memory_seconds / 2));
}

static void work_overhead(roof_text *out, const roof_lesson *l) {
  work_times(out, l);
  rf_advise_work_escape(out, l);
}

static void work_network(roof_text *out, const roof_lesson *l) {
  char a[SHORT], b[SHORT];
  work_times(out, l);
  const roof_machine *machine = l->target->machine;
  for (int i = 0; i < machine->link_count; i++) {
    roof_text_addf(out, "  %s: %s one way", machine->links[i].name,
                   quantity(a, machine->links[i].bytes_per_second, "B/s"));
    if (!isnan(machine->links[i].both_ways_bytes_per_second)) {
      roof_text_addf(out, " (quoted both ways: %s)",
                     quantity(b, machine->links[i].both_ways_bytes_per_second, "B/s"));
    }
    roof_text_add(out, "\n");
  }
  roof_text_add(out, machine->link_count == 0 ? "  no link of this machine is known\n" : "");
}

static void work_capacity(roof_text *out, const roof_lesson *l) {
  char a[SHORT], b[SHORT], c[SHORT];
  roof_text_add(out, "  ");
  add_shape(out, l);
  roof_text_addf(
      out, ": %s of %s %s (%s): it %s\n", roof_bytes_format(a, SHORT, l->prediction.work.working_set),
      roof_bytes_format(b, SHORT, l->target->capacity), memory_name(l), quantity(c, l->target->capacity, "B"),
      l->prediction.work.working_set > l->target->capacity ? "does not fit" : "fits");
}

static void work_bounds(roof_text *out, const roof_lesson *l) {
  char a[SHORT], b[SHORT];
  const roof_prediction *p = &l->prediction;
  work_times(out, l);
  roof_text_addf(out, "  perfect overlap: the longest = %s; no overlap: the sum = %s\n",
                 quantity(a, p->lower_seconds, "s"), quantity(b, p->upper_seconds, "s"));
}

static void work_expected(roof_text *out, const roof_lesson *l) {
  char a[SHORT], b[SHORT], c[SHORT];
  const roof_prediction *p = &l->prediction;
  const roof_shares shares = roof_expected_shares(l->target, p);
  if (l->target->forms[p->work.kernel.kind].known) {
    roof_text_addf(out, "  at the bounds %s, expected %s", quantity(a, p->lower_seconds, "s"),
                   quantity(b, p->expected_seconds, "s"));
    if (!rf_advise_leaves_out(&l->target->options)) {
      roof_text_addf(out, "; from %s to ", quantity(c, p->expected_low_seconds, "s"));
      roof_text_addf(out, "%s in 8 of 10 cases", quantity(a, p->expected_high_seconds, "s"));
    }
    roof_text_add(out, "\n");
    roof_prediction_effects(out, l->target, p, ROOF_EFFECT_COUNT);
    return;
  }
  roof_text_addf(out, "  %s / %g = %s", quantity(a, p->lower_seconds, "s"), shares.typical,
                 quantity(b, p->expected_seconds, "s"));
  roof_text_addf(out, "; between %s (%g) and ", quantity(c, p->expected_low_seconds, "s"), shares.high);
  roof_text_addf(out, "%s (%.3g)\n", quantity(a, p->expected_high_seconds, "s"), shares.low);
}

static void work_overlap(roof_text *out, const roof_lesson *l) {
  char a[SHORT];
  const roof_prediction *p = &l->prediction;
  double on_chip = fmax(p->compute_seconds, p->memory_seconds);
  double longest = fmax(on_chip, fmax(p->network_seconds, p->overhead_seconds)), sum = p->upper_seconds;
  for (int i = 2; i >= 0; i--) {
    double overlap = i / 2.0;
    roof_text_addf(out, "  --overlap %g: %s\n", overlap,
                   quantity(a, longest + (1 - overlap) * (sum - longest), "s"));
  }
}

static void work_sparse(roof_text *out, const roof_lesson *l) {
  char a[SHORT], b[SHORT];
  bool any = false;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    const roof_machine *machine = l->target->machine;
    const roof_peak *sparse = roof_machine_peak(machine, (roof_dtype)d, ROOF_MATRIX, true, ROOF_DATASHEET);
    const roof_peak *dense = roof_machine_peak(machine, (roof_dtype)d, ROOF_MATRIX, false, ROOF_DATASHEET);
    if (sparse != NULL && dense != NULL) {
      roof_text_addf(out, "  %s: %s dense, %s sparse\n", roof_dtype_name((roof_dtype)d),
                     quantity(a, dense->flops_per_second, "FLOP/s"),
                     quantity(b, sparse->flops_per_second, "FLOP/s"));
      any = true;
    }
  }
  roof_text_add(out, any ? "" : "  no sparse peak of this machine is known\n");
}

static void work_tile(roof_text *out, const roof_lesson *l) {
  roof_text_add(out, "  ");
  add_shape(out, l);
  roof_text_add(out, ":\n");
  rf_advise_work_tiles(out, l);
  roof_text_addf(out, "  each operand once: %.4g FLOP/B, which no tile exceeds\n", l->prediction.intensity);
  rf_advise_work_block_tile(out, l);
}

static void work_critical(roof_text *out, const roof_lesson *l) {
  roof_crossing crossing;
  roof_text_add(out, "  ");
  add_shape(out, l);
  if (l->op->batch == NULL) {
    roof_text_add(out, ": no parameter of it is a batch\n");
    return;
  }
  roof_crossing_critical(l->target, l->op, l->typed, roof_op_param_index(l->op, l->op->batch), &crossing);
  roof_text_add(out, ":\n");
  do {
    roof_text_add(out, "  ");
    roof_crossing_write(out, l->op->params[crossing.param].name, &crossing);
    roof_text_addf(out, isnan(crossing.value) ? "\n" : ": %s\n", crossing.why);
  } while (roof_crossing_next(l->target, l->op, l->typed, &crossing));
}

static void work_verdict(roof_text *out, const roof_lesson *l) {
  const double shares[] = {0.3, 0.6, 0.78, 0.87, 0.95, 1.1};
  roof_placed at;
  char a[SHORT];
  roof_place_work(l->target, &l->prediction.work, l->prediction.lower_seconds, NAN, &at);
  roof_text_add(out, "  ");
  add_shape(out, l);
  roof_text_addf(out, ": at best %s\n", quantity(a, l->prediction.lower_seconds, "s"));
  for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
    const roof_verdict *verdict = roof_verdict_on(at.basis, shares[i]);
    roof_text_addf(out, "  measured %10s: %3.0f %% of the ceiling, %.2fx headroom: %s, %s\n",
                   quantity(a, l->prediction.lower_seconds / shares[i], "s"), 100 * shares[i], 1 / shares[i],
                   verdict->name, verdict->meaning);
  }
}

static void work_kind(roof_text *out, const roof_lesson *l) {
  const roof_peak *peak = l->prediction.peak;
  const roof_level *level = l->target->level[l->target->memory];
  char a[SHORT];
  if (peak != NULL) {
    roof_text_addf(out, "  %s: %s of %s, %s\n", quantity(a, peak->flops_per_second, "FLOP/s"),
                   roof_provenance_name(peak->kind), peak->date, peak->source);
  }
  if (level != NULL) {
    roof_text_addf(out, "  %s: %s of %s, %s\n", quantity(a, roof_level_bandwidth(level, 0, 0), "B/s"),
                   roof_provenance_name(level->kind), level->date, level->source);
  }
}

static void work_levels(roof_text *out, const roof_lesson *l) {
  const roof_prediction *p = &l->prediction;
  roof_text_add(out, "  ");
  add_shape(out, l);
  roof_text_add(out, ":\n");
  for (int i = 0; i < p->level_count; i++) {
    const roof_level_time *t = &p->levels[i];
    char a[SHORT], b[SHORT], c[SHORT];
    if (isnan(t->seconds)) {
      continue;
    }
    roof_text_addf(out, "  %-10s %10s at %s: %s%s\n", t->level->name, quantity(a, t->bytes, "B"),
                   quantity(b, t->bytes / t->seconds, "B/s"), quantity(c, t->seconds, "s"),
                   t->level == p->binding ? ", the longest" : "");
  }
  rf_advise_work_bandwidths(out, l);
  rf_advise_work_block(out, l);
}

static void work_energy(roof_text *out, const roof_lesson *l) {
  char a[SHORT], b[SHORT];
  const roof_energy_costs *c = &l->target->costs;
  if (!c->power_only) {
    roof_text_addf(out, "  %s per FLOP, %s per byte",
                   quantity(a, c->joules_per_flop[l->prediction.work.unit], "J"),
                   quantity(b, c->joules_per_byte[l->target->memory], "J"));
    roof_text_addf(out, ", %s all the time: ", quantity(a, c->constant_watts, "W"));
  } else {
    roof_text_addf(out, "  %s for the expected %s: ", quantity(a, c->constant_watts, "W"),
                   quantity(b, l->prediction.expected_seconds, "s"));
  }
  roof_text_addf(out, "%s\n", quantity(a, l->prediction.energy_joules, "J"));
}

static void work_decisions(roof_text *out, const roof_lesson *l) {
  (void)l;
  for (int i = 0; roof_decision_at(i) != NULL; i++) {
    roof_text_addf(out, "  %-44s %s\n", roof_decision_at(i)->observation, roof_decision_at(i)->step);
  }
}

static void work_prefixes(roof_text *out, const roof_lesson *l) {
  char a[SHORT], b[SHORT];
  work_capacity(out, l);
  roof_text_addf(out, "  a 400 Gb/s network carries 400 / 8 = %s\n", quantity(a, 400e9 / 8, "B/s"));
  roof_text_addf(out, "  64 KiB = 65536 B = %s, 64 kB = 64000 B = %s\n", quantity(a, 65536, "B"),
                 roof_bytes_format(b, SHORT, 64000));
}

/** A feed-forward layer of a 70B model. */
#define EXAMPLE {"gemm", "m=8192", "n=28672", "k=8192"}, NULL

static const roof_topic topics[] = {
    {"roofline", "two ceilings, compute and bandwidth, and the model they make",
     "A kernel does arithmetic and moves data, and a machine limits each: the compute ceiling\n"
     "(its peak, FLOP/s) and the bandwidth ceiling (bytes/s). Picture a kitchen: the cooks are the\n"
     "peak, the door to the pantry is the bandwidth. With much cooking per ingredient the cooks set\n"
     "the pace, with little the door does.\n"
     "    attainable FLOP/s = min(peak, bandwidth x intensity)\n"
     "Drawn over intensity on log axes that is a ramp and a flat roof; they meet at the ridge. At\n"
     "the ridge both ceilings bind; a kernel lives under the roof, never above it.",
     work_roofline, EXAMPLE},
    {"machine", "ceilings, each with where it comes from",
     "A machine is its ceilings: peaks by number format and unit, memory levels, links, launch cost,\n"
     "energy. Each figure carries its kind (datasheet, secondary, measured, assumed), source and\n"
     "date. `machine list` shows the catalogue and counts them; `measure` makes the machine `host`\n"
     "from this one.",
     work_kind, EXAMPLE},
    {"peak", "the most FLOP/s of a format on a unit",
     "The most FLOP/s a machine can do in one number format on one unit: units x FLOP per cycle x\n"
     "clock. Peaks are dense; the 2:4 sparse figure of the datasheet is kept apart. Nothing reaches\n"
     "its peak: 65 to 85 % is normal.",
     rf_advise_work_peak, EXAMPLE},
    {"ridge", "where the two ceilings meet: peak / bandwidth",
     "The intensity at which the two ceilings meet: peak / bandwidth, in FLOP per byte. It belongs to a\n"
     "machine, a number format and a memory level, not to a kernel. Left of it memory binds, right\n"
     "of it compute. The ridge is not a goal: moving a kernel right is worth it only if it saves\n"
     "time, and right of the ridge more intensity brings nothing. A faster format moves the ridge\n"
     "right too, so at the same intensity fewer kernels are compute-bound, not more.",
     work_ridge, EXAMPLE},
    {"intensity", "FLOP per byte that must move",
     "FLOP / bytes: how much arithmetic each byte pays for. Bytes are read + written at the\n"
     "outermost level (HBM, DRAM), each byte once, so it is the most any implementation can have\n"
     "from a cold start. A square GEMM of N with b bytes a number has 2N^3 / (3 N^2 b) = 2N/(3b):\n"
     "N/3 in fp16, N/6 in fp32 (N/3 is often quoted for fp32: that is the 2-byte value, twice too\n"
     "high). A GEMV has about 2/b whatever its size.",
     work_intensity, EXAMPLE},
    {"operational-intensity", "FLOP per byte really moved",
     "FLOP / bytes really moved, as a profiler counts them; intensity counts the bytes that must\n"
     "move. About equal: good. Lower: data moves more than once (no tile, no fusion). Higher: part\n"
     "of the data was already in a cache (a warm L2 makes that possible), or something was counted\n"
     "wrong.",
     work_tile, EXAMPLE},
    {"flop", "what counts as one; not a multiply-add",
     "One floating-point operation. A fused multiply-add (FMA) is 2 FLOP, so a peak in FLOP/s is\n"
     "twice the FMA/s. Elementwise and row operations count per element: relu 1, add 1, dropout 2,\n"
     "silu 4, softmax 5, rmsnorm 5, layernorm 8, batchnorm 8, gelu 12. FLOP is an amount, FLOP/s a\n"
     "speed.",
     work_flop, EXAMPLE},
    {"bytes", "what crosses the memory interface, each byte once",
     "What crosses the memory interface, read + written, each byte once: inputs in, results out.\n"
     "Data that stay on chip between uses are free. An elementwise fp16 operation reads 2 and writes\n"
     "2 bytes per element: add-like work on one input has 1/4 FLOP/B, on two inputs 1/6, not 1/2 and\n"
     "1/3 (those leave out the writes). Memory that a profiler saw allocated is no traffic: a linear\n"
     "layer allocates its result alone, and would come out at a hundred times its intensity.",
     work_bytes, EXAMPLE},
    {"work", "what one call asks of a machine",
     "What one call asks of a machine: FLOPs, bytes by memory level, bytes by link, launches,\n"
     "working set. An operation's formula gives it from the shape and the formats; it is the same on\n"
     "every machine.",
     work_bytes, EXAMPLE},
    {"operation", "a named formula from shapes to work",
     "A named formula from shapes to work (gemm, softmax, attention, allreduce...). `op list` shows\n"
     "all, `op show NAME` one; --ops FILE adds your own. `explain NAME key=value ...` works one by\n"
     "hand.",
     NULL, EXAMPLE},
    {"regime", "which ceiling limits a kernel",
     "Which ceiling limits a kernel: compute, memory (with the level that binds), overhead, network or\n"
     "capacity. It is the longest of the times; work shorter than the overhead cutoff is\n"
     "overhead-bound, and what does not fit is capacity-bound. Know the side before choosing a fix:\n"
     "each regime has its own levers.",
     work_times, EXAMPLE},
    {"compute", "the arithmetic takes longest",
     "Compute-bound: the arithmetic takes longest. Faster memory brings nothing; a faster unit, a\n"
     "narrower format, fewer FLOPs or better use of the matrix unit do.",
     work_what_if, EXAMPLE},
    {"memory",
     "moving the data takes longest",
     "Memory-bound: moving the data takes longest. No work inside the kernel beats the bandwidth\n"
     "ceiling: read less (quantize, fuse, keep prefixes cached), batch more, or use faster memory. More "
     "FLOP/s\n"
     "bring nothing.",
     work_what_if,
     {"gemm", "m=1", "n=28672", "k=8192"},
     NULL},
    {"overhead",
     "starting it takes longest",
     "Overhead-bound: starting it takes more than half of its time; where the latency of its kernel\n"
     "is not known, its work is shorter than 8 us (--overhead). Neither ceiling matters; launch less:\n"
     "CUDA graphs, fusion, larger batches, persistent kernels.",
     work_overhead,
     {"gemm", "m=1", "n=1024", "k=1024"},
     NULL},
    {"network",
     "the busiest link takes longest",
     "Network-bound: the busiest link takes longest. A ring all-reduce over n ranks sends 2(n-1)/n\n"
     "of the data through each link. Links are counted one way: vendors often quote both directions\n"
     "together, twice as much.",
     work_network,
     {"allreduce", "size=1GB", "ranks=8"},
     NULL},
    {"capacity",
     "it does not fit",
     "Capacity-bound: the working set is larger than the memory, so the kernel cannot run as it is.\n"
     "Shard, quantize or offload.",
     work_capacity,
     {"gemm", "m=1000000", "n=1000000", "k=1000000"},
     NULL},
    {"bounds", "the time with perfect overlap, and with none",
     "The lower bound assumes that compute, memory and network hide each other perfectly: the\n"
     "longest of the times. Without overlap it is their sum, still at full rates. The sum is no upper\n"
     "limit: a kernel that reaches less than its ceilings takes longer.",
     work_bounds, EXAMPLE},
    {"expected", "the time after effects",
     "The time after effects: the bare roofline, and what tiles, waves, caches, latency and the like\n"
     "add, by constants of the machine's family; its interval is what 8 of 10 comparable kernels did.\n"
     "Without such constants it is the bound divided by the share of it that kernels reach (0.65 to\n"
     "0.85, typically 0.78), plus the launches: --efficiency LOW,TYPICAL,HIGH.",
     work_expected, EXAMPLE},
    {"efficiency", "the share of the ceiling that is reached",
     "Achieved / attainable: the share of the ceiling a kernel reaches. Of a datasheet ceiling 65 to\n"
     "85 % is normal, 0.78 typical; the share of a measured ceiling is higher for the same kernel,\n"
     "so say which one you divide by.",
     work_expected, EXAMPLE},
    {"ttft", "how long a model takes to answer: to the first token, and per token",
     "TTFT is the time to the first token: a prefill, mostly arithmetic, and that token's choice, without\n"
     "a network to the user. That of `roofline model` is of the prompts of the whole batch, without a\n"
     "queue; its `continuous` line, `plan` and `serve` have it of one prompt, with its wait. TPOT is the\n"
     "time per output token after it: the mean step of decoding, which reads all weights and the KV cache,\n"
     "mostly memory; `continuous` adds the prompts of the other requests: their number x TTFT / generated\n"
     "tokens. `roofline serve` has both with the queue, and `roofline claim NAME tpot=18ms` judges one.",
     NULL, EXAMPLE},
    {"rates", "what tokens/s, joules and prices of a whole model count",
     "Tokens/s counts generated tokens alone: per request 1 / TPOT, together batch / TPOT, per device that\n"
     "/ devices. Joules and prices are of all devices for the whole request, its prompt too, per generated\n"
     "token, without the host; at full power, where a machine says its power alone. Training takes as many\n"
     "steps of batch x prompt tokens as there are tokens, each as long as the next, without restarts,\n"
     "checkpoints or evaluation, which `roofline plan --train` adds.",
     NULL, EXAMPLE},
    {"mfu", "share of the peak that a whole run uses",
     "MFU: FLOP of the model / (expected time x dense peak of the format of its largest product), of one\n"
     "device, of a training step the mean of all; without what is computed again, which HFU counts too.\n"
     "MBU: bytes of weights, activations and cache, each operand once per operation / (time x bandwidth).\n"
     "`roofline model` gives both by phase. Prefill and training are judged by MFU, decoding by MBU,\n"
     "whose MFU is low whatever the kernels do.",
     NULL, EXAMPLE},
    {"kv-cache", "the keys and values of all tokens so far",
     "What decoding keeps so as not to compute it again: of each token and layer a key and a value of\n"
     "every KV head. Bytes per token = 2 x layers x KV heads x head size x bytes of the format; each\n"
     "step reads all of it. Fewer KV heads, --kv fp8, a window or a latent make it smaller.\n"
     "`roofline model NAME` says how much it takes and how many sequences fit.",
     NULL, EXAMPLE},
    {"serving", "many requests at once: queue, continuous batching, prompts in pieces",
     "An engine takes requests into the batch as others leave it (continuous batching), so a step has\n"
     "tokens of some and a piece of the prompt of another: chunk=N tokens of a step at most. Larger\n"
     "pieces answer sooner, smaller ones disturb the others' TPOT less. The cache is given out in pages\n"
     "(page=N tokens) until there is no room, then requests wait or are preempted. `roofline model` has\n"
     "the steady state (`continuous`), `roofline serve` the queue, event by event, and `roofline plan`\n"
     "the devices that a load needs.",
     NULL, EXAMPLE},
    {"goodput", "requests per second that meet their limits",
     "Throughput counts all answers, goodput those whose TTFT and TPOT are within the limits: beyond\n"
     "the rate where queues grow the first still rises and the second falls to nothing.\n"
     "`roofline serve NAME --rate 1..16*2 --ttft 500ms --tpot 30ms` gives both by rate.",
     NULL, EXAMPLE},
    {"speculation", "several tokens per step: drafted cheaply, verified together",
     "A step of decoding reads all weights for one token of a sequence. With draft=N it verifies N\n"
     "drafted tokens and adds one; where each is right with probability a it yields\n"
     "(1 - a^(N+1)) / (1 - a) tokens (Leviathan et al. 2023). It pays while memory binds: at a large\n"
     "batch the N + 1 tokens cost arithmetic instead. `roofline model NAME draft=4 accept=0.8` counts\n"
     "no time for drafting; `roofline serve --drafter MODEL` does.",
     NULL, EXAMPLE},
    {"prefix-cache", "keys and values of a prompt's beginning, kept from an earlier request",
     "Prompts that begin alike (a system prompt, a conversation) need the work of the rest alone:\n"
     "prefix=N tokens are there already, and sharers=N sequences read them once. The attention of the\n"
     "rest still reads them. `roofline serve --turns` and --trace find what repeats, --no-cache forgets\n"
     "it, and --route prefix sends a request to the replica that has it.",
     NULL, EXAMPLE},
    {"disaggregation", "prompts and decoding on devices of their own",
     "Prompts want arithmetic, decoding wants bandwidth, and together they disturb each other. Apart,\n"
     "each has its own number of devices, precision and machine, and the cache of a prompt crosses the\n"
     "network: its bytes / the link's bandwidth are added to TTFT. `roofline plan` compares both,\n"
     "`roofline serve --prefill-plan` simulates it.",
     NULL, EXAMPLE},
    {"adapters", "LoRA: thin products next to those of the weights, two for each matrix and fine-tune",
     "An adapter of rank r adds r (in + out) weights to a matrix of in x out, and two thin products to\n"
     "each step, whose rate is that of reading them. Served together, the adapters of a batch are read\n"
     "in addition to the weights that all share. `roofline serve NAME adapters=100 rank=16` counts\n"
     "them, and `roofline model NAME --train lora=16` a step that trains one.",
     NULL, EXAMPLE},
    {"effect", "a named reason why expected differs from the bound",
     "One named, switchable reason why the expected time differs from the bound: efficiency, waves,\n"
     "cache, latency, ... `predict` shows those that matter most, `predict --json` all, each with its\n"
     "factor and why; --without EFFECT leaves one out.",
     work_expected, EXAMPLE},
    {"overlap", "how far the times hide each other",
     "How far compute, memory and network hide each other: 1 (the longest counts alone) to 0 (they\n"
     "add up).",
     work_overlap, EXAMPLE},
    {"sparse", "the 2:4 figure of the datasheets",
     "With 2:4 structured sparsity two of every four weights are zero and a matrix unit skips them:\n"
     "twice the peak, for weights pruned that way alone. Datasheets print that figure in large type.\n"
     "1,979 TFLOP/s of fp16 on an H100 is it; dense is 989.4. Predictions are dense unless --sparse\n"
     "is given.",
     work_sparse, EXAMPLE},
    {"tile", "reuse on chip, and the traffic it saves",
     "Operands are read in tiles kept on chip: with a tile of t by t a GEMM moves 2 N^3 / t elements\n"
     "plus the result, not N^2 / t. A naive GEMM (t = 1) has 1/4 FLOP/B in fp32 and 1/2 in fp16:\n"
     "memory-bound everywhere. Three tiles of t^2 numbers must fit the level that keeps them (--tile\n"
     "N).",
     work_tile, EXAMPLE},
    {"critical-batch",
     "the batch from which a layer is compute-bound, or never",
     "The batch from which a layer is compute-bound: where its intensity passes the ridge. For\n"
     "weights of in x out, intensity is about B only while B is far below in and out; it saturates\n"
     "at in out / (in + out) in fp16, so for small layers no batch is enough, and the answer is\n"
     "`never`. Round up, not down.",
     work_critical,
     {"linear", "batch=1", "in=4096", "out=4096"},
     NULL},
    {"headroom", "what a perfect kernel would still gain",
     "Attainable / achieved: what a perfect kernel would still gain. 1.0 is on the roof: stop, or\n"
     "change the work.",
     work_verdict, EXAMPLE},
    {"verdict", "what a measured share of the ceiling means",
     "What a measured share of the ceiling means: under 50 % a bug, 65 to 85 % normal, over 90 %\n"
     "measure again, over 100 % explain. Of a measured ceiling 70 to 90 % are\n"
     "normal, over 90 % done.",
     work_verdict, EXAMPLE},
    {"measurement", "seconds with work, all samples kept",
     "Seconds, all samples of them, with the work and how each was counted. The result is checked\n"
     "before it is timed, the working set is larger than the level measured, and median and spread\n"
     "are kept.",
     NULL, EXAMPLE},
    {"ledger", "sealed predictions and measurements",
     "An append-only file of predictions and measurements in which every line carries the hash of\n"
     "the one before. A prediction sealed before the measurement cannot be changed afterwards\n"
     "unnoticed: `ledger verify` says so.",
     NULL, EXAMPLE},
    {"kind", "datasheet, secondary, measured or assumed",
     "Where a figure comes from: datasheet (the vendor's own document), secondary (somebody who\n"
     "quotes the vendor, a database), measured (on a real machine), assumed (derived or estimated;\n"
     "the source says how). Predictions use all but the measured ones, --achieved those.",
     work_kind, EXAMPLE},
    {"unit", "vector or matrix units",
     "What computes: `vector` (the ordinary units) or `matrix` (tensor core, MFMA, AMX). Matrix\n"
     "products use the matrix unit, the rest the vector lanes, whose peak is far lower.",
     rf_advise_work_peak, EXAMPLE},
    {"levels", "memories in series: the slowest binds",
     "Memory levels, inner to outer: registers, L1, L2, L3, HBM or DRAM. They are in series, so the\n"
     "slowest one binds: the bound is the minimum over the levels of bandwidth x intensity, not the\n"
     "sum of them. What lives where when a language model runs:\n"
     "  registers      accumulators, fragments of the tiles, what a fused epilogue works on\n"
     "  shared memory  the tiles of A and B; of Q, K and V in flash attention\n"
     "  L2             activations between kernels, hot KV cache, tiles that several SMs read\n"
     "  HBM            weights, KV cache, activations that do not fit\n"
     "  NVLink         tensor parallelism: an all-reduce or two per layer\n"
     "  InfiniBand     pipeline and data parallelism: little traffic, seldom\n"
     "  host, PCIe     what was offloaded: weights or KV cache at a fiftieth of HBM's bandwidth",
     work_levels, EXAMPLE},
    {"precision", "what a narrower format changes",
     "A number format. Halving its bytes doubles the intensity and, where the unit is native, the\n"
     "peak: the side of the ridge stays the same. Weights alone in int4 (W4A16) leave the FLOPs and\n"
     "quarter the bytes: at batch 1 intensity goes from 1 to 4 (3.88 with fp16 scales per 128), it\n"
     "does not stay at 1.\n"
     "nvfp4, mxfp4 and mxfp8 are fp4 and fp8 with an 8-bit scale per 16, 32 and 32 elements:\n"
     "0.5625, 0.53125 and 1.03125 B, at the peak of fp4 and fp8 unless they have one of their own.",
     rf_advise_work_precision, EXAMPLE},
    {"mma",
     "the tiles that a matrix unit multiplies",
     "A matrix unit multiplies whole tiles: an instruction of m x n x k does m n k multiply-adds, used\n"
     "or not, so a product that is no multiple of them wastes the rest. What its cores do in a clock,\n"
     "times cores, units, clock and 2 FLOP, is the peak of `explain peak`.",
     rf_advise_work_mma,
     {"gemm", "m=1000", "n=1000", "k=1000"},
     NULL},
    {"occupancy",
     "how many blocks an SM holds, and what limits them",
     "The share of the warps that an SM can hold and does hold. A block needs registers, shared memory,\n"
     "warps and a place for itself; what runs out first limits how many blocks there are at a time. More\n"
     "warps hide more latency: enough for the loads in flight (latency x bandwidth) is enough, and products\n"
     "with all their data in registers do well with few. `explain occupancy threads=256 registers=64\n"
     "shared=48Ki --machine a100` works it on a kernel; ptxas -v or ncu give its registers and bytes.",
     rf_advise_work_occupancy,
     {"threads=256", "registers=64", "shared=48Ki"},
     &rf_advise_occupancy},
    {"losses", "where peak bandwidth and peak FLOP/s go",
     "Of the bandwidth of a memory, from the pins to a kernel:\n"
     "  refresh        rows are refreshed while nobody reads them\n"
     "  turns          of the bus from reads to writes, rows opened and closed\n"
     "  ECC            in-line ECC reads and writes check bytes too (HBM stores them apart)\n"
     "  translation    pages outside the TLB's reach\n"
     "  requests       too few bytes in flight: latency x bandwidth are needed (Little's law)\n"
     "  access         sectors fetched and not used, caches missed twice\n"
     "Of the FLOP/s of a peak:\n"
     "  clock          power and heat bring it under the one of the datasheet\n"
     "  instructions   addresses, loads and waits take issue slots of multiply-adds\n"
     "  waves, tiles   the last wave of blocks is not full, the last tile partly empty\n"
     "  launch         and the first loads, before anything is computed\n"
     "What of it is the machine's shows its measured ceiling, the rest is the kernel's:",
     rf_advise_work_losses, EXAMPLE},
    {"energy", "joules per call",
     "Joules of one call: by FLOP and byte where the machine has such figures, else the board's\n"
     "full power for the expected time.",
     work_energy, EXAMPLE},
    {"decisions", "what was observed, and the next step",
     "After the seven steps of an analysis (`roofline model ... --analysis`), by what was observed;\n"
     "`roofline advise ... measured=TIME -c COUNTER=SHARE` finds the row. As a tree:\n"
     "  measure time, FLOP and bytes: intensity and FLOP/s\n"
     "   |- mostly latency, or the device idle? overhead:\n"
     "   |    CUDA graphs, fusion, larger batches, persistent kernels\n"
     "   |- intensity left of the ridge? memory-bound, in this order:\n"
     "   |    1. coalesce accesses         4. a narrower format\n"
     "   |    2. fuse with the neighbours  5. a better layout\n"
     "   |    3. tile for reuse            6. recompute, do not store\n"
     "   `- right of it? compute-bound, in this order:\n"
     "        1. use the matrix unit       4. occupancy and registers\n"
     "        2. a narrower format         5. no divergence\n"
     "        3. more work per thread      6. unroll, overlap copies\n"
     "   on the roof already? stop, or change the work: fewer FLOPs, fewer bytes\n"
     "\n"
     "By observation:",
     work_decisions, EXAMPLE},
    {"dequantisation",
     "what narrower weights cost before they are multiplied",
     "Weights stored in 4 bits become numbers of the format computed in. Fused, in the registers of the\n"
     "product (Marlin, AWQ's kernels), that moves no byte more: 4 bits and a scale per weight. In a\n"
     "kernel of its own they are written wide and read again: 0.5 + 2 + 2 bytes instead of 2, slower than\n"
     "not quantized at all. bitsandbytes (NF4) is fused at batch 1 alone (its issue 884). Fewer bytes\n"
     "are faster only where reading them was what took the time:\n"
     "  roofline advise OP ... --set weights=awq                          fused\n"
     "  roofline advise OP ... --set weights=nf4 --set dequant=separate   a kernel of its own\n"
     "  roofline advise OP ... --set weights=int4 --set cost=20us         a cost that you measured",
     rf_advise_work_dequant,
     {"linear", "batch=8", "in=8192", "out=8192"},
     NULL},
    {"optimisations", "which way a dot moves, when, with examples",
     "  what             direction     when                       examples\n"
     "  fusion           right         memory-bound chains        flash attention, norm + linear\n"
     "  tiling           right         operands are reused        GEMM, convolution, stencil\n"
     "  narrower format  right, up     accuracy allows it         fp16, fp8, int8; int4 weights\n"
     "  matrix unit      up            products in its formats    tensor cores, MFMA, AMX\n"
     "  batching         right         weights are read anyway    decode, linear layers\n"
     "  fewer launches   up            overhead-bound             CUDA graphs, persistent kernels\n"
     "Right is more intensity: worth it left of the ridge. Up is a larger share of the ceiling. `roofline\n"
     "advise OP ...` says what each brings to a kernel of yours.",
     NULL, EXAMPLE},
    {"takeaways", "eight sentences to keep",
     "  1. Two ceilings, one division: attainable = min(peak, bandwidth x intensity).\n"
     "  2. Intensity is a property of the work, the ridge of the machine: compare them first.\n"
     "  3. Left of the ridge move fewer bytes; right of it do fewer or faster FLOPs.\n"
     "  4. Count read + written bytes, each once, in the format they are stored in.\n"
     "  5. Peaks are dense and theoretical; 65 to 85 % of them is normal, over 100 % is an error.\n"
     "  6. Prefill is compute-bound, decode memory-bound: batch, or store fewer bytes.\n"
     "  7. A narrower format moves kernel and ridge alike; weights alone move the kernel.\n"
     "  8. Predict, seal, then measure; on the roof stop, and under 50 % look for the bug.\n"
     "Each is a command: explain roofline, ridge, regime, bytes, sparse, critical-batch, precision,\n"
     "ledger.",
     work_intensity, EXAMPLE},
    {"errata", "numbers often taught wrong, with the right ones",
     "Numbers that widespread teaching material has wrong; each with the right one, the reason and,\n"
     "where one command prints it, that command. docs/numbers.md has more on the most frequent.",
     rf_advise_work_errata, EXAMPLE},
    {"production", "what well-known kernels reach, and who says so",
     "What well-known kernels were published to reach. Intensity and side of the ridge are computed\n"
     "here, on the machine named; a share is of an H100 unless its source names another machine. A\n"
     "share without a source is taught, not proved: judge it with `roofline claim`.",
     rf_advise_work_production, EXAMPLE},
    {"reading", "where the model and its numbers come from",
     "  Williams, Waterman, Patterson: Roofline: an insightful visual performance model for multicore\n"
     "    architectures. CACM 52(4), 2009. The model.\n"
     "  Ilic, Pratas, Sousa: Cache-aware roofline model. IEEE CAL 13(1), 2014. One ramp per level.\n"
     "  Choi, Bedard, Fowler, Vuduc: A roofline model of energy. IPDPS 2013.\n"
     "  Yang, Kurth, Williams: Hierarchical roofline analysis for GPUs. CCPE 32(20), 2020.\n"
     "  Dao, Fu, Ermon, Rudra, Re: FlashAttention. NeurIPS 2022; Shah et al.: FlashAttention-3. 2024.\n"
     "  Boehm: How to optimize a CUDA matmul kernel for cuBLAS-like performance. 2022. A ladder.\n"
     "  Pope et al.: Efficiently scaling transformer inference. MLSys 2023. Sharding, by formula.\n"
     "  Frantar et al.: MARLIN. 2024, arXiv 2408.11743. What 4-bit weights can bring.\n"
     "  NVIDIA: Matrix multiplication background user's guide; CUDA C++ programming guide.",
     NULL, EXAMPLE},
    {"ncu", "what to count with Nsight Compute, by question",
     "Everything of one kernel, then looked at in the window of Nsight Compute:\n"
     "  ncu --set roofline -o report --kernel-name my_kernel python bench.py; ncu-ui report.ncu-rep\n"
     "Its sections and what answers here: GPU Speed Of Light Roofline Chart (`import FILE --to x.svg`),\n"
     "Memory Workload Analysis (`import FILE --levels`), Compute Workload Analysis (-c matrix=, -c lanes=).\n"
     "With --set full all of them, or with --metrics only what a question needs, in this order:\n"
     "  is the device busy? (-c active)\n"
     "    sm__cycles_active.avg.pct_of_peak_sustained_elapsed\n"
     "  memory-bound: how far? (-c memory)\n"
     "    dram__bytes.sum.per_second / its peak\n"
     "  from which level? (-c l2)\n"
     "    lts__t_bytes.sum.per_second / its peak\n"
     "  compute-bound: how far? (-c matrix)\n"
     "    sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active\n"
     "    on B200, B300: sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_active\n"
     "  lanes at work? (-c lanes)\n"
     "    smsp__thread_inst_executed_per_inst_executed.ratio / 32\n"
     "  warps at work? (-c occupancy)\n"
     "    sm__warps_active.avg.pct_of_peak_sustained_active\n"
     "  bytes moved, and time (bytes=... seconds=...)\n"
     "    dram__bytes.sum, gpu__time_duration.sum\n"
     "Hand them to `record LABEL ... -c NAME=SHARE` and `reconcile`, or to `advise ... measured=TIME -c`.",
     NULL, EXAMPLE},
    {"lesson", "the roofline at the board, seven steps in 23 minutes",
     "The roofline at the board, 23 minutes:\n"
     "  1. the question (2 min): why is a kernel slow? Two reasons only; do not say roofline yet.\n"
     "  2. the picture (4 min): a kitchen, its cooks (FLOP/s) and the doorway to its pantry (bytes/s).\n"
     "  3. two numbers (3 min): peak and bandwidth; divide them: the ridge.\n"
     "  4. the third (4 min): intensity is reuse; an addition by hand, then a matrix product.\n"
     "  5. the plot (5 min): sideways is reuse, up is speed; the ramp, the flat roof, the corner.\n"
     "  6. the demonstration (3 min): a naive product; read its ceiling first, then measure it.\n"
     "  7. when to stop (2 min): a dot on the roof is done.",
     work_roofline, EXAMPLE},
    {"prefixes", "decimal, binary, bits and bytes",
     "SI prefixes are decimal (1 GB = 10^9 B), binary ones are spelled out (1 GiB = 2^30 B, 7.4 %\n"
     "more). Network speeds are in bits: 8 per byte.",
     work_prefixes, EXAMPLE},
};

enum { TOPIC_COUNT = sizeof topics / sizeof topics[0] };

/** Other words for a topic. */
static const struct {
  const char *name, *topic;
} aliases[] = {
    {"arithmetic-intensity", "intensity"},
    {"ai", "intensity"},
    {"oi", "operational-intensity"},
    {"ridge-point", "ridge"},
    {"kitchen", "roofline"},
    {"attainable", "roofline"},
    {"ceiling", "roofline"},
    {"roof", "roofline"},
    {"bandwidth", "levels"},
    {"memory-bound", "memory"},
    {"compute-bound", "compute"},
    {"overhead-bound", "overhead"},
    {"network-bound", "network"},
    {"capacity-bound", "capacity"},
    {"launch", "overhead"},
    {"T_math", "regime"},
    {"T_comms", "network"},
    {"fma", "flop"},
    {"flops", "flop"},
    {"dtype", "precision"},
    {"tensor-core", "mma"},
    {"matrix-unit", "mma"},
    {"waterfall", "losses"},
    {"ecc", "losses"},
    {"quantization", "precision"},
    {"dequantization", "dequantisation"},
    {"nf4", "dequantisation"},
    {"awq", "dequantisation"},
    {"tiling", "tile"},
    {"fusion", "optimisations"},
    {"optimizations", "optimisations"},
    {"tree", "decisions"},
    {"mistakes", "errata"},
    {"books", "reading"},
    {"share", "efficiency"},
    {"sparsity", "sparse"},
    {"tpot", "ttft"},
    {"batching", "serving"},
    {"continuous-batching", "serving"},
    {"chunked-prefill", "serving"},
    {"chunk", "serving"},
    {"paging", "serving"},
    {"paged-attention", "serving"},
    {"queue", "serving"},
    {"preemption", "serving"},
    {"slo", "goodput"},
    {"draft", "speculation"},
    {"drafter", "speculation"},
    {"speculative-decoding", "speculation"},
    {"prefix-caching", "prefix-cache"},
    {"prompt-cache", "prefix-cache"},
    {"disaggregated", "disaggregation"},
    {"lora", "adapters"},
    {"mxfp4", "precision"},
    {"nvfp4", "precision"},
    {"mbu", "mfu"},
    {"hfu", "mfu"},
    {"tokens/s", "rates"},
    {"throughput", "rates"},
    {"price", "rates"},
    {"kv", "kv-cache"},
    {"latency", "overhead"},
    {"assumed", "kind"},
    {"bound", "bounds"},
    {"compulsory-bytes", "bytes"},
    {"decode", "ttft"},
    {"prefill", "ttft"},
    {"dense", "sparse"},
    {"expected-time", "expected"},
    {"launch-cost", "overhead"},
    {"level", "levels"},
    {"lever", "optimisations"},
    {"reconcile", "ledger"},
    {"seal", "ledger"},
    {"wave", "losses"},
    {"working-set", "work"},
};

enum { ALIAS_COUNT = sizeof aliases / sizeof aliases[0] };

/** People write "KV cache" for kv-cache. */
static int plain(char c) {
  return c == ' ' || c == '_' ? '-' : rf_lower((unsigned char)c);
}

static bool is_named(const char *name, const char *typed) {
  while (*name != '\0' && plain(*name) == plain(*typed)) {
    name++;
    typed++;
  }
  return *name == *typed;
}

static const char *name_of(const char *typed) {
  for (int i = 0; i < ALIAS_COUNT; i++) {
    if (is_named(aliases[i].name, typed)) {
      return aliases[i].topic;
    }
  }
  return typed;
}

const roof_topic *roof_topic_at(int index) {
  return index >= 0 && index < TOPIC_COUNT ? &topics[index] : NULL;
}

roof_status roof_topic_find(const char *name, const roof_topic **topic, roof_error *error) {
  enum { OP_MAX = 192 };
  const char *names[TOPIC_COUNT + OP_MAX + 1] = {NULL};
  const char *wanted = name_of(name);
  int count = 0;
  for (int i = 0; i < TOPIC_COUNT; i++) {
    names[count++] = topics[i].name;
    if (is_named(topics[i].name, wanted)) {
      *topic = &topics[i];
      return ROOF_OK;
    }
  }
  for (int i = 0; i < roof_op_count() && count < TOPIC_COUNT + OP_MAX; i++) {
    names[count++] = roof_op_at(i)->name;
  }
  return roof_error_unknown(error, "topic", name, names, "`roofline explain` lists them");
}
