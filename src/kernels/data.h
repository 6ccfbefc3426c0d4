/** Memory for kernels and ceilings: large pages, random content, each thread touching first what it uses. */
#ifndef KERNELS_DATA_H
#define KERNELS_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "roofline/dtype.h"

/** A thread's part of `count` elements. */
typedef struct rf_share {
  size_t begin;
  size_t end;
} rf_share;

/** The part of thread `thread`, in whole blocks of 64 elements.
 *  Units: elements. Ownership: by value. Errors: none. */
rf_share rf_share_of(size_t count, int thread, int threads);

/** A thread's share of things that are long, rows or blocks of them: whole ones, as many as the others have, or one more.
 *  Units: things. Ownership: by value. Errors: none. */
rf_share rf_share_rows(size_t count, int thread, int threads);

/** Checks that `bytes` fit the memory that is free.
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: ROOF_E_UNSUPPORTED naming `what`, what it needs and what there is. */
roof_status rf_memory_check(const char *what, double bytes, roof_error *error);

/** What may be loaded behind the last of the data: a register of them begins with the last. */
enum { RF_DATA_BEYOND = 64 };

/** Allocates `bytes` on a large-page boundary, with zeros behind them, and asks for large pages.
 *  Units: bytes. Ownership: the caller frees with free(). Errors: as rf_memory_check, ROOF_E_MEMORY. */
roof_status rf_data_new(const char *what, double bytes, void **data, roof_error *error);

/** The number between -1 and 1 that `seed` has at `index`.
 *  Units: none. Ownership: none. Errors: none. */
double rf_random_at(uint64_t seed, size_t index);

/** The numbers below `count` in an order that `seed` shuffles.
 *  Units: none. Ownership: fills the caller's `order`. Errors: none. */
void rf_random_order(uint32_t *order, size_t count, uint64_t seed);

/** Fills data with the numbers of `seed`, in parallel; int8 holds 127 times them.
 *  Units: elements. Ownership: none. Errors: none. */
void rf_data_fill(void *data, roof_dtype dtype, size_t count, uint64_t seed, int threads);

/** Fills data with NaN (int8: -128, which no kernel produces), in parallel, so that an element that is not
 *  written is found.
 *  Units: elements.
 *  Ownership: none.
 *  Errors: none. */
void rf_data_poison(void *data, roof_dtype dtype, size_t count, int threads);

/** Stores a number, rounded to the format.
 *  Units: the data's. Ownership: none. Errors: none. */
void rf_data_set(void *data, roof_dtype dtype, size_t index, double value);

/** One element of fp16, bf16, fp8 (e4m3) or int8 data; NaN for int8's -128.
 *  Units: the data's. Ownership: none. Errors: none. */
double rf_data_narrow_at(const void *data, roof_dtype dtype, size_t index);

/** One element of fp64, fp32, fp16, bf16, fp8 or int8 data.
 *  Units: the data's. Ownership: none. Errors: none. */
static inline double rf_data_at(const void *data, roof_dtype dtype, size_t index) {
  return dtype == ROOF_FP64   ? ((const double *)data)[index]
         : dtype == ROOF_FP32 ? (double)((const float *)data)[index]
                              : rf_data_narrow_at(data, dtype, index);
}

#endif
