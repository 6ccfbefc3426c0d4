#include "service/cache.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1, FIRST_SIZE = 64 };

void rf_cache_init(service_cache *c) {
  *c = (service_cache){.free = NONE, .oldest = NONE, .newest = NONE};
}

void rf_cache_done(service_cache *c) {
  free(c->list);
  free(c->slots);
}

static int *slot_of(const service_cache *c, unsigned hash) {
  return &c->slots[hash * 2654435761u % (unsigned)c->slot_count]; /* Knuth's multiplicative hash */
}

static int find(const service_cache *c, unsigned hash) {
  int i = c->slot_count > 0 ? *slot_of(c, hash) : NONE;
  while (i != NONE && c->list[i].hash != hash) {
    i = c->list[i].next;
  }
  return i;
}

/** Twice the room, every block in its slot again. */
static bool grow(service_cache *c) {
  int size = c->size > 0 ? 2 * c->size : FIRST_SIZE;
  int *slots = size > c->size ? malloc((size_t)size * sizeof *slots) : NULL;
  service_cached *list = slots != NULL ? realloc(c->list, (size_t)size * sizeof *list) : NULL;
  if (list == NULL) {
    free(slots);
    return false;
  }
  free(c->slots);
  c->slots = slots;
  c->list = list;
  memset(slots, 0xff, (size_t)size * sizeof *slots);
  c->slot_count = size;
  for (int i = 0; i < c->size; i++) { /* all are in use: it grows when none is free */
    int *slot = slot_of(c, list[i].hash);
    list[i].next = *slot;
    *slot = i;
  }
  for (int i = c->size; i < size; i++) {
    list[i].next = i + 1 < size ? i + 1 : NONE;
  }
  c->free = c->size;
  c->size = size;
  return true;
}

static int add(service_cache *c, unsigned hash) {
  if (c->free == NONE && !grow(c)) {
    return NONE;
  }
  int i = c->free, *slot = slot_of(c, hash);
  c->free = c->list[i].next;
  c->list[i] = (service_cached){.hash = hash, .next = *slot, .older = NONE, .newer = NONE};
  *slot = i;
  c->count++;
  return i;
}

/** Takes a block out of those that nobody holds. */
static void wake(service_cache *c, int i) {
  service_cached *b = &c->list[i];
  *(b->older != NONE ? &c->list[b->older].newer : &c->oldest) = b->newer;
  *(b->newer != NONE ? &c->list[b->newer].older : &c->newest) = b->older;
  c->idle--;
}

static void rest(service_cache *c, int i) {
  c->list[i].older = c->newest;
  c->list[i].newer = NONE;
  *(c->newest != NONE ? &c->list[c->newest].newer : &c->oldest) = i;
  c->newest = i;
  c->idle++;
}

size_t rf_cache_match(const service_cache *c, const unsigned *hashes, size_t count) {
  size_t n = 0;
  while (n < count && find(c, hashes[n]) != NONE) {
    n++;
  }
  return n;
}

bool rf_cache_hold(service_cache *c, const unsigned *hashes, size_t count, size_t *fresh) {
  *fresh = 0;
  for (size_t n = 0; n < count; n++) {
    int i = find(c, hashes[n]);
    if (i == NONE) {
      i = add(c, hashes[n]);
    } else if (c->list[i].users == 0) {
      wake(c, i);
    }
    if (i == NONE) {
      rf_cache_release(c, hashes, n);
      return false;
    }
    *fresh += c->list[i].users++ == 0 ? 1 : 0;
  }
  return true;
}

/** From the last on: the first blocks of a prompt are those that others share, and are kept longest. */
size_t rf_cache_release(service_cache *c, const unsigned *hashes, size_t count) {
  size_t idle = 0;
  for (size_t n = count; n-- > 0;) {
    int i = find(c, hashes[n]);
    if (i != NONE && --c->list[i].users == 0) {
      rest(c, i);
      idle++;
    }
  }
  return idle;
}

static void drop(service_cache *c, int i) {
  int *link = slot_of(c, c->list[i].hash);
  while (*link != i) {
    link = &c->list[*link].next;
  }
  *link = c->list[i].next;
  c->list[i].next = c->free;
  c->free = i;
  c->count--;
}

void rf_cache_trim(service_cache *c, double most) {
  while (c->idle > most && c->oldest != NONE) {
    int i = c->oldest;
    wake(c, i);
    drop(c, i);
  }
}
