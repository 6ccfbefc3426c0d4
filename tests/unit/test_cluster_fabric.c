/* Clocks of ranks, collectives by algorithm, the network's part of a cluster file. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "cluster/collectives.h"
#include "cluster/fabric_clock.h"

/* --- clocks --- */

enum { READINGS = 300 };

static double noise(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 33) / 2147483648.0;
}

/** Exchanges over a minute with a clock that is `offset` ahead and gains `drift`; a way takes 10 us and up to 200 us more, each way its own. */
static void exchange(double offset, double drift, rf_clock_reading *readings) {
  uint64_t state = 3;
  for (int i = 0; i < READINGS; i++) {
    double start = 1000 + i * 0.2, there = 10e-6 + 200e-6 * noise(&state) * noise(&state),
           back = 10e-6 + 200e-6 * noise(&state) * noise(&state);
    double answered = start + there;
    readings[i] = (rf_clock_reading){start + (there + back) / 2,
                                     answered + offset + drift * (answered - 1000), there + back};
  }
}

static void clocks_are_found_within_their_interval(void **state) {
  (void)state;
  static const double offsets[] = {0, 3.5, -86400}, drifts[] = {0, 2e-5, -5e-5};
  rf_clock_reading readings[READINGS];
  roof_clock clock;
  for (int o = 0; o < 3; o++) {
    for (int d = 0; d < 3; d++) {
      exchange(offsets[o], drifts[d], readings);
      assert_true(rf_clock_fit(readings, READINGS, &clock));
      double truth = offsets[o] + drifts[d] * (clock.at - 1000);
      assert_true(clock.offset.low <= truth && truth <= clock.offset.high);
      assert_true(clock.offset.high - clock.offset.low < 60e-6);
      assert_true(clock.drift.low <= drifts[d] && drifts[d] <= clock.drift.high);
      assert_true(clock.drift.high - clock.drift.low < 3e-6);
      for (double local = 1000; local < 1060; local += 7) { /* what joins timelines */
        double remote = local + offsets[o] + drifts[d] * (local - 1000);
        assert_true(fabs(rf_clock_remote(&clock, local) - remote) < 100e-6);
        assert_true(fabs(rf_clock_local(&clock, rf_clock_remote(&clock, local)) - local) < 1e-7);
      }
    }
  }
}

static void few_exchanges_show_no_drift(void **state) {
  (void)state;
  rf_clock_reading near[] = {{1, 2, 1e-3}, {1.001, 2.001, 1e-3}};
  roof_clock clock;
  assert_false(rf_clock_fit(near, 0, &clock));
  assert_true(rf_clock_fit(near, 2, &clock));
  assert_true(isnan(clock.drift.value));
  assert_near(rf_clock_remote(&clock, 5), 6, 1e-9);
}

/* --- collectives: Thakur, Rabenseifner and Gropp 2005, their formulas with gamma = 0 --- */

static const double alpha = 1e-5, beta = 1e-9;

static const roof_alpha_beta line = {.of = {{.alpha = {1e-5, 0, 0}, .beta = {1e-9, 0, 0}}}, .count = 1};

static double predicted(const char *op, const char *algorithm, int ranks, double size) {
  for (int i = 0; i < ROOF_COLLECTIVES; i++) {
    for (int a = 0; a < ROOF_CURVES && rf_collectives[i].algorithms[a].name != NULL; a++) {
      if (strcmp(rf_collectives[i].op, op) == 0 &&
          strcmp(rf_collectives[i].algorithms[a].name, algorithm) == 0) {
        return rf_collectives[i].algorithms[a].seconds(&line, ranks, size);
      }
    }
  }
  fail_msg("%s has no %s", op, algorithm);
  return NAN;
}

static void costs_are_the_paper_s(void **state) {
  (void)state;
  const double n = 1 << 20;
  for (int rounds = 1; rounds <= 6; rounds++) {
    int p = 1 << rounds;
    double part = (p - 1.0) / p, lg = rounds;
    const struct {
      const char *op, *algorithm;
      double seconds;
    } cases[] = {
        {"allgather", "ring", (p - 1) * alpha + part * n * beta},
        {"allgather", "recursive doubling", lg * alpha + part * n * beta},
        {"broadcast", "tree", lg * (alpha + n * beta)},
        {"broadcast", "scatter and ring", (lg + p - 1) * alpha + 2 * part * n * beta},
        {"broadcast", "scatter and doubling", 2 * lg * alpha + 2 * part * n * beta},
        {"reducescatter", "pairwise", (p - 1) * alpha + part * n * beta},
        {"reducescatter", "recursive halving", lg * alpha + part * n * beta},
        {"allreduce", "recursive doubling", lg * (alpha + n * beta)},
        {"allreduce", "halving and doubling", 2 * lg * alpha + 2 * part * n * beta},
        {"allreduce", "ring", 2 * (p - 1) * alpha + 2 * part * n * beta},
        {"alltoall", "Bruck", lg * (alpha + n / 2 * beta)},
        {"alltoall", "pairwise", (p - 1) * alpha + part * n * beta},
        {"barrier", "dissemination", lg * (alpha + n * beta)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      assert_near(predicted(cases[i].op, cases[i].algorithm, p, n), cases[i].seconds, 1e-9);
    }
  }
}

static void the_nearest_curve_is_followed(void **state) {
  (void)state;
  roof_collective_curve curve;
  rf_collective_predict(&rf_collectives[0], &line, 8, 1 << 20, 16, &curve);
  assert_string_equal(curve.op, "allreduce");
  assert_int_equal(curve.time_count, 4);
  assert_near(curve.times[3].bytes, 262144, 0);
  assert_string_equal(curve.algorithms[curve.times[0].expected],
                      "recursive doubling"); /* short: fewest messages */
  assert_string_equal(curve.algorithms[curve.times[3].expected], "halving and doubling");
  double ring = predicted("allreduce", "ring", 8, curve.times[3].bytes);
  double samples[] = {1.2 * ring, 0.9 * ring, 1.05 * ring};
  rf_collective_settle(&curve, &curve.times[3], samples, 3);
  assert_near(curve.times[3].seconds, 1.05 * ring, 1e-9);
  assert_string_equal(curve.algorithms[curve.times[3].follows], "ring");
  rf_collective_settle(&curve, &curve.times[2], samples, 0);
  assert_true(isnan(curve.times[2].seconds));
}

/* --- the file's part --- */

static roof_fabric example(void) {
  roof_fabric fabric = {.library = "Open MPI v4",
                        .ranks = 4,
                        .node_count = 4,
                        .distance_count = 1,
                        .bisection_bytes_per_second = 2e9,
                        .bisection_pairs = 2,
                        .collective_count = 1};
  fabric.nodes = calloc(4, sizeof *fabric.nodes);
  for (int i = 0; i < 4; i++) {
    roof_fabric_node *node = &fabric.nodes[i];
    snprintf(node->name, sizeof node->name, "n%d", i + 1);
    *node =
        (roof_fabric_node){.rank = i, .latency_seconds = 2e-6, .bytes_per_second = i == 2 ? 4e8 : 1e9 + i};
    snprintf(node->name, sizeof node->name, "n%d", i + 1);
  }
  fabric.distances[0] =
      (roof_distance_fit){.distance = ROOF_DISTANCE_SWITCH,
                          .ranks = {0, 3},
                          .nodes = {"n1", "n4"},
                          .time_count = 1,
                          .times = {{1, 2e-6, 1.9e-6, 2.1e-6, NAN, 0.5}},
                          .fit = line,
                          .messages_per_second = 1e6,
                          .loggp = {{1e-6, 9e-7, 2e-6}, {NAN, NAN, NAN}, {1e-7, NAN, NAN}, {1e-9, NAN, NAN}}};
  rf_collective_predict(&rf_collectives[0], &line, 4, 1024, 4, &fabric.collectives[0]);
  return fabric;
}

static void a_slower_node_is_found(void **state) {
  (void)state;
  roof_fabric fabric = example();
  assert_int_equal(roof_fabric_judge(&fabric, NULL), ROOF_OK);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(fabric.nodes[i].slow, i == 2);
  }
  fabric.nodes[1].latency_seconds = 9e-6;
  assert_int_equal(roof_fabric_judge(&fabric, NULL), ROOF_OK);
  assert_true(fabric.nodes[1].slow);
  for (int i = 0; i < 4; i++) { /* so wide a spread that scores say nothing */
    fabric.nodes[i].bytes_per_second = (double[]){1e9, 1.9e9, 4e8, 1.4e9}[i];
    fabric.nodes[i].latency_seconds = 2e-6;
  }
  assert_int_equal(roof_fabric_judge(&fabric, NULL), ROOF_OK);
  assert_true(fabric.nodes[2].bandwidth_z < 3.5 && fabric.nodes[2].slow && !fabric.nodes[0].slow);
  fabric.node_count = 2; /* of two, either could be the odd one */
  assert_int_equal(roof_fabric_judge(&fabric, NULL), ROOF_OK);
  assert_false(fabric.nodes[0].slow || fabric.nodes[1].slow);
  roof_fabric_done(&fabric);
}

static void what_is_written_is_read_again(void **state) {
  (void)state;
  roof_fabric fabric = example(), again, between = example();
  roof_text first = {0}, second = {0};
  fabric.gpus = calloc(1, sizeof *fabric.gpus);
  *fabric.gpus = between; /* its nodes with it */
  snprintf(fabric.gpus->library, sizeof fabric.gpus->library, "NCCL 2.18.3 on a GPU");
  assert_int_equal(roof_fabric_judge(&fabric, NULL), ROOF_OK);
  assert_int_equal(roof_fabric_write(&fabric, &first, NULL), ROOF_OK);
  assert_int_equal(roof_fabric_read(first.data, first.length, "x", &again, NULL), ROOF_OK);
  assert_int_equal(roof_fabric_write(&again, &second, NULL), ROOF_OK);
  assert_string_equal(first.data, second.data);
  assert_true(again.nodes[2].slow);
  assert_string_equal(again.gpus->library, "NCCL 2.18.3 on a GPU");
  assert_int_equal(again.gpus->collective_count, 1);
  assert_null(again.gpus->gpus);
  assert_near(roof_message_seconds(&roof_fabric_farthest(&again)->fit, 1000), 1.1e-5, 1e-9);
  roof_text_done(&first);
  roof_text_done(&second);
  roof_fabric_done(&fabric);
  roof_fabric_done(&again);
}

static void it_is_said_and_drawn(void **state) {
  (void)state;
  static roof_curves chart;
  roof_fabric fabric = example(), none = {0};
  roof_text out = {0}, svg = {0};
  assert_int_equal(roof_fabric_judge(&fabric, NULL), ROOF_OK);
  roof_fabric_sentence(&fabric, &out);
  assert_string_equal(
      out.data, "network: a message takes 10.00 µs, a long one goes at 1.000 GB/s (between nodes of one "
                "switch); slower than the others: n3");
  roof_fabric between = {.distance_count = 1, .distances = {{.distance = ROOF_DISTANCE_NODE, .fit = line}}};
  fabric.gpus = &between;
  roof_text_done(&out);
  roof_fabric_sentence(&fabric, &out);
  assert_non_null(strstr(out.data,
                         "others: n3; between GPUs a message takes 10.00 µs, a long one goes at 1.000 "
                         "GB/s (within a node)"));
  fabric.gpus = NULL;
  assert_int_equal(roof_fabric_chart(&none, &chart, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(roof_fabric_chart(&fabric, &chart, NULL), ROOF_OK);
  assert_int_equal(roof_draw_curves_svg(&chart, ROOF_CHART_WIDE, &svg, NULL), ROOF_OK);
  assert_non_null(strstr(svg.data, "switch, n1 to n4"));
  roof_text_done(&out);
  roof_text_done(&svg);
  roof_fabric_done(&fabric);
}

static void what_is_none_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",
      "[]",
      "{",
      "{}",
      "{\"distances\": [], \"nodes\": [], \"collectives\": 3}",
      "{\"distances\": [{\"distance\": \"moon\"}], \"nodes\": [], \"collectives\": []}",
      "{\"distances\": [{\"distance\": \"core\"}], \"nodes\": [], \"collectives\": []}",
      "{\"distances\": [], \"nodes\": [1], \"collectives\": []}",
      "{\"distances\": [], \"nodes\": [], \"collectives\": [{}]}",
      "{\"distances\": [], \"nodes\": [], \"collectives\": [], \"gpus\": {\"distances\": 1}}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    roof_fabric fabric = {.ranks = 77};
    roof_error error;
    assert_int_equal(roof_fabric_read(texts[i], strlen(texts[i]), "x.json", &fabric, &error), ROOF_E_PARSE);
    assert_int_equal(fabric.ranks, 77);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clocks_are_found_within_their_interval),
      cmocka_unit_test(few_exchanges_show_no_drift),
      cmocka_unit_test(costs_are_the_paper_s),
      cmocka_unit_test(the_nearest_curve_is_followed),
      cmocka_unit_test(a_slower_node_is_found),
      cmocka_unit_test(what_is_written_is_read_again),
      cmocka_unit_test(it_is_said_and_drawn),
      cmocka_unit_test(what_is_none_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
