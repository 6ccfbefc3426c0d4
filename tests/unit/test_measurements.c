/* Measurements: written, read back, imported. */
#include "test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/import.h"

static roof_measurement *add(roof_measurements *all, const char *label) {
  roof_measurement *m = NULL;
  assert_int_equal(roof_measurements_add(all, &m, NULL), ROOF_OK);
  snprintf(m->label, sizeof m->label, "%s", label);
  return m;
}

static void fill(roof_measurements *all) {
  snprintf(all->source, sizeof all->source, "a test");
  snprintf(all->format, sizeof all->format, "none");
  snprintf(all->machine, sizeof all->machine, "h100");
  roof_measurement *m = add(all, "gemm \"a\" \xC2\xB5");
  assert_int_equal(roof_measurement_sample(m, 0.25, NULL), ROOF_OK);
  assert_int_equal(roof_measurement_sample(m, 0.75, NULL), ROOF_OK);
  assert_int_equal(roof_measurement_settle(m, NULL), ROOF_OK);
  assert_int_equal(roof_measurement_count(m, "occupancy", 0.3, NULL), ROOF_OK);
  m->dtype = ROOF_FP16;
  m->unit_flops[ROOF_FP16][ROOF_MATRIX] = 3e12;
  m->dtype_flops[ROOF_FP32] = 1.0 / 3;
  m->level_bytes[ROOF_L2] = 7e9;
  m->level_bytes[ROOF_MEMORY] = 5e9;
  m->calls = 2;
  m->threads = 4;
  m->total_seconds = 1;
  m->given.ceiling_seconds = 0.125;
  m->taken = 1.7e9;
  snprintf(m->counted, sizeof m->counted, "dram__bytes.sum");
  snprintf(m->counted_flops, sizeof m->counted_flops, "sass");
  snprintf(m->note, sizeof m->note, "a note");
  m = add(all, "of unknown level");
  m->seconds = 2;
  m->bytes = 64;
  m->flops = 8;
  m->taken = 1.7e9;
  assert_int_equal(roof_measurements_skip(all, "dot", "no memory", NULL), ROOF_OK);
  assert_int_equal(roof_measurements_skip(all, "dot", "no memory", NULL), ROOF_OK);
}

static void what_is_written_reads_back(void **state) {
  (void)state;
  roof_measurements all = {0}, read = {0};
  roof_text text = {0}, again = {0};
  roof_error error = {0};
  fill(&all);
  assert_int_equal(roof_measurements_write(&all, &text, NULL), ROOF_OK);
  if (roof_measurements_parse(text.data, text.length, "text", &read, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  const roof_measurement *m = &read.list[0];
  assert_true(read.count == 2 && read.skipped_count == 1 && read.taken == ROOF_TAKEN_SAID);
  assert_true(m->seconds == 0.5 && m->calls == 2 && m->threads == 4 && m->total_seconds == 1);
  assert_true(m->unit_flops[ROOF_FP16][ROOF_MATRIX] == 3e12 && m->dtype_flops[ROOF_FP32] == 1.0 / 3);
  assert_true(m->level_bytes[ROOF_L2] == 7e9 && m->bytes == 5e9 && m->given.ceiling_seconds == 0.125);
  assert_string_equal(m->counted_flops, "sass");
  assert_true(isnan(read.list[1].level_bytes[ROOF_MEMORY]) && read.list[1].bytes == 64);
  assert_int_equal(roof_measurements_write(&read, &again, NULL), ROOF_OK);
  assert_string_equal(again.data, text.data);
  strcpy(read.list[0].label, "\xFF");
  assert_int_equal(roof_measurements_write(&read, &again, NULL), ROOF_E_ARGUMENT);
  roof_text_done(&text);
  roof_text_done(&again);
  roof_measurements_done(&all);
  roof_measurements_done(&read);
}

/** To a profile, and a kernel of it to the measurement it was. */
static void documents_are_imported(void **state) {
  (void)state;
  roof_measurements all = {0};
  roof_measurement back;
  roof_text text = {0};
  roof_profile profile;
  roof_error error = {0};
  fill(&all);
  assert_int_equal(roof_measurements_write(&all, &text, NULL), ROOF_OK);
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  if (roof_import_memory(text.data, text.length, "text", NULL, &profile, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  assert_string_equal(profile.format->name, "measurements");
  assert_string_equal(profile.device, "h100");
  assert_true(profile.taken == 1.7e9);
  assert_int_equal(profile.count, 2);
  const roof_record *record = &profile.records[0];
  assert_true(record->calls == 2 && roof_record_seconds(record) == 1 && record->sample_count == 2);
  assert_true(record->flops[ROOF_FP16][ROOF_MATRIX].value == 6e12);
  assert_true(record->other_flops[ROOF_FP32].value == 2.0 / 3);
  assert_true(record->bytes[ROOF_MEMORY].value == 1e10);
  assert_true(profile.records[1].other_bytes.value == 64);
  roof_machine *machine = NULL;
  roof_ceilings ceilings;
  roof_ranking ranking;
  assert_int_equal(roof_catalog_match(profile.device, &machine, NULL), ROOF_OK);
  assert_int_equal(roof_ceilings_init(&ceilings, machine, 0, NULL, NULL), ROOF_OK);
  assert_int_equal(roof_profile_rank(&profile, &ceilings, "gemm|un", &ranking, NULL), ROOF_OK);
  assert_true(ranking.count == 2 && ranking.seconds == 3 && ranking.lost_seconds > 0);
  /* the time of what cannot be judged is more than what the other lost */
  assert_true(isnan(ranking.rows[0].at.lost_seconds) && ranking.worst == &ranking.rows[1]);
  assert_true(ranking.rows[0].at.seconds == 2 && ranking.judged_seconds == 1);
  free(ranking.rows);
  assert_int_equal(roof_profile_rank(&profile, &ceilings, "^gemm", &ranking, NULL), ROOF_OK);
  assert_int_equal(ranking.count, 1);
  free(ranking.rows);
  assert_int_equal(roof_profile_rank(&profile, &ceilings, "(", &ranking, NULL), ROOF_E_ARGUMENT);
  roof_machine_free(machine);
  assert_int_equal(roof_record_measurement(record, &back, NULL), ROOF_OK);
  assert_true(back.seconds == 0.5 && back.bytes == 5e9 && back.dtype == ROOF_FP16);
  assert_near(back.flops, 3e12 + 1.0 / 3, 1e-15);
  assert_true(back.counter_count == 1 && back.counters[0].value == 0.3);
  assert_string_equal(back.counted, "dram__bytes.sum");
  roof_measurement_done(&back);
  roof_profile_done(&profile);
  roof_text_done(&text);
  roof_measurements_done(&all);
}

/** A ranking with its kernels' shares of the time, as measurements, and as the document that the library reads. */
static void rankings_are_written(void **state) {
  (void)state;
  roof_measurements all = {0}, list = {0}, read = {0};
  roof_text text = {0}, out = {0};
  roof_profile profile;
  roof_ceilings ceilings;
  roof_ranking ranking;
  const char *why[2] = {NULL, "no prediction"};
  const roof_recorded recorded = {"some.ledger", why};
  roof_machine *machine = NULL;
  fill(&all);
  assert_int_equal(roof_measurements_write(&all, &text, NULL), ROOF_OK);
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(text.data, text.length, "text", NULL, &profile, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_match_or_copy(profile.device, NULL, &machine, NULL), ROOF_OK);
  assert_int_equal(roof_ceilings_init(&ceilings, machine, 0, NULL, NULL), ROOF_OK);
  assert_int_equal(roof_profile_rank(&profile, &ceilings, NULL, &ranking, NULL), ROOF_OK);
  assert_near(ranking.rows[0].time_share + ranking.rows[1].time_share, 1, 1e-12);
  assert_near(ranking.rows[0].time_share, ranking.rows[0].at.seconds / ranking.seconds, 1e-15);
  assert_int_equal(roof_ranking_measurements(&profile, &ranking, machine, &list, NULL), ROOF_OK);
  assert_int_equal(list.count, 2);
  assert_string_equal(list.list[0].machine, machine->name);
  assert_string_equal(list.list[1].label, ranking.rows[1].record->name);
  assert_true(list.list[0].taken == 1.7e9);
  assert_int_equal(roof_ranking_write(&profile, &ranking, machine, &recorded, &out, NULL), ROOF_OK);
  assert_non_null(strstr(out.data, "\"ledger\": \"some.ledger\""));
  assert_non_null(strstr(out.data, "\"why\": \"no prediction\""));
  assert_int_equal(roof_measurements_parse(out.data, out.length, "out", &read, NULL), ROOF_OK);
  assert_int_equal(read.count, 2);
  assert_near(read.list[0].seconds, list.list[0].seconds, 1e-15);
  assert_near(read.list[0].flops, list.list[0].flops, 1e-15);
  free(ranking.rows);
  roof_machine_free(machine);
  roof_measurements_done(&all);
  roof_measurements_done(&list);
  roof_measurements_done(&read);
  roof_profile_done(&profile);
  roof_text_done(&text);
  roof_text_done(&out);
}

static void assert_same(const char *file, const char *what, const char *label, double a, double b) {
  if (!(isnan(a) && isnan(b)) && !(fabs(a - b) <= 1e-13 * fabs(a))) {
    fail_msg("%s: %s: %s: %.17g in the ledger, %.17g in the document", file, label, what, a, b);
  }
}

static void assert_same_measurement(const char *file, const roof_measurement *a, const roof_measurement *b) {
  assert_string_equal(a->label, b->label);
  assert_same(file, "seconds", a->label, a->seconds, b->seconds);
  assert_same(file, "total_seconds", a->label, a->total_seconds, b->total_seconds);
  assert_same(file, "calls", a->label, a->calls, b->calls);
  assert_same(file, "flops", a->label, a->flops, b->flops);
  assert_same(file, "bytes", a->label, a->bytes, b->bytes);
  assert_same(file, "link_bytes", a->label, a->link_bytes, b->link_bytes);
  assert_same(file, "samples", a->label, (double)a->sample_count, (double)b->sample_count);
  assert_string_equal(a->link, b->link);
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    assert_same(file, roof_dtype_name((roof_dtype)d), a->label, a->dtype_flops[d], b->dtype_flops[d]);
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      assert_same(file, roof_dtype_name((roof_dtype)d), a->label, a->unit_flops[d][u], b->unit_flops[d][u]);
    }
  }
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    assert_same(file, roof_level_kind_name((roof_level_kind)l), a->label, a->level_bytes[l],
                b->level_bytes[l]);
  }
}

/** Of every file: what goes into a ledger, and what the document of the same kernels reads as. */
static void ledgers_get_what_the_document_says(void **state) {
  (void)state;
  char pattern[512];
  glob_t found = {0};
  size_t compared = 0;
  snprintf(pattern, sizeof pattern, "%s/tests/fixtures/import/*", getenv("ROOFLINE_SOURCE"));
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    roof_profile profile;
    roof_ceilings ceilings;
    roof_ranking ranking;
    roof_measurements list = {0}, read = {0};
    roof_text out = {0};
    roof_error error = {0};
    const char *file = strrchr(found.gl_pathv[i], '/') + 1;
    assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
    if (roof_import(found.gl_pathv[i], NULL, &profile, &error) != ROOF_OK) {
      fail_msg("%s", error.message);
    }
    assert_int_equal(roof_ceilings_init(&ceilings, NULL, 0, NULL, NULL), ROOF_OK);
    assert_int_equal(roof_profile_rank(&profile, &ceilings, NULL, &ranking, NULL), ROOF_OK);
    assert_int_equal(roof_ranking_measurements(&profile, &ranking, NULL, &list, NULL), ROOF_OK);
    assert_int_equal(roof_ranking_write(&profile, &ranking, NULL, NULL, &out, NULL), ROOF_OK);
    if (roof_measurements_parse(out.data, out.length, file, &read, &error) != ROOF_OK) {
      fail_msg("%s: %s", file, error.message);
    }
    assert_int_equal(read.count, list.count);
    for (size_t k = 0; k < list.count; k++, compared++) {
      assert_same_measurement(file, &list.list[k], &read.list[k]);
    }
    free(ranking.rows);
    roof_measurements_done(&list);
    roof_measurements_done(&read);
    roof_profile_done(&profile);
    roof_text_done(&out);
  }
  globfree(&found);
  assert_true(compared > 100);
}

/** What follows the text is another's. */
static void no_more_than_its_length_is_read(void **state) {
  (void)state;
  roof_measurements read = {0};
  roof_error error = {0};
  assert_int_equal(roof_measurements_parse(" x", 1, "text", &read, &error), ROOF_E_PARSE);
  assert_null(strstr(error.message, "what a profiler wrote"));
  assert_int_equal(roof_measurements_parse(" x", 2, "text", &read, &error), ROOF_E_PARSE);
  assert_non_null(strstr(error.message, "what a profiler wrote"));
}

/** The catalogue's, else what the profile reports, else none. */
static void a_profile_has_the_machine_it_was_taken_on(void **state) {
  (void)state;
  roof_machine *reported = roof_machine_new(), *machine = NULL;
  assert_non_null(reported);
  assert_int_equal(roof_catalog_match_or_copy("NVIDIA A100 80GB PCIe", reported, &machine, NULL), ROOF_OK);
  assert_string_equal(machine->name, "nvidia-a100-pcie-80gb");
  roof_machine_free(machine);
  assert_int_equal(roof_catalog_match("AMD Radeon Graphics", &machine, NULL), ROOF_E_NAME);
  assert_int_equal(roof_catalog_match("AMD Instinct MI250X", &machine, NULL), ROOF_OK);
  assert_string_equal(machine->name, "amd-mi250x-gcd"); /* ROCm's device is one die of the module */
  roof_machine_free(machine);
  machine = NULL;
  assert_int_equal(roof_catalog_match_or_copy("no such device", reported, &machine, NULL), ROOF_OK);
  assert_string_equal(machine->name, "reported-device");
  roof_machine_free(machine);
  assert_int_equal(roof_catalog_match_or_copy("AMD Radeon Graphics", NULL, &machine, NULL), ROOF_OK);
  assert_null(machine); /* any of them */
  assert_int_equal(roof_catalog_match_or_copy("", NULL, &machine, NULL), ROOF_OK);
  assert_null(machine);
  roof_machine_free(reported);
}

static void words_make_a_measurement(void **state) {
  (void)state;
  static const char *const words[] = {"samples=4ms,6ms,5ms", "bytes=1.1GB", "machine=h100", "dtype=fp16"};
  static const char *const counters[] = {"occupancy=30%", NULL};
  roof_measurements all = {0};
  assert_int_equal(roof_measurements_add_words(&all, "ffn", words, 4, NULL), ROOF_OK);
  assert_int_equal(roof_measurements_count(&all, counters, NULL), ROOF_OK);
  const roof_measurement *m = &all.list[0];
  assert_string_equal(m->label, "ffn");
  assert_true(m->seconds == 5e-3 && m->sample_count == 3 && m->bytes == 1.1e9 && isnan(m->flops));
  assert_string_equal(m->counted, "by hand");
  assert_string_equal(m->counted_flops, "");
  assert_string_equal(m->machine, "h100");
  assert_int_equal(m->dtype, ROOF_FP16);
  assert_true(m->counter_count == 1 && m->counters[0].value == 0.3);
  roof_measurements_done(&all);
}

static void words_that_make_none(void **state) {
  (void)state;
  static const struct {
    const char *word, *want;
  } rows[] = {
      {"secnds=1ms", "did you mean `seconds`?"},
      {"seconds", "give key=value"},
      {"seconds=300us,310us", "seconds: `300us,310us`: one time; of several give samples=300us,310us"},
      {"bytes=1GB", "give seconds=..., or samples=..."},
      {"seconds=fast", "fast"}};
  static const char *const counters[] = {"occupancy=30%", NULL};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_measurements all = {0};
    roof_error error;
    assert_int_not_equal(roof_measurements_add_words(&all, "ffn", &rows[i].word, 1, &error), ROOF_OK);
    assert_non_null(strstr(error.message, rows[i].want));
    roof_measurements_done(&all);
  }
  roof_measurements none = {0};
  assert_int_equal(roof_measurements_count(&none, counters, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(roof_measurements_count(&none, NULL, NULL), ROOF_OK);
}

/** A name that is too long stays one of its own, and UTF-8. */
static void long_names_stay_apart(void **state) {
  (void)state;
  roof_measurement first, second;
  char name[400];
  roof_measurement_init(&first);
  roof_measurement_init(&second);
  for (size_t i = 0; i + 1 < sizeof name; i++) {
    name[i] = i % 2 == 0 ? '\xC3' : '\xA9';
  }
  name[sizeof name - 2] = '1';
  name[sizeof name - 1] = '\0';
  roof_measurement_name(&first, name);
  name[sizeof name - 2] = '2';
  roof_measurement_name(&second, name);
  assert_string_not_equal(first.label, second.label);
  assert_true(roof_text_is_plain(first.label));
  assert_int_equal(first.label[strlen(first.label) - 17], '~');
  name[sizeof first.label - 1] = '\0';
  roof_measurement_name(&first, name);
  assert_string_equal(first.label, name);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_make_a_measurement),
      cmocka_unit_test(long_names_stay_apart),
      cmocka_unit_test(words_that_make_none),
      cmocka_unit_test(what_is_written_reads_back),
      cmocka_unit_test(documents_are_imported),
      cmocka_unit_test(rankings_are_written),
      cmocka_unit_test(ledgers_get_what_the_document_says),
      cmocka_unit_test(no_more_than_its_length_is_read),
      cmocka_unit_test(a_profile_has_the_machine_it_was_taken_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
