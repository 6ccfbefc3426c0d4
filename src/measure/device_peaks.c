/* Arithmetic of an accelerator's vector lanes: chains of multiply-adds, as many as it takes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/device_bench.h"

enum { STEPS = 16 };

/** What one step of one chain does, and what the lanes of a vector of the program are. */
static const struct {
  roof_dtype dtype;
  double operations;
  const char *what;
} formats[] = {{ROOF_FP64, 2, "fp64 vector"}, {ROOF_FP32, 2, "fp32 vector"}, {ROOF_INT8, 8, "int8 vector"}};

/** Chains and numbers of a vector that the program has, the likeliest first. */
static const struct {
  int chains, width;
  const char *entry;
} variants[] = {
    {8, 1, "arithmetic_8_1"},   {4, 16, "arithmetic_4_16"}, {4, 4, "arithmetic_4_4"},
    {4, 1, "arithmetic_4_1"},   {8, 4, "arithmetic_8_4"},   {8, 16, "arithmetic_8_16"},
    {2, 1, "arithmetic_2_1"},   {16, 1, "arithmetic_16_1"}, {2, 16, "arithmetic_2_16"},
    {2, 4, "arithmetic_2_4"},   {1, 1, "arithmetic_1_1"},   {1, 4, "arithmetic_1_4"},
    {1, 16, "arithmetic_1_16"},
};

enum { VARIANTS = sizeof variants / sizeof variants[0], QUICK_VARIANTS = 3 };

typedef struct attempt {
  roof_device_launch launch;
  roof_device_layout layout;
  double work; /**< operations of the launch */
} attempt;

static attempt attempt_of(const roof_device_bench *bench, int format, int variant, int waves, int rounds) {
  const roof_device_info *info = &bench->device->info;
  double units = isnan(info->units) ? 1 : info->units;
  attempt a = {.layout = {.width = variants[variant].width,
                          .chains = variants[variant].chains,
                          .lanes = (int)fmin(256, info->group_lanes),
                          .groups = (int)units * waves}};
  a.launch = roof_device_launch_of(variants[variant].entry, a.layout.groups, 1, a.layout.lanes, 1);
  roof_device_add_buffer(&a.launch, bench->buffers[0]);
  roof_device_add_buffer(&a.launch, bench->buffers[1]);
  roof_device_add_int(&a.launch, rounds);
  a.work = (double)a.layout.groups * a.layout.lanes * a.layout.chains * a.layout.width * STEPS * rounds *
           formats[format].operations;
  return a;
}

static bool has_variant(int format, int variant) {
  return formats[format].dtype != ROOF_INT8 ||
         (variants[variant].width == 1 && variants[variant].chains <= 8);
}

static roof_status try_one(roof_device_bench *bench, void *program, attempt *a, double *seconds,
                           roof_error *error) {
  roof_status status = roof_device_find(bench, program, &a->launch, error);
  return status == ROOF_OK ? roof_device_try(bench, &a->launch, seconds, error) : status;
}

/** The fastest of the variants at several groups a unit, within the time of two figures. */
static roof_status choose(roof_device_bench *bench, int format, void *program, attempt *best, int *tried,
                          roof_error *error) {
  static const int waves[] = {8, 4, 16, 2};
  int count = bench->options->quick ? QUICK_VARIANTS : VARIANTS;
  double spent = 0, fastest = 0;
  roof_status status = ROOF_OK;
  *tried = 0;
  for (int i = 0; i < (bench->options->quick ? 1 : 4) * count && status == ROOF_OK; i++) {
    double seconds = NAN;
    if (!has_variant(format, i % count) || spent > 2 * bench->budget) {
      continue;
    }
    attempt a = attempt_of(bench, format, i % count, waves[i / count], bench->options->quick ? 4 : 32);
    status = try_one(bench, program, &a, &seconds, error);
    spent += 3 * seconds;
    if (status == ROOF_OK && a.work / seconds > fastest) {
      fastest = a.work / seconds;
      *best = a;
    }
    ++*tried;
  }
  return status;
}

/** Rounds for a launch of about a millisecond, that starting it does not show. */
static void lengthen(attempt *best, double rate) {
  static const double long_enough = 1e-3;
  roof_device_arg *rounds = &best->launch.args[2];
  double factor = fmax(1, ceil(long_enough * rate / best->work));
  rounds->number = (int32_t)fmin(1e6, rounds->number * factor);
  best->work *= factor;
}

static void add_peak(roof_device_bench *bench, int format, const attempt *best,
                     const roof_device_result *result, int tried) {
  roof_machine *m = bench->machine;
  roof_peak *peak = &m->peaks[m->peak_count++];
  peak->dtype = formats[format].dtype;
  peak->unit = ROOF_VECTOR;
  peak->kind = ROOF_MEASURED;
  peak->flops_per_second = best->work / result->seconds;
  peak->spread = result->spread;
  peak->conditions = result->conditions;
  peak->clock_hz = result->conditions.clock_hz;
  snprintf(peak->isa, sizeof peak->isa, "%s", bench->device->driver->name);
  snprintf(
      peak->source, sizeof peak->source,
      "measured: %d chain%s of multiply-adds of %d number%s a lane, %d groups of %d lanes, best of %d tried",
      best->layout.chains, best->layout.chains == 1 ? "" : "s", best->layout.width,
      best->layout.width == 1 ? "" : "s", best->layout.groups, best->layout.lanes, tried);
  snprintf(peak->date, sizeof peak->date, "%s", m->date);
}

static roof_status measure_format(roof_device_bench *bench, int format, roof_error *error) {
  const roof_device_driver *driver = bench->device->driver;
  attempt best = {.work = 0};
  roof_device_result result;
  void *program = NULL;
  double seconds = NAN;
  int tried = 0;
  roof_device_step(bench, formats[format].what);
  roof_status status = driver->build(bench->device, roof_device_text_find("arithmetic"),
                                     formats[format].dtype, &program, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = choose(bench, format, program, &best, &tried, error);
  if (status == ROOF_OK) {
    status = try_one(bench, program, &best, &seconds, error);
  }
  if (status == ROOF_OK) {
    lengthen(&best, best.work / seconds);
    status = roof_device_figure(bench, formats[format].what, &best.launch, best.work, &result, error);
  }
  if (status == ROOF_OK) {
    add_peak(bench, format, &best, &result, tried);
  }
  driver->unload(bench->device, program);
  return status;
}

roof_status roof_device_peaks(roof_device_bench *bench, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0] && status == ROOF_OK; i++) {
    if (bench->device->info.formats >> formats[i].dtype & 1u) {
      status = measure_format(bench, (int)i, error);
    }
  }
  return status;
}
