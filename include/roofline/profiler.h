/** The profilers that people already use: which one answers which question, and its command line.
 *
 *  Example:
 *    const roof_profiler *found;
 *    if (roof_profiler_for("kernels", &found, NULL) == ROOF_OK) {
 *      printf("%s: %s\n", found->name, found->answers);
 *    } */
#ifndef ROOFLINE_PROFILER_H
#define ROOFLINE_PROFILER_H

#include "roofline/measurement.h"
#include "roofline/status.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_PROFILER_WORDS 24
#define ROOF_PROFILER_STEPS 4

/** A profiler for one question. A word of a command that begins with `@` stands for something:
 *  `@program`   what is profiled, with its arguments
 *  `@script`    the same without the interpreter in front
 *  `@file`      what it writes
 *  `@events`    the events that count FLOPs and traffic on this processor, `@group` the same for LIKWID
 *  `@last`      the number of the last core */
typedef struct roof_profiler {
  const char *name;     /**< what people call it */
  const char *program;  /**< the executable that must be there */
  const char *module;   /**< nullable: the Python module that `program` must find */
  const char *question; /**< one word: kernels, timeline, operators, loops, processor */
  const char *answers;  /**< that question as people ask it */
  const char *format;   /**< of roof_import */
  const char *file;     /**< what it writes, in the working directory */
  const char *cost;     /**< what it does to the times */
  const char *commands[ROOF_PROFILER_STEPS][ROOF_PROFILER_WORDS]; /**< run one after the other */
} roof_profiler;

/** The profiler number `index`, from 0.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL past the last. */
ROOF_API const roof_profiler *roof_profiler_at(int index);

/** Finds a profiler by name.
 *  Units: none.
 *  Ownership: writes *found, static, on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_profiler_find(const char *name, const roof_profiler **found, roof_error *error);

/** The first one that answers the question (NULL: any) and is installed, else the first one that answers it.
 *  Units: none.
 *  Ownership: writes *found, static, on success only.
 *  Errors: ROOF_E_NAME for a question that none answers. */
ROOF_API roof_status roof_profiler_for(const char *question, const roof_profiler **found, roof_error *error);

/** The one named (NULL: as roof_profiler_for), which must answer the question where one is asked.
 *  Units: none.
 *  Ownership: writes *found, static, on success only.
 *  Errors: as roof_profiler_find and roof_profiler_for, ROOF_E_ARGUMENT where it answers another question. */
ROOF_API roof_status roof_profiler_choose(const char *name, const char *question, const roof_profiler **found,
                                          roof_error *error);

/** Whether its executable is on the PATH and, where it needs a Python module, finds that (python3 is run to ask).
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_profiler_installed(const roof_profiler *profiler);

/** The words of a step, NULL-terminated: a leading NAME=VALUE is for the environment, as a shell has it.
 *  Units: none.
 *  Ownership: free() the list, not the words; words of `program` (NULL-terminated) are not copied.
 *  Errors: NULL where there is no such step, or no memory. */
ROOF_API const char **roof_profiler_command(const roof_profiler *profiler, int step,
                                            const char *const *program);

/** Runs every step of a profiler on `program` (NULL-terminated), input and output untouched; what it writes is then in
 *  its `file`, never one of an earlier run. Signals as in program.h.
 *  Units: none.
 *  Ownership: keeps nothing of the words.
 *  Errors: ROOF_E_UNSUPPORTED when a step cannot be executed, fails or is ended by a signal, or writes no file;
 *  ROOF_E_MEMORY. */
ROOF_API roof_status roof_profiler_collect(const roof_profiler *profiler, const char *const *program,
                                           roof_error *error);

/** Counts what the kernels of `program` (NULL-terminated) do, each once, all of them together: NVIDIA's ncu profiles
 *  the first `launches` of them, its output and the program's unseen.
 *  Units: FLOP, bytes of one run.
 *  Ownership: writes *counts on success only.
 *  Errors: ROOF_E_UNSUPPORTED where there is no ncu, it fails or sees no kernel; ROOF_E_OUTPUT, ROOF_E_MEMORY. */
ROOF_API roof_status roof_profiler_count(const char *const *program, int launches, roof_counts *counts,
                                         roof_error *error);

/** Appends all of them as one roofline.profilers/1 object, what `profile --list --json` prints.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_profilers_write(roof_text *out, roof_error *error);

/** Appends the words of a command as a shell takes them.
 *  Units: none.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_profiler_write(roof_text *out, const char *const *words);

#ifdef __cplusplus
}
#endif
#endif
