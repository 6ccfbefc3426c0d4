/* Constant folding of small integer tensors, from which exported graphs compute their shapes. */
#include <stdlib.h>
#include <string.h>

#include "graphs/onnx.h"

static double *start(const onnx_call *c, const onnx_value **x, const onnx_value **y, int inputs) {
  const onnx_value *out = rf_onnx_out(c, 0);
  double elements = rf_onnx_elements(out);
  *x = rf_onnx_in(c, 0);
  *y = rf_onnx_in(c, 1);
  bool known = *x != NULL && (*x)->known != NULL && (inputs < 2 || (*y != NULL && (*y)->known != NULL));
  return known && elements <= ONNX_KNOWN_MAX ? calloc((size_t)elements + 1, sizeof(double)) : NULL;
}

static void keep(onnx_call *c, double *values) {
  onnx_value *out = rf_onnx_out(c, 0);
  free(out->known);
  out->known = values;
}

roof_status rf_onnx_know(onnx_call *c, onnx_value *v, const double *values) {
  double elements = rf_onnx_elements(v);
  double *known = elements <= ONNX_KNOWN_MAX ? calloc((size_t)elements + 1, sizeof *known) : NULL;
  if (known == NULL) {
    return elements <= ONNX_KNOWN_MAX ? rf_onnx_fail(c, ROOF_E_MEMORY, "out of memory") : ROOF_OK;
  }
  memcpy(known, values, (size_t)elements * sizeof *known);
  free(v->known);
  v->known = known;
  return ROOF_OK;
}

roof_status rf_onnx_know_all(onnx_call *c, onnx_value *v, double value) {
  size_t elements = (size_t)rf_onnx_elements(v);
  double *values = calloc(elements + 1, sizeof *values);
  if (values == NULL) {
    return rf_onnx_fail(c, ROOF_E_MEMORY, "out of memory");
  }
  for (size_t i = 0; i < elements; i++) {
    values[i] = value;
  }
  free(v->known);
  v->known = values;
  return ROOF_OK;
}

void rf_onnx_fold_copy(onnx_call *c) {
  const onnx_value *x = NULL, *y = NULL;
  double *values = start(c, &x, &y, 1);
  if (values != NULL && rf_onnx_elements(x) == rf_onnx_elements(rf_onnx_out(c, 0))) {
    memcpy(values, x->known, (size_t)rf_onnx_elements(x) * sizeof *values);
    keep(c, values);
  } else {
    free(values);
  }
}

static double map(const char *type, double x, bool whole) {
  return strcmp(type, "Neg") == 0     ? -x
         : strcmp(type, "Abs") == 0   ? fabs(x)
         : strcmp(type, "Floor") == 0 ? floor(x)
         : strcmp(type, "Ceil") == 0  ? ceil(x)
         : strcmp(type, "Sqrt") == 0  ? sqrt(x)
         : strcmp(type, "Not") == 0   ? x == 0
         : whole                      ? trunc(x)
                                      : x;
}

void rf_onnx_fold_map(onnx_call *c) {
  rf_onnx_fold_copy(c);
  const onnx_value *out = rf_onnx_out(c, 0);
  bool whole = out->type == ONNX_INT64 || out->type == ONNX_INT32;
  for (int i = 0; out->known != NULL && i < rf_onnx_elements(out); i++) {
    out->known[i] = map(c->node->type, out->known[i], whole);
  }
}

/** The element of `v` that broadcasting maps to element `index` of `out`. */
static double element_of(const onnx_value *v, const onnx_value *out, double index) {
  double at = 0, step = 1;
  for (int i = out->rank - 1, k = v->rank - 1; i >= 0; i--, k--) {
    double place = fmod(index, out->dims[i]);
    index = floor(index / out->dims[i]);
    if (k >= 0) {
      at += v->dims[k] == 1 ? 0 : place * step;
      step *= v->dims[k];
    }
  }
  return at < rf_onnx_elements(v) ? v->known[(size_t)at] : 0;
}

static double combine(const char *type, double x, double y, bool whole) {
  double quotient = x / y;
  return strcmp(type, "Add") == 0              ? x + y
         : strcmp(type, "Sub") == 0            ? x - y
         : strcmp(type, "Mul") == 0            ? x * y
         : strcmp(type, "Div") == 0            ? (whole ? trunc(quotient) : quotient)
         : strcmp(type, "Mod") == 0            ? x - y * floor(quotient)
         : strcmp(type, "Pow") == 0            ? pow(x, y)
         : strcmp(type, "Min") == 0            ? fmin(x, y)
         : strcmp(type, "Max") == 0            ? fmax(x, y)
         : strcmp(type, "Equal") == 0          ? x == y
         : strcmp(type, "Greater") == 0        ? x > y
         : strcmp(type, "GreaterOrEqual") == 0 ? x >= y
         : strcmp(type, "Less") == 0           ? x < y
         : strcmp(type, "LessOrEqual") == 0    ? x <= y
         : strcmp(type, "And") == 0            ? x != 0 && y != 0
                                               : x != 0 || y != 0;
}

void rf_onnx_fold_binary(onnx_call *c) {
  const onnx_value *x = NULL, *y = NULL, *out = rf_onnx_out(c, 0);
  double *values = c->node->in_count == 2 ? start(c, &x, &y, 2) : NULL;
  bool whole = values != NULL && x->type != ONNX_FLOAT && x->type != ONNX_DOUBLE;
  for (int i = 0; values != NULL && i < rf_onnx_elements(out); i++) {
    values[i] = combine(c->node->type, element_of(x, out, i), element_of(y, out, i), whole);
  }
  if (values != NULL) {
    keep(c, values);
  }
}

void rf_onnx_fold_where(onnx_call *c) {
  const onnx_value *x = NULL, *y = NULL, *z = rf_onnx_in(c, 2), *out = rf_onnx_out(c, 0);
  double *values = z != NULL && z->known != NULL ? start(c, &x, &y, 2) : NULL;
  for (int i = 0; values != NULL && i < rf_onnx_elements(out); i++) {
    values[i] = element_of(element_of(x, out, i) != 0 ? y : z, out, i);
  }
  if (values != NULL) {
    keep(c, values);
  }
}

void rf_onnx_fold_expand(onnx_call *c) {
  const onnx_value *x = NULL, *y = NULL, *out = rf_onnx_out(c, 0);
  double *values = start(c, &x, &y, 1);
  for (int i = 0; values != NULL && i < rf_onnx_elements(out); i++) {
    values[i] = element_of(x, out, i);
  }
  if (values != NULL) {
    keep(c, values);
  }
}

/** Gathers elements of a list by index. */
void rf_onnx_fold_gather(onnx_call *c) {
  const onnx_value *x = NULL, *y = NULL;
  double *values = start(c, &x, &y, 2);
  bool good = values != NULL && x->rank == 1;
  for (int i = 0; good && i < rf_onnx_elements(y); i++) {
    double at = y->known[i] + (y->known[i] < 0 ? x->dims[0] : 0);
    good = at >= 0 && at < x->dims[0];
    values[i] = good ? x->known[(size_t)at] : 0;
  }
  if (good) {
    keep(c, values);
  } else {
    free(values);
  }
}

void rf_onnx_fold_concat(onnx_call *c) {
  const onnx_value *x = NULL, *y = NULL;
  double *values = start(c, &x, &y, 1);
  size_t used = 0;
  bool good = values != NULL && x->rank == 1;
  for (int i = 0; good && i < c->node->in_count; i++) {
    const onnx_value *part = rf_onnx_in(c, i);
    if (part != NULL && part->known == NULL) {
      good = false;
    } else if (part != NULL) {
      memcpy(values + used, part->known, (size_t)rf_onnx_elements(part) * sizeof *values);
      used += (size_t)rf_onnx_elements(part);
    }
  }
  if (good) {
    keep(c, values);
  } else {
    free(values);
  }
}

/** A slice of a list. */
void rf_onnx_fold_slice(onnx_call *c) {
  const onnx_value *x = NULL, *y = NULL;
  double first = 0, step = 1;
  int count = 0, step_count = 0;
  double *values = start(c, &x, &y, 1);
  bool good = values != NULL && x->rank == 1 && rf_onnx_list(c, "starts", 1, &first, 1, &count) == ROOF_OK &&
              rf_onnx_list(c, NULL, 4, &step, 1, &step_count) == ROOF_OK && count == 1;
  double size = good ? x->dims[0] : 0;
  first = fmin(fmax(first + (first < 0 ? size : 0), 0), step < 0 ? size - 1 : size);
  for (int i = 0; good && i < rf_onnx_elements(rf_onnx_out(c, 0)); i++) {
    double at = first + i * step;
    good = at >= 0 && at < size;
    values[i] = good ? x->known[(size_t)at] : 0;
  }
  if (good) {
    keep(c, values);
  } else {
    free(values);
  }
}

void rf_onnx_fold_range(onnx_call *c) {
  const onnx_value *first = NULL, *limit = NULL, *step = rf_onnx_in(c, 2);
  double *values = step != NULL && step->known != NULL ? start(c, &first, &limit, 1) : NULL;
  for (int i = 0; values != NULL && i < rf_onnx_elements(rf_onnx_out(c, 0)); i++) {
    values[i] = first->known[0] + i * step->known[0];
  }
  if (values != NULL) {
    keep(c, values);
  }
}

/** The product of all elements. */
void rf_onnx_fold_product(onnx_call *c) {
  const onnx_value *x = NULL, *y = NULL;
  double *values = rf_onnx_elements(rf_onnx_out(c, 0)) == 1 ? start(c, &x, &y, 1) : NULL;
  if (values != NULL) {
    values[0] = 1;
    for (int i = 0; i < rf_onnx_elements(x); i++) {
      values[0] *= x->known[i];
    }
    keep(c, values);
  }
}
