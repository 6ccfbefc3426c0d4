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
#define ADD_TO(n) "add %8, %" #n "\n\t"
#define LOAD "mov (%0), %0\n\t"
#elif defined(__aarch64__)
#define ADD "add %0, %0, %1\n\t"
#define ADD_TO(n) "add %" #n ", %" #n ", %8\n\t"
#define LOAD "ldr %0, [%0]\n\t"
#endif

static double chain_seconds(int additions) {
#ifdef ADD
  enum { UNROLLED = 64 };
  unsigned long sum = 0, step = 3;
  double start = rf_clock_seconds();
  for (int i = 0; i < additions / UNROLLED; i++) {
    __asm__ volatile(TWICE(TWICE(TIMES_16(ADD))) : "+r"(sum) : "r"(step));
  }
  return rf_clock_seconds() - start;
#else
  (void)additions;
  return NAN;
#endif
}

double rf_clock_chain(void) {
  return chain_seconds(RF_CLOCK_CHAIN);
}

/** Time of additions to eight registers in turn. */
static double apart_seconds(int additions) {
#ifdef ADD
  enum { UNROLLED = 64 };
  unsigned long s[8] = {0}, step = 3;
  double start = rf_clock_seconds();
  for (int i = 0; i < additions / UNROLLED; i++) {
    __asm__ volatile(
        TWICE(TWICE(TWICE(ADD_TO(0) ADD_TO(1) ADD_TO(2) ADD_TO(3) ADD_TO(4) ADD_TO(5) ADD_TO(6) ADD_TO(7))))
        : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]), "+r"(s[4]), "+r"(s[5]), "+r"(s[6]), "+r"(s[7])
        : "r"(step));
  }
  return rf_clock_seconds() - start;
#else
  (void)additions;
  return NAN;
#endif
}

/* An interruption of one chain must not make the core look wide. */
double rf_clock_width(void) {
  enum { CHAIN = 6400, APART = 4 * CHAIN };
  double before = chain_seconds(CHAIN), apart = apart_seconds(APART), after = chain_seconds(CHAIN);
  return APART / apart * fmin(before, after) / CHAIN;
}

void rf_widest_add(rf_widest *widest, double width) {
  for (int i = 0; i < RF_CLOCK_LOOKS; i++) {
    if (width > widest->looks[i]) {
      double lower = widest->looks[i];
      widest->looks[i] = width;
      width = lower;
    }
  }
}

double rf_widest_whole(const rf_widest *widest) {
  return RF_CLOCK_WHOLE * widest->looks[RF_CLOCK_LOOKS - 1];
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
