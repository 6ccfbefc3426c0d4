/** The tables that cmake/Programs.cmake generates. */
#ifndef KERNELS_DEVICE_TEXTS_H
#define KERNELS_DEVICE_TEXTS_H

#include "kernels/device/_device.h"

/* Sorted by name; an entry without one ends each. */
extern const rf_device_text rf_device_texts[];
extern const rf_device_text rf_device_preludes[];

#endif
