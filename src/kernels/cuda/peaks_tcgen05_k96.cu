// targets: sm_103a
/* fp4 by 96 numbers at a time, which B300 has: two steps of 48 bytes in a line of 128, with scales of one. */
#include "peaks_tcgen05.cuh"

#define PRODUCT_96(group, rows)                                                                              \
  PRODUCT_5_SCALED(group, "mxf4nvf4.block_scale.block16", memory, MATRIX_5(a + 48 * k, 1024),                \
                   MATRIX_5(b + 48 * k, 1024), PRODUCT_5_OF(0, 1, rows, PEAK5_N) | PRODUCT_5_OF_96,          \
                   memory + OF_A, memory + OF_A + 128, round + k > 0)

PEAK_5(peak_tcgen05_fp4_k96, 1, float, 2, load_ones(memory), PRODUCT_96("1", PEAK5_M))
PEAK_5(peak_tcgen05_fp4_k96_pair, 2, float, 2, load_ones(memory), PRODUCT_96("2", 2 * PEAK5_M))
