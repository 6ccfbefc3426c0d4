/* Walks an ONNX graph in order: sizes first, then the work of each node. */
#include "graphs/onnx.h"

#include <stdio.h>
#include <string.h>

#include "documents/json.h"
#include "host/file.h"

enum { SHAPE_MAX = 160 };

/** The state of the walk. */
typedef struct walk {
  onnx_graph g;
  roof_workload w;
  json_t *silent; /**< nodes without work, by operator */
  double live;    /**< bytes of activations alive at the same time */
} walk;

/** Refuses a graph with unknown operators and names all of them. */
static roof_status check_operators(onnx_graph *g) {
  char others[256] = "";
  size_t used = 0;
  onnx_call first = {.graph = g};
  for (size_t i = 0; i < g->node_count; i++) {
    const onnx_node *n = &g->nodes[i];
    char name[64];
    snprintf(name, sizeof name, "%s`%.40s`", first.node != NULL ? ", " : "", n->type);
    if (rf_onnx_op_find(n) != NULL) {
      continue;
    }
    if (first.node == NULL) {
      first.node = n;
      first.number = i;
    } else if (strcmp(n->type, first.node->type) != 0 && strstr(others, name) == NULL &&
               used + sizeof name < sizeof others) {
      used += (size_t)snprintf(others + used, sizeof others - used, "%s", name);
    }
  }
  if (first.node == NULL) {
    return ROOF_OK;
  }
  rf_onnx_fail(&first, ROOF_E_NAME, "unknown operator%s%s", others[0] != '\0' ? ", and so are " : "",
               others[0] != '\0' ? others + 2 : "");
  return roof_error_suggest(g->error, first.node->type, rf_onnx_op_names());
}

/** The storage behind a value. */
static onnx_value *root_of(onnx_value *v) {
  while (v->base != NULL) {
    v = v->base;
  }
  return v;
}

/** Bytes that reading or writing a value moves: a constant's are those of the tensor that is stored. */
static double moved(const walk *k, onnx_value *v) {
  return rf_onnx_bytes(&k->g, v->constant ? root_of(v) : v);
}

static roof_status check_sizes(onnx_call *c) {
  for (int i = 0; i < c->node->out_count; i++) {
    const onnx_value *v = rf_onnx_out(c, i);
    if (v != NULL && v->rank < 0) {
      return rf_onnx_fail(c, ROOF_E_ARGUMENT, "the operator has no output `%.60s`", v->name);
    }
    if (v != NULL && !rf_onnx_is_sound(v)) {
      return rf_onnx_fail(c, ROOF_E_ARGUMENT, "the dimensions of `%.60s` are not valid", v->name);
    }
  }
  return ROOF_OK;
}

static roof_status check_ends(onnx_call *c, const onnx_op *op) {
  for (int i = 0; i < c->node->in_count; i++) {
    const onnx_value *v = rf_onnx_in(c, i);
    if (v != NULL && v->rank < 0) {
      return rf_onnx_fail(c, ROOF_E_ARGUMENT, "no earlier node produces its input `%.60s`", v->name);
    }
  }
  return rf_onnx_first_output(c) != NULL && (rf_onnx_out(c, 0) != NULL || op->shape == rf_onnx_recurrent)
             ? ROOF_OK
             : rf_onnx_fail(c, ROOF_E_PARSE, "no output");
}

static void set_types(const onnx_call *c, const onnx_op *op) {
  const onnx_value *from = rf_onnx_in(c, op->result < 0 ? -op->result : 0);
  int type = op->result > 0 ? op->result : from != NULL ? from->type : 0;
  for (int i = 0; i < c->node->out_count; i++) {
    onnx_value *v = rf_onnx_out(c, i);
    if (v != NULL && v->type == 0) {
      v->type = type != 0 ? type : op->result == -2 ? ONNX_UINT8 : ONNX_FLOAT;
    }
  }
}

/** Sizes that depend on data are read from the file's declarations. */
static roof_status declare(onnx_call *c) {
  for (int i = 0; i < c->node->out_count; i++) {
    onnx_value *v = rf_onnx_out(c, i);
    roof_status status = v != NULL ? rf_onnx_declare(c->graph, v, v->declared, false) : ROOF_OK;
    if (status != ROOF_OK) {
      return status;
    }
    if (v != NULL && v->rank < 0) {
      return rf_onnx_fail(c, ROOF_E_ARGUMENT,
                          "the dimensions of `%.60s` depend on data, and the file does not declare them",
                          v->name);
    }
  }
  return ROOF_OK;
}

/** Sizes, types and, where they can be known, elements of a node's outputs. */
static roof_status infer(onnx_call *c, const onnx_op *op) {
  roof_status status = check_ends(c, op);
  status = status == ROOF_OK ? op->shape(c) : status;
  status = status == ROOF_OK && c->open ? declare(c) : status;
  status = status == ROOF_OK ? check_sizes(c) : status;
  if (status != ROOF_OK) {
    return status;
  }
  set_types(c, op);
  if (op->fold != NULL && !c->open) {
    op->fold(c);
  }
  return ROOF_OK;
}

static void write_shape(const onnx_call *c, char *text, size_t size) {
  const onnx_value *v = rf_onnx_first_output(c);
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < v->rank && used < size; i++) {
    used += (size_t)snprintf(text + used, size - used, "%s%.0f", i > 0 ? "x" : "", v->dims[i]);
  }
  if (used < size && c->inner > 0) {
    snprintf(text + used, size - used, " k%.0f", c->inner);
  } else if (used < size) {
    snprintf(text + used, size - used, "%s", c->detail);
  }
}

/** The format that a node computes in: that of its input; integers narrower than fp32 are computed as fp32 in
 * vector units. */
static roof_dtype compute_of(const walk *k, const onnx_call *c, const onnx_op *op) {
  const onnx_value *x = rf_onnx_in(c, 0);
  const onnx_type *type = x != NULL ? rf_onnx_type_of(x->type) : NULL;
  roof_dtype floats = k->g.reading->floats, dtype = type != NULL ? type->dtype : ROOF_FP32;
  bool is_float = type == NULL || type->id == ONNX_FLOAT || type->id == ONNX_FLOAT16 ||
                  type->id == ONNX_BFLOAT16 || type->id == ONNX_DOUBLE;
  if (op->unit == ROOF_VECTOR && !is_float) {
    return ROOF_FP32;
  }
  return is_float && floats != ROOF_DTYPE_COUNT ? floats : dtype;
}

/** Weights are counted once, however many nodes read them. */
static void count_weight(walk *k, onnx_value *v) {
  onnx_value *root = root_of(v);
  const onnx_type *type = rf_onnx_type_of(root->type);
  bool index = type == NULL || type->id == ONNX_INT64 || type->id == ONNX_INT32 || type->id == ONNX_BOOL;
  if (!root->counted && !index) {
    k->w.parameters += rf_onnx_elements(root);
    k->w.weight_bytes += rf_onnx_bytes(&k->g, root);
  }
  root->counted = true;
}

static roof_status emit(walk *k, onnx_call *c, const onnx_op *op) {
  char shape[SHAPE_MAX];
  double written = 0, taken = 0;
  roof_workload_item item = {.name = c->node->name[0] != '\0' ? c->node->name : rf_onnx_first_output(c)->name,
                             .op = c->node->type,
                             .shape = shape,
                             .count = 1,
                             .types = roof_types_of(compute_of(k, c, op))};
  for (int i = 0; i < c->node->out_count; i++) {
    written += rf_onnx_out(c, i) != NULL ? moved(k, rf_onnx_out(c, i)) : 0;
  }
  roof_work_init(&item.work);
  for (int i = 0; i < c->node->in_count; i++) {
    onnx_value *v = rf_onnx_in(c, i);
    bool partly = op->moves == ONNX_MOVES_RESULT && i == 0;
    taken = v == NULL ? 0 : partly ? fmin(written, moved(k, v)) : moved(k, v);
    taken *= i == 0 ? 1 - c->left_out : 1;
    item.work.read_bytes += taken;
    item.weight_bytes += v != NULL && v->constant ? taken : 0;
    if (v != NULL && v->constant) {
      count_weight(k, v);
    }
  }
  if (isnan(item.work.read_bytes + written)) {
    return rf_onnx_fail(c, ROOF_E_UNSUPPORTED, "the format of what it reads or writes is not known");
  }
  write_shape(c, shape, sizeof shape);
  item.work.unit = op->unit;
  item.work.flops = c->flops + op->flops * rf_onnx_elements(rf_onnx_first_output(c));
  item.work.write_bytes = written;
  item.work.working_set = item.work.read_bytes + written;
  return roof_workload_add(&k->w, &item, c->graph->error);
}

/** A node that does nothing when the graph runs: a view, or a value known in advance. */
static void pass_over(walk *k, const onnx_call *c, bool constant) {
  onnx_value *from = rf_onnx_in(c, 0);
  json_int_t count = json_integer_value(json_object_get(k->silent, c->node->type));
  rf_json_note(json_object_set_new_nocheck(k->silent, c->node->type, json_integer(count + 1)) == 0);
  for (int i = 0; i < c->node->out_count; i++) {
    onnx_value *v = rf_onnx_out(c, i);
    if (v != NULL) {
      v->constant = constant || v->known != NULL;
      bool same =
          from != NULL && rf_onnx_elements(from) == rf_onnx_elements(v) && from->constant == v->constant;
      v->base = same ? from : NULL;
    }
    if (v != NULL && v->base != NULL && v->last_use > root_of(v)->last_use) {
      root_of(v)->last_use = v->last_use;
    }
  }
}

/** An activation is alive from the node that produces it to the last node that reads it. */
static void follow_storage(walk *k, const onnx_call *c) {
  for (int i = 0; i < c->node->out_count; i++) {
    onnx_value *v = rf_onnx_out(c, i);
    if (v != NULL && !v->constant && v->base == NULL) {
      v->live = rf_onnx_bytes(&k->g, v);
      k->live += v->live;
    }
  }
  k->w.activation_bytes = fmax(k->w.activation_bytes, k->live);
  for (int i = 0; i < c->node->in_count + c->node->out_count; i++) {
    onnx_value *v = i < c->node->in_count ? rf_onnx_in(c, i) : rf_onnx_out(c, i - c->node->in_count);
    onnx_value *root = v != NULL ? root_of(v) : NULL;
    if (root != NULL && root->last_use <= c->number && !root->output) {
      k->live -= root->live;
      root->live = 0;
    }
  }
}

static bool is_constant(const onnx_call *c) {
  bool constant = true;
  for (int i = 0; i < c->node->in_count; i++) {
    constant &= rf_onnx_in(c, i) == NULL || rf_onnx_in(c, i)->constant;
  }
  return constant;
}

static roof_status take_node(walk *k, size_t number) {
  onnx_call c = {.graph = &k->g, .node = &k->g.nodes[number], .number = number};
  const onnx_op *op = rf_onnx_op_find(c.node);
  roof_status status = infer(&c, op);
  if (status != ROOF_OK) {
    return status;
  }
  bool constant = is_constant(&c);
  if (constant || op->moves == ONNX_MOVES_NOTHING || rf_onnx_first_output(&c)->known != NULL) {
    pass_over(k, &c, constant);
  } else {
    status = emit(k, &c, op);
  }
  follow_storage(k, &c);
  return status;
}

static void note_inputs(walk *k) {
  char text[400] = "";
  size_t used = 0;
  for (size_t i = 0; i < k->g.input_count; i++) {
    const onnx_value *v = k->g.inputs[i];
    const onnx_type *type = rf_onnx_type_of(v->type);
    for (int d = 0; !v->constant && d <= v->rank && used < sizeof text; d++) {
      used += d == v->rank
                  ? (size_t)snprintf(text + used, sizeof text - used, " %s", type != NULL ? type->name : "?")
                  : (size_t)snprintf(text + used, sizeof text - used, "%s%.40s%s%.0f",
                                     d == 0 && used > 0 ? "; " : "", d == 0 ? v->name : "",
                                     d == 0 ? " " : "x", v->dims[d]);
    }
  }
  roof_workload_note(&k->w, "inputs: %s", text);
}

static void note_silent(walk *k) {
  char text[400] = "";
  size_t used = 0;
  double nodes = 0;
  const char *type = NULL;
  json_t *count = NULL;
  json_object_foreach(k->silent, type, count) {
    nodes += (double)json_integer_value(count);
    if (used < sizeof text) {
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %" JSON_INTEGER_FORMAT,
                               used > 0 ? ", " : "", type, json_integer_value(count));
    }
  }
  if (nodes > 0) {
    roof_workload_note(&k->w, "%.0f nodes need no kernel (views and constants): %s", nodes, text);
  }
}

static roof_status walk_graph(walk *k, proto model) {
  onnx_graph *g = &k->g;
  roof_status status = rf_onnx_read(g, model);
  status = status == ROOF_OK ? check_operators(g) : status;
  if (status != ROOF_OK) {
    return status;
  }
  k->w.batch = g->batch;
  for (size_t i = 0; i < g->input_count; i++) {
    onnx_value *v = g->inputs[i];
    if (!v->constant && v->live == 0) {
      v->live = rf_onnx_bytes(g, v);
      k->live += v->live;
    }
  }
  for (size_t i = 0; i < g->node_count && status == ROOF_OK; i++) {
    status = take_node(k, i);
  }
  if (status == ROOF_OK && k->w.count == 0) {
    roof_error_set(g->error, ROOF_E_ARGUMENT, "no node computes or moves anything");
    return roof_error_at(g->error, g->file, 0, 0);
  }
  note_inputs(k);
  note_silent(k);
  if (g->externals > 0) {
    roof_workload_note(&k->w, "%.0f tensors are stored outside the file; their sizes are known",
                       g->externals);
  }
  return status;
}

roof_status roof_workload_read_onnx(const void *data, size_t length, const char *file,
                                    const roof_workload_reading *reading, roof_workload *workload,
                                    roof_error *error) {
  const unsigned char *at = data;
  walk k = {.g = {.file = file, .reading = reading, .error = error}, .w = {.format = "onnx"}};
  rf_json_begin();
  k.g.index = json_object();
  k.silent = json_object();
  k.g.used = calloc((size_t)reading->dimension_count + 1, sizeof *k.g.used);
  rf_file_base_name(file, k.w.name, sizeof k.w.name);
  roof_status status = k.g.index == NULL || k.silent == NULL || k.g.used == NULL
                           ? roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", file)
                           : walk_graph(&k, (proto){at, at + length});
  if (rf_json_lost() && status == ROOF_OK) {
    status = roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", file);
  }
  rf_onnx_done(&k.g);
  json_decref(k.silent);
  if (status != ROOF_OK) {
    roof_workload_done(&k.w);
    return status;
  }
  *workload = k.w;
  return ROOF_OK;
}
