/* Products of matrices of bf16 or int8, summed in fp32 or int32. Rows of A are copied, with zeros to whole
 * groups and a gap, so that powers of two do not meet in one set of a cache; B is packed in panels, some of
 * which stay in the second cache while all rows pass. int8 results are scaled to fit int8, as between the
 * layers of a network. */
#include <string.h>

#include "host/memory.h"
#include "kernels/_tile.h"
#include "kernels/gemm/_gemm.h"
#include "kernels/lanes/narrow.h"

enum { ROWS = RF_NARROW_ROWS, COLUMNS = RF_NARROW_COLUMNS, GROUP = 4, LINE = 64, STRIPS = 4 };

/** Where the packed operands are in the scratch. */
typedef struct packed {
  size_t groups;   /**< in the depth */
  size_t stride;   /**< bytes from row to row of a */
  char *a, *b;     /**< rows, and panels of COLUMNS columns */
  int32_t *excess; /**< int8: what the 128 added to B adds to each row of C */
} packed;

/** Fills in the parts from `memory` on; returns their size. */
static size_t lay_out(const roof_kernel_run *run, void *memory, packed *p) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  size_t rows = rf_round_up(s.m, ROWS);
  p->groups = (s.k * (size_t)roof_dtype_bytes(run->dtype) + GROUP - 1) / GROUP;
  p->stride = rf_round_up(p->groups * GROUP, LINE) + LINE;
  uintptr_t begin = (uintptr_t)memory, b = begin + rows * p->stride;
  uintptr_t excess = b + rf_round_up(s.n, COLUMNS) * p->groups * GROUP;
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

/** Copies a row of A; zeros for a row past the last. */
static void pack_row(const roof_kernel_run *run, const packed *p, size_t row) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  size_t bytes = row < s.m ? s.k * (size_t)roof_dtype_bytes(run->dtype) : 0;
  char *to = p->a + row * p->stride;
  if (bytes > 0) {
    memcpy(to, rf_element(run, ((const rf_operands *)run->state)->in[0], row * s.k), bytes);
  }
  memset(to + bytes, 0, p->groups * GROUP - bytes);
  int32_t total = 0;
  for (size_t i = 0; run->dtype == ROOF_INT8 && i < bytes; i++) {
    total += ((const int8_t *)to)[i];
  }
  p->excess[row] = 128 * total;
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
static void zip_group(roof_dtype dtype, const char *from, size_t stride, char *to) {
  octets a = load(from), b = load(from + stride);
  if (dtype == ROOF_BF16) {
    zip(a, b, (octets){0}, to);
    return;
  }
  octets c = load(from + 2 * stride), d = load(from + 3 * stride), flip = (octets){0} + 0x80;
  zip(__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
      __builtin_shufflevector(c, d, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), flip, to);
  zip(__builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31),
      __builtin_shufflevector(c, d, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), flip,
      to + 2 * sizeof flip);
}

/** A group with rows or columns past the end of B, for which 0 stands. */
static void pack_edge(const roof_kernel_run *run, size_t row, size_t column, char *to) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  const char *b = ((const rf_operands *)run->state)->in[1];
  size_t element = (size_t)roof_dtype_bytes(run->dtype);
  for (size_t j = column; j < column + COLUMNS; j++) {
    for (size_t i = row; i < row + GROUP / element; i++, to += element) {
      memset(to, 0, element);
      if (i < s.k && j < s.n) {
        memcpy(to, b + (i * s.n + j) * element, element);
      }
      *to = (char)(run->dtype == ROOF_INT8 ? *to ^ 0x80 : *to);
    }
  }
}

static void pack_panel(const roof_kernel_run *run, const packed *p, size_t column) {
  const rf_operands *o = run->state;
  rf_gemm_sizes s = rf_gemm_shape(run);
  size_t element = (size_t)roof_dtype_bytes(run->dtype), together = GROUP / element, stride = s.n * element;
  char *to = p->b + column * p->groups * GROUP;
  for (size_t group = 0; group < p->groups; group++, to += COLUMNS * GROUP) {
    size_t row = group * together;
    const char *from = rf_element(run, o->in[1], row * s.n + column);
    bool whole = row + together <= s.k && column + COLUMNS <= s.n;
    for (size_t at = 0; at < COLUMNS * element && whole; at += sizeof(octets)) {
      zip_group(run->dtype, from + at, stride, to + at * together);
    }
    if (!whole) {
      pack_edge(run, row, column, to);
    }
  }
}

static void pack_all(const roof_kernel_run *run, const packed *p) {
  rf_gemm_sizes s = rf_gemm_shape(run);
#pragma omp for schedule(static) nowait
  for (size_t i = 0; i < rf_round_up(s.m, ROWS); i++) {
    pack_row(run, p, i);
  }
#pragma omp for schedule(static)
  for (size_t j = 0; j < s.n; j += COLUMNS) {
    pack_panel(run, p, j);
  }
}

/** A tile's rows by the columns [column, end). */
static void multiply_strip(const roof_kernel_run *run, const packed *p, size_t row, size_t column,
                           size_t end) {
  const rf_operands *o = run->state;
  const rf_narrow *narrow = rf_narrow_best(run->dtype);
  rf_gemm_sizes s = rf_gemm_shape(run);
  rf_narrow_out out = {.scale = (float)rf_gemm_int8_scale(run), .excess = p->excess + row, .stride = s.n};
  out.rows = rf_smaller(ROWS, s.m - row);
  for (; column < end; column += COLUMNS) {
    _Alignas(LINE) int32_t sums[ROWS * COLUMNS];
    narrow->tile(p->groups, p->a + row * p->stride, p->stride, p->b + column * p->groups * GROUP, sums);
    out.c = rf_element(run, o->out, row * s.n + column);
    out.columns = rf_smaller(COLUMNS, s.n - column);
    narrow->round(sums, &out);
  }
}

static void multiply_part(const roof_kernel_run *run, int thread, int threads) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  packed p;
  (void)thread;
  (void)threads;
  lay_out(run, ((rf_operands *)run->state)->scratch, &p);
  double panel = (double)(COLUMNS * p.groups * GROUP), panels = 0.4 * rf_cache_bytes(2) / panel;
  size_t wide = COLUMNS * (panels > 1 ? (size_t)panels : 1);
  pack_all(run, &p);
  for (size_t column = 0; column < s.n; column += wide) {
#pragma omp for schedule(dynamic, STRIPS) nowait
    for (size_t row = 0; row < s.m; row += ROWS) {
      multiply_strip(run, &p, row, column, rf_smaller(column + wide, s.n));
    }
  }
}

static void execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, multiply_part);
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
     .supports = is_int8,
     .prepare = prepare,
     .execute = execute,
     .check = rf_gemm_check,
     .release = rf_operands_release},
};

const rf_kernel_family rf_kernels_narrow = {kernels, sizeof kernels / sizeof kernels[0]};
