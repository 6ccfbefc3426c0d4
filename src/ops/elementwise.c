/* Activations and the like: a fixed count of FLOPs per element, each array moved once. */
#include "ops/row.h"
#include "ops/values.h"

/** A function of each element, of one input or of two. */
static void function_work(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  unary_work(op, v, t, w);
  w->kernel.group = 1;
}

/** An operator, whose host has no module to call: shorter, for PyTorch on six GPUs (NeuSight: add and mul). */
static void residual(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  binary_work(op, v, t, w);
  w->kernel.count = 0.85;
}

static void gated_work(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  binary_work(op, v, t, w);
  w->kernel.group = 2;
}

static void activation(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  double n = v[RF_ACTIVATION_ELEMENTS], gated = v[RF_ACTIVATION_GATED];
  map_work(op, n, 1 + gated, t, w);
  w->flops = n * (v[RF_ACTIVATION_FLOPS] + gated);
  w->kernel.group = 1 + gated;
}

/** Gradient and weight in the activations' format; master weights (of narrow ones) and both moments in fp32. */
static void adam(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  double n = v[RF_ELEMENTS], a = roof_dtype_bytes(t->compute), state = rf_adam_bytes(a);
  w->flops = op->flops_per_element * n;
  w->read_bytes = n * (a + (a < 4 ? state : state + a));
  w->write_bytes = n * (state + a);
  w->working_set = n * (2 * a + state);
}

#define MAPPED(function, op_name, count, text, meaning, origin)                                              \
  {                                                                                                          \
    .name = op_name, .family = "elementwise", .summary = meaning, .unit = ROOF_VECTOR, .flops = text,        \
    .bytes = "n * (a + o)", .flops_per_element = count, .source = origin, .work = function,                  \
    .params = PARAMS(COUNT("n", "elements"))                                                                 \
  }

#define UNARY(...) MAPPED(unary_work, __VA_ARGS__)
#define FUNCTION(...) MAPPED(function_work, __VA_ARGS__)

#define GATED(op_name, count, text, meaning, counted)                                                        \
  {                                                                                                          \
    .name = op_name, .family = "elementwise", .summary = meaning, .unit = ROOF_VECTOR, .flops = text,        \
    .bytes = "n * (2 * a + o)", .flops_per_element = count,                                                  \
    .source = "Shazeer 2020 (gated units); " counted, .work = gated_work,                                    \
    .params = PARAMS(COUNT("n", "results"))                                                                  \
  }

static const roof_op ops[] = {
    UNARY("relu", 1, "n", "y = max(x, 0)", "1 FLOP: the comparison"),
    FUNCTION("gelu", 12, "12 * n", "y = x Phi(x), tanh form",
             "Hendrycks and Gimpel 2016, tanh form; 12 FLOP with tanh counted as 5"),
    FUNCTION("silu", 4, "4 * n", "y = x sigmoid(x)",
             "Elfwing et al. 2018; negate, exp, add, divide-multiply: 4 FLOP"),
    UNARY("relu2", 2, "2 * n", "y = max(x, 0)^2", "So et al. 2021 (Primer); comparison and square: 2 FLOP"),
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
     .work = residual,
     .params = PARAMS(COUNT("n", "elements"))},
    GATED("swiglu", 5, "5 * n", "y = silu(x) z: a gated unit's activation, both halves read",
          "silu 4, product 1"),
    GATED("geglu", 13, "13 * n", "y = gelu(x) z: a gated unit's activation, both halves read",
          "gelu 12, product 1"),
    {.name = "activation",
     .family = "elementwise",
     .summary = "y = f(x), or f(x) times a second input (gated)",
     .unit = ROOF_VECTOR,
     .flops = "n * (flops + gated)",
     .bytes = "n * ((1 + gated) * a + o)",
     .flops_per_element = NAN,
     .source = "Shazeer 2020 (gated units); a product: 1 FLOP",
     .work = activation,
     .params = PARAMS([RF_ACTIVATION_ELEMENTS] = COUNT("n", "results"),
                      [RF_ACTIVATION_FLOPS] = {.name = "flops",
                                               .kind = ROOF_PARAM_AMOUNT,
                                               .fallback = NAN,
                                               .text = "FLOPs of f for an element: silu 4, gelu 12, relu 1"},
                      [RF_ACTIVATION_GATED] = {.name = "gated",
                                               .kind = ROOF_PARAM_FLAG,
                                               .fallback = 0,
                                               .text = "1: times a second input"})},
    {.name = "adam",
     .family = "elementwise",
     .summary = "the optimizer's step in mixed precision: gradient, weight, master weight, two moments",
     .unit = ROOF_VECTOR,
     .flops = "12 * n",
     .bytes = "n * (2 * a + (a < 4 ? 24 : 16 + a))",
     .flops_per_element = 12,
     .source = "Kingma and Ba 2015, algorithm 1: both moments 3 + 4, root, quotient, sum, product, "
               "difference, both "
               "corrections in the step's size; Micikevicius et al. 2018, section 3.1 (fp32 states)",
     .work = adam,
     .params = PARAMS([RF_ELEMENTS] = COUNT("n", "parameters"))},
};

FAMILY(elementwise);
