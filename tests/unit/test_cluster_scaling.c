/* Scaling studies: what each rank has and sends, what laws the predictions keep, and that a wrong result is found. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/scaling_run.h"
#include "roofline/ops.h"

enum { CORES = 4 };

static const double core_peak = 1e11, core_memory = 1e10; /* all four cores draw 20 GB/s */

static const rf_scaling_kernel *kernel_named(const char *name) {
  const rf_scaling_kernel *kernel = NULL;
  assert_int_equal(rf_scaling_find(name, &kernel, NULL), ROOF_OK);
  return kernel;
}

static rf_scaling_part share(const char *name, const char *word, int ranks, bool weak) {
  const rf_scaling_kernel *kernel = kernel_named(name);
  double values[ROOF_PARAM_MAX];
  const char *words[4];
  char text[128], *rest = NULL;
  int count = 0;
  rf_scaling_part part;
  snprintf(text, sizeof text, "%s", word);
  for (char *at = strtok_r(text, " ", &rest); at != NULL; at = strtok_r(NULL, " ", &rest)) {
    words[count++] = at;
  }
  assert_int_equal(rf_scaling_problem(kernel, words, count, values, NULL), ROOF_OK);
  assert_int_equal(rf_scaling_share(kernel, values, ranks, weak, &part, NULL), ROOF_OK);
  return part;
}

static void ranks_double_up_to_all(void **state) {
  (void)state;
  int ranks[RF_SCALING_POINTS];
  assert_int_equal(rf_scaling_counts(1, ranks), 1);
  assert_int_equal(rf_scaling_counts(6, ranks), 4);
  const int expected[] = {1, 2, 4, 6};
  assert_memory_equal(ranks, expected, sizeof expected);
  assert_int_equal(rf_scaling_counts(8, ranks), 4);
  assert_int_equal(ranks[3], 8);
}

/** n = 8 on 2 x 2: each rank has 4 x 4 of C; of the 4 rows of A that it needs (32 numbers) half are its neighbour's, of B as many:
 * 32 numbers come to each of four ranks. */
static void bytes_of_summa_by_hand(void **state) {
  (void)state;
  rf_scaling_part p = share("gemm", "m=8 n=8 k=8", 4, false);
  assert_int_equal(p.rows, 2);
  assert_int_equal(p.columns, 2);
  assert_int_equal(p.steps, 2);
  assert_true(p.local[0] == 4 && p.local[1] == 4 && p.local[2] == 4);
  assert_true(p.sent_bytes == 4 * 32 * 8);
  assert_true(share("gemm", "m=8 n=8 k=8", 2, false).sent_bytes ==
              8 * 8 * 8); /* A alone, to one other column */
  assert_true(share("gemm", "m=8 n=8 k=8", 1, false).sent_bytes == 0);
  p = share("gemm", "m=12 n=12 k=12", 6, false);
  assert_int_equal(p.rows, 2);
  assert_int_equal(p.steps, 6);
  assert_true(share("stencil3d", "nx=6 ny=6 nz=8", 4, false).sent_bytes == 3 * 2 * 64 * 8);
  assert_true(share("gradients", "batch=8 in=4 out=4", 4, false).sent_bytes == 2 * 3 * 16 * 4);
}

/** The parts of all ranks are the whole, and in weak scaling each is what one rank had. */
static void work_is_conserved(void **state) {
  (void)state;
  static const char *const problems[][2] = {
      {"gemm", "m=48 n=24 k=96"}, {"stencil3d", "nx=10 ny=12 nz=48"}, {"gradients", "batch=96 in=32 out=16"}};
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    rf_scaling_part one = share(problems[i][0], problems[i][1], 1, false);
    for (int ranks = 2; ranks <= 8; ranks += 2) {
      rf_scaling_part strong = share(problems[i][0], problems[i][1], ranks, false);
      rf_scaling_part weak = share(problems[i][0], problems[i][1], ranks, true);
      assert_near(strong.flops, one.flops, 1e-12);
      assert_near(weak.flops, ranks * one.flops, 1e-12);
      assert_true(strong.sent_bytes > 0 && weak.sent_bytes >= strong.sent_bytes);
    }
  }
}

static void uneven_problems_are_refused(void **state) {
  (void)state;
  const rf_scaling_kernel *kernel = kernel_named("gemm");
  double values[ROOF_PARAM_MAX];
  const char *words[] = {"m=8", "n=8", "k=7"};
  rf_scaling_part part;
  roof_error error;
  assert_int_equal(rf_scaling_problem(kernel, words, 3, values, NULL), ROOF_OK);
  assert_int_equal(rf_scaling_share(kernel, values, 4, false, &part, &error), ROOF_E_ARGUMENT);
  assert_non_null(
      strstr(error.message, "k=7 is not shared evenly by 4 ranks, which cut it into 2: k=6 or k=8"));
  assert_int_equal(rf_scaling_find("gem", &kernel, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "did you mean `gemm`?"));
  const char *list[] = {"m=8,16"};
  assert_int_equal(rf_scaling_problem(kernel, list, 1, values, &error), ROOF_E_ARGUMENT);
}

static void add_peak(roof_machine *m, roof_dtype dtype, int cores, double rate) {
  roof_peak *peak = roof_machine_add_peak(m);
  peak->dtype = dtype;
  peak->unit = ROOF_VECTOR;
  peak->kind = ROOF_MEASURED;
  peak->cores = cores;
  peak->flops_per_second = rate;
}

static void add_memory(roof_machine *m, int cores, double rate) {
  roof_level *level = roof_machine_add_level(m);
  level->level = ROOF_MEMORY;
  level->kind = ROOF_MEASURED;
  level->cores = cores;
  level->bytes = 1e11;
  level->instances = 1;
  level->bytes_per_second = rate;
  snprintf(level->name, sizeof level->name, "DRAM");
}

/** Four cores; two of them already draw all that memory gives. */
static roof_machine *four_cores(void) {
  roof_machine *m = roof_machine_new();
  snprintf(m->name, sizeof m->name, "four");
  snprintf(m->device_class, sizeof m->device_class, "cpu");
  m->unit_count = CORES;
  for (int fp32 = 0; fp32 < 2; fp32++) {
    add_peak(m, fp32 ? ROOF_FP32 : ROOF_FP64, 1, core_peak * (1 + fp32));
    add_peak(m, fp32 ? ROOF_FP32 : ROOF_FP64, 0, CORES * core_peak * (1 + fp32));
  }
  add_memory(m, 1, core_memory);
  add_memory(m, 0, 2 * core_memory);
  return m;
}

static roof_alpha_beta link_of(double alpha, double beta) {
  return (roof_alpha_beta){.of = {{1, 1e9, {alpha, alpha, alpha}, {beta, beta, beta}}}, .count = 1};
}

/** `ranks` on nodes of `most` each. */
static rf_scaling_point predict(const char *name, const char *problem, int ranks, int most,
                                const roof_alpha_beta *fit) {
  roof_machine *m = four_cores();
  rf_scaling_point point = {.part = share(name, problem, ranks, false),
                            .place = {.nodes = ranks / most,
                                      .most = most,
                                      .cores = CORES,
                                      .distance = ranks > most ? ROOF_DISTANCE_NETWORK : ROOF_DISTANCE_NODE,
                                      .fit = fit}};
  roof_error error = {.message = ""};
  if (rf_scaling_predict(kernel_named(name), m, &point, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  roof_machine_free(m);
  return point;
}

static double efficiency(const rf_scaling_point *one, const rf_scaling_point *p) {
  return rf_scaling_speedup(one, one->predicted.seconds, p, p->predicted.seconds) / p->part.ranks;
}

/** Without a network's time cores scale arithmetic and not memory; nodes scale both. */
static void ranks_of_a_node_share_its_memory(void **state) {
  (void)state;
  const char *planes = "nx=256 ny=256 nz=256";
  const roof_alpha_beta none = link_of(0, 0);
  rf_scaling_point one = predict("stencil3d", planes, 1, 1, NULL);
  rf_scaling_point two = predict("stencil3d", planes, 2, 2, &none),
                   four = predict("stencil3d", planes, 4, 4, &none);
  rf_scaling_point apart = predict("stencil3d", planes, 4, 1, &none);
  assert_int_equal(one.predicted.regime, ROOF_MEMORY_BOUND);
  assert_near(efficiency(&one, &two), 1, 0.02);
  assert_near(efficiency(&one, &four), 0.5, 0.02);
  assert_near(efficiency(&one, &apart), 1, 0.02);
  const char *product = "m=1024 n=1024 k=1024";
  rf_scaling_point alone = predict("gemm", product, 1, 1, NULL),
                   shared = predict("gemm", product, 4, 4, &none);
  assert_near(efficiency(&alone, &shared), 1, 0.05);
}

/** More ranks than cores do not compute faster than the cores. */
static void ranks_beyond_the_cores_take_turns(void **state) {
  (void)state;
  const roof_alpha_beta none = link_of(0, 0);
  rf_scaling_point four = predict("gemm", "m=1024 n=1024 k=1024", 4, 4, &none);
  rf_scaling_point eight = predict("gemm", "m=1024 n=1024 k=1024", 8, 8, &none);
  assert_true(eight.predicted.compute_seconds >= four.predicted.compute_seconds * (1 - 1e-9));
}

/** A network costs efficiency, never gives any; what it takes is by hand. */
static void messages_cost_what_the_fit_says(void **state) {
  (void)state;
  const double alpha = 1e-5, beta = 1e-9;
  const roof_alpha_beta fit = link_of(alpha, beta);
  rf_scaling_point p = predict("gemm", "m=1024 n=1024 k=1024", 4, 1, &fit);
  double panel = 512 * 512 * 8; /* of A and of B, in each of two steps, to one other rank */
  assert_near(p.predicted.network_seconds, 2 * 2 * (alpha + beta * panel), 1e-9);
  p = predict("stencil3d", "nx=62 ny=62 nz=64", 4, 1, &fit);
  assert_near(p.predicted.network_seconds, alpha + beta * 2 * 64 * 64 * 8, 1e-9);
  p = predict("stencil3d", "nx=62 ny=62 nz=64", 4, 4, &fit); /* of one node: the same cores copy both ways */
  assert_near(p.predicted.network_seconds, alpha + beta * 4 * 64 * 64 * 8, 1e-9);
  p = predict("gradients", "batch=64 in=256 out=256", 2, 1, &fit);
  assert_near(p.predicted.network_seconds, alpha + beta * 256 * 256 * 4, 1e-9);
  static const char *const names[] = {"gemm", "stencil3d", "gradients"};
  static const char *const problems[] = {"m=512 n=512 k=512", "nx=128 ny=128 nz=128",
                                         "batch=1024 in=512 out=512"};
  for (int i = 0; i < 3; i++) {
    rf_scaling_point one = predict(names[i], problems[i], 1, 1, NULL);
    for (int ranks = 2; ranks <= 16; ranks *= 2) {
      p = predict(names[i], problems[i], ranks, 1, &fit);
      assert_true(efficiency(&one, &p) <= 1);
      assert_true(p.predicted.lower_seconds <= p.predicted.seconds);
      assert_near(p.predicted.seconds, p.predicted.compute_seconds + p.predicted.network_seconds, 1e-12);
    }
  }
}

/** A study of stencil3d on up to 8 ranks of 2 nodes, measured a tenth slower than predicted. */
static void fill_study(rf_scaling_study *study) {
  static const roof_alpha_beta near = {.of = {{1, 1e9, {1e-6, 1e-6, 1e-6}, {1e-10, 1e-10, 1e-10}}},
                                       .count = 1},
                               far = {.of = {{1, 1e9, {1e-5, 1e-5, 1e-5}, {1e-9, 1e-9, 1e-9}}}, .count = 1};
  *study = (rf_scaling_study){.kernel = kernel_named("stencil3d"), .values = {128, 128, 128}};
  study->links[0] = (rf_scaling_link){ROOF_DISTANCE_NODE, 1e-6, 1e10};
  study->links[1] = (rf_scaling_link){ROOF_DISTANCE_NETWORK, 1e-5, (double)NAN};
  study->link_count = 2;
  snprintf(study->machine, sizeof study->machine, "four");
  for (int ranks = 1; ranks <= 8; ranks *= 2) {
    rf_scaling_point *p = &study->points[study->count++];
    *p = predict("stencil3d", "nx=128 ny=128 nz=128", ranks, ranks < 4 ? ranks : 4, ranks > 4 ? &far : &near);
    p->measured.seconds = 1.1 * p->predicted.seconds;
    p->measured.steps = 7;
    snprintf(p->measured.verdict, sizeof p->measured.verdict, "normal");
    study->measured++;
  }
}

static void studies_are_read_as_they_were_written(void **state) {
  (void)state;
  static rf_scaling_study study, read;
  static roof_curves chart;
  roof_text text = {0}, words = {0}, again = {0};
  fill_study(&study);
  assert_int_equal(rf_scaling_write(&study, &text, NULL), ROOF_OK);
  assert_int_equal(rf_scaling_read(text.data, text.length, "s", &read, NULL), ROOF_OK);
  assert_true(read.kernel == study.kernel && !read.weak && read.count == 4 && read.measured == 4);
  assert_near(read.points[3].measured.seconds, study.points[3].measured.seconds, 1e-14);
  assert_int_equal(read.points[3].place.distance, ROOF_DISTANCE_NETWORK);
  assert_true(isnan(read.links[1].bytes_per_second) && read.points[3].measured.steps == 7);
  rf_scaling_sentence(&read, &words);
  rf_scaling_sentence(&study, &again);
  assert_string_equal(words.data, again.data);
  assert_int_equal(rf_scaling_chart(&read, &chart, NULL), ROOF_OK);
  assert_int_equal(chart.series_count, 2);
  assert_string_equal(chart.series[1], "network, no bandwidth found");
  assert_int_equal(chart.panels[0].dot_count, 6);
  roof_text_done(&text);
  roof_text_done(&words);
  roof_text_done(&again);
}

/** The text with `from` once replaced by `to`, read. */
static void refuse_changed(const char *text, const char *from, const char *to, const char *why) {
  static rf_scaling_study read;
  const char *at = strstr(text, from);
  roof_text changed = {0};
  roof_error error = {.message = ""};
  assert_non_null(at);
  roof_text_add_bytes(&changed, text, (size_t)(at - text));
  roof_text_add(&changed, to);
  roof_text_add(&changed, at + strlen(from));
  assert_int_equal(rf_scaling_read(changed.data, changed.length, "s", &read, &error), ROOF_E_PARSE);
  if (strstr(error.message, why) == NULL || error.line < 1) {
    fail_msg("%s (line %d), not: %s", error.message, error.line, why);
  }
  roof_text_done(&changed);
}

static void studies_that_make_no_sense_are_refused(void **state) {
  (void)state;
  static rf_scaling_study study;
  roof_text text = {0};
  fill_study(&study);
  assert_int_equal(rf_scaling_write(&study, &text, NULL), ROOF_OK);
  refuse_changed(text.data, "scaling/1", "scaling/9", "its `schema` is none that there is");
  refuse_changed(text.data, "\"strong\"", "\"stronk\"", "its `scaling` is none that there is");
  refuse_changed(text.data, "\"nx\": 128", "\"nx\": null", "no number for the parameter `nx`");
  refuse_changed(text.data, "\"ranks\": 1,", "\"ranks\": 2,", "the first point's `ranks` are not 1");
  refuse_changed(text.data, "\"ranks\": 4,", "\"ranks\": 2,", "not more than those of the one before");
  refuse_changed(text.data, "\"flops\": ", "\"flops\": -", "a point without `flops`");
  refuse_changed(text.data, "\"compute_seconds\"", "\"other\"", "`predicted` without the `seconds`");
  refuse_changed(text.data, "\"regime\": \"memory\"", "\"regime\": 1", "its `regime` is none that there is");
  refuse_changed(text.data, "\"distance\": \"network\"", "\"distance\": \"\"",
                 "its `distance` is none that there is");
  refuse_changed(text.data, "\"points\"", "\"dots\"", "`points` is no list of 1 to 24 objects");
  roof_text_done(&text);
}

/* --- results, of one rank that is its own MPI --- */

static int split(int group, int color) {
  (void)color;
  return group;
}

static int zero(int group) {
  return group * 0;
}

static bool all_reduce(int group, const float *in, float *out, size_t count) {
  (void)group;
  memcpy(out, in, count * sizeof *in);
  return true;
}

static bool wait_for_none(rf_mpi_request *requests, size_t count) {
  return requests != NULL && count == 0;
}

static const rf_mpi alone = {.split = split, .rank = zero, .all_reduce = all_reduce, .wait = wait_for_none};

static void *result_of(const rf_scaling_run *run) {
  return run->kernel->way == &rf_scaling_gradients ? run->own[0]
                                                   : ((const rf_operands *)run->local.state)->out;
}

/** A step is right, again too; one element that is off is found. */
static void check(const char *name, rf_scaling_part part) {
  rf_scaling_run run = {.kernel = kernel_named(name), .mpi = &alone, .part = part};
  roof_error error = {.message = ""};
  assert_int_equal(rf_scaling_prepare(&run, &error), ROOF_OK);
  assert_int_not_equal(run.kernel->way->verify(&run, &error), ROOF_OK); /* nothing is written yet */
  for (int i = 0; i < 2; i++) {
    assert_true(run.kernel->way->step(&run));
    if (run.kernel->way->verify(&run, &error) != ROOF_OK) {
      fail_msg("%s", error.message);
    }
  }
  double right = rf_data_at(result_of(&run), run.local.dtype, 0);
  rf_data_set(result_of(&run), run.local.dtype, 0, right + 0.01);
  assert_int_equal(run.kernel->way->verify(&run, &error), ROOF_E_INTERNAL);
  rf_scaling_release(&run);
}

static void wrong_results_are_found(void **state) {
  (void)state;
  check("gemm", share("gemm", "m=24 n=40 k=32", 1, false));
  check("stencil3d", share("stencil3d", "nx=9 ny=7 nz=5", 1, false));
  check("gradients", share("gradients", "batch=24 in=16 out=20", 1, false));
  rf_scaling_part steps =
      share("gemm", "m=24 n=40 k=16", 1, false); /* two panels, the second added to the first */
  steps.steps = 2;
  steps.whole[2] = 32;
  check("gemm", steps);
}

/** One step in which a rank waited for long, as when ranks take turns on a core: no share of a step is more than all of it. */
static void communication_is_a_share_of_a_step(void **state) {
  (void)state;
  const double seconds[] = {1, 1, 1, 1, 400}, network[] = {0.25, 0.5, 0.25, 0.125, 399};
  double share = rf_scaling_network_share(seconds, network, 5);
  assert_true(fabs(share - 0.25) < 1e-12);
  assert_true(isnan(rf_scaling_network_share(seconds, network, 0)));
}

/** A plane that a neighbour should have sent. */
static void missing_planes_are_found(void **state) {
  (void)state;
  rf_scaling_run run = {.kernel = kernel_named("stencil3d"),
                        .mpi = &alone,
                        .part = share("stencil3d", "nx=9 ny=7 nz=5", 1, false)};
  roof_error error;
  assert_int_equal(rf_scaling_prepare(&run, &error), ROOF_OK);
  rf_data_set(((rf_operands *)run.local.state)->in[0], ROOF_FP64, 11 * 9 * 6 + 5, 7);
  assert_true(run.kernel->way->step(&run));
  assert_int_equal(run.kernel->way->verify(&run, &error), ROOF_E_INTERNAL);
  assert_non_null(strstr(error.message, "stencil3d on 1 ranks: rank 0: element 599 is 7"));
  rf_scaling_release(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_double_up_to_all),
      cmocka_unit_test(bytes_of_summa_by_hand),
      cmocka_unit_test(work_is_conserved),
      cmocka_unit_test(uneven_problems_are_refused),
      cmocka_unit_test(ranks_of_a_node_share_its_memory),
      cmocka_unit_test(ranks_beyond_the_cores_take_turns),
      cmocka_unit_test(messages_cost_what_the_fit_says),
      cmocka_unit_test(studies_are_read_as_they_were_written),
      cmocka_unit_test(studies_that_make_no_sense_are_refused),
      cmocka_unit_test(wrong_results_are_found),
      cmocka_unit_test(communication_is_a_share_of_a_step),
      cmocka_unit_test(missing_planes_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
