/** The inner loops, once per instruction set (one source each) and format, chosen at run time. */
#ifndef KERNELS_LANES_LANES_H
#define KERNELS_LANES_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roofline/dtype.h"

/* clang lets a function alone use SVE from version 16 on. */
#if defined(__aarch64__) && (!defined(__clang__) || __clang_major__ >= 16)
#define RF_LANES_SVE
#endif

/** Rows that `dots` takes at once, and `look_up`; rows of the largest tile; rows of B that `update` takes at once. */
enum { RF_DOTS = 4, RF_LOOKED_UP = 8, RF_TILE_ROWS = 8, RF_RANK = 4 };

#define RF_NORM_EPSILON 1e-5

/** A tile of C = or += A B, whole registers of B wide; B and C in row order. */
typedef struct rf_tile {
  size_t depth;
  const void *a;
  size_t a_stride; /**< elements from row to row */
  size_t a_step;   /**< from column to column: 1, or tile_rows where A is packed by columns */
  const void *b;   /**< whole registers may be loaded */
  size_t b_stride;
  void *c;
  size_t c_stride;
  size_t last; /**< columns of C in the last register */
  bool add;
  bool past; /**< C, in whole lines, is stored past the caches; not with `add` */
  /** Nullable: fetch C and, for every line of A, RF_TILE_AHEAD lines from here on. */
  const void *ahead;
  size_t ahead_stride; /**< elements from the lines of one line of A to those of the next */
  size_t ahead_apart;  /**< from line to line */
} rf_tile;

/** Lines that a tile of so many registers of width fetches: a narrow one stands where few others can help. */
#define RF_TILE_AHEAD(rows, widest, registers) ((registers) == (widest) ? (widest) : (rows) / (registers))

/** C += A B, of a few rows of C and `rank` rows of B where they lie. */
typedef struct rf_update {
  const void *a; /**< RF_RANK elements for each row of C */
  const void *b;
  size_t b_stride; /**< elements from row to row */
  void *c;
  size_t c_stride;
  size_t rows, columns; /**< of C */
  int rank;             /**< at most RF_RANK */
} rf_update;

/** Complex points as `fft` takes them: in rows of `batch`, a row `row` elements after the one before,
 *  imaginary parts `apart` after the real ones. */
typedef struct rf_points {
  void *data;
  size_t row;
  size_t apart;
  size_t skip;  /**< of results: elements left out after `every` rows, which are n / rf_fft_last(n) */
  size_t every; /**< at least 1 */
  size_t ahead; /**< 0, or how many elements on are the points to fetch for the next call */
} rf_points;

/** Elements that keep what would lie a power of two apart out of the same set of a cache. */
#define RF_FFT_SPARE ((size_t)32)
/** What the scratch of a transform has room for besides its rows. */
#define RF_FFT_SPARES (256 * RF_FFT_SPARE)

/** Points of a transform's first pass: eight but where that would leave a last pass of 4, or one pass more. */
static inline size_t rf_fft_first(size_t n) {
  return n == 32 ? 4 : n == 256 ? 16 : 8;
}

/** Points of its last pass, at most 16. */
static inline size_t rf_fft_last(size_t n) {
  while (n > 16) {
    n /= rf_fft_first(n);
  }
  return n;
}

/** Where row k of results is. */
static inline size_t rf_fft_row(rf_points to, size_t k) {
  return k * to.row + k / to.every * to.skip;
}

/** Loops of one format. `count` is in elements and need not be a multiple of anything. Of two forms, [1]
 *  is for data that do not fit the caches: it prefetches what it reads and stores past the caches. */
typedef struct rf_loops {
  int lanes;        /**< elements of a register */
  int tile_rows;    /**< of the largest tile; there is one of each height below */
  int tile_columns; /**< of the largest tile, whole registers */
  void (*read[2])(const void *x, size_t count, size_t repeats); /**< loads only, a few registers at a time */
  /** Loads, and `steps` multiply-adds with each element loaded: sum = element - sum, in one chain where steps is 1,
   * in two by turns else; the sum of all chains. What is left beyond whole blocks of registers is left out. */
  double (*mix)(const void *x, size_t count, size_t steps);
  double (*dot[2])(const void *x, const void *y, size_t count);
  /** RF_DOTS rows, `stride` elements apart, times x. */
  void (*dots[2])(const void *a, size_t stride, const void *x, size_t count, double *results);
  void (*axpy[2])(double a, const void *x, void *y, size_t count);
  void (*triad[2])(void *a, const void *b, const void *c, double s, size_t count);
  void (*scale[2])(void *a, const void *b, double s, size_t count); /**< a = s b */
  /** Of a row (see `fence`); `after` is what will be copied next, which may be b. */
  void (*copy[2])(void *a, const void *b, const void *after, size_t count);
  /** `count` rows of a table of rows of `width`, in the order of `rows`, to rows that follow each other. */
  void (*look_up[2])(const void *table, const uint32_t *rows, void *out, size_t count, size_t width);
  void (*fill[2])(void *a, double value, size_t count);
  /** Rows that follow each other; `count` elements of scratch. */
  void (*softmax[2])(const void *x, void *y, void *scratch, size_t rows, size_t count);
  double (*maximum)(const void *x, size_t count);
  /** y = e^(x - maximum), no x above it; the sum of y. x and y may be the same. */
  double (*exponentials)(const void *x, void *y, double maximum, size_t count);
  double (*sum[2])(const void *x, size_t count);
  double (*asum[2])(const void *x, size_t count); /**< of magnitudes */
  void (*relu[2])(const void *x, void *y, size_t count);
  void (*gelu[2])(const void *x, void *y, size_t count);
  void (*silu[2])(const void *x, void *y, size_t count);
  /** Rows that follow each other; RF_NORM_EPSILON is added to the mean square. */
  void (*layernorm[2])(const void *x, void *y, const void *gain, const void *shift, size_t rows,
                       size_t count);
  void (*rmsnorm[2])(const void *x, void *y, const void *gain, size_t rows, size_t count);
  /** y = centre x + side (the six x that are 1, `row` and `plane` elements away). */
  void (*stencil[2])(void *y, const void *x, size_t row, size_t plane, double centre, double side,
                     size_t count);
  /** y = rows of a sparse matrix times x: row i has the elements starts[i] to starts[i + 1] - 1. */
  void (*spmv)(const uint32_t *starts, const uint32_t *columns, const void *a, const void *x, void *y,
               size_t rows);
  /** `rows` of `registers` whole registers, `stride` elements apart, to where they are `apart`. */
  void (*pack)(const void *from, size_t stride, size_t rows, size_t registers, void *to, size_t apart);
  /** The same to aligned rows, past the caches. */
  void (*pack_past)(const void *from, size_t stride, size_t rows, size_t registers, void *to, size_t apart);
  /** to[j * wide + i] = from[i * stride + j] for `rows` of i and `columns` of j. */
  void (*turn[2])(const void *from, size_t stride, size_t rows, size_t columns, void *to, size_t wide);
  /** `batch` transforms of n points (a power of two) at once. `roots` are the roots of unity of `order`, a
   * multiple of n: `order` real, then `order` imaginary parts. `scratch` has room for 8 n / 7
   * rows and RF_FFT_SPARES. */
  void (*fft)(size_t n, size_t batch, rf_points from, rf_points to, void *scratch, const void *roots,
              size_t order);
  /** One transform of n points, a power of two and at least the square of `lanes`, that are neighbours (`row` is 1). `roots`
   * are of order n / lanes; `powers` are, for each k below it, `lanes` powers of root k of order n: real, then imaginary
   * parts. `scratch` has room for 2 n (1 + 8 / 7) elements and RF_FFT_SPARES. */
  void (*fft_alone)(size_t n, rf_points from, rf_points to, void *scratch, const void *roots,
                    const void *powers);
  /** Row i of a transform's results, `batch` numbers, times factor i, each times its own of w: `batch` real parts, then
   * `batch` imaginary ones for each row. Imaginary parts of factors are `rows` after the real ones. */
  void (*twist)(rf_points x, const void *factors, const void *w, size_t rows, size_t batch);
  /** What a thread calls after rows (copy, look_up, softmax, layernorm, rmsnorm, stencil, pack_past, turn, fft) stored past the
   * caches, so that others see them. */
  void (*fence)(void);
  void (*tile[RF_TILE_ROWS][3])(
      const rf_tile *tile); /**< by rows less one and by registers of width less one */
  void (*update)(const rf_update *update);
} rf_loops;

/** What a loop does that only moves bytes, and the ways of doing it. */
typedef enum rf_pattern {
  RF_LOAD,   /**< a */
  RF_STORE,  /**< to a */
  RF_COPY,   /**< b to a */
  RF_UPDATE, /**< a to a */
  RF_TRIAD,  /**< b and c to a */
  RF_PATTERN_COUNT
} rf_pattern;

typedef enum rf_way {
  RF_UNROLL_4,
  RF_UNROLL_16,
  RF_AHEAD,      /**< 8 registers at a time; fetches what it will load */
  RF_PAST,       /**< 8 registers at a time; stores past the caches */
  RF_PAST_AHEAD, /**< both */
  RF_WAY_COUNT
} rf_way;

/** Three arrays of `array_bytes`, a power of two of at least 1024, aligned to 64 bytes. */
typedef struct rf_lanes_span {
  char *a;
  const char *b;
  const char *c;
  size_t array_bytes;
  size_t begin; /**< where to start in each array, a multiple of 1024 */
  size_t bytes; /**< of each array to pass, a multiple of 1024; after its end an array begins again */
} rf_lanes_span;

typedef void rf_transfer(const rf_lanes_span *span);

typedef struct rf_lanes {
  const char *isa; /**< "AVX-512", "AVX2+FMA", "SSE2", "NEON", "scalar" */
  bool fused;      /**< a multiply-add is one instruction */
  bool (*available)(void);
  const rf_loops *fp64; /**< NULL, as fp32: it only moves bytes */
  const rf_loops *fp32;
  rf_transfer *const (*transfers)[RF_WAY_COUNT]; /**< by pattern, then way */
} rf_lanes;

/** The instruction sets compiled in, widest first.
 *  Units: none. Ownership: static. Errors: NULL past the last. */
const rf_lanes *rf_lanes_at(int index);

/** The widest instruction set this processor has that has loops.
 *  Units: none. Ownership: static. Errors: never NULL: the last one needs nothing. */
const rf_lanes *rf_lanes_best(void);

/** Its loops for fp64 or fp32.
 *  Units: none. Ownership: static. Errors: none. */
const rf_loops *rf_lanes_loops(const rf_lanes *lanes, roof_dtype dtype);

#endif
