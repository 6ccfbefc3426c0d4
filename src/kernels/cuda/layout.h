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

/* The descriptor of a matrix for tcgen05, k along its rows ("Shared memory descriptor"): bits 46 to 48 are
 * 0b001, 61 to 63 the swizzle, of 128 bytes. */
#define MATRIX_5(address, stride)                                                                            \
  ((uint64_t)(((address)&0x3FFFF) >> 4) | (uint64_t)((stride) >> 4) << 32 | (uint64_t)1 << 46 |              \
   (uint64_t)2 << 61)

/* What a tcgen05.mma multiplies ("Instruction descriptor"): sums in fp16 (0), fp32 (1) or int32 (2), factors
 * of one type, rows and columns of the product. With scales bits 4 and 5 choose a byte of them, and bit 23 is
 * 1 for ue8m0, 0 for ue4m3: `sums` is then 0. */
#define PRODUCT_5_OF(sums, factor, rows, columns)                                                            \
  ((uint32_t)(sums) << 4 | (uint32_t)(factor) << 7 | (uint32_t)(factor) << 10 |                              \
   (uint32_t)((columns) >> 3) << 17 | (uint32_t)((rows) >> 4) << 24)

/* Of fp4 with scales: 96 numbers along k in place of 64. */
#define PRODUCT_5_OF_96 ((uint32_t)1 << 31)

#endif
