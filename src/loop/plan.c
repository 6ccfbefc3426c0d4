#include "loop/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "roofline/ops.h"

static const char *const calibrating[] = {
    "copy", "add",   "scal",       "reduce",          "silu",         "gelu",      "layernorm", "rmsnorm",
    "ger",  "dot",   "gemm-tiled", "gemm-prefetched", "gemm-blocked", "gemm-blas", "gemm-blis", "softmax",
    "axpy", "triad", "gemv"};

const roof_kernel *rf_plan_calibrates(int index) {
  const roof_kernel *kernel = NULL;
  bool found = index < (int)(sizeof calibrating / sizeof calibrating[0]) &&
               roof_kernel_find(calibrating[index], &kernel, NULL) == ROOF_OK;
  return found ? kernel : NULL;
}

enum { COLUMNS = 512, STEP = 16 };

/** The bytes of a kernel's data at a shape; NaN where it has no such parameters. */
static double bytes_of(const roof_kernel *kernel, const roof_types *types, const char *shape) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_work work;
  if (roof_op_find(kernel->op, &op, NULL) != ROOF_OK ||
      roof_kernel_values(kernel, shape, values, NULL) != ROOF_OK) {
    return NAN;
  }
  roof_work_init(&work);
  op->work(op, values, types, &work);
  return work.working_set;
}

/** Writes the shape of `side` steps in each parameter that a kernel has of rows, m, n and k; returns its bytes. */
static double bytes_at(const roof_kernel *kernel, const roof_types *types, size_t side, char *shape) {
  const roof_op *op = NULL;
  size_t n = side * STEP;
  if (roof_op_find(kernel->op, &op, NULL) != ROOF_OK) {
    return NAN;
  }
  if (roof_op_param_index(op, "rows") >= 0) {
    snprintf(shape, ROOF_LOOP_SHAPE, "rows=%zu cols=%d", side, COLUMNS);
  } else if (roof_op_param_index(op, "k") >= 0) {
    snprintf(shape, ROOF_LOOP_SHAPE, "m=%zu n=%zu k=%zu", n, n, n);
  } else if (roof_op_param_index(op, "m") >= 0) {
    snprintf(shape, ROOF_LOOP_SHAPE, "m=%zu n=%zu", n, n);
  } else {
    snprintf(shape, ROOF_LOOP_SHAPE, "n=%zu", n);
  }
  return bytes_of(kernel, types, shape);
}

/** What the caches inside a level hold together. */
static double inside(const roof_target *target, roof_level_kind level) {
  double most = 0;
  for (int k = ROOF_L1; k < (int)level; k++) {
    const roof_level *l = target->level[k];
    most = l != NULL && l->bytes > 0 ? fmax(most, l->bytes * l->instances) : most;
  }
  return most;
}

/** Half of what a cache holds as far as one core saw it, well beyond the caches inside it; four times the caches for
 * memory. 0: there is no such size. */
static double bytes_for(const roof_target *target, roof_level_kind level) {
  static const double apart = 1.4, beyond = 4, half = 0.5, least_memory = 64e6;
  const roof_level *l = target->level[level];
  double within = inside(target, level);
  if (l == NULL) {
    return 0;
  }
  if (level == ROOF_MEMORY) {
    return fmax(beyond * within, least_memory);
  }
  double each = l->plateau_bytes > 0 ? fmin(l->plateau_bytes, l->bytes) : l->bytes;
  double bytes = half * each * l->instances;
  return bytes >= apart * within ? bytes : 0;
}

bool rf_plan_shape(const roof_kernel *kernel, const roof_target *target, roof_level_kind level,
                   const char *most, char *shape) {
  double wanted = fmin(bytes_for(target, level), bytes_of(kernel, &target->types, most));
  size_t low = 0, high = 1;
  while (bytes_at(kernel, &target->types, high, shape) <= wanted && high < SIZE_MAX / 64) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    bool fits = bytes_at(kernel, &target->types, middle, shape) <= wanted;
    *(fits ? &low : &high) = middle;
  }
  return low > 0 && bytes_at(kernel, &target->types, low, shape) <= wanted;
}
