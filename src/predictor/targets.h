/** What requests are predicted with, resolved once: a machine with formats and options, or a model's run on one. */
#ifndef PREDICTOR_TARGETS_H
#define PREDICTOR_TARGETS_H

#include <stdint.h>

#include "predictor/request.h"
#include "roofline/weights.h"

enum { PREDICTOR_KEPT = 64, PREDICTOR_NAMES = 64 };

typedef struct predictor_target {
  char *key;              /**< rf_predictor_request_key; NULL: empty */
  char *link, *framework; /**< that the options point to */
  roof_machine *machine;
  roof_target target; /**< where `whole` is NULL */
  roof_whole *whole;  /**< of a model, or NULL */
  uint64_t used;      /**< when, in requests */
} predictor_target;

/** Names of files that requests may use. */
typedef struct predictor_names {
  char *texts[PREDICTOR_NAMES];
  int count;
} predictor_names;

typedef struct predictor_targets {
  predictor_target kept[PREDICTOR_KEPT];
  predictor_target *last;
  predictor_names machines, models;
  roof_text key;
  uint64_t requests;
} predictor_targets;

/** Copies a name. */
roof_status rf_predictor_names_add(predictor_names *names, const char *name, roof_error *error);

/** The target of a request: one that is kept, or a new one in the place of that which was not asked for longest. */
roof_status rf_predictor_targets_find(predictor_targets *targets, const predictor_request *request,
                                      predictor_target **found, roof_error *error);
void rf_predictor_targets_done(predictor_targets *targets);

#endif
