#include "roofline/sweep.h"

/** A line of points along an axis, while its crossings are visited in order. */
typedef struct line {
  const roof_target *target;
  const roof_shape *shape;
  const roof_axis *axis;
  size_t start;
  double typed[ROOF_PARAM_MAX];
  roof_crossing critical;
  bool visited; /**< the critical one */
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
  return l->visit(l->context, l->start, crossing);
}

/** Visits the changes between two samples of different regimes, but for compute and memory: that one is the
 * critical crossing, visited when its turn comes. */
static bool visit_changes(line *l, double low, double high, roof_regime last) {
  const unsigned sides = 1u << ROOF_COMPUTE_BOUND | 1u << ROOF_MEMORY_BOUND;
  roof_crossing change = {.value = low, .to = ROOF_REGIME_COUNT};
  for (int i = 0; i < ROOF_REGIME_COUNT && change.to != last; i++) {
    roof_crossing_between(l->target, l->shape->op, l->typed, l->axis->param, change.value, high, &change);
    if (!l->visited && l->critical.value <= change.value) {
      l->visited = true;
      if (!visit(l, &l->critical)) {
        return false;
      }
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
  return l->visited || visit(l, &l->critical);
}

bool roof_sweep_crossings(const roof_target *target, const roof_shape *shape, int axis,
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
