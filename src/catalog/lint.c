#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/figures.h"
#include "core/letters.h"
#include "core/number.h"
#include "roofline/catalog.h"
#include "roofline/units.h"

/** Two figures further apart than this disagree. */
static const double tolerance = 0.02;

enum { QUANTITY_SIZE = 32 };

typedef struct report {
  const roof_machine *machine;
  const roof_report *report;
  roof_finding *findings;
  size_t capacity;
  size_t count;
  char where[96]; /* the entry being checked */
} report;

static void ROOF_PRINTF(3, 4) add(report *r, bool error, const char *format, ...) {
  if (r->count < r->capacity) {
    roof_finding *finding = &r->findings[r->count];
    va_list arguments;
    va_start(arguments, format);
    finding->error = error;
    snprintf(finding->where, sizeof finding->where, "%s", r->where);
    rf_vformat(finding->message, sizeof finding->message, format, arguments);
    va_end(arguments);
  }
  r->count++;
}

static bool near(double a, double b) {
  return fabs(a - b) <= tolerance * fabs(b);
}

static bool is_iso_date(const char *date) {
  static const char mask[] = "0000-00-00";
  if (strlen(date) != strlen(mask)) {
    return false;
  }
  for (size_t i = 0; mask[i] != '\0'; i++) {
    if (mask[i] == '0' ? !isdigit((unsigned char)date[i]) : date[i] != mask[i]) {
      return false;
    }
  }
  int month = atoi(date + 5), day = atoi(date + 8);
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** What `machine new` leaves to be filled in. */
static void check_filled(report *r, const char *key, const char *text) {
  if (strncmp(text, "REPLACE", strlen("REPLACE")) == 0) {
    add(r, true, "%s is still `REPLACE`: fill it in", key);
  }
}

/** A datasheet is the vendor's own: who quotes it is secondary. */
static void check_own(report *r, const char *source) {
  static const char *const signs[] = {"quot", "secondary database", "recalled", "leak"};
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
    if (strstr(source, signs[i]) != NULL) {
      add(r, false, "kind is datasheet, but its source says `%s`: secondary, or assumed?", signs[i]);
      return;
    }
  }
}

static void check_provenance(report *r, roof_provenance kind, const char *source, const char *date) {
  check_filled(r, "source", source);
  if (kind == ROOF_DATASHEET) {
    check_own(r, source);
  }
  if (source[0] == '\0') {
    add(r, true, "no source");
  }
  if (date[0] == '\0') {
    add(r, false, "no date");
  } else if (!is_iso_date(date)) {
    add(r, true, "date `%s` is not YYYY-MM-DD", date);
  }
}

/** A measured figure against what the hardware allows. */
static void check_limit(report *r, double value, double limit, const char *unit) {
  char a[QUANTITY_SIZE], b[QUANTITY_SIZE];
  if (value > limit) {
    add(r, false, "%s is above its limit of %s (+%.1f %%): explain it",
        roof_quantity_format(a, sizeof a, value, unit), roof_quantity_format(b, sizeof b, limit, unit),
        100 * (value / limit - 1));
  }
}

/** Every figure of a record against its limit, where it has none of its own against that of all. */
static void check_limits(report *r, const rf_record *record, const void *base, double of_all) {
  for (size_t i = 0; i < record->count; i++) {
    const rf_field *f = &record->fields[i];
    if (f->limit > 0) {
      double own = rf_number_at(base, f->limit);
      check_limit(r, rf_number_at(base, f->offset), isnan(own) ? of_all : own, f->unit);
    }
  }
}

/** A figure against the one recomputed from `formula`. */
static void check_recomputed(report *r, double value, double recomputed, const char *unit,
                             const char *formula) {
  char a[QUANTITY_SIZE], b[QUANTITY_SIZE];
  if (!isnan(value) && !isnan(recomputed) && !near(value, recomputed)) {
    add(r, false, "%s, but %s = %s (%+.1f %%)", roof_quantity_format(a, sizeof a, value, unit), formula,
        roof_quantity_format(b, sizeof b, recomputed, unit), 100 * (value / recomputed - 1));
  }
}

static void check_dense(report *r, const roof_peak *peak, double recomputed) {
  const roof_peak *sparse = roof_machine_peak(r->machine, peak->dtype, peak->unit, true, ROOF_DATASHEET);
  char a[QUANTITY_SIZE];
  roof_quantity_format(a, sizeof a, peak->flops_per_second, "FLOP/s");
  if (near(peak->flops_per_second, 2 * recomputed)) {
    add(r, true, "%s is twice units x FLOP/cycle x clock: sparse quoted as dense?", a);
  } else if (sparse != NULL && sparse->dtype == peak->dtype &&
             near(peak->flops_per_second, sparse->flops_per_second)) {
    add(r, true, "%s is also the sparse figure: sparse quoted as dense?", a);
  }
}

static bool same_peak(const roof_peak *a, const roof_peak *b) {
  return a->dtype == b->dtype && a->unit == b->unit && a->sparse == b->sparse &&
         a->fp16_sums == b->fp16_sums && a->kind == b->kind && a->cores == b->cores &&
         a->threads_per_core == b->threads_per_core && strcmp(a->core_kind, b->core_kind) == 0 &&
         strcmp(a->isa, b->isa) == 0;
}

static void check_peak(report *r, int index) {
  const roof_machine *m = r->machine;
  const roof_peak *peak = &m->peaks[index];
  snprintf(r->where, sizeof r->where, "peaks[%d] %s %s%s", index, roof_dtype_name(peak->dtype),
           roof_unit_name(peak->unit), peak->sparse ? " sparse" : "");
  check_provenance(r, peak->kind, peak->source, peak->date);
  for (int i = 0; i < index; i++) {
    if (same_peak(peak, &m->peaks[i])) {
      add(r, true, "the same figure as peaks[%d]", i);
    }
  }
  double clock = isnan(peak->clock_hz) ? m->clock_hz : peak->clock_hz;
  double recomputed = m->unit_count * peak->flops_per_cycle * clock;
  char formula[160], rate[QUANTITY_SIZE];
  rf_format(formula, sizeof formula, "%g %s x %g FLOP/cycle x %s", m->unit_count,
            m->unit_kind[0] != '\0' ? m->unit_kind : "units", peak->flops_per_cycle,
            roof_quantity_format(rate, sizeof rate, clock, "Hz"));
  if (peak->kind == ROOF_MEASURED) {
    check_limits(r, &rf_peak_record, peak, NAN);
  } else if (!peak->sparse) {
    check_recomputed(r, peak->flops_per_second, recomputed, "FLOP/s", formula);
  }
  if (peak->kind != ROOF_MEASURED && !peak->sparse && !peak->fp16_sums) {
    check_dense(r, peak, recomputed);
  }
}

static double fastest(const roof_level *level) {
  double rate = fmax(level->bytes_per_second, level->read_bytes_per_second);
  rate = fmax(rate, fmax(level->write_bytes_per_second, level->copy_bytes_per_second));
  return fmax(rate, level->triad_bytes_per_second);
}

/** Whether the figures are of the same cores, working in the same way. */
static bool same_cores(const roof_level *a, const roof_level *b) {
  return a->cores == b->cores && a->threads_per_core == b->threads_per_core &&
         strcmp(a->core_kind, b->core_kind) == 0;
}

/** A level against the ones before it, which are nearer to the units and so at least as fast. */
static void check_order(report *r, int index) {
  const roof_level *level = &r->machine->levels[index];
  for (int i = 0; i < index; i++) {
    const roof_level *inner = &r->machine->levels[i];
    if (inner->level > level->level) {
      add(r, true, "%s stands after %s: levels go from inner to outer", level->name, inner->name);
      return;
    }
    if (inner->level < level->level && same_cores(inner, level) &&
        (inner->kind == ROOF_MEASURED) == (level->kind == ROOF_MEASURED) && fastest(inner) < fastest(level)) {
      add(r, false, "faster than the inner level %s", inner->name);
    }
    if (inner->level < level->level && same_cores(inner, level) &&
        inner->latency_seconds > level->latency_seconds) {
      add(r, false, "a load takes longer from the inner level %s", inner->name);
    }
    if (inner->kind == level->kind && same_cores(inner, level) && strcmp(inner->name, level->name) == 0 &&
        rf_level_is_latency(inner) == rf_level_is_latency(level)) {
      add(r, true, "the same figure as levels[%d]", i);
    }
  }
}

/** A vendor's "80 GB" of memory are 80 GiB less what the driver keeps: chips have binary sizes. */
static void check_capacity(report *r, const roof_level *level) {
  char bytes[QUANTITY_SIZE];
  if (level->kind != ROOF_MEASURED && level->level == ROOF_MEMORY && level->bytes >= 1e9 &&
      fmod(level->bytes, 1e9) == 0) {
    add(r, false, "%s of memory, but chips have binary sizes: %.0f GiB, or what the driver reports?",
        roof_quantity_format(bytes, sizeof bytes, level->bytes, "B"), level->bytes / 1e9);
  }
}

static void check_level(report *r, int index) {
  const roof_level *level = &r->machine->levels[index];
  snprintf(r->where, sizeof r->where, "levels[%d] %s", index, level->name);
  check_provenance(r, level->kind, level->source, level->date);
  check_order(r, index);
  check_capacity(r, level);
  char formula[96], rate[QUANTITY_SIZE];
  rf_format(formula, sizeof formula, "%g bit x %s / 8", level->bus_bits,
            roof_quantity_format(rate, sizeof rate, level->transfers_per_second, "T/s"));
  if (level->kind == ROOF_MEASURED) {
    check_limits(r, &rf_level_record, level, level->limit_bytes_per_second);
  } else {
    check_recomputed(r, level->bytes_per_second, level->bus_bits / 8 * level->transfers_per_second, "B/s",
                     formula);
  }
}

/** Bytes/s in one direction of one link or lane, by family and generation. */
static const struct {
  const char *family;
  int generation; /* 0: the family has none */
  double links;   /* if the machine has no count */
  double bytes_per_second;
  const char *source;
} link_rates[] = {
    {"NVLink-C2C", 0, 1, 450e9, "NVIDIA Grace Hopper: 900 GB/s total"},
    {"NVLink", 1, 4, 20e9, "NVIDIA P100: 160 GB/s total over 4 links"},
    {"NVLink", 2, 6, 25e9, "NVIDIA V100: 300 GB/s total over 6 links"},
    {"NVLink", 3, 12, 25e9, "NVIDIA A100: 600 GB/s total over 12 links"},
    {"NVLink", 4, 18, 25e9, "NVIDIA H100: 900 GB/s total over 18 links"},
    {"NVLink", 5, 18, 50e9, "NVIDIA B200: 1.8 TB/s total over 18 links"},
    {"PCIe", 3, 16, 8e9 * 128 / 130 / 8, "PCI-SIG: 8 GT/s per lane, 128b/130b"},
    {"PCIe", 4, 16, 16e9 * 128 / 130 / 8, "PCI-SIG: 16 GT/s per lane, 128b/130b"},
    {"PCIe", 5, 16, 32e9 * 128 / 130 / 8, "PCI-SIG: 32 GT/s per lane, 128b/130b"},
    {"PCIe", 6, 16, 64e9 / 8, "PCI-SIG: 64 GT/s per lane, flits"},
};

/** Both directions of a known link together, NaN for an unknown one. */
static double known_both_ways(const roof_link *link, const char **source) {
  for (size_t i = 0; i < sizeof link_rates / sizeof link_rates[0]; i++) {
    size_t length = strlen(link_rates[i].family);
    if (rf_letters_compare_some(link->name, link_rates[i].family, length) == 0 &&
        (link_rates[i].generation == 0 ||
         atoi(link->name + length + strcspn(link->name + length, "0123456789")) ==
             link_rates[i].generation)) {
      *source = link_rates[i].source;
      return 2 * link_rates[i].bytes_per_second * (link->count > 1 ? link->count : link_rates[i].links);
    }
  }
  return NAN;
}

/** Names of links that join few devices, or none but the host. */
static bool joins_few(const report *r, const roof_link *link) {
  static const char *const parts[] = {"bridge", "C2C", "host"};
  bool found = strcmp(r->machine->device_class, "cpu") == 0 && strncmp(link->name, "PCIe", 4) == 0;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    found = found || strstr(link->name, parts[i]) != NULL;
  }
  return found;
}

static void check_joins(report *r, const roof_link *link) {
  if (link->joins < 1 || link->joins > floor(link->joins)) {
    add(r, true, "`joins` is a number of devices: 2 of a bridge, 1 of a link to the host alone");
  } else if (isnan(link->joins) && joins_few(r, link)) {
    add(r, false, "how many devices it `joins` is not said: 2 of a bridge, 1 of a link to the host alone");
  }
}

static void check_link(report *r, int index) {
  const roof_link *link = &r->machine->links[index];
  snprintf(r->where, sizeof r->where, "links[%d] %s", index, link->name);
  check_provenance(r, link->kind, link->source, link->date);
  for (int i = 0; i < index; i++) {
    const roof_link *other = &r->machine->links[i];
    if (link->kind == other->kind && strcmp(link->name, other->name) == 0) {
      add(r, true, "the same figure as links[%d]", i);
    }
  }
  check_joins(r, link);
  const char *source = "";
  char a[QUANTITY_SIZE];
  roof_quantity_format(a, sizeof a, link->bytes_per_second, "B/s");
  if (near(link->bytes_per_second, known_both_ways(link, &source))) {
    add(r, true, "%s is both directions (%s): both directions quoted as one", a, source);
  } else if (link->bytes_per_second > 0.75 * link->both_ways_bytes_per_second) {
    add(r, true, "%s is more than half of both ways: both directions quoted as one", a);
  }
}

static void check_cost(report *r, int index) {
  const roof_cost *cost = &r->report->costs[index];
  snprintf(r->where, sizeof r->where, "costs[%d] %s", index, cost->name);
  check_provenance(r, cost->kind, cost->source, cost->date);
  if (cost->least_seconds > cost->seconds || cost->seconds > cost->most_seconds) {
    add(r, true, "`seconds` is not between `least_seconds` and `most_seconds`");
  }
}

static void check_tlb(report *r, int index) {
  const roof_tlb *tlb = &r->report->tlbs[index];
  snprintf(r->where, sizeof r->where, "tlbs[%d] %s", index, tlb->name);
  check_provenance(r, tlb->kind, tlb->source, tlb->date);
  check_recomputed(r, tlb->reach_bytes, tlb->entries * tlb->page_bytes, "B", "entries x page_bytes");
}

/** A domain's own memory is the nearest to its cores. */
static void check_domain(report *r, int index) {
  const roof_domain *domain = &r->report->domains[index];
  char a[QUANTITY_SIZE], b[QUANTITY_SIZE];
  snprintf(r->where, sizeof r->where, "domains[%d] %s", index, domain->name);
  check_provenance(r, domain->kind, domain->source, domain->date);
  for (int i = 0; i < r->report->domain_count; i++) {
    const char *other = r->report->domains[i].name;
    if (i < index && strcmp(other, domain->name) == 0) {
      add(r, true, "the same name as domains[%d]", i);
    }
    double own = domain->latency_seconds[index], far = domain->latency_seconds[i];
    if (far < (1 - tolerance) * own) {
      add(r, false, "%s to `%s`, yet %s to its own memory: measured while something else ran?",
          roof_quantity_format(a, sizeof a, far, "s"), other, roof_quantity_format(b, sizeof b, own, "s"));
    }
  }
}

/** The machine's own figures: those that are not of an entry must have a source, and each with a source a
 * date. */
static void check_origins(report *r) {
  roof_machine_value v;
  for (int i = 0; roof_machine_figure(r->machine, i, &v); i++) {
    snprintf(r->where, sizeof r->where, "%s", v.key);
    if (!isnan(v.value) && v.source[0] != '\0') {
      check_provenance(r, v.kind, v.source, v.date);
    } else if (!isnan(v.value) && v.cited) {
      add(r, false, "no source");
    }
  }
}

/** The kind of a machine is that of its peaks: a list must not call a datasheet's what nobody published. */
static void check_kind(report *r) {
  const roof_machine *m = r->machine;
  int kinds[ROOF_PROVENANCE_COUNT] = {0};
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *peak = &m->peaks[i];
    if (!isnan(peak->flops_per_second)) {
      kinds[peak->kind]++;
    }
  }
  if (m->kind == ROOF_DATASHEET && kinds[ROOF_DATASHEET] == 0 &&
      kinds[ROOF_SECONDARY] + kinds[ROOF_ASSUMED] > 0) {
    add(r, false, "kind is datasheet, yet every peak is %s",
        kinds[ROOF_SECONDARY] > 0 ? "secondary or assumed" : "assumed");
  }
}

static void check_machine(report *r) {
  const roof_machine *m = r->machine;
  snprintf(r->where, sizeof r->where, "machine");
  check_filled(r, "title", m->title);
  check_filled(r, "vendor", m->vendor);
  check_kind(r);
  if (m->peak_count == 0) {
    add(r, true, "no peaks: nothing can be predicted");
  }
  if (roof_machine_memory(m, ROOF_DATASHEET) == NULL) {
    add(r, true, "no level with a bandwidth: nothing can be predicted");
  }
  if (m->date[0] != '\0' && !is_iso_date(m->date)) {
    add(r, true, "date `%s` is not YYYY-MM-DD", m->date);
  }
  for (int i = 0; i < m->alias_count; i++) {
    for (int k = -1; k < i; k++) {
      if (strcmp(m->aliases[i], k < 0 ? m->name : m->aliases[k]) == 0) {
        add(r, true, "alias `%s` is there twice", m->aliases[i]);
      }
    }
  }
}

static void check_notes(report *r) {
  const roof_machine *m = r->machine;
  for (int i = 1; i < m->note_count; i++) {
    for (int k = 0; k < i; k++) {
      if (strcmp(m->notes[i], m->notes[k]) == 0) {
        snprintf(r->where, sizeof r->where, "notes[%d]", i);
        add(r, true, "the same note as notes[%d]", k);
        break;
      }
    }
  }
}

/** Every figure of energy has a source, its own or that of all. */
static void check_energy(report *r) {
  const roof_energy *e = &r->machine->energy;
  bool figures = !(isnan(e->joules_per_flop) && isnan(e->joules_per_byte) && isnan(e->watts));
  for (int i = 0; i < e->flop_count; i++) {
    figures |= e->flops[i].source[0] == '\0';
  }
  for (int i = 0; i < e->byte_count; i++) {
    figures |= e->bytes[i].source[0] == '\0';
  }
  snprintf(r->where, sizeof r->where, "energy");
  if (figures && e->source[0] == '\0') {
    add(r, true, "no source");
  }
}

size_t roof_machine_lint(const roof_machine *machine, roof_finding *findings, size_t capacity) {
  report r = {
      .machine = machine, .report = roof_machine_report(machine), .findings = findings, .capacity = capacity};
  check_machine(&r);
  check_origins(&r);
  check_energy(&r);
  check_notes(&r);
  for (int i = 0; i < machine->peak_count; i++) {
    check_peak(&r, i);
  }
  for (int i = 0; i < machine->level_count; i++) {
    check_level(&r, i);
  }
  for (int i = 0; i < machine->link_count; i++) {
    check_link(&r, i);
  }
  for (int i = 0; i < r.report->cost_count; i++) {
    check_cost(&r, i);
  }
  for (int i = 0; i < r.report->tlb_count; i++) {
    check_tlb(&r, i);
  }
  for (int i = 0; i < r.report->domain_count; i++) {
    check_domain(&r, i);
  }
  return r.count;
}
