/* Running a profiler. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/profile/run.h"

roof_status cli_profiler_run(const char *const *words, roof_error *error) {
  rf_program_hold hold;
  rf_program_begin(&hold);
  roof_status status = cli_profiler_run_held(words, &hold, error);
  rf_program_end(&hold);
  return status;
}

roof_status cli_profiler_run_held(const char *const *words, rf_program_hold *hold, roof_error *error) {
  rf_program_counting none = {0};
  rf_program_usage usage;
  while (strchr(words[0], '=') != NULL) { /* as a shell has it: NAME=VALUE before the command */
    putenv((char *)(uintptr_t)*words++);
  }
  return rf_program_run(words, "", &none, hold, &usage, error);
}
