/** At which sizes the kernels of the loop run, and which kernels calibrate. */
#ifndef LOOP_PLAN_H
#define LOOP_PLAN_H

#include "roofline/loop.h"

/** A shape of a kernel whose data a level of targets[cores] holds, these cores sharing them, no larger than `most`, a shape
 *  of the kernel; "" where the level is not apart from those inside it, nothing fits, or one of several cores would compute
 *  it alone.
 *  Units: none.
 *  Ownership: fills the caller's `shape` (ROOF_LOOP_SHAPE).
 *  Errors: ROOF_E_MEMORY, ROOF_E_NAME for a kernel of an operation that there is not. */
roof_status rf_plan_shape(const roof_kernel *kernel, const roof_target *targets, roof_loop_cores cores,
                          roof_level_kind level, const char *most, char *shape, roof_error *error);

/** Kernel `index` of those that calibrate: what differs in arithmetic, mix of reads and writes, or rows.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL beyond the last. */
const roof_kernel *rf_plan_calibrates(int index);

#endif
