/* The checks on captured machines, and that nothing unread is ever called fine. */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/checks.h"

/** Examines tests/fixtures/doctor/NAME. */
static roof_examination examine(const char *name) {
  char root[4096];
  roof_examination e;
  snprintf(root, sizeof root, "%s/tests/fixtures/doctor/%s", getenv("ROOFLINE_SOURCE"), name);
  assert_int_equal(roof_doctor_examine(root, &e, NULL), ROOF_OK);
  assert_true(e.count > 15);
  return e;
}

static const struct {
  const char *name;
  struct {
    roof_health health;
    const char *value;
  } laptop, server, vm;
} expected[] = {
#define OK ROOF_HEALTH_OK
#define WARN ROOF_HEALTH_WARN
#define UNKNOWN ROOF_HEALTH_UNKNOWN
#define INFO ROOF_HEALTH_INFO
    {"governor",
     {WARN, "powersave on 4 of 4 processors"},
     {OK, "performance on all 8 processors"},
     {UNKNOWN, "no such file: this system does not control the clock"}},
    {"turbo",
     {WARN, "0: turbo is on"},
     {OK, "0: turbo is off"},
     {UNKNOWN, "no switch for it: No such file or directory"}},
    {"smt",
     {WARN, "1: hardware threads share cores"},
     {OK, "0: one hardware thread per core"},
     {OK, "0: one hardware thread per core"}},
    {"clock source", {OK, "tsc"}, {WARN, "hpet"}, {OK, "kvm-clock"}},
    {"virtual machine",
     {OK, "no hypervisor flag"},
     {OK, "no hypervisor flag"},
     {WARN, "a virtual machine: the hypervisor flag is set"}},
    {"steal",
     {OK, "0.0 % of the time worked since the start"},
     {OK, "0.0 % of the time worked since the start"},
     {WARN, "6.5 % of the time worked since the start"}},
    {"load",
     {WARN, "2 others runnable now, 1.25 on average over a minute"},
     {OK, "0 others runnable now, 0.03 on average over a minute"},
     {OK, "0 others runnable now, 0.00 on average over a minute"}},
    {"swap",
     {WARN, "489 MiB of memory are swapped out"},
     {OK, "nothing is swapped out"},
     {OK, "nothing is swapped out"}},
    {"cpu limit", {OK, "no limit"}, {WARN, "time for 2.5 processors"}, {WARN, "time for 1.5 processors"}},
    {"cores allowed", {OK, "0-3 of 0-3"}, {WARN, "0,2,4-5 of 0-7"}, {OK, "0-1 of 0-1"}},
    {"binding",
     {UNKNOWN, "only a running machine can answer"},
     {UNKNOWN, "only a running machine can answer"},
     {UNKNOWN, "only a running machine can answer"}},
    {"shared cores",
     {UNKNOWN, "only a running machine can answer"},
     {UNKNOWN, "only a running machine can answer"},
     {UNKNOWN, "only a running machine can answer"}},
    {"numa balancing",
     {OK, "1, without effect: one NUMA node"},
     {WARN, "1: pages move between NUMA nodes 0-1"},
     {OK, "0: pages stay where they are"}},
    {"huge pages",
     {OK, "always [madvise] never"},
     {WARN, "always madvise [never]"},
     {OK, "[always] madvise never"}},
    {"counters",
     {INFO, "3: not permitted for unprivileged users"},
     {UNKNOWN, "-1: only a running machine shows whether it has them"},
     {UNKNOWN, "No such file or directory"}},
    {"energy",
     {OK, "92837465123 microjoules"},
     {INFO, "No such file or directory"},
     {INFO, "No such file or directory"}},
#undef INFO
#undef OK
#undef WARN
#undef UNKNOWN
};

static void assert_diagnosis(const roof_examination *e, const char *name, roof_health health,
                             const char *value) {
  for (size_t i = 0; i < e->count; i++) {
    if (strcmp(e->diagnoses[i].name, name) == 0) {
      assert_string_equal(e->diagnoses[i].value, value);
      assert_string_equal(roof_health_name(e->diagnoses[i].health), roof_health_name(health));
      return;
    }
  }
  fail_msg("no check %s", name);
}

static void captured_machines(void **state) {
  (void)state;
  roof_examination laptop = examine("laptop"), server = examine("server"), vm = examine("vm");
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    const char *name = expected[i].name;
    assert_diagnosis(&laptop, name, expected[i].laptop.health, expected[i].laptop.value);
    assert_diagnosis(&server, name, expected[i].server.health, expected[i].server.value);
    assert_diagnosis(&vm, name, expected[i].vm.health, expected[i].vm.value);
  }
  roof_examination_done(&laptop);
  roof_examination_done(&server);
  roof_examination_done(&vm);
}

static void nothing_read_is_nothing_known(void **state) {
  (void)state;
  char root[] = "/tmp/test_doctor.XXXXXX", proc[64];
  roof_examination e;
  roof_error error = {0};
  assert_non_null(mkdtemp(root));
  snprintf(proc, sizeof proc, "%s/proc", root);
  assert_int_equal(roof_doctor_examine(root, &e, &error), ROOF_E_INPUT);
  assert_int_equal(mkdir(proc, 0700), 0);
  assert_int_equal(roof_doctor_examine(root, &e, &error), ROOF_OK);
  for (size_t i = 0; i < e.count; i++) {
    if (e.diagnoses[i].health == ROOF_HEALTH_OK) {
      fail_msg("%s is fine: %s", e.diagnoses[i].name, e.diagnoses[i].value);
    }
  }
  assert_int_equal(e.healths[ROOF_HEALTH_OK], 0);
  roof_examination_done(&e);
  rmdir(proc);
  rmdir(root);
}

static void shared_cores_are_no_whole_ones(void **state) {
  (void)state;
  enum { LOOKS = RF_SHARING_LOOKS };
  static double widths[3 * LOOKS];
  static const struct {
    int one, two; /* every so many looks a core is half as wide; 0: never */
    bool several;
    roof_health health;
    const char *value;
  } cases[] = {
      {0, 0, true, ROOF_HEALTH_OK, "one core was whole 100 % of the time, two at once 100 %"},
      {16, 16, true, ROOF_HEALTH_OK, "one core was whole 94 % of the time, two at once 94 %"},
      {0, 2, true, ROOF_HEALTH_WARN, "one core was whole 100 % of the time, two at once 50 %"},
      {0, 1, true, ROOF_HEALTH_WARN, "one core was whole 100 % of the time, two at once 0 %"},
      {1, 0, true, ROOF_HEALTH_WARN, "one core was whole 0 % of the time, two at once 100 %"},
      {4, 0, false, ROOF_HEALTH_WARN, "the core was whole 75 % of the time"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_diagnosis out = {.health = ROOF_HEALTH_UNKNOWN};
    for (int k = 0; k < 3 * LOOKS; k++) {
      int every = k < LOOKS ? cases[i].one : cases[i].two;
      widths[k] = every > 0 && k % every == 0 ? 2 : 4;
    }
    widths[1] = widths[3] = widths[LOOKS + 1] = 17; /* the clock was interrupted */
    rf_sharing_judge(widths, cases[i].several, &out);
    assert_string_equal(out.value, cases[i].value);
    assert_int_equal(out.health, cases[i].health);
  }
}

static void malformed_files_are_unknown(void **state) {
  (void)state;
  static const struct {
    const char *path, *check;
  } files[] = {{"/proc/stat", "steal"},
               {"/proc/loadavg", "load"},
               {"/proc/cpuinfo", "virtual machine"},
               {"/proc/meminfo", "swap"}};
  char root[] = "/tmp/test_doctor.XXXXXX", path[128];
  roof_examination e;
  assert_non_null(mkdtemp(root));
  snprintf(path, sizeof path, "%s/proc", root);
  assert_int_equal(mkdir(path, 0700), 0);
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    snprintf(path, sizeof path, "%s%s", root, files[i].path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("nonsense 1\n", file);
    fclose(file);
  }
  assert_int_equal(roof_doctor_examine(root, &e, NULL), ROOF_OK);
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    for (size_t k = 0; k < e.count; k++) {
      if (strcmp(e.diagnoses[k].name, files[i].check) == 0) {
        assert_int_equal(e.diagnoses[k].health, ROOF_HEALTH_UNKNOWN);
      }
    }
    snprintf(path, sizeof path, "%s%s", root, files[i].path);
    unlink(path);
  }
  roof_examination_done(&e);
  snprintf(path, sizeof path, "%s/proc", root);
  rmdir(path);
  rmdir(root);
}

static void lists_are_counted(void **state) {
  (void)state;
  assert_int_equal(rf_probe_count("0-3,8"), 5);
  assert_int_equal(rf_probe_count("7"), 1);
  assert_int_equal(rf_probe_count("0,2,4-5,128-255"), 132);
  assert_int_equal(rf_probe_count("3-1"), 0);
  assert_int_equal(rf_probe_count(""), 0);
  assert_int_equal(rf_probe_count("none"), 0);
}

static void this_machine_is_examined_whole(void **state) {
  (void)state;
  roof_examination e;
  int healths[ROOF_HEALTH_COUNT] = {0};
  assert_int_equal(roof_doctor_examine(NULL, &e, NULL), ROOF_OK);
  for (size_t i = 0; i < e.count; i++) {
    const roof_diagnosis *d = &e.diagnoses[i];
    assert_true(d->path[0] != '\0' && d->value[0] != '\0' && d->why[0] != '\0' && d->remedy[0] != '\0');
    healths[d->health]++;
  }
  assert_memory_equal(healths, e.healths, sizeof healths);
  roof_examination_done(&e);
}

static void an_examination_is_written_as_its_document(void **state) {
  (void)state;
  roof_examination e = examine("vm");
  roof_text text = {0};
  assert_int_equal(roof_examination_write(&e, &text, NULL), ROOF_OK);
  json_t *document = json_loads(text.data, 0, NULL);
  assert_string_equal(json_string_value(json_object_get(document, "schema")), "roofline.doctor/1");
  assert_int_equal(json_integer_value(json_object_get(document, "warn")), e.healths[ROOF_HEALTH_WARN]);
  json_t *checks = json_object_get(document, "checks");
  assert_int_equal(json_array_size(checks), e.count);
  json_t *name = json_object_get(json_array_get(checks, e.count - 1), "name");
  assert_string_equal(json_string_value(name), "backend");
  json_decref(document);
  roof_text_done(&text);
  roof_examination_done(&e);
}

static void warnings_come_with_their_remedies(void **state) {
  (void)state;
  roof_diagnosis list[] = {{.name = "turbo", .health = ROOF_HEALTH_WARN, .why = "it varies", .remedy = "off"},
                           {.name = "clock", .health = ROOF_HEALTH_OK, .why = "x", .remedy = "y"}};
  const roof_examination e = {
      list, 2, {[ROOF_HEALTH_WARN] = 1, [ROOF_HEALTH_OK] = 1, [ROOF_HEALTH_UNKNOWN] = 3}};
  roof_text text = {0};
  roof_examination_sentence(&e, &text);
  assert_string_equal(text.data, "1 warning, 3 unknown, 0 info, 1 ok");
  roof_text_done(&text);
  roof_examination_remedies(&e, &text);
  assert_string_equal(text.data, "\nturbo: it varies\n  off\n");
  roof_text_done(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(warnings_come_with_their_remedies),
      cmocka_unit_test(captured_machines),
      cmocka_unit_test(nothing_read_is_nothing_known),
      cmocka_unit_test(shared_cores_are_no_whole_ones),
      cmocka_unit_test(malformed_files_are_unknown),
      cmocka_unit_test(lists_are_counted),
      cmocka_unit_test(this_machine_is_examined_whole),
      cmocka_unit_test(an_examination_is_written_as_its_document),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
