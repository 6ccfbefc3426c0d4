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

/** What of a node is refused: a member of it, or of one of its figures. */
typedef struct fault {
  const char *why; /**< NULL: nothing */
  const char *key; /**< NULL: all of it */
  bool in_figure;
  size_t figure;
} fault;

/** A number that is not known is null or left out; one that is must be one, at least 0, and whole where it counts. */
static double read_number(json_t *object, const char *key, bool whole, fault *f) {
  json_t *value = json_object_get(object, key);
  double number = rf_json_number_of(value);
  bool left = value == NULL || json_is_null(value);
  if (!left && !(number >= 0 && isfinite(number) && (!whole || number == floor(number))) && f->why == NULL) {
    f->why = whole ? "is no whole number from 0 on" : "is no number from 0 on";
    f->key = key;
  }
  return number;
}

/** A figure of the list `ceilings`. */
static void read_figure(roof_nodes *nodes, json_t *object, roof_node *node, fault *f) {
  roof_nodes_ceiling named;
  keep_text(named.name, sizeof named.name, rf_json_text_of(json_object_get(object, "name")));
  keep_text(named.unit, sizeof named.unit, rf_json_text_of(json_object_get(object, "unit")));
  double value = read_number(object, "median", false, f), spread = read_number(object, "spread", false, f);
  if (named.name[0] == '\0') {
    *f = (fault){.why = "a ceiling without a `name`"};
  } else if (value <= 0 || isinf(value)) {
    *f = (fault){.why = "is no rate or time over 0", .key = "median"};
  }
  if (f->why != NULL || isnan(value)) { /* the cluster has no ceiling for its sake */
    return;
  }
  int at = rf_nodes_ceiling(nodes, named.name, named.unit);
  if (at < 0) {
    f->why = "more than 256 ceilings";
    return;
  }
  for (; node->count <= (size_t)at; node->count++) {
    node->figures[node->count] = (roof_node_figure){NAN, NAN};
  }
  node->figures[at] = (roof_node_figure){value, spread};
}

static fault read_members(roof_nodes *nodes, json_t *object, roof_node *node) {
  json_t *ceilings = json_object_get(object, "ceilings");
  fault f = {.why = NULL};
  for (int i = 0; i < RF_NODE_FIELDS; i++) {
    const rf_node_field *field = &rf_node_fields[i];
    if (field->size == 0) {
      *rf_node_number(node, field) = read_number(object, field->key, field->unit[0] == '\0', &f);
    } else {
      keep_text((char *)node + field->offset, field->size,
                rf_json_text_of(json_object_get(object, field->key)));
    }
  }
  if (node->name[0] == '\0' || !json_is_array(ceilings)) {
    f = (fault){.why =
                    node->name[0] == '\0' ? "a node without a `name`" : "a node without the list `ceilings`"};
  }
  for (size_t i = 0; i < json_array_size(ceilings) && f.why == NULL; i++) {
    read_figure(nodes, json_array_get(ceilings, i), node, &f);
    f.in_figure = f.why != NULL;
    f.figure = i;
  }
  return f;
}

/** The member of an object or, without a key, the element of a list that begins at `at`; `at` where there is none. */
static const char *part_at(const char *at, const char *key, size_t element) {
  const char *p = at + 1;
  rf_span name, value;
  for (size_t i = 0; rf_scan_next(&p, &name, &value); i++) {
    if (key != NULL ? rf_scan_is(name, key) : i == element) {
      return value.at[-1] == '"' ? value.at - 1 : value.at;
    }
  }
  return at;
}

static roof_status refuse_part(const source *s, const char *node, const fault *f, roof_error *error) {
  const char *at = f->in_figure ? part_at(part_at(node, "ceilings", 0), NULL, f->figure) : node;
  char why[96];
  snprintf(why, sizeof why, "`%s` %s", f->key != NULL ? f->key : "", f->why);
  return f->key != NULL ? refuse(s, part_at(at, f->key, 0), why, error) : refuse(s, at, f->why, error);
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
  bool room = object != NULL && node.figures != NULL;
  const fault wrong = room ? read_members(nodes, object, &node) : (fault){.why = NULL};
  bool kept = room && wrong.why == NULL && trim(&node) && rf_nodes_take(nodes, &node);
  json_decref(object);
  if (!kept) {
    free(node.figures);
    return wrong.why != NULL ? refuse_part(s, span.at, &wrong, error)
                             : roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
  }
  return ROOF_OK;
}

roof_status roof_nodes_add(roof_nodes *nodes, const char *text, size_t length, roof_error *error) {
  const source s = {text, "a node"};
  return read_node(nodes, (rf_span){text, length, false}, &s, error);
}

/** A name and where its node is in the list. */
typedef struct named {
  const char *name;
  size_t at;
} named;

static int by_name(const void *a, const void *b) {
  const named *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

/** Refuses the first node that has the name of an earlier one of the list. */
static roof_status check_names(const roof_nodes *nodes, rf_span list, const source *s, roof_error *error) {
  named *names = calloc(nodes->count > 0 ? nodes->count : 1, sizeof *names);
  size_t again = nodes->count;
  if (names == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
  }
  for (size_t i = 0; i < nodes->count; i++) {
    names[i] = (named){nodes->list[i].name, i};
  }
  qsort(names, nodes->count, sizeof *names, by_name);
  for (size_t i = 1; i < nodes->count; i++) {
    bool same = strcmp(names[i].name, names[i - 1].name) == 0;
    again = same && names[i].at < again ? names[i].at : again;
  }
  free(names);
  return again == nodes->count
             ? ROOF_OK
             : refuse(s, part_at(part_at(list.at, NULL, again), "name", 0), "two nodes of one name", error);
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
  return status == ROOF_OK ? check_names(nodes, list, s, error) : status;
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
    return *known
               ? ROOF_OK
               : refuse(s, value.at,
                        "its `schema` is not roofline.nodes/1; `cluster report` reads roofline.scaling/1 too",
                        error);
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
    size_t mark = rf_file_mark(mapping.data, mapping.length);
    status = roof_nodes_read((const char *)mapping.data + mark, mapping.length - mark, path, nodes, error);
    rf_file_unmap(&mapping);
  }
  return status;
}

bool rf_nodes_is_file(const char *path) {
  return rf_file_says(path, "\"roofline.nodes/");
}
