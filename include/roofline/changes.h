/** What changed between two measurements of machines, or of one at two times.
 *
 *  Example:
 *    extern const roof_machine *before, *after; // by roof_catalog_load
 *    roof_changes changes;
 *    if (roof_machine_changes(before, after, &changes, NULL) == ROOF_OK) {
 *      for (size_t i = 0; i < changes.count; i++) {
 *        printf("%s: %s\n", changes.list[i].figure, roof_change_verdict_name(changes.list[i].verdict));
 *      }
 *      roof_changes_done(&changes);
 *    } */
#ifndef ROOFLINE_CHANGES_H
#define ROOFLINE_CHANGES_H

#include "roofline/machine.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_CHANGE_NAME_MAX 160

/** Two runs on a quiet machine agree within this share: a smaller change is within the noise, however small
 *  the spreads. */
#define ROOF_CHANGE_REPEATABLE 0.03

typedef enum roof_change_verdict {
  ROOF_CHANGE_SAME,           /**< no more than noise */
  ROOF_CHANGE_SAME_PER_CYCLE, /**< only the clock it was measured at changed */
  ROOF_CHANGE_FASTER,
  ROOF_CHANGE_SLOWER,
  ROOF_CHANGE_ONLY_OLD,
  ROOF_CHANGE_ONLY_NEW,
  ROOF_CHANGE_VERDICT_COUNT
} roof_change_verdict;

/** A figure that at least one of two machines has. Unknown numbers are NaN. */
typedef struct roof_figure_change {
  char figure[ROOF_CHANGE_NAME_MAX]; /**< "L1 read, 1 core" */
  const char *unit;
  double old_value, new_value;
  double ratio;       /**< new / old */
  double noise;       /**< share by which it varies without a change */
  double cycle_ratio; /**< the ratio per cycle of the clock it was measured at */
  double p;           /**< chance of rounds so far apart when nothing has changed (Mann-Whitney) */
  char noisy_old[96], noisy_new[96]; /**< why a figure is not to be relied on, "" when it is */
  roof_change_verdict verdict;
  bool ceiling; /**< a clock, peak or bandwidth: the only ones whose fall fails `measure --compare` */
} roof_figure_change;

typedef struct roof_changes {
  roof_figure_change *list; /**< in the new machine's order; those that only the old one has are last */
  size_t count;
  int counts[ROOF_CHANGE_VERDICT_COUNT];
  int fallen; /**< ceilings that are slower */
} roof_changes;

/** Sets all measured figures of two machines against each other.
 *  Units: as each figure says.
 *  Ownership: fills *changes on success only, release with roof_changes_done; points to neither machine.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_machine_changes(const roof_machine *old_machine, const roof_machine *new_machine,
                                          roof_changes *changes, roof_error *error);

/** Appends the answer: how many figures are the same, faster, slower or on one side alone.
 *  Units: none.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_changes_sentence(const roof_changes *changes, roof_text *out);

/** Appends them as one roofline.change/1 object, what `measure --compare --json` prints; of the same two machines.
 *  Units: as each figure says.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_changes_write(const roof_changes *changes, const roof_machine *old_machine,
                                        const roof_machine *new_machine, roof_text *out, roof_error *error);

/** Frees changes.
 *  Units: none.
 *  Ownership: releases what roof_machine_changes filled.
 *  Errors: none. */
ROOF_API void roof_changes_done(roof_changes *changes);

/** "faster".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_change_verdict_name(roof_change_verdict verdict);

#ifdef __cplusplus
}
#endif
#endif
