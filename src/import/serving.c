/* What the serving benchmarks of vLLM, SGLang, AIPerf, GenAI-Perf and GuideLLM write: runs with their latencies and
 * throughputs, as JSON, JSON lines, CSV or the report for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "core/number.h"
#include "documents/json.h"
#include "import/_aiperf.h"
#include "import/_guidellm.h"

static int detect(const char *text, size_t size) {
  (void)size;
  bool json = strstr(text, "\"request_throughput\"") != NULL && strstr(text, "\"duration\"") != NULL;
  bool offline = strstr(text, "\"tokens_per_second\"") != NULL && strstr(text, "\"elapsed_time\"") != NULL;
  bool latency = strstr(text, "\"avg_latency\"") != NULL && strstr(text, "\"percentiles\"") != NULL;
  bool aiperf = strstr(text, "\"request_throughput\"") != NULL && strstr(text, "\"request_latency\"") != NULL;
  bool report = strstr(text, " Serving Benchmark Result ") != NULL ||
                strstr(text, " Offline Throughput Benchmark Result ") != NULL;
  return json || report || aiperf || rf_guidellm_begins(text) || rf_aiperf_is_csv(text) ? 90
         : offline || latency                                                           ? 80
                                                                                        : 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  size_t runs;
} reading;

/** Figures under the names that the JSON has them by, in SI units. */
static const struct {
  const char *key, *name;
  double scale;
} figures[] = {{"completed", "requests", 1},
               {"failed", "failed_requests", 1},
               {"total_input_tokens", "input_tokens", 1},
               {"total_output_tokens", "output_tokens", 1},
               {"request_throughput", "requests_per_second", 1},
               {"requests_per_second", "requests_per_second", 1},
               {"input_throughput", "input_tokens_per_second", 1},
               {"output_throughput", "output_tokens_per_second", 1},
               {"total_token_throughput", "tokens_per_second", 1},
               {"total_throughput", "tokens_per_second", 1},
               {"tokens_per_second", "tokens_per_second", 1},
               {"max_concurrency", "max_concurrency", 1},
               {"concurrency", "concurrency", 1},
               {"accept_length", "accept_length", 1}};

/** Latencies: "median_ttft_ms", or "median_ttft" in seconds. SGLang says e2e_latency, vLLM e2el. */
static void take_latencies(reading *r, roof_record *record, const json_t *run) {
  static const char *const statistics[] = {"mean", "median", "std", "p90", "p95", "p99"};
  static const struct {
    const char *key, *name;
  } kinds[] = {{"ttft", "ttft"}, {"tpot", "tpot"}, {"itl", "itl"}, {"e2el", "e2e"}, {"e2e_latency", "e2e"}};
  for (size_t s = 0; s < sizeof statistics / sizeof statistics[0]; s++) {
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
      char key[64];
      snprintf(key, sizeof key, "%s_%s_ms", statistics[s], kinds[k].key);
      double value = rf_import_member(run, key) * 1e-3;
      key[strlen(key) - 3] = '\0';
      value = isnan(value) ? rf_import_member(run, key) : value;
      const char *name = rf_import_textf(r->profile, "%s_%s_seconds", statistics[s], kinds[k].name);
      rf_import_counter(r->profile, record, name, value, 1);
    }
  }
}

/** Milliseconds per token and tokens per second are facts of the run. */
static void add_facts(reading *r, const roof_record *record) {
  for (size_t i = 0; i < record->counter_count; i++) {
    rf_import_fact(r->profile, record->counters[i].name, record->counters[i].value, NULL);
  }
}

/** The first of the members that is a text. */
static const char *first_text(const json_t *run, const char *const *keys, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *text = rf_import_member_text(run, keys[i]);
    if (text[0] != '\0') {
      return text;
    }
  }
  return "";
}

static const char *model_of(const json_t *run) {
  static const char *const models[] = {"model_id", "model", "model_name"};
  return first_text(run, models, sizeof models / sizeof models[0]);
}

/** Tokens of a request on average; NaN unknown. */
static double tokens_of(const json_t *run, const char *key) {
  return round(rf_import_member(run, key) / rf_import_member(run, "completed"));
}

static bool is_taken(const roof_profile *profile, const char *name) {
  for (size_t i = 0; i < profile->count; i++) {
    if (strcmp(profile->records[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

static const char *name_of(reading *r, const json_t *run) {
  const char *model = model_of(run);
  double concurrency = rf_import_member(run, "max_concurrency");
  const json_t *rate = json_object_get(run, "request_rate");
  char at[64] = "";
  if (concurrency > 0) {
    snprintf(at, sizeof at, ", %.0f at once", concurrency);
  } else if (rf_import_number_of(rate) > 0) {
    rf_format(at, sizeof at, ", %g requests/s", rf_import_number_of(rate));
  }
  const char *name = rf_import_textf(r->profile, "serving%s%s%s", model[0] != '\0' ? " " : "", model, at);
  return is_taken(r->profile, name)
             ? rf_import_textf(r->profile, "%s, %.0f + %.0f tokens", name,
                               tokens_of(run, "total_input_tokens"), tokens_of(run, "total_output_tokens"))
             : name;
}

static double either(double a, double b) {
  return isnan(a) ? b : a;
}

/** Requests at once: as many as were allowed, else on average. */
static double batch_of(const json_t *run) {
  double seconds =
      either(rf_import_member(run, "mean_e2el_ms"), rf_import_member(run, "mean_e2e_latency_ms")) * 1e-3;
  seconds = either(seconds, rf_import_member(run, "mean_e2el"));
  double mean =
      either(rf_import_member(run, "concurrency"), seconds * rf_import_member(run, "request_throughput"));
  return fmax(1, round(either(rf_import_member(run, "max_concurrency"), mean)));
}

/** "batch=16 prompt=1024 generate=128", and the plan where a benchmark's own remarks have it. */
static const char *settings_of(reading *r, const json_t *run) {
  static const struct {
    const char *key, *setting;
  } plans[] = {{"tp", "tp"}, {"tensor_parallel_size", "tp"}, {"pp", "pp"}, {"pipeline_parallel_size", "pp"},
               {"dp", "dp"}, {"data_parallel_size", "dp"},   {"ep", "ep"}, {"expert_parallel_size", "ep"}};
  char words[128];
  int used = snprintf(words, sizeof words, "batch=%.0f prompt=%.0f generate=%.0f", batch_of(run),
                      tokens_of(run, "total_input_tokens"), tokens_of(run, "total_output_tokens"));
  for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
    double value = rf_import_member(run, plans[i].key);
    if (value >= 1 && value < 1e6 && used > 0 && (size_t)used < sizeof words) {
      used += snprintf(words + used, sizeof words - (size_t)used, " %s=%.0f", plans[i].setting, value);
    }
  }
  return roof_profile_text(r->profile, words);
}

/** A statistic of a latency as the counters have it: the mean, else the median. */
static double latency(const roof_record *record, const char *kind) {
  static const char *const statistics[] = {"mean", "median"};
  for (size_t s = 0; s < 2; s++) {
    char name[48];
    snprintf(name, sizeof name, "%s_%s_seconds", statistics[s], kind);
    for (size_t i = 0; i < record->counter_count; i++) {
      if (strcmp(record->counters[i].name, name) == 0) {
        return record->counters[i].value;
      }
    }
  }
  return NAN;
}

/** What `validate` predicts of it, where the file says enough. */
static roof_status add_served(reading *r, roof_record *record, const json_t *run, roof_error *error) {
  static const char *const devices[] = {"gpu", "hw", "device", "accelerator"};
  static const char *const formats[] = {"quantization", "precision"};
  static const char *const engines[] = {"backend", "framework"};
  bool together =
      rf_import_member(run, "max_concurrency") > 0 && !(rf_import_member(run, "request_rate") > 0);
  double in = tokens_of(run, "total_input_tokens"), out = tokens_of(run, "total_output_tokens");
  roof_served served = {.model = roof_profile_text(r->profile, model_of(run)),
                        .settings = settings_of(r, run),
                        .dtype = "",
                        .weights = roof_profile_text(r->profile, first_text(run, formats, 2)),
                        .device = roof_profile_text(r->profile, first_text(run, devices, 4)),
                        .how = roof_profile_text(r->profile, first_text(run, engines, 2)),
                        .device_bytes_per_second = NAN,
                        .requests = together ? rf_import_member(run, "completed") : NAN,
                        .at_once = strcmp(rf_import_member_text(run, "request_rate"), "inf") == 0,
                        .spread = NAN,
                        .seconds = {latency(record, "ttft"), latency(record, "tpot"), NAN, NAN}};
  bool known = in >= 1 && out >= 1 && !isnan(batch_of(run)) &&
               (served.seconds[ROOF_SERVED_TTFT] > 0 || served.seconds[ROOF_SERVED_TPOT] > 0);
  return known ? rf_import_served(record, &served, error) : ROOF_OK;
}

/** When the run began: GuideLLM and AIPerf say that, vLLM and SGLang when they wrote its result. */
static void take_date(reading *r, const json_t *run, double seconds) {
  rf_import_date(r->profile, rf_import_member_text(run, "date"), seconds);
  rf_import_date(r->profile, rf_import_member_text(run, "start_time"), 0);
  r->profile->taken = fmin(r->profile->taken, rf_import_member(run, "start_time"));
}

/** Times of single batches, as `vllm bench latency` writes them. */
static void take_batches(reading *r, roof_record *record, const json_t *run) {
  json_t *value;
  size_t i;
  uint64_t picoseconds;
  json_array_foreach(json_object_get(run, "latencies"), i, value) {
    if (rf_import_picoseconds(rf_import_number_of(value), &picoseconds)) {
      rf_import_call(r->profile, record, picoseconds);
    }
  }
}

static roof_status take_run(reading *r, const json_t *run, roof_error *error) {
  double seconds = either(rf_import_member(run, "duration"), rf_import_member(run, "elapsed_time"));
  bool batches = json_array_size(json_object_get(run, "latencies")) > 0 && isnan(seconds);
  uint64_t picoseconds = 0;
  if (!batches && !rf_import_picoseconds(seconds, &picoseconds)) {
    rf_import_skip(r->profile, "a run", "no duration in it");
    return ROOF_OK;
  }
  const char *name = batches ? "batch" : name_of(r, run);
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  if (batches) {
    take_batches(r, record, run);
  } else {
    rf_import_call(r->profile, record, picoseconds);
  }
  double tokens = rf_import_member(run, "total_input_tokens") + rf_import_member(run, "total_output_tokens");
  tokens = either(tokens, rf_import_member(run, "total_num_tokens"));
  rf_import_add(&record->items, tokens,
                isnan(tokens) ? "the file gives no token counts" : "tokens in and out",
                ROOF_QUALITY_MEASURED);
  rf_import_missing(&record->bytes[ROOF_MEMORY], "the file gives no model size");
  rf_import_missing(&record->flops[ROOF_FP16][ROOF_MATRIX], "the file gives no model size");
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
    rf_import_counter(r->profile, record, figures[i].name,
                      rf_import_member(run, figures[i].key) * figures[i].scale, 1);
  }
  take_latencies(r, record, run);
  take_date(r, run, seconds);
  roof_status status = add_served(r, record, run, error);
  r->runs++;
  if (r->runs == 1) {
    add_facts(r, record);
  } else {
    r->profile->fact_count = 0;
  }
  return status;
}

/** One document: a run as it stands, AIPerf's, or those of GuideLLM. */
static roof_status take_document(reading *r, const json_t *document, roof_error *error) {
  json_t *run = rf_aiperf_is(document) ? rf_aiperf_run(document) : NULL;
  json_t *runs = run == NULL && rf_guidellm_is(document) ? rf_guidellm_runs(document) : NULL;
  const json_t *one;
  size_t i;
  roof_status status = ROOF_OK;
  if (runs == NULL) {
    status = take_run(r, run != NULL ? run : document, error);
  }
  json_array_foreach(runs, i, one) {
    status = status == ROOF_OK ? take_run(r, one, error) : status;
  }
  json_decref(run);
  json_decref(runs);
  return status;
}

/** "Output token throughput (tok/s):   218.04" under the name that the JSON has. */
static void take_report_line(json_t *run, const char *line) {
  static const struct {
    const char *label, *key;
  } labels[] = {{"Successful requests", "completed"},
                {"Benchmark duration (s)", "duration"},
                {"Total input tokens", "total_input_tokens"},
                {"Total generated tokens", "total_output_tokens"},
                {"Request throughput (req/s)", "request_throughput"},
                {"Input token throughput (tok/s)", "input_throughput"},
                {"Output token throughput (tok/s)", "output_throughput"},
                {"Total token throughput (tok/s)", "total_token_throughput"},
                {"Max request concurrency", "max_concurrency"},
                {"Maximum request concurrency", "max_concurrency"},
                {"Concurrency", "concurrency"},
                {"Accept length", "accept_length"}};
  static const struct {
    const char *label, *key;
  } kinds[] = {{" TTFT (ms)", "ttft_ms"},
               {" TPOT (ms)", "tpot_ms"},
               {" ITL (ms)", "itl_ms"},
               {" E2EL (ms)", "e2el_ms"},
               {" E2E Latency (ms)", "e2e_latency_ms"}};
  const char *colon = strrchr(line, ':');
  size_t length = colon != NULL ? (size_t)(colon - line) : 0;
  double value = colon != NULL ? rf_import_number(colon + 1, NULL) : NAN;
  if (isnan(value)) {
    return;
  }
  for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
    if (strlen(labels[i].label) == length && rf_letters_compare_some(line, labels[i].label, length) == 0) {
      rf_json_set(run, labels[i].key, json_real(value));
    }
  }
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    size_t tail = strlen(kinds[i].label), word = strcspn(line, " ");
    if (length == word + tail && word < 16 &&
        rf_letters_compare_some(line + word, kinds[i].label, tail) == 0) {
      char key[64];
      snprintf(key, sizeof key, "%.*s_%s", (int)word, line, kinds[i].key);
      for (char *p = key; *p != '\0'; p++) {
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
      }
      rf_json_set(run, key, json_real(value));
    }
  }
}

static roof_status take_json_line(reading *r, char *line, size_t length, roof_error *error) {
  json_t *run = NULL;
  roof_status status = rf_import_json_line(r->source, line, length, &run, error);
  if (run != NULL) {
    status = take_document(r, run, error);
  }
  json_decref(run);
  return status;
}

static roof_status read_lines(reading *r, roof_error *error) {
  roof_status status = ROOF_OK;
  size_t length = 0;
  json_t *run = NULL;
  for (char *line; status == ROOF_OK && (line = rf_import_line(r->source, &length)) != NULL;) {
    bool banner = strstr(line, " Benchmark Result ") != NULL && line[0] == '=';
    if (line[0] == '{') {
      status = take_json_line(r, line, length, error);
    } else if (banner) {
      status = run != NULL ? take_run(r, run, error) : ROOF_OK;
      json_decref(run);
      run = json_object();
    } else if (run != NULL) {
      take_report_line(run, line);
    }
  }
  if (status == ROOF_OK && run != NULL) {
    status = take_run(r, run, error);
  }
  json_decref(run);
  return status == ROOF_OK ? rf_import_failed(r->source, error) : status;
}

/** True when the first object ends on its line: JSON lines, or a file in one line. */
static bool one_a_line(const char *head) {
  size_t length = strcspn(head, "\n");
  while (length > 0 && strchr(" \r\t", head[length - 1]) != NULL) {
    length--;
  }
  return head[0] != '{' || (length > 1 && head[length - 1] == '}');
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  size_t size = 0;
  json_t *document = NULL;
  const char *head = rf_import_head(source, &size);
  roof_status status = ROOF_OK;
  if (rf_aiperf_is_csv(head)) {
    status = rf_aiperf_csv(source, &document, error);
  } else if (rf_guidellm_begins(head)) {
    status = rf_guidellm_document(source, &document, error);
  } else if (one_a_line(head)) {
    status = read_lines(&r, error);
  } else {
    status = rf_import_document(source, &document, error);
  }
  if (status == ROOF_OK && document != NULL) {
    status = take_document(&r, document, error);
  }
  json_decref(document);
  return status == ROOF_OK && r.runs == 0
             ? rf_import_error(source, error, ROOF_E_PARSE, 1, 0, "no run with a duration in it")
             : status;
}

const roof_format rf_format_serving = {
    .name = "serving",
    .title = "serving benchmarks of vLLM, SGLang, AIPerf, GenAI-Perf, GuideLLM",
    .gives = "duration, tokens, TTFT, TPOT, throughput as the file says them",
    .detect = detect,
    .read = read,
};
