#include "measure/cpu/numa.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/figures.h"
#include "host/memory.h"
#include "kernels/data.h"
#include "measure/sampler.h"
#include "roofline/units.h"

_Static_assert((int)RF_NODE_MAX == (int)ROOF_DOMAIN_MAX,
               "a machine file has room for every domain of a topology");

int rf_numa_plan(const rf_topology *topology, rf_numa_pair *pairs) {
  int count = 0;
  for (int step = 0; step < topology->node_count && topology->node_count > 1; step++) {
    for (int from = 0; from < topology->node_count; from++) {
      int on = (from + step) % topology->node_count;
      if (topology->nodes[from].cores > 0 && topology->nodes[on].bytes > 0) {
        pairs[count++] = (rf_numa_pair){from, on};
      }
    }
  }
  return count;
}

static void describe(const rf_topology *topology, int index, const char *date, roof_domain *domain) {
  const rf_node *node = &topology->nodes[index];
  snprintf(domain->name, sizeof domain->name, "node %d", node->number);
  domain->cores = node->cores;
  domain->bytes = node->bytes;
  domain->kind = ROOF_MEASURED;
  domain->read_count = domain->latency_count = topology->node_count;
  snprintf(
      domain->source, sizeof domain->source,
      "memory bound to each domain; median of windows in which the domain's %d core%s read it; latency from "
      "one of them, the best of a few windows",
      node->cores, node->cores == 1 ? "" : "s");
  snprintf(domain->date, sizeof domain->date, "%s", date);
}

roof_status rf_numa_measure(const rf_topology *topology, double seconds, rf_numa_probe *probe, void *user,
                            roof_machine *machine, roof_error *error) {
  rf_numa_pair pairs[RF_NUMA_PAIR_MAX];
  int count = rf_numa_plan(topology, pairs);
  roof_domain domains[ROOF_DOMAIN_MAX];
  for (int i = 0; i < ROOF_DOMAIN_MAX; i++) {
    rf_record_init(&rf_domain_record, &domains[i]);
  }
  for (int i = 0; i < topology->node_count && count > 0; i++) {
    describe(topology, i, machine->date, &domains[i]);
  }
  for (int i = 0; i < count; i++) {
    roof_domain *domain = &domains[pairs[i].from];
    roof_status status = probe(user, pairs[i], seconds / count, &domain->read_bytes_per_second[pairs[i].on],
                               &domain->latency_seconds[pairs[i].on], error);
    if (status != ROOF_OK) {
      return status;
    }
  }
  for (int i = 0; i < topology->node_count && count > 0; i++) {
    *roof_machine_add_domain(machine) = domains[i];
  }
  return ROOF_OK;
}

/** Cores of a domain reading memory of a domain. */
typedef struct reach {
  const rf_bench *bench;
  char *data;
  size_t bytes; /* of the allocation, a power of two */
  size_t part;  /* bytes per core, a power of two */
  rf_way way;
  int cores;
  int *ranks; /* index of each thread among those that read; -1: does not read */
} reach;

static void touch(void *user, int thread, int threads) {
  const reach *r = user;
  (void)threads;
  if (r->ranks[thread] >= 0) {
    memset(r->data + (size_t)r->ranks[thread] * r->part, 0x5a, r->part);
  }
}

static void read_part(void *user, int thread, int threads) {
  const reach *r = user;
  (void)threads;
  if (r->ranks[thread] >= 0) {
    char *mine = r->data + (size_t)r->ranks[thread] * r->part;
    rf_lanes_span span = {mine, mine, mine, r->part, 0, r->part};
    r->bench->lanes->transfers[RF_LOAD][r->way](&span);
  }
}

static double timed_read(void *user) {
  const reach *r = user;
  return rf_team_time(&r->bench->team, r->bench->team.threads, read_part, user);
}

/** Bytes for one pair: six times a domain's last cache before it is rounded to a power of two, within a quarter of
 * its memory. */
static double pair_bytes(const rf_topology *t, const rf_node *on) {
  double last = rf_topology_last_cache(t, t->core_count) / t->node_count;
  double wanted = fmin(fmax(6 * last, 0x1p26), 0x1p30);
  return fmin(wanted, fmin(on->bytes, rf_memory_available("")) / 4);
}

/** Chooses the threads that read: one per core of the domain. */
static roof_status rank_threads(reach *r, int from, roof_error *error) {
  const rf_team *team = &r->bench->team;
  r->ranks = calloc((size_t)team->threads, sizeof *r->ranks);
  if (r->ranks == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "memory domains: out of memory");
  }
  for (int i = 0; i < team->threads; i++) {
    bool reads = i < team->topology.core_count && rf_topology_core(&team->topology, i)->node == from;
    r->ranks[i] = reads ? r->cores++ : -1;
  }
  return ROOF_OK;
}

/** Chooses the faster way to read. */
static void choose_way(reach *r) {
  double times[RF_WAY_COUNT] = {0};
  static const rf_way ways[] = {RF_UNROLL_16, RF_AHEAD};
  rf_team_time(&r->bench->team, r->bench->team.threads, touch, r);
  for (int i = 0; i < 2; i++) {
    r->way = ways[i];
    times[r->way] = fmin(timed_read(r), timed_read(r));
  }
  r->way = times[RF_AHEAD] < times[RF_UNROLL_16] ? RF_AHEAD : RF_UNROLL_16;
}

static roof_status sample_read(reach *r, const rf_sampling *sampling, double *read, double *spread,
                               roof_error *error) {
  rf_samples samples;
  roof_status status = rf_sample(timed_read, r, sampling, &samples, error);
  if (status == ROOF_OK) {
    *read = (double)r->part * r->cores / samples.stats.median;
    *spread = samples.stats.spread;
    rf_samples_done(&samples);
  }
  return status;
}

/** Over all of the memory: one core's part of it may fit the last cache. */
static double latency_from(const reach *r, int from) {
  const rf_topology *t = &r->bench->team.topology;
  int first = 0;
  while (first < t->core_count - 1 && t->cores[first].node != from) {
    first++;
  }
  rf_team_move(&r->bench->team, first);
  double latency = rf_cpu_latency_of(r->data, r->bytes);
  rf_team_move(&r->bench->team, 0);
  return latency;
}

/** Notes once per domain why its memory cannot be used. */
static void note_refusal(rf_bench *bench, int number, const char *why) {
  const roof_machine *m = bench->machine;
  char start[48];
  int length = snprintf(start, sizeof start, "memory of node %d: ", number);
  for (int i = 0; i < m->note_count; i++) {
    if (strncmp(m->notes[i], start, (size_t)length) == 0) {
      return;
    }
  }
  rf_bench_note(bench, "%scannot be bound: %s", start, why);
}

/** Threads and memory of a pair; r->data is NULL where there is none. */
static roof_status open_reach(rf_bench *bench, rf_numa_pair pair, reach *r, roof_error *error) {
  const rf_node *node = &bench->team.topology.nodes[pair.on];
  *r = (reach){.bench = bench};
  roof_status status = rank_threads(r, pair.from, error);
  if (status != ROOF_OK) {
    return status;
  }
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  r->bytes = rf_cpu_floor_power(pair_bytes(&bench->team.topology, node));
  r->part = rf_cpu_floor_power((double)r->bytes / fmax(1, r->cores));
  if (set != NULL && hwloc_bitmap_only(set, (unsigned)node->number) == 0) {
    r->data = hwloc_alloc_membind(bench->team.hwloc, r->bytes, set, HWLOC_MEMBIND_BIND,
                                  HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_STRICT);
  }
  if (r->data == NULL) {
    note_refusal(bench, node->number, strerror(errno));
  } else {
    madvise(r->data, r->bytes, MADV_HUGEPAGE);
  }
  hwloc_bitmap_free(set);
  return ROOF_OK;
}

static void close_reach(reach *r) {
  if (r->data != NULL) {
    hwloc_free(r->bench->team.hwloc, r->data, r->bytes);
  }
  free(r->ranks);
}

roof_status rf_numa_probe_memory(void *user, rf_numa_pair pair, double seconds, double *read, double *latency,
                                 roof_error *error) {
  enum { LEAST = 5, MOST = 100 };
  rf_bench *bench = user;
  double spread = 0;
  reach r;
  roof_status status = open_reach(bench, pair, &r, error);
  if (status == ROOF_OK && r.data != NULL && r.cores > 0) {
    const rf_sampling sampling = {
        .calls = 1, .budget = seconds, .least = LEAST, .most = MOST, .precision = bench->options->precision};
    choose_way(&r);
    status = sample_read(&r, &sampling, read, &spread, error);
    *latency = status == ROOF_OK ? latency_from(&r, pair.from) : *latency;
  }
  close_reach(&r);
  return status;
}

/** The lowest and highest figure of the domains' local memory, or of remote memory. */
static void range(const roof_machine *m, bool own, double *low, double *high) {
  *low = *high = NAN;
  for (int i = 0; i < m->report->domain_count; i++) {
    for (int k = 0; k < m->report->domain_count; k++) {
      if ((i == k) == own) {
        *low = fmin(*low, m->report->domains[i].read_bytes_per_second[k]);
        *high = fmax(*high, m->report->domains[i].read_bytes_per_second[k]);
      }
    }
  }
}

roof_status rf_cpu_measure_domains(rf_bench *bench, roof_error *error) {
  const roof_machine *m = bench->machine;
  double seconds = bench->options->quick ? 0.5 : 3, own[2], far[2];
  if (bench->team.topology.node_count < 2) {
    return ROOF_OK;
  }
  rf_bench_step(bench, "memory domains");
  roof_status status =
      rf_numa_measure(&bench->team.topology, seconds, rf_numa_probe_memory, bench, bench->machine, error);
  range(m, true, &own[0], &own[1]);
  range(m, false, &far[0], &far[1]);
  if (status == ROOF_OK && !isnan(own[0]) && !isnan(far[0])) {
    rf_bench_note(bench,
                  "memory domains: the cores of a domain read %.3g to %.3g GB/s from its own memory, %.3g to "
                  "%.3g GB/s from another domain's",
                  own[0] / 1e9, own[1] / 1e9, far[0] / 1e9, far[1] / 1e9);
  }
  return status;
}

/* --- one of them by one process, while others read the others --- */

static bool is_used(const rf_node *node) {
  return node->cores > 0 && node->bytes > 0;
}

int rf_numa_own(const rf_topology *topology, int index) {
  for (int i = 0; i < topology->node_count; i++) {
    if (is_used(&topology->nodes[i]) && index-- == 0) {
      return i;
    }
  }
  return -1;
}

int rf_cpu_domain_count(void) {
  rf_team team;
  int count = 0;
  if (rf_team_init(&team, 1, NULL) == ROOF_OK) {
    for (int i = 0; i < team.topology.node_count; i++) {
      count += is_used(&team.topology.nodes[i]);
    }
    rf_team_done(&team);
  }
  return count;
}

/** Keeps this process to the cores of a domain: threads elsewhere would wait there without sleeping. */
static roof_status bind_to(int index, int *node, roof_error *error) {
  rf_team team;
  cpu_set_t cores;
  roof_status status = rf_team_init(&team, 1, error);
  if (status != ROOF_OK) {
    return status;
  }
  CPU_ZERO(&cores);
  *node = rf_numa_own(&team.topology, index);
  for (int i = 0; i < team.topology.core_count; i++) {
    const rf_core *core = rf_topology_core(&team.topology, i);
    for (int k = 0; k < core->thread_count && core->node == *node; k++) {
      CPU_SET((size_t)core->threads[k], &cores);
    }
  }
  rf_team_done(&team);
  return *node >= 0 && sched_setaffinity(0, sizeof cores, &cores) == 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED, "memory domains: domain %d: cannot be bound to",
                              index);
}

static roof_status read_bound(rf_bench *bench, int node, double seconds, roof_domain_begin *begin, void *user,
                              roof_domain_read *out, roof_error *error) {
  enum { LEAST = 5, MOST = 4096 };
  const rf_sampling sampling = {
      .calls = 1, .budget = seconds, .least = LEAST, .most = MOST}; /* as long as the others */
  reach r;
  roof_domain_read read = {.cores = bench->team.topology.nodes[node].cores};
  roof_status status = open_reach(bench, (rf_numa_pair){node, node}, &r, error);
  if (status == ROOF_OK && r.data == NULL) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "%s", bench->machine->notes[0]);
  }
  if (status == ROOF_OK) {
    choose_way(&r);
    begin(user);
    status = sample_read(&r, &sampling, &read.bytes_per_second, &read.spread, error);
  }
  close_reach(&r);
  if (status == ROOF_OK) {
    snprintf(read.name, sizeof read.name, "node %d", bench->team.topology.nodes[node].number);
    *out = read;
  }
  return status;
}

roof_status rf_cpu_read_domain(int index, double seconds, roof_domain_begin *begin, void *user,
                               roof_domain_read *out, roof_error *error) {
  const roof_measure_options options = {.threads = 0};
  rf_bench bench = {.options = &options, .lanes = rf_lanes_best(), .machine = roof_machine_new()};
  cpu_set_t before;
  int node = 0;
  sched_getaffinity(0, sizeof before, &before);
  roof_status status = bench.machine != NULL
                           ? bind_to(index, &node, error)
                           : roof_error_set(error, ROOF_E_MEMORY, "memory domains: out of memory");
  status = status == ROOF_OK ? rf_team_init(&bench.team, 0, error) : status;
  if (status == ROOF_OK) {
    status = read_bound(&bench, node, seconds, begin, user, out, error);
    rf_team_done(&bench.team);
  }
  sched_setaffinity(0, sizeof before, &before);
  roof_machine_free(bench.machine);
  return status;
}
