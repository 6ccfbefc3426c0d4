/* A cluster that trains by data parallelism: all-reduces by route, the number of devices at which they take
 * as long as the computation, ZeRO, the pipeline's bubble. */
#include <math.h>

#include "models/step.h"
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

/** By the operation `allreduce`, algorithm 0 (ring) or 1 (tree). */
static double one_link(const roof_link *link, int algorithm, double bytes, double ranks) {
  const roof_op *op = NULL;
  if (ranks <= 1 || roof_op_find("allreduce", &op, NULL) != ROOF_OK) {
    return 0;
  }
  roof_work w;
  return rf_model_transfer_seconds(op, link, (double[3]){bytes, ranks, algorithm}, &w);
}

double roof_cluster_all_reduce(const roof_cluster *c, roof_route route, double bytes, double devices) {
  enum { RING, TREE };
  const roof_link *in = &c->links[ROOF_SPAN_NODE], *between = &c->links[ROOF_SPAN_CLUSTER];
  if (route != ROOF_ROUTE_HIERARCHY) {
    return one_link(devices > c->node ? between : in, route == ROOF_ROUTE_TREE ? TREE : RING, bytes, devices);
  }
  double local = fmin(devices, c->node);
  return one_link(in, RING, bytes, local) + one_link(between, RING, bytes / local, devices / local);
}

double roof_cluster_compute(const roof_cluster *c, double devices) {
  return 6 * c->parameters * c->tokens / devices / c->flops_per_second;
}

double roof_cluster_intensity(const roof_cluster *c, double devices) {
  return 3 * c->tokens / ((devices - 1) * c->gradient_bytes);
}

double roof_cluster_split_width(const roof_link *link, double flops_per_second, double bytes) {
  return bytes * flops_per_second / link->bytes_per_second;
}

/** Transfer less the share of the computation. */
static double excess(const roof_cluster *c, roof_route route, double share, double devices) {
  return roof_cluster_all_reduce(c, route, c->parameters * c->gradient_bytes, devices) -
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
  /* Where a node is full, the time jumps: the next device is the first of the other side. */
  double whole = round(high);
  return fabs(high - whole) <= 1e-6 * high && excess(c, route, share, whole) < 0 ? whole + 1 : high;
}

/* Bytes of a parameter: weights and gradients in 16 bits; weights, momentum and variance in 32. */
static const double weights = 2, gradients = 2, optimizer = 12;

double roof_zero_bytes(int stage, double n) {
  if (stage < 0 || stage > 3) {
    return NAN;
  }
  return weights / (stage >= 3 ? n : 1) + gradients / (stage >= 2 ? n : 1) + optimizer / (stage >= 1 ? n : 1);
}

double roof_zero_traffic(int stage, double n) {
  if (stage < 0 || stage > 3) {
    return NAN;
  }
  return (n - 1) / n * (gradients + (stage == 3 ? 2 : 1) * weights);
}

double roof_pipeline_bubble(double stages, double microbatches) {
  return (stages - 1) / (microbatches + stages - 1);
}
