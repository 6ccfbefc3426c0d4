/* The cluster's file: read, written, judged, compared; ten thousand nodes through the collector. */
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/collect.h"
#include "roofline/measure.h"
#include "test.h"

/** What a line of a node says; 0 is as all others. */
typedef struct spec {
  const char *name, *governor, *absent;
  double fp64, read, cores, gpus, memory, throttles;
} spec;

static void add_line(const spec *s, roof_text *out) {
  roof_text_addf(out, "{\"name\": ");
  roof_text_add_json(out, s->name);
  roof_text_addf(
      out,
      ", \"processor\": \"P\", \"governor\": \"%s\", \"ranks\": 1, \"cores\": %.0f, \"gpus\": %.0f, "
      "\"memory_bytes\": %.0f, \"clock_hz\": 3e9, \"throttle_events\": %.0f, \"absent\": ",
      s->governor != NULL ? s->governor : "performance", s->cores > 0 ? s->cores : 64,
      s->gpus > 0 ? s->gpus : 4, s->memory > 0 ? s->memory : 512e9, s->throttles);
  if (s->absent != NULL) {
    roof_text_add_json(out, s->absent);
    roof_text_add(out, ", \"ceilings\": []}");
    return;
  }
  roof_text_add(out, "null, \"ceilings\": [{\"name\": \"fp64 vector\", \"unit\": \"FLOP/s\", \"median\": ");
  roof_text_add_number(out, s->fp64 > 0 ? s->fp64 : 2e12, 17);
  roof_text_add(out, ", \"spread\": 0.01}, {\"name\": \"DRAM read\", \"unit\": \"B/s\", \"median\": ");
  roof_text_add_number(out, s->read > 0 ? s->read : 300e9, 17);
  roof_text_add(out, ", \"spread\": 0.01}, {\"name\": \"DRAM latency\", \"unit\": \"s\", \"median\": 9e-8, "
                     "\"spread\": null}]}");
}

/** A document of these nodes and `same` more that are as all others. */
static roof_nodes *nodes_of(const spec *list, size_t count, size_t same) {
  roof_nodes *nodes = NULL;
  roof_text text = {0};
  roof_text_add(&text, "{\"schema\": \"roofline.nodes/1\", \"nodes\": [");
  for (size_t i = 0; i < count + same; i++) {
    char name[32];
    snprintf(name, sizeof name, "same%zu", i);
    const spec usual = {
        .name = name, .read = 300e9 + 1e8 * (double)(i % 5), .fp64 = 2e12 + 1e9 * (double)(i % 7)};
    roof_text_add(&text, i > 0 ? "," : "");
    add_line(i < count ? &list[i] : &usual, &text);
  }
  roof_text_add(&text, "]}");
  assert_int_equal(roof_nodes_read(text.data, text.length, "x", &nodes, NULL), ROOF_OK);
  roof_text_done(&text);
  return nodes;
}

static void outliers(void **state) {
  (void)state;
  static const struct {
    spec of;
    roof_outlier_kind kind;
    const char *evidence;
  } cases[] = {
      {{.name = "a", .read = 200e9},
       ROOF_OUTLIER_MEMORY,
       "DRAM read 200.0 GB/s, 33 % under the median of 300"},
      {{.name = "b", .fp64 = 1e12},
       ROOF_OUTLIER_NODE,
       "fp64 vector 1.000 TFLOP/s, 50 % under the median of 2.00"},
      {{.name = "c", .fp64 = 1e12, .throttles = 12}, ROOF_OUTLIER_THROTTLED, "lowered for heat 12 times"},
      {{.name = "d", .governor = "powersave"},
       ROOF_OUTLIER_GOVERNOR,
       "powersave, most nodes have performance"},
      {{.name = "e", .gpus = 3}, ROOF_OUTLIER_GPU, "3, most nodes have 4"},
      {{.name = "f", .cores = 63}, ROOF_OUTLIER_CORES, "63, most nodes have 64"},
      {{.name = "g", .memory = 448e9}, ROOF_OUTLIER_CAPACITY, "448.0 GB, most nodes have 512.0 GB"},
      {{.name = "h", .absent = "no answer"}, ROOF_OUTLIER_ABSENT, "no answer"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_nodes *nodes = nodes_of(&cases[i].of, 1, 9);
    assert_int_equal(nodes->outlier_count, 1);
    assert_int_equal(nodes->outliers[0].kind, cases[i].kind);
    assert_int_equal(nodes->outliers[0].node, 0);
    if (strstr(nodes->outliers[0].evidence, cases[i].evidence) == NULL) {
      fail_msg("%s", nodes->outliers[0].evidence);
    }
    roof_nodes_free(nodes);
  }
}

static void none_stands_out(void **state) {
  (void)state;
  roof_text text = {0};
  roof_nodes *nodes = nodes_of(NULL, 0, 12);
  assert_int_equal(nodes->outlier_count, 0);
  roof_nodes_sentence(nodes, &text);
  assert_string_equal(text.data, "12 nodes, none stands out");
  roof_nodes_free(nodes);
  roof_text_done(&text);
  const spec two[] = {{.name = "a"}, {.name = "b", .read = 100e9}};
  nodes = nodes_of(two, 2, 0); /* either could be the odd one */
  assert_int_equal(nodes->outlier_count, 0);
  roof_nodes_sentence(nodes, &text);
  assert_non_null(strstr(text.data, "too few to say"));
  roof_nodes_free(nodes);
  roof_text_done(&text);
}

static void pace(void **state) {
  (void)state;
  const spec slow = {.name = "slow", .read = 150e9};
  roof_nodes *nodes = nodes_of(&slow, 1, 4);
  size_t node = 99;
  assert_true(fabs(roof_nodes_pace(nodes, ROOF_PACE_MEMORY, &node) - 150e9 / 300.1e9) < 2e-3);
  assert_int_equal(node, 0);
  assert_true(roof_nodes_pace(nodes, ROOF_PACE_COMPUTE, NULL) > 0.99);
  assert_true(isnan(roof_nodes_pace(nodes, ROOF_PACE_GPU_COMPUTE, &node)));
  roof_nodes_free(nodes);
}

static void written_and_read(void **state) {
  (void)state;
  const spec odd[] = {{.name = "<b>\"&\xf0\x9f\x8c\x8d"}, {.name = "h", .absent = "why not"}};
  roof_nodes *nodes = nodes_of(odd, 2, 3), *again = NULL;
  roof_text first = {0}, second = {0};
  nodes->network = strdup("{\"links\": [1, 2]}");
  snprintf(nodes->date, sizeof nodes->date, "2026-01-31T12:00:00.000Z");
  snprintf(nodes->incomplete, sizeof nodes->incomplete, "because");
  assert_int_equal(roof_nodes_write(nodes, &first, NULL), ROOF_OK);
  assert_int_equal(roof_nodes_read(first.data, first.length, "x", &again, NULL), ROOF_OK);
  assert_int_equal(again->count, 5);
  assert_string_equal(again->list[0].name, odd[0].name);
  assert_string_equal(again->list[1].absent, "why not");
  assert_true(isnan(roof_nodes_figure(again, 1, 0).value));
  assert_string_equal(again->incomplete, "because");
  assert_int_equal(roof_nodes_write(again, &second, NULL), ROOF_OK);
  assert_string_equal(first.data, second.data);
  roof_nodes_free(nodes);
  roof_nodes_free(again);
  roof_text_done(&first);
  roof_text_done(&second);
}

static void refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
    int line, column;
  } cases[] = {
      {"", "is no JSON object", 1, 1},
      {"{\"schema\": \"roofline.nodes/1\",\n \"nodes\": [{\"name\": \"a\"", "ends early", 2, 24},
      {"{\"schema\": \"roofline.machine/1\"}", "its `schema` is not roofline.nodes/1", 1, 13},
      {"{}", "has no `schema`", 1, 1},
      {"{\"schema\": \"roofline.nodes/1\",\n\"nodes\": [{}]}", "a node without a `name`", 2, 11},
      {"{\"nodes\": [\n3]}", "a node is no object", 2, 1},
      {"{\"nodes\": [{\"name\": \"a\"}]}", "a node without the list `ceilings`", 1, 12},
      {"{\"nodes\": [{\"name\": \"a\", \"ceilings\": [{\"name\": \"x\", \"median\": -1}]}]}",
       "`median` is no rate or time over 0", 1, 63},
      {"{\"nodes\": [{\"name\": \"a\", \"ceilings\": [{\"name\": \"x\", \"median\": 0}]}]}",
       "`median` is no rate or time over 0", 1, 63},
      {"{\"nodes\": [{\"name\": \"a\", \"ceilings\": [{\"median\": null, \"name\": \"x\"},\n"
       " {\"name\": \"x\", \"median\": \"1e9\"}]}]}",
       "`median` is no number from 0 on", 2, 26},
      {"{\"nodes\": [{\"name\": \"a\", \"ceilings\": [{\"name\": \"x\", \"median\": 1, \"spread\": -1}]}]}",
       "`spread` is no number from 0 on", 1, 76},
      {"{\"nodes\": [{\"name\": \"a\", \"ceilings\": [{\"median\": 1}]}]}", "a ceiling without a `name`", 1,
       39},
      {"{\"nodes\": [{\"name\": \"a\", \"cores\": -1, \"ceilings\": []}]}",
       "`cores` is no whole number from 0 on", 1, 35},
      {"{\"nodes\": [{\"name\": \"a\", \"cores\": 1.5, \"ceilings\": []}]}",
       "`cores` is no whole number from 0 on", 1, 35},
      {"{\"nodes\": [{\"name\": \"a\", \"ceilings\": [], \"clock_hz\": \"x\"}]}",
       "`clock_hz` is no number from 0 on", 1, 54},
      {"{\"nodes\": [{\"name\": \"a\", \"ceilings\": []}, {\"name\": \"b\", \"ceilings\": []},\n"
       "{\"ceilings\": [], \"name\": \"a\"}, {\"name\": \"b\", \"ceilings\": []}]}",
       "two nodes of one name", 2, 26},
      {"{\"schema\": \"roofline.nodes/1\"} {}", "more than one JSON object", 1, 32},
      {"{\"schema\": \"roofline.nodes/1\" \"nodes\": []}", "a comma or `}` is missing", 1, 31},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_nodes *nodes = NULL;
    roof_error error;
    assert_int_equal(roof_nodes_read(cases[i].text, strlen(cases[i].text), "f.json", &nodes, &error),
                     ROOF_E_PARSE);
    assert_null(nodes);
    if (strstr(error.message, cases[i].why) == NULL || error.line != cases[i].line ||
        error.column != cases[i].column) {
      fail_msg("%s: %s at %d:%d", cases[i].text, error.message, error.line, error.column);
    }
  }
}

static void unknown_ceilings(void **state) {
  (void)state;
  static const char text[] =
      "{\"schema\": \"roofline.nodes/1\", \"nodes\": [{\"name\": \"a\", \"cores\": null, "
      "\"ceilings\": [{\"name\": \"x\", \"unit\": \"B/s\", \"median\": null}, {\"name\": \"y\", \"unit\": "
      "\"s\", "
      "\"median\": 1}]}, {\"name\": \"b\", \"ceilings\": []}]}";
  roof_nodes *nodes = NULL;
  assert_int_equal(roof_nodes_read(text, sizeof text - 1, "x", &nodes, NULL), ROOF_OK);
  assert_true(isnan(nodes->list[0].cores) && isnan(nodes->list[0].clock_hz));
  assert_int_equal(nodes->ceiling_count, 1);
  assert_string_equal(nodes->ceilings[0].name, "y");
  assert_int_equal(nodes->ceilings[0].count, 1);
  assert_true(isnan(roof_nodes_figure(nodes, 1, 1).value) && isnan(roof_nodes_figure(nodes, 7, 7).value));
  roof_nodes_free(nodes);
}

static void compared(void **state) {
  (void)state;
  const spec before[] = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}};
  const spec after[] = {{.name = "d", .governor = "powersave"},
                        {.name = "a", .read = 240e9, .fp64 = 1.97e12},
                        {.name = "b", .absent = "no answer"},
                        {.name = "e"}};
  roof_nodes *old = nodes_of(before, 4, 0), *new = nodes_of(after, 4, 0);
  roof_nodes_changes changes;
  roof_text text = {0};
  assert_int_equal(roof_nodes_compare(old, new, &changes, NULL), ROOF_OK);
  static const struct {
    const char *node, *figure;
    roof_node_verdict verdict;
  } expected[] = {{"d", "governor", ROOF_NODE_CHANGED},
                  {"a", "DRAM read", ROOF_NODE_FELL},
                  {"b", "node", ROOF_NODE_MISSING},
                  {"e", "node", ROOF_NODE_NEW},
                  {"c", "node", ROOF_NODE_MISSING}};
  assert_int_equal(changes.count, 5);
  for (size_t i = 0; i < changes.count; i++) {
    assert_string_equal(changes.list[i].node, expected[i].node);
    assert_string_equal(changes.list[i].figure, expected[i].figure);
    assert_int_equal(changes.list[i].verdict, expected[i].verdict);
  }
  assert_int_equal(changes.fallen, 3);
  roof_nodes_changes_sentence(&changes, &text);
  assert_non_null(
      strstr(text.data, "3 nodes fell behind what was expected: b node missing and 2 more figures;"));
  roof_text_done(&text);
  roof_nodes_changes_done(&changes);
  roof_nodes_free(old);
  roof_nodes_free(new);
}

static void expected_of_a_machine(void **state) {
  (void)state;
  const spec list[] = {{.name = "a", .read = 250e9}, {.name = "b"}};
  roof_nodes *nodes = nodes_of(list, 2, 0);
  roof_machine *machine = roof_machine_new();
  roof_peak *peak = roof_machine_add_peak(machine);
  roof_level *level = roof_machine_add_level(machine);
  roof_nodes_changes changes;
  roof_error error;
  assert_int_equal(roof_nodes_expect(machine, 0.1, nodes, &changes, &error), ROOF_E_ARGUMENT);
  peak->dtype = ROOF_FP64;
  peak->unit = ROOF_VECTOR;
  peak->kind = level->kind = ROOF_DATASHEET;
  peak->flops_per_second = 2.1e12;
  level->level = ROOF_MEMORY;
  snprintf(level->name, sizeof level->name, "DDR5");
  level->bytes_per_second = 307e9;
  assert_int_equal(roof_nodes_expect(machine, 0.1, nodes, &changes, &error), ROOF_OK);
  assert_int_equal(changes.fallen, 1);
  assert_int_equal(changes.count, 1);
  assert_string_equal(changes.list[0].node, "a");
  assert_string_equal(changes.list[0].figure, "DRAM");
  assert_int_equal(changes.counts[ROOF_NODE_SAME], 3);
  roof_nodes_changes_done(&changes);
  roof_machine_free(machine);
  roof_nodes_free(nodes);
}

/** Nodes of four domains each, of which domain 2 of the first reads 7 GB/s, the others about 10. */
static roof_nodes *nodes_of_domains(size_t count) {
  roof_nodes *nodes = NULL;
  roof_text text = {0};
  roof_text_add(&text, "{\"schema\": \"roofline.nodes/1\", \"nodes\": [");
  for (size_t i = 0; i < count; i++) {
    roof_text_addf(&text,
                   "%s{\"name\": \"n%zu\", \"domains\": \"4 at once, by a rank each\", \"ceilings\": [",
                   i > 0 ? "," : "", i);
    roof_text_addf(&text, "{\"name\": \"DRAM read\", \"unit\": \"B/s\", \"median\": %d}", i == 0 ? 28 : 40);
    for (size_t k = 0; k < 4; k++) {
      roof_text_addf(&text, ",{\"name\": \"DRAM at once, node %zu\", \"unit\": \"B/s\", \"median\": %.2f}", k,
                     i == 0 && k == 2 ? 7.0 : 10 + 0.01 * (double)((i + k) % 3));
    }
    roof_text_addf(&text, ",{\"name\": \"DRAM at once, all 4\", \"unit\": \"B/s\", \"median\": %d}]}",
                   i == 0 ? 37 : 40);
  }
  roof_text_add(&text, "]}");
  assert_int_equal(roof_nodes_read(text.data, text.length, "x", &nodes, NULL), ROOF_OK);
  roof_text_done(&text);
  return nodes;
}

/** Of few nodes the domains of one are compared with each other, of more that domain of all nodes. */
static void a_slow_domain_stands_out(void **state) {
  (void)state;
  static const char *const evidence[] = {
      "DRAM at once, node 2 7.000 B/s, 30 % under the median of 10.00 B/s of the node's 4 domains",
      "DRAM at once, node 2 7.000 B/s, 30 % under the median of 10.00 B/s ("};
  for (size_t count = 1; count <= 5; count += 4) {
    roof_nodes *nodes = nodes_of_domains(count);
    assert_int_equal(nodes->outlier_count, 1);
    const roof_outlier *f = &nodes->outliers[0];
    assert_int_equal(f->kind, ROOF_OUTLIER_DOMAIN);
    assert_int_equal(f->node, 0);
    assert_string_equal(nodes->ceilings[f->ceiling].name, "DRAM at once, node 2");
    if (strncmp(f->evidence, evidence[count > 1], strlen(evidence[count > 1])) != 0) {
      fail_msg("%s", f->evidence);
    }
    assert_true(count == 1 || strstr(f->evidence, "; the node's other 3 domains 10.0") != NULL);
    roof_nodes_free(nodes);
  }
}

/** By design: where all nodes have the same slower domain, it is none's fault. */
static void a_domain_that_is_slower_everywhere_is_none(void **state) {
  (void)state;
  roof_nodes *nodes = nodes_of_domains(5);
  size_t slow = (size_t)nodes->outliers[0].ceiling;
  for (size_t i = 0; i < nodes->count; i++) {
    nodes->list[i].figures[slow].value = 7;
    nodes->list[i].figures[0].value = 28;
  }
  assert_int_equal(roof_nodes_judge(nodes, NULL), ROOF_OK);
  for (size_t i = 0; i < nodes->outlier_count; i++) {
    assert_int_not_equal(nodes->outliers[i].kind, ROOF_OUTLIER_DOMAIN);
  }
  roof_nodes_free(nodes);
}

static void a_domain_that_fell_is_named(void **state) {
  (void)state;
  roof_nodes *old = nodes_of_domains(3), *new = nodes_of_domains(3);
  roof_nodes_changes changes;
  new->list[1].figures[3].value = 8;
  assert_int_equal(roof_nodes_compare(old, new, &changes, NULL), ROOF_OK);
  assert_true(changes.fallen == 1 && changes.count == 1);
  assert_string_equal(changes.list[0].figure, "DRAM at once, node 2");
  assert_string_equal(changes.list[0].node, "n1");
  roof_nodes_changes_done(&changes);
  roof_nodes_free(old);
  roof_nodes_free(new);
}

static void figures_of_a_machine(void **state) {
  (void)state;
  const roof_backend *fake = NULL;
  roof_measure_options how = roof_measure_options_default();
  roof_text line = {0};
  roof_node known = {.name = "n"};
  const rf_domain_reads none = {.count = 0};
  roof_nodes *nodes = roof_nodes_new();
  assert_int_equal(roof_backend_find("fake", &fake, NULL), ROOF_OK);
  assert_int_equal(rf_node_measure(&known, &none, "fake", &how, &line, NULL), ROOF_OK);
  assert_int_equal(roof_nodes_add(nodes, line.data, line.length, NULL), ROOF_OK);
  assert_string_equal(nodes->ceilings[0].name, "fp64 vector fake");
  assert_string_equal(nodes->ceilings[2].name, "DRAM read");
  assert_true(roof_nodes_figure(nodes, 0, 2).value > 0);
  assert_int_equal(rf_node_measure(&known, &none, "none", &how, &line, &(roof_error){0}), ROOF_E_NAME);
  roof_nodes_free(nodes);
  roof_text_done(&line);
}

enum { MANY = 10000, BYTES = 2048 };

static size_t allocated(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/** The lines of as many nodes as the largest clusters have, as they would come from as many ranks, last first. */
static void ten_thousand(void **state) {
  (void)state;
  const rf_launcher launcher = {.name = "the test"};
  const rf_collect_options options = {.path = "cluster.json"};
  rf_job job = {.launcher = &launcher, .size = MANY, .node_count = MANY};
  job.nodes = calloc(MANY, sizeof *job.nodes);
  job.node_of = calloc(MANY, sizeof *job.node_of);
  job.process = calloc(MANY, sizeof *job.process);
  rf_collection all;
  size_t before = allocated();
  assert_int_equal(rf_collection_init(&all, &job, &options, NULL), ROOF_OK);
  for (int i = MANY - 1; i >= 0; i--) {
    char name[32];
    roof_text line = {0};
    snprintf(name, sizeof name, "node%05d", i);
    const spec s = {.name = name, .read = i == 4711 ? 200e9 : 300e9 + 1e7 * (i % 100)};
    add_line(&s, &line);
    assert_int_equal(rf_collection_take(&all, i, line.data, line.length, NULL), ROOF_OK);
    roof_text_done(&line);
  }
  assert_int_equal(all.missing, 0);
  assert_true((allocated() - before) / MANY < BYTES);
  assert_int_equal(roof_nodes_judge(all.nodes, NULL), ROOF_OK);
  assert_int_equal(all.nodes->outlier_count, 1);
  assert_string_equal(all.nodes->list[all.nodes->outliers[0].node].name, "node04711");
  rf_collection_done(&all);
  free(job.nodes);
  free(job.node_of);
  free(job.process);
}

int main(void) {
  setlocale(LC_ALL, "");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outliers),
      cmocka_unit_test(none_stands_out),
      cmocka_unit_test(pace),
      cmocka_unit_test(written_and_read),
      cmocka_unit_test(refused),
      cmocka_unit_test(unknown_ceilings),
      cmocka_unit_test(compared),
      cmocka_unit_test(expected_of_a_machine),
      cmocka_unit_test(a_slow_domain_stands_out),
      cmocka_unit_test(a_domain_that_is_slower_everywhere_is_none),
      cmocka_unit_test(a_domain_that_fell_is_named),
      cmocka_unit_test(figures_of_a_machine),
      cmocka_unit_test(ten_thousand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
