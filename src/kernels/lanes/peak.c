#include "kernels/lanes/peak.h"

#include <stdint.h>
#include <string.h>

#include "kernels/lanes/sums.h"

#if defined(__x86_64__) || defined(__aarch64__)
extern const rf_peak_kernel rf_peak_kernels_here[];
extern const rf_rate_kernel rf_rate_kernels_here[];
#else
static const rf_peak_kernel rf_peak_kernels_here[] = {{.isa = NULL}};
static const rf_rate_kernel rf_rate_kernels_here[] = {{.isa = NULL}};
#endif

const rf_peak_kernel *rf_peak_kernel_at(int index) {
  for (int i = 0; i <= index; i++) {
    if (rf_peak_kernels_here[i].isa == NULL) {
      return NULL;
    }
  }
  return index >= 0 ? &rf_peak_kernels_here[index] : NULL;
}

/** Value, factor and term of `size` bytes each, over RF_PEAK_BYTES. */
static void fill(void *seeds, const void *values, size_t size) {
  for (size_t i = 0; i < 3; i++) {
    for (size_t at = 0; at < RF_PEAK_BYTES; at += size) {
      memcpy((char *)seeds + i * RF_PEAK_BYTES + at, (const char *)values + i * size, size);
    }
  }
}

/* Value 0.75, factor -1, term 0.5: with them a multiply-add goes to and fro between 0.75 and -0.25, so that
 * nothing becomes denormal, however long the chain. Products of bytes add 3 x 5 to a sum that wraps around.
 */
void rf_peak_kernel_seeds(const rf_peak_kernel *kernel, void *seeds) {
  static const double fp64[] = {0.75, -1, 0.5};
  static const float fp32[] = {0.75F, -1, 0.5F};
  static const uint16_t fp16[] = {0x3A00, 0xBC00, 0x3800}, bf16[] = {0, 0xBF80, 0x3F00};
  static const uint8_t int8[] = {0, 3, 5};
  static const struct {
    size_t size;
    const void *values;
  } formats[ROOF_DTYPE_COUNT] = {[ROOF_FP64] = {sizeof *fp64, fp64},
                                 [ROOF_FP32] = {sizeof *fp32, fp32},
                                 [ROOF_FP16] = {sizeof *fp16, fp16},
                                 [ROOF_BF16] = {sizeof *bf16, bf16},
                                 [ROOF_INT8] = {sizeof *int8, int8}};
  size_t size = formats[kernel->dtype].size;
  const void *values = formats[kernel->dtype].values;
  if (values == NULL) { /* a format that no peak kernel computes in */
    return;
  }
  fill(seeds, values, size);
}

const rf_rate_kernel *rf_rate_kernel_at(int index) {
  for (int i = 0; i <= index; i++) {
    if (rf_rate_kernels_here[i].isa == NULL) {
      return rf_sum_kernel_at(index - i);
    }
  }
  return index >= 0 ? &rf_rate_kernels_here[index] : NULL;
}

/* Quotients of many digits: some processors divide short ones faster. */
void rf_rate_kernel_seeds(const rf_rate_kernel *kernel, void *seeds) {
  static const uint32_t int32[] = {1, 0x7FEDCBA9, 0x1235};
  static const uint64_t int64[] = {1, 0x7FEDCBA987654321, 0x12345};
  static const float fp32[] = {1, 0.7F, 0.3F};
  static const double fp64[] = {1, 0.7, 0.3};
  static const struct {
    size_t size;
    const void *values;
  } types[RF_RATE_TYPE_COUNT] = {[RF_RATE_INT32] = {sizeof *int32, int32},
                                 [RF_RATE_INT64] = {sizeof *int64, int64},
                                 [RF_RATE_FP32] = {sizeof *fp32, fp32},
                                 [RF_RATE_FP64] = {sizeof *fp64, fp64}};
  fill(seeds, types[kernel->type].values, types[kernel->type].size);
  rf_sum_fill(kernel->type, (const char *)seeds + RF_PEAK_BYTES);
}
