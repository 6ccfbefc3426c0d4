/** Measurements as the JSON document that they are written as, for answers that add keys of their own. */
#ifndef DOCUMENTS_MEASUREMENTS_H
#define DOCUMENTS_MEASUREMENTS_H

#include <jansson.h>

#include "roofline/documents.h"
#include "roofline/place.h"

/** The roofline.measurements/1 document, its kernels in the order of the list.
 *  Units: s, FLOP and bytes per call. Ownership: *document is the caller's, on success only.
 *  Errors: ROOF_E_ARGUMENT where a text is not UTF-8. */
roof_status rf_measurements_document(const roof_measurements *all, json_t **document, roof_error *error);

/** True for what cannot be: `less` above `more`, where that is known, by more than text rounds. */
static inline bool rf_is_above(double less, double more) {
  return more > 0 && less > more * (1 + 1e-12);
}

/** Whether a measurement's samples are times, and its time is among them.
 *  Units: s. Ownership: none. Errors: ROOF_E_ARGUMENT, without the measurement's name. */
roof_status rf_measurement_check_samples(const roof_measurement *measurement, roof_error *error);

/** Adds the ceiling, share, verdict and reason of placed work; `calls` that `at->seconds` is of. */
void rf_json_add_placed(json_t *object, const roof_placed *at, double calls);

#endif
