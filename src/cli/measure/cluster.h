/** `measure --cluster`: all nodes of a job in one run. */
#ifndef CLI_MEASURE_CLUSTER_H
#define CLI_MEASURE_CLUSTER_H

#include "cli/cli.h"

/** Measures this process's node, or collects from all, as its rank is; the first writes the file and the report.
 *  `backends` as typed, NULL: the processor and CUDA's devices; `patience` s, 0: as long as the first node took, and a minute. */
roof_status cli_measure_cluster(const cli_args *args, const roof_measure_options *how, const char *backends,
                                double patience, roof_error *error);

#endif
