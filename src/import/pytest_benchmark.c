/* pytest-benchmark's JSON (--benchmark-json, .benchmarks/): times are those of one call; a round has `iterations` of
 * them. */
#include <math.h>
#include <string.h>

#include "documents/json.h"
#include "import/_json.h"
#include "roofline/time.h"

static int detect(const char *text, size_t size) {
  (void)size;
  return strstr(text, "\"machine_info\"") != NULL && strstr(text, "\"commit_info\"") != NULL &&
                 strstr(text, "\"python_version\"") != NULL
             ? 92
             : 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
} reading;

/** How many calls a benchmark made and how long they took together; false where it does not say. */
static bool rounds_of(const json_t *stats, uint64_t *calls, uint64_t *picoseconds) {
  const json_t *data = json_object_get(stats, "data"), *value;
  double iterations = fmax(1, rf_import_member(stats, "iterations")), sum = 0;
  double rounds = rf_import_member(stats, "rounds"), seconds = rf_import_member(stats, "mean") * rounds;
  size_t i;
  json_array_foreach(data, i, value) {
    sum += rf_import_number_of(value);
  }
  if (json_array_size(data) > 0) {
    rounds = (double)json_array_size(data);
    seconds = sum;
  }
  if (!(rounds >= 1) || !(rounds * iterations < 1e15)) {
    return false;
  }
  *calls = (uint64_t)(rounds * iterations);
  return rf_import_picoseconds(seconds * iterations, picoseconds);
}

static roof_status take_benchmark(reading *r, const json_t *benchmark, roof_error *error) {
  static const struct {
    const char *key, *name;
  } figures[] = {{"median", "median_seconds"},
                 {"stddev", "stddev_seconds"},
                 {"min", "least_seconds"},
                 {"max", "most_seconds"}};
  const char *full = rf_import_member_text(benchmark, "fullname"),
             *name = full[0] != '\0' ? full : rf_import_member_text(benchmark, "name"), *key;
  const json_t *stats = json_object_get(benchmark, "stats");
  json_t *value;
  uint64_t calls, picoseconds;
  size_t k;
  if (!rounds_of(stats, &calls, &picoseconds)) {
    rf_import_skip(r->profile, name[0] != '\0' ? name : "a benchmark", "no time in it");
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  rf_import_calls(record, calls, picoseconds);
  json_array_foreach(json_object_get(stats, "data"), k, value) {
    rf_import_sample(r->profile, record, rf_import_number_of(value));
  }
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
    rf_import_counter(r->profile, record, figures[i].name, rf_import_member(stats, figures[i].key), 1);
  }
  json_object_foreach(json_object_get(benchmark, "extra_info"), key, value) {
    rf_import_counter(r->profile, record, roof_profile_text(r->profile, key), rf_import_number_of(value), 1);
  }
  rf_import_missing(&record->flops[ROOF_FP64][ROOF_VECTOR], "pytest-benchmark only times");
  rf_import_missing(&record->bytes[ROOF_MEMORY], "pytest-benchmark only times");
  return ROOF_OK;
}

/** "2024-01-31T12:00:00.123456", with "+00:00" behind it or not: in UTC. */
static void take_date(roof_profile *profile, const char *text) {
  char date[40];
  double seconds;
  snprintf(date, sizeof date, "%.32s", text);
  date[strcspn(date, "+Z")] = '\0';
  strcat(date, "Z");
  if (roof_time_parse(date, &seconds, NULL) == ROOF_OK) {
    profile->taken = seconds;
  }
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {source, profile};
  json_t *document = NULL;
  const json_t *benchmark;
  size_t i;
  roof_status status = rf_import_document(source, &document, error);
  const json_t *cpu = json_object_get(json_object_get(document, "machine_info"), "cpu");
  const char *brand = rf_import_member_text(cpu, "brand_raw");
  json_array_foreach(json_object_get(document, "benchmarks"), i, benchmark) {
    status = status == ROOF_OK ? take_benchmark(&r, benchmark, error) : status;
  }
  if (status == ROOF_OK) {
    brand = brand[0] != '\0' ? brand : rf_import_member_text(cpu, "brand");
    if (brand[0] != '\0') {
      rf_import_device(profile, roof_profile_text(profile, brand));
    }
    take_date(profile, rf_import_member_text(document, "datetime"));
  }
  json_decref(document);
  return status == ROOF_OK && profile->count == 0
             ? rf_import_error(source, error, ROOF_E_PARSE, 1, 0, "no benchmark in it")
             : status;
}

const roof_format rf_format_pytest_benchmark = {
    .name = "pytest-benchmark",
    .title = "pytest-benchmark JSON",
    .gives = "time of every round; whatever extra_info counts",
    .detect = detect,
    .read = read,
};
