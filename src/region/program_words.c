/* What a program did, in words: its time, what was counted, remarks, whose ceilings. */
#include <math.h>

#include "region/program.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { SHORT = 48 };

/** "3 runs of 1.2 s, 1.9 cores busy; ..." */
void roof_program_usage_describe(roof_text *out, const roof_program *program) {
  const roof_program_usage *u = &program->usage;
  char wall[SHORT], user[SHORT], kernel[SHORT], peak[SHORT];
  int runs = program->options.runs;
  roof_text_addf(out, "%s: %d run%s of %s, %.2f cores busy: user %s, system %s\n", program->name, runs,
                 runs == 1 ? "" : "s", roof_quantity_format(wall, SHORT, u->seconds, "s"), u->cores_busy,
                 roof_quantity_format(user, SHORT, u->user_seconds, "s"),
                 roof_quantity_format(kernel, SHORT, u->system_seconds, "s"));
  roof_text_addf(out, "  %s resident at most; context switches: %.0f waiting, %.0f forced\n",
                 roof_bytes_format(peak, sizeof peak, u->peak_bytes), u->voluntary_switches,
                 u->involuntary_switches);
}

/** What was counted by hardware, or why not. */
void roof_program_counters_describe(roof_text *out, const roof_program *program) {
  const roof_program_counters *c = &program->counters;
  char total[SHORT];
  roof_text_addf(out, "  counters: FLOPs: %s", c->count > 0 ? "" : c->flops_reason);
  for (int k = 0; k < c->count; k++) {
    roof_text_addf(out, "%s%s in %s (%s)", k > 0 ? ", " : "",
                   roof_quantity_format(total, SHORT, c->list[k].flops, "FLOP"),
                   roof_dtype_name(c->list[k].dtype), c->list[k].name);
  }
  roof_text_addf(out, "\n  counters: memory: %s\n",
                 c->memory_reason[0] != '\0' ? c->memory_reason
                                             : roof_quantity_format(total, SHORT, c->memory_bytes, "B"));
}

static bool is_unknown(const roof_program_part *part) {
  return isnan(part->measurement.flops) && isnan(part->measurement.bytes);
}

/** Whose rates they are, and which rank the others wait for. */
static void add_ranks(const roof_program_part *part, roof_text *out) {
  static const double even = 0.02;
  double over = part->slowest_seconds / part->mean_seconds - 1;
  roof_text_addf(
      out,
      "  %s: the rates are those of its %d ranks, %.0f thread%s in all, under the roof of as many cores; ",
      part->measurement.label, part->ranks, part->threads, part->threads == 1 ? "" : "s");
  if (over > even) {
    roof_text_addf(out, "rank %d took longest, %.0f %% over their mean\n", part->slowest_rank, 100 * over);
  } else {
    roof_text_add(out, "they took equally long\n");
  }
}

const char *rf_program_above(roof_regime regime) {
  return regime == ROOF_COMPUTE_BOUND
             ? "above the peak, which no cache lifts: it does less than it says"
             : "above the roof: its data stay in a cache, or it does less than it says";
}

static void add_remark(const roof_program_part *part, roof_text *out) {
  const roof_measurement *m = &part->measurement;
  if (is_unknown(part)) {
    roof_text_addf(out, "  %s: its FLOPs and bytes are unknown, so it has no place on a roofline\n",
                   m->label);
  } else if (part->placed.state > ROOF_PLACE_POSSIBLE) {
    roof_text_addf(out, "  %s: %s\n", m->label, rf_program_above(part->placed.regime));
  }
  if (part->ranks > 1) {
    add_ranks(part, out);
  } else if (part->threads > 1) {
    roof_text_addf(out, "  %s: the rates are those of its %.0f threads, taken to run at the same time\n",
                   m->label, part->threads);
  }
}

void rf_program_unused_describe(roof_text *out, const roof_program *program) {
  const roof_program_options *o = &program->options;
  bool flops = !isnan(o->flops), bytes = !isnan(o->bytes), op = o->label[0] != '\0';
  if (program->region_count > 0 && (flops || bytes)) {
    roof_text_addf(out, "  %s: not used: the program marks regions, which say what they do\n",
                   op               ? "--op"
                   : flops && bytes ? "--flops, --bytes"
                   : flops          ? "--flops"
                                    : "--bytes");
  }
}

void roof_program_remarks_describe(roof_text *out, const roof_program *program) {
  int count = 0;
  const roof_program_part *parts = roof_program_parts(program, &count);
  for (int i = 0; i < count; i++) {
    add_remark(&parts[i], out);
  }
  rf_program_unused_describe(out, program);
  for (size_t i = 0; i < program->missed.skipped_count; i++) {
    roof_text_addf(out, "  %s: %s\n", program->missed.skipped[i].what, program->missed.skipped[i].why);
  }
  if (program->region_count == 0 && is_unknown(&program->whole)) {
    roof_text_add(out, "  no region was marked (docs/regions.md); --flops and --bytes, or --op, say what the "
                       "program does\n");
  }
}

void roof_program_ceilings_describe(roof_text *out, const roof_program *program) {
  const roof_machine *machine = program->ceilings.machine;
  if (machine == NULL) {
    roof_text_add(out, "  ceilings: unknown; `roofline measure` finds them\n");
    return;
  }
  bool measured = machine->kind == ROOF_MEASURED;
  if (program->options.cores > 0) {
    roof_text_addf(out, "  ceilings: %d of the cores of %s\n", program->options.cores, machine->name);
  } else {
    roof_text_addf(out, "  ceilings: %s%s%s\n", machine->name, measured ? " as measured on " : "",
                   measured ? machine->date : "");
  }
  if (program->region_count > 0) {
    roof_text_add(
        out, "  each region is set against as many cores as called it, unless it did more than they can\n");
  }
}
