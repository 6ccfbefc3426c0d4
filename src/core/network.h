/** Links between nodes, which any machine may have. */
#ifndef CORE_NETWORK_H
#define CORE_NETWORK_H

#include "roofline/machine.h"

/** One message's latency: NCCL's own model of it (src/graph/tuning.cc, hwLat, ring, protocol LL). */
#define RF_LATENCY_SOURCE "latency assumed: NVIDIA/nccl@b6475625 src/graph/tuning.cc (hwLat, ring LL)"
#define RF_NETWORK_LATENCY 2.7e-6

enum { RF_NETWORK_COUNT = 8 };

extern const roof_network rf_networks[RF_NETWORK_COUNT];

/** The link of that short or long name, or NULL. */
const roof_link *rf_network_named(const char *name);

#endif
