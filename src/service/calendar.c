#include "service/calendar.h"

#include <math.h>
#include <stdlib.h>

static bool before(const service_passage *a, const service_passage *b) {
  return a->seconds < b->seconds || (a->seconds == b->seconds && a->order < b->order);
}

bool rf_calendar_add(service_calendar *c, double seconds, int request) {
  if (c->count == c->size) {
    int size = c->size > 0 ? 2 * c->size : 64;
    service_passage *list = realloc(c->list, (size_t)size * sizeof *list);
    if (list == NULL) {
      return false;
    }
    c->list = list, c->size = size;
  }
  service_passage p = {seconds, c->sent++, request};
  int place = c->count++;
  for (int up; place > 0 && before(&p, &c->list[up = (place - 1) / 2]); place = up) {
    c->list[place] = c->list[up];
  }
  c->list[place] = p;
  return true;
}

service_passage rf_calendar_take(service_calendar *c) {
  service_passage top = c->list[0], last = c->list[--c->count];
  int place = 0;
  for (int child = 1; child < c->count; child = 2 * place + 1) {
    child += child + 1 < c->count && before(&c->list[child + 1], &c->list[child]) ? 1 : 0;
    if (before(&last, &c->list[child])) {
      break;
    }
    c->list[place] = c->list[child];
    place = child;
  }
  c->list[place] = last;
  return top;
}

double rf_calendar_next(const service_calendar *c) {
  return c->count > 0 ? c->list[0].seconds : INFINITY;
}
