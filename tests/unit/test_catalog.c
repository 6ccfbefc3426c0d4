/* Machine files: the built-in ones, what is read and written, what is refused and where. */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "catalog/builtin.h"
#include "roofline/catalog.h"

static roof_catalog_list list;

static int set_up(void **state) {
  (void)state;
  unsetenv("ROOFLINE_PATH");
  setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
  return roof_catalog_list_all(&list, NULL) != ROOF_OK;
}

static int tear_down(void **state) {
  (void)state;
  roof_catalog_list_done(&list);
  return 0;
}

static void every_builtin_machine_round_trips(void **state) {
  (void)state;
  assert_true(list.count >= 84);
  for (size_t i = 0; i < list.count; i++) {
    roof_machine machine, again;
    roof_error error = {0};
    roof_text text = {0}, text_again = {0};
    if (roof_catalog_load(list.entries[i].name, &machine, &error) != ROOF_OK) {
      fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    }
    assert_string_equal(machine.name, list.entries[i].name);
    assert_int_equal(roof_machine_write(&machine, &text, NULL), ROOF_OK);
    assert_int_equal(roof_machine_read(text.data, text.length, "again", &again, &error), ROOF_OK);
    assert_int_equal(roof_machine_write(&again, &text_again, NULL), ROOF_OK);
    assert_string_equal(text.data, text_again.data);
    roof_text_done(&text);
    roof_text_done(&text_again);
  }
}

static void every_figure_has_a_source(void **state) {
  (void)state;
  for (size_t i = 0; i < list.count; i++) {
    roof_machine m;
    assert_int_equal(roof_catalog_load(list.entries[i].name, &m, NULL), ROOF_OK);
    assert_true(m.peak_count > 0 && m.level_count > 0 && m.alias_count > 0);
    for (int k = 0; k < m.peak_count; k++) {
      assert_true(m.peaks[k].source[0] != '\0' && m.peaks[k].date[0] != '\0');
    }
    for (int k = 0; k < m.level_count; k++) {
      assert_true(m.levels[k].source[0] != '\0' && m.levels[k].date[0] != '\0');
    }
    for (int k = 0; k < m.link_count; k++) {
      assert_true(m.links[k].source[0] != '\0' && m.links[k].date[0] != '\0');
    }
    assert_true(isnan(m.energy.watts) || m.energy.source[0] != '\0');
  }
}

static void names_and_aliases_are_unique_and_load(void **state) {
  (void)state;
  const char *seen[1024];
  size_t count = 0;
  for (size_t i = 0; i < list.count; i++) {
    char words[1024];
    char *rest = NULL;
    snprintf(words, sizeof words, "%s %s", list.entries[i].name, list.entries[i].aliases);
    for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
      roof_machine machine;
      assert_int_equal(roof_catalog_load(word, &machine, NULL), ROOF_OK);
      assert_string_equal(machine.name, list.entries[i].name);
      for (size_t k = 0; k < count; k++) {
        if (strcmp(seen[k], word) == 0) {
          fail_msg("`%s` names two machines", word);
        }
      }
      assert_true(count < sizeof seen / sizeof seen[0]);
      seen[count++] = strdup(word);
    }
  }
  while (count > 0) {
    free((void *)(uintptr_t)seen[--count]);
  }
}

static void dense_is_not_sparse(void **state) {
  (void)state;
  roof_machine h100;
  assert_int_equal(roof_catalog_load("nvidia_h100_sxm", &h100, NULL), ROOF_OK);
  const roof_peak *dense = roof_machine_peak(&h100, ROOF_FP16, ROOF_MATRIX, false, ROOF_DATASHEET);
  const roof_peak *sparse = roof_machine_peak(&h100, ROOF_FP16, ROOF_MATRIX, true, ROOF_DATASHEET);
  assert_true(dense->flops_per_second == 989.4e12);
  assert_true(sparse->flops_per_second == 1978.9e12);
  const roof_level *memory = roof_machine_memory(&h100, ROOF_DATASHEET);
  assert_true(memory->bytes_per_second == 3.35e12 && memory->kind == ROOF_DATASHEET);
  assert_true(roof_machine_memory(&h100, ROOF_MEASURED)->kind == ROOF_MEASURED);
  assert_null(roof_machine_peak(&h100, ROOF_FP4, ROOF_MATRIX, false, ROOF_DATASHEET));
  assert_true(h100.links[0].bytes_per_second == 450e9);
}

static double number_of(const json_t *device, const char *key) {
  const json_t *value = json_object_get(device, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

/** The figure the database gives for a peak, NaN for none. */
static double shared_peak(const json_t *device, roof_dtype dtype, roof_unit unit) {
  char key[64];
  bool integer = dtype == ROOF_INT8 || dtype == ROOF_INT4;
  snprintf(key, sizeof key, "peak_dense_%s_%s_%s_per_s", roof_dtype_name(dtype), roof_unit_name(unit),
           integer ? "op" : "flop");
  return number_of(device, key);
}

static void check_against_shared(const json_t *device) {
  char name[ROOF_NAME_MAX];
  snprintf(name, sizeof name, "%s", json_string_value(json_object_get(device, "id")));
  roof_machine m;
  assert_int_equal(roof_catalog_load(name, &m, NULL), ROOF_OK);
  const roof_level *memory = roof_machine_memory(&m, ROOF_DATASHEET);
  assert_true(memory->bytes_per_second == number_of(device, "mem_bandwidth_bytes_per_s"));
  double reported = number_of(device, "mem_capacity_bytes_reported");
  double bytes = isnan(reported) ? 1e9 * number_of(device, "mem_capacity_GB_marketed") : reported;
  assert_true(isnan(bytes) ? isnan(memory->bytes) : memory->bytes == bytes);
  for (int dtype = 0; dtype < ROOF_DTYPE_COUNT; dtype++) {
    for (int unit = 0; unit < ROOF_UNIT_COUNT; unit++) {
      const roof_peak *peak =
          roof_machine_peak(&m, (roof_dtype)dtype, (roof_unit)unit, false, ROOF_DATASHEET);
      double expected = shared_peak(device, (roof_dtype)dtype, (roof_unit)unit);
      if (isnan(expected) ? peak != NULL && peak->kind != ROOF_MEASURED
                          : peak == NULL || peak->flops_per_second != expected) {
        fail_msg("%s: %s %s is not %g", name, roof_dtype_name((roof_dtype)dtype),
                 roof_unit_name((roof_unit)unit), expected);
      }
    }
  }
}

static void figures_equal_the_shared_database(void **state) {
  (void)state;
  const char *shared = getenv("ROOFLINE_SHARED");
  char path[4096];
  snprintf(path, sizeof path, "%s/machines/devices.json", shared != NULL ? shared : "../shared");
  json_t *devices = json_load_file(path, 0, NULL);
  if (devices == NULL) {
    print_message("skipped: %s is not there\n", path);
    skip();
  }
  assert_int_equal(json_array_size(devices), 84);
  for (size_t i = 0; i < json_array_size(devices); i++) {
    check_against_shared(json_array_get(devices, i));
  }
  json_decref(devices);
}

static void wrong_names_get_the_nearest(void **state) {
  (void)state;
  static const struct {
    const char *name, *message;
  } cases[] = {
      {"h1000", "machine `h1000`: unknown; did you mean `h100`?"},
      {"nvidia-h100-smx", "machine `nvidia-h100-smx`: unknown; did you mean `nvidia-h100-sxm`?"},
      {"host", "machine `host`: unknown; `roofline measure` makes it"},
      {"zzzzzzzzzzzz", "machine `zzzzzzzzzzzz`: unknown"},
      {"", "machine ``: unknown"},
      {"./missing.json", "`./missing.json`: No such file or directory"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_machine machine;
    roof_error error = {0};
    assert_int_not_equal(roof_catalog_load(cases[i].name, &machine, &error), ROOF_OK);
    assert_string_equal(error.message, cases[i].message);
  }
}

#define HEAD "{\"schema\": \"roofline.machine/1\", \"name\": \"x\""

static void bad_files_say_where(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
    int line, column;
  } cases[] = {
      {"", "machine: '[' or '{' expected near end of file", 1, 1},
      {"{\"schema\": 1", "machine: '}' expected near end of file", 1, 12},
      {"[1]", "machine: not an object", 1, 1},
      {"{}", "machine: `schema` is missing", 1, 1},
      {"{\"schema\": \"roofline.machine/2\"}", "schema: not `roofline.machine/1`", 1, 12},
      {"{\"schema\": \"roofline.machine/1\"}", "machine: `name` is missing", 1, 1},
      {"{\"schema\": \"roofline.machine/1\", \"name\": \"a b\"}",
       "name: a name has letters, digits and . _ + - only", 1, 42},
      {HEAD ",\n \"peeks\": []}", "peeks: unknown key; did you mean `peaks`?", 2, 2},
      {HEAD ",\n \"peaks\": {}}", "peaks: not a list", 2, 11},
      {HEAD ",\n \"peaks\": [{\"dtype\": \"fp16\"}]}", "peaks[0]: `unit` is missing", 2, 12},
      {HEAD ",\n \"peaks\": [{\"dtype\": \"fp61\", \"unit\": \"vector\"}]}",
       "peaks[0].dtype: dtype `fp61`: unknown; did you mean `fp64`?", 2, 22},
      {HEAD ",\n \"peaks\": [\n  {\"dtype\": \"fp16\", \"unit\": \"matrix\"},\n"
            "  {\"dtype\": \"fp16\", \"unit\": \"matrix\", \"flops_per_second\": -1}]}",
       "peaks[1].flops_per_second: negative or not finite", 4, 59},
      {HEAD ",\n \"levels\": [{\"name\": \"HBM\", \"bytes_per_second\": 0}]}",
       "levels[0].bytes_per_second: zero; null means unknown", 2, 49},
      {HEAD ",\n \"levels\": [{\"name\": \"HMB\"}]}",
       "levels[0]: memory level `HMB`: unknown; did you mean `HBM`?", 2, 13},
      {HEAD ", \"clock_hz\": \"1 GHz\"}", "clock_hz: not a number", 1, 59},
      {HEAD ", \"title\": \"\xC3\xA9\", \"clock_hz\": []}", "clock_hz: not a number", 1, 73},
      {HEAD ", \"vendor\": \"a\\u0007b\"}", "vendor: contains a control character", 1, 57},
      {HEAD ", \"device_class\": \"0123456789012345678901234567890123456789\"}",
       "device_class: longer than 31 bytes", 1, 63},
      {HEAD ", \"aliases\": [\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\"]}",
       "aliases[8]: more than 8 entries", 1, 91},
      {HEAD ", \"peaks\": [{\"dtype\": \"fp4\", \"unit\": \"matrix\", \"supported\": false, "
            "\"flops_per_second\": 1}]}",
       "peaks[0]: `supported` is false, yet there is a `flops_per_second`", 1, 57},
      {HEAD ", \"peaks\": [{\"dtype\": \"fp4\", \"unit\": \"matrix\", \"cores\": 1.5}]}",
       "peaks[0].cores: not a whole number from 1 to 1000000; null means all", 1, 101},
      {HEAD ", \"name\": \"y\"}", "machine: duplicate object key near '\"name\"'", 1, 52},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_machine machine;
    memset(&machine, 7, sizeof machine);
    roof_machine before = machine;
    roof_error error = {0};
    assert_int_not_equal(roof_machine_read(cases[i].text, strlen(cases[i].text), "x.json", &machine, &error),
                         ROOF_OK);
    assert_string_equal(error.message, cases[i].message);
    assert_string_equal(error.file, "x.json");
    assert_int_equal(error.line, cases[i].line);
    assert_int_equal(error.column, cases[i].column);
    assert_memory_equal(&machine, &before, sizeof machine);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_builtin_machine_round_trips),
      cmocka_unit_test(every_figure_has_a_source),
      cmocka_unit_test(names_and_aliases_are_unique_and_load),
      cmocka_unit_test(dense_is_not_sparse),
      cmocka_unit_test(figures_equal_the_shared_database),
      cmocka_unit_test(wrong_names_get_the_nearest),
      cmocka_unit_test(bad_files_say_where),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
