/** `measure --cluster`: all nodes of a job in one run. */
#ifndef CLI_MEASURE_CLUSTER_H
#define CLI_MEASURE_CLUSTER_H

#include "cli/cli.h"

/** What is asked of a run. */
typedef struct cli_cluster_options {
  const char *backends; /**< as typed, NULL: the processor and CUDA's devices */
  double patience;      /**< s, 0: as long as the first node took, and a minute */
  double network;       /**< s for each part of measuring the network, 0: it is not measured */
  const char *ledger;   /**< where collectives are sealed before they run */
} cli_cluster_options;

/** Measures this process's node, or collects from all, as its rank is; the first writes the file and the report. */
roof_status cli_measure_cluster(const cli_args *args, const roof_measure_options *how,
                                const cli_cluster_options *options, roof_error *error);

#endif
