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
#include "roofline/time.h"

static int quick, threads, list, ladder, counters, repeats = 1;
static char *backend_name, *dtype_name, *beside_name, *ledger, *flops, *bytes, *op_text;
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
    {"beside", '\0', POPT_ARG_STRING, &beside_name, 0,
     "time each in turns with this kernel of the same operation, a vendor's library for instance "
     "(accelerators)",
     "KERNEL"},
    {"counters", '\0', POPT_ARG_NONE, &counters, 0,
     "run each kernel once more under NVIDIA's ncu and set what it counts beside the formula", NULL},
    {"repeat", '\0', POPT_ARG_INT, &repeats, 0, "how often to run a program; default 1", "N"},
    {"flops", '\0', POPT_ARG_STRING, &flops, 0, "what a program without regions does in one run", "N"},
    {"bytes", '\0', POPT_ARG_STRING, &bytes, 0, "what it moves from and to memory", "N"},
    {"op", '\0', POPT_ARG_STRING, &op_text, 0, "or the operation that it does: 'gemm m=1024 n=1024 k=1024'",
     "OP"},
    POPT_TABLEEND};

enum { JOBS_MAX = 1000 };

/** One kernel at one size. */
typedef struct job {
  const roof_kernel *kernel;
  roof_dtype dtype;
  double values[ROOF_PARAM_MAX];
  char point[64]; /**< what makes it differ from the kernel's other sizes, "n=4096", or "" */
  roof_measurement measurement;
  roof_measurement beside; /**< of the kernel that took turns with it, with --beside */
  double working_set;
  roof_placed placed;      /**< on the measured machine, the data in the level that holds them */
  const roof_level *level; /**< that level, NULL: not known */
  cli_counted counted;     /**< by a profiler, with --counters */
  char skipped[512];       /**< why it did not run, or "" */
} job;

typedef struct session {
  const cli_args *args;
  const roof_backend *backend;
  const roof_kernel *beside; /**< or NULL */
  roof_measure_options how;
  roof_dtype dtype;      /**< as typed, or ROOF_DTYPE_COUNT */
  roof_machine *machine; /**< NULL: its ceilings are not measured */
  roof_machine *one;     /**< one core of it, for kernels of one thread */
  bool all;
  job *jobs;
  int count;
  double taken; /**< s since 1970 when measuring began */
} session;

static bool is_pair(const char *word) {
  return strchr(word, '=') != NULL;
}

/** The default sizes of a kernel with what was typed in their place. */
static roof_status shape_of(const session *s, const roof_kernel *kernel, const roof_op *op, roof_shape *shape,
                            roof_error *error) {
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
  roof_status status =
      roof_shape_parse(shape, op, words, count, roof_backend_sizes(s->backend, kernel, s->how.quick), error);
  free(words);
  return status;
}

/** The format typed, else fp32, else one that the kernel is written for. */
static roof_dtype dtype_of(const session *s, const roof_kernel *kernel) {
  roof_dtype dtype = s->dtype != ROOF_DTYPE_COUNT ? s->dtype : ROOF_FP32;
  for (int d = 0; d < ROOF_DTYPE_COUNT && s->dtype == ROOF_DTYPE_COUNT && !kernel->supports(dtype); d++) {
    dtype = (roof_dtype)d;
  }
  return dtype;
}

static roof_status add_point(session *s, const roof_kernel *kernel, const roof_shape *shape, size_t index,
                             roof_error *error) {
  job *j = &s->jobs[s->count];
  roof_text point = {0};
  *j = (job){.kernel = kernel, .dtype = dtype_of(s, kernel)};
  roof_status status = roof_shape_point(shape, index, j->values, error);
  if (status == ROOF_OK) {
    roof_shape_add_point(&point, shape, index, -1);
    snprintf(j->point, sizeof j->point, "%s", point.data != NULL ? point.data : "");
    s->count++;
  }
  roof_text_done(&point);
  return status;
}

/** Adds a job for each size of a kernel. */
static roof_status add_jobs(session *s, const roof_kernel *kernel, roof_error *error) {
  const roof_op *op = NULL;
  roof_shape shape;
  roof_status status = roof_op_find(kernel->op, &op, error);
  if (status == ROOF_OK) {
    status = shape_of(s, kernel, op, &shape, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  job *grown = NULL;
  if (shape.points > JOBS_MAX || (size_t)s->count + shape.points > JOBS_MAX) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "run: more than %d sizes", JOBS_MAX);
  } else if ((grown = realloc(s->jobs, ((size_t)s->count + shape.points) * sizeof *grown)) == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  } else {
    s->jobs = grown;
  }
  for (size_t i = 0; i < shape.points && status == ROOF_OK; i++) {
    status = add_point(s, kernel, &shape, i, error);
  }
  roof_shape_done(&shape);
  return status;
}

/** The kernel named, which the backend must run. */
static roof_status find_kernel(const session *s, const char *name, const roof_kernel **kernel,
                               roof_error *error) {
  const roof_kernel *found = NULL;
  roof_status status = roof_kernel_find(name, &found, error);
  if (status == ROOF_OK && !roof_kernel_runs_on(found, s->backend->name)) {
    status = roof_error_set(error, ROOF_E_NAME, "kernel `%s`: backend %s does not run it; use --backend %s",
                            name, s->backend->name, found->backends != NULL ? found->backends[0] : "cpu");
  }
  if (status == ROOF_OK) {
    *kernel = found;
  }
  return status;
}

/** The kernels named, or all: those that cannot run are then skipped with the reason. */
static roof_status name_jobs(session *s, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < s->args->word_count; i++) {
    s->all = s->all || strcmp(s->args->words[i], "all") == 0;
  }
  for (int i = 0; s->all && i < roof_kernel_count() && status == ROOF_OK; i++) {
    if (roof_kernel_runs_on(roof_kernel_at(i), s->backend->name)) {
      status = add_jobs(s, roof_kernel_at(i), error);
    }
  }
  for (int i = 0; !s->all && i < s->args->word_count && status == ROOF_OK; i++) {
    const roof_kernel *kernel = NULL;
    const char *word = s->args->words[i];
    if (strchr(word, '/') != NULL) {
      status = roof_error_set(error, ROOF_E_NAME,
                              "kernel `%s`: unknown; to run a program: `roofline run -- %s`", word, word);
    } else if (!is_pair(word)) {
      status = find_kernel(s, word, &kernel, error);
      status = status == ROOF_OK ? add_jobs(s, kernel, error) : status;
    }
  }
  if (status == ROOF_OK && s->count == 0) {
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
  for (int i = 0; s->args->to != NULL && i < s->count && status == ROOF_OK; i++) {
    const roof_op *op = NULL;
    status = roof_op_find(s->jobs[i].kernel->op, &op, error);
    if (status == ROOF_OK && op->flops_per_element == 0) {
      status = roof_error_set(error, ROOF_E_ARGUMENT,
                              "%s: it does no FLOPs, so it has no place on a roofline", op->name);
    }
  }
  return status;
}

/** What was typed beside the kernels. */
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
static roof_status find_beside(session *s, roof_error *error) {
  if (beside_name == NULL) {
    return ROOF_OK;
  }
  return s->backend->run_in_turns != NULL
             ? find_kernel(s, beside_name, &s->beside, error)
             : roof_error_set(
                   error, ROOF_E_UNSUPPORTED,
                   "--beside: backend %s times one kernel after the other; use --backend cuda or opencl",
                   s->backend->name);
}

static roof_status set_up(session *s, roof_error *error) {
  roof_status status = select_common(&s->backend, &s->dtype, error);
  if (status == ROOF_OK) {
    status = name_jobs(s, error);
  }
  if (status == ROOF_OK) {
    status = find_beside(s, error);
  }
  return status == ROOF_OK ? check_chart(s, error) : status;
}

/** The ceilings the measurements are set against, when this machine is measured. */
static void load_ceilings(session *s) {
  const char *name = "";
  for (int i = 0; i < s->count && name[0] == '\0'; i++) {
    name = s->jobs[i].measurement.machine;
  }
  if (name[0] == '\0' || roof_catalog_load(name, &s->machine, NULL) != ROOF_OK) {
    return;
  }
  s->one = roof_machine_copy(s->machine);
  if (s->one != NULL) {
    roof_machine_for_cores(s->one, 1);
  }
  if (threads > 0) {
    roof_machine_for_cores(s->machine, threads);
  }
}

/** The level the data are in: the outermost that bytes come from; NULL when no work moves any. */
static const roof_level *supply_of(const roof_prediction *p) {
  const roof_level *level = NULL;
  for (int i = 0; i < p->level_count; i++) {
    level = p->levels[i].bytes > 0 ? p->levels[i].level : level;
  }
  return level;
}

static void place_job(const session *s, job *j) {
  const roof_op *op = NULL;
  roof_target target;
  roof_work work;
  roof_types types = roof_kernel_types(j->kernel, j->dtype);
  roof_options o = roof_options_default();
  o.achieved = true;
  o.warm = true;
  if (j->skipped[0] != '\0' || roof_op_find(j->kernel->op, &op, NULL) != ROOF_OK) {
    return;
  }
  roof_work_init(&work);
  op->work(op, j->values, &types, &work);
  j->working_set = work.working_set;
  roof_place_time(NAN, ROOF_ACHIEVED, j->measurement.seconds, NAN, &j->placed);
  const roof_machine *machine = j->kernel->serial ? s->one : s->machine;
  if (machine != NULL && roof_target_init(&target, machine, &types, &o, NULL) == ROOF_OK) {
    roof_counted counted;
    roof_prediction p;
    roof_counted_of(&j->measurement, &counted);
    roof_predict(&target, op, j->values, &p);
    roof_place_work(&target, &p.work, j->measurement.seconds, counted.noise, &j->placed);
    j->level = supply_of(&p);
  }
}

static const char *level_name(const job *j) {
  return j->level != NULL ? j->level->name : "";
}

/** Alone, or in turns with the kernel beside it. */
static roof_status run_job(const session *s, job *j, roof_error *error) {
  const roof_kernel *const both[] = {j->kernel, s->beside};
  roof_measurement two[2];
  if (s->beside == NULL) {
    return s->backend->run(j->kernel, j->dtype, j->values, &s->how, &j->measurement, error);
  }
  roof_status status = s->backend->run_in_turns(both, j->dtype, j->values, &s->how, two, error);
  if (status == ROOF_OK) {
    j->measurement = two[0];
    j->beside = two[1];
  }
  return status;
}

/** Runs the jobs; of `all`, what cannot run here is skipped, but a wrong result never is. */
static roof_status run_jobs(session *s, roof_error *error) {
  for (int i = 0; i < s->count; i++) {
    job *j = &s->jobs[i];
    roof_error why = {0};
    cli_show_progress(s->how.user, j->kernel->name, i, s->count);
    roof_status status = run_job(s, j, &why);
    if (status != ROOF_OK && !(s->all && status == ROOF_E_UNSUPPORTED)) {
      cli_show_progress(s->how.user, "", 1, 1);
      return roof_error_set(error, status, "%s", why.message);
    }
    snprintf(j->skipped, sizeof j->skipped, "%s", why.message);
  }
  cli_show_progress(s->how.user, "", 1, 1);
  return ROOF_OK;
}

/** The same kernels once more, under a profiler. */
static roof_status count_jobs(session *s, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < s->count && counters && status == ROOF_OK; i++) {
    job *j = &s->jobs[i];
    if (j->skipped[0] == '\0') {
      status = cli_count_kernel(j->kernel, s->backend->name, j->dtype, j->values, &j->counted, error);
    }
  }
  return status;
}

static void add_row(cli_grid *grid, const job *j) {
  const roof_measurement *m = &j->measurement;
  char size[32], time[32], rate[32], bandwidth[32];
  cli_grid_add(grid, "%s", m->label);
  cli_grid_add(grid, "%s", roof_bytes_format(size, sizeof size, j->working_set));
  cli_grid_add(grid, "%s", level_name(j));
  cli_grid_add(grid, "%s", roof_quantity_format(time, sizeof time, m->seconds, "s"));
  cli_grid_add(grid, "%.1f %%", 100 * m->stats.spread);
  cli_grid_add(grid, "%zu", m->sample_count);
  cli_grid_add(grid, "%s", roof_quantity_format(rate, sizeof rate, m->flops / m->seconds, "FLOP/s"));
  cli_grid_add(grid, "%s", roof_quantity_format(bandwidth, sizeof bandwidth, m->bytes / m->seconds, "B/s"));
  if (isnan(j->placed.share)) {
    cli_grid_add(grid, "%s", "");
  } else {
    cli_grid_add(grid, "%.1f %%", 100 * j->placed.share);
  }
  cli_grid_add(grid, "%s", j->placed.binding);
}

static const char *const heads[] = {"kernel",  "data",  "in",     "time",       "spread",
                                    "samples", "FLOPs", "memory", "of ceiling", "bound by"};
enum { HEADS = sizeof heads / sizeof heads[0] };

static void add_rows(const session *s, cli_grid *grid) {
  for (int i = 0; i < HEADS; i++) {
    cli_grid_add(grid, "%s", heads[i]);
  }
  for (int i = 0; i < s->count; i++) {
    if (s->jobs[i].skipped[0] == '\0') {
      add_row(grid, &s->jobs[i]);
    }
  }
}

static const char *remark(const job *j) {
  return j->skipped[0] != '\0' ? j->skipped : j->measurement.note;
}

/** Notes and reasons, once where one size after another has the same. */
static void add_remarks(const session *s, roof_text *out) {
  for (int i = 0; i < s->count; i++) {
    const job *j = &s->jobs[i];
    if (i == 0 || j->kernel != j[-1].kernel || strcmp(remark(j), remark(j - 1)) != 0) {
      roof_text_addf(out, "  %s%s%s: %s\n", j->kernel->name, j->point[0] != '\0' ? " " : "", j->point,
                     remark(j));
    }
  }
}

/** Power where it was measured; JSON says why not. */
static void add_power(const session *s, roof_text *out) {
  for (int i = 0; i < s->count; i++) {
    const roof_measurement *m = &s->jobs[i].measurement;
    char watts[32], joules[32];
    if (s->jobs[i].skipped[0] == '\0' && !isnan(m->watts)) {
      roof_text_addf(out, "  %s: %s, %s a call (%s)\n", m->label,
                     roof_quantity_format(watts, sizeof watts, m->watts, "W"),
                     roof_quantity_format(joules, sizeof joules, m->joules, "J"), m->power);
    }
  }
}

static void add_beside(const session *s, roof_text *out) {
  for (int i = 0; i < s->count && s->beside != NULL; i++) {
    const job *j = &s->jobs[i];
    char time[32];
    if (j->skipped[0] == '\0') {
      roof_text_addf(out, "  %s: %.1f %% of %s, which took %s in turns with it\n", j->measurement.label,
                     100 * roof_share_in_turns(&j->measurement, &j->beside), s->beside->name,
                     roof_quantity_format(time, sizeof time, j->beside.seconds, "s"));
    }
  }
}

static void add_counted(const session *s, roof_text *out) {
  cli_grid grid = {0};
  if (!counters) {
    return;
  }
  cli_counted_heads(&grid);
  for (int i = 0; i < s->count; i++) {
    if (s->jobs[i].skipped[0] == '\0') {
      cli_counted_row(&grid, &s->jobs[i].measurement, &s->jobs[i].counted);
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
  add_beside(s, out);
  add_counted(s, out);
  if (s->machine != NULL) {
    roof_text_addf(out, "  ceilings: %s as measured on %s\n", s->machine->name, s->machine->date);
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
    json_array_append_new(samples, cli_json_number(m->samples[i]));
  }
  return samples;
}

/** What took turns with it; `fraction`: how fast the kernel is as a share of this one, the median over the
 * turns. */
static json_t *beside_json(const job *j) {
  const roof_measurement *m = &j->beside;
  return m->sample_count == 0 ? json_null()
                              : json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", m->label, "seconds",
                                          cli_json_number(m->seconds), "samples", samples_json(m), "spread",
                                          cli_json_number(m->stats.spread), "fraction",
                                          cli_json_number(roof_share_in_turns(&j->measurement, m)));
}

/** The measurement as a document holds it: its bytes through the level that the data are in. */
static roof_measurement document_of(const job *j) {
  roof_measurement m = j->measurement;
  m.calls = (double)m.sample_count;
  m.ceiling_seconds = j->placed.ceiling_seconds;
  memcpy(m.counted_flops, m.counted, sizeof m.counted_flops);
  if (j->level != NULL) {
    m.level_bytes[j->level->level] = m.bytes;
  }
  return m;
}

/** What only this command tells of a kernel. */
static void add_details(const job *j, json_t *kernel) {
  const roof_measurement *m = &j->measurement;
  json_object_update_new(
      kernel, json_pack("{s:o, s:s?, s:o, s:o, s:o, s:o, s:s?, s:o}", "working_set_bytes",
                        cli_json_number(j->working_set), "level", j->level != NULL ? j->level->name : NULL,
                        "conditions", conditions_json(&m->conditions), "counters",
                        counters ? cli_counted_json(&j->counted) : json_null(), "watts",
                        cli_json_number(m->watts), "joules", cli_json_number(m->joules), "power",
                        m->power[0] != '\0' ? m->power : NULL, "beside", beside_json(j)));
  cli_json_add_placed(kernel, &j->placed, 1);
}

/** The document of what ran, and why the others did not. */
static json_t *answer_json(const session *s) {
  roof_measurements all = {.list = calloc((size_t)s->count + 1, sizeof *all.list),
                           .source = "roofline " ROOFLINE_VERSION};
  snprintf(all.format, sizeof all.format, "%s", s->backend->name);
  for (int i = 0; i < s->count && all.list != NULL; i++) {
    const job *j = &s->jobs[i];
    if (j->skipped[0] != '\0') {
      (void)roof_measurements_skip(&all, j->kernel->name, j->skipped, NULL);
    } else {
      all.list[all.count] = document_of(j);
      all.list[all.count++].taken = s->taken;
      memcpy(all.machine, j->measurement.machine, sizeof all.machine);
    }
  }
  json_t *answer = rf_measurements_json(&all), *kernels = json_object_get(answer, "kernels");
  for (int i = 0, ran = 0; i < s->count; i++) {
    if (s->jobs[i].skipped[0] == '\0') {
      add_details(&s->jobs[i], json_array_get(kernels, (size_t)ran++));
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

static roof_status add_dot(const job *j, roof_scene *scene, roof_error *error) {
  char size[32];
  roof_scene_dot dot = {.series = series_of(scene, level_name(j)), .next = -1};
  snprintf(dot.label, sizeof dot.label, "%s%s%s", j->kernel->name, j->point[0] != '\0' ? " " : "", j->point);
  snprintf(dot.detail, sizeof dot.detail, "%s in %s, %.0f %% of its ceiling",
           roof_bytes_format(size, sizeof size, j->working_set), level_name(j), 100 * j->placed.share);
  return roof_scene_add_placed(scene, &dot, &j->placed) >= 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT,
                              "%s: a chart holds at most %d dots, each with FLOPs and bytes",
                              j->measurement.label, ROOF_SCENE_DOTS);
}

static roof_status fill_scene(const session *s, roof_scene *scene, roof_error *error) {
  roof_dtype dtype = s->jobs[0].dtype;
  roof_scene_init(scene);
  snprintf(scene->title, sizeof scene->title, "%s: measured kernels, %s", s->machine->title,
           roof_dtype_name(dtype));
  snprintf(scene->subtitle, sizeof scene->subtitle,
           "colours: the level that holds the data of a kernel's call");
  roof_status status = roof_scene_add_machine(scene, s->machine, dtype, error);
  for (int i = 0; i < s->count && status == ROOF_OK; i++) {
    if (s->jobs[i].skipped[0] == '\0') {
      status = add_dot(&s->jobs[i], scene, error);
    }
  }
  return status;
}

static roof_status write_chart(const session *s, roof_error *error) {
  if (s->machine == NULL) {
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

static roof_status tell(const session *s, roof_error *error) {
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
  session s = {.args = args, .how = roof_measure_options_default(), .dtype = ROOF_DTYPE_COUNT};
  s.how.quick = quick != 0;
  s.how.threads = threads;
  s.how.user = (void *)(uintptr_t)args;
  roof_status status = cli_args_precision(percent, &s.how.precision, error);
  if (status == ROOF_OK) {
    status = set_up(&s, error);
  }
  s.taken = roof_time_now();
  if (status == ROOF_OK) {
    status = run_jobs(&s, error);
  }
  if (status == ROOF_OK) {
    status = count_jobs(&s, error);
  }
  if (status == ROOF_OK) {
    load_ceilings(&s);
    for (int i = 0; i < s.count; i++) {
      place_job(&s, &s.jobs[i]);
    }
    status = tell(&s, error);
  }
  for (int i = 0; i < s.count; i++) {
    roof_measurement_done(&s.jobs[i].measurement);
    roof_measurement_done(&s.jobs[i].beside);
  }
  free(s.jobs);
  roof_machine_free(s.machine);
  roof_machine_free(s.one);
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
  return list || ladder || counters || quick || beside_name != NULL || backend_name != NULL ||
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
  if (beside_name != NULL && (list || ladder)) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "--beside: is for kernels, without --list; --ladder has its libraries beside it already");
  }
  if (counters && (list || ladder)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--counters: is for kernels, without --list or --ladder");
  }
  return list ? print_list(args, error) : ladder ? climb(args, error) : measure(args, error);
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_status status = args->program != NULL ? run_program(args, error) : run_kernels(args, error);
  char *texts[] = {ledger, backend_name, dtype_name, beside_name, flops, bytes, op_text};
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
