#include "cli/claim/claim.h"

#include "cli/columns.h"
#include "host/file.h"
#include "roofline/prose.h"

CLI_WORD(state_of, roof_prose_claim, roof_prose_state_name(r->state))
CLI_WORD(kind_of, roof_prose_claim, roof_prose_kind_name(r->kind))
CLI_WORD(unit_of, roof_prose_claim, roof_prose_kind_unit(r->kind))

static const cli_column columns[] = {{.key = "file", CLI_FIELD(NAME, roof_prose_claim, file)},
                                     {.key = "line", CLI_FIELD(COUNT, roof_prose_claim, line)},
                                     {.key = "column", CLI_FIELD(COUNT, roof_prose_claim, column)},
                                     {.key = "text", CLI_FIELD(NAME, roof_prose_claim, text)},
                                     {.key = "quantity", .text = kind_of},
                                     {.key = "unit", .text = unit_of},
                                     {.key = "per_user", CLI_FIELD(FLAG, roof_prose_claim, per_user)},
                                     {.key = "claimed", CLI_FIELD(NUMBER, roof_prose_claim, claimed)},
                                     {.key = "machine", CLI_FIELD(NAME, roof_prose_claim, machine)},
                                     {.key = "model", CLI_FIELD(NAME, roof_prose_claim, model)},
                                     {.key = "dtype", CLI_FIELD(NAME, roof_prose_claim, dtype)},
                                     {.key = "devices", CLI_FIELD(NUMBER, roof_prose_claim, devices)},
                                     {.key = "state", .text = state_of},
                                     {.key = "limit", CLI_FIELD(NUMBER, roof_prose_claim, limit)},
                                     {.key = "fraction", CLI_FIELD(NUMBER, roof_prose_claim, fraction)},
                                     {.key = "because", CLI_FIELD(NAME, roof_prose_claim, because)},
                                     {0}};

static roof_status scan_file(const char *path, const roof_prose_options *options, roof_prose *prose,
                             roof_error *error) {
  roof_text text = {0};
  roof_status status = rf_file_read_text(path, &text, error);
  if (status == ROOF_OK) {
    status = roof_prose_read(text.data != NULL ? text.data : "", text.length, path, options, prose, error);
  }
  roof_text_done(&text);
  return status;
}

/** The sentence, then a line per claim: with --quiet of those that cannot be. */
static void add_text(roof_text *out, const cli_args *args, const roof_prose *prose) {
  bool begun = false;
  roof_text_add(out, RF_MARK_BOLD);
  roof_prose_sentence(prose, out);
  roof_text_add(out, RF_MARK_END "\n");
  for (size_t i = 0; i < prose->count; i++) {
    const roof_prose_claim *c = &prose->claims[i];
    if (!args->quiet || c->state == ROOF_PROSE_IMPOSSIBLE) {
      roof_text_add(out, begun ? "" : "\n");
      roof_text_addf(out, "%s:%d:%d: `%s` %s%s" RF_MARK_END "\n", c->file, c->line, c->column, c->text,
                     rf_screen_verdict(c->because), c->because);
      begun = true;
    }
  }
}

static roof_status print_claims(const cli_args *args, const roof_prose *prose, bool github,
                                roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  if (args->csv) {
    return cli_columns_print_csv(CLI_ROWS(columns, prose->claims, prose->count), error);
  }
  if (args->json) {
    status = roof_prose_write(prose, &out, error);
  } else {
    add_text(&out, args, prose);
  }
  status = cli_print_end(&out, status, error);
  if (status == ROOF_OK && github) {
    roof_text notes = {0};
    status = roof_prose_write_github(prose, &notes, error);
    status = status == ROOF_OK ? cli_print_document(&notes, error) : status;
    roof_text_done(&notes);
  }
  return status;
}

static roof_status check_words(const cli_args *args, roof_prose_options *options, roof_error *error) {
  const char **machines = args->machines;
  options->machine = machines != NULL ? machines[0] : NULL;
  options->dtype = args->formats.dtype;
  if (args->word_count == 0) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "claim: which file? for instance `roofline claim --scan README.md`; - is standard input");
  }
  bool several = (machines != NULL && machines[1] != NULL) || args->dtype_count > 1;
  return several ? roof_error_set(error, ROOF_E_ARGUMENT,
                                  "claim: one machine and one format at a time, for claims that name none")
                 : ROOF_OK;
}

roof_status cli_claim_scan(const cli_args *args, bool github, roof_error *error) {
  roof_prose_options options;
  roof_prose prose = {0};
  if (github) {
    cli_screen_github();
  }
  roof_status status = check_words(args, &options, error);
  for (int i = 0; i < args->word_count && status == ROOF_OK; i++) {
    status = scan_file(args->words[i], &options, &prose, error);
  }
  status = status == ROOF_OK ? print_claims(args, &prose, github, error) : status;
  bool impossible = prose.impossible > 0;
  roof_prose_done(&prose);
  return status == ROOF_OK && impossible ? ROOF_E_GATE : status;
}
