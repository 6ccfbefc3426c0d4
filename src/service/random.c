#include "service/random.h"

#include <math.h>

#include "core/power.h"

static const double e = 0x1.5bf0a8b145769p+1;

static uint64_t split_mix(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

service_random rf_random_start(uint64_t seed, uint64_t stream) {
  service_random r;
  uint64_t mixed = stream, state = seed ^ split_mix(&mixed);
  for (int i = 0; i < 4; i++) {
    r.state[i] = split_mix(&state);
  }
  return r;
}

static uint64_t turned(uint64_t x, int by) {
  return x << by | x >> (64 - by);
}

uint64_t rf_random_bits(service_random *r) {
  uint64_t *s = r->state, result = turned(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3];
  s[2] ^= t;
  s[3] = turned(s[3], 45);
  return result;
}

double rf_random_share(service_random *r) {
  return ((double)(rf_random_bits(r) >> 11) + 1) * 0x1p-53;
}

/** Natural logarithm by ln((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + ...), `x` over 0. */
static double logarithm(double x) {
  enum { LAST = 19 };
  int twos;
  double part = frexp(x, &twos);
  if (part < 0x1.6a09e667f3bcdp-1) {
    part *= 2, twos--;
  }
  double s = (part - 1) / (part + 1), square = s * s, sum = 0;
  for (int k = LAST; k > 1; k -= 2) {
    sum = (sum + 1.0 / k) * square;
  }
  return twos * 0x1.62e42fefa39efp-1 + 2 * s * (1 + sum);
}

double rf_random_exponential(service_random *r) {
  return -logarithm(rf_random_share(r));
}

double rf_random_normal(service_random *r) {
  double x, y, square;
  do {
    x = 2 * rf_random_share(r) - 1, y = 2 * rf_random_share(r) - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  return x * sqrt(-2 * logarithm(square) / square);
}

double rf_random_exp(double x) {
  return rf_power(e, x);
}

double rf_random_gamma(service_random *r, double shape) {
  double more = shape < 1 ? 1 : 0, d = shape + more - 1.0 / 3, c = 1 / sqrt(9 * d);
  for (;;) {
    double x = rf_random_normal(r), v = 1 + c * x;
    v = v * v * v;
    if (v > 0 && logarithm(rf_random_share(r)) < x * x / 2 + d * (1 - v + logarithm(v))) {
      double boost = more > 0 ? rf_power(rf_random_share(r), 1 / shape) : 1;
      return d * v * boost / shape;
    }
  }
}

/** The integral of x^-exponent from 1. */
static double area(double x, double exponent) {
  double left = 1 - exponent;
  return left == 0 ? logarithm(x) : rf_power_less_one(x, left) / left;
}

static double area_inverse(double u, double exponent) {
  double left = 1 - exponent;
  return left == 0 ? rf_random_exp(u) : rf_power(1 + left * u, 1 / left);
}

double rf_random_zipf(service_random *r, double count, double exponent) {
  double first = area(1.5, exponent) - 1, last = area(count + 0.5, exponent);
  double sure = 2 - area_inverse(area(2.5, exponent) - rf_power(2, -exponent), exponent);
  for (;;) {
    double u = last + rf_random_share(r) * (first - last), x = area_inverse(u, exponent);
    double k = fmin(count, fmax(1, floor(x + 0.5)));
    if (k - x <= sure || u >= area(k + 0.5, exponent) - rf_power(k, -exponent)) {
      return k;
    }
  }
}
