/** Answers as JSON, for those that are shown as a table too. */
#ifndef MEASURE_WRITE_H
#define MEASURE_WRITE_H

#include <jansson.h>

#include "roofline/runs.h"

/** The document of roof_runs_write.
 *  Units: s, FLOP, bytes. Ownership: the caller's. Errors: NULL when out of memory. */
json_t *rf_runs_json(const roof_runs *runs);

#endif
