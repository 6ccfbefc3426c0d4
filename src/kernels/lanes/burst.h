/** Instructions in independent chains and nothing else: the most that a core can compute. One source an
 * architecture; which instruction sets this processor has is known at run time. */
#ifndef KERNELS_LANES_BURST_H
#define KERNELS_LANES_BURST_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline/dtype.h"

enum { ROOF_BURST_WAYS = 8, ROOF_BURST_BYTES = 1024 };

/** What one step of a chain does. */
typedef enum roof_burst_form {
  ROOF_BURST_FMA,     /**< one fused multiply-add */
  ROOF_BURST_ADD,     /**< one addition */
  ROOF_BURST_MUL,     /**< one multiplication */
  ROOF_BURST_MUL_ADD, /**< a multiplication, then an addition */
  ROOF_BURST_FMA_ADD, /**< a fused multiply-add in every other chain, an addition in the others */
  ROOF_BURST_DOT,     /**< products of a few neighbours added to one wider sum */
  ROOF_BURST_TILE,    /**< a product of two tiles of a matrix unit */
  ROOF_BURST_FORM_COUNT
} roof_burst_form;

/** Starts every chain at `seeds` (value, factor, term: ROOF_BURST_BYTES each), takes `rounds` steps of each
 * and stores the first two chains' registers, ROOF_BURST_BYTES apart, in `result`. */
typedef void roof_burst_run(size_t rounds, const void *seeds, void *result);

typedef struct roof_burst_way {
  int chains;
  roof_burst_run *run;
} roof_burst_way;

typedef struct roof_burst {
  const char *isa;  /**< as people write it: "AVX-512", "AVX2 FMA+ADD", "AMX" */
  roof_dtype dtype; /**< of the factors */
  roof_burst_form form;
  int bits;          /**< of the register, or of a tile's row */
  double operations; /**< FLOP of one step of a chain, on average over the chains */
  bool (*available)(void);
  const char *(*refused)(
      void);             /**< nullable: why the system does not let a program use it, NULL if it does */
  int loads;             /**< that each wait for the one before, in one round of `paced` */
  roof_burst_run *paced; /**< a lighter mix with loads that bound it, which tells the clock under this load */
  roof_burst_way ways[ROOF_BURST_WAYS]; /**< fewest chains first; ends with a NULL run or the array */
} roof_burst;

/** The bursts compiled in for this architecture.
 *  Units: none. Ownership: static. Errors: NULL past the last. */
const roof_burst *roof_burst_at(int index);

/** Value, factor and term for the chains of a format, small numbers that every format holds exactly.
 *  Units: none. Ownership: fills 3 x ROOF_BURST_BYTES. Errors: none. */
void roof_burst_seeds(const roof_burst *burst, void *seeds);

#endif
