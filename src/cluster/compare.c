/* What has changed, node by node: against an earlier run, or against the machine that each should be. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/nodes.h"
#include "roofline/stats.h"

/** Changes being gathered. */
typedef struct gather {
  roof_nodes_changes all;
  bool failed; /* out of memory */
} gather;

static void add(gather *g, const roof_node_change *change) {
  bool gates = change->verdict == ROOF_NODE_FELL || change->verdict == ROOF_NODE_MISSING;
  g->all.counts[change->verdict]++;
  if (change->verdict == ROOF_NODE_SAME) {
    return;
  }
  size_t count = g->all.count;
  bool counted = false; /* the changes of one node follow each other */
  for (size_t i = count; i-- > 0 && !counted && strcmp(g->all.list[i].node, change->node) == 0;) {
    counted = g->all.list[i].verdict == ROOF_NODE_FELL || g->all.list[i].verdict == ROOF_NODE_MISSING;
  }
  if ((count & (count - 1)) == 0) { /* the list doubles */
    roof_node_change *more = realloc(g->all.list, (count > 0 ? 2 * count : 1) * sizeof *more);
    g->failed = g->failed || more == NULL;
    if (more == NULL) {
      return;
    }
    g->all.list = more;
  }
  g->all.list[g->all.count++] = *change;
  g->all.fallen += gates && !counted;
}

static roof_node_change change_of(const char *node, const char *figure, const char *unit) {
  roof_node_change c = {.expected = NAN, .measured = NAN, .ratio = NAN, .noise = NAN};
  snprintf(c.node, sizeof c.node, "%s", node);
  snprintf(c.figure, sizeof c.figure, "%s", figure);
  snprintf(c.unit, sizeof c.unit, "%s", unit);
  return c;
}

/** Adds a figure; either may be NaN. `noise`: the share that is no change. */
static void add_figure(gather *g, const char *node, const char *figure, const char *unit, double expected,
                       double measured, double noise) {
  if (isnan(expected) && isnan(measured)) {
    return;
  }
  roof_node_change c = change_of(node, figure, unit);
  c.expected = expected;
  c.measured = measured;
  c.ratio = measured / expected;
  c.noise = noise;
  double loss = rf_nodes_loss(unit, measured, expected);
  c.verdict = isnan(expected)   ? ROOF_NODE_NEW
              : isnan(measured) ? ROOF_NODE_MISSING
              : loss > noise    ? ROOF_NODE_FELL
              : -loss > noise   ? ROOF_NODE_ROSE
                                : ROOF_NODE_SAME;
  add(g, &c);
}

static void add_words(gather *g, const char *node, const char *figure, const char *was, const char *is,
                      roof_node_verdict verdict) {
  roof_node_change c = change_of(node, figure, "");
  snprintf(c.was, sizeof c.was, "%.95s", was);
  snprintf(c.is, sizeof c.is, "%.95s", is);
  c.verdict = verdict;
  add(g, &c);
}

/* --- against an earlier run --- */

/** What nodes are and how they are set, where both runs say it. */
static void compare_facts(gather *g, const roof_node *old, const roof_node *new) {
  static const char *const facts[] = {"processor", "system", "microcode",   "governor",
                                      "cores",     "gpus",   "memory_bytes"};
  for (int i = 0; i < RF_NODE_FIELDS; i++) {
    const rf_node_field *f = &rf_node_fields[i];
    bool counts = false;
    for (size_t k = 0; k < sizeof facts / sizeof facts[0] && !counts; k++) {
      counts = strcmp(facts[k], f->key) == 0;
    }
    if (!counts) {
      continue;
    }
    if (f->size == 0) {
      add_figure(g, new->name, f->label, f->unit, rf_node_number_of(old, f), rf_node_number_of(new, f), 0);
    } else {
      const char *was = rf_node_text_of(old, f), *is = rf_node_text_of(new, f);
      if (was[0] != '\0' || is[0] != '\0') {
        add_words(g, new->name, f->label, was, is, strcmp(was, is) == 0 ? ROOF_NODE_SAME : ROOF_NODE_CHANGED);
      }
    }
  }
}

static double known(double spread) {
  return isnan(spread) ? 0 : spread;
}

static void compare_figures(gather *g, const roof_nodes *old, size_t old_node, const roof_nodes *new,
                            size_t new_node, const int *old_ceiling) {
  const char *node = new->list[new_node].name;
  for (size_t i = 0; i < new->ceiling_count; i++) {
    roof_node_figure now = roof_nodes_figure(new, new_node, i), before = {NAN, NAN};
    if (old_ceiling[i] >= 0) {
      before = roof_nodes_figure(old, old_node, (size_t)old_ceiling[i]);
    }
    double noise = fmax(ROOF_CHANGE_REPEATABLE, fmax(known(now.spread), known(before.spread)));
    add_figure(g, node, new->ceilings[i].name, new->ceilings[i].unit, before.value, now.value, noise);
  }
  for (size_t i = 0; i < old->ceiling_count; i++) {
    bool is_new = false;
    for (size_t k = 0; k < new->ceiling_count && !is_new; k++) {
      is_new = old_ceiling[k] == (int)i;
    }
    if (!is_new) {
      add_figure(g, node, old->ceilings[i].name, old->ceilings[i].unit,
                 roof_nodes_figure(old, old_node, i).value, NAN, ROOF_CHANGE_REPEATABLE);
    }
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(const roof_node *const *)a)->name, (*(const roof_node *const *)b)->name);
}

/** The nodes of a run by name, to be freed; NULL when out of memory. */
static const roof_node **sorted(const roof_nodes *nodes) {
  const roof_node **list = calloc(nodes->count + 1, sizeof *list);
  for (size_t i = 0; i < nodes->count && list != NULL; i++) {
    list[i] = &nodes->list[i];
  }
  if (list != NULL) {
    qsort(list, nodes->count, sizeof *list, by_name);
  }
  return list;
}

static const roof_node *find(const roof_node **list, size_t count, const roof_node *like) {
  const roof_node **found = bsearch(&like, list, count, sizeof *list, by_name);
  return found != NULL ? *found : NULL;
}

static void compare_node(gather *g, const roof_nodes *old, const roof_node *before, const roof_nodes *new,
                         size_t node, const int *old_ceiling) {
  const roof_node *now = &new->list[node];
  if (before == NULL) {
    add_words(g, now->name, "node", "", "measured", ROOF_NODE_NEW);
  } else if (now->absent[0] != '\0') {
    add_words(g, now->name, "node", before->absent[0] == '\0' ? "measured" : before->absent, now->absent,
              ROOF_NODE_MISSING);
  } else {
    compare_facts(g, before, now);
    compare_figures(g, old, (size_t)(before - old->list), new, node, old_ceiling);
  }
}

static roof_status finish(gather *g, roof_nodes_changes *changes, roof_error *error) {
  if (g->failed) {
    roof_nodes_changes_done(&g->all);
    return roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
  }
  *changes = g->all;
  return ROOF_OK;
}

roof_status roof_nodes_compare(const roof_nodes *old, const roof_nodes *new, roof_nodes_changes *changes,
                               roof_error *error) {
  gather g = {.failed = false};
  int old_ceiling[ROOF_NODES_CEILINGS];
  const roof_node **before = sorted(old), **now = sorted(new);
  g.failed = before == NULL || now == NULL;
  for (size_t i = 0; i < new->ceiling_count; i++) {
    old_ceiling[i] = -1;
    for (size_t k = 0; k < old->ceiling_count && old_ceiling[i] < 0; k++) {
      old_ceiling[i] = strcmp(old->ceilings[k].name, new->ceilings[i].name) == 0 ? (int)k : -1;
    }
  }
  for (size_t i = 0; i < new->count && !g.failed; i++) {
    compare_node(&g, old, find(before, old->count, &new->list[i]), new, i, old_ceiling);
  }
  for (size_t i = 0; i < old->count && !g.failed; i++) {
    if (find(now, new->count, &old->list[i]) == NULL) {
      add_words(&g, old->list[i].name, "node", "measured", "not in this run", ROOF_NODE_MISSING);
    }
  }
  free(before);
  free(now);
  return finish(&g, changes, error);
}

/* --- against a machine --- */

/** What a machine says of a ceiling: its own figure of that name, or for a whole format or level. */
typedef struct expectation {
  char name[ROOF_NAME_MAX + 32]; /**< "DRAM read", or what a node's names begin with */
  const char *unit;
  double value;
  bool whole; /**< any ceiling that begins with the name: the best counts */
} expectation;

enum { EXPECTATIONS = ROOF_PEAK_MAX + 8 * ROOF_LEVEL_MAX };

static void expect(expectation *list, size_t *count, const char *name, const char *unit, double value,
                   bool whole) {
  for (size_t i = 0; i < *count; i++) {
    if (strcmp(list[i].name, name) == 0) {
      list[i].value = fmax(list[i].value, value);
      return;
    }
  }
  if (!isnan(value) && *count < EXPECTATIONS) {
    list[*count] = (expectation){.unit = unit, .value = value, .whole = whole};
    snprintf(list[(*count)++].name, sizeof list->name, "%s", name);
  }
}

static size_t expect_machine(expectation *list, const roof_machine *m) {
  char name[sizeof list->name];
  size_t count = 0;
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *p = &m->peaks[i];
    bool own = p->kind == ROOF_MEASURED && p->isa[0] != '\0';
    if (p->cores == 0 && !p->sparse) {
      snprintf(name, sizeof name, "%s %s%s%s", roof_dtype_name(p->dtype), roof_unit_name(p->unit),
               own ? " " : "", own ? p->isa : "");
      expect(list, &count, name, "FLOP/s", p->flops_per_second, !own);
    }
  }
  for (int i = 0; i < m->level_count; i++) {
    const roof_level *l = &m->levels[i];
    roof_machine_value v;
    for (int k = 0; l->cores == 0 && roof_level_figure(l, k, &v); k++) {
      bool any = strcmp(v.key, "bytes_per_second") == 0;
      snprintf(name, sizeof name, "%s%s%s", any && l->level == ROOF_MEMORY ? "" : l->name, any ? "" : " ",
               any ? "" : v.label);
      expect(list, &count, any && l->level == ROOF_MEMORY ? "DRAM " : name, v.unit, v.value, any);
    }
  }
  return count;
}

/** The figure of a node that an expectation is of; NaN: it has none. */
static double figure_for(const roof_nodes *nodes, size_t node, const char *prefix, const expectation *e) {
  char name[sizeof e->name + 16];
  double best = NAN;
  snprintf(name, sizeof name, "%s%s", prefix, e->name);
  for (size_t i = 0; i < nodes->ceiling_count; i++) {
    const roof_nodes_ceiling *c = &nodes->ceilings[i];
    bool fits = strcmp(c->unit, e->unit) == 0 &&
                (e->whole ? strncmp(c->name, name, strlen(name)) == 0 : strcmp(c->name, name) == 0);
    double value = fits ? roof_nodes_figure(nodes, node, i).value : NAN;
    if (!isnan(value) && (isnan(best) || rf_nodes_loss(c->unit, value, best) < 0)) {
      best = value;
    }
  }
  return best;
}

/** Sets a node, or one GPU of it, against what is expected. Returns how many figures both have. */
static size_t expect_node(gather *g, const roof_nodes *nodes, size_t node, const char *prefix,
                          const expectation *list, size_t count, double tolerance) {
  size_t both = 0;
  for (size_t i = 0; i < count; i++) {
    double value = figure_for(nodes, node, prefix, &list[i]);
    if (!isnan(value)) {
      char name[sizeof list->name + 16];
      size_t length = strlen(list[i].name);
      snprintf(name, sizeof name, "%s%s", prefix, list[i].name);
      name[strlen(prefix) + length - (list[i].name[length - 1] == ' ')] = '\0';
      add_figure(g, nodes->list[node].name, name, list[i].unit, list[i].value, value, tolerance);
      both++;
    }
  }
  return both;
}

roof_status roof_nodes_expect(const roof_machine *expected, double tolerance, const roof_nodes *nodes,
                              roof_nodes_changes *changes, roof_error *error) {
  gather g = {.failed = false};
  expectation *list = calloc(EXPECTATIONS, sizeof *list);
  size_t count = list != NULL ? expect_machine(list, expected) : 0, both = 0;
  bool gpu = strcmp(expected->device_class, "gpu") == 0;
  g.failed = list == NULL;
  for (size_t i = 0; i < nodes->count && !g.failed; i++) {
    const roof_node *n = &nodes->list[i];
    char prefix[16] = "";
    if (n->absent[0] != '\0') {
      add_words(&g, n->name, "node", "measured", n->absent, ROOF_NODE_MISSING);
    }
    for (int d = 0; d < (gpu ? (int)fmax(0, known(n->gpus)) : 1) && d < ROOF_NODES_CEILINGS; d++) {
      if (gpu) {
        snprintf(prefix, sizeof prefix, "gpu%d ", d);
      }
      both += expect_node(&g, nodes, i, prefix, list, count, tolerance);
    }
  }
  free(list);
  if (both == 0 && !g.failed) {
    roof_nodes_changes_done(&g.all);
    return roof_error_set(error, ROOF_E_ARGUMENT, "cluster: %s: has no figure that a node was measured for",
                          expected->name);
  }
  return finish(&g, changes, error);
}

void roof_nodes_changes_done(roof_nodes_changes *changes) {
  free(changes->list);
  *changes = (roof_nodes_changes){0};
}
