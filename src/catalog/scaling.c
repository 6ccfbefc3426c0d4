/* What carries over from one machine to another is not what a form counts in: a latency is a number of clocks; what a unit can
 * draw depends on its clock as much as on its part of the bandwidth; a cache gives a share of its own bandwidth; and what keeps
 * a unit from its peak, in one family, is a number of clocks for each of its operations, however many it does in one. */
#include "catalog/scaling.h"

#include <math.h>
#include <string.h>

/** Between families, what units draw grows with their part of the bandwidth as much as with the clock. */
static const double drawn_by_clock = 0.5;

/** Eight in ten kernels are within this much more on another machine of the family: frequencies, drivers and versions. */
static const double family_spread = 1.06;

/** And on a machine of another family, or with another host: the median, over pairs of A100, H200, B200 and L40S, of how much
 * wider the interval of one must be for eight in ten of the other's timings (docs/accuracy.md; streams: A100 and A40, and
 * six GPUs with hosts of their own). */
static const double other_spread[ROOF_KERNEL_KIND_COUNT] = {
    [ROOF_KERNEL_STREAM] = 1.15, [ROOF_KERNEL_PRODUCT] = 1.11,    [ROOF_KERNEL_DECODE] = 1.4,
    [ROOF_KERNEL_PREFILL] = 1.2, [ROOF_KERNEL_MLA_DECODE] = 1.4,  [ROOF_KERNEL_MLA_PREFILL] = 1.2,
    [ROOF_KERNEL_EXPERTS] = 1.5, [ROOF_KERNEL_COLLECTIVE] = 1.15,
};

static bool same_family(const roof_machine *a, const roof_machine *b) {
  return a->family[0] != '\0' && strcmp(a->family, b->family) == 0;
}

static double bandwidth(const roof_machine *machine, roof_level_kind kind) {
  const roof_level *level = roof_machine_level(machine, kind, ROOF_DATASHEET);
  return level != NULL ? level->bytes_per_second : NAN;
}

bool rf_scaling_is_of_a_host(const roof_constants *of) {
  return strcmp(of->framework, ROOF_EAGER) == 0 || strcmp(of->framework, "cuDNN") == 0;
}

/** Operations of a unit in a clock. */
static double per_clock(const roof_machine *machine, roof_dtype dtype, roof_unit unit) {
  const roof_peak *peak = roof_machine_peak(machine, dtype, unit, false, ROOF_DATASHEET);
  return peak != NULL ? peak->flops_per_second / machine->unit_count / machine->clock_hz : NAN;
}

static double ratio(double to, double from) {
  double r = to / from;
  return r > 0 && isfinite(r) ? r : 1;
}

/** A format that either machine does not have has the ratio of the constants' own. */
static void compare_clocks(const roof_constants *of, const roof_machine *from, const roof_machine *to,
                           double clocks[ROOF_SCALED_END]) {
  roof_unit unit = of->kernel == ROOF_KERNEL_STREAM ? ROOF_VECTOR : ROOF_MATRIX;
  double own = ratio(per_clock(to, of->dtype, unit), per_clock(from, of->dtype, unit));
  for (int i = 0; i < ROOF_SCALED_END; i++) {
    double r = per_clock(to, (roof_dtype)i, unit) / per_clock(from, (roof_dtype)i, unit);
    clocks[i] = r > 0 && isfinite(r) ? r : own;
  }
}

rf_scaling rf_scaling_of(const roof_constants *of, const roof_machine *from, const roof_machine *to,
                         bool apart) {
  rf_scaling t = {.dtype = of->dtype, .gain_of_none = of->kernel == ROOF_KERNEL_PRODUCT ? 1 : 0};
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    t.factors[i] = 1;
  }
  for (int i = 0; i < ROOF_SCALED_END; i++) {
    t.clocks[i] = 1;
  }
  if (strcmp(from->name, to->name) == 0) {
    return t;
  }
  bool host = rf_scaling_is_of_a_host(of), family = same_family(from, to);
  double spread = apart ? 1 : family && !host ? family_spread : other_spread[of->kernel];
  t.factors[ROOF_TIME_LOW] = 1 / spread;
  t.factors[ROOF_TIME_HIGH] = spread;
  if (host) {
    return t;
  }
  double clock = ratio(to->clock_hz, from->clock_hz);
  double memory = ratio(bandwidth(to, ROOF_MEMORY), bandwidth(from, ROOF_MEMORY));
  double cache = ratio(bandwidth(to, ROOF_L2), bandwidth(from, ROOF_L2));
  double part = memory / ratio(to->unit_count, from->unit_count);
  t.factors[ROOF_LATENCY_SECONDS] = t.factors[ROOF_WAVE_SECONDS] = t.factors[ROOF_SPLIT_SECONDS] =
      t.factors[ROOF_ROW_SECONDS] = 1 / clock;
  t.factors[ROOF_UNIT_BANDWIDTH] = pow(clock / part, drawn_by_clock);
  t.factors[ROOF_CACHE_GAIN] = cache / memory;
  if (family) {
    compare_clocks(of, from, to, t.clocks);
  }
  return t;
}

void rf_scaling_apply(const rf_scaling *scaling, const double values[ROOF_CONSTANT_COUNT],
                      double own[ROOF_CONSTANT_COUNT]) {
  double efficiency = values[ROOF_EFFICIENCY], gain = values[ROOF_CACHE_GAIN], none = scaling->gain_of_none;
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    own[i] = values[i] * scaling->factors[i];
  }
  own[ROOF_CACHE_GAIN] = none + (gain - none) * scaling->factors[ROOF_CACHE_GAIN];
  own[ROOF_EFFICIENCY] = efficiency / (efficiency + (1 - efficiency) * scaling->clocks[scaling->dtype]);
}

double rf_scaling_rounded(double value) {
  double per = value > 0 ? pow(10, 3 - floor(log10(value))) : 1;
  return value > 0 ? round(value * per) / per : value;
}
