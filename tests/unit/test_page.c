/* The page: its structure, what it says of each cell, its size. The pictures are in test_draw.c. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "draw/value.h"
#include "roofline/page.h"

static void numbers_are_read_back(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } rows[] = {{"17.10 ms", 17.1e-3},
              {"2.000 \xC2\xB5s", 2e-6},
              {"5 s", 5},
              {"48 GiB", 48 * 0x1p30},
              {"3.350 TB/s", 3.35e12},
              {"989.4 TFLOP/s", 989.4e12},
              {"46.64 ktokens/s", 46640},
              {"46.64 k", 46640},
              {"49.0 \xC2\xB1"
               "5.1 %",
               0.49},
              {"1.25x", 1.25},
              {"3.3 below", 3.3},
              {"12 kernels", 12},
              {"+4", 4},
              {"-1.5 %", -0.015},
              {"unknown", NAN},
              {"", NAN},
              {"-", NAN}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    double value = rf_value_of_text(rows[i].text);
    if (!(isnan(rows[i].value) ? isnan(value) : fabs(value - rows[i].value) <= 1e-12 * fabs(value))) {
      fail_msg("%s: %g", rows[i].text, value);
    }
  }
}

static void draw(const roof_table *table, roof_text *out) {
  const roof_page_section section = {.part = ROOF_PAGE_VERDICTS, .tables = table, .table_count = 1};
  const roof_page page = {"a title", "an answer", &section, 1};
  assert_int_equal(roof_page_draw(&page, out, NULL), ROOF_OK);
}

static void check_has(const roof_text *out, const char *piece) {
  if (strstr(out->data, piece) == NULL) {
    fail_msg("%s: not in %s", piece, strstr(out->data, "<main>"));
  }
}

static void cells_say_what_they_are(void **state) {
  (void)state;
  const char *const cells[] = {"kernel", "time",    "verdict", "a<b", "1.5 ms", "normal",
                               "c",      "unknown", "bug",     "d",   "2 s",    "low, noisy"};
  const char *const keys[] = {"one", "two", "three"};
  roof_table table = {.title = "Kernels", .cells = cells, .columns = 3, .rows = 3, .verdict = 2};
  roof_text out = {0};
  draw(&table, &out);
  check_has(&out, "<title>a title</title>");
  check_has(&out, "<h1>an answer</h1>\n<p class=\"about\">a title</p>");
  check_has(&out,
            "<section id=\"verdicts\" aria-labelledby=\"verdicts-heading\">\n<h2 id=\"verdicts-heading\">");
  check_has(&out, "<caption>Kernels</caption>");
  check_has(&out, "<th scope=\"col\">kernel</th><th scope=\"col\" class=\"n\">time</th>");
  check_has(&out, "<tr data-key=\"a&lt;b\"><th scope=\"row\">a&lt;b</th><td "
                  "data-value=\"0.0015\">1.5 ms</td><td class=\"good\">normal</td></tr>");
  check_has(&out, "<td class=\"n\">unknown</td><td class=\"bad\">bug</td>");
  check_has(&out, "<td data-value=\"2\">2 s</td><td class=\"doubt\">low, noisy</td>");
  assert_null(strstr(out.data, "<details"));
  roof_text_done(&out);
  table.keys = keys;
  table.folded = true;
  draw(&table, &out);
  check_has(&out, "<details>\n<summary>Kernels (3)</summary>");
  check_has(&out, "<tr data-key=\"three\"><th scope=\"row\">d</th>");
  roof_text_done(&out);
}

enum { KERNELS = 2000, COLUMNS = 12 };

/** With names as long as those of templates. */
static void thousands_of_kernels_stay_small(void **state) {
  (void)state;
  static char names[KERNELS][160];
  static const char *cells[(KERNELS + 1) * COLUMNS];
  roof_text out = {0};
  for (int row = 0; row <= KERNELS; row++) {
    for (int column = 0; column < COLUMNS; column++) {
      cells[row * COLUMNS + column] = row == 0 ? "a header" : "123.4 GFLOP/s";
    }
    if (row > 0) {
      snprintf(names[row - 1], sizeof names[0], "void cutlass::Kernel<cutlass_80_tensorop_s16816gemm_%d>",
               row);
      cells[row * COLUMNS] = names[row - 1];
    }
  }
  const roof_table table = {.title = "Kernels", .cells = cells, .columns = COLUMNS, .rows = KERNELS};
  draw(&table, &out);
  check_has(&out, "<details>\n<summary>Kernels (2000)</summary>");
  assert_in_range(out.length, 1000000, 1500000);
  roof_text_done(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_read_back),
      cmocka_unit_test(cells_say_what_they_are),
      cmocka_unit_test(thousands_of_kernels_stay_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
