/* Elementwise work, norms, copies: bytes past the lanes. */
#include "core/form.h"

/** Blocks that a unit works on at a time. */
static const double blocks_per_unit = 8;

/** Rows that a block each reduces: it waits for its sums. The first blocks' wait for the first is part of the latency. */
static double row_seconds(const rf_run *run, rf_cut *cut) {
  double rows = run->work->kernel.rows, turns = rows / (blocks_per_unit * run->target->units);
  cut->what = "rows";
  cut->tiles = rows;
  cut->waves = turns > 1 ? turns : 1;
  return (cut->waves - 1 + run->work->kernel.depth) * run->c[ROOF_WAVE_SECONDS];
}

/** The time at the memory: what rows need again after their sums is read again, nearer by or not. Kernels that read
 * element by element have too few of them in flight for the whole bandwidth. */
static double memory_seconds(const rf_run *run) {
  const roof_work *w = run->work;
  double read = w->read_bytes / (w->read_bytes + w->write_bytes);
  double again = w->kernel.rows > 0 ? run->c[ROOF_ROW_PASSES] * read : 0;
  double seconds = rf_stream_seconds(run) * (1 + again);
  return w->kernel.group > 0 ? rf_rounded(seconds, run->memory * (read + again) / run->c[ROOF_UNIT_BANDWIDTH])
                             : seconds;
}

/** One unit works on a row: few rows take as long as those units draw, the latency in it. */
static double drawn_seconds(const rf_run *run) {
  const roof_work *w = run->work;
  const roof_machine *m = run->target->machine;
  double drawn = fmin(w->kernel.rows, m->unit_count) * RF_PORT_BYTES * m->clock_hz;
  bool limits = drawn > 0 && !rf_without(run, ROOF_EFFECT_UNITS);
  return limits ? (w->read_bytes + w->write_bytes) / drawn - run->c[ROOF_LATENCY_SECONDS] : 0;
}

double rf_form_stream(const rf_run *run, rf_cut *cut) {
  double seconds =
      rf_corner(run->compute / run->c[ROOF_EFFICIENCY], memory_seconds(run), run->c[ROOF_CORNER]);
  return run->work->kernel.rows > 0 ? fmax(seconds + row_seconds(run, cut), drawn_seconds(run)) : seconds;
}
