#include "cli/columns.h"
#include "cli/machine/machine.h"

CLI_WORD(name_of, roof_found_machine, r->entry->name)
CLI_WORD(kind_of, roof_found_machine, roof_provenance_name(r->kind))

#define QUANTITY(head, csv, what, member, ...)                                                               \
  {                                                                                                          \
    .key = csv, .header = head, .unit = what, .none = "",                                                    \
    CLI_FIELD(NUMBER, roof_found_machine, figures.member), __VA_ARGS__                                       \
  }

/** Figures of a kind. */
#define COUNT(kind, head, csv)                                                                               \
  {                                                                                                          \
    .key = csv, .header = head, .rank = 3, .fixed = true,                                                    \
    CLI_FIELD(COUNT, roof_found_machine, figures.kinds[kind])                                                \
  }

static const cli_column columns[] = {
    {.key = "machine", .header = "machine", .name = true, .text = name_of},
    {.key = "title", CLI_FIELD(NAME, roof_found_machine, title)},
    {.key = "kind", .text = kind_of},
    QUANTITY("memory", "memory_bytes", "B", memory_bytes, .rank = 0),
    QUANTITY("bandwidth", "bytes_per_second", "B/s", bytes_per_second, .rank = 0),
    QUANTITY("fp32", "fp32_flops_per_second", "FLOP/s", fp32_flops_per_second, .rank = 0),
    QUANTITY("fp16/bf16", "half_flops_per_second", "FLOP/s", half_flops_per_second, .rank = 0),
    QUANTITY("fp8", "fp8_flops_per_second", "FLOP/s", fp8_flops_per_second, .rank = 1),
    {.key = "ridge",
     .header = "ridge",
     .rank = 2,
     .digits = 1,
     .fixed = true,
     .none = "",
     CLI_FIELD(NUMBER, roof_found_machine, figures.ridge)},
    COUNT(ROOF_DATASHEET, "datasheet", "datasheet_figures"),
    COUNT(ROOF_SECONDARY, "secondary", "secondary_figures"),
    COUNT(ROOF_MEASURED, "measured", "measured_figures"),
    COUNT(ROOF_ASSUMED, "assumed", "assumed_figures"),
    {0},
};

/** All figures of what was found, by kind. */
static void add_counts(roof_text *out, const roof_search *found) {
  const char *separator = "  figures:";
  for (int kind = 0; kind < ROOF_PROVENANCE_COUNT; kind++) {
    int count = 0;
    for (size_t i = 0; i < found->count; i++) {
      count += found->machines[i].figures.kinds[kind];
    }
    roof_text_addf(out, "%s %d %s", separator, count, roof_provenance_name((roof_provenance)kind));
    separator = ",";
  }
  roof_text_add(out, "\n");
}

static void add_text(roof_text *out, cli_rows rows, const roof_search *found, bool quiet) {
  cli_columns_add_text(out, rows);
  if (!quiet) {
    roof_text_addf(out,
                   "\n  %zu machine%s; peaks are dense FLOP/s; ridge: FLOP per byte of memory at the 16-bit "
                   "peak, else fp32\n",
                   rows.count, rows.count == 1 ? "" : "s");
    add_counts(out, found);
  }
}

roof_status cli_machine_list_run(const cli_args *args, roof_error *error) {
  const char *text = args->word_count > 0 ? args->words[0] : "";
  roof_search found;
  roof_text out = {0};
  roof_status status = roof_catalog_search(text, &found, error);
  if (status != ROOF_OK) {
    return status;
  }
  for (size_t i = 0; i < found.unreadable_count; i++) {
    cli_report("warning: ", &found.unreadable[i]);
  }
  cli_rows rows = CLI_ROWS(columns, found.machines, found.count);
  if (args->json) {
    status = roof_search_write(&found, &out, error);
  } else if (args->csv) {
    status = cli_columns_print_csv(rows, error);
  } else if (found.count == 0) {
    status = roof_error_set(error, ROOF_E_NAME, "machine list: nothing contains `%.80s`", text);
  } else {
    add_text(&out, rows, &found, args->quiet != 0);
  }
  status = cli_print_end(&out, status, error);
  roof_search_done(&found);
  return status;
}
