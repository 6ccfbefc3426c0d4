/** The nodes of a cluster, for the files that read, write and judge them. */
#ifndef CLUSTER_NODES_H
#define CLUSTER_NODES_H

#include <jansson.h>

#include "roofline/fabric.h"
#include "roofline/nodes.h"

/** A member of a node: a double, or an array of char of `size` bytes. */
typedef struct rf_node_field {
  const char *key;   /**< in JSON */
  const char *label; /**< for people */
  const char *unit;  /**< of a number that people are shown */
  size_t offset;
  size_t size; /**< 0: a double */
} rf_node_field;

enum { RF_NODE_FIELDS = 16 };
extern const rf_node_field rf_node_fields[RF_NODE_FIELDS];

/** Where a member lies. */
double *rf_node_number(roof_node *node, const rf_node_field *field);
double rf_node_number_of(const roof_node *node, const rf_node_field *field);
const char *rf_node_text_of(const roof_node *node, const rf_node_field *field);

/** Sets all numbers of a node to NaN, all words to "". */
void rf_node_init(roof_node *node);

/** The index of the ceiling of that name, made where there is none; -1: no room. */
int rf_nodes_ceiling(roof_nodes *nodes, const char *name, const char *unit);

/** Adds a node, which takes the figures; false when out of memory. */
bool rf_nodes_take(roof_nodes *nodes, const roof_node *node);

/** A node as the document has it, on one line; `ceilings` name its figures. NULL: memory was short. */
json_t *rf_node_json(const roof_node *node, const roof_nodes_ceiling *ceilings);

/** What a ceiling's name begins with that is of one domain, or of all, while all are read. */
#define RF_AT_ONCE "DRAM at once, "
#define RF_AT_ONCE_ALL RF_AT_ONCE "all "

/** And of one domain while the others rest. */
#define RF_ALONE "DRAM read, "

/** Whether a file says near its beginning that it is a cluster's. */
bool rf_nodes_is_file(const char *path);

/** Whether less is faster: of times. */
bool rf_nodes_is_time(const char *unit);

/** How much slower than `typical` a value is, as a share: 0.3 for 70 of 100 per second; negative: faster. */
double rf_nodes_loss(const char *unit, double value, double typical);

/** The network between several nodes, to be freed; NULL: none was measured, or its part cannot be read, which a report says. */
roof_status rf_nodes_network(const roof_nodes *nodes, roof_fabric **network, roof_error *error);
void rf_nodes_network_free(roof_fabric *network);

/** What it says of a node; NULL: nothing. */
const roof_fabric_node *rf_nodes_link(const roof_fabric *network, const char *node);

/** "messages go at 5.000 GB/s to the others, 80 % under the median of 24.75 GB/s (53.3 deviations)" */
void rf_nodes_link_evidence(const roof_fabric *network, const roof_fabric_node *link, roof_text *out);

#endif
