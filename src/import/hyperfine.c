/* hyperfine's JSON (--export-json) and CSV (--export-csv): a command and how long its runs took. */
#include <math.h>
#include <string.h>

#include "documents/json.h"
#include "import/_json.h"

static const char csv_header[] = "command,mean,stddev,median,user,system,min,max";

static int detect(const char *text, size_t size) {
  (void)size;
  bool json = strstr(text, "\"results\"") != NULL && strstr(text, "\"command\"") != NULL &&
              strstr(text, "\"stddev\"") != NULL && strstr(text, "\"median\"") != NULL;
  return strncmp(text, csv_header, sizeof csv_header - 1) == 0 ? 95 : json ? 90 : 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  double failed; /**< runs that did not end with 0 */
} reading;

/** The command with the parameters that it was made of: "sort -j 4 in (threads=4)". */
static const char *name_of(reading *r, const json_t *result) {
  const json_t *parameters = json_object_get(result, "parameters");
  const char *command = rf_import_member_text(result, "command"), *key;
  json_t *value;
  roof_text words = {0};
  json_object_foreach((json_t *)(uintptr_t)parameters, key, value) {
    double number = rf_import_number_of(value);
    roof_text_addf(&words, "%s%s=", words.length > 0 ? ", " : "", key);
    if (json_is_string(value)) {
      roof_text_addf(&words, "%s", json_string_value(value));
    } else {
      roof_text_addf(&words, "%g", number);
    }
  }
  const char *name = words.length > 0 ? rf_import_textf(r->profile, "%s (%s)", command, words.data) : command;
  if (words.failed) {
    rf_import_starved(r->profile);
  }
  roof_text_done(&words);
  return name;
}

static void take_runs(reading *r, roof_record *record, const json_t *result) {
  const json_t *value;
  size_t i;
  uint64_t picoseconds;
  json_array_foreach(json_object_get(result, "times"), i, value) {
    if (rf_import_picoseconds(rf_import_number_of(value), &picoseconds)) {
      rf_import_call(r->profile, record, picoseconds);
    } else {
      rf_import_skip(r->profile, record->name, "no time of a run");
    }
  }
  json_array_foreach(json_object_get(result, "exit_codes"), i, value) {
    r->failed += !json_is_number(value) || json_number_value(value) != 0;
  }
}

/** Figures of a run on average; those of memory are a run each. */
static void take_figures(reading *r, roof_record *record, const json_t *result) {
  static const struct {
    const char *key, *name;
  } figures[] = {{"user", "user_seconds"},     {"system", "system_seconds"}, {"median", "median_seconds"},
                 {"stddev", "stddev_seconds"}, {"min", "least_seconds"},     {"max", "most_seconds"}};
  const json_t *value;
  size_t i;
  double most = NAN;
  for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++) {
    rf_import_counter(r->profile, record, figures[k].name, rf_import_member(result, figures[k].key), 1);
  }
  json_array_foreach(json_object_get(result, "memory_usage_byte"), i, value) {
    most = fmax(most, rf_import_number_of(value));
  }
  rf_import_counter(r->profile, record, "most_memory_bytes", most, 1);
}

static roof_status take_result(reading *r, const json_t *result, roof_error *error) {
  const char *name = name_of(r, result);
  bool runs = json_array_size(json_object_get(result, "times")) > 0;
  uint64_t picoseconds = 0;
  if (!runs && !rf_import_picoseconds(rf_import_member(result, "mean"), &picoseconds)) {
    rf_import_skip(r->profile, name[0] != '\0' ? name : "a result", "no time in it");
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  if (runs) {
    take_runs(r, record, result);
  } else {
    rf_import_call(r->profile, record, picoseconds);
  }
  take_figures(r, record, result);
  rf_import_missing(&record->flops[ROOF_FP64][ROOF_VECTOR], "hyperfine only times");
  rf_import_missing(&record->bytes[ROOF_MEMORY], "hyperfine only times");
  return ROOF_OK;
}

/** A row of the CSV as the JSON has it; the number of its runs is not in it. */
static json_t *result_of_row(const import_row *header, const import_row *row) {
  static const char prefix[] = "parameter_";
  json_t *result = json_object(), *parameters = json_object();
  for (size_t i = 0; i < header->count && i < row->count; i++) {
    const char *name = header->fields[i];
    bool parameter = strncmp(name, prefix, sizeof prefix - 1) == 0;
    rf_json_set(parameter ? parameters : result, parameter ? name + sizeof prefix - 1 : name,
                json_string(row->fields[i]));
  }
  rf_json_set(result, "parameters", parameters);
  return result;
}

static roof_status read_csv(reading *r, roof_error *error) {
  import_row header = {0}, row = {0};
  roof_status status = ROOF_OK;
  bool more = rf_import_csv(r->source, ',', &header, &status, error);
  while (more && status == ROOF_OK && rf_import_csv(r->source, ',', &row, &status, error)) {
    json_t *result = result_of_row(&header, &row);
    status = take_result(r, result, error);
    json_decref(result);
  }
  rf_import_row_done(&header);
  rf_import_row_done(&row);
  return status;
}

static roof_status read_json(reading *r, roof_error *error) {
  json_t *document = NULL;
  const json_t *result;
  size_t i;
  roof_status status = rf_import_document(r->source, &document, error);
  json_array_foreach(json_object_get(document, "results"), i, result) {
    status = status == ROOF_OK ? take_result(r, result, error) : status;
  }
  json_decref(document);
  return status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  size_t size = 0;
  const char *head = rf_import_head(source, &size);
  bool json = head[strspn(head, " \t\r\n")] == '{';
  roof_status status = json ? read_json(&r, error) : read_csv(&r, error);
  if (status == ROOF_OK && profile->count == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 1, 0, "no command with a time in it");
  }
  if (status == ROOF_OK && r.failed > 0) {
    rf_import_fact(profile, "runs_that_failed", NAN, rf_import_textf(profile, "%.0f", r.failed));
  }
  return status;
}

const roof_format rf_format_hyperfine = {
    .name = "hyperfine",
    .title = "hyperfine JSON, CSV",
    .gives = "time of every run of a command, its parameters in the name",
    .detect = detect,
    .read = read,
};
