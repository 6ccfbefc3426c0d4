#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/loop.h"
#include "roofline/draw.h"

enum { SHORT = 40, LINE = 512, METHOD_MAX = 8 + ROOF_NOTE_MAX };

/** Cells of a table as they are made, row by row; a NULL follows the last. */
typedef struct sheet {
  char **cells;
  int count;
  bool failed;
} sheet;

ROOF_PRINTF(2, 3) static void add_cell(sheet *s, const char *format, ...) {
  char *cell = NULL;
  char **more = realloc(s->cells, ((size_t)s->count + 2) * sizeof *more);
  va_list arguments;
  va_start(arguments, format);
  s->cells = more != NULL ? more : s->cells;
  if (more == NULL || vasprintf(&cell, format, arguments) < 0) {
    s->failed = true;
  } else {
    s->cells[s->count++] = cell;
    s->cells[s->count] = NULL;
  }
  va_end(arguments);
}

static void add_cells(sheet *s, const char *const *texts, int count) {
  for (int i = 0; i < count; i++) {
    add_cell(s, "%s", texts[i]);
  }
}

static void sheet_done(sheet *s) {
  for (int i = 0; i < s->count; i++) {
    free(s->cells[i]);
  }
  free(s->cells);
}

static void add_quantity(sheet *s, double value, const char *unit) {
  char text[SHORT];
  add_cell(s, "%s", isnan(value) ? "" : roof_quantity_format(text, sizeof text, value, unit));
}

static void add_percent(sheet *s, double share) {
  char text[SHORT] = "";
  if (!isnan(share)) {
    snprintf(text, sizeof text, "%.1f %%", 100 * share);
  }
  add_cell(s, "%s", text);
}

const roof_loop_kernel *roof_loop_worst(const roof_loop *loop) {
  const roof_loop_kernel *worst = NULL;
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    if (k->skipped[0] == '\0' && (worst == NULL || k->reconciled.headroom > worst->reconciled.headroom)) {
      worst = k;
    }
  }
  return worst;
}

void roof_loop_answer(const roof_loop *loop, char *buffer, size_t size) {
  const roof_loop_kernel *worst = roof_loop_worst(loop);
  if (worst == NULL) {
    snprintf(buffer, size, "no kernel could run on %s", loop->machine.title);
    return;
  }
  snprintf(buffer, size, "%d kernels in %s on %s (%g cores): most headroom in %s, %.3gx from its ceiling",
           loop->done, roof_dtype_name(loop->dtype), loop->machine.title, loop->machine.unit_count,
           worst->kernel->name, worst->reconciled.headroom);
}

enum { KERNEL_COLUMNS = 9 };
static const char *const kernel_header[KERNEL_COLUMNS] = {
    "kernel", "predicted", "measured", "regime", "of ceiling", "gap", "headroom", "verdict", "shape"};

static void add_kernel(sheet *s, const roof_loop_kernel *k) {
  const roof_reconciled *r = &k->reconciled;
  add_cell(s, "%s", k->kernel->name);
  add_quantity(s, r->predicted_seconds, "s");
  add_quantity(s, r->measured_seconds, "s");
  add_cell(s, "%s (%s)", r->regime, r->binding);
  add_percent(s, r->fraction_of_ceiling);
  add_cell(s, "%.1f %s", fabs(r->gap_points), r->gap_points >= 0 ? "below" : "above");
  add_cell(s, "%.2fx", r->headroom);
  add_cell(s, "%s", r->verdict);
  add_cell(s, "%s", k->shape);
}

static void add_kernels(sheet *s, const roof_loop *loop) {
  add_cells(s, kernel_header, KERNEL_COLUMNS);
  for (int i = 0; i < loop->count; i++) {
    if (loop->kernels[i].skipped[0] == '\0') {
      add_kernel(s, &loop->kernels[i]);
    }
  }
}

static void add_because(roof_text *out, const roof_loop_kernel *k) {
  roof_text_addf(out, "%s%s%s", k->reconciled.because, k->again[0] != '\0' ? "; " : "", k->again);
}

/** What the figures rest on: the ceilings, the ledger and how the machine behaved. */
static void add_context(roof_text *out, const roof_loop *loop) {
  const roof_machine *m = &loop->machine;
  const roof_peak *peak = loop->target.peak[ROOF_VECTOR];
  const roof_level *memory = loop->target.level[loop->target.memory];
  char compute[SHORT], read[SHORT], triad[SHORT];
  if (peak != NULL && memory != NULL) {
    roof_text_addf(out, "  ceilings: %s %s; %s read %s, triad %s\n", roof_dtype_name(peak->dtype),
                   roof_quantity_format(compute, SHORT, peak->flops_per_second, "FLOP/s"), memory->name,
                   roof_quantity_format(read, SHORT, roof_level_bandwidth(memory, 0), "B/s"),
                   roof_quantity_format(triad, SHORT, roof_level_bandwidth(memory, 1.0 / 3), "B/s"));
  }
  for (int i = 0; i < m->note_count; i++) {
    roof_text_addf(out, "  %s\n", m->notes[i]);
  }
  roof_text_addf(out, "  sealed in %s before measuring; the gap is in points from the expected share\n",
                 loop->ledger);
}

void roof_loop_text(const roof_loop *loop, roof_text *out) {
  char answer[LINE];
  sheet s = {0};
  roof_loop_answer(loop, answer, sizeof answer);
  roof_text_addf(out, "%s; report: %s\n\n", answer, loop->report);
  add_kernels(&s, loop);
  if (!s.failed) {
    roof_text_add_table(out, (const char *const *)s.cells, KERNEL_COLUMNS, s.count / KERNEL_COLUMNS,
                        "lrrlrrrll");
  }
  out->failed |= s.failed;
  sheet_done(&s);
  roof_text_add(out, "\n");
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    if (k->skipped[0] != '\0') {
      roof_text_addf(out, "  skipped %s: %s\n", k->kernel->name, k->skipped);
    } else if (k->again[0] != '\0') {
      roof_text_addf(out, "  %s %s\n", k->kernel->name, k->again);
    }
  }
  add_context(out, loop);
}

static json_t *entry_json(const roof_loop_kernel *k) {
  const roof_reconciled *r = &k->reconciled;
  roof_text because = {0};
  add_because(&because, k);
  json_t *entry =
      json_pack("{s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:[]}", "label", r->label,
                "predicted_seconds", roof_json_number(r->predicted_seconds), "measured_seconds",
                roof_json_number(r->measured_seconds), "regime", r->regime, "binding", r->binding,
                "fraction_of_ceiling", roof_json_number(r->fraction_of_ceiling), "headroom",
                roof_json_number(r->headroom), "verdict", r->verdict, "because",
                because.failed ? "" : because.data, "gap", roof_json_number(r->gap_points), "causes");
  roof_text_done(&because);
  return entry;
}

json_t *roof_loop_json(const roof_loop *loop) {
  json_t *entries = json_array(), *skipped = json_array();
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    if (k->skipped[0] != '\0') {
      json_array_append_new(skipped, json_pack("{s:s, s:s}", "what", k->kernel->name, "why", k->skipped));
    } else {
      json_array_append_new(entries, entry_json(k));
    }
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:o, s:{s:[], s:[]}, s:o}", "schema", "roofline.reconcile/1",
                   "machine", loop->machine.name, "ledger", loop->ledger, "report", loop->report, "entries",
                   entries, "unmatched", "predictions", "measurements", "skipped", skipped);
}

enum { CEILING_COLUMNS = 7 };
static const char *const ceiling_header[CEILING_COLUMNS] = {"ceiling",      "cores",  "measured", "limit",
                                                            "of the limit", "spread", "how"};

static void add_cores(sheet *s, const roof_machine *m, int cores) {
  add_cell(s, "%g", cores > 0 ? cores : m->unit_count);
}

static void add_ceiling(sheet *s, double value, double limit, double spread, const char *unit,
                        const char *how) {
  add_quantity(s, value, unit);
  add_quantity(s, limit, unit);
  add_percent(s, value / limit);
  add_percent(s, spread);
  add_cell(s, "%s", how);
}

static void add_level(sheet *s, const roof_machine *m, const roof_level *level) {
  const struct {
    const char *pattern;
    double rate;
  } rates[] = {{"", level->bytes_per_second},
               {" read", level->read_bytes_per_second},
               {" write", level->write_bytes_per_second},
               {" copy", level->copy_bytes_per_second},
               {" triad", level->triad_bytes_per_second}};
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
    if (!isnan(rates[i].rate)) {
      add_cell(s, "%s%s", level->name, rates[i].pattern);
      add_cores(s, m, level->cores);
      add_ceiling(s, rates[i].rate, level->limit_bytes_per_second, level->spread, "B/s", level->source);
    }
  }
}

static void add_ceilings(sheet *s, const roof_machine *m) {
  add_cells(s, ceiling_header, CEILING_COLUMNS);
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *peak = &m->peaks[i];
    if (!isnan(peak->flops_per_second)) {
      add_cell(s, "%s %s%s%s", roof_dtype_name(peak->dtype), roof_unit_name(peak->unit),
               peak->isa[0] != '\0' ? ", " : "", peak->isa);
      add_cores(s, m, peak->cores);
      add_ceiling(s, peak->flops_per_second, peak->limit_flops_per_second, peak->spread, "FLOP/s",
                  peak->source);
    }
  }
  for (int i = 0; i < m->level_count; i++) {
    add_level(s, m, &m->levels[i]);
  }
  if (!isnan(m->launch_seconds)) {
    add_cell(s, "parallel region");
    add_cores(s, m, 0);
    add_ceiling(s, m->launch_seconds, NAN, NAN, "s", "time of one empty parallel region");
  }
}

static void add_dots(roof_scene *scene, const roof_loop_kernel *k) {
  const roof_prediction *p = &k->prediction;
  char measured[SHORT], predicted[SHORT];
  roof_scene_dot dot = {
      .intensity = p->intensity, .flops_per_second = p->work.flops / k->measured_seconds, .next = -1};
  snprintf(dot.label, sizeof dot.label, "%s", k->kernel->name);
  snprintf(dot.detail, sizeof dot.detail, "%.90s: %s measured, %s predicted, %.0f %%", k->label,
           roof_quantity_format(measured, SHORT, k->measured_seconds, "s"),
           roof_quantity_format(predicted, SHORT, p->expected_seconds, "s"),
           100 * k->reconciled.fraction_of_ceiling);
  int index = roof_scene_add_dot(scene, &dot);
  dot.flops_per_second = p->work.flops / p->expected_seconds;
  dot.label[0] = '\0';
  dot.predicted = true;
  dot.next = index;
  roof_scene_add_dot(scene, &dot);
}

static roof_status build_scene(const roof_loop *loop, roof_scene *scene, roof_error *error) {
  roof_scene_init(scene);
  snprintf(scene->title, sizeof scene->title, "%s, %s", loop->machine.title, roof_dtype_name(loop->dtype));
  snprintf(scene->subtitle, sizeof scene->subtitle,
           "solid: theoretical limit; dashed: achieved; hollow: predicted; filled: measured");
  roof_loop_answer(loop, scene->description, sizeof scene->description);
  roof_status status = roof_scene_add_machine(scene, &loop->machine, loop->dtype, error);
  for (int i = 0; i < loop->count && status == ROOF_OK; i++) {
    if (loop->kernels[i].skipped[0] == '\0') {
      add_dots(scene, &loop->kernels[i]);
    }
  }
  return status;
}

static void add_caches(sheet *s, const roof_machine *m) {
  roof_text text = {0};
  for (int i = 0; i < m->level_count; i++) {
    const roof_level *level = &m->levels[i];
    char size[SHORT];
    if (!isnan(level->bytes)) {
      roof_text_addf(&text, "%s%s %s", text.length > 0 ? ", " : "", level->name,
                     roof_bytes_format(size, SHORT, level->bytes));
      if (level->instances > 1) {
        roof_text_addf(&text, " x %g", level->instances);
      }
    }
  }
  if (text.length > 0) {
    add_cell(s, "Memory: %s.", text.data);
  }
  roof_text_done(&text);
}

static void add_method(sheet *s, const roof_loop *loop) {
  const roof_machine *m = &loop->machine;
  char clock[SHORT];
  add_cell(s, "Processor: %s, %g %s; clock %s.", m->title, m->unit_count, m->unit_kind,
           roof_quantity_format(clock, SHORT, m->clock_hz, "Hz"));
  add_caches(s, m);
  add_cell(s, "Measured on %s by roofline %s, backend %s%s.", m->date, ROOFLINE_VERSION, loop->backend->name,
           loop->options.quick ? ", quick" : "");
  add_cell(s,
           "Each kernel is checked against a scalar reference before it is timed; its time is the median of "
           "the samples, all of which are in the ledger %s.",
           loop->ledger);
  add_cell(s,
           "Predicted is the bound of the measured ceilings divided by the typical efficiency, 0.78, and was "
           "sealed before the kernel ran; headroom is the measured time over the bound.");
  for (int i = 0; i < m->note_count; i++) {
    add_cell(s, "%s", m->notes[i]);
  }
}

enum { REASON_COLUMNS = 3 };
static const char *const reason_header[REASON_COLUMNS] = {"kernel", "because", "measured"};

/** The verdicts with their reasons, and what was skipped with its own. */
static void add_reasons(sheet *s, const roof_loop *loop) {
  add_cells(s, reason_header, REASON_COLUMNS);
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    roof_text because = {0};
    if (k->skipped[0] == '\0') {
      add_because(&because, k);
    } else {
      roof_text_addf(&because, "skipped: %s", k->skipped);
    }
    add_cell(s, "%s", k->kernel->name);
    add_cell(s, "%s", because.failed ? "" : because.data);
    add_cell(s, "%s", k->how);
    roof_text_done(&because);
  }
}

static roof_table table_of(const char *title, const sheet *s, int columns) {
  return (roof_table){.title = title,
                      .cells = (const char *const *)s->cells,
                      .columns = columns,
                      .rows = s->count / columns - 1};
}

roof_status roof_loop_html(const roof_loop *loop, roof_text *out, roof_error *error) {
  enum { RESULTS, REASONS, CEILINGS, TABLES };
  sheet sheets[TABLES] = {{0}}, method = {0};
  char answer[LINE];
  roof_status status = ROOF_OK;
  roof_scene *scene = malloc(sizeof *scene);
  roof_loop_answer(loop, answer, sizeof answer);
  add_kernels(&sheets[RESULTS], loop);
  add_reasons(&sheets[REASONS], loop);
  add_ceilings(&sheets[CEILINGS], &loop->machine);
  add_method(&method, loop);
  roof_table tables[TABLES] = {
      table_of("Predicted and measured", &sheets[RESULTS], KERNEL_COLUMNS),
      table_of("Why", &sheets[REASONS], REASON_COLUMNS),
      table_of("Ceilings of this machine", &sheets[CEILINGS], CEILING_COLUMNS),
  };
  const char *const summary[] = {answer, NULL};
  bool failed = scene == NULL || method.failed;
  for (int i = 0; i < TABLES; i++) {
    failed |= sheets[i].failed;
  }
  if (failed) {
    status = roof_error_set(error, ROOF_E_MEMORY, "report: out of memory");
    goto cleanup;
  }
  status = build_scene(loop, scene, error);
  if (status == ROOF_OK) {
    status = roof_draw_html("Roofline report", summary, scene, tables, TABLES,
                            (const char *const *)method.cells, out, error);
  }
cleanup:
  for (int i = 0; i < TABLES; i++) {
    sheet_done(&sheets[i]);
  }
  sheet_done(&method);
  free(scene);
  return status;
}
