/* A trace without kernels: the operators ran on the processor. An operator's time is its own, without that of the operators
 * inside it; but one that accounts for its work has the time of those inside it whose work is not known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/_kineto.h"

static const kineto_shape *shape_of(const kineto *t, const kineto_op *op) {
  return &t->calls.list[op->shape];
}

/** Where types are not recorded, a kernel's name would say them. */
static bool is_known(const kineto *t, const kineto_op *op) {
  const torch_work *w = &shape_of(t, op)->work;
  return w->known == TORCH_KNOWN && !w->untyped;
}

/** What becomes of each operator. */
typedef struct part {
  int64_t
      own; /* ns of its record's call: its own time, and that of the operators inside it that are no record's */
  int64_t known;   /* ns of the nearest operators inside it whose work is known */
  uint32_t record; /* the operator whose record has its time */
  bool accounts;   /* its work is that of its record's call */
} part;

/** Gives every operator the one around it on its thread, and the time inside it of which the work is known. */
static void nest(kineto *t, part *parts) {
  kineto_op *ops = t->ops.list;
  uint32_t top = KINETO_NONE;
  for (uint32_t i = 0; i < t->ops.count; i++) {
    while (top != KINETO_NONE && (ops[top].thread != ops[i].thread || ops[top].end <= ops[i].start)) {
      top = ops[top].parent;
    }
    ops[i].parent = top;
    uint32_t around = is_known(t, &ops[i]) ? top : KINETO_NONE;
    while (around != KINETO_NONE && !is_known(t, &ops[around])) {
      around = ops[around].parent;
    }
    if (around != KINETO_NONE) {
      parts[around].known += ops[i].end - ops[i].start;
    }
    top = i;
  }
}

/** Times of records. An operator accounts for its work unless operators inside it do most of it: aten::linear leaves it
 * to aten::addmm, which does not leave it to the copy of its bias. */
static void settle(const kineto *t, part *parts) {
  const kineto_op *ops = t->ops.list;
  for (uint32_t i = 0; i < t->ops.count; i++) {
    int64_t length = ops[i].end - ops[i].start;
    uint32_t around = ops[i].parent != KINETO_NONE ? parts[ops[i].parent].record : KINETO_NONE;
    bool most = parts[i].known > 0 && parts[i].known >= length - parts[i].known;
    parts[i].accounts = is_known(t, &ops[i]) && !most;
    bool apart = around == KINETO_NONE || parts[i].accounts || !parts[around].accounts;
    parts[i].record = apart ? i : around;
    parts[i].own = apart ? length : 0;
    if (apart && around != KINETO_NONE) {
      int64_t within = ops[i].end < ops[around].end ? length : ops[around].end - ops[i].start;
      parts[around].own -= within < parts[around].own ? within : parts[around].own;
    }
  }
}

static void add_work(kineto *t, const kineto_op *op, roof_record *record, bool known) {
  static const char *const whys[] = {[TORCH_KNOWN] = "operators inside it account for the work",
                                     [TORCH_NO_FORMULA] = "no formula for this operator",
                                     [TORCH_NO_SHAPES] = "its shapes are not recorded (record_shapes=True)",
                                     [TORCH_MISFIT] = "its recorded shapes and types do not fit the formula"};
  const torch_work *w = &shape_of(t, op)->work;
  if (!known) {
    rf_import_missing(&record->other_flops[ROOF_FP32], whys[w->known]);
    rf_import_missing(&record->bytes[ROOF_MEMORY], whys[w->known]);
    return;
  }
  roof_quality quality = w->estimated ? ROOF_QUALITY_ESTIMATED : ROOF_QUALITY_DERIVED;
  const char *source = rf_import_textf(t->profile, "formula of %s from the shapes%s", w->op,
                                       w->estimated ? "; in part assumed" : "");
  rf_import_add(&record->other_flops[w->dtype], w->flops,
                isnan(w->flops) ? "its operations are not floating-point arithmetic or not counted" : source,
                quality);
  rf_import_add(&record->bytes[ROOF_MEMORY], w->bytes, source, ROOF_QUALITY_ESTIMATED);
}

/** Calls of one name with known and with unknown work are two records: together their rates would be wrong. */
static roof_status add_op(kineto *t, uint32_t number, const part *its) {
  char name[KINETO_NAME + 16];
  const kineto_op *op = &t->ops.list[number];
  uint32_t named = shape_of(t, op)->name;
  size_t size, length;
  const char *text = rf_intern_get(&t->names, named, &size);
  length = rf_scan_text((rf_span){text, size, true}, name, KINETO_NAME);
  if (!its->accounts && t->said.list[named].record[0] > 0) {
    length += (size_t)snprintf(name + length, 16, " [work unknown]");
  }
  roof_record *record = rf_import_record(t->profile, name, length);
  if (record == NULL) {
    return rf_import_settled(t->profile, t->error);
  }
  rf_import_call(t->profile, record, (uint64_t)its->own * 1000);
  add_work(t, op, record, its->accounts);
  return ROOF_OK;
}

static roof_status add_ops(kineto *t, const part *parts) {
  int64_t first = INT64_MAX, last = INT64_MIN;
  roof_status status = ROOF_OK;
  for (uint32_t i = 0; i < t->ops.count; i++) {
    t->said.list[shape_of(t, &t->ops.list[i])->name].record[0] |= parts[i].accounts;
  }
  for (uint32_t i = 0; i < t->ops.count && status == ROOF_OK; i++) {
    const kineto_op *op = &t->ops.list[i];
    first = op->start < first ? op->start : first;
    last = op->end > last ? op->end : last;
    status = parts[i].record == i ? add_op(t, i, &parts[i]) : ROOF_OK;
  }
  rf_import_fact(t->profile, "ran_on", NAN, "the processor: the trace has no kernel and no launch of one");
  rf_import_fact(t->profile, "span_seconds", (double)(last - first) * 1e-9, NULL);
  return status;
}

roof_status rf_kineto_cpu(kineto *t) {
  part *parts = calloc(t->ops.count + 1, sizeof *parts);
  if (parts == NULL) {
    return rf_kineto_no_memory(t);
  }
  rf_kineto_nest_ops(t);
  nest(t, parts);
  settle(t, parts);
  roof_status status = add_ops(t, parts);
  free(parts);
  return status;
}
