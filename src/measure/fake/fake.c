/* A machine that exists only in a script, so that every command and test runs anywhere and gives the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/figures.h"
#include "measure/fake/growth.h"
#include "measure/fake/script.h"
#include "measure/run.h"
#include "roofline/ops.h"
#include "roofline/predict.h"

static const char scripted[] = "scripted by the fake backend, not measured";
static const char epoch[] = "1970-01-01";

static const char *never_disabled(void) {
  return NULL;
}

/** False when out of memory. */
static bool add_peak(roof_machine *machine, roof_dtype dtype, int cores, double rate) {
  roof_peak *peak = roof_machine_add_peak(machine);
  if (peak == NULL) {
    return false;
  }
  peak->dtype = dtype;
  peak->unit = ROOF_VECTOR;
  peak->kind = ROOF_MEASURED;
  peak->cores = cores;
  peak->flops_per_second = rate;
  peak->limit_flops_per_second = rate;
  peak->spread = 0;
  snprintf(peak->isa, sizeof peak->isa, "fake");
  snprintf(peak->source, sizeof peak->source, "%s", scripted);
  snprintf(peak->date, sizeof peak->date, "%s", epoch);
  return true;
}

/** False when out of memory. */
static bool add_memory(roof_machine *machine, const rf_script *script) {
  roof_level *level = roof_machine_add_level(machine);
  char *note = roof_machine_add_note(machine);
  if (level == NULL || note == NULL) {
    return false;
  }
  snprintf(level->name, sizeof level->name, "DRAM");
  level->level = ROOF_MEMORY;
  level->kind = ROOF_MEASURED;
  level->bytes = script->memory_bytes;
  level->read_bytes_per_second = script->read;
  level->triad_bytes_per_second = script->triad;
  level->copy_bytes_per_second = script->copy;
  level->write_bytes_per_second = script->write;
  level->spread = 0;
  snprintf(level->source, sizeof level->source, "%s", scripted);
  snprintf(level->date, sizeof level->date, "%s", epoch);
  snprintf(note, ROOF_SOURCE_MAX, "every figure is %s", scripted);
  return true;
}

static roof_machine *build_machine(const rf_script *script) {
  roof_machine *machine = roof_machine_new();
  if (machine == NULL) {
    return NULL;
  }
  snprintf(machine->name, sizeof machine->name, "fake");
  snprintf(machine->title, sizeof machine->title, "%s", script->title);
  snprintf(machine->vendor, sizeof machine->vendor, "fake");
  snprintf(machine->architecture, sizeof machine->architecture, "fake");
  snprintf(machine->device_class, sizeof machine->device_class, "cpu");
  snprintf(machine->unit_kind, sizeof machine->unit_kind, "core");
  snprintf(machine->date, sizeof machine->date, "%s", epoch);
  machine->kind = ROOF_MEASURED;
  machine->unit_count = script->cores;
  machine->clock_hz = script->clock_hz;
  machine->launch_seconds = script->launch_seconds;
  machine->overhead_cutoff_seconds = script->launch_seconds;
  roof_origin *const origins[] = {&machine->unit_origin, &machine->clock_origin, &machine->launch_origin,
                                  &machine->overhead_origin};
  for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
    rf_origin_set(origins[i], ROOF_MEASURED, scripted, epoch);
  }
  if (add_peak(machine, ROOF_FP64, 1, script->fp64 / script->cores) &&
      add_peak(machine, ROOF_FP64, 0, script->fp64) &&
      add_peak(machine, ROOF_FP32, 1, script->fp32 / script->cores) &&
      add_peak(machine, ROOF_FP32, 0, script->fp32) && add_memory(machine, script)) {
    rf_fake_add_growth(machine, script, scripted);
    return machine;
  }
  roof_machine_free(machine);
  return NULL;
}

static roof_status measure(const roof_measure_options *options, roof_machine **machine, roof_error *error) {
  rf_script script;
  roof_status status = rf_script_read(&script, error);
  if (status == ROOF_OK) {
    if (options->progress != NULL) {
      options->progress(options->user, "reading the script", 0, 1);
    }
    roof_machine *built = build_machine(&script);
    *machine = built != NULL ? built : *machine;
    status = built != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "machine: out of memory");
  }
  return status;
}

/** The kernel's scripted samples, or samples one percent around the bound of its algorithm divided by the
 * efficiency; of one core where it is `alone`. */
static roof_status script_times(const rf_script *script, const roof_kernel *kernel, roof_dtype dtype,
                                const double *values, bool alone, rf_script_times *times, roof_error *error) {
  for (int i = script->time_count - 1; i >= 0; i--) {
    if (strcmp(script->times[i].kernel, kernel->name) == 0) {
      *times = script->times[i];
      return ROOF_OK;
    }
  }
  roof_machine *machine = build_machine(script);
  roof_target target;
  roof_types types = roof_types_of(dtype);
  roof_options options = roof_options_default();
  options.achieved = true;
  roof_prediction best, own;
  if (machine != NULL && alone) {
    roof_machine_for_cores(machine, 1);
  }
  roof_status status = machine != NULL ? roof_target_init(&target, machine, &types, &options, error)
                                       : roof_error_set(error, ROOF_E_MEMORY, "machine: out of memory");
  if (status == ROOF_OK) {
    status = roof_kernel_predict(kernel, &target, &target, values, &best, &own, error);
  }
  roof_machine_free(machine);
  if (status != ROOF_OK) {
    return status;
  }
  static const double around[] = {1.01, 1, 0.99, 1, 1.005, 0.995, 1};
  times->count = sizeof around / sizeof around[0];
  for (size_t i = 0; i < times->count; i++) {
    times->seconds[i] = around[i] * own.lower_seconds / script->efficiency;
  }
  return ROOF_OK;
}

static roof_status run(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                       const roof_measure_options *options, roof_measurement *out, roof_error *error) {
  rf_script script;
  rf_script_times times = {.count = 0};
  roof_measurement result;
  roof_status status = rf_run_describe(kernel, dtype, values, &result, error);
  if (status == ROOF_OK) {
    status = rf_script_read(&script, error);
  }
  if (status == ROOF_OK) {
    double *const rates[] = {&script.read, &script.triad, &script.copy, &script.write};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
      *rates[i] *= script.pace;
    }
    result.memory_bytes_per_second = rf_memory_rate(script.read, script.read);
    bool alone = options->threads == 1 || roof_kernel_is_alone(kernel, result.flops);
    status = script_times(&script, kernel, dtype, values, alone, &times, error);
  }
  if (status == ROOF_OK) {
    double sorted[RF_SCRIPT_SAMPLES];
    memcpy(sorted, times.seconds, times.count * sizeof *sorted);
    status = roof_stats_of(sorted, times.count, &result.stats, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  result.samples = malloc(times.count * sizeof *result.samples);
  if (result.samples == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "samples: out of memory");
  }
  memcpy(result.samples, times.seconds, times.count * sizeof *result.samples);
  result.sample_count = times.count;
  result.seconds = result.stats.median;
  snprintf(result.machine, sizeof result.machine, "fake");
  snprintf(result.note, sizeof result.note, "%s", scripted);
  *out = result;
  return ROOF_OK;
}

static int domain_count(void) {
  rf_script script;
  return rf_script_read(&script, NULL) == ROOF_OK ? script.domain_count : 0;
}

static roof_status read_domain(int index, double seconds, roof_domain_begin *begin, void *user,
                               roof_domain_read *out, roof_error *error) {
  rf_script script;
  (void)seconds;
  roof_status status = rf_script_read(&script, error);
  if (status == ROOF_OK) {
    begin(user);
    *out = (roof_domain_read){
        .cores = script.cores / script.domain_count, .bytes_per_second = script.domains[index], .spread = 0};
    snprintf(out->name, sizeof out->name, "node %d", index);
  }
  return status;
}

const roof_backend rf_backend_fake = {.name = "fake",
                                      .summary =
                                          "a scripted machine for tests (ROOFLINE_FAKE names a script)",
                                      .machine = "fake",
                                      .disabled_reason = never_disabled,
                                      .measure = measure,
                                      .run = run,
                                      .domain_count = domain_count,
                                      .read_domain = read_domain};
