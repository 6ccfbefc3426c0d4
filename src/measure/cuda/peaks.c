/* The kernels of src/kernels/cuda/peaks_*.cu, and the sums that their threads must produce. A product takes
 * eight 32-bit words per row in every format: 8 tf32, 16 fp16, 32 fp8, 64 fp4. */
#include "measure/cuda/peaks.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cuda/layout.h"

enum { WORDS = 8, LINE = 64 /* the largest count of numbers in eight words */ };

static uint32_t word_at(const unsigned char *data, size_t index) {
  uint32_t word;
  memcpy(&word, data + 4 * index, sizeof word);
  return word;
}

/** A number with a sign and the given bits of exponent and fraction. */
static double number_of(uint32_t bits, int exponent_bits, int fraction_bits) {
  uint32_t ones = (1u << exponent_bits) - 1, exponent = bits >> fraction_bits & ones;
  uint32_t fraction = bits & ((1u << fraction_bits) - 1);
  int bias = (int)(ones >> 1) + fraction_bits;
  double size = exponent == 0 ? ldexp(fraction, 1 - bias)
                              : ldexp((double)(fraction | 1u << fraction_bits), (int)exponent - bias);
  return bits >> (exponent_bits + fraction_bits) & 1 ? -size : size;
}

/** How a format lies in a 32-bit word; without an exponent it is an integer. */
static const struct format {
  roof_dtype dtype;
  int bits, unused, exponent, fraction;
} formats[] = {{ROOF_TF32, 32, 13, 8, 10}, {ROOF_FP16, 16, 0, 5, 10}, {ROOF_BF16, 16, 0, 8, 7},
               {ROOF_FP8, 8, 0, 4, 3},     {ROOF_INT8, 8, 0, 0, 0},   {ROOF_FP4, 4, 0, 2, 1}};

static const struct format *format_of(roof_dtype dtype) {
  const struct format *format = formats;
  while (format->dtype != dtype) {
    format++;
  }
  return format;
}

/** Number `index` of a word, the lowest bits first. */
static double element(const struct format *format, uint32_t word, int index) {
  uint32_t bits = word >> (format->bits * index + format->unused);
  return format->exponent == 0 ? (double)(int8_t)(bits & 0xFF)
                               : number_of(bits, format->exponent, format->fraction);
}

/** The scale of number `k` of a row, in its word of scales. */
static double scale_of(const tensor_peak *p, uint32_t scales, int k) {
  if (p->scale.block == 0) {
    return 1;
  }
  uint32_t bits = scales >> (8 * (k / p->scale.block)) & 0xFF;
  return p->scale.power ? ldexp(1, (int)bits - 127) : number_of(bits, 4, 3);
}

/** Adds word `w` of a row, scaled, to the sums of rows. */
static void add_word(const tensor_peak *p, uint32_t word, int w, uint32_t scales, double *line) {
  const struct format *format = format_of(p->dtype);
  int each = 32 / format->bits;
  for (int i = 0; i < each; i++) {
    line[w * each + i] += element(format, word, i) * scale_of(p, scales, w * each + i);
  }
}

static double dot(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* mma.sync: a warp's words of four A (16 rows) and four B (8 columns), each of A with each of B (PTX ISA,
 * "Matrix Fragments for mma.m16n8k16": lane / 4 is the row or column, lane % 4 the word, register bit 0 the
 * row's upper half, the next the word's). */

enum { WARP = 32, FRAGMENTS = 4, MMA_BLOCK = 256 };

static void add_row_of_a(const tensor_peak *p, const unsigned char *data, int warp, int row, double *line) {
  for (int i = 0; i < FRAGMENTS; i++) {
    uint32_t scales = word_at(data + PEAK_SCALES, (size_t)(i * MMA_BLOCK + warp * WARP + row));
    for (int w = 0; w < WORDS; w++) {
      size_t thread = (size_t)(i * MMA_BLOCK + warp * WARP + row % 8 * 4 + w % 4);
      add_word(p, word_at(data, 4 * thread + (size_t)(row / 8 + w / 4 * 2)), w, scales, line);
    }
  }
}

static void add_column_of_b(const tensor_peak *p, const unsigned char *data, int warp, int column,
                            double *line) {
  for (int i = 0; i < FRAGMENTS; i++) {
    uint32_t scales = word_at(data + PEAK_SCALES, (size_t)(i * MMA_BLOCK + warp * WARP + 16 + column));
    for (int w = 0; w < WORDS; w++) {
      size_t thread = (size_t)((i + FRAGMENTS) * MMA_BLOCK + warp * WARP + column * 4 + w % 4);
      add_word(p, word_at(data, 4 * thread + (size_t)(w / 4)), w, scales, line);
    }
  }
}

static void sums_of_fragments(const tensor_peak *p, const unsigned char *data, double *sums) {
  for (int thread = 0; thread < p->threads; thread++) {
    double a[LINE] = {0}, b[LINE] = {0};
    int warp = thread / WARP, row = thread % WARP / 4, column = thread % 4 * 2;
    add_row_of_a(p, data, warp, row, a);
    add_row_of_a(p, data, warp, row + 8, a);
    add_column_of_b(p, data, warp, column, b);
    add_column_of_b(p, data, warp, column + 1, b);
    sums[thread] = dot(a, b, LINE);
  }
}

/* Doubles: two A and four B of a warp, two numbers of a thread after those of all threads (PTX ISA, "Matrix Fragments for
 * mma.m16n8k16 with floating point type .f64": lane % 4 is the number along k of each four, and of A a row's four are
 * followed by those of the row 8 below). */

enum { DEPTH = 16, A_MATRICES = 2, B_MATRICES = 4, A_NUMBERS = 8, B_NUMBERS = 4 };

static double double_at(const unsigned char *data, int thread, int index) {
  double number;
  memcpy(&number, data + 16 * (index / 2 * MMA_BLOCK + thread) + 8 * (index % 2), sizeof number);
  return number;
}

/** The numbers along k of a row of all A, or of a column of all B. */
static void add_doubles(const unsigned char *data, int warp, int line, bool of_a, double sums[DEPTH]) {
  for (int k = 0; k < DEPTH; k++) {
    int thread = warp * WARP + line % 8 * 4 + k % 4;
    for (int i = 0; i < (of_a ? A_MATRICES : B_MATRICES); i++) {
      int index =
          of_a ? i * A_NUMBERS + k / 4 * 2 + line / 8 : A_MATRICES * A_NUMBERS + i * B_NUMBERS + k / 4;
      sums[k] += double_at(data, thread, index);
    }
  }
}

static void sums_of_doubles(const tensor_peak *p, const unsigned char *data, double *sums) {
  for (int thread = 0; thread < p->threads; thread++) {
    double a[DEPTH] = {0}, b[DEPTH] = {0};
    int warp = thread / WARP, row = thread % WARP / 4, column = thread % 4 * 2;
    add_doubles(data, warp, row, true, a);
    add_doubles(data, warp, row + 8, true, a);
    add_doubles(data, warp, column, false, b);
    add_doubles(data, warp, column + 1, false, b);
    sums[thread] = dot(a, b, DEPTH);
  }
}

/* wgmma and tcgen05: 128 rows of A, then 256 columns of B, each of four steps of eight words, swizzled. */

enum { ROWS = PEAK5_M, COLUMNS = PEAK5_N, STEPS = PEAK5_STEPS };

/** Adds line `line` of the two matrices, all its steps. */
static void add_line(const tensor_peak *p, const unsigned char *data, int line, double steps[STEPS][LINE]) {
  int row = line < ROWS ? line : line - ROWS, height = line < ROWS ? ROWS : COLUMNS;
  const unsigned char *matrix = data + (line < ROWS ? 0 : ROWS * 128);
  const unsigned char *scales = data + PEAK_SCALES + (line < ROWS ? 0 : 4 * STEPS * ROWS);
  for (int k = 0; k < p->steps; k++) {
    uint32_t scale = word_at(scales, (size_t)(k * height + row));
    for (int w = 0; w < WORDS; w++) {
      size_t chunk = (size_t)SWIZZLED(row, 2 * k + w / 4);
      add_word(p, word_at(matrix + chunk, (size_t)(w % 4)), w, scale, steps[k]);
    }
  }
}

/** Adds the columns of B that come in the same place of every 8 columns. */
static void add_columns(const tensor_peak *p, const unsigned char *data, unsigned places,
                        double steps[STEPS][LINE]) {
  for (int column = 0; column < COLUMNS; column++) {
    if (places >> (column % 8) & 1) {
      add_line(p, data, ROWS + column, steps);
    }
  }
}

/** wgmma: rows lane / 4 of a warp's 16 and the one 8 below, two columns of every 8 ("Register Fragments for
 * wgmma.mma_async.m64nNk16", D). */
static void sums_of_warpgroups(const tensor_peak *p, const unsigned char *data, double *sums) {
  double b[4][STEPS][LINE] = {{{0}}};
  for (unsigned i = 0; i < 4; i++) {
    add_columns(p, data, 3u << 2 * i, b[i]);
  }
  for (int thread = 0; thread < p->threads; thread++) {
    double a[STEPS][LINE] = {{0}};
    int row = thread / WARP * 16 + thread % WARP / 4;
    add_line(p, data, row, a);
    add_line(p, data, row + 8, a);
    sums[thread] = dot(a[0], b[thread % 4][0], STEPS * LINE);
  }
}

/** tcgen05: one row per thread. */
static void sums_of_rows(const tensor_peak *p, const unsigned char *data, double *sums) {
  double b[STEPS][LINE] = {{0}};
  add_columns(p, data, 0xFF, b);
  for (int thread = 0; thread < p->threads; thread++) {
    double a[STEPS][LINE] = {{0}};
    add_line(p, data, thread, a);
    sums[thread] = dot(a[0], b[0], STEPS * LINE);
  }
}

/** Multiply-adds of four words with four, each with each. */
static void sums_of_pairs(const tensor_peak *p, const unsigned char *data, double *sums) {
  for (int thread = 0; thread < p->threads; thread++) {
    double a[2] = {0}, b[2] = {0};
    for (int w = 0; w < 4; w++) {
      add_word(p, word_at(data, (size_t)(4 * thread + w)), 0, 0, a);
      add_word(p, word_at(data, (size_t)(4 * (p->threads + thread) + w)), 0, 0, b);
    }
    sums[thread] = dot(a, b, 2);
  }
}

/* peaks_mma.cu and peaks_mma_scaled.cu: 8 warps, 16 sums each. */
#define MMA(type, name, k)                                                                                   \
  {                                                                                                          \
    .dtype = type, .unit = ROOF_MATRIX, .program = "peaks_mma", .entry = "peak_mma_" name,                   \
    .isa = "mma.sync", .flops = 2.0 * 16 * 8 * (k), .products = 8 * 16, .blocks = 2, .threads = 256,         \
    .cluster = 1, .sums = sums_of_fragments                                                                  \
  }
#define MMA_SCALED(type, name, k, numbers, is_power)                                                         \
  {                                                                                                          \
    .dtype = type, .unit = ROOF_MATRIX, .program = "peaks_mma_scaled", .entry = "peak_mma_scaled_" name,     \
    .isa = "mma.sync block_scale", .flops = 2.0 * 16 * 8 * (k), .products = 8 * 16, .blocks = 2,             \
    .threads = 256, .cluster = 1, .scale = {numbers, is_power}, .sums = sums_of_fragments                    \
  }
/* peaks_double.cu: 8 warps, 8 sums each. */
#define MMA_FP64(name, by)                                                                                   \
  {                                                                                                          \
    .dtype = ROOF_FP64, .unit = ROOF_MATRIX, .program = "peaks_double", .entry = "peak_mma_" name,           \
    .isa = by, .flops = 2.0 * 16 * 8 * 16, .products = 8 * 8, .blocks = 1, .threads = 256, .cluster = 1,     \
    .sums = sums_of_doubles                                                                                  \
  }
/* peaks_vector.cu: 256 threads, 16 sums of two numbers each. */
#define VECTOR(type, name)                                                                                   \
  {                                                                                                          \
    .dtype = type, .unit = ROOF_VECTOR, .program = "peaks_vector", .entry = "peak_vector_" name,             \
    .isa = "fma.x2", .flops = 4, .products = 256 * 16, .blocks = 4, .threads = 256, .cluster = 1,            \
    .sums = sums_of_pairs                                                                                    \
  }
/* peaks_wgmma.cu: 2 warpgroups, 4 steps along k. */
#define WGMMA(type, name, k)                                                                                 \
  {                                                                                                          \
    .dtype = type, .unit = ROOF_MATRIX, .program = "peaks_wgmma", .entry = "peak_wgmma_" name,               \
    .isa = "wgmma", .flops = 2.0 * 64 * 256 * (k), .products = 2 * 4, .shared = 48 << 10, .blocks = 1,       \
    .threads = 256, .cluster = 1, .steps = STEPS, .sums = sums_of_warpgroups                                 \
  }
/* peaks_tcgen05*.cu: a block's half of a pair's product is as large as the product of a block alone. `count`
 * products of k numbers in a round, `thirty_twos` of bytes together; `numbers` to a scale. */
#define TCGEN05_BY(file, type, name, by, blocks_together, k, count, thirty_twos, numbers)                    \
  {                                                                                                          \
    .dtype = type, .unit = ROOF_MATRIX, .program = file, .entry = "peak_tcgen05_" name, .isa = by,           \
    .flops = 2.0 * PEAK5_M * PEAK5_N * (k), .products = count, .shared = PEAK5_SHARED, .blocks = 1,          \
    .threads = 128, .cluster = blocks_together, .steps = thirty_twos, .scale = {numbers, false},             \
    .sums = sums_of_rows                                                                                     \
  }
#define TCGEN05(file, type, name, k, numbers)                                                                \
  TCGEN05_BY(file, type, name, "tcgen05", 1, k, STEPS, STEPS, numbers),                                      \
      TCGEN05_BY(file, type, name "_pair", "tcgen05 cta_group::2", 2, k, STEPS, STEPS, numbers)

static const tensor_peak peaks[] = {
    MMA(ROOF_TF32, "tf32", 8),
    MMA(ROOF_FP16, "fp16", 16),
    MMA(ROOF_BF16, "bf16", 16),
    MMA(ROOF_FP8, "fp8", 32),
    MMA(ROOF_INT8, "int8", 32),
    MMA_SCALED(ROOF_FP8, "fp8", 32, 32, true),
    MMA_SCALED(ROOF_FP4, "fp4", 64, 16, false),
    VECTOR(ROOF_FP16, "fp16"),
    VECTOR(ROOF_BF16, "bf16"),
    WGMMA(ROOF_TF32, "tf32", 8),
    WGMMA(ROOF_FP16, "fp16", 16),
    WGMMA(ROOF_BF16, "bf16", 16),
    WGMMA(ROOF_FP8, "fp8", 32),
    WGMMA(ROOF_INT8, "int8", 32),
    MMA_FP64("fp64", "mma.sync"),
    MMA_FP64("fp64_k16", "mma.sync m16n8k16"),
    TCGEN05("peaks_tcgen05", ROOF_TF32, "tf32", 8, 0),
    TCGEN05("peaks_tcgen05", ROOF_FP16, "fp16", 16, 0),
    TCGEN05("peaks_tcgen05", ROOF_BF16, "bf16", 16, 0),
    TCGEN05("peaks_tcgen05", ROOF_FP8, "fp8", 32, 0),
    TCGEN05("peaks_tcgen05_int8", ROOF_INT8, "int8", 32, 0),
    TCGEN05("peaks_tcgen05", ROOF_FP4, "fp4", 64, 16),
    TCGEN05_BY("peaks_tcgen05_k96", ROOF_FP4, "fp4_k96", "tcgen05 k96", 1, 96, 2, 3, 0),
    TCGEN05_BY("peaks_tcgen05_k96", ROOF_FP4, "fp4_k96_pair", "tcgen05 cta_group::2 k96", 2, 96, 2, 3, 0),
};

const tensor_peak *rf_tensor_peak_at(int index) {
  return index >= 0 && (size_t)index < sizeof peaks / sizeof peaks[0] ? &peaks[index] : NULL;
}
