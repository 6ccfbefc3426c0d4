/* What libraries reach, with libraries that are made here: right, wrong, incomplete, and such that end or
 * hang their process. */
#include "test.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/clock.h"
#include "measure/cpu/cpu.h"
#include "owned.h"

/** A BLAS that does what FAKE_BLAS says. */
static const char blas_source[] =
    "#define _GNU_SOURCE\n#include <sched.h>\n"
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
    "#define GEMM(name, T) void name(const char *ta, const char *tb, const int *m, const int *n, const int "
    "*k,\\\n"
    "  const T *al, const T *a, const int *la, const T *b, const int *lb, const T *be, T *c, const int *lc) "
    "{\\\n"
    "  const char *what = getenv(\"FAKE_BLAS\");\\\n"
    "  if (strcmp(what, \"aborts\") == 0) abort();\\\n"
    "  if (strcmp(what, \"exits\") == 0) { printf(\"bye\\n\"); exit(3); }\\\n"
    "  if (strcmp(what, \"hangs\") == 0) pause();\\\n"
    "  for (int j = 0; j < *n; j++) {\\\n"
    "    memset(c + j * *lc, 0, *m * sizeof(T));\\\n"
    "    for (int p = 0; p < *k; p++) for (int i = 0; i < *m; i++)\\\n"
    "      c[i + j * *lc] += a[i + p * *la] * b[p + j * *lb];\\\n"
    "  }\\\n"
    "  if (strcmp(what, \"wrong\") == 0) c[1] += 1;\\\n"
    "}\n"
    "GEMM(dgemm_, double)\nGEMM(sgemm_, float)\n"
    "char *openblas_get_config(void) { return \"OpenBLAS 9.8 made for a test \"; }\n"
    "int openblas_setaffinity(int thread, size_t size, cpu_set_t *cores) {\n"
    "  char path[512];\n"
    "  snprintf(path, sizeof path, \"%s/bound\", getenv(\"FAKE_FOLDER\"));\n"
    "  FILE *bound = fopen(path, \"a\");\n"
    "  for (int core = 0; core < CPU_SETSIZE; core++)\n"
    "    if (CPU_ISSET_S(core, size, cores)) fprintf(bound, \"%d %d\\n\", thread, core);\n"
    "  return fclose(bound);\n"
    "}\n";

static char folder[] = "/tmp/roofline-libraries-XXXXXX";

static void make(const char *soname, const char *source) {
  char command[512];
  snprintf(command, sizeof command, "cc -O3 -march=native -shared -fPIC -x c -o %s/%s -", folder, soname);
  FILE *compiler = popen(command, "w");
  assert_non_null(compiler);
  fputs(source, compiler);
  assert_int_equal(pclose(compiler), 0);
}

/** The library path counts for a program that starts, so this one starts again with it. */
static void start_again(char **arguments) {
  if (getenv("FAKE_BLAS") == NULL) {
    assert_non_null(mkdtemp(folder));
    make("libopenblas.so.0", blas_source);
    make("libblis.so.4", "int nothing;\n");
    setenv("LD_LIBRARY_PATH", folder, 1);
    unsetenv("OPENBLAS_CORETYPE"); /* which its name would tell */
    setenv("FAKE_BLAS", "right", 1);
    setenv("FAKE_FOLDER", folder, 1);
    execv("/proc/self/exe", arguments);
    fail_msg("cannot start again");
  }
}

static void remove_libraries(void) {
  char path[512];
  static const char *const names[] = {"/libopenblas.so.0", "/libblis.so.4", "/bound", ""};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(path, sizeof path, "%s%s", getenv("FAKE_FOLDER"), names[i]);
    remove(path);
  }
}

static int try(const char *name, const char *behaviour, double limit, roof_library *results) {
  rf_team team;
  rf_attempt attempt = {.team = &team, .threads = 1, .sizes = "m=24 n=40 k=32", .budget = 1e-3};
  attempt.limit_seconds = limit;
  setenv("FAKE_BLAS", behaviour, 1);
  assert_int_equal(roof_kernel_find(name, &attempt.kernel, NULL), ROOF_OK);
  assert_int_equal(rf_team_init(&team, 0, NULL), ROOF_OK);
  attempt.threads = team.threads;
  int count = rf_library_try(&attempt, results);
  rf_team_done(&team);
  return count;
}

static void a_right_library_is_timed(void **state) {
  (void)state;
  roof_library r[RF_ATTEMPT_MAX];
  assert_int_equal(try("gemm-blas", "right", 30, r), 2);
  for (int i = 0; i < 2; i++) {
    assert_string_equal(r[i].name, "OpenBLAS");
    assert_string_equal(r[i].version, "9.8 made for a test");
    assert_string_equal(r[i].op, "gemm");
    assert_string_equal(r[i].parameters, "m=24 n=40 k=32");
    assert_string_equal(r[i].skipped, "");
    assert_non_null(strstr(r[i].source, "checked"));
    assert_true(r[i].kind == ROOF_MEASURED && r[i].flops_per_second > 1e5 && r[i].flops_per_second < 1e13);
    assert_int_equal(strlen(r[i].date), 10);
  }
  assert_true(r[0].dtype == ROOF_FP64 && r[1].dtype == ROOF_FP32);
}

static void a_library_that_fails_says_why(void **state) {
  (void)state;
  static const struct {
    const char *kernel, *behaviour, *why;
    double limit;
    int entries;
  } cases[] = {
      {"gemm-blas", "wrong", "gemm-blas fp64: wrong result: element 1 is ", 30, 2},
      {"gemm-blas", "aborts", "the library ended its process: Aborted", 30, 1},
      {"gemm-blas", "exits", "the library ended its process with status ", 30, 1},
      {"gemm-blas", "hangs", "no answer within 0.2 s", 0.2, 1},
      {"gemm-blis", "right", "libblis.so.4 has no dgemm_ and sgemm_", 30, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_library r[RF_ATTEMPT_MAX];
    double start = rf_clock_seconds();
    int count = try(cases[i].kernel, cases[i].behaviour, cases[i].limit, r);
    if (count != cases[i].entries || strncmp(r[0].skipped, cases[i].why, strlen(cases[i].why)) != 0) {
      fail_msg("%s %s: %d entries, %s", cases[i].kernel, cases[i].behaviour, count, r[0].skipped);
    }
    assert_true(isnan(r[0].flops_per_second) && isnan(r[0].fraction_of_peak));
    assert_true(rf_clock_seconds() - start < 10);
  }
}

/** All libraries together: an entry each at least, figures as shares of the peak on as many cores. */
static void every_library_has_an_entry(void **state) {
  (void)state;
  static roof_machine *machine = NULL;
  roof_measure_options options = {.quick = true};
  rf_bench bench = {.options = &options, .machine = empty_machine(&machine)};
  setenv("FAKE_BLAS", "right", 1);
  assert_int_equal(rf_team_init(&bench.team, 0, NULL), ROOF_OK);
  for (int i = 0; i < 2; i++) {
    *roof_machine_add_peak(machine) = (roof_peak){.dtype = ROOF_FP64, .kind = ROOF_MEASURED, .cores = i};
    machine->peaks[i].flops_per_second = i == 0 ? 4e12 : 1e12;
  }
  rf_cpu_measure_libraries(&bench);
  rf_team_done(&bench.team);
  assert_true(machine->report->library_count >= rf_cpu_library_count() && rf_cpu_library_count() >= 4);
  int of_blis = 0;
  for (int i = 0; i < machine->report->library_count; i++) {
    const roof_library *l = &machine->report->libraries[i];
    double peak = l->cores == 0 ? 4e12 : 1e12;
    of_blis += strcmp(l->name, "BLIS") == 0;
    assert_true(isnan(l->flops_per_second) == (l->skipped[0] != '\0'));
    if (l->dtype == ROOF_FP64 && l->skipped[0] == '\0') {
      assert_near(l->fraction_of_peak, l->flops_per_second / peak, 1e-12);
    }
  }
  assert_int_equal(of_blis, 1); /* not once more for every format and number of cores */
}

/** The threads that a library keeps: each on one core, none on that of the thread that calls it. */
static void threads_of_a_library_are_bound(void **state) {
  (void)state;
  rf_team team;
  roof_kernel_run run = {.dtype = ROOF_FP32};
  char path[512];
  int thread, core, lines = 0, here;
  assert_int_equal(rf_team_init(&team, 0, NULL), ROOF_OK);
  run.threads = team.threads;
  assert_int_equal(roof_kernel_find("gemm-blas", &run.kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(run.kernel, "m=24 n=40 k=32", run.values, NULL), ROOF_OK);
  assert_int_equal(run.kernel->prepare(&run, NULL), ROOF_OK);
  run.kernel->release(&run);
  here = sched_getcpu();
  rf_team_done(&team);
  if (run.threads == 1) {
    skip(); /* the library keeps no thread */
  }
  snprintf(path, sizeof path, "%s/bound", getenv("FAKE_FOLDER"));
  FILE *bound = fopen(path, "r");
  assert_non_null(bound);
  for (; fscanf(bound, "%d %d", &thread, &core) == 2; lines++) {
    assert_int_equal(thread, lines);
    assert_int_not_equal(core, here);
  }
  fclose(bound);
  assert_int_equal(lines, run.threads - 1);
}

int main(int count, char **arguments) {
  (void)count;
  start_again(arguments);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_right_library_is_timed),
      cmocka_unit_test(a_library_that_fails_says_why),
      cmocka_unit_test(every_library_has_an_entry),
      cmocka_unit_test(threads_of_a_library_are_bound),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  remove_libraries();
  return failed;
}
