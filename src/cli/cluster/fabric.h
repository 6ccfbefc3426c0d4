/** What a measured network shows. */
#ifndef CLI_CLUSTER_FABRIC_H
#define CLI_CLUSTER_FABRIC_H

#include "cli/cli.h"
#include "roofline/fabric.h"

/** Appends the report on the network: distances, nodes, collectives. */
void cli_fabric_add_report(const roof_fabric *fabric, roof_text *out);

#endif
