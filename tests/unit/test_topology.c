/* The plan made of captured machines; no hardware is asked. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "measure/topology.h"
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
static roof_topology plan(const char *name, const char *list, double paid) {
  roof_topology topology;
  hwloc_topology_t hwloc = load(name);
  hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
  if (list != NULL) {
    assert_int_equal(hwloc_bitmap_list_sscanf(allowed, list), 0);
  }
  assert_int_equal(roof_topology_read(hwloc, allowed, paid, &topology, NULL), ROOF_OK);
  hwloc_bitmap_free(allowed);
  hwloc_topology_destroy(hwloc);
  return topology;
}

static void add_places(roof_text *text, const roof_topology *t, const char *label, int from, int to) {
  roof_text_addf(text, "%s", label);
  for (int i = from; i < to; i++) {
    roof_text_addf(text, " %d", roof_topology_place(t, i));
  }
  roof_text_add(text, "\n");
}

/** The whole plan as text. */
static void write_plan(roof_text *text, const roof_topology *t) {
  char size[32];
  roof_text_addf(text,
                 "%d cores, %d of %d hardware threads, %d kinds, %d packages, %d domains, %d not paid\n",
                 t->core_count, t->thread_count, t->machine_threads, t->kind_count, t->package_count,
                 t->node_count, t->refused_cores);
  add_places(text, t, "one thread a core:", 0, t->core_count);
  add_places(text, t, "then:", t->core_count, t->thread_count);
  for (int i = 0; i < t->kind_count; i++) {
    roof_text_addf(text, "kind %s: %d cores, %s, the first on %d\n", t->kinds[i].name, t->kinds[i].cores,
                   isnan(t->kinds[i].highest_hz)
                       ? "clock unknown"
                       : roof_quantity_format(size, sizeof size, t->kinds[i].highest_hz, "Hz"),
                   roof_topology_place(t, roof_topology_first(t, i)));
  }
  for (int i = 0; i < t->cache_count; i++) {
    const roof_cache *cache = &t->caches[i];
    roof_text_addf(text, "L%d %s x %d beside %s\n", cache->level,
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
    roof_topology t = plan(names[i], NULL, INFINITY);
    roof_text text = {0};
    write_plan(&text, &t);
    compare(names[i], &text);
    roof_text_done(&text);
    roof_topology_done(&t);
  }
}

/* One thread of a core, all of another, none of the rest. */
static void affinity_narrows_the_plan(void **state) {
  (void)state;
  roof_topology t = plan("laptop", "1,2,6", INFINITY);
  assert_true(t.core_count == 2 && t.thread_count == 3 && t.machine_threads == 8);
  assert_true(roof_topology_place(&t, 0) == 1 && roof_topology_place(&t, 1) == 2);
  assert_int_equal(roof_topology_place(&t, 2), 6);
  assert_true(t.cache_count == 3 && t.caches[0].instances == 2 && t.caches[2].instances == 1);
  roof_topology_done(&t);
  t = plan("server", "10-19", INFINITY);
  assert_true(t.core_count == 10 && t.package_count == 1 && t.node_count == 2);
  assert_true(t.nodes[0].cores == 0 && t.nodes[1].cores == 10);
  roof_topology_done(&t);
  t = plan("hybrid", "12-19", INFINITY);
  assert_true(t.kind_count == 1 && t.core_count == 8 && t.caches[1].instances == 2);
  assert_string_equal(t.kinds[0].name, "E-core");
  roof_topology_done(&t);
}

static void quota_takes_the_fastest_cores(void **state) {
  (void)state;
  roof_topology t = plan("hybrid", NULL, 6.5);
  assert_true(t.core_count == 6 && t.refused_cores == 8 && t.kind_count == 1);
  assert_string_equal(t.kinds[0].name, "P-core");
  roof_topology_done(&t);
  t = plan("laptop", NULL, 0.5);
  assert_true(t.core_count == 1 && t.refused_cores == 3);
  roof_topology_done(&t);
}

static void nothing_to_run_on_is_an_error(void **state) {
  (void)state;
  roof_topology t = {.core_count = -1};
  roof_error error;
  hwloc_topology_t hwloc = load("laptop");
  hwloc_bitmap_t elsewhere = hwloc_bitmap_alloc();
  hwloc_bitmap_set(elsewhere, 99);
  assert_int_equal(roof_topology_read(hwloc, elsewhere, INFINITY, &t, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "cores: there is none to run on");
  assert_int_equal(t.core_count, -1);
  hwloc_bitmap_free(elsewhere);
  hwloc_topology_destroy(hwloc);
}

/** Registers two kinds on the ARM machine, which has none that differ. */
static roof_topology plan_of_two(const char *key, const char *slow, const char *fast) {
  roof_topology topology;
  hwloc_topology_t hwloc = load("guest-arm");
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  const char *const values[] = {slow, fast};
  for (unsigned i = 0; i < 2; i++) {
    struct hwloc_info_s infos = {(char *)(uintptr_t)key, (char *)(uintptr_t)values[i]};
    hwloc_bitmap_zero(set);
    hwloc_bitmap_set_range(set, 2 * i, 2 * (int)i + 1);
    assert_int_equal(hwloc_cpukinds_register(hwloc, set, (int)i, 1, &infos, 0), 0);
  }
  assert_int_equal(roof_topology_read(hwloc, NULL, INFINITY, &topology, NULL), ROOF_OK);
  hwloc_bitmap_free(set);
  hwloc_topology_destroy(hwloc);
  return topology;
}

static void clocks_alone_make_no_kinds(void **state) {
  (void)state;
  roof_topology t = plan_of_two("FrequencyMaxMHz", "5000", "5200");
  assert_true(t.kind_count == 1 && t.kinds[0].highest_hz == 5.2e9);
  assert_int_equal(roof_topology_place(&t, 0), 2); /* a favoured core is first all the same */
  roof_topology_done(&t);
  t = plan_of_two("LinuxCapacity", "430", "1024");
  assert_true(t.kind_count == 2 && roof_topology_place(&t, 0) == 2);
  assert_string_equal(t.kinds[0].name, "core");
  assert_string_equal(t.kinds[1].name, "core 2");
  roof_topology_done(&t);
}

/** Each domain's cores touch first what they read: a thread's part of an array is on its own domain. */
static void every_core_of_a_plan_has_a_domain(void **state) {
  (void)state;
  roof_topology t = plan("server", NULL, INFINITY);
  for (int i = 0; i < t.thread_count; i++) {
    const roof_core *core = roof_topology_core(&t, i);
    assert_int_equal(t.nodes[core->node].number, core->package);
    assert_true((roof_topology_place(&t, i) % 20 < 10) == (core->node == 0));
  }
  roof_topology_done(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(captured_machines_give_their_plans),
      cmocka_unit_test(affinity_narrows_the_plan),
      cmocka_unit_test(quota_takes_the_fastest_cores),
      cmocka_unit_test(nothing_to_run_on_is_an_error),
      cmocka_unit_test(clocks_alone_make_no_kinds),
      cmocka_unit_test(every_core_of_a_plan_has_a_domain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
