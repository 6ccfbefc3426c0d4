#include "cli/columns.h"
#include "cli/machine/machine.h"

CLI_WORD(severity_of, roof_lint_finding, r->finding.error ? "error" : "warning")

static const cli_column columns[] = {
    {.key = "machine", CLI_FIELD(TEXT, roof_lint_finding, machine)},
    {.key = "severity", .text = severity_of},
    {.key = "where", CLI_FIELD(NAME, roof_lint_finding, finding.where)},
    {.key = "message", CLI_FIELD(NAME, roof_lint_finding, finding.message)},
    {0},
};

static void add_text(roof_text *out, const roof_lint *lint, bool quiet) {
  for (size_t i = 0; i < lint->count; i++) {
    const roof_lint_finding *f = &lint->findings[i];
    roof_text_addf(out, "%s: %s: %s: %s\n", f->machine, severity_of(f, NULL), f->finding.where,
                   f->finding.message);
  }
  if (!quiet) {
    roof_text_addf(out, "%zu machine%s: %d error%s, %d warning%s\n", lint->machine_count,
                   lint->machine_count == 1 ? "" : "s", lint->errors, lint->errors == 1 ? "" : "s",
                   lint->warnings, lint->warnings == 1 ? "" : "s");
  }
}

roof_status cli_machine_lint_run(const cli_args *args, roof_error *error) {
  roof_lint lint;
  roof_text text = {0};
  roof_status status = roof_catalog_lint(args->words + 1, args->word_count - 1, &lint, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (args->csv) {
    status = cli_columns_print_csv(CLI_ROWS(columns, lint.findings, lint.count), error);
  } else if (args->json) {
    status = roof_lint_write(&lint, &text, error);
  } else {
    add_text(&text, &lint, args->quiet != 0);
  }
  status = status == ROOF_OK ? cli_print(&text, error) : status;
  status = status == ROOF_OK && lint.errors > 0 ? ROOF_E_GATE : status;
  roof_text_done(&text);
  roof_lint_done(&lint);
  return status;
}
