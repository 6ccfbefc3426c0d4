/** Kernels on vectors of `n` elements: element i of the output from element i of the inputs alone. */
#ifndef KERNELS_MAP_H
#define KERNELS_MAP_H

#include "kernels/kernels.h"

/** One such kernel, the `detail` of its row. */
typedef struct rf_map {
  int inputs;  /**< arrays read, without the output: 0 to 2 */
  bool update; /**< the output is read too; it takes the place of the second input in `reference` */
  void (*part)(const rf_operands *operands, const void *a, const void *b, void *out, size_t count);
  /** The result, and the magnitude that the tolerance is relative to. */
  double (*reference)(double a, double b, double *magnitude);
  double roundings; /**< tolerance in epsilons of the magnitude */
} rf_map;

/** The functions of such a row. */
#define RF_MAP(map)                                                                                          \
  RF_NATIVE, .detail = map, .prepare = rf_map_prepare, .execute = rf_map_execute, .check = rf_map_check

roof_status rf_map_prepare(roof_kernel_run *run, roof_error *error);
void rf_map_execute(roof_kernel_run *run);

/** Every element is compared. */
roof_status rf_map_check(roof_kernel_run *run, roof_error *error);

#endif
