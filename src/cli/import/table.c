/* What was imported as a table: most time lost against the ceilings first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/import/import.h"
#include "cli/page.h"

enum { NAME_FLOOR = 24 };

CLI_WORD(full_name, roof_ranked_record, r->record->name)
CLI_VALUE(calls, roof_ranked_record, r->record->calls)
CLI_VALUE(per_call, roof_ranked_record, r->at.seconds / (double)r->record->calls)

static const char *rate(const void *row, char scratch[CLI_SCRATCH]) {
  const char *unit;
  double rate = roof_ranked_rate(row, &unit);
  return isnan(rate) ? NULL : roof_quantity_format(scratch, CLI_SCRATCH, rate, unit);
}

CLI_VALUE(occupancy, roof_ranked_record, roof_record_counter(r->record, "occupancy"))
CLI_WORD(level, roof_ranked_record, isnan(r->at.bytes) ? NULL : roof_level_kind_name(r->at.level))
CLI_WORD(dtype, roof_ranked_record, isnan(r->at.flops) ? NULL : roof_dtype_name(r->at.dtype))
CLI_WORD(unit, roof_ranked_record, isnan(r->at.flops) ? NULL : roof_unit_name(r->at.unit))
CLI_WORD(regime, roof_ranked_record, r->at.regime < ROOF_REGIME_COUNT ? roof_regime_name(r->at.regime) : NULL)

static const char *limit(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_placed *at = &((const roof_ranked_record *)row)->at;
  bool starved = ((const roof_ranked_record *)row)->starved;
  if (!isnan(at->at_least) && !starved) {
    return at->why;
  }
  snprintf(scratch, CLI_SCRATCH, "%s%s%s", starved ? "launches, not " : "",
           at->binding[0] != '\0' ? at->binding : "-",
           at->state > ROOF_PLACE_POSSIBLE ? " (above its ceiling!)" : "");
  return scratch;
}

/** What is above its ceiling lost nothing. */
CLI_VALUE(lost, roof_ranked_record, r->at.lost_seconds < 0 ? NAN : r->at.lost_seconds)

#define PLACED(member) CLI_FIELD(NUMBER, roof_ranked_record, at.member)

static const cli_column columns[] = {
    {.key = "kernel", .text = full_name},
    {.header = "kernel", .name = true, .whole = true, CLI_FIELD(NAME, roof_ranked_record, shown)},
    {.key = "calls", .header = "calls", .rank = 3, .fixed = true, .number = calls},
    {.key = "total_seconds", .header = "time", .optional = true, .unit = "s", PLACED(seconds)},
    {.header = "per call", .optional = true, .rank = 5, .unit = "s", .number = per_call},
    {.header = "share",
     .optional = true,
     .rank = 4,
     CLI_PERCENT(1),
     CLI_FIELD(NUMBER, roof_ranked_record, time_share)},
    {.header = "rate", .optional = true, .rank = 1, .right = true, .text = rate},
    {.key = "flops", PLACED(flops)},
    {.key = "bytes", PLACED(bytes)},
    {.key = "level", .text = level},
    {.key = "dtype", .text = dtype},
    {.key = "unit", .text = unit},
    {.key = "intensity",
     .header = "FLOP/B",
     .optional = true,
     .rank = 7,
     .digits = 4,
     .csv_digits = 12,
     PLACED(intensity)},
    {.key = "ceiling_seconds", .csv_digits = 12, PLACED(ceiling_seconds)},
    {.key = "fraction_of_ceiling",
     .header = "of ceiling",
     .optional = true,
     CLI_PERCENT(1),
     .csv_digits = 12,
     PLACED(share)},
    {.key = "lost_seconds",
     .header = "lost",
     .optional = true,
     .unit = "s",
     .csv_digits = 12,
     .number = lost},
    {.key = "regime", .text = regime},
    {.key = "binding", CLI_FIELD(NAME, roof_ranked_record, at.binding)},
    {.header = "occupancy", .optional = true, .rank = 6, CLI_PERCENT(0), .number = occupancy},
    {.header = "limit", .optional = true, .text = limit},
    {0}};

CLI_VALUE(part_calls, roof_part, r->calls)
CLI_VALUE(part_judged, roof_part, r->judged_seconds / r->seconds)
CLI_WORD(part_limit, roof_part, limit(r->worst, scratch))
CLI_WORD(part_worst, roof_part, r->worst->shown)

#define PART(member) CLI_FIELD(NUMBER, roof_part, member)

static const cli_column part_columns[] = {
    {.key = "part", .header = "", .name = true, CLI_FIELD(TEXT, roof_part, label)},
    {.key = "kernels", .header = "kernels", .rank = 5, CLI_FIELD(SIZE, roof_part, kernels), .fixed = true},
    {.key = "calls", .header = "calls", .rank = 4, .fixed = true, .number = part_calls},
    {.key = "seconds", .header = "time", .optional = true, .unit = "s", PART(seconds)},
    {.key = "time_share",
     .header = "share",
     .optional = true,
     .csv_digits = 12,
     CLI_PERCENT(1),
     PART(time_share)},
    {.key = "flops", .header = "FLOPs", .rank = 6, .unit = "FLOP", PART(flops)},
    {.key = "bytes", .header = "bytes", .rank = 7, .unit = "B", PART(bytes)},
    {.header = "judged", .rank = 2, CLI_PERCENT(1), .number = part_judged},
    {.key = "judged_seconds", .csv_digits = 12, PART(judged_seconds)},
    {.key = "ceiling_seconds", .csv_digits = 12, PART(ceiling_seconds)},
    {.key = "fraction_of_ceiling",
     .header = "of ceiling",
     .optional = true,
     .csv_digits = 12,
     CLI_PERCENT(1),
     PART(share)},
    {.key = "lost_seconds",
     .header = "lost",
     .optional = true,
     .unit = "s",
     .csv_digits = 12,
     PART(lost_seconds)},
    {.header = "limit", .optional = true, .rank = 1, .text = part_limit},
    {.key = "worst", .header = "most in", .rank = 3, .name = true, .text = part_worst},
    {0}};

CLI_WORD(line_kernel, roof_hot_line, r->row->record->name)
CLI_WORD(line_kernel_shown, roof_hot_line, r->row->shown)
CLI_WORD(line_stall, roof_hot_line, r->stall < ROOF_STALL_COUNT ? roof_stall_name(r->stall) : NULL)
CLI_VALUE(line_samples, roof_hot_line, r->line->samples)
CLI_VALUE(line_executed, roof_hot_line, r->line->executed)
CLI_WORD(line_file, roof_hot_line, r->line->file)

static const cli_column line_columns[] = {
    {.key = "line", .header = "line", CLI_FIELD(NAME, roof_hot_line, label)},
    {.key = "file", .text = line_file},
    {.key = "kernel", .text = line_kernel},
    {.key = "samples", .header = "samples", .rank = 4, .fixed = true, .number = line_samples},
    {.key = "share",
     .header = "of kernel",
     .csv_digits = 12,
     CLI_PERCENT(1),
     CLI_FIELD(NUMBER, roof_hot_line, share)},
    {.key = "seconds",
     .header = "time",
     .optional = true,
     .unit = "s",
     .csv_digits = 12,
     CLI_FIELD(NUMBER, roof_hot_line, seconds)},
    {.key = "instructions", .header = "instructions", .rank = 3, .fixed = true, .number = line_executed},
    {.key = "stall", .header = "waits for", .rank = 1, .text = line_stall},
    {.header = "kernel", .rank = 2, .name = true, .text = line_kernel_shown},
    {0}};

cli_rows cli_import_rows(const import_answer *answer, size_t count) {
  const roof_parts *parts = answer->ranking.parts;
  size_t all = answer->lines != NULL ? answer->line_count
               : parts != NULL       ? parts->count
                                     : answer->ranking.count;
  count = count < all ? count : all;
  return answer->lines != NULL ? CLI_ROWS(line_columns, answer->lines, count)
         : parts != NULL       ? CLI_ROWS(part_columns, parts->list, count)
                               : CLI_ROWS(columns, answer->ranking.rows, count);
}

/** All columns, the whole name last, so that a long one makes no others wide. */
static void add_wide_table(const import_answer *answer, roof_text *out) {
  enum { MOST = sizeof columns / sizeof columns[0] };
  cli_column wide[MOST];
  size_t last = 0;
  for (size_t i = 0; i < MOST - 1; i++) {
    if (!columns[i].name) {
      wide[last++] = columns[i];
    }
  }
  wide[last] = (cli_column){.header = "kernel", .text = full_name};
  wide[last + 1] = (cli_column){0};
  cli_rows rows = CLI_ROWS(wide, answer->ranking.rows, answer->shown);
  rows.wide = true;
  cli_columns_add_text(out, rows);
}

/** Where the name that is shown is cut. */
CLI_WORD(cut_name, roof_ranked_record, strcmp(r->shown, r->record->name) != 0 ? r->record->name : NULL)

/** A page has room: whole names behind those that are cut, which the chart shows too. */
static void add_page_table(const import_answer *answer, roof_text *out) {
  enum { MOST = sizeof columns / sizeof columns[0] };
  cli_column whole[MOST + 1];
  cli_columns_copy(columns, whole, MOST);
  whole[MOST - 1] = (cli_column){.header = "whole name", .text = cut_name};
  whole[MOST] = (cli_column){0};
  cli_columns_add_text(out, CLI_ROWS(whole, answer->ranking.rows, answer->ranking.count));
}

/** Names as wide as leaves room for the most important figures. */
static roof_status add_table(import_answer *answer, roof_text *out, roof_error *error) {
  int width = answer->page ? ROOF_KERNEL_SHOWN : cli_screen(stdout).width * 2 / 5;
  if (answer->wide && answer->ranking.parts == NULL && answer->lines == NULL) {
    add_wide_table(answer, out);
    return ROOF_OK;
  }
  roof_status status =
      roof_ranking_name(&answer->ranking, (size_t)(width < NAME_FLOOR ? NAME_FLOOR : width), error);
  if (answer->page && answer->ranking.parts == NULL && answer->lines == NULL) {
    add_page_table(answer, out);
  } else {
    cli_columns_add_text(out, cli_import_rows(answer, answer->shown));
  }
  return status;
}

/** Of ranks by one clock: which waits for which, and no kernels where none was counted. */
static roof_status print_waits(const import_answer *answer, roof_error *error) {
  roof_text out = {0};
  cli_import_add_waits(&answer->waits, &out);
  rf_answer_add_part(&out, ROOF_PAGE_MEASURED);
  if (answer->profile->fact_count + answer->profile->skip_count > 0) {
    roof_text_add(&out, "\n");
  }
  roof_profile_remarks(answer->profile, &out);
  return cli_print_end(&out, ROOF_OK, error);
}

roof_status cli_import_print_table(import_answer *answer, roof_error *error) {
  roof_text out = {0};
  if (answer->waits.ranks > 0 && !(answer->ranking.judged_seconds > 0)) {
    return print_waits(answer, error);
  }
  cli_import_add_time(answer, &out);
  cli_import_add_elsewhere(answer, &out);
  rf_answer_add_part(&out, ROOF_PAGE_VERDICTS);
  roof_ranking_sentence(answer->profile, &answer->ranking, answer->ceilings->machine, &out);
  roof_text_add(&out, "\n");
  roof_status status = add_table(answer, &out, error);
  size_t rows = cli_import_rows(answer, SIZE_MAX).count;
  if (rows > answer->shown) {
    roof_text_addf(&out, "  and %zu more; --top N shows more\n", rows - answer->shown);
  }
  rf_answer_add_part(&out, ROOF_PAGE_NEXT);
  for (size_t i = 0; i < answer->ranking.count && i < 3; i++) {
    roof_ranked_remarks(&answer->ranking.rows[i], &out);
  }
  if (status == ROOF_OK && answer->lines == NULL) {
    status = roof_ranking_lines_sentence(&answer->ranking, &out, error);
  }
  rf_answer_add_part(&out, ROOF_PAGE_MEASURED);
  if (answer->profile->fact_count + answer->profile->skip_count > 0) {
    roof_text_add(&out, "\n");
  }
  roof_profile_remarks(answer->profile, &out);
  if (answer->recorded.ledger != NULL) {
    roof_text_add(&out, "\n");
    roof_recorded_remarks(&answer->ranking, &answer->recorded, &out);
  }
  return cli_print_end(&out, status, error);
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
    (args->csv ? cli_columns_add_csv : cli_columns_add_text)(&out, rows);
    status = cli_print(&out, error);
  }
  roof_text_done(&out);
  free(formats);
  return status;
}
