/* A cluster that trains by data parallelism: all-reduces by route, the number of devices at which they take
 * as long as the computation, ZeRO, the pipeline's bubble. */
#include <math.h>

#include "core/link.h"
#include "models/step.h"
#include "ops/values.h"
#include "roofline/ops.h"
#include "roofline/plan.h"

typedef struct route_row {
  const char *name, *text;
} route_row;

static const route_row routes[ROOF_ROUTE_COUNT] = {
#define ROW(symbol, name, text) [symbol] = {name, text},
    ROOF_ROUTE_MAP(ROW)
#undef ROW
};

const char *roof_route_name(roof_route route, const char **text) {
  bool known = (unsigned)route < ROOF_ROUTE_COUNT;
  if (text != NULL) {
    *text = known ? routes[route].text : "?";
  }
  return known ? routes[route].name : "?";
}

/** Seconds of an all-reduce over one link by the operation's algorithm. Of the ranks, `neighbours` share what a host
 * has of the link. */
static double one_link(const roof_cluster *c, const roof_link *link, int algorithm, double bytes,
                       double ranks, double neighbours) {
  const roof_op *op = NULL;
  roof_work w;
  if (ranks <= 1 || neighbours <= 1 || roof_op_find("allreduce", &op, NULL) != ROOF_OK) {
    return 0;
  }
  return rf_model_shared_seconds(c->target, op, link, (double[3]){bytes, ranks, algorithm}, neighbours, &w);
}

/** One ring or tree over all devices passes as many bytes in the nodes as between them, at the pace of the slower link.
 * Each device sends what the one before it sent: no switch adds. */
static double in_one(const roof_cluster *c, int algorithm, double bytes, double devices) {
  roof_link links[ROOF_SPAN_COUNT] = {c->links[ROOF_SPAN_NODE], c->links[ROOF_SPAN_CLUSTER]};
  links[ROOF_SPAN_NODE].reduces = links[ROOF_SPAN_CLUSTER].reduces = false;
  double within = one_link(c, &links[ROOF_SPAN_NODE], algorithm, bytes, devices, fmin(devices, c->node));
  return devices > c->node
             ? fmax(within, one_link(c, &links[ROOF_SPAN_CLUSTER], algorithm, bytes, devices, devices))
             : within;
}

/** Seconds of a part of an all-reduce: its messages, which wait for one another, and its bytes, which go in pieces. */
typedef struct part {
  double messages, bytes;
} part;

static part part_of(const roof_cluster *c, const roof_link *link, int algorithm, double bytes, double ranks) {
  static const double hardly_any = 1e-9; /* no exchange is of 0 bytes */
  double messages = one_link(c, link, algorithm, hardly_any, ranks, ranks);
  return (part){messages, one_link(c, link, algorithm, bytes, ranks, ranks) - messages};
}

/** The faster algorithm of an all-reduce between nodes, as plans of models have it. */
static int faster(const roof_cluster *c, const roof_link *link, double bytes, double nodes) {
  const roof_op *op = NULL;
  return roof_op_find("allreduce", &op, NULL) == ROOF_OK
             ? rf_model_faster(c->target, op, link, bytes, nodes, false)
             : 0;
}

/** Of the nodes' ports those of the node with the fewest devices pass the most: they share all of the sum. */
static double all_reduce(const roof_cluster *c, roof_route route, double bytes, double devices,
                         const model_nodes *nodes) {
  if (route != ROOF_ROUTE_HIERARCHY) {
    return in_one(c, route == ROOF_ROUTE_TREE ? RF_TREE : RF_RING, bytes, devices);
  }
  const roof_link *near = &c->links[ROOF_SPAN_NODE], *far = &c->links[ROOF_SPAN_CLUSTER];
  part within = part_of(c, near, RF_RING, bytes, nodes->local);
  part across =
      part_of(c, far, faster(c, far, bytes / nodes->least, nodes->count), bytes / nodes->least, nodes->count);
  /* in pieces: while one is between the nodes, the next is in them */
  return within.messages + across.messages + fmax(within.bytes, across.bytes);
}

double roof_cluster_all_reduce(const roof_cluster *c, roof_route route, double bytes, double devices) {
  model_nodes nodes = rf_model_nodes(devices, fmin(devices, c->node));
  return all_reduce(c, route, bytes, devices, &nodes);
}

static double active(const roof_cluster *c) {
  return c->active_parameters > 0 ? c->active_parameters : c->parameters;
}

double roof_cluster_compute(const roof_cluster *c, double devices) {
  return 6 * active(c) * c->tokens / devices / c->flops_per_second;
}

double roof_cluster_intensity(const roof_cluster *c, double devices) {
  return 3 * c->tokens * (active(c) / c->parameters) / ((devices - 1) * c->gradient_bytes);
}

double roof_cluster_split_width(const roof_link *link, double flops_per_second, double bytes) {
  return bytes * flops_per_second / link->bytes_per_second;
}

/** Transfer less the share of the computation. Nodes are full, though that takes a part of one: a node that fills up has
 * more ports with each device, and the times between would fall. */
static double excess(const roof_cluster *c, roof_route route, double share, double devices) {
  double local = fmin(devices, c->node);
  model_nodes full = {local, devices / local, local};
  return all_reduce(c, route, c->parameters * c->gradient_bytes, devices, &full) -
         share * roof_cluster_compute(c, devices);
}

double roof_cluster_limit(const roof_cluster *c, roof_route route, double share) {
  double low = 1, high = 1e12;
  double far = excess(c, route, share, high);
  if (isnan(far) || far < 0) {
    return isnan(far) ? NAN : INFINITY;
  }
  for (int i = 0; i < 200 && high - low > 1e-9 * low; i++) {
    double middle = sqrt(low * high);
    *(excess(c, route, share, middle) < 0 ? &low : &high) = middle;
  }
  /* Where a node is full, the time jumps: the next device is the first of the other side, and no part of it is one. */
  if (high > c->node && high < c->node + 1) {
    return c->node + 1;
  }
  double whole = round(high);
  return fabs(high - whole) <= 1e-6 * high && excess(c, route, share, whole) < 0 ? whole + 1 : high;
}

/* Bytes of a parameter: weights and usual gradients in 16 bits; weights, momentum and variance in 32. */
static const double weights = 2, usual_gradients = 2, optimizer = 12;

static double zero_bytes(int stage, double gradients, double n) {
  return weights / (stage >= 3 ? n : 1) + gradients / (stage >= 2 ? n : 1) + optimizer / (stage >= 1 ? n : 1);
}

/** Gradients are summed in parts; then their sums are gathered or, where each device has updated its part, the weights. */
static double zero_traffic(int stage, double gradients, double n) {
  double gathered = stage == 0 ? gradients : stage == 3 ? 2 * weights : weights;
  return (n - 1) / n * (gradients + gathered);
}

double roof_zero_bytes(int stage, double n) {
  return stage < 0 || stage > 3 ? NAN : zero_bytes(stage, usual_gradients, n);
}

double roof_zero_traffic(int stage, double n) {
  return stage < 0 || stage > 3 ? NAN : zero_traffic(stage, usual_gradients, n);
}

double roof_pipeline_bubble(double stages, double microbatches) {
  return (stages - 1) / (microbatches + stages - 1);
}

static void add_link(roof_cluster_answer *a, const roof_link *l) {
  enum { SPLIT_BYTES = 2 };
  double rate = a->cluster.flops_per_second, both = l->both_ways_bytes_per_second;
  both = isnan(both) ? 2 * l->bytes_per_second : both;
  a->links[a->link_count++] =
      (roof_cluster_link){.name = l->name,
                          .source = l->source,
                          .bytes_per_second = l->bytes_per_second,
                          .flops_per_byte = rate / l->bytes_per_second,
                          .flops_per_byte_both_ways = rate / both,
                          .split_width = roof_cluster_split_width(l, rate, SPLIT_BYTES)};
}

/** Of a step's computation: gradients by weights and by activations, each as long as the forward pass. */
static const double backward_share = 2.0 / 3;

static roof_cluster_route route_of(const roof_cluster_answer *a, roof_route route, double devices) {
  const roof_cluster *c = &a->cluster;
  roof_cluster_route r = {.seconds = roof_cluster_all_reduce(c, route, a->buffer_bytes, devices)};
  r.name = roof_route_name(route, &r.text);
  r.bus_bytes_per_second = devices > 1 ? 2 * (devices - 1) / devices * a->buffer_bytes / r.seconds : NAN;
  r.gradient_seconds = roof_cluster_all_reduce(c, route, c->parameters * c->gradient_bytes, devices);
  r.exposed_seconds =
      r.gradient_seconds <= a->backward_seconds ? 0 : r.gradient_seconds - a->backward_seconds;
  r.devices_limit = roof_cluster_limit(c, route, 1);
  r.devices_limit_backward = roof_cluster_limit(c, route, backward_share);
  return r;
}

static roof_cluster_zero zero_of(const roof_cluster *c, int stage, double devices, double capacity) {
  double held = zero_bytes(stage, c->gradient_bytes, devices);
  return (roof_cluster_zero){.stage = stage,
                             .bytes_per_parameter = held,
                             .bytes = held * c->parameters,
                             .sent_bytes = zero_traffic(stage, c->gradient_bytes, devices) * c->parameters,
                             .fits = !(held * c->parameters > capacity)};
}

static double node_of(const roof_target *t, const roof_cluster_settings *s) {
  return isnan(s->node) ? roof_node_devices(t->machine) : s->node;
}

/** Refuses a node of more devices than a link joins. */
static roof_status check_node(const roof_target *t, const roof_cluster_settings *s, roof_error *error) {
  double node = fmin(s->devices, node_of(t, s)), most = rf_link_most(t);
  const char *asked = t->options.link;
  if (node <= 1 || roof_target_link(t, node) != NULL) {
    return ROOF_OK;
  }
  return most > 1 || asked != NULL
             ? roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "%s: node=%.0f: %s%s at most %.0f device%s; those of other nodes are joined by "
                              "--network",
                              t->machine->name, node, asked != NULL ? asked : "its links",
                              asked != NULL ? " joins" : " join", most, most > 1 ? "s" : "")
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "%s: its file has no link to other devices; with node=1 --network joins them",
                              t->machine->name);
}

static void fill_answer(const roof_target *t, const roof_cluster_settings *s, roof_cluster_answer *a) {
  const roof_link *between = s->network != NULL ? s->network : &roof_network_at(0)->link;
  roof_cluster *c = &a->cluster;
  *a = (roof_cluster_answer){.link_count = 0};
  *c = (roof_cluster){.target = t,
                      .node = node_of(t, s),
                      .flops_per_second = 1 / t->seconds_per_flop[ROOF_MATRIX],
                      .parameters = s->parameters,
                      .active_parameters = s->active_parameters,
                      .tokens = s->tokens,
                      .gradient_bytes = s->gradient_bytes};
  const roof_link *near = roof_target_link(t, fmin(s->devices, c->node));
  if (near != NULL) {
    c->links[ROOF_SPAN_NODE] = roof_link_complete(near, false);
  }
  c->links[ROOF_SPAN_CLUSTER] = roof_link_complete(between, true);
  for (int i = 0; i < t->machine->link_count; i++) {
    add_link(a, &t->machine->links[i]);
  }
  add_link(a, &c->links[ROOF_SPAN_CLUSTER]);
  a->buffer_bytes = isnan(s->buffer_bytes) ? s->parameters * s->gradient_bytes : s->buffer_bytes;
  a->compute_seconds = roof_cluster_compute(c, s->devices);
  a->backward_seconds = backward_share * a->compute_seconds;
  for (int i = 0; i < ROOF_ROUTE_COUNT; i++) {
    a->routes[i] = route_of(a, (roof_route)i, s->devices);
  }
  for (int i = 0; i < ROOF_ZERO_STAGES; i++) {
    a->zero[i] = zero_of(c, i, s->devices, t->capacity);
  }
  a->flops_per_byte_sent = roof_cluster_intensity(c, s->devices);
  a->bubble = roof_pipeline_bubble(s->stages, s->microbatches);
}

roof_status roof_cluster_answer_of(const roof_target *t, const roof_cluster_settings *s,
                                   roof_cluster_answer *answer, roof_error *error) {
  roof_status status = rf_cluster_settings_check(s, error);
  status = status == ROOF_OK ? roof_target_supports(t, ROOF_MATRIX, error) : status;
  status = status == ROOF_OK ? check_node(t, s, error) : status;
  status = status == ROOF_OK ? rf_model_network_check(s->network, s->devices, node_of(t, s), error) : status;
  if (status == ROOF_OK) {
    fill_answer(t, s, answer);
  }
  return status;
}
