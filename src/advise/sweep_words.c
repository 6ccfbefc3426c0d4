/* A sweep in words: its first line, what its points share, where the regime changes. */
#include <math.h>

#include "core/number.h"
#include "roofline/formats.h"
#include "roofline/sweep.h"
#include "roofline/units.h"

enum { NAME = ROOF_NAME_MAX, SENTENCE_MAX = 16 };

/** What the axis of `param` is called. */
static const char *name_axis(const roof_shape *shape, int param, char buffer[NAME]) {
  buffer[0] = '\0';
  for (int i = 0; i < shape->axis_count; i++) {
    if (shape->axes[i].param == param) {
      roof_shape_axis_name(shape, i, buffer, NAME);
    }
  }
  return buffer;
}

/** Where a crossing lies: the values of its axis, what is under the first of them, and beyond the last or never. */
typedef enum side { UNDER, WITHIN, BEYOND } side;

/** Crossings while they are written. */
typedef struct writer {
  const roof_sweep *sweep;
  roof_text *out;
  size_t count, most;
  const char *separator;
  side where; /**< of a sentence: where those are that are written */
} writer;

/** Where nothing is computed, compute never binds, and nobody asks from when on. */
static bool is_asked(const roof_shape *shape, const roof_sweep_crossing *at) {
  double typed[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_shape_typed(shape, at->start, typed);
  roof_predict_at(at->target, shape->op, typed, at->crossing.param, 1, &p);
  return !isnan(at->crossing.value) || p.work.flops > 0;
}

static bool write_line(void *context, const roof_sweep_crossing *at) {
  writer *w = context;
  const roof_crossing *c = &at->crossing;
  const roof_shape *shape = w->sweep->shape;
  bool never = isnan(c->value);
  char axis[NAME];
  if (!is_asked(shape, at)) {
    return true;
  }
  if (w->count++ >= w->most) {
    return false;
  }
  roof_text_addf(w->out, "  %-12s ", name_axis(shape, c->param, axis));
  roof_crossing_write(w->out, axis, c);
  roof_text_addf(w->out, "%s%s", never ? "" : ": ", never ? "" : c->why);
  if (shape->axis_count > 1) {
    roof_text_add(w->out, "; with ");
    roof_shape_add_point(w->out, shape, at->start, c->param);
  }
  if (w->sweep->target_count > 1) {
    roof_text_addf(w->out, "; on %s", at->target->machine->name);
  }
  roof_text_add(w->out, "\n");
  return true;
}

bool roof_sweep_crossings_write(roof_text *out, const roof_sweep *sweep, size_t most) {
  writer w = {.sweep = sweep, .out = out, .most = most};
  return roof_sweep_crossings(sweep, write_line, &w);
}

static side where_of(const roof_sweep *sweep, const roof_sweep_crossing *at) {
  return at->within ? WITHIN : at->crossing.value < sweep->shape->axes[0].values[0] ? UNDER : BEYOND;
}

/** A crossing as a part of the first line; of those under the first value the last stands. */
static bool write_part(void *context, const roof_sweep_crossing *at) {
  writer *w = context;
  const roof_crossing *c = &at->crossing;
  char axis[NAME];
  if (!is_asked(w->sweep->shape, at) || where_of(w->sweep, at) != w->where) {
    return true;
  }
  if (w->count++ >= w->most) {
    return false;
  }
  if (c->there == c->to && w->where == UNDER) {
    w->out->length = 0;
    roof_text_addf(w->out, "from %s=%.0f on", name_axis(w->sweep->shape, c->param, axis), c->at);
  } else if (c->there == c->to) {
    roof_text_add(w->out, isnan(c->value) ? "; " : w->separator);
    w->separator = ", ";
    roof_crossing_write(w->out, name_axis(w->sweep->shape, c->param, axis), c);
  }
  return true;
}

/** Writes the crossings on a side as parts of the first line; false: too many. */
static bool add_parts(writer *w, side where, const char *separator) {
  w->where = where;
  w->separator = separator;
  return roof_sweep_crossings(w->sweep, write_part, w);
}

/** "compute-bound at m=128", or from where on where that is under the first value. */
static void add_start(roof_text *out, const roof_sweep *s, const roof_text *since, bool throughout) {
  char axis[NAME];
  roof_text_addf(out, "%s-bound ", roof_regime_name(s->regimes[0]));
  if (since->length > 0 && throughout) {
    roof_text_addf(out, "throughout, %s", since->data);
    return;
  }
  roof_text_addf(out, "at %s=%.15g", roof_shape_axis_name(s->shape, 0, axis, sizeof axis),
                 s->shape->axes[0].values[0]);
  if (since->length > 0) {
    roof_text_addf(out, " and %s", since->data);
  }
}

/** One line's changes in order; false: there are none, or too many. */
static bool add_changes(roof_text *out, const roof_sweep *s) {
  roof_text parts = {0}, since = {0};
  writer before = {.sweep = s, .out = &since, .most = SENTENCE_MAX};
  writer w = {.sweep = s, .out = &parts, .most = SENTENCE_MAX};
  bool all = add_parts(&before, UNDER, "") && add_parts(&w, WITHIN, ", ");
  bool throughout = parts.length == 0;
  all = all && add_parts(&w, BEYOND, "; beyond these values ") && before.count + w.count > 0;
  if (all) {
    add_start(out, s, &since, throughout);
    roof_text_add(out, parts.data != NULL ? parts.data : "");
  }
  out->failed = out->failed || parts.failed || since.failed;
  roof_text_done(&parts);
  roof_text_done(&since);
  return all;
}

/** How many points are bound by what. */
static void add_counts(roof_text *out, const roof_sweep *s) {
  size_t counts[ROOF_REGIME_COUNT] = {0};
  for (size_t i = 0; i < s->count; i++) {
    counts[s->regimes[i]]++;
  }
  if (s->count > 1 && counts[s->regimes[0]] == s->count) {
    roof_text_addf(out, "%s-bound at all %zu points", roof_regime_name(s->regimes[0]), s->count);
    return;
  }
  roof_text_addf(out, "%zu point%s", s->count, s->count == 1 ? "" : "s");
  const char *separator = ": ";
  for (int i = 0; i < ROOF_REGIME_COUNT; i++) {
    if (counts[i] > 0) {
      roof_text_addf(out, "%s%zu %s-bound", separator, counts[i], roof_regime_name((roof_regime)i));
      separator = ", ";
    }
  }
}

void roof_sweep_sentence(roof_text *out, const roof_sweep *sweep) {
  bool one = sweep->target_count == 1;
  roof_text_addf(out, "%s on ", sweep->shape->op->name);
  if (one) {
    roof_text_addf(out, "%s: ", roof_machine_title(sweep->targets[0].machine));
  } else {
    roof_text_addf(out, "%d machines, ", sweep->target_count);
  }
  if (!one || sweep->shape->axis_count != 1 || !add_changes(out, sweep)) {
    add_counts(out, sweep);
  }
}

void roof_sweep_fixed(roof_text *out, const roof_sweep *sweep) {
  const roof_shape *shape = sweep->shape;
  const roof_types *types = &sweep->targets[0].types;
  double typed[ROOF_PARAM_MAX];
  char apart[ROOF_FORMATS_APART];
  roof_shape_typed(shape, 0, typed);
  for (int i = 0; i < shape->axis_count; i++) {
    typed[shape->axes[i].param] = NAN;
  }
  for (int i = 0; i < roof_op_param_count(shape->op); i++) {
    char value[NAME];
    if (!isnan(typed[i])) {
      roof_op_value_text(shape->op, i, typed[i], value, sizeof value);
      roof_text_addf(out, "%s=%s ", shape->op->params[i].name, value);
    }
  }
  roof_text_addf(out, "in %s%s", roof_dtype_name(types->compute),
                 roof_formats_apart(types, apart, sizeof apart));
}
