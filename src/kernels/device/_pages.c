/* Keys and values in pages that lie in no order. What the reference reads, in one piece, is kept as the scratch. */
#include "kernels/device/_pages.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/data.h"

enum { BATCH, HEADS, Q_LEN, KV_LEN, HEAD_DIM, KV_HEADS };
enum { ORDER = 4 }; /* seed */

/** Pages of a sequence. */
static size_t pages_of(const roof_kernel_run *run, int page) {
  return (size_t)ceil(run->values[KV_LEN] / page);
}

double rf_pages_values_at(const roof_kernel_run *run, int page) {
  const double *v = run->values;
  return v[BATCH] * (double)pages_of(run, page) * page * v[KV_HEADS] * v[HEAD_DIM];
}

/** The numbers below `count`, shuffled. */
static void shuffle(int32_t *table, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t other = (size_t)(fabs(rf_random_at(ORDER, i)) * (double)i);
    table[i] = table[other];
    table[other] = (int32_t)i;
  }
}

/** Copies K or V, sequences x heads x keys, into pages. */
static void fill(const roof_kernel_run *run, int page, const int32_t *table, const char *from, char *to) {
  const double *v = run->values;
  size_t heads = (size_t)v[KV_HEADS], keys = (size_t)v[KV_LEN], rows = (size_t)v[BATCH] * heads * keys;
  size_t bytes = (size_t)(v[HEAD_DIM] * roof_dtype_bytes(run->dtype)), own = pages_of(run, page);
  for (size_t row = 0; row < rows; row++) {
    size_t key = row % keys, head = row / keys % heads, sequence = row / keys / heads;
    size_t in = (size_t)table[sequence * own + key / (size_t)page] * (size_t)page + key % (size_t)page;
    memcpy(to + (in * heads + head) * bytes, from + row * bytes, bytes);
  }
}

roof_status rf_pages_prepare(roof_kernel_run *run, int page, roof_error *error) {
  roof_status status = rf_device_prepare(run, error);
  if (status != ROOF_OK) {
    return status;
  }
  rf_operands *o = run->state;
  size_t half = (size_t)(rf_pages_values_at(run, page) * roof_dtype_bytes(run->dtype));
  size_t count = (size_t)run->values[BATCH] * pages_of(run, page), bytes = 2 * half + count * sizeof(int32_t);
  void *paged;
  status = rf_data_new(run->kernel->name, (double)bytes, &paged, error);
  if (status != ROOF_OK) {
    return status;
  }
  memset(paged, 0xFF, bytes); /* NaN behind the last key */
  int32_t *table = (int32_t *)(void *)((char *)paged + 2 * half);
  shuffle(table, count);
  fill(run, page, table, o->in[1], paged);
  fill(run, page, table, (const char *)o->in[1] + (size_t)o->bytes[1] / 2, (char *)paged + half);
  free(o->scratch);
  o->scratch = o->in[1];
  o->in[1] = paged;
  o->bytes[1] = (double)bytes;
  return ROOF_OK;
}

roof_status rf_pages_check(roof_kernel_run *run, roof_error *error) {
  rf_operands *o = run->state;
  void *paged = o->in[1];
  o->in[1] = o->scratch;
  roof_status status = rf_device_check(run, error);
  o->in[1] = paged;
  return status;
}
