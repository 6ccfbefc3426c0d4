/* What a transfer between two ranks has of a collective's times, and what it has not. */
#include <stdio.h>

#include "test.h"

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/effects.h"
#include "roofline/ops.h"
#include "roofline/plan.h"
#include "roofline/shape.h"

/** Seconds on a machine; `fill`: until a pipeline is full, NaN: as its constants say. */
static double seconds_on(const char *machine, const char *name, const char *shape, double fill) {
  roof_machine *loaded = NULL;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  assert_int_equal(roof_catalog_load(machine, &loaded, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, loaded, &types, &options, NULL), ROOF_OK);
  double *filled = &target.forms[ROOF_KERNEL_COLLECTIVE].values[ROOF_SPLIT_SECONDS];
  *filled = isnan(fill) ? *filled : fill;
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, shape, values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  roof_machine_free(loaded);
  return p.expected_seconds;
}

static double seconds_of(const char *name, const char *shape, double fill) {
  return seconds_on("h200", name, shape, fill);
}

/** Chunks are handed on from rank to rank, or copied next to those sent; of a buffer for one other rank neither. */
static void a_send_fills_no_pipeline(void **state) {
  (void)state;
  assert_true(seconds_of("sendrecv", "size=64M", 1e-5) == seconds_of("sendrecv", "size=64M", 0));
  assert_true(seconds_of("allreduce", "size=64M ranks=2", 1e-5) >
              seconds_of("allreduce", "size=64M ranks=2", 0) + 9e-6);
  assert_true(seconds_of("alltoall", "size=64M ranks=2", 1e-5) >
              seconds_of("alltoall", "size=64M ranks=2", 0) + 9e-6);
}

/** One rank has all that it is to have: nothing is sent or copied, whatever the collective. */
static void one_rank_waits_for_nothing(void **state) {
  (void)state;
  double launch = seconds_of("broadcast", "size=1G ranks=1", 0);
  static const char *const names[] = {"allreduce", "allgather", "reducescatter", "alltoall"};
  assert_true(launch < 20e-6);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    assert_true(seconds_of(names[i], "size=1G ranks=1", 0) == launch);
    assert_true(seconds_of(names[i], "size=1G ranks=2", 0) > 1e-3);
  }
  assert_true(seconds_of("allreduce", "size=1G ranks=1 algorithm=oneshot", 0) == launch);
  assert_true(seconds_of("ep_dispatch", "tokens=64k hidden=7168 top_k=8 ranks=1", 0) == launch);
}

/** The machine, to be freed, with the target and the operation of all-reduces in bf16 on it. */
static void all_reduces_on(const char *name, roof_machine **machine, roof_target *target,
                           const roof_op **op) {
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  assert_int_equal(roof_catalog_load(name, machine, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(target, *machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("allreduce", op, NULL), ROOF_OK);
}

/** The link binds where bytes take longer than the messages that wait for one another. */
static void short_exchanges_wait_for_messages(void **state) {
  (void)state;
  roof_target target;
  const roof_op *op = NULL;
  owned roof_machine *h100 = NULL;
  all_reduces_on("nvidia-h100-sxm", &h100, &target, &op);
  roof_prediction p;
  char wall[ROOF_NAME_MAX];
  roof_predict(&target, op, (double[ROOF_PARAM_MAX]){1000, 8, 0}, &p);
  assert_string_equal(roof_prediction_wall(&p, wall, sizeof wall), "overhead-bound (latency)");
  assert_true(p.expected_seconds <= roof_prediction_cutoff(&target, &p));
  roof_predict(&target, op, (double[ROOF_PARAM_MAX]){64e6, 8, 0}, &p);
  assert_string_equal(roof_prediction_wall(&p, wall, sizeof wall), "network-bound (NVLink 4)");
  assert_true(p.expected_seconds > roof_prediction_cutoff(&target, &p));
}

/** A launch that was given is no part of the link's time, messages are. */
static void launches_outlast_exchanges(void **state) {
  (void)state;
  static const struct {
    const char *op;
    double values[3], launch, cutoff;
    const char *wall;
  } rows[] = {
      {"allreduce", {1e6, 8, 0}, 1e-3, NAN, "overhead-bound (launch)"},
      {"sendrecv", {1e3}, 1e-3, NAN, "overhead-bound (launch)"},
      {"allreduce", {1e9, 8, 0}, 1e-3, NAN, "network-bound (NVLink 4)"},
      {"allreduce", {1e3, 8, 0}, NAN, 8e-6, "network-bound (NVLink 4)"},
      {"sendrecv", {1e3}, NAN, 8e-6, "overhead-bound (latency)"},
  };
  owned roof_machine *h100 = NULL;
  roof_types types = roof_types_of(ROOF_BF16);
  assert_int_equal(roof_catalog_load("nvidia-h100-sxm", &h100, NULL), ROOF_OK);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_options options = roof_options_default();
    roof_target target;
    const roof_op *op = NULL;
    double values[ROOF_PARAM_MAX] = {rows[i].values[0], rows[i].values[1], rows[i].values[2]};
    roof_prediction p;
    char wall[ROOF_NAME_MAX];
    options.launch = rows[i].launch;
    options.overhead_cutoff = rows[i].cutoff;
    assert_int_equal(roof_target_init(&target, h100, &types, &options, NULL), ROOF_OK);
    assert_int_equal(roof_op_find(rows[i].op, &op, NULL), ROOF_OK);
    roof_predict(&target, op, values, &p);
    assert_string_equal(roof_prediction_wall(&p, wall, sizeof wall), rows[i].wall);
  }
}

/** Without constants and without a known latency messages take what `model` assumes of them, give or take a lot. */
static void messages_of_unknown_latency_take_time(void **state) {
  (void)state;
  roof_target target;
  const roof_op *op = NULL;
  owned roof_machine *p100 = NULL;
  all_reduces_on("p100-pcie", &p100, &target, &op);
  const char *algorithm;
  roof_work work;
  roof_prediction p;
  double steps = 14, launch;
  roof_predict(&target, op, (double[ROOF_PARAM_MAX]){1024, 8, 0}, &p);
  launch = target.launch_seconds;
  assert_true(p.expected_seconds > launch + steps * 1e-6);
  assert_true(p.expected_high_seconds > launch + 4 * steps * 1e-6);
  assert_true(p.expected_low_seconds > launch && p.expected_low_seconds < launch + steps * 0.3e-6);
  assert_true(p.lower_seconds < 3e-6);
  roof_link complete = roof_link_complete(target.link, false);
  assert_true(roof_collective_seconds(&target, op, &complete, 1024, 8, &algorithm, &work) <
              p.expected_seconds);
  assert_true(complete.latency_seconds == 1e-6);
}

/** The time of a kilobyte's all-reduce over 64 H100s grows with its messages' between nodes, and nowhere jumps. */
static void slower_messages_take_no_jump(void **state) {
  (void)state;
  roof_target target;
  const roof_op *op = NULL;
  owned roof_machine *h100 = NULL;
  all_reduces_on("nvidia-h100-sxm", &h100, &target, &op);
  const char *algorithm;
  roof_work work;
  const double step = 1e-8, messages = 126;
  double before = 0, first = 0;
  for (int i = 0; i <= 400; i++) {
    roof_link link = {.bytes_per_second = 50e9, .latency_seconds = i * step};
    roof_link complete = roof_link_complete(&link, true);
    double seconds = roof_collective_seconds(&target, op, &complete, 1e3, 64, &algorithm, &work);
    first = i == 0 ? seconds : first;
    assert_true(i == 0 || (seconds >= before && seconds < before + 1.01 * messages * step));
    before = seconds;
  }
  assert_true(before > first + 10e-6);
}

/** What a link was measured to carry is what collectives have of it, whatever share of a datasheet's figure they reach. */
static void a_measured_link_is_not_discounted(void **state) {
  (void)state;
  for (const char *const *name = (const char *const[]){"nvidia-h100-sxm", "amd-epyc-9654", NULL};
       *name != NULL; name++) {
    owned roof_machine *m = NULL;
    roof_types types = roof_types_of(ROOF_FP32);
    roof_options options = roof_options_default();
    roof_target target;
    const roof_op *op = NULL;
    const char *algorithm;
    roof_work work;
    roof_link link = {.kind = ROOF_MEASURED, .bytes_per_second = 25e9, .latency_seconds = 2e-6};
    assert_int_equal(roof_catalog_load(*name, &m, NULL), ROOF_OK);
    assert_int_equal(roof_target_init(&target, m, &types, &options, NULL), ROOF_OK);
    assert_int_equal(roof_op_find("allreduce", &op, NULL), ROOF_OK);
    roof_link complete = roof_link_complete(&link, true);
    double ideal = 2 * 63.0 / 64 * 100e9 / 25e9;
    assert_near(roof_collective_seconds(&target, op, &complete, 100e9, 64, &algorithm, &work), ideal, 1e-2);
    complete.kind = ROOF_DATASHEET;
    assert_true(roof_collective_seconds(&target, op, &complete, 100e9, 64, &algorithm, &work) > 1.2 * ideal);
  }
}

/** Without constants nothing is known of a link without a latency, and nothing of no ranks. */
static void no_ranks_and_no_latency_have_no_time(void **state) {
  (void)state;
  const roof_link *ndr = NULL;
  const roof_op *op = NULL, *send = NULL;
  const char *algorithm;
  roof_work work;
  assert_int_equal(roof_network_find("ndr", NULL, &ndr, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("allreduce", &op, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("sendrecv", &send, NULL), ROOF_OK);
  roof_link complete = roof_link_complete(ndr, true);
  assert_true(isnan(roof_collective_seconds(NULL, op, ndr, 1e9, 8, &algorithm, &work)));
  assert_true(roof_collective_seconds(NULL, op, &complete, 1e9, 8, &algorithm, &work) > 0.035);
  assert_true(roof_collective_seconds(NULL, op, &complete, 1e9, 1, &algorithm, &work) == 0);
  assert_true(isnan(roof_collective_seconds(NULL, op, &complete, 1e9, 0, &algorithm, &work)));
  assert_true(isnan(roof_collective_seconds(NULL, op, &complete, 1e9, NAN, &algorithm, &work)));
  assert_true(roof_collective_seconds(NULL, send, &complete, 1e9, 0, &algorithm, &work) > 0.02);
}

/** Of n ranks that share a path each has an nth of it or more: what one board shows beyond is not for others. */
static void a_shared_path_is_shared_evenly_at_worst(void **state) {
  (void)state;
  for (const char *const *name = (const char *const[]){"rtx-5090", "rtx-4090", "t4", "a10", "max-1550", NULL};
       *name != NULL; name++) {
    owned roof_machine *machine = NULL;
    roof_types types = roof_types_of(ROOF_FP16);
    assert_int_equal(roof_catalog_load(*name, &machine, NULL), ROOF_OK);
    const roof_constants *found = roof_constants_find(machine, ROOF_KERNEL_COLLECTIVE, &types, NULL);
    assert_non_null(found);
    assert_true(found->values[ROOF_SHARING] <= 1);
    assert_true(found->values[ROOF_TIME_HIGH] > 1.5);
  }
}

/** More ranks than a node has wait for the tree's messages, whichever algorithm is named: 7 and one for each doubling. */
static void many_ranks_wait_for_a_tree(void **state) {
  (void)state;
  static const char *const names[] = {"allreduce", "allgather", "reducescatter", "alltoall", "broadcast"};
  static const int counts[] = {7, 8, 9, 16, 17, 32, 33, 64, 65, 72};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    double before = seconds_on("gb200", names[i], "size=1K ranks=6", NAN);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
      int ranks = counts[k];
      char ring[64], tree[64], more[64];
      snprintf(ring, sizeof ring, "size=1K ranks=%d", ranks);
      snprintf(tree, sizeof tree, "size=1K ranks=%d algorithm=tree", ranks);
      snprintf(more, sizeof more, "size=2K ranks=%d", ranks);
      double seconds = seconds_on("gb200", names[i], ring, NAN);
      assert_true(seconds <= seconds_on("gb200", names[i], tree, NAN));
      assert_true(seconds >= before * (1 - 1e-3) && seconds <= seconds_on("gb200", names[i], more, NAN));
      assert_true(seconds < 1.15 * before);
      before = seconds;
    }
  }
}

/** Beyond the eight ranks that constants are fitted to, ranks on a host share what those have evenly. */
static void more_ranks_share_a_path_evenly(void **state) {
  (void)state;
  double eight = seconds_on("l40s", "broadcast", "size=1G ranks=8", NAN);
  double nine = seconds_on("l40s", "broadcast", "size=1G ranks=9", NAN);
  double many = seconds_on("l40s", "broadcast", "size=1G ranks=72", NAN);
  assert_true(nine > eight && nine < 1.2 * eight);
  assert_near(many, eight * 9, 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_send_fills_no_pipeline),
                                     cmocka_unit_test(one_rank_waits_for_nothing),
                                     cmocka_unit_test(short_exchanges_wait_for_messages),
                                     cmocka_unit_test(launches_outlast_exchanges),
                                     cmocka_unit_test(messages_of_unknown_latency_take_time),
                                     cmocka_unit_test(slower_messages_take_no_jump),
                                     cmocka_unit_test(a_measured_link_is_not_discounted),
                                     cmocka_unit_test(no_ranks_and_no_latency_have_no_time),
                                     cmocka_unit_test(a_shared_path_is_shared_evenly_at_worst),
                                     cmocka_unit_test(many_ranks_wait_for_a_tree),
                                     cmocka_unit_test(more_ranks_share_a_path_evenly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
