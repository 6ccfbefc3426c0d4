/* Matrices moved: A = A + x y', and B = A'. */
#include <math.h>

#include "kernels/kernels.h"

static roof_status ger_prepare(roof_kernel_run *run, roof_error *error) {
  double m = run->values[0], n = run->values[1];
  roof_status status = rf_operands_prepare(run, m, n, m * n, 0, error);
  if (status == ROOF_OK) {
    rf_operands_start(run, (size_t)(m * n));
  }
  return status;
}

static void ger_part(const roof_kernel_run *run, int thread, int threads) {
  const rf_operands *o = run->state;
  size_t n = (size_t)run->values[1];
  rf_share rows = rf_share_rows((size_t)run->values[0], thread, threads);
  for (size_t i = rows.begin; i < rows.end; i++) {
    o->loops->axpy[o->stream](rf_data_at(o->in[0], run->dtype, i), o->in[1], rf_element(run, o->out, i * n),
                              n);
  }
}

static void ger_execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, ger_part);
}

static void ger_algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  (void)cores;
  out->rows = run->values[0];
}

/** One rounding when fused, two when not. */
static double ger_reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const rf_operands *o = run->state;
  size_t n = (size_t)run->values[1];
  double product = rf_data_at(o->in[0], run->dtype, i / n) * rf_data_at(o->in[1], run->dtype, i % n);
  double a = rf_operands_started(run, i);
  *tolerance = 2 * rf_kernel_epsilon(run->dtype) * (fabs(a) + fabs(product));
  return a + product;
}

static size_t elements(const roof_kernel_run *run) {
  return (size_t)(run->values[0] * run->values[1]);
}

static roof_status ger_check(roof_kernel_run *run, roof_error *error) {
  return rf_kernel_compare(run, elements(run), elements(run), ger_reference, error);
}

/* A block of A is TALL x WIDE where its registers are lines of B: as many streams as hardware fetches ahead. Else it is LINES
 * lines each way, turned in the cache, and the program fetches ahead. */
enum { TALL = 32, WIDE = 64, LINE = 64, LINES = 4 };

static size_t line_of(const roof_kernel_run *run) {
  return LINE / (size_t)roof_dtype_bytes(run->dtype);
}

/** What a thread keeps of each row of B: its last elements, of a line that is not complete. */
static double kept_elements(const roof_kernel_run *run) {
  return run->values[1] * (double)line_of(run);
}

/** Whether rows of B are whole lines. */
static bool is_of_lines(const roof_kernel_run *run) {
  return fmod(run->values[0], (double)line_of(run)) == 0;
}

static roof_status transpose_prepare(roof_kernel_run *run, roof_error *error) {
  double count = run->values[0] * run->values[1];
  double kept = is_of_lines(run) ? 0 : run->threads * kept_elements(run) * roof_dtype_bytes(run->dtype);
  return rf_operands_prepare(run, count, 0, count, kept, error);
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/** Rows of A from `i` on, of a thread's part of A: a block of them is turned in the first cache. */
typedef struct band {
  rf_share rows, columns;
  size_t i, tall, wide; /**< of blocks from row i on */
  void *kept;           /**< nullable: lines of B are stored when they are complete */
} band;

/** The elements of row `j` of B that are stored now, counted from those of the band: `turned` are those, a line
 *  before them what was kept. */
static void store_row(const roof_kernel_run *run, const band *b, size_t j, const void *turned) {
  const rf_operands *o = run->state;
  size_t at = j * (size_t)run->values[0] + b->i, line = line_of(run), end = b->i + b->tall;
  size_t before = b->kept != NULL && b->i > b->rows.begin ? at % line : 0;
  size_t after = b->kept != NULL && end < b->rows.end ? (at + b->tall) % line : 0;
  const void *from = rf_element(run, turned, line - before);
  o->loops->copy[o->stream](rf_element(run, o->out, at - before), from, from, before + b->tall - after);
}

/** Towards the second cache, the same rows of the block that is turned next. */
static void fetch_ahead(const roof_kernel_run *run, const band *b, size_t j, size_t first) {
  const rf_operands *o = run->state;
  bool ends = first + b->wide >= b->columns.end;
  size_t column = ends ? b->columns.begin : first + b->wide, row = b->i + j + (ends ? b->tall : 0);
  size_t end = smaller(row + (size_t)o->loops->lanes, b->rows.end),
         wide = smaller(b->wide, b->columns.end - column);
  for (; row < end; row++) {
    const char *at = rf_element(run, o->in[0], row * (size_t)run->values[1] + column);
    for (size_t byte = 0; byte < wide * (size_t)roof_dtype_bytes(run->dtype); byte += LINE) {
      __builtin_prefetch(at + byte, 0, 2);
    }
  }
}

/** The columns of a band from `first` on. */
static void transpose_block(const roof_kernel_run *run, const band *b, size_t first, size_t wide) {
  const rf_operands *o = run->state;
  size_t columns = (size_t)run->values[1], line = line_of(run), pitch = line + LINES * line;
  size_t registers = line / (size_t)o->loops->lanes;
  void *kept = rf_element(run, b->kept, first * line);
  _Alignas(LINE) char turned[LINES * (LINES + 1) * LINE * LINE / sizeof(float)];
  if (b->kept != NULL) {
    o->loops->pack(kept, line, wide, registers, turned, pitch);
  }
  for (size_t j = 0; j < b->tall; j += (size_t)o->loops->lanes) {
    fetch_ahead(run, b, j, first);
    o->loops->turn[0](rf_element(run, o->in[0], (b->i + j) * columns + first), columns,
                      smaller((size_t)o->loops->lanes, b->tall - j), wide, rf_element(run, turned, line + j),
                      pitch);
  }
  if (is_of_lines(run)) {
    (o->stream ? o->loops->pack_past : o->loops->pack)(
        rf_element(run, turned, line), pitch, wide, b->tall / (size_t)o->loops->lanes,
        rf_element(run, o->out, first * (size_t)run->values[0] + b->i), (size_t)run->values[0]);
    return;
  }
  for (size_t j = 0; j < wide; j++) {
    store_row(run, b, first + j, rf_element(run, turned, j * pitch));
  }
  if (b->kept != NULL) {
    o->loops->pack(rf_element(run, turned, b->tall), pitch, wide, registers, kept, line);
  }
}

/** Whether registers are stored as they are turned: where each is a whole line of B. */
static bool is_direct(const roof_kernel_run *run) {
  const rf_operands *o = run->state;
  return (size_t)o->loops->lanes == line_of(run) && is_of_lines(run);
}

static void transpose_band(const roof_kernel_run *run, const band *b) {
  const rf_operands *o = run->state;
  size_t rows = (size_t)run->values[0], columns = (size_t)run->values[1], end = b->columns.end;
  bool direct = is_direct(run);
  for (size_t first = b->columns.begin; first < end; first += b->wide) {
    size_t wide = smaller(b->wide, end - first);
    if (direct) {
      o->loops->turn[o->stream](rf_element(run, o->in[0], b->i * columns + first), columns, b->tall, wide,
                                rf_element(run, o->out, first * rows + b->i), rows);
    } else {
      transpose_block(run, b, first, wide);
    }
  }
}

/** The part of a thread: some columns, so that it writes rows of B to their end, or rows where these are more. */
static band part_of(const roof_kernel_run *run, int thread, int threads) {
  size_t rows = (size_t)run->values[0], columns = (size_t)run->values[1];
  size_t wide = is_direct(run) ? WIDE : LINES * line_of(run);
  bool by_columns = columns >= (size_t)threads * wide;
  return (band){.wide = wide,
                .rows = rf_share_of(rows, by_columns ? 0 : thread, by_columns ? 1 : threads),
                .columns = rf_share_of(columns, by_columns ? thread : 0, by_columns ? threads : 1)};
}

static void transpose_part(const roof_kernel_run *run, int thread, int threads) {
  const rf_operands *o = run->state;
  bool keeps = o->stream && o->scratch != NULL;
  size_t tall = is_direct(run) ? TALL : LINES * line_of(run);
  band b = part_of(run, thread, threads);
  b.kept = keeps ? rf_element(run, o->scratch, (size_t)thread * (size_t)kept_elements(run)) : NULL;
  for (b.i = b.rows.begin; b.i < b.rows.end; b.i += tall) {
    b.tall = smaller(tall, b.rows.end - b.i);
    transpose_band(run, &b);
  }
  o->loops->fence();
}

static void transpose_execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, transpose_part);
}

static double transpose_reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const rf_operands *o = run->state;
  size_t rows = (size_t)run->values[0], columns = (size_t)run->values[1];
  *tolerance = 0;
  return rf_data_at(o->in[0], run->dtype, i % rows * columns + i / rows);
}

static roof_status transpose_check(roof_kernel_run *run, roof_error *error) {
  return rf_kernel_compare(run, elements(run), elements(run), transpose_reference, error);
}

static const roof_kernel kernels[] = {
    {.name = "ger",
     .op = "ger",
     .variant = "",
     .summary = "A = A + x y', one row at a time",
     .sizes = "m=16384 n=24576",
     .quick_sizes = "m=16384 n=12288",
     RF_NATIVE,
     .algorithm = ger_algorithm,
     .prepare = ger_prepare,
     .execute = ger_execute,
     .check = ger_check},
    {.name = "transpose",
     .op = "transpose",
     .variant = "",
     .summary = "B = A', in blocks turned in the cache",
     .sizes = "rows=16384 cols=12288",
     .quick_sizes = "rows=8192 cols=12288",
     RF_NATIVE,
     .prepare = transpose_prepare,
     .execute = transpose_execute,
     .check = transpose_check},
};

const rf_kernel_family rf_kernels_matrix = {kernels, sizeof kernels / sizeof kernels[0]};
