/* Memory domains of a captured server, measured by a script; and the real probe on this machine. */
#include "test.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/cpu/numa.h"
#include "owned.h"

static rf_topology server(const char *list) {
  char path[512];
  const char *root = getenv("ROOFLINE_SOURCE");
  hwloc_topology_t hwloc;
  rf_topology topology;
  snprintf(path, sizeof path, "%s/tests/fixtures/topology/server.xml", root != NULL ? root : ".");
  hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
  assert_true(list == NULL || hwloc_bitmap_list_sscanf(allowed, list) == 0);
  assert_int_equal(hwloc_topology_init(&hwloc), 0);
  assert_int_equal(hwloc_topology_set_xml(hwloc, path), 0);
  assert_int_equal(hwloc_topology_load(hwloc), 0);
  assert_int_equal(rf_topology_read(hwloc, allowed, INFINITY, &topology, NULL), ROOF_OK);
  hwloc_topology_destroy(hwloc);
  hwloc_bitmap_free(allowed);
  return topology;
}

typedef struct script {
  rf_numa_pair seen[RF_NUMA_PAIR_MAX];
  double seconds;
  int calls, fail_at;
} script;

/** 40 GB/s and 90 ns near, half and 140 ns far; the second pair cannot be measured. */
static roof_status scripted(void *user, rf_numa_pair pair, double seconds, double *read, double *latency,
                            roof_error *error) {
  script *s = user;
  s->seen[s->calls++] = pair;
  s->seconds += seconds;
  if (s->calls == s->fail_at) {
    return roof_error_set(error, ROOF_E_MEMORY, "memory domains: out of memory");
  }
  if (s->calls != 2) {
    *read = pair.from == pair.on ? 40e9 : 20e9;
    *latency = pair.from == pair.on ? 90e-9 : 140e-9;
  }
  return ROOF_OK;
}

static void own_memory_comes_first(void **state) {
  (void)state;
  rf_numa_pair pairs[RF_NUMA_PAIR_MAX];
  rf_topology t = server(NULL);
  assert_int_equal(rf_numa_plan(&t, pairs), 4);
  const rf_numa_pair order[] = {{0, 0}, {1, 1}, {0, 1}, {1, 0}};
  assert_memory_equal(pairs, order, sizeof order);
  t.nodes[2] = (rf_node){.number = 4, .cores = 0, .bytes = 8e9}; /* memory alone, as of an accelerator */
  t.node_count = 3;
  assert_int_equal(rf_numa_plan(&t, pairs), 6);
  assert_true(pairs[5].on == 2 || pairs[4].on == 2 || pairs[3].on == 2);
  for (int i = 0; i < 6; i++) {
    assert_int_not_equal(pairs[i].from, 2);
  }
  t.nodes[1].bytes = 0; /* a socket without memory */
  assert_int_equal(rf_numa_plan(&t, pairs), 4);
  t.node_count = 1;
  assert_int_equal(rf_numa_plan(&t, pairs), 0);
  rf_topology_done(&t);
}

static void the_matrix_holds_what_was_measured(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  script s = {.fail_at = -1};
  rf_topology t = server(NULL);
  empty_machine(&m);
  snprintf(m->date, sizeof m->date, "2026-01-31");
  assert_int_equal(rf_numa_measure(&t, 2, scripted, &s, m, NULL), ROOF_OK);
  assert_true(s.calls == 4 && s.seconds == 2); /* no more time than there is */
  assert_int_equal(m->report->domain_count, 2);
  assert_string_equal(m->report->domains[1].name, "node 1");
  assert_true(m->report->domains[1].cores == 10 && m->report->domains[1].bytes == 0x1p35);
  assert_true(m->report->domains[0].read_count == 2 && m->report->domains[0].latency_count == 2);
  assert_true(m->report->domains[0].read_bytes_per_second[0] == 40e9 &&
              m->report->domains[0].read_bytes_per_second[1] == 20e9);
  assert_true(m->report->domains[1].latency_seconds[0] == 140e-9);
  assert_true(isnan(m->report->domains[1].read_bytes_per_second[1]) &&
              isnan(m->report->domains[1].latency_seconds[1]));
  assert_string_equal(m->report->domains[1].date, "2026-01-31");
  rf_topology_done(&t);
}

static void one_domain_is_no_matrix(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  script s = {.fail_at = -1};
  rf_topology t = server(NULL);
  t.node_count = 1;
  empty_machine(&m);
  assert_int_equal(rf_numa_measure(&t, 2, scripted, &s, m, NULL), ROOF_OK);
  assert_true(m->report->domain_count == 0 && s.calls == 0);
  rf_topology_done(&t);
}

/* Bound to the second socket: its cores read both memories, the first socket's cores read none. */
static void cores_that_may_not_run_measure_nothing(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  script s = {.fail_at = -1};
  rf_topology t = server("10-19");
  empty_machine(&m);
  assert_int_equal(rf_numa_measure(&t, 2, scripted, &s, m, NULL), ROOF_OK);
  assert_true(s.calls == 2 && s.seen[0].from == 1 && s.seen[1].from == 1);
  assert_true(m->report->domain_count == 2 && m->report->domains[0].cores == 0);
  assert_true(isnan(m->report->domains[0].read_bytes_per_second[0]) &&
              m->report->domains[1].read_bytes_per_second[1] == 40e9);
  rf_topology_done(&t);
}

static void a_failure_leaves_the_machine_alone(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  owned roof_machine *before = NULL;
  script s = {.fail_at = 3};
  roof_error error;
  rf_topology t = server(NULL);
  empty_machine(&m);
  before = roof_machine_copy(m);
  assert_int_equal(rf_numa_measure(&t, 2, scripted, &s, m, &error), ROOF_E_MEMORY);
  assert_true(same_machine(m, before));
  rf_topology_done(&t);
}

/* This machine has at least one domain, whose memory its cores can read. */
static void real_memory_is_read(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  roof_measure_options options = roof_measure_options_default();
  rf_bench bench = {.options = &options, .machine = empty_machine(&m), .lanes = rf_lanes_best()};
  double read = NAN, latency = NAN;
  assert_int_equal(rf_team_init(&bench.team, 0, NULL), ROOF_OK);
  rf_numa_pair own = {bench.team.topology.cores[0].node, bench.team.topology.cores[0].node};
  if (own.from < 0) {
    rf_team_done(&bench.team);
    print_message("the system reports no memory domains\n");
    skip();
  }
  assert_int_equal(rf_numa_probe_memory(&bench, own, 0.02, &read, &latency, NULL), ROOF_OK);
  if (m->note_count > 0) { /* a container may refuse to bind */
    assert_non_null(strstr(m->notes[0], "cannot be bound"));
  } else {
    assert_true(read > 1e7 && read < 1e13 && latency > 1e-9 && latency < 1e-3);
  }
  bench.team.topology.nodes[own.on].number = 1000; /* no such domain */
  read = NAN;
  assert_int_equal(rf_numa_probe_memory(&bench, own, 0.02, &read, &latency, NULL), ROOF_OK);
  assert_true(isnan(read));
  assert_non_null(strstr(m->notes[m->note_count - 1], "memory of node 1000: cannot be bound: "));
  int notes = m->note_count;
  assert_int_equal(rf_numa_probe_memory(&bench, own, 0.02, &read, &latency, NULL), ROOF_OK);
  assert_int_equal(m->note_count, notes); /* once is enough */
  rf_team_done(&bench.team);
}

static int calls;

static void count_call(void *user) {
  ++*(int *)user;
}

/** Those with cores and memory, in order; one that is bound to the other socket has that one alone. */
static void own_domains_are_numbered(void **state) {
  (void)state;
  rf_topology all = server(NULL), second = server("10-19");
  assert_true(rf_numa_own(&all, 0) == 0 && rf_numa_own(&all, 1) == 1 && rf_numa_own(&all, 2) == -1);
  assert_true(rf_numa_own(&second, 0) == 1 && rf_numa_own(&second, 1) == -1);
  rf_topology_done(&all);
  rf_topology_done(&second);
}

/* The first domain of this machine, on its own cores. */
static void a_real_domain_is_read(void **state) {
  (void)state;
  roof_domain_read read = {.bytes_per_second = 0};
  roof_error error = {.message = ""};
  cpu_set_t before, after;
  sched_getaffinity(0, sizeof before, &before);
  if (rf_cpu_domain_count() == 0) {
    print_message("the system reports no memory domains\n");
    skip();
  }
  roof_status status = rf_cpu_read_domain(0, 0.02, count_call, &calls, &read, &error);
  sched_getaffinity(0, sizeof after, &after);
  assert_true(CPU_EQUAL(&before, &after));
  if (status == ROOF_E_UNSUPPORTED) { /* a container may refuse to bind */
    assert_non_null(strstr(error.message, "cannot be bound"));
    return;
  }
  assert_int_equal(status, ROOF_OK);
  assert_int_equal(calls, 1);
  assert_true(read.bytes_per_second > 1e7 && read.bytes_per_second < 1e13 && read.cores >= 1);
  assert_int_equal(strncmp(read.name, "node ", 5), 0);
  assert_int_equal(rf_cpu_read_domain(99, 0.02, count_call, &calls, &read, &error), ROOF_E_UNSUPPORTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_memory_comes_first),
      cmocka_unit_test(the_matrix_holds_what_was_measured),
      cmocka_unit_test(one_domain_is_no_matrix),
      cmocka_unit_test(cores_that_may_not_run_measure_nothing),
      cmocka_unit_test(a_failure_leaves_the_machine_alone),
      cmocka_unit_test(real_memory_is_read),
      cmocka_unit_test(own_domains_are_numbered),
      cmocka_unit_test(a_real_domain_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
