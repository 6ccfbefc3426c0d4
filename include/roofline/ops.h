/** The built-in operations: tables in src/ops, one file a family.
 *
 *  Example:
 *    for (int i = 0; i < roof_op_count(); i++) {
 *      printf("%s: %s\n", roof_op_at(i)->name, roof_op_at(i)->flops);
 *    } */
#ifndef ROOFLINE_OPS_H
#define ROOFLINE_OPS_H

#include "roofline/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Number of built-in operations.
 *  Units: count.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API int roof_op_count(void);

/** The built-in operation at `index` (0 to roof_op_count() - 1).
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL when out of range. */
ROOF_API const roof_op *roof_op_at(int index);

/** Finds a built-in operation by name.
 *  Units: none.
 *  Ownership: writes *op (static) on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_op_find(const char *name, const roof_op **op, roof_error *error);

/** The built-in operation that a kernel's name begins with, up to a blank or a hyphen: `gemm` of
 *  "gemm-blocked m=8 n=8 k=8".
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL when there is none. */
ROOF_API const roof_op *roof_op_of_kernel(const char *name);

#ifdef __cplusplus
}
#endif
#endif
