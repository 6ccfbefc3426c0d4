#include "kernels/lanes/narrow.h"

#include <pthread.h>
#include <string.h>

enum { ROWS = 8, COLUMNS = RF_NARROW_COLUMNS, LINE = RF_NARROW_LINE };

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

#include "kernels/lanes/x86.h"

/* Two by three tiles of sums; a tile of A stays while tiles of B pass, there and back. */
enum {
  TILE_ROWS = 16,
  TILE_BYTES = TILE_ROWS * LINE,
  ROW_BYTES = 4 * COLUMNS,
  LOWER = TILE_ROWS * ROW_BYTES
};
#define EACH_SUM(X)                                                                                          \
  X(0, 0)                                                                                                    \
  X(1, LINE)                                                                                                 \
  X(2, 2 * LINE)                                                                                             \
  X(3, LOWER)                                                                                                \
  X(4, LOWER + LINE)                                                                                         \
  X(5, LOWER + 2 * LINE)
#define ZERO_SUM(i, at) _tile_zero(i);
#define STORE_SUM(i, at) _tile_stored(i, (char *)sums + (at), ROW_BYTES);
#define AMX_TILE(name, features, multiply)                                                                   \
  __attribute__((target(features))) static void name(size_t lines, const void *left, const void *right,      \
                                                     void *sums) {                                           \
    const char *a = left, *b = right;                                                                        \
    EACH_SUM(ZERO_SUM)                                                                                       \
    for (size_t p = 0; p < lines; p++, a += 2 * TILE_BYTES, b += LINE / 4 * ROW_BYTES) {                     \
      _tile_loadd(6, a, LINE);                                                                               \
      _tile_loadd(7, b, ROW_BYTES);                                                                          \
      multiply(0, 6, 7);                                                                                     \
      _tile_loadd(7, b + LINE, ROW_BYTES);                                                                   \
      multiply(1, 6, 7);                                                                                     \
      _tile_loadd(7, b + 2 * LINE, ROW_BYTES);                                                               \
      multiply(2, 6, 7);                                                                                     \
      _tile_loadd(6, a + TILE_BYTES, LINE);                                                                  \
      multiply(5, 6, 7);                                                                                     \
      _tile_loadd(7, b + LINE, ROW_BYTES);                                                                   \
      multiply(4, 6, 7);                                                                                     \
      _tile_loadd(7, b, ROW_BYTES);                                                                          \
      multiply(3, 6, 7);                                                                                     \
    }                                                                                                        \
    EACH_SUM(STORE_SUM)                                                                                      \
  }
AMX_TILE(tile_amx_bf16, "amx-tile,amx-bf16", _tile_dpbf16ps)
AMX_TILE(tile_amx_int8, "amx-tile,amx-int8", _tile_dpbssd)

__attribute__((target("amx-tile"))) static void begin_amx(void) {
  _tile_loadconfig(&rf_x86_whole_tiles);
}

__attribute__((target("amx-tile"))) static void end_amx(void) {
  _tile_release();
}

/* Three registers of columns by eight rows stay in registers; gcc takes them apart only once unrolled. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif
#define TILE(name, features, sum, ZERO, MULTIPLY, STORE)                                                     \
  __attribute__((target(features))) static void name(size_t lines, const void *left, const void *right,      \
                                                     void *out) {                                            \
    const char *a = left, *b = right;                                                                        \
    sum sums[ROWS][3];                                                                                       \
    UNROLL for (int i = 0; i < ROWS; i++) {                                                                  \
      UNROLL for (int j = 0; j < 3; j++) {                                                                   \
        sums[i][j] = ZERO();                                                                                 \
      }                                                                                                      \
    }                                                                                                        \
    for (size_t p = 0; p < lines; p++, a += (ROWS - 1) * LINE) {                                             \
      for (int q = 0; q < LINE; q += 4, a += 4, b += 4 * COLUMNS) {                                          \
        __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + LINE);                               \
        __m512i b2 = _mm512_loadu_si512(b + 2 * LINE);                                                       \
        UNROLL for (int i = 0; i < ROWS; i++) {                                                              \
          int group;                                                                                         \
          memcpy(&group, a + i * LINE, sizeof group);                                                        \
          __m512i row = _mm512_set1_epi32(group);                                                            \
          sums[i][0] = MULTIPLY(sums[i][0], row, b0);                                                        \
          sums[i][1] = MULTIPLY(sums[i][1], row, b1);                                                        \
          sums[i][2] = MULTIPLY(sums[i][2], row, b2);                                                        \
        }                                                                                                    \
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
/* Four rows by two registers of columns at a time; a product takes half of a group each in two steps where no instruction takes a
 * whole one. */
#define MIDDLE_TILE(name, features, sum, ZERO, EVEN, ODD, MULTIPLY, STORE)                                   \
  __attribute__((target(features))) static void name(size_t lines, const void *left, const void *right,      \
                                                     void *out) {                                            \
    for (size_t part = 0; part < 6; part++) {                                                                \
      size_t top = part % 2 * 4, wide = 2 * sizeof(__m256i), from = part / 2 * wide;                         \
      const char *a = (const char *)left + top * LINE, *b = (const char *)right + from;                      \
      sum sums[4][2];                                                                                        \
      UNROLL for (int i = 0; i < 4; i++) {                                                                   \
        sums[i][0] = sums[i][1] = ZERO();                                                                    \
      }                                                                                                      \
      for (size_t p = 0; p < lines; p++, a += (ROWS - 1) * LINE) {                                           \
        for (int q = 0; q < LINE; q += 4, a += 4, b += 4 * COLUMNS) {                                        \
          __m256i b0 = _mm256_loadu_si256((const void *)b), b1 = _mm256_loadu_si256((const void *)(b + 32)); \
          UNROLL for (int i = 0; i < 4; i++) {                                                               \
            int group;                                                                                       \
            memcpy(&group, a + i * LINE, sizeof group);                                                      \
            __m256i row = _mm256_set1_epi32(group);                                                          \
            sums[i][0] = MULTIPLY(sums[i][0], EVEN, ODD, row, b0);                                           \
            sums[i][1] = MULTIPLY(sums[i][1], EVEN, ODD, row, b1);                                           \
          }                                                                                                  \
        }                                                                                                    \
      }                                                                                                      \
      for (size_t i = 0; i < 4; i++) {                                                                       \
        char *to = (char *)out + (top + i) * 4 * COLUMNS + from;                                             \
        STORE((void *)to, sums[i][0]);                                                                       \
        STORE((void *)(to + sizeof(sum)), sums[i][1]);                                                       \
      }                                                                                                      \
    }                                                                                                        \
  }
/* bf16 is the upper half of an fp32. */
#define EVEN_BF16(x) _mm256_castsi256_ps(_mm256_slli_epi32(x, 16))
#define ODD_BF16(x) _mm256_castsi256_ps(_mm256_and_si256(x, _mm256_set1_epi32(-0x10000)))
#define BOTH_BF16(sum, even, odd, a, b)                                                                      \
  _mm256_fmadd_ps(odd(a), odd(b), _mm256_fmadd_ps(even(a), even(b), sum))
MIDDLE_TILE(tile_avx2_bf16, "avx2,fma", __m256, _mm256_setzero_ps, EVEN_BF16, ODD_BF16, BOTH_BF16,
            _mm256_storeu_ps)
/* Products of 8 bits as of 16, since those of neighbours are summed in 16 bits otherwise. */
#define EVEN_INT8(x) _mm256_srai_epi16(_mm256_slli_epi16(x, 8), 8)
#define ODD_INT8(x) _mm256_srai_epi16(x, 8)
#define BOTH_INT8(sum, even, odd, a, b)                                                                      \
  _mm256_add_epi32(sum,                                                                                      \
                   _mm256_add_epi32(_mm256_madd_epi16(even(a), even(b)), _mm256_madd_epi16(odd(a), odd(b))))
MIDDLE_TILE(tile_avx2_int8, "avx2", __m256i, _mm256_setzero_si256, EVEN_INT8, ODD_INT8, BOTH_INT8,
            _mm256_storeu_si256)
#define WHOLE_INT8(sum, even, odd, a, b) _mm256_dpbusd_avx_epi32(sum, b, a)
MIDDLE_TILE(tile_avx_vnni, "avx2,avxvnni", __m256i, _mm256_setzero_si256, , , WHOLE_INT8, _mm256_storeu_si256)
#define AVX2 __attribute__((target("avx2,fma")))
ROUND(round_avx2_bf16, AVX2, uint16_t, float, CONVERT_BF16)
ROUND(round_avx2_int8, AVX2, int8_t, int32_t, CONVERT_INT8)
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
ROUND(round_avx512_bf16, AVX512, uint16_t, float, CONVERT_BF16)

/* gcc takes a loop over bytes apart. */
AVX512 static void round_avx512_int8(const void *from, const rf_narrow_out *out) {
  enum { LANES = 16 };
  const __m512 scale = _mm512_set1_ps(out->scale), most = _mm512_set1_ps(INT8_MAX);
  const char *sums = from;
  for (size_t i = 0; i < out->rows; i++) {
    int8_t *c = (int8_t *)out->c + i * out->stride;
    __m512i excess = _mm512_set1_epi32(out->excess[i]);
    for (size_t j = 0; j < out->columns; j += LANES) {
      size_t left = out->columns - j;
      __m512i sum = _mm512_loadu_si512(sums + (i * COLUMNS + j) * sizeof(int32_t));
      __m512 value = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(sum, excess)), scale);
      value = _mm512_max_ps(_mm512_min_ps(value, most), _mm512_sub_ps(_mm512_setzero_ps(), most));
      __m128i bytes = _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(value));
      _mm_mask_storeu_epi8(c + j, (__mmask16)(left < LANES ? (1U << left) - 1 : 0xFFFF), bytes);
    }
  }
}

static bool has_avx512_bf16(void) {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vl");
}

static bool has_avx512_vnni(void) {
  return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl");
}

/* Their sums are rounded with AVX-512, which a hypervisor may hide. */
static bool has_amx_bf16(void) {
  return has_avx512_vnni() && rf_x86_has_amx_bf16() && rf_x86_amx_refused() == NULL;
}

static bool has_amx_int8(void) {
  return has_avx512_vnni() && rf_x86_has_amx_int8() && rf_x86_amx_refused() == NULL;
}

static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
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

static void tile_scalar_bf16(size_t lines, const void *left, const void *right, void *out) {
  float *sums = out;
  memset(sums, 0, ROWS * COLUMNS * sizeof *sums);
  for (size_t i = 0; i < ROWS; i++, sums += COLUMNS) {
    const uint16_t *a = (const void *)((const char *)left + i * LINE), *b = right;
    for (size_t p = 0; p < lines; p++, a += (ROWS - 1) * LINE / 2) {
      for (size_t q = 0; q < LINE / 4; q++, a += 2, b += 2 * COLUMNS) {
        for (size_t j = 0; j < COLUMNS; j++) {
          sums[j] += wide_bf16(a[0]) * wide_bf16(b[2 * j]) + wide_bf16(a[1]) * wide_bf16(b[2 * j + 1]);
        }
      }
    }
  }
}

static void tile_scalar_int8(size_t lines, const void *left, const void *right, void *out) {
  int32_t *sums = out;
  memset(sums, 0, ROWS * COLUMNS * sizeof *sums);
  for (size_t i = 0; i < ROWS; i++, sums += COLUMNS) {
    const int8_t *a = (const int8_t *)left + i * LINE;
    const uint8_t *b = right;
    for (size_t p = 0; p < lines; p++, a += (ROWS - 1) * LINE) {
      for (size_t q = 0; q < LINE / 4; q++, a += 4, b += 4 * COLUMNS) {
        for (size_t j = 0; j < COLUMNS; j++) {
          sums[j] += a[0] * b[4 * j] + a[1] * b[4 * j + 1] + a[2] * b[4 * j + 2] + a[3] * b[4 * j + 3];
        }
      }
    }
  }
}

ROUND(round_bf16, , uint16_t, float, CONVERT_BF16)
ROUND(round_int8, , int8_t, int32_t, CONVERT_INT8)

static const rf_narrow table[] = {
#if defined(__x86_64__)
    {"AMX", ROOF_BF16, 2 * TILE_ROWS, 0, has_amx_bf16, begin_amx, end_amx, tile_amx_bf16, round_avx512_bf16},
    {"AMX", ROOF_INT8, 2 * TILE_ROWS, 0, has_amx_int8, begin_amx, end_amx, tile_amx_int8, round_avx512_int8},
    {"AVX512-BF16", ROOF_BF16, ROWS, 0, has_avx512_bf16, NULL, NULL, tile_avx512_bf16, round_avx512_bf16},
    {"AVX512-VNNI", ROOF_INT8, ROWS, 0x80, has_avx512_vnni, NULL, NULL, tile_avx512_vnni, round_avx512_int8},
    {"AVX-VNNI", ROOF_INT8, ROWS, 0x80, rf_x86_has_avx_vnni, NULL, NULL, tile_avx_vnni, round_avx2_int8},
    {"AVX2", ROOF_BF16, ROWS, 0, has_avx2, NULL, NULL, tile_avx2_bf16, round_avx2_bf16},
    {"AVX2", ROOF_INT8, ROWS, 0, has_avx2, NULL, NULL, tile_avx2_int8, round_avx2_int8},
#endif
    {"scalar", ROOF_BF16, ROWS, 0, always, NULL, NULL, tile_scalar_bf16, round_bf16},
    {"scalar", ROOF_INT8, ROWS, 0x80, always, NULL, NULL, tile_scalar_int8, round_int8},
};

const rf_narrow *rf_narrow_at(int index) {
  return index >= 0 && index < (int)(sizeof table / sizeof table[0]) ? &table[index] : NULL;
}

static const rf_narrow *best[ROOF_DTYPE_COUNT];

static void find_best(void) {
  for (int i = (int)(sizeof table / sizeof table[0]) - 1; i >= 0; i--) {
    best[table[i].dtype] = table[i].available() ? &table[i] : best[table[i].dtype];
  }
}

const rf_narrow *rf_narrow_best(roof_dtype dtype) {
  static pthread_once_t once = PTHREAD_ONCE_INIT; /* a guest asks its host what it has */
  pthread_once(&once, find_best);
  return best[dtype];
}
