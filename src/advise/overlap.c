/* How far computing and reading memory hide each other, from a machine's sweep of intensity. */
#include "roofline/overlap.h"

#include <math.h>

/** The measured rates of both ceilings on all cores; NaN where one is not known. */
static double peak_of(const roof_machine *machine) {
  const roof_peak *peak = roof_machine_peak(machine, ROOF_FP64, ROOF_VECTOR, false, ROOF_MEASURED);
  return peak != NULL && peak->kind == ROOF_MEASURED ? peak->flops_per_second : NAN;
}

static double bandwidth_of(const roof_machine *machine) {
  const roof_level *memory = roof_machine_memory(machine, ROOF_MEASURED);
  return memory != NULL && memory->kind == ROOF_MEASURED ? memory->read_bytes_per_second : NAN;
}

double roof_intensity_bound(const roof_machine *machine, double intensity) {
  double peak = peak_of(machine), memory = intensity * bandwidth_of(machine);
  return isnan(peak) || isnan(memory) ? NAN : fmin(peak, memory);
}

/** What the longer time hides of the shorter, by the ceilings of the sweep itself: memory that was in another mode when
 * the ceilings were measured does not matter. */
static double hidden_at(const roof_report *report, const roof_intensity_point *at) {
  double peak = 0, bandwidth = 0;
  for (int i = 0; i < report->intensity_count; i++) {
    const roof_intensity_point *p = &report->intensities[i];
    peak = fmax(peak, p->flops_per_second);
    bandwidth = fmax(bandwidth, p->flops_per_second / p->intensity);
  }
  double compute = 1 / peak, memory = 1 / (at->intensity * bandwidth), took = 1 / at->flops_per_second;
  return fmax(0, (compute + memory - took) / fmin(compute, memory));
}

roof_overlap roof_machine_overlap(const roof_machine *machine) {
  const roof_report *report = roof_machine_report(machine);
  roof_overlap overlap = {peak_of(machine) / bandwidth_of(machine), NAN, NAN, NAN};
  const roof_intensity_point *nearest = NULL;
  for (int i = 0; i < report->intensity_count && !isnan(overlap.ridge); i++) {
    const roof_intensity_point *p = &report->intensities[i];
    double away = fabs(log(p->intensity / overlap.ridge));
    nearest = nearest == NULL || away < fabs(log(nearest->intensity / overlap.ridge)) ? p : nearest;
  }
  if (nearest != NULL) {
    overlap.intensity = nearest->intensity;
    overlap.share = nearest->flops_per_second / roof_intensity_bound(machine, nearest->intensity);
    overlap.hidden = hidden_at(report, nearest);
  }
  return overlap;
}
