/* Built-in kernels: checked, timed, and set against what this machine reaches. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/grid.h"

static int quick, threads, list;
static char *backend_name, *dtype_name;

static const struct poptOption options[] = {
    {"list", 'l', POPT_ARG_NONE, &list, 0, "show the kernels and their default shapes", NULL},
    {"quick", '\0', POPT_ARG_NONE, &quick, 0, "smaller default shapes, shorter measurements", NULL},
    {"dtype", 'd', POPT_ARG_STRING, &dtype_name, 0, "fp32 (default) or fp64", "TYPE"},
    {"backend", 'b', POPT_ARG_STRING, &backend_name, 0, "what measures: cpu (default), fake", "NAME"},
    {"threads", 't', POPT_ARG_INT, &threads, 0, "cores to use; default: all this process may", "N"},
    POPT_TABLEEND};

/** One kernel that was asked for. */
typedef struct job {
  const roof_kernel *kernel;
  double values[ROOF_PARAM_MAX];
  roof_measurement measurement;
  roof_prediction bound; /**< on the measured machine; regime and lower_seconds when `bounded` */
  bool bounded;
  char skipped[512]; /**< why it did not run, or "" */
} job;

typedef struct session {
  const roof_args *args;
  const roof_backend *backend;
  roof_measure_options how;
  roof_dtype dtype;
  roof_machine machine;
  roof_target target;
  bool known; /**< the machine's ceilings are measured */
  bool all;
  job *jobs;
  int count;
} session;

static bool is_pair(const char *word) {
  return strchr(word, '=') != NULL;
}

/** The kernels named, or all: those that cannot run are then skipped with the reason. */
static roof_status name_jobs(session *s, roof_error *error) {
  int names = 0;
  for (int i = 0; i < s->args->word_count; i++) {
    names += !is_pair(s->args->words[i]);
    s->all = s->all || strcmp(s->args->words[i], "all") == 0;
  }
  if (names == 0) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "run: which kernel? for instance `roofline run triad`, or `all`; `roofline run --list` "
        "shows them");
  }
  s->jobs = calloc((size_t)(s->all ? roof_kernel_count() : names), sizeof *s->jobs);
  if (s->jobs == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  }
  for (int i = 0; s->all && i < roof_kernel_count(); i++) {
    s->jobs[s->count++].kernel = roof_kernel_at(i);
  }
  roof_status status = ROOF_OK;
  for (int i = 0; i < s->args->word_count && status == ROOF_OK && !s->all; i++) {
    if (!is_pair(s->args->words[i])) {
      status = roof_kernel_find(s->args->words[i], &s->jobs[s->count].kernel, error);
      s->count += status == ROOF_OK;
    }
  }
  return status;
}

/** A kernel's default shape with what was typed over it. */
static roof_status shape_job(const session *s, job *j, roof_error *error) {
  roof_text sizes = {0};
  roof_text_add(&sizes, s->how.quick ? j->kernel->quick_sizes : j->kernel->sizes);
  for (int i = 0; i < s->args->word_count; i++) {
    if (is_pair(s->args->words[i])) {
      roof_text_addf(&sizes, " %s", s->args->words[i]);
    }
  }
  roof_status status = sizes.failed ? roof_error_set(error, ROOF_E_MEMORY, "run: out of memory")
                                    : roof_kernel_values(j->kernel, sizes.data, j->values, error);
  roof_text_done(&sizes);
  return status;
}

static roof_status set_up(session *s, roof_error *error) {
  roof_status status = roof_select_backend(backend_name, &s->backend, error);
  if (status == ROOF_OK && dtype_name != NULL) {
    status = roof_dtype_parse(dtype_name, &s->dtype, error);
  }
  if (status == ROOF_OK && threads < 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--threads %d: must be at least 1", threads);
  }
  if (status == ROOF_OK) {
    status = name_jobs(s, error);
  }
  for (int i = 0; i < s->count && status == ROOF_OK; i++) {
    status = shape_job(s, &s->jobs[i], error);
  }
  return status;
}

/** The ceilings the measurements are set against, when this machine is measured. */
static void load_ceilings(session *s) {
  roof_types types = roof_types_of(s->dtype);
  roof_options o = roof_options_default();
  o.achieved = true;
  const char *name = s->jobs[0].measurement.machine;
  s->known = name[0] != '\0' && roof_catalog_load(name, &s->machine, NULL) == ROOF_OK &&
             roof_target_init(&s->target, &s->machine, &types, &o, NULL) == ROOF_OK;
}

static void bound_job(const session *s, job *j) {
  const roof_op *op = NULL;
  if (s->known && j->skipped[0] == '\0' && roof_op_find(j->kernel->op, &op, NULL) == ROOF_OK) {
    roof_predict(&s->target, op, j->values, &j->bound);
    j->bounded = isfinite(j->bound.lower_seconds);
  }
}

/** Runs the jobs; of `all`, what cannot run here is skipped, but a wrong result never is. */
static roof_status run_jobs(session *s, roof_error *error) {
  for (int i = 0; i < s->count; i++) {
    job *j = &s->jobs[i];
    roof_error why = {0};
    roof_show_progress(s->how.user, j->kernel->name, i, s->count);
    roof_status status = s->backend->run(j->kernel, s->dtype, j->values, &s->how, &j->measurement, &why);
    if (status != ROOF_OK && !(s->all && status == ROOF_E_UNSUPPORTED)) {
      roof_show_progress(s->how.user, "", 1, 1);
      return roof_error_set(error, status, "%s", why.message);
    }
    snprintf(j->skipped, sizeof j->skipped, "%s", why.message);
  }
  roof_show_progress(s->how.user, "", 1, 1);
  return ROOF_OK;
}

static void add_row(roof_grid *grid, const job *j) {
  const roof_measurement *m = &j->measurement;
  char time[32], rate[32], bandwidth[32], binding[ROOF_NAME_MAX] = "";
  roof_grid_add(grid, "%s", m->label);
  roof_grid_add(grid, "%s", roof_quantity_format(time, sizeof time, m->seconds, "s"));
  roof_grid_add(grid, "%.1f %%", 100 * m->stats.spread);
  roof_grid_add(grid, "%zu", m->sample_count);
  roof_grid_add(grid, "%s", roof_quantity_format(rate, sizeof rate, m->flops / m->seconds, "FLOP/s"));
  roof_grid_add(grid, "%s", roof_quantity_format(bandwidth, sizeof bandwidth, m->bytes / m->seconds, "B/s"));
  if (j->bounded) {
    roof_prediction_binding(&j->bound, binding, sizeof binding);
    roof_grid_add(grid, "%.1f %%", 100 * j->bound.lower_seconds / m->seconds);
  } else {
    roof_grid_add(grid, "%s", "");
  }
  roof_grid_add(grid, "%s", binding);
}

static void add_text(const session *s, roof_text *out) {
  static const char *const heads[] = {"kernel", "time",   "spread",     "samples",
                                      "FLOPs",  "memory", "of ceiling", "bound by"};
  roof_grid grid = {0};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    roof_grid_add(&grid, "%s", heads[i]);
  }
  for (int i = 0; i < s->count; i++) {
    if (s->jobs[i].skipped[0] == '\0') {
      add_row(&grid, &s->jobs[i]);
    }
  }
  roof_grid_end(&grid, out, "lrrrrrrl");
  roof_text_done(&grid.cells);
  roof_text_add(out, "\n");
  for (int i = 0; i < s->count; i++) {
    const job *j = &s->jobs[i];
    roof_text_addf(out, "  %s: %s\n", j->kernel->name,
                   j->skipped[0] != '\0' ? j->skipped : j->measurement.note);
  }
  if (s->known) {
    roof_text_addf(out, "  ceilings: %s as measured on %s\n", s->machine.name, s->machine.date);
  } else {
    roof_text_add(out, "  ceilings: unknown; `roofline measure` finds them\n");
  }
}

static json_t *kernel_json(const job *j) {
  const roof_measurement *m = &j->measurement;
  json_t *samples = json_array();
  for (size_t i = 0; i < m->sample_count; i++) {
    json_array_append_new(samples, roof_json_number(m->samples[i]));
  }
  const char *dtype = roof_dtype_name(m->dtype);
  json_t *object = json_pack(
      "{s:s, s:I, s:o, s:o, s:{s:o}, s:{s:o}, s:{s:s, s:s}, s:o, s:o, s:o, s:s}", "name", m->label, "calls",
      (json_int_t)m->sample_count, "seconds", roof_json_number(m->seconds), "samples", samples, "flops",
      dtype, roof_json_number(m->flops), "bytes", "DRAM", roof_json_number(m->bytes), "counted", "flops",
      m->counted, "bytes", m->counted, "spread", roof_json_number(m->stats.spread), "ceiling_seconds",
      roof_json_number(j->bounded ? j->bound.lower_seconds : NAN), "fraction_of_ceiling",
      roof_json_number(j->bounded ? j->bound.lower_seconds / m->seconds : NAN), "note", m->note);
  return object;
}

static json_t *answer_json(const session *s) {
  json_t *kernels = json_array(), *skipped = json_array();
  const char *machine = "";
  for (int i = 0; i < s->count; i++) {
    const job *j = &s->jobs[i];
    if (j->skipped[0] != '\0') {
      json_array_append_new(skipped, json_pack("{s:s, s:s}", "what", j->kernel->name, "why", j->skipped));
    } else {
      json_array_append_new(kernels, kernel_json(j));
      machine = j->measurement.machine;
    }
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "schema", "roofline.measurements/1", "source",
                   "roofline " ROOFLINE_VERSION, "format", s->backend->name, "machine", machine, "kernels",
                   kernels, "skipped", skipped);
}

static roof_status tell(const session *s, roof_error *error) {
  if (s->args->json) {
    return roof_json_print(answer_json(s), error);
  }
  roof_text text = {0};
  add_text(s, &text);
  roof_status status = roof_print(&text, error);
  roof_text_done(&text);
  return status;
}

static roof_status measure(const roof_args *args, roof_error *error) {
  session s = {.args = args, .how = roof_measure_options_default(), .dtype = ROOF_FP32};
  s.how.quick = quick != 0;
  s.how.threads = threads;
  s.how.user = (void *)(uintptr_t)args;
  roof_status status = set_up(&s, error);
  if (status == ROOF_OK) {
    status = run_jobs(&s, error);
  }
  if (status == ROOF_OK) {
    load_ceilings(&s);
    for (int i = 0; i < s.count; i++) {
      bound_job(&s, &s.jobs[i]);
    }
    status = tell(&s, error);
  }
  for (int i = 0; i < s.count; i++) {
    roof_measurement_done(&s.jobs[i].measurement);
  }
  free(s.jobs);
  return status;
}

static roof_status print_list(const roof_args *args, roof_error *error) {
  roof_text text = {0};
  roof_grid grid = {0};
  json_t *kernels = json_array();
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    const char *why = kernel->disabled_reason != NULL ? kernel->disabled_reason() : NULL;
    const char *library = kernel->library != NULL ? kernel->library() : NULL;
    const char *note = why != NULL ? why : library;
    roof_grid_add(&grid, "%s", kernel->name);
    roof_grid_add(&grid, "%s", kernel->sizes);
    roof_grid_add(&grid, "%s%s%s", kernel->summary, note != NULL ? ": " : "", note != NULL ? note : "");
    json_array_append_new(kernels,
                          json_pack("{s:s, s:s, s:s, s:s, s:s, s:s?, s:s?}", "name", kernel->name, "op",
                                    kernel->op, "sizes", kernel->sizes, "quick_sizes", kernel->quick_sizes,
                                    "summary", kernel->summary, "library", library, "disabled", why));
  }
  roof_grid_end(&grid, &text, "lll");
  roof_text_done(&grid.cells);
  roof_status status =
      args->json ? roof_json_print(
                       json_pack("{s:s, s:O}", "schema", "roofline.kernels/1", "kernels", kernels), error)
                 : roof_print(&text, error);
  json_decref(kernels);
  roof_text_done(&text);
  return status;
}

static roof_status run(const roof_args *args, roof_error *error) {
  roof_status status = list ? print_list(args, error) : measure(args, error);
  free(backend_name);
  free(dtype_name);
  return status;
}

const roof_command roof_cmd_run = {
    .name = "run",
    .arguments = "KERNEL ... [key=value ...]",
    .summary = "check and time built-in kernels, as a share of what this machine reaches",
    .examples = "  roofline run --list\n"
                "  roofline run triad n=64Mi --dtype fp64\n"
                "  roofline run gemm-naive gemm-blocked gemm-blas m=1024 n=1024 k=1024\n"
                "  roofline run all --quick --json\n",
    .options = options,
    .run = run,
};
