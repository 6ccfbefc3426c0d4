/** What a kernel's name says of the unit that it multiplies on: names of NVIDIA's and AMD's libraries. */
#ifndef IMPORT_KERNEL_NAME_H
#define IMPORT_KERNEL_NAME_H

#include "documents/scan.h"
#include "roofline/dtype.h"

/** -1 where the name does not say. */
typedef struct kernel_says {
  signed char unit;  /**< a roof_unit */
  signed char dtype; /**< a roof_dtype: what is multiplied on the matrix unit */
} kernel_says;

kernel_says rf_kernel_name_says(rf_span name);

/** FLOPs of one matrix instruction of a warp, NaN: the name does not say its shape. */
double rf_kernel_name_instruction(rf_span name);

#endif
