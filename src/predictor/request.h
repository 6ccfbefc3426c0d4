/** A request of the protocol: one JSON object on a line. */
#ifndef PREDICTOR_REQUEST_H
#define PREDICTOR_REQUEST_H

#include <jansson.h>

#include "roofline/formats.h"
#include "roofline/load.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { PREDICTOR_FIELDS = 40 };

/** Texts point into `document`, or into `numbers` where a number was given. NULL: not said. */
typedef struct predictor_request {
  json_t *document;
  json_t *id;         /**< of `document`, or NULL */
  json_t *parameters; /**< an object of `document`, or NULL */
  const char *op, *model, *machine, *plan;
  roof_formats formats;
  roof_options_text options;
  roof_load load;
  char numbers[PREDICTOR_FIELDS][ROOF_NUMBER_SIZE];
} predictor_request;

/** Reads a request. Release with rf_predictor_request_done, also on failure: what was read of it has the id. */
roof_status rf_predictor_request_read(predictor_request *request, const char *line, size_t length,
                                      roof_error *error);
void rf_predictor_request_done(predictor_request *request);

/** The values of the request's parameters for `op`, completed. */
roof_status rf_predictor_request_values(const predictor_request *request, const roof_op *op, double *values,
                                        roof_error *error);

/** Appends what the answer depends on but for parameters and load: equal texts have equal targets. */
void rf_predictor_request_key(const predictor_request *request, roof_text *out);

#endif
