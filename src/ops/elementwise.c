/* Activations and the like: a fixed count of FLOPs per element, each array moved once. */
#include "ops/row.h"

#define UNARY(op_name, count, text, meaning, origin)                                                         \
  {                                                                                                          \
    .name = op_name, .family = "elementwise", .summary = meaning, .unit = ROOF_VECTOR, .flops = text,        \
    .bytes = "n * (a + o)", .flops_per_element = count, .source = origin, .work = unary_work, .params = {    \
      COUNT("n", "elements")                                                                                 \
    }                                                                                                        \
  }

static const roof_op ops[] = {
    UNARY("relu", 1, "n", "y = max(x, 0)", "1 FLOP: the comparison"),
    UNARY("gelu", 12, "12 * n", "y = x Phi(x), tanh form",
          "Hendrycks and Gimpel 2016, tanh form; 12 FLOP with tanh counted as 5"),
    UNARY("silu", 4, "4 * n", "y = x sigmoid(x)",
          "Elfwing et al. 2018; negate, exp, add, divide-multiply: 4 FLOP"),
    UNARY("dropout", 2, "2 * n", "y = x mask / (1 - p)",
          "Srivastava et al. 2014; compare and scale: 2 FLOP; the mask is drawn, not moved"),
    {.name = "residual",
     .family = "elementwise",
     .summary = "y = x + f(x): the residual add",
     .unit = ROOF_VECTOR,
     .flops = "n",
     .bytes = "n * (2 * a + o)",
     .flops_per_element = 1,
     .source = "He et al. 2016, residual connection; 1 FLOP: the add",
     .work = binary_work,
     .params = {COUNT("n", "elements")}},
};

FAMILY(elementwise);
