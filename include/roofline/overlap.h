/** How far computing and reading memory hide each other on a machine, from its sweep of intensity.
 *
 *  Example:
 *    extern const roof_machine *machine; // by a backend
 *    roof_overlap overlap = roof_machine_overlap(machine);
 *    printf("%g of the roofline at %g FLOP/byte\n", overlap.share, overlap.intensity); */
#ifndef ROOFLINE_OVERLAP_H
#define ROOFLINE_OVERLAP_H

#include "roofline/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The point of the sweep nearest to the ridge, where both ceilings take as long. Unknown: NaN. */
typedef struct roof_overlap {
  double ridge;     /**< FLOP/byte: the measured peak of fp64 over the measured bandwidth of reading memory */
  double intensity; /**< of the point */
  double share;     /**< what it reaches of the roofline */
  double hidden; /**< share of the shorter of both times that the longer one hides: 1 all of it, 0 nothing */
} roof_overlap;

/** What the roofline says that a loop reaches which reads memory and computes in fp64 on all cores.
 *  Units: FLOP/byte to FLOP/s.
 *  Ownership: none.
 *  Errors: NaN where peak or bandwidth were not measured. */
ROOF_API double roof_intensity_bound(const roof_machine *machine, double intensity);

/** The overlap at the ridge.
 *  Units: FLOP/byte, shares.
 *  Ownership: by value.
 *  Errors: NaN where it was not measured. */
ROOF_API roof_overlap roof_machine_overlap(const roof_machine *machine);

#ifdef __cplusplus
}
#endif
#endif
