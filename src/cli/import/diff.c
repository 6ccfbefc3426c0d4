/* What became of the kernels of another profile: --against. */
#include <math.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/import/import.h"
#include "core/number.h"
#include "roofline/plot.h"

CLI_WORD(kind, roof_diff_row, roof_diff_kind_name(r->kind))
CLI_WORD(name, roof_diff_row, r->now.name != NULL ? r->now.name : r->before.name)
CLI_WORD(short_name, roof_diff_row, roof_kernel_shorten(name(r, scratch), scratch, CLI_SCRATCH))
CLI_VALUE(calls_before, roof_diff_row, r->before.calls)
CLI_VALUE(calls_now, roof_diff_row, r->now.calls)

/** "10", or "10 to 8" */
static const char *calls(const void *row, char scratch[CLI_SCRATCH]) {
  double before = calls_before(row), now = calls_now(row);
  rf_format(scratch, CLI_SCRATCH, before != now ? "%.0f to %.0f" : "%.0f", before, now);
  return scratch;
}

/** "operator, was volta_sgemm_128x64_nn" */
static const char *matched(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_diff_row *r = row;
  char was[ROOF_KERNEL_SHOWN + 1];
  bool renamed = r->matched[0] != '\0' && strcmp(r->matched, "name") != 0;
  snprintf(scratch, CLI_SCRATCH, "%s%s%s", r->matched[0] != '\0' ? r->matched : "-", renamed ? ", was " : "",
           renamed ? roof_kernel_shorten(r->before.name, was, sizeof was) : "");
  return scratch;
}

static const cli_column columns[] = {
    {.key = "kernel", .text = name},
    {.header = "kernel", .name = true, .text = short_name},
    {.key = "kind", .header = "", .text = kind},
    {.header = "calls", .rank = 3, .right = true, .text = calls},
    {.key = "calls_before", .fixed = true, .number = calls_before},
    {.key = "calls_now", .fixed = true, .number = calls_now},
    {.key = "before_seconds",
     .header = "before",
     .unit = "s",
     CLI_FIELD(NUMBER, roof_diff_row, before.seconds)},
    {.key = "now_seconds", .header = "now", .unit = "s", CLI_FIELD(NUMBER, roof_diff_row, now.seconds)},
    {.key = "difference_seconds",
     .header = "difference",
     .unit = "s",
     .csv_digits = 12,
     CLI_FIELD(NUMBER, roof_diff_row, difference)},
    {.key = "change",
     .header = "per call",
     .rank = 1,
     CLI_PERCENT(1),
     .csv_digits = 12,
     CLI_FIELD(NUMBER, roof_diff_row, change)},
    {.key = "matched", .header = "matched by", .rank = 2, .text = matched},
    {.key = "was", CLI_FIELD(TEXT, roof_diff_row, before.name)},
    {.key = "p", CLI_FIELD(NUMBER, roof_diff_row, p)},
    {0}};

static roof_status draw(const cli_args *args, const roof_diff *diff, roof_error *error) {
  roof_curves *chart = cli_chart_room();
  roof_status status = roof_diff_chart(diff, chart, error);
  status = status == ROOF_OK ? cli_chart_write_curves(args, chart, "", NULL, error) : status;
  return status;
}

roof_status cli_import_print_diff(const cli_args *args, const roof_diff *diff, size_t top,
                                  roof_error *error) {
  roof_text out = {0};
  roof_status drawn = cli_chart_is_wanted(args) ? cli_chart_or_none(args, draw(args, diff, error)) : ROOF_OK;
  if (drawn != ROOF_OK || args->file != NULL) {
    return drawn;
  }
  if (args->json) {
    return cli_print_end(&out, roof_diff_write(diff, &out, error), error);
  }
  if (args->csv) {
    return cli_columns_print_csv(CLI_ROWS(columns, diff->rows, diff->count), error);
  }
  size_t shown = top > 0 && top < diff->count && args->page == NULL ? top : diff->count;
  roof_diff_sentence(diff, &out);
  roof_text_add(&out, "\n");
  cli_columns_add_text(&out, CLI_ROWS(columns, diff->rows, shown));
  if (diff->count > shown) {
    roof_text_addf(&out, "  and %zu more; --top N shows more\n", diff->count - shown);
  }
  return cli_print_end(&out, ROOF_OK, error);
}
