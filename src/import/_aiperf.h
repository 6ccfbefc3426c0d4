/** What AIPerf and GenAI-Perf write of a whole run, as the members that vLLM's benchmark has. */
#ifndef IMPORT_AIPERF_H
#define IMPORT_AIPERF_H

#include "import/_json.h"

/** Whether it is their JSON: latencies that are objects with a unit. */
bool rf_aiperf_is(const json_t *document);
/** The same run with the names and units of vLLM's benchmark.
 *  Ownership: the caller's. Errors: NULL when out of memory. */
json_t *rf_aiperf_run(const json_t *document);

/** Whether it is their CSV. */
bool rf_aiperf_is_csv(const char *text);
/** The CSV as the document that would say the same, which has no settings.
 *  Ownership: the caller's, on failure too. Errors: as rf_import_csv. */
roof_status rf_aiperf_csv(roof_source *source, json_t **document, roof_error *error);

#endif
