/* The product in blocks that fit the caches, after Goto and van de Geijn, "Anatomy of high-performance matrix
 * multiplication" (2008): B in panels of DEPTH rows, packed by all threads; A in blocks of HEIGHT rows,
 * packed by the thread that uses them; a tile of C stays in registers over the depth of a panel. */
#include <omp.h>
#include <string.h>

#include "kernels/gemm/_gemm.h"

/* DEPTH x a tile's columns of B stay in the first cache, HEIGHT x DEPTH of A in the second, DEPTH x WIDTH of
 * B in the last. */
enum { DEPTH = 256, HEIGHT = 96, WIDTH = 4080 };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static size_t round_up(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/** Bytes of one thread's block of A, with the rows of a last partial tile. */
static size_t left_bytes(const roof_kernel_run *run, const roof_loops *loops) {
  return round_up(HEIGHT, (size_t)loops->tile_rows) * DEPTH * (size_t)roof_dtype_bytes(run->dtype);
}

static size_t right_bytes(const roof_kernel_run *run, const roof_loops *loops) {
  return round_up(WIDTH, (size_t)loops->tile_columns) * DEPTH * (size_t)roof_dtype_bytes(run->dtype);
}

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  const roof_loops *loops = roof_lanes_loops(roof_lanes_best(), run->dtype);
  size_t bytes = right_bytes(run, loops) + (size_t)run->threads * left_bytes(run, loops);
  return roof_gemm_prepare(run, (double)bytes, error);
}

/** A part of a matrix in row order. */
typedef struct part {
  const char *data;
  size_t rows;
  size_t columns;
  size_t stride; /**< elements from row to row */
} part;

/* Packing copies `depth` slices of `wide` elements, zero where the matrix ends. From A a slice is a piece of
 * a column, from B of a row. */
#define PACK(type)                                                                                           \
  static void pack_left_##type(part a, size_t wide, void *to) {                                              \
    const type *from = (const void *)a.data;                                                                 \
    type *packed = to;                                                                                       \
    for (size_t i = 0; i < a.rows; i += wide) {                                                              \
      for (size_t p = 0; p < a.columns; p++) {                                                               \
        for (size_t r = 0; r < wide; r++) {                                                                  \
          *packed++ = i + r < a.rows ? from[(i + r) * a.stride + p] : 0;                                     \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  static void pack_right_##type(part b, size_t wide, size_t begin, void *to) {                               \
    const type *from = (const void *)b.data;                                                                 \
    size_t here = smaller(wide, b.columns - begin);                                                          \
    type *packed = to;                                                                                       \
    for (size_t p = 0; p < b.rows; p++, packed += wide) {                                                    \
      memcpy(packed, from + p * b.stride + begin, here * sizeof *packed);                                    \
      memset(packed + here, 0, (wide - here) * sizeof *packed);                                              \
    }                                                                                                        \
  }
PACK(double)
PACK(float)

static void pack_left(roof_dtype dtype, part a, size_t wide, void *to) {
  (dtype == ROOF_FP64 ? pack_left_double : pack_left_float)(a, wide, to);
}

static void pack_right(roof_dtype dtype, part b, size_t wide, size_t begin, void *to) {
  (dtype == ROOF_FP64 ? pack_right_double : pack_right_float)(b, wide, begin, to);
}

/** One product of a packed block of A with the packed panel of B, tile by tile. */
typedef struct block {
  const roof_loops *loops;
  const char *left;
  const char *right;
  char *c;
  size_t rows, columns, depth, stride, element;
  bool add;
} block;

/** A tile at the edge of C: computed whole beside C, its part inside copied. */
static void edge_tile(const block *b, const char *left, const char *right, char *c, size_t rows,
                      size_t columns) {
  _Alignas(64) char whole[ROOF_TILE_ELEMENTS * sizeof(double)];
  size_t stride = (size_t)b->loops->tile_columns;
  if (b->add) {
    memset(whole, 0, sizeof whole);
    for (size_t i = 0; i < rows; i++) {
      memcpy(whole + i * stride * b->element, c + i * b->stride * b->element, columns * b->element);
    }
  }
  b->loops->tile(b->depth, left, right, whole, stride, b->add);
  for (size_t i = 0; i < rows; i++) {
    memcpy(c + i * b->stride * b->element, whole + i * stride * b->element, columns * b->element);
  }
}

static void multiply_block(const block *b) {
  size_t tall = (size_t)b->loops->tile_rows, wide = (size_t)b->loops->tile_columns;
  for (size_t j = 0; j < b->columns; j += wide) {
    const char *right = b->right + j * b->depth * b->element;
    for (size_t i = 0; i < b->rows; i += tall) {
      const char *left = b->left + i * b->depth * b->element;
      char *c = b->c + (i * b->stride + j) * b->element;
      size_t rows = smaller(tall, b->rows - i), columns = smaller(wide, b->columns - j);
      if (rows == tall && columns == wide) {
        b->loops->tile(b->depth, left, right, c, b->stride, b->add);
      } else {
        edge_tile(b, left, right, c, rows, columns);
      }
    }
  }
}

/** All of C's rows times one packed panel of B, by the calling thread's share of the blocks of A. */
static void multiply_panel(const roof_kernel_run *run, size_t first_column, size_t columns,
                           size_t first_depth, size_t depth) {
  const roof_operands *o = run->state;
  roof_shape s = roof_gemm_shape(run);
  size_t element = (size_t)roof_dtype_bytes(run->dtype);
  char *left = (char *)o->scratch + right_bytes(run, o->loops) +
               (size_t)omp_get_thread_num() * left_bytes(run, o->loops);
#pragma omp for schedule(dynamic)
  for (size_t i = 0; i < s.m; i += HEIGHT) {
    size_t rows = smaller(HEIGHT, s.m - i);
    part a = {(const char *)o->in[0] + (i * s.k + first_depth) * element, rows, depth, s.k};
    pack_left(run->dtype, a, (size_t)o->loops->tile_rows, left);
    block b = {o->loops, left,           o->scratch, (char *)o->out + (i * s.n + first_column) * element,
               rows,     columns,        depth,      s.n,
               element,  first_depth > 0};
    multiply_block(&b);
  }
}

static void execute(roof_kernel_run *run) {
  const roof_operands *o = run->state;
  roof_shape s = roof_gemm_shape(run);
  size_t element = (size_t)roof_dtype_bytes(run->dtype), wide = (size_t)o->loops->tile_columns;
#pragma omp parallel num_threads(run->threads)
  for (size_t j = 0; j < s.n; j += WIDTH) {
    size_t columns = smaller(WIDTH, s.n - j);
    for (size_t p = 0; p < s.k; p += DEPTH) {
      size_t depth = smaller(DEPTH, s.k - p);
      part b = {(const char *)o->in[1] + (p * s.n + j) * element, depth, columns, s.n};
#pragma omp for schedule(static)
      for (size_t begin = 0; begin < columns; begin += wide) {
        pack_right(run->dtype, b, wide, begin, (char *)o->scratch + begin * depth * element);
      }
      multiply_panel(run, j, columns, p, depth);
    }
  }
}

static const roof_kernel kernels[] = {
    {.name = "gemm-blocked",
     .op = "gemm",
     .variant = "blocked",
     .summary = "C = A B in blocks that fit the caches, tiles of C in registers",
     .sizes = "m=4096 n=4096 k=4096",
     .quick_sizes = "m=1536 n=1536 k=1536",
     .in_loop = true,
     .supports = roof_kernel_is_native,
     .prepare = prepare,
     .execute = execute,
     .check = roof_gemm_check,
     .release = roof_operands_release},
};

const roof_kernel_family roof_kernels_gemm_blocked = {kernels, sizeof kernels / sizeof kernels[0]};
