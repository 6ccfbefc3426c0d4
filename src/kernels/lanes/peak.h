/** Instructions in independent chains and nothing else: the most that a core can compute. One source an
 *  architecture; which instruction sets this processor has is known at run time. */
#ifndef KERNELS_LANES_PEAK_H
#define KERNELS_LANES_PEAK_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline/dtype.h"

enum { RF_PEAK_WAYS = 8, RF_PEAK_BYTES = 1024 };

/** What one step of a chain does. */
typedef enum rf_peak_kernel_form {
  RF_PEAK_FMA,     /**< one fused multiply-add */
  RF_PEAK_ADD,     /**< one addition */
  RF_PEAK_MUL,     /**< one multiplication */
  RF_PEAK_MUL_ADD, /**< a multiplication, then an addition */
  RF_PEAK_FMA_ADD, /**< a fused multiply-add in every other chain, an addition in the others */
  RF_PEAK_DOT,     /**< products of a few neighbours added to one wider sum */
  RF_PEAK_TILE,    /**< a product of two tiles of a matrix unit */
  RF_PEAK_FORM_COUNT
} rf_peak_kernel_form;

/** Starts every chain at `seeds` (value, factor, term: RF_PEAK_BYTES each), takes `rounds` steps of each and
 *  stores the first two chains' registers, RF_PEAK_BYTES apart, in `result`. */
typedef void rf_peak_kernel_run(size_t rounds, const void *seeds, void *result);

typedef struct rf_peak_kernel_way {
  int chains;
  rf_peak_kernel_run *run;
} rf_peak_kernel_way;

typedef struct rf_peak_kernel {
  const char *isa;  /**< as people write it: "AVX-512", "AVX2 FMA+ADD", "AMX" */
  roof_dtype dtype; /**< of the factors */
  rf_peak_kernel_form form;
  int bits;          /**< of the register, or of a tile's row */
  double operations; /**< FLOP of one step of a chain, on average over the chains */
  bool (*available)(void);
  const char *(*refused)(
      void);                 /**< nullable: why the system does not let a program use it, NULL if it does */
  int loads;                 /**< that each wait for the one before, in one round of `paced` */
  rf_peak_kernel_run *paced; /**< a lighter mix bound by its loads, which gives the clock under this load */
  rf_peak_kernel_way ways[RF_PEAK_WAYS]; /**< fewest chains first; ends with a NULL run or the array */
} rf_peak_kernel;

/** What a rate kernel's operands are. */
typedef enum rf_rate_type {
  RF_RATE_INT32,
  RF_RATE_INT64,
  RF_RATE_FP32,
  RF_RATE_FP64,
  RF_RATE_TYPE_COUNT
} rf_rate_type;

/** Operations that are no FLOPs of a peak: eight at a time on constants, so that none waits for another, and sums, in which
 *  each does. */
typedef struct rf_rate_kernel {
  const char *name; /**< "int32 multiply", "fp64 divide" */
  const char *isa;
  rf_rate_type type;
  double operations; /**< of one round */
  bool (*available)(void);
  rf_peak_kernel_run *run; /**< factor (operation) term, or a sum of their products, into both results */
} rf_rate_kernel;

/** The kernels of operations compiled in for this architecture.
 *  Units: none. Ownership: static. Errors: NULL past the last. */
const rf_rate_kernel *rf_rate_kernel_at(int index);

/** Factor and term of its type, of many digits.
 *  Units: none. Ownership: fills 3 x RF_PEAK_BYTES. Errors: none. */
void rf_rate_kernel_seeds(const rf_rate_kernel *kernel, void *seeds);

/** The peak kernels compiled in for this architecture.
 *  Units: none. Ownership: static. Errors: NULL past the last. */
const rf_peak_kernel *rf_peak_kernel_at(int index);

/** Value, factor and term for the chains of a format, small numbers that every format holds exactly.
 *  Units: none. Ownership: fills 3 x RF_PEAK_BYTES. Errors: none. */
void rf_peak_kernel_seeds(const rf_peak_kernel *kernel, void *seeds);

#endif
