/* Charts that are no rooflines: bars, cascades of losses, an operation over its sizes. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "roofline/catalog.h"
#include "roofline/charts.h"
#include "roofline/ops.h"
#include "roofline/weights.h"

static roof_machine *h100 = NULL, *a100 = NULL;
static roof_bars bars;
static roof_curves curves;

static int load(void **state) {
  (void)state;
  return roof_catalog_load("h100", &h100, NULL) != ROOF_OK ||
         roof_catalog_load("a100", &a100, NULL) != ROOF_OK;
}

static int unload(void **state) {
  (void)state;
  roof_machine_free(h100);
  roof_machine_free(a100);
  return 0;
}

static const roof_bar *find_bar(const char *label) {
  for (int i = 0; i < bars.count; i++) {
    if (strcmp(bars.bars[i].label, label) == 0) {
      return &bars.bars[i];
    }
  }
  fail_msg("no bar `%s`", label);
  return NULL;
}

static void peaks_by_format_with_their_ratio(void **state) {
  (void)state;
  assert_int_equal(roof_peaks_chart(&a100, 1, &bars, NULL), ROOF_OK);
  assert_near(find_bar("fp16 matrix")->value, 312e12, 1e-9);
  assert_string_equal(find_bar("fp16 matrix")->note, "16x fp32, datasheet");
  assert_string_equal(find_bar("int8 matrix")->note, "32x fp32, datasheet");
  roof_machine *both[] = {a100, h100};
  assert_int_equal(roof_peaks_chart(both, 2, &bars, NULL), ROOF_OK);
  assert_near(find_bar("fp8 matrix nvidia-h100-sxm")->value, 1.979e15, 1e-3);
}

static void bandwidths_of_each_level(void **state) {
  (void)state;
  assert_int_equal(roof_bandwidths_chart(a100, &bars, NULL), ROOF_OK);
  assert_true(bars.count >= 3);
  for (int i = 0; i < bars.count; i++) {
    assert_true(bars.bars[i].value > 0 && bars.bars[i].value <= bars.bars[i].whole * (1 + 1e-12));
  }
}

static void every_ceiling_of_a_format(void **state) {
  (void)state;
  static roof_scene scene;
  roof_error error = {0};
  roof_scene_init(&scene);
  assert_int_equal(roof_scene_add_ceilings(&scene, a100, ROOF_FP16, NULL), ROOF_OK);
  assert_int_equal(scene.series_count, 1);
  int roofs = scene.roof_count;
  assert_true(roofs >= 4);
  assert_int_equal(roof_scene_add_ceilings(&scene, a100, ROOF_FP8, NULL), ROOF_OK); /* its levels alone */
  while (scene.series_count < ROOF_SCENE_SERIES &&
         roof_scene_add_ceilings(&scene, a100, ROOF_FP16, &error) == ROOF_OK) {
  }
  roofs = scene.roof_count;
  assert_int_equal(roof_scene_add_ceilings(&scene, a100, ROOF_FP16, &error), ROOF_E_ARGUMENT);
  assert_int_equal(scene.roof_count, roofs);
}

static void add_peak(roof_machine *m, const char *isa, const char *kind, int cores, int threads,
                     double rate) {
  roof_peak *p = roof_machine_add_peak(m);
  snprintf(p->isa, sizeof p->isa, "%s", isa);
  snprintf(p->core_kind, sizeof p->core_kind, "%s", kind);
  p->dtype = ROOF_FP64;
  p->unit = ROOF_VECTOR;
  p->kind = ROOF_MEASURED;
  p->cores = cores;
  p->threads_per_core = threads;
  p->flops_per_second = rate;
}

/** Kinds of cores and their threads tell lines apart; what is near another is in the scene, and in a drawing counted. */
static void each_ceiling_has_its_name(void **state) {
  (void)state;
  static roof_scene scene;
  static const char *const labels[] = {"AVX2+FMA, 1 P-core 40.00 GFLOP/s", "AVX2+FMA, 1 E-core 20.00 GFLOP/s",
                                       "AVX2+FMA, 1 P-core, 2 threads per core 41.00 GFLOP/s",
                                       "DRAM read 20.00 GB/s"};
  roof_machine *m = roof_machine_new();
  snprintf(m->name, sizeof m->name, "two");
  add_peak(m, "AVX2+FMA", "P-core", 1, 0, 40e9);
  add_peak(m, "AVX2+FMA", "E-core", 1, 0, 20e9);
  add_peak(m, "AVX2+FMA", "P-core", 1, 2, 41e9);
  roof_level *dram = roof_machine_add_level(m);
  snprintf(dram->name, sizeof dram->name, "DRAM");
  dram->level = ROOF_MEMORY;
  dram->kind = ROOF_MEASURED;
  dram->read_bytes_per_second = 20e9;
  dram->update_bytes_per_second = 40e9;
  roof_scene_init(&scene);
  assert_int_equal(roof_scene_add_ceilings(&scene, m, ROOF_FP64, NULL), ROOF_OK);
  assert_int_equal(scene.roof_count, 4);
  for (int i = 0; i < 4; i++) {
    assert_string_equal(scene.roofs[i].label, labels[i]);
  }
  roof_scene_thin(&scene);
  assert_int_equal(scene.roof_count, 3);
  assert_non_null(strstr(scene.title, "every fp64 ceiling, but 1 near other"));
  roof_machine_free(m);
}

static void measured_against_predicted(void **state) {
  (void)state;
  const roof_pair pairs[] = {{"a", 1e-3, 2e-3}, {"unknown", NAN, 1}, {"b", 1e-2, 1e-2}};
  roof_error error = {0};
  assert_int_equal(roof_pairs_chart(pairs, 3, &curves, NULL), ROOF_OK);
  assert_int_equal(curves.panels[0].dot_count, 2);
  assert_near(curves.panels[0].dots[0].y, 2e-3, 1e-12);
  roof_text svg = {0};
  assert_int_equal(roof_draw_curves_svg(&curves, 0, &svg, NULL), ROOF_OK);
  assert_non_null(strstr(svg.data, "data-name=\"b\""));
  roof_text_done(&svg);
  assert_int_equal(roof_pairs_chart(pairs + 1, 1, &curves, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "nothing was both predicted and measured");
}

/** Every line of the text has at most `columns` characters: here all but the bars is ASCII. */
static void check_width(const roof_text *text, int columns) {
  int cells = 0;
  for (size_t i = 0; i < text->length; i++) {
    cells = text->data[i] == '\n' ? 0 : cells + ((text->data[i] & 0xC0) != 0x80);
    assert_true(cells <= columns);
  }
}

/** What is drawn of one bar at that width. */
static void draw_one(const char *label, const char *note, int columns, bool ascii, const char *expected) {
  static roof_bars one;
  roof_text text = {0};
  one = (roof_bars){.unit = "%", .linear = true, .count = 1};
  one.bars[0] = (roof_bar){.value = 0.5, .whole = 1};
  snprintf(one.bars[0].label, sizeof one.bars[0].label, "%s", label);
  snprintf(one.bars[0].note, sizeof one.bars[0].note, "%s", note);
  assert_int_equal(roof_draw_bars_terminal(&one, columns, ascii, false, &text, NULL), ROOF_OK);
  assert_string_equal(text.data, expected);
  roof_text_done(&text);
}

static void bars_use_what_room_there_is_and_show_what_they_cut(void **state) {
  (void)state;
  draw_one("a", "bf16 matrix, normal", 40, true, "  a  ###.... 50.0 %  bf16 matrix, normal\n");
  draw_one("kernel", "bf16 matrix, normal", 40, true, "  kernel  ###... 50.0 %  bf16 matrix..\n");
  draw_one("a_kernel_of_a_long_name<int, 7>", "bf16 matrix, normal", 40, true,
           "  a_kernel_o..e<int, 7>  ###... 50.0 %\n");
}

static void logarithmic_bars_say_so(void **state) {
  (void)state;
  roof_text text = {0};
  assert_int_equal(roof_peaks_chart(&h100, 1, &bars, NULL), ROOF_OK);
  assert_int_equal(roof_draw_bars_terminal(&bars, 80, false, false, &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\n               logarithmic from 10 TFLOP/s\n"));
  bars.linear = true;
  text.length = 0;
  assert_int_equal(roof_draw_bars_terminal(&bars, 80, false, false, &text, NULL), ROOF_OK);
  assert_null(strstr(text.data, "logarithmic"));
  roof_text_done(&text);
}

static void bars_fit_the_terminal_and_the_picture(void **state) {
  (void)state;
  static const int widths[] = {40, 60, 80, 200};
  assert_int_equal(roof_peaks_chart(&h100, 1, &bars, NULL), ROOF_OK);
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
    roof_text text = {0};
    assert_int_equal(roof_draw_bars_terminal(&bars, widths[i], false, false, &text, NULL), ROOF_OK);
    check_width(&text, widths[i]);
    roof_text_done(&text);
  }
  roof_text svg = {0}, plain = {0};
  assert_int_equal(roof_draw_bars_terminal(&bars, 80, true, false, &plain, NULL), ROOF_OK);
  for (size_t i = 0; i < plain.length; i++) {
    assert_true((unsigned char)plain.data[i] < 0x80);
  }
  assert_int_equal(roof_draw_bars_svg(&bars, 0, &svg, NULL), ROOF_OK);
  assert_non_null(strstr(svg.data, "<svg "));
  assert_non_null(strstr(svg.data, "fp8 matrix: 1.979 PFLOP/s"));
  assert_non_null(strstr(svg.data, ">1.979 PFLOP/s, "));
  roof_text_done(&svg);
  roof_text_done(&plain);
  roof_text none = {0};
  assert_int_equal(roof_draw_bars_terminal(&bars, 39, true, false, &none, NULL), ROOF_E_ARGUMENT);
  bars.bars[0].value = 0;
  assert_int_equal(roof_draw_bars_svg(&bars, 0, &none, NULL), ROOF_E_ARGUMENT);
  assert_null(none.data);
}

static void a_cascade_that_somebody_names(void **state) {
  (void)state;
  static const char *const words[] = {"HBM=2039GB/s", "refresh=1905GB/s", "rows=1850GB/s", "access=1800GB/s",
                                      "kernel=1750GB/s"};
  static const double shares[] = {1, 0.9343, 0.9073, 0.8828, 0.8583};
  static const char *const rising[] = {"a=1GB/s", "b=2GB/s"}, *const mixed[] = {"a=1GB/s", "b=1TFLOP/s"};
  roof_losses losses;
  assert_int_equal(roof_losses_read(words, 5, &losses, NULL), ROOF_OK);
  assert_string_equal(losses.unit, "B/s");
  for (int i = 0; i < 5; i++) {
    assert_near(losses.steps[i].share, shares[i], 1e-3);
  }
  roof_losses_chart(&losses, &bars);
  assert_near(bars.bars[2].whole, 1905e9, 1e-9);
  roof_losses before = losses;
  assert_int_equal(roof_losses_read(words, 1, &losses, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(roof_losses_read(rising, 2, &losses, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(roof_losses_read(mixed, 2, &losses, NULL), ROOF_E_PARSE);
  assert_memory_equal(&losses, &before, sizeof losses);
}

static roof_advice advise_gemv(const roof_target *target, double seconds, double active) {
  const roof_op *gemv;
  double typed[ROOF_PARAM_MAX];
  roof_advice advice;
  roof_question question = roof_question_init();
  assert_int_equal(roof_op_find("gemv", &gemv, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(gemv, "m=8192 n=28672", typed, NULL), ROOF_OK);
  question.measured_seconds = seconds;
  question.clue[ROOF_CLUE_ACTIVE] = active;
  assert_int_equal(roof_advise(target, gemv, typed, &question, &advice, NULL), ROOF_OK);
  return advice;
}

static void a_cascade_of_what_is_known_of_a_kernel(void **state) {
  (void)state;
  roof_types half = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  roof_target target;
  roof_losses losses;
  assert_int_equal(roof_target_init(&target, h100, &half, &options, NULL), ROOF_OK);
  roof_advice advice = advise_gemv(&target, 400e-6, 0.6);
  assert_int_equal(roof_losses_of(&advice, &target, &losses, NULL), ROOF_OK);
  static const char *const names[] = {"HBM", "bandwidth", "latency", "idle device", "measured"};
  assert_int_equal(losses.count, 5);
  for (int i = 0; i < 5; i++) {
    assert_string_equal(losses.steps[i].name, names[i]);
  }
  assert_near(losses.steps[0].rate, 3.35e12, 1e-6);
  assert_near(losses.steps[2].share, advice.now.memory_seconds / advice.now.expected_seconds, 1e-3);
  assert_near(losses.steps[3].share, 0.6 * losses.steps[2].share, 1e-9);
  assert_near(losses.steps[4].share, advice.placed.share, 1e-2);
  /* A counter that would explain more than there is explains the rest. */
  advice = advise_gemv(&target, 200e-6, 0.2);
  assert_int_equal(roof_losses_of(&advice, &target, &losses, NULL), ROOF_OK);
  assert_int_equal(losses.count, 5);
  assert_near(losses.steps[3].share, losses.steps[4].share, 1e-12);
  /* Where no constants are known, what a benchmark reaches, and the launch. */
  options.without = ROOF_EFFECTS_ALL;
  assert_int_equal(roof_target_init(&target, h100, &half, &options, NULL), ROOF_OK);
  advice = advise_gemv(&target, 400e-6, 0.6);
  assert_int_equal(roof_losses_of(&advice, &target, &losses, NULL), ROOF_OK);
  assert_string_equal(losses.steps[1].name, "machine");
  assert_string_equal(losses.steps[2].name, "launch");
  assert_near(losses.steps[1].share, 2.958 / 3.35, 1e-3);
  advice = advise_gemv(&target, 50e-6, NAN);
  assert_int_equal(roof_losses_of(&advice, &target, &losses, NULL), ROOF_E_ARGUMENT);
}

/** A collective's ceiling is its link. What the last cache keeps is taken off what memory lacks. */
static void a_cascade_under_a_link_and_with_savings(void **state) {
  (void)state;
  static const struct {
    const char *op, *shape, *names[9];
    double seconds;
  } cases[] = {
      {"allreduce",
       "size=16Mi ranks=8",
       {"NVLink 4", "bandwidth", "waves", "split", "latency", "measured"},
       2e-4},
      {"gemm",
       "m=512 n=512 k=4096",
       {"HBM", "efficiency", "bandwidth", "units", "waves", "split", "corner", "latency", "measured"},
       3e-5}};
  roof_types half = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  assert_int_equal(roof_target_init(&target, h100, &half, &options, NULL), ROOF_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const roof_op *op;
    double typed[ROOF_PARAM_MAX];
    roof_advice advice;
    roof_losses losses;
    roof_question question = roof_question_init();
    question.measured_seconds = cases[i].seconds;
    question.clue[ROOF_CLUE_WAVE] =
        0.1; /* of arithmetic, which does not bind: it takes no predicted effect's place */
    assert_int_equal(roof_op_find(cases[i].op, &op, NULL), ROOF_OK);
    assert_int_equal(roof_shape_values(op, cases[i].shape, typed, NULL), ROOF_OK);
    assert_int_equal(roof_advise(&target, op, typed, &question, &advice, NULL), ROOF_OK);
    assert_int_equal(roof_losses_of(&advice, &target, &losses, NULL), ROOF_OK);
    for (int step = 0; step < losses.count; step++) {
      assert_string_equal(losses.steps[step].name, cases[i].names[step]);
      assert_true(losses.steps[step].rate > 0);
    }
    assert_near(losses.steps[losses.count - 2].share / losses.steps[losses.count - 1].share,
                cases[i].seconds / advice.now.expected_seconds, 1e-9);
  }
}

static void an_operation_over_its_batch(void **state) {
  (void)state;
  roof_types half = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  roof_target target;
  roof_shape shape;
  roof_sweep sweep;
  const roof_op *linear;
  static const char *const words[] = {"batch=1..1024*2", "in=4096", "out=4096"}, *const one[] = {"batch=8",
                                                                                                 "in=64",
                                                                                                 "out=64"};
  assert_int_equal(roof_op_find("linear", &linear, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, a100, &half, &options, NULL), ROOF_OK);
  assert_int_equal(roof_shape_parse(&shape, linear, words, 3, NULL, NULL), ROOF_OK);
  assert_int_equal(roof_sweep_init(&sweep, &shape, &target, 1, NULL), ROOF_OK);
  assert_int_equal(roof_sweep_chart(&sweep, &curves, NULL), ROOF_OK);
  assert_int_equal(curves.panels[1].curves[0].count, 11);
  assert_near(curves.panels[1].curves[0].y[8], 227.6, 1e-3);
  assert_near(curves.panels[0].curves[1].y[10], 312e12, 1e-6); /* what the ceilings allow */
  assert_true(curves.panels[0].curves[0].y[10] > 200e12 && curves.panels[0].curves[0].y[10] < 312e12);
  assert_int_equal(curves.panel_count, 3);
  assert_string_equal(curves.panels[2].title, "throughput (batch)");
  assert_int_equal(curves.mark_count, 1);
  assert_near(curves.marks[0].x, 165.372, 1e-4);
  roof_text svg = {0};
  assert_int_equal(roof_draw_curves_svg(&curves, 0, &svg, NULL), ROOF_OK);
  assert_non_null(strstr(svg.data, "ridge 153 FLOP/B"));
  roof_text_done(&svg);
  roof_sweep_done(&sweep);
  roof_shape_done(&shape);
  assert_int_equal(roof_shape_parse(&shape, linear, one, 3, NULL, NULL), ROOF_OK);
  assert_int_equal(roof_sweep_init(&sweep, &shape, &target, 1, NULL), ROOF_OK);
  assert_int_equal(roof_sweep_chart(&sweep, &curves, NULL), ROOF_E_ARGUMENT);
  roof_sweep_done(&sweep);
  roof_shape_done(&shape);
}

static double sum_of_bars(void) {
  double sum = 0;
  for (int i = 0; i < bars.count; i++) {
    sum += bars.bars[i].value;
  }
  return sum;
}

/** The bars are the answer's joules per token, whatever the plan, the prompt's chunks or what is drafted. */
static void energy_of_a_model_by_kind(void **state) {
  (void)state;
  static roof_model llama;
  static roof_model_target target;
  static roof_model_answer answer;
  assert_int_equal(roof_model_load("llama-3.1-8b", &llama, NULL), ROOF_OK);
  roof_model_settings s = roof_model_settings_default(&llama);
  for (int i = 0; i < 3; i++) {
    s.batch = 1 + 7 * i;
    s.tp = i == 1 ? 2 : 1;
    s.pp = i == 2 ? 2 : 1;
    assert_int_equal(roof_model_target_init(&target, &llama, h100, &s, NULL), ROOF_OK);
    roof_model_answer_of(&target, &answer);
    assert_int_equal(roof_model_energy_chart(&target, &answer, &bars, NULL), ROOF_OK);
    assert_near(sum_of_bars() / answer.joules_per_token, 1, 1e-9);
    assert_true(find_bar("prefill: GEMM")->value > 0);
  }
  assert_non_null(strstr(bars.subtitle, "at full power"));
  assert_non_null(strstr(find_bar("prefill: GEMM")->note, " %, compute-bound"));
  s.generate = 0;
  assert_int_equal(roof_model_target_init(&target, &llama, h100, &s, NULL), ROOF_OK);
  roof_model_answer_of(&target, &answer);
  assert_int_equal(roof_model_energy_chart(&target, &answer, &bars, NULL), ROOF_OK);
  assert_near(sum_of_bars() * s.batch * s.prompt /
                  (target.devices * answer.phases[ROOF_PHASE_PREFILL].energy_joules),
              1, 1e-9);
  roof_machine *unknown = roof_machine_copy(h100);
  unknown->energy.watts = NAN;
  assert_int_equal(roof_model_target_init(&target, &llama, unknown, &s, NULL), ROOF_OK);
  roof_model_answer_of(&target, &answer);
  assert_int_equal(roof_model_energy_chart(&target, &answer, &bars, NULL), ROOF_E_UNSUPPORTED);
  roof_machine_free(unknown);
}

/** Neighbours that did the same are one bar; a part of the time that was hardly busy is a low one. */
static void a_time_line_is_drawn(void **state) {
  (void)state;
  static float shares[ROOF_LANE_BINS][2];
  for (int i = 0; i < 100; i++) {
    shares[i][0] = 1;
    shares[300 + i][1] = 0.1f;
  }
  const char *const series[] = {"compute", "copy"};
  const roof_lane lane = {"device 0, stream <7>", &shares[0][0]};
  roof_lanes lanes = {
      .title = "Time line", .series = series, .series_count = 2, .seconds = 2, .lanes = &lane, .count = 1};
  roof_text svg = {0};
  assert_int_equal(roof_draw_lanes_svg(&lanes, 0, &svg, NULL), ROOF_OK);
  assert_non_null(strstr(
      svg.data,
      "<g transform=\"translate(206 90) scale(1 1)\">\n<path d=\"M0 0v-16h100v16z\" fill=\"#0072b2\"/>"));
  assert_non_null(strstr(svg.data, "<path d=\"M300 0v-4h100v4z\" fill=\"#d55e00\"/>"));
  assert_non_null(strstr(svg.data, "stream &lt;7&gt;"));
  roof_text_done(&svg);
  assert_int_equal(roof_draw_lanes_svg(&lanes, ROOF_CHART_NARROW, &svg, NULL), ROOF_OK);
  assert_non_null(strstr(svg.data, "<path d=\"M0 0v-16h33v16z")); /* three bins a bar */
  roof_text_done(&svg);
  lanes.seconds = 0;
  assert_int_equal(roof_draw_lanes_svg(&lanes, 0, &svg, NULL), ROOF_E_ARGUMENT);
  lanes = (roof_lanes){.seconds = 1};
  assert_int_equal(roof_draw_lanes_svg(&lanes, 0, &svg, NULL), ROOF_E_ARGUMENT);
}

/** Labels of a short axis do not run into each other: fewer ticks, where they would. */
static void labels_of_a_narrow_axis_keep_apart(void **state) {
  (void)state;
  roof_text wide = {0}, narrow = {0};
  bars = (roof_bars){.title = "a", .unit = "B/s", .count = 2, .bars = {{.value = 54e9}, {.value = 550e9}}};
  strcpy(bars.bars[0].label, "one");
  strcpy(bars.bars[1].label, "other");
  assert_int_equal(roof_draw_bars_svg(&bars, 0, &wide, NULL), ROOF_OK);
  assert_int_equal(roof_draw_bars_svg(&bars, ROOF_CHART_NARROW, &narrow, NULL), ROOF_OK);
  assert_true(strstr(wide.data, ">20 GB/s<") != NULL && strstr(wide.data, ">10 GB/s<") != NULL);
  assert_true(strstr(narrow.data, ">20 GB/s<") == NULL && strstr(narrow.data, ">10 GB/s<") != NULL);
  roof_text_done(&wide);
  roof_text_done(&narrow);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(peaks_by_format_with_their_ratio),
      cmocka_unit_test(bars_use_what_room_there_is_and_show_what_they_cut),
      cmocka_unit_test(logarithmic_bars_say_so),
      cmocka_unit_test(bars_fit_the_terminal_and_the_picture),
      cmocka_unit_test(a_cascade_that_somebody_names),
      cmocka_unit_test(a_cascade_of_what_is_known_of_a_kernel),
      cmocka_unit_test(a_cascade_under_a_link_and_with_savings),
      cmocka_unit_test(bandwidths_of_each_level),
      cmocka_unit_test(every_ceiling_of_a_format),
      cmocka_unit_test(each_ceiling_has_its_name),
      cmocka_unit_test(measured_against_predicted),
      cmocka_unit_test(an_operation_over_its_batch),
      cmocka_unit_test(energy_of_a_model_by_kind),
      cmocka_unit_test(a_time_line_is_drawn),
      cmocka_unit_test(labels_of_a_narrow_axis_keep_apart),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
