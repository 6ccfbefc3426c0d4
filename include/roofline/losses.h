/** Where the time of a measured kernel went: from the theoretical ceiling to what was reached, by named causes.
 *
 *  Example:
 *    static const char *const words[] = {"HBM=2039GB/s", "refresh=1905GB/s", "kernel=1750GB/s"};
 *    roof_losses losses;
 *    if (roof_losses_read(words, 3, &losses, NULL) == ROOF_OK) {
 *      printf("%.1f %%\n", 100 * losses.steps[1].share);
 *    } */
#ifndef ROOFLINE_LOSSES_H
#define ROOFLINE_LOSSES_H

#include "roofline/advise.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_LOSS_MAX 16

/** What is left after one cause. */
typedef struct roof_loss {
  char name[48];
  char why[96];
  double rate;
  double share; /**< of the first step's rate */
} roof_loss;

/** A cascade. The first step is the ceiling, the last what was measured. */
typedef struct roof_losses {
  char title[128];
  char unit[16]; /**< "B/s" or "FLOP/s" */
  roof_loss steps[ROOF_LOSS_MAX];
  int count;
} roof_losses;

/** The cascade of an operation with a measured time: its ceiling, the effects of its prediction (where none are known what a
 *  benchmark reaches of it and the launch), what counters show, and the rest, which nothing explains.
 *  Units: bytes/s where memory or a link binds, else FLOP/s.
 *  Ownership: fills *losses on success only.
 *  Errors: ROOF_E_ARGUMENT without a measured time, or for one under the ceiling's; ROOF_E_UNSUPPORTED where
 *  neither peak nor bandwidth is known. */
ROOF_API roof_status roof_losses_of(const roof_advice *advice, const roof_target *target, roof_losses *losses,
                                    roof_error *error);

/** A cascade that somebody names, each step "CAUSE=RATE" with what is left after it.
 *  Units: those of the first rate, B/s or FLOP/s.
 *  Ownership: fills *losses on success only.
 *  Errors: ROOF_E_ARGUMENT for fewer than two steps, more than ROOF_LOSS_MAX, or a rate that is not lower than
 *  the one before; ROOF_E_PARSE for what is no rate. */
ROOF_API roof_status roof_losses_read(const char *const *words, int count, roof_losses *losses,
                                      roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
