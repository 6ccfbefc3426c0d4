/** Moments as ISO 8601 in UTC.
 *
 *  Example:
 *    char text[ROOF_TIME_MAX];
 *    puts(roof_time_write(roof_time_now(), text)); */
#ifndef ROOFLINE_TIME_H
#define ROOFLINE_TIME_H

#include "roofline/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_TIME_MAX sizeof "2026-01-01T00:00:00.000Z"

/** Now.
 *  Units: s since 1970.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_time_now(void);

/** Writes a moment from 1970 to 9999: "2026-01-31T12:00:00.250Z".
 *  Units: s since 1970.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: none. */
ROOF_API char *roof_time_write(double seconds, char buffer[ROOF_TIME_MAX]);

/** Reads "2026-01-31T12:00:00Z", the seconds with or without a fraction; without one, the end of that second.
 *  Units: s since 1970.
 *  Ownership: writes *seconds on success only.
 *  Errors: ROOF_E_PARSE. */
ROOF_API roof_status roof_time_parse(const char *text, double *seconds, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
