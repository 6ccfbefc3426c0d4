/* Which rank waits for which: pairs, regions, and over time. */
#include <math.h>

#include "cli/import/import.h"

enum { PAIRS = 5, REGIONS = 6 };

CLI_VALUE(pair_calls, roof_wait, r->calls)

static const cli_column pair_columns[] = {
    {.header = "rank", CLI_FIELD(COUNT, roof_wait, rank), .fixed = true},
    {.header = "waits for", CLI_FIELD(COUNT, roof_wait, awaited), .fixed = true},
    {.header = "time", .unit = "s", CLI_FIELD(NUMBER, roof_wait, seconds)},
    {.header = "calls", .fixed = true, .number = pair_calls},
    {.header = "most in", .name = true, CLI_FIELD(TEXT, roof_wait, region)},
    {0}};

CLI_VALUE(region_calls, roof_shared_region, r->calls)
CLI_VALUE(all_at_once, roof_shared_region, r->ranks > 1 ? r->all_seconds / r->any_seconds : (double)NAN)
CLI_VALUE(waited, roof_shared_region, r->meets ? r->waited_seconds : (double)NAN)

static const cli_column region_columns[] = {
    {.header = "region", .name = true, CLI_FIELD(TEXT, roof_shared_region, name)},
    {.header = "ranks", .rank = 2, CLI_FIELD(SIZE, roof_shared_region, ranks), .fixed = true},
    {.header = "calls", .rank = 3, .fixed = true, .number = region_calls},
    {.header = "time", .unit = "s", CLI_FIELD(NUMBER, roof_shared_region, seconds)},
    {.header = "any rank", .unit = "s", .rank = 1, CLI_FIELD(NUMBER, roof_shared_region, any_seconds)},
    {.header = "all at once", CLI_PERCENT(0), .number = all_at_once},
    {.header = "waited", .unit = "s", .number = waited},
    {0}};

static const cli_column stretch_columns[] = {
    {.header = "from", .unit = "s", CLI_FIELD(NUMBER, roof_stretch, start)},
    {.header = "to", .unit = "s", CLI_FIELD(NUMBER, roof_stretch, end)},
    {.header = "busiest rank", CLI_FIELD(COUNT, roof_stretch, busiest), .fixed = true},
    {.header = "max/mean", .digits = 2, .fixed = true, CLI_FIELD(NUMBER, roof_stretch, imbalance)},
    {.header = "waiting", CLI_PERCENT(0), CLI_FIELD(NUMBER, roof_stretch, waiting_share)},
    {0}};

static size_t at_most(size_t count, size_t most) {
  return count < most ? count : most;
}

static void add_more(size_t count, size_t most, const char *what, roof_text *out) {
  if (count > most) {
    roof_text_addf(out, "  and %zu more %s%s; all in --json\n", count - most, what,
                   count - most > 1 ? "s" : "");
  }
}

void cli_import_add_waits(const roof_waits *w, roof_text *out) {
  roof_waits_sentence(w, out);
  roof_text_add(out, "\n");
  if (w->count > 0) {
    cli_columns_add_text(out, CLI_ROWS(pair_columns, w->list, at_most(w->count, PAIRS)));
    add_more(w->count, PAIRS, "pair", out);
    roof_text_add(out, "\n");
  }
  cli_columns_add_text(out, CLI_ROWS(region_columns, w->regions, at_most(w->region_count, REGIONS)));
  add_more(w->region_count, REGIONS, "region", out);
  roof_text_add(out, "\n");
  cli_columns_add_text(out, CLI_ROWS(stretch_columns, w->stretches, ROOF_STRETCHES));
}
