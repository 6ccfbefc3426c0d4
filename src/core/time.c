#include "roofline/time.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DAY = 86400, MILLI = 1000 };

static const double rounding = 1e-2; /* of a millisecond: what is read is written again as it was */

double roof_time_now(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/** Days from 1970 to a date of the Gregorian calendar; the year is taken to begin in March, so that the leap
 * day is its last. */
static long days_of(int year, int month, int day) {
  year -= month <= 2;
  int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return 365L * year + year / 4 - year / 100 + year / 400 + of_year - 719468;
}

/** The date `days` after 1970: the inverse of days_of. */
static void date_of(long days, int date[3]) {
  days += 719468;
  long era = days / 146097, of_era = days % 146097;
  long year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  long of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  long shifted = (5 * of_year + 2) / 153;
  date[2] = (int)(of_year - (153 * shifted + 2) / 5) + 1;
  date[1] = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
  date[0] = (int)(400 * era + year_of_era) + (date[1] <= 2);
}

char *roof_time_write(double seconds, char buffer[ROOF_TIME_MAX]) {
  char text[64];
  int date[3];
  static const double last = 253402300799.0; /* second of 9999 */
  double kept = seconds > 0 ? seconds : 0;   /* no call of libm: libroofline_region loads libc alone */
  long long whole = (long long)(kept < last ? kept : last);
  double rest = (kept - (double)whole) * MILLI + rounding;
  int milli = rest < MILLI ? (int)rest : MILLI - 1;
  long days = (long)(whole / DAY);
  int second = (int)(whole - (long long)days * DAY);
  date_of(days, date);
  snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", date[0], date[1], date[2], second / 3600,
           second / 60 % 60, second % 60, milli > 0 ? milli : 0);
  memcpy(buffer, text, ROOF_TIME_MAX);
  buffer[ROOF_TIME_MAX - 1] = '\0';
  return buffer;
}

/** Two or four digits at `text`, -1 where another character stands. */
static int digits_at(const char *text, int count) {
  int value = 0;
  for (int i = 0; i < count; i++) {
    if (text[i] < '0' || text[i] > '9') {
      return -1;
    }
    value = 10 * value + text[i] - '0';
  }
  return value;
}

/** True when `text` begins as "2026-01-31T12:00:00" does, all parts in range. */
static bool read_parts(const char *text, int parts[6]) {
  static const struct {
    int at, digits, low, high;
    char after;
  } shape[] = {{0, 4, 1970, 9999, '-'}, {5, 2, 1, 12, '-'},  {8, 2, 1, 31, 'T'},
               {11, 2, 0, 23, ':'},     {14, 2, 0, 59, ':'}, {17, 2, 0, 60, '\0'}};
  if (strlen(text) < sizeof "2026-01-31T12:00:00" - 1) {
    return false;
  }
  for (int i = 0; i < 6; i++) {
    parts[i] = digits_at(text + shape[i].at, shape[i].digits);
    char after = text[shape[i].at + shape[i].digits];
    if (parts[i] < shape[i].low || parts[i] > shape[i].high || (i < 5 && after != shape[i].after)) {
      return false;
    }
  }
  int date[3];
  date_of(days_of(parts[0], parts[1], parts[2]), date);
  return date[2] == parts[2];
}

roof_status roof_time_parse(const char *text, double *seconds, roof_error *error) {
  int parts[6];
  double fraction = 0.999;
  if (read_parts(text, parts)) {
    const char *rest = text + sizeof "2026-01-31T12:00:00" - 1;
    if (rest[0] == '.' && digits_at(rest + 1, 1) >= 0) {
      double scale = 0.1;
      fraction = 0;
      for (rest++; *rest >= '0' && *rest <= '9'; rest++, scale /= 10) {
        fraction += scale * (*rest - '0');
      }
    }
    if (strcmp(rest, "Z") == 0) {
      *seconds = (double)days_of(parts[0], parts[1], parts[2]) * DAY + parts[3] * 3600.0 + parts[4] * 60.0 +
                 parts[5] + fraction;
      return ROOF_OK;
    }
  }
  return roof_error_set(error, ROOF_E_PARSE, "`%.40s`: is not a time in UTC, as 2026-01-31T12:00:00Z", text);
}
