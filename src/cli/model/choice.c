/* roofline model --search over machines, or for so many users: which, how many, at what price, and how to start it. */
#include <string.h>

#include "cli/columns.h"
#include "cli/model/model.h"

enum { WIDTH = 78 };

/** A choice, and what it is called. */
typedef struct choice_row {
  const roof_choice *choice;
  roof_plan_point point;
  double devices;
  const char *machine, *precision;
  char why[128];
} choice_row;

static const char *why_of(const void *row, char scratch[CLI_SCRATCH]) {
  (void)scratch;
  return ((const choice_row *)row)->why;
}

#define COUNT(member)                                                                                        \
  { .header = #member, .fixed = true, CLI_FIELD(NUMBER, choice_row, point.member) }
#define NAMES                                                                                                \
  {NULL, "", .fixed = true, CLI_FIELD(NUMBER, choice_row, devices)},                                         \
      {NULL, "machine", .name = true, CLI_FIELD(TEXT, choice_row, machine)}, {                               \
    NULL, "precision", CLI_FIELD(TEXT, choice_row, precision)                                                \
  }

static const cli_column met_columns[] = {
    NAMES,
    COUNT(tp),
    COUNT(pp),
    COUNT(dp),
    COUNT(ep),
    {NULL, "TTFT", "s", CLI_FIELD(NUMBER, choice_row, point.ttft_seconds)},
    {NULL, "TPOT", "s", CLI_FIELD(NUMBER, choice_row, point.tpot_seconds)},
    {NULL, "price", .digits = 4, CLI_FIELD(NUMBER, choice_row, point.price_per_million_tokens)},
    {0}};
static const cli_column failed_columns[] = {NAMES, {NULL, "fails by", .text = why_of}, {0}};

static choice_row row_of(const roof_choice_question *q, const roof_choice *c) {
  choice_row row = {.choice = c,
                    .point = c->point,
                    .devices = c->devices,
                    .machine = q->offers[c->offer].machine->name,
                    .precision = q->precisions->names[c->precision]};
  roof_choice_why(q, c, row.why, sizeof row.why);
  return row;
}

/** A command over several lines, none of them wide. */
static void add_command(roof_text *out, const char *command) {
  size_t column = 2;
  roof_text_add(out, "  ");
  for (const char *word = command; *word != '\0';) {
    const char *next = strstr(word + 1, " --");
    size_t length = next != NULL ? (size_t)(next - word) : strlen(word);
    if (column + length > WIDTH - 2) {
      roof_text_add(out, " \\\n     ");
      column = 5;
    }
    roof_text_addf(out, "%.*s", (int)length, word);
    column += length;
    word += length;
  }
  roof_text_add(out, "\n");
}

static void add_tables(roof_text *out, const roof_choice_question *q, const roof_choices *all) {
  static choice_row rows[ROOF_CHOICES_MAX];
  size_t count = 0;
  for (int i = 0; i < all->meeting; i++) {
    rows[count++] = row_of(q, &all->list[i]);
  }
  if (count > 0) {
    roof_text_add(out, "\nmeet the limits, each with the fewest devices; price of a million tokens\n");
    cli_columns_add_text(out, CLI_ROWS(met_columns, rows, count));
  }
  count = 0;
  for (int i = 0; i < all->count; i++) {
    const roof_choice *c = i < all->meeting ? &all->fewer[i] : &all->list[i];
    if (c->devices > 0) {
      rows[count++] = row_of(q, c);
    }
  }
  if (count > 0) {
    roof_text_add(out, "\ndo not, the nearest of each\n");
    cli_columns_add_text(out, CLI_ROWS(failed_columns, rows, count));
  }
}

void cli_model_choices_text(roof_text *out, const roof_choice_question *q, const roof_choices *all,
                            const char *served) {
  roof_choices_sentence(out, q, all);
  add_tables(out, q, all);
  for (int i = 0; i < ROOF_ENGINE_COUNT && all->meeting > 0; i++) {
    char command[512];
    roof_text_addf(out, "\n%s\n", roof_engine_name((roof_engine)i));
    add_command(out, roof_choice_launch(q, &all->list[0], (roof_engine)i, served, command, sizeof command));
  }
}
