/* The cluster's file: an object with a line per node, so that ten thousand of them are written and read one by one. */
#include <math.h>
#include <stdlib.h>

#include "cluster/nodes.h"
#include "documents/json.h"

static json_t *figures_json(const roof_node *node, const roof_nodes_ceiling *ceilings) {
  json_t *list = json_array();
  for (size_t i = 0; i < node->count; i++) {
    const roof_node_figure *f = &node->figures[i];
    if (!isnan(f->value)) {
      json_t *figure = json_pack("{s:s, s:s}", "name", ceilings[i].name, "unit", ceilings[i].unit);
      RF_JSON_SET(figure, ((rf_json_member[]){{"median", f->value}, {"spread", f->spread}}));
      rf_json_append(list, figure);
    }
  }
  return list;
}

json_t *rf_node_json(const roof_node *node, const roof_nodes_ceiling *ceilings) {
  json_t *object = json_object();
  for (int i = 0; i < RF_NODE_FIELDS; i++) {
    const rf_node_field *f = &rf_node_fields[i];
    const char *text = f->size > 0 ? rf_node_text_of(node, f) : "";
    rf_json_set(object, f->key,
                f->size == 0      ? rf_json_number(rf_node_number_of(node, f))
                : text[0] != '\0' ? json_string(text)
                                  : json_null());
  }
  rf_json_set(object, "ceilings", figures_json(node, ceilings));
  return object;
}

static json_t *ceiling_json(const roof_nodes *nodes, const roof_nodes_ceiling *c) {
  json_t *object =
      json_pack("{s:s, s:s, s:I}", "name", c->name, "unit", c->unit, "nodes", (json_int_t)c->count);
  RF_JSON_SET(object,
              ((rf_json_member[]){
                  {"median", c->median}, {"deviation", c->deviation}, {"low", c->low}, {"high", c->high}}));
  rf_json_set(object, "slowest", c->count > 0 ? json_string(nodes->list[c->slowest].name) : json_null());
  return object;
}

static json_t *finding_json(const roof_nodes *nodes, const roof_outlier *f) {
  json_t *object =
      json_pack("{s:s, s:s}", "node", nodes->list[f->node].name, "what", roof_outlier_name(f->kind));
  rf_json_set(object, "ceiling",
              f->ceiling >= 0 ? json_string(nodes->ceilings[f->ceiling].name) : json_null());
  rf_json_set(object, "score", rf_json_number(f->score));
  rf_json_set_text(object, "evidence", f->evidence);
  rf_json_set_text(object, "action", roof_outlier_action(f->kind));
  return object;
}

static json_t *text_or_null(const char *text) {
  return text[0] != '\0' ? json_string(text) : json_null();
}

/** What stands before the nodes, without its closing brace. */
static void add_head(const roof_nodes *nodes, roof_text *out) {
  json_t *job = json_object(), *head = json_pack("{s:s}", "schema", "roofline.nodes/1");
  rf_json_set(head, "version", text_or_null(nodes->version));
  rf_json_set(head, "date", text_or_null(nodes->date));
  rf_json_set(head, "incomplete", text_or_null(nodes->incomplete));
  rf_json_set(job, "launcher", text_or_null(nodes->launcher));
  rf_json_set(job, "mpi", text_or_null(nodes->mpi));
  rf_json_set(job, "ranks", rf_json_number(nodes->ranks));
  rf_json_set(head, "job", job);
  rf_json_add(head, 0, out);
  if (!out->failed && out->length > 0) {
    out->data[--out->length] = '\0';
  }
}

/** `, "key": [`, a line per element, `]`. */
static void add_list(roof_text *out, const char *key, const roof_nodes *nodes, size_t count,
                     json_t *element(const roof_nodes *nodes, size_t index)) {
  roof_text_addf(out, ",\n\"%s\": [", key);
  for (size_t i = 0; i < count && !out->failed; i++) {
    roof_text_add(out, i == 0 ? "\n" : ",\n");
    rf_json_add(element(nodes, i), 0, out);
  }
  roof_text_add(out, count > 0 ? "\n]" : "]");
}

static json_t *node_at(const roof_nodes *nodes, size_t index) {
  return rf_node_json(&nodes->list[index], nodes->ceilings);
}

static json_t *ceiling_at(const roof_nodes *nodes, size_t index) {
  return ceiling_json(nodes, &nodes->ceilings[index]);
}

static json_t *finding_at(const roof_nodes *nodes, size_t index) {
  return finding_json(nodes, &nodes->outliers[index]);
}

roof_status roof_nodes_write(const roof_nodes *nodes, roof_text *out, roof_error *error) {
  rf_json_begin();
  add_head(nodes, out);
  add_list(out, "nodes", nodes, nodes->count, node_at);
  add_list(out, "distribution", nodes, nodes->ceiling_count, ceiling_at);
  add_list(out, "outliers", nodes, nodes->outlier_count, finding_at);
  roof_text_addf(out, ",\n\"network\": %s}\n", nodes->network != NULL ? nodes->network : "null");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory") : ROOF_OK;
}
