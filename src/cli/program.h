/** Somebody's program, measured: its regions, or itself as a whole. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "cli/cli.h"
#include "region/program.h"
#include "roofline/measurement.h"

/** What was typed beside the program and the options of every command. */
typedef struct roof_program_options {
  int repeats;
  int threads;       /**< 0: all cores */
  const char *dtype; /**< of `flops`, or NULL */
  const char *flops; /**< as typed, or NULL */
  const char *bytes; /**< as typed, or NULL */
  const char *op;    /**< "gemm m=1024 n=1024 k=1024", or NULL */
} roof_program_options;

/** A region, or the program as a whole. Work and time are of one call on one thread. */
typedef struct roof_part {
  roof_measurement measurement;
  double calls;
  double threads; /**< that called it */
  double total_seconds;
  double flops[ROOF_DTYPE_COUNT]; /**< sum over the calls */
  double bytes;                   /**< the same */
  char flops_counted[64];
  roof_prediction bound; /**< of all threads together, if `bounded` */
  bool bounded;
} roof_part;

typedef struct roof_program {
  const roof_args *args;
  const roof_program_options *options;
  const char *name; /**< without its folder */
  roof_program_counting counting;
  roof_program_usage *runs; /**< one a repetition */
  roof_part whole;
  roof_part *parts; /**< its regions */
  int count;
  json_t *skipped; /**< what the regions say was not measured */
  roof_machine machine;
  bool known; /**< the machine's ceilings are */
} roof_program;

/** Runs the program, places what it did and reports, on stderr or in --to FILE. */
roof_status roof_program_measure(const roof_args *args, const roof_program_options *options,
                                 roof_error *error);

/* program_regions.c */
/** Adds the regions of the documents in `folder`, regions of one name together. */
roof_status roof_program_read(roof_program *program, const char *folder, roof_error *error);
/** Median, statistics and means once all is added. */
roof_status roof_part_settle(roof_part *part, roof_error *error);
roof_status roof_part_add_sample(roof_part *part, double seconds, roof_error *error);

/* program_report.c */
/** The parts that are reported: the regions, or the program. */
const roof_part *roof_program_parts(const roof_program *program, int *count);
/** Fails before the program runs where its chart could not be drawn. */
roof_status roof_program_check(const roof_program *program, roof_error *error);
roof_status roof_program_report(const roof_program *program, roof_error *error);

#endif
