/** Members of JSON documents that may be missing or of another type. */
#ifndef CATALOG_JSON_H
#define CATALOG_JSON_H

#include <jansson.h>

double roof_json_number_of(json_t *value);    /**< NaN when it is no number */
const char *roof_json_text_of(json_t *value); /**< "" when it is no string */

#endif
