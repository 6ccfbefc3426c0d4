/** Threads that a library starts inherit the binding of the thread that calls it, which may be one core of the team's. */
#ifndef KERNELS_LIBRARY_H
#define KERNELS_LIBRARY_H

#include <sched.h>

/** The cores that the threads of the team are bound to, all together.
 *  Units: threads. Ownership: by value. Errors: none. */
cpu_set_t rf_library_cores(int threads);

/** Sets the cores that the calling thread may use; returns those before.
 *  Units: none. Ownership: by value. Errors: none. */
cpu_set_t rf_library_bind(cpu_set_t cores);

#endif
