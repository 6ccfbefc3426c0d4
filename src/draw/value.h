/** Numbers as people read them, read back. */
#ifndef DRAW_VALUE_H
#define DRAW_VALUE_H

/** The value of a text such as "17.10 ms", "48 GiB", "49.0 ±5.1 %" or "3.2x" in SI units; NaN for one that does not
 *  begin with a number. */
double rf_value_of_text(const char *text);

#endif
