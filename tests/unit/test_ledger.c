/* The ledger: chain, tampering, crashes, full disks, many writers, reconciling. */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger/entry.h"
#include "ledger/hash.h"
#include "roofline/ledger.h"
#include "roofline/ops.h"
#include "roofline/version.h"

static char folder[64];
static char path[96];

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/test_ledger.XXXXXX");
  if (mkdtemp(folder) == NULL) {
    return 1;
  }
  snprintf(path, sizeof path, "%s/ledger", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder); /* torn ends are kept next to the ledger */
  return system(command);
}

static roof_sealing sealing(const char *label, double lower, double expected) {
  roof_sealing s = {.machine = "host",
                    .op = "triad",
                    .parameters = "n=1",
                    .dtype = "fp64",
                    .regime = "overhead",
                    .binding = "launch",
                    .flops = 1.0 / 3,
                    .bytes = NAN,
                    .lower_seconds = lower,
                    .upper_seconds = 2 * expected,
                    .expected_seconds = expected,
                    .ceilings = {{NAN, NAN, NAN}, {NAN, NAN, NAN}}};
  snprintf(s.label, sizeof s.label, "%s", label);
  return s;
}

static roof_status seal(const char *label, double lower, double expected, roof_error *error) {
  roof_sealing s = sealing(label, lower, expected);
  return roof_ledger_seal(path, &s, 1, NULL, error);
}

static roof_measurement measurement(const char *label, double seconds) {
  roof_measurement m;
  roof_measurement_init(&m);
  snprintf(m.label, sizeof m.label, "%s", label);
  m.seconds = seconds;
  return m;
}

/** Takes what was never predicted too, marked as unsealed. */
static roof_status record(const char *label, double seconds) {
  double samples[] = {seconds, 0.1, 1e-300};
  roof_measurement m = measurement(label, seconds);
  roof_ledger_options how = {.unsealed = true};
  m.samples = samples;
  m.sample_count = 3;
  return roof_ledger_record(path, &m, 1, &how, NULL);
}

static char *slurp(size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  *length = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  return text;
}

static void spill(const char *text, size_t length) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static roof_status verify(roof_error *error) {
  roof_ledger_summary summary;
  return roof_ledger_verify(path, NULL, &summary, error);
}

static roof_ledger_summary summarised(void) {
  roof_ledger_summary summary = {.entries = 0};
  roof_error error = {0};
  if (roof_ledger_verify(path, NULL, &summary, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  return summary;
}

static size_t verified(void) {
  return summarised().entries;
}

static void three_entries(void) {
  assert_int_equal(seal("triad n=1", 0.7, 1, NULL), ROOF_OK);
  assert_int_equal(record("triad n=1", 1.1), ROOF_OK);
  assert_int_equal(seal("dot \"n\"=\xC2\xB5\\", 0.1, 0.3, NULL), ROOF_OK);
}

static void a_line_says_all_of_it(void **state) {
  (void)state;
  three_entries();
  size_t length;
  char *text = slurp(&length);
  char *second = strchr(text, '\n') + 1;
  json_t *first = json_loadb(text, (size_t)(second - text), 0, NULL);
  static const char *const keys[] = {
      "sequence",       "kind",    "time",     "version",    "label", "origin", "machine",  "device_class",
      "machine_sha256", "commit",  "op",       "parameters", "dtype", "regime", "binding",  "flops",
      "bytes",          "seconds", "ceilings", "levels",     "boot",  "uptime", "previous", "sha256"};
  size_t i = 0;
  const char *key;
  json_t *value;
  json_object_foreach(first, key, value) {
    assert_string_equal(key, keys[i++]);
  }
  assert_int_equal(i, sizeof keys / sizeof keys[0]);
  assert_string_equal(json_string_value(json_object_get(first, "version")), ROOF_VERSION_TEXT);
  assert_true(json_is_null(json_object_get(first, "bytes")));
  assert_true(json_real_value(json_object_get(first, "flops")) == 1.0 / 3);
  assert_string_equal(json_string_value(json_object_get(first, "binding")), "launch");
  const char *when = json_string_value(json_object_get(first, "time"));
  assert_int_equal(strlen(when), strlen("2026-01-01T00:00:00.000Z"));
  json_t *measured = json_loads(second, JSON_DISABLE_EOF_CHECK, NULL);
  json_t *samples = json_object_get(measured, "samples");
  assert_true(json_real_value(json_array_get(samples, 0)) == 1.1);
  assert_true(json_real_value(json_array_get(samples, 2)) == 1e-300);
  assert_true(json_is_null(json_object_get(measured, "flops")));
  json_decref(first);
  json_decref(measured);
  free(text);
}

/** The chain can be checked with `sed -n Np FILE | sha256sum` alone. */
static void the_chain_is_of_whole_lines(void **state) {
  (void)state;
  three_entries();
  char command[256], line[128] = "";
  snprintf(command, sizeof command, "sed -n 2p '%s' | sha256sum", path);
  FILE *pipe = popen(command, "r");
  assert_non_null(fgets(line, sizeof line, pipe));
  pclose(pipe);
  line[LEDGER_DIGEST] = '\0';
  size_t length;
  char *text = slurp(&length);
  char *third = strchr(strchr(text, '\n') + 1, '\n') + 1;
  assert_non_null(strstr(third, line));
  assert_non_null(
      strstr(text, "\"previous\":\"0000000000000000000000000000000000000000000000000000000000000000\""));
  assert_int_equal(verified(), 3);
  free(text);
}

static void one_changed_byte_anywhere_is_found(void **state) {
  (void)state;
  three_entries();
  size_t length, line = 1;
  char *text = slurp(&length);
  roof_ledger_entries entries;
  for (size_t i = 0; i < length; i++) {
    char kept = text[i];
    for (int flip = 1; flip < 256; flip <<= 1) {
      roof_error error = {0};
      text[i] = (char)(kept ^ flip);
      assert_int_equal(rf_ledger_read(text, length, "l", false, &entries, &error), ROOF_E_GATE);
      assert_int_equal(error.line, line);
    }
    text[i] = kept;
    line += kept == '\n';
  }
  free(text);
}

static void missing_and_swapped_lines_are_found(void **state) {
  (void)state;
  three_entries();
  size_t length;
  char *text = slurp(&length);
  char *second = strchr(text, '\n') + 1, *third = strchr(second, '\n') + 1;
  size_t first_length = (size_t)(second - text), rest = (size_t)(text + length - third);
  roof_ledger_entries entries;
  roof_error error;
  assert_int_equal(rf_ledger_read(second, (size_t)(text + length - second), "l", false, &entries, &error),
                   ROOF_E_GATE);
  assert_int_equal(error.line, 1);
  char *shorter = malloc(length);
  memcpy(shorter, text, first_length);
  memcpy(shorter + first_length, third, rest);
  assert_int_equal(rf_ledger_read(shorter, first_length + rest, "l", false, &entries, &error), ROOF_E_GATE);
  assert_int_equal(error.line, 2);
  free(shorter);
  free(text);
}

static void a_torn_last_line_is_dropped_by_the_next_append(void **state) {
  (void)state;
  three_entries();
  size_t length, kept;
  char *text = slurp(&length);
  char *third = strchr(strchr(text, '\n') + 1, '\n') + 1;
  size_t whole = (size_t)(third - text);
  for (size_t cut = whole + 1; cut < length - 1; cut += 13) {
    spill(text, cut);
    roof_error error;
    assert_int_equal(verify(&error), ROOF_E_GATE);
    assert_int_equal(error.line, 3);
    assert_int_equal(record("again", 1), ROOF_OK);
    assert_int_equal(verified(), 3);
    char *now = slurp(&kept);
    assert_memory_equal(now, text, whole);
    free(now);
  }
  free(text);
}

static void a_torn_first_line_is_dropped_too(void **state) {
  (void)state;
  assert_int_equal(record("one", 1), ROOF_OK);
  size_t length;
  char *text = slurp(&length);
  for (size_t cut = 1; cut < length - 1; cut += 29) {
    spill(text, cut);
    assert_int_equal(record("one", 1), ROOF_OK);
    assert_int_equal(verified(), 1);
  }
  free(text);
}

static void a_whole_entry_without_its_newline_is_kept(void **state) {
  (void)state;
  three_entries();
  size_t length;
  char *text = slurp(&length);
  spill(text, length - 1);
  roof_error error = {0};
  assert_int_equal(verify(&error), ROOF_E_GATE);
  assert_int_equal(error.line, 3);
  assert_non_null(strstr(error.message, "it is truncated"));
  assert_int_equal(record("next", 1), ROOF_OK);
  assert_int_equal(verified(), 4);
  free(text);
}

static void long_lines_are_found_from_the_end(void **state) {
  (void)state;
  roof_measurement m;
  roof_measurement_init(&m);
  roof_ledger_options how = {.unsealed = true};
  strcpy(m.label, "long");
  m.seconds = 0.01;
  m.sample_count = 20000;
  m.samples = calloc(m.sample_count, sizeof *m.samples);
  for (size_t i = 0; i < m.sample_count; i++) {
    m.samples[i] = 1 / (double)(i + 3);
  }
  for (int i = 0; i < 3; i++) {
    assert_int_equal(roof_ledger_record(path, &m, 1, &how, NULL), ROOF_OK);
    assert_int_equal(record("short", 1), ROOF_OK);
  }
  roof_measurement_done(&m);
  assert_int_equal(verified(), 6);
}

static void a_file_that_is_no_ledger_is_left_alone(void **state) {
  (void)state;
  static const char *const texts[] = {"my notes", "my notes\n", "\n", "{\"sequence\":2,"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    size_t length;
    roof_error error = {0};
    spill(texts[i], strlen(texts[i]));
    assert_int_equal(seal("l", 1, 1, &error), ROOF_E_PARSE);
    assert_non_null(strstr(error.message, path));
    char *text = slurp(&length);
    assert_string_equal(text, texts[i]);
    free(text);
  }
}

static void unwritable_places_are_named(void **state) {
  (void)state;
  roof_sealing s = sealing("l", 1, 1);
  static const char *const places[] = {"/nowhere/ledger", "/dev/full", "/tmp"};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    roof_error error = {0};
    assert_int_equal(roof_ledger_seal(places[i], &s, 1, NULL, &error), ROOF_E_OUTPUT);
    assert_non_null(strstr(error.message, places[i]));
  }
  roof_ledger_summary summary = {.entries = 7};
  assert_int_equal(roof_ledger_verify("/nowhere/ledger", NULL, &summary, NULL), ROOF_E_INPUT);
  assert_int_equal(roof_ledger_verify("/tmp", NULL, &summary, NULL), ROOF_E_INPUT);
  assert_int_equal(summary.entries, 7);
}

/** RLIMIT_FSIZE stands in for a full disk: a write comes back short, then fails. */
static void a_full_disk_appends_nothing(void **state) {
  (void)state;
  three_entries();
  size_t length, now_length;
  char *text = slurp(&length);
  struct rlimit old, limit;
  getrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, SIG_IGN);
  for (size_t room = 0; room < 200; room += 50) {
    roof_error error = {0};
    limit = (struct rlimit){length + room, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    roof_status status = seal("l", 1, 1, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, ROOF_E_OUTPUT);
    char *now = slurp(&now_length);
    assert_int_equal(now_length, length);
    assert_memory_equal(now, text, length);
    free(now);
  }
  signal(SIGXFSZ, SIG_DFL);
  assert_int_equal(seal("l", 1, 1, NULL), ROOF_OK);
  assert_int_equal(verified(), 4);
  free(text);
}

static void what_cannot_be_sealed(void **state) {
  (void)state;
  roof_sealing endless = sealing("l", 1, 1);
  memset(endless.label, 'x', sizeof endless.label);
  assert_int_equal(roof_ledger_seal(path, &endless, 1, NULL, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(seal("", 1, 1, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(seal("l\xFF", 1, 1, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(seal("two\nlines", 1, 1, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(seal("\xE2\x80\xAEleft", 1, 1, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(seal("l", NAN, 1, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(seal("l", 0, 1, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(seal("l", 1, INFINITY, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(record("l", NAN), ROOF_E_ARGUMENT);
  assert_int_equal(record("l", 0), ROOF_E_ARGUMENT);
  assert_int_equal(access(path, F_OK), -1);
}

static void write_many(const char *label, int count) {
  for (int i = 0; i < count; i++) {
    if (record(label, 1) != ROOF_OK) {
      _exit(1);
    }
  }
  _exit(0);
}

static void two_writers_at_once(void **state) {
  (void)state;
  enum { EACH = 50 };
  pid_t writers[2];
  for (int i = 0; i < 2; i++) {
    writers[i] = fork();
    if (writers[i] == 0) {
      write_many(i == 0 ? "one" : "two", EACH);
    }
  }
  for (int i = 0; i < 2; i++) {
    int status;
    assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
    assert_int_equal(status, 0);
  }
  assert_int_equal(verified(), 2 * EACH);
}

static void killed_while_appending(void **state) {
  (void)state;
  size_t before = 0;
  for (int round = 0; round < 8; round++) {
    pid_t writer = fork();
    if (writer == 0) {
      write_many("doomed", 100000);
    }
    usleep((useconds_t)(3000 + 1700 * round));
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    assert_int_equal(record("survivor", 1), ROOF_OK);
    size_t now = verified();
    assert_true(now > before);
    before = now;
  }
}

static void reconcile(roof_reconcile *result) {
  roof_error error = {0};
  if (roof_ledger_reconcile(path, false, result, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
}

static void three_predictions_two_measurements(void **state) {
  (void)state;
  assert_int_equal(seal("a", 0.78, 1, NULL), ROOF_OK);
  assert_int_equal(seal("b", 0.78, 1, NULL), ROOF_OK);
  assert_int_equal(seal("c", 0.78, 1, NULL), ROOF_OK);
  assert_int_equal(record("c", 0.78 / 0.71), ROOF_OK);
  assert_int_equal(record("a", 2.6), ROOF_OK);
  assert_int_equal(record("d", 1), ROOF_OK);
  roof_reconcile result;
  reconcile(&result);
  assert_int_equal(result.count, 2);
  const roof_reconciled *a = &result.entries[0], *c = &result.entries[1];
  assert_string_equal(a->label, "a");
  assert_string_equal(a->regime, "overhead");
  assert_string_equal(a->binding, "launch");
  assert_true(a->predicted_seconds == 1 && a->measured_seconds == 2.6 && a->lower_seconds == 0.78);
  assert_near(a->fraction_of_ceiling, 0.3, 1e-12);
  assert_near(a->headroom, 2.6 / 0.78, 1e-12);
  assert_near(a->gap_points, 48, 1e-12);
  assert_string_equal(a->verdict, "overhead");
  assert_string_equal(c->label, "c");
  assert_near(c->gap_points, 7, 1e-12);
  assert_string_equal(c->verdict, "normal");
  assert_string_equal(c->because,
                      "overhead (launch): 71.0 % of the ceiling, 7.0 points below the expected 78.0 %; "
                      "where well-made kernels land");
  assert_int_equal(result.unmatched_prediction_count, 1);
  assert_string_equal(result.unmatched_predictions[0], "b");
  assert_int_equal(result.unmatched_measurement_count, 1);
  assert_string_equal(result.unmatched_measurements[0], "d");
  roof_reconcile_done(&result);
  assert_int_equal(result.count, 0);
}

static void a_reconciliation_is_written_and_gated(void **state) {
  (void)state;
  assert_int_equal(seal("a", 0.78, 1, NULL), ROOF_OK);
  assert_int_equal(seal("b", 0.78, 1, NULL), ROOF_OK);
  assert_int_equal(record("a", 2.6), ROOF_OK);
  roof_reconcile result;
  roof_text text = {0};
  roof_error error;
  reconcile(&result);
  roof_reconcile_sentence(&result, &text);
  assert_string_equal(text.data, "1 of 2 predictions measured; most headroom in a, 3.33x from its ceiling");
  roof_text_done(&text);
  roof_why why;
  roof_reconcile_why(&result, 0, &why);
  roof_reconciled_remarks(&result.entries[0], &why, &text);
  assert_memory_equal(text.data, "  a: ", 5);
  assert_non_null(strstr(text.data, why.sentence));
  assert_non_null(strstr(text.data, "\n    possible: "));
  roof_text_done(&text);
  result.entries[0].mine_seconds = 2;
  result.entries[0].mine_error = 2 / result.entries[0].measured_seconds - 1;
  roof_reconciled_remarks(&result.entries[0], &why, &text);
  assert_non_null(strstr(text.data, "\n    yours: 2.000 s, "));
  roof_text_done(&text);
  result.entries[0].mine_seconds = NAN;
  assert_int_equal(roof_reconcile_write(&result, "my.ledger", &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"schema\": \"roofline.reconcile/1\",\n  \"ledger\": \"my.ledger\""));
  assert_non_null(strstr(text.data, "\"unmatched\": {\n    \"predictions\": [\n      \"b\"\n    ]"));
  assert_non_null(strstr(text.data, "\"causes\": [\n        {\n          \"name\": "));
  roof_text_done(&text);
  assert_int_equal(result.machine_count, 1);
  assert_int_equal(roof_reconcile_check(&result, "my.ledger", false, &error), ROOF_E_GATE);
  assert_string_equal(error.message, "my.ledger: 1 label is without a counterpart");
  result.unmatched_prediction_count = 0;
  assert_int_equal(roof_reconcile_check(&result, "my.ledger", false, NULL), ROOF_OK);
  result.impossible_count = 2;
  assert_int_equal(roof_reconcile_check(&result, "my.ledger", false, &error), ROOF_E_GATE);
  assert_string_equal(error.message, "my.ledger: 2 kernels are above what can be");
  roof_reconcile_done(&result);
}

static void what_was_done_is_written(void **state) {
  (void)state;
  roof_sealing list[] = {sealing("a", 1, 2), sealing("b", 1, 2)};
  roof_sealings sealings = {list, 2};
  roof_measurements all = {0};
  roof_measurement *m = NULL;
  roof_ledger_summary summary = {.entries = 3, .predictions = 2, .measurements = 1, .head = "ab"};
  roof_text text = {0};
  assert_int_equal(roof_ledger_write_sealed("my.ledger", &sealings, true, &text, NULL), ROOF_OK);
  assert_string_equal(
      text.data, "{\n  \"schema\": \"roofline.sealed/1\",\n  \"ledger\": \"my.ledger\",\n"
                 "  \"signed\": true,\n  \"labels\": [\n    \"a\",\n    \"b\"\n  ],\n  \"by_hand\": []\n}\n");
  roof_text_done(&text);
  assert_int_equal(roof_measurements_add(&all, &m, NULL), ROOF_OK);
  strcpy(m->label, "a");
  m->taken = 0;
  all.taken = ROOF_TAKEN_FILE;
  assert_int_equal(roof_ledger_write_recorded("my.ledger", &all, &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"schema\": \"roofline.recorded/1\""));
  assert_non_null(
      strstr(text.data, "\"taken\": \"1970-01-01T00:00:00.000Z\",\n  \"taken_from\": \"file date\""));
  roof_text_done(&text);
  roof_measurements_done(&all);
  assert_int_equal(roof_ledger_write_summary("my.ledger", &summary, NULL, &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"entries\": 3,\n  \"predictions\": 2,\n  \"measurements\": 1"));
  roof_text_done(&text);
  summary = (roof_ledger_summary){.entries = 3,
                                  .predictions = 2,
                                  .measurements = 1,
                                  .doubts = {.unsealed = 1},
                                  .signatures = 2,
                                  .head = "ab",
                                  .keyed = true,
                                  .own_signatures = 2,
                                  .covered = 2};
  roof_ledger_sentence("my.ledger", &summary, &text);
  assert_string_equal(text.data,
                      "my.ledger is intact: 3 entries, 2 predictions, 1 measurement, 1 unsealed; "
                      "2 signatures match\nhead 3:ab\nof the key: 2 signatures; entries 1 to 2 are covered\n"
                      "not covered: entries 3 to 3, which whoever writes the file can change or drop");
  assert_int_equal(roof_ledger_check(&summary, "l", NULL), ROOF_E_GATE);
  summary.covered = 3;
  assert_int_equal(roof_ledger_check(&summary, "l", NULL), ROOF_E_GATE);
  summary.doubts.unsealed = 0;
  assert_int_equal(roof_ledger_check(&summary, "l", NULL), ROOF_OK);
  roof_text_done(&text);
}

static void entries_are_read_and_written(void **state) {
  (void)state;
  double samples[] = {1.5, 2.5};
  roof_measurement m = {.label = "a|b", .machine = "host", .counted = "formula", .seconds = 2, .bytes = 8};
  roof_ledger_entries all;
  roof_text text = {0};
  m.samples = samples;
  m.sample_count = 2;
  assert_int_equal(seal("a|b", 1, 2, NULL), ROOF_OK);
  assert_int_equal(roof_ledger_record(path, &m, 1, NULL, NULL), ROOF_OK);
  assert_int_equal(roof_ledger_read(path, &all, NULL), ROOF_OK);
  assert_int_equal(all.count, 2);
  const roof_ledger_entry *p = &all.entries[0], *e = &all.entries[1];
  assert_true(!p->measured && p->of.expected_seconds == 2 && p->sample_count == 0 && isnan(p->seconds));
  assert_string_equal(p->of.label, "a|b");
  assert_string_equal(p->of.machine, "host");
  assert_true(e->measured && e->prediction == 1 && e->seconds == 2 && e->of.bytes == 8 && !e->unsealed);
  assert_true(e->sample_count == 2 && e->samples[1] == 2.5);
  assert_int_equal(strlen(p->sha256), 64);
  assert_string_equal(e->previous, p->digest);
  assert_int_equal(roof_ledger_write(path, &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"schema\": \"roofline.ledger/1\""));
  assert_non_null(strstr(text.data, p->sha256));
  roof_text_done(&text);
  assert_int_equal(roof_ledger_write_markdown(path, &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "| a\\|b |"));
  assert_non_null(strstr(text.data, "| 50.0 % |"));
  assert_null(strstr(text.data, "| 2 |")); /* predictions alone */
  roof_text_done(&text);
  roof_ledger_entries_done(&all);
}

/** "N" makes N predictions. */
static roof_status predict_words(void *user, const char *words, roof_sealings *all, roof_error *error) {
  roof_sealing one = sealing(words, 1, 2);
  roof_status status = ROOF_OK;
  (*(int *)user)++;
  for (int i = 0; i < atoi(words) && status == ROOF_OK; i++) {
    status = roof_sealings_add(all, &one, error);
  }
  return status;
}

static roof_status load_list(const char *text, roof_sealings *all, int *lines, roof_error *error) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  return roof_sealings_load(all, path, predict_words, lines, error);
}

static void lists_are_read_for_sealing(void **state) {
  (void)state;
  roof_sealings all = {0};
  roof_error error;
  int lines = 0;
  assert_int_equal(load_list("# two\n\nup: 1\r\n  2\n", &all, &lines, NULL), ROOF_OK);
  assert_true(lines == 2 && all.count == 3);
  assert_string_equal(all.list[0].label, "up");
  assert_string_equal(all.list[1].label, "2");
  roof_sealings_done(&all);
  assert_int_equal(load_list("1\nup: 2\n", &all, &lines, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "label `up`: one label, but 2 predictions");
  assert_int_equal(error.line, 2);
  roof_sealings_done(&all);
  assert_int_equal(load_list("# nothing\n", &all, &lines, NULL), ROOF_E_PARSE);
  roof_sealings_done(&all);
}

static void the_commit_of_the_working_folder(void **state) {
  (void)state;
  char commit[ROOF_DIGEST_MAX] = "?", before[4096], command[256];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(folder), 0);
  assert_int_equal(roof_ledger_commit(commit, NULL), ROOF_OK); /* no repository around /tmp */
  assert_string_equal(commit, "");
  snprintf(command, sizeof command,
           "git init -q . 2>/dev/null && git -c user.name=n -c user.email=e commit -q --allow-empty -m m");
  if (system(command) == 0) {
    assert_int_equal(roof_ledger_commit(commit, NULL), ROOF_OK);
    assert_int_equal(strspn(commit, "0123456789abcdef"), 40);
  }
  assert_int_equal(system("rm -rf .git"), 0);
  assert_int_equal(chdir(before), 0);
}

static void predictions_of_documents_are_completed(void **state) {
  (void)state;
  roof_sealing list[] = {sealing("a", 1, 2), sealing("b", 1, 2)};
  roof_sealings sealings = {list, 2};
  strcpy(list[0].machine, "nvidia-h100-sxm");
  strcpy(list[1].machine, "no such machine");
  list[0].machine_digest[0] = list[1].machine_digest[0] = '\0';
  assert_int_equal(roof_sealings_complete(&sealings, NULL), ROOF_OK);
  assert_int_equal(strlen(list[0].machine_digest), 64);
  assert_true(list[0].level_bytes_per_second[ROOF_MEMORY] > 3e12);
  assert_string_equal(list[1].machine_digest, "");
}

static void the_first_prediction_counts_unless_the_last_is_asked_for(void **state) {
  (void)state;
  assert_int_equal(seal("a", 1, 2, NULL), ROOF_OK);
  assert_int_equal(record("a", 1.5), ROOF_OK);
  assert_int_equal(seal("a", 1, 4, NULL), ROOF_OK);
  assert_int_equal(record("a", 5), ROOF_OK);
  assert_int_equal(record("a", 6), ROOF_OK);
  roof_reconcile result;
  roof_text text = {0};
  for (int latest = 0; latest < 2; latest++) {
    assert_int_equal(roof_ledger_reconcile(path, latest, &result, NULL), ROOF_OK);
    const roof_reconciled *r = &result.entries[0];
    assert_true(result.count == 1 && result.doubts.superseded == 1 && result.doubts.after_measurement == 1);
    assert_true(r->predicted_seconds == (latest ? 4 : 2) && r->measured_seconds == (latest ? 5 : 1.5));
    assert_true(r->superseded == 1 && r->after_measurement == 1 && r->late == (latest == 1));
    assert_int_equal(result.unmatched_prediction_count + result.unmatched_measurement_count, 0);
    assert_int_equal(roof_reconcile_check(&result, "l", false, NULL), ROOF_OK);
    assert_int_equal(roof_reconcile_check(&result, "l", true, NULL), ROOF_E_GATE);
    assert_int_equal(roof_reconcile_write(&result, "l", &text, NULL), ROOF_OK);
    assert_non_null(strstr(text.data, latest ? "\"the last prediction\"" : "\"the first prediction\""));
    roof_text_done(&text);
    roof_reconcile_done(&result);
  }
  roof_ledger_summary s = summarised();
  assert_true(s.doubts.superseded == 1 && s.doubts.after_measurement == 1);
}

static void predicting_after_measuring_does_not_count(void **state) {
  (void)state;
  assert_int_equal(record("a", 1), ROOF_OK);
  assert_int_equal(seal("a", 1, 1, NULL), ROOF_OK);
  roof_reconcile result;
  reconcile(&result);
  assert_int_equal(result.count, 0);
  assert_int_equal(result.unmatched_prediction_count, 1);
  assert_int_equal(result.unmatched_measurement_count, 1);
  roof_reconcile_done(&result);
}

static void an_empty_ledger_reconciles_to_nothing(void **state) {
  (void)state;
  spill("", 0);
  roof_reconcile result;
  reconcile(&result);
  assert_int_equal(result.count, 0);
  roof_reconcile_done(&result);
  assert_int_equal(verify(NULL), ROOF_E_GATE);
}

/** A line of a ledger as anyone may write it, its digests right. */
static void craft(const char *const *bodies, size_t count) {
  char previous[ROOF_DIGEST_MAX], digest[ROOF_DIGEST_MAX];
  roof_text all = {0};
  memset(previous, '0', ROOF_DIGEST_MAX - 1);
  previous[ROOF_DIGEST_MAX - 1] = '\0';
  for (size_t i = 0; i < count; i++) {
    size_t start = all.length;
    roof_text_addf(&all, "%s,\"previous\":\"%s\"", bodies[i], previous);
    roof_ledger_digest(all.data + start, all.length - start, digest);
    roof_text_addf(&all, ",\"sha256\":\"%s\"}\n", digest);
    roof_ledger_digest(all.data + start, all.length - start, previous);
  }
  spill(all.data, all.length);
  roof_text_done(&all);
}

#define CRAFTED_SEAL(sequence, time)                                                                         \
  "{\"sequence\":" sequence ",\"kind\":\"prediction\",\"time\":\"" time                                      \
  "\",\"label\":\"k\",\"regime\":\"memory\","                                                                \
  "\"binding\":\"HBM\",\"seconds\":{\"lower\":1e-3,\"expected\":2e-3}"
#define CRAFTED_MEASUREMENT(prediction, unsealed, more)                                                      \
  "{\"sequence\":2,\"kind\":\"measurement\",\"time\":\"2026-01-02T00:00:00.000Z\",\"label\":\"k\","          \
  "\"prediction\":" prediction ",\"unsealed\":" unsealed ",\"seconds\":3e-3" more

static const char crafted_first[] = CRAFTED_SEAL("1", "2026-01-01T00:00:00.000Z");

static void what_entries_say_of_each_other_is_checked(void **state) {
  (void)state;
  static const struct {
    const char *second, *why;
  } cases[] = {
      {CRAFTED_MEASUREMENT("1", "false", ""), NULL},
      {CRAFTED_MEASUREMENT("1", "true", ",\"measured\":\"1990-01-01T00:00:00Z\""), NULL},
      {CRAFTED_MEASUREMENT("1", "false", ",\"measured\":\"1990-01-01T00:00:00Z\""), "`unsealed` is wrong"},
      {CRAFTED_MEASUREMENT("1", "true", ""), "`unsealed` is wrong"},
      {CRAFTED_MEASUREMENT("77", "false", ""), "no earlier one of its label"},
      {CRAFTED_MEASUREMENT("2", "false", ""), "no earlier one of its label"},
      {CRAFTED_MEASUREMENT("0.5", "false", ""), "no earlier one of its label"},
      {CRAFTED_MEASUREMENT("null", "true", ""), "but its label has one"},
      {CRAFTED_MEASUREMENT("1", "false", ",\"measured\":\"2026-01-02T00:00:09.000Z\""), "measured later"},
      {CRAFTED_MEASUREMENT("1", "false", ",\"measured\":\"tomorrow\""), "its time is none"},
      {CRAFTED_SEAL("2", "1999-01-01T00:00:00.000Z"), "before that of the entry before"},
      {CRAFTED_SEAL("2", "2999-01-01T00:00:00.000Z"), "later than now"},
      {CRAFTED_SEAL("2", "tomorrow"), "its time is none"},
      {CRAFTED_SEAL("2.4", "2026-01-02T00:00:00.000Z"), "no sequence"},
      {CRAFTED_SEAL("3", "2026-01-02T00:00:00.000Z"), "its sequence number does not follow"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_error error = {0};
    craft((const char *[]){crafted_first, cases[i].second}, 2);
    roof_status status = verify(&error);
    if (cases[i].why == NULL ? status != ROOF_OK : strstr(error.message, cases[i].why) == NULL) {
      fail_msg("%s: %s", cases[i].second, error.message);
    }
    assert_true(cases[i].why == NULL || error.line == 2);
  }
}

static void a_measurement_of_no_prediction_says_so(void **state) {
  (void)state;
#define ALONE(unsealed)                                                                                      \
  "{\"sequence\":1,\"kind\":\"measurement\",\"time\":\"2026-01-02T00:00:00.000Z\",\"label\":\"k\","          \
  "\"prediction\":null,\"unsealed\":" unsealed ",\"seconds\":3e-3"
  roof_error error = {0};
  craft((const char *[]){ALONE("true")}, 1);
  assert_int_equal(verify(NULL), ROOF_OK);
  craft((const char *[]){ALONE("false")}, 1);
  assert_int_equal(verify(&error), ROOF_E_GATE);
  assert_string_equal(error.message, "entry 1: it is of no prediction, and not marked as unsealed");
#undef ALONE
}

/** Only the same start of the system has the same clock: a day by date, a minute by the time since it. */
static void a_clock_is_set_within_one_start(void **state) {
  (void)state;
#define STARTED(boot, uptime) ",\"boot\":\"" boot "\",\"uptime\":" uptime
#define FIRST CRAFTED_SEAL("1", "2026-01-01T00:00:00.000Z")
#define SECOND CRAFTED_SEAL("2", "2026-01-02T00:00:00.000Z")
  static const struct {
    const char *bodies[2];
    size_t clocks;
  } cases[] = {{{FIRST STARTED("0a", "100"), SECOND STARTED("0a", "160")}, 1},
               {{FIRST STARTED("0a", "100"), SECOND STARTED("0a", "86500")}, 0},
               {{FIRST STARTED("0a", "100"), SECOND STARTED("0b", "160")}, 0},
               {{FIRST STARTED("", "100"), SECOND STARTED("", "160")}, 0},
               {{FIRST STARTED("0a", "0"), SECOND STARTED("0a", "60")}, 0}};
#undef STARTED
#undef FIRST
#undef SECOND
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    craft(cases[i].bodies, 2);
    assert_int_equal(summarised().doubts.clocks, cases[i].clocks);
  }
}

static void a_ledger_goes_on_from_its_earlier_states(void **state) {
  (void)state;
  char copy[128], head[96];
  size_t length, entries = 0;
  roof_error error = {0};
  assert_int_equal(seal("a", 1, 2, NULL), ROOF_OK);
  char *text = slurp(&length);
  snprintf(copy, sizeof copy, "%s/copy", folder);
  FILE *file = fopen(copy, "wb");
  assert_int_equal(fwrite(text, 1, length, file), length);
  fclose(file);
  snprintf(head, sizeof head, "1:%s", summarised().head);
  assert_int_equal(seal("b", 1, 2, NULL), ROOF_OK);
  assert_int_equal(roof_ledger_extends(path, copy, &entries, NULL), ROOF_OK);
  assert_int_equal(roof_ledger_extends(path, head, &entries, NULL), ROOF_OK);
  assert_int_equal(entries, 1);
  assert_int_equal(roof_ledger_extends(copy, path, &entries, &error), ROOF_E_GATE);
  assert_non_null(strstr(error.message, "1 of its 2 entries are missing"));
  head[4] = head[4] == 'a' ? 'b' : 'a';
  assert_int_equal(roof_ledger_extends(path, head, &entries, &error), ROOF_E_GATE);
  assert_non_null(strstr(error.message, "entry 1 is another"));
  assert_int_equal(roof_ledger_extends(path, "1:no head", &entries, NULL), ROOF_E_INPUT);
  free(text);
  unlink(copy);
}

static void a_label_has_its_measured_time(void **state) {
  (void)state;
  roof_error error = {0};
  roof_reconciled measured = {.measured_seconds = 7};
  assert_int_equal(seal("a", 0.78, 1, NULL), ROOF_OK);
  assert_int_equal(seal("b", 0.78, 1, NULL), ROOF_OK);
  assert_int_equal(record("a", 2.6), ROOF_OK);
  assert_int_equal(roof_ledger_measured(path, "b", &measured, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "--label b: "));
  assert_true(measured.measured_seconds == 7);
  assert_int_equal(roof_ledger_measured(path, "a", &measured, NULL), ROOF_OK);
  assert_near(measured.measured_seconds, 2.6, 1e-12);
}

static void a_changed_ledger_is_not_reconciled(void **state) {
  (void)state;
  three_entries();
  size_t length;
  char *text = slurp(&length);
  text[40] ^= 1;
  spill(text, length);
  roof_reconcile result;
  assert_int_equal(roof_ledger_reconcile(path, false, &result, NULL), ROOF_E_GATE);
  free(text);
}

static void labels_are_one_line_of_text(void **state) {
  (void)state;
  static const char *const bad[] = {"",           "bad\xFF",          "up\x1B[1A",
                                    "two\nlines", "\xE2\x80\xAEword", "c1\xC2\x9B"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_int_equal(roof_label_check(bad[i], NULL), ROOF_E_ARGUMENT);
  }
  assert_int_equal(roof_label_check("gemm m=1 \xC2\xB5 \xE2\x86\x92", NULL), ROOF_OK);
}

static void what_a_sceptic_asks_about_is_named(void **state) {
  (void)state;
  assert_string_equal(roof_sealing_origin_name(ROOF_SEALING_UNKNOWN), "");
  assert_string_equal(roof_sealing_origin_name(ROOF_SEALING_PREDICTED), "predicted");
  assert_string_equal(roof_sealing_origin_name(ROOF_SEALING_RECOMPUTED), "recomputed");
  assert_string_equal(roof_sealing_origin_name(ROOF_SEALING_HAND), "by hand");
  assert_string_equal(roof_taken_name(ROOF_TAKEN_HAND), "by hand");
  assert_string_equal(roof_taken_name(ROOF_TAKEN_FILE), "file date");
  roof_sealing s = sealing("a", 1, 2);
  roof_measurement m = measurement("a", 2);
  s.origin = ROOF_SEALING_HAND;
  strcpy(m.machine, "nvidia-h100-sxm");
  m.taken_from = ROOF_TAKEN_PIPE;
  assert_int_equal(roof_ledger_seal(path, &s, 1, NULL, NULL), ROOF_OK);
  assert_int_equal(roof_ledger_record(path, &m, 1, NULL, NULL), ROOF_OK);
  roof_reconcile result;
  roof_error error;
  reconcile(&result);
  assert_string_equal(result.entries[0].origin, "by hand");
  assert_string_equal(result.entries[0].taken_from, "pipe");
  assert_string_equal(result.entries[0].differs, "machine");
  assert_int_equal(roof_reconcile_check(&result, "l", true, &error), ROOF_E_GATE);
  assert_string_equal(error.message,
                      "l: --strict: 1 predicted by hand, 1 of another machine or format than predicted");
  roof_reconcile_done(&result);
}

static void a_measurement_does_not_contradict_its_samples(void **state) {
  (void)state;
  double beyond[] = {5e-3, 6e-3}, negative[] = {-5e-3, 2e-3};
  roof_measurement m = measurement("a", 1e-3);
  roof_error error;
  assert_int_equal(seal("a", 1e-3, 1e-3, NULL), ROOF_OK);
  m.samples = beyond;
  m.sample_count = 2;
  assert_int_equal(roof_ledger_record(path, &m, 1, NULL, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "its samples are from 0.005 to 0.006 s"));
  m.samples = negative;
  assert_int_equal(roof_ledger_record(path, &m, 1, NULL, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "sample 1 is no time"));
  assert_int_equal(verified(), 1);
}

static void a_prediction_that_contradicts_itself_is_refused(void **state) {
  (void)state;
  roof_sealing s = sealing("a", 2, 1);
  assert_int_equal(roof_ledger_seal(path, &s, 1, NULL, NULL), ROOF_E_ARGUMENT);
  s = sealing("a", 1, 2);
  strcpy(s.regime, "bogus");
  assert_int_equal(roof_ledger_seal(path, &s, 1, NULL, NULL), ROOF_E_ARGUMENT);
  s = sealing("a", 1, 2);
  strcpy(s.machine_digest, "abc");
  assert_int_equal(roof_ledger_seal(path, &s, 1, NULL, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(access(path, F_OK), -1);
}

/** Tries a measurement taken `seconds` after 1970. */
static roof_status record_at(const char *label, double when, bool unsealed, roof_error *error) {
  roof_measurement m = measurement(label, 1);
  m.taken = when;
  roof_ledger_options how = {.unsealed = unsealed};
  return roof_ledger_record(path, &m, 1, &how, error);
}

static void a_measurement_needs_an_older_prediction(void **state) {
  (void)state;
  roof_error error = {0};
  assert_int_equal(seal("gemm", 1, 1, NULL), ROOF_OK);
  assert_int_equal(record_at("gemmm", NAN, false, &error), ROOF_E_GATE);
  assert_non_null(strstr(error.message, "did you mean `gemm`?"));
  double now = roof_time_now();
  assert_int_equal(record_at("gemm", now - 60, false, &error), ROOF_E_GATE);
  assert_non_null(strstr(error.message, "before its prediction was sealed"));
  assert_int_equal(verified(), 1);
  assert_int_equal(record_at("gemm", now + 60, false, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "later than now"));
  assert_int_equal(record_at("gemm", now + 60, true, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(record_at("gemm", now + 1, false, &error), ROOF_OK);
  assert_int_equal(record_at("gemm", NAN, false, &error), ROOF_OK);
  roof_ledger_summary s = summarised();
  assert_int_equal(s.predictions, 1);
  assert_int_equal(s.measurements, 2);
  assert_int_equal(s.doubts.unsealed, 0);
}

static void unsealed_is_marked_for_ever(void **state) {
  (void)state;
  assert_int_equal(seal("early", 1, 1, NULL), ROOF_OK);
  assert_int_equal(record_at("early", roof_time_now() - 60, true, NULL), ROOF_OK);
  assert_int_equal(record_at("never", NAN, true, NULL), ROOF_OK);
  assert_int_equal(summarised().doubts.unsealed, 2);
  roof_reconcile result;
  reconcile(&result);
  assert_int_equal(result.count, 1);
  assert_true(result.entries[0].unsealed);
  assert_int_equal(result.doubts.unsealed, 2);
  assert_int_equal(result.unmatched_measurement_count, 1);
  roof_reconcile_done(&result);
}

/** One that came after its prediction counts, though another is recorded before it. */
static void unsealed_counts_where_there_is_no_other(void **state) {
  (void)state;
  roof_text table = {0};
  assert_int_equal(seal("early", 1, 1, NULL), ROOF_OK);
  assert_int_equal(record_at("early", roof_time_now() - 60, true, NULL), ROOF_OK);
  assert_int_equal(roof_ledger_write_markdown(path, &table, NULL), ROOF_OK);
  assert_non_null(strstr(table.data, " s, unsealed |"));
  roof_text_done(&table);
  assert_int_equal(record_at("early", NAN, false, NULL), ROOF_OK);
  assert_int_equal(roof_ledger_write_markdown(path, &table, NULL), ROOF_OK);
  assert_null(strstr(table.data, "unsealed"));
  roof_text_done(&table);
  roof_reconcile result;
  reconcile(&result);
  assert_false(result.entries[0].unsealed);
  assert_int_equal(result.entries[0].measurement, 3);
  assert_int_equal(roof_reconcile_check(&result, "l", false, NULL), ROOF_OK);
  assert_int_equal(roof_reconcile_check(&result, "l", true, NULL), ROOF_E_GATE);
  roof_reconcile_done(&result);
}

static void a_changed_ledger_takes_no_measurement(void **state) {
  (void)state;
  three_entries();
  size_t length, now_length;
  char *text = slurp(&length);
  *strstr(text, "triad") = 'T';
  spill(text, length);
  roof_error error = {0};
  assert_int_equal(record_at("dot \"n\"=\xC2\xB5\\", 0, false, &error), ROOF_E_GATE);
  assert_int_equal(error.line, 1);
  char *now = slurp(&now_length);
  assert_int_equal(now_length, length);
  free(now);
  free(text);
}

static void a_list_is_sealed_whole_or_not_at_all(void **state) {
  (void)state;
  roof_error error = {0};
  roof_sealing list[] = {sealing("a", 1, 2), sealing("b", 1, 2), sealing("c", 1, 2)};
  assert_int_equal(roof_ledger_seal(path, list, 3, NULL, NULL), ROOF_OK);
  assert_int_equal(verified(), 3);
  strcpy(list[2].label, "a");
  assert_int_equal(roof_ledger_seal(path, list, 3, NULL, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "`a`: given to two predictions"));
  list[2] = sealing("d", 1, NAN);
  assert_int_equal(roof_ledger_seal(path, list, 3, NULL, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(verified(), 3);
}

/** An operation that is not built in is labelled by all that its document says. */
static void documents_are_read_for_sealing(void **state) {
  (void)state;
  static const char text[] =
      "{\"predictions\": [{\"schema\": \"roofline.prediction/1\", \"machine\": \"m\", \"op\": \"mine\","
      "\"parameters\": {\"n\": 8, \"how\": \"fast\"}, \"dtype\": \"fp64\", \"flops\": 5, \"regime\": "
      "\"memory\","
      "\"binding\": \"HBM\", \"seconds\": {\"lower\": 0.5, \"expected\": 1}},"
      "{\"schema\": \"roofline.prediction/1\", \"machine\": \"o\", \"op\": \"attention\", \"parameters\":"
      "{\"batch\": 1, \"heads\": 8, \"q_len\": 4, \"kv_len\": 4, \"head_dim\": 64, \"kv_heads\": 8, "
      "\"causal\": 1,"
      "\"algorithm\": \"standard\"}, \"dtype\": \"fp16\", \"regime\": \"memory\", \"binding\": \"HBM\"}]}";
  roof_sealings all = {0};
  roof_error error = {0};
  if (roof_sealings_read(&all, text, sizeof text - 1, "f", &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  roof_sealings_name_machines(&all);
  assert_int_equal(all.count, 2);
  assert_string_equal(all.list[0].label, "mine n=8 how=fast fp64 on m");
  assert_string_equal(all.list[0].parameters, "n=8 how=fast");
  assert_true(all.list[0].flops == 5 && all.list[0].lower_seconds == 0.5 && isnan(all.list[0].bytes));
  assert_string_equal(
      all.list[1].label,
      "attention batch=1 heads=8 q_len=4 kv_len=4 head_dim=64 causal=1 algorithm=standard fp16 on o");
  char longest[ROOF_LABEL_MAX + 1];
  memset(longest, 'x', ROOF_LABEL_MAX);
  longest[ROOF_LABEL_MAX] = '\0';
  assert_int_equal(roof_sealing_name(&all.list[0], longest, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "must have 1 to 127 bytes"));
  assert_int_equal(roof_sealing_name(&all.list[0], "", NULL), ROOF_E_ARGUMENT);
  roof_sealings_done(&all);
  assert_int_equal(roof_sealings_read(&all, "[]", 2, "f", NULL), ROOF_OK);
  assert_int_equal(roof_sealings_read(&all, "{}", 2, "f", NULL), ROOF_E_PARSE);
}

static void only_what_was_predicted_is_recorded(void **state) {
  (void)state;
  roof_measurement list[] = {measurement("a", 1), measurement("b", 1), measurement("c", NAN),
                             measurement("", 1)};
  roof_ledger_options all = {.unsealed = true};
  const char *why[4] = {NULL};
  roof_error error = {0};
  assert_int_equal(roof_ledger_record_known(path, list, 4, NULL, why, &error), ROOF_E_GATE);
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(seal("a", 0.5, 1, NULL), ROOF_OK);
  assert_int_equal(roof_ledger_record_known(path, list, 4, NULL, why, NULL), ROOF_OK);
  assert_null(why[0]);
  assert_string_equal(why[1], "no prediction of it is sealed");
  assert_int_equal(roof_ledger_record_known(path, list, 4, &all, why, NULL), ROOF_OK);
  assert_true(why[0] == NULL && why[1] == NULL);
  assert_string_equal(why[2], "the file gives no time of it");
  assert_non_null(strstr(why[3], "too long for a label"));
  assert_int_equal(roof_ledger_record_known(path, &list[1], 1, NULL, why, &error), ROOF_E_GATE);
  assert_non_null(strstr(error.message, "(but of `a`)"));
  assert_int_equal(verified(), 4);
}

static void what_is_unknown_reads_back_as_such(void **state) {
  (void)state;
  assert_int_equal(seal("\xF0\x9F\x9A\x80 \"q\" \\ /", 0.5, 1, NULL), ROOF_OK);
  size_t length;
  char *text = slurp(&length);
  roof_ledger_entries ledger;
  assert_int_equal(rf_ledger_read(text, length, "l", false, &ledger, NULL), ROOF_OK);
  const roof_ledger_entry *e = &ledger.entries[0];
  assert_string_equal(e->of.label, "\xF0\x9F\x9A\x80 \"q\" \\ /");
  assert_true(isnan(e->of.bytes) && isnan(e->of.ceilings[ROOF_ACHIEVED].seconds));
  assert_true(e->of.flops == 1.0 / 3 && e->of.upper_seconds == 2);
  free(ledger.entries);
  free(text);
}

/** What jansson reads as an object and what the ledger's own reader does are the same. */
static void only_json_is_read(void **state) {
  (void)state;
  static const char *const good[] = {"{}", "{\"samples\":[1,-2.5e-3,null],\"label\":\"\\u00b5\"}",
                                     "{\"counters\":{\"a.b\":1,\"l2\":0.5}}", "{\"seconds\":1.5}",
                                     "{\"seconds\":{\"lower\":null}}"};
  static const char *const bad[] = {"",
                                    "[]",
                                    "{\"a\":01}",
                                    "{\"a\":1,}",
                                    "{\"a\" 1}",
                                    "{\"a\":1}x",
                                    "{\"a\":\"x}",
                                    "{\"a\":\"\\q\"}",
                                    "{\"a\":tru}",
                                    "{\"a\":1.}",
                                    "{\"a\":\"\x01\"}",
                                    "{\"a\":\"\xFF\"}",
                                    "{\"label\":\"a\",\"label\":\"b\"}",
                                    "{\"label\":1}",
                                    "{\"flops\":\"1\"}",
                                    "{\"zz\":1}",
                                    "{\"zz\":{\"label\":\"a\"}}",
                                    "{\"seconds.expected\":9e-3}",
                                    "{\"counters.a\":1}",
                                    "{\"counters\":{\"a\":1,\"a\":2}}",
                                    "{\"counters\":{\"a\":1},\"counters\":{\"b\":2}}",
                                    "{\"counters\":{\"a\":\"1\"}}",
                                    "{\"seconds\":{\"lower\":1},\"seconds\":{\"upper\":2}}",
                                    "{\"seconds\":1,\"seconds\":{\"lower\":2}}",
                                    "{\"seconds\":{\"lower\":2},\"seconds\":1}",
                                    "{\"seconds\":{\"lower\":{\"x\":1}}}",
                                    "{\"commit\":\"a\",\"commit\":\"b\"}",
                                    "{\"flops\":1e400}",
                                    "{\"samples\":[1e400]}",
                                    "{\"samples\":[[1]]}",
                                    "{\"samples\":1}",
                                    "{\"flops\":99999999999999999999999}",
                                    "{\"label\":\"\\ud800\"}",
                                    "{\"label\":\"\\ud83d\\ude80\"}"};
  roof_ledger_entry entry;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    assert_true(rf_ledger_scan(good[i], strlen(good[i]), &entry));
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    if (rf_ledger_scan(bad[i], strlen(bad[i]), &entry)) {
      fail_msg("read: %s", bad[i]);
    }
  }
}

static void signed_by(const char *key) {
  roof_sealing s = sealing(key, 1, 1);
  roof_ledger_options how = {.key = key};
  roof_error error = {0};
  if (roof_ledger_seal(path, &s, 1, &how, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
}

static void signatures(void **state) {
  (void)state;
  char key[128], other[128], public_key[140], wrong[140];
  snprintf(key, sizeof key, "%s/key", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  snprintf(public_key, sizeof public_key, "%s.pub", key);
  snprintf(wrong, sizeof wrong, "%s.pub", other);
  roof_ledger_summary summary;
  roof_error error = {0};
  struct stat info;
  assert_int_equal(roof_ledger_keygen(key, NULL), ROOF_OK);
  assert_int_equal(roof_ledger_keygen(other, NULL), ROOF_OK);
  assert_int_equal(roof_ledger_keygen(key, &error), ROOF_E_OUTPUT);
  assert_int_equal(stat(key, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  signed_by(key);
  assert_int_equal(record(key, 1), ROOF_OK);
  assert_int_equal(roof_ledger_verify(path, public_key, &summary, NULL), ROOF_OK);
  assert_int_equal(summary.signatures, 1);
  assert_int_equal(roof_ledger_verify(path, wrong, &summary, &error), ROOF_E_GATE);
  assert_int_equal(error.line, 1);
  assert_int_equal(roof_ledger_verify(path, key, &summary, &error), ROOF_E_INPUT);
  signed_by(other);
  assert_int_equal(roof_ledger_verify(path, public_key, &summary, &error), ROOF_E_GATE);
  assert_int_equal(error.line, 3);
  assert_non_null(strstr(error.message, "another key"));
  assert_int_equal(seal("plain", 1, 1, NULL), ROOF_OK);
  unlink(other), unlink(wrong), unlink(key), unlink(public_key);
}

static void a_key_others_can_read_is_refused(void **state) {
  (void)state;
  char key[128], public_key[140];
  snprintf(key, sizeof key, "%s/key", folder);
  snprintf(public_key, sizeof public_key, "%s.pub", key);
  assert_int_equal(roof_ledger_keygen(key, NULL), ROOF_OK);
  roof_sealing s = sealing("l", 1, 1);
  roof_ledger_options how = {.key = key};
  roof_error error = {0};
  static const mode_t modes[] = {0640, 0604, 0620};
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
    assert_int_equal(chmod(key, modes[i]), 0);
    assert_int_equal(roof_ledger_seal(path, &s, 1, &how, &error), ROOF_E_INPUT);
    assert_non_null(strstr(error.message, "chmod 600"));
  }
  assert_int_equal(access(path, F_OK), -1);
  how.key = public_key;
  chmod(public_key, 0600);
  assert_int_equal(roof_ledger_seal(path, &s, 1, &how, &error), ROOF_E_INPUT);
  unlink(key), unlink(public_key);
}

/** What is not the line that keygen writes is no key: a digit too many or too few, another letter, the public one. */
static void a_damaged_key_is_refused(void **state) {
  (void)state;
  char key[128], public_key[140], line[256] = "";
  snprintf(key, sizeof key, "%s/key", folder);
  snprintf(public_key, sizeof public_key, "%s.pub", key);
  assert_int_equal(roof_ledger_keygen(key, NULL), ROOF_OK);
  FILE *file = fopen(key, "r");
  assert_non_null(fgets(line, sizeof line, file));
  fclose(file);
  size_t digits = strcspn(line, "\n");
  static const struct {
    const char *before, *after;
    size_t less;
  } changed[] = {{"", "0", 0}, {"", "00", 0}, {"", "", 1}, {"", "g", 1}, {"x", "", 0}};
  roof_sealing s = sealing("l", 1, 1);
  roof_ledger_options how = {.key = key};
  for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++) {
    roof_error error = {0};
    file = fopen(key, "w");
    int count = (int)(digits - changed[i].less);
    assert_true(fprintf(file, "%s%.*s%s\n", changed[i].before, count, line, changed[i].after) > 0);
    fclose(file);
    assert_int_equal(roof_ledger_seal(path, &s, 1, &how, &error), ROOF_E_INPUT);
    assert_non_null(strstr(error.message, "must be one line `ed25519-secret HEX`"));
  }
  unlink(key), unlink(public_key);
}

/** A signature made for other content is found although the line's own SHA-256 is made anew. */
static void a_forged_line_is_found(void **state) {
  (void)state;
  char key[128], public_key[140], digest[ROOF_DIGEST_MAX];
  snprintf(key, sizeof key, "%s/key", folder);
  snprintf(public_key, sizeof public_key, "%s.pub", key);
  assert_int_equal(roof_ledger_keygen(key, NULL), ROOF_OK);
  signed_by(key);
  size_t length;
  char *text = slurp(&length);
  char *expected = strstr(text, "\"expected\":1");
  expected[strlen("\"expected\":")] = '2';
  char *seal_at = strstr(text, ",\"sha256\"");
  roof_ledger_digest(text, (size_t)(seal_at - text), digest);
  memcpy(seal_at + strlen(",\"sha256\":\""), digest, LEDGER_DIGEST);
  spill(text, length);
  roof_error error = {0};
  assert_int_equal(verify(&error), ROOF_E_GATE);
  assert_string_equal(error.message, "entry 1: its signature does not match");
  free(text);
  unlink(key), unlink(public_key);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

/** Lengths around whole blocks, taken at once and in parts: what the processor's instructions take and what they leave. */
static void digests_are_those_of_libsodium(void **state) {
  (void)state;
  enum { MOST = 600 };
  static char text[MOST];
  for (size_t i = 0; i < MOST; i++) {
    text[i] = (char)(i * 37 + i / 7);
  }
  for (size_t length = 0; length <= MOST; length++) {
    unsigned char expected[crypto_hash_sha256_BYTES], found[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(expected, (const unsigned char *)text, length);
    for (size_t first = 0; first <= length; first += length / 3 + 1) {
      crypto_hash_sha256_state hash;
      crypto_hash_sha256_init(&hash);
      rf_hash_add(&hash, text, first);
      rf_hash_add(&hash, text + first, length - first);
      crypto_hash_sha256_final(&hash, found);
      assert_memory_equal(found, expected, sizeof expected);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digests_are_those_of_libsodium),
      TEST(a_line_says_all_of_it),
      TEST(the_chain_is_of_whole_lines),
      TEST(one_changed_byte_anywhere_is_found),
      TEST(missing_and_swapped_lines_are_found),
      TEST(a_torn_last_line_is_dropped_by_the_next_append),
      TEST(a_torn_first_line_is_dropped_too),
      TEST(a_whole_entry_without_its_newline_is_kept),
      TEST(long_lines_are_found_from_the_end),
      TEST(a_file_that_is_no_ledger_is_left_alone),
      TEST(unwritable_places_are_named),
      TEST(a_full_disk_appends_nothing),
      TEST(what_cannot_be_sealed),
      TEST(two_writers_at_once),
      TEST(killed_while_appending),
      TEST(three_predictions_two_measurements),
      TEST(a_reconciliation_is_written_and_gated),
      TEST(what_was_done_is_written),
      TEST(entries_are_read_and_written),
      TEST(lists_are_read_for_sealing),
      TEST(the_commit_of_the_working_folder),
      TEST(predictions_of_documents_are_completed),
      TEST(the_first_prediction_counts_unless_the_last_is_asked_for),
      TEST(predicting_after_measuring_does_not_count),
      TEST(an_empty_ledger_reconciles_to_nothing),
      TEST(what_entries_say_of_each_other_is_checked),
      TEST(a_measurement_of_no_prediction_says_so),
      TEST(a_clock_is_set_within_one_start),
      TEST(a_ledger_goes_on_from_its_earlier_states),
      TEST(labels_are_one_line_of_text),
      TEST(what_a_sceptic_asks_about_is_named),
      TEST(a_measurement_does_not_contradict_its_samples),
      TEST(a_prediction_that_contradicts_itself_is_refused),
      TEST(a_label_has_its_measured_time),
      TEST(a_changed_ledger_is_not_reconciled),
      TEST(a_measurement_needs_an_older_prediction),
      TEST(unsealed_is_marked_for_ever),
      TEST(unsealed_counts_where_there_is_no_other),
      TEST(a_changed_ledger_takes_no_measurement),
      TEST(a_list_is_sealed_whole_or_not_at_all),
      TEST(documents_are_read_for_sealing),
      TEST(only_what_was_predicted_is_recorded),
      TEST(what_is_unknown_reads_back_as_such),
      TEST(only_json_is_read),
      TEST(signatures),
      TEST(a_key_others_can_read_is_refused),
      TEST(a_damaged_key_is_refused),
      TEST(a_forged_line_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
