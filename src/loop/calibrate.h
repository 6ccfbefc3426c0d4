/** The constants of expected times on this processor: built-in kernels timed, and the forms fitted to them. */
#ifndef LOOP_CALIBRATE_H
#define LOOP_CALIBRATE_H

#include "roofline/loop.h"

/** One kernel timed at one size on some cores. */
typedef struct rf_timing {
  const roof_kernel *kernel;
  roof_loop_cores cores;
  roof_prediction moved; /**< by the kernel's algorithm, under the bare ceilings */
  double seconds;
  double weight; /**< 1, less of what was disturbed */
} rf_timing;

/** Constants that were fitted before. */
typedef struct rf_fitted {
  roof_kernel_kind kind;
  roof_loop_cores cores;
  const roof_kernel *without;
  roof_constants constants;
} rf_fitted;

enum { RF_FITTED_MAX = 64 };

typedef struct rf_calibration {
  const roof_target *targets; /**< one for each roof_loop_cores; they must outlive it */
  rf_timing *timings;
  size_t count, capacity;
  rf_fitted fitted[RF_FITTED_MAX]; /**< to these timings */
  size_t fitted_count;
} rf_calibration;

/** Adds a timing that may be off so far, as a share of it.
 *  Units: s. Ownership: copies. Errors: ROOF_E_MEMORY, as roof_kernel_predict. */
roof_status rf_calibration_add(rf_calibration *calibration, const roof_kernel *kernel, roof_loop_cores cores,
                               const double *values, double seconds, double doubt, roof_error *error);

/** Times the kernels of the plan at a size for each level, on one core and on all. One that cannot run is left out.
 *  Units: s. Ownership: adds to the loop's calibration. Errors: ROOF_E_MEMORY. */
roof_status rf_calibration_measure(roof_loop *loop, roof_error *error);

/** Fits the constants of a kind of kernel on some cores to the timings of all kernels but `without` (NULL: of all); their
 *  interval is of kernels that each had constants of the others too. *known: whether enough kernels were timed.
 *  Units: as the constants'.
 *  Ownership: fills *constants where they are known, without the kernel's name in it.
 *  Errors: ROOF_E_MEMORY. */
roof_status rf_calibration_fit(rf_calibration *calibration, roof_kernel_kind kind, roof_loop_cores cores,
                               const roof_kernel *without, roof_constants *constants, bool *known,
                               roof_error *error);

/** Releases it; NULL is none.
 *  Units: none. Ownership: releases. Errors: none. */
void rf_calibration_free(rf_calibration *calibration);

#endif
