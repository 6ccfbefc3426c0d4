/* Kernels on a processor: bytes past the cores from the level that holds them, rows that each start and end. */
#include "core/form.h"

double rf_form_processor(const rf_run *run, rf_cut *cut) {
  const roof_kernel_shape *s = &run->work->kernel;
  double compute = run->compute / run->c[ROOF_EFFICIENCY];
  double memory = run->memory / run->c[run->cached ? ROOF_CACHE_BANDWIDTH : ROOF_BANDWIDTH];
  cut->what = "rows";
  cut->tiles = s->kind == ROOF_KERNEL_STREAM ? s->rows : 0;
  cut->waves = cut->tiles / run->target->units;
  return rf_corner(compute, memory, run->c[ROOF_CORNER]) + cut->waves * run->c[ROOF_WAVE_SECONDS];
}
