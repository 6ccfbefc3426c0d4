/** What fits need of all timings: those of one kind and format chosen, the doubtful dropped, constants fitted and used. */
#ifndef ACCURACY_FITTING_H
#define ACCURACY_FITTING_H

#include "accuracy/sample.h"

enum { RF_LEAST_TO_FIT = 20, RF_VARIANTS = 4 /* of a format: in blocks, stored narrower */ };

typedef struct rf_fitting {
  rf_cases cases;
  bool in_place;      /**< a framework's constants are fitted to what its own predict now; else "" is any */
  const char *source; /**< of the timings */
  rf_case *chosen;    /**< of one kind and format */
  size_t chosen_count;
  size_t too_fast;       /**< dropped from them: under their lower bound, */
  double too_fast_times; /**< the median of these by so many times */
  rf_judged *judged;     /**< timings that were not fitted */
  size_t judged_count;
  double *room; /**< for a number of each timing */
  roof_error *error;
} rf_fitting;

/** Reads the timings as rf_cases_init does. Release with rf_fitting_done, also on failure. */
roof_status rf_fitting_init(rf_fitting *f, const roof_profile *profile, const roof_machine *machine,
                            const roof_options *options, roof_error *error);
void rf_fitting_done(rf_fitting *f);
/** Whose constants predict a kind of kernel there: "" is nobody's. Lives as long as the machine. */
const char *rf_framework_in_place(const rf_prepared *p, roof_kernel_kind kernel);
/** Chooses the timings that constants of this kernel, format and framework are for. */
void rf_fitting_choose(rf_fitting *f, const roof_constants *of);
/** Drops the chosen timings that cannot be of the kernel alone, and says why. */
roof_status rf_fitting_drop_doubtful(rf_fitting *f);
/** Fits the constants of fit->constants.kernel and dtype to `count` timings, which it orders anew; the interval is that
 * of one shape in five, which is not fitted. From then on the targets of the format use them. Returns through *held
 * how many of the last were not fitted, all where these were too few. */
roof_status rf_fitting_fit(rf_fitting *f, rf_case *all, size_t count, roof_fit *fit, size_t *held);
/** The constants that the targets have for a kind of kernel, and those put back. */
void rf_fitting_keep_forms(const rf_fitting *f, roof_kernel_kind kernel, roof_form forms[RF_PREPARED]);
void rf_fitting_put_forms(rf_fitting *f, roof_kernel_kind kernel, const roof_form forms[RF_PREPARED]);
/** Machines without a family have none in common. */
bool rf_same_family(const roof_machine *a, const roof_machine *b);
/** Moves timings of which `is` says so of their machine to the end, and says how many. */
size_t rf_move_last(rf_case *all, size_t count, bool (*is)(const roof_machine *, const roof_machine *),
                    const roof_machine *machine);
/** Adds the errors of `count` timings to those judged. */
void rf_fitting_judge(rf_fitting *f, const rf_case *all, size_t count);
/** Gives the judged timings and what was left out to *accuracy. */
roof_status rf_fitting_collect(rf_fitting *f, roof_accuracy *accuracy);

#endif
