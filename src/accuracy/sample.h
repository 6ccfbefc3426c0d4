/** The constants of one kind of kernel fitted to a sample of its timings. */
#ifndef ACCURACY_SAMPLE_H
#define ACCURACY_SAMPLE_H

#include "accuracy/cases.h"
#include "roofline/calibrate.h"

/** Whether all timings of a shape are held out together, whatever format and machine they are of. */
typedef enum rf_held { RF_BY_SHAPE, RF_ONE_BY_ONE } rf_held;

/** Moves one shape or timing in five to the end, others for another `salt`, and says how many timings. */
size_t rf_hold_out(rf_case *all, size_t count, rf_held by, unsigned salt);
/** Fits the constants of fit->constants.kernel, as those of the machine `own`: fills in its values, `spread`, `gain` and
 * `fitted`. Where constants of nearly the same timings are known, and these are many, it descends from those `near`; else, or
 * where that is NULL, it searches. */
roof_status rf_sample_fit(const roof_machine *own, const rf_case *all, size_t count, const double *near,
                          roof_fit *fit, roof_error *error);

#endif
