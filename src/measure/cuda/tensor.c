/* Tensor cores, and multiply-adds of half-sized numbers: what our own kernels reach per format and
 * instruction, and what cuBLASLt does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm/_cublas.h"
#include "measure/cuda/cublas.h"
#include "measure/run.h"
#include "measure/sampler.h"

/** One instruction: shape of a product, how many of them a block does in a round. */
typedef struct tensor_peak {
  roof_dtype dtype;
  roof_unit unit;
  const char *program, *entry, *isa;
  double flops; /* of a product */
  double products;
  unsigned shared;
  int blocks; /* a multiprocessor */
} tensor_peak;

/* src/kernels/cuda/peaks_mma.cu: 8 warps, 16 sums each. peaks_wgmma.cu: 2 warpgroups, 4 steps along k. */
#define MMA(dtype, name, k)                                                                                  \
  { dtype, ROOF_MATRIX, "peaks_mma", "peak_mma_" name, "mma.sync", 2.0 * 16 * 8 * (k), 8 * 16, 0, 2 }
#define WGMMA(dtype, name, k)                                                                                \
  { dtype, ROOF_MATRIX, "peaks_wgmma", "peak_wgmma_" name, "wgmma", 2.0 * 64 * 256 * (k), 2 * 4, 48 << 10, 1 }
/* peaks_vector.cu: 256 threads, 16 sums of two numbers each. */
#define VECTOR(dtype, name)                                                                                  \
  { dtype, ROOF_VECTOR, "peaks_vector", "peak_vector_" name, "fma.x2", 4, 256 * 16, 0, 4 }

static const tensor_peak peaks[] = {
    MMA(ROOF_TF32, "tf32", 8),    MMA(ROOF_FP16, "fp16", 16),   MMA(ROOF_BF16, "bf16", 16),
    MMA(ROOF_FP8, "fp8", 32),     MMA(ROOF_INT8, "int8", 32),   WGMMA(ROOF_TF32, "tf32", 8),
    WGMMA(ROOF_FP16, "fp16", 16), WGMMA(ROOF_BF16, "bf16", 16), WGMMA(ROOF_FP8, "fp8", 32),
    WGMMA(ROOF_INT8, "int8", 32), VECTOR(ROOF_FP16, "fp16"),    VECTOR(ROOF_BF16, "bf16"),
};

enum { DATA_BYTES = 48 << 10, LANES = 256, ROUNDS = 4096 };

/** Random numbers below one in size. In e4m3 a byte under 0x38 is below one. */
static void fill(void *data, roof_dtype dtype, size_t bytes) {
  if (dtype != ROOF_FP8) {
    roof_data_fill(data, dtype == ROOF_TF32 ? ROOF_FP32 : dtype, bytes / (size_t)roof_dtype_bytes(dtype), 1,
                   1);
    return;
  }
  for (size_t i = 0; i < bytes; i++) {
    double x = roof_random_at(1, i);
    ((unsigned char *)data)[i] = (unsigned char)((x < 0 ? 0x80 : 0) | (int)(x < 0 ? -x * 0x38 : x * 0x38));
  }
}

/** A peak being measured. */
typedef struct bench {
  roof_device *device;
  const tensor_peak *peak;
  void *program, *data, *out;
  roof_device_launch launch;
  size_t lanes; /* of the whole grid */
} bench;

static void plan(bench *b, double rounds) {
  const tensor_peak *p = b->peak;
  double blocks = p->blocks * b->device->info.units;
  void *function = b->launch.function;
  b->launch = roof_device_launch_of(p->entry, blocks, 1, LANES, 1);
  b->launch.function = function;
  b->launch.shared = p->shared;
  b->lanes = (size_t)blocks * LANES;
  roof_device_add_buffer(&b->launch, b->data);
  roof_device_add_buffer(&b->launch, b->out);
  roof_device_add_int(&b->launch, rounds);
}

/** The program, its input, and room for each lane's sum. */
static roof_status prepare(bench *b, roof_error *error) {
  const roof_device_driver *driver = b->device->driver;
  const roof_device_text text = {.name = b->peak->program};
  _Alignas(16) static unsigned char data[DATA_BYTES];
  fill(data, b->peak->dtype, sizeof data);
  plan(b, 0);
  roof_status status = driver->build(b->device, &text, b->peak->dtype, &b->program, error);
  if (status == ROOF_OK) {
    status = driver->find(b->device, b->program, b->peak->entry, &b->launch.function, error);
  }
  if (status == ROOF_OK) {
    status = driver->allocate(b->device, DATA_BYTES, &b->data, error);
  }
  if (status == ROOF_OK) {
    status = driver->allocate(b->device, 4.0 * (double)b->lanes, &b->out, error);
  }
  if (status == ROOF_OK) {
    status = driver->write(b->device, b->data, data, DATA_BYTES, error);
  }
  return status;
}

static void finish(bench *b) {
  const roof_device_driver *driver = b->device->driver;
  driver->release(b->device, b->data);
  driver->release(b->device, b->out);
  driver->unload(b->device, b->program);
}

/** Each lane's sum after so many rounds. */
static roof_status sums_of(bench *b, double rounds, float *sums, roof_error *error) {
  const roof_device_driver *driver = b->device->driver;
  double seconds;
  plan(b, rounds);
  roof_status status = driver->time(b->device, &b->launch, 1, 1, &seconds, error);
  return status == ROOF_OK ? driver->read(b->device, sums, b->out, 4.0 * (double)b->lanes, error) : status;
}

/** Every round adds the same products: twice the rounds must give twice the sums, and not all of them zero.
 */
static roof_status check_sums(const tensor_peak *p, const float *once, const float *twice, size_t count,
                              roof_error *error) {
  double tolerance = p->unit == ROOF_VECTOR && p->dtype == ROOF_BF16 ? 0.15 : 0.02, largest = 0, worst = 0;
  for (size_t i = 0; i < count; i++) {
    double off = fabs((double)twice[i] - 2 * (double)once[i]);
    largest = fmax(largest, fabs((double)once[i]));
    worst = off <= worst ? worst : off;
  }
  return largest > 0 && worst <= tolerance * largest
             ? ROOF_OK
             : roof_error_set(
                   error, ROOF_E_GATE,
                   "%s: left out for a wrong result: twice the rounds change the sums by %.3g of %.3g",
                   p->entry, worst, largest);
}

static roof_status verify(bench *b, roof_error *error) {
  float *sums = malloc(2 * b->lanes * sizeof *sums);
  if (sums == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", b->peak->entry);
  }
  roof_status status = sums_of(b, 8, sums, error);
  if (status == ROOF_OK) {
    status = sums_of(b, 16, sums + b->lanes, error);
  }
  if (status == ROOF_OK) {
    status = check_sums(b->peak, sums, sums + b->lanes, b->lanes, error);
  }
  free(sums);
  return status;
}

static void add_peak(const bench *b, const roof_samples *samples, double precision, roof_machine *machine) {
  roof_telemetry now;
  roof_peak *peak = &machine->peaks[machine->peak_count++];
  double flops = b->peak->flops * b->peak->products * ROUNDS * b->peak->blocks * b->device->info.units;
  b->device->driver->telemetry(b->device, &now);
  peak->dtype = b->peak->dtype;
  peak->unit = b->peak->unit;
  peak->kind = ROOF_MEASURED;
  peak->flops_per_second = flops / samples->stats.median;
  peak->spread = samples->stats.spread;
  peak->clock_hz = now.clock_hz;
  roof_samples_conditions(samples, precision, &peak->conditions);
  if (now.throttled[0] != '\0') {
    snprintf(peak->conditions.noisy, sizeof peak->conditions.noisy, "clock lowered: %s", now.throttled);
  }
  snprintf(peak->isa, sizeof peak->isa, "%s", b->peak->isa);
  int used = snprintf(peak->source, sizeof peak->source,
                      "%s on random data: median of %zu samples of the device's clock", b->peak->isa,
                      samples->count);
  if (now.watts > 0) {
    snprintf(peak->source + used, sizeof peak->source - (size_t)used,
             "; %.0f W, %.0f degrees Celsius under it", now.watts, now.celsius);
  }
  roof_run_date(peak->date);
}

static roof_status measure_peak(roof_device *device, const tensor_peak *peak, double budget,
                                const roof_measure_options *options, roof_machine *machine,
                                roof_error *error) {
  bench b = {.device = device, .peak = peak};
  roof_samples samples;
  roof_status status = prepare(&b, error);
  if (status == ROOF_OK) {
    status = verify(&b, error);
  }
  if (status == ROOF_OK) {
    plan(&b, ROUNDS);
    status = roof_device_sample(device, &b.launch, 1, budget, options->precision, &samples, error);
  }
  if (status == ROOF_OK) {
    add_peak(&b, &samples, options->precision, machine);
    roof_samples_done(&samples);
  }
  finish(&b);
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
    b->status = cublas_time(b->o, &b->gemm, 1, &seconds, b->error);
  }
  return seconds;
}

/** A factor on the device: the same 64 KiB of random numbers again and again, as no product sees more at
 * once. */
static roof_status factor(roof_device *device, roof_dtype dtype, double bytes, void **buffer,
                          roof_error *error) {
  enum { BLOCK = 64 << 10 };
  _Alignas(16) static unsigned char block[BLOCK];
  fill(block, dtype, sizeof block);
  roof_status status = device->driver->allocate(device, bytes, buffer, error);
  for (double done = 0; done < bytes && status == ROOF_OK; done += BLOCK) {
    void *to = (void *)((uintptr_t)*buffer + (size_t)done);
    status = device->driver->write(device, to, block, fmin(BLOCK, bytes - done), error);
  }
  return status;
}

static roof_status sample_library(roof_device *device, roof_dtype dtype, double size, double budget,
                                  double precision, roof_samples *samples, roof_error *error) {
  library_bench b = {
      .o = cuda_of(device), .gemm = {.dtype = dtype, .m = size, .n = size, .k = size}, .error = error};
  roof_sampling sampling = {.calls = 1, .budget = budget, .least = 5, .most = 1000, .precision = precision};
  double bytes = size * size * roof_dtype_bytes(dtype);
  roof_status status = factor(device, dtype, bytes, &b.gemm.a, error);
  if (status == ROOF_OK) {
    status = factor(device, dtype, bytes, &b.gemm.b, error);
  }
  if (status == ROOF_OK) {
    status = device->driver->allocate(device, size * size * cublas_product_bytes(dtype), &b.gemm.c, error);
  }
  if (status == ROOF_OK) {
    roof_error said; /* not where the library says why a call failed */
    roof_status sampled = roof_sample(library_once, &b, &sampling, samples, &said);
    status = b.status != ROOF_OK ? b.status : sampled;
    if (b.status == ROOF_OK && sampled != ROOF_OK && error != NULL) {
      *error = said;
    }
  }
  void *const buffers[] = {b.gemm.a, b.gemm.b, b.gemm.c};
  for (int i = 0; i < 3; i++) {
    device->driver->release(device, buffers[i]);
  }
  return status;
}

/** One format of the library, or why it has none. */
static void add_library(roof_device *device, roof_dtype dtype, double budget,
                        const roof_measure_options *options, roof_machine *machine) {
  static const double size = 8192, quick_size = 4096;
  double edge = options->quick ? quick_size : size;
  roof_library *l = &machine->libraries[machine->library_count++];
  const char *version = roof_cublas_version();
  roof_error error = {.message = ""};
  roof_samples samples;
  memset(l, 0, sizeof *l);
  l->dtype = dtype;
  l->kind = ROOF_MEASURED;
  l->flops_per_second = l->fraction_of_peak = l->spread = NAN;
  snprintf(l->name, sizeof l->name, "cuBLASLt");
  snprintf(l->version, sizeof l->version, "%s", version != NULL ? version : "");
  snprintf(l->op, sizeof l->op, "gemm");
  snprintf(l->parameters, sizeof l->parameters, "m=%.0f n=%.0f k=%.0f", edge, edge, edge);
  roof_run_date(l->date);
  if (sample_library(device, dtype, edge, budget, options->precision, &samples, &error) != ROOF_OK) {
    snprintf(l->skipped, sizeof l->skipped, "%s", error.message);
    return;
  }
  const roof_peak *matrix = roof_machine_peak(machine, dtype, ROOF_MATRIX, false, ROOF_MEASURED);
  const roof_peak *peak =
      matrix != NULL ? matrix : roof_machine_peak(machine, dtype, ROOF_VECTOR, false, ROOF_MEASURED);
  l->flops_per_second = 2 * edge * edge * edge / samples.stats.median;
  l->spread = samples.stats.spread;
  l->fraction_of_peak = peak != NULL ? l->flops_per_second / peak->flops_per_second : NAN;
  snprintf(l->source, sizeof l->source, "on random data: median of %zu calls by the device's clock",
           samples.count);
  roof_samples_done(&samples);
}

/** A figure that cannot be had here (an instruction of another architecture) is left out; a fault ends it
 * all. */
static bool goes_on(roof_status status) {
  return status == ROOF_OK || status == ROOF_E_UNSUPPORTED;
}

/** One peak; a wrong one becomes a note instead of a figure. */
static roof_status add_or_note(roof_device *device, const tensor_peak *peak, double budget,
                               const roof_measure_options *options, roof_machine *machine,
                               roof_error *error) {
  roof_error why = {.message = ""};
  roof_status status = machine->peak_count < ROOF_PEAK_MAX
                           ? measure_peak(device, peak, budget, options, machine, &why)
                           : ROOF_OK;
  if (status == ROOF_E_GATE && machine->note_count < ROOF_NOTE_MAX) {
    snprintf(machine->notes[machine->note_count++], sizeof machine->notes[0], "%.500s", why.message);
  } else if (error != NULL && status != ROOF_OK) {
    *error = why;
  }
  return status == ROOF_E_GATE ? ROOF_OK : status;
}

roof_status cuda_extras(roof_device *device, const roof_measure_options *options, roof_machine *machine,
                        roof_error *error) {
  static const double quick_budget = 0.03;
  static const roof_dtype formats[] = {ROOF_FP64, ROOF_FP32, ROOF_TF32, ROOF_FP16,
                                       ROOF_BF16, ROOF_FP8,  ROOF_INT8};
  double budget = options->quick ? fmin(options->seconds_per_item, quick_budget) : options->seconds_per_item;
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < sizeof peaks / sizeof peaks[0] && goes_on(status); i++) {
    status = add_or_note(device, &peaks[i], budget, options, machine, error);
  }
  for (size_t i = 0; i < sizeof formats / sizeof formats[0] && goes_on(status); i++) {
    if (machine->library_count < ROOF_LIBRARY_MAX) {
      add_library(device, formats[i], budget, options, machine);
    }
  }
  return goes_on(status) ? ROOF_OK : status;
}
