#include "service/sessions.h"

#include <stdlib.h>

service_session *rf_sessions_at(const service_sessions *s, int session) {
  return &s->list[session - 1];
}

static bool grow(service_sessions *s) {
  int size = s->size > 0 ? 2 * s->size : 64;
  service_session *list = realloc(s->list, (size_t)size * sizeof *list);
  if (list == NULL) {
    return false;
  }
  for (int i = s->size; i < size; i++) {
    list[i] = (service_session){.next = i + 1 < size ? i + 2 : 0};
  }
  s->free = s->size + 1;
  s->list = list;
  s->size = size;
  return true;
}

int rf_sessions_open(service_sessions *s, double turns) {
  if (s->free == 0 && !grow(s)) {
    return 0;
  }
  int session = s->free;
  service_session *new = rf_sessions_at(s, session);
  s->free = new->next;
  new->turns = turns;
  new->context = 0;
  new->count = 0;
  return session;
}

void rf_sessions_close(service_sessions *s, int session) {
  rf_sessions_at(s, session)->next = s->free;
  s->free = session;
}

bool rf_sessions_extend(service_sessions *s, int session, size_t count, size_t shared) {
  enum { OWN = 1 << 20 }; /* numbers under it are of what all prompts begin with */
  service_session *one = rf_sessions_at(s, session);
  if (count > one->room) {
    size_t room = 2 * count;
    unsigned *block = realloc(one->block, room * sizeof *block);
    if (block == NULL) {
      return false;
    }
    one->block = block, one->room = room;
  }
  for (; one->count < count; one->count++) {
    one->block[one->count] = one->count < shared ? (unsigned)one->count : OWN + s->blocks++;
  }
  return true;
}

void rf_sessions_done(service_sessions *s) {
  for (int i = 0; i < s->size; i++) {
    free(s->list[i].block);
  }
  free(s->list);
  *s = (service_sessions){0};
}
