/* Regions are written when a process ends, so each test runs this program again as that process. */
#include "test.h"

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "region/tally.h"
#include "roofline/documents.h"
#include "roofline/region.h"

/* The linker sends the library's calls here (tests/CMakeLists.txt). */
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *data, size_t size);
void *__wrap_realloc(void *data, size_t size);

static long left = -1; /**< allocations that succeed before one fails; negative: all do */

static bool fails(void) {
  return left >= 0 && left-- == 0;
}

void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *data, size_t size) {
  return fails() ? NULL : __real_realloc(data, size);
}

/* The processes */

enum { THREADS = 4, CALLS = 5000, DEEPEST = 64 };

static void *work(void *user) {
  const int *calls = user;
  for (int i = 0; i < *calls; i++) {
    ROOF_REGION_BEGIN("outer");
    ROOF_REGION_BEGIN("inner");
    ROOF_REGION_END_AS("inner", ROOF_FP32, 3, 12);
    ROOF_REGION_END("outer", 2, 8);
  }
  return NULL;
}

static void run_threads(void) {
  pthread_t threads[THREADS];
  int calls[THREADS] = {CALLS, CALLS, CALLS, 1};
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, work, &calls[i]), 0);
  }
  work(&calls[3]);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
  }
}

static void run_misuse(void) {
  ROOF_REGION_END("never begun", 1, 1);
  ROOF_REGION_BEGIN("good");
  ROOF_REGION_BEGIN("never ended");
  ROOF_REGION_END("good", 1, NAN);
  roof_region_begin(NULL);
  roof_region_end(NULL, ROOF_FP64, 1, 1);
  ROOF_REGION_BEGIN("open \"at\" exit");
}

static void run_odd(void) {
  for (int i = 0; i < 2; i++) { /* each looked up anew */
    roof_region *tab = roof_region_get("a\ttab"), *line = roof_region_get("two\nlines"),
                *empty = roof_region_get("");
    roof_region_begin(tab);
    roof_region_end(tab, ROOF_FP64, -1e9, 8);
    roof_region_begin(line);
    roof_region_end(line, ROOF_FP64, 1, -8);
    roof_region_begin(empty);
    roof_region_end(empty, ROOF_FP64, 1, 8);
  }
}

static void run_formats(void) {
  ROOF_REGION_BEGIN("scaled");
  ROOF_REGION_END_AS("scaled", ROOF_NVFP4, 8, 1);
  ROOF_REGION_BEGIN("none");
  ROOF_REGION_END_AS("none", (roof_dtype)-1, 8, 1);
  ROOF_REGION_BEGIN("count");
  ROOF_REGION_END_AS("count", ROOF_DTYPE_COUNT, 8, 1);
}

static void run_deep(void) {
  for (int i = 0; i < DEEPEST + 10; i++) {
    ROOF_REGION_BEGIN("deep");
  }
  for (int i = 0; i < DEEPEST + 10; i++) {
    ROOF_REGION_END("deep", 1, 1);
  }
}

enum { LEAKED = 300, WELL = 1000 };

/** Begins more than are timed, ends none. */
static void leak(void) {
  for (int i = 0; i < LEAKED; i++) {
    ROOF_REGION_BEGIN("leak");
  }
}

static void run_well(void) {
  for (int i = 0; i < WELL; i++) {
    ROOF_REGION_BEGIN("good");
    ROOF_REGION_END("good", 1, 1);
  }
}

static void run_leak(void) {
  ROOF_REGION_BEGIN("enclosing");
  leak();
  ROOF_REGION_END("enclosing", 1, 1);
  run_well();
}

static void run_flood(void) {
  leak();
  run_well();
}

static void *work_on(void *user) {
  int calls = 100;
  (void)user;
  for (;;) {
    work(&calls);
  }
  return NULL;
}

/** Ends while other threads begin and end regions. */
static void run_busy(void) {
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, work_on, NULL), 0);
  assert_int_equal(pthread_create(&thread, NULL, work_on, NULL), 0);
  usleep(20000);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(roof_region_write(NULL), ROOF_OK);
  }
}

static void *starve(void *user) {
  const int *n = user;
  char name[32];
  snprintf(name, sizeof name, "starved %d", *n);
  left = *n;
  roof_region *region = roof_region_get(name);
  for (int i = 0; i < 2; i++) {
    roof_region_begin(region);
    roof_region_end(region, ROOF_FP64, 1, 1);
  }
  return NULL;
}

/** A thread of its own for each allocation that fails, then the same for writing. */
static void run_starved(void) {
  enum { MOST = 30, ALLOCATIONS = 6 };
  pthread_t thread;
  for (int n = 0; n < ALLOCATIONS; n++) {
    assert_int_equal(pthread_create(&thread, NULL, starve, &n), 0);
    pthread_join(thread, NULL);
  }
  for (long n = 0; n < MOST; n++) {
    left = n;
    roof_status status = roof_region_write(NULL);
    assert_true(status == ROOF_OK || status == ROOF_E_MEMORY);
  }
  left = -1;
}

static void run_sleep(void) {
  ROOF_REGION_BEGIN("sleep");
  usleep(30000);
  ROOF_REGION_END("sleep", 0, 0);
}

static void run_fork(void) {
  run_sleep();
  pid_t child = fork();
  if (child == 0) {
    run_misuse();
    exit(roof_region_write(NULL) == ROOF_E_UNSUPPORTED ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
}

static void run_early(void) {
  run_sleep();
  assert_int_equal(roof_region_write(NULL), ROOF_OK);
  _exit(0);
}

static void run_nothing(void) {
}

static const struct {
  const char *name;
  void (*run)(void);
} processes[] = {{"threads", run_threads}, {"misuse", run_misuse}, {"odd", run_odd},
                 {"starved", run_starved}, {"busy", run_busy},     {"deep", run_deep},
                 {"sleep", run_sleep},     {"fork", run_fork},     {"early", run_early},
                 {"nothing", run_nothing}, {"leak", run_leak},     {"flood", run_flood},
                 {"formats", run_formats}};

/* What they write */

/** Runs one of them with regions written to `pattern`. */
static void run_process(const char *name, const char *pattern) {
  char command[512];
  snprintf(command, sizeof command, "ROOFLINE_REGIONS=%s '%s' %s", pattern, getenv("SELF"), name);
  assert_int_equal(system(command), 0);
}

/** The document of that process. */
static json_t *document_of(const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/test_region.%ld.json", (long)getpid());
  run_process(name, path);
  json_t *document = json_load_file(path, 0, NULL);
  unlink(path);
  assert_non_null(document);
  assert_string_equal(json_string_value(json_object_get(document, "schema")), "roofline.measurements/1");
  return document;
}

/** The time line of that process with room for so many calls. */
static json_t *timeline_of(const char *name, int room) {
  char path[64], command[512];
  snprintf(path, sizeof path, "/tmp/test_region.%ld.trace", (long)getpid());
  snprintf(command, sizeof command, "ROOFLINE_TIMELINE=%s ROOFLINE_TIMELINE_CALLS=%d PMI_RANK=3 '%s' %s",
           path, room, getenv("SELF"), name);
  assert_int_equal(system(command), 0);
  json_t *document = json_load_file(path, 0, NULL);
  unlink(path);
  assert_non_null(document);
  assert_string_equal(json_string_value(json_object_get(document, "schema")), "roofline.timeline/1");
  return document;
}

static json_t *named(const json_t *list, const char *key, const char *name) {
  size_t i;
  json_t *item;
  json_array_foreach(list, i, item) {
    if (strcmp(json_string_value(json_object_get(item, key)), name) == 0) {
      return item;
    }
  }
  return NULL;
}

static json_t *kernel(const json_t *document, const char *name) {
  json_t *found = named(json_object_get(document, "kernels"), "name", name);
  assert_non_null(found);
  return found;
}

static double number(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

static void assert_skipped(const json_t *document, const char *what, const char *why) {
  const json_t *found = named(json_object_get(document, "skipped"), "what", what);
  assert_non_null(found);
  assert_string_equal(json_string_value(json_object_get(found, "why")), why);
}

/** Every member of `mine` is in `theirs` with the same value, down to the last, but what only regions say. */
static void assert_contained(const json_t *mine, const json_t *theirs, const char *path) {
  static const char *const only[] = {".formula_flops", ".counted.seconds", ".counted.samples"};
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)mine, name, value) {
    json_t *other = json_object_get(theirs, name);
    char at[96];
    bool own = false;
    snprintf(at, sizeof at, "%s.%s", path, name);
    for (size_t i = 0; i < sizeof only / sizeof only[0]; i++) {
      own = own || strcmp(at, only[i]) == 0;
    }
    if (own) {
      assert_null(other);
    } else if (json_is_object(value)) {
      assert_contained(value, other, at);
    } else if (!json_equal(value, other)) {
      fail_msg("`%s` is written otherwise", at);
    }
  }
}

/** What regions write, by functions of libc alone, and what the library writes of it once read. */
static void the_library_writes_the_same(void **state) {
  (void)state;
  static const char *const names[] = {"threads", "misuse", "starved", "deep", "sleep"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    json_t *mine = document_of(names[i]);
    char *text = json_dumps(mine, JSON_REAL_PRECISION(17));
    roof_measurements read = {0}, again = {0};
    roof_text once = {0}, twice = {0};
    assert_int_equal(roof_measurements_parse(text, strlen(text), "regions", &read, NULL), ROOF_OK);
    assert_int_equal(roof_measurements_write(&read, &once, NULL), ROOF_OK);
    assert_int_equal(roof_measurements_parse(once.data, once.length, "again", &again, NULL), ROOF_OK);
    assert_int_equal(roof_measurements_write(&again, &twice, NULL), ROOF_OK);
    assert_string_equal(once.data, twice.data);
    json_t *theirs = json_loads(once.data, 0, NULL), *value;
    size_t k;
    assert_int_equal(read.count, json_array_size(json_object_get(mine, "kernels")));
    json_array_foreach(json_object_get(mine, "kernels"), k, value) {
      if (json_is_null(json_object_get(value, "bytes"))) { /* how unknown bytes were counted is not kept */
        json_object_del(json_object_get(value, "counted"), "bytes");
      }
      assert_contained(value, json_array_get(json_object_get(theirs, "kernels"), k), "");
    }
    json_object_del(mine, "kernels");
    assert_contained(mine, theirs, "");
    json_decref(mine);
    json_decref(theirs);
    roof_measurements_done(&read);
    roof_measurements_done(&again);
    roof_text_done(&once);
    roof_text_done(&twice);
    free(text);
  }
}

static void threads_are_merged(void **state) {
  (void)state;
  json_t *document = document_of("threads");
  json_t *outer = kernel(document, "outer"), *inner = kernel(document, "inner");
  assert_int_equal(number(outer, "calls"), 3 * CALLS + 2);
  assert_int_equal(number(outer, "threads"), THREADS + 1);
  assert_near(number(json_object_get(outer, "flops"), "fp64"), 2, 1e-12);
  assert_near(number(json_object_get(inner, "flops"), "fp32"), 3, 1e-12);
  assert_near(number(json_object_get(inner, "bytes"), "DRAM"), 12, 1e-12);
  assert_int_equal(json_array_size(json_object_get(outer, "samples")), RF_TALLY_SAMPLES);
  assert_true(number(outer, "total_seconds") >= number(inner, "total_seconds"));
  assert_true(number(outer, "seconds") >= number(inner, "seconds"));
  const char *counted = json_string_value(json_object_get(json_object_get(outer, "counted"), "samples"));
  assert_string_equal(counted, "1024 of 15002 calls, each as likely as any other");
  assert_int_equal(json_array_size(json_object_get(document, "skipped")), 0);
  json_decref(document);
}

static void busy_threads_do_not_tear(void **state) {
  (void)state;
  json_t *document = document_of("busy");
  const json_t *outer = kernel(document, "outer"), *inner = kernel(document, "inner");
  assert_near(number(json_object_get(outer, "flops"), "fp64"), 2, 1e-12);
  assert_near(number(json_object_get(inner, "bytes"), "DRAM"), 12, 1e-12);
  double ahead =
      number(inner, "calls") - number(outer, "calls"); /* at most one inner a thread without its outer */
  assert_true(ahead >= 0 && ahead <= 2);
  json_decref(document);
}

static void memory_that_is_out_is_reported(void **state) {
  (void)state;
  json_t *document = document_of("starved");
  assert_skipped(document, "regions", "out of memory: calls are missing");
  assert_int_equal(number(kernel(document, "starved 5"), "calls"), 2);
  assert_near(number(json_object_get(kernel(document, "starved 5"), "flops"), "fp64"), 1, 1e-12);
  json_decref(document);
}

static void misuse_is_reported(void **state) {
  (void)state;
  json_t *document = document_of("misuse");
  assert_int_equal(json_array_size(json_object_get(document, "kernels")), 1);
  assert_int_equal(number(kernel(document, "good"), "calls"), 1);
  assert_true(json_is_null(json_object_get(kernel(document, "good"), "bytes")));
  assert_skipped(document, "never begun", "ended without a begin: 1");
  assert_skipped(document, "never ended", "begun and never ended: 1");
  assert_skipped(document, "open \"at\" exit", "still open when this was written: 1");
  assert_int_equal(json_array_size(json_object_get(document, "skipped")), 3);
  json_decref(document);
}

/** One that could not be read would take the others with it. */
static void odd_names_and_figures_are_read_again(void **state) {
  (void)state;
  json_t *document = document_of("odd");
  assert_int_equal(json_array_size(json_object_get(document, "kernels")), 3);
  assert_int_equal(number(kernel(document, "a tab"), "calls"), 2);
  assert_true(json_is_null(json_object_get(kernel(document, "a tab"), "flops")));
  assert_true(json_is_null(json_object_get(kernel(document, "two lines"), "bytes")));
  assert_near(number(json_object_get(kernel(document, "(no name)"), "bytes"), "DRAM"), 8, 1e-12);
  char *text = json_dumps(document, 0);
  roof_measurements read = {0};
  assert_int_equal(roof_measurements_parse(text, strlen(text), "regions", &read, NULL), ROOF_OK);
  assert_int_equal(read.count, 3);
  roof_measurements_done(&read);
  free(text);
  json_decref(document);
}

static void calls_in_any_format_are_kept(void **state) {
  (void)state;
  json_t *document = document_of("formats");
  assert_int_equal(json_array_size(json_object_get(document, "kernels")), 3);
  assert_near(number(json_object_get(kernel(document, "scaled"), "flops"), "fp4"), 8, 0);
  assert_true(json_is_null(json_object_get(kernel(document, "none"), "flops")));
  assert_true(json_is_null(json_object_get(kernel(document, "count"), "flops")));
  json_decref(document);
}

static void depth_has_an_end(void **state) {
  (void)state;
  json_t *document = document_of("deep");
  assert_int_equal(number(kernel(document, "deep"), "calls"), DEEPEST);
  assert_skipped(document, "deep", "nested too deeply to be timed: 10");
  json_decref(document);
}

/** Regions that are never ended end with the one around them; what comes after is timed. */
static void what_leaks_ends_with_what_is_around(void **state) {
  (void)state;
  json_t *document = document_of("leak");
  assert_int_equal(number(kernel(document, "enclosing"), "calls"), 1);
  assert_int_equal(number(kernel(document, "good"), "calls"), WELL);
  assert_skipped(document, "leak", "begun and never ended: 300");
  assert_int_equal(json_array_size(json_object_get(document, "skipped")), 1);
  json_decref(document);
}

/** With nothing around them they stay open, and calls inside are matched but not timed. */
static void what_leaks_for_ever_stays_open(void **state) {
  (void)state;
  json_t *document = document_of("flood");
  assert_int_equal(json_array_size(json_object_get(document, "kernels")), 0);
  assert_skipped(document, "leak", "still open when this was written: 300");
  assert_skipped(document, "good", "nested too deeply to be timed: 1000");
  assert_int_equal(json_array_size(json_object_get(document, "skipped")), 2);
  json_decref(document);
}

static void seconds_are_seconds(void **state) {
  (void)state;
  json_t *document = document_of("sleep");
  json_t *sleep = kernel(document, "sleep");
  assert_true(number(sleep, "seconds") >= 0.03 * 0.999 && number(sleep, "seconds") < 3);
  assert_near(json_real_value(json_array_get(json_object_get(sleep, "samples"), 0)), number(sleep, "seconds"),
              1e-9);
  assert_int_equal(json_integer_value(json_object_get(json_object_get(sleep, "flops"), "fp64")), 0);
  json_decref(document);
}

static double number_in(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void a_timeline_has_every_call_by_the_systems_clock(void **state) {
  (void)state;
  double before = now_us();
  json_t *document = timeline_of("sleep", 0);
  double after = now_us();
  json_t *events = json_object_get(document, "traceEvents"), *call = json_array_get(events, 1);
  assert_int_equal(json_array_size(events), 2);
  assert_string_equal(json_string_value(json_object_get(call, "name")), "sleep");
  assert_int_equal(number_in(call, "pid"), 3);
  assert_true(number_in(call, "ts") > before && number_in(call, "ts") + number_in(call, "dur") < after);
  assert_true(number_in(call, "dur") >= 30000);
  json_decref(document);
}

static void a_timeline_says_what_had_no_room(void **state) {
  (void)state;
  double before = now_us();
  json_t *document = timeline_of("threads", 100), *events = json_object_get(document, "traceEvents"),
         *rank = json_array_get(json_object_get(document, "ranks"), 0);
  double all = 2.0 * ((THREADS - 1) * CALLS + 2), until = number_in(rank, "whole_until_us");
  assert_int_equal(json_array_size(events), 101);
  assert_true(number_in(rank, "calls") == 100 && number_in(rank, "dropped") == all - 100);
  for (size_t i = 1; i <= 100; i++) {
    json_t *call = json_array_get(events, i);
    assert_true(number_in(call, "tid") >= 0 && number_in(call, "tid") <= THREADS);
    assert_true(number_in(call, "dur") >= 0);
  }
  assert_true(until > before &&
              until < now_us()); /* a call around all others, dropped at its end, began before them */
  json_decref(document);
}

static void one_process_writes(void **state) {
  (void)state;
  json_t *document = document_of("fork");
  assert_int_equal(json_array_size(json_object_get(document, "kernels")), 1);
  assert_int_equal(json_array_size(json_object_get(document, "skipped")), 0);
  json_decref(document);
}

static void written_when_asked(void **state) {
  (void)state;
  json_t *document = document_of("early");
  assert_int_equal(number(kernel(document, "sleep"), "calls"), 1);
  json_decref(document);
}

/** A folder of its own: the same test may run in another locale at the same time. */
static void nothing_is_written_without_a_region(void **state) {
  (void)state;
  char folder[] = "/tmp/test_region.XXXXXX", pattern[64], command[128];
  assert_non_null(mkdtemp(folder));
  snprintf(pattern, sizeof pattern, "%s/%%p", folder);
  run_process("nothing", pattern);
  snprintf(command, sizeof command, "rmdir %s && mkdir %s", folder, folder); /* of an empty folder alone */
  assert_int_equal(system(command), 0);
  run_process("sleep", pattern);
  snprintf(command, sizeof command, "rm %s/[0-9]* && rmdir %s", folder, folder);
  assert_int_equal(system(command), 0);
}

static void nothing_is_recorded_when_disabled(void **state) {
  (void)state;
  assert_int_equal(roof_region_enabled, 0);
  assert_null(roof_region_get("name"));
  run_misuse();
  roof_error error;
  assert_int_equal(roof_region_write(&error), ROOF_E_UNSUPPORTED);
}

/* Samples */

static void fill(rf_tally *tally, uint64_t calls, uint64_t ticks, uint64_t *random) {
  for (uint64_t i = 0; i < calls; i++) {
    rf_tally_add(tally, ticks, ROOF_FP64, 1, 1, random);
  }
}

/** Share of the samples that are `ticks`. */
static double share(const rf_tally *tally, uint64_t ticks) {
  size_t count = 0;
  for (size_t i = 0; i < rf_tally_kept(tally); i++) {
    count += tally->samples[i] == ticks;
  }
  return (double)count / (double)rf_tally_kept(tally);
}

static void every_call_is_as_likely_to_be_kept(void **state) {
  (void)state;
  static rf_tally one, other;
  uint64_t random = 88172645463325252u;
  fill(&one, 30000, 7, &random);
  fill(&one, 10000, 8, &random);
  assert_near(share(&one, 7), 0.75, 0.1);
  fill(&other, 10000, 9, &random);
  rf_tally_merge(&one, &other, &random);
  assert_int_equal(one.calls, 50000);
  assert_int_equal(one.ticks, 30000 * 7 + 10000 * 8 + 10000 * 9);
  assert_near(share(&one, 7), 0.6, 0.12);
  assert_near(share(&one, 9), 0.2, 0.3);
  assert_near(share(&one, 7) + share(&one, 8) + share(&one, 9), 1, 1e-12);
}

static void few_calls_are_all_kept(void **state) {
  (void)state;
  static rf_tally one, other, many;
  uint64_t random = 1;
  fill(&one, 1000, 1, &random);
  fill(&other, 24, 2, &random);
  rf_tally_merge(&one, &other, &random);
  assert_int_equal(rf_tally_kept(&one), 1024);
  assert_near(share(&one, 2), 24.0 / 1024, 1e-12);
  fill(&many, 1, 3, &random);
  rf_tally_merge(&one, &many, &random);
  assert_int_equal(rf_tally_kept(&one), RF_TALLY_SAMPLES);
  assert_true(share(&one, 1) + share(&one, 2) + share(&one, 3) == 1);
}

static void no_call_is_drawn_twice(void **state) {
  (void)state;
  static rf_tally one, other;
  uint64_t random = 5;
  for (int round = 0; round < 200; round++) {
    memset(&one, 0, sizeof one);
    memset(&other, 0, sizeof other);
    fill(&one, 1000, 1, &random);
    fill(&other, 100, 2, &random);
    rf_tally_merge(&one, &other, &random);
    assert_true(share(&one, 2) >= 24.0 / 1024 && share(&one, 2) <= 100.0 / 1024);
  }
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof processes / sizeof processes[0]; i++) {
    if (strcmp(argv[1], processes[i].name) == 0) {
      processes[i].run();
      return 0;
    }
  }
  unsetenv("ROOFLINE_REGIONS");
  unsetenv("ROOFLINE_TIMELINE");
  setenv("SELF", argv[0], 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_library_writes_the_same),
      cmocka_unit_test(threads_are_merged),
      cmocka_unit_test(busy_threads_do_not_tear),
      cmocka_unit_test(memory_that_is_out_is_reported),
      cmocka_unit_test(misuse_is_reported),
      cmocka_unit_test(odd_names_and_figures_are_read_again),
      cmocka_unit_test(calls_in_any_format_are_kept),
      cmocka_unit_test(depth_has_an_end),
      cmocka_unit_test(what_leaks_ends_with_what_is_around),
      cmocka_unit_test(what_leaks_for_ever_stays_open),
      cmocka_unit_test(seconds_are_seconds),
      cmocka_unit_test(a_timeline_has_every_call_by_the_systems_clock),
      cmocka_unit_test(a_timeline_says_what_had_no_room),
      cmocka_unit_test(one_process_writes),
      cmocka_unit_test(written_when_asked),
      cmocka_unit_test(nothing_is_written_without_a_region),
      cmocka_unit_test(nothing_is_recorded_when_disabled),
      cmocka_unit_test(every_call_is_as_likely_to_be_kept),
      cmocka_unit_test(few_calls_are_all_kept),
      cmocka_unit_test(no_call_is_drawn_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
