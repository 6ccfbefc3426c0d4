/** The memory of a node by its domains: a rank for each reads it with the domain's cores, all at once. */
#ifndef CLUSTER_DOMAINS_H
#define CLUSTER_DOMAINS_H

#include "cluster/job.h"
#include "roofline/measure.h"

enum { RF_DOMAINS_MAX = 16 };

typedef struct rf_domain_reads {
  int count;                           /**< 0: the node has one domain, or fewer ranks than domains */
  char words[96];                      /**< how they were read, "" of one domain */
  roof_domain_read of[RF_DOMAINS_MAX]; /**< of the first rank of the node */
} rf_domain_reads;

/** By all ranks of a node. Those without a domain come back at once, to sleep.
 *  Units: bytes/s. Ownership: fills *reads. `backends`: as of rf_node_measure.
 *  Errors: ROOF_E_UNSUPPORTED where the MPI refuses. A domain that could not be read is said in `words`, and is no error. */
roof_status rf_domains_read(const rf_job *job, const char *backends, bool quick, rf_domain_reads *reads,
                            roof_error *error);

#endif
