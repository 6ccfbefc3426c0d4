/* A machine's figures in the tables and the order that people read them in. */
#include "roofline/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "roofline/catalog.h"

typedef struct builder {
  const roof_machine *machine;
  const roof_report *report;
  double bytes_per_second; /**< of memory, for ridges */
  roof_sheet sheet;
  size_t count, capacity, source_capacity;
  bool failed;
  roof_sheet_row lost; /**< what a row is written to when memory is out */
} builder;

/** `list` with room for one more entry, NULL when memory is out. */
static void *grow(builder *b, void *list, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) {
    return list;
  }
  size_t more = 2 * *capacity + 32;
  void *grown = realloc(list, more * size);
  b->failed = b->failed || grown == NULL;
  *capacity = grown != NULL ? more : *capacity;
  return grown;
}

/** The number of a source, from 1; 0 for none. */
static int cite(builder *b, const char *source, const char *date) {
  roof_sheet *s = &b->sheet;
  for (size_t i = 0; i < s->source_count; i++) {
    if (strcmp(s->sources[i].source, source) == 0 && strcmp(s->sources[i].date, date) == 0) {
      return (int)i + 1;
    }
  }
  roof_sheet_source *sources =
      source[0] != '\0' ? grow(b, s->sources, s->source_count, &b->source_capacity, sizeof *sources) : NULL;
  if (sources == NULL) {
    return 0;
  }
  s->sources = sources;
  sources[s->source_count] = (roof_sheet_source){source, date};
  return (int)++s->source_count;
}

/** Adds a row of which nothing is known but its provenance: NULL: it has none to show. */
static roof_sheet_row *add_row(builder *b, roof_provenance kind, const char *source, const char *date) {
  roof_sheet_row *rows = grow(b, b->sheet.rows, b->count, &b->capacity, sizeof *rows);
  roof_sheet_row *row = &b->lost;
  if (rows != NULL) {
    b->sheet.rows = rows;
    row = &rows[b->count++];
  }
  *row = (roof_sheet_row){.unit = "", .parameters = "", .kind = kind, .source = cite(b, source, date)};
  row->value = row->share = row->spread = row->ridge = row->bytes = row->count = row->both_ways = NAN;
  row->joins = row->per_cycle = row->cycles = row->least = row->most = row->page_bytes = NAN;
  row->under = kind == ROOF_MEASURED && b->machine->kind != ROOF_MEASURED;
  return row;
}

static bool is_noisy(const roof_conditions *conditions) {
  return conditions != NULL && conditions->noisy[0] != '\0';
}

/** The value with its share of a limit and how much its samples spread, as far as they are known. */
static void set_value(roof_sheet_row *row, double value, const char *unit, double limit, double spread,
                      const roof_conditions *conditions) {
  row->value = value;
  row->unit = unit;
  row->share = value / limit;
  row->noisy = is_noisy(conditions);
  row->spread = isnan(value) && !row->noisy ? NAN : spread;
}

static void add_peak(builder *b, const roof_peak *peak) {
  roof_sheet_row *row = add_row(b, peak->kind, peak->source, peak->date);
  snprintf(row->name, sizeof row->name, "%s %s%s%s%s", roof_dtype_name(peak->dtype),
           roof_unit_name(peak->unit), peak->sparse ? " SPARSE" : "", peak->isa[0] != '\0' ? ", " : "",
           peak->isa);
  roof_cores_append(row->name, sizeof row->name, peak->cores, peak->core_kind, peak->threads_per_core);
  set_value(row, peak->flops_per_second, "FLOP/s", peak->limit_flops_per_second, peak->spread,
            peak->conditions);
  row->ridge = row->under ? NAN : peak->flops_per_second / b->bytes_per_second;
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

static void add_peaks(builder *b) {
  const roof_machine *m = b->machine;
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *peak = &m->peaks[i];
    if (peak->unsupported || (peak->kind == ROOF_MEASURED && has_quoted(m, peak))) {
      continue;
    }
    add_peak(b, peak);
    for (int k = 0; k < m->peak_count && peak->kind != ROOF_MEASURED && !peak->sparse && !peak->fp16_sums;
         k++) {
      if (m->peaks[k].kind == ROOF_MEASURED && same_path(&m->peaks[k], peak)) {
        add_peak(b, &m->peaks[k]);
      }
    }
  }
}

/** "DRAM", quoted by its one bandwidth, or "DRAM read"; what its cores are, and that it was not flat. */
static void name_level(roof_sheet_row *row, const roof_level *level, const roof_machine_value *figure) {
  bool mixed = figure != NULL && strcmp(figure->key, "bytes_per_second") == 0;
  bool quoted = figure == NULL || (mixed && level->kind != ROOF_MEASURED);
  snprintf(row->name, sizeof row->name, "%s%s%s", level->name, quoted ? "" : " ",
           quoted ? "" : figure->label);
  roof_cores_append(row->name, sizeof row->name, level->cores, level->core_kind, level->threads_per_core);
  if ((figure == NULL || figure->limited) && strncmp(level->plateau, "not", 3) == 0) {
    size_t used = strlen(row->name);
    snprintf(row->name + used, sizeof row->name - used, " (%s)", level->plateau);
  }
}

/** A row of a level for one of its figures, or NULL for none. */
static void add_level(builder *b, const roof_level *level, const roof_machine_value *figure, bool first) {
  roof_sheet_row *row = add_row(b, level->kind, level->source, level->date);
  name_level(row, level, figure);
  row->is_memory = level->level == ROOF_MEMORY;
  if (first && !row->under) {
    row->bytes = level->bytes;
    row->count = level->instances != 1 ? level->instances : NAN;
  }
  if (figure != NULL) {
    set_value(row, figure->value, figure->unit, figure->limit, figure->limited ? figure->spread : NAN,
              figure->conditions);
  }
}

static void add_levels(builder *b) {
  for (int i = 0; i < b->machine->level_count; i++) {
    const roof_level *level = &b->machine->levels[i];
    roof_machine_value figure;
    bool first = true;
    for (int k = 0; roof_level_figure(level, k, &figure); k++) {
      if (!isnan(figure.value)) {
        add_level(b, level, &figure, first);
        first = false;
      }
    }
    if (first) {
      add_level(b, level, NULL, true);
    }
  }
}

static void add_domains(builder *b) {
  for (int i = 0; i < b->report->domain_count; i++) {
    const roof_domain *domain = &b->report->domains[i];
    roof_sheet_row *row = add_row(b, domain->kind, domain->source, domain->date);
    snprintf(row->name, sizeof row->name, "%s", domain->name);
  }
}

static void add_links(builder *b) {
  for (int i = 0; i < b->machine->link_count; i++) {
    const roof_link *link = &b->machine->links[i];
    roof_sheet_row *row = add_row(b, link->kind, link->source, link->date);
    snprintf(row->name, sizeof row->name, "%s", link->name);
    row->value = link->bytes_per_second;
    row->unit = "B/s";
    row->both_ways = link->both_ways_bytes_per_second;
    row->count = link->count > 1 ? link->count : NAN;
    row->joins = link->joins;
  }
}

static void add_modes(builder *b) {
  for (int i = 0; i < b->machine->level_count; i++) {
    const roof_level *level = &b->machine->levels[i];
    const roof_level_report *report = roof_level_report_of(level);
    for (int k = 0; k < report->mode_count; k++) {
      roof_sheet_row *row = add_row(b, level->kind, level->source, level->date);
      snprintf(row->name, sizeof row->name, "%s %s", level->name, report->modes[k].pattern);
      roof_cores_append(row->name, sizeof row->name, level->cores, level->core_kind, level->threads_per_core);
      row->unit = "B/s";
      row->least = report->modes[k].slow_bytes_per_second;
      row->most = report->modes[k].fast_bytes_per_second;
    }
  }
}

static void add_tlbs(builder *b) {
  for (int i = 0; i < b->report->tlb_count; i++) {
    const roof_tlb *tlb = &b->report->tlbs[i];
    roof_sheet_row *row = add_row(b, tlb->kind, tlb->source, tlb->date);
    snprintf(row->name, sizeof row->name, "%s", tlb->name);
    row->page_bytes = tlb->page_bytes;
    row->count = tlb->entries;
    row->bytes = tlb->reach_bytes;
    row->value = tlb->miss_seconds;
    row->unit = "s";
  }
}

static void add_costs(builder *b) {
  for (int i = 0; i < b->report->cost_count; i++) {
    const roof_cost *cost = &b->report->costs[i];
    roof_sheet_row *row = add_row(b, cost->kind, cost->source, cost->date);
    snprintf(row->name, sizeof row->name, "%s", cost->name);
    roof_cores_append(row->name, sizeof row->name, cost->cores, "", 0);
    row->value = cost->seconds;
    row->unit = "s";
    row->cycles = cost->seconds * cost->clock_hz;
    row->least = cost->least_seconds;
    row->most = cost->most_seconds;
    row->spread = cost->spread;
  }
}

static void add_rates(builder *b) {
  for (int i = 0; i < b->report->rate_count; i++) {
    const roof_rate *rate = &b->report->rates[i];
    roof_sheet_row *row = add_row(b, rate->kind, rate->source, rate->date);
    snprintf(row->name, sizeof row->name, "%s, %s", rate->name, rate->isa);
    roof_cores_append(row->name, sizeof row->name, rate->cores, "", 0);
    set_value(row, rate->per_second, "op/s", NAN, rate->spread, &rate->conditions);
    row->per_cycle =
        rate->per_second / rate->clock_hz / (rate->cores > 0 ? rate->cores : b->machine->unit_count);
  }
}

static void add_scaling(builder *b) {
  for (int i = 0; i < b->report->scaling_count; i++) {
    const roof_scaling *s = &b->report->scaling[i];
    if (s->rate_count > 0) {
      roof_sheet_row *row = add_row(b, s->kind, s->source, s->date);
      snprintf(row->name, sizeof row->name, "%s", s->name);
      row->unit = s->unit;
      row->least = s->per_second[0];
      row->most = s->per_second[s->rate_count - 1];
      row->value = row->most / row->least;
      row->count = s->saturating_cores;
    }
  }
}

/** "gemm-blocked fp32, blocks 208 x 528 x 32", "gemm-cluster bf16, band=4: 1.03 times as fast". */
static void name_blocks(const roof_blocks *blocks, roof_sheet_row *row) {
  const char *dtype = roof_dtype_name(blocks->dtype);
  if (blocks->kernel[0] == '\0') {
    snprintf(row->name, sizeof row->name, "gemm-blocked %s, blocks %.0f x %.0f x %.0f", dtype, blocks->depth,
             blocks->width, blocks->height);
  } else if (blocks->variant[0] == '\0') {
    snprintf(row->name, sizeof row->name, "%.48s %s, as it is", blocks->kernel, dtype);
  } else {
    rf_format(row->name, sizeof row->name, "%.48s %s, %.48s: %.2f times as fast", blocks->kernel, dtype,
              blocks->variant, blocks->gain);
  }
}

/** What products of matrices reach in the blocks that were found for them. */
static void add_blocks(builder *b) {
  for (int i = 0; i < b->report->block_count; i++) {
    const roof_blocks *blocks = &b->report->blocks[i];
    roof_sheet_row *row = add_row(b, blocks->kind, blocks->source, blocks->date);
    name_blocks(blocks, row);
    row->parameters = blocks->parameters;
    row->value = blocks->flops_per_second;
    row->unit = "FLOP/s";
  }
}

static void add_libraries(builder *b) {
  for (int i = 0; i < b->report->library_count; i++) {
    const roof_library *library = &b->report->libraries[i];
    if (library->skipped[0] != '\0') {
      continue;
    }
    roof_sheet_row *row = add_row(b, library->kind, library->source, library->date);
    snprintf(row->name, sizeof row->name, "%.48s %.48s %s", library->name, library->op,
             roof_dtype_name(library->dtype));
    roof_cores_append(row->name, sizeof row->name, library->cores, "", 0);
    row->parameters = library->parameters;
    row->value = library->flops_per_second;
    row->unit = "FLOP/s";
    row->share = library->fraction_of_peak;
    row->spread = isnan(row->share) ? NAN : library->spread;
  }
  add_blocks(b);
}

static void add_other(builder *b, const roof_machine_value *figure) {
  roof_sheet_row *row = add_row(b, figure->kind, figure->source, figure->date);
  snprintf(row->name, sizeof row->name, "%s", figure->label);
  row->value = figure->value;
  row->unit = figure->unit;
}

/** Energy, and the machine's own figures that must or do say their source. */
static void add_others(builder *b) {
  roof_machine_value figure;
  for (int k = 0; roof_energy_figure(&b->machine->energy, k, &figure); k++) {
    if (!isnan(figure.value)) {
      add_other(b, &figure);
    }
  }
  for (int k = 0; roof_machine_figure(b->machine, k, &figure); k++) {
    if (!isnan(figure.value) && (figure.cited || figure.source[0] != '\0')) {
      add_other(b, &figure);
    }
  }
}

roof_status roof_sheet_init(roof_sheet *sheet, const roof_machine *machine, roof_error *error) {
  static void (*const tables[ROOF_SHEET_TABLE_COUNT])(builder * b) = {
      [ROOF_SHEET_PEAKS] = add_peaks,     [ROOF_SHEET_LEVELS] = add_levels,
      [ROOF_SHEET_DOMAINS] = add_domains, [ROOF_SHEET_LINKS] = add_links,
      [ROOF_SHEET_MODES] = add_modes,     [ROOF_SHEET_TLBS] = add_tlbs,
      [ROOF_SHEET_COSTS] = add_costs,     [ROOF_SHEET_RATES] = add_rates,
      [ROOF_SHEET_SCALING] = add_scaling, [ROOF_SHEET_LIBRARIES] = add_libraries,
      [ROOF_SHEET_OTHERS] = add_others,
  };
  builder b = {.machine = machine,
               .report = roof_machine_report(machine),
               .bytes_per_second = roof_machine_summarize(machine).bytes_per_second};
  for (int i = 0; i < ROOF_SHEET_TABLE_COUNT; i++) {
    b.sheet.first[i] = b.count;
    tables[i](&b);
  }
  b.sheet.first[ROOF_SHEET_TABLE_COUNT] = b.count;
  if (b.failed) {
    roof_sheet_done(&b.sheet);
    return roof_error_set(error, ROOF_E_MEMORY, "machine: out of memory");
  }
  *sheet = b.sheet;
  return ROOF_OK;
}

void roof_sheet_done(roof_sheet *sheet) {
  free(sheet->rows);
  free(sheet->sources);
  *sheet = (roof_sheet){0};
}
