/** Points of which none is better than another, whatever they are points of. */
#ifndef MODELS_FRONT_H
#define MODELS_FRONT_H

#include <stddef.h>

#include "roofline/plan.h"

/** The two figures that are traded against each other; smaller is better in both. */
typedef struct model_front_kind {
  size_t size;                        /**< bytes of a point */
  double (*first)(const void *point); /**< the front rises in it */
  double (*second)(const void *point);
} model_front_kind;

/** Adds a point unless another is as good; drops those it is as good as. A full front stays as it is. */
void rf_model_front_add(const model_front_kind *kind, void *points, int *count, const void *point);

/** Refuses what no plan can be searched for: an encoder, users and a rate.
 *  (search.c) */
roof_status rf_model_limits_check(const roof_model *model, const roof_plan_limits *limits, roof_error *error);

#endif
