/** Members of JSON documents that may be missing or of another type, and values written. */
#ifndef DOCUMENTS_JSON_H
#define DOCUMENTS_JSON_H

#include <jansson.h>

#include "roofline/predict.h"

double rf_json_number_of(json_t *value);    /**< NaN when it is no number */
const char *rf_json_text_of(json_t *value); /**< "" when it is no string */

json_t *rf_json_number(double value); /**< null for NaN and infinities, whole where it is */

/* prediction_write.c */
json_t *rf_parameters_json(const roof_op *op, const double *values);
json_t *rf_prediction_json(const roof_target *target, const roof_op *op, const double *values,
                           const roof_prediction *prediction);

#endif
