/* Products of matrices of bf16 or int8, summed in fp32 or int32; all of A and B is packed, and tiles of C
 * stay in registers over the whole depth. int8 results are scaled to fit int8, as between the layers of a
 * network. */
#include <omp.h>
#include <string.h>

#include "kernels/_tile.h"
#include "kernels/gemm/_gemm.h"
#include "kernels/lanes/narrow.h"

enum { ROWS = ROOF_NARROW_ROWS, COLUMNS = ROOF_NARROW_COLUMNS };

/** Where the packed operands are in the scratch. */
typedef struct packed {
  size_t groups;   /**< of four bytes, in the depth */
  char *a, *b;     /**< strips of ROWS rows, of COLUMNS columns */
  int32_t *excess; /**< int8: what the 128 added to A adds to each column of C */
} packed;

/** Fills in the parts from `memory` on; returns their size. */
static size_t lay_out(const roof_kernel_run *run, void *memory, packed *p) {
  roof_shape s = roof_gemm_shape(run);
  uintptr_t begin = (uintptr_t)memory;
  p->groups = (s.k * (size_t)roof_dtype_bytes(run->dtype) + 3) / 4;
  size_t a = roof_round_up(s.m, ROWS) * p->groups * 4, b = roof_round_up(s.n, COLUMNS) * p->groups * 4;
  p->a = (char *)begin;
  p->b = (char *)(begin + roof_round_up(a, 64));
  p->excess = (int32_t *)(begin + roof_round_up(a, 64) + b);
  return roof_round_up(a, 64) + b + roof_round_up(s.n, COLUMNS) * sizeof *p->excess;
}

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  packed p;
  double most = INT32_MAX / (UINT8_MAX * INT8_MAX);
  if (run->dtype == ROOF_INT8 && (double)roof_gemm_shape(run).k > most) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: sums of more than k=%.0f products overflow int32",
                          run->kernel->name, most);
  }
  return roof_gemm_prepare(run, (double)lay_out(run, NULL, &p), error);
}

/** One strip: `width` rows of A or columns of B, `have` of which exist. */
#define PACK(type)                                                                                           \
  static void pack_##type(const roof_slices *s, size_t width, size_t depth, type flip, type *to) {           \
    size_t neighbours = 4 / sizeof(type);                                                                    \
    const type *from = s->data;                                                                              \
    for (size_t p = 0; p < depth; p += neighbours) {                                                         \
      for (size_t r = 0; r < width; r++) {                                                                   \
        for (size_t q = p; q < p + neighbours; q++) {                                                        \
          bool there = q < s->depth && r < s->wide;                                                          \
          *to++ = (type)((there ? from[q * s->depth_stride + r * s->wide_stride] : 0) ^ flip);               \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  }
PACK(uint16_t)
PACK(uint8_t)

static void pack(const roof_kernel_run *run, roof_slices slices, size_t width, bool unsign, void *to) {
  slices.wide = roof_smaller(slices.wide, width);
  if (run->dtype == ROOF_BF16) {
    pack_uint16_t(&slices, width, slices.depth, 0, to);
  } else {
    pack_uint8_t(&slices, width, slices.depth, unsign ? 0x80 : 0, to);
  }
}

/** The sums of one packed strip of B, times 128. */
static void find_excess(const packed *p, size_t first) {
  const int8_t *b = (const int8_t *)p->b + first * p->groups * 4;
  memset(p->excess + first, 0, COLUMNS * sizeof *p->excess);
  for (size_t i = 0; i < p->groups; i++) {
    for (size_t j = 0; j < COLUMNS; j++, b += 4) {
      p->excess[first + j] += 128 * (b[0] + b[1] + b[2] + b[3]);
    }
  }
}

static void pack_all(const roof_kernel_run *run, const packed *p) {
  const roof_operands *o = run->state;
  roof_shape s = roof_gemm_shape(run);
#pragma omp for schedule(static) nowait
  for (size_t i = 0; i < s.m; i += ROWS) {
    roof_slices rows = {roof_element(run, o->in[0], i * s.k), s.k, 1, s.m - i, s.k};
    pack(run, rows, ROWS, true, p->a + i * p->groups * 4);
  }
#pragma omp for schedule(static)
  for (size_t j = 0; j < s.n; j += COLUMNS) {
    roof_slices columns = {roof_element(run, o->in[1], j), s.k, s.n, s.n - j, 1};
    pack(run, columns, COLUMNS, false, p->b + j * p->groups * 4);
    if (run->dtype == ROOF_INT8) {
      find_excess(p, j);
    }
  }
}

static void store(const roof_kernel_run *run, const packed *p, size_t row, size_t column, const void *sums) {
  const roof_operands *o = run->state;
  roof_shape s = roof_gemm_shape(run);
  double scale = roof_gemm_int8_scale(run);
  for (size_t i = 0; i < ROWS && row + i < s.m; i++) {
    for (size_t j = 0; j < COLUMNS && column + j < s.n; j++) {
      size_t from = i * COLUMNS + j;
      double value = run->dtype == ROOF_BF16
                         ? (double)((const float *)sums)[from]
                         : scale * (double)(((const int32_t *)sums)[from] - p->excess[column + j]);
      roof_data_set(o->out, run->dtype, (row + i) * s.n + column + j, value);
    }
  }
}

static void execute(roof_kernel_run *run) {
  const roof_narrow *narrow = roof_narrow_best(run->dtype);
  roof_shape s = roof_gemm_shape(run);
  packed p;
  lay_out(run, ((roof_operands *)run->state)->scratch, &p);
  size_t strips = (s.m + ROWS - 1) / ROWS, panels = (s.n + COLUMNS - 1) / COLUMNS;
#pragma omp parallel num_threads(run->threads)
  {
    _Alignas(64) int32_t sums[ROWS * COLUMNS];
    pack_all(run, &p);
#pragma omp for schedule(static)
    for (size_t i = 0; i < strips * panels; i++) {
      size_t row = i % strips * ROWS, column = i / strips * COLUMNS;
      narrow->tile(p.groups, p.a + row * p.groups * 4, p.b + column * p.groups * 4, sums);
      store(run, &p, row, column, sums);
    }
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
     .supports = is_bf16,
     .prepare = prepare,
     .execute = execute,
     .check = roof_gemm_check_narrow,
     .release = roof_operands_release},
    {.name = "gemm-int8",
     .op = "gemm",
     .variant = "int8",
     .summary = "C = A B in int8, summed in int32, scaled to int8",
     .sizes = "m=4096 n=4096 k=4096",
     .quick_sizes = "m=1536 n=1536 k=1536",
     .supports = is_int8,
     .prepare = prepare,
     .execute = execute,
     .check = roof_gemm_check_narrow,
     .release = roof_operands_release},
};

const roof_kernel_family roof_kernels_narrow = {kernels, sizeof kernels / sizeof kernels[0]};
