/* Formats and options that were typed and change nothing: which those are depends on the operation and the machine. */
#include <math.h>
#include <stddef.h>

#include "core/ceilings.h"
#include "roofline/formats.h"

/** One prediction, of which a row says whether what was typed has a part in it. */
typedef struct question {
  const roof_target *target;
  const roof_op *op;
  const double *values;
  roof_prediction p;
} question;

/** Whether the operation moves other bytes in these formats. */
static bool moves_others(const question *q, const roof_types *types) {
  roof_work work;
  roof_work_init(&work);
  q->op->work(q->op, q->values, types, &work);
  return work.read_bytes != q->p.work.read_bytes || work.write_bytes != q->p.work.write_bytes ||
         work.link_bytes != q->p.work.link_bytes;
}

/** A format that takes other bytes than `dtype`. */
static roof_dtype other_than(roof_dtype dtype) {
  return roof_dtype_bytes(dtype) == roof_dtype_bytes(ROOF_FP64) ? ROOF_FP32 : ROOF_FP64;
}

static bool has_weights(const question *q) {
  roof_types types = q->target->types;
  types.weight_bytes = 2 * roof_types_weight_bytes(&types, 1);
  types.weights = other_than(types.weights);
  return moves_others(q, &types);
}

static bool has_scales(const question *q) {
  return has_weights(q) && q->target->types.weight_bytes == 0;
}

static bool has_output(const question *q) {
  roof_types types = q->target->types;
  types.output = other_than(types.output);
  return moves_others(q, &types);
}

static bool has_kv(const question *q) {
  roof_types types = q->target->types;
  types.kv = other_than(types.kv);
  return moves_others(q, &types);
}

static bool computes(const question *q) {
  return q->p.work.flops > 0;
}

static bool on_matrix_unit(const question *q) {
  int unit = q->target->options.unit;
  return computes(q) && (unit >= 0 ? unit == ROOF_MATRIX : q->p.work.unit == ROOF_MATRIX);
}

static bool sends(const question *q) {
  return q->p.work.link_bytes > 0;
}

static bool has_reuse(const question *q) {
  return !isnan(q->p.work.no_reuse_bytes);
}

static bool has_two_times(const question *q) {
  return (q->p.compute_seconds > 0) + (q->p.memory_seconds > 0) + (q->p.network_seconds > 0) > 1;
}

/** Of a kernel whose form is known the effects say what overlaps. */
static bool is_by_bound(const question *q) {
  return !q->target->forms[q->p.work.kernel.kind].known;
}

static bool has_caches(const question *q) {
  bool found = false;
  for (int k = 0; k < (int)q->target->memory; k++) {
    found = found || (q->target->level[k] != NULL && !isnan(q->target->seconds_per_byte[k][0]));
  }
  return found && q->p.bytes > 0;
}

static bool has_measured(const question *q) {
  const roof_machine *m = q->target->machine;
  bool found = false;
  for (int i = 0; i < m->peak_count; i++) {
    found = found || m->peaks[i].kind == ROOF_MEASURED;
  }
  for (int i = 0; i < m->level_count; i++) {
    found = found || (m->levels[i].kind == ROOF_MEASURED && !rf_level_is_latency(&m->levels[i]));
  }
  return found;
}

#define FORMAT(name) .option = #name, .is_format = true, .offset = offsetof(roof_formats, name)
#define OPTION(name) .option = #name, .offset = offsetof(roof_options_text, name)
/** When each has a part in a prediction, and what is missing where it has none. What is not here always has. */
static const struct {
  const char *option;
  bool is_format, is_flag;
  size_t offset;
  bool (*used)(const question *q);
  const char *lacks;
} rows[] = {
    {FORMAT(weights), .used = has_weights, .lacks = "has no weights"},
    {FORMAT(group), .used = has_scales,
     .lacks = "has no weights whose scales are not in their format already"},
    {FORMAT(output), .used = has_output, .lacks = "writes no result in a format of its own"},
    {FORMAT(kv), .used = has_kv, .lacks = "stores no keys and values"},
    {OPTION(overlap), .used = has_two_times, .lacks = "has one time alone that counts"},
    {OPTION(overlap), .used = is_by_bound,
     .lacks = "is predicted by its effects here, not by its bound; --efficiency or --without all does"},
    {OPTION(tile), .used = has_reuse, .lacks = "reads its data once, so a tile changes nothing"},
    {OPTION(unit), .used = computes, .lacks = "does no FLOP"},
    {OPTION(link), .used = sends, .lacks = "sends nothing over a link"},
    {OPTION(sparse), .is_flag = true, .used = on_matrix_unit, .lacks = "does nothing on the matrix unit"},
    {OPTION(warm), .is_flag = true, .used = has_caches, .lacks = "finds no cache with a known bandwidth"},
    {OPTION(achieved), .is_flag = true, .used = has_measured, .lacks = "finds no measured ceiling"},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

unsigned roof_typed_of(const roof_formats *formats, const roof_options_text *options) {
  unsigned typed = 0;
  for (int i = 0; i < ROWS; i++) {
    const char *place = (rows[i].is_format ? (const char *)formats : (const char *)options) + rows[i].offset;
    bool said = rows[i].is_flag ? *(const int *)(const void *)place != 0
                                : *(const char *const *)(const void *)place != NULL;
    typed |= said ? 1u << i : 0;
  }
  return typed;
}

unsigned roof_typed_used(unsigned typed, const roof_target *target, const roof_op *op, const double *values) {
  unsigned used = 0;
  question q = {.target = target, .op = op, .values = values};
  if (typed != 0) {
    roof_predict(target, op, values, &q.p);
  }
  for (int i = 0; i < ROWS; i++) {
    used |= (typed >> i & 1) != 0 && rows[i].used(&q) ? 1u << i : 0;
  }
  return used;
}

roof_status roof_typed_refuse(unsigned idle, const char *what, roof_error *error) {
  for (int i = 0; i < ROWS; i++) {
    if ((idle >> i & 1) != 0) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "--%s: has no effect: %s %s", rows[i].option, what,
                            rows[i].lacks);
    }
  }
  return ROOF_OK;
}
