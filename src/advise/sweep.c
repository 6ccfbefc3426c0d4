#include "roofline/sweep.h"

#include <math.h>
#include <stdlib.h>

/** Every point can be predicted on every target. */
static roof_status check_points(const roof_sweep *s, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_status status = ROOF_OK;
  for (int i = 0; i < s->target_count && status == ROOF_OK; i++) {
    status = roof_sweep_point(s, (size_t)i * s->shape->points, values, &p, error);
    status = status == ROOF_OK ? roof_prediction_bounds(&s->targets[i], &p, error) : status;
  }
  for (size_t i = 0; i < s->shape->points && status == ROOF_OK && s->shape->op->check != NULL; i++) {
    status = roof_shape_point(s->shape, i, values, error);
  }
  return status;
}

roof_status roof_sweep_init(roof_sweep *sweep, const roof_shape *shape, const roof_target *targets,
                            int target_count, roof_error *error) {
  roof_sweep s = {.shape = shape, .targets = targets, .target_count = target_count};
  s.count = shape->points * (size_t)target_count;
  s.regimes = calloc(s.count, sizeof *s.regimes);
  roof_status status = s.regimes != NULL ? check_points(&s, error)
                                         : roof_error_set(error, ROOF_E_MEMORY, "sweep: out of memory");
  if (status != ROOF_OK) {
    roof_sweep_done(&s);
    return status;
  }
  *sweep = s;
  return ROOF_OK;
}

void roof_sweep_done(roof_sweep *sweep) {
  free(sweep->regimes);
  *sweep = (roof_sweep){0};
}

const roof_target *roof_sweep_target(const roof_sweep *sweep, size_t index) {
  return &sweep->targets[index / sweep->shape->points];
}

roof_status roof_sweep_point(const roof_sweep *sweep, size_t index, double *values,
                             roof_prediction *prediction, roof_error *error) {
  roof_status status = roof_shape_point(sweep->shape, index % sweep->shape->points, values, error);
  if (status == ROOF_OK) {
    roof_predict(roof_sweep_target(sweep, index), sweep->shape->op, values, prediction);
    sweep->regimes[index] = (unsigned char)prediction->regime;
  }
  return status;
}

/** A line of points along an axis of one target, while its crossings are visited in order. */
typedef struct line {
  const roof_target *target;
  const roof_shape *shape;
  const roof_axis *axis;
  size_t start;
  double typed[ROOF_PARAM_MAX];
  roof_crossing critical; /**< the next one where compute and memory change sides, or why there is none */
  bool visited;           /**< it, and there is no other after it */
  roof_crossing_visit *visit;
  void *context;
} line;

/** Points between neighbours on an axis. */
static size_t stride_of(const roof_shape *shape, int axis) {
  size_t stride = 1;
  for (int i = axis + 1; i < shape->axis_count; i++) {
    stride *= shape->axes[i].count;
  }
  return stride;
}

static bool visit(line *l, const roof_crossing *crossing) {
  const roof_axis *axis = l->axis;
  bool within = crossing->value >= axis->values[0] && crossing->value <= axis->values[axis->count - 1];
  return l->visit(l->context, &(roof_sweep_crossing){*crossing, l->target, l->start, within});
}

/** Visits the critical crossings up to `at`. */
static bool visit_critical(line *l, double at) {
  while (!l->visited && !(l->critical.at > at)) {
    if (!visit(l, &l->critical)) {
      return false;
    }
    l->visited = !roof_crossing_next(l->target, l->shape->op, l->typed, &l->critical);
  }
  return true;
}

/** Visits the changes between two samples of different regimes, but for compute and memory: that one is the
 * critical crossing, visited when its turn comes. */
static bool visit_changes(line *l, double low, double high, roof_regime last) {
  const unsigned sides = 1u << ROOF_COMPUTE_BOUND | 1u << ROOF_MEMORY_BOUND;
  roof_crossing change = {.at = low, .to = ROOF_REGIME_COUNT};
  for (int i = 0; i < ROOF_REGIME_COUNT && change.to != last; i++) {
    roof_crossing_between(l->target, l->shape->op, l->typed, l->axis->param, change.at, high, &change);
    if (!isnan(l->critical.at) && !visit_critical(l, change.at)) {
      return false;
    }
    if ((1u << change.from | 1u << change.to) != sides && !visit(l, &change)) {
      return false;
    }
  }
  return true;
}

static bool walk_line(line *l, size_t stride, const unsigned char *regimes) {
  roof_shape_typed(l->shape, l->start, l->typed);
  roof_crossing_critical(l->target, l->shape->op, l->typed, l->axis->param, &l->critical);
  for (size_t i = 1; i < l->axis->count; i++) {
    const unsigned char *here = &regimes[l->start + i * stride], *before = here - stride;
    double low = l->axis->values[i - 1], high = l->axis->values[i];
    if (*here != *before && high > low && !visit_changes(l, low, high, (roof_regime)*here)) {
      return false;
    }
  }
  return visit_critical(l, INFINITY);
}

/** The lines along one axis; `regimes` are those of the target's points. */
static bool walk_axis(const roof_target *target, const roof_shape *shape, int axis,
                      const unsigned char *regimes, roof_crossing_visit *visitor, void *context) {
  const roof_axis *along = &shape->axes[axis];
  roof_param_kind kind = shape->op->params[along->param].kind;
  size_t stride = stride_of(shape, axis);
  if (kind != ROOF_PARAM_COUNT && kind != ROOF_PARAM_BYTES) {
    return true;
  }
  for (size_t i = 0; i < shape->points; i++) {
    line l = {
        .target = target, .shape = shape, .axis = along, .start = i, .visit = visitor, .context = context};
    if (i / stride % along->count == 0 && !walk_line(&l, stride, regimes)) {
      return false;
    }
  }
  return true;
}

bool roof_sweep_crossings(const roof_sweep *sweep, roof_crossing_visit *visitor, void *context) {
  const roof_shape *shape = sweep->shape;
  bool more = true;
  for (int axis = 0; axis < shape->axis_count; axis++) {
    for (int i = 0; i < sweep->target_count && more; i++) {
      more = walk_axis(&sweep->targets[i], shape, axis, sweep->regimes + (size_t)i * shape->points, visitor,
                       context);
    }
  }
  return more;
}

size_t roof_sweep_select(const roof_sweep *sweep, size_t *rows, size_t most) {
  const unsigned char *regimes = sweep->regimes;
  size_t chosen = 0, changes = 0, some = most * 2 / 5;
  bool all = sweep->count <= most;
  size_t step = all || some == 0 ? 1 : sweep->count / some;
  for (size_t i = 0; i < sweep->count && chosen < most; i++) {
    bool end = i < 2 || i + 2 >= sweep->count || i % step == 0;
    bool change =
        (i > 0 && regimes[i] != regimes[i - 1]) || (i + 1 < sweep->count && regimes[i] != regimes[i + 1]);
    changes += change;
    if (all || end || (change && changes <= some)) {
      rows[chosen++] = i;
    }
  }
  return chosen;
}
