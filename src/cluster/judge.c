/* Which nodes stand out: robust scores of every ceiling, and what explains them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/nodes.h"
#include "core/stats.h"
#include "roofline/units.h"

/** Two runs on a quiet machine agree within ROOF_CHANGE_REPEATABLE; a deviation is never taken as less than a third of it:
 *  among nodes that are equal to the digit, the next digit is no finding. */
static const double least_deviation = ROOF_CHANGE_REPEATABLE / 3;

static double deviation_of(double *values, size_t count, double median) {
  static const double of_normal = 1.4826;
  for (size_t i = 0; i < count; i++) {
    values[i] = fabs(values[i] - median);
  }
  return of_normal * rf_stats_quantile(values, count, 0.5);
}

/** Fills a ceiling's distribution; `values` has room for all nodes. */
static void distribute(roof_nodes *nodes, size_t ceiling, double *values) {
  roof_nodes_ceiling *c = &nodes->ceilings[ceiling];
  bool is_time = rf_nodes_is_time(c->unit);
  c->count = 0;
  c->low = c->high = c->median = c->deviation = NAN;
  for (size_t i = 0; i < nodes->count; i++) {
    double value = roof_nodes_figure(nodes, i, ceiling).value;
    if (isnan(value)) {
      continue;
    }
    if (c->count == 0 || (is_time ? value > c->low : value < c->low)) {
      c->low = value;
      c->slowest = i;
    }
    c->high = c->count == 0 || (is_time ? value < c->high : value > c->high) ? value : c->high;
    values[c->count++] = value;
  }
  if (c->count > 0) {
    c->median = rf_stats_quantile(values, c->count, 0.5);
    c->deviation = c->count > 1 ? deviation_of(values, c->count, c->median) : NAN;
  }
}

/** What most nodes have: the median of a number, the commonest of words. */
typedef struct usual {
  double cores, gpus, memory_bytes, clock_hz;
  const char *governor;
} usual;

static double usual_number(const roof_nodes *nodes, size_t offset, double *values) {
  size_t count = 0;
  for (size_t i = 0; i < nodes->count; i++) {
    double value = *(const double *)(const void *)((const char *)&nodes->list[i] + offset);
    if (!isnan(value)) {
      values[count++] = value;
    }
  }
  return count >= ROOF_NODES_LEAST ? rf_stats_quantile(values, count, 0.5) : NAN;
}

/** The governor of more than half of the nodes, or "": found in one pass (Boyer and Moore), counted in another. */
static const char *usual_governor(const roof_nodes *nodes) {
  const char *candidate = "";
  size_t votes = 0, same = 0;
  for (size_t i = 0; i < nodes->count; i++) {
    candidate = votes == 0 ? nodes->list[i].governor : candidate;
    votes = strcmp(candidate, nodes->list[i].governor) == 0 ? votes + 1 : votes - 1;
  }
  for (size_t i = 0; i < nodes->count; i++) {
    same += strcmp(candidate, nodes->list[i].governor) == 0;
  }
  return nodes->count >= ROOF_NODES_LEAST && 2 * same > nodes->count ? candidate : "";
}

/** What is looked for in one node. */
typedef struct look {
  roof_nodes *nodes;
  const usual *most;
  const roof_fabric *network; /* NULL: none */
  size_t node;
  bool failed; /* out of memory */
} look;

static roof_outlier *add(look *l, roof_outlier_kind kind) {
  size_t count = l->nodes->outlier_count;
  if ((count & (count - 1)) == 0) { /* the list doubles */
    roof_outlier *more = realloc(l->nodes->outliers, (count > 0 ? 2 * count : 1) * sizeof *more);
    if (more == NULL) {
      l->failed = true;
      return NULL;
    }
    l->nodes->outliers = more;
  }
  roof_outlier *added = &l->nodes->outliers[l->nodes->outlier_count++];
  *added = (roof_outlier){.kind = kind, .node = l->node, .ceiling = -1, .score = NAN};
  return added;
}

/** What a ceiling's name says that it is of. */
typedef enum part { COMPUTE, MEMORY, DEVICE, OTHER, PARTS } part;

static part part_of(const roof_nodes_ceiling *c) {
  return strncmp(c->name, "gpu", 3) == 0  ? DEVICE
         : strcmp(c->unit, "FLOP/s") == 0 ? COMPUTE
         : strncmp(c->name, "DRAM ", 5) == 0 || strncmp(c->name, "HBM ", 4) == 0 ||
                 strncmp(c->name, "domain ", 7) == 0
             ? MEMORY
             : OTHER;
}

/** The worst of the ceilings of a part that stand out, and how many do. */
typedef struct worst {
  int ceiling;
  double score, loss;
  int count;
} worst;

/** How many deviations a figure is slower than the median; 0 where it does not stand out. */
static double score_of(const roof_nodes *nodes, size_t node, size_t ceiling, double *loss) {
  const roof_nodes_ceiling *c = &nodes->ceilings[ceiling];
  roof_node_figure f = roof_nodes_figure(nodes, node, ceiling);
  if (c->count < ROOF_NODES_LEAST || isnan(f.value)) {
    return 0;
  }
  double deviation = fmax(c->deviation, least_deviation * c->median);
  double score = (rf_nodes_is_time(c->unit) ? f.value - c->median : c->median - f.value) / deviation;
  double noise = fmax(ROOF_CHANGE_REPEATABLE, isnan(f.spread) ? 0 : f.spread);
  *loss = rf_nodes_loss(c->unit, f.value, c->median);
  return score > ROOF_NODES_SCORE && *loss > noise ? score : 0;
}

static void find_worst(const look *l, worst found[PARTS]) {
  for (int p = 0; p < PARTS; p++) {
    found[p] = (worst){.ceiling = -1};
  }
  for (size_t i = 0; i < l->nodes->ceiling_count; i++) {
    double loss = 0, score = score_of(l->nodes, l->node, i, &loss);
    worst *w = &found[part_of(&l->nodes->ceilings[i])];
    w->count += score > 0;
    if (score > 0 && loss > w->loss) {
      *w = (worst){(int)i, score, loss, w->count};
    }
  }
}

/** "DRAM read 71.2 GB/s, 30 % under the median of 101 GB/s (20 deviations)" */
static void add_evidence(const look *l, const worst *w, roof_text *out) {
  char own[48], typical[48];
  const roof_nodes_ceiling *c = &l->nodes->ceilings[w->ceiling];
  double value = roof_nodes_figure(l->nodes, l->node, (size_t)w->ceiling).value;
  roof_text_addf(out, "%s %s, %.0f %% %s the median of %s (%.1f deviations)", c->name,
                 roof_quantity_format(own, sizeof own, value, c->unit), 100 * fabs(value / c->median - 1),
                 rf_nodes_is_time(c->unit) ? "over" : "under",
                 roof_quantity_format(typical, sizeof typical, c->median, c->unit), w->score);
}

static void keep(roof_outlier *f, roof_text *evidence, look *l) {
  l->failed = l->failed || evidence->failed;
  if (f != NULL) {
    snprintf(f->evidence, sizeof f->evidence, "%s", evidence->data != NULL ? evidence->data : "");
  }
  roof_text_done(evidence);
}

static void count_finding(look *l, roof_outlier_kind kind, double own, double most) {
  if (own < most) {
    roof_text words = {0};
    roof_text_addf(&words, "%.0f, most nodes have %.0f", own, most);
    keep(add(l, kind), &words, l);
  }
}

/** What is missing or set otherwise, whether it is slower for it or not. */
static void look_at_facts(look *l) {
  const roof_node *n = &l->nodes->list[l->node];
  char own[48], most[48];
  count_finding(l, ROOF_OUTLIER_GPU, n->gpus, l->most->gpus);
  count_finding(l, ROOF_OUTLIER_CORES, n->cores, l->most->cores);
  if (n->memory_bytes < l->most->memory_bytes * (1 - ROOF_CHANGE_REPEATABLE)) {
    roof_text words = {0};
    roof_text_addf(&words, "%s, most nodes have %s",
                   roof_quantity_format(own, sizeof own, n->memory_bytes, "B"),
                   roof_quantity_format(most, sizeof most, l->most->memory_bytes, "B"));
    keep(add(l, ROOF_OUTLIER_CAPACITY), &words, l);
  }
  if (l->most->governor[0] != '\0' && n->governor[0] != '\0' && strcmp(n->governor, l->most->governor) != 0) {
    roof_text words = {0};
    roof_text_addf(&words, "%s, most nodes have %s", n->governor, l->most->governor);
    keep(add(l, ROOF_OUTLIER_GOVERNOR), &words, l);
  }
}

/** Adds what a slow ceiling is explained by. */
static void add_slow(look *l, roof_outlier_kind kind, const worst *w, const char *more) {
  roof_text words = {0};
  add_evidence(l, w, &words);
  roof_text_add(&words, more);
  roof_outlier *f = add(l, kind);
  if (f != NULL) {
    f->ceiling = w->ceiling;
    f->score = w->score;
  }
  keep(f, &words, l);
}

/** Why a node computes slowly, where its clock shows it. */
static const char *clock_words(const look *l, char *text, size_t size) {
  char own[48], most[48];
  double clock = l->nodes->list[l->node].clock_hz;
  bool lower = clock < l->most->clock_hz * (1 - ROOF_CHANGE_REPEATABLE);
  snprintf(text, size, "%s%s%s%s", lower ? "; its clock is " : "",
           lower ? roof_quantity_format(own, sizeof own, clock, "Hz") : "", lower ? ", most have " : "",
           lower ? roof_quantity_format(most, sizeof most, l->most->clock_hz, "Hz") : "");
  return text;
}

/* --- domains of memory --- */

/** The domain that a ceiling is of, "node 1"; NULL: of none, or of all together. */
static const char *domain_of(const roof_nodes_ceiling *c) {
  bool one = strncmp(c->name, RF_AT_ONCE, sizeof RF_AT_ONCE - 1) == 0 &&
             strncmp(c->name, RF_AT_ONCE_ALL, sizeof RF_AT_ONCE_ALL - 1) != 0;
  return one ? c->name + sizeof RF_AT_ONCE - 1 : NULL;
}

/** What the domains of a node reach at once; returns how many it has. */
static size_t gather_domains(const look *l, double *values, int *ceilings) {
  size_t count = 0;
  for (size_t i = 0; i < l->nodes->ceiling_count; i++) {
    double value = roof_nodes_figure(l->nodes, l->node, i).value;
    if (domain_of(&l->nodes->ceilings[i]) != NULL && !isnan(value)) {
      ceilings[count] = (int)i;
      values[count++] = value;
    }
  }
  return count;
}

/** "DRAM at once, node 1 7.000 GB/s, 30 % under the median of 10.00 GB/s of the node's 4 domains (20.0 deviations)" */
static void add_slow_domain(look *l, int ceiling, double value, double median, size_t count, double score) {
  char own[48], typical[48];
  const roof_nodes_ceiling *c = &l->nodes->ceilings[ceiling];
  roof_text words = {0};
  roof_text_addf(&words, "%s %s, %.0f %% under the median of %s of the node's %zu domains (%.1f deviations)",
                 c->name, roof_quantity_format(own, sizeof own, value, c->unit), 100 * (1 - value / median),
                 roof_quantity_format(typical, sizeof typical, median, c->unit), count, score);
  roof_outlier *f = add(l, ROOF_OUTLIER_DOMAIN);
  if (f != NULL) {
    f->ceiling = ceiling;
    f->score = score;
  }
  keep(f, &words, l);
}

/** The siblings of a node's domains are compared: all nodes may have the same slow one by design, so that where enough nodes have
 *  it they are asked instead. */
static void look_at_siblings(look *l) {
  double values[ROOF_NODES_CEILINGS], sorted[ROOF_NODES_CEILINGS];
  int ceilings[ROOF_NODES_CEILINGS];
  size_t count = gather_domains(l, values, ceilings);
  if (count < ROOF_NODES_LEAST) {
    return;
  }
  memcpy(sorted, values, count * sizeof *values);
  double median = rf_stats_quantile(sorted, count, 0.5);
  double deviation = fmax(deviation_of(sorted, count, median), least_deviation * median);
  for (size_t i = 0; i < count; i++) {
    double score = (median - values[i]) / deviation;
    bool asked = l->nodes->ceilings[ceilings[i]].count >= ROOF_NODES_LEAST;
    if (!asked && score > ROOF_NODES_SCORE && 1 - values[i] / median > ROOF_CHANGE_REPEATABLE) {
      add_slow_domain(l, ceilings[i], values[i], median, count, score);
    }
  }
}

/** Where a single domain stands out, that is what is slow, and the node as one only waits for it. */
static bool is_of_one_domain(const look *l, worst *of) {
  int count = 0;
  for (size_t i = 0; i < l->nodes->ceiling_count; i++) {
    double loss = 0,
           score = domain_of(&l->nodes->ceilings[i]) != NULL ? score_of(l->nodes, l->node, i, &loss) : 0;
    if (score > 0) {
      *of = (worst){(int)i, score, loss, ++count};
    }
  }
  return count == 1;
}

/** "; the node's other 3 domains 10.00 GB/s" */
static const char *sibling_words(const look *l, const worst *w, char *text, size_t size) {
  double values[ROOF_NODES_CEILINGS];
  int ceilings[ROOF_NODES_CEILINGS];
  char others[48];
  size_t count = gather_domains(l, values, ceilings), kept = 0;
  for (size_t i = 0; i < count; i++) {
    values[kept] = values[i];
    kept += ceilings[i] != w->ceiling;
  }
  text[0] = '\0';
  if (kept > 0) {
    snprintf(text, size, "; the node's other %zu domain%s %s", kept, kept == 1 ? "" : "s",
             roof_quantity_format(others, sizeof others, rf_stats_quantile(values, kept, 0.5), "B/s"));
  }
  return text;
}

static void add_slow_memory(look *l, const worst *w, bool computes_slowly) {
  char more[96];
  worst domain;
  if (is_of_one_domain(l, &domain)) {
    add_slow(l, ROOF_OUTLIER_DOMAIN, &domain, sibling_words(l, &domain, more, sizeof more));
  } else {
    add_slow(l, ROOF_OUTLIER_MEMORY, w, computes_slowly ? "" : "; its peaks are as those of the others");
  }
}

/** A link that the others' are faster than, between ranks and between GPUs. */
static void look_at_link(look *l, const roof_fabric *network, const char *between) {
  const roof_fabric_node *link = rf_nodes_link(network, l->nodes->list[l->node].name);
  if (link != NULL && link->slow) {
    roof_text words = {0};
    roof_text_add(&words, between);
    rf_nodes_link_evidence(network, link, &words);
    roof_outlier *f = add(l, ROOF_OUTLIER_NETWORK);
    if (f != NULL) {
      f->score = fmax(link->latency_z, link->bandwidth_z);
    }
    keep(f, &words, l);
  }
}

/* --- one node --- */

/** What is slower: of memory alone, of a GPU alone, or all of the node; the clock lowered for heat explains all. */
static void look_at_ceilings(look *l) {
  const roof_node *n = &l->nodes->list[l->node];
  worst found[PARTS];
  char more[96] = "";
  find_worst(l, found);
  bool slow = found[COMPUTE].count > 0, hot = n->throttle_events > 0;
  const worst *any = slow ? &found[COMPUTE] : found[MEMORY].count > 0 ? &found[MEMORY] : &found[OTHER];
  if (hot && any->count > 0) {
    snprintf(more, sizeof more, "; its clock was lowered for heat %.0f times", n->throttle_events);
    add_slow(l, ROOF_OUTLIER_THROTTLED, any, more);
  } else if (slow) {
    add_slow(l, ROOF_OUTLIER_NODE, &found[COMPUTE], clock_words(l, more, sizeof more));
  } else if (found[OTHER].count > 0 && found[MEMORY].count == 0) {
    add_slow(l, ROOF_OUTLIER_CEILING, &found[OTHER], "");
  }
  if (found[MEMORY].count > 0 && !(hot && any == &found[MEMORY])) {
    add_slow_memory(l, &found[MEMORY], slow);
  }
  if (found[DEVICE].count > 0) {
    add_slow(l, ROOF_OUTLIER_DEVICE, &found[DEVICE], "");
  }
}

static void look_at(look *l) {
  const roof_node *n = &l->nodes->list[l->node];
  if (n->absent[0] != '\0') {
    roof_text words = {0};
    roof_text_add(&words, n->absent);
    keep(add(l, ROOF_OUTLIER_ABSENT), &words, l);
    return;
  }
  look_at_facts(l);
  look_at_ceilings(l);
  look_at_siblings(l);
  look_at_link(l, l->network, "");
  look_at_link(l, l->network != NULL ? l->network->gpus : NULL, "between GPUs ");
}

roof_status roof_nodes_judge(roof_nodes *nodes, roof_error *error) {
  roof_fabric *network = NULL;
  double *values = calloc(nodes->count + 1, sizeof *values);
  roof_status status = values != NULL ? rf_nodes_network(nodes, &network, error)
                                      : roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
  if (status != ROOF_OK) {
    free(values);
    return status;
  }
  for (size_t i = 0; i < nodes->ceiling_count; i++) {
    distribute(nodes, i, values);
  }
  const usual most = {usual_number(nodes, offsetof(roof_node, cores), values),
                      usual_number(nodes, offsetof(roof_node, gpus), values),
                      usual_number(nodes, offsetof(roof_node, memory_bytes), values),
                      usual_number(nodes, offsetof(roof_node, clock_hz), values), usual_governor(nodes)};
  look l = {.nodes = nodes, .most = &most, .network = network};
  nodes->outlier_count = 0;
  for (; l.node < nodes->count && !l.failed; l.node++) {
    look_at(&l);
  }
  free(values);
  rf_nodes_network_free(network);
  return l.failed ? roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory") : ROOF_OK;
}
