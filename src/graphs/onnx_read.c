/* Reads the protocol buffer messages of an ONNX file as nodes and values. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "graphs/onnx.h"
#include "roofline/units.h"

enum { MODEL_GRAPH = 7, GRAPH_NODE = 1, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { GRAPH_VALUE_INFO = 13, GRAPH_SPARSE = 15, NODE_INPUT = 1, NODE_OUTPUT, NODE_NAME, NODE_TYPE };
enum { NODE_DOMAIN = 7, VALUE_NAME = 1, VALUE_TYPE = 2, TENSOR_DIMS = 1, TENSOR_TYPE, TENSOR_FLOATS = 4 };
enum { TENSOR_INT32S = 5, TENSOR_INT64S = 7, TENSOR_NAME, TENSOR_RAW, TENSOR_DOUBLES, TENSOR_LOCATION = 14 };
enum { TYPE_TENSOR = 1, TENSOR_TYPE_ELEM = 1, TENSOR_TYPE_SHAPE = 2, DIM_VALUE = 1, DIM_PARAM = 2 };

ROOF_PRINTF(3, 4)
static roof_status fail(onnx_graph *g, roof_status code, const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(message, sizeof message, format, arguments);
  va_end(arguments);
  roof_error_set(g->error, code, "%s", message);
  return roof_error_at(g->error, g->file, 0, 0);
}

static size_t size_of(proto text) {
  size_t size = (size_t)(text.end - text.at);
  const unsigned char *nul = size > 0 ? memchr(text.at, 0, size) : NULL;
  return nul != NULL ? (size_t)(nul - text.at) : size;
}

static void copy_text(char *to, size_t room, proto text) {
  size_t size = size_of(text);
  size = size < room ? size : room - 1;
  memcpy(to, size > 0 ? (const char *)text.at : "", size);
  to[size] = '\0';
}

static onnx_value *value_of(onnx_graph *g, proto name) {
  size_t size = size_of(name);
  json_t *found = json_object_getn(g->index, (const char *)name.at, size);
  if (found != NULL) {
    return (onnx_value *)(intptr_t)json_integer_value(found);
  }
  onnx_value *v = calloc(1, sizeof *v + size + 1);
  if (v == NULL) {
    return NULL;
  }
  copy_text(v->name, size + 1, name);
  v->rank = -1;
  v->next = g->values;
  g->values = v;
  return json_object_setn_new_nocheck(g->index, v->name, size, json_integer((json_int_t)(intptr_t)v)) == 0
             ? v
             : NULL;
}

/* Tensors. */

/** Elements stored uncompressed, little-endian. */
static double raw_element(int type, size_t bytes, const unsigned char *at) {
  bool is_signed = type == ONNX_INT8 || type == ONNX_INT16 || type == ONNX_INT32;
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes; i++) {
    bits |= (uint64_t)at[i] << (8 * i);
  }
  if (type == ONNX_FLOAT || type == ONNX_DOUBLE) {
    return rf_proto_double(&(proto_field){.wire = type == ONNX_FLOAT ? 5 : 1, .number = bits});
  }
  if (type == ONNX_INT64) {
    return (double)(int64_t)bits;
  }
  double range = ldexp(1, (int)(8 * bytes)), value = (double)bits;
  return is_signed && value >= range / 2 ? value - range : value;
}

static bool is_plain(int type) {
  return type == ONNX_FLOAT || type == ONNX_DOUBLE || (type >= ONNX_UINT8 && type <= ONNX_BOOL) ||
         type == ONNX_UINT32;
}

/** The elements of a small tensor; none if they are stored in a form that shapes never use. */
static roof_status take_elements(onnx_graph *g, onnx_value *v, proto tensor) {
  double elements = rf_onnx_elements(v);
  const onnx_type *type = rf_onnx_type_of(v->type);
  if (!(elements <= ONNX_KNOWN_MAX) || type == NULL || !is_plain(v->type) || v->external) {
    return ROOF_OK;
  }
  size_t wanted = (size_t)elements, count = 0, size = (size_t)type->bytes;
  double *known = calloc(wanted + 1, sizeof *known);
  bool broken = false;
  if (known == NULL) {
    return fail(g, ROOF_E_MEMORY, "out of memory");
  }
  for (proto_field f; rf_proto_next(&tensor, &f, &broken);) {
    bool ints = f.id == TENSOR_INT32S || f.id == TENSOR_INT64S;
    if (ints || f.id == TENSOR_FLOATS || f.id == TENSOR_DOUBLES) {
      rf_proto_numbers(&f, ints ? 0 : f.id == TENSOR_FLOATS ? 5 : 1, known, wanted, &count);
    } else if (f.id == TENSOR_RAW && f.wire == 2 && (size_t)(f.bytes.end - f.bytes.at) == wanted * size) {
      for (count = 0; count < wanted; count++) {
        known[count] = raw_element(v->type, size, f.bytes.at + count * size);
      }
    }
  }
  free(v->known);
  v->known = count == wanted ? known : NULL;
  if (v->known == NULL) {
    free(known);
  }
  return ROOF_OK;
}

roof_status rf_onnx_tensor(onnx_graph *g, onnx_value *v, proto tensor) {
  double dims[ONNX_RANK] = {0};
  size_t rank = 0;
  bool broken = false;
  proto rest = tensor;
  for (proto_field f; rf_proto_next(&rest, &f, &broken);) {
    if (f.id == TENSOR_DIMS && !rf_proto_numbers(&f, 0, dims, ONNX_RANK, &rank)) {
      broken = true;
    } else if (f.id == TENSOR_TYPE) {
      v->type = (int)(f.number & 0xFF);
    } else if (f.id == TENSOR_LOCATION) {
      v->external = f.number == 1;
    }
  }
  for (size_t i = 0; i < rank && i < ONNX_RANK; i++) {
    broken |= !(dims[i] >= 0 && dims[i] <= 1e12);
  }
  if (broken || rank > ONNX_RANK) {
    return fail(g, ROOF_E_PARSE, "tensor `%.80s`: %s", v->name,
                broken ? "its bytes are not a valid tensor" : "more than 8 dimensions");
  }
  rf_onnx_set(v, (int)rank, dims);
  v->constant = true;
  g->externals += v->external ? 1 : 0;
  return take_elements(g, v, tensor);
}

/* Declared sizes. */

static double given(onnx_graph *g, const char *name) {
  for (int i = 0; i < g->reading->dimension_count; i++) {
    if (strcmp(g->reading->dimensions[i].name, name) == 0) {
      g->used[i] = true;
      return g->reading->dimensions[i].size;
    }
  }
  return g->batch_symbol[0] != '\0' && strcmp(g->batch_symbol, name) == 0 ? g->batch : NAN;
}

/** A name, a number, or sums of them: "past_sequence_length + 1". */
static double named_size(onnx_graph *g, const char *text) {
  char copy[128], *rest = NULL;
  double sum = given(g, text);
  if (!isnan(sum) || strstr(text, " + ") == NULL) {
    return sum;
  }
  snprintf(copy, sizeof copy, "%s", text);
  sum = 0;
  for (char *term = strtok_r(copy, " +", &rest); term != NULL; term = strtok_r(NULL, " +", &rest)) {
    double number = 0;
    bool whole = roof_number_read(term, strlen(term), &number) == strlen(term);
    sum += whole ? number : given(g, term);
  }
  return sum;
}

/** The size of dimension `axis`; NaN if it is open. An input's first dimension is the batch. */
static double size_of_dimension(onnx_graph *g, proto dimension, int axis, bool input, char *symbol,
                                size_t room) {
  proto_field f;
  symbol[0] = '\0';
  if (rf_proto_find(dimension, DIM_PARAM, &f) && f.wire == 2) {
    copy_text(symbol, room, f.bytes);
  } else if (rf_proto_find(dimension, DIM_VALUE, &f) && f.wire == 0 && f.number > 0 && f.number <= 1u << 31) {
    bool batch = input && axis == 0 && !isnan(given(g, "batch"));
    return batch ? g->batch : (double)f.number;
  }
  double size = symbol[0] != '\0' ? named_size(g, symbol) : NAN;
  if (isnan(size) && input && axis == 0) {
    given(g, "batch");
    if (g->batch_symbol[0] == '\0') {
      snprintf(g->batch_symbol, sizeof g->batch_symbol, "%s", symbol);
    }
    return g->batch;
  }
  return size;
}

static roof_status fail_open(onnx_graph *g, const onnx_value *v, size_t axis, const char *symbol) {
  return symbol[0] != '\0' ? fail(g, ROOF_E_ARGUMENT, "input `%.80s`: dimension %zu is `%s`; give `%s=N`",
                                  v->name, axis, symbol, symbol)
                           : fail(g, ROOF_E_ARGUMENT,
                                  "input `%.80s`: dimension %zu has neither size nor name", v->name, axis);
}

roof_status rf_onnx_declare(onnx_graph *g, onnx_value *v, proto type, bool input) {
  proto_field tensor, element, shape;
  double dims[ONNX_RANK] = {0};
  int rank = 0;
  bool broken = false;
  char symbol[96];
  if (!rf_proto_find(type, TYPE_TENSOR, &tensor) || !rf_proto_find(tensor.bytes, TENSOR_TYPE_SHAPE, &shape)) {
    return input ? fail(g, ROOF_E_ARGUMENT, "input `%.80s`: not a tensor with a shape", v->name) : ROOF_OK;
  }
  if (rf_proto_find(tensor.bytes, TENSOR_TYPE_ELEM, &element)) {
    v->type = (int)(element.number & 0xFF);
  }
  for (proto_field f; rf_proto_next(&shape.bytes, &f, &broken);) {
    if (f.id != 1 || f.wire != 2) {
      continue;
    }
    if (rank == ONNX_RANK) {
      return fail(g, ROOF_E_ARGUMENT, "`%.80s`: more than 8 dimensions", v->name);
    }
    dims[rank] = size_of_dimension(g, f.bytes, rank, input, symbol, sizeof symbol);
    if (isnan(dims[rank])) {
      return input ? fail_open(g, v, (size_t)rank, symbol) : ROOF_OK;
    }
    rank++;
  }
  rf_onnx_set(v, rank, dims);
  return broken ? fail(g, ROOF_E_PARSE, "`%.80s`: its bytes are not a valid type", v->name) : ROOF_OK;
}

/* Messages. */

static roof_status take_value(onnx_graph *g, proto info, uint32_t id) {
  proto_field name, type;
  if (!rf_proto_find(info, VALUE_NAME, &name) || name.wire != 2) {
    return ROOF_OK;
  }
  onnx_value *v = value_of(g, name.bytes);
  if (v == NULL) {
    return fail(g, ROOF_E_MEMORY, "out of memory");
  }
  if (rf_proto_find(info, VALUE_TYPE, &type) && type.wire == 2) {
    v->declared = type.bytes;
  }
  v->output |= id == GRAPH_OUTPUT;
  if (id != GRAPH_INPUT) {
    return ROOF_OK;
  }
  onnx_value **inputs = realloc(g->inputs, (g->input_count + 1) * sizeof *inputs);
  if (inputs == NULL) {
    return fail(g, ROOF_E_MEMORY, "out of memory");
  }
  g->inputs = inputs;
  g->inputs[g->input_count++] = v;
  return ROOF_OK;
}

static roof_status take_initializer(onnx_graph *g, proto tensor) {
  proto_field name;
  if (!rf_proto_find(tensor, TENSOR_NAME, &name) || name.wire != 2) {
    return fail(g, ROOF_E_PARSE, "an initializer without a name");
  }
  onnx_value *v = value_of(g, name.bytes);
  return v == NULL ? fail(g, ROOF_E_MEMORY, "out of memory") : rf_onnx_tensor(g, v, tensor);
}

static int count_fields(proto body, uint32_t id) {
  int count = 0;
  bool broken = false;
  for (proto_field f; rf_proto_next(&body, &f, &broken);) {
    count += f.id == id && f.wire == 2;
  }
  return count;
}

/** The values that a node names in field `id`, NULL where a name is empty. */
static roof_status take_values(onnx_graph *g, proto body, uint32_t id, onnx_value ***values, int *count) {
  int room = count_fields(body, id);
  bool broken = false;
  *values = calloc((size_t)room + 1, sizeof **values);
  if (*values == NULL) {
    return fail(g, ROOF_E_MEMORY, "out of memory");
  }
  for (proto_field f; *count < room && rf_proto_next(&body, &f, &broken);) {
    if (f.id == id && f.wire == 2) {
      bool named = f.bytes.end > f.bytes.at;
      onnx_value *v = named ? value_of(g, f.bytes) : NULL;
      if (named && v == NULL) {
        return fail(g, ROOF_E_MEMORY, "out of memory");
      }
      (*values)[(*count)++] = v;
    }
  }
  return ROOF_OK;
}

static char *take_text(proto body, uint32_t id) {
  proto_field f;
  proto text = rf_proto_find(body, id, &f) && f.wire == 2 ? f.bytes : (proto){NULL, NULL};
  size_t size = size_of(text);
  char *copy = malloc(size + 1);
  if (copy != NULL) {
    copy_text(copy, size + 1, text);
  }
  return copy;
}

static roof_status take_node(onnx_graph *g, proto body) {
  if (g->node_count == g->node_room) {
    size_t room = g->node_room > 0 ? 2 * g->node_room : 64;
    onnx_node *nodes = realloc(g->nodes, room * sizeof *nodes);
    if (nodes == NULL) {
      return fail(g, ROOF_E_MEMORY, "out of memory");
    }
    g->nodes = nodes;
    g->node_room = room;
  }
  onnx_node *n = &g->nodes[g->node_count++];
  *n = (onnx_node){.name = take_text(body, NODE_NAME),
                   .type = take_text(body, NODE_TYPE),
                   .domain = take_text(body, NODE_DOMAIN),
                   .body = body};
  roof_status status = n->name == NULL || n->type == NULL || n->domain == NULL
                           ? fail(g, ROOF_E_MEMORY, "out of memory")
                           : take_values(g, body, NODE_INPUT, &n->in, &n->in_count);
  return status == ROOF_OK ? take_values(g, body, NODE_OUTPUT, &n->out, &n->out_count) : status;
}

static roof_status take_field(onnx_graph *g, const proto_field *f) {
  switch (f->id) {
  case GRAPH_NODE:
    return take_node(g, f->bytes);
  case GRAPH_INITIALIZER:
    return take_initializer(g, f->bytes);
  case GRAPH_SPARSE:
    return fail(g, ROOF_E_ARGUMENT, "sparse initializers are not supported");
  default:
    return f->id == GRAPH_INPUT || f->id == GRAPH_OUTPUT || f->id == GRAPH_VALUE_INFO
               ? take_value(g, f->bytes, f->id)
               : ROOF_OK;
  }
}

/** Inputs that are not initializers get their declared sizes; every dimension given by the caller must be one
 * of theirs. */
static roof_status take_inputs(onnx_graph *g) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < g->input_count && status == ROOF_OK; i++) {
    onnx_value *v = g->inputs[i];
    status = v->constant ? ROOF_OK : rf_onnx_declare(g, v, v->declared, true);
  }
  for (int i = 0; i < g->reading->dimension_count && status == ROOF_OK; i++) {
    if (!g->used[i]) {
      status = fail(g, ROOF_E_NAME, "%.60s=: no input of the graph has a dimension of that name",
                    g->reading->dimensions[i].name);
    }
  }
  return status;
}

/** Finds the last reader of each value, and checks that no value is produced twice. */
static roof_status link_nodes(onnx_graph *g) {
  for (size_t i = 0; i < g->node_count; i++) {
    const onnx_node *n = &g->nodes[i];
    for (int k = 0; k < n->in_count; k++) {
      if (n->in[k] != NULL) {
        n->in[k]->last_use = i;
      }
    }
    for (int k = 0; k < n->out_count; k++) {
      onnx_value *v = n->out[k];
      if (v != NULL && (v->made || v->rank >= 0)) {
        return fail(g, ROOF_E_PARSE, "node %zu `%.60s` (%.40s): produces `%.60s` a second time", i, n->name,
                    n->type, v->name);
      }
      if (v != NULL) {
        v->made = true;
        v->last_use = i;
      }
    }
  }
  return ROOF_OK;
}

roof_status rf_onnx_read(onnx_graph *g, proto model) {
  proto_field graph;
  bool broken = false;
  if (!rf_proto_find(model, MODEL_GRAPH, &graph) || graph.wire != 2) {
    return fail(g, ROOF_E_PARSE, "no graph: not an ONNX model, or truncated");
  }
  double batch = given(g, "batch");
  g->batch = isnan(batch) ? 1 : batch;
  if (g->reading->dimension_count > 0) {
    memset(g->used, 0, (size_t)g->reading->dimension_count * sizeof *g->used);
  }
  roof_status status = ROOF_OK;
  for (proto_field f; status == ROOF_OK && rf_proto_next(&graph.bytes, &f, &broken);) {
    status = f.wire == 2 ? take_field(g, &f) : ROOF_OK;
  }
  if (status == ROOF_OK && broken) {
    status = fail(g, ROOF_E_PARSE, "truncated or corrupt ONNX graph");
  }
  status = status == ROOF_OK ? take_inputs(g) : status;
  return status == ROOF_OK ? link_nodes(g) : status;
}

void rf_onnx_done(onnx_graph *g) {
  for (size_t i = 0; i < g->node_count; i++) {
    onnx_node *n = &g->nodes[i];
    free(n->name);
    free(n->type);
    free(n->domain);
    free((void *)n->in);
    free((void *)n->out);
  }
  for (onnx_value *v = g->values; v != NULL;) {
    onnx_value *next = v->next;
    free(v->known);
    free(v);
    v = next;
  }
  free((void *)g->inputs);
  free(g->nodes);
  free(g->used);
  json_decref(g->index);
}
