/* Shapes: key=value words, lists, ranges, ties, defaults. */
#include <math.h>

#include "roofline/ops.h"
#include "roofline/shape.h"
#include "test.h"

static const roof_op *op_of(const char *name) {
  const roof_op *op = NULL;
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  return op;
}

static void values_of_one_text(void **state) {
  (void)state;
  double values[ROOF_PARAM_MAX];
  roof_error error = {0};
  const roof_op *gemm = op_of("gemm");
  assert_int_equal(roof_shape_values(gemm, " m=8  n=4k k=2Ki", values, NULL), ROOF_OK);
  assert_true(values[0] == 8 && values[1] == 4000 && values[2] == 2048);
  assert_int_equal(roof_shape_values(gemm, "m=n=k=16", values, NULL), ROOF_OK);
  assert_true(values[0] == 16 && values[1] == 16 && values[2] == 16);
  assert_int_equal(roof_shape_values(gemm, "m=1,2 n=1 k=1", values, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "several sizes"));
  assert_true(values[0] == 16);
}

/** What roof_op_label writes is read back; another text changes nothing. */
static void labels_are_read_back(void **state) {
  (void)state;
  static const char *const wrong[] = {"",
                                      "gemm",
                                      "gemm fp16",
                                      "gemm m=8 n=8 k=8",
                                      "gemm m=8 n=8 k=8 fp17",
                                      "gemm m=1,2 n=8 k=8 fp16",
                                      "no m=8 fp16"};
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_dtype dtype = ROOF_FP64;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_int_equal(roof_shape_of_label(wrong[i], &op, values, &dtype, NULL), ROOF_E_NAME);
    assert_true(op == NULL && dtype == ROOF_FP64);
  }
  assert_int_equal(roof_shape_of_label("gemm m=8 n=4 k=2 bf16", &op, values, &dtype, NULL), ROOF_OK);
  assert_ptr_equal(op, op_of("gemm"));
  assert_true(dtype == ROOF_BF16 && values[0] == 8 && values[1] == 4 && values[2] == 2);
}

/** Sizes as people type them: by their place, as products, in capitals; operations by their other names. */
static void sizes_as_people_write_them(void **state) {
  (void)state;
  static const char *const texts[] = {"4096x11008x2048", "m=4*1024 n=11008 k=2Ki",
                                      "M=4096 N=11008 K=2*2*512"};
  static const char *const wrong[] = {"8x8", "8x8x8x8", "8x8x8 m=8", "8xx8"};
  const roof_op *gemm = op_of("matmul");
  double values[ROOF_PARAM_MAX];
  assert_ptr_equal(gemm, op_of("gemm"));
  assert_ptr_equal(op_of("flash_attention"), op_of("attention"));
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    assert_int_equal(roof_shape_values(gemm, texts[i], values, NULL), ROOF_OK);
    assert_true(values[0] == 4096 && values[1] == 11008 && values[2] == 2048);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_int_not_equal(roof_shape_values(gemm, wrong[i], values, NULL), ROOF_OK);
  }
}

/** Words in the place of defaults, those tied together too. */
static void words_over_defaults(void **state) {
  (void)state;
  static const struct {
    const char *word;
    double m, n, k;
  } rows[] = {{"m=n=k=512", 512, 512, 512}, {"m=512", 512, 20, 30}, {"n=k=7", 10, 7, 7}, {"k=n=7", 10, 7, 7}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_shape shape;
    double values[ROOF_PARAM_MAX];
    roof_error error = {0};
    if (roof_shape_parse(&shape, op_of("gemm"), &rows[i].word, 1, "m=10 n=20 k=30", &error) != ROOF_OK) {
      fail_msg("%s: %s", rows[i].word, error.message);
    }
    assert_int_equal(roof_shape_point(&shape, 0, values, NULL), ROOF_OK);
    assert_true(values[0] == rows[i].m && values[1] == rows[i].n && values[2] == rows[i].k);
    roof_shape_done(&shape);
  }
}

static void axes_of_several_parameters(void **state) {
  (void)state;
  const char *const words[] = {"m=k=2..8*2", "n=1,5"};
  roof_shape shape;
  double values[ROOF_PARAM_MAX];
  char name[32];
  roof_text point = {0};
  assert_int_equal(roof_shape_parse(&shape, op_of("gemm"), words, 2, NULL, NULL), ROOF_OK);
  assert_int_equal(shape.points, 6);
  assert_int_equal(roof_shape_point(&shape, 5, values, NULL), ROOF_OK);
  assert_true(values[0] == 8 && values[1] == 5 && values[2] == 8);
  assert_string_equal(roof_shape_axis_name(&shape, 0, name, sizeof name), "m=k");
  assert_string_equal(roof_shape_axis_name(&shape, 1, name, sizeof name), "n");
  roof_shape_add_point(&point, &shape, 5, -1);
  assert_string_equal(point.data, "m=k=8 n=5");
  roof_text_done(&point);
  roof_shape_done(&shape);
}

static void errors_name_the_word_and_the_column(void **state) {
  (void)state;
  static const struct {
    const char *text;
    roof_status status;
    int column;
    const char *message;
  } rows[] = {
      {"m=1 q=1", ROOF_E_NAME, 5, "gemm has no parameter `q`"},
      {"m=1 n=x", ROOF_E_PARSE, 7, "n="},
      {"m=1 m=2", ROOF_E_ARGUMENT, 7, "`m`: given twice"},
      {"  m", ROOF_E_PARSE, 3, "`m`: not key=value"},
      {"m=1,,2", ROOF_E_ARGUMENT, 3, "a value is missing"},
      {"m=8..1", ROOF_E_ARGUMENT, 3, "a range goes up"},
      {"m=..", ROOF_E_ARGUMENT, 3, "a value before and after its dots"},
      {"m=beta=1", ROOF_E_ARGUMENT, 8, "different types and cannot be tied"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_shape shape;
    roof_error error = {0};
    assert_int_equal(roof_shape_parse_text(&shape, op_of("gemm"), rows[i].text, &error), rows[i].status);
    assert_int_equal(error.column, rows[i].column);
    assert_non_null(strstr(error.message, rows[i].message));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_of_one_text),         cmocka_unit_test(labels_are_read_back),
      cmocka_unit_test(sizes_as_people_write_them), cmocka_unit_test(words_over_defaults),
      cmocka_unit_test(axes_of_several_parameters), cmocka_unit_test(errors_name_the_word_and_the_column),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
