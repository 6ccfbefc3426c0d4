/* The seven steps of analysing an inference system, filled in: phases, kernels, FLOPs, bytes, intensity, the
 * machine's critical intensity, and what only a profile can show. */
#include "cli/columns.h"
#include "cli/model/model.h"
#include "core/number.h"
#include "roofline/analysis.h"

static void title(roof_text *out, int step, const char *text) {
  roof_text_addf(out, "\n%d. %s\n", step, text);
}

/** A quantity, which may be unknown. */
#define QUANTITY(head, unit, type, member)                                                                   \
  { NULL, head, unit, .none = "unknown", CLI_FIELD(NUMBER, type, member) }
#define PLAIN(head, type, member)                                                                            \
  { .header = head, .digits = 6, CLI_FIELD(NUMBER, type, member) }

/* Phases. */

static bool is_present(const void *row) {
  return ((const roof_model_phase *)row)->present;
}

CLI_WORD(phase_name, roof_model_phase, roof_phase_name(r->kind))

static void add_phases(roof_text *out, const roof_model_answer *a, const cli_column *columns) {
  cli_rows rows = CLI_ROWS(columns, a->phases, ROOF_PHASE_COUNT);
  rows.shown = is_present;
  cli_columns_add_text(out, rows);
}

static const cli_column phase_columns[] = {{.header = "phase", .text = phase_name},
                                           PLAIN("sequences", roof_model_phase, sequences),
                                           PLAIN("tokens in", roof_model_phase, tokens),
                                           PLAIN("tokens out", roof_model_phase, yield),
                                           PLAIN("steps", roof_model_phase, steps),
                                           QUANTITY("expected", "s", roof_model_phase, expected_seconds),
                                           QUANTITY("at best", "s", roof_model_phase, lower_seconds),
                                           {0}};

static const cli_column class_columns[] = {
    {.header = "phase", .text = phase_name},
    QUANTITY("weights", "B", roof_model_phase, bytes[ROOF_BYTES_WEIGHTS]),
    QUANTITY("activations", "B", roof_model_phase, bytes[ROOF_BYTES_ACTIVATIONS]),
    QUANTITY("KV", "B", roof_model_phase, bytes[ROOF_BYTES_KV]),
    QUANTITY("memory", "B", roof_model_phase, memory_bytes),
    QUANTITY("network", "B", roof_model_phase, bytes[ROOF_BYTES_NETWORK]),
    {0}};

/* Kernels. */

CLI_WORD(kind_phase, roof_model_kind, roof_phase_name(r->phase))

static const cli_column kind_columns[] = {
    {.header = "phase", .text = kind_phase},
    {.header = "kernels of kind", CLI_FIELD(TEXT, roof_model_kind, name)},
    {.header = "count", .rank = 2, .digits = 6, CLI_FIELD(NUMBER, roof_model_kind, kernels)},
    QUANTITY("FLOP", "", roof_model_kind, flops),
    QUANTITY("bytes", "B", roof_model_kind, bytes),
    {.header = "FLOP/B", .rank = 1, .digits = 3, CLI_FIELD(NUMBER, roof_model_kind, intensity)},
    {.header = "bound", CLI_FIELD(REGIME, roof_model_kind, regime)},
    QUANTITY("time", "s", roof_model_kind, seconds),
    {NULL, "share", CLI_PERCENT(1), CLI_FIELD(NUMBER, roof_model_kind, share)},
    {0}};

static void add_kernels(roof_text *out, const roof_model_answer *a) {
  roof_model_kind kinds[ROOF_PHASE_COUNT * ROOF_OPERATION_KIND_COUNT];
  int count = 0;
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    count += roof_model_kinds(&a->phases[i], &kinds[count]);
  }
  cli_columns_add_text(out, CLI_ROWS(kind_columns, kinds, (size_t)count));
  roof_text_add(
      out, "  bound: what stops most of their time. overhead: their launches take longer than their work.\n");
}

/* Formats: bytes, the peak they are multiplied at, and the ridge. */

CLI_WORD(part_name, roof_model_format, roof_model_part_name(r->part))
/** What they are multiplied as, and why not as they were to be. */
static const char *compute_name(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_model_format *r = row;
  const char *compute = roof_dtype_name(r->compute), *wanted = roof_dtype_name(r->wanted);
  if (r->native) {
    return compute;
  }
  return r->wanted == r->compute ? cli_column_say(scratch, "%s: vector unit alone", compute)
         : r->lacks              ? cli_column_say(scratch, "%s: no native %s path", compute, wanted)
                                 : cli_column_say(scratch, "%s: %s peak not known", compute, wanted);
}

static const cli_column format_columns[] = {
    {.header = "weights", .text = part_name},
    {.header = "stored as", CLI_FIELD(NAME, roof_model_format, name)},
    {.header = "bytes each", .digits = 4, CLI_FIELD(NUMBER, roof_model_format, bytes)},
    {.header = "multiplied as", .text = compute_name},
    QUANTITY("peak", "FLOP/s", roof_model_format, flops_per_second),
    {.header = "ridge", .digits = 4, CLI_FIELD(NUMBER, roof_model_format, ridge)},
    {.header = "batch at the ridge", .fixed = true, CLI_FIELD(NUMBER, roof_model_format, batch)},
    {0}};

static void add_formats(roof_text *out, const roof_model_target *m) {
  roof_model_format formats[ROOF_PART_COUNT];
  int count = roof_model_formats(m, formats);
  cli_columns_add_text(out, CLI_ROWS(format_columns, formats, (size_t)count));
  roof_text_add(out, "  A product of B tokens has an intensity of about 2 B / bytes per weight while B is "
                     "small compared with its other dimensions.\n");
}

/** What the steps so far say of each phase: which side, and which bytes. */
static void add_sides(roof_text *out, const roof_model_answer *a) {
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    roof_model_side s;
    if (roof_model_phase_side(&a->phases[i], &s)) {
      roof_text_addf(out, "  %s: %.3g FLOP/B %s its ridge of %.4g: %s; most bytes are %s (%.0f %%)\n",
                     roof_phase_name((roof_phase)i), s.intensity, s.compute ? "over" : "under", s.ridge,
                     s.compute ? "compute-bound, so fewer FLOPs or a faster format help"
                               : "memory-bound, so fewer bytes help",
                     roof_bytes_class_name(s.most), 100 * s.most_share);
    }
  }
}

/* Launches. */

CLI_WORD(launch_name, roof_model_launches,
         cli_column_say(scratch, "%s%s", roof_launch_name(r->launch), r->chosen ? " *" : ""))

static const char *launch_kernels(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_model_launches *l = row;
  if (l->launch == ROOF_LAUNCH_PERSISTENT) {
    rf_format(scratch, CLI_SCRATCH, "1, %.0f barriers", l->barriers);
  } else {
    rf_format(scratch, CLI_SCRATCH, "%.0f (%.1f per layer)", l->kernels, l->layer_kernels);
  }
  return scratch;
}

static roof_status add_launches(roof_text *out, const roof_model_target *m, roof_error *error) {
  bool generates = roof_model_generates(m);
  const char *step = roof_phase_name(generates ? ROOF_PHASE_DECODE : roof_model_first_phase(m));
  const cli_column columns[] = {
      {.header = "launches", .text = launch_name},
      QUANTITY("a kernel", "s", roof_model_launches, kernel_seconds),
      {.header = "kernels per step", .text = launch_kernels, .right = true},
      QUANTITY(step, "s", roof_model_launches, step_seconds),
      QUANTITY(generates ? "prefill" : NULL, "s", roof_model_launches, ttft_seconds),
      {0}};
  roof_model_launches ways[ROOF_LAUNCH_COUNT];
  roof_status status = roof_model_launches_of(m, ways, error);
  if (status == ROOF_OK) {
    cli_columns_add_text(out, CLI_ROWS(columns, ways, ROOF_LAUNCH_COUNT));
    roof_text_addf(out, "  A kernel's cost is %s: %s.\n", roof_provenance_name(m->kernel.kind),
                   m->kernel.source);
  }
  return status;
}

/* Fusions. */

/** What one removes from the first phase, and from a decoding step. */
typedef struct fusion {
  const char *name, *planned;
  roof_model_saving first, step;
} fusion;

static void add_fusions(roof_text *out, const roof_model_target *m) {
  bool generates = roof_model_generates(m);
  const cli_column columns[] = {
      {.header = "fusion", CLI_FIELD(TEXT, fusion, name)},
      {.header = "in the plan", CLI_FIELD(TEXT, fusion, planned)},
      QUANTITY("bytes", "B", fusion, first.bytes),
      {.header = "kernels", .fixed = true, CLI_FIELD(NUMBER, fusion, first.kernels)},
      QUANTITY("time", "s", fusion, first.seconds),
      QUANTITY(generates ? "decode bytes" : NULL, "B", fusion, step.bytes), /* without: the end */
      {.header = "kernels", .fixed = true, CLI_FIELD(NUMBER, fusion, step.kernels)},
      QUANTITY("time", "s", fusion, step.seconds),
      {0}};
  fusion rows[ROOF_FUSION_COUNT];
  for (int i = 0; i < ROOF_FUSION_COUNT; i++) {
    rows[i] = (fusion){.name = roof_fusion_name(i, NULL),
                       .planned = m->settings.fusion >> i & 1 ? "yes" : "no",
                       .first = roof_model_fusion_saving(m, roof_model_first_phase(m), i)};
    if (generates) {
      rows[i].step = roof_model_fusion_saving(m, ROOF_PHASE_DECODE, i);
    }
  }
  roof_text_addf(out, "\n  What each fusion removes from the first phase,%s in the plan or not:\n",
                 generates ? " and from a decoding step," : "");
  cli_columns_add_text(out, CLI_ROWS(columns, rows, ROOF_FUSION_COUNT));
}

roof_status cli_model_report(roof_text *out, const roof_model_target *m, const roof_model_answer *a,
                             roof_error *error) {
  title(out, 1, "Phases: how many tokens share one reading of the weights");
  add_phases(out, a, phase_columns);
  title(out, 2, "Kernels of each phase; 3. their FLOPs; 4. their bytes; 5. their intensity");
  add_kernels(out, a);
  roof_text_add(out, "\n");
  add_phases(out, a, class_columns);
  title(out, 6, "Critical intensity of the machine, and what the formats move");
  add_formats(out, m);
  add_sides(out, a);
  title(out, 7, "Overhead and overlap: to be confirmed by a profile");
  roof_status status = add_launches(out, m, error);
  add_fusions(out, m);
  roof_text_add(out, "\n  Not in these figures; profile for: launch gaps of the host, latency of scattered "
                     "reads, hits in caches, the "
                     "cost of dequantising, the scheduler's packing of batches, latency of small "
                     "collectives, overlap that fails.\n");
  return status;
}
