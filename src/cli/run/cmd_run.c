/* Built-in kernels: checked, timed, and set against what this machine reaches. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/grid.h"
#include "cli/ledger/seal.h"
#include "cli/run/counters.h"
#include "cli/run/ladder.h"
#include "cli/run/program.h"
#include "documents/measurements.h"
#include "roofline/runs.h"
#include "roofline/version.h"

static int quick, threads, list, ladder, counters, repeats = 1;
static char *backend_name, *dtype_name, *baseline_name, *ledger, *flops, *bytes, *op_text;
static double percent = 1;

static const struct poptOption options[] = {
    {"list", 'l', POPT_ARG_NONE, &list, 0, "show the backend's kernels and their default shapes", NULL},
    {"ladder", '\0', POPT_ARG_NONE, &ladder, 0,
     "every rung of an operation's ladder: predicted, sealed, measured, drawn", NULL},
    {"ledger", '\0', POPT_ARG_STRING, &ledger, 0, "where --ladder seals; default roofline.ledger", "FILE"},
    {"quick", '\0', POPT_ARG_NONE, &quick, 0, "smaller default shapes, shorter measurements", NULL},
    {"precision", '\0', POPT_ARG_DOUBLE, &percent, 0,
     "stop when the median's 95 % interval is within this share of it, in percent; default 1", "PCT"},
    {"dtype", 'd', POPT_ARG_STRING, &dtype_name, 0,
     "fp32 (default where a kernel has it), fp64 (default of a program), ...", "TYPE"},
    {"backend", 'b', POPT_ARG_STRING, &backend_name, 0, "what measures: cpu (default), opencl, cuda, fake",
     "NAME"},
    {"threads", 't', POPT_ARG_INT, &threads, 0,
     "cores to use, or that a program uses; default: all this process may", "N"},
    {"baseline", '\0', POPT_ARG_STRING, &baseline_name, 0,
     "interleave samples with this kernel of the same operation, a vendor's library for instance, and report "
     "the ratio (accelerators)",
     "KERNEL"},
    {"counters", '\0', POPT_ARG_NONE, &counters, 0,
     "run each kernel once more under NVIDIA's ncu and compare what it counts with the formula", NULL},
    {"repeat", '\0', POPT_ARG_INT, &repeats, 0, "how often to run a program; default 1", "N"},
    {"flops", '\0', POPT_ARG_STRING, &flops, 0, "what a program without regions does in one run", "N"},
    {"bytes", '\0', POPT_ARG_STRING, &bytes, 0, "what it moves from and to memory", "N"},
    {"op", '\0', POPT_ARG_STRING, &op_text, 0, "or the operation that it does: 'gemm m=1024 n=1024 k=1024'",
     "OP"},
    POPT_TABLEEND};

typedef struct session {
  const cli_args *args;
  roof_runs runs;
  cli_counted *counted; /**< of each run, with --counters */
  bool all;
} session;

static bool is_pair(const char *word) {
  return strchr(word, '=') != NULL;
}

/** Adds every size of a kernel. */
static roof_status add_kernel(session *s, const roof_kernel *kernel, roof_error *error) {
  const char **words = calloc((size_t)s->args->word_count + 1, sizeof *words);
  int count = 0;
  if (words == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  }
  for (int i = 0; i < s->args->word_count; i++) {
    if (is_pair(s->args->words[i])) {
      words[count++] = s->args->words[i];
    }
  }
  roof_status status = roof_runs_add(&s->runs, kernel, words, count, error);
  free(words);
  return status;
}

/** The kernels named, or all: those that cannot run are then skipped with the reason. */
static roof_status name_kernels(session *s, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < s->args->word_count; i++) {
    s->all = s->all || strcmp(s->args->words[i], "all") == 0;
  }
  for (int i = 0; s->all && i < roof_kernel_count() && status == ROOF_OK; i++) {
    if (roof_kernel_runs_on(roof_kernel_at(i), s->runs.backend->name)) {
      status = add_kernel(s, roof_kernel_at(i), error);
    }
  }
  for (int i = 0; !s->all && i < s->args->word_count && status == ROOF_OK; i++) {
    const roof_kernel *kernel = NULL;
    const char *word = s->args->words[i];
    if (strchr(word, '/') != NULL) {
      status = roof_error_set(error, ROOF_E_NAME,
                              "kernel `%s`: unknown; to run a program: `roofline run -- %s`", word, word);
    } else if (!is_pair(word)) {
      status = roof_runs_find(&s->runs, word, &kernel, error);
      status = status == ROOF_OK ? add_kernel(s, kernel, error) : status;
    }
  }
  if (status == ROOF_OK && s->runs.count == 0) {
    status = roof_error_set(
        error, ROOF_E_ARGUMENT,
        "run: which kernel? for instance `roofline run triad`, or `all`; `roofline run --list` "
        "shows them");
  }
  return status;
}

/** Fails before measuring where no chart could be drawn. */
static roof_status check_chart(const session *s, roof_error *error) {
  roof_status status = s->args->to != NULL ? cli_chart_check(s->args->to, error) : ROOF_OK;
  for (size_t i = 0; s->args->to != NULL && i < s->runs.count && status == ROOF_OK; i++) {
    const roof_op *op = NULL;
    status = roof_op_find(s->runs.list[i].kernel->op, &op, error);
    if (status == ROOF_OK && op->flops_per_element == 0) {
      status = roof_error_set(error, ROOF_E_ARGUMENT,
                              "%s: it does no FLOPs, so it has no place on a roofline", op->name);
    }
  }
  return status;
}

/** What was typed in addition to the kernels. */
static roof_status select_common(const roof_backend **backend, roof_dtype *dtype, roof_error *error) {
  roof_status status = cli_select_backend(backend_name, backend, error);
  if (status == ROOF_OK && dtype_name != NULL) {
    status = roof_dtype_parse(dtype_name, dtype, error);
  }
  if (status == ROOF_OK && threads < 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--threads %d: must be at least 1", threads);
  }
  return status;
}

/** The kernel that takes turns with the others. */
static roof_status find_baseline(roof_runs *runs, roof_error *error) {
  if (baseline_name == NULL) {
    return ROOF_OK;
  }
  return runs->backend->run_in_turns != NULL
             ? roof_runs_find(runs, baseline_name, &runs->baseline, error)
             : roof_error_set(
                   error, ROOF_E_UNSUPPORTED,
                   "--baseline: backend %s times one kernel after the other; use --backend cuda or opencl",
                   runs->backend->name);
}

static roof_status set_up(session *s, const roof_measure_options *how, roof_error *error) {
  const roof_backend *backend = NULL;
  roof_dtype dtype = ROOF_DTYPE_COUNT;
  roof_status status = select_common(&backend, &dtype, error);
  if (status == ROOF_OK) {
    roof_runs_init(&s->runs, backend, dtype, how);
    status = name_kernels(s, error);
  }
  if (status == ROOF_OK) {
    status = find_baseline(&s->runs, error);
  }
  return status == ROOF_OK ? check_chart(s, error) : status;
}

/** The ceilings the measurements are set against, when this machine is measured. */
static roof_machine *load_ceilings(const roof_runs *runs) {
  const char *name = "";
  roof_machine *machine = NULL;
  for (size_t i = 0; i < runs->count && name[0] == '\0'; i++) {
    name = runs->list[i].measurement.machine;
  }
  if (name[0] != '\0') {
    (void)roof_catalog_load(name, &machine, NULL);
  }
  return machine;
}

static const char *level_name(const roof_run *r) {
  return r->level != NULL ? r->level->name : "";
}

static roof_status run_all(session *s, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < s->runs.count && status == ROOF_OK; i++) {
    cli_show_progress(s->runs.how.user, s->runs.list[i].kernel->name, (int)i, (int)s->runs.count);
    status = roof_runs_measure(&s->runs, i, s->all, error);
  }
  cli_show_progress(s->runs.how.user, "", 1, 1);
  return status;
}

/** The same kernels once more, under a profiler. */
static roof_status count_all(session *s, roof_error *error) {
  roof_status status = ROOF_OK;
  s->counted = calloc(s->runs.count + 1, sizeof *s->counted);
  if (s->counted == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  }
  for (size_t i = 0; i < s->runs.count && counters && status == ROOF_OK; i++) {
    const roof_run *r = &s->runs.list[i];
    if (r->skipped[0] == '\0') {
      status = cli_count_kernel(r->kernel, s->runs.backend->name, r->dtype, r->values, &s->counted[i], error);
    }
  }
  return status;
}

static void add_row(cli_grid *grid, const roof_run *r) {
  const roof_measurement *m = &r->measurement;
  char size[32], time[32], rate[32], bandwidth[32];
  cli_grid_add(grid, "%s", m->label);
  cli_grid_add(grid, "%s", roof_bytes_format(size, sizeof size, r->working_set));
  cli_grid_add(grid, "%s", level_name(r));
  cli_grid_add(grid, "%s", roof_quantity_format(time, sizeof time, m->seconds, "s"));
  cli_grid_add(grid, "%.1f %%", 100 * m->stats.spread);
  cli_grid_add(grid, "%zu", m->sample_count);
  cli_grid_add(grid, "%s", roof_quantity_format(rate, sizeof rate, m->flops / m->seconds, "FLOP/s"));
  cli_grid_add(grid, "%s", roof_quantity_format(bandwidth, sizeof bandwidth, m->bytes / m->seconds, "B/s"));
  if (isnan(r->at.share)) {
    cli_grid_add(grid, "%s", "");
  } else {
    cli_grid_add(grid, "%.1f %%", 100 * r->at.share);
  }
  cli_grid_add(grid, "%s", r->at.binding);
}

static const char *const heads[] = {"kernel",  "data",  "in",     "time",       "spread",
                                    "samples", "FLOPs", "memory", "of ceiling", "bound by"};
enum { HEADS = sizeof heads / sizeof heads[0] };

static void add_rows(const session *s, cli_grid *grid) {
  for (int i = 0; i < HEADS; i++) {
    cli_grid_add(grid, "%s", heads[i]);
  }
  for (size_t i = 0; i < s->runs.count; i++) {
    if (s->runs.list[i].skipped[0] == '\0') {
      add_row(grid, &s->runs.list[i]);
    }
  }
}

static const char *remark(const roof_run *r) {
  return r->skipped[0] != '\0' ? r->skipped : r->measurement.note;
}

/** Notes and reasons, once where one size after another has the same. */
static void add_remarks(const session *s, roof_text *out) {
  for (size_t i = 0; i < s->runs.count; i++) {
    const roof_run *r = &s->runs.list[i];
    if (i == 0 || r->kernel != r[-1].kernel || strcmp(remark(r), remark(r - 1)) != 0) {
      roof_text_addf(out, "  %s%s%s: %s\n", r->kernel->name, r->point[0] != '\0' ? " " : "", r->point,
                     remark(r));
    }
  }
}

/** Power where it was measured; JSON says why not. */
static void add_power(const session *s, roof_text *out) {
  for (size_t i = 0; i < s->runs.count; i++) {
    const roof_measurement *m = &s->runs.list[i].measurement;
    char watts[32], joules[32];
    if (s->runs.list[i].skipped[0] == '\0' && !isnan(m->watts)) {
      roof_text_addf(out, "  %s: %s, %s per call (%s)\n", m->label,
                     roof_quantity_format(watts, sizeof watts, m->watts, "W"),
                     roof_quantity_format(joules, sizeof joules, m->joules, "J"), m->power);
    }
  }
}

static void add_baseline(const session *s, roof_text *out) {
  for (size_t i = 0; i < s->runs.count && s->runs.baseline != NULL; i++) {
    const roof_run *r = &s->runs.list[i];
    char time[32];
    if (r->skipped[0] == '\0') {
      roof_text_addf(out, "  %s: %.1f %% of %s, which took %s in turns with it\n", r->measurement.label,
                     100 * roof_share_in_turns(&r->measurement, &r->baseline), s->runs.baseline->name,
                     roof_quantity_format(time, sizeof time, r->baseline.seconds, "s"));
    }
  }
}

static void add_counted(const session *s, roof_text *out) {
  cli_grid grid = {0};
  if (!counters) {
    return;
  }
  cli_counted_heads(&grid);
  for (size_t i = 0; i < s->runs.count; i++) {
    if (s->runs.list[i].skipped[0] == '\0') {
      cli_counted_row(&grid, &s->runs.list[i].measurement, &s->counted[i]);
    }
  }
  roof_text_add(out, "\n  counted by ncu, of one run\n");
  cli_grid_end(&grid, out, "lrrrrrrrr");
  roof_text_add(out, "\n");
}

static void add_text(const session *s, roof_text *out) {
  cli_grid grid = {0};
  add_rows(s, &grid);
  cli_grid_end(&grid, out, "lrlrrrrrrl");
  roof_text_add(out, "\n");
  add_remarks(s, out);
  add_power(s, out);
  add_baseline(s, out);
  add_counted(s, out);
  if (s->runs.machine != NULL) {
    roof_text_addf(out, "  ceilings: %s as measured on %s\n", s->runs.machine->name, s->runs.machine->date);
  } else {
    roof_text_add(out, "  ceilings: unknown; `roofline measure` finds them\n");
  }
}

static json_t *conditions_json(const roof_conditions *conditions) {
  roof_text text = {0};
  json_t *object = NULL;
  if (roof_conditions_write(conditions, &text, NULL) == ROOF_OK) {
    object = json_loadb(text.data, text.length, JSON_DECODE_ANY, NULL);
  }
  roof_text_done(&text);
  return object != NULL ? object : json_null();
}

static json_t *samples_json(const roof_measurement *m) {
  json_t *samples = json_array();
  for (size_t i = 0; i < m->sample_count; i++) {
    json_array_append_new(samples, rf_json_number(m->samples[i]));
  }
  return samples;
}

/** What took turns with it; `fraction`: how fast the kernel is as a share of this one, the median over the
 * turns. */
static json_t *baseline_json(const roof_run *r) {
  const roof_measurement *m = &r->baseline;
  return m->sample_count == 0
             ? json_null()
             : json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", m->label, "seconds", rf_json_number(m->seconds),
                         "samples", samples_json(m), "spread", rf_json_number(m->stats.spread), "fraction",
                         rf_json_number(roof_share_in_turns(&r->measurement, m)));
}

/** The measurement as a document holds it: its bytes through the level that the data are in. */
static roof_measurement document_of(const roof_run *r) {
  roof_measurement m = r->measurement;
  m.calls = (double)m.sample_count;
  m.ceiling_seconds = r->at.ceiling_seconds;
  memcpy(m.counted_flops, m.counted, sizeof m.counted_flops);
  if (r->level != NULL) {
    m.level_bytes[r->level->level] = m.bytes;
  }
  return m;
}

/** What only this command says of a kernel; `counted` is NULL without --counters. */
static void add_details(const roof_run *r, const cli_counted *counted, json_t *kernel) {
  const roof_measurement *m = &r->measurement;
  json_object_update_new(
      kernel, json_pack("{s:o, s:s?, s:o, s:o, s:o, s:o, s:s?, s:o}", "working_set_bytes",
                        rf_json_number(r->working_set), "level", r->level != NULL ? r->level->name : NULL,
                        "conditions", conditions_json(&m->conditions), "counters",
                        counted != NULL ? cli_counted_json(counted) : json_null(), "watts",
                        rf_json_number(m->watts), "joules", rf_json_number(m->joules), "power",
                        m->power[0] != '\0' ? m->power : NULL, "baseline", baseline_json(r)));
  cli_json_add_placed(kernel, &r->at, 1);
}

/** The document of what ran, and why the others did not. */
static json_t *answer_json(const session *s) {
  roof_measurements all = {.list = calloc(s->runs.count + 1, sizeof *all.list),
                           .source = "roofline " ROOF_VERSION_TEXT};
  snprintf(all.format, sizeof all.format, "%s", s->runs.backend->name);
  for (size_t i = 0; i < s->runs.count && all.list != NULL; i++) {
    const roof_run *r = &s->runs.list[i];
    if (r->skipped[0] != '\0') {
      (void)roof_measurements_skip(&all, r->kernel->name, r->skipped, NULL);
    } else {
      all.list[all.count++] = document_of(r);
      memcpy(all.machine, r->measurement.machine, sizeof all.machine);
    }
  }
  json_t *answer = rf_measurements_json(&all), *kernels = json_object_get(answer, "kernels");
  for (size_t i = 0, ran = 0; i < s->runs.count; i++) {
    if (s->runs.list[i].skipped[0] == '\0') {
      add_details(&s->runs.list[i], counters ? &s->counted[i] : NULL, json_array_get(kernels, ran++));
    }
  }
  free(all.list);
  free(all.skipped);
  return answer;
}

/** The series of the dots whose data are in `level`, added when there is none yet. */
static int series_of(roof_scene *scene, const char *level) {
  char name[sizeof scene->series[0]];
  snprintf(name, sizeof name, "data in %.40s", level);
  for (int i = 1; i < scene->series_count; i++) {
    if (strcmp(scene->series[i], name) == 0) {
      return i;
    }
  }
  if (scene->series_count == ROOF_SCENE_SERIES) {
    return 0;
  }
  snprintf(scene->series[scene->series_count], sizeof scene->series[0], "%s", name);
  return scene->series_count++;
}

static roof_status add_dot(const roof_run *r, roof_scene *scene, roof_error *error) {
  char size[32];
  roof_scene_dot dot = {.series = series_of(scene, level_name(r)), .next = -1};
  snprintf(dot.label, sizeof dot.label, "%s%s%s", r->kernel->name, r->point[0] != '\0' ? " " : "", r->point);
  snprintf(dot.detail, sizeof dot.detail, "%s in %s, %.0f %% of its ceiling",
           roof_bytes_format(size, sizeof size, r->working_set), level_name(r), 100 * r->at.share);
  return roof_scene_add_placed(scene, &dot, &r->at) >= 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT,
                              "%s: a chart holds at most %d dots, each with FLOPs and bytes",
                              r->measurement.label, ROOF_SCENE_DOTS);
}

static roof_status fill_scene(const session *s, roof_scene *scene, roof_error *error) {
  roof_dtype dtype = s->runs.list[0].dtype;
  roof_scene_init(scene);
  snprintf(scene->title, sizeof scene->title, "%s: measured kernels, %s", s->runs.machine->title,
           roof_dtype_name(dtype));
  snprintf(scene->subtitle, sizeof scene->subtitle,
           "colours: the level that holds the data of a kernel's call");
  roof_status status = roof_scene_add_machine(scene, s->runs.machine, dtype, error);
  for (size_t i = 0; i < s->runs.count && status == ROOF_OK; i++) {
    if (s->runs.list[i].skipped[0] == '\0') {
      status = add_dot(&s->runs.list[i], scene, error);
    }
  }
  return status;
}

static roof_status write_chart(const session *s, roof_error *error) {
  if (s->runs.machine == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "--to %s: the ceilings are unknown; `roofline measure` finds them", s->args->to);
  }
  roof_scene *scene = malloc(sizeof *scene);
  cli_grid grid = {0};
  add_rows(s, &grid);
  const char **cells = cli_grid_cells(&grid);
  roof_status status = scene == NULL || cells == NULL
                           ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory")
                           : fill_scene(s, scene, error);
  if (status == ROOF_OK) {
    const roof_table table = {"Kernels", cells, HEADS, grid.count / HEADS - 1};
    status = cli_chart_write(s->args->to, scene, &table, error);
  }
  free(cells);
  cli_grid_done(&grid);
  free(scene);
  return status;
}

static roof_status answer(const session *s, roof_error *error) {
  roof_status status = s->args->to != NULL ? write_chart(s, error) : ROOF_OK;
  if (status != ROOF_OK || s->args->json || s->args->csv) {
    return status == ROOF_OK ? cli_answer_print(s->args, answer_json(s), error) : status;
  }
  roof_text text = {0};
  add_text(s, &text);
  status = cli_print(&text, error);
  roof_text_done(&text);
  return status;
}

static roof_status measure(const cli_args *args, roof_error *error) {
  session s = {.args = args};
  roof_measure_options how = roof_measure_options_default();
  how.quick = quick != 0;
  how.threads = threads;
  how.user = (void *)(uintptr_t)args;
  roof_status status = cli_args_precision(percent, &how.precision, error);
  if (status == ROOF_OK) {
    status = set_up(&s, &how, error);
  }
  if (status == ROOF_OK) {
    status = run_all(&s, error);
  }
  if (status == ROOF_OK) {
    status = count_all(&s, error);
  }
  if (status == ROOF_OK) {
    roof_runs_place(&s.runs, load_ceilings(&s.runs));
    status = answer(&s, error);
  }
  roof_runs_done(&s.runs);
  free(s.counted);
  return status;
}

/** The family of a kernel's operation. */
static const char *family_of(const roof_kernel *kernel) {
  const roof_op *op = NULL;
  return roof_op_find(kernel->op, &op, NULL) == ROOF_OK ? op->family : "";
}

static json_t *listed_json(const roof_kernel *kernel, const char *sizes, const char *library,
                           const char *why) {
  json_t *formats = json_array();
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    if (kernel->supports((roof_dtype)d)) {
      json_array_append_new(formats, json_string(roof_dtype_name((roof_dtype)d)));
    }
  }
  return json_pack("{s:s, s:s, s:s, s:o, s:i, s:s, s:s, s:s, s:s?, s:s?}", "name", kernel->name, "family",
                   family_of(kernel), "op", kernel->op, "dtypes", formats, "rung", kernel->rung, "sizes",
                   sizes, "quick_sizes", kernel->quick_sizes, "summary", kernel->summary, "library", library,
                   "disabled", why);
}

/** The kernels of one family as rows and as JSON. */
static void list_family(const char *family, cli_grid *grid, json_t *kernels) {
  const char *name = backend_name != NULL ? backend_name : "cpu";
  const roof_backend *backend = NULL;
  if (roof_backend_find(name, &backend, NULL) != ROOF_OK) {
    return;
  }
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    if (strcmp(family_of(kernel), family) != 0 || !roof_kernel_runs_on(kernel, name)) {
      continue;
    }
    const char *why = kernel->disabled_reason != NULL ? kernel->disabled_reason() : NULL;
    const char *library = kernel->library != NULL ? kernel->library() : NULL;
    const char *note = why != NULL ? why : library, *sizes = roof_backend_sizes(backend, kernel, false);
    cli_grid_add(grid, "%s", family);
    cli_grid_add(grid, "%s", kernel->name);
    cli_grid_add(grid, "%s%s%s", kernel->summary, note != NULL ? ": " : "", note != NULL ? note : "");
    cli_grid_add(grid, "%s", sizes);
    json_array_append_new(kernels, listed_json(kernel, sizes, library, why));
  }
}

static roof_status print_list(const cli_args *args, roof_error *error) {
  static const char *const list_heads[] = {"family", "kernel", "what it does", "default sizes"};
  roof_text text = {0};
  cli_grid grid = {0};
  json_t *kernels = json_array();
  for (int i = 0; i < 4; i++) {
    cli_grid_add(&grid, "%s", list_heads[i]);
  }
  for (int i = 0; i < roof_op_count(); i++) {
    const char *family = roof_op_at(i)->family;
    if (i == 0 || strcmp(family, roof_op_at(i - 1)->family) != 0) {
      list_family(family, &grid, kernels);
    }
  }
  cli_grid_end(&grid, &text, "llll");
  roof_status status =
      args->json || args->csv
          ? cli_answer_print(
                args, json_pack("{s:s, s:O}", "schema", "roofline.kernels/1", "kernels", kernels), error)
          : cli_print(&text, error);
  json_decref(kernels);
  roof_text_done(&text);
  return status;
}

static roof_status climb(const cli_args *args, roof_error *error) {
  roof_measure_options how = roof_measure_options_default();
  how.quick = quick != 0;
  how.threads = threads;
  how.user = (void *)(uintptr_t)args;
  cli_climb c = {
      .args = args, .how = &how, .dtype = ROOF_FP32, .ledger = ledger != NULL ? ledger : CLI_DEFAULT_LEDGER};
  roof_status status = cli_args_precision(percent, &how.precision, error);
  if (status == ROOF_OK) {
    status = select_common(&c.backend, &c.dtype, error);
  }
  return status == ROOF_OK ? cli_ladder_run(&c, error) : status;
}

static roof_status run_program(const cli_args *args, roof_error *error) {
  const cli_program_options o = {.repeats = repeats,
                                 .threads = threads,
                                 .dtype = dtype_name,
                                 .flops = flops,
                                 .bytes = bytes,
                                 .op = op_text};
  return list || ladder || counters || quick || baseline_name != NULL || backend_name != NULL ||
                 ledger != NULL || threads < 0
             ? roof_error_set(error, ROOF_E_ARGUMENT,
                              "run -- %s: takes --repeat, --threads N, --dtype, --flops, --bytes, --op, "
                              "--machine and --to only",
                              args->program[0] != NULL ? args->program[0] : "")
             : cli_program_measure(args, &o, error);
}

/** What only a program takes. */
static roof_status run_kernels(const cli_args *args, roof_error *error) {
  const char *option = repeats != 1             ? "--repeat"
                       : flops != NULL          ? "--flops"
                       : bytes != NULL          ? "--bytes"
                       : op_text != NULL        ? "--op"
                       : args->machines != NULL ? "--machine"
                                                : NULL;
  if (option != NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: is for a program, `roofline run %s ... -- ./program`",
                          option, option);
  }
  if (baseline_name != NULL && (list || ladder)) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "--baseline: is for kernels, without --list; --ladder compares with its libraries already");
  }
  if (counters && (list || ladder)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--counters: is for kernels, without --list or --ladder");
  }
  return list ? print_list(args, error) : ladder ? climb(args, error) : measure(args, error);
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_status status = args->program != NULL ? run_program(args, error) : run_kernels(args, error);
  char *texts[] = {ledger, backend_name, dtype_name, baseline_name, flops, bytes, op_text};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
  return status;
}

const cli_command cli_cmd_run = {
    .name = "run",
    .arguments = "KERNEL ... [key=value ...] | -- PROGRAM [ARGUMENT ...]",
    .summary =
        "check and time built-in kernels, or somebody's program, as a share of what this machine reaches",
    .examples = "  roofline run --list\n"
                "  roofline run triad n=64Mi --dtype fp64\n"
                "  roofline run triad n=4k..64M*4 --to triad.svg\n"
                "  roofline run gemm-naive gemm-blocked gemm-blas m=1024 n=1024 k=1024\n"
                "  roofline run all --quick --json\n"
                "  roofline run gemm --ladder --dtype fp64 --to ladder.svg\n"
                "  roofline run --repeat 5 --to run.json -- ./solver input.dat\n"
                "  roofline run --op 'gemm m=4096 n=4096 k=4096' --dtype fp64 -- ./my-gemm\n",
    .groups = CLI_ARGS_FILE | CLI_ARGS_MACHINE | CLI_ARGS_PROGRAM,
    .options = options,
    .run = run,
};
