/* What a pair of ROOF_REGION_BEGIN and ROOF_REGION_END costs, against a call of an empty function and a pair
 * of clock_gettime calls, alternating in the same process: the least of many short rounds of each. Recording
 * is on when ROOFLINE_REGIONS is set. */
#include <stdio.h>
#include <time.h>

#include "roofline/region.h"

enum { ROUNDS = 400, PAIRS = 2000 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static void empty(void) {
  __asm__ volatile("");
}

static void call_region(void) {
  for (int i = 0; i < PAIRS; i++) {
    ROOF_REGION_BEGIN("pair");
    ROOF_REGION_END("pair", 1, 1);
    __asm__ volatile("" : : : "memory");
  }
}

static void call_empty(void) {
  for (int i = 0; i < PAIRS; i++) {
    empty();
  }
}

static void call_clock(void) {
  struct timespec t;
  for (int i = 0; i < PAIRS; i++) {
    clock_gettime(CLOCK_MONOTONIC, &t);
    clock_gettime(CLOCK_MONOTONIC, &t);
  }
}

int main(void) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"region_pair", call_region}, {"empty_call", call_empty}, {"clock_gettime_pair", call_clock}};
  enum { CASES = sizeof cases / sizeof cases[0] };
  double least[CASES] = {1, 1, 1};
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < CASES; i++) {
      double start = now();
      cases[i].run();
      double each = (now() - start) / PAIRS;
      least[i] = each < least[i] ? each : least[i];
    }
  }
  for (int i = 0; i < CASES; i++) {
    printf("%s_ns %.3f\n", cases[i].name, 1e9 * least[i]);
  }
  return 0;
}
