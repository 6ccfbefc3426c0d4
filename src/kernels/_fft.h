/** What the discrete Fourier transforms share. */
#ifndef KERNELS_FFT_H
#define KERNELS_FFT_H

#include "kernels/kernels.h"

/** The root of unity e^(-2 pi i index / order).
 *  Units: none. Ownership: none. Errors: none. */
void rf_fft_root(size_t index, size_t order, double *real, double *imaginary);

/** Compares some of the results with the sums that define them. A point is a pair of neighbours, real and imaginary, or all n real
 *  parts stand before all imaginary ones; the input lies as the output.
 *  Units: none. Ownership: none. Errors: as rf_kernel_compare. */
roof_status rf_fft_check(roof_kernel_run *run, bool paired, roof_error *error);

#endif
