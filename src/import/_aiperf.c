/* profile_export_aiperf.json: each metric is an object of statistics with a unit. */
#include "import/_aiperf.h"

#include <math.h>
#include <string.h>

#include "documents/json.h"

bool rf_aiperf_is(const json_t *document) {
  return json_is_object(json_object_get(document, "request_latency")) &&
         json_is_object(json_object_get(document, "request_throughput"));
}

/** In SI: milliseconds and what else a metric's unit says. */
static double metric(const json_t *document, const char *name, const char *statistic) {
  const json_t *of = json_object_get(document, name);
  const char *unit = rf_import_member_text(of, "unit");
  double scale = strcmp(unit, "ms") == 0   ? 1e-3
                 : strcmp(unit, "us") == 0 ? 1e-6
                 : strcmp(unit, "ns") == 0 ? 1e-9
                                           : 1;
  return scale * rf_import_member(of, statistic);
}

static void set(json_t *run, const char *key, double value) {
  if (!isnan(value)) {
    rf_json_set(run, key, json_real(value));
  }
}

/** Latencies in seconds. What AIPerf calls inter-token latency is a request's mean, as vLLM's TPOT. */
static void set_latencies(json_t *run, const json_t *document) {
  static const struct {
    const char *name, *key;
  } latencies[] = {
      {"time_to_first_token", "ttft"}, {"inter_token_latency", "tpot"}, {"request_latency", "e2el"}};
  static const struct {
    const char *name, *key;
  } statistics[] = {{"avg", "mean"}, {"p50", "median"}, {"std", "std"},
                    {"p90", "p90"},  {"p95", "p95"},    {"p99", "p99"}};
  for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++) {
    for (size_t k = 0; k < sizeof statistics / sizeof statistics[0]; k++) {
      char key[32];
      snprintf(key, sizeof key, "%s_%s", statistics[k].key, latencies[i].key);
      set(run, key, metric(document, latencies[i].name, statistics[k].name));
    }
  }
}

/** The first member of that name, however deep it lies in the settings; NULL: none. */
static const json_t *find(const json_t *object, const char *name, int depth) {
  const char *key;
  json_t *value;
  const json_t *found = json_object_get(object, name);
  if (found != NULL || depth == 0) {
    return found;
  }
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    found = json_is_object(value) ? find(value, name, depth - 1) : NULL;
    if (found != NULL) {
      return found;
    }
  }
  return NULL;
}

static void set_settings(json_t *run, const json_t *settings) {
  enum { DEPTH = 4 };
  const json_t *models = find(settings, "model_names", DEPTH);
  const json_t *model = json_is_array(models) ? json_array_get(models, 0) : find(settings, "model", DEPTH);
  if (json_is_string(model)) {
    rf_json_set(run, "model", json_incref((json_t *)(uintptr_t)model));
  }
  set(run, "max_concurrency", rf_import_number_of(find(settings, "concurrency", DEPTH)));
}

json_t *rf_aiperf_run(const json_t *document) {
  json_t *run = json_object();
  double count = metric(document, "request_count", "avg");
  set(run, "completed", count);
  set(run, "duration", metric(document, "benchmark_duration", "avg"));
  set(run, "total_input_tokens", round(count * metric(document, "input_sequence_length", "avg")));
  set(run, "total_output_tokens", round(count * metric(document, "output_sequence_length", "avg")));
  set(run, "request_throughput", metric(document, "request_throughput", "avg"));
  set(run, "output_throughput", metric(document, "output_token_throughput", "avg"));
  set_latencies(run, document);
  set_settings(run, json_object_get(document, "input_config"));
  return run;
}
