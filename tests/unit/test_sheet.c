/* The sheet of a machine: which figures stand in which table, in what order, and what they are judged by. */
#include "test.h"

#include <stdio.h>

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/sheet.h"

static const char machine_text[] =
    "{\"schema\": \"roofline.machine/1\", \"name\": \"x\", \"kind\": \"datasheet\", \"launch_seconds\": 3e-6,"
    " \"peaks\": ["
    "  {\"dtype\": \"fp16\", \"unit\": \"matrix\", \"flops_per_second\": 9e13, \"limit_flops_per_second\": "
    "1e14,"
    "   \"spread\": 0.02, \"kind\": \"measured\", \"source\": \"ours\"},"
    "  {\"dtype\": \"fp32\", \"unit\": \"vector\", \"flops_per_second\": 2e13, \"source\": \"paper\"},"
    "  {\"dtype\": \"fp16\", \"unit\": \"matrix\", \"sparse\": true, \"flops_per_second\": 2e14, \"source\": "
    "\"paper\"},"
    "  {\"dtype\": \"fp16\", \"unit\": \"matrix\", \"flops_per_second\": 1e14, \"source\": \"paper\"},"
    "  {\"dtype\": \"fp4\", \"unit\": \"matrix\", \"supported\": false},"
    "  {\"dtype\": \"fp64\", \"unit\": \"vector\", \"flops_per_second\": 1e12, \"cores\": 1, \"kind\": "
    "\"measured\","
    "   \"source\": \"ours\"}],"
    " \"levels\": ["
    "  {\"name\": \"L2\", \"bytes\": 1048576, \"instances\": 8},"
    "  {\"name\": \"DRAM\", \"bytes\": 8e10, \"bytes_per_second\": 1e12, \"source\": \"paper\"},"
    "  {\"name\": \"DRAM\", \"bytes\": 8e10, \"read_bytes_per_second\": 8e11, \"limit_bytes_per_second\": "
    "1e12,"
    "   \"latency_seconds\": 1e-7, \"plateau\": \"not flat\", \"kind\": \"measured\", \"source\": \"ours\","
    "   \"modes\": [{\"pattern\": \"copy\", \"fast_bytes_per_second\": 2, \"slow_bytes_per_second\": 1}]}],"
    " \"links\": [{\"name\": \"bus\", \"bytes_per_second\": 6e10, \"count\": 1}],"
    " \"costs\": [{\"name\": \"barrier\", \"cores\": 4, \"seconds\": 1e-6, \"clock_hz\": 2e9, \"kind\": "
    "\"measured\"}],"
    " \"libraries\": [{\"name\": \"A\", \"op\": \"gemm\", \"dtype\": \"fp32\", \"skipped\": \"absent\"},"
    "  {\"name\": \"B\", \"op\": \"gemm\", \"dtype\": \"fp32\", \"flops_per_second\": 1e13, "
    "\"fraction_of_peak\": 0.5}],"
    " \"blocks\": [{\"dtype\": \"fp32\", \"depth\": 208, \"width\": 528, \"height\": 32, "
    "\"flops_per_second\": 3e11,"
    "   \"parameters\": \"m=960 n=960 k=960\", \"source\": \"ours\"},"
    "  {\"dtype\": \"bf16\", \"kernel\": \"gemm-cluster\", \"variant\": \"band=4\", \"depth\": 64, "
    "\"width\": 256, "
    "   \"height\": 256, \"flops_per_second\": 7e14, \"gain\": 1.031},"
    "  {\"dtype\": \"bf16\", \"kernel\": \"gemm-cluster\", \"depth\": 64, \"width\": 256, \"height\": 256, "
    "   \"gain\": 1}],"
    " \"energy\": {\"watts\": 400}}";

static const roof_sheet_row *row(const roof_sheet *sheet, roof_sheet_table table, size_t index) {
  assert_in_range(sheet->first[table] + index, 0, sheet->first[table + 1] - 1);
  return &sheet->rows[sheet->first[table] + index];
}

static size_t rows(const roof_sheet *sheet, roof_sheet_table table) {
  return sheet->first[table + 1] - sheet->first[table];
}

static roof_machine *machine;
static roof_sheet sheet;

static int set_up(void **state) {
  (void)state;
  roof_error error = {0};
  if (roof_machine_read(machine_text, strlen(machine_text), "x", &machine, &error) != ROOF_OK) {
    fail_msg("%d:%d: %s", error.line, error.column, error.message);
  }
  return roof_sheet_init(&sheet, machine, NULL) != ROOF_OK;
}

static int tear_down(void **state) {
  (void)state;
  roof_sheet_done(&sheet);
  roof_machine_free(machine);
  return 0;
}

static void measured_peaks_stand_under_the_quoted_ones(void **state) {
  (void)state;
  static const struct {
    const char *name;
    bool under;
    double ridge, share;
  } expected[] = {{"fp32 vector", false, 20, NAN},
                  {"fp16 matrix SPARSE", false, 200, NAN},
                  {"fp16 matrix", false, 100, NAN},
                  {"fp16 matrix", true, NAN, 0.9},
                  {"fp64 vector, 1 core", true, NAN, NAN}};
  assert_int_equal(rows(&sheet, ROOF_SHEET_PEAKS), sizeof expected / sizeof expected[0]);
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    const roof_sheet_row *r = row(&sheet, ROOF_SHEET_PEAKS, i);
    assert_string_equal(r->name, expected[i].name);
    assert_int_equal(r->under, expected[i].under);
    assert_true(isnan(expected[i].ridge) ? isnan(r->ridge) : fabs(r->ridge / expected[i].ridge - 1) < 1e-12);
    assert_true(isnan(expected[i].share) ? isnan(r->share) : fabs(r->share / expected[i].share - 1) < 1e-12);
  }
  assert_near(row(&sheet, ROOF_SHEET_PEAKS, 3)->spread, 0.02, 1e-12);
}

static void a_level_has_a_row_for_each_figure(void **state) {
  (void)state;
  assert_int_equal(rows(&sheet, ROOF_SHEET_LEVELS), 4);
  const roof_sheet_row *cache = row(&sheet, ROOF_SHEET_LEVELS, 0), *quoted = cache + 1, *read = cache + 2;
  assert_string_equal(cache->name, "L2");
  assert_true(isnan(cache->value) && cache->bytes == 1048576 && cache->count == 8 && !cache->is_memory);
  assert_string_equal(quoted->name, "DRAM");
  assert_true(quoted->value == 1e12 && quoted->bytes == 8e10 && isnan(quoted->count) && quoted->is_memory);
  assert_string_equal(read->name, "DRAM read (not flat)");
  assert_true(read->under && isnan(read->bytes));
  assert_near(read->share, 0.8, 1e-12);
  assert_string_equal(read[1].name, "DRAM latency");
  assert_string_equal(read[1].unit, "s");
  assert_true(isnan(read[1].share) && isnan(read[1].spread));
  const roof_sheet_row *modes = row(&sheet, ROOF_SHEET_MODES, 0);
  assert_string_equal(modes->name, "DRAM copy");
  assert_true(modes->least == 1 && modes->most == 2);
}

static void the_other_tables(void **state) {
  (void)state;
  assert_true(isnan(row(&sheet, ROOF_SHEET_LINKS, 0)->count));
  assert_near(row(&sheet, ROOF_SHEET_COSTS, 0)->cycles, 2000, 1e-12);
  assert_string_equal(row(&sheet, ROOF_SHEET_COSTS, 0)->name, "barrier, 4 cores");
  assert_int_equal(rows(&sheet, ROOF_SHEET_LIBRARIES), 4);
  assert_string_equal(row(&sheet, ROOF_SHEET_LIBRARIES, 0)->name, "B gemm fp32");
  const roof_sheet_row *blocks = row(&sheet, ROOF_SHEET_LIBRARIES, 1);
  assert_string_equal(blocks->name, "gemm-blocked fp32, blocks 208 x 528 x 32");
  assert_string_equal(blocks->parameters, "m=960 n=960 k=960");
  assert_true(blocks->value == 3e11 && isnan(blocks->share) && blocks->source == 2);
  assert_string_equal(blocks[1].name, "gemm-cluster bf16, band=4: 1.03 times as fast");
  assert_string_equal(blocks[2].name, "gemm-cluster bf16, as it is");
  assert_int_equal(rows(&sheet, ROOF_SHEET_TLBS), 0);
  assert_int_equal(rows(&sheet, ROOF_SHEET_DOMAINS), 0);
  assert_int_equal(rows(&sheet, ROOF_SHEET_OTHERS), 2);
  assert_string_equal(row(&sheet, ROOF_SHEET_OTHERS, 0)->name, "power");
  assert_string_equal(row(&sheet, ROOF_SHEET_OTHERS, 1)->name, "launch");
}

static void sources_are_numbered_in_order_each_once(void **state) {
  (void)state;
  assert_int_equal(sheet.source_count, 2);
  assert_string_equal(sheet.sources[0].source, "paper");
  assert_string_equal(sheet.sources[1].source, "ours");
  assert_int_equal(row(&sheet, ROOF_SHEET_PEAKS, 3)->source, 2);
  assert_int_equal(row(&sheet, ROOF_SHEET_LEVELS, 0)->source, 0);
  assert_int_equal(row(&sheet, ROOF_SHEET_LEVELS, 1)->source, 1);
}

static void nothing_is_under_in_a_machine_that_is_measured_itself(void **state) {
  (void)state;
  owned roof_machine *copy = roof_machine_copy(machine);
  roof_sheet own;
  copy->kind = ROOF_MEASURED;
  assert_int_equal(roof_sheet_init(&own, copy, NULL), ROOF_OK);
  for (size_t i = 0; i < own.first[ROOF_SHEET_TABLE_COUNT]; i++) {
    assert_false(own.rows[i].under);
  }
  assert_near(row(&own, ROOF_SHEET_PEAKS, 4)->ridge, 1, 1e-12);
  roof_sheet_done(&own);
}

static void a_sheet_says_in_words_what_it_is(void **state) {
  (void)state;
  roof_machine *x = NULL, *h100 = NULL;
  roof_sheet of_x;
  roof_text text = {0};
  assert_int_equal(roof_machine_read(machine_text, strlen(machine_text), "x", &x, NULL), ROOF_OK);
  roof_sheet_head(x, &text);
  assert_memory_equal(text.data, "x: x", 4);
  assert_non_null(strstr(text.data, "\n  100.0 TFLOP/s at 16 bit, 1.000 TB/s of memory bandwidth\n"));
  roof_text_done(&text);
  roof_level *memory = &x->levels[1]; /* the datasheet's */
  memory->read_bytes_per_second = 0.6e12;
  memory->triad_bytes_per_second = 1.2e12;
  roof_sheet_head(x, &text);
  assert_non_null(strstr(text.data, ", 800.0 GB/s of memory bandwidth (as a triad reads)\n"));
  roof_text_done(&text);
  memory->update_bytes_per_second = 2e12;
  roof_sheet_head(x, &text);
  assert_non_null(strstr(text.data, ", 1.000 TB/s of memory bandwidth (as updates read)\n"));
  roof_text_done(&text);
  roof_sheet_lacks(x, &text);
  assert_string_equal(text.data, "  no path in hardware: fp4 matrix\n");
  roof_text_done(&text);
  roof_sheet_block(x, &text);
  assert_int_equal(text.length, 0);
  assert_int_equal(roof_sheet_init(&of_x, x, NULL), ROOF_OK);
  roof_sheet_footer(&of_x, x, &text);
  assert_non_null(strstr(text.data, "  [1] paper\n"));
  roof_text_done(&text);
  roof_sheet_done(&of_x);
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  roof_sheet_block(h100, &text);
  assert_non_null(strstr(text.data, "  shared memory: 228 KiB per SM, 227 KiB per block; "));
  roof_text_done(&text);
  roof_machine_free(h100);
  roof_machine_free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sheet_says_in_words_what_it_is),
      cmocka_unit_test(measured_peaks_stand_under_the_quoted_ones),
      cmocka_unit_test(a_level_has_a_row_for_each_figure),
      cmocka_unit_test(the_other_tables),
      cmocka_unit_test(sources_are_numbered_in_order_each_once),
      cmocka_unit_test(nothing_is_under_in_a_machine_that_is_measured_itself),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
