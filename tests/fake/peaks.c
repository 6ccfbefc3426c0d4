/* The kernels of the tensor cores' peaks, whose products the processor would make for too long: each thread
 * comes to what the measurement expects of it. That the kernels do is tested one cluster at a time
 * (test_cuda_peaks_*.c). */
#include "measure/cuda/peaks.c"

#include "fake.h"

enum { PEAKS_MAX = 64 };

static int run(const emulated_entry *entry, const emulated_shape *shape, void *const *arguments) {
  const unsigned char *data = *(const unsigned char *const *)arguments[0];
  float *out = *(float *const *)arguments[1];
  double sums[256];
  const tensor_peak *peak = rf_tensor_peak_at(0);
  for (int i = 0; strcmp(peak->entry, entry->name) != 0; i++) {
    peak = rf_tensor_peak_at(i);
  }
  peak->sums(peak, data, sums);
  for (unsigned i = 0; i < shape->grid[0] * shape->block[0]; i++) {
    out[i] = (float)(sums[i % (unsigned)peak->threads] * *(const int32_t *)arguments[2]);
  }
  return 1;
}

static void abandon(void) {
}

const emulated_module *fake_peaks(void) {
  static const unsigned sizes[] = {sizeof(void *), sizeof(void *), sizeof(int32_t)};
  static emulated_entry entries[PEAKS_MAX];
  static const emulated_module module = {entries, run, abandon};
  const tensor_peak *peak = NULL;
  for (int i = 0; i < PEAKS_MAX - 1 && (peak = rf_tensor_peak_at(i)) != NULL; i++) {
    entries[i] = (emulated_entry){.name = peak->entry,
                                  .most = (unsigned)peak->threads,
                                  .cluster = (unsigned)peak->cluster,
                                  .parameters = 3,
                                  .written = 1,
                                  .rounds = 2,
                                  .elements = -1,
                                  .sizes = sizes};
  }
  return &module;
}
