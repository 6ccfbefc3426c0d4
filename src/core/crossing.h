/** Where the compute and the memory time pass each other as one parameter grows. */
#ifndef CORE_CROSSING_H
#define CORE_CROSSING_H

#include "roofline/predict.h"

/** The farthest value that is looked at. */
#define RF_CROSSING_FARTHEST 1e15

typedef struct rf_crossing {
  double value;   /**< the first after the start at which the other time is longer; NaN: none */
  double nearest; /**< where there is none: the value at which the two come nearest to it */
} rf_crossing;

/** The first change of sides over `start`, as roof_predict_crossing takes its arguments: intensity may rise and fall. */
rf_crossing rf_crossing_after(const roof_target *target, const roof_op *op, const double *values, int param,
                              double start);

#endif
