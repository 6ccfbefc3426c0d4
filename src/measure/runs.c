/* Runs of built-in kernels: at which sizes, in which format, in which level their data are, under which roof. */
#include "roofline/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/run.h"
#include "roofline/ops.h"
#include "roofline/shape.h"
#include "roofline/time.h"

enum { RUNS_MAX = 1000 };

void roof_runs_init(roof_runs *runs, const roof_backend *backend, roof_dtype dtype,
                    const roof_measure_options *how) {
  *runs = (roof_runs){.backend = backend, .dtype = dtype, .how = *how, .taken = NAN};
}

void roof_runs_done(roof_runs *runs) {
  for (size_t i = 0; i < runs->count; i++) {
    roof_measurement_done(&runs->list[i].measurement);
    roof_measurement_done(&runs->list[i].baseline);
  }
  free(runs->list);
  roof_machine_free(runs->machine);
  roof_machine_free(runs->one);
  runs->list = NULL;
  runs->machine = runs->one = NULL;
  runs->count = 0;
}

roof_status roof_runs_find(const roof_runs *runs, const char *name, const roof_kernel **kernel,
                           roof_error *error) {
  const roof_kernel *found = NULL;
  roof_status status = roof_kernel_find(name, &found, error);
  if (status == ROOF_OK && !roof_kernel_runs_on(found, runs->backend->name)) {
    status = roof_error_set(error, ROOF_E_NAME, "kernel `%s`: backend %s does not run it; use --backend %s",
                            name, runs->backend->name, found->backends != NULL ? found->backends[0] : "cpu");
  }
  if (status == ROOF_OK) {
    *kernel = found;
  }
  return status;
}

/** The format asked for, else fp32, else one that the kernel is written for. */
static roof_dtype dtype_of(const roof_runs *runs, const roof_kernel *kernel) {
  roof_dtype dtype = runs->dtype != ROOF_DTYPE_COUNT ? runs->dtype : ROOF_FP32;
  for (int d = 0; d < ROOF_DTYPE_COUNT && runs->dtype == ROOF_DTYPE_COUNT && !kernel->supports(dtype); d++) {
    dtype = (roof_dtype)d;
  }
  return dtype;
}

static roof_status add_point(roof_runs *runs, const roof_kernel *kernel, const roof_shape *shape,
                             size_t index, roof_error *error) {
  roof_run *r = &runs->list[runs->count];
  roof_text point = {0};
  *r = (roof_run){.kernel = kernel, .dtype = dtype_of(runs, kernel)};
  roof_measurement_init(&r->measurement);
  roof_measurement_init(&r->baseline);
  roof_status status = roof_shape_point(shape, index, r->values, error);
  if (status == ROOF_OK) {
    roof_shape_add_point(&point, shape, index, -1);
    snprintf(r->point, sizeof r->point, "%s", point.data != NULL ? point.data : "");
    runs->count++;
  }
  roof_text_done(&point);
  return status;
}

roof_status roof_runs_add(roof_runs *runs, const roof_kernel *kernel, const char *const *words, int count,
                          roof_error *error) {
  const char *sizes = roof_backend_sizes(runs->backend, kernel, runs->how.quick);
  const roof_op *op = NULL;
  roof_run *grown = NULL;
  roof_shape shape;
  roof_status status = roof_op_find(kernel->op, &op, error);
  status = status == ROOF_OK ? roof_shape_parse(&shape, op, words, count, sizes, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  if (shape.points > RUNS_MAX || runs->count + shape.points > RUNS_MAX) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "run: more than %d sizes", RUNS_MAX);
  } else if ((grown = realloc(runs->list, (runs->count + shape.points) * sizeof *grown)) == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  } else {
    runs->list = grown;
  }
  for (size_t i = 0; i < shape.points && status == ROOF_OK; i++) {
    status = add_point(runs, kernel, &shape, i, error);
  }
  roof_shape_done(&shape);
  return status;
}

static bool is_pair(const char *word) {
  return strchr(word, '=') != NULL;
}

/** The kernel of a word. A path is a program. */
static roof_status find_word(const roof_runs *runs, const char *word, const roof_kernel **kernel,
                             roof_error *error) {
  return strchr(word, '/') != NULL
             ? roof_error_set(error, ROOF_E_NAME,
                              "kernel `%s`: unknown; to run a program: `roofline run -- %s`", word, word)
             : roof_runs_find(runs, word, kernel, error);
}

/** Each kernel at the sizes of `pairs`: those named by `words`, or all. */
static roof_status add_named(roof_runs *runs, const char *const *words, int count, const char *const *pairs,
                             int pair_count, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; runs->skip && i < roof_kernel_count() && status == ROOF_OK; i++) {
    if (roof_kernel_runs_on(roof_kernel_at(i), runs->backend->name)) {
      status = roof_runs_add(runs, roof_kernel_at(i), pairs, pair_count, error);
    }
  }
  for (int i = 0; !runs->skip && i < count && status == ROOF_OK; i++) {
    const roof_kernel *kernel = NULL;
    if (!is_pair(words[i])) {
      status = find_word(runs, words[i], &kernel, error);
      status = status == ROOF_OK ? roof_runs_add(runs, kernel, pairs, pair_count, error) : status;
    }
  }
  return status;
}

roof_status roof_runs_select(roof_runs *runs, const char *const *words, int count, roof_error *error) {
  const char **pairs = calloc((size_t)count + 1, sizeof *pairs);
  int pair_count = 0;
  if (pairs == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  }
  for (int i = 0; i < count; i++) {
    runs->skip = runs->skip || strcmp(words[i], "all") == 0;
    if (is_pair(words[i])) {
      pairs[pair_count++] = words[i];
    }
  }
  roof_status status = add_named(runs, words, count, pairs, pair_count, error);
  free(pairs);
  if (status == ROOF_OK && runs->count == 0) {
    status = roof_error_set(
        error, ROOF_E_ARGUMENT,
        "run: which kernel? for instance `roofline run triad`, or `all`; `roofline run --list` "
        "shows them");
  }
  return status;
}

roof_status roof_runs_baseline(roof_runs *runs, const char *name, roof_error *error) {
  return runs->backend->run_in_turns != NULL
             ? roof_runs_find(runs, name, &runs->baseline, error)
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "--baseline: backend %s times one kernel after "
                              "the other; use --backend cpu, cuda, hip or opencl",
                              runs->backend->name);
}

/** Alone, or in turns with the baseline. */
static roof_status run(const roof_runs *runs, roof_run *r, roof_error *error) {
  const roof_backend *backend = runs->backend;
  const roof_kernel *const both[] = {r->kernel, runs->baseline};
  roof_measurement two[2];
  if (runs->baseline == NULL) {
    return backend->run(r->kernel, r->dtype, r->values, &runs->how, &r->measurement, error);
  }
  roof_status status = backend->run_in_turns(both, r->dtype, r->values, &runs->how, two, error);
  if (status == ROOF_OK) {
    r->measurement = two[0];
    r->baseline = two[1];
  }
  return status;
}

roof_status roof_runs_measure(roof_runs *runs, size_t index, roof_error *error) {
  roof_run *r = &runs->list[index];
  roof_error why = {0};
  runs->taken = isnan(runs->taken) ? roof_time_now() : runs->taken;
  roof_status status = run(runs, r, &why);
  if (status != ROOF_OK && !(runs->skip && status == ROOF_E_UNSUPPORTED)) {
    return roof_error_set(error, status, "%s", why.message);
  }
  snprintf(r->skipped, sizeof r->skipped, "%s", why.message);
  r->measurement.taken = runs->taken;
  r->measurement.calls = (double)r->measurement.sample_count;
  memcpy(r->measurement.counted_flops, r->measurement.counted, sizeof r->measurement.counted_flops);
  return ROOF_OK;
}

/** The level the data are in: the outermost that bytes come from; NULL when no work moves any. */
static const roof_level *supply_of(const roof_prediction *p) {
  const roof_level *level = NULL;
  for (int i = 0; i < p->level_count; i++) {
    level = p->levels[i].bytes > 0 ? p->levels[i].level : level;
  }
  return level;
}

/** The shape under the ceilings of `machine`; true where the memory's own binds. */
static bool place_on(const roof_machine *machine, roof_run *r, const roof_level **supply) {
  roof_types types = roof_kernel_types(r->kernel, r->dtype);
  roof_options o = roof_options_default();
  roof_target target;
  roof_counted counted;
  roof_prediction p;
  o.achieved = true;
  o.warm = true;
  if (roof_target_init(&target, machine, &types, &o, NULL) != ROOF_OK ||
      roof_kernel_predict(r->kernel, &target, &target, r->values, &p, NULL, NULL) != ROOF_OK) {
    return false;
  }
  roof_counted_of(&r->measurement, &counted);
  roof_place_predicted(&target, &p, r->measurement.seconds, counted.noise, &r->at);
  r->at.cores = roof_kernel_is_alone(r->kernel, p.work.flops) ? 1 : r->at.cores;
  *supply = supply_of(&p);
  return p.regime == ROOF_MEMORY_BOUND && p.binding != NULL && p.binding->level == ROOF_MEMORY;
}

/** Again with memory as fast as it was meanwhile, where that is another mode than the ceiling's. */
static void heed_mode(const roof_runs *runs, const roof_machine *machine, roof_run *r) {
  double pace = roof_memory_pace(&r->measurement, runs->machine);
  roof_machine *then = isnan(pace) ? NULL : roof_machine_copy(machine);
  const roof_level *supply;
  if (then != NULL) {
    roof_machine_pace_memory(then, pace);
    (void)place_on(then, r, &supply);
    r->measurement.memory_pace = pace;
    rf_memory_pace_note(&r->measurement);
    roof_machine_free(then);
  }
}

/** Under the ceilings of the level that holds its data; a kernel of one thread under those of one core. */
static void place(const roof_runs *runs, roof_run *r) {
  const roof_op *op = NULL;
  roof_work work;
  roof_types types = roof_kernel_types(r->kernel, r->dtype);
  if (r->skipped[0] != '\0' || roof_op_find(r->kernel->op, &op, NULL) != ROOF_OK) {
    return;
  }
  roof_work_init(&work);
  op->work(op, r->values, &types, &work);
  r->working_set = work.working_set;
  roof_place_time(NAN, ROOF_ACHIEVED, r->measurement.seconds, NAN, &r->at);
  const roof_machine *machine = roof_kernel_is_alone(r->kernel, work.flops) ? runs->one : runs->machine;
  if (machine != NULL && place_on(machine, r, &r->level)) {
    heed_mode(runs, machine, r);
  } else {
    rf_run_sharing(&r->measurement);
  }
  r->measurement.given.ceiling_seconds = r->at.ceiling_seconds;
  if (r->level != NULL) {
    r->measurement.level_bytes[r->level->level] = r->measurement.bytes;
  }
}

void roof_runs_place(roof_runs *runs, roof_machine *machine) {
  roof_machine_free(runs->machine);
  roof_machine_free(runs->one);
  runs->machine = machine;
  runs->one = machine != NULL ? roof_machine_copy(machine) : NULL;
  if (runs->one != NULL) {
    roof_machine_for_cores(runs->one, 1);
  }
  if (machine != NULL && runs->how.threads > 0) {
    roof_machine_for_cores(machine, runs->how.threads);
  }
  for (size_t i = 0; i < runs->count; i++) {
    place(runs, &runs->list[i]);
  }
}
