/* The report of the loop: one HTML page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "host/here.h"
#include "loop/loop.h"
#include "roofline/advise.h"
#include "roofline/doctor.h"
#include "roofline/draw.h"
#include "roofline/ops.h"
#include "roofline/page.h"
#include "roofline/trust.h"
#include "roofline/units.h"

enum {
  SHORT = 40,
  CEILING_COLUMNS = 7,
  PLAN_COLUMNS = 6,
  HOW_COLUMNS = 3,
  REASON_COLUMNS = 2,
  LEVER_COLUMNS = 5
};

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
  dot.attainable_flops_per_second = dot.ceiling_flops_per_second = p->attainable;
  dot.predicted = true;
  dot.next = index;
  roof_scene_add_dot(scene, &dot);
}

static roof_status build_scene(const roof_loop *loop, roof_scene *scene, roof_error *error) {
  roof_scene_init(scene);
  snprintf(scene->title, sizeof scene->title, "%s in %s, %s", roof_machine_title(loop->machine),
           roof_dtype_name(loop->options.dtype), loop->machine->date);
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

static bool has_run(const roof_loop_kernel *k) {
  return k->shown && k->skipped[0] == '\0';
}

/** What was asked, of which processor. */
static void add_asked(rf_cells *s, const roof_loop *loop) {
  const roof_machine *m = loop->machine;
  const char *backend = loop->options.backend->name;
  char clock[SHORT];
  rf_cells_add(
      s, "Measure %s, seal a prediction of each built-in kernel in %s, measure the kernels, and compare.",
      roof_machine_title(m), roof_dtype_name(loop->options.dtype));
  rf_cells_add(s, "%g %s%s, clock %s; measured by the backend %s%s on %s.", m->unit_count, m->unit_kind,
               m->unit_count == 1 ? "" : "s", roof_quantity_format(clock, SHORT, m->clock_hz, "Hz"), backend,
               loop->options.how.quick ? ", in quick mode" : "", m->date);
  add_levels(s, m);
}

/** What the doctor warns of, one line each. */
static roof_status add_warnings(rf_cells *s, roof_error *error) {
  roof_examination all = {0};
  roof_status status = roof_doctor_examine(NULL, &all, error);
  for (size_t i = 0; i < all.count && status == ROOF_OK; i++) {
    const roof_diagnosis *d = &all.diagnoses[i];
    if (d->health == ROOF_HEALTH_WARN) {
      rf_cells_add(s, "Warning, %s: %s; `roofline doctor` says what to do.", d->name, d->value);
    }
  }
  roof_examination_done(&all);
  return status;
}

/** Notes of noise stand with the trust, the others at the end. */
static bool is_of_noise(const char *note) {
  static const char noise[] = "noise:";
  return strncmp(note, noise, sizeof noise - 1) == 0;
}

/** How far the figures are to be trusted, what would spoil them, and the machine's notes on noise. */
static roof_status add_trust(rf_cells *s, const roof_loop *loop, roof_error *error) {
  const roof_machine *m = loop->machine;
  char line[ROOF_TRUST_LINE];
  roof_trust trust;
  roof_machine_trust(m, &trust);
  rf_cells_add(s, "Trust: %s.", roof_trust_sentence(&trust, line, sizeof line));
  roof_status status = trust.scripted ? ROOF_OK : add_warnings(s, error);
  for (int i = 0; i < m->note_count; i++) {
    if (is_of_noise(m->notes[i])) {
      rf_cells_add(s, "%s", m->notes[i]);
    }
  }
  return status;
}

/** When the predictions were sealed, where, and what they are. */
static void add_sealed(rf_cells *s, const roof_loop *loop) {
  rf_cells_add(s, "Sealed at %s in %s, before any of the kernels was measured; head of the ledger then: %s.",
               loop->sealed_at, loop->options.ledger, loop->sealed_head);
  rf_cells_add(
      s,
      "A prediction is the bound of the measured ceilings with named effects, whose constants are fitted to "
      "what other kernels took here, never to this kernel; 8 of 10 times are meant to fall between from and "
      "to.");
}

/** How far predictions came out off, and of what the shares are. */
static roof_status add_accuracy(rf_cells *s, const roof_loop *loop, roof_error *error) {
  char line[ROOF_LOOP_LINE];
  roof_loop_accuracy a;
  roof_status status = roof_loop_accuracy_of(loop, &a, error);
  if (status == ROOF_OK && a.points > 0) {
    rf_cells_add(s, "Predictions over %d kernels, %d level%s%s came out %s.", loop->done, a.levels,
                 a.levels == 1 ? "" : "s", a.alone ? ", one core and all" : "",
                 roof_loop_accuracy_sentence(&a, line, sizeof line));
  }
  if (status == ROOF_OK && roof_loop_sharing_sentence(&a, line, sizeof line)[0] != '\0') {
    rf_cells_add(s, "Of those whose cores were looked at, %s.", line);
  }
  if (roof_loop_mode(loop, line, sizeof line)[0] != '\0') {
    rf_cells_add(s, "%s", line);
  }
  return status;
}

static void add_plan(rf_cells *s, const roof_loop *loop) {
  static const char *const header[PLAN_COLUMNS] = {"kernel", "shape", "at best", "expected", "from", "to"};
  rf_cells_add_row(s, header, PLAN_COLUMNS);
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    if (has_run(k)) {
      rf_cells_add(s, "%s", k->kernel->name);
      rf_cells_add(s, "%s", k->shape);
      add_quantity(s, k->prediction.lower_seconds, "s");
      add_quantity(s, k->prediction.expected_seconds, "s");
      add_quantity(s, k->prediction.expected_low_seconds, "s");
      add_quantity(s, k->prediction.expected_high_seconds, "s");
    }
  }
}

/** The kernel's library, where what the backend says does not name it. */
static const char *unnamed_library(const roof_loop_kernel *k) {
  const char *library = k->kernel->library != NULL ? k->kernel->library() : NULL;
  return library == NULL || strstr(k->how, library) != NULL ? "" : library;
}

/** How each kernel was measured, and why one was not. */
static void add_how(rf_cells *s, const roof_loop *loop) {
  static const char *const header[HOW_COLUMNS] = {"kernel", "measured", "how"};
  rf_cells_add_row(s, header, HOW_COLUMNS);
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    char why[ROOF_LOOP_LINE];
    if (k->shown) {
      rf_cells_add(s, "%s", k->kernel->name);
      add_quantity(s, has_run(k) ? k->measured_seconds : (double)NAN, "s");
      const char *library = has_run(k) ? unnamed_library(k) : "";
      rf_cells_add(s, "%s%s%s", has_run(k) ? k->how : roof_loop_because(k, why, sizeof why),
                   library[0] != '\0' ? "; " : "", library);
    }
  }
}

static void add_reasons(rf_cells *s, const roof_loop *loop) {
  static const char *const header[REASON_COLUMNS] = {"kernel", "because"};
  rf_cells_add_row(s, header, REASON_COLUMNS);
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    char because[ROOF_LOOP_LINE];
    if (k->shown) {
      rf_cells_add(s, "%s", k->kernel->name);
      rf_cells_add(s, "%s", roof_loop_because(k, because, sizeof because));
    }
  }
}

/** What a kernel could gain at most, the first thing to do in its class, and the lever that brings most. */
static roof_status add_lever(rf_cells *s, const roof_loop *loop, const roof_loop_kernel *k,
                             roof_advice *advice, roof_error *error) {
  const roof_op *op = NULL;
  char gain[SHORT];
  roof_question question = roof_question_init();
  question.measured_seconds = k->measured_seconds;
  roof_status status = roof_op_find(k->kernel->op, &op, NULL);
  status = status == ROOF_OK ? roof_advise(&loop->target, op, k->values, &question, advice, NULL) : status;
  if (status == ROOF_E_MEMORY) {
    return roof_error_set(error, status, "report: out of memory");
  }
  const roof_actions *actions = status == ROOF_OK ? roof_actions_for(&advice->evidence)
                                                  : roof_actions_of(loop->machine, k->prediction.regime,
                                                                    k->reconciled.fraction_of_ceiling);
  bool advised = status == ROOF_OK && advice->best != NULL;
  rf_cells_add(s, "%s", k->kernel->name);
  rf_cells_add(s, "%.2fx", k->reconciled.headroom);
  rf_cells_add(s, "%s", actions != NULL ? actions->actions[0] : "");
  rf_cells_add(s, "%s%s%s", advised ? roof_lever_name(advice->best->kind) : "", advised ? ": " : "",
               advised ? advice->best->change : "");
  rf_format(gain, sizeof gain, "%.2fx", advised ? advice->best->gain : 0);
  rf_cells_add(s, "%s", advised ? gain : "");
  return ROOF_OK;
}

static int by_headroom(const void *a, const void *b) {
  const roof_loop_kernel *const *x = a, *const *y = b;
  double p = (*x)->reconciled.headroom, q = (*y)->reconciled.headroom;
  return (p < q) - (p > q);
}

/** Those furthest from their ceilings first; what is slow on purpose or done has nothing to do. */
static roof_status add_levers(rf_cells *s, const roof_loop *loop, roof_error *error) {
  static const char *const header[LEVER_COLUMNS] = {"kernel", "to its ceiling", "do first", "a change",
                                                    "brings"};
  const roof_loop_kernel **kernels = calloc((size_t)loop->count + 1, sizeof *kernels);
  roof_advice *advice = malloc(sizeof *advice);
  size_t count = 0;
  roof_status status = kernels != NULL && advice != NULL
                           ? ROOF_OK
                           : roof_error_set(error, ROOF_E_MEMORY, "report: out of memory");
  rf_cells_add_row(s, header, LEVER_COLUMNS);
  for (int i = 0; i < loop->count && status == ROOF_OK; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    if (has_run(k) && !roof_kernel_is_naive(k->kernel) && !k->reconciled.done) {
      kernels[count++] = k;
    }
  }
  if (count > 0) {
    qsort(kernels, count, sizeof(const roof_loop_kernel *), by_headroom);
  }
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    status = add_lever(s, loop, kernels[i], advice, error);
  }
  free(kernels);
  free(advice);
  return status;
}

static void add_lines(rf_cells *s, const char *text) {
  while (text != NULL && *text != '\0') {
    int length = (int)strcspn(text, "\n");
    rf_cells_add(s, "%.*s", length, text);
    text += length + (text[length] == '\n');
  }
}

/** The commands, then what wrote this, where, and the ledger that holds it. */
static void add_reproduce(rf_cells *commands, rf_cells *lines, const roof_loop *loop) {
  roof_text text = {0};
  const roof_machine *m = loop->machine;
  rf_here_command(&text);
  add_lines(commands, text.data);
  rf_cells_add(commands, "roofline ledger verify %s", loop->options.ledger);
  lines->text.failed |= text.failed;
  roof_text_done(&text);
  rf_here_describe(&text, loop->options.commit != NULL ? loop->options.commit : "");
  add_lines(lines, text.data);
  lines->text.failed |= text.failed;
  roof_text_done(&text);
  rf_cells_add(lines, "The machine is kept as `%s` (`roofline machine show %s`).", m->name, m->name);
  rf_cells_add(
      lines,
      "Each kernel is checked against a scalar reference before it is timed; its time is the median of the "
      "samples, all of which are in the ledger %s.",
      loop->options.ledger);
  for (int i = 0; i < m->note_count; i++) {
    if (!is_of_noise(m->notes[i])) {
      rf_cells_add(lines, "%s", m->notes[i]);
    }
  }
}

enum {
  ASKED,
  COMMANDS,
  TRUST,
  CEILINGS,
  SEALED,
  PLAN,
  HOW,
  POINTS,
  ACCURACY,
  RESULTS,
  REASONS,
  LEVERS,
  LINES,
  PARTS
};

/** The parts of a page as they are built. */
typedef struct page {
  rf_cells grids[PARTS];
  const char **cells[PARTS];
  roof_scene scene;
} page;

static roof_table table_of(const page *p, int part, const char *title, int columns) {
  return (roof_table){.title = title,
                      .cells = p->cells[part],
                      .columns = columns,
                      .rows = p->grids[part].count / columns - 1};
}

static roof_status fill(page *p, const roof_loop *loop, roof_error *error) {
  add_asked(&p->grids[ASKED], loop);
  add_reproduce(&p->grids[COMMANDS], &p->grids[LINES], loop);
  add_ceilings(&p->grids[CEILINGS], loop->machine);
  add_sealed(&p->grids[SEALED], loop);
  add_plan(&p->grids[PLAN], loop);
  add_how(&p->grids[HOW], loop);
  rf_loop_add_points(&p->grids[POINTS], loop);
  rf_loop_add_kernels(&p->grids[RESULTS], loop);
  add_reasons(&p->grids[REASONS], loop);
  roof_status status = add_trust(&p->grids[TRUST], loop, error);
  status = status == ROOF_OK ? add_accuracy(&p->grids[ACCURACY], loop, error) : status;
  status = status == ROOF_OK ? add_levers(&p->grids[LEVERS], loop, error) : status;
  for (int i = 0; i < PARTS && status == ROOF_OK; i++) {
    p->cells[i] = rf_cells_list(&p->grids[i]);
    status = p->cells[i] != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "report: out of memory");
  }
  return status == ROOF_OK ? build_scene(loop, &p->scene, error) : status;
}

static roof_status draw(const page *p, const roof_loop *loop, roof_text *out, roof_error *error) {
  char answer[ROOF_LOOP_LINE];
  roof_text svg = {0}, narrow = {0};
  roof_status status = roof_draw_svg(&p->scene, ROOF_CHART_PAGE, &svg, error);
  status = status == ROOF_OK ? roof_draw_svg(&p->scene, ROOF_CHART_NARROW, &narrow, error) : status;
  roof_table ceilings = table_of(p, CEILINGS, "Ceilings of this machine", CEILING_COLUMNS);
  ceilings.folded = true;
  const roof_table plan = table_of(p, PLAN, "Predictions", PLAN_COLUMNS);
  roof_table runs[] = {table_of(p, HOW, "How each was measured", HOW_COLUMNS),
                       table_of(p, POINTS, "Level by level", RF_LOOP_POINT_COLUMNS)};
  runs[0].folded = runs[1].folded = true;
  roof_table verdicts[] = {table_of(p, RESULTS, "Predicted and measured", RF_LOOP_COLUMNS),
                           table_of(p, REASONS, "Why", REASON_COLUMNS)};
  verdicts[0].verdict = RF_LOOP_COLUMNS - 1;
  verdicts[1].folded = true;
  const roof_table levers = table_of(p, LEVERS, "Furthest from the ceiling first", LEVER_COLUMNS);
  const char *const charts[] = {svg.data, NULL}, *const narrow_charts[] = {narrow.data, NULL};
  const roof_page_section sections[] = {
      {.part = ROOF_PAGE_ASKED, .lines = p->cells[ASKED]},
      {.part = ROOF_PAGE_MACHINE, .lines = p->cells[TRUST], .tables = &ceilings, .table_count = 1},
      {.part = ROOF_PAGE_PREDICTED, .lines = p->cells[SEALED], .tables = &plan, .table_count = 1},
      {.part = ROOF_PAGE_MEASURED,
       .charts = charts,
       .narrow = narrow_charts,
       .tables = runs,
       .table_count = 2},
      {.part = ROOF_PAGE_VERDICTS, .lines = p->cells[ACCURACY], .tables = verdicts, .table_count = 2},
      {.part = ROOF_PAGE_NEXT, .tables = &levers, .table_count = levers.rows > 0},
      {.part = ROOF_PAGE_REPRODUCE, .lines = p->cells[LINES], .commands = p->cells[COMMANDS]},
  };
  const roof_page whole = {p->scene.title, roof_loop_sentence(loop, answer, sizeof answer), sections,
                           sizeof sections / sizeof sections[0]};
  status = status == ROOF_OK ? roof_page_draw(&whole, out, error) : status;
  roof_text_done(&svg);
  roof_text_done(&narrow);
  return status;
}

roof_status roof_loop_write_html(const roof_loop *loop, roof_text *out, roof_error *error) {
  page *p = calloc(1, sizeof *p);
  if (p == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "report: out of memory");
  }
  roof_status status = fill(p, loop, error);
  status = status == ROOF_OK ? draw(p, loop, out, error) : status;
  for (int i = 0; i < PARTS; i++) {
    free(p->cells[i]);
    rf_cells_done(&p->grids[i]);
  }
  free(p);
  return status;
}
