/* Activations of a network. */
#include <math.h>

#include "kernels/_map.h"

static void relu_part(const rf_operands *o, const void *a, const void *b, void *out, size_t count) {
  (void)b;
  o->loops->relu[o->stream](a, out, count);
}

static double relu_reference(double a, double b, double *magnitude) {
  (void)b;
  (void)magnitude;
  return fmax(a, 0);
}

static void gelu_part(const rf_operands *o, const void *a, const void *b, void *out, size_t count) {
  (void)b;
  o->loops->gelu[o->stream](a, out, count);
}

static double gelu_reference(double a, double b, double *magnitude) {
  (void)b;
  double inner = sqrt(2 / acos(-1)) * (a + 0.044715 * a * a * a);
  *magnitude = fabs(a);
  return 0.5 * a * (1 + tanh(inner));
}

static void silu_part(const rf_operands *o, const void *a, const void *b, void *out, size_t count) {
  (void)b;
  o->loops->silu[o->stream](a, out, count);
}

static double silu_reference(double a, double b, double *magnitude) {
  (void)b;
  *magnitude = fabs(a);
  return a / (1 + exp(-a));
}

/* The gate's limit, sign, sum and quotient; the cubic argument of gelu takes four more. */
static void silu_algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  (void)cores;
  rf_exponentials_algorithm(run, run->values[0], 4, 2, 0, out);
}

static void gelu_algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  (void)cores;
  rf_exponentials_algorithm(run, run->values[0], 8, 2, 0, out);
}

/* Roundings of the argument, the exponential, the sum and the quotient: at most 8. */
static const rf_map relu = {1, false, relu_part, relu_reference, 0};
static const rf_map gelu = {1, false, gelu_part, gelu_reference, 8};
static const rf_map silu = {1, false, silu_part, silu_reference, 8};

static const roof_kernel kernels[] = {
    {.name = "relu",
     .op = "relu",
     .variant = "",
     .summary = "y = max(x, 0)",
     .sizes = "n=201326592",
     .quick_sizes = "n=100663296",
     RF_MAP(&relu)},
    {.name = "gelu",
     .op = "gelu",
     .variant = "",
     .summary = "y = x Phi(x), tanh form",
     .sizes = "n=201326592",
     .quick_sizes = "n=100663296",
     .algorithm = gelu_algorithm,
     RF_MAP(&gelu)},
    {.name = "silu",
     .op = "silu",
     .variant = "",
     .summary = "y = x / (1 + e^-x)",
     .sizes = "n=201326592",
     .quick_sizes = "n=100663296",
     .algorithm = silu_algorithm,
     RF_MAP(&silu)},
};

const rf_kernel_family rf_kernels_elementwise = {kernels, sizeof kernels / sizeof kernels[0]};
