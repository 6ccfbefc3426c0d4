/* What was imported as a table: most time lost against the ceilings first. */
#include <math.h>
#include <stdlib.h>

#include "cli/import/import.h"

static const char *full_name(const void *row, char scratch[CLI_SCRATCH]) {
  (void)scratch;
  return ((const roof_ranked_record *)row)->record->name;
}

static const char *short_name(const void *row, char scratch[CLI_SCRATCH]) {
  roof_kernel_shorten(full_name(row, scratch), scratch, CLI_SCRATCH);
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

roof_status cli_import_print_table(const import_answer *answer, roof_error *error) {
  roof_text out = {0};
  roof_ranking_sentence(answer->profile, &answer->ranking, answer->ceilings->machine, &out);
  if (answer->elsewhere[0] != '\0') {
    roof_text_addf(&out, "taken on %s, which is %s: judged by another machine's ceilings\n",
                   answer->profile->device, answer->elsewhere);
  }
  roof_text_add(&out, "\n");
  cli_columns_add_text(&out, cli_import_rows(answer, answer->shown));
  if (answer->ranking.count > answer->shown) {
    roof_text_addf(&out, "  and %zu more; --top N shows more\n", answer->ranking.count - answer->shown);
  }
  if (answer->profile->fact_count + answer->profile->skip_count > 0) {
    roof_text_add(&out, "\n");
  }
  roof_profile_remarks(answer->profile, &out);
  if (answer->recorded.ledger != NULL) {
    roof_text_add(&out, "\n");
    roof_recorded_remarks(&answer->ranking, &answer->recorded, &out);
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
