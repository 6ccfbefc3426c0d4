/* What stands out, in words. */
#include <string.h>

#include "cluster/nodes.h"

const char *roof_outlier_name(roof_outlier_kind kind) {
  static const char *const names[] = {
#define X(symbol, name, action) name,
      ROOF_OUTLIER_MAP(X)
#undef X
  };
  return kind < ROOF_OUTLIER_KIND_COUNT ? names[kind] : "?";
}

const char *roof_outlier_action(roof_outlier_kind kind) {
  static const char *const actions[] = {
#define X(symbol, name, action) action,
      ROOF_OUTLIER_MAP(X)
#undef X
  };
  return kind < ROOF_OUTLIER_KIND_COUNT ? actions[kind] : "?";
}

/** ": node07 slow memory, node12 throttled and 3 more" */
static void add_names(const roof_nodes *nodes, roof_text *out) {
  enum { MOST = 3 };
  size_t shown = nodes->outlier_count > MOST ? MOST : nodes->outlier_count;
  for (size_t i = 0; i < shown; i++) {
    const roof_outlier *f = &nodes->outliers[i];
    roof_text_addf(out, "%s%s %s", i == 0 ? ": " : ", ", nodes->list[f->node].name,
                   roof_outlier_name(f->kind));
  }
  if (nodes->outlier_count > shown) {
    roof_text_addf(out, " and %zu more", nodes->outlier_count - shown);
  }
}

void roof_nodes_sentence(const roof_nodes *nodes, roof_text *out) {
  size_t odd = 0, measured = 0;
  for (size_t i = 0; i < nodes->outlier_count; i++) {
    odd += i == 0 || nodes->outliers[i].node != nodes->outliers[i - 1].node;
  }
  for (size_t i = 0; i < nodes->count; i++) {
    measured += nodes->list[i].absent[0] == '\0';
  }
  roof_text_addf(out, "%zu node%s", nodes->count, nodes->count == 1 ? "" : "s");
  if (odd > 0) {
    roof_text_addf(out, ", %zu stand%s out", odd, odd == 1 ? "s" : "");
    add_names(nodes, out);
  } else if (measured < ROOF_NODES_LEAST) {
    roof_text_addf(out, ": too few to say whether one stands out, which takes %d", ROOF_NODES_LEAST);
  } else {
    roof_text_add(out, ", none stands out");
  }
}
