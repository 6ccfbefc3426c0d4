/** The append-only, hash-chained record of predictions and measurements (JSON lines).
 *
 *  Each line is one JSON object: `sequence` from 1, `kind`, `time` (UTC), `version`, what was predicted or
 *  measured, then `previous`, the SHA-256 of the whole line before with its newline (`sed -n 1p FILE |
 * sha256sum`; 64 zeros in the first), and `sha256`, the SHA-256 of this line up to `,"sha256"`. So one
 * changed byte anywhere shows; dropping whole lines at the end does not. */
#ifndef ROOFLINE_LEDGER_H
#define ROOFLINE_LEDGER_H

#include <stddef.h>

#include "roofline/measurement.h"
#include "roofline/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_LABEL_MAX 128

/** Appends a prediction with its parameters as typed ("m=1 n=8"), its times and what binds it. The line is
 *  written with one write under a lock and synced. A last line torn by a crash was never an entry and is
 * dropped first. Units: s, FLOP, bytes. Ownership: keeps nothing. Errors: ROOF_E_ARGUMENT for a label that is
 * empty, too long or not UTF-8 or a time that is unknown, ROOF_E_OUTPUT when the file cannot be written
 * (nothing is appended), ROOF_E_PARSE when its tail is not a ledger. */
ROOF_API roof_status roof_ledger_seal(const char *path, const char *label, const char *machine,
                                      const char *op, const char *parameters, roof_dtype dtype,
                                      const roof_prediction *prediction, roof_error *error);

/** Appends a measurement with all its samples.
 *  Units: s, FLOP, bytes. Ownership: keeps nothing. Errors: as roof_ledger_seal. */
ROOF_API roof_status roof_ledger_record(const char *path, const roof_measurement *measurement,
                                        roof_error *error);

/** Recomputes the chain.
 *  Units: entries. Ownership: writes *entries on success only. Errors: ROOF_E_INPUT, ROOF_E_GATE with the
 * number of the first bad entry as line. */
ROOF_API roof_status roof_ledger_verify(const char *path, size_t *entries, roof_error *error);

/** A prediction beside its measurement. `verdict` is a name of roof_verdict_of. */
typedef struct roof_reconciled {
  char label[ROOF_LABEL_MAX];
  double predicted_seconds; /**< expected */
  double measured_seconds;  /**< median */
  double lower_seconds;
  char regime[16];
  char binding[64];
  double fraction_of_ceiling; /**< lower / measured */
  double expected_fraction;   /**< lower / predicted */
  double headroom;            /**< measured / lower */
  double gap_points;          /**< 100 x (expected_fraction - fraction_of_ceiling) */
  const char *verdict;
  char because[256];
} roof_reconciled;

typedef struct roof_reconcile {
  roof_reconciled *entries; /**< in the order the labels first appear */
  size_t count;
  char (*unmatched_predictions)[ROOF_LABEL_MAX];
  size_t unmatched_prediction_count;
  char (*unmatched_measurements)[ROOF_LABEL_MAX];
  size_t unmatched_measurement_count;
} roof_reconcile;

/** Matches the last prediction of each label with the first measurement sealed after it. A prediction without
 *  one is unmatched; so is a measurement that no prediction of its label came before.
 *  Units: s. Ownership: release with roof_reconcile_done; filled on success only. Errors: as
 * roof_ledger_verify. */
ROOF_API roof_status roof_ledger_reconcile(const char *path, roof_reconcile *result, roof_error *error);

/** Frees a result. Units: none. Ownership: releases what reconcile filled. Errors: none. */
ROOF_API void roof_reconcile_done(roof_reconcile *result);

#ifdef __cplusplus
}
#endif
#endif
