/* mlperf_log_summary.txt, as MLPerf Inference's LoadGen writes it: one run of one scenario, its latencies in ns. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "import/import.h"

static int detect(const char *text, size_t size) {
  (void)size;
  return strstr(text, "MLPerf Results Summary") != NULL && strstr(text, "Scenario : ") != NULL ? 95 : 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  char system[80], scenario[32], mode[32], result[16];
  roof_record figures; /* counters of the run, before its record is named */
} reading;

/** Latencies by what their names end in. */
static const struct {
  const char *ending, *name;
} latencies[] = {{" first token latency (ns)", "ttft"},
                 {" time to output token (ns)", "tpot"},
                 {" latency (ns)", "latency"}};

/** Rates by their names; those of a scenario come first, LoadGen's remarks on them after. */
static const struct {
  const char *key, *name;
} rates[] = {{"Samples per second", "samples_per_second"},
             {"Scheduled samples per second", "scheduled_samples_per_second"},
             {"Completed samples per second", "samples_per_second"},
             {"QPS w/o loadgen overhead", "samples_per_second"},
             {"QPS w/ loadgen overhead", "samples_per_second_with_loadgen"},
             {"Tokens per second", "tokens_per_second"},
             {"Completed tokens per second", "tokens_per_second"},
             {"TPS w/o loadgen overhead", "tokens_per_second"}};

static double figure(const reading *r, const char *name) {
  for (size_t i = 0; i < r->figures.counter_count; i++) {
    if (strcmp(r->figures.counters[i].name, name) == 0) {
      return r->figures.counters[i].value;
    }
  }
  return NAN;
}

/** The first of a name stands. */
static void keep(reading *r, const char *name, double value) {
  if (isnan(figure(r, name))) {
    rf_import_counter(r->profile, &r->figures, name, value, 1);
  }
}

/** "Mean", "99.00 percentile", "90th percentile": "mean", "p99", "p90"; false for none of them. */
static bool statistic_of(const char *text, char word[16]) {
  static const char *const words[][2] = {{"min", "least"}, {"max", "most"}, {"mean", "mean"}};
  char *end = NULL;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strncmp(text, words[i][0], strlen(words[i][0])) == 0) {
      snprintf(word, 16, "%s", words[i][1]);
      return true;
    }
  }
  long whole = strtol(text, &end, 10);
  long part = *end == '.' ? strtol(end + 1, &end, 10) : 0;
  if (end == text || whole < 0 || whole > 100 || part < 0 || part > 99 || strstr(end, "percentile") == NULL) {
    return false;
  }
  if (part == 0) {
    snprintf(word, 16, whole == 50 ? "median" : "p%ld", whole);
  } else {
    snprintf(word, 16, "p%ld.%ld", whole, part % 10 == 0 ? part / 10 : part);
  }
  return true;
}

/** The name in small letters, without blanks around it. */
static void small(const char *key, size_t length, char to[80]) {
  size_t used = 0;
  for (; used < length && used < 79; used++) {
    to[used] = (char)rf_lower((unsigned char)key[used]);
  }
  while (used > 0 && to[used - 1] == ' ') {
    used--;
  }
  to[used] = '\0';
}

static void take_latency(reading *r, const char *key, double nanoseconds) {
  char word[16];
  for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++) {
    if (roof_text_ends_with(key, latencies[i].ending) && statistic_of(key, word)) {
      keep(r, rf_import_textf(r->profile, "%s_%s_seconds", word, latencies[i].name), nanoseconds * 1e-9);
      return;
    }
  }
}

static void take_line(reading *r, const char *line) {
  const struct {
    const char *key;
    char *to;
    size_t size;
  } texts[] = {{"sut name", r->system, sizeof r->system},
               {"scenario", r->scenario, sizeof r->scenario},
               {"mode", r->mode, sizeof r->mode},
               {"result is", r->result, sizeof r->result}};
  const char *colon = strrchr(line, ':'), *first = strchr(line, ':');
  char key[80], rate[80];
  if (colon == NULL) {
    return;
  }
  small(line, (size_t)(first - line), key);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (strcmp(key, texts[i].key) == 0) {
      snprintf(texts[i].to, texts[i].size, "%s", first + 1 + strspn(first + 1, " "));
    }
  }
  double value = rf_import_number(colon + 1, NULL);
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
    small(rates[i].key, strlen(rates[i].key), rate);
    if (strcmp(key, rate) == 0) {
      keep(r, rates[i].name, value);
    }
  }
  take_latency(r, key, value);
}

/** Seconds of a sample: where many run together what their rate says, else the mean latency. */
static double seconds_of(const reading *r) {
  bool together = strcmp(r->scenario, "Offline") == 0 || strcmp(r->scenario, "Server") == 0;
  double rate = figure(r, "samples_per_second"), scheduled = figure(r, "scheduled_samples_per_second");
  double seconds = together ? 1 / (isnan(rate) ? scheduled : rate) : figure(r, "mean_latency_seconds");
  return isnan(seconds) ? 1 / rate : seconds;
}

static roof_status finish(reading *r, roof_error *error) {
  uint64_t picoseconds;
  const char *name =
      rf_import_textf(r->profile, "%s %s", r->system[0] != '\0' ? r->system : "MLPerf", r->scenario);
  if (strcmp(r->mode, "AccuracyOnly") == 0) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, 1, 0,
                           "a run for accuracy alone, which is not timed");
  }
  if (!rf_import_picoseconds(seconds_of(r), &picoseconds) || picoseconds == 0) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, 1, 0, "no latency or rate of samples in it");
  }
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  rf_import_call(r->profile, record, picoseconds);
  if (r->result[0] != '\0') {
    rf_import_fact(r->profile, "result", NAN, r->result);
  }
  for (size_t i = 0; i < r->figures.counter_count; i++) {
    const roof_counter *c = &r->figures.counters[i];
    rf_import_counter(r->profile, record, c->name, c->value, 1);
    rf_import_fact(r->profile, c->name, c->value, NULL);
  }
  rf_import_missing(&record->bytes[ROOF_MEMORY], "the file gives no model size");
  rf_import_missing(&record->flops[ROOF_FP16][ROOF_MATRIX], "the file gives no model size");
  return ROOF_OK;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  size_t length = 0;
  for (char *line; (line = rf_import_line(source, &length)) != NULL;) {
    take_line(&r, line);
  }
  roof_status status = rf_import_failed(source, error);
  status = status == ROOF_OK ? finish(&r, error) : status;
  free(r.figures.counters);
  return status;
}

const roof_format rf_format_mlperf = {
    .name = "mlperf",
    .title = "MLPerf Inference summary (mlperf_log_summary.txt)",
    .gives = "time of a sample, latencies, TTFT, TPOT, rates, whether the run is valid",
    .detect = detect,
    .read = read,
};
