/* A list of predictions into the ledger, before anything is measured. */
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/ledger/seal.h"

static char *ledger_path, *key_path, *mine;

static const struct poptOption options[] = {
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "where to seal; default " CLI_DEFAULT_LEDGER, "FILE"},
    {"sign", '\0', POPT_ARG_STRING, &key_path, 0,
     "sign each prediction with this secret key (`ledger keygen`)", "KEY"},
    {"mine", '\0', POPT_ARG_STRING, &mine, 0,
     "your own prediction, sealed too and graded by `reconcile`: a share of the ceiling (70%) or a time",
     "SHARE|TIME"},
    POPT_TABLEEND};

/** What a line of a list may say: as `predict`. */
static const cli_command line_command = {.name = "predict",
                                         .arguments = "OP|MODEL key=value ...",
                                         .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL};

/** Predicts the words of one line. */
static roof_status predict_line(void *user, const char *words, roof_sealings *predictions,
                                roof_error *error) {
  (void)user;
  cli_args args;
  roof_text line = {0};
  const char **argv = NULL;
  int argc = 0;
  roof_text_addf(&line, "predict %s", words);
  int code = line.failed ? POPT_ERROR_MALLOC : poptParseArgvString(line.data, &argc, &argv);
  roof_text_done(&line);
  if (code != 0) {
    return roof_error_set(error, code == POPT_ERROR_MALLOC ? ROOF_E_MEMORY : ROOF_E_PARSE, "`%.60s`: %s",
                          words, poptStrerror(code));
  }
  roof_status status = cli_args_parse(&args, &line_command, argc, argv, error);
  if (status == ROOF_OK) {
    status = cli_predict_collect(&args, predictions, error);
  }
  cli_args_done(&args);
  free(argv);
  return status;
}

/** "memory (HBM)". */
CLI_WORD(regime_of, roof_sealing, cli_column_say(scratch, "%s (%s)", r->regime, r->binding))

static const cli_column columns[] = {
    {.key = "label", .header = "label", .name = true, CLI_FIELD(NAME, roof_sealing, label)},
    {.header = "machine", .rank = 1, .none = "", CLI_FIELD(NAME, roof_sealing, machine)},
    {.header = "regime", .text = regime_of},
    {.header = "expected", .unit = "s", CLI_FIELD(NUMBER, roof_sealing, expected_seconds)},
    {0}};

/** Whose figures somebody wrote, and how that is known. */
static void add_by_hand(roof_text *out, const roof_sealings *predictions) {
  for (size_t i = 0; i < predictions->count; i++) {
    const roof_sealing *s = &predictions->list[i];
    if (s->origin == ROOF_SEALING_HAND) {
      roof_text_addf(out, "  by hand: %s: %s\n", s->label, s->doubt);
    }
  }
}

static roof_status print_answer(const cli_args *args, const char *ledger, const roof_sealings *predictions,
                                roof_error *error) {
  cli_rows rows = CLI_ROWS(columns, predictions->list, predictions->count);
  bool is_signed = key_path != NULL;
  if (args->csv) {
    return cli_columns_print_csv(rows, error);
  }
  roof_text text = {0};
  roof_status status = ROOF_OK;
  if (args->json) {
    status = roof_ledger_write_sealed(ledger, predictions, is_signed, &text, error);
  } else {
    roof_text_addf(&text, "%zu prediction%s sealed in %s%s%s\n", rows.count, rows.count == 1 ? "" : "s",
                   ledger, is_signed ? ", signed with " : "", is_signed ? key_path : "");
  }
  if (!args->json && !args->quiet) {
    roof_text_add(&text, "\n");
    cli_columns_add_text(&text, rows);
    add_by_hand(&text, predictions);
  }
  return cli_print_end(&text, status, error);
}

/** Refuses what a file says itself. */
static roof_status check_file(const cli_args *args, roof_error *error) {
  const roof_formats *f = &args->formats;
  bool formats = f->dtype != NULL || f->weights != NULL || f->group != NULL || f->accumulate != NULL ||
                 f->output != NULL || f->kv != NULL;
  return formats || roof_options_typed(&args->options)
             ? roof_error_set(error, ROOF_E_ARGUMENT,
                              "seal %s: formats and options stand in the file, line by line", args->words[0])
             : ROOF_OK;
}

/** What a file holds, or the words and options say. */
static roof_status seal_all(const cli_args *args, roof_error *error) {
  const char *ledger = cli_ledger_name(ledger_path);
  roof_sealings predictions = {0};
  bool words = args->word_count > 1 || args->machines != NULL;
  roof_status status = words ? cli_predict_collect(args, &predictions, error) : check_file(args, error);
  if (status == ROOF_OK && !words) {
    status = roof_sealings_load(&predictions, args->words[0], predict_line, NULL, error);
  }
  if (words) {
    roof_sealings_name_machines(&predictions);
  }
  if (status == ROOF_OK && mine != NULL) {
    status = roof_sealings_mine(&predictions, mine, error);
  }
  if (status == ROOF_OK) {
    status = cli_seal_all(ledger, &predictions, key_path, error);
  }
  if (status == ROOF_OK) {
    status = print_answer(args, ledger, &predictions, error);
  }
  roof_sealings_done(&predictions);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_status status =
      args->word_count > 0
          ? seal_all(args, error)
          : roof_error_set(
                error, ROOF_E_ARGUMENT,
                "seal: which file? A list of lines `LABEL: OP key=value ... --machine NAME`, or what "
                "`predict --json` prints; or OP|MODEL key=value ... --machine NAME");
  free(ledger_path);
  free(key_path);
  free(mine);
  return status;
}

const cli_command cli_cmd_seal = {
    .name = "seal",
    .task = CLI_TASK_RECORD,
    .arguments = "FILE | - | OP|MODEL key=value ... --machine NAME",
    .summary = "put predictions in the ledger before anything is measured",
    .examples =
        "  roofline seal predictions.txt\n"
        "  roofline sweep gemm m=1,64 n=8192 k=8192 --machine h100 --json >sweep.json && roofline seal "
        "sweep.json\n"
        "  roofline seal predictions.txt --sign roofline.key\n"
        "  roofline seal predictions.txt --mine 70%\n"
        "  roofline seal llama-3.1-8b batch=8 prompt=1024 --machine h100\n",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL,
    .writes = "txt json csv",
    .options = options,
    .run = run,
};
