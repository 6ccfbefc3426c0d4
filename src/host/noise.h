/** What disturbed the machine during a measurement. */
#ifndef HOST_NOISE_H
#define HOST_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline/stats.h"

/** Counts that only grow, and the load; NaN where the system does not report it. */
typedef struct rf_noise {
  double stolen_seconds; /**< taken by the hypervisor since boot, all processors */
  double interruptions;  /**< times another task took a processor from this program */
  double waits;          /**< times this program gave a processor up by itself */
  double load;           /**< tasks that wanted to run: the mean of the last minute */
  double seconds;        /**< when */
} rf_noise;

/** Reads the noise now.
 *  Units: s. Ownership: by value. Errors: NaN for what the system does not report. */
rf_noise rf_noise_now(void);

/** Adds what happened since `before` to a figure's conditions; the load is the highest seen.
 *  Units: s. Ownership: none. Errors: none. */
void rf_noise_add(const rf_noise *before, roof_conditions *conditions);

/** Names what disturbed the machine since `before` if it was enough to change figures, else "". Returns
 *  `text`.
 *  Units: none. Ownership: fills the caller's text. Errors: truncates to `size`. */
char *rf_noise_since(const rf_noise *before, int threads, char *text, size_t size);

/** Names the noise that this system does not report, and where it was looked for; else "". Returns `text`.
 *  Units: none. Ownership: fills the caller's text. Errors: truncates to `size`. */
char *rf_noise_unknown(char *text, size_t size);

/** Ticks since the start, of all processors: those that were worked or stolen, and those stolen.
 *  Units: ticks of the clock. Ownership: none. Errors: false when the system does not report it. */
bool rf_ticks_read(const char *root, double *wanted, double *stolen);

#endif
