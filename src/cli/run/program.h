/** `roofline run -- PROGRAM`. */
#ifndef CLI_RUN_PROGRAM_H
#define CLI_RUN_PROGRAM_H

#include "cli/cli.h"
#include "roofline/program.h"

/** What was typed in addition to the program and the options of every command. */
typedef struct cli_program_options {
  int repeats;
  int threads;       /**< 0: all cores */
  const char *dtype; /**< of `flops`, or NULL */
  const char *flops; /**< as typed, or NULL */
  const char *bytes; /**< as typed, or NULL */
  const char *op;    /**< "gemm m=1024 n=1024 k=1024", or NULL */
} cli_program_options;

/** Runs the program, places what it did and reports, on stderr or in --to FILE. */
roof_status cli_program_measure(const cli_args *args, const cli_program_options *options, roof_error *error);

/* program_report.c */
/** Fails before the program runs where its chart could not be drawn: no machine, or no such file. */
roof_status cli_program_check(const cli_args *args, const roof_machine *machine, roof_error *error);
roof_status cli_program_report(const cli_args *args, const roof_program *program, roof_error *error);

#endif
