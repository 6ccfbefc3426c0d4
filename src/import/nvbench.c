/* nvbench --json: benchmarks with their states, one for each device and each point of their axes, whose results are
 * summaries by tag: NVIDIA/nvbench, nvbench/json_printer.cu. */
#include <math.h>
#include <string.h>

#include "documents/json.h"
#include "import/_json.h"

static int detect(const char *text, size_t size) {
  (void)size;
  bool found = text[strspn(text, " \t\r\n")] == '{' && strstr(text, "\"benchmarks\"") != NULL &&
               (strstr(text, "\"nvbench\"") != NULL || strstr(text, "\"nv/cold/") != NULL);
  return found ? 95 : 0;
}

/** What the summary of that tag says, NaN: there is none. */
static double summary_of(const json_t *state, const char *tag) {
  size_t i, k;
  json_t *summary, *data;
  json_array_foreach(json_object_get(state, "summaries"), i, summary) {
    if (strcmp(rf_import_member_text(summary, "tag"), tag) != 0) {
      continue;
    }
    json_array_foreach(json_object_get(summary, "data"), k, data) {
      if (strcmp(rf_import_member_text(data, "name"), "value") == 0) {
        return rf_import_member(data, "value");
      }
    }
  }
  return NAN;
}

/** `copy T=F32 n=65536`: the benchmark and the values of its axes. */
static void add_name(roof_text *name, const json_t *benchmark, const json_t *state) {
  size_t i;
  json_t *axis;
  roof_text_add(name, rf_import_member_text(benchmark, "name"));
  json_array_foreach(json_object_get(state, "axis_values"), i, axis) {
    const json_t *value = json_object_get(axis, "value");
    roof_text_addf(name, " %s=", rf_import_member_text(axis, "name"));
    if (json_is_string(value)) {
      roof_text_add(name, json_string_value(value));
    } else {
      roof_text_addf(name, "%.15g", rf_import_number_of(value));
    }
  }
}

/** The name of the device of a state, "" where the file has none. */
static const char *device_of(const json_t *document, const json_t *state) {
  size_t i;
  json_t *device;
  double id = rf_import_member(state, "device");
  json_array_foreach(json_object_get(document, "devices"), i, device) {
    if (rf_import_member(device, "id") == id) {
      return rf_import_member_text(device, "name");
    }
  }
  return "";
}

/** Bytes of the summaries of a kind: nvbench writes those that the benchmark declares. */
static double bytes_of(const json_t *state, double seconds) {
  double reads = summary_of(state, "nv/gmem/reads"), writes = summary_of(state, "nv/gmem/writes");
  double rate = summary_of(state, "nv/cold/bw/global/bytes_per_second");
  return isnan(rate) ? reads + writes : rate * seconds;
}

static roof_status take_state(const json_t *document, const json_t *benchmark, const json_t *state,
                              roof_profile *profile, roof_error *error) {
  roof_text name = {0};
  double cold = summary_of(state, "nv/cold/time/gpu/mean"),
         batch = summary_of(state, "nv/batch/time/gpu/mean");
  double seconds = isnan(cold) ? batch : cold;
  double calls = summary_of(state, isnan(cold) ? "nv/batch/sample_size" : "nv/cold/sample_size");
  uint64_t picoseconds = 0;
  add_name(&name, benchmark, state);
  if (name.failed) {
    return roof_error_set(error, ROOF_E_MEMORY, "nvbench: out of memory");
  }
  calls = calls >= 1 && calls < 1e15 ? floor(calls) : 1;
  if (!(seconds > 0) || !rf_import_picoseconds(seconds * calls, &picoseconds)) {
    const char *why = rf_import_member_text(state, "skip_reason");
    rf_import_skip(profile, name.data, why[0] != '\0' ? why : "no time was measured");
    roof_text_done(&name);
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(profile, name.data, name.length);
  roof_text_done(&name);
  if (record == NULL) {
    return rf_import_settled(profile, error);
  }
  rf_import_calls(record, (uint64_t)calls, picoseconds);
  rf_import_sample(profile, record, seconds);
  double bytes = bytes_of(state, seconds);
  rf_import_add(&record->bytes[ROOF_MEMORY], bytes * calls,
                isnan(bytes) ? "the benchmark declares no bytes of its memory"
                             : "bytes that the benchmark declares",
                ROOF_QUALITY_DERIVED);
  rf_import_device(profile, device_of(document, state));
  return ROOF_OK;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  json_t *document = NULL, *benchmark, *state;
  size_t i, k;
  roof_status status = rf_import_document(source, &document, error);
  if (status != ROOF_OK) {
    return status;
  }
  json_array_foreach(json_object_get(document, "benchmarks"), i, benchmark) {
    json_array_foreach(json_object_get(benchmark, "states"), k, state) {
      status = status == ROOF_OK ? take_state(document, benchmark, state, profile, error) : status;
    }
  }
  json_decref(document);
  if (status == ROOF_OK && profile->count == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "no benchmark with a time in it");
  }
  return status;
}

const roof_format rf_format_nvbench = {
    .name = "nvbench",
    .title = "nvbench JSON",
    .gives = "time of every state, bytes that it declares; the values of its axes are in its name",
    .detect = detect,
    .read = read,
};
