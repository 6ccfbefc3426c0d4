#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXIS_MAX = 1 << 24, POINT_MAX = 1000000000, WORD_MAX = 4096 };

static roof_status axis_add(roof_axis *axis, double value, roof_error *error) {
  if (axis->count >= AXIS_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "more than %d values on one axis", AXIS_MAX);
  }
  if ((axis->count & (axis->count - 1)) == 0) {
    double *grown = realloc(axis->values, (axis->count ? axis->count * 2 : 1) * sizeof *grown);
    if (grown == NULL) {
      return roof_error_set(error, ROOF_E_MEMORY, "shape: out of memory");
    }
    axis->values = grown;
  }
  axis->values[axis->count++] = value;
  return ROOF_OK;
}

/** How the values of an axis are read. */
typedef struct reader {
  const char *name;
  bool whole; /**< rounded */
  roof_value_read *read;
  const void *context;
} reader;

/** Adds `first..last*factor` or `first..last+step` (step 1 when none is given). */
static roof_status add_range(roof_axis *axis, const reader *r, char *text, char *dots, roof_error *error) {
  char *mark = strpbrk(dots + 2, "*+");
  bool geometric = mark != NULL && *mark == '*';
  double step = 1, first, last;
  if (mark != NULL) {
    roof_status status = roof_quantity_parse(mark + 1, &step, error);
    if (status != ROOF_OK) {
      return status;
    }
    *mark = '\0';
  }
  *dots = '\0';
  roof_status status = r->read(r->context, text, &first, error);
  if (status == ROOF_OK) {
    status = r->read(r->context, dots + 2, &last, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  if (last < first || !(geometric ? step > 1 : step > 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "%s=%s..%s%s%s: a range goes up, by *FACTOR over 1 or +STEP over 0", r->name, text,
                          dots + 2,
                          mark == NULL ? ""
                          : geometric  ? "*"
                                       : "+",
                          mark == NULL ? "" : mark + 1);
  }
  for (size_t i = 0; status == ROOF_OK; i++) {
    double value = geometric ? first * pow(step, (double)i) : first + step * (double)i;
    value = r->whole ? round(value) : value;
    if (value > last) {
      break;
    }
    if (axis->count == 0 || value != axis->values[axis->count - 1]) {
      status = axis_add(axis, value, error);
    }
  }
  return status;
}

roof_status roof_axis_read(roof_axis *axis, const char *name, bool whole, roof_value_read *read,
                           const void *context, char *list, roof_error *error) {
  const reader r = {name, whole, read, context};
  for (char *item; (item = strsep(&list, ",")) != NULL;) {
    char *dots = strstr(item, "..");
    double value = 0;
    roof_status status = *item == '\0'
                             ? roof_error_set(error, ROOF_E_ARGUMENT, "%s=: a value is missing", name)
                         : dots != NULL ? add_range(axis, &r, item, dots, error)
                                        : read(context, item, &value, error);
    if (status == ROOF_OK && dots == NULL) {
      status = axis_add(axis, value, error);
    }
    if (status != ROOF_OK) {
      return status;
    }
  }
  return ROOF_OK;
}

/** A parameter of an operation. */
typedef struct op_param {
  const roof_op *op;
  int param;
} op_param;

static roof_status read_param(const void *context, const char *text, double *value, roof_error *error) {
  const op_param *p = context;
  return roof_op_value_parse(p->op, p->param, text, value, error);
}

static roof_status add_values(roof_axis *axis, const roof_op *op, char *list, roof_error *error) {
  const roof_param *param = &op->params[axis->param];
  return roof_axis_read(axis, param->name, param->kind == ROOF_PARAM_COUNT, read_param,
                        &(op_param){op, axis->param}, list, error);
}

static roof_status find_param(const roof_op *op, const char *name, int *param, roof_error *error) {
  *param = roof_op_param_index(op, name);
  if (*param >= 0) {
    return ROOF_OK;
  }
  const char *names[ROOF_PARAM_MAX + 1] = {NULL};
  for (int i = 0; i < roof_op_param_count(op); i++) {
    names[i] = op->params[i].name;
  }
  const char *near = roof_suggest(name, names);
  roof_text all = {0};
  for (int i = 0; names[i] != NULL; i++) {
    roof_text_addf(&all, "%s%s", i > 0 ? " " : "", names[i]);
  }
  roof_error_set(error, ROOF_E_NAME, "%s has no parameter `%s`%s%s%s (it has: %s)", op->name, name,
                 near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "",
                 all.data ? all.data : "none");
  roof_text_done(&all);
  return ROOF_E_NAME;
}

/** Reads the keys of `m=n=k=...`, separated by `=`; all take the same values. */
static roof_status add_keys(roof_shape *shape, roof_axis *axis, char *keys, roof_error *error) {
  char *rest = NULL;
  axis->param = ROOF_PARAM_MAX;
  for (char *key = strtok_r(keys, "=", &rest); key != NULL; key = strtok_r(NULL, "=", &rest)) {
    int param = 0;
    roof_status status = find_param(shape->op, key, &param, error);
    if (status != ROOF_OK) {
      return status;
    }
    unsigned taken = axis->params;
    for (int i = 0; i < shape->axis_count; i++) {
      taken |= shape->axes[i].params;
    }
    if (taken & 1u << param) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: given twice", key);
    }
    axis->params |= 1u << param;
    axis->param = param < axis->param ? param : axis->param;
    if (shape->op->params[param].kind != shape->op->params[axis->param].kind) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: takes other values than `%s`", key,
                            shape->op->params[axis->param].name);
    }
  }
  return ROOF_OK;
}

static roof_status add_word(roof_shape *shape, const char *word, roof_error *error) {
  char copy[WORD_MAX];
  if (snprintf(copy, sizeof copy, "%s", word) >= (int)sizeof copy) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%.20s...`: too long", word);
  }
  char *equals = strrchr(copy, '=');
  if (equals == NULL || equals == copy) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: not key=value", word);
  }
  *equals = '\0';
  roof_axis axis = {0};
  roof_status status = add_keys(shape, &axis, copy, error);
  if (status == ROOF_OK) {
    status = add_values(&axis, shape->op, equals + 1, error);
  }
  if (status != ROOF_OK) {
    free(axis.values);
    return status;
  }
  shape->axes[shape->axis_count++] = axis;
  return ROOF_OK;
}

/** Makes the other parameters of an axis follow its first one, in the shape's own copy of the operation. */
static void tie(roof_shape *shape, const roof_axis *axis) {
  if (shape->op != &shape->tied) {
    shape->tied = *shape->op;
    shape->op = &shape->tied;
  }
  for (int i = axis->param + 1; i < ROOF_PARAM_MAX; i++) {
    if (axis->params & 1u << i) {
      shape->tied.params[i].same_as = shape->tied.params[axis->param].name;
      shape->values[i] = NAN;
    }
  }
}

/** Moves parameters with one value out of the axes. */
static roof_status fold_single_values(roof_shape *shape, roof_error *error) {
  int kept = 0;
  double points = 1;
  for (int i = 0; i < shape->axis_count; i++) {
    roof_axis axis = shape->axes[i];
    if (axis.count == 1) {
      for (int p = 0; p < ROOF_PARAM_MAX; p++) {
        shape->values[p] = axis.params & 1u << p ? axis.values[0] : shape->values[p];
      }
      free(axis.values);
    } else {
      points *= (double)axis.count;
      shape->axes[kept++] = axis;
      if (axis.params != 1u << axis.param) {
        tie(shape, &axis);
      }
    }
  }
  shape->axis_count = kept;
  if (points > POINT_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%g points: at most %g", points, (double)POINT_MAX);
  }
  shape->points = (size_t)points;
  return ROOF_OK;
}

roof_status roof_shape_parse(roof_shape *shape, const roof_op *op, const char *const *words, int count,
                             roof_error *error) {
  memset(shape, 0, sizeof *shape);
  shape->op = op;
  shape->points = 1;
  roof_op_defaults(op, shape->values);
  for (int i = 0; i < count; i++) {
    roof_status status = add_word(shape, words[i], error);
    if (status != ROOF_OK) {
      roof_shape_done(shape);
      return status;
    }
  }
  roof_status status = fold_single_values(shape, error);
  if (status != ROOF_OK) {
    roof_shape_done(shape);
  }
  return status;
}

void roof_shape_typed(const roof_shape *shape, size_t index, double *values) {
  memcpy(values, shape->values, sizeof shape->values);
  for (int i = shape->axis_count - 1; i >= 0; i--) {
    const roof_axis *axis = &shape->axes[i];
    values[axis->param] = axis->values[index % axis->count];
    index /= axis->count;
  }
}

roof_status roof_shape_point(const roof_shape *shape, size_t index, double *values, roof_error *error) {
  roof_shape_typed(shape, index, values);
  roof_error why = {0};
  roof_status status = roof_op_complete(shape->op, values, &why);
  if (status == ROOF_OK) {
    return ROOF_OK;
  }
  roof_text point = {0};
  roof_shape_add_point(&point, shape, index, -1);
  roof_error_set(error, status, "%s%s%s", point.data != NULL ? point.data : "", point.length > 0 ? ": " : "",
                 why.message);
  roof_text_done(&point);
  return status;
}

void roof_shape_add_point(roof_text *out, const roof_shape *shape, size_t index, int except) {
  double values[ROOF_PARAM_MAX];
  roof_shape_typed(shape, index, values);
  const char *space = "";
  for (int i = 0; i < shape->axis_count; i++) {
    int param = shape->axes[i].param;
    if (param != except) {
      char value[64];
      roof_shape_value_text(shape->op, param, values[param], value, sizeof value);
      roof_text_addf(out, "%s%s=%s", space, shape->op->params[param].name, value);
      space = " ";
    }
  }
}

void roof_shape_done(roof_shape *shape) {
  for (int i = 0; i < shape->axis_count; i++) {
    free(shape->axes[i].values);
  }
  shape->axis_count = 0;
}

void roof_shape_value_text(const roof_op *op, int param, double value, char *buffer, size_t size) {
  const char *name = roof_op_value_name(op, param, value);
  if (name != NULL) {
    snprintf(buffer, size, "%s", name);
  } else {
    snprintf(buffer, size, "%.15g", value);
  }
}
