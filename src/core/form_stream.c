/* Elementwise work, norms, copies: bytes past the lanes. */
#include "core/form.h"

double rf_form_stream(const rf_run *run, rf_cut *cut) {
  (void)cut;
  return rf_corner(run->compute / run->c[ROOF_EFFICIENCY], rf_stream_seconds(run), run->c[ROOF_CORNER]);
}
