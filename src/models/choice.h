/** Choices of the planner that a run under their load changes. */
#ifndef MODELS_CHOICE_H
#define MODELS_CHOICE_H

#include "roofline/choice.h"

/** Whether a choice keeps up with its load at the slow end of its range as well: its queue does not grow. */
bool rf_choice_is_steady(const roof_choice *choice);

/** Tokens of the shortest and the longest answer in a run of the question's load: those of users, who would all begin and end
 * together, are from half as long to one and a half, as far as the model was made for such long sequences. */
void rf_choice_answers(const roof_choice_question *question, double *shortest, double *longest);

/** The next number of devices of an offer: 1, 2, 3 ... of a node, then whole nodes. */
double rf_choices_more_devices(const roof_choice_question *question, int offer, double devices);

/** The choice at `index` is another one now, and what fewer devices fail by; it stands where it belongs. */
void rf_choices_replace(const roof_choice_question *question, roof_choices *all, int index,
                        const roof_choice *by, const roof_choice *fewer);

/** The cheapest of at least `from` devices of the machine and in the precision of *found, which it becomes; *meets: whether
 *  there is one within the limits. */
roof_status rf_choices_next(const roof_choice_question *question, double from, roof_choices *all,
                            roof_choice *found, bool *meets, roof_error *error);

#endif
