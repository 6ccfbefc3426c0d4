/* Peaks of tensor cores and of multiply-adds in 16 bits: our own kernels per format and instruction, and
 * cuBLASLt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "host/cublas.h"
#include "measure/cuda/cublas.h"
#include "measure/cuda/peaks.h"
#include "measure/run.h"
#include "measure/sampler.h"
#include "roofline/units.h"

enum { ROUNDS = 4096, CHECKED_ROUNDS = 6 };

/** Random numbers below one in size (all that fp4 has: up to six). In e4m3 a byte under 0x38 is below one. */
static void fill(void *data, roof_dtype dtype, size_t bytes) {
  unsigned char *to = data;
  if (dtype != ROOF_FP8 && dtype != ROOF_FP4) {
    rf_data_fill(data, dtype == ROOF_TF32 ? ROOF_FP32 : dtype, bytes / (size_t)roof_dtype_bytes(dtype), 1, 1);
    return;
  }
  for (size_t i = 0; i < bytes; i++) {
    double x = rf_random_at(1, i);
    to[i] = dtype == ROOF_FP4 ? (unsigned char)(int)((x + 1) * 127.5)
                              : (unsigned char)((x < 0 ? 0x80 : 0) | (int)(fabs(x) * 0x38));
  }
}

/** Random scales: ue8m0 from 126 to 128, ue4m3 from 0x30 to 0x3F. */
static void fill_scales(unsigned char *scales, bool power, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    double x = fabs(rf_random_at(2, i));
    scales[i] = (unsigned char)(power ? 126 + (int)(x * 3) : 0x30 + (int)(x * 16));
  }
}

void rf_tensor_peak_fill(const tensor_peak *peak, unsigned char *data) {
  fill(data, peak->dtype, PEAK_DATA);
  for (size_t i = 0; peak->dtype == ROOF_TF32 && i < PEAK_DATA; i += 4) {
    data[i] = 0, data[i + 1] &= 0xE0; /* the 13 bits that tf32 has not */
  }
  if (peak->scale.block > 0) {
    fill_scales(data + PEAK_SCALES, peak->scale.power, PEAK_DATA - PEAK_SCALES);
  }
}

/** A peak being measured. */
typedef struct bench {
  rf_device *device;
  const tensor_peak *peak;
  void *program, *data, *out;
  rf_device_launch launch;
  size_t threads; /* of the whole grid */
  bool wrong;     /**< its result was; the error says how */
} bench;

/** Blocks of the whole device, as many as make whole clusters. */
static double blocks_of(const bench *b) {
  double blocks = b->peak->blocks * b->device->info.units;
  return blocks - fmod(blocks, b->peak->cluster);
}

static void plan(bench *b, double rounds) {
  const tensor_peak *p = b->peak;
  void *function = b->launch.function;
  b->launch = rf_device_launch_of(p->entry, blocks_of(b), 1, p->threads, 1);
  b->launch.function = function;
  b->launch.shared = p->shared;
  b->threads = (size_t)blocks_of(b) * (size_t)p->threads;
  rf_device_add_buffer(&b->launch, b->data);
  rf_device_add_buffer(&b->launch, b->out);
  rf_device_add_int(&b->launch, rounds);
}

/** The program, its input, and space for each thread's sum. */
static roof_status prepare(bench *b, const unsigned char *data, roof_error *error) {
  const rf_device_driver *driver = b->device->driver;
  const rf_device_text text = {.name = b->peak->program};
  plan(b, 0);
  roof_status status = driver->build(b->device, &text, b->peak->dtype, &b->program, error);
  if (status == ROOF_OK) {
    status = driver->find(b->device, b->program, b->peak->entry, &b->launch.function, error);
  }
  if (status == ROOF_OK) {
    status = driver->allocate(b->device, PEAK_DATA, &b->data, error);
  }
  if (status == ROOF_OK) {
    status = driver->allocate(b->device, 4.0 * (double)b->threads, &b->out, error);
  }
  if (status == ROOF_OK) {
    status = driver->write(b->device, b->data, data, PEAK_DATA, error);
  }
  return status;
}

static void finish(bench *b) {
  const rf_device_driver *driver = b->device->driver;
  driver->release(b->device, b->data);
  driver->release(b->device, b->out);
  driver->unload(b->device, b->program);
}

/** Each thread's sum after the given number of rounds. */
static roof_status sums_of(bench *b, double rounds, float *sums, roof_error *error) {
  const rf_device_driver *driver = b->device->driver;
  double seconds;
  plan(b, rounds);
  roof_status status = driver->time(b->device, &b->launch, 1, 1, &seconds, error);
  return status == ROOF_OK ? driver->read(b->device, sums, b->out, 4.0 * (double)b->threads, error) : status;
}

/** Every block adds the same products, so its sums must match those computed here, within a tolerance: tensor
 * cores accumulate in fewer bits than fp32 has, and vector units in the format itself. */
static roof_status check_sums(const tensor_peak *p, const unsigned char *data, const float *sums,
                              size_t count, roof_error *error) {
  double expected[256], largest = 0, worst = 0;
  double tolerance = p->unit == ROOF_VECTOR && p->dtype == ROOF_BF16 ? 0.05 : 0.02;
  p->sums(p, data, expected);
  for (size_t i = 0; i < count; i++) {
    double wanted = CHECKED_ROUNDS * expected[i % (size_t)p->threads], off = fabs((double)sums[i] - wanted);
    largest = fmax(largest, fabs(wanted));
    worst = off > worst || isnan(off) ? off : worst;
  }
  return largest > 0 && worst <= tolerance * largest
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_INTERNAL,
                              "%s: discarded: result check failed (error %.3g, largest sum %.3g)", p->entry,
                              worst, largest);
}

static roof_status verify(bench *b, const unsigned char *data, roof_error *error) {
  float *sums = malloc(b->threads * sizeof *sums);
  if (sums == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", b->peak->entry);
  }
  roof_status status = sums_of(b, CHECKED_ROUNDS, sums, error);
  if (status == ROOF_OK) {
    status = check_sums(b->peak, data, sums, b->threads, error);
    b->wrong = status != ROOF_OK;
  }
  free(sums);
  return status;
}

static void add_peak(const bench *b, const rf_samples *samples, double precision, roof_machine *machine) {
  rf_telemetry now;
  roof_peak *peak = roof_machine_add_peak(machine);
  double flops = b->peak->flops * b->peak->products * ROUNDS * blocks_of(b);
  b->device->driver->telemetry(b->device, &now);
  peak->dtype = b->peak->scale.power ? ROOF_MXFP8 : b->peak->dtype;
  peak->unit = b->peak->unit;
  peak->kind = ROOF_MEASURED;
  peak->flops_per_second = flops / samples->stats.median;
  peak->spread = samples->stats.spread;
  peak->clock_hz = now.clock_hz;
  roof_conditions *conditions = roof_peak_make_conditions(peak);
  if (conditions != NULL) {
    rf_samples_conditions(samples, precision, conditions);
  }
  if (conditions != NULL && now.throttled[0] != '\0') {
    snprintf(conditions->noisy, sizeof conditions->noisy, "clock lowered: %s", now.throttled);
  }
  snprintf(peak->isa, sizeof peak->isa, "%s", b->peak->isa);
  int used = snprintf(peak->source, sizeof peak->source,
                      "%s on random data: median of %zu samples of the device's clock", b->peak->isa,
                      samples->count);
  if (now.watts > 0) {
    snprintf(peak->source + used, sizeof peak->source - (size_t)used,
             "; %.0f W%s, %.0f degrees Celsius under this load", now.watts,
             now.at_power_cap ? " (the power cap)" : "", now.celsius);
  }
  rf_run_date(peak->date);
}

static roof_status measure_peak(rf_device *device, const tensor_peak *peak, double budget,
                                const roof_measure_options *options, roof_machine *machine, bool *wrong,
                                roof_error *error) {
  _Alignas(16) static unsigned char data[PEAK_DATA];
  bench b = {.device = device, .peak = peak};
  rf_samples samples;
  rf_tensor_peak_fill(peak, data);
  roof_status status = prepare(&b, data, error);
  if (status == ROOF_OK) {
    status = verify(&b, data, error);
  }
  if (status == ROOF_OK) {
    plan(&b, ROUNDS);
    status = rf_device_sample(device, &b.launch, 1, budget, options->precision, &samples, error);
  }
  if (status == ROOF_OK) {
    add_peak(&b, &samples, options->precision, machine);
    rf_samples_done(&samples);
  }
  finish(&b);
  *wrong = b.wrong;
  return status;
}

/* The vendor's library. */

typedef struct library_bench {
  cuda_open *o;
  cublas_gemm gemm;
  roof_status status;
  roof_error *error;
} library_bench;

static double library_once(void *user) {
  library_bench *b = user;
  double seconds = NAN;
  if (b->status == ROOF_OK) {
    b->status = rf_cublas_time(b->o, &b->gemm, 1, &seconds, b->error);
  }
  return seconds;
}

enum { BLOCK = 64 << 10 };

/** Device memory filled with copies of one block of random numbers; no product uses more than a block at a
 * time. */
static roof_status repeat_block(rf_device *device, const unsigned char *block, double bytes, void **buffer,
                                roof_error *error) {
  roof_status status = device->driver->allocate(device, bytes, buffer, error);
  for (double done = 0; done < bytes && status == ROOF_OK; done += BLOCK) {
    void *to = (void *)((uintptr_t)*buffer + (size_t)done);
    status = device->driver->write(device, to, block, fmin(BLOCK, bytes - done), error);
  }
  return status;
}

/** A factor of size x size and, where the format has them, its scales. */
static roof_status factor(rf_device *device, roof_dtype dtype, double size, void **numbers, void **scales,
                          roof_error *error) {
  _Alignas(16) static unsigned char block[BLOCK];
  double bytes = size * size * roof_dtype_bytes(dtype),
         scale_bytes = rf_cublas_scale_bytes(dtype, size, size);
  fill(block, dtype, sizeof block);
  roof_status status = repeat_block(device, block, bytes, numbers, error);
  if (status == ROOF_OK && scale_bytes > 0) {
    fill_scales(block, false, sizeof block);
    status = repeat_block(device, block, scale_bytes, scales, error);
  }
  return status;
}

static void set_edge(cublas_gemm *gemm, double edge) {
  gemm->m = gemm->n = gemm->k = edge;
}

/** The largest product up to `most` that does not take too long: fp64 at 8192 would take a card that has 0.5 TFLOP/s of it 2 s. */
static roof_status choose_edge(const library_bench *b, double most, double *edge, roof_error *error) {
  static const double least = 2048, longest = 0.05 /* s */;
  cublas_gemm gemm = b->gemm;
  double seconds = NAN;
  roof_status status = ROOF_OK;
  set_edge(&gemm, least);
  for (int i = 0; i < 2 && status == ROOF_OK; i++) { /* the first loads the library's kernel */
    status = rf_cublas_time(b->o, &gemm, 1, &seconds, error);
  }
  for (*edge = least; *edge < most && 8 * seconds <= longest; *edge *= 2) {
    seconds *= 8;
  }
  return status;
}

/** How many times as fast as the library's own choice the best of the algorithms that it suggests is: the median of as many
 *  calls of each, in turns because the clock changes, until twice the budget is spent. */
static double gain_of_choices(const library_bench *b, double budget) {
  enum { LEAST = 3, TURNS = 9 };
  double seconds[CUBLAS_CHOICES][TURNS], spent = 0, fastest = INFINITY, first = NAN;
  cublas_gemm gemm = b->gemm;
  size_t turns = 0;
  for (; turns < TURNS && (turns < LEAST || spent < 2 * budget); turns++) {
    for (gemm.choice = 0; gemm.choice < CUBLAS_CHOICES; gemm.choice++) {
      double *one = &seconds[gemm.choice][turns];
      bool timed = rf_cublas_time(b->o, &gemm, 1, one, NULL) == ROOF_OK;
      *one = timed ? *one : NAN; /* it suggests fewer */
      spent += timed ? *one : 0;
    }
  }
  for (int choice = 0; choice < CUBLAS_CHOICES; choice++) {
    roof_stats stats;
    if (roof_stats_of(seconds[choice], turns, &stats, NULL) == ROOF_OK) {
      first = choice == 0 ? stats.median : first;
      fastest = fmin(fastest, stats.median);
    }
  }
  return first / fastest;
}

/** Samples the library's own choice, at most at the given edge, which it may lower; *gain: times as fast as it the best of several is. */
static roof_status sample_library(rf_device *device, roof_dtype dtype, double *edge, double budget,
                                  double precision, rf_samples *samples, double *gain, roof_error *error) {
  double size = *edge;
  library_bench b = {.o = cuda_of(device), .gemm = {.dtype = dtype}, .error = error};
  rf_sampling sampling = {.calls = 1, .budget = budget, .least = 5, .most = 1000, .precision = precision};
  roof_status status = factor(device, dtype, size, &b.gemm.a, &b.gemm.scales_a, error);
  if (status == ROOF_OK) {
    status = factor(device, dtype, size, &b.gemm.b, &b.gemm.scales_b, error);
  }
  if (status == ROOF_OK) {
    status = device->driver->allocate(device, size * size * rf_cublas_product_bytes(dtype), &b.gemm.c, error);
  }
  if (status == ROOF_OK) {
    status = choose_edge(&b, size, edge, error);
  }
  if (status == ROOF_OK) {
    set_edge(&b.gemm, *edge);
    roof_error said; /* unless the library gives the reason for a failed call */
    roof_status sampled = rf_sample(library_once, &b, &sampling, samples, &said);
    status = b.status != ROOF_OK ? b.status : sampled;
    if (b.status == ROOF_OK && sampled != ROOF_OK && error != NULL) {
      *error = said;
    }
    *gain = status == ROOF_OK ? gain_of_choices(&b, budget) : NAN;
  }
  void *const buffers[] = {b.gemm.a, b.gemm.b, b.gemm.c, b.gemm.scales_a, b.gemm.scales_b};
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
    device->driver->release(device, buffers[i]);
  }
  return status;
}

/** One format of the library, or why it has none. */
static void add_library(rf_device *device, roof_dtype dtype, double budget,
                        const roof_measure_options *options, roof_machine *machine) {
  static const double size = 8192, quick_size = 4096;
  double edge = options->quick ? quick_size : size;
  roof_library *l = roof_machine_add_library(machine);
  const char *version = rf_cublas_version();
  roof_error error = {.message = ""};
  rf_samples samples;
  double gain = NAN;
  l->dtype = dtype;
  l->kind = ROOF_MEASURED;
  l->flops_per_second = l->best_flops_per_second = l->fraction_of_peak = l->spread = NAN;
  snprintf(l->name, sizeof l->name, "cuBLASLt");
  snprintf(l->version, sizeof l->version, "%s", version != NULL ? version : "");
  snprintf(l->op, sizeof l->op, "gemm");
  rf_run_date(l->date);
  roof_status status =
      sample_library(device, dtype, &edge, budget, options->precision, &samples, &gain, &error);
  snprintf(l->parameters, sizeof l->parameters, "m=%.0f n=%.0f k=%.0f", edge, edge, edge);
  if (status != ROOF_OK) {
    snprintf(l->skipped, sizeof l->skipped, "%s", error.message);
    return;
  }
  l->flops_per_second = 2 * edge * edge * edge / samples.stats.median;
  l->spread = samples.stats.spread;
  l->best_flops_per_second = gain * l->flops_per_second;
  rf_format(l->source, sizeof l->source,
            "on random data: median of %zu calls by the device's clock; the best of the algorithms that it "
            "suggests: %.4g times as fast",
            samples.count, gain);
  rf_samples_done(&samples);
}

/** The library's share of the best peak of its format. */
static void add_fractions(roof_machine *machine) {
  for (int i = 0; i < machine->report->library_count; i++) {
    roof_library *l = &machine->report->libraries[i];
    const roof_peak *matrix = roof_machine_peak(machine, l->dtype, ROOF_MATRIX, false, ROOF_MEASURED);
    const roof_peak *peak =
        matrix != NULL ? matrix : roof_machine_peak(machine, l->dtype, ROOF_VECTOR, false, ROOF_MEASURED);
    l->fraction_of_peak = peak != NULL ? l->flops_per_second / peak->flops_per_second : NAN;
  }
}

static void add_note(roof_machine *machine, const char *text, const char *more) {
  if (machine->note_count < ROOF_NOTE_MAX) {
    snprintf(roof_machine_add_note(machine), ROOF_SOURCE_MAX, "%.400s%s", text, more);
  }
}

/** Notes which kernels this build lacks for a device newer than Hopper. */
static void note_missing(const rf_device *device, const tensor_peak *peak, roof_machine *machine) {
  int architecture = 0;
  sscanf(device->info.architecture, "sm_%d", &architecture);
  if (architecture >= 100 && rf_cuda_image_find(peak->program, "") == NULL) {
    add_note(machine, peak->entry, ": not in this build, whose nvcc was older than CUDA 12.9");
  }
}

/** The peaks of tcgen05, or all others. Kernels with instructions of another architecture are skipped; a
 *  wrong result becomes a note instead of a figure. Errors: those that end the whole measurement. */
static roof_status add_peaks(rf_device *device, bool tcgen05, double budget,
                             const roof_measure_options *options, roof_machine *machine, roof_error *error) {
  const tensor_peak *peak;
  roof_error why = {.message = ""};
  for (int i = 0; (peak = rf_tensor_peak_at(i)) != NULL && machine->peak_count < ROOF_PEAK_MAX; i++) {
    bool wanted = (strncmp(peak->isa, "tcgen05", 7) == 0) == tcgen05;
    bool wrong = false;
    roof_status status =
        wanted ? measure_peak(device, peak, budget, options, machine, &wrong, &why) : ROOF_OK;
    if (wrong) {
      add_note(machine, why.message, "");
    } else if (status == ROOF_E_UNSUPPORTED) {
      note_missing(device, peak, machine);
    } else if (status != ROOF_OK) {
      *error = why;
      return status;
    }
  }
  return ROOF_OK;
}

/** The newest instructions come last: after a kernel's fault the device cannot be used, but earlier figures
 * are kept. */
roof_status rf_cuda_extras(rf_device *device, const roof_measure_options *options, roof_machine *machine,
                           roof_error *error) {
  static const double quick_budget = 0.03;
  static const roof_dtype formats[] = {ROOF_FP64, ROOF_FP32, ROOF_TF32, ROOF_FP16,
                                       ROOF_BF16, ROOF_FP8,  ROOF_INT8, ROOF_FP4};
  double budget = options->quick ? fmin(options->seconds_per_item, quick_budget) : options->seconds_per_item;
  roof_error why = {.message = ""};
  roof_status status = add_peaks(device, false, budget, options, machine, &why);
  for (size_t i = 0; i < sizeof formats / sizeof formats[0] && status == ROOF_OK; i++) {
    if (machine->report->library_count < ROOF_LIBRARY_MAX) {
      add_library(device, formats[i], budget, options, machine);
    }
  }
  if (status == ROOF_OK) {
    status = add_peaks(device, true, budget, options, machine, &why);
  }
  add_fractions(machine);
  if (status == ROOF_E_INTERNAL) {
    add_note(machine, why.message, ": later figures were not measured");
    return ROOF_OK;
  }
  if (status != ROOF_OK && error != NULL) {
    *error = why;
  }
  return status;
}
