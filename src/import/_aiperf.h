/** What AIPerf writes of a whole run, as the members that vLLM's benchmark has. */
#ifndef IMPORT_AIPERF_H
#define IMPORT_AIPERF_H

#include "import/_json.h"

/** Whether it is one: latencies that are objects with a unit. */
bool rf_aiperf_is(const json_t *document);
/** The same run with the names and units of vLLM's benchmark.
 *  Ownership: the caller's. Errors: NULL when out of memory. */
json_t *rf_aiperf_run(const json_t *document);

#endif
