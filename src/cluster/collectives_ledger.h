/** Collectives in the ledger: predicted before they run, recorded after. */
#ifndef CLUSTER_COLLECTIVES_LEDGER_H
#define CLUSTER_COLLECTIVES_LEDGER_H

#include "cluster/collectives.h"
#include "roofline/ledger.h"

/** A ledger at rank 0, and what was measured so far. Start from the first five members, the others 0. */
typedef struct rf_collectives_ledger {
  const char *path;
  roof_ledger_options how;
  const roof_fabric *fabric; /* that the predictions are from */
  const char *machine;       /* of its lines: "network" */
  const char *
      prefix; /* of their labels, which distinguishes them from those of another engine in the same ledger: "" */
  roof_measurement *list;
  size_t count;
  bool starved; /* something could not be kept */
} rf_collectives_ledger;

/** An rf_collectives_sealer: seals a prediction for each collective and size. */
roof_status rf_collectives_seal(void *ledger, const roof_collective_curve *curves, int count,
                                roof_error *error);

/** An rf_collectives_keeper. */
void rf_collectives_keep(void *ledger, const roof_collective_curve *curve, int size, const double *samples,
                         size_t count);

/** Records what was kept.
 *  Units: s. Ownership: releases the measurements in any case. Errors: as roof_ledger_record. */
roof_status rf_collectives_record(rf_collectives_ledger *ledger, roof_error *error);

#endif
