#include "roofline/shape.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "core/number.h"
#include "roofline/ops.h"
#include "roofline/units.h"

enum { AXIS_MAX = 1 << 24, POINT_MAX = 1000000000, WORD_MAX = 4096, NAME_MAX_LENGTH = 128 };

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
  roof_value_read *parse;
  const void *context;
} reader;

/** Adds `first..last*factor` or `first..last+step` (step 1 when none is given). */
static roof_status add_range(roof_axis *axis, const reader *r, char *text, char *dots, roof_error *error) {
  char *mark = strpbrk(dots + 2, "*+");
  if (dots == text || dots[2] == '\0' || mark == dots + 2) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s=%s: a range has a value before and after its dots",
                          r->name, text);
  }
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
  roof_status status = r->parse(r->context, text, &first, error);
  if (status == ROOF_OK) {
    status = r->parse(r->context, dots + 2, &last, error);
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

roof_status roof_axis_read(roof_axis *axis, const char *name, bool whole, roof_value_read *parse,
                           const void *context, char *list, roof_error *error) {
  const reader r = {name, whole, parse, context};
  for (char *item; (item = strsep(&list, ",")) != NULL;) {
    char *dots = strstr(item, "..");
    double value = 0;
    roof_status status = *item == '\0'
                             ? roof_error_set(error, ROOF_E_ARGUMENT, "%s=: a value is missing", name)
                         : dots != NULL ? add_range(axis, &r, item, dots, error)
                                        : parse(context, item, &value, error);
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
  const char *names[ROOF_PARAM_MAX + 1] = {NULL};
  for (int i = 0; i < roof_op_param_count(op); i++) {
    names[i] = op->params[i].name;
    *param = *param < 0 && rf_letters_compare(names[i], name) == 0 ? i : *param;
  }
  if (*param >= 0) {
    return ROOF_OK;
  }
  roof_error_set(error, ROOF_E_NAME, "%s has no parameter `%s`", op->name, name);
  roof_error_suggest(error, name, names);
  return ROOF_E_NAME;
}

/** Reads the keys of `m=n=k=...`, separated by `=`; all take the same values. */
static roof_status add_keys(const roof_shape *shape, roof_axis *axis, char *keys, roof_error *error) {
  char *rest = NULL;
  axis->param = ROOF_PARAM_MAX;
  for (char *key = strtok_r(keys, "=", &rest); key != NULL; key = strtok_r(NULL, "=", &rest)) {
    int param = 0;
    roof_status status = find_param(shape->op, key, &param, error);
    if (status != ROOF_OK) {
      return status;
    }
    if ((shape->given | axis->params) & 1u << param) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: given twice", key);
    }
    axis->params |= 1u << param;
    axis->param = param < axis->param ? param : axis->param;
    if (shape->op->params[param].kind != shape->op->params[axis->param].kind) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "`%s` and `%s` have different types and cannot be tied",
                            key, shape->op->params[axis->param].name);
    }
  }
  return ROOF_OK;
}

/** Adds the axis of one or several parameters that take the values of `list`. */
static roof_status add_axis(roof_shape *shape, roof_axis axis, char *list, roof_error *error) {
  roof_status status = add_values(&axis, shape->op, list, error);
  if (status != ROOF_OK) {
    free(axis.values);
    return status;
  }
  shape->given |= axis.params;
  shape->axes[shape->axis_count++] = axis;
  return ROOF_OK;
}

/** Reads `4096x11008x4096`: the parameters that must be given, in their order. */
static roof_status add_sizes(roof_shape *shape, char *sizes, roof_error *error) {
  const roof_op *op = shape->op;
  roof_status status = ROOF_OK;
  for (int i = 0; i < roof_op_param_count(op) && status == ROOF_OK; i++) {
    const roof_param *param = &op->params[i];
    if (!isnan(param->fallback) || param->same_as != NULL) {
      continue;
    }
    char *size = strsep(&sizes, "xX");
    if (size == NULL) {
      return roof_error_set(error, ROOF_E_PARSE, "%s: `%s` is missing (%s)", op->name, param->name,
                            param->text);
    }
    if (shape->given & 1u << i) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: given twice", param->name);
    }
    status = add_axis(shape, (roof_axis){.param = i, .params = 1u << i}, size, error);
  }
  return status == ROOF_OK && sizes != NULL
             ? roof_error_set(error, ROOF_E_PARSE, "`%.60s`: more sizes than %s has", sizes, op->name)
             : status;
}

bool roof_shape_is_sizes(const char *word) {
  static const char size[] = "0123456789kKMGi*.,";
  size_t first = strspn(word, size);
  return isdigit((unsigned char)word[0]) && (word[first] == 'x' || word[first] == 'X') &&
         isdigit((unsigned char)word[first + 1]);
}

/** Adds the `length` characters of one word; *at is what an error is about: the word, or where its values
 * begin. */
static roof_status add_word(roof_shape *shape, const char *word, size_t length, const char **at,
                            roof_error *error) {
  char copy[WORD_MAX];
  *at = word;
  if (length >= sizeof copy) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%.20s...`: too long", word);
  }
  memcpy(copy, word, length);
  copy[length] = '\0';
  char *equals = strrchr(copy, '=');
  if (equals == NULL && roof_shape_is_sizes(copy)) {
    return add_sizes(shape, copy, error);
  }
  if (equals == NULL || equals == copy) {
    return roof_error_set(error, ROOF_E_PARSE, "`%.60s`: not key=value, as %s=%.60s", copy,
                          shape->op->params[0].name, isdigit((unsigned char)copy[0]) ? copy : "8");
  }
  *equals = '\0';
  roof_axis axis = {0};
  roof_status status = add_keys(shape, &axis, copy, error);
  *at += status == ROOF_E_NAME ? 0 : equals + 1 - copy;
  return status == ROOF_OK ? add_axis(shape, axis, equals + 1, error) : status;
}

/** Adds the words of a text, each by `add`. */
typedef roof_status word_adder(roof_shape *shape, const char *word, size_t length, const char **at,
                               roof_error *error);

static roof_status add_text(roof_shape *shape, const char *text, word_adder *add, const char **at,
                            roof_error *error) {
  static const char blanks[] = " \t\r";
  roof_status status = ROOF_OK;
  for (const char *word = text + strspn(text, blanks); *word != '\0' && status == ROOF_OK;) {
    size_t length = strcspn(word, blanks);
    status = add(shape, word, length, at, error);
    word += length;
    word += strspn(word, blanks);
  }
  return status;
}

/** Adds a default, unless a parameter of it was typed. */
static roof_status add_default(roof_shape *shape, const char *word, size_t length, const char **at,
                               roof_error *error) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  int param = roof_op_param_index(shape->op, name);
  bool typed = param >= 0 && (shape->typed & 1u << param) != 0;
  return typed ? ROOF_OK : add_word(shape, word, length, at, error);
}

/** Makes the other parameters of an axis follow its first one, in the shape's own copy of the operation. */
static void tie(roof_shape *shape, const roof_axis *axis) {
  if (shape->op != &shape->tied) {
    shape->tied = *shape->op;
    memcpy(shape->params, shape->op->params,
           ((size_t)roof_op_param_count(shape->op) + 1) * sizeof *shape->params);
    shape->tied.params = shape->params;
    shape->op = &shape->tied;
  }
  for (int i = axis->param + 1; i < ROOF_PARAM_MAX; i++) {
    if (axis->params & 1u << i) {
      shape->params[i].same_as = shape->params[axis->param].name;
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

static void start(roof_shape *shape, const roof_op *op) {
  memset(shape, 0, sizeof *shape);
  shape->op = op;
  shape->points = 1;
  roof_op_defaults(op, shape->values);
}

/** Folds what was added; releases it where that or `status` is a failure. */
static roof_status finish(roof_shape *shape, roof_status status, roof_error *error) {
  status = status == ROOF_OK ? fold_single_values(shape, error) : status;
  if (status != ROOF_OK) {
    roof_shape_done(shape);
  }
  return status;
}

roof_status roof_shape_parse(roof_shape *shape, const roof_op *op, const char *const *words, int count,
                             const char *defaults, roof_error *error) {
  const char *at = NULL;
  roof_status status = ROOF_OK;
  start(shape, op);
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = add_word(shape, words[i], strlen(words[i]), &at, error);
  }
  shape->typed = shape->given;
  if (status == ROOF_OK && defaults != NULL) {
    status = add_text(shape, defaults, add_default, &at, error);
  }
  return finish(shape, status, error);
}

roof_status roof_shape_parse_text(roof_shape *shape, const roof_op *op, const char *text, roof_error *error) {
  const char *at = text;
  start(shape, op);
  roof_status status = add_text(shape, text, add_word, &at, error);
  shape->typed = shape->given;
  if (status != ROOF_OK && error != NULL) {
    error->column = (int)(at - text) + 1;
  }
  return finish(shape, status, error);
}

roof_status roof_shape_values(const roof_op *op, const char *text, double *values, roof_error *error) {
  roof_shape shape;
  double completed[ROOF_PARAM_MAX];
  roof_status status = roof_shape_parse_text(&shape, op, text, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = shape.points == 1 ? roof_shape_point(&shape, 0, completed, error)
                             : roof_error_set(error, ROOF_E_ARGUMENT,
                                              "%s:%.80s: several sizes; give one size", op->name, text);
  if (status == ROOF_OK) {
    memcpy(values, completed, sizeof completed);
  }
  roof_shape_done(&shape);
  return status;
}

roof_status roof_shape_of_label(const char *label, const roof_op **op, double *values, roof_dtype *dtype,
                                roof_error *error) {
  char text[256];
  const roof_op *found = NULL;
  roof_dtype format = ROOF_FP32;
  rf_format(text, sizeof text, "%s", label);
  char *shape = strchr(text, ' '), *last = strrchr(text, ' ');
  bool whole = shape != NULL && last != shape && roof_dtype_parse(last + 1, &format, NULL) == ROOF_OK;
  roof_status status = whole ? ROOF_OK : ROOF_E_NAME;
  if (whole) {
    *shape = *last = '\0';
    status = roof_op_find(text, &found, NULL);
  }
  status = status == ROOF_OK ? roof_shape_values(found, shape + 1, values, NULL) : status;
  if (status == ROOF_E_MEMORY) {
    return roof_error_set(error, status, "label `%.100s`: out of memory", label);
  }
  if (status != ROOF_OK) {
    return roof_error_set(error, ROOF_E_NAME, "label `%.100s`: not an operation with a shape and a format",
                          label);
  }
  *op = found;
  *dtype = format;
  return ROOF_OK;
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

char *roof_shape_axis_name(const roof_shape *shape, int axis, char *buffer, size_t size) {
  size_t used = 0;
  buffer[0] = '\0';
  for (int i = 0; i < ROOF_PARAM_MAX && used < size; i++) {
    if (shape->axes[axis].params & 1u << i) {
      used += (size_t)snprintf(buffer + used, size - used, "%s%s", used > 0 ? "=" : "",
                               shape->op->params[i].name);
    }
  }
  return buffer;
}

void roof_shape_add_point(roof_text *out, const roof_shape *shape, size_t index, int except) {
  double values[ROOF_PARAM_MAX];
  roof_shape_typed(shape, index, values);
  const char *space = "";
  for (int i = 0; i < shape->axis_count; i++) {
    int param = shape->axes[i].param;
    if (param != except) {
      char value[64], name[NAME_MAX_LENGTH];
      roof_text_addf(out, "%s%s=%s", space, roof_shape_axis_name(shape, i, name, sizeof name),
                     roof_op_value_text(shape->op, param, values[param], value, sizeof value));
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
