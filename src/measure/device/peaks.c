/* Arithmetic of an accelerator's vector lanes: chains of multiply-adds, as many as it takes. A compiler that
 * leaves some of them out would fake a peak. So the sums of each variant are checked, time has to grow
 * with the rounds, and a figure above what any device could do is discarded. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/data.h"
#include "measure/device/bench.h"
#include "roofline/units.h"

enum { STEPS = 16, ROUNDS_ARGUMENT = 2, KEEP_ARGUMENT = 3 };

/** What one step of one chain does, and bytes of one of its numbers. */
static const struct {
  roof_dtype dtype;
  double operations;
  double bytes;
  double rounding; /**< relative error of one multiply-add */
  const char *name;
} formats[] = {{ROOF_FP64, 2, 8, 0x1p-53, "fp64 vector"},
               {ROOF_FP32, 2, 4, 0x1p-24, "fp32 vector"},
               {ROOF_FP16, 2, 2, 0x1p-11, "fp16 vector"},
               {ROOF_INT8, 8, 4, 0, "int8 vector"}};

enum { FORMATS = sizeof formats / sizeof formats[0] };

/** Chains and numbers of a vector that the program has, the likeliest first. */
static const struct {
  int chains, width;
  const char *entry;
} variants[] = {
    {8, 1, "arithmetic_8_1"},   {4, 16, "arithmetic_4_16"}, {4, 4, "arithmetic_4_4"},
    {8, 16, "arithmetic_8_16"}, {4, 1, "arithmetic_4_1"},   {8, 4, "arithmetic_8_4"},
    {2, 1, "arithmetic_2_1"},   {16, 1, "arithmetic_16_1"}, {2, 16, "arithmetic_2_16"},
    {2, 4, "arithmetic_2_4"},   {1, 1, "arithmetic_1_1"},   {1, 4, "arithmetic_1_4"},
    {1, 16, "arithmetic_1_16"},
};

enum { VARIANTS = sizeof variants / sizeof variants[0], QUICK_VARIANTS = 4 };

typedef struct attempt {
  rf_device_launch launch;
  rf_device_layout layout;
  double work; /**< operations of the launch */
} attempt;

/** The peak of a format being measured. */
typedef struct hunt {
  rf_device_bench *bench;
  int format;
  void *program;
  void *numbers; /**< on the device */
  void *data;    /**< the same here */
  attempt best;
  double rate; /**< operations/s of the best */
  rf_device_trials trials;
} hunt;

static int items_of(const rf_device_bench *bench) {
  return (int)fmin(256, bench->device->info.group_items);
}

/** Numbers that the largest variant reads. */
static size_t numbers_of(const rf_device_bench *bench) {
  enum { LARGEST = 8 * 16 };
  return (size_t)items_of(bench) * (2 + LARGEST);
}

static attempt attempt_of(const hunt *h, int variant, int waves, int rounds) {
  const rf_device_bench *bench = h->bench;
  attempt a = {.layout = {.width = variants[variant].width,
                          .chains = variants[variant].chains,
                          .items = items_of(bench),
                          .groups = (int)rf_device_units(bench) * waves}};
  a.launch = rf_device_launch_of(variants[variant].entry, a.layout.groups, 1, a.layout.items, 1);
  rf_device_add_buffer(&a.launch, h->numbers);
  rf_device_add_buffer(&a.launch, bench->results);
  rf_device_add_int(&a.launch, rounds);
  if (formats[h->format].dtype == ROOF_INT8) {
    rf_device_add_int(&a.launch, INT_MAX);
  } else {
    rf_device_add_float(&a.launch, FLT_MAX);
  }
  a.work = (double)a.layout.groups * a.layout.items * a.layout.chains * a.layout.width * STEPS * rounds *
           formats[h->format].operations;
  return a;
}

/** What the program has of the format: words of bytes in vectors only where they are spelled out. */
static bool has_variant(const hunt *h, int variant) {
  int chains = variants[variant].chains, width = variants[variant].width;
  roof_dtype dtype = formats[h->format].dtype;
  if (dtype == ROOF_INT8) {
    return width == 1 ? chains <= 8 : width == 16 && chains <= 4 && !h->bench->device->info.dot4;
  }
  return dtype != ROOF_FP64 || chains * width < 8 * 16;
}

static double number_at(const hunt *h, size_t index) {
  return rf_data_at(h->data, formats[h->format].dtype, index);
}

/** Whether `sum` is what a work-item's chains come to, in double precision within the format's rounding. */
static bool sum_is_right(const hunt *h, const rf_device_layout *l, int item, int rounds, double sum) {
  double factor = number_at(h, (size_t)item), term = number_at(h, (size_t)(item + l->items));
  size_t elements = (size_t)(l->chains * l->width), first = (size_t)(2 * l->items) + (size_t)item * elements;
  double expected = 0, largest = 0, off = formats[h->format].rounding;
  for (size_t i = 0; i < elements; i++) {
    double x = number_at(h, first + i);
    for (int step = 0; step < STEPS * rounds; step++) {
      x = x * factor + term;
      largest = fmax(largest, fabs(x));
    }
    expected += x;
  }
  /* each step and each addition rounds once, relative to no more than all elements together */
  double within = off * largest * (double)elements * (STEPS * rounds + (double)elements);
  return fabs(sum - expected) <= within + 1e-6 * largest * (double)elements;
}

/** Four products and their sum, wrapping as in the device's integers. */
static uint32_t dot4(uint32_t a, uint32_t b, uint32_t c) {
  for (int shift = 0; shift < 32; shift += 8) {
    c += (uint32_t)((int8_t)(a >> shift) * (int8_t)(b >> shift));
  }
  return c;
}

static bool words_are_right(const hunt *h, const rf_device_layout *l, int item, int rounds, uint32_t sum) {
  const uint32_t *words = h->data;
  int elements = l->chains * l->width;
  uint32_t expected = 0;
  for (int i = 0; i < elements; i++) {
    uint32_t x = words[2 * l->items + item * elements + i];
    for (int step = 0; step < STEPS * rounds; step++) {
      x = dot4(words[item], x, words[item + l->items]);
    }
    expected ^= x;
  }
  return expected == sum;
}

/** Runs a variant shortly, with the work-items' sums stored, and computes some of them again. */
static roof_status check(const hunt *h, const attempt *tried, bool *right, roof_error *error) {
  enum { ROUNDS = 2, MOST = 256, APART = 37 };
  union {
    float real;
    uint32_t word;
  } sums[MOST];
  rf_device_launch launch = tried->launch;
  launch.groups[0] = 1;
  launch.args[ROUNDS_ARGUMENT].number = ROUNDS;
  if (formats[h->format].dtype == ROOF_INT8) {
    launch.args[KEEP_ARGUMENT].number = INT_MIN;
  } else {
    launch.args[KEEP_ARGUMENT].real = -FLT_MAX;
  }
  roof_status status = rf_device_sums(h->bench, &launch, sums, (size_t)tried->layout.items, error);
  *right = status == ROOF_OK;
  for (int item = 0; item < tried->layout.items && *right; item += APART) {
    *right = formats[h->format].dtype == ROOF_INT8
                 ? words_are_right(h, &tried->layout, item, ROUNDS, sums[item].word)
                 : sum_is_right(h, &tried->layout, item, ROUNDS, (double)sums[item].real);
  }
  return status;
}

/** One variant: checked, then timed for about a millisecond. */
static roof_status try_one(hunt *h, attempt *a, double *seconds, roof_error *error) {
  bool right = false;
  roof_status status = rf_device_find(h->bench, h->program, &a->launch, error);
  if (status == ROOF_OK) {
    status = check(h, a, &right, error);
  }
  h->trials.wrong += status == ROOF_OK && !right;
  h->trials.tried += right;
  if (status == ROOF_OK && right) {
    status = rf_device_try(h->bench, &a->launch, 1, seconds, error);
  }
  if (status == ROOF_OK && right) {
    a->work *= rf_device_lengthen(&a->launch, ROUNDS_ARGUMENT, *seconds);
    status = rf_device_try(h->bench, &a->launch, 2, seconds, error);
  }
  return status;
}

/** The fastest of the variants at several work-groups per compute unit, within the time of two figures. */
static roof_status choose(hunt *h, roof_error *error) {
  static const int per_unit[] = {8, 4, 16, 2};
  bool quick = h->bench->options->quick;
  int count = quick ? QUICK_VARIANTS : VARIANTS;
  double spent = 0;
  roof_status status = ROOF_OK;
  for (int i = 0; i < (quick ? 1 : 4) * count && status == ROOF_OK; i++) {
    double seconds = NAN;
    if (!has_variant(h, i % count) || spent > 2 * h->bench->budget) {
      continue;
    }
    attempt a = attempt_of(h, i % count, per_unit[i / count], 4);
    status = try_one(h, &a, &seconds, error);
    spent += isnan(seconds) ? 0 : 3 * seconds;
    if (status == ROOF_OK && a.work / seconds > h->rate) {
      h->rate = a.work / seconds;
      h->best = a;
    }
  }
  return status;
}

/** More operations per second than any device can do: twice what the widest do at the highest clock. Bytes of
 * results per unit and cycle: 128 lanes of 4 bytes of a GPU (NVIDIA's and AMD's widest), two registers of 64
 * bytes of a processor. Infinity where units or clock are not known. */
static double most_of(const hunt *h) {
  static const double generous = 2, gpu = 512, processor = 128;
  const rf_device_info *info = &h->bench->device->info;
  double bytes = strcmp(info->device_class, "cpu") == 0 ? processor : gpu;
  double most = generous * info->units * info->max_clock_hz * bytes / formats[h->format].bytes *
                formats[h->format].operations;
  return isnan(most) ? INFINITY : most;
}

/** Whether the figure can be true; a note says why not. */
static bool is_possible(const hunt *h, double ratio) {
  static const double least = 1.5;
  const char *name = formats[h->format].name;
  double most = most_of(h);
  char rate[32], limit[32];
  if (ratio < least) {
    rf_device_note(h->bench,
                   "%s: not measured: twice the multiply-adds took %.2f times as long: not all were done",
                   name, ratio);
  } else if (h->rate > most) {
    rf_device_note(h->bench, "%s: not measured: %s came out, and %.0f %s at %.3g GHz cannot do more than %s",
                   name, roof_quantity_format(rate, sizeof rate, h->rate, "FLOP/s"),
                   h->bench->device->info.units, h->bench->device->info.unit_kind,
                   h->bench->device->info.max_clock_hz * 1e-9,
                   roof_quantity_format(limit, sizeof limit, most, "FLOP/s"));
  }
  return ratio >= least && h->rate <= most;
}

static void add_peak(const hunt *h, const rf_device_result *result) {
  const rf_device_layout *l = &h->best.layout;
  roof_machine *m = h->bench->machine;
  roof_peak *peak = roof_machine_add_peak(m);
  bool words = formats[h->format].dtype == ROOF_INT8;
  peak->dtype = formats[h->format].dtype;
  peak->unit = ROOF_VECTOR;
  peak->kind = ROOF_MEASURED;
  peak->flops_per_second = h->best.work / result->seconds;
  peak->spread = result->spread;
  roof_conditions *conditions = roof_peak_make_conditions(peak);
  if (conditions != NULL) {
    *conditions = result->conditions;
  }
  peak->clock_hz = result->conditions.clock_hz;
  snprintf(peak->isa, sizeof peak->isa, "%s", h->bench->device->driver->name);
  snprintf(peak->source, sizeof peak->source,
           "measured: %d chain%s of %s of %d %s%s per work-item, %d work-groups of %d work-items, best of %d "
           "tried",
           l->chains, l->chains == 1 ? "" : "s",
           !words                        ? "multiply-adds"
           : h->bench->device->info.dot4 ? "dot products of four bytes, an instruction each,"
                                         : "dot products of four bytes, spelled out,",
           l->width, words ? "word" : "number", l->width == 1 ? "" : "s", l->groups, l->items,
           h->trials.tried);
  snprintf(peak->date, sizeof peak->date, "%s", m->date);
}

/** Samples the best, if it can be true. */
static roof_status sample_best(hunt *h, roof_error *error) {
  rf_device_result result;
  double ratio = NAN;
  roof_status status = rf_device_growth(h->bench, &h->best.launch, ROUNDS_ARGUMENT, &ratio, error);
  if (status != ROOF_OK || !is_possible(h, ratio)) {
    return status;
  }
  status =
      rf_device_figure(h->bench, formats[h->format].name, &h->best.launch, 1, h->best.work, &result, error);
  if (status == ROOF_OK) {
    add_peak(h, &result);
  }
  return status;
}

/** The numbers here and on the device, and the program. */
static roof_status prepare(hunt *h, roof_error *error) {
  const rf_device_driver *driver = h->bench->device->driver;
  rf_device *device = h->bench->device;
  roof_dtype dtype = formats[h->format].dtype;
  size_t count = numbers_of(h->bench);
  double bytes = formats[h->format].bytes * (double)count;
  h->data = malloc((size_t)bytes);
  if (h->data == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", formats[h->format].name);
  }
  rf_data_fill(h->data, dtype, dtype == ROOF_INT8 ? 4 * count : count, RF_DEVICE_SEED, 1);
  roof_status status = driver->build(device, rf_device_text_find("arithmetic"), dtype, &h->program, error);
  if (status == ROOF_OK) {
    status = driver->allocate(device, bytes, &h->numbers, error);
  }
  return status == ROOF_OK ? driver->write(device, h->numbers, h->data, bytes, error) : status;
}

static roof_status measure_format(rf_device_bench *bench, int format, roof_error *error) {
  const rf_device_driver *driver = bench->device->driver;
  hunt h = {.bench = bench, .format = format};
  rf_device_step(bench, formats[format].name);
  roof_status status = prepare(&h, error);
  if (status == ROOF_OK) {
    status = choose(&h, error);
  }
  if (status == ROOF_OK && h.trials.wrong > 0) {
    rf_device_note(bench, "%s: %d of %d variants gave wrong sums and are left out", formats[format].name,
                   h.trials.wrong, h.trials.wrong + h.trials.tried);
  }
  if (status == ROOF_OK && h.trials.tried > 0) {
    status = sample_best(&h, error);
  }
  driver->release(bench->device, h.numbers);
  driver->unload(bench->device, h.program);
  free(h.data);
  return status;
}

roof_status rf_device_peaks(rf_device_bench *bench, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < FORMATS && status == ROOF_OK; i++) {
    if (bench->device->info.arithmetic >> formats[i].dtype & 1u) {
      status = measure_format(bench, i, error);
    }
  }
  return status;
}
