#include "service/requests.h"

#include <math.h>
#include <stdlib.h>

static bool grow(service_pool *p) {
  int size = p->size > 0 ? 2 * p->size : 64;
  service_request *list = size > p->size ? realloc(p->list, (size_t)size * sizeof *list) : NULL;
  if (list == NULL) {
    return false;
  }
  for (int i = p->size; i < size; i++) {
    list[i].next = i + 1 < size ? i + 1 : SERVICE_NONE;
    list[i].as.copied = NULL;
  }
  p->free = p->size;
  p->list = list;
  p->size = size;
  return true;
}

int rf_pool_take(service_pool *p, const service_arrival *arrival) {
  if ((p->size == 0 || p->free == SERVICE_NONE) && !grow(p)) {
    return SERVICE_NONE;
  }
  int taken = p->free;
  service_request *r = &p->list[taken];
  p->free = r->next;
  *r = (service_request){.as = *arrival,
                         .begun = NAN,
                         .first = NAN,
                         .last = NAN,
                         .passed_over = NAN,
                         .work = arrival->prompt,
                         .next = SERVICE_NONE,
                         .previous = SERVICE_NONE,
                         .place = SERVICE_NONE};
  return taken;
}

void rf_pool_give(service_pool *p, int request) {
  free(p->list[request].as.copied);
  p->list[request].as.copied = NULL;
  p->list[request].next = p->free;
  p->free = request;
}

void rf_pool_done(service_pool *p) {
  for (int i = 0; i < p->size; i++) {
    free(p->list[i].as.copied);
  }
  free(p->list);
}

static void join(service_pool *p, service_list *l, int before, int after) {
  *(before != SERVICE_NONE ? &p->list[before].next : &l->first) = after;
  *(after != SERVICE_NONE ? &p->list[after].previous : &l->last) = before;
}

void rf_list_append(service_pool *p, service_list *l, int request) {
  int last = l->last;
  join(p, l, last, request);
  join(p, l, request, SERVICE_NONE);
  l->count++;
}

void rf_list_prepend(service_pool *p, service_list *l, int request) {
  int first = l->first;
  join(p, l, request, first);
  join(p, l, SERVICE_NONE, request);
  l->count++;
}

void rf_list_remove(service_pool *p, service_list *l, int request) {
  join(p, l, p->list[request].previous, p->list[request].next);
  l->count--;
}

static void put(service_pool *p, service_heap *h, int place, int request) {
  h->list[place] = request;
  p->list[request].place = place;
}

static void rise(service_pool *p, service_heap *h, int place, int request) {
  while (place > 0 && p->list[h->list[(place - 1) / 2]].until > p->list[request].until) {
    put(p, h, place, h->list[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put(p, h, place, request);
}

static void sink(service_pool *p, service_heap *h, int place, int request) {
  for (int child = 2 * place + 1; child < h->count; child = 2 * place + 1) {
    bool right = child + 1 < h->count && p->list[h->list[child + 1]].until < p->list[h->list[child]].until;
    child += right ? 1 : 0;
    if (p->list[h->list[child]].until >= p->list[request].until) {
      break;
    }
    put(p, h, place, h->list[child]);
    place = child;
  }
  put(p, h, place, request);
}

bool rf_heap_add(service_pool *p, service_heap *h, int request) {
  if (h->count == h->size) {
    int size = h->size > 0 ? 2 * h->size : 64;
    int *list = realloc(h->list, (size_t)size * sizeof *list);
    if (list == NULL) {
      return false;
    }
    h->list = list;
    h->size = size;
  }
  rise(p, h, h->count++, request);
  return true;
}

void rf_heap_remove(service_pool *p, service_heap *h, int request) {
  int place = p->list[request].place, last = h->list[--h->count];
  p->list[request].place = SERVICE_NONE;
  if (last != request) {
    sink(p, h, place, last);
    rise(p, h, p->list[last].place, last);
  }
}
