/* What has changed, in a sentence and as JSON. */
#include <math.h>

#include "cluster/nodes.h"
#include "documents/json.h"

const char *roof_node_verdict_name(roof_node_verdict verdict) {
  static const char *const names[] = {
#define X(symbol, name) name,
      ROOF_NODE_VERDICT_MAP(X)
#undef X
  };
  return verdict < ROOF_NODE_VERDICT_COUNT ? names[verdict] : "?";
}

/** How much of what was expected is lost; 0 of what is no loss. */
static double loss_of(const roof_node_change *c) {
  return c->verdict == ROOF_NODE_MISSING ? INFINITY
         : c->verdict == ROOF_NODE_FELL  ? rf_nodes_loss(c->unit, c->measured, c->expected)
                                         : 0;
}

/** ": n3 DRAM read fell and 2 more figures": the largest loss, and how many others there are. */
static void add_worst(const roof_nodes_changes *changes, roof_text *out) {
  const roof_node_change *worst = &changes->list[0];
  size_t others = changes->counts[ROOF_NODE_FELL] + changes->counts[ROOF_NODE_MISSING] - 1;
  for (size_t i = 1; i < changes->count; i++) {
    worst = loss_of(&changes->list[i]) > loss_of(worst) ? &changes->list[i] : worst;
  }
  roof_text_addf(out, ": %s %s %s", worst->node, worst->figure, roof_node_verdict_name(worst->verdict));
  if (others > 0) {
    roof_text_addf(out, " and %zu more figure%s", others, others == 1 ? "" : "s");
  }
}

void roof_nodes_changes_sentence(const roof_nodes_changes *changes, roof_text *out) {
  if (changes->fallen > 0) {
    roof_text_addf(out, "%zu node%s fell behind what was expected", changes->fallen,
                   changes->fallen == 1 ? "" : "s");
    add_worst(changes, out);
  } else {
    roof_text_add(out, "no node fell behind what was expected");
  }
  roof_text_addf(out, "; %zu figure%s same within noise", changes->counts[ROOF_NODE_SAME],
                 changes->counts[ROOF_NODE_SAME] == 1 ? "" : "s");
}

static json_t *change_json(const roof_node_change *c) {
  json_t *object = json_pack("{s:s, s:s}", "node", c->node, "figure", c->figure);
  rf_json_set(object, "unit", c->unit[0] != '\0' ? json_string(c->unit) : json_null());
  RF_JSON_SET(
      object,
      ((rf_json_member[]){
          {"expected", c->expected}, {"measured", c->measured}, {"ratio", c->ratio}, {"noise", c->noise}}));
  rf_json_set(object, "was", c->was[0] != '\0' ? json_string(c->was) : json_null());
  rf_json_set(object, "is", c->is[0] != '\0' ? json_string(c->is) : json_null());
  rf_json_set_text(object, "verdict", roof_node_verdict_name(c->verdict));
  return object;
}

roof_status roof_nodes_changes_write(const roof_nodes_changes *changes, roof_text *out, roof_error *error) {
  rf_json_begin();
  json_t *list = json_array(), *object = json_pack("{s:s}", "schema", "roofline.nodes_change/1");
  for (size_t i = 0; i < changes->count; i++) {
    rf_json_append(list, change_json(&changes->list[i]));
  }
  rf_json_set(object, "fallen", json_integer((json_int_t)changes->fallen));
  rf_json_set(object, "same", json_integer((json_int_t)changes->counts[ROOF_NODE_SAME]));
  rf_json_set(object, "changes", list);
  return rf_json_write(object, "cluster", out, error);
}
