/** What a program answers: run to its end without a shell, with a bound on its time and on what it prints. */
#ifndef HOST_ASK_H
#define HOST_ASK_H

#include <stddef.h>

#include "roofline/status.h"
#include "roofline/text.h"

typedef struct rf_question {
  const char *const *words;       /**< the program, looked for in PATH, and its arguments, NULL-terminated */
  const char *const *environment; /**< NAME=VALUE, NULL-terminated, in place of this process's; or NULL */
  const char *input;              /**< what it reads from standard input, or NULL: nothing */
  size_t length;                  /**< of `input` */
  double patience;                /**< s until it is ended */
} rf_question;

enum { RF_ANSWER_NONE = 127 }; /* as shells have it */

typedef struct rf_answer {
  int code; /**< its exit code, RF_ANSWER_NONE also where it cannot be executed, and `err` says why */
  roof_text out, err;
} rf_answer;

/** Asks a program; it finds its input in a file, /dev/stdin.
 *  Units: s, bytes. Ownership: fills *answer on success only; release with rf_answer_done.
 *  Errors: ROOF_E_UNSUPPORTED where it takes longer, a signal ends it, it prints more than 1 MiB, or no more files or
 *  processes are allowed; ROOF_E_MEMORY. */
roof_status rf_ask(const rf_question *question, rf_answer *answer, roof_error *error);

/** The last line that it wrote to standard error, what cannot be shown as `?`.
 *  Units: none. Ownership: writes and returns `line`. Errors: "" where there is none. */
const char *rf_answer_why(const rf_answer *answer, char *line, size_t size);

void rf_answer_done(rf_answer *answer);

#endif
