/** What the rows of several families share: parameters, and work that touches each element once. */
#ifndef OPS_ROW_H
#define OPS_ROW_H

#include <math.h>

#include "core/dtype.h"
#include "ops/ops.h"

#define COUNT(parameter, meaning)                                                                            \
  { .name = parameter, .kind = ROOF_PARAM_COUNT, .fallback = NAN, .text = meaning }

#define COUNT_OR(parameter, value, meaning)                                                                  \
  { .name = parameter, .kind = ROOF_PARAM_COUNT, .fallback = value, .text = meaning }

/** An operation's parameters, and what ends them. */
#define PARAMS(...)                                                                                          \
  (const roof_param[]) {                                                                                     \
    __VA_ARGS__, {                                                                                           \
      .name = NULL                                                                                           \
    }                                                                                                        \
  }

/** What a product does to its results in the same kernel. */
#define FLOPS_OF_RESULTS "2 * batch * in * out + batch * out / (1 + gated) * (activation + gated)"
#define ACTIVATION_OF_RESULTS                                                                                \
  {                                                                                                          \
    .name = "activation", .kind = ROOF_PARAM_AMOUNT, .fallback = 0,                                          \
    .text = "FLOPs of f for each result, 0: none"                                                            \
  }
#define GATED_RESULTS                                                                                        \
  {                                                                                                          \
    .name = "gated", .kind = ROOF_PARAM_FLAG, .fallback = 0,                                                 \
    .text = "1: f of one half of the result is multiplied with the other"                                    \
  }

#define FAMILY(stem) const rf_op_family rf_family_##stem = {ops, sizeof ops / sizeof ops[0]}

/** `elements` results, each from one element of each of `inputs` arrays. */
static inline void map_work(const roof_op *op, double elements, double inputs, const roof_types *types,
                            roof_work *work) {
  work->flops = op->flops_per_element * elements;
  work->read_bytes = inputs * elements * rf_dtype_bytes(types->compute);
  work->write_bytes = elements * rf_dtype_bytes(types->output);
  work->working_set = work->read_bytes + work->write_bytes;
}

/** One input and one output of `n` elements. */
static inline void unary_work(const roof_op *op, const double *v, const roof_types *types, roof_work *work) {
  map_work(op, v[0], 1, types, work);
}

/** Two inputs and one output of `n` elements. */
static inline void binary_work(const roof_op *op, const double *v, const roof_types *types, roof_work *work) {
  map_work(op, v[0], 2, types, work);
}

/** The softmax of each row and its `kept` largest. */
static inline void choice_work(double rows, double columns, double kept, const roof_types *types,
                               roof_work *work) {
  work->flops = 5 * rows * columns;
  work->read_bytes = rows * columns * rf_dtype_bytes(types->compute);
  work->write_bytes = rows * kept * rf_dtype_bytes(types->output);
  work->working_set = work->read_bytes + work->write_bytes;
}

/** C (rows x columns) = A (rows x inner) B (inner x columns), `batch` times: A activations, B weights. */
static inline void product_work(double rows, double columns, double inner, double batch,
                                const roof_types *types, roof_work *work) {
  double a = rf_dtype_bytes(types->compute), o = rf_dtype_bytes(types->output);
  double w = rf_weight_bytes(types, 1);
  work->flops = 2 * rows * columns * inner * batch;
  work->weight_bytes = batch * inner * columns * w;
  work->read_bytes = batch * inner * (rows * a + columns * w);
  work->write_bytes = batch * rows * columns * o;
  work->working_set = work->read_bytes + work->write_bytes;
  work->no_reuse_bytes = batch * rows * columns * inner * (a + w);
  work->kernel = (roof_kernel_shape){
      .kind = ROOF_KERNEL_PRODUCT, .count = batch, .rows = rows, .columns = columns, .depth = inner};
}

#endif
