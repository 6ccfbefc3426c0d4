/* What is asked of several machines of the catalogue: found by a word, linted, compared; and their
 * documents. */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "owned.h"
#include "roofline/catalog.h"

static char folder[] = "/tmp/test-search-XXXXXX";
static char broken[64];

/** A folder with a file that is no JSON, as $ROOFLINE_PATH. */
static int set_up(void **state) {
  (void)state;
  setenv("XDG_CONFIG_HOME", "/dev/null", 1);
  if (mkdtemp(folder) == NULL) {
    return 1;
  }
  snprintf(broken, sizeof broken, "%s/broken.json", folder);
  FILE *file = fopen(broken, "w");
  return file == NULL || fputs("{\"schema\": \"roofline.machine/1\",\n", file) < 0 || fclose(file) != 0;
}

static int tear_down(void **state) {
  (void)state;
  remove(broken);
  return remove(folder);
}

static json_t *parse(roof_text *text) {
  json_t *document = json_loads(text->data, 0, NULL);
  assert_non_null(document);
  roof_text_done(text);
  return document;
}

static bool has(const roof_search *search, const char *name) {
  for (size_t i = 0; i < search->count; i++) {
    if (strcmp(search->machines[i].entry->name, name) == 0) {
      return true;
    }
  }
  return false;
}

static void a_word_finds_machines_by_any_of_their_texts(void **state) {
  (void)state;
  static const struct {
    const char *word, *name;
  } cases[] = {{"H100-sxm", "nvidia-h100-sxm"}, {"tesla-t4", "nvidia-t4"}, {"hopper", "nvidia-h100-sxm"},
               {"hbm3e", "nvidia-gh200-144gb"}, {"AMD", "amd-mi300x"},     {"", "nvidia-t4"}};
  unsetenv("ROOFLINE_PATH");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_search search;
    assert_int_equal(roof_catalog_search(cases[i].word, &search, NULL), ROOF_OK);
    if (!has(&search, cases[i].name) || (search.count == search.list.count) != (cases[i].word[0] == '\0')) {
      fail_msg("%s: %zu machines", cases[i].word, search.count);
    }
    roof_search_done(&search);
  }
  roof_search none;
  assert_int_equal(roof_catalog_search("zzzz", &none, NULL), ROOF_OK);
  assert_int_equal(none.count, 0);
  roof_search_done(&none);
}

static void a_file_that_does_not_read_is_named_and_hides_no_other(void **state) {
  (void)state;
  roof_search search;
  setenv("ROOFLINE_PATH", folder, 1);
  assert_int_equal(roof_catalog_search("h100-sxm", &search, NULL), ROOF_OK);
  assert_int_equal(search.count, 1);
  assert_int_equal(search.unreadable_count, 1);
  assert_string_equal(search.unreadable[0].file, broken);
  assert_int_equal(search.unreadable[0].line, 2);
  roof_search_done(&search);
  unsetenv("ROOFLINE_PATH");
}

static void what_was_found_is_written_as_its_document(void **state) {
  (void)state;
  roof_search search;
  roof_text text = {0};
  assert_int_equal(roof_catalog_search("nvidia-t4", &search, NULL), ROOF_OK);
  assert_int_equal(roof_search_write(&search, &text, NULL), ROOF_OK);
  roof_search_done(&search);
  json_t *document = parse(&text), *machine = json_array_get(json_object_get(document, "machines"), 0);
  assert_string_equal(json_string_value(json_object_get(document, "schema")), "roofline.machines/1");
  assert_string_equal(json_string_value(json_object_get(machine, "name")), "nvidia-t4");
  json_t *aliases = json_object_get(machine, "aliases");
  assert_int_equal(json_array_size(aliases), 2);
  assert_string_equal(json_string_value(json_array_get(aliases, 1)), "tesla-t4");
  assert_near(json_number_value(json_object_get(machine, "bytes_per_second")), 320e9, 1e-12);
  json_decref(document);
}

static void machines_are_linted_by_name(void **state) {
  (void)state;
  static const char *const names[] = {"h100", "nvidia-h20"}, *const wrong[] = {"h100", "h1000"};
  roof_lint lint;
  roof_error error = {0};
  assert_int_equal(roof_catalog_lint(names, 2, &lint, NULL), ROOF_OK);
  assert_int_equal(lint.machine_count, 2);
  assert_string_equal(lint.machines[0], "nvidia-h100-sxm");
  assert_int_equal(lint.errors, 0);
  assert_int_equal(lint.warnings, lint.count);
  bool seen = false;
  for (size_t i = 0; i < lint.count; i++) {
    seen = seen || (lint.findings[i].machine == lint.machines[1] && !lint.findings[i].finding.error &&
                    strcmp(lint.findings[i].finding.where, "peaks[1] fp32 vector") == 0);
  }
  assert_true(seen);
  roof_lint_done(&lint);
  assert_int_equal(roof_catalog_lint(wrong, 2, &lint, &error), ROOF_E_NAME);
}

static void the_catalogue_is_linted_whole(void **state) {
  (void)state;
  roof_lint lint;
  roof_text text = {0};
  setenv("ROOFLINE_PATH", folder, 1);
  assert_int_equal(roof_catalog_lint(NULL, 0, &lint, NULL), ROOF_OK);
  assert_int_equal(lint.errors, 1);
  assert_int_equal(roof_lint_write(&lint, &text, NULL), ROOF_OK);
  json_t *document = parse(&text), *machines = json_object_get(document, "machines"), *machine;
  assert_int_equal(json_array_size(machines), lint.machine_count);
  size_t i, findings = 0;
  json_array_foreach(machines, i, machine) {
    json_t *list = json_object_get(machine, "findings");
    findings += json_array_size(list);
    if (strcmp(json_string_value(json_object_get(machine, "name")), broken) == 0) {
      json_t *where = json_object_get(json_array_get(list, 0), "where");
      assert_string_equal(json_string_value(where), "line 2, column 1");
    }
  }
  assert_int_equal(findings, lint.count);
  json_decref(document);
  roof_lint_done(&lint);
  unsetenv("ROOFLINE_PATH");
}

static void machines_compare_by_ratios_to_the_first(void **state) {
  (void)state;
  owned roof_machine *a100 = NULL;
  owned roof_machine *h100 = NULL;
  roof_comparison_row *rows = NULL;
  size_t count = 0;
  roof_text text = {0};
  assert_int_equal(roof_catalog_load("a100", &a100, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  roof_machine *const machines[] = {a100, h100};
  assert_int_equal(roof_machines_compare(machines, 2, &rows, &count, NULL), ROOF_OK);
  int seen = 0;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(rows[i].key, "bytes_per_second") == 0) {
      assert_near(rows[i].ratios[0], 1, 1e-15);
      assert_near(rows[i].ratios[1], 3350.0 / 2039, 1e-12);
      seen++;
    } else if (strcmp(rows[i].key, "fp8_matrix_flops_per_second") == 0) {
      assert_true(isnan(rows[i].ratios[0]) && isnan(rows[i].ratios[1]));
      seen++;
    }
  }
  assert_int_equal(seen, 2);
  roof_comparison_write_csv(machines, 2, rows, count, &text);
  assert_memory_equal(text.data, "figure,", 7);
  assert_non_null(strstr(text.data, "\nmemory_bytes,"));
  roof_text_done(&text);
  assert_int_equal(roof_comparison_write(machines, 2, rows, count, &text, NULL), ROOF_OK);
  json_t *document = parse(&text);
  assert_int_equal(json_array_size(json_object_get(document, "rows")), count);
  assert_string_equal(json_string_value(json_array_get(json_object_get(document, "machines"), 1)),
                      h100->name);
  json_decref(document);
  roof_text_done(&text);
  roof_comparison_sentence(&text, machines, 2, rows, count);
  assert_string_equal(text.data,
                      "nvidia-h100-sxm: 3.17x the bf16 peak, 3.43x the fp32 peak, 1.64x the bandwidth, "
                      "1.00x the memory of nvidia-a100-sxm-80gb\n");
  roof_text_done(&text);
  free(rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_word_finds_machines_by_any_of_their_texts),
      cmocka_unit_test(a_file_that_does_not_read_is_named_and_hides_no_other),
      cmocka_unit_test(what_was_found_is_written_as_its_document),
      cmocka_unit_test(machines_are_linted_by_name),
      cmocka_unit_test(the_catalogue_is_linted_whole),
      cmocka_unit_test(machines_compare_by_ratios_to_the_first),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
