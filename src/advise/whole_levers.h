/** When a changed run of a whole model gains. */
#ifndef ADVISE_WHOLE_LEVERS_H
#define ADVISE_WHOLE_LEVERS_H

#include <stdbool.h>

/** True where the gain is shown as one: with three digits. */
static inline bool rf_model_lever_gains(double gain) {
  return gain >= 1.005;
}

#endif
