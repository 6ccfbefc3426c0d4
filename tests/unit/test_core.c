/* The core's small parts, as tables: quantities, text, statistics, formats, machines, options. */
#include "test.h"

#include <stdio.h>

#include "core/stats.h"
#include "owned.h"
#include "roofline/machine.h"
#include "roofline/ops.h"
#include "roofline/predict.h"
#include "roofline/text.h"
#include "roofline/units.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void quantities_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *unit;
    double value;
  } cases[] = {
      {"4096", "", 4096},
      {"4k", "", 4000},
      {"4K", "", 4000},
      {"4Ki", "", 4096},
      {"1.5M", "", 1.5e6},
      {"2e9", "", 2e9},
      {"-5", "", -5},
      {"+7", "", 7},
      {".5", "", 0.5},
      {"1 G", "", 1e9},
      {"3T", "", 3e12},
      {"1P", "", 1e15},
      {"1E", "", 1e18},
      {"1Ei", "", 0x1p60},
      {"1e-400", "", 0},
      {"8us", "s", 8e-6},
      {"8 us", "s", 8e-6},
      {"8\xC2\xB5s", "s", 8e-6},
      {"8\xCE\xBCs", "s", 8e-6},
      {"3ns", "s", 3e-9},
      {"7m", "", NAN},
      {"2ms", "s", 2e-3},
      {"3.35TB/s", "B/s", 3.35e12},
      {"3.35T", "B/s", 3.35e12},
      {"80GiB", "B", 80 * 0x1p30},
      {"64", "B", 64},
      {"64B", "B", 64},
      {"989TFLOP/s", "FLOP/s", 989e12},
      {"1200tflops", "FLOP/s", 1200e12},
      {"1200 TFlops", "FLOP/s", 1200e12},
      {"1979TOPS", "FLOP/s", 1979e12},
      {"1.2PF", "FLOP/s", 1.2e15},
      {"1.2Pf", "FLOP/s", NAN},
      {"3000GBps", "B/s", 3e12},
      {"3tBps", "B/s", 3e12},
      {"2GiBps", "B/s", 0x1p31},
      {"400gbps", "B/s", NAN},
      {"400gbps", "bit/s", 400e9},
      {"5uflops", "FLOP/s", NAN},
      {"3GBps", "s", NAN},
      {"", "", NAN},
      {"k", "", NAN},
      {"nan", "", NAN},
      {"inf", "", NAN},
      {"+inf", "", NAN},
      {"1e400", "", NAN},
      {"1e308E", "", NAN},
      {"5q", "", NAN},
      {"5kk", "", NAN},
      {"5kib", "", NAN},
      {"5 5", "", NAN},
      {"8us", "B", NAN},
      {"8Bs", "B", NAN},
      {"1e", "", NAN},
      {"abc", "B", NAN},
      {"7fs", "s", 7e-15},
      {"5a", "", NAN},
      {"70%", "%", 0.7},
      {"0.7", "%", 0.7},
      {"7m%", "%", NAN},
      {"70%", "", NAN},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    double value = -77;
    roof_error error = {0};
    roof_status status = roof_quantity_parse_unit(cases[i].text, cases[i].unit, &value, &error);
    bool good = isnan(cases[i].value)
                    ? status != ROOF_OK && value == -77 && error.message[0] != '\0'
                    : status == ROOF_OK && fabs(value - cases[i].value) <= 2.3e-16 * fabs(value);
    if (!good) {
      fail_msg("`%s` as %s: %.17g, %s", cases[i].text, cases[i].unit, value, error.message);
    }
  }
}

static void what_is_no_number_is_malformed_and_what_overflows_is_not(void **state) {
  (void)state;
  double value;
  assert_int_equal(roof_quantity_parse("nan", &value, NULL), ROOF_E_PARSE);
  assert_int_equal(roof_quantity_parse("inf", &value, NULL), ROOF_E_PARSE);
  assert_int_equal(roof_quantity_parse("1e400", &value, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(roof_quantity_parse("1e308E", &value, NULL), ROOF_E_ARGUMENT);
}

static void a_share_in_percent_is_the_same_number(void **state) {
  (void)state;
  double value;
  assert_int_equal(roof_quantity_parse_unit("70%", "%", &value, NULL), ROOF_OK);
  assert_true(value == 0.7);
  assert_int_equal(roof_quantity_parse_unit("7 %", "%", &value, NULL), ROOF_OK);
  assert_true(value == 0.07);
}

static void quantities_are_written(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *unit;
    const char *text;
  } cases[] = {
      {3.35e12, "B/s", "3.350 TB/s"},
      {989e12, "FLOP/s", "989.0 TFLOP/s"},
      {4.98858e-3, "s", "4.989 ms"},
      {8e-6, "s", "8.000 \xC2\xB5s"},
      {999.96, "s", "1000 s"},
      {2592, "s", "2592 s"},
      {78250.4, "s", "78250 s"},
      {3.156e7, "s", "3.156e+07 s"},
      {1e-9, "s", "1.000 ns"},
      {2.5e-13, "s", "250.0 fs"},
      {7e-15, "s", "7.000 fs"},
      {9.9999e-16, "s", "1.000 fs"},
      {1e-18, "s", "1.000 as"},
      {-1e-30, "B/s", "-1.000e-30 B/s"},
      {0, "s", "0 s"},
      {-0.0, "B/s", "0 B/s"},
      {1, "", "1.000"},
      {12.3456, "", "12.35"},
      {4096, "", "4.096 k"},
      {999.94, "B", "999.9 B"},
      {999.95, "B/s", "1.000 kB/s"},
      {999.96, "B", "1.000 kB"},
      {999.99999, "B/s", "1.000 kB/s"},
      {999999, "B", "1.000 MB"},
      {-2500, "B", "-2.500 kB"},
      {1e18, "B", "1.000 EB"},
      {1e22, "B", "10000 EB"},
      {2e45, "FLOP", "2.000e+45 FLOP"},
      {NAN, "s", "unknown"},
      {INFINITY, "s", "inf s"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char buffer[64];
    assert_string_equal(roof_quantity_format(buffer, sizeof buffer, cases[i].value, cases[i].unit),
                        cases[i].text);
  }
  char small[5];
  assert_string_equal(roof_quantity_format(small, sizeof small, 3.35e12, "B/s"), "3.35");
}

static void bytes_are_written(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{52428800, "50 MiB"}, {0, "0 B"},          {1023, "1023 B"},   {1024, "1 KiB"},
               {1536, "1.5 KiB"},    {196608, "192 KiB"}, {0x1p60, "1 EiB"},  {0x1p72, "4096 EiB"},
               {233472, "228 KiB"},  {NAN, "unknown"},    {80e9, "74.51 GiB"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char buffer[64];
    assert_string_equal(roof_bytes_format(buffer, sizeof buffer, cases[i].value), cases[i].text);
  }
}

static void text_is_escaped(void **state) {
  (void)state;
  static const struct {
    void (*add)(roof_text *, const char *);
    const char *in, *out;
  } cases[] = {
      {roof_text_add_xml, "a < b & \"c\" > 'd'", "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;"},
      {roof_text_add_xml, "\xC2\xB5s \xE2\x89\xA4 \xF0\x9F\x98\x80\t\n",
       "\xC2\xB5s \xE2\x89\xA4 \xF0\x9F\x98\x80\t\n"},
      {roof_text_add_xml, "a\x01z", "a\xEF\xBF\xBDz"},
      {roof_text_add_xml, "\x80", "\xEF\xBF\xBD"},
      {roof_text_add_xml, "\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {roof_text_add_xml, "\xE0\x80\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {roof_text_add_xml, "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {roof_text_add_xml, "\xEF\xBF\xBF", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {roof_text_add_xml, "\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {roof_text_add_xml, "\xE2\x89", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {roof_text_add_xml, "]]>", "]]&gt;"},
      {roof_text_add_csv, "plain text", "plain text"},
      {roof_text_add_csv, "a,b", "\"a,b\""},
      {roof_text_add_csv, "say \"x\"", "\"say \"\"x\"\"\""},
      {roof_text_add_csv, "two\nlines", "\"two\nlines\""},
      {roof_text_add_csv, "", ""},
      {roof_text_add_csv, "=cmd|' /C calc'!A1", "'=cmd|' /C calc'!A1"},
      {roof_text_add_csv, "@SUM(1,2)", "\"'@SUM(1,2)\""},
      {roof_text_add_csv, "+1+1", "'+1+1"},
      {roof_text_add_csv, "-2;-3", "'-2;-3"},
      {roof_text_add_csv, "-", "'-"},
      {roof_text_add_csv, "\t=1", "'\t=1"},
      {roof_text_add_csv, "-2.5e-3", "-2.5e-3"},
      {roof_text_add_csv, "+1", "+1"},
      {roof_text_add_csv, "a\x1b[2J\xC2\x9B\xE2\x80\xAE\xFFz",
       "a\xEF\xBF\xBD[2J\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz"},
      {roof_text_add_markdown, "<b> [x](y) `z` a|b\\ *_~&$",
       "\\<b\\> \\[x\\](y) \\`z\\` a\\|b\\\\ \\*\\_\\~\\&\\$"},
      {roof_text_add_markdown, "two\nlines\x1b\xC2\xB5", "two lines\xEF\xBF\xBD\xC2\xB5"},
      {roof_text_add_json, "\x7F\xC2\x9B\xE2\x80\xAE\xD8\x9C", "\"\\u007f\\u009b\\u202e\\u061c\""},
      {roof_text_add_json, "a\"b\\c\n\x01\xC2\xB5\xFF", "\"a\\\"b\\\\c\\n\\u0001\xC2\xB5\xEF\xBF\xBD\""},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    roof_text text = {0};
    cases[i].add(&text, cases[i].in);
    assert_string_equal(text.length > 0 ? text.data : "", cases[i].out);
    roof_text_done(&text);
    assert_null(text.data);
  }
}

/** A rate of a product whose factors differ in format is none of either format. */
static void a_peak_of_mixed_formats_is_not_taken(void **state) {
  (void)state;
  roof_machine *m = roof_machine_new();
  assert_non_null(m);
  for (int i = 0; i < 2; i++) {
    roof_peak *peak = &m->peaks[m->peak_count++];
    *peak = (roof_peak){
        .dtype = ROOF_FP16, .unit = ROOF_MATRIX, .flops_per_second = 2e12 / (i + 1), .mixed = i == 0};
  }
  assert_true(roof_machine_peak(m, ROOF_FP16, ROOF_MATRIX, false, ROOF_DATASHEET) == &m->peaks[1]);
  m->peak_count = 1;
  assert_null(roof_machine_peak(m, ROOF_FP16, ROOF_MATRIX, false, ROOF_DATASHEET));
  roof_machine_free(m);
}

static void text_that_is_shown_as_it_is(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
  } cases[] = {{"a", 1},
               {"", 0},
               {"\n", 0},
               {"\t", 0},
               {"\x1b", 0},
               {"\x7F", 0},
               {"\xC2\x9B", 0},
               {"\xC2\xA0", 2},
               {"\xD8\x9C", 0},
               {"\xD8\x9D", 2},
               {"\xE2\x80\x8D", 3},
               {"\xE2\x80\x8E", 0},
               {"\xE2\x80\x8F", 0},
               {"\xE2\x80\xA7", 3},
               {"\xE2\x80\xA8", 0},
               {"\xE2\x80\xAE", 0},
               {"\xE2\x80\xAF", 3},
               {"\xE2\x81\xA5", 3},
               {"\xE2\x81\xA6", 0},
               {"\xE2\x81\xA9", 0},
               {"\xE2\x81\xAA", 3},
               {"\xF0\x9F\x98\x80", 4},
               {"\xFF", 0}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    assert_int_equal(roof_text_shown(cases[i].text), cases[i].length);
  }
  assert_true(roof_text_is_plain(""));
  assert_true(roof_text_is_plain("gemm \xC2\xB5s"));
  assert_false(roof_text_is_plain("gemm\n"));
  assert_false(roof_text_is_plain("\xE2\x80\xAEgemm"));
}

static void text_grows(void **state) {
  (void)state;
  roof_text text = {0};
  for (int i = 0; i < 1000; i++) {
    roof_text_addf(&text, "%d,", i);
  }
  assert_int_equal(text.length, 10 * 2 + 90 * 3 + 900 * 4);
  assert_string_equal(text.data + text.length - 8, "998,999,");
  assert_false(text.failed);
  roof_text_done(&text);
}

static void near_names_are_suggested(void **state) {
  (void)state;
  static const char *const names[] = {"gemm",   "gemv", "softmax", "layernorm", "ring", "n",
                                      "lesson", "a40",  "m2",      "fp8",       NULL};
  static const struct {
    const char *typed, *near;
  } cases[] = {{"gem", "gemm"},
               {"gmm", "gemm"},
               {"b40", NULL},
               {"a2", NULL},
               {"fq8", "fp8"},
               {"GEMM", "gemm"},
               {"gmem", "gemm"},
               {"sofmax", "softmax"},
               {"layer_norm", "layernorm"},
               {"rnig", "ring"},
               {"fp8-grouped-GEMM", "gemm"},
               {"ring3d", "ring"},
               {"gemmstone", NULL},
               {"matmul", NULL},
               {"fusion", NULL},
               {"padding", NULL},
               {"x", NULL},
               {"", NULL}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const char *near = roof_suggest(cases[i].typed, names);
    if ((near == NULL) != (cases[i].near == NULL) || (near != NULL && strcmp(near, cases[i].near) != 0)) {
      fail_msg("`%s`: suggested %s", cases[i].typed, near != NULL ? near : "nothing");
    }
  }
  char longest[200];
  memset(longest, 'g', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  assert_null(roof_suggest(longest, names));
}

static void errors_say_where(void **state) {
  (void)state;
  roof_error error;
  assert_int_equal(roof_error_set(&error, ROOF_E_PARSE, "%s: %d", "what", 3), ROOF_E_PARSE);
  assert_int_equal(roof_error_at(&error, "f.json", 7, 9), ROOF_E_PARSE);
  assert_string_equal(error.message, "what: 3");
  assert_true(error.line == 7 && error.column == 9 && strcmp(error.file, "f.json") == 0);
  assert_int_equal(roof_error_set(NULL, ROOF_E_NAME, "x"), ROOF_E_NAME);
  static const int codes[] = {0, 1, 2, 2, 2, 2, 3, 3, 4, 4};
  for (size_t i = 0; i < COUNT_OF(codes); i++) {
    assert_int_equal(roof_status_exit_code((roof_status)i), codes[i]);
    assert_true(strlen(roof_status_text((roof_status)i)) > 3);
  }
  assert_int_equal(roof_status_exit_code((roof_status)99), 4);
  assert_string_equal(roof_status_text((roof_status)99), "unknown");
}

static void unknown_names_are_answered_in_one_form(void **state) {
  (void)state;
  static const char *const few[] = {"list", "show", "lint", NULL};
  static const char *const none[] = {NULL};
  static const char sixty[] = "a candidate whose name takes as many as sixty characters here";
  const char *const many[] = {sixty, sixty, NULL};
  static const struct {
    const char *name, *hint, *message;
  } cases[] = {{"lsit", NULL, "verb `lsit`: unknown; did you mean `list`?"},
               {"lsit", "`x` shows all", "verb `lsit`: unknown; did you mean `list`?; `x` shows all"},
               {"zzzzzzzz", NULL, "verb `zzzzzzzz`: unknown; known: list, show, lint"}};
  roof_error error;
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    assert_int_equal(roof_error_unknown(&error, "verb", cases[i].name, few, cases[i].hint), ROOF_E_NAME);
    assert_string_equal(error.message, cases[i].message);
  }
  assert_int_equal(roof_error_unknown(NULL, "verb", "x", few, "hint"), ROOF_E_NAME);
  roof_error_unknown(&error, "verb", "zzzz", many, NULL);
  assert_string_equal(error.message, "verb `zzzz`: unknown");
  roof_error_set(&error, ROOF_E_GATE, "not sealed");
  assert_int_equal(roof_error_suggest(&error, "shwo", few), ROOF_E_GATE);
  assert_string_equal(error.message, "not sealed; did you mean `show`?");
  assert_int_equal(roof_error_suggest(&error, "x", none), ROOF_E_GATE);
}

static void statistics(void **state) {
  (void)state;
  double samples[] = {9, 1, 4, 2, 3, 8, 7, 5, 6};
  roof_stats stats;
  roof_error error;
  assert_int_equal(roof_stats_of(samples, 9, &stats, NULL), ROOF_OK);
  assert_true(stats.count == 9 && stats.minimum == 1 && stats.maximum == 9 && stats.median == 5);
  assert_true(stats.quartile_low == 3 && stats.quartile_high == 7 && stats.spread == 0.8);
  assert_true(roof_stats_quantile(samples, 9, 0) == 1 && roof_stats_quantile(samples, 9, 1) == 9);
  assert_near(roof_stats_quantile(samples, 9, 0.9), 8.2, 1e-15);
  assert_true(roof_stats_quantile(samples, 9, -1) == 1 && roof_stats_quantile(samples, 9, 2) == 9);
  assert_true(isnan(roof_stats_quantile(samples, 0, 0.5)) && isnan(roof_stats_quantile(samples, 9, NAN)));
  double few[] = {3, 1, 2};
  assert_int_equal(roof_stats_of(few, 3, &stats, NULL), ROOF_OK);
  assert_true(stats.ci_low == 1 && stats.ci_high == 3);
  assert_int_equal(roof_stats_of(few, 1, &stats, NULL), ROOF_OK);
  assert_true(stats.median == 1 && stats.spread == 0 && stats.ci_low == 1 && stats.ci_high == 1);
  double bad[] = {1, NAN};
  stats.count = 42;
  assert_int_equal(roof_stats_of(bad, 2, &stats, &error), ROOF_E_ARGUMENT);
  assert_int_equal(roof_stats_of(bad, 0, &stats, &error), ROOF_E_ARGUMENT);
  assert_int_equal(stats.count, 42);
}

static void sorted_in_place(void **state) {
  (void)state;
  double values[] = {3, -1, INFINITY, 0.5, 3, -INFINITY};
  rf_stats_sort(values, 6);
  assert_true(values[0] == -INFINITY && values[1] == -1 && values[2] == 0.5);
  assert_true(values[3] == 3 && values[4] == 3 && values[5] == INFINITY);
  double four[] = {4, 2, 1, 3};
  assert_true(rf_stats_quantile(four, 4, 0.5) == 2.5 && four[0] == 1 && four[3] == 4);
  assert_true(isnan(rf_stats_quantile(four, 0, 0.5)));
}

/** Probability that at least `low` and at most `high` of `n` samples lie below the median. */
static double coverage(int n, int low, int high) {
  double sum = 0;
  for (int k = low; k <= high; k++) {
    sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2));
  }
  return sum;
}

static void the_interval_holds_the_median_95_times_in_100(void **state) {
  (void)state;
  double samples[300];
  for (int n = 6; n <= 300; n++) {
    for (int i = 0; i < n; i++) {
      samples[i] = i;
    }
    roof_stats stats;
    assert_int_equal(roof_stats_of(samples, (size_t)n, &stats, NULL), ROOF_OK);
    int low = (int)stats.ci_low, high = (int)stats.ci_high;
    double covered = coverage(n, low + 1, high), narrower = coverage(n, low + 3, high - 2);
    if (!(covered >= 0.95 && narrower < 0.95)) {
      fail_msg("%d samples: ranks %g to %g cover %g", n, stats.ci_low, stats.ci_high, covered);
    }
  }
}

static void formats(void **state) {
  (void)state;
  roof_dtype dtype = ROOF_FP64;
  roof_unit unit;
  roof_error error;
  static const double bytes[ROOF_DTYPE_COUNT] = {8, 4, 4, 2, 2, 1, 0.75, 0.5, 0.375, 1, 0.5};
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    assert_true(roof_dtype_bytes((roof_dtype)d) == bytes[d]);
    assert_int_equal(roof_dtype_parse(roof_dtype_name((roof_dtype)d), &dtype, NULL), ROOF_OK);
    assert_int_equal(dtype, d);
  }
  assert_int_equal(roof_dtype_parse("BF16", &dtype, NULL), ROOF_OK);
  assert_int_equal(roof_dtype_parse("fp166", &dtype, &error), ROOF_E_NAME);
  assert_int_equal(dtype, ROOF_BF16);
  assert_non_null(strstr(error.message, "did you mean `fp16`"));
  assert_string_equal(roof_dtype_name((roof_dtype)99), "?");
  assert_string_equal(roof_unit_name((roof_unit)99), "?");
  assert_true(roof_dtype_bytes((roof_dtype)99) == 0);
  assert_true(roof_dtype_bytes(ROOF_DTYPE_COUNT) == 0 && roof_dtype_bytes(ROOF_NVFP4) == 0.5625 &&
              roof_dtype_bytes(ROOF_MXFP4) == 0.53125 && roof_dtype_bytes(ROOF_MXFP8) == 1.03125);
  assert_string_equal(roof_dtype_name(ROOF_DTYPE_COUNT), "?");
  for (int d = ROOF_NVFP4; d < ROOF_SCALED_END; d++) {
    assert_int_equal(roof_dtype_parse_scaled(roof_dtype_name((roof_dtype)d), &dtype, NULL), ROOF_OK);
    assert_int_equal(dtype, d);
    assert_int_equal(roof_dtype_parse(roof_dtype_name((roof_dtype)d), &dtype, NULL), ROOF_E_NAME);
  }
  assert_int_equal(roof_dtype_multiplied(ROOF_NVFP4), ROOF_FP4);
  assert_int_equal(roof_dtype_multiplied(ROOF_MXFP8), ROOF_FP8);
  assert_int_equal(roof_dtype_multiplied(ROOF_BF16), ROOF_BF16);
  assert_int_equal(roof_dtype_parse_scaled("bfloat16", &dtype, NULL), ROOF_OK);
  assert_int_equal(roof_dtype_parse_scaled("nvfp5", &dtype, &error), ROOF_E_NAME);
  assert_int_equal(roof_unit_parse("matrix", &unit, NULL), ROOF_OK);
  assert_int_equal(unit, ROOF_MATRIX);
  assert_int_equal(roof_unit_parse("matrx", &unit, &error), ROOF_E_NAME);
  roof_types types = roof_types_of(ROOF_FP64);
  assert_int_equal(types.accumulate, ROOF_FP64);
  types = roof_types_of(ROOF_INT4);
  assert_true(roof_types_weight_bytes(&types, 1024) == 512);
  types.group = 128;
  assert_true(roof_types_weight_bytes(&types, 1024) == 512 + 16);
}

static void level_names(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int kind;
  } cases[] = {{"L1", ROOF_L1},
               {"l1d", ROOF_L1},
               {"shared", ROOF_L1},
               {"L1/shared", ROOF_L1},
               {"LDS", ROOF_L1},
               {"L2", ROOF_L2},
               {"L3", ROOF_L3},
               {"LLC", ROOF_L3},
               {"MALL", ROOF_L3},
               {"HBM", ROOF_MEMORY},
               {"HBM3e", ROOF_MEMORY},
               {"GDDR6X", ROOF_MEMORY},
               {"LPDDR5X", ROOF_MEMORY},
               {"DDR5", ROOF_MEMORY},
               {"dram", ROOF_MEMORY},
               {"registers", ROOF_REGISTERS},
               {"L9", -1},
               {"L10", -1},
               {"", -1},
               {"HBMX", -1}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    roof_level_kind kind = ROOF_LEVEL_KIND_COUNT;
    roof_error error = {0};
    bool found = roof_level_kind_parse(cases[i].name, &kind, &error) == ROOF_OK;
    if (found != (cases[i].kind >= 0) || (found && (int)kind != cases[i].kind)) {
      fail_msg("`%s`: %s", cases[i].name, found ? roof_level_kind_name(kind) : error.message);
    }
  }
  assert_string_equal(roof_level_kind_name(ROOF_MEMORY), "memory");
  assert_string_equal(roof_level_kind_name((roof_level_kind)99), "?");
  roof_provenance kind;
  assert_int_equal(roof_provenance_parse("measured", &kind, NULL), ROOF_OK);
  assert_string_equal(roof_provenance_name(kind), "measured");
  assert_int_equal(roof_provenance_parse("guessed", &kind, NULL), ROOF_E_NAME);
}

static roof_machine *machine = NULL;

static roof_peak *add_peak(roof_dtype dtype, roof_unit unit, roof_provenance kind, int cores,
                           double flops_per_second) {
  roof_peak *peak = roof_machine_add_peak(machine);
  peak->dtype = dtype;
  peak->unit = unit;
  peak->kind = kind;
  peak->cores = cores;
  peak->flops_per_second = flops_per_second;
  return peak;
}

static roof_level *add_level(roof_level_kind which, roof_provenance kind, int cores,
                             double bytes_per_second) {
  roof_level *level = roof_machine_add_level(machine);
  level->level = which;
  level->kind = kind;
  level->cores = cores;
  level->bytes_per_second = bytes_per_second;
  return level;
}

static double peak_of(roof_dtype dtype, roof_unit unit, bool sparse, roof_provenance kind) {
  const roof_peak *peak = roof_machine_peak(machine, dtype, unit, sparse, kind);
  return peak != NULL ? peak->flops_per_second : NAN;
}

static void the_right_peak_is_taken(void **state) {
  (void)state;
  empty_machine(&machine);
  assert_true(isnan(peak_of(ROOF_FP32, ROOF_VECTOR, false, ROOF_DATASHEET)));
  add_peak(ROOF_FP16, ROOF_MATRIX, ROOF_DATASHEET, 0, NAN)->unsupported = true;
  assert_true(isnan(peak_of(ROOF_FP16, ROOF_MATRIX, false, ROOF_DATASHEET)));
  add_peak(ROOF_FP16, ROOF_MATRIX, ROOF_DATASHEET, 0, 1979e12)->sparse = true;
  add_peak(ROOF_FP16, ROOF_MATRIX, ROOF_MEASURED, 0, 700e12);
  add_peak(ROOF_FP16, ROOF_MATRIX, ROOF_DATASHEET, 0, 989e12);
  assert_true(peak_of(ROOF_FP16, ROOF_MATRIX, false, ROOF_DATASHEET) == 989e12);
  assert_true(peak_of(ROOF_FP16, ROOF_MATRIX, false, ROOF_MEASURED) == 700e12);
  assert_true(peak_of(ROOF_FP16, ROOF_MATRIX, true, ROOF_DATASHEET) == 1979e12);
  add_peak(ROOF_FP32, ROOF_VECTOR, ROOF_MEASURED, 1, 100e9);
  add_peak(ROOF_FP32, ROOF_VECTOR, ROOF_MEASURED, 8, 700e9);
  add_peak(ROOF_FP32, ROOF_VECTOR, ROOF_MEASURED, 8, 650e9);
  assert_true(peak_of(ROOF_FP32, ROOF_VECTOR, false, ROOF_DATASHEET) == 700e9);
  add_peak(ROOF_FP32, ROOF_VECTOR, ROOF_MEASURED, 0, 600e9);
  assert_true(peak_of(ROOF_FP32, ROOF_VECTOR, false, ROOF_DATASHEET) == 600e9);
}

static void the_right_level_is_taken(void **state) {
  (void)state;
  empty_machine(&machine);
  assert_null(roof_machine_memory(machine, ROOF_DATASHEET));
  add_level(ROOF_L2, ROOF_DATASHEET, 0, 5e12);
  add_level(ROOF_MEMORY, ROOF_DATASHEET, 0, NAN);
  assert_true(roof_machine_memory(machine, ROOF_DATASHEET)->level == ROOF_L2);
  add_level(ROOF_MEMORY, ROOF_MEASURED, 1, 10e9);
  add_level(ROOF_MEMORY, ROOF_MEASURED, 0, 40e9);
  assert_true(roof_machine_level(machine, ROOF_MEMORY, ROOF_MEASURED)->bytes_per_second == 40e9);
  assert_true(roof_machine_memory(machine, ROOF_MEASURED)->bytes_per_second == 40e9);
  assert_null(roof_machine_level(machine, ROOF_L1, ROOF_DATASHEET));
}

static void bandwidth_between_reads_and_writes(void **state) {
  (void)state;
  empty_machine(&machine);
  roof_level *level = add_level(ROOF_MEMORY, ROOF_MEASURED, 0, NAN);
  assert_true(isnan(roof_level_bandwidth(level, 0, 0)));
  level->bytes_per_second = 7;
  assert_true(roof_level_bandwidth(level, 0, 0) == 7 && roof_level_bandwidth(level, 1, 0) == 7);
  level->triad_bytes_per_second = 30;
  assert_true(roof_level_bandwidth(level, 0, 0) == 30 && roof_level_bandwidth(level, 0.9, 0) == 30);
  level->read_bytes_per_second = 60;
  assert_true(roof_level_bandwidth(level, 0, 0) == 60 && roof_level_bandwidth(level, 1.0 / 3, 0) == 30);
  assert_near(roof_level_bandwidth(level, 1.0 / 6, 0), 40, 1e-14);
  level->copy_bytes_per_second = 20;
  level->write_bytes_per_second = 10;
  assert_true(roof_level_bandwidth(level, 0.5, 0) == 20 && roof_level_bandwidth(level, 1, 0) == 10);
  assert_near(roof_level_bandwidth(level, 0.75, 0), 1 / (0.5 / 20 + 0.5 / 10), 1e-14);
}

/** Lanes do what no matrix unit does, unless that unit was asked for, and narrow formats at the rate of fp32; never fp64. */
static void another_peak_stands_in(void **state) {
  (void)state;
  static const struct {
    roof_dtype dtype;
    roof_unit unit;
    int asked;
    double rate;
  } cases[] = {{ROOF_FP16, ROOF_MATRIX, -1, 8e12},         {ROOF_FP32, ROOF_MATRIX, -1, 1e12},
               {ROOF_FP32, ROOF_MATRIX, ROOF_MATRIX, NAN}, {ROOF_FP16, ROOF_MATRIX, ROOF_MATRIX, 8e12},
               {ROOF_FP16, ROOF_VECTOR, -1, 1e12},         {ROOF_FP64, ROOF_VECTOR, -1, NAN},
               {ROOF_FP64, ROOF_MATRIX, -1, NAN},          {ROOF_INT8, ROOF_VECTOR, -1, 1e12}};
  empty_machine(&machine);
  add_peak(ROOF_FP32, ROOF_VECTOR, ROOF_DATASHEET, 0, 1e12);
  add_peak(ROOF_FP16, ROOF_MATRIX, ROOF_DATASHEET, 0, 8e12);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    roof_types types = roof_types_of(cases[i].dtype);
    roof_options options = roof_options_default();
    roof_target target;
    options.unit = cases[i].asked;
    assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
    const roof_peak *peak = target.peak[cases[i].unit];
    double rate = peak != NULL ? peak->flops_per_second : NAN;
    if (!(rate == cases[i].rate || (isnan(rate) && isnan(cases[i].rate)))) {
      fail_msg("case %zu: %g", i, rate);
    }
  }
}

static roof_prediction predict_stream(double read, double written, double flops,
                                      const roof_options *options) {
  roof_types types = roof_types_of(ROOF_FP32);
  roof_target target;
  roof_work work;
  roof_prediction p;
  assert_int_equal(roof_target_init(&target, machine, &types, options, NULL), ROOF_OK);
  roof_work_init(&work);
  work.read_bytes = read;
  work.write_bytes = written;
  work.working_set = read + written;
  work.flops = flops;
  roof_predict_work(&target, &work, &p);
  return p;
}

static void the_mix_of_reads_and_writes_sets_the_time(void **state) {
  (void)state;
  empty_machine(&machine);
  roof_options options = roof_options_default();
  roof_level *level = add_level(ROOF_MEMORY, ROOF_MEASURED, 0, NAN);
  level->read_bytes_per_second = 60e9;
  level->copy_bytes_per_second = 20e9;
  assert_near(predict_stream(6e9, 0, 0, &options).memory_seconds, 0.1, 1e-14);
  assert_near(predict_stream(1e9, 1e9, 0, &options).memory_seconds, 0.1, 1e-14);
  assert_near(predict_stream(0, 2e9, 0, &options).memory_seconds, 0.1, 1e-14);
  assert_near(predict_stream(3e9, 1e9, 0, &options).memory_seconds, 4 / 30.0, 1e-14);
}

static void what_is_unknown_is_not_zero(void **state) {
  (void)state;
  empty_machine(&machine);
  roof_options options = roof_options_default();
  roof_prediction p = predict_stream(1e9, 1e9, 1e9, &options);
  assert_true(isnan(p.memory_seconds) && isnan(p.compute_seconds) && isnan(p.overhead_seconds));
  add_peak(ROOF_FP32, ROOF_VECTOR, ROOF_DATASHEET, 0, 1e12);
  p = predict_stream(1e9, 1e9, 1e9, &options);
  assert_true(isnan(p.memory_seconds) && p.compute_seconds == 1e-3 && p.regime == ROOF_COMPUTE_BOUND);
  p = predict_stream(0, 0, 1e9, &options);
  assert_true(p.memory_seconds == 0 && isnan(p.intensity));
  add_level(ROOF_MEMORY, ROOF_DATASHEET, 0, 1e12);
  p = predict_stream(NAN, 0, 1e9, &options);
  assert_true(isnan(p.memory_seconds) && isnan(p.lower_seconds) && isnan(p.expected_seconds));
  p = predict_stream(1e9, 0, NAN, &options);
  assert_true(isnan(p.compute_seconds) && isnan(p.lower_seconds) && isnan(p.upper_seconds));
}

static void warm_data_come_from_the_level_that_holds_them(void **state) {
  (void)state;
  empty_machine(&machine);
  roof_options options = roof_options_default();
  options.warm = true;
  options.overhead_cutoff = 0;
  roof_level *l2 = add_level(ROOF_L2, ROOF_DATASHEET, 0, 10e12);
  l2->bytes = 25e6;
  l2->instances = 2;
  roof_level *memory = add_level(ROOF_MEMORY, ROOF_DATASHEET, 0, 1e12);
  memory->bytes = 80e9;
  roof_prediction p = predict_stream(50e6, 0, 1, &options);
  assert_near(p.memory_seconds, 5e-6, 1e-14);
  assert_ptr_equal(p.binding, l2);
  p = predict_stream(51e6, 0, 1, &options);
  assert_near(p.memory_seconds, 51e-6, 1e-14);
  assert_ptr_equal(p.binding, memory);
  assert_int_equal(predict_stream(81e9, 0, 1, &options).regime, ROOF_CAPACITY_BOUND);
}

static void options_are_checked(void **state) {
  (void)state;
  empty_machine(&machine);
  strcpy(machine->name, "m");
  roof_machine_add_link(machine);
  strcpy(machine->links[0].name, "NVLink");
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options bad[8];
  for (int i = 0; i < 8; i++) {
    bad[i] = roof_options_default();
  }
  bad[0].efficiency = 1.2;
  bad[1].efficiency = 0;
  bad[2].overlap = 2;
  bad[3].overhead_cutoff = -1;
  bad[4].launch = -1;
  bad[5].tile = NAN;
  bad[6].sparse = true;
  bad[7].link = "NVLimk";
  for (int i = 0; i < 8; i++) {
    roof_target target = {.capacity = 42};
    roof_error error = {0};
    roof_status expected = i == 6 ? ROOF_E_UNSUPPORTED : i == 7 ? ROOF_E_NAME : ROOF_E_ARGUMENT;
    assert_int_equal(roof_target_init(&target, machine, &types, &bad[i], &error), expected);
    assert_true(target.capacity == 42 && error.message[0] != '\0');
  }
  roof_options good = roof_options_default();
  roof_target target;
  good.link = "NVLink";
  assert_int_equal(roof_target_init(&target, machine, &types, &good, NULL), ROOF_OK);
  assert_ptr_equal(target.link, &machine->links[0]);
  roof_work work;
  roof_prediction prediction;
  char binding[ROOF_NAME_MAX];
  roof_work_init(&work);
  work.link_bytes = 1e9;
  machine->links[0].bytes_per_second = 450e9;
  roof_predict_work(&target, &work, &prediction);
  assert_int_equal(prediction.regime, ROOF_NETWORK_BOUND);
  assert_string_equal(roof_prediction_binding(&prediction, binding, sizeof binding), "NVLink");
  good.link = "Ethernet";
  roof_error error;
  assert_int_equal(roof_target_init(&target, machine, &types, &good, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "NVLink"));
}

static void paths_that_the_hardware_lacks(void **state) {
  (void)state;
  empty_machine(&machine);
  strcpy(machine->name, "h100");
  roof_options options = roof_options_default();
  roof_types types = roof_types_of(ROOF_INT4);
  roof_target target;
  roof_error error;
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_target_supports(&target, ROOF_MATRIX, &error), ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "no peak is known"));
  add_peak(ROOF_FP16, ROOF_MATRIX, ROOF_DATASHEET, 0, 989e12);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_target_supports(&target, ROOF_MATRIX, &error), ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "--dtype fp16 --weights int4"));
  types = roof_types_of(ROOF_FP16);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_target_supports(&target, ROOF_MATRIX, &error), ROOF_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantities_are_read),
      cmocka_unit_test(what_is_no_number_is_malformed_and_what_overflows_is_not),
      cmocka_unit_test(a_share_in_percent_is_the_same_number),
      cmocka_unit_test(quantities_are_written),
      cmocka_unit_test(bytes_are_written),
      cmocka_unit_test(text_is_escaped),
      cmocka_unit_test(a_peak_of_mixed_formats_is_not_taken),
      cmocka_unit_test(text_that_is_shown_as_it_is),
      cmocka_unit_test(text_grows),
      cmocka_unit_test(near_names_are_suggested),
      cmocka_unit_test(errors_say_where),
      cmocka_unit_test(unknown_names_are_answered_in_one_form),
      cmocka_unit_test(statistics),
      cmocka_unit_test(sorted_in_place),
      cmocka_unit_test(the_interval_holds_the_median_95_times_in_100),
      cmocka_unit_test(formats),
      cmocka_unit_test(level_names),
      cmocka_unit_test(the_right_peak_is_taken),
      cmocka_unit_test(the_right_level_is_taken),
      cmocka_unit_test(bandwidth_between_reads_and_writes),
      cmocka_unit_test(the_mix_of_reads_and_writes_sets_the_time),
      cmocka_unit_test(another_peak_stands_in),
      cmocka_unit_test(what_is_unknown_is_not_zero),
      cmocka_unit_test(warm_data_come_from_the_level_that_holds_them),
      cmocka_unit_test(options_are_checked),
      cmocka_unit_test(paths_that_the_hardware_lacks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
