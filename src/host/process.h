/** Runs a program to its end. */
#ifndef HOST_PROCESS_H
#define HOST_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "roofline/status.h"

/** What is run. */
typedef struct rf_process {
  const char *const *words;       /**< the program and its arguments, NULL-terminated */
  const char *const *environment; /**< NAME=VALUE, NULL-terminated, on top of this process's; or NULL */
  bool quiet;                     /**< its output goes nowhere */
  void (*start)(void *user, pid_t process); /**< nullable: called when it is about to execute */
  void (*stop)(void *user);                 /**< nullable: called when it has ended */
  void *user;
} rf_process;

/** One run, with the children it waited for. */
typedef struct rf_process_usage {
  double seconds;
  double user_seconds;
  double system_seconds;
  double peak_bytes; /**< resident, of its largest process */
  double voluntary_switches;
  double involuntary_switches;
} rf_process_usage;

/** Blocks the signals that would end this process between rf_process_begin and rf_process_end, so that
 * everything begun is cleaned up; rf_process_run forwards them to the program. One may lie in another, which then
 * ends what it caught. */
typedef struct rf_process_hold {
  struct rf_process_hold *around; /**< the one that it lies in, or NULL */
  sigset_t before;
  void (*child)(int); /**< what SIGCHLD did before */
  int caught;         /**< the signal that ended a run, or 0 */
} rf_process_hold;

void rf_process_begin(rf_process_hold *hold);

/** Unblocks the signals: one that was blocked or caught ends this process now. */
void rf_process_end(rf_process_hold *hold);

/** Runs it to its end, its input and output untouched.
 *  Units: s, bytes.
 *  Ownership: writes *usage on success only.
 *  Errors: ROOF_E_UNSUPPORTED when it cannot be executed, fails, or a signal ends it or `hold` catches
 *  one. */
roof_status rf_process_run(const rf_process *process, rf_process_hold *hold, rf_process_usage *usage,
                           roof_error *error);

/** The name this process was called by, its first argument.
 *  Units: bytes.
 *  Ownership: writes and returns `path`.
 *  Errors: "" where it is not known. */
const char *rf_process_name(char *path, size_t size);

/** The folder of this process's program.
 *  Units: bytes.
 *  Ownership: writes and returns `path`.
 *  Errors: "." where it is not known, or longer than `size`. */
const char *rf_process_folder(char *path, size_t size);

#endif
