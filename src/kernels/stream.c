/* The four kernels of STREAM. Results are stored past the caches when these are too small for them. */
#include <math.h>

#include "kernels/_map.h"

static const double scalar = 0.75;

static void copy_part(const rf_operands *o, const void *a, const void *b, void *out, size_t count) {
  (void)b;
  o->loops->scale[o->stream](out, a, 1, count);
}

static double copy_reference(double a, double b, double *magnitude) {
  (void)b;
  (void)magnitude;
  return a;
}

static void scale_part(const rf_operands *o, const void *a, const void *b, void *out, size_t count) {
  (void)b;
  o->loops->scale[o->stream](out, a, scalar, count);
}

static double scale_reference(double a, double b, double *magnitude) {
  (void)b;
  *magnitude = fabs(scalar * a);
  return scalar * a;
}

/* The loop of triad multiplies by 1: memory is slower than the multiplication. */
static void add_part(const rf_operands *o, const void *a, const void *b, void *out, size_t count) {
  o->loops->triad[o->stream](out, a, b, 1, count);
}

static double add_reference(double a, double b, double *magnitude) {
  *magnitude = fabs(a) + fabs(b);
  return a + b;
}

static void triad_part(const rf_operands *o, const void *a, const void *b, void *out, size_t count) {
  o->loops->triad[o->stream](out, a, b, scalar, count);
}

static double triad_reference(double a, double b, double *magnitude) {
  *magnitude = fabs(a) + fabs(scalar * b);
  return a + scalar * b;
}

/* One rounding when fused, two when not. */
static const rf_map copy = {1, false, copy_part, copy_reference, 0};
static const rf_map scale = {1, false, scale_part, scale_reference, 1};
static const rf_map add = {2, false, add_part, add_reference, 1};
static const rf_map triad = {2, false, triad_part, triad_reference, 2};

static const roof_kernel kernels[] = {
    {.name = "copy",
     .op = "copy",
     .variant = "",
     .summary = "b = a",
     .sizes = "n=201326592",
     .quick_sizes = "n=100663296",
     RF_MAP(&copy)},
    {.name = "scale",
     .op = "scale",
     .variant = "",
     .summary = "b = s a",
     .sizes = "n=201326592",
     .quick_sizes = "n=100663296",
     RF_MAP(&scale)},
    {.name = "add",
     .op = "add",
     .variant = "",
     .summary = "c = a + b",
     .sizes = "n=134217728",
     .quick_sizes = "n=67108864",
     RF_MAP(&add)},
    {.name = "triad",
     .op = "triad",
     .variant = "",
     .summary = "a = b + s c, stored past the caches when they are too small for it",
     .sizes = "n=134217728",
     .quick_sizes = "n=67108864",
     .in_loop = true,
     RF_MAP(&triad)},
};

const rf_kernel_family rf_kernels_stream = {kernels, sizeof kernels / sizeof kernels[0]};
