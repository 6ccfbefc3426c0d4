/* roofline plan: which machine, how many, at what price, and why others fail. */
#include <math.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/plan/plan.h"

enum { WIDTH = 78 };

/** A choice, and what it is called. */
typedef struct choice_row {
  const roof_choice *choice;
  roof_plan_point point;
  double devices, price, ttft_low, ttft_high, tpot_low, tpot_high, short_bytes;
  const char *machine, *precision, *result;
  const char *times; /**< whether they are simulated; NULL where all are */
  bool simulated;
  char why[256];
} choice_row;

CLI_WORD(why_of, choice_row, r->why[0] != '\0' ? r->why : NULL)
CLI_WORD(prompts_of, choice_row,
         cli_column_say(scratch, r->point.chunk > 0 ? "by %.0f" : "whole", r->point.chunk))

#define COUNT(member, after)                                                                                 \
  { .header = #member, .rank = after, .fixed = true, CLI_FIELD(NUMBER, choice_row, point.member) }
#define NAMES                                                                                                \
  {NULL, "", .fixed = true, CLI_FIELD(NUMBER, choice_row, devices)},                                         \
      {NULL, "machine", .name = true, CLI_FIELD(TEXT, choice_row, machine)}, {                               \
    NULL, "precision", CLI_FIELD(TEXT, choice_row, precision)                                                \
  }

static const cli_column met_columns[] = {
    NAMES,
    COUNT(tp, 0),
    COUNT(pp, 0),
    COUNT(dp, 0),
    COUNT(ep, 2),
    COUNT(cp, 3),
    {NULL, "prompts", .rank = 1, .text = prompts_of},
    {NULL, "TTFT", "s", CLI_FIELD(NUMBER, choice_row, point.ttft_seconds)},
    {NULL, "TPOT", "s", CLI_FIELD(NUMBER, choice_row, point.tpot_seconds)},
    {NULL, "times", .optional = true, CLI_FIELD(TEXT, choice_row, times)},
    {NULL, "tokens/s each", .digits = 4, .rank = 4,
     CLI_FIELD(NUMBER, choice_row, point.device_tokens_per_second)},
    {NULL, "price", .digits = 4, .optional = true,
     CLI_FIELD(NUMBER, choice_row, point.price_per_million_tokens)},
    {0}};
static const cli_column failed_columns[] = {NAMES, {NULL, "fails by", .text = why_of}, {0}};

#define FIGURE(name, member)                                                                                 \
  { .key = name, CLI_FIELD(NUMBER, choice_row, member) }

static const cli_column csv_columns[] = {{.key = "machine", CLI_FIELD(TEXT, choice_row, machine)},
                                         {.key = "precision", CLI_FIELD(TEXT, choice_row, precision)},
                                         FIGURE("devices", devices),
                                         FIGURE("price", price),
                                         {.key = "result", CLI_FIELD(TEXT, choice_row, result)},
                                         FIGURE("tp", point.tp),
                                         FIGURE("pp", point.pp),
                                         FIGURE("dp", point.dp),
                                         FIGURE("ep", point.ep),
                                         FIGURE("cp", point.cp),
                                         FIGURE("batch", point.batch),
                                         FIGURE("chunk", point.chunk),
                                         FIGURE("ttft_seconds", point.ttft_seconds),
                                         FIGURE("ttft_low_seconds", ttft_low),
                                         FIGURE("ttft_high_seconds", ttft_high),
                                         FIGURE("tpot_seconds", point.tpot_seconds),
                                         FIGURE("tpot_low_seconds", tpot_low),
                                         FIGURE("tpot_high_seconds", tpot_high),
                                         FIGURE("busy", point.busy),
                                         FIGURE("device_tokens_per_second", point.device_tokens_per_second),
                                         FIGURE("joules_per_token", point.joules_per_token),
                                         FIGURE("price_per_million_tokens", point.price_per_million_tokens),
                                         FIGURE("total_bytes", point.total_bytes),
                                         FIGURE("short_bytes", short_bytes),
                                         {.key = "simulated", CLI_FIELD(FLAG, choice_row, simulated)},
                                         {.key = "why", .text = why_of},
                                         {0}};

/** What is known of a plan where none fits: nothing. */
static const roof_plan_point unknown = {.tp = NAN,
                                        .pp = NAN,
                                        .dp = NAN,
                                        .ep = NAN,
                                        .cp = NAN,
                                        .batch = NAN,
                                        .chunk = NAN,
                                        .ttft_seconds = NAN,
                                        .tpot_seconds = NAN,
                                        .prompt_seconds = NAN,
                                        .busy = NAN,
                                        .device_tokens_per_second = NAN,
                                        .joules_per_token = NAN,
                                        .price_per_million_tokens = NAN,
                                        .total_bytes = NAN};

static choice_row row_of(const roof_choice_question *q, const roof_choice *c) {
  bool fits = c->point.batch > 0;
  const roof_plan_point *low = fits ? &c->low : &unknown, *high = fits ? &c->high : &unknown;
  choice_row row = {.choice = c,
                    .point = fits ? c->point : unknown,
                    .devices = c->devices,
                    .price = q->offers[c->offer].price,
                    .ttft_low = low->ttft_seconds,
                    .ttft_high = high->ttft_seconds,
                    .tpot_low = low->tpot_seconds,
                    .tpot_high = high->tpot_seconds,
                    .short_bytes = fits ? NAN : c->short_bytes,
                    .machine = q->offers[c->offer].machine->name,
                    .precision = q->precisions->names[c->precision],
                    .result = roof_choice_result_name(c->result),
                    .simulated = c->simulated};
  roof_choice_why(q, c, row.why, sizeof row.why);
  return row;
}

void cli_plan_add_command(roof_text *out, const char *command) {
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

static void add_met(roof_text *out, const roof_choice_question *q, const roof_choices *all) {
  static choice_row rows[ROOF_CHOICES_MAX];
  bool mixed = false;
  for (int i = 0; i < all->meeting; i++) {
    rows[i] = row_of(q, &all->list[i]);
    mixed |= !rows[i].simulated;
  }
  for (int i = 0; i < all->meeting && mixed; i++) {
    rows[i].times = rows[i].simulated ? "simulated" : "estimated";
  }
  if (all->meeting > 0) {
    roof_text_addf(out, "\nmeet the limits, the %s first%s\n", all->priced ? "cheapest" : "fewest devices",
                   all->priced ? "; price of a million tokens" : "");
    cli_columns_add_text(out, CLI_ROWS(met_columns, rows, (size_t)all->meeting));
  }
}

static void add_failed(roof_text *out, const roof_choice_question *q, const roof_choices *all) {
  static choice_row rows[ROOF_CHOICES_MAX];
  size_t count = 0;
  for (int i = 0; i < all->count; i++) {
    const roof_choice *c = i < all->meeting ? &all->fewer[i] : &all->list[i];
    if (c->devices > 0) {
      rows[count++] = row_of(q, c);
    }
  }
  if (count > 0) {
    roof_text_add(out, "\ndo not, the nearest of each, estimated unless said\n");
    cli_columns_add_text(out, CLI_ROWS(failed_columns, rows, count));
  }
}

/** Two pools: first where they pay, else after the best plan of one. */
static void add_answers(roof_text *out, const roof_choice_question *q, const roof_choices *all,
                        const roof_apart *apart) {
  bool pays = roof_apart_pays(q, all, apart);
  if (pays) {
    roof_apart_sentence(out, q, all, apart);
    roof_text_add(out, "\ntogether: ");
  }
  roof_choices_sentence(out, q, all);
  if (apart->found && !pays) {
    roof_text_add(out, "\n");
    roof_apart_sentence(out, q, all, apart);
  }
  if (q->base->cp > 1) {
    roof_text_add(out, "\nprefill and decode apart: not tried with --cp\n");
  }
}

void cli_plan_text(roof_text *out, const roof_choice_question *q, const roof_choices *all,
                   const roof_apart *apart) {
  add_answers(out, q, all, apart);
  add_met(out, q, all);
  add_failed(out, q, all);
}

void cli_plan_csv(roof_text *out, const roof_choice_question *q, const roof_choices *all) {
  choice_row row;
  cli_columns_add_csv(out, CLI_ROWS(csv_columns, &row, 0)); /* the header */
  for (int i = 0; i < all->count; i++) {
    row = row_of(q, &all->list[i]);
    cli_columns_add_csv_row(out, csv_columns, &row);
  }
}
