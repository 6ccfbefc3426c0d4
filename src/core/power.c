#include "core/power.h"

#include <math.h>

/** ln 2 in two parts, the first with zeros at its end, so that its multiples are exact. */
#define LN2_HIGH 0x1.62e42fee00000p-1
#define LN2_LOW 0x1.a39ef35793c76p-33

static const double inverse[] = {0,        1,        1 / 2.0,  1 / 3.0,  1 / 4.0,  1 / 5.0,  1 / 6.0,
                                 1 / 7.0,  1 / 8.0,  1 / 9.0,  1 / 10.0, 1 / 11.0, 1 / 12.0, 1 / 13.0,
                                 1 / 14.0, 1 / 15.0, 1 / 16.0, 1 / 17.0, 1 / 18.0, 1 / 19.0};

/** By ln((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + ...), `base` taken to within a root of 2 of 1. */
static double logarithm(double base) {
  enum { LAST = 19 };
  int twos;
  double part = frexp(base, &twos);
  if (part < 0x1.6a09e667f3bcdp-1) {
    part *= 2;
    twos--;
  }
  double s = (part - 1) / (part + 1), square = s * s, sum = 0;
  for (int k = LAST; k > 1; k -= 2) {
    sum = sum * square + inverse[k];
  }
  return twos * LN2_HIGH + (2 * s + (2 * s * square * sum + twos * LN2_LOW));
}

/** e^x as scale (1 + part), the scale a power of two, the part by its series. */
static double split(double x, double *scale) {
  enum { LAST = 13 };
  double twos = floor(x / (LN2_HIGH + LN2_LOW) + 0.5);
  double rest = x - twos * LN2_HIGH - twos * LN2_LOW, sum = 0;
  for (int k = LAST; k > 0; k--) {
    sum = (1 + sum) * (rest * inverse[k]);
  }
  *scale = ldexp(1, (int)fmax(-1100, fmin(1100, twos)));
  return sum;
}

double rf_power(double base, double exponent) {
  double scale, part = split(exponent * logarithm(base), &scale);
  return scale * (1 + part);
}

double rf_power_less_one(double base, double exponent) {
  double scale, part = split(exponent * logarithm(base), &scale);
  return scale * part + (scale - 1);
}
