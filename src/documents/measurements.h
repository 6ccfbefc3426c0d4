/** Measurements read from a roofline.measurements/1 document. */
#ifndef DOCUMENTS_MEASUREMENTS_H
#define DOCUMENTS_MEASUREMENTS_H

#include <stddef.h>

#include "roofline/measurement.h"

/** How it is known when measuring began. */
typedef enum rf_taken {
  RF_TAKEN_NOW,  /**< it ends now: a pipe, or typed by hand */
  RF_TAKEN_SAID, /**< the document says so */
  RF_TAKEN_FILE  /**< it does not; the file's date does */
} rf_taken;

/** Start from `{0}`. */
typedef struct rf_measurements {
  roof_measurement *list;
  size_t count;
  rf_taken taken;
} rf_measurements;

/** Room for `count` measurements of which nothing is known. */
roof_status rf_measurements_init(rf_measurements *all, size_t count, roof_error *error);

/** Reads `file`; errors carry its name. Release it in any case. */
roof_status rf_measurements_read(const char *file, rf_measurements *all, roof_error *error);

/** Reads `length` bytes of text; `file` is for messages, and its date is when they were taken where the
 *  document does not say. Release it in any case. */
roof_status rf_measurements_parse(const char *text, size_t length, const char *file, rf_measurements *all,
                                  roof_error *error);

/** As rf_measurements_read, of what `check` takes: also a roofline.reconcile/1 document; "-": standard
 * input. */
roof_status rf_measurements_read_results(const char *file, rf_measurements *all, roof_error *error);

void rf_measurements_done(rf_measurements *all);

/** Appends a sample. */
roof_status rf_measurement_sample(roof_measurement *measurement, double seconds, roof_error *error);

/** Sets the time to the median where only samples are given. */
roof_status rf_measurement_settle(roof_measurement *measurement, roof_error *error);

/** Adds a counter, or replaces the one of that name. ROOF_E_ARGUMENT for a clue with a value it cannot
 *  have. */
roof_status rf_measurement_count(roof_measurement *measurement, const char *name, double value,
                                 roof_error *error);

#endif
