/* A model over several values of its settings: how they are read, every run, the best, where a line turns. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "roofline/catalog.h"
#include "roofline/draw.h"
#include "roofline/model_sweep.h"
#include "roofline/weights.h"

static roof_machine *machines[2];
static roof_model llama;

static int setup(void **state) {
  (void)state;
  bool ready = roof_catalog_load("h100", &machines[0], NULL) == ROOF_OK &&
               roof_catalog_load("a100", &machines[1], NULL) == ROOF_OK &&
               roof_model_load("llama-3.1-8b", &llama, NULL) == ROOF_OK;
  return ready ? 0 : -1;
}

static void settings_are_read(void **state) {
  (void)state;
  static const char *const words[] = {"batch=1..8*2", "prompt=4k", "workspace=1GiB,2GiB", "price=2.5"};
  roof_model_settings s = roof_model_settings_default(&llama);
  roof_model_axes axes = {0};
  assert_int_equal(roof_model_settings_read(words, 4, &s, &axes, NULL), ROOF_OK);
  assert_true(s.batch == 1 && s.prompt == 4000 && s.workspace == 0x1p30 && s.price == 2.5);
  assert_int_equal(axes.count, 2);
  assert_string_equal(axes.list[0].name, "batch");
  assert_true(axes.list[0].offset == offsetof(roof_model_settings, batch));
  assert_true(axes.list[0].values.count == 4 && axes.list[0].values.values[3] == 8);
  assert_true(axes.list[1].values.count == 2 && axes.list[1].values.values[1] == 0x1p31);
  roof_model_axes_done(&axes);
  assert_int_equal(axes.count, 0);
}

/** What is wrong leaves settings and axes as they were. */
static void settings_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *word, *why;
  } rows[] = {{"bach=8", "did you mean `batch`?"},
              {"batch", "settings are key=value"},
              {"batch=x", "batch: "},
              {"batch=1,x", "batch: "},
              {"tp=2,4", "given twice"},
              {"prompt=7", "`prompt`: given twice"},
              {"context=9", "`prompt` and `context`: they say the same"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const char *const first[] = {"tp=1,2"}, *const words[] = {"prompt=7", "dp=1,2", rows[i].word};
    roof_model_settings s = roof_model_settings_default(&llama);
    roof_model_axes axes = {0};
    roof_error error = {0};
    assert_int_equal(roof_model_settings_read(first, 1, &s, &axes, NULL), ROOF_OK);
    assert_int_not_equal(roof_model_settings_read(words, 3, &s, &axes, &error), ROOF_OK);
    if (strstr(error.message, rows[i].why) == NULL) {
      fail_msg("%s: %s", rows[i].word, error.message);
    }
    assert_true(s.prompt == 2048 && axes.count == 1);
    s = roof_model_settings_default(&llama);
    assert_int_equal(roof_model_settings_read(first, 1, &s, NULL, &error), ROOF_E_ARGUMENT);
    assert_non_null(strstr(error.message, "one value here"));
    roof_model_axes_done(&axes);
  }
}

/** What has no effect is refused for one question and taken for another. */
static void idle_settings_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *word, *other; /**< with which it has an effect */
    bool trains, searches;
    const char *why;
  } rows[] = {{"tp=2", NULL, false, true, "tp: has no effect: a search tries every plan"},
              {"accept=0.5", "draft=4", false, false, "accept: has no effect: "},
              {"sharers=4", "prefix=0.5", false, false, "sharers: has no effect: "},
              {"node=4", "tp=2", false, false, "node: has no effect: "},
              {"images=3", NULL, false, true, "images: has no effect: no tower"},
              {"price=2", "tokens=1T", true, true, "price: has no effect: a search for training"},
              {"zero=3", "dp=2", true, false, "zero: has no effect: one replica"},
              {"interleave=2", "pp=2", true, false, "interleave: has no effect: one stage"},
              {"chunk=64", NULL, true, false, "chunk: has no effect: "}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_model_settings s = roof_model_settings_default(&llama);
    roof_error error = {0};
    s.train = rows[i].trains;
    assert_int_equal(roof_model_settings_read(&rows[i].word, 1, &s, NULL, NULL), ROOF_OK);
    assert_int_equal(roof_model_settings_check(&llama, &s, NULL, rows[i].searches, NULL, &error),
                     ROOF_E_ARGUMENT);
    assert_int_equal(strncmp(error.message, rows[i].why, strlen(rows[i].why)), 0);
    s.train = rows[i].other != NULL && s.train;
    if (rows[i].other != NULL) {
      assert_int_equal(roof_model_settings_read(&rows[i].other, 1, &s, NULL, NULL), ROOF_OK);
    }
    bool never = rows[i].other == NULL && strncmp(rows[i].word, "images", 6) == 0;
    assert_int_equal(roof_model_settings_check(&llama, &s, NULL, false, NULL, &error),
                     never ? ROOF_E_ARGUMENT : ROOF_OK);
  }
}

/** At the knee a token takes twice as long as with one sequence, before it less; the largest batch fits, one more does
 * not. */
static void batches_bend_and_end(void **state) {
  (void)state;
  static roof_model_answer a;
  roof_model_target t;
  for (double dp = 1; dp <= 2; dp++) {
    roof_model_settings s = roof_model_settings_default(&llama);
    s.dp = dp, s.batch = dp;
    assert_int_equal(roof_model_target_init(&t, &llama, machines[0], &s, NULL), ROOF_OK);
    roof_model_batches b = roof_model_batches_of(&t);
    roof_model_answer_of(&t, &a);
    double once = a.tpot_seconds;
    for (int i = 0; i < 2; i++) {
      t.settings.batch = b.knee - i * dp;
      roof_model_answer_of(&t, &a);
      assert_true((a.tpot_seconds >= 2 * once) == (i == 0));
      t.settings.batch = b.largest + i * dp;
      assert_true(roof_model_capacity_of(&t).fits == (i == 0));
    }
  }
  roof_model_settings s = roof_model_settings_default(&llama);
  s.generate = 0;
  assert_int_equal(roof_model_target_init(&t, &llama, machines[0], &s, NULL), ROOF_OK);
  assert_true(isnan(roof_model_batches_of(&t).knee));
}

static void precisions_are_read(void **state) {
  (void)state;
  roof_model_precisions p;
  roof_error error = {0};
  assert_int_equal(roof_model_precisions_parse(NULL, &llama.precision, &p, NULL), ROOF_OK);
  assert_true(p.count == 1 && p.list[0].weights[ROOF_PART_MLP].stored == ROOF_BF16);
  assert_string_equal(p.names[0], "as stored");
  assert_int_equal(roof_model_precisions_parse("bf16/fp8,head=fp8", &llama.precision, &p, NULL), ROOF_OK);
  assert_int_equal(p.count, 2);
  assert_string_equal(p.names[1], "fp8,head=fp8");
  assert_true(p.list[0].weights[ROOF_PART_HEAD].stored == ROOF_BF16);
  assert_true(p.list[1].weights[ROOF_PART_HEAD].stored == ROOF_FP8);
  assert_int_equal(roof_model_precisions_parse("bf16/fp9", &llama.precision, &p, &error), ROOF_E_NAME);
  assert_int_equal(
      roof_model_precisions_parse("fp8/fp8/fp8/fp8/fp8/fp8/fp8/fp8/fp8", &llama.precision, &p, &error),
      ROOF_E_ARGUMENT);
  assert_int_equal(p.count, 2);
}

/** What a test asks: two machines, two precisions, batches of 1 to 512 and two splits, one of which cannot be. */
typedef struct asked {
  roof_model_settings settings;
  roof_model_axes axes;
  roof_model_precisions precisions;
  roof_model_sweep sweep;
} asked;

static void ask(asked *a, const char *const *words, int count, const char *precisions, int machine_count) {
  roof_error error = {0};
  *a = (asked){.settings = roof_model_settings_default(&llama)};
  if (roof_model_settings_read(words, count, &a->settings, &a->axes, &error) != ROOF_OK ||
      roof_model_precisions_parse(precisions, &a->settings.precision, &a->precisions, &error) != ROOF_OK ||
      roof_model_sweep_of(&llama, machines, machine_count, &a->settings, &a->axes, &a->precisions, &a->sweep,
                          &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
}

static void release(asked *a) {
  roof_model_sweep_done(&a->sweep);
  roof_model_axes_done(&a->axes);
}

/** Each run is the answer by itself. */
static void runs_are_answers(void **state) {
  (void)state;
  static const char *const words[] = {"batch=1..512*8", "tp=1,3", "generate=64"};
  static asked a;
  static roof_model_answer one;
  ask(&a, words, 3, "bf16/fp8", 2);
  const roof_model_sweep *s = &a.sweep;
  assert_true(s->values == 8 && s->count == 32 && roof_model_sweep_stride(s, 0) == 2);
  for (size_t i = 0; i < s->count; i++) {
    const roof_model_run *run = &s->runs[i];
    assert_true(run->machine == (int)(i / 16) && run->precision == (int)(i / 8 % 2) && run->index == i % 8);
    double batch = roof_model_sweep_value(s, run, 0), tp = roof_model_sweep_value(s, run, 1);
    assert_true(batch == pow(8, (double)(i % 8 / 2)) && tp == (i % 2 == 0 ? 1 : 3));
    assert_true(roof_model_sweep_starts(s, run, 0) == (batch == 1));
    assert_true((run->why[0] != '\0') == (tp == 3));
    if (tp == 1) {
      roof_model_settings own = a.settings;
      roof_model_target target;
      own.batch = batch;
      own.precision = a.precisions.list[run->precision];
      assert_int_equal(roof_model_target_init(&target, &llama, machines[run->machine], &own, NULL), ROOF_OK);
      roof_model_answer_of(&target, &one);
      double tpot = run->figures[ROOF_RUN_TPOT];
      assert_true(one.capacity.fits ? tpot == one.tpot_seconds : isnan(tpot));
      assert_true(run->figures[ROOF_RUN_TOTAL_BYTES] == one.capacity.total_bytes);
      assert_true(run->fits == one.capacity.fits &&
                  run->regime == roof_model_phase_regime(&one.phases[ROOF_PHASE_DECODE]));
    }
  }
  release(&a);
}

static void best_run(void **state) {
  (void)state;
  static const char *const words[] = {"batch=1..512*2"};
  static asked a;
  size_t fitting = 0, counted = 0;
  ask(&a, words, 1, "bf16/fp8", 2);
  const roof_model_run *best = roof_model_sweep_best(&a.sweep, &fitting);
  assert_true(roof_model_sweep_generates(&a.sweep) && !roof_model_sweep_knows(&a.sweep, ROOF_RUN_PRICE));
  for (size_t i = 0; i < a.sweep.count; i++) {
    const roof_model_run *run = &a.sweep.runs[i];
    counted += run->fits;
    assert_true(!run->fits || run->figures[ROOF_RUN_DEVICE_RATE] <= best->figures[ROOF_RUN_DEVICE_RATE]);
  }
  assert_true(fitting == counted && best->fits && best->machine == 0);
  char text[ROOF_RUN_WORDS_MAX];
  assert_string_equal(roof_model_run_words(&a.sweep, best, 0, text, sizeof text), "fp8");
  assert_non_null(strstr(roof_model_run_words(&a.sweep, best, -1, text, sizeof text), " fp8"));
  assert_string_equal(roof_model_run_words(&a.sweep, best, -1, text, 6), "batch");
  roof_text said = {0};
  roof_model_sweep_sentence(&said, &a.sweep);
  assert_non_null(strstr(said.data, "runs, "));
  assert_non_null(strstr(said.data, "; most tokens/s per device: "));
  roof_text_done(&said);
  roof_model_sweep_batches_describe(&said, &a.sweep, 1);
  assert_non_null(strstr(said.data, "\n  knee at batch="));
  roof_text_done(&said);
  release(&a);
}

static void impossible(void **state) {
  (void)state;
  static const char *const words[] = {"tp=3,5"}, *const many[] = {"batch=1..200000+1"};
  roof_model_settings s = roof_model_settings_default(&llama);
  roof_model_precisions p;
  roof_model_sweep sweep = {.count = 7};
  roof_error error = {0};
  for (int i = 0; i < 2; i++) {
    roof_model_axes axes = {0};
    assert_int_equal(roof_model_settings_read(i == 0 ? words : many, 1, &s, &axes, NULL), ROOF_OK);
    assert_int_equal(roof_model_precisions_parse(NULL, &s.precision, &p, NULL), ROOF_OK);
    assert_int_equal(roof_model_sweep_of(&llama, machines, 1, &s, &axes, &p, &sweep, &error),
                     ROOF_E_ARGUMENT);
    assert_non_null(
        strstr(error.message, i == 0 ? "tp=3: does not divide" : "200000 points: at most 100000"));
    assert_int_equal(sweep.count, 7);
    roof_model_axes_done(&axes);
  }
}

static void count_crossing(void *context, const roof_model_sweep *s, const roof_model_sweep_crossing *c) {
  int *count = context;
  const char *unit = NULL;
  assert_string_equal(s->axes->list[c->axis].name, "batch");
  assert_string_equal(roof_run_figure_key(ROOF_RUN_TTFT, &unit), "ttft_seconds");
  assert_string_equal(unit, "s");
  assert_true(c->phase == ROOF_PHASE_DECODE && c->words[0] != '\0' && (*count % 2 == 0) == c->products);
  ++*count;
}

/** A line for each machine and precision, which ends where it does not fit, a mark where its products turn. */
static void charts(void **state) {
  (void)state;
  static const char *const words[] = {"batch=1..1024*2", "page=16,32,64"};
  static asked a;
  roof_curves *chart = malloc(sizeof *chart);
  roof_error error = {0};
  int crossings = 0;
  ask(&a, words, 1, "bf16/fp8", 2);
  roof_model_sweep_crossings(&a.sweep, count_crossing, &crossings);
  assert_int_equal(crossings, 8);
  assert_int_equal(roof_model_sweep_chart(&a.sweep, chart, NULL), ROOF_OK);
  assert_int_equal(chart->series_count, 4);
  assert_string_equal(chart->series[1], "nvidia-h100-sxm fp8");
  const roof_curve *curve = &chart->panels[0].curves[0];
  assert_true(curve->count > 5 && curve->count < 11 && curve->solid == curve->count);
  assert_true(!a.sweep.runs[10].fits && isnan(a.sweep.runs[10].figures[ROOF_RUN_TPOT]));
  assert_true(a.sweep.runs[10].figures[ROOF_RUN_TOTAL_BYTES] > 0);
  assert_true(curve->y[3] == a.sweep.runs[3].figures[ROOF_RUN_DEVICE_RATE] && curve->x[3] == 8);
  assert_true(chart->mark_count > 0 && chart->marks[0].x > 1);
  release(&a);
  ask(&a, words, 2, "bf16/fp8", 2);
  assert_int_equal(roof_model_sweep_chart(&a.sweep, chart, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "a chart holds at most 8 lines");
  release(&a);
  ask(&a, NULL, 0, "bf16/fp8", 1);
  assert_int_equal(roof_model_sweep_chart(&a.sweep, chart, &error), ROOF_E_ARGUMENT);
  release(&a);
  free(chart);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(idle_settings_are_refused),
      cmocka_unit_test(settings_are_read),
      cmocka_unit_test(settings_are_refused),
      cmocka_unit_test(batches_bend_and_end),
      cmocka_unit_test(precisions_are_read),
      cmocka_unit_test(runs_are_answers),
      cmocka_unit_test(best_run),
      cmocka_unit_test(impossible),
      cmocka_unit_test(charts),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
