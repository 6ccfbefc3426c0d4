/* What the network's part of a cluster's file says of each node. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/nodes.h"
#include "core/stats.h"
#include "roofline/units.h"

roof_status rf_nodes_network(const roof_nodes *nodes, roof_fabric **network, roof_error *error) {
  *network = NULL;
  if (nodes->network == NULL || nodes->count < 2) { /* of a single node the network's part is of its ranks */
    return ROOF_OK;
  }
  roof_fabric *read = calloc(1, sizeof *read);
  roof_status status = read != NULL
                           ? roof_fabric_read(nodes->network, strlen(nodes->network), "network", read, error)
                           : roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
  if (status != ROOF_OK) {
    free(read);
    return status == ROOF_E_MEMORY ? status : ROOF_OK;
  }
  *network = read;
  return ROOF_OK;
}

void rf_nodes_network_free(roof_fabric *network) {
  if (network != NULL) {
    roof_fabric_done(network);
    free(network);
  }
}

const roof_fabric_node *rf_nodes_link(const roof_fabric *network, const char *node) {
  for (int i = 0; network != NULL && i < network->node_count; i++) {
    if (strncmp(network->nodes[i].name, node, ROOF_FABRIC_NAME - 1) == 0) {
      return &network->nodes[i];
    }
  }
  return NULL;
}

/** The median of a member over all nodes; NaN when out of memory. */
static double usual(const roof_fabric *network, size_t offset) {
  size_t count = 0;
  double *values = calloc((size_t)network->node_count + 1, sizeof *values), median = NAN;
  for (int i = 0; i < network->node_count && values != NULL; i++) {
    double value = *(const double *)(const void *)((const char *)&network->nodes[i] + offset);
    values[count] = value;
    count += isnan(value) ? 0 : 1;
  }
  if (count > 0) {
    median = rf_stats_quantile(values, count, 0.5);
  }
  free(values);
  return median;
}

void rf_nodes_link_evidence(const roof_fabric *network, const roof_fabric_node *link, roof_text *out) {
  char own[48], typical[48];
  bool late = link->latency_z == fmax(link->latency_z, link->bandwidth_z);
  const char *unit = late ? "s" : "B/s";
  double value = late ? link->latency_seconds : link->bytes_per_second;
  double median = usual(network, late ? offsetof(roof_fabric_node, latency_seconds)
                                      : offsetof(roof_fabric_node, bytes_per_second));
  roof_text_addf(out, "%s %s to the others, %.0f %% %s the median of %s (%.1f deviations)",
                 late ? "messages take" : "messages go at",
                 roof_quantity_format(own, sizeof own, value, unit), 100 * fabs(value / median - 1),
                 late ? "over" : "under", roof_quantity_format(typical, sizeof typical, median, unit),
                 fmax(link->latency_z, link->bandwidth_z));
}
