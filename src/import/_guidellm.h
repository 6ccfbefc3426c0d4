/** What GuideLLM writes of its runs, as the members that vLLM's benchmark has. */
#ifndef IMPORT_GUIDELLM_H
#define IMPORT_GUIDELLM_H

#include "import/_json.h"

/** Whether it begins as one of its files. */
bool rf_guidellm_begins(const char *text);
/** The rest of the file without its single requests, which are most of it.
 *  Ownership: the caller's. Errors: as rf_import_document. */
roof_status rf_guidellm_document(roof_source *source, json_t **document, roof_error *error);

bool rf_guidellm_is(const json_t *document);
/** Its runs with the names and units of vLLM's benchmark.
 *  Ownership: the caller's. Errors: none; want of memory is noted. */
json_t *rf_guidellm_runs(const json_t *document);

#endif
