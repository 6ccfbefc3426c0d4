/* The report of the loop: one HTML page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "loop/loop.h"
#include "roofline/draw.h"
#include "roofline/page.h"
#include "roofline/units.h"
#include "roofline/version.h"

enum { SHORT = 40, CEILING_COLUMNS = 7, REASON_COLUMNS = 3 };

static void add_quantity(rf_cells *grid, double value, const char *unit) {
  char text[SHORT];
  rf_cells_add(grid, "%s", isnan(value) ? "" : roof_quantity_format(text, sizeof text, value, unit));
}

static void add_percent(rf_cells *grid, double share) {
  char text[SHORT] = "";
  if (!isnan(share)) {
    rf_format(text, sizeof text, "%.1f %%", 100 * share);
  }
  rf_cells_add(grid, "%s", text);
}

static void add_cores(rf_cells *s, const roof_machine *m, int cores, const char *core_kind, int per_core) {
  char text[2 * SHORT], count[16];
  rf_format(count, sizeof count, "%g", cores > 0 ? cores : m->unit_count);
  snprintf(text, sizeof text, "%s%s%s%s", count, core_kind[0] != '\0' ? " " : "", core_kind,
           per_core > 1 ? ", all threads" : "");
  rf_cells_add(s, "%s", text);
}

static void add_ceiling(rf_cells *s, double value, double limit, double spread, const char *unit,
                        const char *how) {
  add_quantity(s, value, unit);
  add_quantity(s, limit, unit);
  add_percent(s, value / limit);
  add_percent(s, spread);
  rf_cells_add(s, "%s", how);
}

static void add_level(rf_cells *s, const roof_machine *m, const roof_level *level) {
  roof_machine_value v;
  for (int i = 0; roof_level_figure(level, i, &v); i++) {
    if (v.limited && !isnan(v.value)) {
      rf_cells_add(s, "%s %s", level->name, v.label);
      add_cores(s, m, level->cores, level->core_kind, level->threads_per_core);
      add_ceiling(s, v.value, v.limit, v.spread, v.unit, level->source);
    }
  }
}

static void add_ceilings(rf_cells *s, const roof_machine *m) {
  static const char *const header[CEILING_COLUMNS] = {"ceiling",      "cores",  "measured", "limit",
                                                      "of the limit", "spread", "how"};
  rf_cells_add_row(s, header, CEILING_COLUMNS);
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *peak = &m->peaks[i];
    if (!isnan(peak->flops_per_second)) {
      rf_cells_add(s, "%s %s%s%s", roof_dtype_name(peak->dtype), roof_unit_name(peak->unit),
                   peak->isa[0] != '\0' ? ", " : "", peak->isa);
      add_cores(s, m, peak->cores, peak->core_kind, peak->threads_per_core);
      add_ceiling(s, peak->flops_per_second, peak->limit_flops_per_second, peak->spread, "FLOP/s",
                  peak->source);
    }
  }
  for (int i = 0; i < m->level_count; i++) {
    add_level(s, m, &m->levels[i]);
  }
  if (!isnan(m->launch_seconds)) {
    rf_cells_add(s, "parallel region");
    add_cores(s, m, 0, "", 0);
    add_ceiling(s, m->launch_seconds, NAN, NAN, "s", "time of one empty parallel region");
  }
}

static void add_dots(roof_scene *scene, const roof_loop_kernel *k) {
  const roof_prediction *p = &k->prediction;
  char measured[SHORT], predicted[SHORT];
  roof_scene_dot dot = {.next = -1};
  snprintf(dot.label, sizeof dot.label, "%s", k->kernel->name);
  snprintf(dot.detail, sizeof dot.detail, "%.90s: %s measured, %s predicted, %.0f %%", k->label,
           roof_quantity_format(measured, SHORT, k->measured_seconds, "s"),
           roof_quantity_format(predicted, SHORT, p->expected_seconds, "s"),
           100 * k->reconciled.fraction_of_ceiling);
  int index = roof_scene_add_placed(scene, &dot, &k->placed);
  dot.intensity = p->intensity;
  dot.flops_per_second = p->work.flops / p->expected_seconds;
  dot.ceiling_flops_per_second = p->attainable;
  dot.predicted = true;
  dot.next = index;
  roof_scene_add_dot(scene, &dot);
}

static roof_status build_scene(const roof_loop *loop, roof_scene *scene, roof_error *error) {
  roof_scene_init(scene);
  snprintf(scene->title, sizeof scene->title, "%s, %s", loop->machine->title,
           roof_dtype_name(loop->options.dtype));
  snprintf(scene->subtitle, sizeof scene->subtitle,
           "solid: theoretical limit; dashed: achieved; hollow: expected as sealed; filled: measured");
  roof_loop_sentence(loop, scene->description, sizeof scene->description);
  roof_status status = roof_scene_add_machine(scene, loop->machine, loop->options.dtype, error);
  for (int i = 0; i < loop->count && status == ROOF_OK; i++) {
    if (loop->kernels[i].shown && loop->kernels[i].skipped[0] == '\0') {
      add_dots(scene, &loop->kernels[i]);
    }
  }
  return status;
}

/** "L1 48 KiB x 2, L2 2 MiB x 2, L3 32 MiB, DRAM 16 GiB". */
static void add_levels(rf_cells *s, const roof_machine *m) {
  roof_text text = {0};
  for (int kind = 0; kind < ROOF_LEVEL_KIND_COUNT; kind++) {
    const roof_level *level = roof_machine_level(m, (roof_level_kind)kind, ROOF_MEASURED);
    char size[SHORT];
    if (level == NULL || isnan(level->bytes)) {
      continue;
    }
    roof_text_addf(&text, "%s%s %s", text.length > 0 ? ", " : "", level->name,
                   roof_bytes_format(size, SHORT, level->bytes));
    if (level->instances > 1) {
      roof_text_addf(&text, " x %g", level->instances);
    }
  }
  if (text.length > 0) {
    rf_cells_add(s, "Memory: %s.", text.data);
  }
  s->text.failed = s->text.failed || text.failed;
  roof_text_done(&text);
}

static void add_method(rf_cells *s, const roof_loop *loop) {
  const roof_machine *m = loop->machine;
  char clock[SHORT];
  rf_cells_add(s, "Processor: %s, %g %s; clock %s.", m->title, m->unit_count, m->unit_kind,
               roof_quantity_format(clock, SHORT, m->clock_hz, "Hz"));
  add_levels(s, m);
  rf_cells_add(s, "Measured on %s by roofline %s, backend %s%s.", m->date, ROOF_VERSION_TEXT,
               loop->options.backend->name, loop->options.how.quick ? ", quick" : "");
  rf_cells_add(
      s,
      "Each kernel is checked against a scalar reference before it is timed; its time is the median of "
      "the samples, all of which are in the ledger %s.",
      loop->options.ledger);
  rf_cells_add(s, "Predicted is the bound of the measured ceilings with named effects, whose constants are "
                  "fitted to what other "
                  "kernels took here, never to this kernel; it was sealed before the kernel ran. Headroom is "
                  "the measured time "
                  "over the bound.");
  for (int i = 0; i < m->note_count; i++) {
    rf_cells_add(s, "%s", m->notes[i]);
  }
}

/** The verdicts with their reasons, and what was skipped with its own. */
static void add_reasons(rf_cells *s, const roof_loop *loop) {
  static const char *const header[REASON_COLUMNS] = {"kernel", "because", "measured"};
  rf_cells_add_row(s, header, REASON_COLUMNS);
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    char because[ROOF_LOOP_LINE];
    if (!k->shown) {
      continue;
    }
    roof_loop_because(k, because, sizeof because);
    rf_cells_add(s, "%s", k->kernel->name);
    rf_cells_add(s, "%s", because);
    rf_cells_add(s, "%s", k->how);
  }
}

enum { RESULTS, REASONS, POINTS, CEILINGS, METHOD, PARTS };

/** The parts of a page as they are built. */
typedef struct page {
  rf_cells grids[PARTS];
  const char **cells[PARTS];
  roof_scene scene;
  char answer[ROOF_LOOP_LINE], accuracy[ROOF_LOOP_LINE];
  const char *summary[ROOF_NOTE_MAX + 3];
} page;

static roof_table table_of(const page *p, int part, const char *title, int columns) {
  return (roof_table){.title = title,
                      .cells = p->cells[part],
                      .columns = columns,
                      .rows = p->grids[part].count / columns - 1};
}

static roof_status fill(page *p, const roof_loop *loop, roof_error *error) {
  rf_loop_add_kernels(&p->grids[RESULTS], loop);
  add_reasons(&p->grids[REASONS], loop);
  rf_loop_add_points(&p->grids[POINTS], loop);
  add_ceilings(&p->grids[CEILINGS], loop->machine);
  add_method(&p->grids[METHOD], loop);
  for (int i = 0; i < PARTS; i++) {
    p->cells[i] = rf_cells_list(&p->grids[i]);
    if (p->cells[i] == NULL) {
      return roof_error_set(error, ROOF_E_MEMORY, "report: out of memory");
    }
  }
  return build_scene(loop, &p->scene, error);
}

/** How far predictions were off, and over what. */
static roof_status add_accuracy(page *p, const roof_loop *loop, roof_error *error) {
  char line[ROOF_LOOP_LINE];
  roof_loop_accuracy a;
  roof_status status = roof_loop_accuracy_of(loop, &a, error);
  if (status == ROOF_OK) {
    rf_format(
        p->accuracy, sizeof p->accuracy,
        "Predictions over %d kernels, %d level%s%s: %s of the interval that 8 of 10 are meant to fall into.",
        loop->done, a.levels, a.levels == 1 ? "" : "s", a.alone ? ", one core and all" : "",
        roof_loop_accuracy_sentence(&a, line, sizeof line));
  }
  return status;
}

/** The answer, then what casts doubt on every figure. */
static void add_summary(page *p, const roof_loop *loop) {
  static const char noise[] = "noise:";
  int count = 0;
  roof_loop_sentence(loop, p->answer, sizeof p->answer);
  p->summary[count++] = p->answer;
  p->summary[count++] = p->accuracy;
  for (int i = 0; i < loop->machine->note_count; i++) {
    const char *note = loop->machine->notes[i];
    if (strncmp(note, noise, sizeof noise - 1) == 0) {
      p->summary[count++] = note;
    }
  }
}

static roof_status draw(const page *p, const roof_loop *loop, roof_text *out, roof_error *error) {
  char title[160];
  roof_text svg = {0};
  snprintf(title, sizeof title, "%s, %s", roof_machine_title(loop->machine), loop->machine->date);
  roof_table ceilings = table_of(p, CEILINGS, "Ceilings of this machine", CEILING_COLUMNS);
  roof_table points = table_of(p, POINTS, "Level by level", RF_LOOP_POINT_COLUMNS);
  roof_table results = table_of(p, RESULTS, "Predicted and measured", RF_LOOP_COLUMNS);
  const roof_table verdicts[] = {results, table_of(p, REASONS, "Why", REASON_COLUMNS)};
  roof_status status = roof_draw_svg(&p->scene, &svg, error);
  const char *const charts[] = {svg.data, NULL};
  const roof_page_section sections[] = {
      {.part = ROOF_PAGE_MACHINE, .lines = p->summary + 1, .tables = &ceilings, .table_count = 1},
      {.part = ROOF_PAGE_MEASURED, .charts = charts, .tables = &points, .table_count = 1},
      {.part = ROOF_PAGE_VERDICTS, .tables = verdicts, .table_count = 2},
      {.part = ROOF_PAGE_REPRODUCE, .lines = p->cells[METHOD]},
  };
  const roof_page whole = {title, p->answer, sections, sizeof sections / sizeof sections[0]};
  status = status == ROOF_OK ? roof_page_draw(&whole, out, error) : status;
  roof_text_done(&svg);
  return status;
}

roof_status roof_loop_write_html(const roof_loop *loop, roof_text *out, roof_error *error) {
  page *p = calloc(1, sizeof *p);
  if (p == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "report: out of memory");
  }
  roof_status status = fill(p, loop, error);
  status = status == ROOF_OK ? add_accuracy(p, loop, error) : status;
  if (status == ROOF_OK) {
    add_summary(p, loop);
    status = draw(p, loop, out, error);
  }
  for (int i = 0; i < PARTS; i++) {
    free(p->cells[i]);
    rf_cells_done(&p->grids[i]);
  }
  free(p);
  return status;
}
