/* Rows of queries, keys or values (64 or 128 numbers of 16 bits) in shared memory. */
#ifndef KERNELS_CUDA_ROWS_CUH
#define KERNELS_CUDA_ROWS_CUH

#include "tensor.cuh"

/** Where a chunk of 16 bytes is in shared memory. A row is 128 or 256 bytes; its chunks are swizzled by the row's
 * number. The chunk two further is at the offset xor 32. */
INSIDE uint32_t offset(int row, int chunk, int dim) {
  return (uint32_t)(row * dim * 2 + ((chunk ^ (row & 7)) << 4));
}

/** All `threads` of a block copy `count` rows from row `first` on, of which there are `rows`; zeros behind them. */
INSIDE void fetch(uint32_t to, const bf16 *from, int first, int count, int rows, int dim, int threads) {
  int row = (int)threadIdx.x / (dim / 8), chunk = (int)threadIdx.x % (dim / 8), together = threads * 8 / dim;
  from += (size_t)first * dim + threadIdx.x * 8;
  to += offset(row, chunk, dim); /* rows copied together are a multiple of 8: all have the same swizzle */
#pragma unroll
  for (int i = 0; i < count / together; i++) {
    copy_async(to + i * together * dim * 2, from + i * together * dim,
               first + row + i * together < rows ? 16 : 0);
  }
}

#endif
