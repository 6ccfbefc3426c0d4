#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

#include "roofline/ops.h"
#include "roofline/shape.h"

#define ROW(family) extern const rf_kernel_family rf_kernels_##family;
#include "registry/kernels.inc"
#undef ROW

static const rf_kernel_family *const families[] = {
#define ROW(family) &rf_kernels_##family,
#include "registry/kernels.inc"
#undef ROW
    NULL};

int roof_kernel_count(void) {
  int count = 0;
  for (int i = 0; families[i] != NULL; i++) {
    count += families[i]->count;
  }
  return count;
}

const roof_kernel *roof_kernel_at(int index) {
  for (int i = 0; families[i] != NULL && index >= 0; i++) {
    if (index < families[i]->count) {
      return &families[i]->kernels[index];
    }
    index -= families[i]->count;
  }
  return NULL;
}

enum { LISTED_MAX = 256 };

/** Whether a kernel of an operation is ours, for processors, and the last rung where it is one of a ladder. */
static bool is_best_of(const roof_kernel *kernel, const char *op) {
  bool best = strcmp(kernel->op, op) == 0 && kernel->library == NULL && roof_kernel_runs_on(kernel, "cpu");
  for (int i = 0; i < roof_kernel_count() && best && kernel->rung > 0; i++) {
    const roof_kernel *other = roof_kernel_at(i);
    best = strcmp(other->op, op) != 0 || !roof_kernel_runs_on(other, "cpu") || other->rung <= kernel->rung;
  }
  return best;
}

/** Keeps the names of the best kernels of `op`, where it is an operation. */
static void keep_best_of(const char *op, const char **names) {
  int kept = 0;
  for (int i = 0; i < roof_kernel_count(); i++) {
    if (is_best_of(roof_kernel_at(i), op)) {
      names[kept++] = roof_kernel_at(i)->name;
    }
  }
  if (kept > 0) {
    names[kept] = NULL;
  }
}

roof_status roof_kernel_find(const char *name, const roof_kernel **kernel, roof_error *error) {
  const char *names[LISTED_MAX + 1] = {NULL};
  for (int i = 0; i < roof_kernel_count() && i < LISTED_MAX; i++) {
    const roof_kernel *candidate = roof_kernel_at(i);
    if (strcmp(candidate->name, name) == 0) {
      *kernel = candidate;
      return ROOF_OK;
    }
    names[i] = candidate->name;
  }
  keep_best_of(name, names);
  return roof_error_unknown(error, "kernel", name, names, "`roofline run --list` shows all");
}

const char *roof_kernel_core_type(const roof_kernel *kernel) {
  static const char type[] = ", core type "; /* the library's name ends so */
  const char *name = kernel->library != NULL ? kernel->library() : NULL;
  const char *end = name != NULL ? strstr(name, type) : NULL;
  return end != NULL ? end + sizeof type - 1 : NULL;
}

const roof_blocks *roof_machine_blocks(const roof_machine *machine, roof_dtype dtype) {
  const roof_report *report = machine != NULL ? roof_machine_report(machine) : NULL;
  for (int i = 0; report != NULL && i < report->block_count; i++) {
    if (report->blocks[i].dtype == dtype && report->blocks[i].kernel[0] == '\0') {
      return &report->blocks[i];
    }
  }
  return NULL;
}

bool roof_kernel_is_naive(const roof_kernel *kernel) {
  return strcmp(kernel->variant, "naive") == 0;
}

bool roof_kernel_runs_on(const roof_kernel *kernel, const char *backend) {
  static const char *const processor[] = {"cpu", "fake", NULL};
  const char *const *names = kernel->backends != NULL ? kernel->backends : processor;
  while (*names != NULL && strcmp(*names, backend) != 0) {
    names++;
  }
  return *names != NULL;
}

roof_types roof_kernel_types(const roof_kernel *kernel, roof_dtype dtype) {
  return kernel->types != NULL ? *kernel->types : roof_types_of(dtype);
}

roof_status roof_kernel_values(const roof_kernel *kernel, const char *sizes, double *values,
                               roof_error *error) {
  const roof_op *op = NULL;
  roof_status status = roof_op_find(kernel->op, &op, error);
  return status == ROOF_OK ? roof_shape_values(op, sizes, values, error) : status;
}

static roof_algorithm algorithm_of(const roof_kernel *kernel, const roof_target *target,
                                   const double *values) {
  roof_kernel_run run = {.kernel = kernel, .dtype = target->types.compute, .threads = 1};
  run.blocks = roof_machine_blocks(target->machine, run.dtype);
  roof_algorithm way = {.flops_per_cycle = NAN, .flops = NAN};
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    way.level_bytes[i] = NAN;
  }
  memcpy(run.values, values, sizeof run.values);
  if (kernel->algorithm != NULL) {
    kernel->algorithm(&run, target, &way);
  }
  return way;
}

/** Part of the time that an operation waits for the one before, by which cores differ: an addition of 2 to 4 cycles. */
static const double chain_doubt = 1.0 / 3;

/** The same cores as far as the algorithm can use them: no faster than their peak. */
static roof_target used_by(const roof_algorithm *way, const roof_target *cores, roof_unit unit) {
  roof_target used = *cores;
  double least = used.seconds_per_flop[unit], cost = 1 / (way->flops_per_cycle * cores->machine->clock_hz);
  used.seconds_per_flop[unit] = fmax(cost, least);
  if (!way->chained || used.seconds_per_flop[unit] != cost) {
    return used;
  }
  used.options.efficiency_low = 0.7;
  used.options.efficiency = 0.85;
  used.options.efficiency_high = 1;
  for (int k = 0; k < ROOF_KERNEL_KIND_COUNT && used.parts_stay; k++) { /* its rate is no share of the peak */
    double *values = used.forms[k].values;
    values[ROOF_EFFICIENCY] = 1;
    values[ROOF_TIME_LOW] = fmin(values[ROOF_TIME_LOW], way->timed ? 1 : 1 - chain_doubt);
    values[ROOF_TIME_HIGH] = fmax(values[ROOF_TIME_HIGH], way->timed ? 1 : 1 + chain_doubt);
    used.options.without |= used.forms[k].known ? 0 : ROOF_EFFECTS_ALL;
  }
  return used;
}

roof_status roof_kernel_predict(const roof_kernel *kernel, const roof_target *machine,
                                const roof_target *cores, const double *values, roof_prediction *out,
                                roof_prediction *moved, roof_error *error) {
  const roof_op *op = NULL;
  roof_prediction best, own;
  roof_status status = roof_op_find(kernel->op, &op, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_predict(machine, op, values, &best);
  roof_algorithm way = algorithm_of(kernel, cores, values);
  roof_target used = used_by(&way, cores, best.work.unit);
  roof_work work = best.work;
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    work.level_bytes[i] = isnan(way.level_bytes[i]) ? work.level_bytes[i] : way.level_bytes[i];
  }
  work.flops = isnan(way.flops) ? work.flops : way.flops;
  if (work.kernel.kind == ROOF_KERNEL_STREAM && way.rows > 0) {
    work.kernel.rows = way.rows;
  }
  roof_predict_work(&used, &work, &own);
  best.upper_seconds = fmax(best.upper_seconds, own.upper_seconds);
  best.expected_seconds = fmax(own.expected_seconds, best.lower_seconds);
  best.expected_low_seconds = fmax(own.expected_low_seconds, best.lower_seconds);
  best.expected_high_seconds = fmax(own.expected_high_seconds, best.expected_seconds);
  best.energy_joules = own.energy_joules;
  *out = best;
  if (moved != NULL) {
    *moved = own;
  }
  return ROOF_OK;
}

char *roof_kernel_label(const roof_kernel *kernel, roof_dtype dtype, const double *values, char *buffer,
                        size_t size) {
  const roof_op *op = NULL;
  (void)roof_op_find(kernel->op, &op, NULL);
  return roof_op_label(op, kernel->name, dtype, values, buffer, size);
}
