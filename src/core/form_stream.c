/* Elementwise work, norms, copies: bytes past the lanes. */
#include "core/form.h"

/** Blocks that a unit works on at a time. */
static const double blocks_per_unit = 8;

/** Rows that a block each reduces: it waits for its sums, then reads its row again, nearer by or not. The first blocks'
 * wait is part of the latency. */
static double row_seconds(const rf_run *run, double stream, rf_cut *cut) {
  const roof_work *w = run->work;
  double rows = w->kernel.rows, turns = rows / (blocks_per_unit * run->target->units);
  double read = w->read_bytes / (w->read_bytes + w->write_bytes);
  cut->what = "rows";
  cut->tiles = rows;
  cut->waves = turns > 1 ? turns : 1;
  return stream * run->c[ROOF_ROW_PASSES] * read + (cut->waves - 1) * run->c[ROOF_WAVE_SECONDS];
}

double rf_form_stream(const rf_run *run, rf_cut *cut) {
  double stream = rf_stream_seconds(run);
  double seconds = rf_corner(run->compute / run->c[ROOF_EFFICIENCY], stream, run->c[ROOF_CORNER]);
  return run->work->kernel.rows > 0 ? seconds + row_seconds(run, stream, cut) : seconds;
}
