/** What the planner asks, as a load of a service: shared by plans of one pool and of two. */
#ifndef SERVICE_QUESTION_H
#define SERVICE_QUESTION_H

#include "roofline/simulate.h"

/** The load; `at_once` requests where the question has neither users nor a rate. */
roof_service_settings rf_question_load(const roof_choice_question *question, const roof_model_target *target,
                                       double at_once);

/** Sequences that an engine admits to a replica: what fits next to so many tokens of prompts in a step, and at most so many; no
 *  fewer than `least`. */
double rf_question_sequences(const roof_model_target *target, double tokens, double least);

/** The times of a run, of the share of the requests that is asked about. */
typedef struct question_seen {
  double ttft, tpot; /**< infinite where it cannot keep up */
  bool known;        /**< it can be run */
  double rate;       /**< requests/s of those that are always at once; NaN where they come by a rate */
} question_seen;

question_seen rf_question_seen(const roof_plan_limits *limits, double at_once, roof_status status,
                               const roof_service_answer *answer);

bool rf_question_keeps(const roof_plan_limits *limits, const question_seen *seen);

/** The limits for a closed form, of `ttft` and `tpot`, that is as far off as it was for this run. */
void rf_question_tighten(roof_plan_limits *tight, const roof_plan_limits *limits, double ttft, double tpot,
                         const question_seen *seen);

#endif
