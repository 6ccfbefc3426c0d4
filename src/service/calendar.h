/** What is in flight: requests, or clients who ask again, by when they are there; of equal times the first that was sent. */
#ifndef SERVICE_CALENDAR_H
#define SERVICE_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct service_passage {
  double seconds; /**< when it is there */
  uint64_t order;
  int request; /**< SERVICE_NONE: a client of a constant concurrency, who asks again */
} service_passage;

typedef struct service_calendar {
  service_passage *list; /**< a heap, the soonest on top */
  int count, size;
  uint64_t sent;
} service_calendar;

/** False where memory has run out. Release the list with free. */
bool rf_calendar_add(service_calendar *calendar, double seconds, int request);

/** Takes the soonest; there must be one. */
service_passage rf_calendar_take(service_calendar *calendar);

/** When the soonest is there; infinite: nothing is in flight. */
double rf_calendar_next(const service_calendar *calendar);

#endif
