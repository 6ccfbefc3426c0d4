/* Levers and actions: what each moves, what it brings, what does not help, and the classes' thresholds. */
#include "test.h"

#include <stdio.h>

#include "roofline/advise.h"
#include "roofline/catalog.h"
#include "roofline/ops.h"

static roof_machine *h100 = NULL;
static roof_target fp16;

static int load(void **state) {
  (void)state;
  roof_types half = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  if (roof_catalog_load("h100", &h100, NULL) != ROOF_OK) {
    return 1;
  }
  h100->launch_seconds = NAN; /* gains of work alone, computed here by hand from the bound */
  options.without = ROOF_EFFECTS_ALL;
  return roof_target_init(&fp16, h100, &half, &options, NULL) != ROOF_OK;
}

static const roof_op *shape(const char *name, const double *given, int count, double *values) {
  const roof_op *op = NULL;
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  roof_op_defaults(op, values);
  memcpy(values, given, (size_t)count * sizeof *given);
  return op;
}

static roof_lever levers[64];
static double users; /* at once; 0 unknown */

static size_t rank(const roof_target *target, const char *name, const double *given, int count) {
  double values[ROOF_PARAM_MAX];
  const roof_op *op = shape(name, given, count, values);
  size_t found;
  assert_int_equal(roof_levers_rank(target, op, values, users, levers, 64, &found, NULL), ROOF_OK);
  assert_true(found > 0 && found <= 64);
  for (size_t i = 1; i < found; i++) {
    assert_true(isnan(levers[i - 1].gain) || levers[i].gain <= levers[i - 1].gain);
  }
  return found;
}

static const roof_lever *find(size_t count, roof_lever_kind kind, const char *change) {
  for (size_t i = 0; i < count; i++) {
    if (levers[i].kind == kind && strstr(levers[i].change, change) != NULL) {
      return &levers[i];
    }
  }
  fail_msg("no lever `%s` (%s)", change, roof_lever_name(kind));
}

static void left_of_the_ridge(void **state) {
  (void)state;
  size_t n = rank(&fp16, "gemm", (double[]){1, 28672, 8192}, 3);
  assert_near(find(n, ROOF_LEVER_RESOURCE, "math")->gain, 1, 1e-12);
  assert_non_null(strstr(find(n, ROOF_LEVER_RESOURCE, "math")->why, "left of the ridge"));
  assert_near(find(n, ROOF_LEVER_RESOURCE, "memory")->gain, 2, 1e-9);
  const roof_lever *weights = find(n, ROOF_LEVER_PRECISION, "weights in int4");
  assert_near(weights->gain, 3.876, 1e-3);
  assert_non_null(strstr(weights->moved, "bytes"));
  assert_null(strstr(weights->moved, "peak"));
  const roof_lever *native = find(n, ROOF_LEVER_PRECISION, "compute and store in fp8");
  assert_near(native->gain, 2, 1e-3);
  assert_non_null(strstr(native->moved, "bytes"));
  assert_non_null(strstr(native->moved, "peak"));
  const roof_lever *batch = find(n, ROOF_LEVER_BATCHING, "m=310 in one call instead of m=1");
  assert_true(batch->flips_at == 310);
  assert_int_equal(batch->regime, ROOF_COMPUTE_BOUND);
  assert_true(batch->gain > 290 && batch->gain < 310);
}

/** A batch is made of requests: with one user there is nothing to batch, with eight it ends at eight. */
static void batching_ends_at_the_users(void **state) {
  (void)state;
  const double token[] = {1, 28672, 8192};
  users = 1;
  const roof_lever *batch = find(rank(&fp16, "gemm", token, 3), ROOF_LEVER_BATCHING, "more than m=1");
  assert_near(batch->gain, 1, 1e-12);
  assert_non_null(strstr(batch->why, "1 user at once: there is nothing more to batch"));
  users = 8;
  batch = find(rank(&fp16, "gemm", token, 3), ROOF_LEVER_BATCHING, "m=8 in one call instead of m=1");
  assert_true(batch->gain > 7 && batch->gain <= 8 && batch->flips_at == 310);
  assert_int_equal(batch->regime, ROOF_MEMORY_BOUND);
  users = 4096;
  find(rank(&fp16, "gemm", token, 3), ROOF_LEVER_BATCHING, "m=310 in one call instead of m=1");
  users = 0;
}

static void right_of_the_ridge(void **state) {
  (void)state;
  size_t n = rank(&fp16, "gemm", (double[]){8192, 8192, 8192}, 3);
  assert_near(find(n, ROOF_LEVER_RESOURCE, "memory")->gain, 1, 1e-12);
  assert_near(find(n, ROOF_LEVER_RESOURCE, "math")->gain, 2, 1e-9);
  assert_near(find(n, ROOF_LEVER_PRECISION, "weights in int4")->gain, 1, 1e-12);
  const roof_lever *batch = find(n, ROOF_LEVER_BATCHING, "m=16384");
  assert_near(batch->gain, 1, 1e-12);
  assert_true(isnan(batch->flips_at));
}

/** Standard attention writes its scores; flash, the same arithmetic in one kernel, does not. */
static void fusion_removes_a_round_trip(void **state) {
  (void)state;
  const double standard[] = {1, 32, 2048, 2048, 128, 32, 0, 1};
  size_t n = rank(&fp16, "attention", standard, 8);
  const roof_lever *flash = find(n, ROOF_LEVER_FUSION, "algorithm=flash");
  assert_true(flash->gain > 1.5);
  assert_non_null(strstr(flash->moved, "bytes"));
  assert_null(strstr(flash->moved, "FLOPs"));
  /* relu reads and writes n elements; so does the reader of its result: 4 n bytes moved twice, then once. */
  n = rank(&fp16, "relu", (double[]){1 << 28}, 1);
  assert_near(find(n, ROOF_LEVER_FUSION, "one kernel")->gain, 2, 1e-9);
  assert_non_null(strstr(find(n, ROOF_LEVER_FUSION, "one kernel")->moved, "1.074 GB less"));
}

static void launches_where_overhead_binds(void **state) {
  (void)state;
  size_t n = rank(&fp16, "add", (double[]){1 << 20}, 1);
  const roof_lever *launches = find(n, ROOF_LEVER_LAUNCHES, "CUDA graphs");
  roof_prediction p;
  double values[ROOF_PARAM_MAX];
  const roof_op *op = shape("add", (double[]){1 << 20}, 1, values);
  roof_predict(&fp16, op, values, &p);
  assert_int_equal(p.regime, ROOF_OVERHEAD_BOUND);
  assert_true(isnan(launches->gain) && isnan(launches->seconds)); /* nobody knows what one costs */
  assert_non_null(strstr(launches->why, "whose cost is not known"));
  assert_ptr_equal(launches, &levers[0]);
  /* the levers start from the time that is predicted, however short */
  assert_near(find(n, ROOF_LEVER_RESOURCE, "memory")->gain, 2, 1e-9);
  assert_near(find(n, ROOF_LEVER_RESOURCE, "memory")->seconds, p.expected_seconds / 2, 1e-9);
  roof_target known = fp16;
  known.launch_seconds = 20e-6;
  n = rank(&known, "add", (double[]){1 << 20}, 1);
  launches = find(n, ROOF_LEVER_LAUNCHES, "CUDA graphs");
  assert_near(launches->gain, (p.expected_seconds + 20e-6) / p.expected_seconds, 1e-9);
  n = rank(&known, "gemm", (double[]){8192, 8192, 8192}, 3);
  assert_true(find(n, ROOF_LEVER_LAUNCHES, "CUDA graphs")->gain < ROOF_LEVER_HELPS);
}

static double expect(const roof_target *target, const char *name, const double *given, int count) {
  double values[ROOF_PARAM_MAX];
  const roof_op *op = shape(name, given, count, values);
  roof_prediction p;
  assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
  roof_predict(target, op, values, &p);
  return p.expected_seconds;
}

static roof_machine *target_of(const char *name, const roof_types *types, const char *framework,
                               roof_target *target) {
  roof_machine *machine = NULL;
  roof_options options = roof_options_default();
  options.framework = framework;
  assert_int_equal(roof_catalog_load(name, &machine, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(target, machine, types, &options, NULL), ROOF_OK);
  return machine;
}

/** A host that launches one kernel at a time is what a graph does without. */
static void launches_of_a_host(void **state) {
  (void)state;
  const double tiny[] = {16, 16, 16};
  roof_types types = roof_types_of(ROOF_BF16);
  roof_target eager, graph;
  roof_machine *a = target_of("h100", &types, ROOF_EAGER, &eager);
  roof_machine *b = target_of("h100", &types, NULL, &graph);
  size_t n = rank(&eager, "gemm", tiny, 3);
  const roof_lever *launches = find(n, ROOF_LEVER_LAUNCHES, "CUDA graphs");
  double now = expect(&eager, "gemm", tiny, 3), then = expect(&graph, "gemm", tiny, 3);
  assert_true(now > 15 * then);
  assert_near(launches->seconds, then, 1e-12);
  assert_near(launches->gain, now / then, 1e-12);
  assert_near(find(n, ROOF_LEVER_RESOURCE, "launches twice")->seconds, (now + then) / 2, 1e-12);
  roof_machine_free(a);
  roof_machine_free(b);
}

/** A machine's launch may be longer than the latency of its kernels: no more than that can be hidden. */
static void launches_longer_than_latencies(void **state) {
  (void)state;
  static const struct {
    const char *machine, *op, *framework;
    double given[3];
    int count;
  } cases[] = {{"a100", "relu", NULL, {42}, 1},
               {"gh200", "relu", NULL, {42}, 1},
               {"a100", "gemv", NULL, {8192, 4}, 2},
               {"a10", "linear", "trtllm", {16, 16, 419}, 3}};
  roof_types types = roof_types_of(ROOF_FP16);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_target target;
    roof_machine *machine = target_of(cases[i].machine, &types, cases[i].framework, &target);
    size_t n = rank(&target, cases[i].op, cases[i].given, cases[i].count);
    const roof_lever *launches = find(n, ROOF_LEVER_LAUNCHES, "CUDA graphs");
    assert_true(launches->seconds > 0 && launches->gain > 1);
    double twice = find(n, ROOF_LEVER_RESOURCE, "launches twice")->gain;
    assert_true(twice > 1 && twice <= 2);
    roof_machine_free(machine);
  }
}

/** Results stay in 16 bits where the arithmetic has fewer, which the lever says. */
static void what_results_are_in(void **state) {
  (void)state;
  const double layer[] = {256, 512, 512};
  roof_types types = roof_types_of(ROOF_BF16), narrow = roof_types_of(ROOF_FP8);
  roof_target wide, fp8;
  roof_machine *a = target_of("google-tpu-v6e", &types, NULL, &wide);
  narrow.output = ROOF_BF16;
  roof_machine *b = target_of("google-tpu-v6e", &narrow, NULL, &fp8);
  size_t n = rank(&wide, "linear", layer, 3);
  const roof_lever *lever = find(n, ROOF_LEVER_PRECISION, "compute and store in fp8, results in bf16");
  assert_near(lever->seconds, expect(&fp8, "linear", layer, 3), 1e-12);
  roof_machine_free(a);
  roof_machine_free(b);
}

/** What starts many kernels at once has another name on each maker's devices. */
static void launches_by_maker(void **state) {
  (void)state;
  static const char *const makers[][2] = {{"AMD", "HIP graphs"},
                                          {"Google", "one compiled program"},
                                          {"Somebody", "one launch for many, or a persistent kernel"}};
  for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
    snprintf(h100->vendor, sizeof h100->vendor, "%s", makers[i][0]);
    size_t n = rank(&fp16, "add", (double[]){1 << 20}, 1);
    assert_non_null(find(n, ROOF_LEVER_LAUNCHES, makers[i][1]));
  }
  snprintf(h100->vendor, sizeof h100->vendor, "NVIDIA");
}

/** fp64 has no weights of a model and needs more than half of its digits: fp32 alone is offered. */
static void what_computes_in_fp64(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_FP64);
  roof_options options = roof_options_default();
  roof_target fp64;
  assert_int_equal(roof_target_init(&fp64, h100, &types, &options, NULL), ROOF_OK);
  size_t n = rank(&fp64, "spmv", (double[]){1e6, 30e6}, 2);
  for (size_t i = 0; i < n; i++) {
    assert_true(levers[i].kind != ROOF_LEVER_PRECISION || strstr(levers[i].change, "fp32") != NULL);
  }
  assert_non_null(find(n, ROOF_LEVER_PRECISION, "compute and store in fp32"));
}

/** No time hides itself: what took longest and brings nothing says what the time then has most of. */
static void what_limits_next(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target bf16;
  assert_int_equal(roof_target_init(&bf16, h100, &types, &options, NULL), ROOF_OK);
  size_t n = rank(&bf16, "gemm", (double[]){512, 4096, 4096}, 3);
  const roof_lever *math = find(n, ROOF_LEVER_RESOURCE, "math twice");
  assert_true(math->gain < ROOF_LEVER_HELPS);
  assert_null(strstr(math->why, "hides"));
  assert_non_null(strstr(math->why, "then memory-bound (HBM): "));
  assert_non_null(strstr(math->why, ", units "));
}

static void plans_where_the_network_binds(void **state) {
  (void)state;
  size_t n = rank(&fp16, "allreduce", (double[]){4096, 8}, 2);
  roof_prediction p;
  double values[ROOF_PARAM_MAX];
  const roof_op *op = shape("allreduce", (double[]){4096, 8}, 2, values);
  roof_predict(&fp16, op, values, &p);
  assert_int_equal(p.regime, ROOF_NETWORK_BOUND);
  assert_true(find(n, ROOF_LEVER_PARALLEL, "half the ranks in a group (4)")->gain >= 1);
  /* The latency of NVLink is not known: steps take what is assumed, which for so small a message is nearly all. */
  assert_true(find(n, ROOF_LEVER_RESOURCE, "link twice")->gain < 1.01);
  assert_true(find(n, ROOF_LEVER_PRECISION, "half the bytes")->gain < 1.01);
  assert_true(find(n, ROOF_LEVER_BATCHING, "larger buckets")->gain > 1.9);
  assert_non_null(strstr(find(n, ROOF_LEVER_BATCHING, "larger buckets")->why, "is assumed to take 600.0 ns"));
  assert_near(find(n, ROOF_LEVER_PARALLEL, "overlapped")->gain, 2, 1e-9);
  for (size_t i = 0; i < n; i++) {
    assert_null(strstr(levers[i].change, "bus bandwidth")); /* a measured figure is no other link */
  }
}

static void steps_that_cost(void **state) {
  (void)state;
  roof_target slow = fp16;
  roof_link link = *fp16.link;
  link.latency_seconds = 1e-6;
  link.joins = NAN;
  slow.link = &link;
  size_t n = rank(&slow, "allreduce", (double[]){4096, 64}, 2);
  assert_true(find(n, ROOF_LEVER_PARALLEL, "algorithm=tree")->gain > 10);
  assert_true(find(n, ROOF_LEVER_BATCHING, "larger buckets")->gain > 1.9);
  assert_true(find(n, ROOF_LEVER_PRECISION, "half the bytes")->gain < ROOF_LEVER_HELPS);
  n = rank(&slow, "allreduce", (double[]){4e9, 8}, 2);
  const roof_lever *larger = find(n, ROOF_LEVER_BATCHING, "larger buckets");
  assert_true(larger->gain < ROOF_LEVER_HELPS);
  assert_non_null(strstr(larger->why, "not the 14 steps"));
}

static void what_does_not_fit(void **state) {
  (void)state;
  size_t n = rank(&fp16, "gemm", (double[]){1, 300000, 300000}, 3);
  assert_non_null(strstr(levers[0].change, "split over 3 devices"));
  assert_true(isnan(levers[0].gain));
  assert_int_equal(find(n, ROOF_LEVER_PRECISION, "weights in int4")->regime, ROOF_MEMORY_BOUND);
}

static void classes_and_their_thresholds(void **state) {
  (void)state;
  static const struct {
    roof_regime regime;
    double share;
    const char *name;
  } cases[] = {
      {ROOF_MEMORY_BOUND, 0, "memory-bound, low efficiency"},
      {ROOF_MEMORY_BOUND, 0.49, "memory-bound, low efficiency"},
      {ROOF_MEMORY_BOUND, 0.5, "memory-bound, moderate efficiency"},
      {ROOF_MEMORY_BOUND, 0.79, "memory-bound, moderate efficiency"},
      {ROOF_MEMORY_BOUND, 0.8, "memory-bound, high efficiency"},
      {ROOF_COMPUTE_BOUND, 0.69, "compute-bound, low efficiency"},
      {ROOF_COMPUTE_BOUND, 0.7, "compute-bound, high efficiency"},
      {ROOF_OVERHEAD_BOUND, 0.1, "overhead-bound"},
      {ROOF_NETWORK_BOUND, 0.9, "network-bound"},
      {ROOF_CAPACITY_BOUND, 0.9, "capacity-bound"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const roof_actions *actions = roof_actions_of(NULL, cases[i].regime, cases[i].share);
    assert_string_equal(actions->name, cases[i].name);
    for (int j = 0; j < 3; j++) {
      assert_true(strlen(actions->actions[j]) > 0);
    }
  }
  assert_null(roof_actions_of(NULL, ROOF_MEMORY_BOUND, NAN));
  assert_null(roof_actions_of(NULL, ROOF_MEMORY_BOUND, -0.1));
  assert_non_null(strstr(roof_actions_check(NULL, 0), "host"));
  assert_non_null(strstr(roof_actions_check(NULL, 1), "lanes"));
  assert_null(roof_actions_check(NULL, 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(left_of_the_ridge),
      cmocka_unit_test(batching_ends_at_the_users),
      cmocka_unit_test(right_of_the_ridge),
      cmocka_unit_test(fusion_removes_a_round_trip),
      cmocka_unit_test(launches_where_overhead_binds),
      cmocka_unit_test(launches_of_a_host),
      cmocka_unit_test(launches_longer_than_latencies),
      cmocka_unit_test(what_results_are_in),
      cmocka_unit_test(launches_by_maker),
      cmocka_unit_test(what_computes_in_fp64),
      cmocka_unit_test(what_limits_next),
      cmocka_unit_test(plans_where_the_network_binds),
      cmocka_unit_test(steps_that_cost),
      cmocka_unit_test(what_does_not_fit),
      cmocka_unit_test(classes_and_their_thresholds),
  };
  return cmocka_run_group_tests(tests, load, NULL);
}
