/* The ledger itself: show, verify, export, keygen. */
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/grid.h"
#include "cli/ledger/seal.h"
#include "core/number.h"

static char *ledger_path, *key_path, *markdown_path;

static const struct poptOption options[] = {
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "default " CLI_DEFAULT_LEDGER, "FILE"},
    {"key", '\0', POPT_ARG_STRING, &key_path, 0, "verify: every prediction must be signed by this public key",
     "PUB"},
    {"markdown", '\0', POPT_ARG_STRING, &markdown_path, 0, "export: write a table of the predictions",
     "FILE"},
    POPT_TABLEEND};

enum { SHORT = 40 };

static const char *ledger_name(void) {
  return ledger_path != NULL ? ledger_path : CLI_DEFAULT_LEDGER;
}

/** The entries of a ledger that holds, as one array. */
static roof_status load(json_t **entries, roof_error *error) {
  roof_text lines = {0};
  roof_status status = roof_ledger_lines(ledger_name(), &lines, error);
  if (status != ROOF_OK) {
    roof_text_done(&lines);
    return status;
  }
  json_t *array = json_array();
  for (const char *line = lines.data; line != NULL && *line != '\0';) {
    const char *newline = strchr(line, '\n');
    json_array_append_new(array, json_loadb(line, (size_t)(newline - line), 0, NULL));
    line = newline + 1;
  }
  roof_text_done(&lines);
  *entries = array;
  return ROOF_OK;
}

static const char *text_of(json_t *entry, const char *key) {
  const char *text = json_string_value(json_object_get(entry, key));
  return text != NULL ? text : "";
}

static bool is_prediction(json_t *entry) {
  return strcmp(text_of(entry, "kind"), "prediction") == 0;
}

static double seconds_of(json_t *entry, const char *which) {
  json_t *seconds = json_object_get(entry, "seconds");
  return json_number_value(json_is_object(seconds) ? json_object_get(seconds, which) : seconds);
}

/** What a prediction rests on, or what marks a measurement. */
static void add_note(cli_grid *grid, json_t *entry) {
  bool is_signed = json_object_get(entry, "signature") != NULL;
  if (is_prediction(entry)) {
    cli_grid_add(grid, "%s (%s)%s", text_of(entry, "regime"), text_of(entry, "binding"),
                 is_signed ? ", signed" : "");
  } else if (json_is_true(json_object_get(entry, "unsealed"))) {
    cli_grid_add(grid, "UNSEALED: no prediction came before it");
  } else {
    cli_grid_add(grid, "of entry %" JSON_INTEGER_FORMAT ", %zu samples",
                 json_integer_value(json_object_get(entry, "prediction")),
                 json_array_size(json_object_get(entry, "samples")));
  }
}

static void add_entry(cli_grid *grid, json_t *entry) {
  char seconds[SHORT];
  cli_grid_add(grid, "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(entry, "sequence")));
  cli_grid_add(grid, "%s", text_of(entry, "time"));
  cli_grid_add(grid, "%s", is_prediction(entry) ? "predicted" : "measured");
  cli_grid_add(grid, "%s", text_of(entry, "label"));
  cli_grid_add(grid, "%s", roof_quantity_format(seconds, SHORT, seconds_of(entry, "expected"), "s"));
  cli_grid_add(grid, "%s", text_of(entry, "machine"));
  add_note(grid, entry);
}

/** An entry as a record. "" and NaN: not of its kind. */
typedef struct record {
  const char *time, *kind, *label, *machine, *op, *parameters, *dtype, *regime, *binding, *unsealed, *commit,
      *sha256;
  double sequence, flops, bytes, lower, expected, measured, prediction;
  json_t *samples;
} record;

static void add_samples(const void *row, roof_text *out) {
  json_t *sample;
  size_t i;
  json_array_foreach(((const record *)row)->samples, i, sample) {
    roof_text_add(out, i > 0 ? ";" : "");
    roof_text_add_number(out, rf_json_number_of(sample), 15);
  }
}

static const cli_column columns[] = {{.key = "sequence", CLI_FIELD(NUMBER, record, sequence)},
                                     {.key = "time", CLI_FIELD(TEXT, record, time)},
                                     {.key = "kind", CLI_FIELD(TEXT, record, kind)},
                                     {.key = "label", CLI_FIELD(TEXT, record, label)},
                                     {.key = "machine", CLI_FIELD(TEXT, record, machine)},
                                     {.key = "op", CLI_FIELD(TEXT, record, op)},
                                     {.key = "parameters", CLI_FIELD(TEXT, record, parameters)},
                                     {.key = "dtype", CLI_FIELD(TEXT, record, dtype)},
                                     {.key = "regime", CLI_FIELD(TEXT, record, regime)},
                                     {.key = "binding", CLI_FIELD(TEXT, record, binding)},
                                     {.key = "flops", CLI_FIELD(NUMBER, record, flops)},
                                     {.key = "bytes", CLI_FIELD(NUMBER, record, bytes)},
                                     {.key = "lower_seconds", CLI_FIELD(NUMBER, record, lower)},
                                     {.key = "expected_seconds", CLI_FIELD(NUMBER, record, expected)},
                                     {.key = "measured_seconds", CLI_FIELD(NUMBER, record, measured)},
                                     {.key = "samples", .add = add_samples},
                                     {.key = "prediction", CLI_FIELD(NUMBER, record, prediction)},
                                     {.key = "unsealed", CLI_FIELD(TEXT, record, unsealed)},
                                     {.key = "commit", CLI_FIELD(TEXT, record, commit)},
                                     {.key = "sha256", CLI_FIELD(TEXT, record, sha256)},
                                     {0}};

static double number_of(json_t *entry, const char *key) {
  return rf_json_number_of(json_object_get(entry, key));
}

static record record_of(json_t *entry) {
  json_t *unsealed = json_object_get(entry, "unsealed"), *seconds = json_object_get(entry, "seconds");
  return (record){.sequence = number_of(entry, "sequence"),
                  .time = text_of(entry, "time"),
                  .kind = text_of(entry, "kind"),
                  .label = text_of(entry, "label"),
                  .machine = text_of(entry, "machine"),
                  .op = text_of(entry, "op"),
                  .parameters = text_of(entry, "parameters"),
                  .dtype = text_of(entry, "dtype"),
                  .regime = text_of(entry, "regime"),
                  .binding = text_of(entry, "binding"),
                  .flops = number_of(entry, "flops"),
                  .bytes = number_of(entry, "bytes"),
                  .lower = number_of(seconds, "lower"),
                  .expected = number_of(seconds, "expected"),
                  .measured = rf_json_number_of(seconds),
                  .samples = json_object_get(entry, "samples"),
                  .prediction = number_of(entry, "prediction"),
                  .unsealed = !json_is_boolean(unsealed) ? ""
                              : json_is_true(unsealed)   ? "true"
                                                         : "false",
                  .commit = text_of(entry, "commit"),
                  .sha256 = text_of(entry, "sha256")};
}

/** The entries as JSON or CSV. */
static roof_status print_entries(const cli_args *args, json_t *entries, roof_error *error) {
  roof_text out = {0};
  record row;
  json_t *entry;
  size_t i;
  if (!args->csv) {
    return cli_json_print(json_pack("{s:s, s:s, s:O}", "schema", "roofline.ledger/1", "ledger", ledger_name(),
                                    "entries", entries),
                          error);
  }
  cli_columns_add_csv(&out, CLI_ROWS(columns, &row, 0)); /* the header */
  json_array_foreach(entries, i, entry) {
    row = record_of(entry);
    cli_columns_add_csv_row(&out, columns, &row);
  }
  return cli_print_end(&out, ROOF_OK, error);
}

static roof_status show(const cli_args *args, roof_error *error) {
  static const char *const header[] = {"#", "time", "kind", "label", "seconds", "machine", "what"};
  json_t *entries = NULL, *entry;
  size_t index;
  roof_text text = {0};
  cli_grid grid = {0};
  roof_status status = load(&entries, error);
  if (status != ROOF_OK || args->json || args->csv) {
    status = status == ROOF_OK ? print_entries(args, entries, error) : status;
    json_decref(entries);
    return status;
  }
  for (size_t i = 0; i < sizeof header / sizeof header[0]; i++) {
    cli_grid_add(&grid, "%s", header[i]);
  }
  json_array_foreach(entries, index, entry) {
    add_entry(&grid, entry);
  }
  cli_grid_end(&grid, &text, "rlllrll");
  status = cli_print(&text, error);
  roof_text_done(&text);
  json_decref(entries);
  return status;
}

/** The summary of a ledger under its name. */
typedef struct verified {
  const char *ledger;
  roof_ledger_summary of;
} verified;

#define COUNT_OF(member)                                                                                     \
  static double member##_of(const void *row) {                                                               \
    return (double)((const verified *)row)->of.member;                                                       \
  }
COUNT_OF(entries)
COUNT_OF(predictions)
COUNT_OF(measurements)
COUNT_OF(unsealed)
COUNT_OF(signatures)

static const cli_column summary_columns[] = {{.key = "ledger", CLI_FIELD(TEXT, verified, ledger)},
                                             {.key = "entries", .number = entries_of},
                                             {.key = "predictions", .number = predictions_of},
                                             {.key = "measurements", .number = measurements_of},
                                             {.key = "unsealed", .number = unsealed_of},
                                             {.key = "signatures", .number = signatures_of},
                                             {0}};

static void add_summary(roof_text *out, const roof_ledger_summary *s) {
  roof_text_addf(out, "%s holds: %zu entries, %zu predictions, %zu measurements", ledger_name(), s->entries,
                 s->predictions, s->measurements);
  if (s->unsealed > 0) {
    roof_text_addf(out, ", %zu of them unsealed", s->unsealed);
  }
  if (s->signatures > 0) {
    roof_text_addf(out, "; %zu signatures match%s", s->signatures, key_path != NULL ? " the key" : "");
  }
  roof_text_add(out, "\n");
}

static roof_status verify(const cli_args *args, roof_error *error) {
  verified v = {.ledger = ledger_name()};
  roof_text text = {0};
  roof_status status = roof_ledger_verify(v.ledger, key_path, &v.of, error);
  if (status != ROOF_OK || args->csv) {
    return status != ROOF_OK ? status : cli_columns_print_csv(CLI_ROWS(summary_columns, &v, 1), error);
  }
  if (args->json) {
    status = roof_ledger_write_summary(v.ledger, &v.of, &text, error);
  } else {
    add_summary(&text, &v.of);
  }
  status = status == ROOF_OK ? cli_print(&text, error) : status;
  roof_text_done(&text);
  return status;
}

/** Text of a cell of a Markdown table. */
static void add_cell(roof_text *out, const char *text) {
  roof_text_add(out, " ");
  for (; *text != '\0'; text++) {
    roof_text_add(out, *text == '|' || *text == '\\' ? "\\" : "");
    roof_text_add_bytes(out, *text == '\n' ? " " : text, 1);
  }
  roof_text_add(out, " |");
}

static void add_prediction(roof_text *out, json_t *entry) {
  char number[SHORT], expected[SHORT], lower[SHORT], share[SHORT], regime[128];
  snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT,
           json_integer_value(json_object_get(entry, "sequence")));
  rf_format(share, sizeof share, "%.1f %%", 100 * seconds_of(entry, "lower") / seconds_of(entry, "expected"));
  snprintf(regime, sizeof regime, "%s (%s)", text_of(entry, "regime"), text_of(entry, "binding"));
  roof_quantity_format(expected, SHORT, seconds_of(entry, "expected"), "s");
  roof_quantity_format(lower, SHORT, seconds_of(entry, "lower"), "s");
  const char *cells[] = {number,
                         text_of(entry, "time"),
                         text_of(entry, "label"),
                         text_of(entry, "machine"),
                         regime,
                         lower,
                         expected,
                         share,
                         text_of(entry, "commit"),
                         text_of(entry, "sha256")};
  roof_text_add(out, "|");
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    add_cell(out, cells[i]);
  }
  roof_text_add(out, "\n");
}

static roof_status write_markdown(json_t *entries, roof_error *error) {
  roof_text text = {0};
  json_t *entry;
  size_t index;
  roof_text_addf(
      &text,
      "# Predictions\n\nSealed in `%s` before they were measured; `roofline ledger verify` checks it.\n\n"
      "| # | sealed | label | machine | regime | at best | expected | of ceiling | commit | SHA-256 |\n"
      "|--:|---|---|---|---|--:|--:|--:|---|---|\n",
      ledger_name());
  json_array_foreach(entries, index, entry) {
    if (is_prediction(entry)) {
      add_prediction(&text, entry);
    }
  }
  roof_status status = text.failed ? roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", markdown_path)
                                   : rf_write_file(markdown_path, text.data, text.length, error);
  roof_text_done(&text);
  return status;
}

static roof_status export(const cli_args *args, roof_error *error) {
  json_t *entries = NULL;
  if ((markdown_path != NULL) == (args->json || args->csv)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "ledger export: give --json, --csv, or --markdown FILE");
  }
  roof_status status = load(&entries, error);
  if (status == ROOF_OK) {
    status = args->json || args->csv ? print_entries(args, entries, error) : write_markdown(entries, error);
  }
  json_decref(entries);
  return status;
}

static roof_status keygen(const cli_args *args, roof_error *error) {
  const char *path = args->word_count > 1 ? args->words[1] : "roofline.key";
  roof_text text = {0};
  if (args->csv) {
    return cli_args_no_csv("ledger keygen", error);
  }
  roof_status status = roof_ledger_keygen(path, error);
  if (status == ROOF_OK && !args->quiet) {
    roof_text_addf(&text, "%s: keep it to yourself; %s.pub: for those who verify\n", path, path);
    status = cli_print(&text, error);
  }
  roof_text_done(&text);
  return status;
}

static const struct {
  const char *name;
  int most; /* words after it */
  roof_status (*run)(const cli_args *args, roof_error *error);
} verbs[] = {{"show", 0, show}, {"verify", 0, verify}, {"export", 0, export}, {"keygen", 1, keygen}};

enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static roof_status dispatch(const cli_args *args, roof_error *error) {
  const char *names[VERB_COUNT + 1] = {NULL};
  const char *typed = args->word_count > 0 ? args->words[0] : "show";
  for (int i = 0; i < VERB_COUNT; i++) {
    names[i] = verbs[i].name;
    if (strcmp(typed, verbs[i].name) == 0) {
      roof_status status = cli_args_limit_words(args, verbs[i].most + 1, error);
      return status == ROOF_OK ? verbs[i].run(args, error) : status;
    }
  }
  return roof_error_unknown(error, "ledger", typed, names, NULL);
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_status status = dispatch(args, error);
  free(ledger_path);
  free(key_path);
  free(markdown_path);
  return status;
}

const cli_command cli_cmd_ledger = {
    .name = "ledger",
    .arguments = "show | verify | export | keygen [FILE]",
    .summary = "what was predicted and measured, and whether the record holds",
    .examples = "  roofline ledger verify\n"
                "  roofline ledger export --markdown predictions.md\n"
                "  roofline ledger keygen roofline.key && roofline seal predictions.txt --sign roofline.key\n"
                "  roofline ledger verify --key roofline.key.pub\n",
    .options = options,
    .run = run,
};
