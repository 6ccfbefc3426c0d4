#include "draw/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "draw/geometry.h"
#include "roofline/units.h"

void rf_tick_label(char *label, size_t size, double value, const char *unit) {
  if (strcmp(unit, "%") == 0) {
    rf_format(label, size, "%.6g %%", 100 * value);
    return;
  }
  if (unit[0] == '\0') {
    rf_axis_number(label, size, value);
    return;
  }
  char text[48], *rest;
  roof_quantity_format(text, sizeof text, value, unit);
  size_t whole = strcspn(text, " "), digits = whole;
  while (memchr(text, '.', whole) != NULL && digits > 0 && strchr("0.", text[digits - 1]) != NULL) {
    if (text[--digits] == '.') {
      break;
    }
  }
  rest = text + whole;
  snprintf(label, size, "%.*s%s", (int)digits, text, rest);
}

/** 1, 2 or 5 times a power of ten: the least step of which at most `most` span `range`. */
static double step_of(double range, int most) {
  double decade = pow(10, floor(log10(range / most))), times = range / most / decade;
  return decade * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/** The values labelled on a log axis that shows less than three of 1, 2 and 5 within a decade: even steps. */
static int fine_ticks(rf_range r, int most, double *ticks) {
  double low = pow(10, r.low), high = pow(10, r.high), step = step_of(high - low, most);
  int count = 0;
  for (double at = ceil(low / step - 1e-9) * step; at <= high * (1 + 1e-9) && count < RF_TICK_MAX;
       at += step) {
    ticks[count++] = at;
  }
  return count;
}

int rf_ticks_log(rf_range r, int most, double ticks[RF_TICK_MAX]) {
  static const double steps[] = {1, 2, 5};
  int count = 0, each = r.high - r.low <= 2.2 && most > 2 ? 3 : 1, skip = rf_axis_step(r.low, r.high, most);
  for (int decade = (int)floor(r.low); decade <= (int)ceil(r.high); decade++) {
    for (int i = 0; i < each && count < RF_TICK_MAX; i++) {
      double at = decade + log10(steps[i]);
      if (at >= r.low - 1e-9 && at <= r.high + 1e-9 && (each == 3 || decade % skip == 0)) {
        ticks[count++] = pow(10, decade) * steps[i];
      }
    }
  }
  bool few = count < 2 || (count < 3 && r.high - r.low < 1);
  return few && r.high > r.low ? fine_ticks(r, most < 3 ? 3 : most > 6 ? 6 : most, ticks) : count;
}

int rf_ticks_linear(rf_range r, int most, double ticks[RF_TICK_MAX]) {
  double step = step_of(r.high, most);
  int count = 0;
  while (count < RF_TICK_MAX && count * step <= r.high * (1 + 1e-9)) {
    ticks[count] = count * step;
    count++;
  }
  return count;
}
