/* Runs a kernel of peaks_*.cu on the emulated multiprocessor and compares its threads' sums with those the
 * measurement expects (measure/cuda/peaks.c). Included behind the kernel. */
#ifndef TESTS_UNIT_EMULATE_SUMS_H
#define TESTS_UNIT_EMULATE_SUMS_H

#include "emulate_peaks.h"
#include "measure/cuda/peaks.h"

typedef void peak_kernel(const uint4 *data, float *out, int rounds);

typedef struct peak_call {
  peak_kernel *kernel;
  const uint4 *data;
  float *out;
  int rounds;
} peak_call;

static void run_peak(const void *arguments) {
  const peak_call *call = arguments;
  call->kernel(call->data, call->out, call->rounds);
}

static const tensor_peak *peak_named(const char *entry) {
  int i = 0;
  while (rf_tensor_peak_at(i) != NULL && strcmp(rf_tensor_peak_at(i)->entry, entry) != 0) {
    i++;
  }
  assert_non_null(rf_tensor_peak_at(i));
  return rf_tensor_peak_at(i);
}

/** After so many rounds, a grid of one cluster. */
static void sums_right(peak_kernel *kernel, const char *entry, int rounds, bool late) {
  _Alignas(16) static unsigned char data[PEAK_DATA];
  static float out[2 * 256];
  const tensor_peak *peak = peak_named(entry);
  double expected[256], largest = 0;
  rf_tensor_peak_fill(peak, data);
  peak->sums(peak, data, expected);
  memset(out, 0xFF, sizeof out);
  peak_call call = {kernel, (const uint4 *)(const void *)data, out, rounds};
  emulated_late = late;
  memory_reset();
  assert_true(
      emulate(run_peak, &call, (index3){(unsigned)peak->cluster, 1, 1}, peak->threads, peak->cluster));
  for (int i = 0; i < peak->threads; i++) {
    largest = fmax(largest, fabs(rounds * expected[i]));
  }
  assert_true(largest > 1);
  for (int i = 0; i < peak->cluster * peak->threads; i++) {
    double wanted = rounds * expected[i % peak->threads];
    if (!(fabs((double)out[i] - wanted) <= 1e-4 * largest)) {
      fail_msg("%s: thread %d comes to %g, not %g; the largest is %g", entry, i, (double)out[i], wanted,
               largest);
    }
  }
}

#define SUMS_RIGHT(kernel)                                                                                   \
  sums_right(kernel, #kernel, 1, false);                                                                     \
  sums_right(kernel, #kernel, 3, true)

INSIDE int done(void **state) {
  (void)state;
  emulate_done();
  return 0;
}

#endif
