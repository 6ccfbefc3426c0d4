/* The ledger itself: show, verify, export, keygen, anchor. */
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/ledger/seal.h"
#include "core/number.h"
#include "roofline/anchor.h"

static char *ledger_path, *key_path, *markdown_path, *earlier, *ca_path;
static const char **anchors;
static int strict;

static const struct poptOption options[] = {
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "default " CLI_DEFAULT_LEDGER, "FILE"},
    {"key", '\0', POPT_ARG_STRING, &key_path, 0, "verify: every prediction must be signed by this public key",
     "PUB"},
    {"extends", '\0', POPT_ARG_STRING, &earlier, 0,
     "verify: it goes on from this copy of it, or from the head that `verify` printed, nothing changed",
     "OLD|N:SHA256"},
    {"anchor", '\0', POPT_ARG_ARGV, &anchors, 0,
     "verify: also what anchors prove: tags of it in git, the files of proofs next to it, or one such file",
     "git|files|FILE"},
    {"ca", '\0', POPT_ARG_STRING, &ca_path, 0, "verify: the certificates that a time stamp's comes from",
     "FILE"},
    {"strict", '\0', POPT_ARG_NONE, &strict, 0,
     "verify: exit 1 also for what a sceptic asks about (as `reconcile --strict`), or an entry that --key "
     "does not cover",
     NULL},
    {"markdown", '\0', POPT_ARG_STRING, &markdown_path, 0, "export: write a table of the predictions",
     "FILE"},
    POPT_TABLEEND};

CLI_WORD(kind_of, roof_ledger_entry, r->measured ? "measured" : "predicted")
CLI_VALUE(seconds_of, roof_ledger_entry, r->measured ? r->seconds : r->of.expected_seconds)

static void add_samples(const void *at, roof_text *out) {
  const roof_ledger_entry *e = at;
  for (size_t i = 0; i < e->sample_count; i++) {
    roof_text_add(out, i > 0 ? ";" : "");
    roof_text_add_number(out, e->samples[i], 15);
  }
}

CLI_WORD(unsealed_of, roof_ledger_entry, !r->measured ? NULL : r->unsealed ? "true" : "false")

/** What a prediction rests on, or what marks a measurement. */
static const char *note_of(const void *at, char scratch[CLI_SCRATCH]) {
  const roof_ledger_entry *e = at;
  if (!e->measured) {
    snprintf(scratch, CLI_SCRATCH, "%s (%s)%s%s", e->of.regime, e->of.binding,
             strcmp(e->origin, roof_sealing_origin_name(ROOF_SEALING_HAND)) == 0 ? ", by hand" : "",
             e->public_key[0] != '\0' ? ", signed" : "");
  } else if (e->unsealed) {
    return "UNSEALED: no prediction came before it";
  } else {
    rf_format(scratch, CLI_SCRATCH, "of entry %.0f, %zu sample%s%s%s%s%s", e->prediction, e->sample_count,
              e->sample_count == 1 ? "" : "s", e->differs[0] != '\0' ? ", other " : "", e->differs,
              e->measured_as[0] != '\0' ? ", as " : "", e->measured_as);
  }
  return scratch;
}

#define NAME(name, member)                                                                                   \
  { .key = (name), CLI_FIELD(NAME, roof_ledger_entry, member) }
#define NUMBER(name, member)                                                                                 \
  { .key = (name), CLI_FIELD(NUMBER, roof_ledger_entry, member) }
static const cli_column columns[] = {
    {.key = "sequence", .header = "#", .digits = 17, CLI_FIELD(NUMBER, roof_ledger_entry, sequence)},
    {.key = "time", .header = "time", .rank = 2, .none = "", CLI_FIELD(NAME, roof_ledger_entry, time)},
    NAME("kind", kind),
    {.header = "kind", .text = kind_of},
    {.key = "label", .header = "label", .name = true, CLI_FIELD(NAME, roof_ledger_entry, of.label)},
    {.header = "seconds", .unit = "s", .number = seconds_of},
    {.key = "machine",
     .header = "machine",
     .rank = 1,
     .none = "",
     CLI_FIELD(NAME, roof_ledger_entry, of.machine)},
    {.header = "what", .text = note_of},
    NAME("op", of.op),
    NAME("parameters", of.parameters),
    NAME("dtype", of.dtype),
    NAME("options", of.typed),
    NAME("regime", of.regime),
    NAME("binding", of.binding),
    NUMBER("flops", of.flops),
    NUMBER("bytes", of.bytes),
    NUMBER("lower_seconds", of.lower_seconds),
    NUMBER("expected_seconds", of.expected_seconds),
    NUMBER("measured_seconds", seconds),
    {.key = "samples", .add = add_samples},
    NUMBER("prediction", prediction),
    {.key = "unsealed", .text = unsealed_of},
    NAME("origin", origin),
    NAME("taken_from", taken_from),
    NAME("differs", differs),
    NAME("commit", commit),
    NAME("sha256", sha256),
    NAME("measured_as", measured_as),
    {0}};

static roof_status show(const cli_args *args, roof_error *error) {
  roof_ledger_entries all = {0};
  roof_text text = {0};
  if (args->json) {
    return cli_print_end(&text, roof_ledger_write(cli_ledger_name(ledger_path), &text, error), error);
  }
  roof_status status = roof_ledger_read(cli_ledger_name(ledger_path), &all, error);
  cli_rows rows = CLI_ROWS(columns, all.entries, all.count);
  (args->csv ? cli_columns_add_csv : cli_columns_add_text)(&text, rows);
  roof_ledger_entries_done(&all);
  return cli_print_end(&text, status, error);
}

/** The summary of a ledger under its name. */
typedef struct verified {
  const char *ledger;
  roof_ledger_summary of;
  size_t anchored; /**< entries that an anchor covers */
} verified;

static const cli_column summary_columns[] = {
    {.key = "ledger", CLI_FIELD(TEXT, verified, ledger)},
    {.key = "entries", CLI_FIELD(SIZE, verified, of.entries)},
    {.key = "predictions", CLI_FIELD(SIZE, verified, of.predictions)},
    {.key = "measurements", CLI_FIELD(SIZE, verified, of.measurements)},
    {.key = "unsealed", CLI_FIELD(SIZE, verified, of.doubts.unsealed)},
    {.key = "signatures", CLI_FIELD(SIZE, verified, of.signatures)},
    {.key = "superseded", CLI_FIELD(SIZE, verified, of.doubts.superseded)},
    {.key = "after_measurement", CLI_FIELD(SIZE, verified, of.doubts.after_measurement)},
    {.key = "by_hand", CLI_FIELD(SIZE, verified, of.doubts.by_hand)},
    {.key = "differing", CLI_FIELD(SIZE, verified, of.doubts.differing)},
    {.key = "clocks", CLI_FIELD(SIZE, verified, of.doubts.clocks)},
    {.key = "torn", CLI_FIELD(SIZE, verified, of.doubts.torn)},
    {.key = "torn_files", CLI_FIELD(SIZE, verified, of.torn_files)},
    {.key = "head", CLI_FIELD(NAME, verified, of.head)},
    {.key = "anchored", CLI_FIELD(SIZE, verified, anchored)},
    {0}};

/** What was verified, in the format that was asked for; `before`: entries of the earlier state. */
static roof_status print_verified(const cli_args *args, const verified *v, const roof_anchors *all,
                                  size_t before, roof_error *error) {
  roof_text text = {0};
  roof_status status = ROOF_OK;
  if (args->csv) {
    cli_columns_add_csv(&text, CLI_ROWS(summary_columns, v, 1));
  } else if (args->json) {
    status = roof_ledger_write_summary(v->ledger, &v->of, all, &text, error);
  } else {
    roof_ledger_sentence(v->ledger, &v->of, &text);
    if (earlier != NULL) {
      roof_text_addf(&text, "\nextends %s: its %zu %s the first of this one", earlier, before,
                     before == 1 ? "entry is" : "entries are");
    }
    roof_anchors_sentences(all, &v->of, &text);
    roof_text_add(&text, "\n");
  }
  return cli_print_end(&text, status, error);
}

static roof_status verify(const cli_args *args, roof_error *error) {
  verified v = {.ledger = cli_ledger_name(ledger_path)};
  roof_anchors all = {0};
  size_t before = 0;
  roof_status status = roof_ledger_verify(v.ledger, key_path, &v.of, error);
  if (status == ROOF_OK && earlier != NULL) {
    status = roof_ledger_extends(v.ledger, earlier, &before, error);
  }
  for (size_t i = 0; anchors != NULL && anchors[i] != NULL && status == ROOF_OK; i++) {
    status = roof_ledger_verify_anchors(v.ledger, anchors[i], ca_path, &all, error);
  }
  v.anchored = roof_anchors_cover(&all);
  status = status == ROOF_OK ? print_verified(args, &v, &all, before, error) : status;
  roof_anchors_done(&all);
  return status == ROOF_OK && strict ? roof_ledger_check(&v.of, v.ledger, error) : status;
}

static roof_status anchor(const cli_args *args, roof_error *error) {
  roof_anchor made;
  roof_anchor_kind kind;
  roof_text text = {0};
  if (args->word_count < 2) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "ledger anchor: give git, tsa or ots");
  }
  const char *url = args->word_count > 2 ? args->words[2] : NULL;
  roof_status status = roof_anchor_kind_parse(args->words[1], &kind, error);
  status =
      status == ROOF_OK ? roof_ledger_anchor(cli_ledger_name(ledger_path), kind, url, &made, error) : status;
  if (status == ROOF_OK && args->json) {
    status = roof_anchor_write(cli_ledger_name(ledger_path), &made, &text, error);
  } else if (status == ROOF_OK && !args->quiet) {
    roof_anchor_sentence(&made, &text);
    roof_text_add(&text, "\n");
  }
  return cli_print_end(&text, status, error);
}

static roof_status export(const cli_args *args, roof_error *error) {
  if ((markdown_path != NULL) == (args->json || args->csv)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "ledger export: give --json, --csv, or --markdown FILE");
  }
  if (markdown_path == NULL) {
    return show(args, error);
  }
  roof_text text = {0};
  roof_status status = roof_ledger_write_markdown(cli_ledger_name(ledger_path), &text, error);
  status = status == ROOF_OK ? cli_to_write(args, markdown_path, &text, error) : status;
  roof_text_done(&text);
  return status;
}

static roof_status keygen(const cli_args *args, roof_error *error) {
  const char *path = args->word_count > 1 ? args->words[1] : "roofline.key";
  roof_text text = {0};
  roof_status status = roof_ledger_keygen(path, error);
  if (status == ROOF_OK && args->json) {
    return cli_json_print(json_pack("{s:s, s:s, s:o}", "schema", "roofline.key/1", "secret", path, "public",
                                    json_sprintf("%s.pub", path)),
                          error);
  }
  if (status == ROOF_OK && !args->quiet) {
    roof_text_addf(&text, "%s: keep it to yourself; %s.pub: for those who verify\n", path, path);
  }
  return cli_print_end(&text, status, error);
}

static const struct {
  const char *name;
  int most; /* words after it */
  roof_status (*run)(const cli_args *args, roof_error *error);
} verbs[] = {{"show", 0, show},
             {"verify", 0, verify},
             {"export", 0, export},
             {"keygen", 1, keygen},
             {"anchor", 2, anchor}};

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
  free(earlier);
  free(ca_path);
  cli_args_list_done(anchors);
  free(markdown_path);
  return status;
}

static const cli_effect effects[] = {{.options = "key strict extends anchor ca", .without = "verify"},
                                     {.options = "ca", .without = "anchor"},
                                     {.options = "markdown", .without = "export"},
                                     {.options = "csv", .with = "keygen"},
                                     {.options = "csv", .with = "anchor", .without = "verify"},
                                     {0}};

const cli_command cli_cmd_ledger = {
    .name = "ledger",
    .task = CLI_TASK_RECORD,
    .arguments = "show | verify | export | keygen [FILE] | anchor git|tsa|ots [URL]",
    .summary = "what was predicted and measured, and whether the record holds",
    .examples = "  roofline ledger verify\n"
                "  roofline ledger export --markdown predictions.md\n"
                "  roofline ledger keygen roofline.key && roofline seal predictions.txt --sign roofline.key\n"
                "  roofline ledger verify --key roofline.key.pub\n"
                "  roofline ledger anchor git && git push --tags && roofline ledger verify --anchor git\n",
    .writes = "txt json csv",
    .options = options,
    .effects = effects,
    .run = run,
};
