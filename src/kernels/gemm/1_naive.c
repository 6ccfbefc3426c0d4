/* The textbook product: three loops, one sum an element. Down a column of B every load is a line of its
 * own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/_gemm.h"
#include "kernels/lanes/sums.h"

#define PRODUCT(type)                                                                                        \
  static void product_##type(rf_gemm_sizes s, const type *a, const type *b, type *c) {                       \
    for (size_t i = 0; i < s.m; i++) {                                                                       \
      for (size_t j = 0; j < s.n; j++) {                                                                     \
        type sum = 0;                                                                                        \
        for (size_t p = 0; p < s.k; p++) {                                                                   \
          sum += a[i * s.k + p] * b[p * s.n + j];                                                            \
        }                                                                                                    \
        c[i * s.n + j] = sum;                                                                                \
      }                                                                                                      \
    }                                                                                                        \
  }
PRODUCT(double)
PRODUCT(float)

static void execute(roof_kernel_run *run) {
  const rf_operands *o = run->state;
  if (run->dtype == ROOF_FP64) {
    product_double(rf_gemm_shape(run), o->in[0], o->in[1], o->out);
  } else {
    product_float(rf_gemm_shape(run), o->in[0], o->in[1], o->out);
  }
}

/* Where they were not measured, the cycles of an addition, which must end before the next one of a sum begins: 3 on Zen and
 * Golden Cove, 4 on Skylake to Ice Lake, 2 on Neoverse N1 (uops.info; Agner Fog, Instruction tables; Arm, optimization
 * guides). */
enum { ADDITION = 3, LINE = 64, PAGE_SETS = 64 };

/* The next sum begins while the last terms of this one are added: of five instructions each, what the smallest window of
 * the same cores, 128 instructions, holds. Of short sums half of each may so hide behind another. */
static const double overlapped_terms = 24, least_cycles = 2;

/** Cycles of a term. */
typedef struct waits {
  double addition;   /**< that waits for the one before */
  double least;      /**< where the next sum begins meanwhile */
  double overlapped; /**< terms of which it does */
  double line;       /**< that comes from a line of the second cache */
  bool measured;
} waits;

/** Cycles of an addition in sums of that kind on one core; NaN: not measured. */
static double cycles_in(const roof_machine *machine, roof_dtype dtype, const char *sums) {
  char name[ROOF_NAME_MAX];
  double cycles = NAN;
  snprintf(name, sizeof name, "%s %s", roof_dtype_name(dtype), sums);
  const roof_report *report = roof_machine_report(machine);
  for (int i = 0; i < report->rate_count; i++) {
    const roof_rate *rate = &report->rates[i];
    if (strcmp(rate->name, name) == 0 && (rate->cores == 1 || machine->unit_count == 1)) {
      cycles = machine->clock_hz / rate->per_second;
    }
  }
  return cycles;
}

static waits waits_of(const roof_machine *machine, roof_dtype dtype) {
  double chained = cycles_in(machine, dtype, RF_SUM_LONG), brief = cycles_in(machine, dtype, RF_SUM_SHORT);
  double line = cycles_in(machine, dtype, RF_SUM_DOWN);
  if (isnan(chained) || isnan(brief)) {
    return (waits){ADDITION, least_cycles, overlapped_terms, 0, false};
  }
  return (waits){chained, brief, fmax(0, RF_SUM_SHORT_TERMS * (1 - brief / chained)), isnan(line) ? 0 : line,
                 true};
}

static double cycles_of_sum(const waits *w, double terms) {
  return fmax(w->addition * (terms - w->overlapped), w->least * terms);
}

/** Lines of a column that a cache holds: in the first one, whose sets repeat with each page of 4 KiB, rows that lie a
 * multiple of a power of two apart share few of them. */
static double lines_held(const roof_kernel_run *run, double bytes, bool first) {
  size_t stride = rf_gemm_shape(run).n * (size_t)roof_dtype_bytes(run->dtype) / LINE, shared = 1;
  while (first && shared < PAGE_SETS && stride > 0 && stride % (2 * shared) == 0) {
    shared *= 2;
  }
  return bytes / LINE / (double)shared;
}

/** B by columns: once if it fits, else once for each row of A while the lines of a column stay, else a whole line for
 * each element. */
static rf_gemm_passes passes(const roof_kernel_run *run, double bytes, bool first) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  double element = roof_dtype_bytes(run->dtype), m = (double)s.m, n = (double)s.n, k = (double)s.k;
  bool whole = k * n * element <= bytes, column = k <= lines_held(run, bytes, first);
  return (rf_gemm_passes){1, whole ? 1 : column ? m : m * LINE / element, 1};
}

/** Whether the first cache keeps B, or the lines of a column for its neighbours. */
static bool columns_stay(const roof_kernel_run *run, const roof_target *cores) {
  const roof_level *first = cores->level[ROOF_L1];
  double element = roof_dtype_bytes(run->dtype), bytes = first != NULL ? first->bytes : INFINITY;
  rf_gemm_sizes s = rf_gemm_shape(run);
  return (double)(s.k * s.n) * element <= bytes || (double)s.k <= lines_held(run, bytes, true);
}

static void algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  rf_gemm_moves(run, cores, 2, passes, out);
  waits w = waits_of(cores->machine, run->dtype);
  double terms = run->values[2], cycles = cycles_of_sum(&w, terms);
  out->flops_per_cycle = 2 * terms / (columns_stay(run, cores) ? cycles : fmax(cycles, w.line * terms));
  out->chained = true;
  out->timed = w.measured;
}

static const roof_kernel kernels[] = {
    {.name = "gemm-naive",
     .op = "gemm",
     .variant = "naive",
     .rung = 1,
     .serial = true,
     .in_loop = true,
     .summary = "three loops: every multiply-add waits for a load of B, far below both ceilings",
     .sizes = "m=768 n=768 k=768",
     .quick_sizes = "m=384 n=384 k=384",
     .supports = rf_kernel_is_native,
     .algorithm = algorithm,
     .prepare = rf_gemm_prepare_plain,
     .execute = execute,
     .check = rf_gemm_check,
     .release = rf_operands_release},
};

const rf_kernel_family rf_kernels_gemm_1_naive = {kernels, sizeof kernels / sizeof kernels[0]};
