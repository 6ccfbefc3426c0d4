/* What stands in words on a machine's sheet: what it is, what it lacks, what a block holds, where figures come from. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "roofline/catalog.h"
#include "roofline/explain.h"
#include "roofline/sheet.h"
#include "roofline/units.h"

enum { SHORT = 48 };

static const char *figure(char buffer[SHORT], double value, const char *unit, const char *unknown) {
  return isnan(value) ? unknown : roof_quantity_format(buffer, SHORT, value, unit);
}

/** By what memory reads faster than reads alone were measured to be; "": nothing. */
static const char *faster_reads(const roof_machine *m) {
  const roof_level *memory = roof_machine_memory(m, ROOF_DATASHEET);
  double costs[ROOF_MIX_COUNT];
  if (memory == NULL || isnan(memory->read_bytes_per_second)) {
    return "";
  }
  roof_level_costs(memory, costs);
  bool alone = costs[ROOF_MIX_READ] * memory->read_bytes_per_second > 0.995;
  bool updates = 2 * costs[ROOF_MIX_UPDATE] < 1.5 * costs[ROOF_MIX_TRIAD];
  return alone ? "" : updates ? " (as updates read)" : " (as a triad reads)";
}

void roof_sheet_head(const roof_machine *m, roof_text *out) {
  char peak[SHORT], rate[SHORT], clock[SHORT];
  const char *const words[] = {m->vendor, m->architecture, m->device_class};
  roof_text_addf(out, "%s: %s", m->name, roof_machine_title(m));
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    roof_text_addf(out, "%s%s", words[i][0] != '\0' ? ", " : "", words[i]);
  }
  roof_machine_summary summary = roof_machine_summarize(m);
  roof_text_addf(out, "\n  %s at %s, %s of memory bandwidth%s",
                 figure(peak, summary.peak_flops_per_second, "FLOP/s", "no peak known"),
                 isnan(summary.half_flops_per_second) ? "fp32" : "16 bit",
                 figure(rate, summary.bytes_per_second, "B/s", "unknown"), faster_reads(m));
  if (!isnan(m->unit_count)) {
    const char *kind = m->unit_kind[0] != '\0' ? m->unit_kind : "unit";
    bool plural = m->unit_count > 1 && islower((unsigned char)kind[strlen(kind) - 1]);
    roof_text_addf(out, "; %g %s%s", m->unit_count, kind, plural ? "s" : "");
  }
  if (!isnan(m->clock_hz)) {
    roof_text_addf(out, " at %s", figure(clock, m->clock_hz, "Hz", ""));
  }
  roof_text_addf(out, "\n  %s figures%s%s", roof_provenance_name(m->kind),
                 m->date[0] != '\0' ? " as of " : "", m->date);
  for (int i = 0; i < m->alias_count; i++) {
    roof_text_addf(out, "%s%s", i == 0 ? "; also " : ", ", m->aliases[i]);
  }
  roof_text_add(out, "\n");
}

void roof_sheet_lacks(const roof_machine *m, roof_text *out) {
  const char *separator = "  no path in hardware: ";
  for (int i = 0; i < m->peak_count; i++) {
    if (m->peaks[i].unsupported) {
      roof_text_addf(out, "%s%s %s", separator, roof_dtype_name(m->peaks[i].dtype),
                     roof_unit_name(m->peaks[i].unit));
      separator = ", ";
    }
  }
  roof_text_add(out, separator[0] == ',' ? "\n" : "");
}

void roof_sheet_block(const roof_machine *m, roof_text *out) {
  const roof_block_limits *limits = roof_block_limits_of(m);
  char unit[SHORT], block[SHORT];
  if (limits != NULL) {
    roof_text_addf(
        out, "  shared memory: %s per SM, %s per block; %.0f registers of 4 B per SM (%s, CUDA guide)\n",
        roof_bytes_format(unit, sizeof unit, limits->unit_shared),
        roof_bytes_format(block, sizeof block, limits->block_shared), limits->unit_registers, limits->isa);
  }
}

void roof_sheet_footer(const roof_sheet *sheet, const roof_machine *m, roof_text *out) {
  for (int i = 0; i < m->note_count; i++) {
    roof_text_addf(out, "  - %s\n", m->notes[i]);
  }
  roof_text_add(out, m->note_count > 0 ? "\n" : "");
  for (size_t i = 0; i < sheet->source_count; i++) {
    const roof_sheet_source *s = &sheet->sources[i];
    bool dated = s->date[0] != '\0';
    roof_text_addf(out, "  [%zu] %s%s%s%s\n", i + 1, s->source, dated ? " (as of " : "", s->date,
                   dated ? ")" : "");
  }
}
