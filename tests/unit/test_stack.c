/* No function of the library needs more than 64 KiB of stack: each family of entry points in such a thread. */
#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "owned.h"
#include "roofline/roofline.h"

/* What is not optimized, or watched by a sanitizer, needs more and shows nothing. */
#if defined(SANITIZED) || !defined(__OPTIMIZE__)
enum { STACK = 8 << 20 };
#else
enum { STACK = 64 << 10 };
#endif

static char folder[64];

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/test_stack.XXXXXX");
  return mkdtemp(folder) == NULL;
}

static int tear_down(void **state) {
  (void)state;
  return rmdir(folder);
}

static char *source_path(char *buffer, size_t size, const char *name) {
  const char *source = getenv("ROOFLINE_SOURCE");
  snprintf(buffer, size, "%s/%s", source != NULL ? source : ".", name);
  return buffer;
}

typedef struct job {
  roof_status (*work)(roof_error *error);
  roof_status status;
  roof_error error;
} job;

static void *run_job(void *user) {
  job *j = user;
  j->status = j->work(&j->error);
  return NULL;
}

static void run_small(roof_status (*work)(roof_error *error)) {
  pthread_t thread;
  pthread_attr_t attributes;
  static job j;
  j = (job){.work = work};
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
  assert_int_equal(pthread_create(&thread, &attributes, run_job, &j), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attributes);
  if (j.status != ROOF_OK) {
    fail_msg("%s", j.error.message);
  }
}

/** A prediction of a product on the machine, which the target points into. */
static roof_status predict_on(const roof_machine *machine, roof_target *target, roof_prediction *p,
                              double *values, const roof_op **op, roof_error *error) {
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  roof_status status = roof_op_find("gemm", op, error);
  status = status == ROOF_OK ? roof_target_init(target, machine, &types, &options, error) : status;
  if (status == ROOF_OK) {
    roof_op_defaults(*op, values);
    values[0] = values[1] = values[2] = 4096;
    status = roof_op_complete(*op, values, error);
  }
  if (status == ROOF_OK) {
    roof_predict(target, *op, values, p);
  }
  return status;
}

static roof_status load_and_lint(roof_error *error) {
  owned roof_machine *machine = NULL;
  owned roof_machine *copy = NULL;
  owned roof_machine *device = NULL;
  static const char *const names[] = {"h100"};
  roof_lint lint = {0};
  roof_search search = {0};
  roof_sheet sheet = {0};
  roof_text text = {0};
  roof_status status = roof_catalog_load("h100", &machine, error);
  status = status == ROOF_OK ? roof_catalog_search("", &search, error) : status;
  status = status == ROOF_OK ? roof_catalog_lint(names, 1, &lint, error) : status;
  status = status == ROOF_OK ? roof_sheet_init(&sheet, machine, error) : status;
  if (status == ROOF_OK) {
    roof_search_done(&search);
    roof_lint_done(&lint);
    roof_sheet_done(&sheet);
    copy = roof_machine_copy(machine);
    status = roof_machine_write(copy, &text, error);
  }
  status = status == ROOF_OK ? roof_catalog_load_device("NVIDIA H200", &device, error) : status;
  status = status == ROOF_OK ? roof_machine_template("new", &text, error) : status;
  roof_text_done(&text);
  return status;
}

static roof_status predict_and_advise(roof_error *error) {
  owned roof_machine *machine = NULL;
  roof_target target;
  roof_prediction p;
  double values[ROOF_PARAM_MAX];
  const roof_op *op = NULL;
  roof_lever *levers = calloc(16, sizeof *levers);
  roof_cause *causes = calloc(16, sizeof *causes);
  roof_status status = roof_catalog_load("h100", &machine, error);
  status = status == ROOF_OK ? predict_on(machine, &target, &p, values, &op, error) : status;
  if (status == ROOF_OK) {
    size_t count;
    status = roof_levers_rank(&target, op, values, NAN, levers, 16, &count, error);
    roof_evidence evidence = roof_evidence_of(&p, machine, 2 * p.expected_seconds);
    roof_causes_rank(&evidence, causes, 16);
    roof_ceiling_of(&target, ROOF_THEORETICAL, &p.work);
    roof_predict_crossing(&target, op, values, 0);
  }
  free(levers);
  free(causes);
  return status;
}

static roof_status answer_model(roof_error *error) {
  owned roof_machine *machine = NULL;
  roof_model *model = calloc(1, sizeof *model);
  roof_model_answer *answer = calloc(1, sizeof *answer);
  roof_model_target *target = calloc(1, sizeof *target);
  roof_plan_front *front = calloc(1, sizeof *front);
  roof_train_front *train = calloc(1, sizeof *train);
  roof_status status = roof_catalog_load("h100", &machine, error);
  status = status == ROOF_OK ? roof_model_load("llama-3.1-8b", model, error) : status;
  roof_model_settings settings = roof_model_settings_default(model);
  status = status == ROOF_OK ? roof_model_target_init(target, model, machine, &settings, error) : status;
  if (status == ROOF_OK) {
    roof_model_answer_of(target, answer);
    roof_model_fusion_saving(target, ROOF_PHASE_DECODE, 0);
    roof_model_critical(target, ROOF_PHASE_DECODE, ROOF_GROW_BATCH, false);
    roof_plan_limits limits = {.devices = 4, .ttft_seconds = NAN, .tpot_seconds = NAN};
    status = roof_plan_search(model, machine, &settings, &settings.precision, 1, &limits, front, error);
  }
  status = status == ROOF_OK ? roof_train_search(model, machine, &settings, 8, train, error) : status;
  free(train);
  free(front);
  free(target);
  free(answer);
  free(model);
  return status;
}

/** A sweep over a model with its chart, its document and the ways to launch. */
static roof_status sweep_model(roof_error *error) {
  static const char *const words[] = {"batch=1,8", "tp=1,2"};
  owned roof_machine *machine = NULL;
  roof_model *model = calloc(1, sizeof *model);
  roof_model_target *target = calloc(1, sizeof *target);
  roof_model_sweep *sweep = calloc(1, sizeof *sweep);
  roof_model_precisions *precisions = calloc(1, sizeof *precisions);
  roof_curves *chart = calloc(1, sizeof *chart);
  roof_model_axes axes = {0};
  roof_model_launches ways[ROOF_LAUNCH_COUNT];
  roof_text out = {0};
  roof_status status = roof_catalog_load("h100", &machine, error);
  status = status == ROOF_OK ? roof_model_load("llama-3.1-8b", model, error) : status;
  roof_model_settings settings = roof_model_settings_default(model);
  status = status == ROOF_OK ? roof_model_target_init(target, model, machine, &settings, error) : status;
  status = status == ROOF_OK ? roof_model_launches_of(target, ways, error) : status;
  status = status == ROOF_OK ? roof_model_settings_read(words, 2, &settings, &axes, error) : status;
  status = status == ROOF_OK ? roof_model_precisions_parse("bf16/fp8", &settings.precision, precisions, error)
                             : status;
  status = status == ROOF_OK
               ? roof_model_sweep_of(model, &machine, 1, &settings, &axes, precisions, sweep, error)
               : status;
  status = status == ROOF_OK ? roof_model_sweep_chart(sweep, chart, error) : status;
  status = status == ROOF_OK ? roof_model_sweep_write(sweep, &out, error) : status;
  roof_text_done(&out);
  roof_model_sweep_done(sweep);
  roof_model_axes_done(&axes);
  free(chart);
  free(precisions);
  free(sweep);
  free(target);
  free(model);
  return status;
}

static roof_status answer_graph(roof_error *error) {
  static const char *const files[] = {"examples/resnet50.onnx", "examples/decoder-layer.txt"};
  owned roof_machine *machine = NULL;
  roof_status status = roof_catalog_load("h100", &machine, error);
  for (size_t i = 0; i < sizeof files / sizeof files[0] && status == ROOF_OK; i++) {
    static const roof_dimension sizes[] = {{"batch", 2}};
    char file[512];
    roof_workload *workload = calloc(1, sizeof *workload);
    roof_workload_answer *answer = calloc(1, sizeof *answer);
    roof_workload_settings settings = roof_workload_settings_default();
    roof_workload_reading reading = {.types = roof_types_of(ROOF_FP16),
                                     .floats = ROOF_DTYPE_COUNT,
                                     .dimensions = i == 0 ? sizes : NULL,
                                     .dimension_count = i == 0};
    status = roof_workload_load(source_path(file, sizeof file, files[i]), &reading, workload, error);
    status =
        status == ROOF_OK ? roof_workload_answer_of(workload, machine, &settings, answer, error) : status;
    if (status == ROOF_OK) {
      roof_workload_answer_done(answer);
      roof_workload_done(workload);
    }
    free(answer);
    free(workload);
  }
  return status;
}

static roof_status measure_fake(roof_error *error) {
  owned roof_machine *machine = NULL;
  const roof_backend *fake = NULL;
  const roof_kernel *kernel = NULL;
  double values[ROOF_PARAM_MAX];
  roof_measurement m;
  roof_measure_options options = roof_measure_options_default();
  options.quick = true;
  roof_status status = roof_backend_find("fake", &fake, error);
  status = status == ROOF_OK ? fake->measure(&options, &machine, error) : status;
  status = status == ROOF_OK ? roof_kernel_find("triad", &kernel, error) : status;
  status = status == ROOF_OK ? roof_kernel_values(kernel, "n=1000000", values, error) : status;
  status = status == ROOF_OK ? fake->run(kernel, ROOF_FP64, values, &options, &m, error) : status;
  if (status == ROOF_OK) {
    roof_measurement_done(&m);
  }
  return status;
}

static roof_status keep_ledger(roof_error *error) {
  owned roof_machine *machine = NULL;
  roof_target target;
  roof_prediction p;
  roof_sealing *sealing = calloc(1, sizeof *sealing);
  double values[ROOF_PARAM_MAX], seconds = 1e-3;
  const roof_op *op = NULL;
  roof_ledger_options how = {.commit = NULL};
  roof_measurement m;
  roof_reconcile all = {0};
  roof_why *why = calloc(1, sizeof *why);
  char path[96];
  snprintf(path, sizeof path, "%s/ledger", folder);
  roof_measurement_init(&m);
  roof_status status = roof_catalog_load("h100", &machine, error);
  status = status == ROOF_OK ? predict_on(machine, &target, &p, values, &op, error) : status;
  status = status == ROOF_OK ? roof_sealing_of(&target, op, values, &p, sealing, error) : status;
  status = status == ROOF_OK ? roof_ledger_seal(path, sealing, 1, &how, error) : status;
  snprintf(m.label, sizeof m.label, "%s", sealing->label);
  m.seconds = seconds;
  m.samples = &seconds;
  m.sample_count = 1;
  m.dtype = ROOF_FP16;
  m.taken = roof_time_now();
  status = status == ROOF_OK ? roof_ledger_record(path, &m, 1, &how, error) : status;
  status = status == ROOF_OK ? roof_ledger_reconcile(path, false, &all, error) : status;
  if (status == ROOF_OK && all.count > 0) {
    roof_why_of(why, &all.entries[0], machine);
  }
  roof_reconcile_done(&all);
  unlink(path);
  free(sealing);
  free(why);
  return status;
}

static roof_status import_files(roof_error *error) {
  static const char *const files[] = {"ncu-details.csv", "kineto.json",          "likwid.csv",
                                      "gbench.json",     "nsys.sqlite",          "two-kernels.ncu-rep",
                                      "torch-table.txt", "rocprof-roofline.csv", "perf-j.json"};
  roof_import_options options = {0};
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < sizeof files / sizeof files[0] && status == ROOF_OK; i++) {
    char name[96], file[512];
    roof_profile profile;
    snprintf(name, sizeof name, "tests/fixtures/import/%s", files[i]);
    status = roof_profile_init(&profile, error);
    status = status == ROOF_OK ? roof_import(source_path(file, sizeof file, name), &options, &profile, error)
                               : status;
    roof_profile_done(&profile);
  }
  return status;
}

static roof_status draw_all(roof_error *error) {
  owned roof_machine *machine = NULL;
  roof_scene *scene = calloc(1, sizeof *scene);
  roof_text text = {0};
  const char *summary[] = {"a summary", NULL};
  const roof_page_section section = {.part = ROOF_PAGE_ASKED, .lines = summary};
  const roof_page page = {"title", "headline", &section, 1};
  roof_status status = roof_catalog_load("h100", &machine, error);
  roof_scene_init(scene);
  status = status == ROOF_OK ? roof_scene_add_machine(scene, machine, ROOF_FP16, error) : status;
  roof_scene_dot dot = {.intensity = 100, .flops_per_second = 1e14, .next = -1, .label = "a"};
  roof_scene_add_dot(scene, &dot);
  status = status == ROOF_OK ? roof_draw_svg(scene, 0, &text, error) : status;
  status = status == ROOF_OK ? roof_draw_linear_svg(scene, 0, &text, error) : status;
  status = status == ROOF_OK ? roof_draw_terminal(scene, 100, 30, false, false, &text, error) : status;
  status = status == ROOF_OK ? roof_page_draw(&page, &text, error) : status;
  roof_scene_outline(scene);
  roof_text_done(&text);
  free(scene);
  return status;
}

static roof_status teach_and_draw(roof_error *error) {
  static const roof_drill_question question = {.machine = "h100", .op = "add", .text = "add n=4096"};
  owned roof_machine *machine = NULL;
  roof_drill_solution solution;
  roof_explanation explanation = {0};
  roof_shape shape;
  const roof_op *op = NULL;
  roof_scene *scene = calloc(1, sizeof *scene);
  roof_text text = {0};
  roof_scene_init(scene);
  roof_status status = roof_catalog_load(question.machine, &machine, error);
  status = status == ROOF_OK ? roof_drill_solve(&question, machine, &solution, error) : status;
  status = status == ROOF_OK ? roof_op_find(question.op, &op, error) : status;
  status = status == ROOF_OK ? roof_shape_parse_text(&shape, op, "n=4096", error) : status;
  if (status == ROOF_OK) {
    const roof_target *target = &solution.target;
    const roof_measurement measured = {.label = "a", .seconds = 1e-3, .flops = 1e8, .bytes = 4e8};
    status = roof_explain(target, NULL, &shape, &explanation, error);
    status = status == ROOF_OK ? roof_scene_add_machines(scene, &machine, 1, ROOF_FP16, error) : status;
    status = status == ROOF_OK ? roof_scene_add_shape(scene, target, 0, &shape, true, error) : status;
    status = status == ROOF_OK
                 ? roof_scene_add_measurements(scene, machine, 0, &measured, 1, "a", true, error)
                 : status;
    status = status == ROOF_OK ? roof_scene_write(scene, &text, error) : status;
    roof_shape_done(&shape);
  }
  roof_explanation_done(&explanation);
  roof_text_done(&text);
  free(scene);
  return status;
}

static roof_status examine_captured(roof_error *error) {
  char root[512];
  roof_examination examination;
  roof_text text = {0};
  roof_status status =
      roof_doctor_examine(source_path(root, sizeof root, "tests/fixtures/doctor/vm"), &examination, error);
  if (status == ROOF_OK) {
    status = roof_examination_write(&examination, &text, error);
    roof_examination_done(&examination);
  }
  roof_text_done(&text);
  return status;
}

#define SMALL(function)                                                                                      \
  static void function##_in_a_small_stack(void **state) {                                                    \
    (void)state;                                                                                             \
    run_small(function);                                                                                     \
  }

SMALL(load_and_lint)
SMALL(predict_and_advise)
SMALL(answer_model)
SMALL(sweep_model)
SMALL(answer_graph)
SMALL(measure_fake)
SMALL(keep_ledger)
SMALL(import_files)
SMALL(draw_all)
SMALL(teach_and_draw)
SMALL(examine_captured)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(load_and_lint_in_a_small_stack),
      cmocka_unit_test(predict_and_advise_in_a_small_stack),
      cmocka_unit_test(answer_model_in_a_small_stack),
      cmocka_unit_test(sweep_model_in_a_small_stack),
      cmocka_unit_test(answer_graph_in_a_small_stack),
      cmocka_unit_test(measure_fake_in_a_small_stack),
      cmocka_unit_test(keep_ledger_in_a_small_stack),
      cmocka_unit_test(import_files_in_a_small_stack),
      cmocka_unit_test(draw_all_in_a_small_stack),
      cmocka_unit_test(teach_and_draw_in_a_small_stack),
      cmocka_unit_test(examine_captured_in_a_small_stack),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
