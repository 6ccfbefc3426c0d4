/** Built-in kernels: real code with a reference, a check and the operation that counts its work.
 *
 *  Example:
 *    for (int i = 0; i < roof_kernel_count(); i++) {
 *      printf("%s: %s\n", roof_kernel_at(i)->name, roof_kernel_at(i)->summary);
 *    } */
#ifndef ROOFLINE_KERNELS_H
#define ROOFLINE_KERNELS_H

#include <stddef.h>

#include "roofline/predict.h"
#include "roofline/report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct roof_kernel roof_kernel;

/** A kernel's data: inputs random, outputs poisoned. Fill in all but `state`, which is NULL until prepared; `blocks` and
 *  `setup_threads` need not be filled in. */
typedef struct roof_kernel_run {
  const roof_kernel *kernel;
  roof_dtype dtype;
  double values[ROOF_PARAM_MAX]; /**< completed parameters of the operation */
  int threads;
  int setup_threads; /**< threads that fill and check the operands; 0: as many as run it */
  void *state;
  const roof_blocks *blocks; /**< nullable: those found for this machine and format, which outlive the run */
} roof_kernel_run;

/** How a kernel does the work of its operation, where that is not with the fewest bytes at the peak. */
typedef struct roof_algorithm {
  double level_bytes[ROOF_LEVEL_KIND_COUNT]; /**< that each level supplies; NaN: the compulsory bytes */
  double flops_per_cycle; /**< of the cores that run it, together; NaN: as fast as the peak */
  double flops; /**< instructions on elements, 2 each as the peak counts them; NaN: the operation's */
  double rows;  /**< loops that each start and end */
  bool chained; /**< each operation waits for the one before: that alone decides, and the band is its own */
  bool timed;   /**< how long it waits was measured on this machine: the band is that of others */
} roof_algorithm;

/** One kernel. The order is prepare, execute once, check, then execute as often as one likes, release;
 *  release is also safe after a prepare that failed. A kernel may overwrite its inputs, so that only the
 *  first execution can be checked. */
struct roof_kernel {
  const char *name;
  const char *op;      /**< name of the operation with its formula */
  const char *variant; /**< "naive", "blocked", a library's name, or "" */
  const char *summary;
  const char *sizes; /**< default shape, "n=67108864" */
  const char *quick_sizes;
  const char *processor_sizes; /**< nullable: `sizes` where an accelerator's backend finds a processor */
  int rung;                    /**< place on the ladder of `op`, from 1; 0: on none */
  bool serial;                 /**< runs on one core, whatever the threads */
  double serial_flops;         /**< below so many it runs on one core too */
  bool in_loop;                /**< one of the few that `roofline loop` measures */
  const void *detail;          /**< what the functions below, shared by its family, need to know; or NULL */
  const char *const *backends; /**< names of those that run it, NULL at the end; NULL: the processor's */
  const roof_types *types;     /**< nullable: its formats, where they are not all the run's one */
  /** Whether it is written for that format.
   *  Units: none.
   *  Ownership: none.
   *  Errors: none. */
  bool (*supports)(roof_dtype dtype);
  const char *(*disabled_reason)(void); /**< nullable; NULL when it works here, else why not */
  const char *(*library)(void);         /**< nullable: the library behind it with its version */
  /** How it does the work; nullable: with the compulsory bytes at the peak. `run` needs no data.
   *  Units: `cores`: the target of the cores that run it.
   *  Ownership: fills *out, which is unknown throughout before.
   *  Errors: none: what depends on an unknown figure stays NaN. */
  void (*algorithm)(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out);
  /** Allocates the data and fills them.
   *  Units: none.
   *  Ownership: run->state, until release.
   *  Errors: ROOF_E_UNSUPPORTED with the reason, for one that the data do not fit the memory; ROOF_E_MEMORY. */
  roof_status (*prepare)(roof_kernel_run *run, roof_error *error);
  /** One call, on run->threads threads. NULL: a backend launches it.
   *  Units: none.
   *  Ownership: changes the data; one run on one thread at a time, several runs at once are fine.
   *  Errors: none. */
  void (*execute)(roof_kernel_run *run);
  /** Compares the first execution with the scalar reference.
   *  Units: none.
   *  Ownership: none.
   *  Errors: ROOF_E_INTERNAL naming the first wrong element and the tolerance. */
  roof_status (*check)(roof_kernel_run *run, roof_error *error);
  /** Frees the data.
   *  Units: none.
   *  Ownership: releases run->state.
   *  Errors: none. */
  void (*release)(roof_kernel_run *run);
};

/** Whether one core alone computes so much, whatever the threads.
 *  Units: FLOP.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_kernel_is_alone(const roof_kernel *kernel, double flops);

/** True for a kernel that is slow on purpose, the first of a ladder: its distance from the ceiling is no finding.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_kernel_is_naive(const roof_kernel *kernel);

/** What is known of the processor that a kernel's library computes for, where that need not be this one: `by OPENBLAS_CORETYPE` where
 *  the environment named one that is not known to fit, `without AVX-512` where the library took a lesser one. NULL: this one, or it has no library.
 *  Units: none.
 *  Ownership: static.
 *  Errors: none. */
ROOF_API const char *roof_kernel_core_type(const roof_kernel *kernel);

/** The blocks found for a format of the processor's product by a measurement of the machine.
 *  Units: elements.
 *  Ownership: points into the machine.
 *  Errors: NULL where none were looked for; `machine` may be NULL. */
ROOF_API const roof_blocks *roof_machine_blocks(const roof_machine *machine, roof_dtype dtype);

/** Number of built-in kernels.
 *  Units: count.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API int roof_kernel_count(void);

/** The kernel at `index`.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL when out of range. */
ROOF_API const roof_kernel *roof_kernel_at(int index);

/** Finds a kernel by name ("triad", "gemm-naive", "gemm-blas").
 *  Units: none.
 *  Ownership: writes *kernel on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_kernel_find(const char *name, const roof_kernel **kernel, roof_error *error);

/** True when the backend named runs the kernel.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_kernel_runs_on(const roof_kernel *kernel, const char *backend);

/** The formats of a run's parts: the kernel's own, or all of them `dtype`.
 *  Units: none.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_types roof_kernel_types(const roof_kernel *kernel, roof_dtype dtype);

/** Fills `values` for `kernel` from "key=value key=value" (a default shape or a user's), completed and
 *  checked.
 *  Units: the parameters'.
 *  Ownership: fills the caller's `values` (ROOF_PARAM_MAX) on success only.
 *  Errors: ROOF_E_NAME for an unknown key, ROOF_E_PARSE, ROOF_E_ARGUMENT. */
ROOF_API roof_status roof_kernel_values(const roof_kernel *kernel, const char *sizes, double *values,
                                        roof_error *error);

/** Predicts a kernel by its algorithm: `out` has the bounds of the operation under the ceilings of `machine`, what a
 *  share is taken of, and the time expected of this kernel on `cores`; `moved` has the kernel's own bounds and the
 *  bytes it moves from each level. A chain is expected at 0.85 of its rate, 0.7 to 1, where the
 *  form of its kind is not known.
 *  Units: s, bytes, FLOP.
 *  Ownership: fills *out and *moved (nullable); pointers in them live as long as the machines of the targets. `cores` is the
 *  target of the cores that run it, one for a serial kernel; it may be `machine`.
 *  Errors: as roof_op_find. */
ROOF_API roof_status roof_kernel_predict(const roof_kernel *kernel, const roof_target *machine,
                                         const roof_target *cores, const double *values, roof_prediction *out,
                                         roof_prediction *moved, roof_error *error);

/** Writes what a prediction and a measurement of this run are matched by: "gemm-naive m=512 n=512 k=512
 *  fp64", with the optional parameters that differ from their default. Returns `buffer`.
 *  Units: none.
 *  Ownership: fills the caller's buffer.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_kernel_label(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                                 char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
