/** Sessions of several turns: each prompt is all that was said before and what is asked now. */
#ifndef SERVICE_SESSIONS_H
#define SERVICE_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct service_session {
  double turns;    /**< after the one that is asked or awaited */
  double context;  /**< tokens of the turns so far */
  unsigned *block; /**< of the context, numbers of their own but for those that all prompts begin with */
  size_t count, room;
  int next; /**< free one */
} service_session;

/** Those that go on, numbered from 1; 0 is none. Start from `{0}`. */
typedef struct service_sessions {
  service_session *list;
  int size, free;
  unsigned blocks; /**< numbers given away */
} service_sessions;

/** A new one; 0 where memory has run out. */
int rf_sessions_open(service_sessions *sessions, double turns);

/** It is over; its number is given away again. */
void rf_sessions_close(service_sessions *sessions, int session);

service_session *rf_sessions_at(const service_sessions *sessions, int session);

/** Has it number its first `count` blocks, of which `shared` are those of all. False where memory has run out. */
bool rf_sessions_extend(service_sessions *sessions, int session, size_t count, size_t shared);

void rf_sessions_done(service_sessions *sessions);

#endif
