#include "kernels/data.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host/memory.h"
#include "roofline/units.h"

enum { BLOCK = 64, LARGE_PAGE = 2 << 20 };

rf_share rf_share_of(size_t count, int thread, int threads) {
  size_t blocks = (count + BLOCK - 1) / BLOCK;
  size_t begin = blocks * (size_t)thread / (size_t)threads * BLOCK;
  size_t end = blocks * (size_t)(thread + 1) / (size_t)threads * BLOCK;
  return (rf_share){begin < count ? begin : count, end < count ? end : count};
}

rf_share rf_share_rows(size_t count, int thread, int threads) {
  size_t t = (size_t)thread, all = (size_t)threads;
  return (rf_share){count * t / all, count * (t + 1) / all};
}

roof_status rf_memory_check(const char *what, double bytes, roof_error *error) {
  double available = rf_memory_available("");
  if (bytes < available && bytes < 0x1p53) {
    return ROOF_OK;
  }
  char need[32], have[32];
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: needs %s of memory and %s are free", what,
                        roof_quantity_format(need, sizeof need, bytes, "B"),
                        roof_quantity_format(have, sizeof have, available, "B"));
}

roof_status rf_data_new(const char *what, double bytes, void **data, roof_error *error) {
  double rounded = ceil((bytes + RF_DATA_BEYOND) / LARGE_PAGE) * LARGE_PAGE;
  roof_status status = rf_memory_check(what, rounded, error);
  if (status != ROOF_OK) {
    return status;
  }
  void *memory = aligned_alloc(LARGE_PAGE, (size_t)rounded);
  if (memory == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", what);
  }
  madvise(memory, (size_t)rounded, MADV_HUGEPAGE);
  memset((char *)memory + (size_t)bytes, 0, RF_DATA_BEYOND);
  *data = memory;
  return ROOF_OK;
}

double rf_random_at(uint64_t seed, size_t index) {
  uint64_t z = (seed << 32) + (index + 1) * 0x9E3779B97F4A7C15u; /* SplitMix64 */
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)(int64_t)(z ^ (z >> 31)) * 0x1p-63;
}

void rf_random_order(uint32_t *order, size_t count, uint64_t seed) {
  for (size_t i = 0; i < count; i++) {
    size_t j = (size_t)(fabs(rf_random_at(seed, i)) * (double)i); /* Fisher and Yates */
    order[i] = order[j];
    order[j] = (uint32_t)i;
  }
}

/** A float as the nearest bf16: its upper half, rounded to even. */
static uint16_t bf16_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return isnan(value) ? 0x7FFF : (uint16_t)((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/** Below the smallest normal number fp16 counts in steps of 2^-24. */
static uint16_t fp16_of(double value) {
  double size = fabs(value);
  int exponent = 0;
  unsigned sign = signbit(value) ? 0x8000 : 0;
  if (isnan(value)) {
    return 0x7FFF;
  }
  if (size < 0x1p-14) {
    return (uint16_t)(sign | (unsigned)rint(size * 0x1p24));
  }
  double fraction = frexp(size, &exponent); /* 0.5 to 1 */
  double bits = size > 65520 ? 0x7C00 : (exponent + 14) * 1024.0 + rint((fraction * 2 - 1) * 1024);
  return (uint16_t)(sign | (unsigned)fmin(bits, 0x7C00));
}

static double fp16_value(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double size = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                : exponent == 0 ? fraction * 0x1p-24
                                : ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

/** The nearest e4m3 (OCP, "8-bit Floating Point Specification"): up to 448, below 2^-6 in steps of 2^-9. */
static uint8_t e4m3_of(double value) {
  double size = fabs(value);
  int exponent = 0;
  unsigned sign = signbit(value) ? 0x80 : 0;
  if (isnan(value)) {
    return 0x7F;
  }
  if (size < 0x1p-6) {
    return (uint8_t)(sign | (unsigned)rint(size * 0x1p9));
  }
  double fraction = frexp(size, &exponent); /* 0.5 to 1 */
  double bits = size > 448 ? 0x7E : (exponent + 6) * 8.0 + rint((fraction * 2 - 1) * 8);
  return (uint8_t)(sign | (unsigned)fmin(bits, 0x7E));
}

static double e4m3_value(uint8_t bits) {
  int exponent = bits >> 3 & 15, fraction = bits & 7;
  double size = (bits & 127) == 127 ? NAN
                : exponent == 0     ? fraction * 0x1p-9
                                    : ldexp(8 + fraction, exponent - 10);
  return bits & 0x80 ? -size : size;
}

void rf_data_set(void *data, roof_dtype dtype, size_t index, double value) {
  if (dtype == ROOF_FP64) {
    ((double *)data)[index] = value;
  } else if (dtype == ROOF_FP32) {
    ((float *)data)[index] = (float)value;
  } else if (dtype == ROOF_BF16) {
    ((uint16_t *)data)[index] = bf16_of((float)value);
  } else if (dtype == ROOF_FP16) {
    ((uint16_t *)data)[index] = fp16_of(value);
  } else if (dtype == ROOF_FP8) {
    ((uint8_t *)data)[index] = e4m3_of(value);
  } else {
    ((int8_t *)data)[index] = isnan(value) ? INT8_MIN : (int8_t)fmax(-INT8_MAX, fmin(INT8_MAX, rint(value)));
  }
}

double rf_data_narrow_at(const void *data, roof_dtype dtype, size_t index) {
  if (dtype == ROOF_INT8) {
    int8_t value = ((const int8_t *)data)[index];
    return value == INT8_MIN ? NAN : value;
  }
  if (dtype == ROOF_FP8) {
    return e4m3_value(((const uint8_t *)data)[index]);
  }
  if (dtype == ROOF_FP16) {
    return fp16_value(((const uint16_t *)data)[index]);
  }
  uint32_t bits = (uint32_t)((const uint16_t *)data)[index] << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

void rf_data_fill(void *data, roof_dtype dtype, size_t count, uint64_t seed, int threads) {
  double scale = dtype == ROOF_INT8 ? INT8_MAX : 1;
#pragma omp parallel num_threads(threads)
  {
    rf_share share = rf_share_of(count, omp_get_thread_num(), omp_get_num_threads());
    for (size_t i = share.begin; i < share.end; i++) {
      rf_data_set(data, dtype, i, scale * rf_random_at(seed, i));
    }
  }
}

void rf_data_poison(void *data, roof_dtype dtype, size_t count, int threads) {
#pragma omp parallel num_threads(threads)
  {
    rf_share share = rf_share_of(count, omp_get_thread_num(), omp_get_num_threads());
    for (size_t i = share.begin; i < share.end; i++) {
      rf_data_set(data, dtype, i, NAN);
    }
  }
}
