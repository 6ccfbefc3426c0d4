/** The constants of one kind of kernel fitted to a sample of its timings. */
#ifndef ACCURACY_SAMPLE_H
#define ACCURACY_SAMPLE_H

#include "accuracy/cases.h"
#include "roofline/calibrate.h"

/** Moves the timings of one shape in five to the end, whatever format and machine they are of, and says how many. */
size_t rf_hold_out(rf_case *all, size_t count);
/** Fits the constants of fit->constants.kernel: fills in its values, `spread`, `gain` and `fitted`. */
roof_status rf_sample_fit(const rf_case *all, size_t count, roof_fit *fit, roof_error *error);

#endif
