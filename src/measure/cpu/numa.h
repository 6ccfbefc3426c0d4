/** Bandwidth and latency between the cores of each memory domain and the memory of every domain. */
#ifndef MEASURE_CPU_NUMA_H
#define MEASURE_CPU_NUMA_H

#include "measure/cpu/cpu.h"

/** Cores of one domain using memory of one domain: indices into the topology's nodes. */
typedef struct rf_numa_pair {
  int from;
  int on;
} rf_numa_pair;

/** Measures a pair in about `seconds`: the read bandwidth of all cores of `from` together, and the latency
 * from one of them. What cannot be measured stays NaN. */
typedef roof_status rf_numa_probe(void *user, rf_numa_pair pair, double seconds, double *read,
                                  double *latency, roof_error *error);

enum { RF_NUMA_PAIR_MAX = RF_NODE_MAX * RF_NODE_MAX };

/** The pairs to measure, in order: each domain's own memory first, then the others'; none if there is only
 *  one domain. Domains without cores or without memory are left out of that side of a pair.
 *  Units: count.
 *  Ownership: fills the caller's RF_NUMA_PAIR_MAX pairs.
 *  Errors: none; returns how many. */
int rf_numa_plan(const rf_topology *topology, rf_numa_pair *pairs);

/** Measures the planned pairs, each for its part of `seconds`, and fills the machine's domains: none if there
 *  is only one domain.
 *  Units: s, bytes/s.
 *  Ownership: writes domains on success only.
 *  Errors: those of the probe. */
roof_status rf_numa_measure(const rf_topology *topology, double seconds, rf_numa_probe *probe, void *user,
                            roof_machine *machine, roof_error *error);

/** The probe of real memory; `user` is the rf_bench. Memory is bound to its domain, threads are where the
 *  team has them.
 *  Units: bytes/s, s.
 *  Ownership: none.
 *  Errors: ROOF_E_MEMORY. */
rf_numa_probe rf_numa_probe_memory;

/** The node of the topology that is the domain `index` of those that have cores and memory; -1: there are fewer. */
int rf_numa_own(const rf_topology *topology, int index);

/** `domain_count` and `read_domain` of the backend (roofline/measure.h).
 *  Units: bytes/s. Ownership: as the backend's. Errors: likewise. */
int rf_cpu_domain_count(void);
roof_status rf_cpu_read_domain(int index, double seconds, roof_domain_begin *begin, void *user,
                               roof_domain_read *out, roof_error *error);

/** Measures the domains of this machine and notes the result.
 *  Units: bytes/s, s. Ownership: none. Errors: ROOF_E_MEMORY. */
roof_status rf_cpu_measure_domains(rf_bench *bench, roof_error *error);

#endif
