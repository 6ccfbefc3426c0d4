/** The bytes that a kernel moves on an accelerator: a product of matrices from how its work-groups divide the result,
 *  others from how often they pass over their operands. */
#ifndef KERNELS_DEVICE_TRAFFIC_H
#define KERNELS_DEVICE_TRAFFIC_H

#include "kernels/device/_device.h"

/** How work-groups and work-items divide C, and what that asks of shared memory or the first cache. */
typedef struct rf_device_tiling {
  int tall, wide;    /**< elements of C of a work-group */
  bool rows_first;   /**< neighbouring work-groups lie below each other */
  int rows, columns; /**< elements of C of a work-item; 0: of no one work-item, as on tensor cores */
  int resident;      /**< work-groups on a unit at once: 2048 work-items, 64 Ki registers */
  int turns[2]; /**< of 128 bytes, for a step in depth of 32 work-items: elements of up to 4 bytes, of 8 */
  double asked; /**< without work-items: elements for each multiply-add */
} rf_device_tiling;

/** How the product is done on these units: bytes by level, and on a processor the arithmetic that it can use.
 *  Units: bytes, FLOP per cycle. Ownership: fills *out. Errors: none: unknown where a figure is. */
void rf_device_gemm_algorithm(const roof_kernel_run *run, const roof_target *units,
                              const rf_device_tiling *tiling, roof_algorithm *out);

/** Each level outside the first supplies `bytes`, unless the cache inside it holds `kept` bytes from one pass over
 *  the operands to the next: then the fewest.
 *  Units: bytes. Ownership: fills out->level_bytes. Errors: none. */
void rf_device_passes(const roof_target *units, double bytes, double kept, roof_algorithm *out);

#endif
