/* One screen of a measured machine. */
#include "cli/measure/brief.h"

#include <string.h>

#include "cli/columns.h"
#include "roofline/sheet.h"
#include "roofline/trust.h"

/** The instruction set, and whether the figure is to be relied on. */
static const char *how(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_brief_row *r = row;
  bool noisy = r->noisy[0] != '\0';
  snprintf(scratch, CLI_SCRATCH, "%s%s%s", r->isa, noisy && r->isa[0] != '\0' ? ", " : "",
           noisy ? "noisy" : "");
  return scratch;
}

static const cli_column columns[] = {
    {.header = "ceiling", CLI_FIELD(NAME, roof_brief_row, name)},
    {.header = "one core", CLI_QUANTITY(roof_brief_row, one, unit)},
    {.header = "all", CLI_QUANTITY(roof_brief_row, all, unit)},
    {.header = "of limit", CLI_PERCENT(1), .none = "", CLI_FIELD(NUMBER, roof_brief_row, share)},
    {.header = "by", .text = how},
    {0}};

/** The first line: the machine with its clock. */
static void add_title(roof_text *out, const roof_machine *m) {
  char clock[CLI_SHORT];
  roof_text_addf(out, "%s: %.60s, %g %s%s at %s\n\n", m->name, roof_machine_title(m), m->unit_count,
                 m->unit_kind[0] != '\0' ? m->unit_kind : "core", m->unit_count == 1 ? "" : "s",
                 cli_quantity(clock, m->clock_hz, "Hz"));
}

/** The notes that cast doubt on figures, at most a few. */
static void add_warnings(roof_text *out, const roof_machine *m) {
  static const char warning[] = "warning: ", noise[] = "noise: ";
  enum { MOST = 4 };
  int shown = 0;
  for (int i = 0; i < m->note_count && shown < MOST; i++) {
    bool warns = strncmp(m->notes[i], warning, sizeof warning - 1) == 0;
    if (warns || strncmp(m->notes[i], noise, sizeof noise - 1) == 0) {
      roof_text_addf(out, "  %-10s%s\n", shown == 0 ? "odd" : "",
                     m->notes[i] + (warns ? sizeof warning - 1 : 0));
      shown++;
    }
  }
}

roof_status cli_measure_print_brief(const roof_machine *machine, const char *file, roof_error *error) {
  roof_brief_row rows[ROOF_BRIEF_MAX];
  char line[ROOF_TRUST_LINE];
  roof_trust trust;
  roof_text out = {0};
  int count = roof_sheet_brief(machine, rows);
  roof_machine_trust(machine, &trust);
  add_title(&out, machine);
  rf_answer_add_part(&out, ROOF_PAGE_MACHINE);
  roof_text_addf(&out, "  trust     %s\n\n", roof_trust_sentence(&trust, line, sizeof line));
  rf_answer_add_part(&out, ROOF_PAGE_MEASURED);
  cli_columns_add_text(&out, CLI_ROWS(columns, rows, (size_t)count));
  roof_text_add(&out, "\n");
  add_warnings(&out, machine);
  rf_answer_add_part(&out, ROOF_PAGE_NEXT);
  const char *program = cli_program_name();
  if (file != NULL) {
    roof_text_addf(&out, "  rest      %s machine show %s%s   every figure, its source\n", program,
                   strchr(file, '/') != NULL ? "" : "./", file);
  } else {
    roof_text_addf(&out, "  rest      %s machine show %s   every figure, its source\n", program,
                   machine->name);
  }
  return cli_print_end(&out, ROOF_OK, error);
}
