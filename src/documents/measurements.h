/** Measurements as the JSON document that they are written as, for answers that add keys of their own. */
#ifndef DOCUMENTS_MEASUREMENTS_H
#define DOCUMENTS_MEASUREMENTS_H

#include <jansson.h>

#include "roofline/documents.h"

/** The roofline.measurements/1 document, its kernels in the order of the list; the caller's. NULL, or without
 *  a kernel, when out of memory or where a text is not UTF-8. */
json_t *rf_measurements_json(const roof_measurements *all);

#endif
