/** Measurements read from a roofline.measurements/1 document. */
#ifndef CATALOG_MEASUREMENTS_H
#define CATALOG_MEASUREMENTS_H

#include <stddef.h>

#include "roofline/measurement.h"

/** How it is known when measuring began. */
typedef enum roof_taken {
  ROOF_TAKEN_NOW,  /**< it ends now: a pipe, or typed by hand */
  ROOF_TAKEN_SAID, /**< the document says so */
  ROOF_TAKEN_FILE  /**< it does not; the file's date does */
} roof_taken;

/** Start from `{0}`. */
typedef struct roof_measurements {
  roof_measurement *list;
  size_t count;
  roof_taken taken;
} roof_measurements;

/** Room for `count` measurements of which nothing is known. */
roof_status roof_measurements_init(roof_measurements *all, size_t count, roof_error *error);

/** Reads `file`; errors carry its name. Release it in any case. */
roof_status roof_measurements_read(const char *file, roof_measurements *all, roof_error *error);

/** Reads `length` bytes of text; `file` is for messages, and its date is when they were taken where the
 * document does not say. Release it in any case. */
roof_status roof_measurements_parse(const char *text, size_t length, const char *file, roof_measurements *all,
                                    roof_error *error);

void roof_measurements_done(roof_measurements *all);

/** Appends a sample. */
roof_status roof_measurement_sample(roof_measurement *measurement, double seconds, roof_error *error);

/** Sets the time to the median where only samples are given. */
roof_status roof_measurement_settle(roof_measurement *measurement, roof_error *error);

/** Adds a counter, or replaces the one of that name. ROOF_E_ARGUMENT for a clue with a value it cannot have.
 */
roof_status roof_measurement_count(roof_measurement *measurement, const char *name, double value,
                                   roof_error *error);

#endif
