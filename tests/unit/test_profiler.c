/* Profilers run by the library alone: one of our own that is a shell, and an ncu that is a script. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roofline/profiler.h"

static char folder[] = "/tmp/roofline-profiler-XXXXXX";

static int enter_folder(void **state) {
  (void)state;
  return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state) {
  (void)state;
  (void)unlink("ncu");
  (void)unlink("made");
  return chdir("/") + rmdir(folder);
}

static const roof_profiler shell = {
    .name = "shell",
    .program = "sh",
    .file = "made",
    .commands = {{"WORD=from the environment", "sh", "-c", "echo \"$WORD, $1\" >part", "sh", "@program"},
                 {"sh", "-c", "mv part made"}},
};

static void every_step_runs(void **state) {
  (void)state;
  const char *const program[] = {"a program", NULL};
  char line[80] = "";
  roof_error error = {0};
  if (roof_profiler_collect(&shell, program, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  FILE *file = fopen("made", "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  fclose(file);
  assert_string_equal(line, "from the environment, a program\n");
  assert_null(getenv("WORD"));
}

static void a_step_that_fails_or_writes_nothing(void **state) {
  (void)state;
  const char *const program[] = {"true", NULL};
  const roof_profiler silent = {.name = "silent", .file = "made", .commands = {{"@program"}}};
  const roof_profiler fails = {.name = "fails", .file = "made", .commands = {{"sh", "-c", "exit 3"}}};
  roof_error error = {0};
  assert_int_equal(roof_profiler_collect(&silent, program, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "silent: it wrote no made");
  assert_int_equal(roof_profiler_collect(&fails, program, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "sh: failed with exit code 3: nothing is reported");
  assert_int_equal(roof_profiler_collect(&shell, program, &error), ROOF_OK);
}

/** An ncu that copies the fixture to its --log-file. */
static void write_ncu(void) {
  FILE *file = fopen("ncu", "w");
  assert_non_null(file);
  fprintf(file,
          "#!/bin/sh\nfor word; do [ \"$before\" != --log-file ] || cat '%s/tests/fixtures/gpu/ncu.csv' "
          ">\"$word\"; before=$word; done\necho noise\n",
          getenv("ROOFLINE_SOURCE"));
  fclose(file);
  assert_int_equal(chmod("ncu", 0755), 0);
}

static void ncu_counts(void **state) {
  (void)state;
  const char *const program[] = {"a program", NULL};
  char path[256];
  roof_counts counts;
  roof_error error = {0};
  if (getenv("ROOFLINE_SOURCE") == NULL) {
    skip();
  }
  write_ncu();
  snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
  setenv("PATH", "/nonexistent", 1);
  assert_int_equal(roof_profiler_count(program, 4, &counts, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "no ncu on PATH: it comes with NVIDIA's Nsight Compute");
  setenv("PATH", path, 1);
  if (roof_profiler_count(program, 4, &counts, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  assert_true(counts.flops == 2e6 && counts.bytes[ROOF_MEMORY] == 15e6 && counts.bytes[ROOF_L2] == 12e6);
  assert_true(counts.outer_bytes == 15e6);
  assert_near(counts.intensity, 2.0 / 15, 1e-12);
}

static void chosen_and_listed(void **state) {
  (void)state;
  const roof_profiler *p = NULL;
  roof_text text = {0};
  roof_error error = {0};
  assert_int_equal(roof_profiler_choose("ncu", NULL, &p, NULL), ROOF_OK);
  assert_string_equal(p->question, "kernels");
  assert_int_equal(roof_profiler_choose("perf", "kernels", &p, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "--with perf: it answers --for processor");
  assert_string_equal(p->name, "ncu");
  assert_int_equal(roof_profiler_choose(NULL, "speed", &p, &error), ROOF_E_NAME);
  assert_int_equal(roof_profiler_choose(NULL, "processor", &p, &error), ROOF_OK);
  assert_int_equal(roof_profilers_write(&text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"name\": \"ncu\",\n      \"question\": \"kernels\""));
  roof_text_done(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_step_runs),
      cmocka_unit_test(a_step_that_fails_or_writes_nothing),
      cmocka_unit_test(chosen_and_listed),
      cmocka_unit_test(ncu_counts),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
