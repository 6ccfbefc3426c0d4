/* The discrete Fourier transform of n complex points, n a power of two: n real parts, then n imaginary ones.
 * n = rows x columns (Bailey 1990): transforms of the columns, a factor for each point, transforms of the rows. What
 * the caches hold has a column for each element of a register, and one thread. Beyond, a block of columns at a time, as wide as
 * a cache line, stays in the cache, so that memory is passed twice. Between the steps the points lie as the second one reads them,
 * and its results leave in several lines of a row at once: what is far apart is met as rarely as can be. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "host/memory.h"
#include "kernels/_fft.h"

enum { LINE = 64, ALONE_POINTS = 1 << 14 }; /* from where on a second thread is worth waiting for */

/** How a transform is split up, and where the parts of its scratch are. */
typedef struct plan {
  size_t n, rows, columns; /**< columns is 1 for a transform in one step */
  size_t wide;             /**< columns of a block */
  size_t column_blocks;    /**< 0 for a transform that the caches hold */
  size_t together;         /**< blocks of rows whose results leave together */
  const rf_loops *alone;   /**< those of one thread that do it as a whole, or NULL */
  void *roots;             /**< of order `rows` */
  void *powers;            /**< for each row the first `wide` powers of its root of order n */
  void *factors;           /**< for each block of columns, by rows, what its first column is multiplied by */
  void *between;           /**< the points between the two steps: for each block of rows, by columns */
  void *blocks;            /**< for each thread: see block_elements */
} plan;

static void *take(uintptr_t *end, size_t bytes) {
  uintptr_t taken = *end;
  *end += (bytes + LINE - 1) / LINE * LINE;
  return (void *)taken;
}

/** Blocks of points, and the scratch of a transform. */
static size_t block_elements(const plan *p) {
  size_t points = p->rows * p->wide, scratch = (points * 8 + 6) / 7;
  return (2 * (p->together * points + scratch) + 2 * RF_FFT_SPARES + LINE - 1) / LINE * LINE;
}

/** The loops with the widest registers of which n points fill a square; NULL where there are none. */
static const rf_loops *loops_for(size_t n, roof_dtype dtype) {
  for (int i = 0; rf_lanes_at(i) != NULL; i++) {
    const rf_lanes *lanes = rf_lanes_at(i);
    const rf_loops *loops = lanes->available() ? rf_lanes_loops(lanes, dtype) : NULL;
    if (loops != NULL && n >= (size_t)loops->lanes * (size_t)loops->lanes) {
      return loops;
    }
  }
  return NULL;
}

/** Whether one thread does it, and has it in its caches. */
static bool is_alone(const roof_kernel_run *run) {
  double n = run->values[0], bytes = 2 * n * roof_dtype_bytes(run->dtype);
  return n <= ALONE_POINTS || (run->threads == 1 && bytes <= rf_cache_bytes(2));
}

/** Up to four, of which the second cache holds two. */
static size_t blocks_together(const roof_kernel_run *run, const plan *p) {
  double block = 2.0 * (double)(p->columns * p->wide) * roof_dtype_bytes(run->dtype);
  size_t blocks = 4, most = p->rows / p->wide;
  while (blocks > 1 && (blocks > most || 2 * (double)blocks * block > rf_cache_bytes(2))) {
    blocks /= 2;
  }
  return blocks;
}

static void split(const roof_kernel_run *run, plan *p) {
  size_t n = (size_t)run->values[0];
  bool alone = is_alone(run);
  *p = (plan){.n = n, .rows = n, .columns = 1, .wide = 1, .together = 1};
  p->alone = alone ? loops_for(n, run->dtype) : NULL;
  if (p->alone != NULL) {
    p->columns = p->wide = (size_t)p->alone->lanes;
    p->rows = n / p->columns;
  } else if (!alone) {
    p->rows = (size_t)1 << (ilogb((double)n) + 1) / 2;
    p->columns = n / p->rows;
    p->wide = LINE / (size_t)roof_dtype_bytes(run->dtype);
    p->column_blocks = p->columns / p->wide;
    p->together = blocks_together(run, p);
  }
}

/** Fills in the plan with its parts from `memory` on, where it stands itself; returns their size. */
static size_t lay_out(const roof_kernel_run *run, void *memory, plan *p) {
  size_t element = (size_t)roof_dtype_bytes(run->dtype);
  uintptr_t end = (uintptr_t)memory;
  split(run, p);
  take(&end, sizeof *p);
  p->roots = take(&end, 2 * p->rows * element);
  p->blocks = take(&end, (size_t)run->threads * block_elements(p) * element);
  if (p->columns > 1) {
    p->powers = take(&end, 2 * p->rows * p->wide * element);
  }
  if (p->column_blocks > 0) {
    p->factors = take(&end, 2 * p->column_blocks * p->rows * element);
    p->between = take(&end, 2 * p->n * element);
  }
  return end - (uintptr_t)memory;
}

static void set_root(const roof_kernel_run *run, void *table, size_t at, size_t apart, size_t index,
                     size_t order) {
  double real, imaginary;
  rf_fft_root(index, order, &real, &imaginary);
  rf_data_set(table, run->dtype, at, real);
  rf_data_set(table, run->dtype, at + apart, imaginary);
}

static void fill_tables(const roof_kernel_run *run, const plan *p) {
  for (size_t i = 0; i < p->rows; i++) {
    set_root(run, p->roots, i, p->rows, i, p->rows);
    for (size_t q = 0; q < p->wide && p->columns > 1; q++) {
      set_root(run, p->powers, 2 * i * p->wide + q, p->wide, i * q, p->n);
    }
  }
#pragma omp parallel for schedule(static) num_threads(run->threads)
  for (size_t i = 0; i < p->column_blocks; i++) {
    for (size_t k = 0; k < p->rows; k++) {
      set_root(run, p->factors, 2 * i * p->rows + k, p->rows, i * p->wide * k, p->n);
    }
  }
}

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  double n = run->values[0];
  if (exp2(floor(log2(n))) != n) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: n=%.0f is not a power of two", run->kernel->name,
                          n);
  }
  plan p;
  roof_status status = rf_memory_check(run->kernel->name, 4 * n * roof_dtype_bytes(run->dtype), error);
  if (status == ROOF_OK) {
    status = rf_operands_prepare(run, 2 * n, 0, 2 * n, (double)lay_out(run, NULL, &p), error);
  }
  if (status == ROOF_OK) {
    plan *made = ((rf_operands *)run->state)->scratch;
    lay_out(run, made, &p);
    *made = p;
    fill_tables(run, made);
  }
  return status;
}

/** The calling thread's. */
static void *block_of(const roof_kernel_run *run, const plan *p) {
  return rf_element(run, p->blocks, (size_t)omp_get_thread_num() * block_elements(p));
}

/** By the calling thread. */
static void in_one_go(const roof_kernel_run *run, const plan *p) {
  const rf_operands *o = run->state;
  rf_points from = {o->in[0], 1, p->n, 0, 1, 0}, to = {o->out, 1, p->n, 0, 1, 0};
  if (p->alone != NULL) {
    p->alone->fft_alone(p->n, from, to, p->blocks, p->roots, p->powers);
  } else {
    o->loops->fft(p->n, 1, from, to, p->blocks, p->roots, p->rows);
  }
}

/** The block of rows from `first` on, between the steps. */
static void *between_at(const roof_kernel_run *run, const plan *p, size_t first) {
  return rf_element(run, p->between, 2 * first * p->columns);
}

/** A block for the results of n points in rows of `wide`. */
static rf_points block_of_rows(const roof_kernel_run *run, const plan *p, size_t n, size_t wide) {
  size_t last = rf_fft_last(n);
  return (rf_points){block_of(run, p), wide, n * wide + last * RF_FFT_SPARE, RF_FFT_SPARE, n / last, 0};
}

/** Row i of a block, of the imaginary parts from row n on. */
static void *row_of(const roof_kernel_run *run, rf_points block, size_t n, size_t i) {
  return rf_element(run, block.data, i / n * block.apart + rf_fft_row(block, i % n));
}

/** The columns from `first` on: transformed, while the next are fetched, multiplied, and turned into rows. */
static void transform_columns(const roof_kernel_run *run, const plan *p, size_t first) {
  const rf_operands *o = run->state;
  size_t ahead = first + p->wide < p->columns ? p->wide : 0;
  rf_points from = {rf_element(run, o->in[0], first), p->columns, p->n, 0, 1, ahead};
  rf_points block = block_of_rows(run, p, p->rows, p->wide);
  void *scratch = rf_element(run, block.data, 2 * block.apart);
  o->loops->fft(p->rows, p->wide, from, block, scratch, p->roots, p->rows);
  o->loops->twist(block, rf_element(run, p->factors, 2 * first / p->wide * p->rows), p->powers, p->rows,
                  p->wide);
  for (size_t i = 0; i < 2 * p->rows; i += p->wide) {
    size_t part = i / p->rows, row = i % p->rows;
    void *to_rows = rf_element(run, between_at(run, p, row), (part * p->columns + first) * p->wide);
    o->loops->turn[o->stream](row_of(run, block, p->rows, i), p->wide, p->wide, p->wide, to_rows, p->wide);
  }
}

/** The results k = first, first + 1, ... modulo `rows`, of `together` blocks. */
static void transform_rows(const roof_kernel_run *run, const plan *p, size_t first) {
  const rf_operands *o = run->state;
  size_t wide = p->together * p->wide;
  rf_points block = block_of_rows(run, p, p->columns, wide);
  void *scratch = rf_element(run, block.data, 2 * block.apart);
  for (size_t i = 0; i < wide; i += p->wide) {
    rf_points from = {between_at(run, p, first + i), p->wide, p->columns * p->wide, 0, 1, 0}, to = block;
    to.data = rf_element(run, block.data, i);
    o->loops->fft(p->columns, p->wide, from, to, scratch, p->roots, p->rows);
  }
  for (size_t i = 0; i < 2 * p->columns; i++) {
    size_t part = i / p->columns, row = i % p->columns;
    const void *from = row_of(run, block, p->columns, i);
    o->loops->copy[o->stream](rf_element(run, o->out, part * p->n + row * p->rows + first), from, from, wide);
  }
}

static void transform_part(const roof_kernel_run *run, int thread, int threads) {
  const rf_operands *o = run->state;
  const plan *p = o->scratch;
  (void)thread;
  (void)threads;
#pragma omp for schedule(static) nowait
  for (size_t i = 0; i < p->columns; i += p->wide) {
    transform_columns(run, p, i);
  }
  o->loops->fence();
#pragma omp barrier
#pragma omp for schedule(static) nowait
  for (size_t i = 0; i < p->rows; i += p->together * p->wide) {
    transform_rows(run, p, i);
  }
  o->loops->fence();
}

static void execute(roof_kernel_run *run) {
  const plan *p = ((const rf_operands *)run->state)->scratch;
  if (p->column_blocks == 0) {
    in_one_go(run, p);
  } else {
    rf_kernel_in_parts(run, transform_part);
  }
}

static roof_status check(roof_kernel_run *run, roof_error *error) {
  return rf_fft_check(run, false, error);
}

static const roof_kernel kernels[] = {
    {.name = "fft",
     .op = "fft",
     .variant = "",
     .summary = "radix 8, columns and rows apart",
     .sizes = "n=67108864",
     .quick_sizes = "n=16777216",
     RF_NATIVE,
     .prepare = prepare,
     .execute = execute,
     .check = check},
};

const rf_kernel_family rf_kernels_fft = {kernels, sizeof kernels / sizeof kernels[0]};
