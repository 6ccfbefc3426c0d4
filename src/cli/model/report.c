/* The seven steps of analysing an inference system, filled in: phases, kernels, FLOPs, bytes, intensity, the
 * machine's critical intensity, and what only a profile can show. */
#include <math.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/model/model.h"
#include "core/number.h"

enum { SHORT = 48, COLUMNS = 9, ROWS = 32 };

/** A table put together row by row. */
typedef struct table {
  char text[ROWS][COLUMNS][SHORT];
  const char *cells[(ROWS + 1) * COLUMNS];
  int columns, rows;
} table;

static void start_table(table *t, const char *const *header, int columns) {
  t->columns = columns;
  t->rows = 0;
  memcpy(t->cells, header, (size_t)columns * sizeof *header);
}

/** The next row's cells, to be filled. */
static char (*add_row(table *t))[SHORT] {
  int row = t->rows < ROWS - 1 ? t->rows++ : t->rows;
  for (int c = 0; c < t->columns; c++) {
    t->text[row][c][0] = '\0';
    t->cells[(row + 1) * t->columns + c] = t->text[row][c];
  }
  return t->text[row];
}

static void end_table(roof_text *out, const table *t, const char *alignment) {
  cli_text_add_table(out, t->cells, t->columns, t->rows + 1, alignment);
}

static void quantity(char *cell, double value, const char *unit) {
  roof_quantity_format(cell, SHORT, value, unit);
}

static void title(roof_text *out, int step, const char *text) {
  roof_text_addf(out, "\n%d. %s\n", step, text);
}

static void add_phases(roof_text *out, const roof_model_answer *a) {
  static const char *const header[] = {"phase", "sequences", "tokens in", "tokens out",
                                       "steps", "expected",  "at best"};
  table t;
  title(out, 1, "Phases: how many tokens share one reading of the weights");
  start_table(&t, header, 7);
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    const roof_model_phase *p = &a->phases[i];
    if (p->present) {
      char(*row)[SHORT] = add_row(&t);
      snprintf(row[0], SHORT, "%s", roof_phase_name((roof_phase)i));
      rf_format(row[1], SHORT, "%.6g", p->sequences);
      rf_format(row[2], SHORT, "%.6g", p->tokens);
      rf_format(row[3], SHORT, "%.6g", p->yield);
      rf_format(row[4], SHORT, "%.6g", p->steps);
      quantity(row[5], p->expected_seconds, "s");
      quantity(row[6], p->lower_seconds, "s");
    }
  }
  end_table(out, &t, "lrrrrrr");
}

/** Figures of one kind of kernel in a phase. */
typedef struct sums {
  double kernels, flops, bytes, seconds;
  double regimes[ROOF_REGIME_COUNT]; /**< of the seconds, by what binds */
  roof_regime longest;
} sums;

static sums sum_kind(const roof_model_phase *p, roof_operation_kind kind) {
  sums s = {0};
  for (int i = 0; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    if (o->kind == kind) {
      s.kernels += o->count * o->kernels;
      s.flops += o->count * o->flops;
      s.bytes += o->count *
                 (o->bytes[ROOF_BYTES_WEIGHTS] + o->bytes[ROOF_BYTES_ACTIVATIONS] + o->bytes[ROOF_BYTES_KV]);
      s.seconds += o->count * o->expected_seconds;
      s.regimes[o->regime] += o->count * o->expected_seconds;
    }
  }
  for (int i = 0; i < ROOF_REGIME_COUNT; i++) {
    s.longest = s.regimes[i] > s.regimes[s.longest] ? (roof_regime)i : s.longest;
  }
  return s;
}

/** Products of one row are vectors' (GEMV), of more are matrices' (GEMM). */
static const char *kind_name(const roof_model_phase *p, roof_operation_kind kind) {
  return kind != ROOF_KIND_PRODUCT  ? roof_operation_kind_name(kind)
         : p->tokens / p->steps > 1 ? "GEMM"
                                    : "GEMV";
}

static void add_kernels(roof_text *out, const roof_model_answer *a) {
  static const char *const header[] = {"phase",  "kernels of kind", "count", "FLOP", "bytes",
                                       "FLOP/B", "bound",           "time",  "share"};
  table t;
  title(out, 2, "Kernels of each phase; 3. their FLOPs; 4. their bytes; 5. their intensity");
  start_table(&t, header, 9);
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    const roof_model_phase *p = &a->phases[i];
    for (int kind = 0; kind < ROOF_OPERATION_KIND_COUNT && p->present; kind++) {
      sums s = sum_kind(p, (roof_operation_kind)kind);
      if (s.seconds > 0) {
        char(*row)[SHORT] = add_row(&t);
        snprintf(row[0], SHORT, "%s", roof_phase_name((roof_phase)i));
        snprintf(row[1], SHORT, "%s", kind_name(p, (roof_operation_kind)kind));
        rf_format(row[2], SHORT, "%.6g", s.kernels);
        quantity(row[3], s.flops, "");
        quantity(row[4], s.bytes, "B");
        rf_format(row[5], SHORT, s.bytes > 0 ? "%.3g" : "-", s.flops / s.bytes);
        snprintf(row[6], SHORT, "%s", roof_regime_name(s.longest));
        quantity(row[7], s.seconds, "s");
        rf_format(row[8], SHORT, "%.1f %%", 100 * s.seconds / p->expected_seconds);
      }
    }
  }
  end_table(out, &t, "llrrrrlrr");
  roof_text_add(
      out, "  bound: what stops most of their time. overhead: their launches take longer than their work.\n");
}

static void add_classes(roof_text *out, const roof_model_answer *a) {
  static const char *const header[] = {"phase", "weights", "activations", "KV", "memory", "network"};
  table t;
  roof_text_add(out, "\n");
  start_table(&t, header, 6);
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    const roof_model_phase *p = &a->phases[i];
    if (p->present) {
      char(*row)[SHORT] = add_row(&t);
      snprintf(row[0], SHORT, "%s", roof_phase_name((roof_phase)i));
      quantity(row[1], p->bytes[ROOF_BYTES_WEIGHTS], "B");
      quantity(row[2], p->bytes[ROOF_BYTES_ACTIVATIONS], "B");
      quantity(row[3], p->bytes[ROOF_BYTES_KV], "B");
      quantity(row[4], p->memory_bytes, "B");
      quantity(row[5], p->bytes[ROOF_BYTES_NETWORK], "B");
    }
  }
  end_table(out, &t, "lrrrrr");
}

/** What the formats of the weights change: bytes, the peak they are multiplied at, and the ridge. */
static void add_formats(roof_text *out, const roof_model_target *m) {
  static const char *const header[] = {"weights", "stored as", "bytes each",        "multiplied as",
                                       "peak",    "ridge",     "batch at the ridge"};
  table t;
  title(out, 6, "Critical intensity of the machine, and what the formats move");
  start_table(&t, header, 7);
  double bandwidth = 1 / m->plain.seconds_per_byte[m->plain.memory][0];
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    const roof_peak *peak = m->parts[part].peak[ROOF_MATRIX];
    if (m->parameters.parts[part] <= 0) {
      continue;
    }
    char(*row)[SHORT] = add_row(&t);
    double rate = peak != NULL ? peak->flops_per_second : NAN;
    snprintf(row[0], SHORT, "%s", roof_model_part_name((roof_model_part)part));
    roof_weight_format_name(&m->settings.precision.weights[part], row[1], SHORT);
    rf_format(row[2], SHORT, "%.4g", m->weight_bytes[part]);
    snprintf(row[3], SHORT, "%s%s", roof_dtype_name(m->parts[part].types.compute),
             m->native[part] ? "" : ": no native path");
    quantity(row[4], rate, "FLOP/s");
    rf_format(row[5], SHORT, "%.4g", rate / bandwidth);
    snprintf(row[6], SHORT, "%.0f", ceil(rate / bandwidth * m->weight_bytes[part] / 2));
  }
  end_table(out, &t, "llrlrrr");
  roof_text_add(out, "  A product of B tokens has an intensity of about 2 B / bytes per weight while B is "
                     "small compared with its other dimensions.\n");
}

/** What the steps so far say of each phase: which side, and which bytes. */
static void add_sides(roof_text *out, const roof_model_answer *a) {
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    const roof_model_phase *p = &a->phases[i];
    if (!p->present || !(p->compute_seconds + p->memory_seconds > 0)) {
      continue;
    }
    int most = 0;
    for (int k = 0; k < ROOF_BYTES_NETWORK; k++) {
      most = p->bytes[k] > p->bytes[most] ? k : most;
    }
    double intensity = p->flops / p->memory_bytes;
    bool compute = p->compute_seconds >= p->memory_seconds;
    roof_text_addf(out, "  %s: %.3g FLOP/B %s its ridge of %.4g: %s; most bytes are %s (%.0f %%)\n",
                   roof_phase_name((roof_phase)i), intensity, compute ? "over" : "under",
                   intensity * p->memory_seconds / p->compute_seconds,
                   compute ? "compute-bound, so fewer FLOPs or a faster format help"
                           : "memory-bound, so fewer bytes help",
                   roof_bytes_class_name((roof_bytes_class)most), 100 * p->bytes[most] / p->memory_bytes);
  }
}

static roof_status add_launches(roof_text *out, const roof_model_target *m, roof_error *error) {
  bool generates = roof_model_generates(m);
  roof_phase step = generates ? ROOF_PHASE_DECODE : roof_model_first_phase(m);
  const char *const header[] = {"launches", "a kernel", "kernels per step", roof_phase_name(step), "prefill"};
  static roof_model_answer other;
  table t;
  start_table(&t, header, generates ? 5 : 4);
  for (int mode = 0; mode < ROOF_LAUNCH_COUNT; mode++) {
    roof_model_settings settings = m->settings;
    roof_model_target changed;
    settings.launch = (roof_launch)mode;
    roof_status status = roof_model_target_init(&changed, m->model, m->machine, &settings, error);
    if (status != ROOF_OK) {
      return status;
    }
    roof_model_answer_of(&changed, &other);
    const roof_model_phase *next = &other.phases[step];
    char(*row)[SHORT] = add_row(&t);
    snprintf(row[0], SHORT, "%s%s", roof_launch_name((roof_launch)mode),
             settings.launch == m->settings.launch ? " *" : "");
    quantity(row[1], changed.kernel.seconds, "s");
    rf_format(row[2], SHORT, "%.0f (%.1f per layer)", next->kernels, next->kernels / m->model->layer_count);
    if (mode == ROOF_LAUNCH_PERSISTENT) {
      snprintf(row[2], SHORT, "1, %.0f barriers", next->overhead_seconds / changed.kernel.seconds);
    }
    quantity(row[3], next->expected_seconds, "s");
    if (generates) {
      quantity(row[4], other.ttft_seconds, "s");
    }
  }
  end_table(out, &t, "lrrrr");
  roof_text_addf(out, "  A kernel's cost is %s: %s.\n", roof_provenance_name(m->kernel.kind),
                 m->kernel.source);
  return ROOF_OK;
}

static void add_fusions(roof_text *out, const roof_model_target *m) {
  static const char *const header[] = {"fusion", "in the plan",  "bytes",   "kernels",
                                       "time",   "decode bytes", "kernels", "time"};
  table t;
  bool generates = roof_model_generates(m);
  roof_text_addf(out, "\n  What each fusion removes from the first phase,%s in the plan or not:\n",
                 generates ? " and from a decoding step," : "");
  start_table(&t, header, generates ? 8 : 5);
  for (int i = 0; i < ROOF_FUSION_COUNT; i++) {
    roof_model_saving s = roof_model_fusion_saving(m, roof_model_first_phase(m), i);
    char(*row)[SHORT] = add_row(&t);
    snprintf(row[0], SHORT, "%s", roof_fusion_name(i, NULL));
    snprintf(row[1], SHORT, "%s", m->settings.fusion >> i & 1 ? "yes" : "no");
    quantity(row[2], s.bytes, "B");
    snprintf(row[3], SHORT, "%.0f", s.kernels);
    quantity(row[4], s.seconds, "s");
    if (generates) {
      s = roof_model_fusion_saving(m, ROOF_PHASE_DECODE, i);
      quantity(row[5], s.bytes, "B");
      snprintf(row[6], SHORT, "%.0f", s.kernels);
      quantity(row[7], s.seconds, "s");
    }
  }
  end_table(out, &t, "llrrrrrr");
}

static void add_open(roof_text *out) {
  roof_text_add(out, "\n  Not in these figures; profile for: launch gaps of the host, latency of scattered "
                     "reads, hits in caches, the\n"
                     "  cost of dequantising, the scheduler's packing of batches, latency of small "
                     "collectives, overlap that fails.\n");
}

roof_status cli_model_report(roof_text *out, const roof_model_target *m, const roof_model_answer *a,
                             roof_error *error) {
  add_phases(out, a);
  add_kernels(out, a);
  add_classes(out, a);
  add_formats(out, m);
  add_sides(out, a);
  title(out, 7, "Overhead and overlap: to be confirmed by a profile");
  roof_status status = add_launches(out, m, error);
  add_fusions(out, m);
  add_open(out);
  return status;
}
