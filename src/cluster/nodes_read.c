/* Reads the cluster's file node by node: what is at hand of a file of ten thousand nodes is one of them and the figures kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/nodes.h"
#include "documents/json.h"
#include "documents/scan.h"
#include "host/file.h"

enum { PADDING = 8 }; /* bytes that a scan may read behind its text */

/** The text of a document being read. */
typedef struct source {
  const char *begin;
  const char *file;
} source;

/** Refuses what is at `at`. */
static roof_status refuse(const source *s, const char *at, const char *why, roof_error *error) {
  int line = 1, column = 1;
  for (const char *p = s->begin; p < at; p++) {
    column = *p == '\n' ? 1 : column + 1;
    line += *p == '\n';
  }
  roof_error_set(error, ROOF_E_PARSE, "cluster: %s", why);
  return roof_error_at(error, s->file, line, column);
}

/** A text that people are shown: cut after a whole character. */
static void keep_text(char *to, size_t size, const char *from) {
  size_t used = 0;
  while (*from != '\0') {
    size_t length = roof_text_shown(from);
    if (used + (length > 0 ? length : 1) >= size) {
      break;
    }
    if (length > 0) {
      memcpy(to + used, from, length);
    } else {
      to[used] = '?';
    }
    used += length > 0 ? length : 1;
    from += length > 0 ? length : 1;
  }
  to[used] = '\0';
}

/** A figure of the list `ceilings`; why it is refused, or NULL. */
static const char *read_figure(roof_nodes *nodes, json_t *object, roof_node *node) {
  roof_nodes_ceiling named;
  keep_text(named.name, sizeof named.name, rf_json_text_of(json_object_get(object, "name")));
  keep_text(named.unit, sizeof named.unit, rf_json_text_of(json_object_get(object, "unit")));
  double value = rf_json_number_of(json_object_get(object, "median"));
  if (named.name[0] == '\0') {
    return "a ceiling without a `name`";
  }
  if (isnan(value)) {
    return NULL; /* the cluster has no ceiling for its sake */
  }
  if (!(value > 0 && isfinite(value))) {
    return "the `median` of a ceiling is no rate or time over 0";
  }
  int at = rf_nodes_ceiling(nodes, named.name, named.unit);
  if (at < 0) {
    return "more than 256 ceilings";
  }
  for (; node->count <= (size_t)at; node->count++) {
    node->figures[node->count] = (roof_node_figure){NAN, NAN};
  }
  node->figures[at] = (roof_node_figure){value, rf_json_number_of(json_object_get(object, "spread"))};
  return NULL;
}

static const char *read_members(roof_nodes *nodes, json_t *object, roof_node *node) {
  json_t *ceilings = json_object_get(object, "ceilings"), *figure = NULL;
  size_t i = 0;
  const char *why = NULL;
  for (int f = 0; f < RF_NODE_FIELDS; f++) {
    const rf_node_field *field = &rf_node_fields[f];
    json_t *value = json_object_get(object, field->key);
    if (field->size == 0) {
      double number = rf_json_number_of(value);
      *rf_node_number(node, field) = number >= 0 && isfinite(number) ? number : NAN;
    } else {
      keep_text((char *)node + field->offset, field->size, rf_json_text_of(value));
    }
  }
  if (node->name[0] == '\0' || !json_is_array(ceilings)) {
    return node->name[0] == '\0' ? "a node without a `name`" : "a node without the list `ceilings`";
  }
  json_array_foreach(ceilings, i, figure) {
    why = why != NULL ? why : read_figure(nodes, figure, node);
  }
  return why;
}

/** Keeps as many figures as the node has. */
static bool trim(roof_node *node) {
  roof_node_figure *less = realloc(node->figures, (node->count > 0 ? node->count : 1) * sizeof *less);
  node->figures = less != NULL ? less : node->figures;
  return less != NULL;
}

static roof_status read_node(roof_nodes *nodes, rf_span span, const source *s, roof_error *error) {
  json_error_t why;
  roof_node node;
  rf_node_init(&node);
  json_t *object = rf_json_load(span.at, span.size, JSON_REJECT_DUPLICATES, &why);
  if (object == NULL && json_error_code(&why) != json_error_out_of_memory) {
    return refuse(s, span.at + (why.position > 0 ? why.position : 0), why.text, error);
  }
  node.figures = calloc(ROOF_NODES_CEILINGS, sizeof *node.figures);
  const char *wrong = object != NULL && node.figures != NULL ? read_members(nodes, object, &node) : NULL;
  bool kept =
      object != NULL && node.figures != NULL && wrong == NULL && trim(&node) && rf_nodes_take(nodes, &node);
  json_decref(object);
  if (!kept) {
    free(node.figures);
    return wrong != NULL ? refuse(s, span.at, wrong, error)
                         : roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
  }
  return ROOF_OK;
}

roof_status roof_nodes_add(roof_nodes *nodes, const char *text, size_t length, roof_error *error) {
  const source s = {text, "a node"};
  return read_node(nodes, (rf_span){text, length, false}, &s, error);
}

/** Reads the elements of `nodes`. */
static roof_status read_list(roof_nodes *nodes, rf_span list, const source *s, roof_error *error) {
  const char *at = list.at + 1;
  rf_span key, value;
  roof_status status = *list.at == '[' ? ROOF_OK : refuse(s, list.at, "`nodes` is no list", error);
  while (status == ROOF_OK && rf_scan_next(&at, &key, &value)) {
    status = *value.at == '{' && key.size == 0 ? read_node(nodes, value, s, error)
                                               : refuse(s, value.at, "a node is no object", error);
  }
  return status;
}

static roof_status read_job(roof_nodes *nodes, rf_span span, const source *s, roof_error *error) {
  json_error_t why;
  json_t *job = rf_json_load(span.at, span.size, 0, &why);
  if (job == NULL) {
    return refuse(s, span.at, why.text, error);
  }
  keep_text(nodes->launcher, sizeof nodes->launcher, rf_json_text_of(json_object_get(job, "launcher")));
  keep_text(nodes->mpi, sizeof nodes->mpi, rf_json_text_of(json_object_get(job, "mpi")));
  nodes->ranks = rf_json_number_of(json_object_get(job, "ranks"));
  json_decref(job);
  return ROOF_OK;
}

/** Keeps the network's part as it is, where it is JSON. */
static roof_status read_network(roof_nodes *nodes, rf_span span, const source *s, roof_error *error) {
  json_error_t why;
  if (*span.at != '{') {
    return ROOF_OK;
  }
  json_t *network = rf_json_load(span.at, span.size, JSON_REJECT_DUPLICATES, &why);
  free(nodes->network);
  nodes->network = network != NULL ? strndup(span.at, span.size) : NULL;
  json_decref(network);
  return network == NULL          ? refuse(s, span.at, why.text, error)
         : nodes->network != NULL ? ROOF_OK
                                  : roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
}

static void read_text(char *to, size_t size, rf_span span) {
  char raw[1024];
  bool string = span.at[-1] == '"';
  rf_scan_text(string ? span : (rf_span){"", 0, false}, raw, sizeof raw);
  keep_text(to, size, raw);
}

/** A member of the document: those that are computed from others are not read. */
static roof_status read_member(roof_nodes *nodes, rf_span key, rf_span value, const source *s, bool *known,
                               roof_error *error) {
  if (rf_scan_is(key, "schema")) {
    *known = rf_scan_is(value, "roofline.nodes/1");
    return *known ? ROOF_OK : refuse(s, value.at, "its `schema` is not roofline.nodes/1", error);
  }
  if (rf_scan_is(key, "version")) {
    read_text(nodes->version, sizeof nodes->version, value);
  } else if (rf_scan_is(key, "date")) {
    read_text(nodes->date, sizeof nodes->date, value);
  } else if (rf_scan_is(key, "incomplete")) {
    read_text(nodes->incomplete, sizeof nodes->incomplete, value);
  } else if (rf_scan_is(key, "job")) {
    return read_job(nodes, value, s, error);
  } else if (rf_scan_is(key, "nodes")) {
    return read_list(nodes, value, s, error);
  } else if (rf_scan_is(key, "network")) {
    return read_network(nodes, value, s, error);
  }
  return ROOF_OK;
}

static roof_status read_document(roof_nodes *nodes, const char *end, const source *s, roof_error *error) {
  rf_scan scan = {.end = end};
  bool known = false;
  const char *p = rf_scan_blank(s->begin);
  roof_status status = *p == '{' ? ROOF_OK : refuse(s, p, "is no JSON object", error);
  p = status == ROOF_OK ? rf_scan_blank(p + 1) : p;
  while (status == ROOF_OK && *p != '}') {
    rf_span key, value;
    p = rf_scan_key(&scan, p, &key);
    p = p != NULL ? rf_scan_value(&scan, p, &value) : NULL;
    if (p == NULL) {
      return refuse(s, scan.stopped, scan.stopped == end ? "ends early" : "is no JSON here", error);
    }
    status = read_member(nodes, key, value, s, &known, error);
    p = rf_scan_blank(p);
    if (status == ROOF_OK && *p != '}') {
      status =
          *p == ',' ? ROOF_OK : refuse(s, p, p == end ? "ends early" : "a comma or `}` is missing", error);
      p = status == ROOF_OK ? rf_scan_blank(p + 1) : p;
    }
  }
  if (status == ROOF_OK && rf_scan_blank(p + 1) != end) {
    return refuse(s, rf_scan_blank(p + 1), "more than one JSON object", error);
  }
  return status != ROOF_OK || known ? status : refuse(s, s->begin, "has no `schema`", error);
}

roof_status roof_nodes_read(const char *text, size_t length, const char *file, roof_nodes **nodes,
                            roof_error *error) {
  roof_nodes *read = roof_nodes_new();
  char *copy = calloc(1, length + PADDING);
  roof_status status = read != NULL && copy != NULL
                           ? ROOF_OK
                           : roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", file);
  if (status == ROOF_OK) {
    memcpy(copy, text, length);
    const source s = {copy, file};
    status = read_document(read, copy + length, &s, error);
  }
  status = status == ROOF_OK ? roof_nodes_judge(read, error) : status;
  free(copy);
  if (status != ROOF_OK) {
    roof_nodes_free(read);
    return status;
  }
  *nodes = read;
  return ROOF_OK;
}

roof_status roof_nodes_load(const char *path, roof_nodes **nodes, roof_error *error) {
  rf_file_mapping mapping;
  roof_status status = rf_file_map(path, &mapping, error);
  if (status == ROOF_OK) {
    status = roof_nodes_read(mapping.data, mapping.length, path, nodes, error);
    rf_file_unmap(&mapping);
  }
  return status;
}

bool rf_nodes_is_file(const char *path) {
  return rf_file_says(path, "\"roofline.nodes/");
}
