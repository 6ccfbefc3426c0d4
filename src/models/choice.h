/** Choices of the planner that a run under their load changes. */
#ifndef MODELS_CHOICE_H
#define MODELS_CHOICE_H

#include "roofline/choice.h"

/** Whether a choice keeps up with its load at the slow end of its range as well: its queue does not grow. */
bool rf_choice_is_steady(const roof_choice *choice);

/** Tokens of the shortest and the longest answer in a run of the question's load: those of users, who would all begin and end
 * together, are from half as long to one and a half, as far as the model was made for such long sequences. */
void rf_choice_answers(const roof_choice_question *question, double *shortest, double *longest);

/** The choice at `index` is another one now, and what fewer devices fail by; it stands where it belongs. */
void rf_choices_replace(const roof_choice_question *question, roof_choices *all, int index,
                        const roof_choice *by, const roof_choice *fewer);

/** Limits for the closed form of so many devices, where runs have shown how far off it is. */
typedef struct model_tight {
  double devices;
  roof_plan_limits limits;
  int runs;
} model_tight;

/** Whether of two choices that fail the first fails by less. */
bool rf_choice_is_nearer(const roof_choice_question *question, const roof_choice *a, const roof_choice *b);

/** The cheapest of the machine and in the precision of *found, which it becomes, where `count` numbers of devices have limits of
 *  their own, in the order of their runs; *meets: whether there is one within the limits. */
roof_status rf_choices_next(const roof_choice_question *question, const model_tight *tight, int count,
                            roof_choices *all, roof_choice *found, bool *meets, roof_error *error);

#endif
