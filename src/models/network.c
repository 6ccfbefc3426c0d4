/* Links by name, latencies that datasheets leave out, and the faster algorithm of a collective.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/form.h"
#include "core/letters.h"
#include "core/link.h"
#include "core/work.h"
#include "models/step.h"
#include "roofline/effects.h"
#include "roofline/plan.h"
#include "roofline/text.h"

/* One message's latency: NCCL's own model of it (src/graph/tuning.cc, hwLat, ring, protocol LL). */
#define LATENCY_SOURCE "latency assumed: NVIDIA/nccl@b6475625 src/graph/tuning.cc (hwLat, ring LL)"
static const double network_latency = 2.7e-6;

#define NETWORK(short_name, long_name, rate, origin)                                                         \
  {                                                                                                          \
    .id = short_name, .link = {                                                                              \
      .name = long_name,                                                                                     \
      .kind = ROOF_DATASHEET,                                                                                \
      .bytes_per_second = (rate),                                                                            \
      .both_ways_bytes_per_second = 2 * (rate),                                                              \
      .latency_seconds = NAN,                                                                                \
      .count = 1,                                                                                            \
      .source = origin                                                                                       \
    }                                                                                                        \
  }

#define IBTA "InfiniBand Trade Association: rate of a port of 4 lanes"
#define IEEE "IEEE 802.3: rate of a port"

static const roof_network networks[] = {
    NETWORK("ndr", "InfiniBand NDR", 50e9, IBTA),       NETWORK("edr", "InfiniBand EDR", 12.5e9, IBTA),
    NETWORK("hdr", "InfiniBand HDR", 25e9, IBTA),       NETWORK("xdr", "InfiniBand XDR", 100e9, IBTA),
    NETWORK("100gbe", "100 Gb Ethernet", 12.5e9, IEEE), NETWORK("200gbe", "200 Gb Ethernet", 25e9, IEEE),
    NETWORK("400gbe", "400 Gb Ethernet", 50e9, IEEE),   NETWORK("800gbe", "800 Gb Ethernet", 100e9, IEEE),
};

enum { NETWORK_COUNT = sizeof networks / sizeof networks[0] };

const roof_network *roof_network_at(int index) {
  return index >= 0 && index < NETWORK_COUNT ? &networks[index] : NULL;
}

roof_status roof_network_find(const char *name, const roof_machine *machine, const roof_link **link,
                              roof_error *error) {
  const char *ids[NETWORK_COUNT + 1] = {NULL};
  for (int i = 0; machine != NULL && i < machine->link_count; i++) {
    if (rf_letters_compare(machine->links[i].name, name) == 0) {
      *link = &machine->links[i];
      return ROOF_OK;
    }
  }
  for (int i = 0; i < NETWORK_COUNT; i++) {
    ids[i] = networks[i].id;
    if (rf_letters_compare(ids[i], name) == 0 || rf_letters_compare(networks[i].link.name, name) == 0) {
      *link = &networks[i].link;
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "network", name, ids, NULL);
}

roof_link roof_link_complete(const roof_link *link, bool between_nodes) {
  roof_link l = *link;
  l.between_nodes = between_nodes;
  if (isnan(l.latency_seconds)) {
    size_t used = strlen(l.source);
    l.latency_seconds = between_nodes ? network_latency : rf_link_latency(&l);
    snprintf(l.source + used, sizeof l.source - used, "%s%s", used > 0 ? "; " : "", LATENCY_SOURCE);
  }
  return l;
}

double roof_node_devices(const roof_machine *machine) {
  double widest = MODEL_USUAL_NODE, host = 0;
  for (int i = 0; i < machine->link_count; i++) {
    const roof_link *l = &machine->links[i];
    bool pci = strncmp(l->name, "PCIe", strlen("PCIe")) == 0;
    widest = fmax(widest, l->joins);
    host = pci ? fmax(host, l->joins) : host;
  }
  return widest > host ? widest : MODEL_USUAL_NODE;
}

double rf_model_node(const roof_model_settings *s, const roof_machine *machine) {
  return isnan(s->node) ? roof_node_devices(machine) : s->node;
}

const roof_link *rf_model_network(const roof_model_settings *s) {
  return s->network != NULL ? s->network : &networks[0].link;
}

/** A measured cluster's was not asked for by name, and its stragglers count in one node as well. */
roof_status rf_model_network_check(const roof_link *network, double devices, double node, roof_error *error) {
  return network != NULL && network->kind != ROOF_MEASURED && devices <= node
             ? roof_error_set(
                   error, ROOF_E_ARGUMENT,
                   "--network: has no effect: all devices are in one node, whose size is node=%.0f", node)
             : ROOF_OK;
}

model_nodes rf_model_nodes(double ranks, double local) {
  double count = ceil(ranks / local);
  return (model_nodes){local, count, ranks - (count - 1) * local};
}

double rf_model_transfer_seconds(const roof_target *target, const roof_op *op, const roof_link *link,
                                 const double values[3], roof_work *work) {
  return rf_model_shared_seconds(target, op, link, values, 0, work);
}

double rf_model_shared_seconds(const roof_target *target, const roof_op *op, const roof_link *link,
                               const double values[3], double neighbours, roof_work *work) {
  roof_types types = target != NULL ? target->types : roof_types_of(ROOF_BF16);
  double all[ROOF_PARAM_MAX] = {values[0], values[1], values[2]};
  roof_prediction p;
  roof_work_init(work);
  op->work(op, all, &types, work);
  work->kernel.count = neighbours > 0 ? neighbours : work->kernel.count;
  if (target == NULL) {
    return rf_link_seconds(link, work);
  }
  roof_predict_transfer(target, link, work, &p);
  return p.expected_seconds;
}

/** Names of the algorithms of a collective, NULL after the last; a transfer between two has none. */
static const char *algorithm_at(const roof_op *op, int i) {
  bool has = roof_op_param_count(op) > RF_ALGORITHM && i < ROOF_CHOICE_MAX;
  return has ? op->params[RF_ALGORITHM].choices[i] : NULL;
}

/** What compares the algorithms of a transfer: its form's time, or what link and messages take. */
static double transfer_seconds(const roof_target *target, const roof_op *op, const roof_link *link,
                               const double values[3]) {
  const roof_form *form = target != NULL ? &target->forms[ROOF_KERNEL_COLLECTIVE] : NULL;
  roof_types types = target != NULL ? target->types : roof_types_of(ROOF_BF16);
  double all[ROOF_PARAM_MAX] = {values[0], values[1], values[2]};
  roof_prediction p;
  rf_work_init(&p.work);
  op->work(op, all, &types, &p.work);
  p.link = link;
  p.compute_seconds = p.memory_seconds = 0;
  return form != NULL && form->known ? roof_effects_seconds(target, &p, form->values)
                                     : rf_link_seconds(link, &p.work);
}

/** Engines add directly in place of a tree, which is no faster within a node. */
static int second_of(const roof_op *op, bool engine) {
  return engine && algorithm_at(op, RF_DIRECT) != NULL ? RF_DIRECT : RF_TREE;
}

int rf_model_faster(const roof_target *target, const roof_op *op, const roof_link *link, double bytes,
                    double ranks, bool engine) {
  const int tried[] = {RF_RING, second_of(op, engine)};
  double best = INFINITY;
  int fastest = 0;
  for (int n = 0; n < 2 && (n == 0 || algorithm_at(op, tried[n]) != NULL); n++) {
    int i = tried[n];
    double seconds = transfer_seconds(target, op, link, (double[3]){bytes, ranks, i});
    if (!(seconds >= best)) {
      best = seconds;
      fastest = i;
    }
  }
  return fastest;
}

double roof_collective_seconds(const roof_target *target, const roof_op *op, const roof_link *link,
                               double bytes, double ranks, const char **algorithm, roof_work *work) {
  int fastest = rf_model_faster(target, op, link, bytes, ranks, false);
  bool constants = target != NULL && target->forms[ROOF_KERNEL_COLLECTIVE].known;
  bool some = roof_op_param_count(op) <= RF_RANKS || ranks >= 1;
  *algorithm = algorithm_at(op, fastest);
  double seconds = rf_model_transfer_seconds(target, op, link, (double[3]){bytes, ranks, fastest}, work);
  return some && (constants || !isnan(link->latency_seconds)) ? seconds : NAN;
}
