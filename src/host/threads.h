/** The threads of this process. */
#ifndef HOST_THREADS_H
#define HOST_THREADS_H

/** Threads, apart from the calling one, that run or would run if they had a core.
 *  Units: threads. Ownership: none. Errors: 0 without /proc. */
int rf_threads_awake(void);

#endif
