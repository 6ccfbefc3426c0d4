/* Operations from a user's file: they predict like built-in ones, and what is wrong is named where it is. */
#include "test.h"

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "catalog/formula.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/ops.h"
#include "roofline/predict.h"

static void read_text(const char *text, roof_userops *ops) {
  roof_error error = {0};
  if (roof_userops_read(text, strlen(text), "test.ops", ops, &error) != ROOF_OK) {
    fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
  }
}

static roof_work work_of(const roof_op *op, const double *values, roof_types types) {
  roof_work work;
  roof_work_init(&work);
  op->work(op, values, &types, &work);
  return work;
}

static void a_gemm_of_ones_own_is_the_gemm(void **state) {
  (void)state;
  roof_userops ops;
  read_text("op my-gemm\nunit = matrix\nparam m\nparam n\nparam k\nparam batch = 1\nparam beta = 0\n"
            "flops = 2*m*n*k*batch\n"
            "bytes = batch*(m*k*a + k*n*w + (1 + (beta != 0))*m*n*o)\n",
            &ops);
  const roof_op *gemm = NULL, *mine = &ops.ops[0];
  assert_int_equal(roof_op_find("gemm", &gemm, NULL), ROOF_OK);
  assert_int_equal(ops.count, 1);
  assert_int_equal(mine->unit, ROOF_MATRIX);
  assert_string_equal(mine->batch, "batch");
  assert_string_equal(mine->source, "test.ops");
  roof_types types = roof_types_of(ROOF_FP16);
  types.weights = ROOF_INT4;
  types.group = 128;
  types.output = ROOF_FP32;
  for (double m = 1; m < 5000; m *= 3) {
    double values[ROOF_PARAM_MAX] = {m, 4096, 11008, 2, 1};
    roof_work a = work_of(gemm, values, types), b = work_of(mine, values, types);
    assert_true(a.flops == b.flops && a.read_bytes + a.write_bytes == b.read_bytes + b.write_bytes);
  }
  for (int p = 0; p < 4; p++) {
    assert_int_equal(mine->params[p].kind, ROOF_PARAM_COUNT);
  }
  assert_int_equal(mine->params[4].kind, ROOF_PARAM_AMOUNT);
  roof_userops_done(&ops);
  assert_null(ops.ops);
}

static void every_line_is_read(void **state) {
  (void)state;
  roof_userops ops;
  read_text("# a comment\n\n  op one # its own\r\n"
            "summary = what it does, said in one = line\nsource\t= a paper\n"
            "param n # elements\nparam half = 0.5\nparam big=4Ki\nparam also = n\n"
            "flops = max(n, 3) + floor(2.5) + ceil(2.5) + (n > 2 && half < 1 ? 10 : 20)\n"
            "read = n*a\nwrite = also*o + 0*big\nbytes.L2 = 7\nbytes.shared = 9\n"
            "op two\nflops = 1e3\nbytes = 2e+2 * kv / kv",
            &ops);
  assert_int_equal(ops.count, 2);
  const roof_op *one = &ops.ops[0];
  assert_string_equal(one->name, "one");
  assert_string_equal(one->summary, "what it does, said in one = line");
  assert_string_equal(one->source, "a paper");
  assert_string_equal(one->bytes, "(n*a) + (also*o + 0*big)");
  assert_string_equal(one->params[0].text, "elements");
  double values[ROOF_PARAM_MAX];
  roof_op_defaults(one, values);
  values[0] = 100;
  assert_int_equal(roof_op_complete(one, values, NULL), ROOF_OK);
  assert_true(values[1] == 0.5 && values[2] == 4096 && values[3] == 100);
  roof_work work = work_of(one, values, roof_types_of(ROOF_FP32));
  assert_true(work.flops == 100 + 2 + 3 + 10 && work.read_bytes == 400 && work.write_bytes == 400);
  assert_true(work.level_bytes[ROOF_L2] == 7 && work.level_bytes[ROOF_L1] == 9);
  assert_true(isnan(work.level_bytes[ROOF_MEMORY]) && work.working_set == 800);
  work = work_of(&ops.ops[1], values, roof_types_of(ROOF_FP32));
  assert_true(work.flops == 1000 && work.read_bytes == 200);
  roof_userops_done(&ops);
}

static void what_is_wrong_is_named_where_it_is(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int line, column;
    roof_status status;
    const char *message;
  } cases[] = {
      {"op x\nparam tokens\nflops = 2 * token\nbytes = 1", 3, 13, ROOF_E_NAME, "did you mean `tokens`"},
      {"op x\nflops = sqr(2)\nbytes = 1", 2, 9, ROOF_E_NAME, "did you mean `sqrt`"},
      {"op x\nflops = log(2)\nbytes = 1", 2, 9, ROOF_E_NAME, "log"},
      {"op x\nflops = 1\nbytes = (2 + 3", 3, 15, ROOF_E_PARSE, "parenthesis"},
      {"op x\nflops = 1 +\nbytes = 1", 2, 12, ROOF_E_PARSE, "nexpected end"},
      {"op x\nparam n\nflops = n = 1\nbytes = 1", 3, 11, ROOF_E_PARSE, "`==`"},
      {"op x\nflops = 1, 2\nbytes = 1", 2, 9, ROOF_E_PARSE, "one value"},
      {"op x\nflops = \"text\"\nbytes = 1", 2, 0, ROOF_E_NAME, "text"},
      {"op x\nflops = 1 / 0\nbytes = 1", 1, 1, ROOF_E_ARGUMENT, "gives inf"},
      {"op x\nflops = 0 / 0\nbytes = 1", 1, 1, ROOF_E_ARGUMENT, "gives nan"},
      {"op x\nflops = 1\nbytes = 1 - 2", 1, 1, ROOF_E_ARGUMENT, "gives -1"},
      {"op x\nparam n = 4\nflops = 0 * n\nbytes = 0", 1, 1, ROOF_E_ARGUMENT, "neither FLOPs nor bytes"},
      {"op x\nbytes = 1", 1, 1, ROOF_E_PARSE, "`flops = ...` is missing"},
      {"op x\nflops = 1\n\nop y\nflops = 1\nbytes = 1", 1, 1, ROOF_E_PARSE, "`bytes = ...`"},
      {"op x\nflops = 1\nbytes = 1\nread = 1", 1, 1, ROOF_E_PARSE, "not both"},
      {"op x\nflops = 1\nflops = 2\nbytes = 1", 3, 1, ROOF_E_PARSE, "already given in line 2"},
      {"flops = 1", 1, 1, ROOF_E_PARSE, "before the first"},
      {"bytes.L2 = 1", 1, 1, ROOF_E_PARSE, "before the first"},
      {"op x\n  flop = 1", 2, 3, ROOF_E_NAME, "did you mean `flops`"},
      {"op x\nflops 1", 2, 1, ROOF_E_PARSE, "use `flops = ...`"},
      {"op = x", 1, 1, ROOF_E_PARSE, "use `op NAME`"},
      {"op", 1, 1, ROOF_E_PARSE, "use `op NAME`"},
      {"op 9x", 1, 4, ROOF_E_PARSE, "a name is"},
      {"op x y", 1, 4, ROOF_E_PARSE, "a name is"},
      {"op gemm", 1, 4, ROOF_E_ARGUMENT, "built-in"},
      {"op x\nflops = 1\nbytes = 1\nop x", 4, 4, ROOF_E_ARGUMENT, "already in line 1"},
      {"op x\nparam kv", 2, 7, ROOF_E_ARGUMENT, "taken"},
      {"op x\nparam max", 2, 7, ROOF_E_ARGUMENT, "taken"},
      {"op x\nparam n\nparam n", 3, 7, ROOF_E_ARGUMENT, "taken"},
      {"op x\nparam n 4", 2, 7, ROOF_E_PARSE, "param NAME = DEFAULT"},
      {"op x\nparam n = 4q", 2, 11, ROOF_E_PARSE, "4q"},
      {"op x\nparam n = -4", 2, 11, ROOF_E_ARGUMENT, "from 0"},
      {"op x\nunit = matrices", 2, 8, ROOF_E_NAME, "did you mean `matrix`"},
      {"op x\nbytes.L9 = 1", 2, 7, ROOF_E_NAME, "L9"},
      {"op \xff", 0, 0, ROOF_E_PARSE, "UTF-8"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_userops ops = {.count = 77};
    roof_error error = {0};
    roof_status status = roof_userops_read(cases[i].text, strlen(cases[i].text), "bad.ops", &ops, &error);
    if (status != cases[i].status || error.code != status || error.line != cases[i].line ||
        (cases[i].column != 0 && error.column != cases[i].column) ||
        strstr(error.message, cases[i].message) == NULL || strchr(error.message, '\n') != NULL) {
      fail_msg("case %zu: status %d, %s:%d:%d: %s", i, (int)status, error.file, error.line, error.column,
               error.message);
    }
    assert_string_equal(error.file, "bad.ops");
    assert_int_equal(ops.count, 77);
    assert_int_equal(roof_userops_read(cases[i].text, strlen(cases[i].text), "bad.ops", &ops, NULL), status);
  }
}

/** The message is cut at its end; what follows it in memory is neither read nor written. */
static void a_long_formula_is_named_as_far_as_there_is_room(void **state) {
  (void)state;
  enum { TERMS = 480, AFTER = 2048 };
  static const char there[] = " at position";
  struct {
    roof_error error;
    char after[AFTER];
  } shown = {.error = {0}};
  const char *const names[] = {"n", NULL};
  char text[2 * TERMS + 4] = "n", expected[AFTER];
  for (int i = 0; i < TERMS; i++) {
    strcat(text, "+n");
  }
  strcat(text, "*");
  for (size_t i = 0; i < AFTER; i++) {
    shown.after[i] = expected[i] = there[i % (sizeof there - 1)];
  }
  formula f;
  double values[] = {1};
  size_t offset = 0;
  assert_int_equal(rf_formula_init(&f, text, names, values, &offset, &shown.error), ROOF_E_PARSE);
  assert_memory_equal(shown.after, expected, AFTER);
  assert_int_equal(offset, strlen(text));
  assert_non_null(strstr(shown.error.message, "`n+n+n"));
}

static void shapes_without_a_count_are_refused_at_use(void **state) {
  (void)state;
  roof_userops ops;
  read_text("op rate\nparam n\nparam m\nflops = n / (m - 1)\nbytes = n - m\n", &ops);
  const roof_op *op = &ops.ops[0];
  double good[ROOF_PARAM_MAX] = {8, 2}, infinite[ROOF_PARAM_MAX] = {8, 1}, negative[ROOF_PARAM_MAX] = {2, 8};
  roof_error error;
  assert_int_equal(roof_op_complete(op, good, NULL), ROOF_OK);
  assert_int_equal(roof_op_complete(op, infinite, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "`n / (m - 1)` gives inf, not a count, for n=8, m=1"));
  assert_int_equal(roof_op_complete(op, negative, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "gives -6"));
  assert_true(isnan(work_of(op, infinite, roof_types_of(ROOF_FP16)).flops));
  assert_true(isnan(work_of(op, negative, roof_types_of(ROOF_FP16)).read_bytes));
  roof_userops_done(&ops);
}

static void limits(void **state) {
  (void)state;
  roof_text text = {0};
  roof_userops ops;
  roof_error error;
  roof_text_add(&text, "op x\n");
  for (int i = 0; i <= ROOF_PARAM_MAX; i++) {
    roof_text_addf(&text, "param p%d\n", i);
  }
  assert_int_equal(roof_userops_read(text.data, text.length, "f", &ops, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "more than 12"));
  text.length = 0;
  for (int i = 0; i <= 1000; i++) {
    roof_text_addf(&text, "op x%d\nflops=1\nbytes=1\n", i);
  }
  assert_int_equal(roof_userops_read(text.data, text.length, "f", &ops, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "more than 1000"));
  text.length = 0;
  roof_text_add(&text, "op x\nbytes=1\nflops = 1");
  for (int i = 0; i < 600; i++) {
    roof_text_add(&text, "+1");
  }
  assert_int_equal(roof_userops_read(text.data, text.length, "f", &ops, &error), ROOF_E_PARSE);
  assert_non_null(strstr(error.message, "longer than 1000"));
  assert_int_equal(roof_userops_read("op x\0y", 6, "f", &ops, &error), ROOF_E_PARSE);
  assert_int_equal(roof_userops_load("/nonexistent/x.ops", &ops, &error), ROOF_E_INPUT);
  roof_text_done(&text);
}

static void *predict_many(void *argument) {
  const roof_op *op = argument;
  for (int i = 1; i <= 2000; i++) {
    double values[ROOF_PARAM_MAX] = {i};
    if (work_of(op, values, roof_types_of(i % 2 ? ROOF_FP16 : ROOF_FP32)).read_bytes !=
        i * (i % 2 ? 2.0 : 4.0)) {
      return argument;
    }
  }
  return NULL;
}

static void threads_do_not_disturb_each_other(void **state) {
  (void)state;
  roof_userops ops;
  read_text("op touch\nparam n\nflops = n\nbytes = n * a\n", &ops);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, predict_many, &ops.ops[0]), 0);
  }
  for (int i = 0; i < 4; i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  roof_userops_done(&ops);
}

static void the_example_file(void **state) {
  (void)state;
  char path[512];
  snprintf(path, sizeof path, "%s/examples/attention-decode.ops", getenv("ROOFLINE_SOURCE"));
  roof_userops ops;
  roof_error error = {0};
  if (roof_userops_load(path, &ops, &error) != ROOF_OK) {
    fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
  }
  assert_int_equal(ops.count, 3);
  const roof_op *attention = NULL;
  assert_int_equal(roof_op_find("attention", &attention, NULL), ROOF_OK);
  double mine[ROOF_PARAM_MAX], built_in[ROOF_PARAM_MAX] = {8, 64, 1, 4096, 128, 8, 0, 0, 2, 4096};
  roof_op_defaults(&ops.ops[0], mine);
  mine[0] = 8;
  mine[1] = 4096;
  assert_int_equal(roof_op_complete(&ops.ops[0], mine, NULL), ROOF_OK);
  roof_work a = work_of(&ops.ops[0], mine, roof_types_of(ROOF_BF16));
  roof_work b = work_of(attention, built_in, roof_types_of(ROOF_BF16));
  assert_true(a.flops == b.flops && a.read_bytes == b.read_bytes && a.write_bytes == b.write_bytes);
  roof_userops_done(&ops);
}

static void operations_of_files_come_before_the_built_in_ones(void **state) {
  (void)state;
  roof_userops files[2];
  read_text("op mine\nparam n\nparam s = 0.25\nparam t = n\nflops = n*s\nbytes = a*t\n", &files[0]);
  read_text("op yours\nparam n\nflops = n\nbytes = a*n\n", &files[1]);
  const roof_op *op = NULL;
  assert_ptr_equal(roof_userops_at(files, 2, 0), &files[0].ops[0]);
  assert_ptr_equal(roof_userops_at(files, 2, 1), &files[1].ops[0]);
  assert_ptr_equal(roof_userops_at(files, 2, 2), roof_op_at(0));
  assert_null(roof_userops_at(files, 2, 2 + roof_op_count()));
  assert_null(roof_userops_at(files, 2, -1));
  const roof_op **own = NULL;
  assert_int_equal(roof_userops_list(files, 2, &own, NULL), ROOF_OK);
  assert_true(own[0] == &files[0].ops[0] && own[1] == &files[1].ops[0] && own[2] == NULL);
  free((void *)own);
  assert_int_equal(roof_userops_find(files, 2, "yours", &op, NULL), ROOF_OK);
  assert_ptr_equal(op, &files[1].ops[0]);
  assert_int_equal(roof_userops_find(files, 2, "softmax", &op, NULL), ROOF_OK);
  assert_string_equal(op->family, "norm");
  assert_int_equal(roof_userops_find(files, 2, "your", &op, NULL), ROOF_E_NAME);
  roof_text usage = {0}, text = {0};
  roof_op_add_usage(&usage, &files[0].ops[0]);
  assert_string_equal(usage.data, "n [s=0.25] [t=n]");
  assert_true(roof_op_mentions(roof_userops_at(files, 2, 0), ""));
  assert_false(roof_op_mentions(roof_userops_at(files, 2, 0), "nothing such"));
  assert_int_equal(roof_userops_write(files, 2, "", &text, NULL), ROOF_OK);
  json_t *document = json_loads(text.data, 0, NULL), *list = json_object_get(document, "operations");
  assert_int_equal(json_array_size(list), 2 + (size_t)roof_op_count());
  json_t *first = json_array_get(list, 0), *shared = json_array_get(json_object_get(first, "parameters"), 2);
  assert_string_equal(json_string_value(json_object_get(first, "name")), "mine");
  assert_null(json_object_get(first, "schema"));
  assert_string_equal(json_string_value(json_object_get(shared, "same_as")), "n");
  json_decref(document);
  roof_text_done(&text);
  roof_text_done(&usage);
  roof_userops_done(&files[0]);
  roof_userops_done(&files[1]);
}

static void an_operation_is_written_as_its_document(void **state) {
  (void)state;
  const roof_op *attention = NULL;
  roof_text text = {0};
  assert_int_equal(roof_op_find("attention", &attention, NULL), ROOF_OK);
  assert_int_equal(roof_op_write(attention, &text, NULL), ROOF_OK);
  json_t *document = json_loads(text.data, 0, NULL), *parameter;
  assert_string_equal(json_string_value(json_object_get(document, "schema")), "roofline.op/1");
  size_t i, choices = 0;
  json_array_foreach(json_object_get(document, "parameters"), i, parameter) {
    if (strcmp(json_string_value(json_object_get(parameter, "name")), "algorithm") == 0) {
      choices = json_array_size(json_object_get(parameter, "choices"));
      assert_string_equal(json_string_value(json_object_get(parameter, "default")), "flash");
    }
  }
  assert_int_equal(choices, 2);
  json_decref(document);
  roof_text_done(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations_of_files_come_before_the_built_in_ones),
      cmocka_unit_test(an_operation_is_written_as_its_document),
      cmocka_unit_test(a_gemm_of_ones_own_is_the_gemm),
      cmocka_unit_test(every_line_is_read),
      cmocka_unit_test(what_is_wrong_is_named_where_it_is),
      cmocka_unit_test(a_long_formula_is_named_as_far_as_there_is_room),
      cmocka_unit_test(shapes_without_a_count_are_refused_at_use),
      cmocka_unit_test(limits),
      cmocka_unit_test(threads_do_not_disturb_each_other),
      cmocka_unit_test(the_example_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
