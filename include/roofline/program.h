/** Somebody's program, run and measured: its marked regions (region.h), or itself where it marks none, placed under a
 *  machine's ceilings.
 *
 *  Signals that would end this process are held while the program runs and forwarded to it; one that came ends this
 *  process once everything begun is cleaned up.
 *
 *  Example:
 *    roof_program_options options = roof_program_options_default();
 *    roof_program *program = NULL;
 *    if (roof_program_run((const char *const[]){"./solver", "input.dat", NULL}, NULL, &options, &program, NULL) ==
 *        ROOF_OK) {
 *      printf("%.2f cores busy\n", program->usage.cores_busy);
 *      roof_program_free(program);
 *    } */
#ifndef ROOFLINE_PROGRAM_H
#define ROOFLINE_PROGRAM_H

#include "roofline/documents.h"
#include "roofline/place.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ROOF_PROGRAM_RUNS = 10000, ROOF_PROGRAM_COUNTERS = 2 };

/** How often a program is run, and what is known of its work. */
typedef struct roof_program_options {
  int runs;                   /**< 1 to ROOF_PROGRAM_RUNS */
  int cores;                  /**< that the ceilings are for; 0: all */
  roof_dtype dtype;           /**< of `flops` */
  double flops;               /**< of one run, where no region is marked; NaN: as the hardware counts it */
  double bytes;               /**< from and to memory; the same */
  char label[ROOF_LABEL_MAX]; /**< "": the program's name */
  char counted[64];           /**< how `flops` and `bytes` were */
  const char *timeline; /**< where each process writes its time line (`ROOFLINE_TIMELINE`); NULL: nowhere */
  int timeline_calls;   /**< how many calls of regions it may have; 0: as many as without a word of it */
  /** Called before each run; NULL: it is not called.
   *  Units: runs.
   *  Ownership: `user` is the one below; `step` is gone afterwards.
   *  Errors: none. */
  void (*progress)(void *user, const char *step, int done, int total);
  void *user;
} roof_program_options;

/** Medians over the runs, with the children that the program waited for. */
typedef struct roof_program_usage {
  double seconds, user_seconds, system_seconds;
  double cores_busy;
  double peak_bytes;           /**< resident, of its largest process */
  double voluntary_switches;   /**< it waited */
  double involuntary_switches; /**< another had its core */
} roof_program_usage;

/** What a counter of the processor counted. */
typedef struct roof_program_counter {
  const char *name;
  roof_dtype dtype;
  double flops; /**< median over the runs */
} roof_program_counter;

/** What hardware counted, and why the rest was not. */
typedef struct roof_program_counters {
  roof_program_counter list[ROOF_PROGRAM_COUNTERS];
  int count; /**< 0: the FLOPs were not counted */
  char flops_reason[256];
  double memory_bytes; /**< of the whole machine meanwhile, median; NaN: not counted */
  char memory_reason[256];
} roof_program_counters;

/** A region, or the program as a whole. */
typedef struct roof_program_part {
  roof_measurement measurement;   /**< one call on one thread */
  double threads;                 /**< that called it, of all ranks; 1 for the program as a whole */
  int ranks;                      /**< of an MPI job that called it in one run; 1 where there is no job */
  int slowest_rank;               /**< the one that took longest in it */
  double slowest_seconds;         /**< what that took in one run, */
  double mean_seconds;            /**< and its ranks in the mean */
  double flops[ROOF_DTYPE_COUNT]; /**< of all calls */
  double bytes;                   /**< of all calls */
  roof_placed placed;             /**< all threads together */
} roof_program_part;

typedef struct roof_program {
  char name[ROOF_LABEL_MAX]; /**< without its folder */
  const char *const *words;  /**< as given */
  roof_program_options options;
  roof_program_usage usage;
  roof_program_counters counters;
  roof_program_part whole;
  roof_program_part *regions; /**< those of one name together, of all processes and runs */
  int region_count;
  roof_measurements missed; /**< `skipped`: what the regions say was not measured */
  roof_ceilings ceilings;
} roof_program;

/** Once, under the ceilings of all cores, its work unknown.
 *  Units: FLOP, bytes.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_program_options roof_program_options_default(void);

/** Says that one run does this operation in the options' format: its work, and the label a prediction of it has.
 *  Units: the parameters'.
 *  Ownership: fills the options.
 *  Errors: none. */
ROOF_API void roof_program_does(roof_program_options *options, const roof_op *op, const double *values);

/** Runs `words` (NULL-terminated, the program first) as often as asked, its input and output untouched, and places
 *  what it did under the ceilings that `machine` reaches (NULL: they are not known), each region under those of as
 *  many cores as called it.
 *  Units: s, FLOP, bytes.
 *  Ownership: *program is the caller's, roof_program_free; `words` and `machine` must outlive it.
 *  Errors: ROOF_E_ARGUMENT for a number of runs out of range, ROOF_E_UNSUPPORTED where it cannot be executed, fails or
 *  a signal ends it, ROOF_E_OUTPUT without a folder for temporary files, as roof_measurements_parse for its regions,
 *  as roof_ceilings_init, ROOF_E_MEMORY. */
ROOF_API roof_status roof_program_run(const char *const *words, const roof_machine *machine,
                                      const roof_program_options *options, roof_program **program,
                                      roof_error *error);

/** The parts to report: its regions, or itself where it has none.
 *  Units: none.
 *  Ownership: the program's; writes *count.
 *  Errors: none. */
ROOF_API const roof_program_part *roof_program_parts(const roof_program *program, int *count);

/** Appends the roofline.measurements/1 document of the parts, with what only a program has under `program`.
 *  Units: s, FLOP, bytes.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_ARGUMENT for text that is not UTF-8, ROOF_E_MEMORY. */
ROOF_API roof_status roof_program_write(const roof_program *program, roof_text *out, roof_error *error);

/** Releases what roof_program_run made.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none; NULL is fine. */
ROOF_API void roof_program_free(roof_program *program);

/** Appends how often and how long the program ran, its cores, memory and context switches.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_program_usage_describe(roof_text *out, const roof_program *program);

/** Appends what the hardware counted, or why it did not.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_program_counters_describe(roof_text *out, const roof_program *program);

/** Appends what to know of the parts: without a place, above the roof, of several threads, not measured.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_program_remarks_describe(roof_text *out, const roof_program *program);

/** Appends whose ceilings the parts are under.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_program_ceilings_describe(roof_text *out, const roof_program *program);

#ifdef __cplusplus
}
#endif
#endif
