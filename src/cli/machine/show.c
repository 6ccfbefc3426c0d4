#include <ctype.h>
#include <math.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/machine/machine.h"
#include "core/number.h"

enum { SOURCE_MAX = 256, WIDTH = 110 };

/** One machine being printed, with the sources named so far: figures refer to them by number. */
typedef struct page {
  const roof_machine *machine;
  const roof_report *report;
  roof_machine_summary summary;
  roof_text text;
  cli_grid grid;
  const char *sources[SOURCE_MAX];
  const char *dates[SOURCE_MAX];
  int source_count;
} page;

/** The number of a source, from 1; 0 for none. */
static int cite(page *p, const char *source, const char *date) {
  for (int i = 0; i < p->source_count; i++) {
    if (strcmp(p->sources[i], source) == 0 && strcmp(p->dates[i], date) == 0) {
      return i + 1;
    }
  }
  if (source[0] == '\0' || p->source_count == SOURCE_MAX) {
    return 0;
  }
  p->sources[p->source_count] = source;
  p->dates[p->source_count] = date;
  return ++p->source_count;
}

/** The last two cells of every row: kind and source. */
static void add_provenance(page *p, roof_provenance kind, const char *source, const char *date) {
  int number = cite(p, source, date);
  cli_grid_add(&p->grid, "%s", roof_provenance_name(kind));
  if (number > 0) {
    cli_grid_add(&p->grid, "[%d]", number);
  } else {
    cli_grid_add(&p->grid, "no source");
  }
}

static void add_count(page *p, double value, const char *unknown) {
  char text[32];
  snprintf(text, sizeof text, "%.0f", value);
  cli_grid_add(&p->grid, "%s", isnan(value) ? unknown : text);
}

static void add_percent(page *p, double share) {
  char text[16] = "";
  if (!isnan(share)) {
    rf_format(text, sizeof text, "%.1f %%", 100 * share);
  }
  cli_grid_add(&p->grid, "%s", text);
}

/** `value` as a share of its physical limit, and how much its samples spread, as far as they are
 * known. */
static void add_share(page *p, double value, double limit, double spread, bool noisy) {
  add_percent(p, value / limit);
  if (noisy) {
    cli_grid_add(&p->grid, "noisy %.1f %%", 100 * spread);
  } else {
    add_percent(p, isnan(value) ? NAN : spread);
  }
}

static void add_heads(page *p, const char *const *heads, size_t count) {
  for (size_t i = 0; i < count; i++) {
    cli_grid_add(&p->grid, "%s", heads[i]);
  }
}

static void add_quantity(page *p, double value, const char *unit, const char *unknown) {
  char text[MACHINE_FIGURE_SIZE];
  cli_grid_add(&p->grid, "%s", cli_machine_figure(text, value, unit, unknown));
}

/** One table of the page: its columns and what adds a row's cells. */
typedef struct table {
  const char *alignment;
  const char *heads[10]; /**< ends in NULL */
  void (*add_row)(page *p, int index);
} table;

/** Adds the table with so many rows; nothing when there is none. */
static void add_table(page *p, const table *t, int rows) {
  for (int i = 0; rows > 0 && t->heads[i] != NULL; i++) {
    cli_grid_add(&p->grid, "%s", t->heads[i]);
  }
  for (int i = 0; i < rows; i++) {
    t->add_row(p, i);
  }
  if (rows > 0) {
    cli_grid_end(&p->grid, &p->text, t->alignment);
    roof_text_add(&p->text, "\n");
  }
}

/** Measured figures are indented below the quoted ones, unless the whole machine is measured. */
static const char *indent(const page *p, roof_provenance kind) {
  return kind == ROOF_MEASURED && p->machine->kind != ROOF_MEASURED ? "  measured " : "";
}

static void add_peak(page *p, const roof_peak *peak) {
  char name[128];
  double ridge = peak->flops_per_second / p->summary.bytes_per_second;
  const char *margin = indent(p, peak->kind);
  snprintf(name, sizeof name, "%s%s %s%s%s%s", margin, roof_dtype_name(peak->dtype),
           roof_unit_name(peak->unit), peak->sparse ? " SPARSE" : "", peak->isa[0] != '\0' ? ", " : "",
           peak->isa);
  roof_cores_append(name, sizeof name, peak->cores, peak->core_kind, peak->threads_per_core);
  cli_grid_add(&p->grid, "%s", name);
  add_quantity(p, peak->flops_per_second, "FLOP/s", "unknown");
  if (isnan(ridge) || margin[0] != '\0') {
    cli_grid_add(&p->grid, "%s", "");
  } else {
    cli_grid_add(&p->grid, "%.1f", ridge);
  }
  add_share(p, peak->flops_per_second, peak->limit_flops_per_second, peak->spread,
            peak->conditions != NULL && peak->conditions->noisy[0] != '\0');
  add_provenance(p, peak->kind, peak->source, peak->date);
}

static bool same_path(const roof_peak *a, const roof_peak *b) {
  return a->dtype == b->dtype && a->unit == b->unit;
}

/** True when a measured peak has a quoted dense one to stand under. */
static bool has_quoted(const roof_machine *m, const roof_peak *measured) {
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *peak = &m->peaks[i];
    if (peak->kind != ROOF_MEASURED && !peak->sparse && !peak->unsupported && same_path(peak, measured)) {
      return true;
    }
  }
  return false;
}

static void add_peaks(page *p) {
  static const char *const heads[] = {"peaks (dense)", "rate", "ridge FLOP/B", "of limit",
                                      "spread",        "kind", "source"};
  const roof_machine *m = p->machine;
  add_heads(p, heads, sizeof heads / sizeof heads[0]);
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *peak = &m->peaks[i];
    if (peak->unsupported || (peak->kind == ROOF_MEASURED && has_quoted(m, peak))) {
      continue;
    }
    add_peak(p, peak);
    for (int k = 0; k < m->peak_count && peak->kind != ROOF_MEASURED && !peak->sparse; k++) {
      if (m->peaks[k].kind == ROOF_MEASURED && same_path(&m->peaks[k], peak)) {
        add_peak(p, &m->peaks[k]);
      }
    }
  }
  cli_grid_end(&p->grid, &p->text, "lrrrrll");
  const char *separator = "  no path in hardware: ";
  for (int i = 0; i < m->peak_count; i++) {
    if (m->peaks[i].unsupported) {
      roof_text_addf(&p->text, "%s%s %s", separator, roof_dtype_name(m->peaks[i].dtype),
                     roof_unit_name(m->peaks[i].unit));
      separator = ", ";
    }
  }
  roof_text_add(&p->text, separator[0] == ',' ? "\n\n" : "\n");
}

static void add_capacity(page *p, const roof_level *level, bool given) {
  char text[MACHINE_FIGURE_SIZE];
  if (given || isnan(level->bytes)) {
    cli_grid_add(&p->grid, "%s", "");
    return;
  }
  bool memory = level->level == ROOF_MEMORY;
  cli_grid_add(&p->grid, "%s",
               memory ? roof_quantity_format(text, sizeof text, level->bytes, "B")
                      : roof_bytes_format(text, sizeof text, level->bytes));
}

/** One row of a level: one of its figures, or none. */
static void add_level_row(page *p, const roof_level *level, const roof_machine_value *f, bool first) {
  bool mixed = f != NULL && strcmp(f->key, "bytes_per_second") == 0;
  bool quoted = f == NULL || (mixed && level->kind != ROOF_MEASURED);
  bool rate = f == NULL || f->limited;
  char name[160], text[MACHINE_FIGURE_SIZE];
  const char *margin = indent(p, level->kind);
  snprintf(name, sizeof name, "%s%s%s%s", margin, level->name, quoted ? "" : " ", quoted ? "" : f->label);
  roof_cores_append(name, sizeof name, level->cores, level->core_kind, level->threads_per_core);
  if (rate && strncmp(level->plateau, "not", 3) == 0) {
    size_t used = strlen(name);
    snprintf(name + used, sizeof name - used, " (%s)", level->plateau);
  }
  cli_grid_add(&p->grid, "%s", name);
  add_capacity(p, level, !first || margin[0] != '\0');
  if (first && margin[0] == '\0' && level->instances != 1) {
    cli_grid_add(&p->grid, "x %g", level->instances);
  } else {
    cli_grid_add(&p->grid, "%s", "");
  }
  cli_grid_add(&p->grid, "%s",
               cli_machine_figure(text, f != NULL ? f->value : NAN, f != NULL ? f->unit : "", ""));
  add_share(p, f != NULL ? f->value : NAN, f != NULL ? f->limit : NAN, rate && f != NULL ? f->spread : NAN,
            f != NULL && f->conditions != NULL && f->conditions->noisy[0] != '\0');
  add_provenance(p, level->kind, level->source, level->date);
}

static void add_levels(page *p) {
  static const char *const heads[] = {
      "levels (inner to outer)", "capacity", "", "bandwidth", "of limit", "spread", "kind", "source"};
  add_heads(p, heads, sizeof heads / sizeof heads[0]);
  for (int i = 0; i < p->machine->level_count; i++) {
    const roof_level *level = &p->machine->levels[i];
    roof_machine_value f;
    bool first = true;
    for (int k = 0; roof_level_figure(level, k, &f); k++) {
      if (!isnan(f.value)) {
        add_level_row(p, level, &f, first);
        first = false;
      }
    }
    if (first) {
      add_level_row(p, level, NULL, true);
    }
  }
  cli_grid_end(&p->grid, &p->text, "lrlrrrll");
  roof_text_add(&p->text, "\n");
}

static void add_link(page *p, int index) {
  const roof_link *link = &p->machine->links[index];
  cli_grid_add(&p->grid, "%s%s", indent(p, link->kind), link->name);
  add_quantity(p, link->bytes_per_second, "B/s", "unknown");
  add_quantity(p, link->both_ways_bytes_per_second, "B/s", "");
  if (link->count > 1) {
    cli_grid_add(&p->grid, "%g", link->count);
  } else {
    cli_grid_add(&p->grid, "%s", "");
  }
  add_provenance(p, link->kind, link->source, link->date);
}

static const table links = {
    "lrrrll", {"links", "one way", "both ways", "links or lanes", "kind", "source"}, add_link};

static void add_cost(page *p, int index) {
  const roof_cost *cost = &p->report->costs[index];
  char name[128];
  snprintf(name, sizeof name, "%s", cost->name);
  roof_cores_append(name, sizeof name, cost->cores, "", 0);
  cli_grid_add(&p->grid, "%s", name);
  add_quantity(p, cost->seconds, "s", "unknown");
  add_count(p, cost->seconds * cost->clock_hz, "");
  add_quantity(p, cost->least_seconds, "s", "");
  add_quantity(p, cost->most_seconds, "s", "");
  add_percent(p, cost->spread);
  add_provenance(p, cost->kind, cost->source, cost->date);
}

static const table costs = {
    "lrrrrrll", {"synchronisation", "time", "cycles", "from", "to", "spread", "kind", "source"}, add_cost};

/** A matrix: each domain's cores in a row, whose memory they use in the columns. */
static void add_matrix(page *p, const char *head, const char *unit, size_t offset) {
  const roof_report *m = p->report;
  char columns[ROOF_DOMAIN_MAX + 4] = "l";
  cli_grid_add(&p->grid, "%s", head);
  for (int i = 0; i < m->domain_count; i++) {
    cli_grid_add(&p->grid, "%s", m->domains[i].name);
    columns[i + 1] = 'r';
  }
  snprintf(columns + m->domain_count + 1, 3, "ll");
  cli_grid_add(&p->grid, "%s", "kind");
  cli_grid_add(&p->grid, "%s", "source");
  for (int i = 0; i < m->domain_count; i++) {
    const roof_domain *domain = &m->domains[i];
    const double *row = (const double *)(const void *)((const char *)domain + offset);
    cli_grid_add(&p->grid, "cores of %s", domain->name);
    for (int k = 0; k < m->domain_count; k++) {
      add_quantity(p, row[k], unit, "");
    }
    add_provenance(p, domain->kind, domain->source, domain->date);
  }
  cli_grid_end(&p->grid, &p->text, columns);
  roof_text_add(&p->text, "\n");
}

static void add_domain(page *p, int index) {
  const roof_domain *domain = &p->report->domains[index];
  cli_grid_add(&p->grid, "%s", domain->name);
  cli_grid_add(&p->grid, "%g", domain->cores);
  add_quantity(p, domain->bytes, "B", "");
}

static void add_domains(page *p) {
  static const table domains = {"lrr", {"memory domains", "cores", "memory"}, add_domain};
  add_table(p, &domains, p->report->domain_count);
  if (p->report->domain_count > 0) {
    add_matrix(p, "read from memory of", "B/s", offsetof(roof_domain, read_bytes_per_second));
    add_matrix(p, "latency to memory of", "s", offsetof(roof_domain, latency_seconds));
  }
}

/** Patterns that have two bandwidths and nothing between. */
static void add_modes(page *p) {
  static const char *const heads[] = {"two modes", "slow", "fast"};
  char name[160];
  for (int i = 0; i < p->machine->level_count; i++) {
    const roof_level *level = &p->machine->levels[i];
    const roof_level_report *report = roof_level_report_of(level);
    for (int k = 0; k < report->mode_count; k++) {
      const roof_modes *modes = &report->modes[k];
      if (p->grid.count == 0) {
        add_heads(p, heads, sizeof heads / sizeof heads[0]);
      }
      snprintf(name, sizeof name, "%s %s", level->name, modes->pattern);
      roof_cores_append(name, sizeof name, level->cores, level->core_kind, level->threads_per_core);
      cli_grid_add(&p->grid, "%s", name);
      add_quantity(p, modes->slow_bytes_per_second, "B/s", "");
      add_quantity(p, modes->fast_bytes_per_second, "B/s", "");
    }
  }
  if (p->grid.count > 0) {
    cli_grid_end(&p->grid, &p->text, "lrr");
    roof_text_add(&p->text, "\n");
  }
}

static void add_tlb(page *p, int index) {
  const roof_tlb *tlb = &p->report->tlbs[index];
  char text[MACHINE_FIGURE_SIZE];
  bool known = !isnan(tlb->reach_bytes);
  cli_grid_add(&p->grid, "%s", tlb->name);
  cli_grid_add(&p->grid, "%s", roof_bytes_format(text, sizeof text, tlb->page_bytes));
  add_count(p, tlb->entries, "unknown");
  cli_grid_add(&p->grid, "%s", known ? roof_bytes_format(text, sizeof text, tlb->reach_bytes) : "");
  add_quantity(p, tlb->miss_seconds, "s", "");
  add_provenance(p, tlb->kind, tlb->source, tlb->date);
}

static const table tlbs = {
    "lrrrrll",
    {"address translation", "pages of", "entries", "reach", "a miss costs", "kind", "source"},
    add_tlb};

/** Latency against the bandwidth that other cores draw. */
static void add_loaded(page *p) {
  char text[MACHINE_FIGURE_SIZE];
  for (int i = 0; i < p->machine->level_count; i++) {
    const roof_level *level = &p->machine->levels[i];
    const roof_level_report *report = roof_level_report_of(level);
    if (report->loaded_latency_count > 0) {
      cli_grid_add(&p->grid, "%s while others draw", level->name);
      cli_grid_add(&p->grid, "latency");
    }
    for (int k = 0; k < report->loaded_latency_count; k++) {
      const roof_loaded_latency *point = &report->loaded_latency[k];
      cli_grid_add(&p->grid, "%s",
                   point->bytes_per_second == 0
                       ? "nothing"
                       : cli_machine_figure(text, point->bytes_per_second, "B/s", ""));
      add_quantity(p, point->latency_seconds, "s", "");
    }
    if (report->loaded_latency_count > 0) {
      cli_grid_end(&p->grid, &p->text, "rr");
      roof_text_add(&p->text, "\n");
    }
  }
}

static void add_library(page *p, const roof_library *library) {
  char name[2 * ROOF_NAME_MAX + 64];
  snprintf(name, sizeof name, "%s%s %s %s", indent(p, library->kind), library->name, library->op,
           roof_dtype_name(library->dtype));
  roof_cores_append(name, sizeof name, library->cores, "", 0);
  cli_grid_add(&p->grid, "%s", name);
  cli_grid_add(&p->grid, "%s", library->parameters);
  add_quantity(p, library->flops_per_second, "FLOP/s", "");
  add_share(p, library->fraction_of_peak, 1, library->spread, false);
  add_provenance(p, library->kind, library->source, library->date);
}

/** What libraries reach, then their versions, then those that reach nothing and why. */
static void add_libraries(page *p) {
  static const char *const heads[] = {
      "what a library reaches", "", "rate", "of peak", "spread", "kind", "source"};
  const roof_report *m = p->report;
  for (int i = 0; i < m->library_count; i++) {
    if (m->libraries[i].skipped[0] == '\0') {
      if (p->grid.count == 0) {
        add_heads(p, heads, sizeof heads / sizeof heads[0]);
      }
      add_library(p, &m->libraries[i]);
    }
  }
  if (p->grid.count > 0) {
    cli_grid_end(&p->grid, &p->text, "llrrrll");
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

/** The answer first: what it is, and the figures people look for. */
static void add_head(page *p) {
  const roof_machine *m = p->machine;
  char half[MACHINE_FIGURE_SIZE], rate[MACHINE_FIGURE_SIZE], clock[MACHINE_FIGURE_SIZE];
  const char *const words[] = {m->vendor, m->architecture, m->device_class};
  roof_text_addf(&p->text, "%s: %s", m->name, roof_machine_title(m));
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    roof_text_addf(&p->text, "%s%s", words[i][0] != '\0' ? ", " : "", words[i]);
  }
  bool has_half = !isnan(p->summary.half_flops_per_second);
  double peak = has_half ? p->summary.half_flops_per_second : p->summary.fp32_flops_per_second;
  roof_text_addf(&p->text, "\n  %s at %s, %s of memory bandwidth",
                 cli_machine_figure(half, peak, "FLOP/s", "no peak known"), has_half ? "16 bit" : "fp32",
                 cli_machine_figure(rate, p->summary.bytes_per_second, "B/s", "unknown"));
  if (!isnan(m->unit_count)) {
    const char *kind = m->unit_kind[0] != '\0' ? m->unit_kind : "unit";
    bool plural = m->unit_count > 1 && islower((unsigned char)kind[strlen(kind) - 1]);
    roof_text_addf(&p->text, "; %g %s%s", m->unit_count, kind, plural ? "s" : "");
  }
  if (!isnan(m->clock_hz)) {
    roof_text_addf(&p->text, " at %s", cli_machine_figure(clock, m->clock_hz, "Hz", ""));
  }
  roof_text_addf(&p->text, "\n  %s figures%s%s", roof_provenance_name(m->kind),
                 m->date[0] != '\0' ? " as of " : "", m->date);
  for (int i = 0; i < m->alias_count; i++) {
    roof_text_addf(&p->text, "%s%s", i == 0 ? "; also " : ", ", m->aliases[i]);
  }
  roof_text_add(&p->text, "\n\n");
}

static void add_other(page *p, const roof_machine_value *f) {
  cli_grid_add(&p->grid, "%s", f->label);
  add_quantity(p, f->value, f->unit, "");
  add_provenance(p, f->kind, f->source, f->date);
}

/** Energy, and the machine's own figures: those that the head shows only where they say their source. */
static void add_rest(page *p) {
  static const char *const heads[] = {"other", "", "kind", "source"};
  roof_machine_value f;
  int start = p->grid.count;
  add_heads(p, heads, sizeof heads / sizeof heads[0]);
  for (int k = 0; roof_energy_figure(&p->machine->energy, k, &f); k++) {
    if (!isnan(f.value)) {
      add_other(p, &f);
    }
  }
  for (int k = 0; roof_machine_figure(p->machine, k, &f); k++) {
    if (!isnan(f.value) && (f.cited || f.source[0] != '\0')) {
      add_other(p, &f);
    }
  }
  if (p->grid.count > start + 4) {
    cli_grid_end(&p->grid, &p->text, "lrll");
    roof_text_add(&p->text, "\n");
  }
}

/** Appends `words` wrapped at WIDTH after `lead`; further lines are indented as far. */
static void add_wrapped(roof_text *out, const char *lead, const char *words) {
  size_t column = strlen(lead), margin = column;
  roof_text_add(out, lead);
  while (*words != '\0') {
    size_t length = strcspn(words, " ");
    if (column > margin && column + 1 + length > WIDTH) {
      roof_text_addf(out, "\n%*s", (int)margin, "");
      column = margin;
    } else if (column > margin) {
      roof_text_add(out, " ");
      column++;
    }
    roof_text_add_bytes(out, words, length);
    column += length;
    words += length;
    words += strspn(words, " ");
  }
  roof_text_add(out, "\n");
}

static void add_footer(page *p) {
  char lead[16], words[ROOF_SOURCE_MAX + 32];
  for (int i = 0; i < p->machine->note_count; i++) {
    add_wrapped(&p->text, "  - ", p->machine->notes[i]);
  }
  roof_text_add(&p->text, p->machine->note_count > 0 ? "\n" : "");
  for (int i = 0; i < p->source_count; i++) {
    const char *date = p->dates[i];
    snprintf(lead, sizeof lead, "  [%d] ", i + 1);
    snprintf(words, sizeof words, "%s%s%s%s", p->sources[i], date[0] != '\0' ? " (as of " : "", date,
             date[0] != '\0' ? ")" : "");
    add_wrapped(&p->text, lead, words);
  }
}

roof_status cli_machine_show_print(const cli_args *args, const roof_machine *machine, roof_error *error) {
  page p = {
      .machine = machine, .report = roof_machine_report(machine), .summary = roof_machine_summarize(machine)};
  roof_status status = ROOF_OK;
  if (args->json || args->csv) {
    status = (args->json ? roof_machine_write : roof_machine_write_csv)(machine, &p.text, error);
  } else {
    add_head(&p);
    add_peaks(&p);
    add_levels(&p);
    add_domains(&p);
    add_table(&p, &links, machine->link_count);
    add_modes(&p);
    add_loaded(&p);
    add_table(&p, &tlbs, p.report->tlb_count);
    add_table(&p, &costs, p.report->cost_count);
    add_libraries(&p);
    add_rest(&p);
    add_footer(&p);
  }
  status = status == ROOF_OK ? cli_print(&p.text, error) : status;
  roof_text_done(&p.text);
  roof_text_done(&p.grid.cells);
  return status;
}

roof_status cli_machine_show_run(const cli_args *args, roof_error *error) {
  roof_machine *machine = NULL;
  roof_status status = roof_catalog_load(args->words[1], &machine, error);
  status = status == ROOF_OK ? cli_machine_show_print(args, machine, error) : status;
  roof_machine_free(machine);
  return status;
}
