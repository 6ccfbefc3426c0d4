/** --network: a link's name, or the file of a cluster that was measured. */
#ifndef CLI_CLUSTER_NETWORK_H
#define CLI_CLUSTER_NETWORK_H

#include "cli/cli.h"

/** The row of a table of options that keeps --network in `variable`. */
#define CLI_NETWORK_OPTION(variable)                                                                         \
  {                                                                                                          \
    "network", '\0', POPT_ARG_STRING, &(variable), 0,                                                        \
        "link between nodes: ndr hdr edr xdr 100gbe 200gbe 400gbe 800gbe, one of the machine's, or the "     \
        "file of a measured cluster, whose slowest node every step waits for; default: ndr",                 \
        "LINK|FILE"                                                                                          \
  }

/** Finds the link of that name (roof_network_find). Of a cluster's file it is what was measured between its farthest ranks, where
 *  that was: else *link stays as it is. It lives as long as the process. */
roof_status cli_network_find(const char *name, const roof_machine *machine, const roof_link **link,
                             roof_error *error);

/** Where `name` (NULL: none) is a cluster's file, the machines become the slowest node of it: a step that all nodes do together
 *  waits for that one. `reads`: its times are of memory as well as of arithmetic. To be called once. */
roof_status cli_network_wait(const char *name, roof_machine *const *machines, int count, bool reads,
                             roof_error *error);

/** Sets `stragglers` of an answer for a machine: the file, its slowest node and at which share of the median's it goes. It stays null where
 *  no file of a cluster was named, or none is slower. Nothing where `answer` is NULL. */
void cli_network_set(json_t *answer, const roof_machine *machine);

/** The same in the text of an answer, which is replaced. */
roof_status cli_network_set_text(roof_text *answer, const roof_machine *machine, roof_error *error);

/** Appends what a cluster's file changed, after an empty line; next to JSON and CSV on standard error. Nothing where none was named. */
roof_status cli_network_add_note(const cli_args *args, roof_text *out, roof_error *error);

#endif
