/** PyTorch's operators as operations of ours: their work from the shapes and types that a trace records. */
#ifndef IMPORT_TORCH_H
#define IMPORT_TORCH_H

#include "import/_chrome.h"
#include "roofline/work.h"

/** Why an operator's work is known or not. */
typedef enum torch_known {
  TORCH_KNOWN,
  TORCH_NO_FORMULA, /**< none for this operator */
  TORCH_NO_SHAPES,  /**< the trace does not record them */
  TORCH_MISFIT      /**< shapes or types that are not the operator's, or that it cannot do without */
} torch_known;

/** The work of one call of an operator. */
typedef struct torch_work {
  torch_known known;
  double flops; /**< NaN: not counted */
  double bytes; /**< each tensor once */
  double each;  /**< FLOPs per element that our operation does not fix, 0: it does */
  roof_dtype dtype;
  roof_unit unit;
  bool product;   /**< multiplies matrices: fp32 may be tf32 */
  bool wraps;     /**< only when no operator inside it accounts for kernels */
  bool estimated; /**< part of it is assumed */
  bool untyped;   /**< `bytes` are elements, and so are FLOPs of no format: the kernel's name says which */
  const char *op; /**< our operation, or its name; static */
} torch_work;

/** What a trace records of an operator's call: the texts of JSON lists, absent where it does not. */
typedef struct torch_call {
  rf_span name, shapes, types, values;
} torch_call;

/** True when there is a formula for the operator; *values: the formula reads the arguments' values. */
bool rf_torch_has_formula(rf_span name, bool *values);

torch_work rf_torch_work_of(const torch_call *call);

/** Bytes of the elements that a kernel's name says it works on, 0: it does not; *dtype: their format. PyTorch
 *  names the type first among the template's arguments: "BinaryOpListAlphaFunctor<float, ...", "OpaqueType<2u>". */
double rf_torch_type_in(rf_span kernel, roof_dtype *dtype);

/** Bytes a collective moves through a link of one rank, one way: `name` as NCCL has it ("allreduce"),
 *  elements and type as Kineto records them. NaN when that does not follow. */
double rf_torch_collective_bytes(rf_span name, rf_span type, double in, double out, double ranks);

#endif
