/* Lists of operations: lines to items, items to times; errors with their place. */
#include "test.h"

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/graphs.h"
#include "roofline/ops.h"

static roof_workload_reading reading;

static roof_status read_list(const char *text, roof_workload *w, roof_error *error) {
  reading.types = roof_types_of(ROOF_FP16);
  reading.floats = ROOF_DTYPE_COUNT;
  return roof_workload_read_list(text, strlen(text), "dir/layer.txt", &reading, w, error);
}

static void reads(void **state) {
  (void)state;
  roof_workload w;
  roof_error error = {0};
  const char *text = "# a layer\n"
                     "\n"
                     "  gemm m=4k n=8 k=2 count=32 name=up   # a comment\r\n"
                     "softmax rows=3 cols=5 dtype=fp32\n"
                     "gemm weights=int4 m=1 n=8 k=2 dtype=bf16 group=2\n"
                     "conv2d batch=1 in_channels=3 out_channels=8 height=9 width=9 kernel=3 padding=same";
  if (read_list(text, &w, &error) != ROOF_OK) {
    fail_msg("%d:%d: %s", error.line, error.column, error.message);
  }
  assert_string_equal(w.name, "layer");
  assert_int_equal(w.count, 4);
  assert_string_equal(w.items[0].name, "up");
  assert_string_equal(w.items[0].op, "gemm");
  assert_string_equal(w.items[0].shape, "m=4000 n=8 k=2");
  assert_true(w.items[0].count == 32 && w.items[0].work.flops == 2.0 * 4000 * 8 * 2);
  assert_true(w.items[1].types.compute == ROOF_FP32 && w.items[1].work.read_bytes == 60);
  assert_true(w.items[2].types.compute == ROOF_BF16 && w.items[2].types.weights == ROOF_INT4);
  assert_true(w.items[2].types.group == 2);
  assert_string_equal(w.items[3].shape,
                      "batch=1 in_channels=3 out_channels=8 height=9 width=9 kernel=3 padding=same");
  roof_workload_done(&w);
}

static void refuses(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
    int line, column;
  } rows[] = {
      {"gemmm m=1 n=1 k=1", "did you mean `gemm`?", 1, 1},
      {"\n  gemm m=1 n=1 bach=1", "gemm has no parameter `bach`; did you mean `batch`?", 2, 16},
      {"gemm m=1 n=1", "k", 1, 1},
      {"gemm m=1 n=1 k=x", "x", 1, 16},
      {"gemm m=1 m=2 n=1 k=1", "given twice", 1, 12},
      {"gemm m=1 n=1 k=1 dtyp=fp16", "did you mean `dtype`?", 1, 18},
      {"gemm m=1 n=1 k=1 dtype=fp17", "dtype `fp17`: unknown", 1, 24},
      {"gemm m=1 n=1 k=1 count=1.5", "not a whole number", 1, 24},
      {"gemm m=1 n=1 k=1 twice", "not key=value", 1, 18},
      {"# nothing\n", "no operation", 0, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_workload w = {.count = 7};
    roof_error error = {0};
    assert_int_not_equal(read_list(rows[i].text, &w, &error), ROOF_OK);
    assert_true(w.count == 7);
    if (strstr(error.message, rows[i].words) == NULL || error.line != rows[i].line ||
        error.column != rows[i].column) {
      fail_msg("`%s`: %d:%d: %s", rows[i].text, error.line, error.column, error.message);
    }
    assert_string_equal(error.file, "dir/layer.txt");
  }
}

static void sizes_are_read(void **state) {
  (void)state;
  static roof_dimensions d;
  static const char *const words[] = {"batch=8", "seq=4k"};
  static const struct {
    const char *word, *why;
  } rows[] = {{"batch", "sizes are name=N"},
              {"=4", "sizes are name=N"},
              {"batch=0", "batch: 0: not a whole number from 1 to 1e9"},
              {"batch=1.5", "not a whole number"},
              {"batch=x", "batch: `x`: not a number"}};
  assert_int_equal(roof_dimensions_parse(words, 2, &d, NULL), ROOF_OK);
  assert_true(d.count == 2 && d.list[0].size == 8 && d.list[1].size == 4000);
  assert_string_equal(d.list[1].name, "seq");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_error error = {0};
    assert_int_not_equal(roof_dimensions_parse(&rows[i].word, 1, &d, &error), ROOF_OK);
    assert_non_null(strstr(error.message, rows[i].why));
  }
  const char *many[ROOF_DIMENSION_MAX + 1];
  for (int i = 0; i <= ROOF_DIMENSION_MAX; i++) {
    many[i] = words[0];
  }
  assert_int_equal(roof_dimensions_parse(many, ROOF_DIMENSION_MAX + 1, &d, NULL), ROOF_E_ARGUMENT);
}

/** The whole is the sum of its operations, each predicted as `predict` does with the mode's cost of a kernel.
 */
static void answers(void **state) {
  (void)state;
  owned roof_machine *machine = NULL;
  roof_workload w;
  roof_workload_answer a;
  const roof_op *op = NULL;
  assert_int_equal(roof_catalog_load("h100", &machine, NULL), ROOF_OK);
  assert_int_equal(read_list("gemm m=8k n=8k k=8k count=3\nadd n=1\nadd n=1e9\n", &w, NULL), ROOF_OK);
  roof_workload_settings s = roof_workload_settings_default();
  assert_int_equal(roof_workload_answer_of(&w, machine, &s, &a, NULL), ROOF_OK);
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  options.overhead_cutoff = a.kernel.seconds; /* in a graph: the latency is that of the form */
  roof_target target;
  roof_prediction p;
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  double values[ROOF_PARAM_MAX] = {8000, 8000, 8000, 1, 0};
  roof_predict(&target, op, values, &p);
  roof_work work = p.work;
  work.fresh_bytes = work.weight_bytes; /* three products' weights are more than the last cache keeps */
  roof_predict_work(&target, &work, &p);
  assert_true(a.items[0].expected_seconds == p.expected_seconds && a.items[0].regime == ROOF_COMPUTE_BOUND);
  assert_true(a.items[1].regime == ROOF_OVERHEAD_BOUND && a.items[2].regime == ROOF_MEMORY_BOUND);
  assert_near(a.expected_seconds,
              3 * p.expected_seconds + a.items[1].expected_seconds + a.items[2].expected_seconds, 1e-15);
  assert_true(a.flops == 3 * 2 * 512e9 + 1 + 1e9 && a.matrix_flops == 3 * 2 * 512e9);
  assert_true(a.calls == 5 && a.kernels == 5 && a.regimes[ROOF_COMPUTE_BOUND].items == 3);
  assert_near(a.regimes[ROOF_COMPUTE_BOUND].seconds, 3 * p.expected_seconds, 1e-15);
  assert_true(a.regime == ROOF_COMPUTE_BOUND);
  roof_text text = {0};
  roof_workload_describe(&text, &w, &s, &a);
  assert_true(strncmp(text.data, "  work        5 operations, 3.073 TFLOP, ", 41) == 0);
  assert_non_null(strstr(text.data, "\n  bound by    compute 3 operations, "));
  assert_null(strstr(text.data, "  memory  ")); /* a list has no weights */
  roof_text_done(&text);
  roof_workload_answer_done(&a);
  s.launch = ROOF_LAUNCH_PERSISTENT;
  assert_int_equal(roof_workload_answer_of(&w, machine, &s, &a, NULL), ROOF_OK);
  assert_true(a.kernels == 1);
  roof_workload_answer_done(&a);
  roof_workload_done(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_are_read), cmocka_unit_test(reads),
                                     cmocka_unit_test(refuses), cmocka_unit_test(answers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
