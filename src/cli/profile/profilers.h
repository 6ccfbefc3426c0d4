/** The cli_profilers that `roofline profile` knows, as data. */
#ifndef CLI_PROFILE_PROFILERS_H
#define CLI_PROFILE_PROFILERS_H

#include "cli/cli.h"
#include "region/program.h"

enum { PROFILER_WORDS = 24, PROFILER_STEPS = 2 };

/** A profiler for one question. A word of a command that begins with @ stands for something:
 *  @program   what is profiled, with its arguments
 *  @script    the same without the interpreter in front
 *  @file      what it writes
 *  @events    the events that tell FLOPs and traffic of this processor, @group the same for LIKWID
 *  @last      the number of the last core */
typedef struct profiler {
  const char *name;     /**< for --with: what people call it */
  const char *program;  /**< the executable that must be there */
  const char *question; /**< for --for: one word */
  const char *answers;  /**< that question as people ask it */
  const char *format;   /**< of roofline import */
  const char *file;
  const char *cost;                                     /**< what it does to the times */
  const char *commands[PROFILER_STEPS][PROFILER_WORDS]; /**< run one after the other */
} profiler;

extern const profiler cli_profilers[];
extern const int cli_profiler_count;

/** The profiler of that name. ROOF_E_NAME with the nearest. */
roof_status cli_profiler_find(const char *name, const profiler **found, roof_error *error);

/** The first one that answers the question (NULL: any) and is installed, else the first one that answers it.
 *  ROOF_E_NAME for a question that none answers. */
roof_status cli_profiler_for(const char *question, const profiler **found, roof_error *error);

/** Whether its executable is on the PATH. */
bool cli_profiler_installed(const profiler *p);

/** The words of a step, NULL-terminated; NULL: there is no such step, or no memory. free() the list, not the
 *  words. */
const char **cli_profiler_command(const profiler *p, int step, const char *const *program);

/** Appends the words as a shell takes them. */
void cli_profiler_add_command(roof_text *out, const char *const *words);

/** Runs a step to its end, its input and output untouched. Errors: as rf_program_run. */
roof_status cli_profiler_run(const char *const *words, roof_error *error);

/** The same for who holds the signals longer, to clean up after it. */
roof_status cli_profiler_run_held(const char *const *words, rf_program_hold *hold, roof_error *error);

#endif
