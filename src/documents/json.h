/** Members of JSON documents that may be missing or of another type. */
#ifndef DOCUMENTS_JSON_H
#define DOCUMENTS_JSON_H

#include <jansson.h>

double rf_json_number_of(json_t *value);    /**< NaN when it is no number */
const char *rf_json_text_of(json_t *value); /**< "" when it is no string */

#endif
