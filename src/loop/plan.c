#include "loop/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "roofline/ops.h"
#include "roofline/shape.h"

static const char *const calibrating[] = {
    "copy",         "add",       "scal",    "reduce", "silu",       "gelu",
    "layernorm",    "rmsnorm",   "ger",     "dot",    "gemm-tiled", "gemm-prefetched",
    "gemm-blocked", "gemm-blas", "softmax", "axpy",   "triad",      "gemv"};

const roof_kernel *rf_plan_calibrates(int index) {
  const roof_kernel *kernel = NULL;
  bool found = index < (int)(sizeof calibrating / sizeof calibrating[0]) &&
               roof_kernel_find(calibrating[index], &kernel, NULL) == ROOF_OK;
  return found ? kernel : NULL;
}

enum { COLUMNS = 512, STEP = 16 };

/** What sizes are sought for. */
typedef struct sizes {
  const roof_op *op;
  const roof_types *types;
} sizes;

/** The work of a shape; its data are NaN where it has no such parameters. */
static roof_status work_of(const sizes *s, const char *shape, roof_work *work, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_work_init(work);
  work->working_set = NAN;
  roof_status status = roof_shape_values(s->op, shape, values, NULL);
  if (status == ROOF_OK) {
    s->op->work(s->op, values, s->types, work);
  }
  return status == ROOF_E_MEMORY ? roof_error_set(error, status, "loop: out of memory") : ROOF_OK;
}

/** Writes the shape of `side` steps in each parameter that a kernel has of rows, m, n and k; *fits: whether its data take
 * at most so many bytes. */
static roof_status fits_at(const sizes *s, size_t side, double wanted, char *shape, bool *fits,
                           roof_error *error) {
  const roof_op *op = s->op;
  size_t n = side * STEP;
  roof_work work;
  if (roof_op_param_index(op, "rows") >= 0) {
    snprintf(shape, ROOF_LOOP_SHAPE, "rows=%zu cols=%d", side, COLUMNS);
  } else if (roof_op_param_index(op, "k") >= 0) {
    snprintf(shape, ROOF_LOOP_SHAPE, "m=%zu n=%zu k=%zu", n, n, n);
  } else if (roof_op_param_index(op, "m") >= 0) {
    snprintf(shape, ROOF_LOOP_SHAPE, "m=%zu n=%zu", n, n);
  } else {
    snprintf(shape, ROOF_LOOP_SHAPE, "n=%zu", n);
  }
  roof_status status = work_of(s, shape, &work, error);
  *fits = work.working_set <= wanted;
  return status;
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

/** Half of what a cache holds as far as one core saw it, well beyond the caches inside it; eight times the caches for
 * memory. 0: there is no such size. */
static double bytes_for(const roof_target *target, roof_level_kind level) {
  static const double apart = 1.4, beyond = 8, half = 0.5, least_memory = 64e6;
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

/** The largest side whose data fit; 0: none does. */
static roof_status find_side(const sizes *s, double wanted, size_t *side, roof_error *error) {
  char shape[ROOF_LOOP_SHAPE];
  size_t low = 0, high = 1;
  bool fits = false;
  roof_status status = fits_at(s, high, wanted, shape, &fits, error);
  while (status == ROOF_OK && fits && high < SIZE_MAX / 64) {
    low = high;
    high *= 2;
    status = fits_at(s, high, wanted, shape, &fits, error);
  }
  while (status == ROOF_OK && high - low > 1) {
    size_t middle = low + (high - low) / 2;
    status = fits_at(s, middle, wanted, shape, &fits, error);
    *(fits ? &low : &high) = middle;
  }
  *side = low;
  return status;
}

roof_status rf_plan_shape(const roof_kernel *kernel, const roof_target *targets, roof_loop_cores cores,
                          roof_level_kind level, const char *most, char *shape, roof_error *error) {
  const roof_target *target = &targets[cores];
  bool several = cores == ROOF_LOOP_ALL && target->machine->unit_count > 1;
  sizes s = {.types = &target->types};
  roof_work work;
  size_t side = 0;
  bool fits = false;
  roof_status status = roof_op_find(kernel->op, &s.op, error);
  status = status == ROOF_OK ? work_of(&s, most, &work, error) : status;
  double wanted = status == ROOF_OK ? fmin(bytes_for(target, level), work.working_set) : 0;
  status = status == ROOF_OK ? find_side(&s, wanted, &side, error) : status;
  shape[0] = '\0';
  if (status != ROOF_OK || side == 0) {
    return status;
  }
  status = fits_at(&s, side, wanted, shape, &fits, error);
  status = status == ROOF_OK ? work_of(&s, shape, &work, error) : status;
  if (status == ROOF_OK && several && roof_kernel_is_alone(kernel, work.flops)) {
    shape[0] = '\0';
  }
  return status;
}
