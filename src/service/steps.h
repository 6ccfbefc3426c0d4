/** The predicted steps of a model in tables: what grows with the tokens and with the logits exactly, attention between nodes. */
#ifndef SERVICE_STEPS_H
#define SERVICE_STEPS_H

#include "models/load.h"
#include "service/clock.h"

typedef struct service_steps {
  roof_model_target target;
  double *tokens;    /**< by tokens of a microbatch; 0: not asked for yet, as everywhere here */
  double *logits;    /**< by rows */
  double *stages;    /**< as `tokens`, but of one stage of a pipeline, which the others do not wait for */
  double *transfers; /**< of what `tokens` has, by them as well */
  bool overlaps;     /**< two halves of a step take turns where that pays */
  double *contexts;  /**< of sequences x nodes of the context */
  double *pieces;    /**< of nodes of prompts x of queries x of what is past */
  double *encoders;  /**< by prompts, of the fullest stage; then the same of the other stages */
  roof_model_phase phase;
  struct service_steps *draft; /**< of the model that drafts, NULL: drafting takes no time; the caller's */
} service_steps;

/** Release with rf_steps_done, also on failure. */
roof_status rf_steps_init(service_steps *steps, const roof_model_target *target, roof_error *error);
void rf_steps_done(service_steps *steps);

/** All of these, of `steps`, which it keeps. */
service_clock rf_steps_clock(service_steps *steps);

/** Of `steps` as data. */
double rf_steps_seconds(void *steps, const roof_load *load);
double rf_steps_lag(void *steps, const roof_load *load, double step_seconds);
service_line rf_steps_line(void *steps, double sequences, double context);

#endif
