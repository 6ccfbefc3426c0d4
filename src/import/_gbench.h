/** What Google Benchmark prints for people. */
#ifndef IMPORT_GBENCH_H
#define IMPORT_GBENCH_H

#include "import/_json.h"

bool rf_gbench_is_console(const char *text);

/** The document that the library would have written as JSON, as far as the text says it: times have three digits.
 *  Ownership: the caller's. Errors: what reading the source gives. */
roof_status rf_gbench_console(roof_source *source, json_t **document, roof_error *error);

#endif
