#include "kernels/lanes/narrow.h"

#include <stdint.h>
#include <string.h>

enum { ROWS = ROOF_NARROW_ROWS, COLUMNS = ROOF_NARROW_COLUMNS };

#if defined(__x86_64__)
#include <immintrin.h>

/* Three registers of columns by eight rows stay in registers. */
#define TILE(name, features, sum, ZERO, MULTIPLY)                                                            \
  __attribute__((target(features))) static void name(size_t groups, const void *left, const void *right,     \
                                                     void *out) {                                            \
    const uint32_t *a = left;                                                                                \
    const char *b = right;                                                                                   \
    sum sums[ROWS][3];                                                                                       \
    for (int i = 0; i < ROWS; i++) {                                                                         \
      for (int j = 0; j < 3; j++) {                                                                          \
        sums[i][j] = ZERO();                                                                                 \
      }                                                                                                      \
    }                                                                                                        \
    for (size_t p = 0; p < groups; p++, a += ROWS, b += 4 * COLUMNS) {                                       \
      __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + 64), b2 = _mm512_loadu_si512(b + 128); \
      for (int i = 0; i < ROWS; i++) {                                                                       \
        __m512i row = _mm512_set1_epi32((int)a[i]);                                                          \
        sums[i][0] = MULTIPLY(sums[i][0], row, b0);                                                          \
        sums[i][1] = MULTIPLY(sums[i][1], row, b1);                                                          \
        sums[i][2] = MULTIPLY(sums[i][2], row, b2);                                                          \
      }                                                                                                      \
    }                                                                                                        \
    memcpy(out, sums, sizeof sums);                                                                          \
  }
#define MULTIPLY_BF16(sum, a, b) _mm512_dpbf16_ps(sum, (__m512bh)(a), (__m512bh)(b))
TILE(tile_avx512_bf16, "avx512f,avx512bf16", __m512, _mm512_setzero_ps, MULTIPLY_BF16)
TILE(tile_avx512_vnni, "avx512f,avx512vnni", __m512i, _mm512_setzero_si512, _mm512_dpbusd_epi32)

static bool has_avx512_bf16(void) {
  return __builtin_cpu_supports("avx512bf16");
}

static bool has_avx512_vnni(void) {
  return __builtin_cpu_supports("avx512vnni");
}
#endif

static bool always(void) {
  return true;
}

static float wide_bf16(uint16_t value) {
  uint32_t bits = (uint32_t)value << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

static void tile_scalar_bf16(size_t groups, const void *left, const void *right, void *out) {
  const uint16_t *a = left, *b = right;
  float *sums = out;
  memset(sums, 0, ROWS * COLUMNS * sizeof *sums);
  for (size_t p = 0; p < groups; p++, a += 2 * ROWS, b += 2 * COLUMNS) {
    for (size_t i = 0; i < ROWS; i++) {
      for (size_t j = 0; j < COLUMNS; j++) {
        sums[i * COLUMNS + j] +=
            wide_bf16(a[2 * i]) * wide_bf16(b[2 * j]) + wide_bf16(a[2 * i + 1]) * wide_bf16(b[2 * j + 1]);
      }
    }
  }
}

static void tile_scalar_int8(size_t groups, const void *left, const void *right, void *out) {
  const uint8_t *a = left;
  const int8_t *b = right;
  int32_t *sums = out;
  memset(sums, 0, ROWS * COLUMNS * sizeof *sums);
  for (size_t p = 0; p < groups; p++, a += 4 * ROWS, b += 4 * COLUMNS) {
    for (size_t i = 0; i < ROWS; i++) {
      for (size_t j = 0; j < COLUMNS; j++) {
        sums[i * COLUMNS + j] += a[4 * i] * b[4 * j] + a[4 * i + 1] * b[4 * j + 1] +
                                 a[4 * i + 2] * b[4 * j + 2] + a[4 * i + 3] * b[4 * j + 3];
      }
    }
  }
}

static const roof_narrow table[] = {
#if defined(__x86_64__)
    {"AVX512-BF16", ROOF_BF16, has_avx512_bf16, tile_avx512_bf16},
    {"AVX512-VNNI", ROOF_INT8, has_avx512_vnni, tile_avx512_vnni},
#endif
    {"scalar", ROOF_BF16, always, tile_scalar_bf16},
    {"scalar", ROOF_INT8, always, tile_scalar_int8},
};

const roof_narrow *roof_narrow_at(int index) {
  return index >= 0 && index < (int)(sizeof table / sizeof table[0]) ? &table[index] : NULL;
}

const roof_narrow *roof_narrow_best(roof_dtype dtype) {
  for (int i = 0; roof_narrow_at(i) != NULL; i++) {
    if (table[i].dtype == dtype && table[i].available()) {
      return &table[i];
    }
  }
  return NULL;
}
