/** One node of a job, as its first rank measures it. */
#ifndef CLUSTER_NODE_H
#define CLUSTER_NODE_H

#include "cluster/domains.h"
#include "cluster/nodes.h"
#include "roofline/measure.h"

/** What a node is and how it is set, read below `root` ("" for this system).
 *  Units: bytes. Ownership: fills *node. Errors: what cannot be read stays unknown. */
void rf_node_identify(roof_node *node, const char *root);

/** Times the clock was lowered for heat since the system started, all cores; NaN where it is not counted. */
double rf_node_throttle_events(const char *root);

/** The figures of a measured machine that are for all its cores become ceilings of the node: `prefix` ("gpu0 ") before their names.
 *  Units: SI. Ownership: the node's figures grow. Errors: ROOF_E_MEMORY. */
roof_status rf_node_add_machine(roof_nodes *nodes, roof_node *node, const roof_machine *machine,
                                const char *prefix, roof_error *error);

/** What the cores of the domains read of their memory at once, and its sum, become ceilings of the node.
 *  Units: SI. Ownership: the node's figures grow. Errors: ROOF_E_MEMORY. */
roof_status rf_node_add_domains(roof_nodes *nodes, roof_node *node, const rf_domain_reads *reads,
                                roof_error *error);

/** Measures this node with the backends of `list` ("cpu,cuda"; NULL: the processor, and CUDA's devices where they are) and appends
 *  its line of the cluster's file. What cannot be measured is a node that says why.
 *  Units: SI. Ownership: appends to `out`; `known` has its number of ranks and how they are bound, `reads` what they read of its domains.
 *  Errors: ROOF_E_NAME for a backend that does not exist, ROOF_E_MEMORY. */
roof_status rf_node_measure(const roof_node *known, const rf_domain_reads *reads, const char *list,
                            const roof_measure_options *how, roof_text *out, roof_error *error);

#endif
