/** Quantities as people type and read them. Inside the program everything is a double in s, B, FLOP, J.
 *
 *  Example:
 *    double seconds;
 *    char text[32];
 *    if (roof_quantity_parse_unit("8us", "s", &seconds, NULL) == ROOF_OK) {
 *      puts(roof_quantity_format(text, sizeof text, seconds, "s"));
 *    } */
#ifndef ROOFLINE_UNITS_H
#define ROOFLINE_UNITS_H

#include <stddef.h>

#include "roofline/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Reads a count: `4096`, `4k` = 4000, `4Ki` = 4096, `1.5M`, `2e9`; prefixes k M G T P E and Ki..Ei.
 *  Units: as typed, scaled to 1.
 *  Ownership: writes *value on success only.
 *  Errors: ROOF_E_PARSE for malformed text, `nan` and `inf` too; ROOF_E_ARGUMENT for what overflows. */
ROOF_API roof_status roof_quantity_parse(const char *text, double *value, roof_error *error);

/** Reads a quantity with an optional unit (`unit` is "s", "B", "B/s", "FLOP/s", ...): `8us`, `3.35TB/s`.
 *  The unit "%" is a share's: `70%` and `0.7` are both 0.7.
 *  Units: returns the base unit.
 *  Ownership: writes *value on success only.
 *  Errors: as roof_quantity_parse; ROOF_E_PARSE when another unit follows. */
ROOF_API roof_status roof_quantity_parse_unit(const char *text, const char *unit, double *value,
                                              roof_error *error);

/** Writes `value` with a decimal SI prefix from a (1e-18) to E (1e18) and four significant digits: 3.35e12, "B/s" ->
 *  "3.350 TB/s"; under 0.9 a and from a million E, or a million seconds, with an exponent. NaN gives "unknown".
 *  Units: of `unit`.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_quantity_format(char *buffer, size_t size, double value, const char *unit);

/** Writes `bytes` with a binary prefix: 52428800 -> "50 MiB".
 *  Units: bytes.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_bytes_format(char *buffer, size_t size, double bytes);

/** Bytes that hold any number that `roof_number_write` writes, with its NUL. */
#define ROOF_NUMBER_SIZE 32

/** Reads the number that the first characters of `text` are: digits, a point, an exponent. It is rounded as strtod
 *  does in the C locale, whatever the locale of the program; no blanks, `inf`, `nan` or hexadecimal digits.
 *  Returns how many of the `length` characters belong to it: `length` when the whole text is a number.
 *
 *  Units: none.
 *  Ownership: writes *value on success only; `text` need not end in NUL.
 *  Errors: 0 when there is no number, or one of over 1000 characters; too large a number reads as infinity. */
ROOF_API size_t roof_number_read(const char *text, size_t length, double *value);

/** Writes `value` with at most `digits` significant digits (1 to 17), or with as few as read back as `value`
 *  (0). Integers below 2^53 keep all their digits. The same in every locale; ends in NUL.
 *  Returns the number of characters before the NUL.
 *
 *  Units: none.
 *  Ownership: fills the caller's buffer of at least ROOF_NUMBER_SIZE bytes.
 *  Errors: NaN gives an empty text. */
ROOF_API size_t roof_number_write(char *buffer, double value, int digits);

#ifdef __cplusplus
}
#endif
#endif
