/** Tables of the operations room. */
#ifndef OPS_OPS_H
#define OPS_OPS_H

#include "roofline/ops.h"

/** One family of operations: `src/ops/NAME.c` exports `const rf_op_family roof_family_NAME`. */
typedef struct rf_op_family {
  const roof_op *ops;
  int count;
} rf_op_family;

#endif
