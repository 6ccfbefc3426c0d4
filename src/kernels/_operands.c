/* What kernels share: their operands, and the comparison with a reference. */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "host/memory.h"
#include "kernels/kernels.h"

int rf_kernel_setup_threads(const roof_kernel_run *run) {
  return run->setup_threads > 0 ? run->setup_threads : run->threads;
}

/** Allocates `count` elements, random from `seed`, or poisoned for seed 0. */
static roof_status operand(const roof_kernel_run *run, double count, uint64_t seed, void **data,
                           roof_error *error) {
  if (count == 0) {
    return ROOF_OK;
  }
  roof_status status = rf_data_new(run->kernel->name, count * roof_dtype_bytes(run->dtype), data, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (seed == 0) {
    rf_data_poison(*data, run->dtype, (size_t)count, rf_kernel_setup_threads(run));
  } else {
    rf_data_fill(*data, run->dtype, (size_t)count, seed, rf_kernel_setup_threads(run));
  }
  return ROOF_OK;
}

/** What a kernel mostly does with data: only reads them, writes what it reads, writes more than it reads. */
typedef enum pass { READS, COPIES, FILLS } pass;

static void pass_part(const roof_kernel_run *run, pass main_pass, rf_share share, bool stream) {
  const rf_operands *o = run->state;
  const void *in = rf_element(run, o->in[0], share.begin);
  void *out = rf_element(run, o->out, share.begin);
  size_t count = share.end - share.begin;
  switch (main_pass) {
  case READS:
    o->loops->sum[stream](in, count);
    break;
  case COPIES:
    o->loops->scale[stream](out, in, 1, count);
    break;
  case FILLS:
    o->loops->fill[stream](out, 0, count);
    break;
  }
}

/** Seconds to pass so many elements of the first input and the output; the best of a few times. */
static double pass_seconds(const roof_kernel_run *run, pass main_pass, size_t count, bool stream) {
  enum { PASSES = 3 };
  double best = INFINITY;
  for (int i = 0; i < PASSES; i++) {
    double start = omp_get_wtime();
#pragma omp parallel num_threads(run->threads)
    pass_part(run, main_pass, rf_share_of(count, omp_get_thread_num(), omp_get_num_threads()), stream);
    best = fmin(best, omp_get_wtime() - start);
  }
  return best;
}

/** Whether the operands are passed faster as data that do not fit the caches. A guest may have less of the
 * last cache than the system reports, so between the second cache and that size it is tried. */
static bool choose_stream(const roof_kernel_run *run, size_t in, size_t read, size_t out) {
  double bytes = (double)(in + read + out) * roof_dtype_bytes(run->dtype);
  if (bytes > rf_cache_bytes(3) || bytes < 4 * run->threads * rf_cache_bytes(2) || in == 0 ||
      !rf_kernel_is_native(run->dtype)) {
    return bytes > rf_cache_bytes(3);
  }
  pass main_pass = out > 2 * in ? FILLS : out >= in / 2 ? COPIES : READS;
  size_t count = main_pass == FILLS || (main_pass == COPIES && out < in) ? out : in;
  bool stream = pass_seconds(run, main_pass, count, true) < pass_seconds(run, main_pass, count, false);
  if (main_pass != READS) {
    rf_data_poison(((const rf_operands *)run->state)->out, run->dtype, out, rf_kernel_setup_threads(run));
  }
  return stream;
}

roof_status rf_operands_prepare(roof_kernel_run *run, double in0, double in1, double out, double scratch,
                                roof_error *error) {
  double bytes = (in0 + in1 + out) * roof_dtype_bytes(run->dtype);
  roof_status status = rf_memory_check(run->kernel->name, bytes + scratch, error);
  if (status != ROOF_OK) {
    return status;
  }
  rf_operands *o = calloc(1, sizeof *o);
  if (o == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", run->kernel->name);
  }
  run->state = o;
  const double counts[] = {in0, in1, out};
  for (int i = 0; i < 3; i++) {
    o->bytes[i] = counts[i] * roof_dtype_bytes(run->dtype);
  }
  o->loops = rf_lanes_loops(rf_lanes_best(), run->dtype);
  status = operand(run, in0, 1, &o->in[0], error);
  if (status == ROOF_OK) {
    status = operand(run, in1, 2, &o->in[1], error);
  }
  if (status == ROOF_OK) {
    status = operand(run, out, 0, &o->out, error);
  }
  if (status == ROOF_OK && scratch > 0) {
    status = rf_data_new(run->kernel->name, scratch, &o->scratch, error);
  }
  if (status == ROOF_OK) {
    o->stream = choose_stream(run, (size_t)in0, (size_t)in1, (size_t)out);
  }
  return status;
}

enum { STARTED = 3 };

void rf_operands_start(roof_kernel_run *run, size_t count) {
  rf_data_fill(((rf_operands *)run->state)->out, run->dtype, count, STARTED, rf_kernel_setup_threads(run));
}

double rf_operands_started(const roof_kernel_run *run, size_t index) {
  double value = rf_random_at(STARTED, index);
  return run->dtype == ROOF_FP64 ? value : (double)(float)value;
}

void rf_operands_release(roof_kernel_run *run) {
  rf_operands *o = run->state;
  if (o != NULL) {
    free(o->in[0]);
    free(o->in[1]);
    free(o->out);
    free(o->scratch);
    free(o);
  }
  run->state = NULL;
}

void rf_exponentials_algorithm(const roof_kernel_run *run, double elements, double others, double passes,
                               double rows, roof_algorithm *out) {
  double exponential = run->dtype == ROOF_FP64 ? RF_EXPONENTIAL_FP64 : RF_EXPONENTIAL;
  out->flops = 2 * elements * (exponential + others);
  out->level_bytes[ROOF_L1] = elements * passes * roof_dtype_bytes(run->dtype);
  out->rows = rows;
}

/* libgomp makes and ends a team for a region of one: 0.4 us, longer than 16 KiB take. */
void rf_kernel_in_parts(const roof_kernel_run *run, rf_part *part) {
  if (run->threads == 1) {
    part(run, 0, 1);
    return;
  }
#pragma omp parallel num_threads(run->threads)
  part(run, omp_get_thread_num(), omp_get_num_threads());
}

bool roof_kernel_is_alone(const roof_kernel *kernel, double flops) {
  return kernel->serial || flops < kernel->serial_flops;
}

bool rf_kernel_is_native(roof_dtype dtype) {
  return dtype == ROOF_FP64 || dtype == ROOF_FP32;
}

double rf_kernel_epsilon(roof_dtype dtype) {
  static const double epsilons[ROOF_DTYPE_COUNT] = {
      [ROOF_FP64] = 0x1p-52, [ROOF_FP32] = 0x1p-23, [ROOF_FP16] = 0x1p-10, [ROOF_BF16] = 0x1p-7};
  return epsilons[dtype];
}

roof_status rf_kernel_wrong(const roof_kernel_run *run, size_t element, double value, double reference,
                            double tolerance, roof_error *error) {
  return roof_error_set(error, ROOF_E_INTERNAL,
                        "%s %s: wrong result: element %zu is %.17g, the reference %.17g, tolerance %.2g",
                        run->kernel->name, roof_dtype_name(run->dtype), element, value, reference, tolerance);
}

/** What rounding to the format alone may be off by, however small the number: below its normal numbers fp16
 * counts in steps of 2^-24. */
static double least_tolerance(roof_dtype dtype) {
  return dtype == ROOF_FP16 ? 0x1p-25 : 0;
}

/** The most results of a run that are compared, one in 24 of 100 million, and about how many elements threads look at in turn. */
enum { MOST_COMPARED = 1 << 22, BLOCK = 4096 };

/** The element of a span of `step` that is compared: the first of all, then anywhere. At a regular step all
 * would be in the same few columns. */
static size_t compared_in(size_t span, size_t step) {
  uint64_t fraction = (uint64_t)span * 0x9E3779B97F4A7C15u >> 32;
  return span * step + (size_t)(fraction * step >> 32);
}

/** Whether all elements are numbers; of fp32, in which most is run, by their exponents, which compilers make vectors of. */
static bool are_finite(const void *data, roof_dtype dtype, size_t begin, size_t end) {
  bool finite = true;
  if (dtype == ROOF_FP32) {
    const uint32_t *bits = data;
    for (size_t i = begin; i < end; i++) {
      finite &= (bits[i] & 0x7F800000) != 0x7F800000;
    }
  } else {
    for (size_t i = begin; i < end; i++) {
      finite &= fabs(rf_data_at(data, dtype, i)) <= DBL_MAX;
    }
  }
  return finite;
}

static bool is_right(const roof_kernel_run *run, size_t i, rf_reference *reference) {
  const rf_operands *o = run->state;
  double tolerance = DBL_MAX, expected = reference(run, i, &tolerance);
  return fabs(rf_data_at(o->out, run->dtype, i) - expected) <= tolerance + least_tolerance(run->dtype);
}

/** The first element of a block that is no number, or of those compared in it wrong; or `count`. */
static size_t wrong_in(const roof_kernel_run *run, size_t begin, size_t end, size_t step, size_t count,
                       rf_reference *reference) {
  const rf_operands *o = run->state;
  if (!are_finite(o->out, run->dtype, begin, end)) {
    size_t i = begin;
    while (are_finite(o->out, run->dtype, i, i + 1)) {
      i++;
    }
    return i;
  }
  for (size_t span = begin / step; span * step < end; span++) {
    size_t i = compared_in(span, step);
    if (i < end && !is_right(run, i, reference)) {
      return i;
    }
  }
  return end == count && !is_right(run, count - 1, reference) ? count - 1 : count;
}

roof_status rf_kernel_compare(roof_kernel_run *run, size_t count, size_t samples, rf_reference *reference,
                              roof_error *error) {
  const rf_operands *o = run->state;
  size_t step = (count - 1) / (samples < MOST_COMPARED ? samples : MOST_COMPARED) + 1, wrong = count;
  size_t block = (BLOCK - 1) / step * step + step, blocks = (count + block - 1) / block;
#pragma omp parallel for schedule(static) num_threads(rf_kernel_setup_threads(run)) reduction(min : wrong)
  for (size_t b = 0; b < blocks; b++) {
    size_t end = (b + 1) * block < count ? (b + 1) * block : count;
    size_t found = wrong_in(run, b * block, end, step, count, reference);
    wrong = found < wrong ? found : wrong;
  }
  if (wrong == count) {
    return ROOF_OK;
  }
  double tolerance = DBL_MAX, expected = reference(run, wrong, &tolerance);
  return rf_kernel_wrong(run, wrong, rf_data_at(o->out, run->dtype, wrong), expected, tolerance, error);
}
