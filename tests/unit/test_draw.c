/* The chart: laws of its geometry, labels kept apart, text that survives, and golden pictures.
 * ROOFLINE_UPDATE_GOLDEN=1 rewrites tests/golden. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "draw/glyph.h"
#include "draw/hue.h"
#include "draw/layout.h"
#include "draw/page.h"
#include "owned.h"
#include "roofline/draw.h"
#include "roofline/ops.h"
#include "roofline/page.h"

static roof_scene scene; /* large */
static rf_layout layout;

static void add_peak(roof_machine *m, roof_dtype dtype, roof_unit unit, roof_provenance kind, double rate,
                     double limit) {
  roof_peak *peak = roof_machine_add_peak(m);
  peak->dtype = dtype;
  peak->unit = unit;
  peak->kind = kind;
  peak->flops_per_second = rate;
  peak->limit_flops_per_second = limit;
}

static void add_level(roof_machine *m, const char *name, roof_level_kind level, roof_provenance kind,
                      double rate) {
  roof_level *l = roof_machine_add_level(m);
  strcpy(l->name, name);
  l->level = level;
  l->kind = kind;
  l->bytes_per_second = rate;
}

static void make_gpu(roof_machine **slot) {
  roof_machine *m = empty_machine(slot);
  strcpy(m->name, "gpu");
  add_peak(m, ROOF_FP16, ROOF_MATRIX, ROOF_DATASHEET, 989e12, NAN);
  add_peak(m, ROOF_FP32, ROOF_VECTOR, ROOF_DATASHEET, 67e12, NAN);
  add_level(m, "HBM", ROOF_MEMORY, ROOF_DATASHEET, 3.35e12);
}

static void make_cpu(roof_machine **slot) {
  roof_machine *m = empty_machine(slot);
  strcpy(m->name, "cpu");
  add_peak(m, ROOF_FP32, ROOF_VECTOR, ROOF_MEASURED, 121e9, 141e9);
  add_level(m, "L1", ROOF_L1, ROOF_MEASURED, 409e9);
  add_level(m, "L2", ROOF_L2, ROOF_MEASURED, 181e9);
  add_level(m, "L3", ROOF_L3, ROOF_MEASURED, 62e9);
  add_level(m, "DRAM", ROOF_MEMORY, ROOF_MEASURED, 19e9);
  m->levels[3].limit_bytes_per_second = 25.6e9;
}

static void start(void (*make)(roof_machine **), roof_dtype dtype) {
  static roof_machine *machine = NULL;
  make(&machine);
  roof_scene_init(&scene);
  assert_int_equal(roof_scene_add_machine(&scene, machine, dtype, NULL), ROOF_OK);
}

static int add_dot(const char *label, double intensity, double rate, bool predicted, int next) {
  roof_scene_dot dot = {
      .intensity = intensity, .flops_per_second = rate, .predicted = predicted, .next = next};
  snprintf(dot.label, sizeof dot.label, "%s", label);
  return roof_scene_add_dot(&scene, &dot);
}

static void measured_roofs_are_dashed(void **state) {
  (void)state;
  start(make_cpu, ROOF_FP32);
  assert_int_equal(scene.roof_count, 7);
  int dashed = 0;
  for (int i = 0; i < scene.roof_count; i++) {
    bool measured = strstr(scene.roofs[i].label, "measured") != NULL;
    assert_int_equal(scene.roofs[i].style, measured ? ROOF_DASHED : ROOF_SOLID);
    dashed += measured;
  }
  assert_int_equal(dashed, 5);
  assert_string_equal(scene.roofs[0].label, "fp32 vector 141.0 GFLOP/s");
  assert_string_equal(scene.series[0], "cpu");
}

static void the_outline_is_the_theoretical_outermost(void **state) {
  (void)state;
  start(make_cpu, ROOF_FP32);
  roof_scene_outline(&scene);
  assert_int_equal(scene.roof_count, 2);
  assert_string_equal(scene.roofs[0].label, "fp32 vector 141.0 GFLOP/s");
  assert_string_equal(scene.roofs[1].label, "DRAM 25.60 GB/s");
}

static void a_machine_without_figures_is_refused(void **state) {
  (void)state;
  owned roof_machine *empty = NULL;
  roof_error error = {0};
  empty_machine(&empty);
  strcpy(empty->name, "empty");
  roof_scene_init(&scene);
  assert_int_equal(roof_scene_add_machine(&scene, empty, ROOF_FP16, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "empty: no fp16 ceiling is known");
  assert_int_equal(scene.series_count, 0);
  roof_text out = {0};
  assert_int_equal(roof_draw_svg(&scene, 0, &out, &error), ROOF_E_ARGUMENT);
  assert_int_equal(roof_draw_terminal(&scene, 80, 24, false, false, &out, &error), ROOF_E_ARGUMENT);
  assert_null(out.data);
}

static void a_full_scene_stays_as_it_was(void **state) {
  (void)state;
  static roof_machine *cpu = NULL;
  make_cpu(&cpu);
  roof_scene_init(&scene);
  int before = scene.roof_count = ROOF_SCENE_ROOFS - 32, machines = 0;
  while (roof_scene_add_machine(&scene, cpu, ROOF_FP32, NULL) == ROOF_OK) {
    machines++;
  }
  assert_int_equal(machines, 4);
  assert_int_equal(scene.series_count, 4);
  assert_int_equal(scene.roof_count, before + 28);
}

/** A dot drawn later lies above one drawn before, which the mouse then does not reach. */
static void small_dots_lie_above_large_ones(void **state) {
  (void)state;
  static const char *const drawn[] = {"the whole:", "half of it:", "the other half:", "a tenth:"};
  const roof_scene_dot dots[] = {{.label = "a tenth", .share = 0.1},
                                 {.label = "half of it", .share = 0.5},
                                 {.label = "the other half", .share = 0.5},
                                 {.label = "the whole", .share = 1}};
  roof_text out = {0};
  start(make_gpu, ROOF_FP16);
  for (size_t i = 0; i < 4; i++) {
    roof_scene_dot dot = dots[i];
    dot.intensity = 1;
    dot.flops_per_second = 1e12;
    dot.next = -1;
    assert_int_equal(roof_scene_add_dot(&scene, &dot), (int)i);
  }
  assert_int_equal(roof_draw_svg(&scene, 0, &out, NULL), ROOF_OK);
  const char *before = out.data;
  for (size_t i = 0; i < 4; i++) {
    const char *title = strstr(out.data, "<title>");
    while (title != NULL && strncmp(title + 7, drawn[i], strlen(drawn[i])) != 0) {
      title = strstr(title + 7, "<title>");
    }
    assert_non_null(title);
    assert_true(title > before);
    before = title;
  }
  roof_text_done(&out);
}

static void dots_need_a_place_on_a_log_axis(void **state) {
  (void)state;
  start(make_gpu, ROOF_FP16);
  const double bad[][2] = {{0, 1e9}, {1, 0}, {-1, 1e9}, {NAN, 1e9}, {1, NAN}, {INFINITY, 1e9}, {1, INFINITY}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_int_equal(add_dot("bad", bad[i][0], bad[i][1], false, -1), -1);
  }
  for (int i = 0; i < ROOF_SCENE_DOTS; i++) {
    assert_int_equal(add_dot("dot", 1, 1e12, false, -1), i);
  }
  assert_int_equal(add_dot("dot", 1, 1e12, false, -1), -1);
}

static void a_label_cut_inside_a_character_loses_it(void **state) {
  (void)state;
  start(make_gpu, ROOF_FP16);
  char label[160] = "";
  for (int i = 0; i < 50; i++) {
    strcat(label, "\xED\x95\x9C"); /* 3 bytes each: the 43rd does not fit in 127 */
  }
  assert_int_equal(add_dot(label, 1, 1e12, false, -1), 0);
  assert_int_equal(strlen(scene.dots[0].label), 126);
}

static void slopes_and_ridges(void **state) {
  (void)state;
  rf_geometry g;
  start(make_cpu, ROOF_FP32);
  assert_int_equal(rf_geometry_make(&scene, &g, NULL), ROOF_OK);
  for (int i = 0; i < scene.roof_count; i++) {
    double dx = g.to[i].x - g.from[i].x, dy = g.to[i].y - g.from[i].y;
    assert_true(dx > 0);
    bool flat = !isnan(scene.roofs[i].flops_per_second);
    assert_near(dy / dx + 1, flat ? 1 : 2, 1e-12);
    if (!flat) { /* ends at the highest roof of its style */
      double roof = scene.roofs[i].style == ROOF_SOLID ? 141e9 : 121e9;
      assert_near(g.to[i].y, log10(roof), 1e-12);
      assert_near(pow(10, g.to[i].x), roof / scene.roofs[i].bytes_per_second, 1e-9);
    }
  }
  assert_near(g.from[1].x, log10(121e9 / 409e9), 1e-9); /* the measured roof starts at L1's ramp */
  assert_near(pow(10, g.ridges[0].x), 141e9 / 25.6e9, 1e-9);
  assert_true(isnan(g.ridges[1].x));
}

static void a_dot_over_its_roof_is_marked(void **state) {
  (void)state;
  rf_geometry g;
  start(make_gpu, ROOF_FP16);
  add_dot("on the ramp", 10, 33.5e12, true, -1);
  add_dot("over the ramp", 10, 34e12, false, -1);
  add_dot("over the roof", 1000, 1000e12, false, -1);
  assert_int_equal(rf_geometry_make(&scene, &g, NULL), ROOF_OK);
  assert_false(g.above[0]);
  assert_true(g.above[1]);
  assert_true(g.above[2]);
  assert_near(pow(10, g.ceilings[0]), 33.5e12, 1e-9);
}

/** A kernel of another format than the roofs that are drawn: its own ceiling decides, not what is drawn. */
static void a_placed_dot_keeps_its_ceiling(void **state) {
  (void)state;
  rf_geometry g;
  roof_placed at;
  roof_ceiling bf16 = {.flops_per_second = 989e12, .bytes_per_second = 3.35e12};
  roof_scene_dot dot = {.label = "bf16", .next = -1};
  start(make_gpu, ROOF_FP32);
  for (int i = 0; i < 2; i++) {
    roof_place_under(&bf16, ROOF_THEORETICAL, 1e15, 1e12, i == 0 ? 1.25 : 0.5, NAN, &at);
    assert_int_equal(roof_scene_add_placed(&scene, &dot, &at), i);
  }
  assert_int_equal(rf_geometry_make(&scene, &g, NULL), ROOF_OK);
  assert_near(pow(10, g.ceilings[0]), 989e12, 1e-9);
  assert_false(g.above[0]);
  assert_true(g.above[1]);
}

/** A processor whose memory is slower to read than to update, which one core does not fill. */
static roof_machine *make_mixed(void) {
  static roof_machine *m = NULL;
  make_cpu(&m);
  m->levels[3].bytes_per_second = 12e9;
  m->levels[3].update_bytes_per_second = 20e9;
  return m;
}

static void place_bytes(const roof_machine *m, double write_share, double update_share, roof_placed *at) {
  roof_ceilings ceilings;
  roof_counted work;
  roof_counted_init(&work);
  work.seconds = 1;
  work.other_flops[ROOF_FP32] = 1e9;
  work.bytes[ROOF_MEMORY] = 6e9;
  work.write_share = write_share;
  work.update_share = update_share;
  assert_int_equal(roof_ceilings_init(&ceilings, m, 0, NULL, NULL), ROOF_OK);
  roof_place(&ceilings, &work, at);
}

/** The label of the dashed ramp of DRAM that is drawn at this rate; NULL: none is. */
static const char *drawn_ramp(double rate) {
  for (int i = 0; i < scene.roof_count; i++) {
    const roof_scene_roof *roof = &scene.roofs[i];
    if (roof->style == ROOF_DASHED && roof->level == ROOF_MEMORY &&
        fabs(roof->bytes_per_second - rate) < 1e-6 * rate) {
      return roof->label;
    }
  }
  return NULL;
}

static void the_ceiling_drawn_is_the_one_judged_by(void **state) {
  (void)state;
  roof_placed at;
  const roof_machine *m = make_mixed();
  roof_scene_dot dot = {.label = "dot", .next = -1};
  roof_scene_init(&scene);
  assert_int_equal(roof_scene_add_machine(&scene, m, ROOF_FP32, NULL), ROOF_OK);
  assert_string_equal(drawn_ramp(12e9),
                      "DRAM read 12.00 GB/s measured"); /* as `machine show` has its ridge */
  int roofs = scene.roof_count;
  place_bytes(m, 0.5, 0.5, &at);
  assert_near(at.share, 0.3, 1e-9);
  assert_int_equal(roof_scene_add_placed(&scene, &dot, &at), 0);
  assert_string_equal(scene.dots[0].verdict, at.verdict->name);
  assert_int_equal(scene.roof_count, roofs); /* in the place of reads */
  assert_null(drawn_ramp(12e9));
  assert_string_equal(drawn_ramp(20e9), "DRAM update 20.00 GB/s measured");
  assert_near(scene.dots[0].flops_per_second / at.share, at.intensity * 20e9, 1e-9);
  place_bytes(m, 0, 0, &at);
  assert_int_equal(roof_scene_add_placed(&scene, &dot, &at), 1);
  assert_int_equal(roof_scene_add_placed(&scene, &dot, &at), 2);
  assert_int_equal(scene.roof_count, roofs + 1); /* one line for both */
  assert_non_null(drawn_ramp(12e9));
}

static double ridge(void) {
  rf_geometry g;
  assert_int_equal(rf_geometry_make(&scene, &g, NULL), ROOF_OK);
  return pow(10, g.ridges[0].x);
}

/** A machine's is of its measured peak and reads, an operation's of its own mix: as `machine show` and `predict` say. */
static void one_ridge_whoever_says_it(void **state) {
  (void)state;
  const char *const words[] = {"m=512", "n=512", "k=512"};
  roof_machine *m = make_mixed();
  roof_types types = roof_types_of(ROOF_FP32);
  roof_options options = roof_options_default();
  const roof_op *gemm = NULL;
  roof_target target;
  roof_shape shape;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  m->levels[3].limit_bytes_per_second = NAN;
  roof_scene_init(&scene);
  assert_int_equal(roof_scene_add_machine(&scene, m, ROOF_FP32, NULL), ROOF_OK);
  assert_near(ridge(), 121e9 / 12e9, 1e-9);
  assert_int_equal(roof_target_init(&target, m, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("gemm", &gemm, NULL), ROOF_OK);
  assert_int_equal(roof_shape_parse(&shape, gemm, words, 3, NULL, NULL), ROOF_OK);
  assert_int_equal(roof_shape_point(&shape, 0, values, NULL), ROOF_OK);
  roof_predict(&target, gemm, values, &p);
  assert_int_equal(p.regime, ROOF_COMPUTE_BOUND);
  assert_int_equal(roof_scene_add_shape(&scene, &target, 0, &shape, false, NULL), ROOF_OK);
  assert_near(ridge(), p.ridge, 1e-9);
  roof_shape_done(&shape);
}

static void some_cores_have_their_own_roof(void **state) {
  (void)state;
  roof_placed at = {.seconds = 1, .flops = 20e9, .intensity = 100, .level = ROOF_MEMORY};
  roof_scene_dot dot = {.label = "one thread", .next = -1};
  at.state = ROOF_PLACE_POSSIBLE;
  at.regime = ROOF_COMPUTE_BOUND;
  at.basis = ROOF_ACHIEVED;
  at.cores = 1;
  at.share = 0.5;
  strcpy(at.binding, "fp32 vector");
  start(make_cpu, ROOF_FP32);
  assert_int_equal(roof_scene_add_placed(&scene, &dot, &at), 0);
  assert_string_equal(scene.roofs[1].label, "fp32 vector 121.0 GFLOP/s measured");
  assert_string_equal(scene.roofs[scene.roof_count - 1].label, "fp32 vector, 1 core 40.00 GFLOP/s measured");
}

/** Data in a cache, a series that is but a colour: the ramp of that cache, unless its bytes are not the memory's. */
static void a_cache_has_its_own_ramp(void **state) {
  (void)state;
  roof_placed at = {.seconds = 1, .flops = 10e9, .intensity = 0.1, .level = ROOF_MEMORY};
  roof_scene_dot dot = {.label = "in L2", .series = 1, .next = -1};
  roof_machine *m = make_mixed();
  m->levels[1].update_bytes_per_second = 250e9;
  roof_scene_init(&scene);
  assert_int_equal(roof_scene_add_machine(&scene, m, ROOF_FP32, NULL), ROOF_OK);
  assert_int_equal(roof_scene_series(&scene, "data in L2"), 1);
  int roofs = scene.roof_count;
  at.state = ROOF_PLACE_POSSIBLE;
  at.regime = ROOF_MEMORY_BOUND;
  at.basis = ROOF_ACHIEVED;
  strcpy(at.binding, "L2");
  at.share = 100.0 / 500; /* 500 GB/s of it are no mix's */
  assert_int_equal(roof_scene_add_placed(&scene, &dot, &at), 0);
  assert_string_equal(scene.roofs[3].label, "L2 read 181.0 GB/s measured");
  at.share = 100.0 / 250;
  assert_int_equal(roof_scene_add_placed(&scene, &dot, &at), 1);
  assert_string_equal(scene.roofs[3].label, "L2 update 250.0 GB/s measured");
  assert_int_equal(scene.roofs[3].series, 0);
  assert_int_equal(scene.roofs[3].level, ROOF_L2);
  assert_int_equal(scene.roof_count, roofs);
}

static void a_measured_roof_over_its_limit_says_so(void **state) {
  (void)state;
  owned roof_machine *m = NULL;
  empty_machine(&m);
  add_peak(m, ROOF_FP32, ROOF_VECTOR, ROOF_MEASURED, 105e9, 100e9);
  roof_scene_init(&scene);
  assert_int_equal(roof_scene_add_machine(&scene, m, ROOF_FP32, NULL), ROOF_OK);
  assert_string_equal(scene.roofs[1].label, "fp32 vector 105.0 GFLOP/s measured, 105 % of its limit");
}

static void an_unknown_peak_is_not_drawn_as_another(void **state) {
  (void)state;
  start(make_gpu, ROOF_FP16);
  assert_int_equal(scene.roof_count, 2);
  assert_string_equal(scene.roofs[0].label, "fp16 matrix 989.0 TFLOP/s");
  assert_string_equal(scene.roofs[1].label, "HBM 3.350 TB/s");
}

/** An arrow leads to the next; a line without a head joins what is the same kernel. */
static void an_arrow_means_next(void **state) {
  (void)state;
  for (int same = 0; same < 3; same++) {
    roof_text out = {0};
    start(make_gpu, ROOF_FP16);
    add_dot("a", 10, 20e12, same == 1, 1);
    add_dot("b", 100, 20e12, false, -1);
    scene.dots[0].inner = same == 2;
    assert_int_equal(roof_draw_svg(&scene, 0, &out, NULL), ROOF_OK);
    assert_int_equal(strstr(out.data, "<polygon") != NULL, same == 0);
    assert_int_equal(strstr(out.data, "class=\"same\"") != NULL, same != 0);
    assert_int_equal(strstr(out.data, ">next<") != NULL, same == 0);
    assert_int_equal(strstr(out.data, ">the same kernel<") != NULL, same != 0);
    roof_text_done(&out);
  }
}

static void a_warning_is_over_the_labels_and_in_the_terminal(void **state) {
  (void)state;
  roof_text out = {0};
  start(make_gpu, ROOF_FP16);
  add_dot("fast", 10, 340e12, false, -1);
  assert_int_equal(roof_draw_svg(&scene, 0, &out, NULL), ROOF_OK);
  const char *warning = strstr(out.data, ">!<"), *label = strstr(out.data, ">fast<");
  assert_true(warning != NULL && label != NULL && warning > label);
  roof_text_done(&out);
  assert_int_equal(roof_draw_terminal(&scene, 80, 24, true, false, &out, NULL), ROOF_OK);
  assert_non_null(strstr(out.data, "1!"));
  assert_non_null(strstr(out.data, "! above its ceiling"));
  roof_text_done(&out);
}

/** Two pictures on one page. */
static void ids_differ_between_pictures(void **state) {
  (void)state;
  roof_text out[2] = {{0}, {0}};
  char ids[2][40];
  for (int i = 0; i < 2; i++) {
    start(i == 0 ? make_gpu : make_cpu, ROOF_FP16);
    assert_int_equal(roof_draw_svg(&scene, 0, &out[i], NULL), ROOF_OK);
    const char *id = strstr(out[i].data, "id=\"roofline-title-");
    assert_non_null(id);
    snprintf(ids[i], sizeof ids[i], "%.28s", id);
    roof_text_done(&out[i]);
  }
  assert_string_not_equal(ids[0], ids[1]);
}

static bool has(const char *text, const char *what) {
  return text != NULL && strstr(text, what) != NULL;
}

/** What a script needs to place everything again, and to find a dot's row in a table. */
static void marks_say_what_they_are(void **state) {
  (void)state;
  roof_text out = {0};
  start(make_gpu, ROOF_FP16);
  add_dot("fast", 10, 1e12, false, -1);
  add_dot("", 20, 2e12, true, 0);
  add_dot("<\"'&>\x01\xff", 40, 3e12, false, -1);
  strcpy(scene.dots[0].key, "kernel 7");
  assert_int_equal(roof_draw_svg(&scene, 0, &out, NULL), ROOF_OK);
  assert_true(has(out.data, " data-x-scale=\"log\" data-x-unit=\"FLOP/byte\""));
  assert_true(has(out.data, " data-y-unit=\"FLOP/s\" data-plot=\"118 66 818 480\""));
  assert_true(has(out.data, "<g class=\"roof\" data-mark=\"r0\""));
  assert_true(has(out.data, " data-dtype=\"fp16\" data-unit=\"matrix\" data-kind=\"theoretical\""));
  assert_true(has(out.data, " data-level=\"memory\" data-kind="));
  assert_true(has(out.data, " tabindex=\"0\" data-key=\"kernel 7\" data-name=\"fast\""));
  assert_true(has(out.data, " data-x=\"10\" data-y=\"1e+12\" data-measured=\"1e+12\" data-limit="));
  assert_true(
      has(out.data, " data-key=\"fast\" data-name=\"fast\"")); /* predicted: named by the measured dot */
  assert_true(has(out.data, " data-predicted=\"2e+12\""));
  assert_true(has(out.data, " data-name=\"&lt;&quot;&#39;&amp;&gt;\xEF\xBF\xBD\xEF\xBF\xBD\""));
  roof_text_done(&out);
}

static void a_title_is_shown_once(void **state) {
  (void)state;
  roof_text svg = {0}, out = {0};
  start(make_gpu, ROOF_FP16);
  strcpy(scene.title, "A & B");
  assert_int_equal(roof_draw_svg(&scene, 0, &svg, NULL), ROOF_OK);
  const char *const charts[] = {svg.data, NULL};
  const roof_page_section sections[] = {{.part = ROOF_PAGE_ASKED},
                                        {.part = ROOF_PAGE_PREDICTED, .charts = charts}};
  for (int same = 0; same < 2; same++) {
    const roof_page page = {same ? "A & B" : "Report", NULL, sections, 2};
    assert_int_equal(roof_page_draw(&page, &out, NULL), ROOF_OK);
    assert_int_equal(strstr(out.data, "class=\"wide chart titled\"") != NULL, same);
    assert_null(strstr(out.data, "class=\"about\""));
    assert_null(strstr(out.data, "id=\"asked\"")); /* it says nothing */
    roof_text_done(&out);
  }
  roof_text_done(&svg);
}

/** Marks are inside the plot, apart from each other and from the dots. */
static void check_marks(void) {
  for (int i = 0; i < RF_MARK_COUNT; i++) {
    const rf_mark *mark = &layout.marks[i];
    if (mark->text[0] == '\0') {
      continue;
    }
    double c = fabs(mark->rect.c), s = fabs(mark->rect.s);
    assert_near(c * c + s * s, 1, 1e-9);
    double width = mark->rect.half_width * c + mark->rect.half_height * s;
    double height = mark->rect.half_width * s + mark->rect.half_height * c;
    assert_true(mark->rect.x - width >= layout.left && mark->rect.x + width <= layout.right);
    assert_true(mark->rect.y - height >= layout.top && mark->rect.y + height <= layout.bottom);
    for (int j = 0; j < i; j++) {
      if (layout.marks[j].text[0] != '\0' && rf_rect_near(&mark->rect, &layout.marks[j].rect, 0)) {
        fail_msg("`%s` is over `%s`", mark->text, layout.marks[j].text);
      }
    }
    for (int j = 0; j < scene.dot_count; j++) {
      rf_point p =
          rf_layout_point(&layout, log10(scene.dots[j].intensity), log10(scene.dots[j].flops_per_second));
      rf_rect dot = {p.x, p.y, RF_DOT_RADIUS, RF_DOT_RADIUS, 1, 0};
      assert_true(p.x > layout.left && p.x < layout.right && p.y > layout.top && p.y < layout.bottom);
      if (rf_rect_near(&mark->rect, &dot, 0)) {
        fail_msg("`%s` is over dot %d", mark->text, j);
      }
      rf_rect warning = {p.x, p.y - RF_DOT_RADIUS - 10, 3, 6, 1, 0};
      if (layout.geometry.above[j] && rf_rect_near(&mark->rect, &warning, 0)) {
        fail_msg("`%s` hides that dot %d is above its ceiling", mark->text, j);
      }
    }
  }
}

/** A number from 0 to 1 that is the same on every machine. */
static double chance(void) {
  static uint64_t seed = 42;
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-53;
}

static void labels_of_random_scenes_are_apart(void **state) {
  (void)state;
  int numbered = 0;
  for (int round = 0; round < 24; round++) {
    start(round % 2 ? make_cpu : make_gpu, ROOF_FP32);
    double middle = pow(10, 3 * chance() - 1), spread = 0.05 + 2 * chance();
    for (int i = 0; i <= round; i++) {
      char label[64];
      snprintf(label, sizeof label, "%.*s %d", (int)(8 + 20 * chance()), "kernel of some length or other", i);
      double x = middle * pow(10, spread * (chance() - 0.5));
      assert_int_equal(add_dot(label, x, x * 10e9 * pow(10, spread * chance()), round % 3 == 0, -1), i);
    }
    assert_int_equal(rf_layout_make(&scene, ROOF_CHART_WIDE, &layout, NULL), ROOF_OK);
    check_marks();
    numbered += layout.numbered;
    for (int i = 0; i < scene.dot_count; i++) {
      assert_true(layout.marks[ROOF_SCENE_ROOFS + i].text[0] != '\0');
    }
  }
  assert_in_range(numbered, 1, 23);
}

static void make_close(roof_machine **slot) {
  static const double rates[] = {40e9, 36e9, 34e9};
  roof_machine *m = empty_machine(slot);
  strcpy(m->name, "close");
  add_peak(m, ROOF_FP32, ROOF_VECTOR, ROOF_MEASURED, 384e9, NAN);
  add_level(m, "L2", ROOF_L2, ROOF_MEASURED, rates[0]);
  add_level(m, "L3", ROOF_L3, ROOF_MEASURED, rates[1]);
  add_level(m, "DRAM", ROOF_MEMORY, ROOF_MEASURED, rates[2]);
}

/** No ceiling's label is on a line of any; returns how many have one. */
static int check_roof_labels(void) {
  int count = 0;
  for (int i = 0; i < scene.roof_count; i++) {
    const rf_mark *mark = &layout.marks[i];
    count += mark->text[0] != '\0';
    for (int j = 0; j < scene.roof_count && mark->text[0] != '\0'; j++) {
      const rf_geometry *g = &layout.geometry;
      rf_rect line = rf_rect_line(rf_layout_point(&layout, g->from[j].x, g->from[j].y),
                                  rf_layout_point(&layout, g->to[j].x, g->to[j].y));
      rf_rect leader = rf_rect_line((rf_point){mark->rect.x, mark->rect.y}, mark->anchor);
      bool crossed =
          layout.width < ROOF_CHART_WIDE && mark->leader && j != i && rf_rect_near(&leader, &line, 0);
      if (crossed || rf_rect_near(&mark->rect, &line, 0)) {
        fail_msg("`%s` is over the line of `%s`", mark->text, scene.roofs[j].label);
      }
    }
  }
  return count;
}

static void labels_of_close_roofs_lie_on_none(void **state) {
  (void)state;
  start(make_close, ROOF_FP32);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(add_dot("kernel", 0.1 * (i + 1), 2.8e9 * (i + 1), false, -1), i);
  }
  assert_int_equal(rf_layout_make(&scene, ROOF_CHART_WIDE, &layout, NULL), ROOF_OK);
  check_marks();
  assert_int_equal(check_roof_labels(), scene.roof_count);
}

/** In a narrow picture of many ceilings those whose label would lie on another's line are named below the plot, all others in it. */
static void a_narrow_picture_names_each_roof_once(void **state) {
  (void)state;
  roof_text svg = {0};
  owned roof_machine *close = NULL;
  make_close(&close);
  start(make_cpu, ROOF_FP32);
  assert_int_equal(roof_scene_add_machine(&scene, close, ROOF_FP32, NULL), ROOF_OK);
  assert_int_equal(rf_layout_make(&scene, ROOF_CHART_NARROW, &layout, NULL), ROOF_OK);
  check_marks();
  int named = check_roof_labels();
  assert_in_range(named, 2, scene.roof_count - 2);
  assert_int_equal(roof_draw_svg(&scene, ROOF_CHART_NARROW, &svg, NULL), ROOF_OK);
  for (int i = 0; i < scene.roof_count; i++) {
    char mark[160];
    snprintf(mark, sizeof mark, ">%s</text>", scene.roofs[i].label);
    assert_true(strstr(svg.data, mark) != NULL);
  }
  roof_text_done(&svg);
}

static void dots_all_in_one_place_get_numbers(void **state) {
  (void)state;
  start(make_gpu, ROOF_FP16);
  for (int i = 0; i < 60; i++) {
    add_dot("the same", 10, 20e12, false, -1);
  }
  assert_int_equal(rf_layout_make(&scene, ROOF_CHART_WIDE, &layout, NULL), ROOF_OK);
  assert_true(layout.numbered);
  check_marks();
}

static void rectangles_meet_or_not(void **state) {
  (void)state;
  rf_rect flat = {0, 0, 10, 2, 1, 0}, aside = {15, 0, 4, 2, 1, 0};
  rf_rect turned = {9, 6, 10, 1, sqrt(0.5), sqrt(0.5)};
  assert_false(rf_rect_near(&flat, &aside, 0.5));
  assert_true(rf_rect_near(&flat, &aside, 1.5));
  assert_true(rf_rect_near(&flat, &turned, 0));
  turned.x = 0;
  turned.y = 12;
  assert_false(rf_rect_near(&flat, &turned, 0));
}

static void extreme_numbers_draw(void **state) {
  (void)state;
  start(make_gpu, ROOF_FP16);
  add_dot("tiny", 1e-300, 1e-300, false, -1);
  add_dot("huge", 1e300, 1e300, false, -1);
  roof_text out = {0};
  assert_int_equal(roof_draw_svg(&scene, 0, &out, NULL), ROOF_OK);
  assert_null(strstr(out.data, "nan"));
  assert_null(strstr(out.data, "inf"));
  assert_int_equal(roof_draw_terminal(&scene, 40, 12, true, false, &out, NULL), ROOF_OK);
  roof_text_done(&out);
}

/** Elements open and close in order, entities are known, quotes are even: enough to catch a broken label. */
static void check_well_formed(const char *xml) {
  const char *names[64];
  int depth = 0;
  for (const char *s = xml; *s != '\0'; s++) {
    if (*s == '&') {
      assert_true(strcspn(s, ";") <= 6);
    }
    if (*s != '<' || s[1] == '!') {
      continue;
    }
    const char *end = strchr(s, '>');
    assert_non_null(end);
    size_t length = strcspn(s + 1, " />");
    if (s[1] == '/') {
      assert_true(depth > 0);
      depth--;
      length = strcspn(s + 2, ">");
      assert_memory_equal(names[depth], s + 2, length);
    } else if (end[-1] != '/') {
      assert_true(depth < 64 && length > 0);
      names[depth++] = s + 1;
    }
    s = end;
  }
  assert_int_equal(depth, 0);
}

/** Takes out what is there once: the script and its style change more often than what the page says. */
static void take_out(roof_text *out, const char *part) {
  char *at = strstr(out->data, part);
  assert_non_null(at);
  size_t length = strlen(part);
  memmove(at, at + length, strlen(at + length) + 1);
  out->length -= length;
  assert_null(strstr(out->data, part));
}

static const char hostile[] = "</text><script>alert('\"&')</script>\x01\xFF\x1b[31m";

static void hostile_labels_are_escaped(void **state) {
  (void)state;
  start(make_gpu, ROOF_FP16);
  strcpy(scene.title, hostile);
  strcpy(scene.subtitle, hostile);
  strcpy(scene.series[0], hostile);
  strcpy(scene.roofs[0].label, hostile);
  add_dot(hostile, 10, 20e12, false, -1);
  strcpy(scene.dots[0].detail, hostile);
  roof_text out = {0};
  const char *cells[] = {hostile, hostile, hostile, hostile};
  const char *words[] = {hostile, NULL};
  const char *keys[] = {hostile};
  const roof_table table = {
      .title = hostile, .cells = cells, .columns = 2, .rows = 1, .verdict = 1, .keys = keys, .folded = true};
  const roof_page_section section = {.part = ROOF_PAGE_NEXT,
                                     .heading = hostile,
                                     .lines = words,
                                     .tables = &table,
                                     .table_count = 1,
                                     .commands = words};
  const roof_page page = {hostile, hostile, &section, 1};
  assert_int_equal(roof_draw_svg(&scene, 0, &out, NULL), ROOF_OK);
  check_well_formed(out.data);
  roof_text_done(&out);
  assert_int_equal(roof_page_draw(&page, &out, NULL), ROOF_OK);
  take_out(&out, rf_page_script);
  check_well_formed(out.data);
  take_out(&out, "<script></script>");
  assert_null(strstr(out.data, "<script"));
  assert_non_null(strstr(out.data, "&lt;script&gt;"));
  assert_non_null(strstr(out.data, "\xEF\xBF\xBD"));
  roof_text_done(&out);
  assert_int_equal(roof_draw_terminal(&scene, 80, 24, false, false, &out, NULL), ROOF_OK);
  assert_null(strchr(out.data, '\x1b'));
  assert_null(strchr(out.data, '\x01'));
  roof_text_done(&out);
}

static void ascii_is_seven_bits(void **state) {
  (void)state;
  start(make_cpu, ROOF_FP32);
  add_dot("\xED\x96\x89\xEB\xA0\xAC \xC2\xB5", 0.1, 1e9, true, -1);
  roof_text out = {0};
  assert_int_equal(roof_draw_terminal(&scene, 72, 20, true, false, &out, NULL), ROOF_OK);
  for (size_t i = 0; i < out.length; i++) {
    assert_true((unsigned char)out.data[i] < 0x80);
  }
  roof_text_done(&out);
  assert_int_equal(roof_draw_terminal(&scene, 39, 20, true, false, &out, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(roof_draw_terminal(&scene, 40, 11, true, false, &out, NULL), ROOF_E_ARGUMENT);
}

static void terminal_lines_fit(void **state) {
  (void)state;
  start(make_gpu, ROOF_FP16);
  strcpy(scene.title,
         "\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4 wide title that is much longer than forty columns");
  roof_text out = {0};
  assert_int_equal(roof_draw_terminal(&scene, 40, 12, false, false, &out, NULL), ROOF_OK);
  const char *line = out.data;
  for (int row = 0; row < 12; row++) {
    int cells = 0;
    while (*line != '\n') {
      cells += rf_glyph_cells(rf_glyph_next(&line));
    }
    assert_true(cells <= 40);
    line++;
  }
  roof_text_done(&out);
}

static void numbers_to_four_digits(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } rows[] = {{295.2239, "295.2"}, {0.0833333, "0.08333"}, {0.5, "0.5"},         {3584, "3584"},
              {9.99996, "10"},     {123456, "123456"},     {0.00012, "0.00012"}, {0, "0"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[40];
    rf_axis_number(text, sizeof text, rows[i].value);
    assert_string_equal(text, rows[i].text);
  }
}

static void golden_path(char *path, size_t size, const char *name) {
  const char *source = getenv("ROOFLINE_SOURCE");
  snprintf(path, size, "%s/tests/golden/%s", source != NULL ? source : ".", name);
}

/** Holds `out` equal to a golden file, or rewrites that. Frees `out`. */
static void check_golden(roof_text *out, const char *name) {
  char path[1024];
  golden_path(path, sizeof path, name);
  const char *update = getenv("ROOFLINE_UPDATE_GOLDEN");
  bool rewrite = update != NULL && strcmp(update, "1") == 0;
  FILE *file = fopen(path, rewrite ? "wb" : "rb");
  if (file == NULL) {
    fail_msg("%s: cannot be opened", path);
  }
  if (rewrite) {
    assert_int_equal(fwrite(out->data, 1, out->length, file), out->length);
  } else {
    char *golden = calloc(1, out->length + 2);
    assert_non_null(golden);
    size_t length = fread(golden, 1, out->length + 1, file);
    if (length != out->length || memcmp(golden, out->data, length) != 0) {
      fail_msg("%s: differs; look at the picture, then run with ROOFLINE_UPDATE_GOLDEN=1", path);
    }
    free(golden);
  }
  assert_int_equal(fclose(file), 0);
  roof_text_done(out);
}

static void make_golden_scene(void) {
  static roof_machine *gpu = NULL;
  make_gpu(&gpu);
  start(make_cpu, ROOF_FP32);
  assert_int_equal(roof_scene_add_machine(&scene, gpu, ROOF_FP16, NULL), ROOF_OK);
  strcpy(scene.title, "cpu and gpu");
  strcpy(scene.subtitle, "kernels predicted and measured");
  int measured = add_dot("triad", 0.083, 1.5e9, false, -1);
  add_dot("triad", 0.083, 2e9, true, measured);
  add_dot("\xED\x96\x89\xEB\xA0\xAC \xEA\xB3\xB1", 85, 33e9, false, -1);
  add_dot("gemm", 85, 105e9, false, 2);
  add_dot("too fast <&>", 0.5, 30e9, false, -1);
}

/** Every part of the story, with a chart, a table, one that is folded, and commands. */
static void draw_golden_page(roof_text *out) {
  roof_text svg = {0}, small = {0};
  assert_int_equal(roof_draw_svg(&scene, 0, &svg, NULL), ROOF_OK);
  assert_int_equal(roof_draw_svg(&scene, ROOF_CHART_NARROW, &small, NULL), ROOF_OK);
  const char *const charts[] = {svg.data, NULL}, *const narrow[] = {small.data, NULL};
  const char *const cells[] = {"kernel", "seconds", "of ceiling", "verdict", "triad", "17.1 ms",
                               "49.0 %", "normal",  "gemm",       "unknown", "",      "bug, noisy"};
  const char *const asked[] = {"Two kernels.", NULL}, *const next[] = {"Fix gemm.", NULL},
                    *const commands[] = {"roofline loop", NULL};
  const roof_table tables[] = {
      {.title = "Kernels", .cells = cells, .columns = 4, .rows = 2, .verdict = 3},
      {.title = "All", .cells = cells, .columns = 4, .rows = 2, .folded = true},
  };
  const roof_page_section sections[] = {
      {.part = ROOF_PAGE_ASKED, .lines = asked, .commands = commands},
      {.part = ROOF_PAGE_MEASURED,
       .charts = charts,
       .narrow = narrow,
       .tables = &tables[1],
       .table_count = 1},
      {.part = ROOF_PAGE_VERDICTS, .tables = tables, .table_count = 1},
      {.part = ROOF_PAGE_NEXT, .lines = next},
  };
  const roof_page page = {"A cpu and a gpu", "Two kernels: most headroom in gemm", sections, 4};
  assert_int_equal(roof_page_draw(&page, out, NULL), ROOF_OK);
  roof_text_done(&svg);
  roof_text_done(&small);
}

static void golden_pictures(void **state) {
  (void)state;
  roof_text out = {0};
  make_golden_scene();
  assert_int_equal(roof_draw_svg(&scene, 0, &out, NULL), ROOF_OK);
  check_golden(&out, "chart.svg");
  assert_int_equal(roof_draw_svg(&scene, ROOF_CHART_NARROW, &out, NULL), ROOF_OK);
  check_golden(&out, "chart-narrow.svg");
  assert_int_equal(roof_draw_terminal(&scene, 90, 26, false, false, &out, NULL), ROOF_OK);
  check_golden(&out, "chart.txt");
  assert_int_equal(roof_draw_terminal(&scene, 72, 20, true, true, &out, NULL), ROOF_OK);
  check_golden(&out, "chart-ascii-colour.txt");
  draw_golden_page(&out);
  take_out(&out, rf_page_script);
  take_out(&out, rf_page_style);
  take_out(&out, rf_page_hash);
  check_golden(&out, "report.html");
}

static void drawing_twice_gives_the_same(void **state) {
  (void)state;
  roof_text first = {0}, second = {0};
  make_golden_scene();
  assert_int_equal(roof_draw_svg(&scene, 0, &first, NULL), ROOF_OK);
  assert_int_equal(roof_draw_svg(&scene, 0, &second, NULL), ROOF_OK);
  assert_string_equal(first.data, second.data);
  roof_text_done(&first);
  roof_text_done(&second);
}

/** Two panels: a rising line that ends dashed, and its power. */
static roof_curves *make_curves(void) {
  static roof_curves c;
  c = (roof_curves){
      .title = "A < B & C", .x_title = "batch", .series_count = 1, .panel_count = 2, .mark_count = 1};
  strcpy(c.series[0], "one");
  strcpy(c.dashed, "does not fit");
  c.marks[0] = (roof_curve_dot){.label = "balance 30", .x = 30};
  for (int p = 0; p < 2; p++) {
    strcpy(c.panels[p].title, p == 0 ? "rate" : "power");
    strcpy(c.panels[p].unit, p == 0 ? "FLOP/J" : "W");
    c.panels[p].linear = p == 1;
    c.panels[p].curve_count = 1;
    c.panels[p].curves[0] = (roof_curve){.count = 8, .solid = 6};
    for (int i = 0; i < 8; i++) {
      c.panels[p].curves[0].x[i] = 1 << i;
      c.panels[p].curves[0].y[i] = p == 0 ? 1e12 * (i + 1) : 100;
    }
  }
  c.panels[0].limit_count = c.panels[0].dot_count = 1;
  c.panels[0].limits[0] = (roof_curve_dot){.label = "limit", .y = 8e12};
  c.panels[0].dots[0] = (roof_curve_dot){.label = "m=4", .x = 4, .y = 3e12};
  return &c;
}

static void curves_have_every_part(void **state) {
  (void)state;
  roof_text out = {0};
  roof_error error = {0};
  roof_curves *c = make_curves();
  assert_int_equal(roof_draw_curves_svg(c, 0, &out, &error), ROOF_OK);
  const char *const parts[] = {"A &lt; B &amp; C",
                               ">limit<",
                               ">m=4<",
                               ">balance 30<",
                               ">one<",
                               ">does not fit<",
                               "5 TFLOP/J",
                               ">50 W<",
                               "<desc",
                               "class=\"p d\"",
                               ">batch<",
                               ">power<",
                               "one, power: 100.0 W at 1"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (strstr(out.data, parts[i]) == NULL) {
      fail_msg("no %s in %s", parts[i], out.data);
    }
  }
  roof_text_done(&out);
}

/** How many labels of a picture with `count` upright lines at `at` lie on one that does not end at them. */
static int struck_through(const char *svg, const double *at, int count) {
  int struck = 0;
  bool covers = false;
  for (const char *line = svg; line != NULL; line = strchr(line, '\n')) {
    char words[80];
    double x, y;
    line += *line == '\n';
    bool text =
        sscanf(line, "<text class=\"h\" x=\"%lf\" y=\"%lf\" style=\"%*[^\"]\">%79[^<]", &x, &y, words) == 3;
    for (int i = 0; i < count && text && !covers && x > 0; i++) {
      struck += at[i] > x && at[i] < x + rf_glyph_ems(words) * 12;
    }
    covers = strncmp(line, "<rect ", 6) == 0;
  }
  return struck;
}

/** Where the upright dashed lines are, in pixels. */
static int find_lines(const char *svg, double *at, int most) {
  int count = 0;
  for (const char *line = strstr(svg, "<line class=\"k\""); line != NULL && count < most;
       line = strstr(line + 1, "<line class=\"k\"")) {
    double x1, x2;
    if (sscanf(line, "<line class=\"k\" stroke=\"%*[^\"]\" x1=\"%lf\" y1=\"%*f\" x2=\"%lf\"", &x1, &x2) ==
            2 &&
        x1 == x2) {
      at[count++] = x1;
    }
  }
  return count;
}

static void labels_of_close_lines_are_not_struck_through(void **state) {
  (void)state;
  roof_curves *c = make_curves();
  double at[64];
  for (c->mark_count = 0; c->mark_count < 8; c->mark_count++) {
    roof_curve_dot *mark = &c->marks[c->mark_count];
    *mark = (roof_curve_dot){.x = 20 * pow(1.04, c->mark_count)};
    snprintf(mark->label, sizeof mark->label, "products of the decode are compute-bound from %d",
             c->mark_count);
  }
  roof_text out = {0};
  assert_int_equal(roof_draw_curves_svg(c, 0, &out, NULL), ROOF_OK);
  int lines = find_lines(out.data, at, 64);
  assert_int_equal(lines, 16);
  assert_int_equal(struck_through(out.data, at, lines), 0);
  assert_non_null(strstr(out.data, "compute-bound from 7<"));
  roof_text_done(&out);
}

/** The height at which a picture has a text, which it has once. */
static double height_of(const char *svg, const char *text) {
  char mark[160];
  snprintf(mark, sizeof mark, ">%s</text>", text);
  const char *found = strstr(svg, mark), *at = found;
  assert_non_null(found);
  assert_null(strstr(found + 1, mark));
  while (strncmp(at, " y=\"", 4) != 0) {
    at--;
  }
  return strtod(at + 4, NULL);
}

/** In a narrow picture a limit whose label would lie on a line is named below the plot, in a wide one at its line. */
static void a_limit_is_named_once(void **state) {
  (void)state;
  roof_curves *c = make_curves();
  roof_text wide = {0}, narrow = {0};
  strcpy(c->panels[0].limits[0].label, "a limit with a name that is as long as a line");
  assert_int_equal(roof_draw_curves_svg(c, ROOF_CHART_WIDE, &wide, NULL), ROOF_OK);
  assert_int_equal(roof_draw_curves_svg(c, ROOF_CHART_NARROW, &narrow, NULL), ROOF_OK);
  const char *label = c->panels[0].limits[0].label;
  assert_true(height_of(wide.data, label) < height_of(wide.data, "one"));
  assert_true(height_of(narrow.data, label) > height_of(narrow.data, "one"));
  roof_text_done(&wide);
  roof_text_done(&narrow);
}

/** The label of a tick at the plot's right end stays in the picture. */
static void the_last_tick_is_not_cut(void **state) {
  (void)state;
  const char *label = "100000";
  roof_front front = {.title = "a front", .least_x = NAN, .dots = {{1e5 / 1.1, 1, "most", true}}, .count = 1};
  roof_text out = {0};
  double x;
  assert_int_equal(roof_draw_front_svg(&front, ROOF_CHART_NARROW, &out, NULL), ROOF_OK);
  const char *at = strstr(out.data, ">100000<");
  assert_non_null(at);
  while (strncmp(at, "x=\"", 3) != 0) {
    at--;
  }
  assert_int_equal(sscanf(at, "x=\"%lf", &x), 1);
  assert_true(x > ROOF_CHART_NARROW / 2 && x + rf_glyph_ems(label) * 12 / 2 <= ROOF_CHART_NARROW);
  roof_text_done(&out);
}

/** The same level has the same hue whatever else a chart of one machine shows; of several a machine has one. */
static void a_level_has_one_hue(void **state) {
  (void)state;
  rf_hue_key keys[RF_HUE_KEYS];
  static roof_machine *gpu = NULL;
  start(make_cpu, ROOF_FP32);
  assert_int_equal(rf_hue_keys(&scene, keys), 5);
  assert_string_equal(keys[0].name, "compute");
  assert_string_equal(keys[4].name, "memory");
  for (int i = 1; i < 5; i++) {
    for (int k = 0; k < i; k++) {
      assert_int_not_equal(keys[i].hue, keys[k].hue);
    }
  }
  int memory = keys[4].hue, cache = keys[2].hue, dot = add_dot("in L2", 1, 1e9, false, -1);
  assert_int_not_equal(rf_hue_of_dot(&scene, &scene.dots[dot]), cache);
  scene.dots[dot].level = ROOF_L2;
  assert_int_equal(rf_hue_of_dot(&scene, &scene.dots[dot]), cache);
  assert_int_equal(rf_hue_of_series(&scene, 0), cache);
  assert_int_equal(rf_hue_of_ridge(&scene, 0), memory);
  roof_text out = {0};
  assert_int_equal(roof_draw_svg(&scene, 0, &out, NULL), ROOF_OK);
  assert_non_null(strstr(out.data, ">memory<"));
  assert_null(strstr(out.data, ">cpu<"));
  roof_text_done(&out);
  start(make_gpu, ROOF_FP16);
  assert_int_equal(rf_hue_keys(&scene, keys), 2);
  assert_int_equal(keys[1].hue, memory);
  make_gpu(&gpu);
  strcpy(gpu->name, "another");
  assert_int_equal(roof_scene_add_machine(&scene, gpu, ROOF_FP16, NULL), ROOF_OK);
  assert_int_equal(rf_hue_keys(&scene, keys), 0);
  assert_int_equal(rf_hue_of_roof(&scene, &scene.roofs[0]), 0);
  assert_int_equal(rf_hue_of_roof(&scene, &scene.roofs[scene.roof_count - 1]), 1);
}

static void curves_without_a_place_are_refused(void **state) {
  (void)state;
  roof_text out = {0};
  roof_error error = {0};
  roof_curves *c = make_curves();
  c->panels[0].curves[0].y[3] = 0;
  assert_int_equal(roof_draw_curves_svg(c, 0, &out, &error), ROOF_E_ARGUMENT);
  c = make_curves();
  c->panels[1].curves[0].y[3] = NAN;
  assert_int_equal(roof_draw_curves_svg(c, 0, &out, &error), ROOF_E_ARGUMENT);
  c = make_curves();
  c->panels[1].curve_count = 0;
  assert_int_equal(roof_draw_curves_svg(c, 0, &out, &error), ROOF_E_ARGUMENT);
  c = make_curves();
  c->panel_count = 0;
  assert_int_equal(roof_draw_curves_svg(c, 0, &out, &error), ROOF_E_ARGUMENT);
  assert_int_equal(out.length, 0);
  roof_text_done(&out);
}

static void series_are_found_or_added(void **state) {
  (void)state;
  static roof_scene many;
  char name[16];
  roof_scene_init(&many);
  many.series_count = 1;
  assert_int_equal(roof_scene_series(&many, "data in L2"), 1);
  assert_int_equal(roof_scene_series(&many, "data in DRAM"), 2);
  assert_int_equal(roof_scene_series(&many, "data in L2"), 1);
  while (many.series_count < ROOF_SCENE_SERIES) {
    int next = many.series_count;
    snprintf(name, sizeof name, "%d", next);
    assert_int_equal(roof_scene_series(&many, name), next);
  }
  assert_int_equal(roof_scene_series(&many, "one too many"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(series_are_found_or_added),
      cmocka_unit_test(measured_roofs_are_dashed),
      cmocka_unit_test(the_outline_is_the_theoretical_outermost),
      cmocka_unit_test(a_machine_without_figures_is_refused),
      cmocka_unit_test(a_full_scene_stays_as_it_was),
      cmocka_unit_test(small_dots_lie_above_large_ones),
      cmocka_unit_test(dots_need_a_place_on_a_log_axis),
      cmocka_unit_test(a_label_cut_inside_a_character_loses_it),
      cmocka_unit_test(slopes_and_ridges),
      cmocka_unit_test(a_dot_over_its_roof_is_marked),
      cmocka_unit_test(a_placed_dot_keeps_its_ceiling),
      cmocka_unit_test(the_ceiling_drawn_is_the_one_judged_by),
      cmocka_unit_test(one_ridge_whoever_says_it),
      cmocka_unit_test(some_cores_have_their_own_roof),
      cmocka_unit_test(a_cache_has_its_own_ramp),
      cmocka_unit_test(a_measured_roof_over_its_limit_says_so),
      cmocka_unit_test(an_unknown_peak_is_not_drawn_as_another),
      cmocka_unit_test(an_arrow_means_next),
      cmocka_unit_test(a_warning_is_over_the_labels_and_in_the_terminal),
      cmocka_unit_test(marks_say_what_they_are),
      cmocka_unit_test(a_title_is_shown_once),
      cmocka_unit_test(ids_differ_between_pictures),
      cmocka_unit_test(labels_of_random_scenes_are_apart),
      cmocka_unit_test(labels_of_close_roofs_lie_on_none),
      cmocka_unit_test(a_narrow_picture_names_each_roof_once),
      cmocka_unit_test(dots_all_in_one_place_get_numbers),
      cmocka_unit_test(rectangles_meet_or_not),
      cmocka_unit_test(extreme_numbers_draw),
      cmocka_unit_test(hostile_labels_are_escaped),
      cmocka_unit_test(ascii_is_seven_bits),
      cmocka_unit_test(terminal_lines_fit),
      cmocka_unit_test(numbers_to_four_digits),
      cmocka_unit_test(golden_pictures),
      cmocka_unit_test(drawing_twice_gives_the_same),
      cmocka_unit_test(curves_have_every_part),
      cmocka_unit_test(curves_without_a_place_are_refused),
      cmocka_unit_test(the_last_tick_is_not_cut),
      cmocka_unit_test(labels_of_close_lines_are_not_struck_through),
      cmocka_unit_test(a_limit_is_named_once),
      cmocka_unit_test(a_level_has_one_hue),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
