/* The checks on captured machines, and that nothing unread is ever called fine. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/checks.h"

/** Examines tests/fixtures/doctor/NAME. */
static size_t examine(const char *name, rf_diagnosis *diagnoses) {
  char root[4096];
  snprintf(root, sizeof root, "%s/tests/fixtures/doctor/%s", getenv("ROOFLINE_SOURCE"), name);
  size_t count = rf_doctor_examine(root, diagnoses, RF_DIAGNOSIS_MAX);
  assert_true(count > 15 && count < RF_DIAGNOSIS_MAX);
  return count;
}

static const struct {
  const char *name;
  struct {
    rf_health health;
    const char *value;
  } laptop, server, vm;
} expected[] = {
#define OK RF_HEALTH_OK
#define WARN RF_HEALTH_WARN
#define UNKNOWN RF_HEALTH_UNKNOWN
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
    {"numa balancing",
     {OK, "1, without effect: one NUMA node"},
     {WARN, "1: pages move between NUMA nodes 0-1"},
     {OK, "0: pages stay where they are"}},
    {"huge pages",
     {OK, "always [madvise] never"},
     {WARN, "always madvise [never]"},
     {OK, "[always] madvise never"}},
    {"counters",
     {WARN, "3: not permitted for unprivileged users"},
     {UNKNOWN, "-1: only a running machine shows whether it has them"},
     {UNKNOWN, "No such file or directory"}},
    {"energy",
     {OK, "92837465123 microjoules"},
     {WARN, "No such file or directory"},
     {WARN, "No such file or directory"}},
#undef OK
#undef WARN
#undef UNKNOWN
};

static void assert_diagnosis(const rf_diagnosis *diagnoses, size_t count, const char *name, rf_health health,
                             const char *value) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(diagnoses[i].name, name) == 0) {
      assert_string_equal(diagnoses[i].value, value);
      assert_string_equal(rf_health_name(diagnoses[i].health), rf_health_name(health));
      return;
    }
  }
  fail_msg("no check %s", name);
}

static void captured_machines(void **state) {
  (void)state;
  rf_diagnosis laptop[RF_DIAGNOSIS_MAX], server[RF_DIAGNOSIS_MAX], vm[RF_DIAGNOSIS_MAX];
  size_t laptops = examine("laptop", laptop), servers = examine("server", server), vms = examine("vm", vm);
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    const char *name = expected[i].name;
    assert_diagnosis(laptop, laptops, name, expected[i].laptop.health, expected[i].laptop.value);
    assert_diagnosis(server, servers, name, expected[i].server.health, expected[i].server.value);
    assert_diagnosis(vm, vms, name, expected[i].vm.health, expected[i].vm.value);
  }
}

static void nothing_read_is_nothing_known(void **state) {
  (void)state;
  rf_diagnosis diagnoses[RF_DIAGNOSIS_MAX];
  size_t count = rf_doctor_examine("/nonexistent", diagnoses, RF_DIAGNOSIS_MAX);
  for (size_t i = 0; i < count; i++) {
    if (diagnoses[i].health == RF_HEALTH_OK) {
      fail_msg("%s is fine: %s", diagnoses[i].name, diagnoses[i].value);
    }
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
  rf_diagnosis diagnoses[RF_DIAGNOSIS_MAX];
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
  size_t count = rf_doctor_examine(root, diagnoses, RF_DIAGNOSIS_MAX);
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    for (size_t k = 0; k < count; k++) {
      if (strcmp(diagnoses[k].name, files[i].check) == 0) {
        assert_int_equal(diagnoses[k].health, RF_HEALTH_UNKNOWN);
      }
    }
    snprintf(path, sizeof path, "%s%s", root, files[i].path);
    unlink(path);
  }
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
  rf_diagnosis diagnoses[RF_DIAGNOSIS_MAX];
  size_t count = rf_doctor_examine("", diagnoses, RF_DIAGNOSIS_MAX);
  for (size_t i = 0; i < count; i++) {
    const rf_diagnosis *d = &diagnoses[i];
    assert_true(d->path[0] != '\0' && d->value[0] != '\0' && d->why[0] != '\0' && d->remedy[0] != '\0');
  }
  assert_int_equal(rf_doctor_examine("", diagnoses, 3), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(captured_machines),
      cmocka_unit_test(nothing_read_is_nothing_known),
      cmocka_unit_test(malformed_files_are_unknown),
      cmocka_unit_test(lists_are_counted),
      cmocka_unit_test(this_machine_is_examined_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
