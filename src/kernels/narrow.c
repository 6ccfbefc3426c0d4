/* Products of matrices of bf16 or int8, summed in fp32 or int32. Strips of rows of A are packed line by line, panels of columns of B
 * group by group, as many of them at once as the second cache holds. Where that is all of B, each strip is packed by the thread
 * that multiplies it; else all strips first, and each thread packs its panels. int8 results are scaled to fit int8, as between
 * the layers of a network. */
#include <string.h>

#include "host/memory.h"
#include "kernels/_tile.h"
#include "kernels/gemm/_gemm.h"
#include "kernels/lanes/narrow.h"

enum { COLUMNS = RF_NARROW_COLUMNS, GROUP = 4, LINE = RF_NARROW_LINE, AHEAD = 32 };

/** How a product is cut, and where the packed operands are in the scratch. */
typedef struct packed {
  const rf_narrow *narrow;
  size_t bytes;  /**< of a row of A or a column of B, in whole lines */
  size_t strips; /**< of `rows` rows */
  size_t wide;   /**< columns of B packed at once: whole panels */
  size_t blocks; /**< of so many columns */
  char *a, *b;
  int32_t *excess; /**< what 128 added to B adds to each row of C */
} packed;

/** Cuts the product and fills in the parts from `memory` on; returns their size. */
static size_t lay_out(const roof_kernel_run *run, void *memory, packed *p) {
  static const double share = 0.5; /* of the second cache, the rest for A and C */
  rf_gemm_sizes s = rf_gemm_shape(run);
  p->narrow = rf_narrow_best(run->dtype);
  p->bytes = rf_round_up(s.k * (size_t)roof_dtype_bytes(run->dtype), LINE);
  p->strips = (s.m + p->narrow->rows - 1) / p->narrow->rows;
  double panels = share * rf_cache_bytes(2) / (double)(COLUMNS * p->bytes);
  p->wide = rf_smaller(COLUMNS * (panels > 1 ? (size_t)panels : 1), rf_round_up(s.n, COLUMNS));
  p->blocks = (s.n + p->wide - 1) / p->wide;
  size_t threads = (size_t)run->threads, rows = p->narrow->rows * (p->blocks == 1 ? threads : p->strips);
  uintptr_t begin = (uintptr_t)memory, b = begin + rows * p->bytes;
  uintptr_t excess = b + (p->blocks == 1 ? 1 : threads) * p->wide * p->bytes;
  p->a = (char *)begin;
  p->b = (char *)b;
  p->excess = (int32_t *)excess;
  return excess + rows * sizeof *p->excess - begin;
}

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  packed p;
  double most = INT32_MAX / (UINT8_MAX * INT8_MAX);
  if (run->dtype == ROOF_INT8 && (double)rf_gemm_shape(run).k > most) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: sums of more than k=%.0f products overflow int32",
                          run->kernel->name, most);
  }
  return rf_gemm_prepare(run, (double)lay_out(run, NULL, &p), error);
}

static int32_t total(const int8_t *line) {
  int32_t sum = 0;
  for (int i = 0; i < LINE; i++) {
    sum += line[i];
  }
  return sum;
}

/** Copies the rows of a strip of A; zeros for what is past the last row or column. */
static void pack_strip(const roof_kernel_run *run, const packed *p, size_t strip, char *to, int32_t *excess) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  size_t rows = p->narrow->rows, bytes = s.k * (size_t)roof_dtype_bytes(run->dtype);
  for (size_t i = 0; i < rows; i++) {
    size_t row = strip * rows + i, at = 0, there = row < s.m ? bytes : 0;
    const char *from = rf_element(run, ((const rf_operands *)run->state)->in[0], there > 0 ? row * s.k : 0);
    char *line = to + i * LINE;
    for (; at + LINE <= there; at += LINE, line += rows * LINE) {
      memcpy(line, from + at, LINE);
    }
    for (; at < p->bytes; at += LINE, line += rows * LINE) {
      size_t rest = there > at ? there - at : 0;
      memcpy(line, from + at, rest);
      memset(line + rest, 0, LINE - rest);
    }
    excess[i] = 0;
    for (at = 0; p->narrow->flip != 0 && at < p->bytes; at += LINE) {
      excess[i] += 128 * total((const int8_t *)to + i * LINE + at * rows);
    }
  }
}

typedef uint8_t octets __attribute__((vector_size(16)));
typedef uint16_t halves __attribute__((vector_size(16)));

static octets load(const char *from) {
  octets v;
  memcpy(&v, from, sizeof v);
  return v;
}

/** Pairs of two rows' 16-bit elements, flipped. */
static void zip(octets a, octets b, octets flip, char *to) {
  octets low = (octets)__builtin_shufflevector((halves)a, (halves)b, 0, 8, 1, 9, 2, 10, 3, 11) ^ flip;
  octets high = (octets)__builtin_shufflevector((halves)a, (halves)b, 4, 12, 5, 13, 6, 14, 7, 15) ^ flip;
  memcpy(to, &low, sizeof low);
  memcpy(to + sizeof low, &high, sizeof high);
}

/** 16 bytes of each of a group's rows of B, `stride` bytes apart. */
static void zip_group(const rf_narrow *narrow, const char *from, size_t stride, char *to) {
  octets a = load(from), b = load(from + stride), flip = (octets){0} + narrow->flip;
  if (narrow->dtype == ROOF_BF16) {
    zip(a, b, flip, to);
    return;
  }
  octets c = load(from + 2 * stride), d = load(from + 3 * stride);
  zip(__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
      __builtin_shufflevector(c, d, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), flip, to);
  zip(__builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31),
      __builtin_shufflevector(c, d, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), flip,
      to + 2 * sizeof flip);
}

/** Packs COLUMNS columns of B; zeros for what is past its last row or column. */
static void pack_panel(const roof_kernel_run *run, const packed *p, size_t column, char *to) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  const char *b = ((const rf_operands *)run->state)->in[1];
  size_t element = (size_t)roof_dtype_bytes(run->dtype), together = GROUP / element;
  size_t columns = rf_smaller(COLUMNS, s.n - column);
  char edge[GROUP][COLUMNS * 2];
  for (size_t row = 0; row < p->bytes / element; row += together, to += COLUMNS * GROUP) {
    const char *from = b + (row * s.n + column) * element;
    size_t stride = s.n * element;
    for (size_t i = AHEAD; i < AHEAD + together && row + i < s.k; i++) {
      __builtin_prefetch(from + i * stride);
      __builtin_prefetch(from + i * stride + columns * element - 1);
    }
    if (row + together > s.k || columns < COLUMNS) {
      memset(edge, 0, sizeof edge);
      for (size_t i = 0; i < together && row + i < s.k; i++) {
        memcpy(edge[i], from + i * stride, columns * element);
      }
      from = edge[0];
      stride = sizeof edge[0];
    }
    for (size_t at = 0; at < COLUMNS * element; at += sizeof(octets)) {
      zip_group(p->narrow, from + at, stride, to + at * together);
    }
  }
}

/** A packed strip by the packed columns of a block. */
static void multiply_strip(const roof_kernel_run *run, const packed *p, size_t strip, size_t block,
                           const char *a, const int32_t *excess, const char *b) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  size_t row = strip * p->narrow->rows, end = rf_smaller((block + 1) * p->wide, s.n);
  rf_narrow_out out = {.scale = (float)rf_gemm_int8_scale(run), .excess = excess, .stride = s.n};
  out.rows = rf_smaller(p->narrow->rows, s.m - row);
  for (size_t column = block * p->wide; column < end; column += COLUMNS, b += COLUMNS * p->bytes) {
    _Alignas(LINE) int32_t sums[RF_NARROW_ROWS * COLUMNS];
    p->narrow->tile(p->bytes / LINE, a, b, sums);
    out.c = rf_element(run, ((const rf_operands *)run->state)->out, row * s.n + column);
    out.columns = rf_smaller(COLUMNS, s.n - column);
    p->narrow->round(sums, &out);
  }
}

/** All of B stays in the cache: strip after strip. */
static void multiply_by_strips(const roof_kernel_run *run, const packed *p, size_t thread) {
  char *a = p->a + thread * p->narrow->rows * p->bytes;
  int32_t *excess = p->excess + thread * p->narrow->rows;
#pragma omp for schedule(static)
  for (size_t column = 0; column < p->wide; column += COLUMNS) {
    pack_panel(run, p, column, p->b + column * p->bytes);
  }
#pragma omp for schedule(dynamic) nowait
  for (size_t strip = 0; strip < p->strips; strip++) {
    pack_strip(run, p, strip, a, excess);
    multiply_strip(run, p, strip, 0, a, excess, p->b);
  }
}

/** Block of columns after block; where the threads are many, each with a part of the strips. */
static void multiply_by_blocks(const roof_kernel_run *run, const packed *p, size_t thread, size_t threads) {
  size_t rows = p->narrow->rows, parts = rf_smaller((2 * threads - 1) / p->blocks + 1, p->strips);
  char *b = p->b + thread * p->wide * p->bytes;
#pragma omp for schedule(static)
  for (size_t strip = 0; strip < p->strips; strip++) {
    pack_strip(run, p, strip, p->a + strip * rows * p->bytes, p->excess + strip * rows);
  }
#pragma omp for schedule(dynamic) nowait
  for (size_t task = 0; task < p->blocks * parts; task++) {
    size_t block = task / parts;
    rf_share strips = rf_share_rows(p->strips, (int)(task % parts), (int)parts);
    for (size_t at = 0; at < p->wide && block * p->wide + at < rf_gemm_shape(run).n; at += COLUMNS) {
      pack_panel(run, p, block * p->wide + at, b + at * p->bytes);
    }
    for (size_t strip = strips.begin; strip < strips.end; strip++) {
      multiply_strip(run, p, strip, block, p->a + strip * rows * p->bytes, p->excess + strip * rows, b);
    }
  }
}

static void multiply_part(const roof_kernel_run *run, int thread, int threads) {
  packed p;
  lay_out(run, ((rf_operands *)run->state)->scratch, &p);
  if (p.narrow->begin != NULL) {
    p.narrow->begin();
  }
  if (p.blocks == 1) {
    multiply_by_strips(run, &p, (size_t)thread);
  } else {
    multiply_by_blocks(run, &p, (size_t)thread, (size_t)threads);
  }
  if (p.narrow->end != NULL) {
    p.narrow->end();
  }
}

static void execute(roof_kernel_run *run) {
  if (rf_gemm_team(run) == 1) {
    multiply_part(run, 0, 1);
  } else {
    rf_kernel_in_parts(run, multiply_part);
  }
}

static bool is_bf16(roof_dtype dtype) {
  return dtype == ROOF_BF16;
}

static bool is_int8(roof_dtype dtype) {
  return dtype == ROOF_INT8;
}

static const roof_kernel kernels[] = {
    {.name = "gemm-bf16",
     .op = "gemm",
     .variant = "bf16",
     .summary = "C = A B in bf16, summed in fp32",
     .sizes = "m=4096 n=4096 k=4096",
     .quick_sizes = "m=1536 n=1536 k=1536",
     .serial_flops = RF_GEMM_SERIAL_FLOPS,
     .supports = is_bf16,
     .prepare = prepare,
     .execute = execute,
     .check = rf_gemm_check,
     .release = rf_operands_release},
    {.name = "gemm-int8",
     .op = "gemm",
     .variant = "int8",
     .summary = "C = A B in int8, summed in int32, scaled to int8",
     .sizes = "m=4096 n=4096 k=4096",
     .quick_sizes = "m=1536 n=1536 k=1536",
     .serial_flops = RF_GEMM_SERIAL_FLOPS,
     .supports = is_int8,
     .prepare = prepare,
     .execute = execute,
     .check = rf_gemm_check,
     .release = rf_operands_release},
};

const rf_kernel_family rf_kernels_narrow = {kernels, sizeof kernels / sizeof kernels[0]};
