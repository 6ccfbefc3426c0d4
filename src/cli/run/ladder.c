/* The numbered variants of one operation and the libraries beside them: sealed before they are measured. */
#include "cli/run/ladder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/grid.h"
#include "cli/ledger/seal.h"
#include "core/number.h"
#include "roofline/time.h"

enum { COLUMNS = 9, QUANTITY = 32 };
static const char alignment[COLUMNS + 1] = "rlrrrrrrr";

/** One rung, or a library on one core or all. */
typedef struct rung {
  const roof_kernel *kernel;
  bool alone; /**< on one core */
  double
      values[ROOF_PARAM_MAX]; /**< the ladder's, with the choices (an algorithm) that are the kernel's own */
  char label[ROOF_LABEL_MAX];
  roof_prediction prediction;
  roof_measurement measurement;
  double in_turns;   /**< share of the library that took turns with it, NaN: none did */
  char skipped[512]; /**< why it did not run, or "" */
} rung;

typedef struct ladder {
  const cli_climb *climb;
  const roof_op *op;
  double values[ROOF_PARAM_MAX];
  char shape[160];
  roof_machine *all, *one; /**< this machine, and one core of it */
  roof_target targets[2];
  rung *rungs;
  int count;
} ladder;

static int compare_rungs(const void *a, const void *b) {
  const rung *left = a, *right = b;
  int first = left->kernel->rung > 0 ? left->kernel->rung : 1000;
  int second = right->kernel->rung > 0 ? right->kernel->rung : 1000;
  return first != second ? first - second : right->alone - left->alone;
}

static void add_rung(ladder *l, const roof_kernel *kernel, bool alone) {
  rung *r = &l->rungs[l->count++];
  *r = (rung){.kernel = kernel, .alone = alone, .in_turns = NAN};
  roof_measurement_init(&r->measurement);
}

/** Names the operations that have a ladder there, by their first rungs. */
static roof_status refuse(const ladder *l, roof_error *error) {
  char names[160] = "";
  size_t used = 0;
  for (int i = 0; i < roof_kernel_count() && used < sizeof names; i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    if (kernel->rung == 1 && kernel->supports(l->climb->dtype) &&
        roof_kernel_runs_on(kernel, l->climb->backend->name)) {
      used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", kernel->op);
    }
  }
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: no ladder in %s on %s; there is one of: %s",
                        l->op->name, roof_dtype_name(l->climb->dtype), l->climb->backend->name,
                        used > 0 ? names : "none");
}

/** Every rung of the operation, and every library on one core and on all. */
static roof_status collect(ladder *l, roof_error *error) {
  int rungs = 0;
  l->rungs = calloc(2 * (size_t)roof_kernel_count(), sizeof *l->rungs);
  if (l->rungs == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  }
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    bool same = strcmp(kernel->op, l->op->name) == 0 && kernel->supports(l->climb->dtype) &&
                roof_kernel_runs_on(kernel, l->climb->backend->name);
    if (same && (kernel->rung > 0 || kernel->library != NULL)) {
      bool one_core = l->climb->how->threads == 1;
      add_rung(l, kernel, kernel->serial || one_core);
      if (kernel->library != NULL && !one_core && !kernel->serial) {
        add_rung(l, kernel, true);
      }
      rungs += kernel->rung > 0;
    }
  }
  qsort(l->rungs, (size_t)l->count, sizeof *l->rungs, compare_rungs);
  return rungs > 0 ? ROOF_OK : refuse(l, error);
}

/** The ladder's values, but the choices (an algorithm) that are the kernel's own and were not typed. */
static roof_status choose_values(const ladder *l, unsigned typed, rung *r, roof_error *error) {
  roof_status status = roof_kernel_values(r->kernel, r->kernel->sizes, r->values, error);
  for (int i = 0; i < roof_op_param_count(l->op) && status == ROOF_OK; i++) {
    if (l->op->params[i].kind != ROOF_PARAM_CHOICE || typed & 1u << i) {
      r->values[i] = l->values[i];
    }
  }
  return status;
}

/** What was typed over the first rung's default shape. */
static roof_status parse_shape(ladder *l, unsigned *typed, roof_error *error) {
  const cli_args *args = l->climb->args;
  const char *sizes = roof_backend_sizes(l->climb->backend, l->rungs[0].kernel, l->climb->how->quick);
  roof_shape shape;
  roof_status status = roof_shape_parse(&shape, l->op, args->words + 1, args->word_count - 1, sizes, error);
  if (status != ROOF_OK) {
    return status;
  }
  *typed = shape.typed;
  status = shape.points == 1
               ? roof_shape_point(&shape, 0, l->values, error)
               : roof_error_set(error, ROOF_E_ARGUMENT, "--ladder: one size, every rung does the same");
  roof_shape_done(&shape);
  return status;
}

static roof_status choose_shape(ladder *l, roof_error *error) {
  unsigned typed = 0;
  roof_status status = parse_shape(l, &typed, error);
  for (int i = 0; i < l->count && status == ROOF_OK; i++) {
    status = choose_values(l, typed, &l->rungs[i], error);
  }
  int used = 0, size = (int)sizeof l->shape;
  for (int i = 0; status == ROOF_OK && i < roof_op_param_count(l->op) && used < size; i++) {
    if (l->op->params[i].kind != ROOF_PARAM_CHOICE) {
      used += rf_format(l->shape + used, (size_t)(size - used), "%s%s=%.15g", i > 0 ? " " : "",
                        l->op->params[i].name, l->values[i]);
    }
  }
  return status;
}

static roof_status find_ladder(ladder *l, roof_error *error) {
  const cli_args *args = l->climb->args;
  if (args->word_count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "--ladder: of which operation? `roofline run gemm --ladder`");
  }
  roof_status status = roof_op_find(args->words[0], &l->op, error);
  if (status == ROOF_OK) {
    status = collect(l, error);
  }
  return status == ROOF_OK ? choose_shape(l, error) : status;
}

/** This machine as it was measured before, or as it is measured now. */
static roof_status characterise(ladder *l, roof_error *error) {
  const cli_climb *c = l->climb;
  bool fake = strcmp(c->backend->name, "fake") == 0;
  if (fake || roof_catalog_load(c->backend->machine, &l->all, NULL) != ROOF_OK) {
    roof_status status = c->backend->measure(c->how, &l->all, error);
    status = status == ROOF_OK ? cli_host_save(l->all, error) : status;
    if (status != ROOF_OK) {
      return status;
    }
  }
  roof_types types = roof_types_of(c->dtype);
  roof_options o = roof_options_default();
  o.achieved = true;
  l->one = roof_machine_copy(l->all);
  if (l->one == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  }
  roof_machine_for_cores(l->one, 1);
  if (l->climb->how->threads > 0) {
    roof_machine_for_cores(l->all, l->climb->how->threads);
  }
  roof_status status = roof_target_init(&l->targets[0], l->all, &types, &o, error);
  return status == ROOF_OK ? roof_target_init(&l->targets[1], l->one, &types, &o, error) : status;
}

static void predict(ladder *l, rung *r) {
  const roof_kernel *k = r->kernel;
  const char *why = k->disabled_reason != NULL ? k->disabled_reason() : NULL;
  roof_kernel_label(k, l->climb->dtype, r->values, r->label, sizeof r->label);
  if (k->library != NULL && r->alone) {
    size_t length = strlen(r->label);
    snprintf(r->label + length, sizeof r->label - length, " on 1 core");
  }
  snprintf(r->skipped, sizeof r->skipped, "%s", why != NULL ? why : "");
  roof_predict(&l->targets[r->alone], l->op, r->values, &r->prediction);
}

static roof_status add_sealing(const ladder *l, const rung *r, const char *digest, roof_sealings *list,
                               roof_error *error) {
  roof_sealing s;
  roof_status status = roof_sealing_of(&l->targets[r->alone], l->op, r->values, &r->prediction, &s, error);
  if (status == ROOF_OK) {
    status = roof_sealing_name(&s, r->label, error);
  }
  snprintf(s.machine_digest, sizeof s.machine_digest, "%s", digest);
  return status == ROOF_OK ? roof_sealings_add(list, &s, error) : status;
}

/** Seals a prediction for everything that can run, into a ledger that holds. */
static roof_status seal(ladder *l, roof_error *error) {
  char digest[ROOF_DIGEST_MAX];
  roof_ledger_summary summary;
  roof_sealings list = {0};
  roof_status status = roof_machine_digest(l->all, digest, error);
  for (int i = 0; i < l->count && status == ROOF_OK; i++) {
    rung *r = &l->rungs[i];
    predict(l, r);
    if (r->skipped[0] == '\0') {
      status = add_sealing(l, r, digest, &list, error);
    }
  }
  if (status == ROOF_OK) {
    status = cli_seal_all(l->climb->ledger, &list, NULL, error);
  }
  roof_sealings_done(&list);
  return status == ROOF_OK ? roof_ledger_verify(l->climb->ledger, NULL, &summary, error) : status;
}

/** The library that can take turns with a rung here, or NULL. */
static const roof_kernel *partner_of(const ladder *l, const rung *r) {
  const roof_kernel *partner = NULL;
  for (int i = 0; i < l->count && l->climb->backend->run_in_turns != NULL && r->kernel->library == NULL;
       i++) {
    const rung *other = &l->rungs[i];
    partner = other->kernel->library != NULL && other->skipped[0] == '\0' ? other->kernel : partner;
  }
  return partner;
}

/** In turns with a library where that goes, else alone. */
static roof_status run_rung(const ladder *l, rung *r, const roof_measure_options *how, roof_error *error) {
  const cli_climb *c = l->climb;
  const roof_kernel *const both[] = {r->kernel, partner_of(l, r)};
  roof_measurement two[2];
  if (both[1] == NULL || c->backend->run_in_turns(both, c->dtype, r->values, how, two, NULL) != ROOF_OK) {
    return c->backend->run(r->kernel, c->dtype, r->values, how, &r->measurement, error);
  }
  r->in_turns = roof_share_in_turns(&two[0], &two[1]);
  roof_measurement_done(&two[1]);
  r->measurement = two[0];
  return ROOF_OK;
}

static roof_status measure(ladder *l, rung *r, roof_error *error) {
  roof_measure_options how = *l->climb->how;
  roof_error why = {0};
  how.threads = r->alone ? 1 : how.threads;
  double taken = roof_time_now();
  roof_status status = run_rung(l, r, &how, &why);
  if (status == ROOF_E_UNSUPPORTED && r->kernel->library != NULL) {
    snprintf(r->skipped, sizeof r->skipped, "%s", why.message);
    return ROOF_OK;
  }
  if (status != ROOF_OK) {
    return roof_error_set(error, status, "%s", why.message);
  }
  r->measurement.taken = taken;
  snprintf(r->measurement.label, sizeof r->measurement.label, "%s", r->label);
  snprintf(r->measurement.machine, sizeof r->measurement.machine, "%s", l->all->name);
  return roof_ledger_record(l->climb->ledger, &r->measurement, 1, NULL, error);
}

/** The fastest library on as many cores, or NULL. */
static const rung *best_library(const ladder *l, const rung *r) {
  const rung *best = NULL;
  for (int i = 0; i < l->count; i++) {
    const rung *other = &l->rungs[i];
    bool fits = other->kernel->library != NULL && other->alone == r->alone && other->skipped[0] == '\0';
    if (fits && (best == NULL || other->measurement.seconds < best->measurement.seconds)) {
      best = other;
    }
  }
  return best;
}

static double share_of_ceiling(const rung *r) {
  return r->prediction.lower_seconds / r->measurement.seconds;
}

static double share_of_library(const ladder *l, const rung *r) {
  const rung *best = best_library(l, r);
  return isfinite(r->in_turns) ? r->in_turns
         : best != NULL        ? best->measurement.seconds / r->measurement.seconds
                               : NAN;
}

/** Times faster than the rung before; NaN for the first and for libraries. */
static double step_of(const ladder *l, int i) {
  bool steps = i > 0 && l->rungs[i].kernel->rung > 0;
  return steps ? l->rungs[i - 1].measurement.seconds / l->rungs[i].measurement.seconds : NAN;
}

static void add_share(cli_grid *grid, double share) {
  char text[QUANTITY] = "";
  if (!isnan(share)) {
    rf_format(text, sizeof text, "%.1f %%", 100 * share);
  }
  cli_grid_add(grid, "%s", text);
}

/** Work a second: bytes where no FLOPs are counted. */
static const char *rate_format(const roof_measurement *m, char *text, size_t size) {
  bool counted = m->flops > 0;
  return roof_quantity_format(text, size, (counted ? m->flops : m->bytes) / m->seconds,
                              counted ? "FLOP/s" : "B/s");
}

static void add_rows(const ladder *l, cli_grid *grid) {
  static const char *const heads[COLUMNS] = {"rung",  "kernel",     "cores",    "predicted",      "measured",
                                             "FLOPs", "of ceiling", "x before", "of best library"};
  for (int i = 0; i < COLUMNS; i++) {
    cli_grid_add(grid, "%s", heads[i]);
  }
  for (int i = 0; i < l->count; i++) {
    const rung *r = &l->rungs[i];
    const roof_measurement *m = &r->measurement;
    char text[QUANTITY], step[QUANTITY] = "";
    if (r->skipped[0] != '\0') {
      continue;
    }
    snprintf(text, sizeof text, "%d", r->kernel->rung);
    cli_grid_add(grid, "%s", r->kernel->rung > 0 ? text : "");
    cli_grid_add(grid, "%s", r->kernel->name);
    cli_grid_add(grid, "%s", r->alone ? "1" : "all");
    cli_grid_add(grid, "%s", roof_quantity_format(text, sizeof text, r->prediction.expected_seconds, "s"));
    cli_grid_add(grid, "%s", roof_quantity_format(text, sizeof text, m->seconds, "s"));
    cli_grid_add(grid, "%s", rate_format(m, text, sizeof text));
    add_share(grid, share_of_ceiling(r));
    if (!isnan(step_of(l, i))) {
      rf_format(step, sizeof step, "%.2fx", step_of(l, i));
    }
    cli_grid_add(grid, "%s", step);
    add_share(grid, share_of_library(l, r));
  }
}

/** What moves the dot at each rung, and what was left out. */
static void add_ideas(const ladder *l, roof_text *out) {
  for (int i = 0; i < l->count; i++) {
    const rung *r = &l->rungs[i];
    const char *library = r->kernel->library != NULL ? r->kernel->library() : NULL;
    if (r->kernel->rung > 0) {
      roof_text_addf(out, "  %d %s\n", r->kernel->rung, r->kernel->summary);
    } else if (r->skipped[0] != '\0' && !r->alone) {
      roof_text_addf(out, "  %s: %s\n", r->kernel->name, r->skipped);
    } else if (library != NULL && !r->alone) {
      roof_text_addf(out, "  %s: %s\n", r->kernel->name, library);
    }
  }
  roof_text_addf(out, "  ceilings: %s as measured on %s; predictions sealed in %s before measuring\n",
                 l->all->name, l->all->date, l->climb->ledger);
}

/** All rungs at one intensity, one above the other. */
static roof_status fill_scene(const ladder *l, roof_scene *scene, roof_error *error) {
  int before = -1;
  roof_scene_init(scene);
  snprintf(scene->title, sizeof scene->title, "%s: the ladder of %s in %s", l->all->title, l->op->name,
           roof_dtype_name(l->climb->dtype));
  snprintf(scene->subtitle, sizeof scene->subtitle, "%s", l->shape);
  roof_status status = roof_scene_add_machine(scene, l->all, l->climb->dtype, error);
  for (int i = 0; i < l->count && status == ROOF_OK; i++) {
    const rung *r = &l->rungs[i];
    if (r->skipped[0] != '\0' || (r->kernel->library != NULL && r->alone)) {
      continue;
    }
    roof_scene_dot dot = {.intensity = r->prediction.intensity,
                          .flops_per_second = r->measurement.flops / r->measurement.seconds,
                          .next = -1};
    snprintf(dot.label, sizeof dot.label, "%s", r->kernel->name);
    rf_format(dot.detail, sizeof dot.detail, "%.1f %% of the ceiling of %s", 100 * share_of_ceiling(r),
              r->alone ? "one core" : "all cores");
    int added = roof_scene_add_dot(scene, &dot);
    if (before >= 0 && added >= 0 && r->kernel->rung > 0) {
      scene->dots[before].next = added;
    }
    before = added;
  }
  return status;
}

static roof_status write_picture(const ladder *l, const roof_scene *scene, roof_error *error) {
  cli_grid grid = {0};
  add_rows(l, &grid);
  const char **cells = cli_grid_cells(&grid);
  roof_table table = {"Rungs", cells, COLUMNS, grid.count / COLUMNS - 1};
  roof_status status = cells != NULL ? cli_chart_write(l->climb->args->to, scene, &table, error)
                                     : roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  free(cells);
  cli_grid_done(&grid);
  return status;
}

static roof_status print_json(const ladder *l, roof_error *error) {
  json_t *rungs = json_array(), *skipped = json_array();
  for (int i = 0; i < l->count; i++) {
    const rung *r = &l->rungs[i];
    const roof_measurement *m = &r->measurement;
    if (r->skipped[0] != '\0') {
      json_array_append_new(skipped, json_pack("{s:s, s:s}", "what", r->label, "why", r->skipped));
      continue;
    }
    json_array_append_new(rungs,
                          json_pack("{s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rung",
                                    r->kernel->rung > 0 ? json_integer(r->kernel->rung) : json_null(),
                                    "kernel", r->kernel->name, "label", r->label, "summary",
                                    r->kernel->summary, "one_core", json_boolean(r->alone),
                                    "predicted_seconds", cli_json_number(r->prediction.expected_seconds),
                                    "measured_seconds", cli_json_number(m->seconds), "flops_per_second",
                                    cli_json_number(m->flops / m->seconds), "fraction_of_ceiling",
                                    cli_json_number(share_of_ceiling(r)), "times_rung_before",
                                    cli_json_number(step_of(l, i)), "fraction_of_best_library",
                                    cli_json_number(share_of_library(l, r))));
  }
  return cli_answer_print(l->climb->args,
                          json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:o, s:o}", "schema", "roofline.ladder/1",
                                    "machine", l->all->name, "op", l->op->name, "parameters",
                                    cli_json_parameters(l->op, l->values), "dtype",
                                    roof_dtype_name(l->climb->dtype), "ledger", l->climb->ledger, "rungs",
                                    rungs, "skipped", skipped),
                          error);
}

static roof_status print_text(const ladder *l, const roof_scene *scene, roof_error *error) {
  roof_text text = {0};
  cli_grid grid = {0};
  add_rows(l, &grid);
  cli_grid_end(&grid, &text, alignment);
  cli_grid_done(&grid);
  roof_text_add(&text, "\n");
  add_ideas(l, &text);
  roof_text_add(&text, "\n");
  roof_status status = cli_print(&text, error);
  roof_text_done(&text);
  return status == ROOF_OK ? cli_chart_print(l->climb->args, scene, 0, 0, false, error) : status;
}

static roof_status tell(const ladder *l, roof_error *error) {
  const cli_args *args = l->climb->args;
  roof_scene *scene = malloc(sizeof *scene);
  if (scene == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  }
  roof_status status = fill_scene(l, scene, error);
  if (status == ROOF_OK && args->to != NULL) {
    status = write_picture(l, scene, error);
  }
  if (status == ROOF_OK) {
    status = args->json || args->csv ? print_json(l, error) : print_text(l, scene, error);
  }
  free(scene);
  return status;
}

static roof_status measure_all(ladder *l, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < l->count && status == ROOF_OK; i++) {
    cli_show_progress(l->climb->how->user, l->rungs[i].kernel->name, i, l->count);
    status = l->rungs[i].skipped[0] == '\0' ? measure(l, &l->rungs[i], error) : ROOF_OK;
  }
  cli_show_progress(l->climb->how->user, "", 1, 1);
  return status;
}

roof_status cli_ladder_run(const cli_climb *climb, roof_error *error) {
  const char *to = climb->args->to;
  roof_status status = to != NULL ? cli_chart_check(to, error) : ROOF_OK;
  if (status != ROOF_OK) {
    return status;
  }
  ladder *l = calloc(1, sizeof *l);
  if (l == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  }
  l->climb = climb;
  static roof_status (*const steps[])(ladder *, roof_error *) = {find_ladder, characterise, seal,
                                                                 measure_all};
  for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == ROOF_OK; i++) {
    status = steps[i](l, error);
  }
  if (status == ROOF_OK) {
    status = tell(l, error);
  }
  for (int i = 0; i < l->count; i++) {
    roof_measurement_done(&l->rungs[i].measurement);
  }
  free(l->rungs);
  roof_machine_free(l->all);
  roof_machine_free(l->one);
  free(l);
  return status;
}
