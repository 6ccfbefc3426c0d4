/** `roofline run -- PROGRAM`. */
#ifndef CLI_RUN_PROGRAM_H
#define CLI_RUN_PROGRAM_H

#include "cli/cli.h"
#include "roofline/program.h"

/** What was typed in addition to the program and the options of every command. */
typedef struct cli_program_options {
  int repeats;
  int threads;          /**< 0: all cores */
  const char *dtype;    /**< of `flops`, or NULL */
  const char *flops;    /**< as typed, or NULL */
  const char *bytes;    /**< as typed, or NULL */
  const char *op;       /**< "gemm m=1024 n=1024 k=1024", or NULL */
  const char *gather;   /**< where the ranks of a job meet, or NULL: the working directory */
  double patience;      /**< s that rank 0 waits for the others; 0: the usual */
  const char *timeline; /**< the file of --timeline, or NULL */
} cli_program_options;

/** Runs the program, places what it did and reports, on stderr or in --to FILE. */
roof_status cli_program_measure(const cli_args *args, const cli_program_options *options, roof_error *error);

/* program_job.c */
/** The same under a launcher that started several ranks, by each of them: rank 0 reports on all. */
roof_status cli_program_job(const cli_args *args, const cli_program_options *options,
                            const roof_program_options *how, const roof_machine *machine, roof_error *error);

/* program_report.c */
/** Writes a report to --to or to stderr: stdout is the program's. */
roof_status cli_program_put(const cli_args *args, const roof_text *text, roof_error *error);

/** Fails before the program runs where its chart could not be drawn: no machine, or no such file. */
roof_status cli_program_check(const cli_args *args, const roof_machine *machine, roof_error *error);
roof_status cli_program_report(const cli_args *args, const roof_program *program, roof_error *error);

#endif
