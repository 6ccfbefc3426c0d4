/** The minimum of a function of a few bounded numbers, without derivatives. */
#ifndef ACCURACY_FIT_H
#define ACCURACY_FIT_H

enum { RF_FIT_MOST = 12 };

/** A function of numbers that are each from 0 to 1. */
typedef double rf_fit_function(const void *context, const double *at);

/** Descends from `at`, which is moved to the least found, by at most about `evaluations` of `function`; returns its value
 * there. Deterministic. */
double rf_fit_descend(rf_fit_function *function, const void *context, double *at, int count, int evaluations);

#endif
