/* Row operations: each row is read once (it stays on chip between its passes) and written once. The vectors
 * of scale and shift (one element a column) are not counted: they vanish beside the rows. */
#include "ops/row.h"

static void rows_work(const roof_op *op, const double *v, const roof_types *types, roof_work *work) {
  map_work(op, v[0] * v[1], 1, types, work);
}

#define ROWS(op_name, count, text, meaning, origin)                                                          \
  {                                                                                                          \
    .name = op_name, .family = "norm", .summary = meaning, .unit = ROOF_VECTOR, .flops = text,               \
    .bytes = "rows * cols * (a + o)", .flops_per_element = count, .source = origin, .work = rows_work,       \
    .params = {                                                                                              \
      COUNT("rows", "rows"),                                                                                 \
      COUNT("cols", "elements of a row")                                                                     \
    }                                                                                                        \
  }

static const roof_op ops[] = {
    ROWS("softmax", 5, "5 * rows * cols", "each row: exp(x - max) / sum",
         "5 FLOP per element: max, subtract, exp, add, divide"),
    ROWS("layernorm", 8, "8 * rows * cols", "each row: (x - mean) / deviation, scaled and shifted",
         "Ba et al. 2016; 8 FLOP per element: mean 1, variance 3, normalise 2, scale and shift 2"),
    ROWS("rmsnorm", 5, "5 * rows * cols", "each row: x / root mean square, scaled",
         "Zhang and Sennrich 2019; 5 FLOP per element: square, sum, mean, scale by 1/rms, scale by gain"),
    ROWS("batchnorm", 8, "8 * rows * cols", "each column over the rows: normalised, scaled and shifted",
         "Ioffe and Szegedy 2015; 8 FLOP per element, as layernorm"),
};

FAMILY(norm);
