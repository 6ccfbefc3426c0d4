/** Time, and the clock the core really runs at. */
#ifndef HOST_CLOCK_H
#define HOST_CLOCK_H

enum { RF_CLOCK_CHAIN = 192000 };

/** Time that only goes forward.
 *  Units: s since an arbitrary start. Ownership: none. Errors: none. */
double rf_clock_seconds(void);

/** Time of RF_CLOCK_CHAIN additions that each wait for the one before: one core cycle each.
 *  Units: s. Ownership: none. Errors: NaN on processors it is not written for. */
double rf_clock_chain(void);

/** Time of RF_CLOCK_CHAIN loads from the first cache that each wait for the one before.
 *  Units: s. Ownership: none. Errors: NaN on processors it is not written for. */
double rf_clock_load_chain(void);

/** Additions that this core began in a cycle just now, of ones that do not wait for each other: fewer while another
 *  hardware thread shares the core, a guest's neighbour say, whatever the clock. Takes 20,000 cycles.
 *  Units: 1/cycle. Ownership: none. Errors: NaN on processors it is not written for. */
double rf_clock_width(void);

/** A core is whole while it is this share as wide as ever, and it was ever as wide as so many looks found it: one that was
 * interrupted may read anything. */
#define RF_CLOCK_WHOLE 0.95
enum { RF_CLOCK_LOOKS = 8 };

/** The widest that looks found cores of one kind, in descending order; zeros before the first. */
typedef struct rf_widest {
  double looks[RF_CLOCK_LOOKS];
} rf_widest;

/** Keeps a width if it is among the widest.
 *  Units: 1/cycle. Ownership: none. Errors: none. */
void rf_widest_add(rf_widest *widest, double width);

/** The least width of a whole core, by what was seen so far.
 *  Units: 1/cycle. Ownership: none. Errors: 0 before there were enough looks. */
double rf_widest_whole(const rf_widest *widest);

/** Time since the system started, also while it slept.
 *  Units: s. Ownership: none. Errors: NaN where it is not known. */
double rf_clock_since_boot(void);

/** What this start of the system is called, a text that no other has.
 *  Units: none. Ownership: static. Errors: "" where it has no name. */
const char *rf_clock_boot(void);

#endif
