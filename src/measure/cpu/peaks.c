/* The clock, the cost of a parallel region, and the FLOP/s of registers full of multiply-adds. */
#include <math.h>
#include <stdio.h>

#include "measure/clock.h"
#include "measure/cpu/cpu.h"
#include "measure/sampler.h"
#include "roofline/units.h"

enum { REGIONS = 100, WINDOWS_LEAST = 20, WINDOWS_MOST = 400 };

static double chain(void *user) {
  (void)user;
  return roof_clock_chain();
}

static double regions(void *user) {
  const roof_bench *bench = user;
  return roof_team_empty_regions(&bench->team, REGIONS);
}

roof_status roof_cpu_measure_clock(roof_bench *bench, roof_error *error) {
  roof_sampling sampling = {REGIONS, bench->budget, WINDOWS_LEAST, WINDOWS_MOST};
  roof_samples samples;
  roof_bench_step(bench, "cost of a parallel region");
  roof_status status = roof_sample(regions, bench, &sampling, &samples, error);
  if (status != ROOF_OK) {
    return status;
  }
  bench->machine->launch_seconds = samples.stats.median;
  bench->machine->overhead_cutoff_seconds = bench->machine->launch_seconds;
  roof_bench_note(
      bench, "launch: an empty parallel region of %d threads, median of %zu samples of %d, spread %.1f %%",
      bench->team.threads, samples.stats.count, REGIONS, 100 * samples.stats.spread);
  roof_samples_done(&samples);
  roof_bench_step(bench, "core clock");
  if (isnan(roof_clock_chain())) {
    roof_bench_note(bench, "clock: unknown: no chain of additions is written for this architecture");
    return ROOF_OK;
  }
  sampling.calls = ROOF_CLOCK_CHAIN;
  status = roof_sample(chain, bench, &sampling, &samples, error);
  if (status != ROOF_OK) {
    return status;
  }
  bench->machine->clock_hz = 1 / samples.stats.median;
  bench->cycle_seconds = samples.stats.minimum;
  char fastest[32];
  roof_bench_note(bench,
                  "clock: %d dependent additions, median of %zu windows, spread %.1f %%; fastest window %s",
                  ROOF_CLOCK_CHAIN, samples.stats.count, 100 * samples.stats.spread,
                  roof_quantity_format(fastest, sizeof fastest, 1 / bench->cycle_seconds, "Hz"));
  roof_samples_done(&samples);
  return ROOF_OK;
}

typedef struct burst {
  const roof_bench *bench;
  const roof_loops *loops;
  int threads;
  size_t rounds;
} burst;

static void multiply_add(void *user, int thread, int threads) {
  const burst *b = user;
  volatile double sink = b->loops->fma(b->rounds);
  (void)sink;
  (void)thread;
  (void)threads;
}

static double timed_burst(void *user) {
  burst *b = user;
  return roof_team_time(&b->bench->team, b->threads, multiply_add, b);
}

/** Rounds that take about a millisecond. */
static size_t calibrate(burst *b) {
  static const double window_seconds = 1e-3;
  b->rounds = 10000;
  double seconds = fmin(timed_burst(b), timed_burst(b));
  return (size_t)((double)b->rounds * fmax(1, window_seconds / fmax(seconds, 1e-6)));
}

static void describe(const roof_bench *bench, const burst *b, const roof_samples *samples, roof_peak *peak) {
  const roof_loops *loops = b->loops;
  roof_core_limits limits = roof_cpu_limits(bench->lanes->isa);
  int used = snprintf(peak->source, sizeof peak->source,
                      "%d independent multiply-add chains of %d lanes a core, best of %zu windows of 1 ms",
                      loops->chains, loops->lanes, samples->count);
  peak->flops_per_cycle = limits.fma_pipes * loops->lanes * 2;
  peak->limit_flops_per_second = b->threads * peak->flops_per_cycle / bench->cycle_seconds;
  if (isfinite(peak->limit_flops_per_second)) {
    snprintf(peak->source + used, sizeof peak->source - (size_t)used,
             "; limit %g pipes x %d lanes x 2 at the fastest clock seen (%s)", limits.fma_pipes, loops->lanes,
             limits.source);
  }
}

static roof_status measure_peak(roof_bench *bench, roof_dtype dtype, int threads, roof_error *error) {
  burst b = {.bench = bench, .loops = roof_lanes_loops(bench->lanes, dtype), .threads = threads};
  b.rounds = calibrate(&b);
  roof_samples samples;
  roof_sampling sampling = {1, bench->budget, WINDOWS_LEAST, WINDOWS_MOST};
  roof_status status = roof_sample(timed_burst, &b, &sampling, &samples, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_peak *peak = &bench->machine->peaks[bench->machine->peak_count++];
  peak->dtype = dtype;
  peak->unit = ROOF_VECTOR;
  peak->kind = ROOF_MEASURED;
  peak->cores = threads == bench->team.threads ? 0 : threads;
  peak->flops_per_second =
      2.0 * b.loops->lanes * b.loops->chains * (double)b.rounds * threads / samples.stats.minimum;
  peak->spread = samples.stats.spread;
  snprintf(peak->isa, sizeof peak->isa, "%s", bench->lanes->isa);
  snprintf(peak->date, sizeof peak->date, "%s", bench->machine->date);
  describe(bench, &b, &samples, peak);
  roof_samples_done(&samples);
  return ROOF_OK;
}

roof_status roof_cpu_measure_peaks(roof_bench *bench, roof_error *error) {
  static const struct {
    roof_dtype dtype;
    const char *one, *all;
  } steps[] = {{ROOF_FP64, "fp64 peak, one core", "fp64 peak, all cores"},
               {ROOF_FP32, "fp32 peak, one core", "fp32 peak, all cores"}};
  roof_status status = ROOF_OK;
  for (int i = 0; i < 2 && status == ROOF_OK; i++) {
    if (bench->team.threads > 1) {
      roof_bench_step(bench, steps[i].one);
      status = measure_peak(bench, steps[i].dtype, 1, error);
    }
    if (status == ROOF_OK) {
      roof_bench_step(bench, steps[i].all);
      status = measure_peak(bench, steps[i].dtype, bench->team.threads, error);
    }
  }
  return status;
}
