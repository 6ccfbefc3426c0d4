/* The view of a machine's sheet. */
#include <math.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/grid.h"
#include "cli/machine/machine.h"
#include "roofline/sheet.h"

/** One machine being printed. */
typedef struct page {
  const roof_machine *machine;
  const roof_report *report;
  roof_sheet sheet;
  roof_text text;
} page;

/** Measured figures are indented below the quoted ones. */
CLI_WORD(name_of, roof_sheet_row, cli_column_say(scratch, "%s%s", r->under ? "  measured " : "", r->name))
CLI_WORD(spread_of, roof_sheet_row,
         isnan(r->spread) && !r->noisy
             ? NULL
             : cli_column_say(scratch, "%s%.1f %%", r->noisy ? "noisy " : "", 100 * r->spread))
CLI_WORD(kind_of, roof_sheet_row, roof_provenance_name(r->kind))
CLI_WORD(source_of, roof_sheet_row, r->source > 0 ? cli_column_say(scratch, "[%d]", r->source) : "no source")

/** Caches are shown in KiB and MiB, memory in GB. */
CLI_WORD(capacity_of, roof_sheet_row,
         isnan(r->bytes) ? NULL
         : r->is_memory  ? roof_quantity_format(scratch, CLI_SCRATCH, r->bytes, "B")
                         : roof_bytes_format(scratch, CLI_SCRATCH, r->bytes))
CLI_WORD(instances_of, roof_sheet_row, isnan(r->count) ? NULL : cli_column_say(scratch, "x %g", r->count))

#define NAME(head)                                                                                           \
  { .header = (head), .text = name_of }
#define VALUE(head, unknown)                                                                                 \
  { .header = (head), .none = (unknown), CLI_QUANTITY(roof_sheet_row, value, unit) }
#define FIGURE(head, member, ...)                                                                            \
  { .header = (head), .none = "", CLI_FIELD(NUMBER, roof_sheet_row, member), __VA_ARGS__ }
#define SHARE(head) FIGURE(head, share, CLI_PERCENT(1))
#define SPREAD                                                                                               \
  { .header = "spread", .rank = 2, .right = true, .none = "", .text = spread_of }
#define PROVENANCE                                                                                           \
  {.header = "kind", .text = kind_of}, {                                                                     \
    .header = "source", .text = source_of                                                                    \
  }

static const cli_column peaks[] = {NAME("peaks (dense)"),
                                   VALUE("rate", "unknown"),
                                   FIGURE("ridge FLOP/B", ridge, .digits = 1, .fixed = true),
                                   SHARE("of limit"),
                                   SPREAD,
                                   PROVENANCE,
                                   {0}};

static const cli_column levels[] = {NAME("levels (inner to outer)"),
                                    {.header = "capacity", .right = true, .none = "", .text = capacity_of},
                                    {.header = "", .none = "", .text = instances_of},
                                    VALUE("bandwidth", ""),
                                    SHARE("of limit"),
                                    SPREAD,
                                    PROVENANCE,
                                    {0}};

static const cli_column links[] = {NAME("links"),
                                   VALUE("one way", "unknown"),
                                   FIGURE("both ways", both_ways, .unit = "B/s"),
                                   FIGURE("links or lanes", count, .digits = 6),
                                   FIGURE("joins", joins, .digits = 6),
                                   PROVENANCE,
                                   {0}};

static const cli_column modes[] = {{.header = "two modes", CLI_FIELD(NAME, roof_sheet_row, name)},
                                   FIGURE("slow", least, .unit = "B/s"),
                                   FIGURE("fast", most, .unit = "B/s"),
                                   {0}};

static const cli_column tlbs[] = {
    {.header = "address translation", CLI_FIELD(NAME, roof_sheet_row, name)},
    FIGURE("pages of", page_bytes, .binary = true),
    {.header = "entries", .fixed = true, .none = "unknown", CLI_FIELD(NUMBER, roof_sheet_row, count)},
    FIGURE("reach", bytes, .binary = true),
    VALUE("a miss costs", ""),
    PROVENANCE,
    {0}};

static const cli_column costs[] = {{.header = "synchronisation", CLI_FIELD(NAME, roof_sheet_row, name)},
                                   VALUE("time", "unknown"),
                                   FIGURE("cycles", cycles, .fixed = true),
                                   FIGURE("from", least, .unit = "s"),
                                   FIGURE("to", most, .unit = "s"),
                                   SPREAD,
                                   PROVENANCE,
                                   {0}};

static const cli_column rates[] = {NAME("operations"),
                                   VALUE("rate", "unknown"),
                                   FIGURE("per cycle", per_cycle, .digits = 3),
                                   SPREAD,
                                   PROVENANCE,
                                   {0}};

CLI_WORD(saturation_of, roof_sheet_row, isnan(r->count) ? "all" : cli_column_say(scratch, "%g", r->count))

static const cli_column scaling[] = {
    NAME("by cores"),
    {.header = "one core", .none = "unknown", CLI_QUANTITY(roof_sheet_row, least, unit)},
    {.header = "all", .none = "unknown", CLI_QUANTITY(roof_sheet_row, most, unit)},
    FIGURE("times", value, .digits = 3),
    {.header = "saturated by", .right = true, .text = saturation_of},
    PROVENANCE,
    {0}};

static const cli_column libraries[] = {NAME("what a library reaches"),
                                       {.header = "", CLI_FIELD(TEXT, roof_sheet_row, parameters)},
                                       VALUE("rate", ""),
                                       SHARE("of peak"),
                                       SPREAD,
                                       PROVENANCE,
                                       {0}};

static const cli_column others[] = {
    {.header = "other", CLI_FIELD(NAME, roof_sheet_row, name)}, VALUE("", ""), PROVENANCE, {0}};

static const cli_column domains[] = {
    {.header = "memory domains", CLI_FIELD(NAME, roof_domain, name)},
    {.header = "cores", .digits = 6, .none = "unknown", CLI_FIELD(NUMBER, roof_domain, cores)},
    {.header = "memory", .unit = "B", .none = "", CLI_FIELD(NUMBER, roof_domain, bytes)},
    {0}};

static size_t rows_of(const page *p, roof_sheet_table table) {
  return p->sheet.first[table + 1] - p->sheet.first[table];
}

static void add_rows(page *p, roof_sheet_table table, const cli_column *columns) {
  const roof_sheet_row *rows = p->sheet.rows + p->sheet.first[table];
  cli_columns_add_text(&p->text, CLI_ROWS(columns, rows, rows_of(p, table)));
}

/** Adds a table with an empty line after it; nothing where it has no row. */
static void add_table(page *p, roof_sheet_table table, const cli_column *columns) {
  if (rows_of(p, table) > 0) {
    add_rows(p, table, columns);
    roof_text_add(&p->text, "\n");
  }
}

/** A matrix: each domain's cores in a row, whose memory they use in the columns. */
static void add_matrix(page *p, const char *head, const char *unit, size_t offset) {
  const roof_report *m = p->report;
  const roof_sheet_row *row = p->sheet.rows + p->sheet.first[ROOF_SHEET_DOMAINS];
  char columns[ROOF_DOMAIN_MAX + 4] = "l", text[CLI_SCRATCH];
  cli_grid grid = {0};
  cli_grid_add(&grid, "%s", head);
  for (int i = 0; i < m->domain_count; i++) {
    cli_grid_add(&grid, "%s", m->domains[i].name);
    columns[i + 1] = 'r';
  }
  snprintf(columns + m->domain_count + 1, 3, "ll");
  cli_grid_add(&grid, "kind");
  cli_grid_add(&grid, "source");
  for (int i = 0; i < m->domain_count; i++, row++) {
    const double *values = (const double *)(const void *)((const char *)&m->domains[i] + offset);
    cli_grid_add(&grid, "cores of %s", row->name);
    for (int k = 0; k < m->domain_count; k++) {
      cli_grid_add(&grid, "%s", cli_machine_figure(text, values[k], unit, ""));
    }
    cli_grid_add(&grid, "%s", kind_of(row, text));
    cli_grid_add(&grid, "%s", source_of(row, text));
  }
  cli_grid_end(&grid, &p->text, columns);
  roof_text_add(&p->text, "\n");
}

static void add_domains(page *p) {
  if (p->report->domain_count > 0) {
    cli_columns_add_text(&p->text, CLI_ROWS(domains, p->report->domains, (size_t)p->report->domain_count));
    roof_text_add(&p->text, "\n");
    add_matrix(p, "read from memory of", "B/s", offsetof(roof_domain, read_bytes_per_second));
    add_matrix(p, "latency to memory of", "s", offsetof(roof_domain, latency_seconds));
  }
}

/** Latency against the bandwidth that other cores draw. */
static void add_loaded(page *p) {
  char draw[MACHINE_FIGURE_SIZE], latency[MACHINE_FIGURE_SIZE];
  for (int i = 0; i < p->machine->level_count; i++) {
    const roof_level *level = &p->machine->levels[i];
    const roof_level_report *report = roof_level_report_of(level);
    cli_grid grid = {0};
    if (report->loaded_latency_count == 0) {
      continue;
    }
    cli_grid_add(&grid, "%s while others draw", level->name);
    cli_grid_add(&grid, "latency");
    for (int k = 0; k < report->loaded_latency_count; k++) {
      const roof_loaded_latency *point = &report->loaded_latency[k];
      bool idle = point->bytes_per_second == 0;
      cli_grid_add(&grid, "%s",
                   idle ? "nothing" : cli_machine_figure(draw, point->bytes_per_second, "B/s", ""));
      cli_grid_add(&grid, "%s", cli_machine_figure(latency, point->latency_seconds, "s", ""));
    }
    cli_grid_end(&grid, &p->text, "rr");
    roof_text_add(&p->text, "\n");
  }
}

/** What libraries reach, then their versions, then those that reach nothing and why. */
static void add_libraries(page *p) {
  const roof_report *m = p->report;
  if (rows_of(p, ROOF_SHEET_LIBRARIES) > 0) {
    add_rows(p, ROOF_SHEET_LIBRARIES, libraries);
  }
  for (int i = 0; i < m->library_count; i++) {
    const roof_library *library = &m->libraries[i];
    bool again = i > 0 && strcmp(library[-1].version, library->version) == 0;
    if (library->skipped[0] != '\0') {
      roof_text_addf(&p->text, "  skipped %s %s %s: %s\n", library->name, library->op,
                     roof_dtype_name(library->dtype), library->skipped);
    } else if (!again) {
      roof_text_addf(&p->text, "  %s: %s\n", library->name, library->version);
    }
  }
  roof_text_add(&p->text, m->library_count > 0 ? "\n" : "");
}

static void add_page(page *p) {
  roof_sheet_head(p->machine, &p->text);
  roof_text_add(&p->text, "\n");
  if (p->machine->peak_count > 0) {
    add_rows(p, ROOF_SHEET_PEAKS, peaks);
    roof_sheet_lacks(p->machine, &p->text);
    roof_text_add(&p->text, "\n");
  }
  add_rows(p, ROOF_SHEET_LEVELS, levels);
  roof_sheet_block(p->machine, &p->text);
  roof_text_add(&p->text, "\n");
  add_domains(p);
  add_table(p, ROOF_SHEET_LINKS, links);
  add_table(p, ROOF_SHEET_MODES, modes);
  add_loaded(p);
  add_table(p, ROOF_SHEET_TLBS, tlbs);
  add_table(p, ROOF_SHEET_COSTS, costs);
  add_table(p, ROOF_SHEET_RATES, rates);
  add_table(p, ROOF_SHEET_SCALING, scaling);
  add_libraries(p);
  add_table(p, ROOF_SHEET_OTHERS, others);
  roof_sheet_footer(&p->sheet, p->machine, &p->text);
}

roof_status cli_machine_show_print(const cli_args *args, const roof_machine *machine, roof_error *error) {
  page p = {.machine = machine, .report = roof_machine_report(machine)};
  roof_status status = ROOF_OK;
  if (args->json || args->csv) {
    status = (args->json ? roof_machine_write : roof_machine_write_csv)(machine, &p.text, error);
  } else if ((status = roof_sheet_init(&p.sheet, machine, error)) == ROOF_OK) {
    add_page(&p);
    roof_sheet_done(&p.sheet);
  }
  return cli_print_end(&p.text, status, error);
}

roof_status cli_machine_show_run(const cli_args *args, roof_error *error) {
  roof_machine *machine = NULL;
  roof_status status = roof_catalog_load(args->words[1], &machine, error);
  status = status == ROOF_OK ? cli_machine_show_print(args, machine, error) : status;
  roof_machine_free(machine);
  return status;
}
