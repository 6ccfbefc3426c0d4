/** What GuideLLM writes of its runs, as the members that vLLM's benchmark has. */
#ifndef IMPORT_GUIDELLM_H
#define IMPORT_GUIDELLM_H

#include "import/_json.h"

bool rf_guidellm_is(const json_t *document);
/** Its runs with the names and units of vLLM's benchmark.
 *  Ownership: the caller's. Errors: none; want of memory is noted. */
json_t *rf_guidellm_runs(const json_t *document);

#endif
