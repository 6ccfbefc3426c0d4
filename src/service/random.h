/** Random numbers with the same digits on every platform: xoshiro256** (Blackman and Vigna 2021) seeded by SplitMix64 (Steele
 *  et al. 2014); logarithms and powers of our own. */
#ifndef SERVICE_RANDOM_H
#define SERVICE_RANDOM_H

#include <stdint.h>

typedef struct service_random {
  uint64_t state[4];
} service_random;

/** Streams of one seed are independent of each other. */
service_random rf_random_start(uint64_t seed, uint64_t stream);

uint64_t rf_random_bits(service_random *random);

/** Over 0 and at most 1. */
double rf_random_share(service_random *random);

/** With mean 1. */
double rf_random_exponential(service_random *random);

/** Standard normal, by the polar method (Marsaglia and Bray 1964). */
double rf_random_normal(service_random *random);

/** With mean 1: shape x scale = 1 (Marsaglia and Tsang 2000). */
double rf_random_gamma(service_random *random, double shape);

/** 1 to `count`, the i-th i^-exponent as often as the first (Zipf), by rejection-inversion (Hormann and Derflinger 1996). */
double rf_random_zipf(service_random *random, double count, double exponent);

/** e to the power. */
double rf_random_exp(double x);

#endif
