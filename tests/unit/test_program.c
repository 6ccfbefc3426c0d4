/* Somebody's program, run and measured by the library alone. */
#include "test.h"

#include "roofline/catalog.h"
#include "roofline/ops.h"
#include "roofline/program.h"

static void run_as_a_whole_and_placed(void **state) {
  (void)state;
  const char *const words[] = {"/bin/sh", "-c", "exit 0", NULL};
  double values[ROOF_PARAM_MAX] = {64, 64, 64, 1, 0};
  roof_program_options options = roof_program_options_default();
  roof_machine *machine = NULL;
  roof_program *program = NULL;
  const roof_op *op = NULL;
  roof_error error = {0};
  int count = 0;
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_load("nvidia-h100-sxm", &machine, NULL), ROOF_OK);
  roof_program_does(&options, op, values);
  options.runs = 3;
  if (roof_program_run(words, machine, &options, &program, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  const roof_program_part *parts = roof_program_parts(program, &count);
  assert_int_equal(count, 1);
  assert_string_equal(program->name, "sh");
  assert_string_equal(parts->measurement.label, "gemm m=64 n=64 k=64 fp64");
  assert_true(parts->measurement.calls == 3 && parts->measurement.sample_count == 3);
  assert_near(parts->measurement.flops, 2.0 * 64 * 64 * 64, 1e-12);
  assert_true(parts->placed.share > 0 && parts->placed.share < 1);
  assert_true(program->usage.seconds > 0 && program->usage.peak_bytes > 0);
  roof_text text = {0};
  roof_program_usage_describe(&text, program);
  assert_true(strncmp(text.data, "sh: 3 runs of ", 14) == 0);
  roof_program_counters_describe(&text, program);
  assert_non_null(strstr(text.data, "\n  counters: FLOPs: "));
  roof_program_ceilings_describe(&text, program);
  assert_non_null(strstr(text.data, "\n  ceilings: nvidia-h100-sxm\n"));
  roof_text_done(&text);
  assert_true((program->counters.count > 0) == (program->counters.flops_reason[0] == '\0'));
  assert_true(isnan(program->counters.memory_bytes) == (program->counters.memory_reason[0] != '\0'));
  roof_program_free(program);
  roof_machine_free(machine);
}

static void written_and_read_back(void **state) {
  (void)state;
  const char *const words[] = {"/bin/sh", "-c", "exit 0", NULL};
  roof_program_options options = roof_program_options_default();
  roof_program *program = NULL;
  roof_measurements read = {0};
  roof_text text = {0};
  options.bytes = 1e6;
  assert_int_equal(roof_program_run(words, NULL, &options, &program, NULL), ROOF_OK);
  assert_true(isnan(program->whole.placed.share));
  roof_program_remarks_describe(&text, program);
  assert_true(text.length == 0); /* its bytes are known */
  assert_int_equal(roof_program_write(program, &text, NULL), ROOF_OK);
  assert_non_null(
      strstr(text.data, "\"command\": [\n      \"/bin/sh\",\n      \"-c\",\n      \"exit 0\"\n    ]"));
  assert_int_equal(roof_measurements_parse(text.data, text.length, "program", &read, NULL), ROOF_OK);
  assert_int_equal(read.count, 1);
  assert_string_equal(read.list[0].label, "sh");
  assert_true(read.list[0].level_bytes[ROOF_MEMORY] == 1e6);
  roof_measurements_done(&read);
  roof_text_done(&text);
  roof_program_free(program);
}

static void words_that_are_no_text(void **state) {
  (void)state;
  const char *const words[] = {"/bin/sh", "-c", "exit 0", "\xff", NULL};
  roof_program_options options = roof_program_options_default();
  roof_program *program = NULL;
  roof_text text = {0};
  roof_error error = {0};
  assert_int_equal(roof_program_run(words, NULL, &options, &program, NULL), ROOF_OK);
  assert_int_equal(roof_program_write(program, &text, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "sh: a word of its command is not UTF-8");
  assert_int_equal(text.length, 0);
  roof_text_done(&text);
  roof_program_free(program);
}

static void what_cannot_be_measured(void **state) {
  (void)state;
  const char *const none[] = {"./nothere", NULL}, *const fails[] = {"/bin/sh", "-c", "exit 7", NULL};
  roof_program_options options = roof_program_options_default();
  roof_program *program = NULL;
  roof_error error = {0};
  assert_int_equal(roof_program_run(none, NULL, &options, &program, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "./nothere: cannot be executed: No such file or directory");
  assert_int_equal(roof_program_run(fails, NULL, &options, &program, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "/bin/sh: failed with exit code 7: nothing is reported");
  options.runs = ROOF_PROGRAM_RUNS + 1;
  assert_int_equal(roof_program_run(none, NULL, &options, &program, &error), ROOF_E_ARGUMENT);
  assert_null(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(run_as_a_whole_and_placed),
      cmocka_unit_test(written_and_read_back),
      cmocka_unit_test(words_that_are_no_text),
      cmocka_unit_test(what_cannot_be_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
