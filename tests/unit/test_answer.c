/* An answer as a screen and as a page show it: tables come back as they were added, the page has its lines and tables by part. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "draw/answer.h"

static const rf_screen wide_screen = {.width = 80};

static void add_rows(roof_text *out, const char *const *cells, int rows) {
  rf_answer_table table = {.count = 3, .has_header = true};
  table.columns[0].name = true;
  table.columns[1] = (rf_table_column){.right = true, .rank = 7};
  table.columns[2] = (rf_table_column){.verdict = true, .optional = true};
  rf_cells_add_row(&table.grid, cells, 3 * rows);
  rf_answer_add_table(out, &table);
  assert_int_equal(table.grid.count, 0);
}

static void tables_come_back(void **state) {
  (void)state;
  static const char *const cells[] = {"kernel", "time", "verdict", "a\036\037b\034", "1 s", ""};
  roof_text answer = {0};
  rf_answer_table read = {0};
  add_rows(&answer, cells, 2);
  roof_text_add(&answer, "behind\n");
  assert_int_equal(rf_answer_kind_of(answer.data), RF_ANSWER_TABLE);
  assert_string_equal(rf_answer_read_table(answer.data, &read), "behind\n");
  const char **list = rf_cells_list(&read.grid);
  assert_int_equal(read.count, 3);
  assert_int_equal(read.grid.count, 6);
  assert_true(read.has_header && read.columns[0].name && read.columns[1].right && read.columns[2].verdict);
  assert_true(read.columns[2].optional && !read.columns[2].right && !read.wide);
  assert_int_equal(read.columns[1].rank, 7);
  assert_string_equal(list[3], "a\xEF\xBF\xBD\xEF\xBF\xBD"
                               "b\xEF\xBF\xBD");
  assert_string_equal(list[4], "1 s");
  free(list);
  rf_cells_done(&read.grid);
  roof_text_done(&answer);
}

static void screens_have_no_parts(void **state) {
  (void)state;
  static const char *const cells[] = {"kernel", "time", "verdict", "a", "1 s", "bug"};
  roof_text answer = {0}, shown = {0};
  roof_text_add(&answer, "first\n");
  rf_answer_add_part(&answer, ROOF_PAGE_NEXT);
  add_rows(&answer, cells, 2);
  roof_text_add(&answer, "last\n");
  rf_answer_show(&shown, &wide_screen, &wide_screen, answer.data);
  assert_string_equal(shown.data, "first\n  kernel  time  verdict\n  a        1 s  bug\nlast\n");
  roof_text_done(&answer);
  roof_text_done(&shown);
}

/** What only looks like a table or a part is a line. */
static void broken_marks_are_lines(void **state) {
  (void)state;
  static const char *const lines[] = {"\034",         "\034\n", "\0341@0", "\0341@0\nx\036",
                                      "\0341@\n\037", "\035",   "\0359\n", "\0350"};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    roof_text shown = {0}, page = {0};
    const rf_answer_frame frame = {.part = ROOF_PAGE_PREDICTED};
    assert_int_equal(rf_answer_kind_of(lines[i]), RF_ANSWER_LINE);
    rf_answer_show(&shown, &wide_screen, &wide_screen, lines[i]);
    assert_false(shown.failed);
    assert_int_equal(rf_answer_page(lines[i], &frame, &page, NULL), ROOF_OK);
    roof_text_done(&shown);
    roof_text_done(&page);
  }
}

static void check_order(const char *page, const char *const *pieces) {
  for (; *pieces != NULL; pieces++) {
    const char *found = strstr(page, *pieces);
    if (found == NULL) {
      fail_msg("%s: not behind the one before it in %s", *pieces, strstr(page, "<main>"));
    }
    page = found;
  }
}

static void pages_have_parts(void **state) {
  (void)state;
  static const char *const cells[] = {"kernel", "time", "verdict", "a", "1 s", "bug"};
  roof_text answer = {0}, page = {0};
  roof_text_add(&answer, RF_MARK_BOLD "The headline" RF_MARK_END "\n"
                                      "  memory      1 GiB\n"
                                      "              of 2 GiB\n"
                                      "  time\n"
                                      "    compute   1 s  of it\n"
                                      "A sentence.\n\n"
                                      "Its caption\n");
  add_rows(&answer, cells, 2);
  roof_text_add(&answer, "Behind it.\n");
  rf_answer_add_part(&answer, ROOF_PAGE_MACHINE);
  roof_text_add(&answer, "The machine.\n");
  const rf_answer_frame frame = {.title = "title", .part = ROOF_PAGE_PREDICTED};
  assert_int_equal(rf_answer_page(answer.data, &frame, &page, NULL), ROOF_OK);
  static const char *const pieces[] = {"<h1>The headline</h1>",
                                       "<section id=\"machine\"",
                                       "<p>The machine.</p>",
                                       "<section id=\"predicted\"",
                                       "<table class=\"facts\">",
                                       "<tr><th scope=\"row\">memory</th><td>1 GiB; of 2 GiB</td></tr>",
                                       "<tr><th scope=\"row\">time</th><td></td></tr>",
                                       "compute</th><td>1 s \xE2\x80\x94 of it</td></tr>",
                                       "<caption>Its caption</caption>",
                                       "<td class=\"bad\">bug</td>",
                                       "<p>Behind it.</p>",
                                       NULL};
  check_order(page.data, pieces);
  assert_non_null(strstr(page.data, "<p>A sentence.</p>"));
  assert_null(strstr(page.data, "<p>Its caption"));
  roof_text_done(&answer);
  roof_text_done(&page);
}

/** An answer that begins with a part has its headline behind it. */
static void a_headline_may_follow_a_part(void **state) {
  (void)state;
  roof_text answer = {0}, page = {0};
  rf_answer_add_part(&answer, ROOF_PAGE_MEASURED);
  roof_text_add(&answer, "The headline\nA sentence.\n");
  const rf_answer_frame frame = {.part = ROOF_PAGE_PREDICTED};
  assert_int_equal(rf_answer_page(answer.data, &frame, &page, NULL), ROOF_OK);
  static const char *const pieces[] = {"<h1>The headline</h1>", "<section id=\"measured\"",
                                       "<p>A sentence.</p>", NULL};
  check_order(page.data, pieces);
  assert_null(strstr(page.data, "<section id=\"predicted\""));
  roof_text_done(&answer);
  roof_text_done(&page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_come_back),
      cmocka_unit_test(screens_have_no_parts),
      cmocka_unit_test(broken_marks_are_lines),
      cmocka_unit_test(pages_have_parts),
      cmocka_unit_test(a_headline_may_follow_a_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
