/** The tables that cmake/Programs.cmake generates. */
#ifndef KERNELS_DEVICE_TEXTS_H
#define KERNELS_DEVICE_TEXTS_H

#include "kernels/device/_device.h"

/* Sorted by name; an entry without one ends each. */
extern const roof_device_text roof_device_texts[];
extern const roof_device_text roof_device_preludes[];

#endif
