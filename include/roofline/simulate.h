/** The best plan under its load, event by event: what the closed form of a search says, simulated.
 *
 *  Example:
 *    extern const roof_choice_question *question; // as roof_choices_of answered it
 *    extern const roof_choice *best;
 *    roof_service_answer answer;
 *    if (roof_choice_simulate(question, best, &answer, NULL) == ROOF_OK && !answer.overloaded) {
 *      printf("%g s to the first token for 90 %% of the requests\n", answer.ttft.p90);
 *    } */
#ifndef ROOFLINE_SIMULATE_H
#define ROOFLINE_SIMULATE_H

#include "roofline/choice.h"
#include "roofline/service.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Runs 2000 requests of the question's lengths through a choice that fits, the first seed: at the rate, Poisson, or as many at once as
 *  there are users; answers of users are from half as long to one and a half, for all alike would come in bursts. Without the host's
 *  time, as the search. Replicas take turns; a step has the choice's chunk of prompts, or prompts have steps of their own.
 *  Units: s, requests/s.
 *  Ownership: fills *answer on success only.
 *  Errors: ROOF_E_ARGUMENT for a choice that does not fit; as roof_service_new and roof_service_run. */
ROOF_API roof_status roof_choice_simulate(const roof_choice_question *question, const roof_choice *choice,
                                          roof_service_answer *answer, roof_error *error);

/** Runs the choices that meet the limits, the cheapest first, until one meets them under its load too; those that do not fail from
 *  then on (roof_choices_refuse), by their simulated times. More devices of their machine are not tried.
 *  Units: as roof_choice_simulate.
 *  Ownership: changes *choices; fills *answer, of the first choice, and *simulated, false where there is none, it cannot be
 *  simulated, or the share of the limits is none of roof_service_time_at.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_choices_simulate(const roof_choice_question *question, roof_choices *choices,
                                           roof_service_answer *answer, bool *simulated, roof_error *error);

/** Of times the one of a share of the requests: 0.5, 0.9 and 0.99, or 0, the mean.
 *  Units: s.
 *  Ownership: none.
 *  Errors: NaN for another share. */
ROOF_API double roof_service_time_at(const roof_service_times *times, double share);

#ifdef __cplusplus
}
#endif
#endif
