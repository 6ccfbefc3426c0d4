/** What `measure` prints: one screen. */
#ifndef CLI_MEASURE_BRIEF_H
#define CLI_MEASURE_BRIEF_H

#include "cli/cli.h"

/** Prints how far to trust the machine, the ceilings that count, what is odd, and where the rest is: `file`, or NULL
 *  for the catalogue. */
roof_status cli_measure_print_brief(const roof_machine *machine, const char *file, roof_error *error);

#endif
