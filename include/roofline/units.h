/** Quantities as people type and read them. Inside the program everything is a double in s, B, FLOP, J. */
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
 *  Errors: ROOF_E_PARSE for malformed text, ROOF_E_ARGUMENT for NaN, infinity or overflow. */
ROOF_API roof_status roof_quantity_parse(const char *text, double *value, roof_error *error);

/** Reads a quantity with an optional unit (`unit` is "s", "B", "B/s", "FLOP/s", ...): `8us`, `3.35TB/s`.
 *  Units: returns the base unit.
 *  Ownership: writes *value on success only.
 *  Errors: as roof_quantity_parse; ROOF_E_PARSE when another unit follows. */
ROOF_API roof_status roof_quantity_parse_unit(const char *text, const char *unit, double *value,
                                              roof_error *error);

/** Writes `value` with a decimal SI prefix and four significant digits: 3.35e12, "B/s" -> "3.350 TB/s". NaN
 *  gives "unknown".
 *  Units: of `unit`.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_quantity_format(char *buffer, size_t size, double value, const char *unit);

/** Writes `bytes` with a binary prefix: 52428800 -> "50 MiB".
 *  Units: bytes.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_bytes_format(char *buffer, size_t size, double bytes);

/** Writes `value` with at most `digits` significant digits so that it reads back (%.*g, but faster). Returns
 *  the number of characters, without a final NUL when `size` is too small by one.
 *  Units: none.
 *  Ownership: fills the caller's buffer (at least 32 bytes).
 *  Errors: NaN writes nothing. */
ROOF_API size_t roof_number_write(char *buffer, double value, int digits);

#ifdef __cplusplus
}
#endif
#endif
