/* What every format reader stands on: bytes out of any wrapping, CSV records, numbers with units, records
 * found by name, files joined. */
#include "test.h"

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "import/import.h"
#include "roofline/ops.h"
#include "roofline/shape.h"

static roof_source *open_text(const char *text, size_t size) {
  roof_source *source = NULL;
  assert_int_equal(rf_import_open_memory(text, size, "text", &source, NULL), ROOF_OK);
  return source;
}

static void expect_lines(roof_source *source, const char *const *lines) {
  size_t length = 0;
  for (int i = 0; lines[i] != NULL; i++) {
    char *line = rf_import_line(source, &length);
    assert_non_null(line);
    assert_string_equal(line, lines[i]);
    assert_int_equal(length, strlen(lines[i]));
    assert_int_equal(rf_import_line_number(source), i + 1);
  }
  assert_null(rf_import_line(source, &length));
  assert_int_equal(rf_import_failed(source, NULL), ROOF_OK);
}

static void lines_in_any_wrapping(void **state) {
  (void)state;
  static const char *const lines[] = {"a", "", "b\xC3\xA9\xF0\x9F\x98\x80", "last", NULL};
  static const char plain[] = "a\r\n\nb\xC3\xA9\xF0\x9F\x98\x80\nlast",
                    marked[] = "\xEF\xBB\xBF"
                               "a\n\nb\xC3\xA9\xF0\x9F\x98\x80\nlast\n";
  static const unsigned char wide[] = {0xFF, 0xFE, 'a',  0, '\n', 0, '\n', 0, 'b', 0, 0xE9, 0, 0x3D, 0xD8,
                                       0x00, 0xDE, '\n', 0, 'l',  0, 'a',  0, 's', 0, 't',  0};
  unsigned char big[sizeof wide];
  for (size_t i = 0; i < sizeof wide; i++) {
    big[i ^ 1] = wide[i];
  }
  const struct {
    const char *text;
    size_t size;
  } cases[] = {{plain, sizeof plain - 1},
               {marked, sizeof marked - 1},
               {(const char *)wide, sizeof wide},
               {(const char *)big, sizeof big}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_source *source = open_text(cases[i].text, cases[i].size);
    size_t size = 0;
    assert_int_equal(rf_import_head(source, &size)[0], 'a');
    expect_lines(source, lines);
    rf_import_close(source);
  }
}

static void a_line_once_more_and_the_rest(void **state) {
  (void)state;
  roof_source *source = open_text("one\ntwo\nthree", 13);
  size_t length = 0;
  assert_string_equal(rf_import_line(source, &length), "one");
  rf_import_again(source);
  assert_string_equal(rf_import_line(source, &length), "one");
  assert_int_equal(rf_import_line_number(source), 1);
  char *rest = NULL;
  assert_int_equal(rf_import_all(source, 100, &rest, &length, NULL), ROOF_OK);
  assert_string_equal(rest, "two\nthree");
  rf_import_close(source);
  source = open_text("0123456789", 10);
  assert_int_equal(rf_import_all(source, 9, &rest, &length, NULL), ROOF_E_INPUT);
  rf_import_close(source);
}

enum { LINES = 200000, LINE_MAX_BYTES = 40 };

static size_t pack_gzip(const char *text, size_t size, unsigned char *to, size_t room) {
  z_stream stream = {0};
  assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = (unsigned char *)(uintptr_t)text;
  stream.avail_in = (unsigned)size;
  stream.next_out = to;
  stream.avail_out = (unsigned)room;
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  assert_int_equal(deflateEnd(&stream), Z_OK);
  return room - stream.avail_out;
}

static size_t pack_zstd(const char *text, size_t size, unsigned char *to, size_t room) {
  ZSTD_CCtx *context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  size_t length = ZSTD_compress2(context, to, room, text, size);
  assert_false(ZSTD_isError(length));
  ZSTD_freeCCtx(context);
  return length;
}

static size_t pack_xz(const char *text, size_t size, unsigned char *to, size_t room) {
  size_t length = 0;
  assert_int_equal(
      lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, size, to, &length, room),
      LZMA_OK);
  return length;
}

static const struct {
  const char *name;
  size_t (*pack)(const char *text, size_t size, unsigned char *to, size_t room);
} packers[] = {{"gzip", pack_gzip}, {"zstd", pack_zstd}, {"xz", pack_xz}};

/** Text longer than the reader's blocks, in two parts that are packed one behind the other. */
static unsigned char *packed_lines(int packer, size_t *size) {
  char *text = malloc((size_t)LINES * LINE_MAX_BYTES);
  unsigned char *packed = malloc((size_t)LINES * LINE_MAX_BYTES);
  size_t length = 0, room = (size_t)LINES * LINE_MAX_BYTES;
  for (int i = 0; i < LINES; i++) {
    length += (size_t)snprintf(text + length, LINE_MAX_BYTES, "line %d of many, %d\n", i, i * 7919);
  }
  size_t first = packers[packer].pack(text, length / 3, packed, room);
  *size = first + packers[packer].pack(text + length / 3, length - length / 3, packed + first, room - first);
  free(text);
  return packed;
}

static void write_file(const char *path, const unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

/** Reads it to its end; the message of what went wrong, "" nothing. */
static const char *read_to_the_end(roof_source *source, roof_error *error) {
  size_t length = 0;
  while (rf_import_line(source, &length) != NULL) {
  }
  roof_status status = rf_import_failed(source, error);
  rf_import_close(source);
  assert_true(status == ROOF_OK || status == ROOF_E_INPUT);
  return status == ROOF_OK ? "" : error->message;
}

static const char *read_packed(const unsigned char *bytes, size_t size, roof_error *error) {
  roof_source *source = NULL;
  roof_status status = rf_import_open_memory((const char *)bytes, size, "text", &source, error);
  return status == ROOF_OK ? read_to_the_end(source, error) : error->message;
}

static void lines_packed_in_any_way(void **state) {
  (void)state;
  char path[] = "/tmp/roofline-import-XXXXXX", expected[LINE_MAX_BYTES];
  close(mkstemp(path));
  for (int p = 0; p < (int)(sizeof packers / sizeof packers[0]); p++) {
    size_t size = 0, length = 0;
    unsigned char *packed = packed_lines(p, &size);
    roof_source *source = NULL;
    write_file(path, packed, size);
    assert_int_equal(rf_import_open(path, &source, NULL), ROOF_OK);
    assert_int_equal(rf_import_descriptor(source), -1);
    for (int i = 0; i < LINES; i++) {
      snprintf(expected, sizeof expected, "line %d of many, %d", i, i * 7919);
      assert_string_equal(rf_import_line(source, &length), expected);
    }
    assert_null(rf_import_line(source, &length));
    assert_int_equal(rf_import_failed(source, NULL), ROOF_OK);
    rf_import_close(source);
    free(packed);
  }
  unlink(path);
}

static void packed_files_cut_or_damaged(void **state) {
  (void)state;
  roof_error error;
  for (int p = 0; p < (int)(sizeof packers / sizeof packers[0]); p++) {
    size_t size = 0;
    unsigned char *packed = packed_lines(p, &size);
    char damaged[40];
    snprintf(damaged, sizeof damaged, "its %s data are damaged", packers[p].name);
    assert_string_equal(read_packed(packed, size, &error), "");
    assert_non_null(strstr(read_packed(packed, size / 2, &error), "ends too early"));
    assert_non_null(strstr(read_packed(packed, size - 1, &error), "ends too early"));
    assert_non_null(strstr(read_packed(packed, 7, &error), "ends too early"));
    packed[size - 3] ^= 0x40; /* in what follows the data: checksum, size or index */
    assert_non_null(strstr(read_packed(packed, size, &error), damaged));
    free(packed);
  }
}

static void expect_row(roof_source *source, import_row *row, int line, const char *const *fields) {
  roof_status status = ROOF_OK;
  assert_true(rf_import_csv(source, ',', row, &status, NULL));
  size_t count = 0;
  for (; fields[count] != NULL; count++) {
    assert_string_equal(rf_import_field(row, (int)count), fields[count]);
  }
  assert_int_equal(row->count, count);
  assert_int_equal(row->line, line);
}

static void csv_records(void **state) {
  (void)state;
  static const char text[] =
      "\"ID\", \"Kernel \"\"x\"\"\" ,c\r\n1,\"a,b\nc\",\n,,\nplain \"quoted\" text,2\nlast";
  roof_source *source = open_text(text, sizeof text - 1);
  import_row row = {0};
  expect_row(source, &row, 1, (const char *const[]){"ID", "Kernel \"x\" ", "c", NULL});
  assert_int_equal(rf_import_column(&row, "id"), 0);
  assert_int_equal(rf_import_column(&row, "kernel \"x\""), 1);
  assert_int_equal(rf_import_column(&row, "none"), -1);
  expect_row(source, &row, 2, (const char *const[]){"1", "a,b\nc", "", NULL});
  expect_row(source, &row, 4, (const char *const[]){"", "", "", NULL});
  expect_row(source, &row, 5, (const char *const[]){"plain \"quoted\" text", "2", NULL});
  assert_string_equal(rf_import_field(&row, 7), "");
  assert_string_equal(rf_import_field(&row, -1), "");
  expect_row(source, &row, 6, (const char *const[]){"last", NULL});
  roof_status status = ROOF_E_INTERNAL;
  assert_false(rf_import_csv(source, ',', &row, &status, NULL));
  assert_int_equal(status, ROOF_OK);
  rf_import_close(source);
  source = open_text("a,b\n1,\"open\nand never closed", 28);
  assert_true(rf_import_csv(source, ',', &row, &status, NULL));
  assert_false(rf_import_is_cut(source));
  assert_false(rf_import_csv(source, ',', &row, &status, NULL));
  assert_int_equal(status, ROOF_OK);
  assert_true(rf_import_is_cut(source));
  rf_import_close(source);
  rf_import_row_done(&row);
}

static void numbers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    import_marks marks;
    double value;
  } good[] = {{"3.23", {'.', ','}, 3.23},
              {"4,587", {'.', ','}, 4587},
              {"3,23", {',', '.'}, 3.23},
              {"4.587", {',', '.'}, 4587},
              {"4 587", {',', '.'}, 4587},
              {"5,318,969,728.00", {'.', ','}, 5318969728},
              {"4\xE2\x80\xAF"
               "587",
               {',', '.'},
               4587},
              {" 1e-3 ", {'.', 0}, 1e-3},
              {"-2.5E+2", {'.', 0}, -250}};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    assert_near(rf_import_number(good[i].text, &good[i].marks), good[i].value, 1e-15);
  }
  static const char *const bad[] = {"",      " ",    "n/a",   "nan", "inf",  "-inf", "--", "<not counted>",
                                    "1.2.3", "0x10", "12 GB", "1,5", "1e999"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_true(isnan(rf_import_number(bad[i], NULL)));
  }
  int64_t count = 7;
  assert_true(rf_import_count(" 9223372036854775807 ", &count));
  assert_true(count == INT64_MAX);
  assert_true(rf_import_count("-12", &count));
  assert_int_equal(count, -12);
  assert_false(rf_import_count("9223372036854775808", &count));
  assert_false(rf_import_count("1.5", &count));
  assert_false(rf_import_count("", &count));
}

static import_marks marks_after(const char *const *cells) {
  import_votes votes = {0};
  for (; *cells != NULL; cells++) {
    rf_import_vote(&votes, *cells);
  }
  return rf_import_marks_of(&votes, 0);
}

static void the_file_votes_on_its_marks(void **state) {
  (void)state;
  assert_int_equal(marks_after((const char *const[]){"4,587", "31.28", "3.23", NULL}).decimal, '.');
  assert_int_equal(marks_after((const char *const[]){"4.587", "31,28", "3,23", NULL}).decimal, ',');
  assert_int_equal(marks_after((const char *const[]){"1,234,567", NULL}).decimal, '.');
  assert_int_equal(marks_after((const char *const[]){"1.234.567", NULL}).decimal, ',');
  assert_int_equal(marks_after((const char *const[]){"0,125", NULL}).decimal, ',');
  assert_int_equal(marks_after((const char *const[]){"4,587", NULL}).decimal,
                   '.'); /* ambiguous: the C locale */
  import_votes votes = {0};
  rf_import_vote(&votes, "3.23");
  assert_int_equal(rf_import_marks_of(&votes, ',').decimal, ',');
}

static void units(void **state) {
  (void)state;
  static const struct {
    const char *unit;
    double kilo, value;
  } good[] = {{"usecond", 1000, 1e-6},
              {"ns", 1000, 1e-9},
              {"second", 1000, 1},
              {"Kbyte", 1000, 1e3},
              {"Mbyte", 1000, 1e6},
              {"GB", 1024, 1073741824.},
              {"GiB", 1000, 1073741824.},
              {"Gbyte/s", 1000, 1e9},
              {"byte/second", 1000, 1},
              {"Gbyte/second", 1000, 1e9},
              {"cycle/nsecond", 1000, 1e9},
              {"Ghz", 1000, 1e9},
              {"%", 1000, 0.01},
              {"", 1000, 1},
              {"MFlop/s", 1000, 1e6},
              {"B", 1000, 1}};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    assert_near(rf_import_unit(good[i].unit, good[i].kilo), good[i].value, 1e-12);
  }
  assert_true(isnan(rf_import_unit("furlong", 1000)));
  assert_true(isnan(rf_import_unit("Kfurlong", 1000)));
  assert_true(isnan(rf_import_unit("byte/furlong", 1000)));
}

static roof_record *record(roof_profile *profile, const char *name) {
  roof_record *r = rf_import_record(profile, name, strlen(name));
  assert_non_null(r);
  return r;
}

static void records_by_name(void **state) {
  (void)state;
  roof_profile profile;
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  char name[32];
  for (int i = 0; i < 3000; i++) {
    snprintf(name, sizeof name, "kernel %d", i % 1000);
    rf_import_call(&profile, record(&profile, name), 1000);
  }
  assert_int_equal(profile.count, 1000);
  assert_int_equal(record(&profile, "kernel 7")->calls, 3);
  assert_true(record(&profile, "kernel 7")->picoseconds == 3000);
  assert_string_equal(record(&profile, "b\xFF"
                                       "d\tname")
                          ->name,
                      "b\xEF\xBF\xBD"
                      "d name");
  assert_true(isnan(roof_record_seconds(record(&profile, "untimed"))));
  rf_import_skip(&profile, "x", "y");
  rf_import_skip(&profile, "x", "y");
  assert_int_equal(profile.skip_count, 1);
  assert_int_equal(profile.skips[0].times, 2);
  roof_profile_done(&profile);
}

/** Many samples: an even choice, so its mean is the mean; the time stays exact. */
static void samples_are_chosen_evenly(void **state) {
  (void)state;
  roof_profile profile;
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  enum { CALLS = 200000 };
  for (uint64_t i = 0; i < CALLS; i++) {
    rf_import_call(&profile, record(&profile, "k"), i * 1000);
  }
  const roof_record *r = record(&profile, "k");
  double sum = 0;
  for (size_t i = 0; i < r->sample_count; i++) {
    sum += r->samples[i];
  }
  assert_int_equal(r->sample_count, ROOF_IMPORT_SAMPLES);
  assert_true(r->picoseconds == (uint64_t)CALLS * (CALLS - 1) / 2 * 1000);
  assert_near(sum / ROOF_IMPORT_SAMPLES, roof_record_seconds(r) / CALLS, 0.05);
  roof_profile_done(&profile);
}

static void counts_keep_the_lower_quality(void **state) {
  (void)state;
  roof_count count = {.value = NAN, .source = ""};
  rf_import_missing(&count, "no counter");
  assert_string_equal(count.source, "no counter");
  rf_import_add(&count, -1, "64 reads - 32 short reads", ROOF_QUALITY_MEASURED);
  rf_import_add(&count, INFINITY, "1e308 + 1e308", ROOF_QUALITY_MEASURED);
  assert_true(isnan(count.value));
  assert_string_equal(count.source, "its counters contradict each other");
  rf_import_add(&count, 2, "a", ROOF_QUALITY_MEASURED);
  rf_import_add(&count, NAN, "gone", ROOF_QUALITY_MEASURED);
  rf_import_add(&count, 3, "b", ROOF_QUALITY_ESTIMATED);
  rf_import_add(&count, 1, "c", ROOF_QUALITY_DERIVED);
  assert_near(count.value, 6, 0);
  assert_int_equal(count.quality, ROOF_QUALITY_ESTIMATED);
}

/** Counts of 2 calls from one file, the time of 100 calls from another: the counts of 100 calls. */
static void joined_files(void **state) {
  (void)state;
  roof_profile counts, times, all;
  assert_int_equal(roof_profile_init(&counts, NULL) | roof_profile_init(&times, NULL), ROOF_OK);
  roof_record *r = record(&counts, "void ns::k<float, 4>(float*)");
  rf_import_calls(r, 2, 5000);
  rf_import_add(&r->flops[ROOF_FP32][ROOF_VECTOR], 20, "ffma", ROOF_QUALITY_MEASURED);
  rf_import_add(&r->bytes[ROOF_MEMORY], 8, "dram", ROOF_QUALITY_MEASURED);
  rf_import_calls(record(&times, "void ns::k<float, 4>(float*)"), 60, 600000);
  rf_import_calls(record(&times, "void ns::k<float, 8>(float*)"), 40, 400000);
  for (int turn = 0; turn < 2; turn++) { /* in either order */
    assert_int_equal(roof_profile_init(&all, NULL), ROOF_OK);
    assert_int_equal(roof_profile_join(&all, turn ? &times : &counts, false, NULL), ROOF_OK);
    assert_int_equal(roof_profile_join(&all, turn ? &counts : &times, false, NULL), ROOF_OK);
    r = record(&all, "void ns::k<float, 4>(float*)");
    assert_int_equal(all.count, 2);
    assert_int_equal(r->calls, 60);
    assert_true(r->picoseconds == 600000);
    assert_near(r->flops[ROOF_FP32][ROOF_VECTOR].value, 600, 1e-12);
    assert_near(r->bytes[ROOF_MEMORY].value, 240, 1e-12);
    assert_int_equal(r->bytes[ROOF_MEMORY].quality, ROOF_QUALITY_DERIVED);
    roof_profile_done(&all);
  }
  assert_int_equal(roof_profile_init(&all, NULL), ROOF_OK);
  assert_int_equal(roof_profile_join(&all, &times, true, NULL), ROOF_OK);
  assert_int_equal(all.count, 1);
  assert_string_equal(all.records[0].name, "ns::k");
  assert_int_equal(all.records[0].calls, 100);
  roof_profile_done(&all);
  roof_profile_done(&counts);
  roof_profile_done(&times);
}

static void facts_in_words(void **state) {
  (void)state;
  static const struct {
    roof_fact fact;
    const char *words;
  } cases[] = {{{"idle_share", 0.185, NULL}, "idle share: 18.5 %"},
               {{"mean_kernel_seconds", 61e-6, NULL}, "mean kernel: 61.00 \xC2\xB5s"},
               {{"best_busbw_bytes_per_second", 15e10, NULL}, "best busbw: 150.0 GB/s"},
               {{"requests_per_second", 0.70412, NULL}, "requests per second: 0.7041"},
               {{"launches_are_the_limit", NAN, "yes"}, "launches are the limit: yes"}};
  roof_profile profile = {.fact_count = 0};
  roof_fact fact = cases[0].fact;
  char words[80];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_string_equal(roof_fact_sentence(&cases[i].fact, words, sizeof words), cases[i].words);
  }
  assert_true(isnan(roof_profile_fact(&profile, "idle_share")));
  profile.facts = &fact;
  profile.fact_count = 1;
  assert_true(roof_profile_fact(&profile, "idle_share") == 0.185);
}

static void formats(void **state) {
  (void)state;
  roof_error error;
  const roof_format *format = NULL;
  assert_true(roof_format_count() > 0);
  assert_null(roof_format_at(-1));
  assert_null(roof_format_at(roof_format_count()));
  for (int i = 0; i < roof_format_count(); i++) {
    const roof_format *f = roof_format_at(i);
    assert_int_equal(roof_format_find(f->name, &format, NULL), ROOF_OK);
    assert_ptr_equal(format, f);
    assert_int_equal(f->detect("", 0), 0);
    assert_int_equal(f->detect("\x7F"
                               "ELF\x02\x01\x01",
                               7),
                     0);
    assert_int_equal(f->detect("once upon a time, there was a kernel\n", 37), 0);
  }
  assert_int_equal(roof_format_find("strem", &format, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "`stream`"));
  roof_profile profile;
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory("", 0, "x", NULL, &profile, &error), ROOF_E_PARSE);
  assert_int_equal(roof_import_memory("what?", 5, "x", NULL, &profile, &error), ROOF_E_PARSE);
  assert_int_equal(roof_import("/nowhere", NULL, &profile, &error), ROOF_E_INPUT);
  roof_profile_done(&profile);
}

/** A file that says so many calls is wrong: none of it, or one, but no number that wraps around. */
static void more_calls_than_anything_counts(void **state) {
  (void)state;
  static const char nvprof[] = "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Avg\"\n"
                               "\"Tesla V100 (0)\",\"axpy\",1e20,\"flop_count_sp\",1\n",
                    ncu[] = "\"Process ID\",\"Process Name\",\"Kernel Name\",\"Invocations\",\"Metric "
                            "Name\",\"Metric Unit\",\"Average\"\n"
                            "\"9\",\"app\",\"copy\",\"1e20\",\"gpu__time_duration.sum\",\"us\",\"2.00\"\n",
                    own[] = "{\"schema\":\"roofline.measurements/"
                            "1\",\"kernels\":[{\"name\":\"k\",\"seconds\":1e-300,\"calls\":1e290}]}";
  roof_profile profile;
  roof_error error = {0};
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(nvprof, sizeof nvprof - 1, "x", NULL, &profile, &error), ROOF_E_PARSE);
  assert_non_null(strstr(error.message, "no number of invocations"));
  assert_int_equal(roof_import_memory(ncu, sizeof ncu - 1, "x", NULL, &profile, NULL), ROOF_OK);
  assert_int_equal(profile.records[0].calls, 1);
  roof_profile_done(&profile);
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(own, sizeof own - 1, "x", NULL, &profile, NULL), ROOF_OK);
  assert_int_equal(profile.count, 0);
  assert_int_equal(profile.skip_count, 1);
  roof_profile_done(&profile);
}

/** What `roofline import FILE --merge R=N --op R=OP` does, from a program. */
static void files_grouped_and_given_work(void **state) {
  (void)state;
  char path[] = "/tmp/test_import.XXXXXX";
  static const char text[] = "Function    Best Rate MB/s  Avg time     Min time     Max time\n"
                             "Copy:           10000.0     0.016        0.016        0.016\n"
                             "Triad:          10000.0     0.024        0.024        0.024\n";
  int file = mkstemp(path);
  assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
  close(file);
  const char *const paths[] = {path, path}, *groups[] = {"^co=stream", "triad=stream", NULL};
  roof_import_options o = {.groups = groups};
  roof_profile profile;
  roof_error error = {0};
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  if (roof_import_files(paths, 2, &o, &profile, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(profile.count, 1);
  assert_string_equal(profile.records[0].name, "stream");
  assert_int_equal(profile.records[0].calls, 4);
  assert_true(profile.dated_by_file && profile.taken > 0);
  roof_profile_done(&profile);
  groups[0] = "nothing=x";
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_files(paths, 1, &o, &profile, &error), ROOF_E_NAME);
  roof_profile_done(&profile);
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, "m=n=k=10", values, NULL), ROOF_OK);
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  roof_record *record = rf_import_record(&profile, "sgemm_nn", 8);
  rf_import_calls(record, 3, 1000);
  assert_int_equal(roof_profile_attach(&profile, "^sgemm", op, values, ROOF_FP32, "gemm", &error), ROOF_OK);
  assert_true(profile.records[0].flops[ROOF_FP32][ROOF_MATRIX].value == 3 * 2000);
  assert_true(profile.records[0].bytes[ROOF_MEMORY].value == 3 * 1200);
  assert_int_equal(roof_profile_attach(&profile, "dgemm", op, values, ROOF_FP32, "gemm", &error),
                   ROOF_E_NAME);
  assert_int_equal(roof_profile_attach(&profile, "(", op, values, ROOF_FP32, "gemm", &error),
                   ROOF_E_ARGUMENT);
  roof_profile_done(&profile);
  unlink(path);
}

static void a_long_name_is_cut_in_its_middle(void **state) {
  (void)state;
  static const struct {
    const char *name, *shown;
  } names[] = {
      {"sgemm", "sgemm"},
      {"Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)"},
      {"triad (n=1000)", "triad (n=1000)"},
      {"aten::mm", "aten::mm"},
      {"saxpy(int, float, float*)", "saxpy"},
      {"void scale<float, (int)4>(T1 *, \"tag\")", "scale<float, 4>"},
      {"void at::native::(anonymous namespace)::sum<c10::Half>(int) [clone .kd]", "sum<Half>"},
      {"void at::e<128, at::copy(at::T&)::{lambda()#3}::operator()() const::{lambda(float)#1}>(int)",
       "e<128, copy{3}{float 1}>"},
      {"void e<at::fill(int)::[lambda(int) (instance 2)]>(int)", "e<fill{int 2}>"},
      {"Gemm<A>::run(int) const", "Gemm<A>::run const"},
      {"a::very_long_kernel_name<float, 128, 64, 32, true, 1, 2>(float const*, float*, int)",
       "very_long_kernel_name<float, 1...32, true, 1, 2>"},
      {"void broken<(", "void broken<("},
      {"()", "()"},
  };
  char name[64];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    assert_string_equal(roof_kernel_shorten(names[i].name, name, sizeof name), names[i].shown);
  }
  assert_string_equal(roof_kernel_shorten("a_kernel_with_a_name", name, 11), "a_ke...ame");
  assert_string_equal(roof_kernel_shorten("a_kernel_with_a_name", name, 3), "a_");
}

/** Whatever the width, no two of different names are shown alike, and none is wider. */
static void assert_separate(const char *const *names, size_t count) {
  enum { STRIDE = ROOF_KERNEL_SHOWN + 1, MOST = 64 };
  char shown[MOST][STRIDE];
  for (size_t width = 16; width <= ROOF_KERNEL_SHOWN; width++) {
    assert_int_equal(roof_kernel_names(names, count, width, shown[0], STRIDE, NULL), ROOF_OK);
    for (size_t i = 0; i < count; i++) {
      assert_in_range(strlen(shown[i]), 1, width);
      for (size_t k = 0; k < i; k++) {
        assert_string_not_equal(shown[i], shown[k]);
      }
    }
  }
}

static void shown_names_differ(void **state) {
  (void)state;
  const char *const alike[] = {
      "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, "
      "1>>(int)",
      "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, std::array<char*, "
      "1>>(int)",
      "void at::native::vectorized_elementwise_kernel<2, at::native::AddFunctor<float>, std::array<char*, "
      "1>>(int)",
      "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<half>, std::array<char*, "
      "1>>(long)",
      "scale(int*)",
      "scale(long*)",
      "\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2\xE5\xAD\x97"
      "\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2\xE5\xAD\x97",
      "sgemm",
  };
  char shown[2][32];
  assert_separate(alike, sizeof alike / sizeof alike[0]);
  assert_int_equal(roof_kernel_names(alike, 2, 31, shown[0], 32, NULL), ROOF_OK);
  assert_string_equal(shown[0], "vectorized_ele...FillFunctor...");
  const char *const same[] = {alike[0], alike[0]};
  assert_string_equal(shown[1], "vectorized_ele...AddFunctor<...");
  assert_int_equal(roof_kernel_names(same, 2, 31, shown[0], 32, NULL), ROOF_OK);
  assert_string_equal(shown[0], shown[1]);
  for (size_t stride = 2; stride <= 16; stride++) { /* less than two ellipses take */
    char narrow[2 * 16 + 1];
    memset(narrow, '#', sizeof narrow);
    assert_int_equal(roof_kernel_names(alike, 2, 16, narrow, stride, NULL), ROOF_OK);
    assert_true(strlen(narrow) < stride && strlen(narrow + stride) < stride && narrow[2 * stride] == '#');
  }
}

static void a_label_keeps_its_end(void **state) {
  (void)state;
  enum { WIDTH = 25 };
  const char *const names[] = {
      "gemm-blocked m=1536 n=1536 k=1536 fp32", "gemm-blocked m=1536 n=1536 k=1536 fp32, 1 core",
      "gemm-blocked m=768 n=1536 k=1536 fp32, 1 core", "gemm-blocked m=1536 n=1536 k=1536 bf16, 1 core"};
  const char *const expected[] = {"gemm-blocked m...536 fp32", "gemm-block...fp32, 1 core",
                                  "gemm...768 n=15... 1 core", "gemm-block...bf16, 1 core"};
  char shown[4][WIDTH + 1];
  assert_separate(names, 4);
  assert_int_equal(roof_kernel_names(names, 4, WIDTH, shown[0], sizeof shown[0], NULL), ROOF_OK);
  for (int i = 0; i < 4; i++) {
    assert_string_equal(shown[i], expected[i]);
  }
}

static void kernels_have_a_class(void **state) {
  (void)state;
  static const struct {
    const char *name, *class;
  } kernels[] = {
      {"gemm m=8 n=8 k=8", "GEMM"},
      {"ampere_sgemm_128x64_nn", "GEMM"},
      {"Cijk_Ailk_Bjlk_SB_MT64x64", "GEMM"},
      {"void fbgemm_gpu::permute<int>(int)", "other"},
      {"void flash_fwd_kernel<Flash_fwd_kernel_traits<128>>(int)", "attention"},
      {"sm80_xmma_fprop_implicit_gemm_f16", "convolution"},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(int)", "norm"},
      {"void at::native::vectorized_elementwise_kernel<4, x>(int)", "elementwise"},
      {"void at::native::reduce_kernel<512, 1>(int)", "reduction"},
      {"softmax rows=8 cols=8", "reduction"},
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", "communication"},
      {"Memcpy HtoD (Pageable -> Device)", "copy"},
      {"mine", "other"},
  };
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
    const roof_record record = {.name = kernels[i].name};
    assert_string_equal(roof_record_class(&record), kernels[i].class);
  }
  roof_by by = ROOF_BY_COUNT;
  assert_int_equal(roof_by_parse("module", &by, NULL), ROOF_OK);
  assert_int_equal(by, ROOF_BY_MODULE);
  assert_int_equal(roof_by_parse("modul", &by, NULL), ROOF_E_NAME);
  assert_string_equal(roof_by_name(ROOF_BY_NVTX), "nvtx");
  assert_string_equal(roof_by_name(ROOF_BY_COUNT), "?");
}

static void fill_run(roof_profile *profile, const char *name, double first, double step, int calls) {
  roof_record *record = rf_import_record(profile, name, strlen(name));
  for (int i = 0; i < calls; i++) {
    rf_import_call(profile, record, (uint64_t)((first + step * i) * 1e6));
  }
}

/** The kind of the row of that name. */
static roof_diff_kind kind_of(const roof_diff *diff, const char *name) {
  for (size_t i = 0; i < diff->count; i++) {
    const roof_diff_row *row = &diff->rows[i];
    if (strcmp(row->now.name != NULL ? row->now.name : row->before.name, name) == 0) {
      return row->kind;
    }
  }
  return ROOF_DIFF_COUNT;
}

static void a_diff_heeds_how_samples_vary(void **state) {
  (void)state;
  roof_profile before, now;
  roof_diff diff;
  assert_int_equal(roof_profile_init(&before, NULL), ROOF_OK);
  assert_int_equal(roof_profile_init(&now, NULL), ROOF_OK);
  fill_run(&before, "steady", 100, 1, 10); /* 100 to 109 us */
  fill_run(&now, "steady", 120, 1, 10);
  fill_run(&before, "noisy", 50, 20, 10); /* 50 to 230 us, then 65 to 245 */
  fill_run(&now, "noisy", 65, 20, 10);
  fill_run(&before, "close", 100, 0.1, 10); /* by 2 % */
  fill_run(&now, "close", 102, 0.1, 10);
  fill_run(&before, "few", 100, 10, 2);
  fill_run(&now, "few", 95, 10, 2);
  fill_run(&before, "apart", 100, 10, 2);
  fill_run(&now, "apart", 80, 10, 2);
  fill_run(&before, "old", 1, 0, 1);
  fill_run(&now, "ns::young<4>", 1, 0, 1);
  fill_run(&before, "ns::young<8>", 1, 0, 1);
  fill_run(&now, "novel", 1000, 0, 1);
  assert_int_equal(roof_profile_diff(&before, &now, &diff, NULL), ROOF_OK);
  assert_int_equal(kind_of(&diff, "steady"), ROOF_DIFF_SLOWER);
  assert_int_equal(kind_of(&diff, "noisy"), ROOF_DIFF_SAME);
  assert_int_equal(kind_of(&diff, "close"), ROOF_DIFF_SAME);
  assert_int_equal(kind_of(&diff, "few"), ROOF_DIFF_SAME);
  assert_int_equal(kind_of(&diff, "apart"), ROOF_DIFF_FASTER);
  assert_int_equal(kind_of(&diff, "old"), ROOF_DIFF_GONE);
  assert_int_equal(kind_of(&diff, "ns::young<4>"), ROOF_DIFF_SAME);
  assert_string_equal(diff.rows[0].now.name, "novel");
  assert_int_equal(diff.rows[0].kind, ROOF_DIFF_NEW);
  double sum = 0;
  for (size_t i = 0; i < diff.count; i++) {
    sum += diff.rows[i].difference;
  }
  assert_near(sum, diff.now_seconds - diff.before_seconds, 1e-15);
  assert_string_equal(roof_diff_kind_name(ROOF_DIFF_COUNT), "?");
  roof_diff_done(&diff);
  roof_profile_done(&before);
  roof_profile_done(&now);
}

static void a_ranking_is_said_in_words(void **state) {
  (void)state;
  roof_fact facts[] = {{.name = "idle_share", .value = 0.25}, {.name = "span_seconds", .value = 4}};
  roof_skip skips[5] = {{.what = "line 3", .why = "no time", .times = 2}};
  roof_profile profile = {.facts = facts, .fact_count = 2, .skips = skips, .skip_count = 5};
  roof_record records[] = {{.name = "sgemm"}, {.name = "copy"}};
  roof_ranked_record rows[] = {{.record = &records[0], .shown = "sgemm", .time_share = 0.75},
                               {.record = &records[1], .shown = "copy", .time_share = 0.25}};
  const roof_ranking ranking = {.rows = rows,
                                .count = 2,
                                .longest = &rows[0],
                                .worst = &rows[0],
                                .seconds = 3,
                                .lost_seconds = 1.5,
                                .judged_seconds = 2.25};
  const char *const why[] = {NULL, "no prediction"};
  const roof_recorded recorded = {"my.ledger", why};
  const roof_machine machine = {.name = "h100"};
  roof_text text = {0};
  for (int i = 1; i < 5; i++) {
    skips[i] = skips[0];
  }
  profile.device = "H100";
  roof_ranking_time(&profile, &ranking, &text);
  assert_string_equal(text.data, "2 kernels, 3.000 s on H100, 75 % of it in sgemm; idle 25.0 % of 4.000 s");
  roof_text_done(&text);
  roof_ranking_sentence(&profile, &ranking, &machine, &text);
  assert_non_null(
      strstr(text.data, "\n75 % of the time can be judged on h100: the rest was not counted, or in part\n"));
  assert_non_null(
      strstr(text.data, "\n1.500 s (50 % of it) lost against the ceilings of h100, most in sgemm\n"));
  roof_text_done(&text);
  roof_ranking_sentence(&profile, &ranking, NULL, &text);
  assert_non_null(strstr(text.data, "\nno ceilings: name a machine with --machine\n"));
  roof_text_done(&text);
  roof_profile_remarks(&profile, &text);
  assert_non_null(strstr(text.data, "  idle share: 25.0 %\n"));
  assert_non_null(strstr(text.data, "  left out: line 3: no time (2 times)\n"));
  assert_non_null(strstr(text.data, "  and 2 more left out, all in --json\n"));
  roof_text_done(&text);
  roof_recorded_remarks(&ranking, &recorded, &text);
  assert_string_equal(text.data, "recorded `sgemm` in my.ledger\n  not recorded: copy: no prediction\n");
  roof_text_done(&text);
}

/** A copy inside the device reads and writes its memory; one from the host goes over its bus, one between devices over their link. */
static void copies(void **state) {
  (void)state;
  static const char text[] = "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem "
                             "(MB),DymSMem (MB),Bytes (MB),"
                             "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n"
                             "1,10,1,,,,,,,,,,2.000,0,,,X (0),1,7,[CUDA memcpy Device-to-Device]\n"
                             "20,10,1,,,,,,,,,,3.000,0,,,X (0),1,7,[CUDA memcpy Host-to-Device]\n"
                             "40,10,1,,,,,,,,,,5.000,0,,,X (0),1,7,[CUDA memcpy Peer-to-Peer]\n"
                             "60,10,1,,,,,,,,,,7.000,0,,,X (0),1,7,[CUDA memset]\n";
  static const struct {
    double memory, over;
    const char *link;
  } want[] = {{4e6, NAN, ""}, {NAN, 3e6, "PCIe"}, {NAN, 5e6, ""}, {7e6, NAN, ""}};
  roof_profile profile;
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(text, sizeof text - 1, "x", NULL, &profile, NULL), ROOF_OK);
  assert_int_equal(profile.count, 4);
  for (size_t i = 0; i < 4; i++) {
    const roof_record *r = &profile.records[i];
    assert_true(isnan(want[i].memory) ? isnan(r->bytes[ROOF_MEMORY].value)
                                      : r->bytes[ROOF_MEMORY].value == want[i].memory);
    assert_true(isnan(want[i].over) ? isnan(r->link_bytes.value) : r->link_bytes.value == want[i].over);
    assert_string_equal(r->link, want[i].link);
  }
  roof_profile_done(&profile);
}

/** Kernels that were only timed share that nothing was counted, until one of them is given work. */
static void timed_kernels_share_their_counts(void **state) {
  (void)state;
  static const char text[] =
      "{\"schemaVersion\": 1, \"traceEvents\": [\n"
      "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"a\", \"pid\": 0, \"tid\": 7, \"ts\": 1, \"dur\": 5, "
      "\"args\": {\"device\": 0, \"stream\": 7, \"correlation\": 1}},\n"
      "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"b\", \"pid\": 0, \"tid\": 7, \"ts\": 10, \"dur\": 5, "
      "\"args\": {\"device\": 0, \"stream\": 7, \"correlation\": 2}}]}\n";
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX] = {8, 8, 8, 1, 0};
  roof_profile profile;
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  assert_int_equal(roof_import_memory(text, sizeof text - 1, "x", NULL, &profile, NULL), ROOF_OK);
  assert_int_equal(profile.count, 2);
  roof_record *a = &profile.records[0], *b = &profile.records[1];
  assert_ptr_equal(a->flops, b->flops);
  assert_non_null(strstr(a->bytes[ROOF_MEMORY].source, "no launch"));
  assert_int_equal(roof_profile_attach(&profile, "^a$", op, values, ROOF_FP32, "gemm", NULL), ROOF_OK);
  assert_true(roof_record_flops(a, NULL, NULL) == 2 * 8 * 8 * 8);
  assert_true(isnan(roof_record_flops(b, NULL, NULL)) && isnan(roof_record_bytes(b, NULL)));
  roof_profile_done(&profile);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(timed_kernels_share_their_counts),
      cmocka_unit_test(a_long_name_is_cut_in_its_middle),
      cmocka_unit_test(shown_names_differ),
      cmocka_unit_test(a_label_keeps_its_end),
      cmocka_unit_test(a_diff_heeds_how_samples_vary),
      cmocka_unit_test(kernels_have_a_class),
      cmocka_unit_test(a_ranking_is_said_in_words),
      cmocka_unit_test(lines_in_any_wrapping),
      cmocka_unit_test(a_line_once_more_and_the_rest),
      cmocka_unit_test(lines_packed_in_any_way),
      cmocka_unit_test(packed_files_cut_or_damaged),
      cmocka_unit_test(csv_records),
      cmocka_unit_test(numbers),
      cmocka_unit_test(the_file_votes_on_its_marks),
      cmocka_unit_test(units),
      cmocka_unit_test(records_by_name),
      cmocka_unit_test(samples_are_chosen_evenly),
      cmocka_unit_test(counts_keep_the_lower_quality),
      cmocka_unit_test(joined_files),
      cmocka_unit_test(files_grouped_and_given_work),
      cmocka_unit_test(copies),
      cmocka_unit_test(formats),
      cmocka_unit_test(more_calls_than_anything_counts),
      cmocka_unit_test(facts_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
