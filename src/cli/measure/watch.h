/** What ends a run of many ranks from outside: a signal, or a rank that hangs. A thread of the first rank waits for both, so that what there
 *  is can be kept, and no half file is left. */
#ifndef CLI_MEASURE_WATCH_H
#define CLI_MEASURE_WATCH_H

#include "roofline/status.h"

/** Keeps what there is; `why` the run ends, NULL: a rank hangs. Returns the message that is shown, static. The process ends after it. */
typedef const char *cli_watch_keeper(void *user, const char *why);

/** Starts the thread: SIGINT, SIGTERM and SIGHUP are its own from then on.
 *  Units: none. Ownership: none. Errors: ROOF_E_MEMORY. */
roof_status cli_watch_begin(roof_error *error);

/** Sets who keeps what there is; NULL: nobody, there is nothing yet, or all is written.
 *  Units: none. Ownership: keeps `user` until set anew. Errors: none. */
void cli_watch_set(cli_watch_keeper *keeper, void *user);

/** A rank is taken to hang, and the run ends, in so many seconds; infinity: that is found elsewhere.
 *  Units: s. Ownership: none. Errors: none. */
void cli_watch_limit(double seconds);

/** Ends the run for a rank that hangs: what there is is kept, the message shown. */
void cli_watch_hang(void) __attribute__((noreturn));

#endif
