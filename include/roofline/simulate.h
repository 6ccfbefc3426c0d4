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

#include "roofline/apart.h"
#include "roofline/service.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Runs 2000 requests of the question's lengths through a choice that fits, the first seed: at the rate, Poisson, or as many at once as
 *  there are users; answers of users are from half as long to one and a half, for all alike would come in bursts. Users begin all at
 *  once: the first three of each do not count, and ten do. Without the host's time, as the search. Replicas take turns; a step has the
 *  choice's chunk of prompts, or prompts have steps of their own. `asked` of the times is of the share of the limits.
 *  Units: s, requests/s.
 *  Ownership: fills *answer on success only.
 *  Errors: ROOF_E_ARGUMENT for a choice that does not fit; as roof_service_new and roof_service_run. */
ROOF_API roof_status roof_choice_simulate(const roof_choice_question *question, const roof_choice *choice,
                                          roof_service_answer *answer, roof_error *error);

/** Runs every choice that meets the limits: its times are then those of the run, their range in the same proportion. In place of one
 *  that exceeds a limit there comes another of as many devices, that meets the limits by the closed form made as much longer as the run
 *  took, else the cheapest of other numbers of devices, and that is run in turn; where there is none it fails, by its simulated times.
 *  Units: as roof_choice_simulate.
 *  Ownership: changes *choices; fills *answer, of the first choice, and *simulated, false where there is none or it cannot be simulated.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_choices_simulate(const roof_choice_question *question, roof_choices *choices,
                                           roof_service_answer *answer, bool *simulated, roof_error *error);

/** Runs two pools that were found, as roof_choice_simulate: prompts of a pool are batched as far as the budget of a step goes, its
 *  instances take turns, and the cache takes as long to the other pool as the plan says; a first token comes with it.
 *  Units: s, requests/s.
 *  Ownership: fills *answer on success only.
 *  Errors: ROOF_E_ARGUMENT where none were found; as roof_service_new and roof_service_run. */
ROOF_API roof_status roof_apart_simulate(const roof_choice_question *question, const roof_apart *apart,
                                         roof_service_answer *answer, roof_error *error);

/** As roof_apart_of, with the times of a run: while it exceeds a limit, the cheapest that meets the limits by the closed form made as
 *  much longer as the run took is run in turn; while it keeps them, the cheapest by the form made as much shorter.
 *  Units: as roof_apart_of.
 *  Ownership: fills *best on success only.
 *  Errors: as roof_apart_of. */
ROOF_API roof_status roof_apart_simulated_of(const roof_choice_question *question, roof_apart *best,
                                             roof_error *error);

/** As roof_choices_write, with `simulated`, the first choice under its load, NULL where it was not run, and `prices`, of each offer.
 *  Units: as roof_plan_point.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_choices_simulated_write(const roof_choice_question *question,
                                                  const roof_choices *choices, const roof_apart *apart,
                                                  const roof_service_answer *simulated,
                                                  const roof_listed_price *prices, const char *served,
                                                  roof_text *out, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
