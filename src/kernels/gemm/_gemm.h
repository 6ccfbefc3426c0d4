/** What the products of matrices share: C = A B, all in row order. */
#ifndef KERNELS_GEMM_GEMM_H
#define KERNELS_GEMM_GEMM_H

#include "kernels/kernels.h"

/** Rows of A and C, columns of B and C, columns of A. */
typedef struct rf_gemm_sizes {
  size_t m;
  size_t n;
  size_t k;
} rf_gemm_sizes;

/** The shape of a run.
 *  Units: elements. Ownership: by value. Errors: none. */
rf_gemm_sizes rf_gemm_shape(const roof_kernel_run *run);

/** Where each of two threads would have less than 64 x 64 x 64 they cost more than they bring: OpenBLAS's interface/gemm.c starts
 * none either. */
#define RF_GEMM_SERIAL_FLOPS (2 * 2.0 * 64 * 64 * 64)

/** Threads that compute a run together.
 *  Units: count. Ownership: none. Errors: none. */
int rf_gemm_team(const roof_kernel_run *run);

/** Checks that the run is one product, added to nothing.
 *  Units: none. Ownership: none. Errors: ROOF_E_UNSUPPORTED for a batch or a beta. */
roof_status rf_gemm_single(const roof_kernel_run *run, roof_error *error);

/** Operands A, B and C with `scratch` bytes.
 *  Units: bytes. Ownership: released by rf_operands_release, also after a failure.
 *  Errors: ROOF_E_UNSUPPORTED for a batch, a beta or what does not fit the memory, ROOF_E_MEMORY. */
roof_status rf_gemm_prepare(roof_kernel_run *run, double scratch, roof_error *error);

/** The same without scratch: a kernel's `prepare`.
 *  Units: none. Ownership: as rf_gemm_prepare. Errors: as rf_gemm_prepare. */
roof_status rf_gemm_prepare_plain(roof_kernel_run *run, roof_error *error);

/** Compares C with a scalar product: every element must be a number, 4096 spread over C are compared.
 *  Units: none. Ownership: none. Errors: ROOF_E_INTERNAL naming the first wrong element. */
roof_status rf_gemm_check(roof_kernel_run *run, roof_error *error);

/** What sums of random int8 are multiplied by to stay within int8.
 *  Units: none. Ownership: none. Errors: none. */
double rf_gemm_int8_scale(const roof_kernel_run *run);

/** How often each matrix passes from outside a cache into it, as multiples of the whole matrix; a store counts as a
 * pass, an update of C as two. */
typedef struct rf_gemm_passes {
  double a;
  double b;
  double c;
} rf_gemm_passes;

/** The passes into a cache of `bytes`, of which the first level's sets are few. */
typedef rf_gemm_passes rf_gemm_traffic(const roof_kernel_run *run, double bytes, bool first);

/** Bytes by level, bytes(level) = the passes into the next cache inside, A B C together once where that holds
 *  all of them; of the first cache `asked` elements a multiply-add.
 *  Units: bytes. Ownership: fills out->level_bytes. Errors: none: unknown beyond an unknown cache. */
void rf_gemm_moves(const roof_kernel_run *run, const roof_target *cores, double asked,
                   rf_gemm_traffic *passes, roof_algorithm *out);

/** FLOP per cycle of loops that the compiler takes by vectors of the base instruction set.
 *  Units: FLOP per cycle. Ownership: none. Errors: none. */
double rf_gemm_compiled_rate(const roof_kernel_run *run);

#endif
