/** How far the figures of a measured machine are to be trusted.
 *
 *  Example:
 *    roof_machine *machine = NULL;
 *    if (roof_catalog_load("host", &machine, NULL) == ROOF_OK) {
 *      roof_trust trust;
 *      char line[ROOF_TRUST_LINE];
 *      roof_machine_trust(machine, &trust);
 *      puts(roof_trust_sentence(&trust, line, sizeof line));
 *      roof_machine_free(machine);
 *    } */
#ifndef ROOFLINE_TRUST_H
#define ROOFLINE_TRUST_H

#include "roofline/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ROOF_TRUST_LINE = 160 };

/** What the conditions of all measured figures say together. */
typedef struct roof_trust {
  int figures; /**< measured, with conditions */
  int noisy;   /**< of them, marked as not to be relied on */
  double
      clock_spread; /**< how well the clock under load is known, relative: the median of the peaks; NaN unknown */
  double spread; /**< how far windows of one figure differ, relative: the median figure; NaN unknown */
  bool scripted; /**< no figure has conditions: nothing was timed */
} roof_trust;

/** Gathers the conditions of the peaks and levels of a machine.
 *  Units: none.
 *  Ownership: fills the caller's storage.
 *  Errors: none. */
ROOF_API void roof_machine_trust(const roof_machine *machine, roof_trust *trust);

/** The trust in one line of at most 68 columns, with what to do where it is low: "clock to 0.4 %, figures to 1.2 %;
 *  39 of 70 noisy: see `doctor`".
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_trust_sentence(const roof_trust *trust, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
