/* The plan made of captured machines; no hardware is asked. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/data.h"
#include "measure/cpu/cpu.h"
#include "owned.h"
#include "roofline/text.h"
#include "roofline/units.h"

#define FOLDER "/tests/fixtures/topology/"

static void path_of(char *path, size_t size, const char *name, const char *ending) {
  const char *root = getenv("ROOFLINE_SOURCE");
  snprintf(path, size, "%s" FOLDER "%s%s", root != NULL ? root : ".", name, ending);
}

static hwloc_topology_t load(const char *name) {
  char path[512];
  hwloc_topology_t hwloc;
  path_of(path, sizeof path, name, ".xml");
  assert_int_equal(hwloc_topology_init(&hwloc), 0);
  assert_int_equal(hwloc_topology_set_xml(hwloc, path), 0);
  assert_int_equal(hwloc_topology_set_flags(hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED), 0);
  assert_int_equal(hwloc_topology_load(hwloc), 0);
  return hwloc;
}

/** The plan when only the hardware threads of `list` ("0-3,8"; NULL: all) may be used and `paid` are paid. */
static rf_topology plan(const char *name, const char *list, double paid) {
  rf_topology topology;
  hwloc_topology_t hwloc = load(name);
  hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
  if (list != NULL) {
    assert_int_equal(hwloc_bitmap_list_sscanf(allowed, list), 0);
  }
  assert_int_equal(rf_topology_read(hwloc, allowed, paid, &topology, NULL), ROOF_OK);
  hwloc_bitmap_free(allowed);
  hwloc_topology_destroy(hwloc);
  return topology;
}

static void add_places(roof_text *text, const rf_topology *t, const char *label, int from, int to) {
  roof_text_addf(text, "%s", label);
  for (int i = from; i < to; i++) {
    roof_text_addf(text, " %d", rf_topology_place(t, i));
  }
  roof_text_add(text, "\n");
}

/** The whole plan as text. */
static void write_plan(roof_text *text, const rf_topology *t) {
  char size[32];
  roof_text_addf(text,
                 "%d cores, %d of %d hardware threads, %d kinds, %d packages, %d domains, %d not paid\n",
                 t->core_count, t->thread_count, t->machine_threads, t->kind_count, t->package_count,
                 t->node_count, t->refused_cores);
  add_places(text, t, "one thread per core:", 0, t->core_count);
  add_places(text, t, "then:", t->core_count, t->thread_count);
  for (int i = 0; i < t->kind_count; i++) {
    roof_text_addf(text, "kind %s: %d cores, %s, the first on %d\n", t->kinds[i].name, t->kinds[i].cores,
                   isnan(t->kinds[i].highest_hz)
                       ? "clock unknown"
                       : roof_quantity_format(size, sizeof size, t->kinds[i].highest_hz, "Hz"),
                   rf_topology_place(t, rf_topology_first(t, i)));
  }
  for (int i = 0; i < t->cache_count; i++) {
    const rf_cache *cache = &t->caches[i];
    roof_text_addf(text, "L%d %s x %d of %s\n", cache->level,
                   roof_bytes_format(size, sizeof size, cache->bytes), cache->instances,
                   cache->kind < 0 ? "all" : t->kinds[cache->kind].name);
  }
  for (int n = 0; n < t->node_count; n++) {
    roof_text_addf(text, "domain %d: %s, %d cores:", t->nodes[n].number,
                   roof_bytes_format(size, sizeof size, t->nodes[n].bytes), t->nodes[n].cores);
    for (int i = 0; i < t->core_count; i++) {
      if (t->cores[i].node == n) {
        roof_text_addf(text, " %d", t->cores[i].threads[0]);
      }
    }
    roof_text_add(text, "\n");
  }
}

static void compare(const char *name, const roof_text *text) {
  char path[512];
  static char golden[1 << 16];
  path_of(path, sizeof path, name, ".txt");
  FILE *file = fopen(path, getenv("ROOFLINE_UPDATE_GOLDEN") != NULL ? "w+e" : "re");
  assert_non_null(file);
  if (getenv("ROOFLINE_UPDATE_GOLDEN") != NULL) {
    assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
    rewind(file);
  }
  golden[fread(golden, 1, sizeof golden - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(text->data, golden);
}

static void captured_machines_give_their_plans(void **state) {
  (void)state;
  static const char *const names[] = {"laptop", "server", "hybrid", "arm", "guest", "guest-arm"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    rf_topology t = plan(names[i], NULL, INFINITY);
    roof_text text = {0};
    write_plan(&text, &t);
    compare(names[i], &text);
    roof_text_done(&text);
    rf_topology_done(&t);
  }
}

/* One thread of a core, all of another, none of the rest. */
static void affinity_narrows_the_plan(void **state) {
  (void)state;
  rf_topology t = plan("laptop", "1,2,6", INFINITY);
  assert_true(t.core_count == 2 && t.thread_count == 3 && t.machine_threads == 8);
  assert_true(rf_topology_place(&t, 0) == 1 && rf_topology_place(&t, 1) == 2);
  assert_int_equal(rf_topology_place(&t, 2), 6);
  assert_true(t.cache_count == 3 && t.caches[0].instances == 2 && t.caches[2].instances == 1);
  rf_topology_done(&t);
  t = plan("server", "10-19", INFINITY);
  assert_true(t.core_count == 10 && t.package_count == 1 && t.node_count == 2);
  assert_true(t.nodes[0].cores == 0 && t.nodes[1].cores == 10);
  rf_topology_done(&t);
  t = plan("hybrid", "12-19", INFINITY);
  assert_true(t.kind_count == 1 && t.core_count == 8 && t.caches[1].instances == 2);
  assert_string_equal(t.kinds[0].name, "E-core");
  rf_topology_done(&t);
}

static void quota_takes_the_fastest_cores(void **state) {
  (void)state;
  rf_topology t = plan("hybrid", NULL, 6.5);
  assert_true(t.core_count == 6 && t.refused_cores == 8 && t.kind_count == 1);
  assert_string_equal(t.kinds[0].name, "P-core");
  rf_topology_done(&t);
  t = plan("laptop", NULL, 0.5);
  assert_true(t.core_count == 1 && t.refused_cores == 3);
  rf_topology_done(&t);
}

static void nothing_to_run_on_is_an_error(void **state) {
  (void)state;
  rf_topology t = {.core_count = -1};
  roof_error error;
  hwloc_topology_t hwloc = load("laptop");
  hwloc_bitmap_t elsewhere = hwloc_bitmap_alloc();
  hwloc_bitmap_set(elsewhere, 99);
  assert_int_equal(rf_topology_read(hwloc, elsewhere, INFINITY, &t, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "cores: there is none to run on");
  assert_int_equal(t.core_count, -1);
  hwloc_bitmap_free(elsewhere);
  hwloc_topology_destroy(hwloc);
}

/** Registers two kinds on the ARM machine, which has none that differ. */
static rf_topology plan_of_two(const char *key, const char *slow, const char *fast) {
  rf_topology topology;
  hwloc_topology_t hwloc = load("guest-arm");
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  const char *const values[] = {slow, fast};
  for (unsigned i = 0; i < 2; i++) {
    struct hwloc_info_s infos = {(char *)(uintptr_t)key, (char *)(uintptr_t)values[i]};
    hwloc_bitmap_zero(set);
    hwloc_bitmap_set_range(set, 2 * i, 2 * (int)i + 1);
    assert_int_equal(hwloc_cpukinds_register(hwloc, set, (int)i, 1, &infos, 0), 0);
  }
  assert_int_equal(rf_topology_read(hwloc, NULL, INFINITY, &topology, NULL), ROOF_OK);
  hwloc_bitmap_free(set);
  hwloc_topology_destroy(hwloc);
  return topology;
}

static void clocks_alone_make_no_kinds(void **state) {
  (void)state;
  rf_topology t = plan_of_two("FrequencyMaxMHz", "5000", "5200");
  assert_true(t.kind_count == 1 && t.kinds[0].highest_hz == 5.2e9);
  assert_int_equal(rf_topology_place(&t, 0), 2); /* a favoured core is first all the same */
  rf_topology_done(&t);
  t = plan_of_two("LinuxCapacity", "430", "1024");
  assert_true(t.kind_count == 2 && rf_topology_place(&t, 0) == 2);
  assert_string_equal(t.kinds[0].name, "core");
  assert_string_equal(t.kinds[1].name, "core 2");
  rf_topology_done(&t);
}

static void every_core_of_a_plan_has_a_domain(void **state) {
  (void)state;
  rf_topology t = plan("server", NULL, INFINITY);
  for (int i = 0; i < t.thread_count; i++) {
    const rf_core *core = rf_topology_core(&t, i);
    assert_int_equal(t.nodes[core->node].number, core->package);
    assert_true((rf_topology_place(&t, i) % 20 < 10) == (core->node == 0));
  }
  rf_topology_done(&t);
}

/* A core alone has a shared cache for itself; of all together each has its part, where that is enough. */
static void caches_are_shared_out(void **state) {
  (void)state;
  const double kib = 1024, mib = 1024 * kib;
  rf_topology t = plan("hybrid", NULL, INFINITY);
  assert_true(rf_cpu_cache_share(&t, ROOF_L1, 0, 1) == 24 * kib);
  assert_true(rf_cpu_cache_share(&t, ROOF_L1, 1, 1) == 16 * kib);
  assert_true(rf_cpu_cache_share(&t, ROOF_L1, -1, 1) == 16 * kib);
  assert_true(rf_cpu_cache_share(&t, ROOF_L1, -1, 2) == 8 * kib);
  assert_true(rf_cpu_cache_share(&t, ROOF_L2, 0, 1) == 640 * kib);
  assert_true(rf_cpu_cache_share(&t, ROOF_L2, 1, 1) == mib);
  assert_true(rf_cpu_cache_share(&t, ROOF_L2, -1, 1) == 256 * kib);
  assert_true(rf_cpu_cache_share(&t, ROOF_L3, 0, 1) == 5 * mib); /* four times the L2, not half of 24 MiB */
  assert_true(rf_cpu_cache_share(&t, ROOF_L3, -1, 1) == 0);      /* 1.7 MiB per core against 1.25 MiB of L2 */
  rf_topology_done(&t);
  t = plan("arm", NULL, INFINITY);
  assert_true(rf_cpu_cache_share(&t, ROOF_L2, -1, 1) == 512 * kib);
  assert_true(rf_cpu_cache_share(&t, ROOF_L3, -1, 1) == 0);
  rf_topology_done(&t);
}

/* Of the last level several instances, as many as cores can have; of the inner ones where they hold more. */
static void last_caches_add_up(void **state) {
  (void)state;
  const double mib = 0x1p20;
  rf_topology t = {.caches = {{1, -1, 0x1p15, 96}, {2, -1, mib, 96}, {3, -1, 32 * mib, 12}},
                   .cache_count = 3};
  assert_true(rf_topology_last_cache(&t, 1) == 32 * mib);
  assert_true(rf_topology_last_cache(&t, 4) == 128 * mib);
  assert_true(rf_topology_last_cache(&t, 96) == 384 * mib);
  t.caches[1].bytes = 5 * mib;
  assert_true(rf_topology_last_cache(&t, 96) == 480 * mib);
  t.cache_count = 0;
  assert_true(rf_topology_last_cache(&t, 96) == 0);
}

/* Latency of memory is read where the last cache that a core sees is a third or less. */
static void latency_is_read_beyond_the_last_cache(void **state) {
  (void)state;
  const size_t mib = 1 << 20;
  static const double last = 105 * 0x1p20;
  assert_int_equal(rf_chase_bytes(true, 0x1p23, INFINITY), 64 * mib);
  assert_int_equal(rf_chase_bytes(true, 0x1p25, INFINITY), 128 * mib);
  assert_int_equal(rf_chase_bytes(false, 0x1p25, INFINITY), 256 * mib);
  assert_int_equal(rf_chase_bytes(true, last, INFINITY), 512 * mib);
  assert_int_equal(rf_chase_bytes(true, last, 300 * 0x1p20), 256 * mib);
}

static rf_bench bench_of(const char *name, int threads) {
  rf_bench bench = {.team = {.topology = plan(name, NULL, INFINITY), .threads = threads}};
  return bench;
}

static void assert_core_set(const rf_bench *bench, int index, const char *name, const char *kind, int cores,
                            int per_core) {
  rf_core_set set = rf_core_set_at(bench, index);
  char text[64], signed_kind[ROOF_CORE_KIND_SIZE];
  int signed_cores = -1, signed_per_core = -1;
  assert_string_equal(rf_core_set_name(bench, &set, text, sizeof text), name);
  rf_core_set_sign(bench, &set, &signed_cores, signed_kind, &signed_per_core);
  assert_string_equal(signed_kind, kind);
  assert_int_equal(signed_cores, cores);
  assert_int_equal(signed_per_core, per_core);
}

static void core_sets_are_one_of_each_kind_then_all(void **state) {
  (void)state;
  rf_bench bench = bench_of("hybrid", 14);
  assert_int_equal(rf_core_set_count(&bench), 3);
  assert_core_set(&bench, 0, "1 P-core", "P-core", 1, 0);
  assert_core_set(&bench, 1, "1 E-core", "E-core", 1, 0);
  assert_core_set(&bench, 2, "14 cores", "", 0, 0);
  rf_core_set all = rf_core_set_at(&bench, 2);
  assert_true(rf_core_set_is_mixed(&bench, &all) && rf_core_set_work(&bench, &all) == 14);
  all.weights[1] = 0.5; /* eight E-cores do the work of four P-cores */
  assert_true(rf_core_set_work(&bench, &all) == 10 && rf_core_set_weight(&bench, &all, 13) == 0.5);
  assert_true(isnan(rf_core_set_limits(&bench, &all, 256).load_bytes));
  rf_topology_done(&bench.team.topology);
  bench = bench_of("server", 20);
  assert_int_equal(rf_core_set_count(&bench), 2);
  assert_core_set(&bench, 0, "1 core", "", 1, 0);
  assert_core_set(&bench, 1, "20 cores", "", 0, 0);
  bench.team.threads = 40;
  bench.siblings = true;
  assert_int_equal(rf_core_set_count(&bench), 1);
  assert_core_set(&bench, 0, "20 cores, all hardware threads", "", 0, 2);
  rf_topology_done(&bench.team.topology);
}

static void siblings_are_noted_as_they_are(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  rf_bench bench = bench_of("laptop", 8);
  empty_machine(&m);
  bench.machine = m;
  fill_machine(m, 2, 2, 0);
  for (int i = 0; i < 2; i++) {
    m->peaks[i].dtype = ROOF_FP64;
    m->peaks[i].flops_per_second = i == 0 ? 100 : 90;
    m->levels[i].level = ROOF_MEMORY;
    m->levels[i].read_bytes_per_second = i == 0 ? 40 : 42;
    m->peaks[i].threads_per_core = m->levels[i].threads_per_core = i == 0 ? 0 : 2;
  }
  rf_cpu_note_siblings(&bench);
  assert_non_null(strstr(m->notes[0], "all 8 of the 4 cores compared with one per core: fp64 -10.0 %"));
  assert_non_null(strstr(m->notes[0], "memory read +5.0 %"));
  /* predictions use what is faster */
  assert_true(roof_machine_peak(m, ROOF_FP64, ROOF_VECTOR, false, ROOF_MEASURED)->threads_per_core == 0);
  assert_true(roof_machine_level(m, ROOF_MEMORY, ROOF_MEASURED)->threads_per_core == 2);
  rf_topology_done(&bench.team.topology);
}

/* A thread touches first the part that it reads: as many parts as threads, the same parts. */
static void parts_of_data_are_those_of_their_threads(void **state) {
  (void)state;
  rf_topology t = plan("server", NULL, INFINITY);
  const size_t count = (size_t)t.thread_count * 128 * 1000; /* in whole steps per thread */
  for (int threads = t.core_count; threads <= t.thread_count; threads += t.core_count) {
    double bytes[2] = {0, 0};
    for (int i = 0; i < threads; i++) {
      rf_share share = rf_share_of(count, i, threads);
      assert_int_equal(share.end - share.begin, count / (size_t)threads);
      assert_int_equal(share.begin, count / (size_t)threads * (size_t)i);
      bytes[rf_topology_core(&t, i)->node] += (double)(share.end - share.begin);
    }
    assert_true(bytes[0] == bytes[1]);
  }
  rf_topology_done(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(captured_machines_give_their_plans),
      cmocka_unit_test(affinity_narrows_the_plan),
      cmocka_unit_test(quota_takes_the_fastest_cores),
      cmocka_unit_test(nothing_to_run_on_is_an_error),
      cmocka_unit_test(clocks_alone_make_no_kinds),
      cmocka_unit_test(every_core_of_a_plan_has_a_domain),
      cmocka_unit_test(caches_are_shared_out),
      cmocka_unit_test(last_caches_add_up),
      cmocka_unit_test(latency_is_read_beyond_the_last_cache),
      cmocka_unit_test(core_sets_are_one_of_each_kind_then_all),
      cmocka_unit_test(siblings_are_noted_as_they_are),
      cmocka_unit_test(parts_of_data_are_those_of_their_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
