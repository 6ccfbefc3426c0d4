/* Rooflines of words, kernels, a ladder and a program, from the library alone. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "roofline/ops.h"
#include "roofline/plot.h"

static roof_machine *h100 = NULL;
static roof_scene scene;

static int load(void **state) {
  (void)state;
  return roof_catalog_load("nvidia-h100-sxm", &h100, NULL) != ROOF_OK;
}

static int unload(void **state) {
  (void)state;
  roof_machine_free(h100);
  return 0;
}

static const roof_backend *fake(void) {
  const roof_backend *backend = NULL;
  assert_int_equal(roof_backend_find("fake", &backend, NULL), ROOF_OK);
  return backend;
}

/** A prediction as a dot for each level whose bytes differ; equal ones share one. */
static void a_prediction_at_each_level(void **state) {
  (void)state;
  const char *const machines[] = {"a100", NULL}, *const words[] = {"m=n=k=4096"};
  roof_targets targets;
  roof_shape shape;
  const roof_op *gemm;
  roof_formats formats = {.dtype = "fp32"};
  roof_options_text options = {.tile = "128"};
  assert_int_equal(roof_op_find("gemm", &gemm, NULL), ROOF_OK);
  assert_int_equal(roof_shape_parse(&shape, gemm, words, 1, NULL, NULL), ROOF_OK);
  assert_int_equal(roof_targets_init(&targets, machines, &formats, NULL, &options, NULL), ROOF_OK);
  assert_int_equal(roof_prediction_scene(&targets, &shape, &scene, NULL), ROOF_OK);
  assert_int_equal(scene.dot_count, 2);
  assert_string_equal(scene.dots[0].label, "gemm at L1/shared, L2");
  assert_string_equal(scene.dots[1].label, "gemm at HBM");
  assert_true(scene.dots[0].inner && scene.dots[0].next == 1 && !scene.dots[1].inner);
  assert_true(scene.dots[0].intensity < scene.dots[1].intensity);
  roof_shape_done(&shape);
  roof_targets_done(&targets);
}

static void words_as_dots_and_rows(void **state) {
  (void)state;
  const char *const words[] = {"gemm", "m=1,256", "n=k=4096", "llama-3.1-8b", "batch=8"};
  static roof_scene_row rows[ROOF_SCENE_ROOFS + ROOF_SCENE_DOTS];
  roof_plot plot = {.machines = &h100, .machine_count = 1, .arrows = true};
  roof_error error = {0};
  if (roof_scene_read(&scene, &plot, words, 5, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  int phases = 0;
  for (int i = 2; i < scene.dot_count; i++) {
    phases += strchr(scene.dots[i].label, ' ') == NULL;
  }
  assert_int_equal(phases, 3); /* prefill, decode, both mixed, the first two with their operations */
  assert_true(scene.dot_count > 20);
  assert_int_equal(scene.dots[0].next, 1);
  assert_int_equal(roof_scene_rows(&scene, rows), scene.roof_count + scene.dot_count);
  assert_string_equal(rows[0].what, "roof");
  assert_true(isnan(rows[0].share));
  const roof_scene_row *dot = &rows[scene.roof_count];
  assert_string_equal(dot->what, "predicted");
  assert_near(dot->share, dot->flops_per_second / dot->ceiling_flops_per_second, 1e-12);
  assert_true(isnan(dot->bytes_per_second));
  assert_int_equal(roof_scene_read(&scene, &plot, (const char *const[]){"gem"}, 1, &error), ROOF_E_NAME);
}

static void formats_of_one_machine(void **state) {
  (void)state;
  const char *const dtypes[] = {"fp16", "int4"}, *const words[] = {"gemm", "m=1", "n=k=4096"};
  roof_machine *two[] = {h100, h100};
  roof_plot plot = {.machines = two, .machine_count = 1, .dtypes = dtypes, .dtype_count = 2};
  assert_int_equal(roof_scene_read(&scene, &plot, words, 3, NULL), ROOF_OK);
  assert_int_equal(scene.series_count, 2);
  assert_int_equal(scene.dot_count, 2);
  assert_true(scene.dots[1].intensity > scene.dots[0].intensity); /* int4 weights, multiplied in fp16 */
  plot.machine_count = 2;
  assert_int_equal(roof_scene_read(&scene, &plot, words, 3, NULL), ROOF_E_ARGUMENT);
}

static void kernels_that_ran(void **state) {
  (void)state;
  const char *const words[] = {"triad", "n=1k,64M"};
  roof_measure_options how = roof_measure_options_default();
  roof_machine *machine = NULL;
  roof_runs runs;
  how.quick = true;
  roof_runs_init(&runs, fake(), ROOF_DTYPE_COUNT, &how);
  assert_int_equal(roof_runs_select(&runs, words, 2, NULL), ROOF_OK);
  for (size_t i = 0; i < runs.count; i++) {
    assert_int_equal(roof_runs_measure(&runs, i, NULL), ROOF_OK);
  }
  assert_int_equal(roof_runs_scene(&runs, &scene, NULL), ROOF_E_UNSUPPORTED); /* ceilings not known yet */
  assert_int_equal(runs.backend->measure(&runs.how, &machine, NULL), ROOF_OK);
  roof_runs_place(&runs, machine);
  assert_int_equal(roof_runs_scene(&runs, &scene, NULL), ROOF_OK);
  assert_int_equal(scene.dot_count, 2);
  assert_string_equal(scene.dots[0].label, "triad n=1000");
  assert_string_equal(scene.series[scene.dots[1].series], "data in DRAM");
  roof_runs_done(&runs);
}

static void rungs_walk_to_the_right(void **state) {
  (void)state;
  const char *const words[] = {"m=n=k=64"};
  roof_measure_options how = roof_measure_options_default();
  roof_machine *machine = NULL;
  const roof_op *gemm = NULL;
  roof_ladder l;
  how.quick = true;
  assert_int_equal(roof_op_find("gemm", &gemm, NULL), ROOF_OK);
  assert_int_equal(roof_ladder_find(&l, fake(), gemm, ROOF_FP32, &how, words, 1, NULL), ROOF_OK);
  assert_int_equal(fake()->measure(&how, &machine, NULL), ROOF_OK);
  assert_int_equal(roof_ladder_predict(&l, machine, 0, NULL), ROOF_OK);
  for (int i = 0; i < l.count; i++) {
    if (l.rungs[i].skipped[0] == '\0') {
      assert_int_equal(roof_ladder_measure(&l, i, &how, NULL), ROOF_OK);
    }
  }
  assert_int_equal(roof_ladder_scene(&l, &scene, NULL), ROOF_OK);
  assert_true(scene.dot_count >= 7);
  assert_int_equal(scene.dots[0].next, 1);
  assert_non_null(strstr(scene.subtitle, "m=64 n=64 k=64"));
  roof_ladder_done(&l);
  roof_machine_free(machine);
}

static void a_program(void **state) {
  (void)state;
  const char *const words[] = {"/bin/sh", "-c", "exit 0", NULL};
  roof_program_options options = roof_program_options_default();
  roof_program *program = NULL;
  options.flops = options.bytes = 1e6;
  assert_int_equal(roof_program_run(words, h100, &options, &program, NULL), ROOF_OK);
  assert_int_equal(roof_program_scene(program, &scene, NULL), ROOF_OK);
  assert_int_equal(scene.dot_count, 1);
  assert_near(scene.dots[0].intensity, 1, 1e-12);
  roof_program_free(program);
  assert_int_equal(roof_program_run(words, NULL, &options, &program, NULL), ROOF_OK);
  assert_int_equal(roof_program_scene(program, &scene, NULL), ROOF_E_UNSUPPORTED);
  roof_program_free(program);
}

/** Two kernels whose FLOPs and bytes were counted, on the roof and over time. */
static void a_profile(void **state) {
  (void)state;
  static const char counted[] = "{\"schema\": \"roofline.measurements/1\", \"source\": \"x\", \"format\": "
                                "null, \"machine\": null, \"skipped\": [],"
                                "\"kernels\": ["
                                "{\"name\": \"a\", \"calls\": 1, \"seconds\": 1e-5, \"samples\": [], "
                                "\"flops\": {\"fp32\": 2e6}, \"bytes\": {\"DRAM\": 1e6}, \"counted\": {}},"
                                "{\"name\": \"b\", \"calls\": 1, \"seconds\": 2e-5, \"samples\": [], "
                                "\"flops\": {\"fp32\": 4e6}, \"bytes\": {\"DRAM\": 1e6}, \"counted\": {}}]}";
  static const char nsys[] =
      "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes "
      "(MB),"
      "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n"
      "0,100,1,1,1,1,1,1,1,,,,,,,,X (0),1,7,a\n200,100,1,1,1,1,1,1,1,,,,,,,,X (0),1,8,b\n";
  roof_profile profile;
  roof_ceilings ceilings;
  roof_ranking ranking;
  roof_accounting accounting;
  roof_text out = {0};
  char title[80];
  assert_int_equal(roof_ceilings_init(&ceilings, h100, 0, NULL, NULL), ROOF_OK);
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(counted, sizeof counted - 1, "x", NULL, &profile, NULL), ROOF_OK);
  assert_int_equal(roof_profile_rank(&profile, &ceilings, NULL, &ranking, NULL), ROOF_OK);
  assert_int_equal(roof_ranking_scene(&profile, &ranking, &ceilings, false, &scene, NULL), ROOF_OK);
  assert_int_equal(scene.dot_count, 2);
  assert_near(scene.dots[0].intensity * scene.dots[1].intensity, 2 * 4, 1e-9);
  ceilings.machine = NULL;
  assert_int_equal(roof_ranking_scene(&profile, &ranking, &ceilings, false, &scene, NULL), ROOF_E_ARGUMENT);
  free(ranking.rows);
  roof_profile_done(&profile);

  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(nsys, sizeof nsys - 1, "x", NULL, &profile, NULL), ROOF_OK);
  assert_int_equal(roof_timeline_account(profile.timeline, &accounting, NULL), ROOF_OK);
  assert_int_equal(roof_timeline_svg(&profile, &accounting, 0, &out, NULL), ROOF_OK);
  assert_non_null(strstr(out.data, "stream 7"));
  assert_non_null(strstr(out.data, "stream 8"));
  roof_timeline_title(&profile, title, sizeof title);
  assert_string_equal(title, "Time line of X");
  roof_text_done(&out);
  roof_accounting_done(&accounting);
  roof_profile_done(&profile);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_prediction_at_each_level),
      cmocka_unit_test(words_as_dots_and_rows),
      cmocka_unit_test(formats_of_one_machine),
      cmocka_unit_test(kernels_that_ran),
      cmocka_unit_test(rungs_walk_to_the_right),
      cmocka_unit_test(a_program),
      cmocka_unit_test(a_profile),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
