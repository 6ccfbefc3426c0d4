/** The formats and options that a prediction was asked with, as its document has them where they are not the usual ones. */
#ifndef DOCUMENTS_QUESTION_H
#define DOCUMENTS_QUESTION_H

#include <jansson.h>

#include "roofline/predict.h"
#include "roofline/sealing.h"

/** Adds `formats` and `options`, where they differ from those of the dtype and from the defaults. */
void rf_question_add(json_t *prediction, const roof_target *target);

/** Reads them, what is not there as usual; the dtype of *sealing is known. A name that is none leaves an option that no
 *  prediction was made with. */
void rf_question_read(json_t *prediction, roof_sealing *sealing);

#endif
