#include <math.h>
#include <string.h>

#include "cli/loop/loop.h"
#include "core/number.h"

enum { SHORT = 40, LINE = 640 };

static const cli_loop_kernel *find_worst(const cli_loop *loop) {
  const cli_loop_kernel *worst = NULL;
  for (int i = 0; i < loop->count; i++) {
    const cli_loop_kernel *k = &loop->kernels[i];
    if (k->skipped[0] == '\0' && (worst == NULL || k->reconciled.headroom > worst->reconciled.headroom)) {
      worst = k;
    }
  }
  return worst;
}

void cli_loop_answer(const cli_loop *loop, char *buffer, size_t size) {
  const cli_loop_kernel *worst = find_worst(loop);
  if (worst == NULL) {
    snprintf(buffer, size, "no kernel could run on %s", loop->machine->title);
    return;
  }
  rf_format(buffer, size, "%d kernels in %s on %s (%g cores): most headroom in %s, %.3gx from its ceiling",
            loop->done, roof_dtype_name(loop->dtype), loop->machine->title, loop->machine->unit_count,
            worst->kernel->name, worst->reconciled.headroom);
}

void cli_loop_because(const cli_loop_kernel *kernel, char *buffer, size_t size) {
  if (kernel->skipped[0] != '\0') {
    snprintf(buffer, size, "skipped: %s", kernel->skipped);
  } else {
    snprintf(buffer, size, "%s%s%s", kernel->reconciled.because, kernel->again[0] != '\0' ? "; " : "",
             kernel->again);
  }
}

void cli_loop_add_row(cli_grid *grid, const char *const *cells, int columns) {
  for (int i = 0; i < columns; i++) {
    cli_grid_add(grid, "%s", cells[i]);
  }
}

static void add_kernel(cli_grid *grid, const cli_loop_kernel *k) {
  const roof_reconciled *r = &k->reconciled;
  char predicted[SHORT], measured[SHORT];
  cli_grid_add(grid, "%s", k->kernel->name);
  cli_grid_add(grid, "%s", roof_quantity_format(predicted, SHORT, r->predicted_seconds, "s"));
  cli_grid_add(grid, "%s", roof_quantity_format(measured, SHORT, r->measured_seconds, "s"));
  cli_grid_add(grid, "%s (%s)", r->regime, r->binding);
  cli_grid_add(grid, "%.1f %%", 100 * r->fraction_of_ceiling);
  cli_grid_add(grid, "%.1f %s", fabs(r->gap_points), r->gap_points >= 0 ? "below" : "above");
  cli_grid_add(grid, "%.2fx", r->headroom);
  cli_grid_add(grid, "%s", r->verdict);
  cli_grid_add(grid, "%s", k->shape);
}

void cli_loop_add_kernels(cli_grid *grid, const cli_loop *loop) {
  static const char *const header[CLI_LOOP_COLUMNS] = {
      "kernel", "predicted", "measured", "regime", "of ceiling", "gap", "headroom", "verdict", "shape"};
  cli_loop_add_row(grid, header, CLI_LOOP_COLUMNS);
  for (int i = 0; i < loop->count; i++) {
    if (loop->kernels[i].skipped[0] == '\0') {
      add_kernel(grid, &loop->kernels[i]);
    }
  }
}

/** What the figures rest on: the ceilings, the ledger and how the machine behaved. */
static void add_context(roof_text *out, const cli_loop *loop) {
  const roof_machine *m = loop->machine;
  const roof_peak *peak = loop->target.peak[ROOF_VECTOR];
  const roof_level *memory = loop->target.level[loop->target.memory];
  char compute[SHORT], read[SHORT], triad[SHORT];
  if (peak != NULL && memory != NULL) {
    roof_text_addf(out, "  ceilings: %s %s; %s read %s, triad %s\n", roof_dtype_name(peak->dtype),
                   roof_quantity_format(compute, SHORT, peak->flops_per_second, "FLOP/s"), memory->name,
                   roof_quantity_format(read, SHORT, roof_level_bandwidth(memory, 0, 0), "B/s"),
                   roof_quantity_format(triad, SHORT, roof_level_bandwidth(memory, 1.0 / 3, 0), "B/s"));
  }
  for (int i = 0; i < m->note_count; i++) {
    roof_text_addf(out, "  %s\n", m->notes[i]);
  }
  roof_text_addf(out, "  sealed in %s before measuring; the gap is in points from the expected share\n",
                 loop->ledger);
}

static void add_remarks(roof_text *out, const cli_loop *loop) {
  for (int i = 0; i < loop->count; i++) {
    const cli_loop_kernel *k = &loop->kernels[i];
    if (k->skipped[0] != '\0') {
      roof_text_addf(out, "  skipped %s: %s\n", k->kernel->name, k->skipped);
    } else if (k->again[0] != '\0') {
      roof_text_addf(out, "  %s %s\n", k->kernel->name, k->again);
    }
  }
}

void cli_loop_text(const cli_loop *loop, roof_text *out) {
  char answer[LINE];
  cli_grid grid = {0};
  cli_loop_answer(loop, answer, sizeof answer);
  roof_text_addf(out, "%s; report: %s\n\n", answer, loop->report);
  cli_loop_add_kernels(&grid, loop);
  cli_grid_end(&grid, out, "lrrlrrrll");
  if (!loop->args->quiet) {
    roof_text_add(out, "\n");
    add_remarks(out, loop);
    add_context(out, loop);
  }
}

void cli_loop_csv(const cli_loop *loop, roof_text *out) {
  roof_text_add(
      out,
      "label,predicted_seconds,measured_seconds,fraction_of_ceiling,headroom,gap,regime,binding,verdict\n");
  for (int i = 0; i < loop->count; i++) {
    const roof_reconciled *r = &loop->kernels[i].reconciled;
    if (loop->kernels[i].skipped[0] != '\0') {
      continue;
    }
    const double numbers[] = {r->predicted_seconds, r->measured_seconds, r->fraction_of_ceiling, r->headroom,
                              r->gap_points};
    roof_text_add_csv(out, r->label);
    roof_text_add(out, ",");
    for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++) {
      roof_text_add_number(out, numbers[j], 12);
      roof_text_add(out, ",");
    }
    roof_text_addf(out, "%s,", r->regime);
    roof_text_add_csv(out, r->binding);
    roof_text_addf(out, ",%s\n", r->verdict);
  }
}

static json_t *entry_json(const cli_loop_kernel *k) {
  const roof_reconciled *r = &k->reconciled;
  char because[LINE];
  cli_loop_because(k, because, sizeof because);
  return json_pack("{s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:[]}", "label", r->label,
                   "predicted_seconds", rf_json_number(r->predicted_seconds), "measured_seconds",
                   rf_json_number(r->measured_seconds), "regime", r->regime, "binding", r->binding,
                   "fraction_of_ceiling", rf_json_number(r->fraction_of_ceiling), "headroom",
                   rf_json_number(r->headroom), "verdict", r->verdict, "because", because, "gap",
                   rf_json_number(r->gap_points), "causes");
}

json_t *cli_loop_json(const cli_loop *loop) {
  json_t *entries = json_array(), *skipped = json_array();
  for (int i = 0; i < loop->count; i++) {
    const cli_loop_kernel *k = &loop->kernels[i];
    if (k->skipped[0] != '\0') {
      json_array_append_new(skipped, json_pack("{s:s, s:s}", "what", k->kernel->name, "why", k->skipped));
    } else {
      json_array_append_new(entries, entry_json(k));
    }
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:o, s:{s:[], s:[]}, s:o}", "schema", "roofline.reconcile/1",
                   "machine", loop->machine->name, "ledger", loop->ledger, "report", loop->report, "entries",
                   entries, "unmatched", "predictions", "measurements", "skipped", skipped);
}
