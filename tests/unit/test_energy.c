/* Energy counters of scripted machines: folders as the kernel's powercap shows them. */
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/cpu/cpu.h"
#include "measure/cpu/energy.h"
#include "owned.h"

static char root[] = "/tmp/roofline-energy-XXXXXX";

static void put(const char *zone, const char *file, const char *text) {
  char path[512], fresh[520];
  snprintf(path, sizeof path, "%s/sys/class/powercap/%s/%s", root, zone, file);
  snprintf(fresh, sizeof fresh, "%s.new", path);
  FILE *out = fopen(fresh, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
  assert_int_equal(rename(fresh, path), 0); /* who reads meanwhile sees the old or the new */
}

static void count(const char *zone, double joules) {
  char text[32];
  snprintf(text, sizeof text, "%.0f\n", 1e6 * joules);
  put(zone, "energy_uj", text);
}

static void add_zone(const char *zone, const char *name, double joules) {
  char path[512];
  snprintf(path, sizeof path, "%s/sys/class/powercap/%s", root, zone);
  assert_int_equal(mkdir(path, 0755), 0);
  put(zone, "name", name);
  put(zone, "max_energy_range_uj", "1000000000\n");
  count(zone, joules);
}

static int set_up(void **state) {
  (void)state;
  char command[256];
  strcpy(root + strlen(root) - 6, "XXXXXX");
  snprintf(command, sizeof command, "mkdir -p %s/sys/class/powercap && chmod 755 %s", mkdtemp(root), root);
  return system(command);
}

static int tear_down(void **state) {
  (void)state;
  char command[256];
  snprintf(command, sizeof command, "rm -r %s", root);
  return system(command);
}

static void packages_and_memory_are_summed(void **state) {
  (void)state;
  rf_meter meter;
  add_zone("intel-rapl:0", "package-0\n", 5);
  add_zone("intel-rapl:1", "package-1\n", 7);
  add_zone("intel-rapl:0:0", "core\n", 1);
  add_zone("intel-rapl:0:1", "dram\n", 2);
  add_zone("intel-rapl:2", "psys\n", 100);
  add_zone("intel-rapl-mmio:0", "package-0\n", 5);
  rf_meter_start(&meter, root);
  assert_string_equal(meter.reason, "");
  assert_true(meter.packages == 2 && meter.memories == 1 && rf_meter_read(&meter) == 0);
  count("intel-rapl:0", 6);
  count("intel-rapl:1", 9);
  count("intel-rapl:0:0", 50);
  count("intel-rapl:0:1", 6);
  count("intel-rapl:2", 900);
  count("intel-rapl-mmio:0", 900);
  assert_near(rf_meter_read(&meter), 1 + 2 + 4, 1e-9);
}

static void a_counter_that_begins_again_is_followed(void **state) {
  (void)state;
  rf_meter meter;
  add_zone("intel-rapl:0", "package-0\n", 990);
  rf_meter_start(&meter, root);
  count("intel-rapl:0", 4); /* of a range of 1000 */
  assert_near(rf_meter_read(&meter), 14, 1e-9);
  count("intel-rapl:0", 5);
  assert_near(rf_meter_read(&meter), 15, 1e-9);
  assert_int_equal(meter.memories, 0);
  put("intel-rapl:0", "energy_uj", "nonsense\n");
  assert_true(isnan(rf_meter_read(&meter)));
}

static void what_cannot_be_read_says_why(void **state) {
  (void)state;
  rf_meter meter;
  rf_meter_start(&meter, root);
  assert_non_null(strstr(meter.reason, "no /sys/class/powercap/intel-rapl:0: the processor"));
  assert_true(isnan(rf_meter_read(&meter)));
  add_zone("intel-rapl:0", "package-0\n", 5);
  char path[512];
  snprintf(path, sizeof path, "%s/sys/class/powercap/intel-rapl:0/energy_uj", root);
  assert_int_equal(chmod(path, 0400), 0);
  bool is_root = geteuid() == 0;
  assert_true(chmod(path, is_root ? 0400 : 0) == 0 && (!is_root || seteuid(65534) == 0));
  rf_meter_start(&meter, root);
  assert_true(!is_root || seteuid(0) == 0);
  assert_string_equal(meter.reason,
                      "/sys/class/powercap/intel-rapl:0/energy_uj: Permission denied; run as root, or "
                      "as root: chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj");
  assert_true(isnan(rf_meter_read(&meter)));
}

static atomic_bool done;

/** A package that draws 40 W, whatever it does. */
static void *draw(void *user) {
  (void)user;
  for (int i = 1; !atomic_load(&done); i++) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    count("intel-rapl:0", fmod(40 * ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec), 1000));
    usleep(1000);
  }
  return NULL;
}

/** On a busy machine the scripted counter is: the idle power is not its 40 W, or a kernel has some of its own. */
static bool is_late(const roof_energy *e) {
  return !isnan(e->fp32_joules_per_flop) || fabs(e->idle_watts / 40 - 1) > 0.1;
}

static void power_and_energy_are_measured(void **state) {
  (void)state;
  static roof_machine *machine = NULL;
  pthread_t thread;
  roof_measure_options options = {.quick = true};
  rf_bench bench = {.options = &options, .machine = empty_machine(&machine), .lanes = rf_lanes_best()};
  const rf_peak_kernel *kernel = rf_peak_kernel_at(0);
  fill_machine(machine, 1, 0, 0);
  machine->peaks[0].flops_per_second = 1e9;
  machine->peaks[0].dtype = kernel->dtype;
  machine->peaks[0].kind = ROOF_MEASURED;
  snprintf(machine->peaks[0].isa, sizeof machine->peaks[0].isa, "%s", kernel->isa);
  add_zone("intel-rapl:0", "package-0\n", 0);
  atomic_store(&done, false);
  assert_int_equal(rf_team_init(&bench.team, 0, NULL), ROOF_OK);
  assert_int_equal(pthread_create(&thread, NULL, draw, NULL), 0);
  usleep(20000);
  const roof_energy *e = &machine->energy;
  rf_cpu_measure_energy(&bench, root);
  for (int again = 0; again < 4 && is_late(e); again++) {
    rf_cpu_measure_energy(&bench, root);
  }
  atomic_store(&done, true);
  pthread_join(thread, NULL);
  rf_team_done(&bench.team);
  assert_int_equal(machine->note_count, 0);
  assert_true(e->kind == ROOF_MEASURED);
  assert_near(e->idle_watts, 40, 0.2);
  assert_true(e->total_joules_per_flop > 0 && isnan(e->fp32_joules_per_flop) && isnan(e->joules_per_byte));
  assert_non_null(strstr(e->source, "RAPL through powercap: 1 package, memory not counted"));
}

static void a_kernel_has_watts_and_joules_or_the_reason(void **state) {
  (void)state;
  rf_meter meter;
  roof_measurement m;
  roof_measurement_init(&m);
  m.seconds = 1e-3;
  rf_meter_start(&meter, root);
  rf_meter_fill(&meter, 2, &m);
  assert_true(isnan(m.watts) && isnan(m.joules));
  assert_non_null(strstr(m.power, "not measured: no /sys/class/powercap/intel-rapl:0: the processor"));
  add_zone("intel-rapl:0", "package-0\n", 990);
  add_zone("intel-rapl:0:0", "dram\n", 10);
  rf_meter_start(&meter, root);
  rf_meter_fill(&meter, 2, &m);
  assert_true(isnan(m.watts));
  assert_non_null(strstr(m.power, "did not change"));
  count("intel-rapl:0", 70); /* of a range of 1000 */
  count("intel-rapl:0:0", 30);
  rf_meter_fill(&meter, 2, &m);
  assert_near(m.watts, 50, 1e-9);
  assert_near(m.joules, 0.05, 1e-9);
  assert_string_equal(m.power, "RAPL through powercap: 1 package, memory counted");
}

static void without_counters_there_is_a_note(void **state) {
  (void)state;
  static roof_machine *machine = NULL;
  roof_measure_options options = {.quick = true};
  rf_bench bench = {.options = &options, .machine = empty_machine(&machine)};
  rf_cpu_measure_energy(&bench, root);
  assert_int_equal(machine->note_count, 1);
  assert_non_null(strstr(machine->notes[0], "energy: not measured: no /sys/class/powercap/intel-rapl:0"));
  assert_true(isnan(machine->energy.idle_watts) && isnan(machine->energy.joules_per_flop));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(packages_and_memory_are_summed),   TEST(a_counter_that_begins_again_is_followed),
      TEST(what_cannot_be_read_says_why),     TEST(power_and_energy_are_measured),
      TEST(without_counters_there_is_a_note), TEST(a_kernel_has_watts_and_joules_or_the_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
