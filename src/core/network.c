/* Links between nodes by name. */
#include "core/network.h"

#include "core/letters.h"

#define NETWORK(short_name, long_name, rate, origin)                                                         \
  {                                                                                                          \
    .id = short_name, .link = {                                                                              \
      .name = long_name,                                                                                     \
      .kind = ROOF_DATASHEET,                                                                                \
      .bytes_per_second = (rate),                                                                            \
      .both_ways_bytes_per_second = 2 * (rate),                                                              \
      .latency_seconds = RF_NETWORK_LATENCY,                                                                 \
      .count = 1,                                                                                            \
      .source = origin "; " RF_LATENCY_SOURCE                                                                \
    }                                                                                                        \
  }

#define IBTA "InfiniBand Trade Association: rate of a port of 4 lanes"
#define IEEE "IEEE 802.3: rate of a port"

const roof_network rf_networks[RF_NETWORK_COUNT] = {
    NETWORK("ndr", "InfiniBand NDR", 50e9, IBTA),       NETWORK("edr", "InfiniBand EDR", 12.5e9, IBTA),
    NETWORK("hdr", "InfiniBand HDR", 25e9, IBTA),       NETWORK("xdr", "InfiniBand XDR", 100e9, IBTA),
    NETWORK("100gbe", "100 Gb Ethernet", 12.5e9, IEEE), NETWORK("200gbe", "200 Gb Ethernet", 25e9, IEEE),
    NETWORK("400gbe", "400 Gb Ethernet", 50e9, IEEE),   NETWORK("800gbe", "800 Gb Ethernet", 100e9, IEEE),
};

const roof_link *rf_network_named(const char *name) {
  for (int i = 0; i < RF_NETWORK_COUNT; i++) {
    const roof_network *n = &rf_networks[i];
    if (rf_letters_compare(n->id, name) == 0 || rf_letters_compare(n->link.name, name) == 0) {
      return &n->link;
    }
  }
  return NULL;
}
