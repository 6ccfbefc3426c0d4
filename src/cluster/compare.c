/* What has changed, node by node: against an earlier run, or against the machine that each should be. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/nodes.h"
#include "core/known.h"
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
  static const struct {
    const char *key;
    double noise; /* what a kernel keeps for itself varies from boot to boot */
  } facts[] = {{"processor", 0},
               {"system", 0},
               {"microcode", 0},
               {"governor", 0},
               {"cores", 0},
               {"gpus", 0},
               {"memory_bytes", ROOF_CHANGE_REPEATABLE}};
  enum { FACTS = sizeof facts / sizeof facts[0] };
  for (int i = 0; i < RF_NODE_FIELDS; i++) {
    const rf_node_field *f = &rf_node_fields[i];
    size_t fact = 0;
    while (fact < FACTS && strcmp(facts[fact].key, f->key) != 0) {
      fact++;
    }
    if (fact == FACTS) {
      continue;
    }
    if (f->size == 0) {
      add_figure(g, new->name, f->label, f->unit, rf_node_number_of(old, f), rf_node_number_of(new, f),
                 facts[fact].noise);
    } else {
      const char *was = rf_node_text_of(old, f), *is = rf_node_text_of(new, f);
      if (was[0] != '\0' || is[0] != '\0') {
        add_words(g, new->name, f->label, was, is, strcmp(was, is) == 0 ? ROOF_NODE_SAME : ROOF_NODE_CHANGED);
      }
    }
  }
}

/** The two runs, which of the old ceilings each new one is (-1: none), and their networks, where both have one. */
typedef struct runs {
  const roof_nodes *old, *new;
  int old_ceiling[ROOF_NODES_CEILINGS];
  roof_fabric *old_network, *new_network;
} runs;

static roof_status pair_runs(runs *r, roof_error *error) {
  for (size_t i = 0; i < r->new->ceiling_count; i++) {
    r->old_ceiling[i] = -1;
    for (size_t k = 0; k < r->old->ceiling_count && r->old_ceiling[i] < 0; k++) {
      r->old_ceiling[i] = strcmp(r->old->ceilings[k].name, r->new->ceilings[i].name) == 0 ? (int)k : -1;
    }
  }
  roof_status status = rf_nodes_network(r->old, &r->old_network, error);
  return status == ROOF_OK && r->old_network != NULL ? rf_nodes_network(r->new, &r->new_network, error)
                                                     : status;
}

static void runs_done(runs *r) {
  rf_nodes_network_free(r->old_network);
  rf_nodes_network_free(r->new_network);
}

static void compare_figures(gather *g, const runs *r, size_t old_node, size_t new_node) {
  const roof_nodes *old = r->old, *new = r->new;
  const char *node = new->list[new_node].name;
  for (size_t i = 0; i < new->ceiling_count; i++) {
    roof_node_figure now = roof_nodes_figure(new, new_node, i), before = {NAN, NAN};
    if (r->old_ceiling[i] >= 0) {
      before = roof_nodes_figure(old, old_node, (size_t)r->old_ceiling[i]);
    }
    double noise = fmax(ROOF_CHANGE_REPEATABLE, fmax(rf_known(now.spread), rf_known(before.spread)));
    add_figure(g, node, new->ceilings[i].name, new->ceilings[i].unit, before.value, now.value, noise);
  }
  for (size_t i = 0; i < old->ceiling_count; i++) {
    bool is_new = false;
    for (size_t k = 0; k < new->ceiling_count && !is_new; k++) {
      is_new = r->old_ceiling[k] == (int)i;
    }
    if (!is_new) {
      add_figure(g, node, old->ceilings[i].name, old->ceilings[i].unit,
                 roof_nodes_figure(old, old_node, i).value, NAN, ROOF_CHANGE_REPEATABLE);
    }
  }
}

/** A node's messages to the others, of a network that both runs measured. */
static void compare_links(gather *g, const char *node, const roof_fabric *old, const roof_fabric *new,
                          const char *between) {
  if (old == NULL || new == NULL) {
    return;
  }
  static const roof_fabric_node none = {.latency_seconds = NAN, .bytes_per_second = NAN};
  const roof_fabric_node *before = rf_nodes_link(old, node), *now = rf_nodes_link(new, node);
  char name[32];
  before = before != NULL ? before : &none;
  now = now != NULL ? now : &none;
  snprintf(name, sizeof name, "network%s latency", between);
  add_figure(g, node, name, "s", before->latency_seconds, now->latency_seconds, ROOF_FABRIC_NEGLIGIBLE);
  snprintf(name, sizeof name, "network%s bandwidth", between);
  add_figure(g, node, name, "B/s", before->bytes_per_second, now->bytes_per_second, ROOF_FABRIC_NEGLIGIBLE);
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

static const char *state_of(const roof_node *node) {
  return node->absent[0] == '\0' ? "measured" : node->absent;
}

static void compare_node(gather *g, const runs *r, const roof_node *before, size_t node) {
  const roof_node *now = &r->new->list[node];
  if (before == NULL) {
    add_words(g, now->name, "node", "", "measured", ROOF_NODE_NEW);
  } else if (now->absent[0] != '\0') {
    add_words(g, now->name, "node", state_of(before), now->absent,
              strcmp(before->absent, now->absent) == 0 ? ROOF_NODE_SAME : ROOF_NODE_MISSING);
  } else {
    const roof_fabric *was = r->old_network, *is = r->new_network;
    compare_facts(g, before, now);
    compare_figures(g, r, (size_t)(before - r->old->list), node);
    compare_links(g, now->name, was, is, "");
    compare_links(g, now->name, was != NULL ? was->gpus : NULL, is != NULL ? is->gpus : NULL,
                  " between GPUs");
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
  runs r = {.old = old, .new = new};
  const roof_node **before = sorted(old), **now = sorted(new);
  roof_status status = pair_runs(&r, error);
  g.failed = before == NULL || now == NULL;
  for (size_t i = 0; i < new->count && !g.failed; i++) {
    compare_node(&g, &r, find(before, old->count, &new->list[i]), i);
  }
  for (size_t i = 0; i < old->count && !g.failed; i++) {
    if (find(now, new->count, &old->list[i]) == NULL) {
      add_words(&g, old->list[i].name, "node", state_of(&old->list[i]), "not in this run", ROOF_NODE_MISSING);
    }
  }
  free(before);
  free(now);
  runs_done(&r);
  g.failed = g.failed || status != ROOF_OK; /* only memory can be short */
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

static bool fits(const roof_nodes_ceiling *c, const char *prefix, const expectation *e) {
  char name[sizeof e->name + 16];
  snprintf(name, sizeof name, "%s%s", prefix, e->name);
  return strcmp(c->unit, e->unit) == 0 &&
         (e->whole ? strncmp(c->name, name, strlen(name)) == 0 : strcmp(c->name, name) == 0);
}

/** The figure of a node that an expectation is of; NaN: it has none. */
static double figure_for(const roof_nodes *nodes, size_t node, const char *prefix, const expectation *e) {
  double best = NAN;
  for (size_t i = 0; i < nodes->ceiling_count; i++) {
    const roof_nodes_ceiling *c = &nodes->ceilings[i];
    double value = fits(c, prefix, e) ? roof_nodes_figure(nodes, node, i).value : NAN;
    if (!isnan(value) && (isnan(best) || rf_nodes_loss(c->unit, value, best) < 0)) {
      best = value;
    }
  }
  return best;
}

/** Sets a node, or one GPU of it, against what is expected: what it has no figure of is missing. */
static void expect_node(gather *g, const roof_nodes *nodes, size_t node, const char *prefix,
                        const expectation *list, size_t count, double tolerance) {
  for (size_t i = 0; i < count; i++) {
    char name[sizeof list->name + 16];
    size_t length = strlen(list[i].name);
    snprintf(name, sizeof name, "%s%s", prefix, list[i].name);
    name[strlen(prefix) + length - (list[i].name[length - 1] == ' ')] = '\0';
    add_figure(g, nodes->list[node].name, name, list[i].unit, list[i].value,
               figure_for(nodes, node, prefix, &list[i]), tolerance);
  }
}

/** The devices of a node that a machine is compared with: its processors are one, of GPUs as many as any node has. */
typedef struct devices {
  bool gpus;
  int count;
} devices;

static devices devices_of(const roof_machine *expected, const roof_nodes *nodes) {
  devices d = {.gpus = strcmp(expected->device_class, "gpu") == 0, .count = 1};
  double most = 0;
  for (size_t i = 0; i < nodes->count; i++) {
    most = fmax(most, rf_known(nodes->list[i].gpus));
  }
  d.count = d.gpus ? (int)fmin(most, ROOF_NODES_CEILINGS) : d.count;
  return d;
}

static const char *prefix_of(const devices *d, int device, char prefix[16]) {
  prefix[0] = '\0';
  if (d->gpus) {
    snprintf(prefix, 16, "gpu%d ", device);
  }
  return prefix;
}

/** Keeps the expectations that some node has a figure of, each ceiling being of one; the others were not measured. */
static size_t keep_measured(expectation *list, size_t count, const devices *d, const roof_nodes *nodes) {
  char prefix[16];
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    bool measured = false;
    for (int k = 0; k < d->count && !measured; k++) {
      prefix_of(d, k, prefix);
      for (size_t c = 0; c < nodes->ceiling_count && !measured; c++) {
        measured = fits(&nodes->ceilings[c], prefix, &list[i]);
      }
    }
    list[kept] = list[i];
    kept += measured;
  }
  return kept;
}

roof_status roof_nodes_expect(const roof_machine *expected, double tolerance, const roof_nodes *nodes,
                              roof_nodes_changes *changes, roof_error *error) {
  gather g = {.failed = false};
  expectation *list = calloc(EXPECTATIONS, sizeof *list);
  const devices d = devices_of(expected, nodes);
  char prefix[16];
  size_t count = list != NULL ? keep_measured(list, expect_machine(list, expected), &d, nodes) : 0;
  g.failed = list == NULL;
  for (size_t i = 0; i < nodes->count && count > 0; i++) {
    const roof_node *n = &nodes->list[i];
    if (n->absent[0] != '\0') {
      add_words(&g, n->name, "node", "measured", n->absent, ROOF_NODE_MISSING);
      continue;
    }
    for (int k = 0; k < d.count && !g.failed; k++) {
      expect_node(&g, nodes, i, prefix_of(&d, k, prefix), list, count, tolerance);
    }
  }
  free(list);
  if (count == 0 && !g.failed) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "cluster: %s: has no figure that a node was measured for",
                          expected->name);
  }
  return finish(&g, changes, error);
}

void roof_nodes_changes_done(roof_nodes_changes *changes) {
  free(changes->list);
  *changes = (roof_nodes_changes){0};
}
