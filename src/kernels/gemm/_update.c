/* A few rows times B where it lies: some rows of B at a time pass once, as processors fetch ahead by themselves, and update
 * columns of C that stay in the second cache. */
#include <omp.h>
#include <string.h>

#include "kernels/_tile.h"
#include "kernels/gemm/_blocks.h"

/** C lies in rows a line apart, so that they do not share a place in the first cache, behind the part of A. */
static size_t part_bytes(const rf_gemm_sizes *s, size_t element) {
  return rf_round_up(s->m * RF_RANK * element, RF_LINE);
}

static size_t row_bytes(const rf_blocks *blocks, size_t element) {
  return rf_round_up(blocks->width * element, RF_LINE) + RF_LINE;
}

size_t rf_gemm_update_bytes(const roof_kernel_run *run, const rf_blocks *blocks) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  size_t element = (size_t)roof_dtype_bytes(run->dtype);
  return part_bytes(&s, element) + s.m * row_bytes(blocks, element);
}

/** Columns of A from p on, as many as there are up to RF_RANK. Returns how many. */
static int take_part(const roof_kernel_run *run, size_t p, size_t element, char *part) {
  const rf_operands *o = run->state;
  rf_gemm_sizes s = rf_gemm_shape(run);
  size_t rank = rf_smaller(RF_RANK, s.k - p);
  for (size_t i = 0; i < s.m; i++) {
    memcpy(part + i * RF_RANK * element, (const char *)o->in[0] + (i * s.k + p) * element, rank * element);
  }
  return (int)rank;
}

/** Columns of C from j on, in `room`. */
static void update_columns(const roof_kernel_run *run, const rf_blocks *blocks, size_t j, size_t columns,
                           char *room) {
  const rf_operands *o = run->state;
  rf_gemm_sizes s = rf_gemm_shape(run);
  size_t element = (size_t)roof_dtype_bytes(run->dtype), bytes = columns * element;
  size_t apart = row_bytes(blocks, element);
  char *kept = room + part_bytes(&s, element), *out = (char *)o->out + j * element;
  rf_update u = {
      .a = room, .b_stride = s.n, .c = kept, .c_stride = apart / element, .rows = s.m, .columns = columns};
  for (size_t i = 0; i < s.m && o->add; i++) {
    memcpy(kept + i * apart, out + i * s.n * element, bytes);
  }
  if (!o->add) {
    memset(kept, 0, s.m * apart);
  }
  for (size_t p = 0; p < s.k; p += RF_RANK) {
    u.rank = take_part(run, p, element, room);
    u.b = (const char *)o->in[1] + (p * s.n + j) * element;
    o->loops->update(&u);
  }
  for (size_t i = 0; i < s.m; i++) {
    memcpy(out + i * s.n * element, kept + i * apart, bytes);
  }
}

void rf_gemm_update(const roof_kernel_run *run, const rf_blocks *blocks, char *room) {
  size_t n = rf_gemm_shape(run).n, thread = (size_t)omp_get_thread_num();
  size_t threads = (size_t)omp_get_num_threads();
  room += thread * rf_gemm_update_bytes(run, blocks);
  for (size_t begin = thread * blocks->share; begin < n; begin += threads * blocks->share) {
    size_t end = rf_smaller(begin + blocks->share, n);
    for (size_t j = begin; j < end; j += blocks->width) {
      update_columns(run, blocks, j, rf_smaller(blocks->width, end - j), room);
    }
  }
}
