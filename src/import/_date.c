/* Dates as benchmarks write them, with their time zone or without. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "import/import.h"
#include "roofline/time.h"

/** The parts of "2026-01-31T12:00:00", with a blank for the T too, or of "20260131-120000"; what follows, or NULL. */
static const char *read_parts(const char *text, int p[6]) {
  int used = 0;
  char between;
  if (sscanf(text, "%4d-%2d-%2d%c%2d:%2d:%2d%n", &p[0], &p[1], &p[2], &between, &p[3], &p[4], &p[5], &used) ==
          7 &&
      (between == 'T' || between == ' ')) {
    return text + used;
  }
  return sscanf(text, "%4d%2d%2d-%2d%2d%2d%n", &p[0], &p[1], &p[2], &p[3], &p[4], &p[5], &used) == 6
             ? text + used
             : NULL;
}

/** Seconds by which the clocks of a place are ahead of UTC, after "Z", "+02:00" or "+0200"; without one those of this system
 * at that time. NaN: it is none of these. */
static double ahead(const char *zone, const int p[6], double seconds) {
  int hours = 0, minutes = 0, used = 0;
  if (zone[0] == '\0') {
    struct tm local = {.tm_year = p[0] - 1900,
                       .tm_mon = p[1] - 1,
                       .tm_mday = p[2],
                       .tm_hour = p[3],
                       .tm_min = p[4],
                       .tm_sec = p[5],
                       .tm_isdst = -1};
    return floor(seconds) - (double)mktime(&local);
  }
  if (strcmp(zone, "Z") == 0) {
    return 0;
  }
  bool good = sscanf(zone + 1, "%2d:%2d%n", &hours, &minutes, &used) == 2 ||
              sscanf(zone + 1, "%2d%2d%n", &hours, &minutes, &used) == 2;
  double size = 3600.0 * hours + 60.0 * minutes;
  return !good || zone[1 + used] != '\0' || strchr("+-", zone[0]) == NULL ? NAN
         : zone[0] == '-'                                                 ? -size
                                                                          : size;
}

/** Seconds since 1970; NaN: it is no date, or one without a zone that is later than now, so that its zone is not that of
 * this system. */
static double date_of(const char *text) {
  int p[6];
  char utc[40];
  double seconds;
  const char *rest = read_parts(text, p);
  if (rest == NULL) {
    return NAN;
  }
  size_t fraction = rest[0] == '.' ? 1 + strspn(rest + 1, "0123456789") : 0;
  const char *zone = rest + fraction;
  snprintf(utc, sizeof utc, "%04d-%02d-%02dT%02d:%02d:%02d%.*sZ", p[0], p[1], p[2], p[3], p[4], p[5],
           fraction < 10 ? (int)fraction : 10, rest);
  if (roof_time_parse(utc, &seconds, NULL) != ROOF_OK) {
    return NAN;
  }
  seconds -= ahead(zone, p, seconds);
  return zone[0] == '\0' && seconds > roof_time_now() ? NAN : seconds;
}

void rf_import_date(roof_profile *profile, const char *text, double after) {
  profile->taken = fmin(profile->taken, date_of(text) - (after > 0 ? after : 0));
}
