/* What was imported as a table: most time lost against the ceilings first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/import/import.h"

enum { NAME_WIDTH = 48 };

/** The beginning and the end of a name that is too long for a table. */
void cli_import_shorten(const char *name, char *out, size_t size) {
  size_t length = strlen(name);
  if (length <= NAME_WIDTH) {
    snprintf(out, size, "%s", name);
    return;
  }
  size_t head = NAME_WIDTH * 2 / 3, tail = NAME_WIDTH - head - 3;
  const char *end = name + length - tail;
  while (head > 0 && ((unsigned char)name[head] & 0xC0) == 0x80) {
    head--;
  }
  while (((unsigned char)*end & 0xC0) == 0x80) {
    end++;
  }
  snprintf(out, size, "%.*s...%s", (int)head, name, end);
}

static const char *full_name(const void *row, char scratch[CLI_SCRATCH]) {
  (void)scratch;
  return ((const roof_ranked_record *)row)->record->name;
}

static const char *short_name(const void *row, char scratch[CLI_SCRATCH]) {
  cli_import_shorten(full_name(row, scratch), scratch, CLI_SCRATCH);
  return scratch;
}

static double calls(const void *row) {
  return (double)((const roof_ranked_record *)row)->record->calls;
}

static double rate(const void *row) {
  const roof_placed *at = &((const roof_ranked_record *)row)->at;
  return at->flops / at->seconds;
}

static const char *level(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_placed *at = &((const roof_ranked_record *)row)->at;
  (void)scratch;
  return isnan(at->bytes) ? NULL : roof_level_kind_name(at->level);
}

static const char *dtype(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_placed *at = &((const roof_ranked_record *)row)->at;
  (void)scratch;
  return isnan(at->flops) ? NULL : roof_dtype_name(at->dtype);
}

static const char *unit(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_placed *at = &((const roof_ranked_record *)row)->at;
  (void)scratch;
  return isnan(at->flops) ? NULL : roof_unit_name(at->unit);
}

static const char *regime(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_placed *at = &((const roof_ranked_record *)row)->at;
  (void)scratch;
  return at->regime < ROOF_REGIME_COUNT ? roof_regime_name(at->regime) : NULL;
}

static const char *limit(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_placed *at = &((const roof_ranked_record *)row)->at;
  bool starved = ((const roof_ranked_record *)row)->starved;
  snprintf(scratch, CLI_SCRATCH, "%s%s%s", starved ? "launches, not " : "",
           at->binding[0] != '\0' ? at->binding : "-",
           at->state > ROOF_PLACE_POSSIBLE ? " (above its ceiling!)" : "");
  return scratch;
}

#define PLACED(member) CLI_FIELD(NUMBER, roof_ranked_record, at.member)

static const cli_column columns[] = {
    {.key = "kernel", .text = full_name},
    {.header = "kernel", .name = true, .text = short_name},
    {.key = "calls", .header = "calls", .rank = 3, .fixed = true, .number = calls},
    {.key = "total_seconds", .header = "time", .unit = "s", PLACED(seconds)},
    {.header = "share",
     .rank = 4,
     .unit = " %",
     .scale = 100,
     .fixed = true,
     .digits = 1,
     CLI_FIELD(NUMBER, roof_ranked_record, time_share)},
    {.header = "rate", .rank = 1, .unit = "FLOP/s", .number = rate},
    {.key = "flops", PLACED(flops)},
    {.key = "bytes", PLACED(bytes)},
    {.key = "level", .text = level},
    {.key = "dtype", .text = dtype},
    {.key = "unit", .text = unit},
    {.key = "intensity", .header = "FLOP/B", .rank = 2, .digits = 4, .csv_digits = 12, PLACED(intensity)},
    {.key = "ceiling_seconds", .csv_digits = 12, PLACED(ceiling_seconds)},
    {.key = "fraction_of_ceiling",
     .header = "of ceiling",
     .unit = " %",
     .scale = 100,
     .fixed = true,
     .digits = 1,
     .csv_digits = 12,
     PLACED(share)},
    {.key = "lost_seconds", .header = "lost", .unit = "s", .csv_digits = 12, PLACED(lost_seconds)},
    {.key = "regime", .text = regime},
    {.key = "binding", CLI_FIELD(NAME, roof_ranked_record, at.binding)},
    {.header = "limit", .text = limit},
    {0}};

cli_rows cli_import_rows(const import_answer *answer, size_t count) {
  return CLI_ROWS(columns, answer->ranking.rows, count);
}

enum { SHOWN = 3 };

static void add_facts(roof_text *out, const roof_profile *profile) {
  char line[160];
  for (size_t i = 0; i < profile->fact_count; i++) {
    roof_text_addf(out, "  %s\n", roof_fact_sentence(&profile->facts[i], line, sizeof line));
  }
  for (size_t i = 0; i < profile->skip_count && i < SHOWN; i++) {
    const roof_skip *s = &profile->skips[i];
    roof_text_addf(out, "  left out: %s: %s", s->what, s->why);
    if (s->times > 1) {
      roof_text_addf(out, " (%llu times)", (unsigned long long)s->times);
    }
    roof_text_add(out, "\n");
  }
  if (profile->skip_count > SHOWN) {
    roof_text_addf(out, "  and %zu more left out, all in --json\n", profile->skip_count - SHOWN);
  }
}

void cli_import_add_time(const import_answer *answer, roof_text *out) {
  char seconds[CLI_SHORT], name[CLI_SCRATCH];
  const roof_ranking *r = &answer->ranking;
  double idle = roof_profile_fact(answer->profile, "idle_share");
  roof_text_addf(out, "%zu kernel%s, %s", r->count, r->count == 1 ? "" : "s",
                 r->seconds > 0 ? cli_quantity(seconds, r->seconds, "s") : "no times");
  if (answer->profile->device[0] != '\0') {
    roof_text_addf(out, " on %s", answer->profile->device);
  }
  if (r->count > 1 && r->longest != NULL) {
    roof_text_addf(out, ", %.0f %% of it in %s", 100 * r->longest->time_share, short_name(r->longest, name));
  }
  if (!isnan(idle)) {
    roof_text_addf(out, "; idle %.1f %% of %s", 100 * idle,
                   cli_quantity(seconds, roof_profile_fact(answer->profile, "span_seconds"), "s"));
  }
}

/** What is lost, and against whose ceilings. */
static void add_headline(roof_text *out, const import_answer *answer) {
  char lost[CLI_SHORT], name[CLI_SCRATCH];
  const roof_ranking *r = &answer->ranking;
  cli_import_add_time(answer, out);
  roof_text_add(out, "\n");
  if (answer->ceilings->machine == NULL) {
    roof_text_add(out, "no ceilings: name a machine with --machine\n");
  } else if (r->lost_seconds > 0) {
    roof_text_addf(out, "%s (%.0f %% of it) lost against the ceilings of %s, most in %s\n",
                   cli_quantity(lost, r->lost_seconds, "s"), 100 * r->lost_seconds / r->seconds,
                   answer->ceilings->machine->name, short_name(&r->rows[0], name));
  } else {
    roof_text_addf(out, "ceilings: %s\n", answer->ceilings->machine->name);
  }
  if (answer->elsewhere[0] != '\0') {
    roof_text_addf(out, "taken on %s, which is %s: judged by another machine's ceilings\n",
                   answer->profile->device, answer->elsewhere);
  }
}

void cli_import_add_recorded(const import_answer *answer, roof_text *out) {
  const roof_ranking *r = &answer->ranking;
  const roof_recorded *recorded = &answer->recorded;
  size_t left_out = 0;
  for (size_t i = 0; i < r->count; i++) {
    if (recorded->why[i] == NULL) {
      roof_text_addf(out, "recorded `%s` in %s\n", r->rows[i].record->name, recorded->ledger);
    }
  }
  for (size_t i = 0; i < r->count; i++) {
    if (recorded->why[i] != NULL && left_out++ < SHOWN) {
      roof_text_addf(out, "  not recorded: %.60s: %s\n", r->rows[i].record->name, recorded->why[i]);
    }
  }
  if (left_out > SHOWN) {
    roof_text_addf(out, "  and %zu more that are not recorded\n", left_out - SHOWN);
  }
}

roof_status cli_import_print_table(const import_answer *answer, roof_error *error) {
  roof_text out = {0};
  add_headline(&out, answer);
  roof_text_add(&out, "\n");
  cli_columns_add_text(&out, cli_import_rows(answer, answer->shown));
  if (answer->ranking.count > answer->shown) {
    roof_text_addf(&out, "  and %zu more; --top N shows more\n", answer->ranking.count - answer->shown);
  }
  if (answer->profile->fact_count + answer->profile->skip_count > 0) {
    roof_text_add(&out, "\n");
  }
  add_facts(&out, answer->profile);
  if (answer->recorded.ledger != NULL) {
    roof_text_add(&out, "\n");
    cli_import_add_recorded(answer, &out);
  }
  return cli_print_end(&out, ROOF_OK, error);
}

static const cli_column of_format[] = {
    {.key = "name", .header = "format", CLI_FIELD(TEXT, roof_format, name)},
    {.key = "title", .header = "what it is", CLI_FIELD(TEXT, roof_format, title)},
    {.key = "gives", .header = "what it gives", CLI_FIELD(TEXT, roof_format, gives)},
    {0}};

roof_status cli_import_print_list(const cli_args *args, roof_error *error) {
  int count = roof_format_count();
  roof_format *formats = calloc((size_t)count, sizeof *formats);
  roof_text out = {0};
  for (int i = 0; i < count && formats != NULL; i++) {
    formats[i] = *roof_format_at(i);
  }
  cli_rows rows = CLI_ROWS(of_format, formats, formats != NULL ? (size_t)count : 0);
  roof_status status =
      formats == NULL ? roof_error_set(error, ROOF_E_MEMORY, "import: out of memory") : ROOF_OK;
  if (status == ROOF_OK && args->show != NULL) {
    status = cli_columns_print_named(args, rows, "roofline.format/1", args->show, error);
  } else if (status == ROOF_OK && args->json) {
    status = cli_json_print(
        json_pack("{s:s, s:o}", "schema", "roofline.formats/1", "formats", cli_columns_json(rows)), error);
  } else if (status == ROOF_OK) {
    cli_columns_add_text(&out, rows);
    status = cli_print(&out, error);
  }
  roof_text_done(&out);
  free(formats);
  return status;
}
