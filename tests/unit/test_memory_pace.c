/* Memory in two modes: in which of them a kernel was measured in, and the ceilings of that one. */
#include "test.h"

#include <math.h>

#include "measure/cpu/memory_rate.h"
#include "measure/run.h"
#include "roofline/measure.h"

static roof_machine *machine_with(double read) {
  roof_machine *machine = roof_machine_new();
  roof_level *level = roof_machine_add_level(machine);
  level->level = ROOF_MEMORY;
  level->kind = ROOF_MEASURED;
  level->read_bytes_per_second = read;
  level->triad_bytes_per_second = 2 * read;
  level = roof_machine_add_level(machine);
  level->level = ROOF_L2;
  level->kind = ROOF_MEASURED;
  level->read_bytes_per_second = 10 * read;
  return machine;
}

static void one_mode_is_no_pace(void **state) {
  (void)state;
  roof_machine *machine = machine_with(40e9);
  roof_measurement m;
  roof_measurement_init(&m);
  assert_true(isnan(roof_memory_pace(&m, machine)));
  m.memory_bytes_per_second = 36e9; /* a tenth is noise */
  assert_true(isnan(roof_memory_pace(&m, machine)));
  m.memory_bytes_per_second = 20e9;
  assert_true(roof_memory_pace(&m, machine) == 0.5);
  m.memory_bytes_per_second = 60e9; /* the ceiling itself was measured in the slow mode */
  m.seconds = 1;
  m.bytes = 50e9;
  assert_true(roof_memory_pace(&m, machine) == 1.5);
  m.bytes = 30e9; /* what stayed under the ceiling needs no faster one, and is no worse for it */
  assert_true(isnan(roof_memory_pace(&m, machine)));
  roof_machine_free(machine);
}

static void a_mode_that_changes_meanwhile_is_unknown(void **state) {
  (void)state;
  assert_true(rf_memory_rate(40e9, 38e9) == 39e9);
  assert_true(isnan(rf_memory_rate(40e9, 20e9)));
  assert_true(isnan(rf_memory_rate(20e9, 40e9)));
}

static void only_memory_is_paced(void **state) {
  (void)state;
  roof_machine *machine = machine_with(40e9);
  roof_machine_pace_memory(machine, 0.5);
  assert_true(machine->levels[0].read_bytes_per_second == 20e9);
  assert_true(machine->levels[0].triad_bytes_per_second == 40e9);
  assert_true(isnan(machine->levels[0].copy_bytes_per_second));
  assert_true(machine->levels[1].read_bytes_per_second == 400e9);
  roof_machine_free(machine);
}

static void the_note_says_so(void **state) {
  (void)state;
  roof_measurement m;
  roof_measurement_init(&m);
  strcpy(m.note, "2 threads bound");
  rf_memory_pace_note(&m);
  assert_string_equal(m.note, "2 threads bound");
  m.memory_pace = 0.5;
  rf_memory_pace_note(&m);
  assert_string_equal(
      m.note, "2 threads bound; memory ran at 50 % of its ceiling meanwhile, and the share is of that");
}

static void rows_are_counted_with_their_range(void **state) {
  (void)state;
  char text[100];
  rf_paces paces = RF_NO_PACES;
  rf_paces_add(&paces, NAN);
  assert_string_equal(rf_paces_say(&paces, "row", text, sizeof text), "");
  rf_paces_add(&paces, 0.5);
  assert_string_equal(rf_paces_say(&paces, "row", text, sizeof text),
                      "memory ran at 50 % of its ceiling for 1 row: shares of that");
  rf_paces_add(&paces, 1.5);
  assert_string_equal(rf_paces_say(&paces, "row", text, sizeof text),
                      "memory ran at 50 to 150 % of its ceiling for 2 rows: shares of that");
}

static void memory_is_probed(void **state) {
  (void)state;
  rf_team team;
  rf_memory_probe probe;
  assert_int_equal(rf_team_init(&team, 1, NULL), ROOF_OK);
  assert_true(rf_memory_probe_init(&probe, &team));
  double rate = rf_memory_probe_rate(&probe);
  assert_true(rate > 1e7 && rate < 1e13);
  rf_memory_probe_done(&probe);
  rf_team_done(&team);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_mode_is_no_pace),
      cmocka_unit_test(a_mode_that_changes_meanwhile_is_unknown),
      cmocka_unit_test(only_memory_is_paced),
      cmocka_unit_test(the_note_says_so),
      cmocka_unit_test(rows_are_counted_with_their_range),
      cmocka_unit_test(memory_is_probed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
