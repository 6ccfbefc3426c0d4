/** The cheapest clock with a constant rate: the time stamp counter, the ARM counter, else the system's
 * clock. */
#ifndef REGION_TICKS_H
#define REGION_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

static inline uint64_t rf_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/** The counter's name, or NULL if no counter has a constant rate. */
static inline const char *rf_ticks_name(void) {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0 ? "TSC" : NULL; /* invariant TSC */
#elif defined(__aarch64__)
  return "CNTVCT";
#else
  return NULL;
#endif
}

/** The barrier makes the read wait for all earlier work; without it a short region seems to take no time. */
static inline uint64_t rf_ticks(bool counter) {
#if defined(__x86_64__)
  if (counter) {
    _mm_lfence();
    return __rdtsc();
  }
#elif defined(__aarch64__)
  if (counter) {
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
  }
#endif
  (void)counter;
  return rf_nanoseconds();
}

#endif
