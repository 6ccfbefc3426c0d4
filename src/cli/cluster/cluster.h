/** What `cluster` answers about a file of measured nodes. */
#ifndef CLI_CLUSTER_CLUSTER_H
#define CLI_CLUSTER_CLUSTER_H

#include "cli/cli.h"
#include "roofline/nodes.h"

/** Appends the report on nodes read from, or written to, `file`. */
void cli_cluster_add_report(const roof_nodes *nodes, const char *file, roof_text *out);

/** `cluster report FILE`: of nodes, or of a scaling study. */
roof_status cli_cluster_report(const cli_args *args, roof_error *error);
roof_status cli_cluster_report_scaling(const cli_args *args, roof_error *error);

/** `cluster links FILE`. */
roof_status cli_cluster_links(const cli_args *args, roof_error *error);

/** `cluster check FILE --against EXPECTED`: ROOF_E_GATE where something fell. `tolerance`: as typed, or NULL. */
roof_status cli_cluster_check(const cli_args *args, const char *expected, const char *tolerance,
                              roof_error *error);

#endif
