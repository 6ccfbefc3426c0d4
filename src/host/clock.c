#include "host/clock.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static char boot[64];
static once_flag boot_once = ONCE_FLAG_INIT;

static void read_boot(void) {
  int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  ssize_t got = file >= 0 ? read(file, boot, sizeof boot - 1) : 0;
  boot[got > 0 ? got : 0] = '\0';
  boot[strcspn(boot, "\n")] = '\0';
  if (file >= 0) {
    close(file);
  }
}

const char *rf_clock_boot(void) {
  call_once(&boot_once, read_boot);
  return boot;
}

double rf_clock_since_boot(void) {
  struct timespec now;
  return clock_gettime(CLOCK_BOOTTIME, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : NAN;
}

double rf_clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define TWICE(x) x x
#define TIMES_16(x) TWICE(TWICE(TWICE(TWICE(x))))

#if defined(__x86_64__)
/* A register operand: recent cores add small constants at no cost when they rename. */
#define ADD "add %1, %0\n\t"
#define LOAD "mov (%0), %0\n\t"
#elif defined(__aarch64__)
#define ADD "add %0, %0, %1\n\t"
#define LOAD "ldr %0, [%0]\n\t"
#endif

double rf_clock_chain(void) {
#ifdef ADD
  enum { UNROLLED = 64 };
  unsigned long sum = 0, step = 3;
  double start = rf_clock_seconds();
  for (int i = 0; i < RF_CLOCK_CHAIN / UNROLLED; i++) {
    __asm__ volatile(TWICE(TWICE(TIMES_16(ADD))) : "+r"(sum) : "r"(step));
  }
  return rf_clock_seconds() - start;
#else
  return NAN;
#endif
}

/* Not on the stack: recent cores keep what was stored there in registers. */
double rf_clock_load_chain(void) {
#ifdef LOAD
  enum { UNROLLED = 16 };
  static const void *const here = &here;
  const void *self = &here;
  double start = rf_clock_seconds();
  for (int i = 0; i < RF_CLOCK_CHAIN / UNROLLED; i++) {
    __asm__ volatile(TIMES_16(LOAD) : "+r"(self));
  }
  return rf_clock_seconds() - start;
#else
  return NAN;
#endif
}
