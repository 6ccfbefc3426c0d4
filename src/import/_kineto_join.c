/* Kernels to launches by correlation; launches to the innermost operator around them in time, on their
 * thread; an operator's work to its kernels. */
#include <stdlib.h>

#include "import/_kineto.h"

#define COMPARE(x, y) ((x) != (y) ? ((x) < (y) ? -1 : 1) : 0)

static int by_correlation(const void *a, const void *b) {
  const kineto_launch *x = a, *y = b;
  return COMPARE(x->correlation, y->correlation);
}

static int by_thread(const void *a, const void *b) {
  const kineto_launch *x = a, *y = b;
  return x->thread != y->thread ? COMPARE(x->thread, y->thread) : COMPARE(x->start, y->start);
}

static int by_nesting(const void *a, const void *b) {
  const kineto_op *x = a, *y = b;
  return x->thread != y->thread ? COMPARE(x->thread, y->thread)
         : x->start != y->start ? COMPARE(x->start, y->start)
                                : COMPARE(y->end, x->end);
}

static int by_external(const void *a, const void *b) {
  const kineto_op *const *x = a, *const *y = b;
  return COMPARE((*x)->external, (*y)->external);
}

static int by_op(const void *a, const void *b) {
  const kineto_kernel *x = a, *y = b;
  return x->op != y->op ? COMPARE(x->op, y->op) : COMPARE(x->start, y->start);
}

/** Gives every launch the innermost operator around it, and every operator the one around it. */
static void nest(kineto *t) {
  uint32_t top = KINETO_NONE;
  kineto_op *ops = t->ops.list;
  for (size_t i = 0, o = 0; i < t->launches.count || o < t->ops.count;) {
    kineto_launch *l = i < t->launches.count ? &t->launches.list[i] : NULL;
    bool op_next = l == NULL ||
                   (o < t->ops.count &&
                    (ops[o].thread < l->thread || (ops[o].thread == l->thread && ops[o].start <= l->start)));
    uint32_t thread = op_next ? ops[o].thread : l->thread;
    int64_t start = op_next ? ops[o].start : l->start;
    while (top != KINETO_NONE && (ops[top].thread != thread || ops[top].end < start)) {
      top = ops[top].parent;
    }
    if (op_next) {
      ops[o].parent = top;
      top = (uint32_t)o++;
    } else {
      l->op = top;
      i++;
    }
  }
}

/** The operator that accounts for what `op` launches: itself or the nearest around it whose work is known. */
static uint32_t accountable(const kineto *t, uint32_t op) {
  while (op != KINETO_NONE && t->calls.list[t->ops.list[op].shape].work.known != TORCH_KNOWN) {
    op = t->ops.list[op].parent;
  }
  return op;
}

/** The operator of an External id: for kernels without a launch in the trace. */
static uint32_t external_op(const kineto *t, kineto_op **by_id, uint32_t id) {
  size_t low = 0, high = t->ops.count;
  while (low < high && id != 0) {
    size_t middle = (low + high) / 2;
    if (by_id[middle]->external < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  bool found = id != 0 && low < t->ops.count && by_id[low]->external == id;
  return found ? (uint32_t)(by_id[low] - t->ops.list) : KINETO_NONE;
}

static kineto_why why_none(const kineto *t, const kineto_launch *launch, uint32_t nearest) {
  static const kineto_why whys[] = {
      [TORCH_NO_FORMULA] = WHY_NO_FORMULA, [TORCH_NO_SHAPES] = WHY_NO_SHAPES, [TORCH_MISFIT] = WHY_MISFIT};
  if (nearest != KINETO_NONE) {
    return whys[t->calls.list[t->ops.list[nearest].shape].work.known];
  }
  return launch == NULL ? WHY_NO_LAUNCH : WHY_NO_OPERATOR;
}

/** Sets the operator of one kernel, or why it has none. */
static void link_kernel(kineto *t, kineto_kernel *k, kineto_op **by_id) {
  const kineto_launch *l = rf_kineto_launch_of(t, k->correlation);
  if (l != NULL && l->graph) {
    k->why = WHY_GRAPH;
    return;
  }
  uint32_t nearest = l != NULL ? l->op : KINETO_NONE;
  nearest = nearest != KINETO_NONE ? nearest : external_op(t, by_id, k->external);
  uint32_t op = accountable(t, nearest);
  if (op == KINETO_NONE) {
    k->op = nearest;
    k->why = (uint8_t)why_none(t, l, nearest);
    return;
  }
  k->op = op;
  for (uint32_t around = t->ops.list[op].parent; around != KINETO_NONE && !t->ops.list[around].inside;
       around = t->ops.list[around].parent) {
    t->ops.list[around].inside = true;
  }
}

/** Several kernels of one operator share its work by their time. */
static void share(kineto *t, kineto_kernel *k, size_t count) {
  const kineto_op *op = &t->ops.list[k->op];
  const torch_work *w = &t->calls.list[op->shape].work;
  double total = 0;
  kernel_says says = {-1, -1};
  for (size_t i = 0; i < count; i++) {
    total += (double)k[i].picoseconds;
    bool better = k[i].says.unit > says.unit || (k[i].says.unit == says.unit && says.dtype < 0);
    says = better ? k[i].says : says; /* one that multiplies on the matrix unit holds for all */
  }
  for (size_t i = 0; i < count; i++) {
    k[i].amount = total > 0 ? (double)k[i].picoseconds / total : 1 / (double)count;
    k[i].says = says;
    k[i].why = w->wraps && op->inside                               ? WHY_INSIDE
               : w->untyped && !(t->said.list[k[i].name].width > 0) ? WHY_NO_TYPE
                                                                    : WHY_KNOWN;
  }
}

static void share_work(kineto *t) {
  kineto_kernel *k = t->kernels.list;
  qsort(k, t->kernels.count, sizeof *k, by_op);
  for (size_t from = 0, to; from < t->kernels.count && k[from].op != KINETO_NONE; from = to) {
    for (to = from + 1; to < t->kernels.count && k[to].op == k[from].op && k[to].why == k[from].why; to++) {
    }
    if (k[from].why == WHY_KNOWN) {
      share(t, k + from, to - from);
    }
  }
}

const kineto_launch *rf_kineto_launch_of(const kineto *t, uint64_t correlation) {
  const kineto_launch key = {.correlation = correlation};
  return t->launches.count == 0
             ? NULL
             : bsearch(&key, t->launches.list, t->launches.count, sizeof key, by_correlation);
}

roof_status rf_kineto_no_memory(const kineto *t) {
  return roof_error_set(t->error, ROOF_E_MEMORY, "%s: out of memory", rf_import_name(t->source));
}

void rf_kineto_nest_ops(kineto *t) {
  if (t->ops.count > 0) {
    qsort(t->ops.list, t->ops.count, sizeof *t->ops.list, by_nesting);
  }
}

roof_status rf_kineto_join(kineto *t) {
  kineto_op **by_id = malloc((t->ops.count + 1) * sizeof *by_id);
  if (by_id == NULL) {
    return rf_kineto_no_memory(t);
  }
  rf_kineto_nest_ops(t);
  if (t->launches.count > 0) {
    qsort(t->launches.list, t->launches.count, sizeof *t->launches.list, by_thread);
  }
  nest(t);
  for (size_t i = 0; i < t->ops.count; i++) {
    by_id[i] = &t->ops.list[i];
  }
  qsort(by_id, t->ops.count, sizeof *by_id, by_external);
  if (t->launches.count > 0) {
    qsort(t->launches.list, t->launches.count, sizeof *t->launches.list, by_correlation);
  }
  for (size_t i = 0; i < t->kernels.count; i++) {
    if (t->kernels.list[i].activity == KERNEL) {
      link_kernel(t, &t->kernels.list[i], by_id);
    }
  }
  free(by_id);
  share_work(t);
  return ROOF_OK;
}
