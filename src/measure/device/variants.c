/* Which variant of a kernel is fastest here, shape by shape: all are tried in turns with the kernel as it is, and the best one
 * is kept only when it wins again, by more than chance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/device/bench.h"
#include "measure/device/job.h"
#include "measure/run.h"

/** How many times as long the first takes as the second: the median over the turns, and what its 95 % interval
 * begins with. */
typedef struct gain {
  double median, least;
} gain;

static gain gain_of(const roof_measurement two[2]) {
  size_t count = two[0].sample_count;
  double *ratios = malloc((count + 1) * sizeof *ratios);
  roof_stats stats;
  for (size_t i = 0; ratios != NULL && i < count; i++) {
    ratios[i] = two[0].samples[i] / two[1].samples[i];
  }
  bool known = ratios != NULL && roof_stats_of(ratios, count, &stats, NULL) == ROOF_OK;
  free(ratios);
  return known ? (gain){stats.median, stats.ci_low} : (gain){NAN, NAN};
}

/** One variant in turns with the kernel as it is; *seconds: of both. */
static roof_status try_one(rf_device_job jobs[2], const rf_device_variant *variant,
                           const roof_measure_options *options, gain *out, double seconds[2],
                           roof_error *error) {
  roof_measurement two[2];
  roof_status status = rf_device_job_vary(&jobs[1], variant, error);
  status = status == ROOF_OK ? rf_device_job_compare(jobs, options, two, error) : status;
  if (status == ROOF_OK) {
    *out = gain_of(two);
    for (int i = 0; i < 2; i++) {
      seconds[i] = two[i].seconds;
      roof_measurement_done(&two[i]);
    }
  }
  return status;
}

/** The best of all that run here; NULL where none is faster. */
static roof_status try_all(rf_device_job jobs[2], const roof_measure_options *options,
                           const rf_device_variant **best, int *tried, roof_error *error) {
  double most = 1, seconds[2];
  *best = NULL;
  *tried = 0;
  for (const rf_device_variant *v = jobs[0].kernel->variants; v->name != NULL; v++) {
    gain g = {NAN, NAN};
    roof_status status = try_one(jobs, v, options, &g, seconds, error);
    if (status != ROOF_OK && status != ROOF_E_UNSUPPORTED) {
      return status;
    }
    *tried += status == ROOF_OK;
    if (status == ROOF_OK && g.median > most) {
      *best = v;
      most = g.median;
    }
  }
  return ROOF_OK;
}

static void keep(roof_machine *machine, const rf_device_job *job, const rf_device_variant *best,
                 double gained, double flops_per_second, const char *shape, int tried) {
  roof_blocks *b = roof_machine_add_blocks(machine);
  if (b == NULL) {
    return;
  }
  const double *tile = job->kernel->tile;
  *b = (roof_blocks){.dtype = job->run.dtype,
                     .depth = tile[0],
                     .width = tile[1],
                     .height = tile[2],
                     .flops_per_second = flops_per_second,
                     .gain = best != NULL ? gained : 1,
                     .kind = ROOF_MEASURED};
  snprintf(b->kernel, sizeof b->kernel, "%s", job->run.kernel->name);
  snprintf(b->variant, sizeof b->variant, "%s", best != NULL ? best->name : "");
  snprintf(b->parameters, sizeof b->parameters, "%s", shape);
  snprintf(b->source, sizeof b->source,
           "best of %d variants, each in turns with the kernel as it is, the best once more", tried);
  rf_run_date(b->date);
}

/** Tries all for a part of the time, and the best for all of it. */
static roof_status look(const rf_device_bench *bench, rf_device_job jobs[2], const char *shape, double flops,
                        roof_error *error) {
  static const double least_gain = 1.005; /* runs of the same kernel differ by as much */
  static const double part = 0.25;
  roof_measure_options options = *bench->options;
  const rf_device_variant *best = NULL;
  int tried = 0;
  gain g = {NAN, NAN};
  double seconds[2] = {NAN, NAN};
  options.sustain_seconds = 0;
  options.seconds_per_item = part * bench->budget;
  roof_status status = try_all(jobs, &options, &best, &tried, error);
  options.seconds_per_item = bench->budget;
  if (status == ROOF_OK) {
    status = try_one(jobs, best, &options, &g, seconds, error);
  }
  if (status == ROOF_OK) {
    bool better = best != NULL && g.least >= least_gain;
    keep(bench->machine, &jobs[0], better ? best : NULL, g.median, flops / seconds[better], shape, tried);
  }
  return status;
}

roof_status rf_device_vary(rf_device_bench *bench, const roof_kernel *kernel, roof_dtype dtype,
                           const char *shape, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_measurement described;
  rf_device_job jobs[2];
  roof_status status = roof_kernel_values(kernel, shape, values, error);
  if (status == ROOF_OK) {
    status =
        rf_device_job_describe(bench->device->driver, kernel, dtype, values, &jobs[0], &described, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  jobs[0].device = bench->device;
  status = rf_device_job_begin(&jobs[0], error);
  if (status == ROOF_OK) {
    jobs[1] = jobs[0];
    status = look(bench, jobs, shape, described.flops, error);
  }
  rf_device_job_finish(&jobs[0]);
  return status;
}

/** One kernel at its shapes; where it cannot run, a note says why. */
static roof_status vary_all(rf_device_bench *bench, const roof_kernel *kernel, roof_dtype dtype,
                            roof_error *error) {
  roof_status status = ROOF_OK;
  for (const char *const *shape = rf_device_kernel_of(kernel)->shapes; *shape != NULL; shape++) {
    char step[96];
    roof_error why = {.message = ""};
    snprintf(step, sizeof step, "variants of %.40s, %.40s", kernel->name, *shape);
    bench->steps++;
    rf_device_step(bench, step);
    status = rf_device_vary(bench, kernel, dtype, *shape, &why);
    if (status == ROOF_E_UNSUPPORTED) {
      rf_device_note(bench, "variants of %.40s: none tried at %.40s: %.300s", kernel->name, *shape,
                     why.message);
      return ROOF_OK;
    }
    if (status != ROOF_OK) {
      *error = why;
      return status;
    }
  }
  return status;
}

roof_status rf_device_variants(rf_device_bench *bench, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < roof_kernel_count() && !bench->options->quick; i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    bool varied = roof_kernel_runs_on(kernel, bench->device->driver->name) && kernel->backends != NULL &&
                  rf_device_kernel_of(kernel)->variants != NULL;
    for (int d = 0; d < ROOF_DTYPE_COUNT && varied && status == ROOF_OK; d++) {
      bool has = kernel->supports((roof_dtype)d) && bench->device->info.formats >> d & 1u;
      status = has ? vary_all(bench, kernel, (roof_dtype)d, error) : ROOF_OK;
    }
  }
  return status;
}
