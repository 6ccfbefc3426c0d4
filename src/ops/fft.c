/* Fourier transforms. */
#include "ops/row.h"

static void fft(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  map_work(op, 2 * v[0], 1, t, w);
  w->flops = 5 * v[0] * log2(v[0]);
}

static const roof_op ops[] = {
    {.name = "fft",
     .family = "fft",
     .summary = "complex 1-D transform of n points, out of place, the data moved once",
     .unit = ROOF_VECTOR,
     .flops = "5 * n * log2(n)",
     .bytes = "2 * n * (a + o)",
     .flops_per_element = NAN,
     .source = "Frigo and Johnson 2005, the 5 n log2 n convention of benchFFT; a point is two elements",
     .work = fft,
     .params = PARAMS(COUNT("n", "complex points"))},
};

FAMILY(fft);
