/** Somebody's program, measured: its regions, or itself as a whole. */
#ifndef CLI_RUN_PROGRAM_H
#define CLI_RUN_PROGRAM_H

#include "cli/cli.h"
#include "region/program.h"
#include "roofline/measurement.h"
#include "roofline/place.h"

/** What was typed in addition to the program and the options of every command. */
typedef struct cli_program_options {
  int repeats;
  int threads;       /**< 0: all cores */
  const char *dtype; /**< of `flops`, or NULL */
  const char *flops; /**< as typed, or NULL */
  const char *bytes; /**< as typed, or NULL */
  const char *op;    /**< "gemm m=1024 n=1024 k=1024", or NULL */
} cli_program_options;

/** A region, or the program as a whole. Work and time are of one call on one thread. */
typedef struct cli_part {
  roof_measurement measurement;
  double calls;
  double threads; /**< that called it */
  double total_seconds;
  double flops[ROOF_DTYPE_COUNT]; /**< sum over the calls */
  double bytes;                   /**< the same */
  char flops_counted[64];
  roof_placed placed; /**< all threads together */
} cli_part;

typedef struct cli_program {
  const cli_args *args;
  const cli_program_options *options;
  const char *name; /**< without its folder */
  rf_program_counting counting;
  rf_program_usage *runs; /**< one a repetition */
  cli_part whole;
  cli_part *parts; /**< its regions */
  int count;
  roof_measurements missed; /**< what the regions say was not measured */
  roof_machine *machine;    /**< NULL: its ceilings are not known */
  roof_ceilings ceilings;   /**< of that machine, as measured */
} cli_program;

/** Runs the program, places what it did and reports, on stderr or in --to FILE. */
roof_status cli_program_measure(const cli_args *args, const cli_program_options *options, roof_error *error);

/* program_regions.c */
/** Adds the regions of the documents in `folder`, regions of one name together. */
roof_status cli_program_read(cli_program *program, const char *folder, roof_error *error);
/** Median, statistics and means once all is added. */
roof_status cli_part_settle(cli_part *part, roof_error *error);

/* program_report.c */
/** The parts that are reported: the regions, or the program. */
const cli_part *cli_program_parts(const cli_program *program, int *count);
/** Fails before the program runs where its chart could not be drawn. */
roof_status cli_program_check(const cli_program *program, roof_error *error);
roof_status cli_program_report(const cli_program *program, roof_error *error);

#endif
