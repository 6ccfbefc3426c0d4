/** The kernels that measure tensor cores (src/kernels/cuda/peaks_*.cu): what they multiply, and the expected
 * sums. */
#ifndef MEASURE_CUDA_PEAKS_H
#define MEASURE_CUDA_PEAKS_H

#include "kernels/cuda/tiles.h"
#include "roofline/dtype.h"

/** A factor of 8 bits for a block of numbers along k. */
typedef struct peak_scale {
  int block;  /**< numbers to a scale, 0: no scales */
  bool power; /**< ue8m0, a power of two; else ue4m3 */
} peak_scale;

/** One kernel. */
typedef struct tensor_peak {
  roof_dtype dtype;
  roof_unit unit;
  const char *program, *entry, *isa;
  double flops;    /**< of a product */
  double products; /**< per block and round */
  unsigned shared; /**< bytes of shared memory given at launch */
  int blocks;      /**< per multiprocessor */
  int threads;     /**< of a block */
  int cluster;     /**< blocks that work together */
  int steps;       /**< of 32 bytes along k that a round multiplies, of the kernels that read shared memory */
  peak_scale scale;
  /** Each thread's sum after one round on `data` (PEAK_DATA bytes): `threads` of them. */
  void (*sums)(const struct tensor_peak *peak, const unsigned char *data, double *sums);
} tensor_peak;

/** Kernel number `index`, those of tcgen05 last.
 *  Units: none. Ownership: static. Errors: NULL when out of range. */
const tensor_peak *rf_tensor_peak_at(int index);

/** Random numbers for it, below one in size but for int8 and fp4, and scales of 0.5 to 2.
 *  Units: none. Ownership: fills PEAK_DATA bytes. Errors: none. */
void rf_tensor_peak_fill(const tensor_peak *peak, unsigned char *data);

#endif
