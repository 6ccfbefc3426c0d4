/* Questions drawn from a seed, and the grading of their answers. */
#include "test.h"

#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/drill.h"
#include <jansson.h>

static void a_seed_draws_the_same_questions(void **state) {
  (void)state;
  uint64_t a = 7, b = 7, c = 8;
  int other = 0;
  for (int i = 0; i < 20; i++) {
    roof_drill_question one, again, another;
    roof_drill_draw(&a, NULL, &one);
    roof_drill_draw(&b, NULL, &again);
    roof_drill_draw(&c, NULL, &another);
    assert_string_equal(one.text, again.text);
    assert_string_equal(one.machine, again.machine);
    other += strcmp(one.text, another.text) != 0;
  }
  assert_in_range(other, 10, 20);
}

/** One row of 4096 by 4096 in fp16 on a machine of 1 TB/s and 100 TFLOP/s: memory-bound, about 1 % of the peak. */
static roof_drill_solution solve(const roof_drill_question *question, roof_machine **machine) {
  static const char file[] =
      "{\"schema\": \"roofline.machine/1\", \"name\": \"plain\","
      " \"peaks\": [{\"dtype\": \"fp16\", \"unit\": \"matrix\", \"flops_per_second\": 1e14}],"
      " \"levels\": [{\"name\": \"HBM\", \"bytes_per_second\": 1e12}]}";
  roof_drill_solution solution;
  roof_error error = {0};
  assert_int_equal(roof_machine_read(file, strlen(file), "plain", machine, &error), ROOF_OK);
  assert_int_equal(roof_drill_solve(question, *machine, &solution, &error), ROOF_OK);
  return solution;
}

static const roof_drill_question skinny = {
    .machine = "plain", .op = "gemm", .text = "gemm m=1 n=4096 k=4096"};

static void the_solution_is_the_prediction(void **state) {
  (void)state;
  roof_machine *machine = NULL;
  roof_drill_solution s = solve(&skinny, &machine);
  double flops = 2.0 * 4096 * 4096, bytes = 2 * (4096.0 * 4096 + 2 * 4096);
  assert_near(s.prediction.intensity, flops / bytes, 1e-12);
  assert_near(s.percent, 100 * flops / bytes * 1e12 / 1e14, 1e-12);
  assert_near(s.bytes_per_second, 1e12, 1e-12);
  assert_int_equal(s.prediction.regime, ROOF_MEMORY_BOUND);
  roof_drill_question none = {.machine = "plain", .op = "gemm", .text = "gemm m=1 n=4096 k=0"};
  roof_error error = {0};
  assert_int_not_equal(roof_drill_solve(&none, machine, &s, &error), ROOF_OK);
  roof_machine_free(machine);
}

/** Work shorter than its launch reaches what the launch leaves of the peak, as `claim` has it. */
static void a_launch_bounds_the_share(void **state) {
  (void)state;
  roof_drill_question small = {.machine = "h100", .op = "add", .text = "add n=4096"};
  roof_machine *machine = NULL;
  roof_drill_solution s;
  roof_drill_round round;
  assert_int_equal(roof_catalog_load("h100", &machine, NULL), ROOF_OK);
  assert_int_equal(roof_drill_solve(&small, machine, &s, NULL), ROOF_OK);
  assert_near(s.percent, 100 * 4096 / s.target.least_launch_seconds / s.prediction.peak->flops_per_second,
              1e-12);
  roof_drill_grade(&small, &s, "0.1667 overhead 0.006", &round);
  assert_int_equal(roof_drill_points(&round, 1), 3);
  roof_drill_grade(&small, &s, "0.1667 overhead 0.417", &round);
  assert_false(round.percent_right);
  roof_machine_free(machine);
}

static void a_tenth_off_is_right_more_is_wrong(void **state) {
  (void)state;
  static const struct {
    const char *answers;
    bool intensity, regime, percent;
  } cases[] = {{"1 memory 1", true, true, true},
               {"1.09, Memory-bound, 1.09%\r\n", true, true, true},
               {"0.91\tMEMORY\t0.91", true, true, true},
               {"1.11 network 1.11", false, false, false},
               {"0.89 mem 0.89", false, false, false},
               {"1", true, false, false},
               {"what", false, false, false},
               {"", false, false, false},
               {"  ,  1 memory", true, true, false}};
  roof_machine *machine = NULL;
  roof_drill_solution s = solve(&skinny, &machine);
  roof_drill_round rounds[sizeof cases / sizeof cases[0]];
  int points = 0, count = (int)(sizeof cases / sizeof cases[0]);
  for (int i = 0; i < count; i++) {
    roof_drill_grade(&skinny, &s, cases[i].answers, &rounds[i]);
    if (rounds[i].intensity_right != cases[i].intensity || rounds[i].regime_right != cases[i].regime ||
        rounds[i].percent_right != cases[i].percent) {
      fail_msg("`%s`: %d %d %d", cases[i].answers, rounds[i].intensity_right, rounds[i].regime_right,
               rounds[i].percent_right);
    }
    points += cases[i].intensity + cases[i].regime + cases[i].percent;
  }
  assert_int_equal(roof_drill_points(rounds, count), points);
  assert_string_equal(rounds[0].machine, "plain");
  roof_machine_free(machine);
}

static void every_question_has_an_answer(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 200; i++) {
    roof_machine *machine = NULL;
    roof_drill_question question;
    roof_drill_solution solution;
    roof_drill_round round;
    roof_text answers = {0};
    roof_error error = {0};
    roof_drill_draw(&seed, NULL, &question);
    assert_int_equal(roof_catalog_load(question.machine, &machine, &error), ROOF_OK);
    assert_int_equal(roof_drill_solve(&question, machine, &solution, &error), ROOF_OK);
    roof_text_addf(&answers, "%.9f %s %.9f", solution.prediction.intensity,
                   roof_regime_name(solution.prediction.regime), solution.percent);
    roof_drill_grade(&question, &solution, answers.data, &round);
    assert_int_equal(roof_drill_points(&round, 1), 3);
    roof_text_done(&answers);
    roof_machine_free(machine);
  }
}

static void a_drill_is_written_as_its_document(void **state) {
  (void)state;
  roof_machine *machine = NULL;
  roof_drill_solution s = solve(&skinny, &machine);
  roof_drill_round rounds[2];
  roof_text text = {0};
  roof_drill_grade(&skinny, &s, "1 memory 1", &rounds[0]);
  roof_drill_grade(&skinny, &s, "1 compute 50", &rounds[1]);
  assert_int_equal(roof_drill_write(7, rounds, 2, &text, NULL), ROOF_OK);
  json_t *document = json_loads(text.data, 0, NULL);
  assert_string_equal(json_string_value(json_object_get(document, "schema")), "roofline.drill/1");
  assert_int_equal(json_integer_value(json_object_get(document, "points")), 4);
  assert_int_equal(json_integer_value(json_object_get(document, "of")), 6);
  json_t *second = json_array_get(json_object_get(document, "rounds"), 1);
  assert_string_equal(json_string_value(json_object_get(second, "question")), skinny.text);
  assert_true(json_is_false(json_object_get(json_object_get(second, "right"), "regime")));
  json_decref(document);
  roof_text_done(&text);
  roof_machine_free(machine);
}

static void questions_are_about_the_machines_named(void **state) {
  (void)state;
  static const char *const own[] = {"h100", NULL};
  uint64_t seed = 3;
  for (int i = 0; i < 20; i++) {
    roof_drill_question question;
    roof_drill_draw(&seed, own, &question);
    assert_string_equal(question.machine, "h100");
  }
}

static void what_cannot_be_graded_is_said(void **state) {
  (void)state;
  static const char *const wrong[] = {"",          "what",         "1", "1 memory", "memory 1 1",
                                      "1 quick 1", "1 memory many"};
  roof_error error = {0};
  assert_int_equal(roof_drill_check("0.5, Memory-bound 0.2%\n", &error), ROOF_OK);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_int_equal(roof_drill_check(wrong[i], &error), ROOF_E_PARSE);
    assert_non_null(strstr(error.message, "three words"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(questions_are_about_the_machines_named),
      cmocka_unit_test(what_cannot_be_graded_is_said),
      cmocka_unit_test(a_seed_draws_the_same_questions),
      cmocka_unit_test(the_solution_is_the_prediction),
      cmocka_unit_test(a_launch_bounds_the_share),
      cmocka_unit_test(a_tenth_off_is_right_more_is_wrong),
      cmocka_unit_test(every_question_has_an_answer),
      cmocka_unit_test(a_drill_is_written_as_its_document),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
