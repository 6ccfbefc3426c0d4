/** The append-only, hash-chained record of predictions and measurements (JSON lines). */
#ifndef ROOFLINE_LEDGER_H
#define ROOFLINE_LEDGER_H

#include <stddef.h>

#include "roofline/measurement.h"
#include "roofline/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Appends a prediction: kind `prediction`, label, machine, op, parameters, times, time of day, tool version
 * and the SHA-256 of the line before. The line is written with one write under a lock and synced. Units: s,
 * FLOP, bytes. Ownership: keeps nothing. Errors: ROOF_E_OUTPUT when the file cannot be written (nothing is
 * appended), ROOF_E_PARSE when its tail is not a ledger. */
ROOF_API roof_status roof_ledger_seal(const char *path, const char *label, const char *machine,
                                      const char *op, const char *parameters, roof_dtype dtype,
                                      const roof_prediction *prediction, roof_error *error);

/** Appends a measurement with all its samples.
 *  Units: s, FLOP, bytes. Ownership: keeps nothing. Errors: as roof_ledger_seal. */
ROOF_API roof_status roof_ledger_record(const char *path, const roof_measurement *measurement,
                                        roof_error *error);

/** Recomputes the chain.
 *  Units: entries. Ownership: writes *entries. Errors: ROOF_E_INPUT, ROOF_E_GATE with the number of the first
 * bad entry as line. */
ROOF_API roof_status roof_ledger_verify(const char *path, size_t *entries, roof_error *error);

/** A prediction beside its measurement. `verdict` is a name of roof_verdict_of. */
typedef struct roof_reconciled {
  char label[128];
  double predicted_seconds;
  double measured_seconds;
  double lower_seconds;
  char regime[16];
  double fraction_of_ceiling; /**< lower / measured */
  double expected_fraction;   /**< lower / predicted */
  double headroom;            /**< measured / lower */
  double gap_points;          /**< 100 x (expected_fraction - fraction_of_ceiling) */
  const char *verdict;
  char because[256];
} roof_reconciled;

typedef struct roof_reconcile {
  roof_reconciled *entries;
  size_t count;
  char (*unmatched_predictions)[128];
  size_t unmatched_prediction_count;
  char (*unmatched_measurements)[128];
  size_t unmatched_measurement_count;
} roof_reconcile;

/** Matches the last prediction of each label with the first measurement sealed after it.
 *  Units: s. Ownership: release with roof_reconcile_done. Errors: as roof_ledger_verify. */
ROOF_API roof_status roof_ledger_reconcile(const char *path, roof_reconcile *result, roof_error *error);

/** Frees a result. Units: none. Ownership: releases what reconcile filled. Errors: none. */
ROOF_API void roof_reconcile_done(roof_reconcile *result);

#ifdef __cplusplus
}
#endif
#endif
