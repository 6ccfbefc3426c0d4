/* Measurements into the ledger: by hand, or from a program's file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ledger/seal.h"
#include "roofline/documents.h"
#include "roofline/time.h"

static char *ledger_path;
static int unsealed;
static const char **counters;

static const struct poptOption options[] = {
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "where to record; default " CLI_DEFAULT_LEDGER,
     "FILE"},
    {"counter", 'c', POPT_ARG_ARGV, &counters, 0,
     "what a profiler counted, a share: occupancy=0.3; repeatable", "NAME=VALUE"},
    {"unsealed", '\0', POPT_ARG_NONE, &unsealed, 0,
     "also record measurements without an earlier sealed prediction; they stay marked `unsealed`", NULL},
    POPT_TABLEEND};

/* By hand: LABEL key=value ... */

static roof_status take_seconds(roof_measurement *m, char *text, roof_error *error) {
  return roof_quantity_parse_unit(text, "s", &m->seconds, error);
}

static roof_status take_samples(roof_measurement *m, char *text, roof_error *error) {
  char *rest = NULL;
  roof_status status = ROOF_OK;
  for (char *part = strtok_r(text, ",", &rest); part != NULL && status == ROOF_OK;
       part = strtok_r(NULL, ",", &rest)) {
    double seconds = NAN;
    status = roof_quantity_parse_unit(part, "s", &seconds, error);
    if (status == ROOF_OK) {
      status = roof_measurement_sample(m, seconds, error);
    }
  }
  return status;
}

static roof_status take_flops(roof_measurement *m, char *text, roof_error *error) {
  return roof_quantity_parse_unit(text, "FLOP", &m->flops, error);
}

static roof_status take_bytes(roof_measurement *m, char *text, roof_error *error) {
  return roof_quantity_parse_unit(text, "B", &m->bytes, error);
}

static roof_status take_machine(roof_measurement *m, char *text, roof_error *error) {
  (void)error;
  snprintf(m->machine, sizeof m->machine, "%s", text);
  return ROOF_OK;
}

static roof_status take_dtype(roof_measurement *m, char *text, roof_error *error) {
  return roof_dtype_parse(text, &m->dtype, error);
}

static const struct {
  const char *key;
  roof_status (*take)(roof_measurement *m, char *text, roof_error *error);
} keys[] = {{"seconds", take_seconds}, {"samples", take_samples}, {"flops", take_flops},
            {"bytes", take_bytes},     {"machine", take_machine}, {"dtype", take_dtype}};

enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

static roof_status take_pair(roof_measurement *m, const char *word, roof_error *error) {
  const char *names[KEY_COUNT + 1] = {NULL};
  char copy[4096];
  if (snprintf(copy, sizeof copy, "%s", word) >= (int)sizeof copy) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%.40s...`: too long; record a file instead", word);
  }
  char *equals = strchr(copy, '=');
  if (equals == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: give key=value, for instance seconds=1.5ms", word);
  }
  *equals = '\0';
  for (int i = 0; i < KEY_COUNT; i++) {
    names[i] = keys[i].key;
    if (strcmp(copy, keys[i].key) == 0) {
      return keys[i].take(m, equals + 1, error);
    }
  }
  return roof_error_unknown(error, "key", copy, names, NULL);
}

static roof_status read_words(const cli_args *args, roof_measurements *b, roof_error *error) {
  roof_measurement *m = NULL;
  roof_status status = roof_measurements_add(b, &m, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (strlen(args->words[0]) >= sizeof m->label) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "label `%.40s...`: too long", args->words[0]);
  }
  snprintf(m->label, sizeof m->label, "%s", args->words[0]);
  snprintf(m->note, sizeof m->note, "by hand");
  for (int i = 1; i < args->word_count && status == ROOF_OK; i++) {
    status = take_pair(m, args->words[i], error);
  }
  if (status == ROOF_OK) {
    status = roof_measurement_settle(m, error);
  }
  if (status == ROOF_OK && isnan(m->seconds)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%s: give seconds=..., or samples=...", m->label);
  }
  snprintf(m->counted, sizeof m->counted, "%s", isnan(m->bytes) ? "" : "by hand");
  snprintf(m->counted_flops, sizeof m->counted_flops, "%s", isnan(m->flops) ? "" : "by hand");
  return status;
}

/** The counters typed; they are of one kernel. */
static roof_status add_counters(roof_measurements *b, roof_error *error) {
  roof_status status = ROOF_OK;
  if (counters != NULL && b->count != 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--counter: of which of the %zu kernels?", b->count);
  }
  for (int i = 0; counters != NULL && counters[i] != NULL && status == ROOF_OK; i++) {
    roof_clue clue;
    double value;
    status = roof_clue_read(counters[i], &clue, &value, error);
    if (status == ROOF_OK) {
      status = roof_measurement_count(&b->list[0], roof_clue_name(clue), value, error);
    }
  }
  return status;
}

static const char *const taken_names[] = {
    [ROOF_TAKEN_NOW] = "now", [ROOF_TAKEN_SAID] = "document", [ROOF_TAKEN_FILE] = "file date"};

/** Null where it ends now. */
static json_t *taken_json(const roof_measurements *b) {
  char when[ROOF_TIME_MAX];
  double taken = b->count > 0 ? b->list[0].taken : NAN;
  return isnan(taken) ? json_null() : json_string(roof_time_write(taken, when));
}

static roof_status print_answer(const cli_args *args, const char *ledger, const roof_measurements *b,
                                roof_error *error) {
  roof_text text = {0};
  char seconds[40];
  if (args->json || args->csv) {
    json_t *labels = json_array();
    for (size_t i = 0; i < b->count; i++) {
      json_array_append_new(labels, json_string(b->list[i].label));
    }
    return cli_answer_print(args,
                            json_pack("{s:s, s:s, s:o, s:o, s:s}", "schema", "roofline.recorded/1", "ledger",
                                      ledger, "labels", labels, "taken", taken_json(b), "taken_from",
                                      taken_names[b->taken]),
                            error);
  }
  for (size_t i = 0; i < b->count && !args->quiet; i++) {
    roof_text_addf(&text, "recorded `%s` in %s: %s\n", b->list[i].label, ledger,
                   roof_quantity_format(seconds, sizeof seconds, b->list[i].seconds, "s"));
  }
  if (b->taken == ROOF_TAKEN_FILE && !args->quiet) {
    char when[ROOF_TIME_MAX];
    roof_text_addf(&text, "  taken %s by the file's date: it does not say when itself\n",
                   roof_time_write(b->list[0].taken, when));
  }
  roof_status status = cli_print(&text, error);
  roof_text_done(&text);
  return status;
}

static roof_status record(const cli_args *args, roof_error *error) {
  const char *ledger = ledger_path != NULL ? ledger_path : CLI_DEFAULT_LEDGER;
  char commit[ROOF_DIGEST_MAX];
  roof_measurements b = {0};
  roof_status status =
      args->word_count > 1 ? read_words(args, &b, error) : roof_measurements_read(args->words[0], &b, error);
  if (status == ROOF_OK) {
    status = add_counters(&b, error);
  }
  if (status == ROOF_OK) {
    cli_commit(commit);
    roof_ledger_options how = {.commit = commit[0] != '\0' ? commit : NULL, .unsealed = unsealed != 0};
    status = roof_ledger_record(ledger, b.list, b.count, &how, error);
  }
  if (status == ROOF_OK) {
    status = print_answer(args, ledger, &b, error);
  }
  roof_measurements_done(&b);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_status status = ROOF_OK;
  if (args->word_count == 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "record: what? `record LABEL seconds=1.5ms`, or a file of `run --json`");
  } else {
    status = record(args, error);
  }
  free(ledger_path);
  cli_args_list_done(counters);
  return status;
}

const cli_command cli_cmd_record = {
    .name = "record",
    .arguments = "LABEL seconds=... [samples=...] [flops=...] [bytes=...] | FILE",
    .summary = "put measurements in the ledger, after their predictions",
    .examples = "  roofline record ffn seconds=5.1ms\n"
                "  roofline record ffn samples=5.1ms,5.3ms,5.0ms bytes=1.1GB\n"
                "  roofline record ffn seconds=5.1ms -c memory=82% -c occupancy=0.4\n"
                "  roofline run triad --json >run.json && roofline record run.json\n",
    .options = options,
    .run = run,
};
