/** Powers that have the same last digit everywhere. */
#ifndef CORE_POWER_H
#define CORE_POWER_H

/** `base` to the power `exponent`, for a base over 0, by sums and products alone: pow and cbrt of one C library, even of one
 *  processor, differ in the last digit from those of another. Right to a few units of it for results from 1e-20 to 1e20. */
double rf_power(double base, double exponent);

/** The same less 1, also where the power is near 1. */
double rf_power_less_one(double base, double exponent);

/** The cube root of 1 to 2, likewise: a line within 0.7 %, and two steps of Halley's, which cube that error. */
static inline double rf_cube_root(double x) {
  double root = 0.7445 + 0.262 * x;
  for (int step = 0; step < 2; step++) {
    double cube = root * root * root;
    root *= (cube + 2 * x) / (2 * cube + x);
  }
  return root;
}

#endif
