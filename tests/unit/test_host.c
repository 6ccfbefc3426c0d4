/* What the machine offers while the program runs: shared libraries, lines of /proc and /sys, memory. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/library.h"
#include "host/memory.h"
#include "host/noise.h"
#include "host/probe.h"
#include "host/process.h"
#include "host/terminal.h"
#include "host/write.h"

static int (*absolute)(int);
static void *(*nothing)(void);
static const rf_symbol one[] = {{"abs", &absolute}};
static const rf_symbol two[] = {{"abs", &absolute}, {"roofline_has_no_such_function", &nothing}};

static void loads_the_first_that_has_all_symbols(void **state) {
  (void)state;
  rf_loaded loaded;
  rf_library libc = {
      .what = "C", .sonames = {"libnone.so.1", "libm.so.6", "libc.so.6"}, .symbols = one, .count = 1};
  absolute = NULL;
  assert_true(rf_library_load(&libc, &loaded));
  assert_string_equal(loaded.reason, "");
  assert_non_null(loaded.soname);
  assert_int_equal(absolute(-7), 7);
  rf_library_close(&loaded);
  assert_null(loaded.handle);
  rf_library_close(&loaded);
}

static void a_library_without_symbols_is_only_looked_for(void **state) {
  (void)state;
  rf_loaded loaded;
  assert_true(rf_library_load(&(rf_library){.what = "C", .sonames = {"libc.so.6"}}, &loaded));
  assert_string_equal(loaded.soname, "libc.so.6");
  rf_library_close(&loaded);
}

/** OpenBLAS takes the core type that the environment names, here one without AVX2. */
static void a_lesser_core_type_lacks_registers(void **state) {
  (void)state;
  rf_loaded loaded;
  const char *widest = NULL;
#if defined(__x86_64__)
  widest = __builtin_cpu_supports("avx512f") ? "AVX-512" : __builtin_cpu_supports("avx2") ? "AVX2+FMA" : NULL;
#endif
  const rf_library library = {
      .what = "BLAS", .sonames = {"libopenblas.so.0"}, .core_name = "openblas_get_corename"};
  setenv("OPENBLAS_CORETYPE", "Nehalem", 1);
  bool found = rf_library_load(&library, &loaded);
  unsetenv("OPENBLAS_CORETYPE");
  if (!found) {
    skip(); /* no OpenBLAS */
  }
  rf_lesser lesser = rf_library_lesser(&library, &loaded);
  assert_true((widest != NULL) == (lesser.lacks != NULL) && (widest != NULL) == (lesser.reaches != NULL));
  if (widest != NULL) {
    assert_string_equal(lesser.lacks, widest);
    assert_string_equal(lesser.reaches, "SSE2 mul+add");
  }
  const rf_library silent = {.what = "BLAS", .sonames = {"libopenblas.so.0"}};
  assert_null(rf_library_lesser(&silent, &loaded).lacks);
  const rf_library other = {.what = "BLAS", .core_name = "roofline_has_no_such_function"};
  assert_null(rf_library_lesser(&other, &loaded).reaches);
  rf_library_close(&loaded);
}

static void says_which_symbol_is_missing_and_fills_none(void **state) {
  (void)state;
  rf_loaded loaded;
  const char *missing = NULL;
  rf_library old = {.what = "C", .sonames = {"libc.so.6", "libnone.so.1"}, .symbols = two, .count = 2};
  assert_false(rf_library_load(&old, &loaded));
  assert_null(loaded.handle);
  assert_null(absolute);
  assert_string_equal(loaded.soname, "libc.so.6");
  assert_string_equal(loaded.missing, "roofline_has_no_such_function");
  assert_string_equal(loaded.reason, "libc.so.6 has no roofline_has_no_such_function");
  assert_true(rf_library_load(&(rf_library){.what = "C", .sonames = {"libc.so.6"}}, &loaded));
  assert_false(rf_library_find(loaded.handle, two, 2, &missing));
  assert_string_equal(missing, "roofline_has_no_such_function");
  assert_true(rf_library_find(loaded.handle, one, 1, &missing));
  assert_null(missing);
  rf_library_close(&loaded);
}

static void says_why_none_is_there(void **state) {
  (void)state;
  rf_loaded loaded;
  rf_library library = {.what = "such", .hint = "; look elsewhere", .sonames = {"libnone.so.1"}};
  assert_false(rf_library_load(&library, &loaded));
  assert_null(loaded.soname);
  assert_string_equal(loaded.reason, "no such: libnone.so.1 cannot be loaded; look elsewhere");
  library.sonames[1] = "libnone.so.2";
  assert_false(rf_library_load(&library, &loaded));
  assert_string_equal(loaded.reason,
                      "no such: neither libnone.so.1 nor libnone.so.2 can be loaded; look elsewhere");
}

static void a_variable_names_the_folder(void **state) {
  (void)state;
  rf_loaded loaded;
  rf_library library = {.what = "C", .folder = "ROOFLINE_TEST_FOLDER", .sonames = {"libc.so.6"}};
  unsetenv("ROOFLINE_TEST_FOLDER");
  assert_true(rf_library_load(&library, &loaded));
  rf_library_close(&loaded);
  setenv("ROOFLINE_TEST_FOLDER", "/nowhere", 1);
  assert_false(rf_library_load(&library, &loaded));
  char deep[3000];
  memset(deep, '/', sizeof deep - 1);
  deep[sizeof deep - 1] = '\0';
  library.sonames[0] = "etc/passwd-of-a-name-that-would-be-cut";
  setenv("ROOFLINE_TEST_FOLDER", deep, 1);
  assert_false(rf_library_load(&library, &loaded));
  library.sonames[0] = "libc.so.6";
  setenv("ROOFLINE_TEST_FOLDER", "", 1); /* as if it were not set */
  assert_true(rf_library_load(&library, &loaded));
  rf_library_close(&loaded);
  unsetenv("ROOFLINE_TEST_FOLDER");
}

/** A captured machine below tests/fixtures/doctor. */
static const char *captured(const char *name) {
  static char root[512];
  snprintf(root, sizeof root, "%s/tests/fixtures/doctor/%s", getenv("ROOFLINE_SOURCE"), name);
  return root;
}

static void reads_numbers_of_lines(void **state) {
  (void)state;
  const char *root = captured("laptop");
  double values[4];
  assert_near(rf_probe_number(root, "/proc/meminfo", "SwapTotal"), 2000000, 1e-12);
  assert_near(rf_probe_number(root, "/proc/loadavg", ""), 1.25, 1e-12);
  assert_int_equal(rf_probe_numbers(root, "/proc/loadavg", "", values, 4),
                   4); /* "1.25 0.80 0.60 3/1200 4242" */
  assert_near(values[3], 3, 1e-12);
  assert_true(isnan(rf_probe_number(root, "/proc/meminfo", "NoSuchKey")));
  assert_true(
      isnan(rf_probe_number(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "")));
  assert_int_equal(errno, 0);
  assert_true(isnan(rf_probe_number(root, "/proc/nothing", "")));
  assert_int_equal(errno, ENOENT);
}

static void counts_worked_and_stolen_ticks(void **state) {
  (void)state;
  double wanted = 0, stolen = -1;
  assert_true(rf_ticks_read(captured("laptop"), &wanted, &stolen));
  assert_near(wanted, 152340 + 812 + 40211 + 0 + 1203 + 0, 1e-12);
  assert_true(stolen == 0);
  assert_false(rf_ticks_read("/nowhere", &wanted, &stolen));
}

static void caches_grow_with_their_level(void **state) {
  (void)state;
  assert_true(rf_cache_bytes(1) >= 4096);
  assert_true(rf_cache_bytes(1) < rf_cache_bytes(2));
  assert_true(rf_cache_bytes(2) <= rf_cache_bytes(3));
}

static void the_environment_says_what_a_terminal_shows(void **state) {
  (void)state;
  int files[2];
  char path[4096];
  assert_int_equal(pipe(files), 0);
  setenv("COLUMNS", "72", 1);
  setenv("LC_ALL", "C", 1);
  rf_terminal terminal = rf_terminal_of(files[1], false);
  assert_int_equal(terminal.width, 72);
  assert_true(terminal.ascii && !terminal.color);
  setenv("COLUMNS", "12", 1);
  setenv("LC_ALL", "C.UTF-8", 1);
  terminal = rf_terminal_of(files[1], false);
  assert_int_equal(terminal.width, 40);
  assert_false(terminal.ascii);
  unsetenv("COLUMNS");
  unsetenv("LC_ALL");
  assert_int_equal(rf_terminal_of(files[1], false).width, 0);
  close(files[0]);
  close(files[1]);
  assert_non_null(strstr(rf_process_name(path, sizeof path), "test_host"));
}

/** A terminal is coloured; one without a width stands before a pipe or a file, as the launchers of ranks make it. */
static void a_terminal_without_a_width_is_none(void **state) {
  (void)state;
  struct winsize size = {.ws_col = 100, .ws_row = 30};
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
  int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  assert_false(rf_terminal_of(terminal, false).color);
  assert_int_equal(rf_terminal_of(terminal, false).width, 0);
  assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
  assert_true(rf_terminal_of(terminal, false).color);
  assert_int_equal(rf_terminal_of(terminal, false).width, 100);
  close(terminal);
  close(master);
}

static void a_file_that_cannot_be_written_is_refused_before(void **state) {
  (void)state;
  roof_error error;
  assert_int_equal(rf_write_check("/tmp", false, &error), ROOF_E_OUTPUT);
  assert_non_null(strstr(error.message, "/tmp: Is a directory"));
  assert_int_equal(rf_write_check("/no-such-folder/x", false, NULL), ROOF_E_OUTPUT);
  assert_int_equal(rf_write_check("/no-such-folder/x", true, NULL), ROOF_OK);
  assert_int_equal(rf_write_check("/tmp/x.svg", false, NULL), ROOF_OK);
}

/** What was synced since it was last reset: files, and folders. */
static int synced_files, synced_folders;
int __real_fsync(int file);
int __wrap_fsync(int file);

int __wrap_fsync(int file) {
  struct stat info;
  if (fstat(file, &info) == 0) {
    synced_files += S_ISREG(info.st_mode);
    synced_folders += S_ISDIR(info.st_mode);
  }
  return __real_fsync(file);
}

static void a_written_file_and_its_folder_are_synced(void **state) {
  (void)state;
  char folder[] = "/tmp/roofline-sync-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/x", folder);
  synced_files = synced_folders = 0;
  assert_int_equal(rf_write_file(path, "x", 1, NULL), ROOF_OK);
  assert_int_equal(synced_files, 1);
  assert_int_equal(synced_folders, 1);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

static void temporary_names_are_below_a_folder(void **state) {
  (void)state;
  char path[64], deep[128];
  memset(deep, 'd', sizeof deep - 1);
  deep[sizeof deep - 1] = '\0';
  setenv("TMPDIR", "/var/tmp", 1);
  assert_int_equal(rf_temporary_name(path, sizeof path, "x", NULL), ROOF_OK);
  assert_string_equal(path, "/var/tmp/x");
  setenv("TMPDIR", "", 1);
  assert_int_equal(rf_temporary_name(path, sizeof path, "x", NULL), ROOF_OK);
  assert_string_equal(path, "/tmp/x");
  setenv("TMPDIR", deep, 1);
  assert_int_equal(rf_temporary_name(path, sizeof path, "x", NULL), ROOF_E_OUTPUT);
  unsetenv("TMPDIR");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_environment_says_what_a_terminal_shows),
                                     cmocka_unit_test(a_terminal_without_a_width_is_none),
                                     cmocka_unit_test(a_file_that_cannot_be_written_is_refused_before),
                                     cmocka_unit_test(loads_the_first_that_has_all_symbols),
                                     cmocka_unit_test(a_library_without_symbols_is_only_looked_for),
                                     cmocka_unit_test(a_lesser_core_type_lacks_registers),
                                     cmocka_unit_test(says_which_symbol_is_missing_and_fills_none),
                                     cmocka_unit_test(says_why_none_is_there),
                                     cmocka_unit_test(a_variable_names_the_folder),
                                     cmocka_unit_test(temporary_names_are_below_a_folder),
                                     cmocka_unit_test(a_written_file_and_its_folder_are_synced),
                                     cmocka_unit_test(reads_numbers_of_lines),
                                     cmocka_unit_test(counts_worked_and_stolen_ticks),
                                     cmocka_unit_test(caches_grow_with_their_level)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
