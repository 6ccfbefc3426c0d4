/** The parts of `roofline machine`, one file each. */
#ifndef CLI_MACHINE_MACHINE_H
#define CLI_MACHINE_MACHINE_H

#include "cli/cli.h"
#include "roofline/catalog.h"
#include "roofline/report.h"

roof_status cli_machine_list_run(const cli_args *args, roof_error *error);
roof_status cli_machine_show_run(const cli_args *args, roof_error *error);
roof_status cli_machine_compare_run(const cli_args *args, roof_error *error);
roof_status cli_machine_lint_run(const cli_args *args, roof_error *error);

/** Prints a machine as text, or as JSON when asked. */
roof_status cli_machine_show_print(const cli_args *args, const roof_machine *machine, roof_error *error);

/** Prints figures of machines side by side with their ratio to the first, as text, JSON or CSV. */
roof_status cli_machine_compare_print(const cli_args *args, roof_machine *const *machines, int count,
                                      roof_error *error);

/** Prints the measured figures of two machines, or of one at two times, side by side: what changed, and
 *  whether that is more than noise (measure/compare.c). */
roof_status cli_measure_compare_print(const cli_args *args, const roof_machine *old, const roof_machine *new,
                                      roof_error *error);

enum { MACHINE_FIGURE_SIZE = 32 };

/** `value` with its unit, or `unknown` where it is NaN. Fills and returns `buffer` of MACHINE_FIGURE_SIZE
 *  bytes. */
char *cli_machine_figure(char *buffer, double value, const char *unit, const char *unknown);

#endif
