/** Values that an axis is labelled with, and their labels; shared by the charts that are no rooflines. */
#ifndef RF_DRAW_AXIS_H
#define RF_DRAW_AXIS_H

#include <stddef.h>

enum { RF_TICK_MAX = 64 };

/** Ends of an axis, as log10 or, on a linear axis, as they are. */
typedef struct rf_range {
  double low, high;
} rf_range;

/** On a log axis: decades if there are many, else 1, 2 and 5 of each. Returns their count, at most about `most`. */
int rf_ticks_log(rf_range range, int most, double ticks[RF_TICK_MAX]);

/** On a linear axis from 0. */
int rf_ticks_linear(rf_range range, int most, double ticks[RF_TICK_MAX]);

/** "2 TFLOP/J", "50 W", "0.5": a quantity without trailing zeros; a unit of "%" takes 1 as 100 %. */
void rf_tick_label(char *label, size_t size, double value, const char *unit);

#endif
