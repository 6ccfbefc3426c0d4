/** Tables and data of the kernels room. */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "kernels/data.h"
#include "kernels/lanes/lanes.h"
#include "roofline/kernels.h"

/** One file of kernels: `src/kernels/PATH/NAME.c` exports `const rf_kernel_family rf_kernels_PATH_NAME`. */
typedef struct rf_kernel_family {
  const roof_kernel *kernels;
  int count;
} rf_kernel_family;

/** The operands of every built-in kernel: up to two inputs, one output. */
typedef struct rf_operands {
  void *in[2];
  void *out;
  void *scratch;
  double bytes[3]; /**< of in[0], in[1] and out */
  const rf_loops *loops;
  bool stream;  /**< as data beyond the caches: fetch ahead, store past them */
  bool add;     /**< a product is added to the output: a step of a longer sum */
  double total; /**< of the threads' sums, where the output is one */
} rf_operands;

/** Allocates run->state: `in[0]` and `in[1]` random, `out` poisoned with NaN; a count of 0 allocates nothing.
 *  Units: elements, bytes of scratch. Ownership: released by rf_operands_release, also after a failure.
 *  Errors: ROOF_E_UNSUPPORTED when it does not fit the memory that is free, ROOF_E_MEMORY. */
roof_status rf_operands_prepare(roof_kernel_run *run, double in0, double in1, double out, double scratch,
                                roof_error *error);

/** Frees what rf_operands_prepare allocated.
 *  Units: none. Ownership: resets run->state to NULL. Errors: none. */
void rf_operands_release(roof_kernel_run *run);

/** Element `index` of data in the run's format.
 *  Units: elements. Ownership: none. Errors: never looks at it; nothing points anywhere. */
static inline void *rf_element(const roof_kernel_run *run, const void *data, size_t index) {
  return (void *)((uintptr_t)data + index * (size_t)roof_dtype_bytes(run->dtype));
}

/* Instructions that e^x takes in the lanes' loops (lanes/body.h): a reduction, the series and two powers for it, a power of two;
 * fp64's series is five terms longer. A division runs along with the others. */
enum { RF_EXPONENTIAL = 17, RF_EXPONENTIAL_FP64 = 22 };

/** The algorithm of so many elements, each with e^x and `others` instructions more, that the first cache supplies
 *  `passes` times in `rows` rows.
 *  Units: instructions. Ownership: fills *out. Errors: none. */
void rf_exponentials_algorithm(const roof_kernel_run *run, double elements, double others, double passes,
                               double rows, roof_algorithm *out);

/** What one of so many threads does of a kernel's work. */
typedef void rf_part(const roof_kernel_run *run, int thread, int threads);

/** Threads that fill and check the operands.
 *  Units: count. Ownership: none. Errors: none. */
int rf_kernel_setup_threads(const roof_kernel_run *run);

/** Does all parts at once, each on a thread of the run's own; one thread alone without a parallel region.
 *  Units: none. Ownership: none. Errors: none. */
void rf_kernel_in_parts(const roof_kernel_run *run, rf_part *part);

/** True for fp64 and fp32, what the loops are written for.
 *  Units: none. Ownership: none. Errors: none. */
bool rf_kernel_is_native(roof_dtype dtype);

/** Machine epsilon of fp64, fp32, fp16 or bf16.
 *  Units: relative. Ownership: none. Errors: 0 for another format. */
double rf_kernel_epsilon(roof_dtype dtype);

/** What the functions of most kernels for fp64 and fp32 share. */
#define RF_NATIVE .supports = rf_kernel_is_native, .release = rf_operands_release

/** Fills the output with random numbers: of a kernel that updates it.
 *  Units: elements. Ownership: none. Errors: none. */
void rf_operands_start(roof_kernel_run *run, size_t count);

/** The number that rf_operands_start put at `index`.
 *  Units: none. Ownership: none. Errors: none. */
double rf_operands_started(const roof_kernel_run *run, size_t index);

/** A sum after Kahan, for references of long sums: more exact than what they check. Start from `{0}`. */
typedef struct rf_total {
  double sum;
  double lost; /**< to rounding, by the last addition */
} rf_total;

/** Adds one term.
 *  Units: the terms'. Ownership: changes *total. Errors: none. */
static inline void rf_total_add(rf_total *total, double term) {
  double corrected = term - total->lost, next = total->sum + corrected;
  total->lost = (next - total->sum) - corrected;
  total->sum = next;
}

/** What element `index` of the output must be, within *tolerance. */
typedef double rf_reference(const roof_kernel_run *run, size_t index, double *tolerance);

/** Checks that all `count` elements of the output are numbers, and that about `samples` of them, spread
 *  evenly (all when there are fewer, and 4 million at most), match the reference.
 *  Units: elements.
 *  Ownership: none.
 *  Errors: ROOF_E_INTERNAL naming the first wrong element. */
roof_status rf_kernel_compare(roof_kernel_run *run, size_t count, size_t samples, rf_reference *reference,
                              roof_error *error);

/** Reports which element of the output is wrong.
 *  Units: the output's. Ownership: none. Errors: always ROOF_E_INTERNAL. */
roof_status rf_kernel_wrong(const roof_kernel_run *run, size_t element, double value, double reference,
                            double tolerance, roof_error *error);

#endif
