/** Laws that ceilings obey: a set that breaks one was disturbed while it was measured. */
#ifndef MEASURE_CPU_LAWS_H
#define MEASURE_CPU_LAWS_H

#include "roofline/machine.h"

/** Which law. */
typedef enum rf_law {
  RF_LAW_LIMIT, /**< no figure above clock x work per cycle by more than the clock's uncertainty */
  RF_LAW_REACH, /**< one core reaches 80 % of its limit with enough independent chains */
  RF_LAW_WIDTH, /**< an instruction does twice as many fp32 as fp64 operations */
  RF_LAW_CORES, /**< N cores do between one and N times the work of one, near N in their own caches */
  RF_LAW_ORDER, /**< an outer level is no faster than the one inside it */
  RF_LAW_READS, /**< a level reads alone at least as fast as while it is written */
  RF_LAW_COUNT
} rf_law;

enum { RF_BREACH_MAX = 64 };

/** A law that figures break. */
typedef struct rf_breach {
  rf_law law;
  roof_conditions *figures[2]; /**< how they were measured; the second may be NULL */
  double factor;               /**< what was found: a share of the limit, a ratio of the two */
  char what[96];               /**< "fp64 AVX2 mul on one core" */
} rf_breach;

/** What of a measured machine breaks a law, in the order of the laws.
 *  Units: none.
 *  Ownership: fills at most RF_BREACH_MAX entries, which point into the machine.
 *  Errors: none; returns how many. */
int rf_laws_check(const roof_machine *machine, int core_count, rf_breach *breaches);

/** Marks figures that were measured again and still break a law as noisy, with the reason.
 *  Units: none. Ownership: none. Errors: none. */
void rf_laws_mark(const rf_breach *breaches, int count);

/** One sentence on all breaches of one law, the worst named; "" where there is none.
 *  Units: none.
 *  Ownership: fills the caller's text.
 *  Errors: truncates to `size`. Returns `text`. */
char *rf_laws_describe(const rf_breach *breaches, int count, rf_law law, char *text, size_t size);

#endif
