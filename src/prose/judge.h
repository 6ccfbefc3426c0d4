/** A claim that was found, judged as the readings of its text allow. */
#ifndef PROSE_JUDGE_H
#define PROSE_JUDGE_H

#include "roofline/prose.h"

enum { RF_READINGS = 8 };

/** What a text may mean. */
typedef struct rf_readings {
  const char *machines[RF_READINGS]; /**< the nearest first */
  int machine_count;
  const char *formats[RF_READINGS]; /**< NULL: the machine's own */
  int format_count;                 /**< 0: none is said */
  bool sparse;                      /**< figures with sparsity may be meant */
  bool unsure;                      /**< of how many devices is not said */
  const char *model;                /**< NULL: none */
  double batch;                     /**< 0: any */
} rf_readings;

/** Machines and models that were loaded. */
typedef struct rf_judge rf_judge;

/** Errors: NULL where memory is short. */
rf_judge *rf_judge_new(void);
void rf_judge_free(rf_judge *judge);

/** Fills in how the claim stands: the first reading that makes it possible, else the first. `claimed` is that of the text,
 *  of `devices` together, or of one where they are 1.
 *  Errors: none but ROOF_E_MEMORY: what cannot be judged is unknown, with the reason. */
roof_status rf_judge_claim(rf_judge *judge, const rf_readings *readings, roof_prose_claim *claim,
                           roof_error *error);

#endif
