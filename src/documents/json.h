/** Members of JSON documents that may be missing or of another type, and values written. */
#ifndef DOCUMENTS_JSON_H
#define DOCUMENTS_JSON_H

#include <jansson.h>

#include "roofline/predict.h"
#include "roofline/text.h"

double rf_json_number_of(json_t *value);    /**< NaN when it is no number */
const char *rf_json_text_of(json_t *value); /**< "" when it is no string */

json_t *rf_json_number(double value); /**< null for NaN and infinities, whole where it is */

/** Appends `document` (takes its reference, NULL: memory was short) as `flags` of jansson say; out->failed when
 *  memory is short. */
void rf_json_add(json_t *document, size_t flags, roof_text *out);

/** Appends `document` (takes its reference, NULL: memory was short) indented, with a newline; `what` is for the
 *  message. */
roof_status rf_json_write(json_t *document, const char *what, roof_text *out, roof_error *error);

/* prediction_write.c */
json_t *rf_parameters_json(const roof_op *op, const double *values);
json_t *rf_prediction_json(const roof_target *target, const roof_op *op, const double *values,
                           const roof_prediction *prediction);

#endif
