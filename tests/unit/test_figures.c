/* The figures of a machine: one table makes them, copies them and says where each comes from. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/figures.h"
#include "owned.h"

/** Counts the numbers of a record that are not as they begin: unknown, or the first value of their row. */
static int known_numbers(const rf_record *record, const char *base, bool measured) {
  int known = 0;
  for (size_t i = 0; i < record->count; i++) {
    const rf_field *f = &record->fields[i];
    if (f->measured == measured && rf_field_is_number(f->type)) {
      double value = rf_number_at(base, f->offset);
      known += f->one ? value != 1 : !isnan(value);
    }
  }
  return known;
}

static void what_is_new_knows_nothing(void **state) {
  (void)state;
  owned roof_machine *m = roof_machine_new();
  assert_null(m->report);
  assert_int_equal(known_numbers(&rf_machine_record, (const char *)m, false), 0);
  assert_int_equal(known_numbers(&rf_energy_record, (const char *)&m->energy, false), 0);
  assert_int_equal(known_numbers(&rf_peak_record, (const char *)roof_machine_add_peak(m), false), 0);
  assert_int_equal(known_numbers(&rf_level_record, (const char *)roof_machine_add_level(m), false), 0);
  assert_int_equal(known_numbers(&rf_link_record, (const char *)roof_machine_add_link(m), false), 0);
  assert_int_equal(known_numbers(&rf_cost_record, (const char *)roof_machine_add_cost(m), false), 0);
  assert_int_equal(known_numbers(&rf_domain_record, (const char *)roof_machine_add_domain(m), false), 0);
  assert_int_equal(known_numbers(&rf_library_record, (const char *)roof_machine_add_library(m), false), 0);
  assert_true(isnan(roof_machine_add_blocks(m)->depth) && isnan(m->report->blocks[0].gain));
  assert_true(isnan(m->report->clock.samples) && isnan(m->report->domains[0].latency_seconds[3]));
  assert_true(m->levels[0].instances == 1 && m->peaks[0].conditions == NULL && m->levels[0].report == NULL);
  assert_true(isnan(roof_level_make_report(&m->levels[0])->triad.clock_hz));
}

static void entries_stay_where_they_are_until_a_list_is_full(void **state) {
  (void)state;
  owned roof_machine *m = roof_machine_new();
  const roof_peak *first = roof_machine_add_peak(m);
  for (int i = 1; i < ROOF_PEAK_MAX; i++) {
    assert_non_null(roof_machine_add_peak(m));
  }
  assert_null(roof_machine_add_peak(m));
  assert_ptr_equal(first, &m->peaks[0]);
  assert_int_equal(m->peak_count, ROOF_PEAK_MAX);
  for (int i = 0; i < ROOF_NOTE_MAX; i++) {
    snprintf(roof_machine_add_note(m), ROOF_SOURCE_MAX, "%d", i);
  }
  assert_null(roof_machine_add_note(m));
  assert_string_equal(m->notes[ROOF_NOTE_MAX - 1], "23");
}

static void a_copy_shares_nothing(void **state) {
  (void)state;
  roof_machine *m = roof_machine_new();
  roof_peak *peak = roof_machine_add_peak(m);
  peak->flops_per_second = 1e12;
  roof_peak_make_conditions(peak)->samples = 7;
  roof_level_make_report(roof_machine_add_level(m))->mode_count = 1;
  roof_machine_add_byte_energy(m)->joules = 1e-12;
  roof_machine_add_curve_point(m)->bytes = 4096;
  owned roof_machine *copy = roof_machine_copy(m);
  assert_true(copy->peaks[0].conditions != peak->conditions);
  roof_machine_free(m);
  assert_true(copy->peaks[0].flops_per_second == 1e12 && copy->peaks[0].conditions->samples == 7);
  assert_int_equal(roof_level_report_of(&copy->levels[0])->mode_count, 1);
  assert_true(copy->energy.bytes[0].joules == 1e-12 && copy->report->curve[0].bytes == 4096);
}

static void every_figure_says_where_it_comes_from(void **state) {
  (void)state;
  owned roof_machine *m = roof_machine_new();
  roof_machine_value v;
  roof_level *level = roof_machine_add_level(m);
  level->read_bytes_per_second = 9e9;
  level->limit_bytes_per_second = 10e9;
  level->kind = ROOF_MEASURED;
  snprintf(level->source, sizeof level->source, "here");
  roof_level_make_report(level)->read = (roof_conditions){.samples = 5, .spread = 0.01};
  assert_true(roof_level_figure(level, 1, &v));
  assert_string_equal(v.key, "read_bytes_per_second");
  assert_true(v.value == 9e9 && v.limit == 10e9 && v.spread == 0.01 && v.conditions->samples == 5);
  assert_true(v.kind == ROOF_MEASURED && strcmp(v.source, "here") == 0 && strcmp(v.unit, "B/s") == 0);
  m->launch_seconds = 2e-6;
  rf_origin_set(&m->launch_origin, ROOF_ASSUMED, "a guess", "2026-01-31");
  int launches = 0;
  for (int i = 0; roof_machine_figure(m, i, &v); i++) {
    launches += strcmp(v.key, "launch_seconds") == 0 && v.value == 2e-6 && v.kind == ROOF_ASSUMED &&
                strcmp(v.source, "a guess") == 0 && v.cited;
  }
  assert_int_equal(launches, 1);
  assert_false(roof_level_figure(level, 7, &v));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_new_knows_nothing),
      cmocka_unit_test(entries_stay_where_they_are_until_a_list_is_full),
      cmocka_unit_test(a_copy_shares_nothing),
      cmocka_unit_test(every_figure_says_where_it_comes_from),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
