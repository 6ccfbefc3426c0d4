/* Helpers that the shape functions of all operators share. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "graphs/onnx.h"

static const onnx_type types[] = {
#define ONNX_TYPE_ROW(symbol, id, name, bits, dtype) {id, name, (bits) / 8.0, dtype},
    ONNX_TYPE_MAP(ONNX_TYPE_ROW)
#undef ONNX_TYPE_ROW
};

const onnx_type *rf_onnx_type_of(int id) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (types[i].id == id) {
      return &types[i];
    }
  }
  return NULL;
}

double rf_onnx_elements(const onnx_value *v) {
  double elements = v->rank < 0 ? NAN : 1;
  for (int i = 0; i < v->rank; i++) {
    elements *= v->dims[i];
  }
  return elements;
}

bool rf_onnx_is_sound(const onnx_value *v) {
  bool sound = v->rank >= 0;
  for (int i = 0; i < v->rank; i++) {
    sound &= v->dims[i] >= 0 && v->dims[i] <= 1e12 && v->dims[i] == floor(v->dims[i]);
  }
  return sound && rf_onnx_elements(v) <= 1e15;
}

double rf_onnx_bytes(const onnx_graph *g, const onnx_value *v) {
  const onnx_type *type = rf_onnx_type_of(v->type);
  bool floats =
      v->type == ONNX_FLOAT || v->type == ONNX_FLOAT16 || v->type == ONNX_BFLOAT16 || v->type == ONNX_DOUBLE;
  bool replaced = floats && g->reading->floats != ROOF_DTYPE_COUNT;
  return rf_onnx_elements(v) * (replaced       ? roof_dtype_bytes(g->reading->floats)
                                : type != NULL ? type->bytes
                                               : NAN);
}

void rf_onnx_set(onnx_value *v, int rank, const double *dims) {
  if (v == NULL) {
    return;
  }
  v->rank = rank;
  for (int i = 0; i < rank && i < ONNX_RANK; i++) {
    v->dims[i] = dims[i];
  }
}

onnx_value *rf_onnx_in(const onnx_call *c, int i) {
  return i < c->node->in_count ? c->node->in[i] : NULL;
}

onnx_value *rf_onnx_out(const onnx_call *c, int i) {
  return i < c->node->out_count ? c->node->out[i] : NULL;
}

onnx_value *rf_onnx_first_output(const onnx_call *c) {
  int i = 0;
  while (i + 1 < c->node->out_count && c->node->out[i] == NULL) {
    i++;
  }
  return rf_onnx_out(c, i);
}

roof_status rf_onnx_fail(onnx_call *c, roof_status code, const char *format, ...) {
  char message[256];
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(message, sizeof message, format, arguments);
  va_end(arguments);
  const onnx_node *n = c->node;
  const onnx_value *out = rf_onnx_first_output(c);
  roof_error_set(c->graph->error, code, "node %zu `%.80s` (%s%s%.40s): %s", c->number + 1,
                 n->name[0] != '\0' ? n->name
                 : out != NULL      ? out->name
                                    : "",
                 n->domain, n->domain[0] != '\0' ? "::" : "", n->type, message);
  return roof_error_at(c->graph->error, c->graph->file, 0, 0);
}

roof_status rf_onnx_axis(onnx_call *c, double axis, int rank, int *found) {
  double from = axis < 0 ? axis + rank : axis;
  if (!(from >= 0 && from < rank)) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "axis %g is out of range for %d dimensions", axis, rank);
  }
  *found = (int)from;
  return ROOF_OK;
}

roof_status rf_onnx_list(onnx_call *c, const char *name, int i, double *values, int room, int *count) {
  const onnx_value *v = i >= 0 ? rf_onnx_in(c, i) : NULL;
  proto attribute;
  *count = -1;
  if (name != NULL && rf_onnx_attribute(c->node, name, &attribute)) {
    *count = rf_onnx_ints(c->node, name, values, room);
  } else if (v != NULL && v->known == NULL) {
    c->open = true;
  } else if (v != NULL) {
    double elements = rf_onnx_elements(v);
    if (elements > room) {
      return rf_onnx_fail(c, ROOF_E_ARGUMENT, "%g numbers in `%.60s`, at most %d are allowed", elements,
                          v->name, room);
    }
    *count = (int)elements;
    memcpy(values, v->known, (size_t)*count * sizeof *values);
  }
  return ROOF_OK;
}

roof_status rf_onnx_same(onnx_call *c) {
  const onnx_value *in = rf_onnx_in(c, 0);
  if (in == NULL) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "no input");
  }
  for (int i = 0; i < c->node->out_count; i++) {
    if (rf_onnx_out(c, i) != NULL) {
      rf_onnx_set(rf_onnx_out(c, i), in->rank, in->dims);
    }
  }
  return ROOF_OK;
}

roof_status rf_onnx_broadcast(onnx_call *c) {
  double dims[ONNX_RANK] = {0};
  int rank = 0;
  for (int i = 0; i < c->node->in_count; i++) {
    const onnx_value *v = rf_onnx_in(c, i);
    if (v == NULL) {
      continue;
    }
    for (; rank < v->rank; rank++) { /* new leading dimensions */
      memmove(dims + 1, dims, (size_t)rank * sizeof *dims);
      dims[0] = 1;
    }
    double attribute =
        rf_onnx_int(c->node, "axis", -1); /* before opset 7: the axis where the second operand begins */
    int skip = i > 0 && attribute >= 0 && attribute + v->rank <= rank ? (int)attribute : rank - v->rank;
    for (int k = 0; k < v->rank; k++) {
      double *d = &dims[skip + k], other = v->dims[k];
      if (*d != other && *d != 1 && other != 1) {
        return rf_onnx_fail(c, ROOF_E_ARGUMENT, "`%.60s`: cannot broadcast %g elements to %g", v->name, other,
                            *d);
      }
      *d = *d == 1 ? other : *d;
    }
  }
  rf_onnx_set(rf_onnx_out(c, 0), rank, dims);
  return ROOF_OK;
}
