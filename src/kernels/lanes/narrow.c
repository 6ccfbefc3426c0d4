#include "kernels/lanes/narrow.h"

#include <string.h>

enum { ROWS = RF_NARROW_ROWS, COLUMNS = RF_NARROW_COLUMNS };

/* Sums become numbers of a few bytes by arithmetic alone, which compilers turn into vectors. */
#define ROUND(name, target, type, sum, CONVERT)                                                              \
  target static void name(const void *from, const rf_narrow_out *out) {                                      \
    const sum *sums = from;                                                                                  \
    for (size_t i = 0; i < out->rows; i++, sums += COLUMNS) {                                                \
      type row[COLUMNS];                                                                                     \
      for (size_t j = 0; j < COLUMNS; j++) {                                                                 \
        row[j] = CONVERT(sums[j]);                                                                           \
      }                                                                                                      \
      memcpy((type *)out->c + i * out->stride, row, out->columns * sizeof *row);                             \
    }                                                                                                        \
  }

/** Rounded to even by the float's own addition. */
static inline __attribute__((always_inline)) int8_t int8_of(int32_t sum, float scale) {
  float value = scale * (float)sum, rounder = 0x1.8p23f;
  value = value > INT8_MAX ? INT8_MAX : value;
  value = (value < -INT8_MAX ? -INT8_MAX : value) + rounder;
  int32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (int8_t)bits;
}

/** The upper half, rounded to even. */
static inline __attribute__((always_inline)) uint16_t bf16_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  return (uint16_t)(value != value ? 0x7FFF : rounded);
}
#define CONVERT_BF16(sum) bf16_of(sum)
#define CONVERT_INT8(sum) int8_of((sum)-out->excess[i], out->scale)

#if defined(__x86_64__)
#include <immintrin.h>

/* Three registers of columns by eight rows stay in registers; gcc takes them apart only once unrolled. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif
#define TILE(name, features, sum, ZERO, MULTIPLY, STORE)                                                     \
  __attribute__((target(features))) static void name(size_t groups, const void *left, size_t stride,         \
                                                     const void *right, void *out) {                         \
    const char *a = left, *low = a + ROWS / 2 * stride, *b = right;                                          \
    sum sums[ROWS][3];                                                                                       \
    UNROLL for (int i = 0; i < ROWS; i++) {                                                                  \
      UNROLL for (int j = 0; j < 3; j++) {                                                                   \
        sums[i][j] = ZERO();                                                                                 \
      }                                                                                                      \
    }                                                                                                        \
    for (size_t p = 0; p < groups; p++, a += 4, low += 4, b += 4 * COLUMNS) {                                \
      __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + 64), b2 = _mm512_loadu_si512(b + 128); \
      UNROLL for (size_t i = 0; i < ROWS; i++) {                                                             \
        int group;                                                                                           \
        memcpy(&group, i < ROWS / 2 ? a + i * stride : low + (i - ROWS / 2) * stride, sizeof group);         \
        __m512i row = _mm512_set1_epi32(group);                                                              \
        sums[i][0] = MULTIPLY(sums[i][0], row, b0);                                                          \
        sums[i][1] = MULTIPLY(sums[i][1], row, b1);                                                          \
        sums[i][2] = MULTIPLY(sums[i][2], row, b2);                                                          \
      }                                                                                                      \
    }                                                                                                        \
    UNROLL for (int i = 0; i < ROWS; i++) {                                                                  \
      UNROLL for (int j = 0; j < 3; j++) {                                                                   \
        STORE((char *)out + (i * 3 + j) * (int)sizeof(sum), sums[i][j]);                                     \
      }                                                                                                      \
    }                                                                                                        \
  }
#define MULTIPLY_BF16(sum, a, b) _mm512_dpbf16_ps(sum, (__m512bh)(a), (__m512bh)(b))
TILE(tile_avx512_bf16, "avx512f,avx512bf16", __m512, _mm512_setzero_ps, MULTIPLY_BF16, _mm512_storeu_ps)
#define MULTIPLY_INT8(sum, a, b) _mm512_dpbusd_epi32(sum, b, a)
TILE(tile_avx512_vnni, "avx512f,avx512vnni", __m512i, _mm512_setzero_si512, MULTIPLY_INT8,
     _mm512_storeu_si512)
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
ROUND(round_avx512_bf16, AVX512, uint16_t, float, CONVERT_BF16)
ROUND(round_avx512_int8, AVX512, int8_t, int32_t, CONVERT_INT8)

static bool has_avx512_bf16(void) {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vl");
}

static bool has_avx512_vnni(void) {
  return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl");
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

static void tile_scalar_bf16(size_t groups, const void *left, size_t stride, const void *right, void *out) {
  float *sums = out;
  memset(sums, 0, ROWS * COLUMNS * sizeof *sums);
  for (size_t i = 0; i < ROWS; i++, sums += COLUMNS) {
    const uint16_t *a = (const void *)((const char *)left + i * stride), *b = right;
    for (size_t p = 0; p < groups; p++, a += 2, b += 2 * COLUMNS) {
      for (size_t j = 0; j < COLUMNS; j++) {
        sums[j] += wide_bf16(a[0]) * wide_bf16(b[2 * j]) + wide_bf16(a[1]) * wide_bf16(b[2 * j + 1]);
      }
    }
  }
}

static void tile_scalar_int8(size_t groups, const void *left, size_t stride, const void *right, void *out) {
  int32_t *sums = out;
  memset(sums, 0, ROWS * COLUMNS * sizeof *sums);
  for (size_t i = 0; i < ROWS; i++, sums += COLUMNS) {
    const int8_t *a = (const int8_t *)left + i * stride;
    const uint8_t *b = right;
    for (size_t p = 0; p < groups; p++, a += 4, b += 4 * COLUMNS) {
      for (size_t j = 0; j < COLUMNS; j++) {
        sums[j] += a[0] * b[4 * j] + a[1] * b[4 * j + 1] + a[2] * b[4 * j + 2] + a[3] * b[4 * j + 3];
      }
    }
  }
}

ROUND(round_bf16, , uint16_t, float, CONVERT_BF16)
ROUND(round_int8, , int8_t, int32_t, CONVERT_INT8)

static const rf_narrow table[] = {
#if defined(__x86_64__)
    {"AVX512-BF16", ROOF_BF16, has_avx512_bf16, tile_avx512_bf16, round_avx512_bf16},
    {"AVX512-VNNI", ROOF_INT8, has_avx512_vnni, tile_avx512_vnni, round_avx512_int8},
#endif
    {"scalar", ROOF_BF16, always, tile_scalar_bf16, round_bf16},
    {"scalar", ROOF_INT8, always, tile_scalar_int8, round_int8},
};

const rf_narrow *rf_narrow_at(int index) {
  return index >= 0 && index < (int)(sizeof table / sizeof table[0]) ? &table[index] : NULL;
}

const rf_narrow *rf_narrow_best(roof_dtype dtype) {
  for (int i = 0; rf_narrow_at(i) != NULL; i++) {
    if (table[i].dtype == dtype && table[i].available()) {
      return &table[i];
    }
  }
  return NULL;
}
