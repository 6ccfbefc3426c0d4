#include "kernels/lanes/sums.h"

#include <string.h>

/* A step of 2 has the loop that a longer one has: compilers give neighbours one of their own. */
enum { NEXT = 2, LINE = 64, APART = 8 * LINE, ROWS = 256, LONG = 1024, SHORT = RF_SUM_SHORT_TERMS };

/** Products added to one sum, as the compiler leaves such a loop: `step` elements from term to term of rows. All threads read
 * the same rows, which a stack has no room for. */
#define SUM(type)                                                                                            \
  static _Alignas(LINE) type rows_##type[ROWS * APART / sizeof(type)];                                       \
  static type sum_##type(const type *x, const type *y, size_t terms, size_t step) {                          \
    type sum = 0;                                                                                            \
    for (size_t p = 0; p < terms; p++) {                                                                     \
      sum += x[p] * y[p * step];                                                                             \
    }                                                                                                        \
    return sum;                                                                                              \
  }                                                                                                          \
  static void sums_##type(size_t rounds, const void *seeds, void *result, size_t terms, size_t step) {       \
    const size_t columns = LINE / sizeof(type);                                                              \
    type x[LONG], sum = 0;                                                                                   \
    for (size_t p = 0; p < LONG; p++) {                                                                      \
      memcpy(&x[p], (const char *)seeds + 2 * RF_PEAK_BYTES, sizeof *x);                                     \
    }                                                                                                        \
    for (size_t r = 0; r < rounds; r++) {                                                                    \
      __asm__ volatile("" : "+r"(terms), "+r"(step) : : "memory");                                           \
      sum = sum_##type(x, rows_##type + (step > NEXT ? r % columns : 0), terms, step);                       \
      memcpy(result, &sum, sizeof sum);                                                                      \
    }                                                                                                        \
    memcpy((char *)result + RF_PEAK_BYTES, &sum, sizeof sum);                                                \
  }                                                                                                          \
  static void long_##type(size_t rounds, const void *seeds, void *result) {                                  \
    sums_##type(rounds, seeds, result, LONG, NEXT);                                                          \
  }                                                                                                          \
  static void short_##type(size_t rounds, const void *seeds, void *result) {                                 \
    sums_##type(rounds, seeds, result, SHORT, NEXT);                                                         \
  }                                                                                                          \
  static void down_##type(size_t rounds, const void *seeds, void *result) {                                  \
    sums_##type(rounds, seeds, result, ROWS, APART / sizeof(type));                                          \
  }
SUM(float)
SUM(double)

void rf_sum_fill(rf_rate_type type, const void *factor) {
  size_t size = type == RF_RATE_FP32 ? sizeof *rows_float : sizeof *rows_double;
  char *rows = type == RF_RATE_FP32 ? (char *)rows_float : type == RF_RATE_FP64 ? (char *)rows_double : NULL;
  for (size_t at = 0; rows != NULL && at < (size_t)ROWS * APART; at += size) {
    memcpy(rows + at, factor, size);
  }
}

static bool any(void) {
  return true;
}

#define ROW(name, terms, fp, type, stem)                                                                     \
  { name " " stem, "compiled", RF_RATE_##fp, terms, any, type }

static const rf_rate_kernel sums[] = {
    ROW("fp32", LONG, FP32, long_float, RF_SUM_LONG),     ROW("fp32", SHORT, FP32, short_float, RF_SUM_SHORT),
    ROW("fp32", ROWS, FP32, down_float, RF_SUM_DOWN),     ROW("fp64", LONG, FP64, long_double, RF_SUM_LONG),
    ROW("fp64", SHORT, FP64, short_double, RF_SUM_SHORT), ROW("fp64", ROWS, FP64, down_double, RF_SUM_DOWN),
};

const rf_rate_kernel *rf_sum_kernel_at(int index) {
  return index >= 0 && index < (int)(sizeof sums / sizeof sums[0]) ? &sums[index] : NULL;
}
