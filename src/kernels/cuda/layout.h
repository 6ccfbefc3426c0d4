/** Where numbers of a tile lie in shared memory: used by the kernels, checked by the tests. */
#ifndef KERNELS_CUDA_LAYOUT_H
#define KERNELS_CUDA_LAYOUT_H

/* What the copy engine calls a swizzle of 128 bytes: in a box whose rows are 128 bytes, row r keeps its chunk
 * c of 16 bytes at c ^ (r % 8). */
#define SWIZZLED(row, chunk) ((row)*128 + (((chunk) ^ ((row)&7)) << 4))

/* The descriptor of a matrix in such boxes (PTX ISA, "Matrix Descriptor Format"): address, leading and stride
 * offsets in units of 16 bytes, 1 << 62 for the swizzle. k along the rows: `leading` is not used, `stride`
 * leads to the next 8 rows. n along the rows: `leading` leads to the next box, `stride` to the next 8 values
 * of k. */
#define MATRIX(address, leading, stride)                                                                     \
  ((uint64_t)(((address)&0x3FFFF) >> 4) | (uint64_t)((leading) >> 4) << 16 |                                 \
   (uint64_t)((stride) >> 4) << 32 | (uint64_t)1 << 62)

#endif
