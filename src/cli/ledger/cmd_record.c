/* Measurements into the ledger: by hand, or from a program's file. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/columns.h"
#include "cli/ledger/seal.h"
#include "roofline/accuracy.h"
#include "roofline/time.h"

static char *ledger_path, *key_path;
static int unsealed;
static const char **counters;

static const struct poptOption options[] = {
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "where to record; default " CLI_DEFAULT_LEDGER,
     "FILE"},
    {"counter", 'c', POPT_ARG_ARGV, &counters, 0,
     "what a profiler counted, a share: occupancy=0.3; repeatable", "NAME=VALUE"},
    {"sign", '\0', POPT_ARG_STRING, &key_path, 0,
     "sign each measurement with this secret key (`ledger keygen`)", "KEY"},
    {"unsealed", '\0', POPT_ARG_NONE, &unsealed, 0,
     "also record measurements without an earlier sealed prediction; they stay marked `unsealed`", NULL},
    POPT_TABLEEND};

static const cli_column columns[] = {{.key = "label", CLI_FIELD(NAME, roof_measurement, label)}, {0}};

static void add_text(roof_text *out, const char *ledger, const roof_measurements *b) {
  char seconds[CLI_SHORT], when[ROOF_TIME_MAX];
  for (size_t i = 0; i < b->count; i++) {
    roof_text_addf(out, "recorded `%s` in %s: %s\n", b->list[i].label, ledger,
                   cli_quantity(seconds, b->list[i].seconds, "s"));
  }
  for (size_t i = 0; i < b->skipped_count; i++) {
    roof_text_addf(out, "  not recorded: %s: %s\n", b->skipped[i].what, b->skipped[i].why);
  }
  if (b->taken == ROOF_TAKEN_FILE) {
    roof_text_addf(out, "  taken %s by the file's date: it does not say when itself\n",
                   roof_time_write(b->list[0].taken, when));
  }
}

static roof_status print_answer(const cli_args *args, const char *ledger, const roof_measurements *b,
                                roof_error *error) {
  if (args->csv) {
    return cli_columns_print_csv(CLI_ROWS(columns, b->list, b->count), error);
  }
  roof_text text = {0};
  roof_status status = ROOF_OK;
  if (args->json) {
    status = roof_ledger_write_recorded(ledger, b, &text, error);
  } else if (!args->quiet) {
    add_text(&text, ledger, b);
  }
  return cli_print_end(&text, status, error);
}

/** Finds what was measured among what is sealed: predictions without a measurement first. */
static roof_status match_served(roof_profile *profile, const roof_reconcile *sealed, roof_measurements *b,
                                roof_error *error) {
  size_t open = sealed->unmatched_prediction_count, count = open + sealed->count;
  char(*labels)[ROOF_LABEL_MAX] = calloc(count + 1, sizeof *labels);
  if (labels == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "record: out of memory");
  }
  memcpy(labels, sealed->unmatched_predictions, open * sizeof *labels);
  for (size_t i = 0; i < sealed->count; i++) {
    memcpy(labels[open + i], sealed->entries[i].label, sizeof *labels);
  }
  roof_status status = roof_served_measurements(profile, labels, count, open, b, error);
  free(labels);
  return status;
}

/** A serving benchmark's result as measurements of what was sealed of it; *is: whether the file is one. */
static roof_status read_served(const char *file, const char *ledger, roof_measurements *b, bool *is,
                               roof_error *error) {
  roof_profile profile = {0};
  roof_reconcile sealed = {0};
  struct stat info; /* a pipe is read once */
  roof_error why = {0};
  bool read_twice = stat(file, &info) == 0 && S_ISREG(info.st_mode);
  roof_status status = read_twice ? roof_profile_init(&profile, &why) : ROOF_E_INPUT;
  status =
      status == ROOF_OK ? roof_import_files(&file, 1, &(roof_import_options){0}, &profile, &why) : status;
  *is = status == ROOF_OK && roof_profile_has_runs(&profile);
  status = status == ROOF_E_MEMORY ? roof_error_set(error, status, "%s", why.message)
           : *is                   ? roof_ledger_reconcile(ledger, false, &sealed, error)
                                   : ROOF_OK;
  if (*is && status == ROOF_OK) {
    status = match_served(&profile, &sealed, b, error);
  }
  roof_reconcile_done(&sealed);
  roof_profile_done(&profile);
  return status;
}

/** Refuses a label alone, which names no file but what was sealed. */
static roof_status refuse_label(const char *word, const char *ledger, roof_error *error) {
  roof_ledger_entries sealed = {0};
  bool label = access(word, F_OK) != 0 && access(ledger, F_OK) == 0 &&
               roof_ledger_read(ledger, &sealed, NULL) == ROOF_OK && cli_is_sealed(&sealed, word);
  roof_ledger_entries_done(&sealed);
  return label ? roof_error_set(error, ROOF_E_ARGUMENT, "record %s: give seconds=..., or samples=...", word)
               : ROOF_OK;
}

static roof_status read_file(const char *file, const char *ledger, roof_measurements *b, roof_error *error) {
  bool is;
  roof_status wrong = refuse_label(file, ledger, error);
  if (wrong != ROOF_OK) {
    return wrong;
  }
  roof_status status = read_served(file, ledger, b, &is, error);
  return is || status != ROOF_OK ? status : roof_measurements_read(file, b, error);
}

static roof_status record(const cli_args *args, roof_error *error) {
  const char *ledger = cli_ledger_name(ledger_path);
  char commit[ROOF_DIGEST_MAX];
  roof_measurements b = {0};
  roof_status status = args->word_count > 1 ? roof_measurements_add_words(&b, args->words[0], args->words + 1,
                                                                          args->word_count - 1, error)
                                            : read_file(args->words[0], ledger, &b, error);
  status = status == ROOF_OK ? roof_measurements_count(&b, counters, error) : status;
  status = status == ROOF_OK ? roof_ledger_commit(commit, error) : status;
  if (status == ROOF_OK) {
    roof_ledger_options how = {.commit = commit, .key = key_path, .unsealed = unsealed != 0};
    status = roof_ledger_record(ledger, b.list, b.count, &how, error);
  }
  if (status == ROOF_OK) {
    cli_ledger_written(ledger);
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
  free(key_path);
  cli_args_list_done(counters);
  return status;
}

const cli_command cli_cmd_record = {
    .name = "record",
    .task = CLI_TASK_RECORD,
    .arguments = "LABEL seconds=... [samples=...] [flops=...] [bytes=...] | FILE | -",
    .summary = "put measurements in the ledger, after their predictions",
    .examples = "  roofline record ffn seconds=5.1ms\n"
                "  roofline record ffn samples=5.1ms,5.3ms,5.0ms bytes=1.1GB\n"
                "  roofline record ffn seconds=5.1ms -c memory=82% -c occupancy=0.4\n"
                "  roofline run triad --json >run.json && roofline record run.json\n"
                "  roofline record vllm-result.json\n"
                "\n"
                "  A serving benchmark's result is of the TTFT and TPOT that `model --seal` sealed.\n",
    .writes = "txt json csv",
    .options = options,
    .run = run,
};
