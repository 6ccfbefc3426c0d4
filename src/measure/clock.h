/** Time, and the clock the core really runs at. */
#ifndef MEASURE_CLOCK_H
#define MEASURE_CLOCK_H

enum { ROOF_CLOCK_CHAIN = 192000 };

/** Time that only goes forward.
 *  Units: s since an arbitrary start. Ownership: none. Errors: none. */
double roof_clock_seconds(void);

/** Time of ROOF_CLOCK_CHAIN additions that each wait for the one before: one core cycle each.
 *  Units: s. Ownership: none. Errors: NaN on processors it is not written for. */
double roof_clock_chain(void);

/** Time of ROOF_CLOCK_CHAIN loads from the first cache that each wait for the one before.
 *  Units: s. Ownership: none. Errors: NaN on processors it is not written for. */
double roof_clock_load_chain(void);

#endif
