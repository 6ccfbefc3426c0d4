/* What a terminal is sent: safe, wrapped, in columns, coloured, in ASCII where it knows no more. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "draw/glyph.h"
#include "draw/screen.h"
#include "draw/table.h"

static const rf_screen plain = {.width = 80};
static roof_text out;

static const char *shown(const rf_screen *screen, const char *text) {
  roof_text_done(&out);
  rf_screen_add(&out, screen, text);
  assert_false(out.failed);
  return out.data != NULL ? out.data : "";
}

/** The cells of the widest line. */
static int widest(const char *text) {
  int most = 0;
  char line[2048];
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    assert_true(length < sizeof line);
    memcpy(line, text, length);
    line[length] = '\0';
    int width = rf_glyph_width(line);
    most = width > most ? width : most;
    text += length + (text[length] == '\n');
  }
  return most;
}

static void test_controls_are_neutralised(void **state) {
  (void)state;
  const char *const unsafe[] = {"\033[31m",
                                "\x01",
                                "\x7F",
                                ("\xC2\x9B"
                                 "2J"),
                                "\xE2\x80\xAE",
                                "\xE2\x80\xAA",
                                "\xE2\x81\xA6",
                                "\xE2\x81\xA9",
                                "\xE2\x80\x8E",
                                "\xE2\x80\x8F",
                                "\xD8\x9C",
                                "\xE2\x80\xA8",
                                "\r",
                                "\xFF",
                                "\x0Ez"};
  for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++) {
    char text[64];
    snprintf(text, sizeof text, "a%sb\n", unsafe[i]);
    const char *got = shown(&plain, text);
    assert_int_equal(got[0], 'a');
    assert_memory_equal(got + 1, "\xEF\xBF\xBD", 3);
    assert_null(strpbrk(got, "\033\r\x01\x7F\x0E"));
    assert_null(strstr(got, "\xC2\x9B"));
  }
  assert_string_equal(shown(&plain, "a\tb\n"), "a b\n");
  assert_string_equal(shown(&plain, "caf\xC3\xA9 \xE6\xBC\xA2\n"), "caf\xC3\xA9 \xE6\xBC\xA2\n");
}

static void test_ascii(void **state) {
  (void)state;
  const rf_screen ascii = {.width = 80, .ascii = true};
  assert_string_equal(shown(&ascii, "3 \xC2\xB5s \xC2\xB1 1 \xC3\x97 2 \xC2\xB7 \xE2\x86\x92 \xE2\x89\xA4 "
                                    "\xE2\x96\x88\xE2\x96\x88 \xE2\x80\xA6\n"),
                      "3 us +- 1 x 2 . -> <= ## ..\n");
  assert_string_equal(shown(&ascii, "\xE6\xBC\xA2 \xE2\x94\x82 e\xCC\x81\n"), "? | e\n");
  for (unsigned code = 0x80; code < 0x30000; code += 7) {
    char bytes[RF_GLYPH_BYTES];
    rf_glyph_plain(bytes, code, true);
    for (const char *c = bytes; *c != '\0'; c++) {
      assert_true(*c >= ' ' && *c <= '~');
    }
  }
}

static void test_lines_wrap(void **state) {
  (void)state;
  const rf_screen narrow = {.width = 30};
  assert_string_equal(shown(&narrow, "one two three four five six seven\n"),
                      "one two three four five six\n  seven\n");
  assert_string_equal(shown(&narrow, "  label   one two three four five\n"),
                      "  label   one two three four\n          five\n");
  assert_string_equal(shown(&narrow, "  - one two three four five six\n"),
                      "  - one two three four five\n    six\n");
  assert_string_equal(shown(&narrow, "  [12] one two three four five\n"), "  [12] one two three four five\n");
  assert_string_equal(shown(&narrow, "  [12] one two three four fives s\n"),
                      "  [12] one two three four\n       fives s\n");
  assert_string_equal(shown(&narrow, "          one two three four five six\n"),
                      "          one two three four\n          five six\n");
  assert_string_equal(shown(&narrow, "blanks at the end   \n"), "blanks at the end\n");
  assert_string_equal(shown(&narrow, "asks? "), "asks? ");
}

static void test_the_last_column_of_a_row_wraps_in_itself(void **state) {
  (void)state;
  const rf_screen narrow = {.width = 63};
  assert_string_equal(
      shown(&narrow, "  fp16     16      2            1   not native  training with a scaled loss\n"),
      "  fp16     16      2            1   not native  training with a\n"
      "                                                scaled loss\n");
  assert_string_equal(
      shown(&narrow, "  a case that takes much room to say  what is to be done about it then\n"),
      "  a case that takes much room to say  what is to be done about\n"
      "                                      it then\n");
}

static void test_wrapping_keeps_together(void **state) {
  (void)state;
  const rf_screen narrow = {.width = 24};
  assert_string_equal(shown(&narrow, "expected about 78.25 ms\n"), "expected about 78.25 ms\n");
  assert_string_equal(shown(&narrow, "it is expected about 78 %\n"), "it is expected about\n  78 %\n");
  assert_string_equal(shown(&narrow, "it is expected about 78 \xC2\xB5s\n"),
                      "it is expected about\n  78 \xC2\xB5s\n");
  assert_string_equal(shown(&narrow, "see /a/path/that/is/longer/than/a/line now\n"),
                      "see\n  /a/path/that/is/longer/than/a/line\n  now\n");
  assert_string_equal(shown(&narrow, "  roofline run --op 'a b c' --quick\n"),
                      "  roofline run --op \\\n    'a b c' --quick\n");
  assert_string_equal(shown(&narrow, "  roofline  two ceilings, one model\n"),
                      "  roofline  two\n            ceilings,\n            one model\n"); /* a table's row */
}

static void test_wide_characters_count_twice(void **state) {
  (void)state;
  const rf_screen narrow = {.width = 12};
  assert_string_equal(
      shown(&narrow, "\xE6\xBC\xA2\xE6\xBC\xA2 \xE6\xBC\xA2\xE6\xBC\xA2 \xE6\xBC\xA2\xE6\xBC\xA2\n"),
      "\xE6\xBC\xA2\xE6\xBC\xA2 \xE6\xBC\xA2\xE6\xBC\xA2\n  \xE6\xBC\xA2\xE6\xBC\xA2\n");
  assert_int_equal(rf_glyph_width("e\xCC\x81\xE6\xBC\xA2"), 3);
}

static void test_colours(void **state) {
  (void)state;
  const rf_screen color = {.width = 80, .color = true};
  const char *text = RF_MARK_RED "bug" RF_MARK_END "\n";
  assert_string_equal(shown(&plain, text), "bug\n");
  assert_string_equal(shown(&color, text), "\033[31mbug\033[0m\n");
  assert_string_equal(rf_screen_verdict("normal, within noise"), RF_MARK_GREEN);
  assert_string_equal(rf_screen_verdict("impossible: 194 %"), RF_MARK_RED);
  assert_string_equal(rf_screen_verdict("low"), RF_MARK_YELLOW);
  assert_string_equal(rf_screen_verdict("-"), RF_MARK_DIM);
  assert_string_equal(rf_screen_verdict("normality"), "");
}

/* Four columns: a name, two numbers, a text. */
static const rf_table_column columns[] = {
    {.name = true}, {.right = true, .rank = 1}, {.right = true}, {.verdict = true}};
static const char *const cells[] = {"kernel",
                                    "FLOP per byte",
                                    "time",
                                    "limit",
                                    "a_kernel_with_a_long_name_of_forty_letters",
                                    "12.5",
                                    "100 ns",
                                    "memory, the outermost level of it",
                                    "b",
                                    "-",
                                    "20 ns",
                                    "bug"};

static const char *table(int width) {
  const rf_screen screen = {.width = width};
  roof_text_done(&out);
  rf_table_add(&out, &screen, cells, columns, 4, 3, true);
  assert_false(out.failed);
  return out.data;
}

static void test_table_fits_every_width(void **state) {
  (void)state;
  for (int width = 40; width <= 200; width++) {
    const rf_screen screen = {.width = width};
    roof_text text = {0};
    roof_text_add(&text, table(width));
    const char *got = shown(&screen, text.data);
    roof_text_done(&text);
    assert_true(widest(got) <= width);
    assert_non_null(strstr(got, "100 ns"));
  }
}

static void test_table_as_it_narrows(void **state) {
  (void)state;
  assert_non_null(strstr(table(200), "  a_kernel_with_a_long_name_of_forty_letters           12.5  100 ns  "
                                     "memory, the outermost level of it\n"));
  const char *text = table(72); /* headers and texts wrap, no name is cut */
  assert_non_null(strstr(text, "letters"));
  assert_null(strstr(text, "not shown"));
  text = table(50); /* names are cut in the middle */
  assert_non_null(strstr(text, "\xE2\x80\xA6"));
  assert_non_null(strstr(text, "etters"));
  text = table(44); /* a column is left out, and named */
  assert_null(strstr(text, "12.5"));
  assert_non_null(strstr(text, "not shown: FLOP per byte (COLUMNS="));
}

static void test_table_in_blocks(void **state) {
  (void)state;
  const rf_table_column keys[] = {
      {.right = false}, {.right = true, .key = true}, {.right = true}, {.right = true}, {.right = true}};
  const char *const numbers[] = {"machine", "n", "one",        "two",        "three",
                                 "host",    "4", "1111111111", "2222222222", "3333333333"};
  const rf_screen narrow = {.width = 40};
  roof_text_done(&out);
  rf_table_add(&out, &narrow, numbers, keys, 5, 2, true);
  assert_string_equal(out.data, "  machine  n         one         two\n"
                                "  host     4  1111111111  2222222222\n"
                                "\n"
                                "  machine  n       three\n"
                                "  host     4  3333333333\n");
}

static void test_a_wrapped_cell_keeps_its_indentation(void **state) {
  (void)state;
  const rf_table_column two[] = {{.right = false}, {.right = true}};
  const char *const rows[] = {"peak", "rate", "    measured vector, of a kernel", "1111111111111111111"};
  const rf_screen narrow = {.width = 42};
  roof_text_done(&out);
  rf_table_add(&out, &narrow, rows, two, 2, 2, true);
  assert_string_equal(out.data, "  peak                                rate\n"
                                "      measured         1111111111111111111\n"
                                "      vector, of a\n"
                                "      kernel\n");
}

static void test_optional_columns_show_what_is_known(void **state) {
  (void)state;
  const rf_table_column three[] = {{.right = false}, {.right = true, .optional = true}, {.right = true}};
  const rf_screen wide = {.width = 80};
  const char *const none[] = {"kernel", "lost", "rate", "a", "-", "-"}, *const some[] = {"kernel", "lost",
                                                                                         "rate",   "a",
                                                                                         "3",      "-"};
  roof_text_done(&out);
  rf_table_add(&out, &wide, none, three, 3, 2, true);
  assert_string_equal(out.data, "  kernel  rate\n  a          -\n");
  roof_text_done(&out);
  rf_table_add(&out, &wide, some, three, 3, 2, true);
  assert_string_equal(out.data, "  kernel  lost  rate\n  a          3     -\n");
}

static void test_empty_columns_go_first(void **state) {
  (void)state;
  const rf_table_column all[] = {{.right = false}, {.right = true}, {.right = true, .rank = 1}};
  const char *const unknown[] = {"kernel", "unknown", "known", "a_word_of_twenty_cell", "-", "1111111111"};
  const rf_screen narrow = {.width = 40};
  roof_text_done(&out);
  rf_table_add(&out, &narrow, unknown, all, 3, 2, true);
  assert_string_equal(out.data, "  kernel                      known\n"
                                "  a_word_of_twenty_cell  1111111111\n");
}

static void test_cells_are_neutralised(void **state) {
  (void)state;
  const rf_table_column one[] = {{.right = false}};
  const char *const names[] = {"a\nb\033[2J" RF_MARK_RED};
  roof_text_done(&out);
  rf_table_add(&out, &plain, names, one, 1, 1, false);
  assert_string_equal(out.data, "  a\xEF\xBF\xBD"
                                "b\xEF\xBF\xBD[2J\xEF\xBF\xBD"
                                "r\n");
  roof_text_done(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_controls_are_neutralised),
                                     cmocka_unit_test(test_ascii),
                                     cmocka_unit_test(test_lines_wrap),
                                     cmocka_unit_test(test_the_last_column_of_a_row_wraps_in_itself),
                                     cmocka_unit_test(test_wrapping_keeps_together),
                                     cmocka_unit_test(test_wide_characters_count_twice),
                                     cmocka_unit_test(test_colours),
                                     cmocka_unit_test(test_table_fits_every_width),
                                     cmocka_unit_test(test_table_as_it_narrows),
                                     cmocka_unit_test(test_table_in_blocks),
                                     cmocka_unit_test(test_empty_columns_go_first),
                                     cmocka_unit_test(test_optional_columns_show_what_is_known),
                                     cmocka_unit_test(test_a_wrapped_cell_keeps_its_indentation),
                                     cmocka_unit_test(test_cells_are_neutralised)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
