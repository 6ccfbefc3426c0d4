/* Streams, events and graphs, on a clock of their own: a stream is busy for as long as its work is said to
 * take. */
#include <stdlib.h>
#include <time.h>

#include "fake.h"

/** What the host and its driver spend on a call, in ns; README.md. */
enum { LAUNCH_NS = 2000, WAIT_NS = 3000, NODE_NS = 300 };

static double host; /* s */

double fake_now(void) {
  return host;
}

static double clock_of(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void fake_spend(double seconds) {
  double end = clock_of(CLOCK_MONOTONIC) + seconds;
  host += seconds;
  while (clock_of(CLOCK_MONOTONIC) < end) {
  }
}

void fake_work(stream *in, double seconds) {
  double begin = in->busy_until > host ? in->busy_until : host;
  in->busy_until = begin + seconds;
}

void fake_wait(const stream *in) {
  host = in->busy_until > host ? in->busy_until : host;
}

ENTRY(int, cuStreamCreate, stream **out, unsigned flags) {
  void *made = NULL;
  ENTER(cuStreamCreate);
  int code = flags > 1 ? INVALID_VALUE : fake_give(&made, sizeof **out);
  if (code == 0) {
    *out = made;
    (*out)->of = fake_context();
  }
  return code;
}

ENTRY(int, cuStreamDestroy_v2, stream *in) {
  int code = fake_enter("cuStreamDestroy_v2");
  fake_take(in);
  return code;
}

ENTRY(int, cuStreamSynchronize, stream *in) {
  ENTER(cuStreamSynchronize);
  if (in->recording != NULL) {
    in->broken = true;
    return CAPTURE_UNSUPPORTED;
  }
  fake_wait(in);
  fake_spend(1e-9 * WAIT_NS);
  return 0;
}

typedef struct event {
  context *of;
  double at;
  bool recorded, untimed;
} event;

ENTRY(int, cuEventCreate, event **out, unsigned flags) {
  void *made = NULL;
  ENTER(cuEventCreate);
  int code = flags > 7 ? INVALID_VALUE : fake_give(&made, sizeof **out);
  if (code == 0) {
    *out = made;
    (*out)->of = fake_context();
    (*out)->untimed = (flags & 2) != 0;
  }
  return code;
}

ENTRY(int, cuEventDestroy_v2, event *e) {
  int code = fake_enter("cuEventDestroy_v2");
  fake_take(e);
  return code;
}

ENTRY(int, cuEventRecord, event *e, stream *in) {
  ENTER(cuEventRecord);
  if (e->of != in->of) {
    return INVALID_HANDLE;
  }
  fake_work(in, 0);
  e->at = in->busy_until;
  e->recorded = true;
  return 0;
}

ENTRY(int, cuStreamWaitEvent, stream *in, const event *e, unsigned flags) {
  ENTER(cuStreamWaitEvent);
  if (flags > 1) {
    return INVALID_VALUE;
  }
  in->busy_until = e->recorded && e->at > in->busy_until ? e->at : in->busy_until;
  return 0;
}

ENTRY(int, cuEventSynchronize, const event *e) {
  ENTER(cuEventSynchronize);
  host = e->recorded && e->at > host ? e->at : host;
  return 0;
}

/** Milliseconds with the half microsecond that the real clock resolves. */
ENTRY(int, cuEventElapsedTime, float *milliseconds, const event *start, const event *end) {
  ENTER(cuEventElapsedTime);
  if (!start->recorded || !end->recorded || start->untimed || end->untimed || start->of != end->of) {
    return INVALID_HANDLE;
  }
  if (start->at > host || end->at > host) {
    return NOT_READY;
  }
  *milliseconds = (float)((double)(long long)((end->at - start->at) * 2e6 + 0.5) * 0.5e-3);
  return 0;
}

/* Graphs of launches. */

typedef struct graph {
  launch *nodes;
  int count;
} graph;

ENTRY(int, cuStreamBeginCapture_v2, stream *in, int mode) {
  void *made = NULL;
  ENTER(cuStreamBeginCapture_v2);
  int code = mode < 0 || mode > 2 || in->recording != NULL ? INVALID_VALUE : fake_give(&made, sizeof(graph));
  if (code == 0) {
    in->recording = made;
    in->broken = false;
  }
  return code;
}

int fake_record(graph *g, const launch *l) {
  launch *grown = realloc(g->nodes, (size_t)(g->count + 1) * sizeof *grown);
  if (grown == NULL) {
    return OUT_OF_MEMORY;
  }
  g->nodes = grown;
  g->nodes[g->count++] = *l;
  return 0;
}

ENTRY(int, cuGraphDestroy, graph *g) {
  free(g->nodes);
  fake_take(g);
  return 0;
}

ENTRY(int, cuStreamEndCapture, stream *in, graph **out) {
  graph *made = in->recording;
  in->recording = NULL;
  *out = NULL;
  if (made == NULL) {
    return INVALID_VALUE;
  }
  if (in->broken || fake_enter("cuStreamEndCapture") != 0) {
    cuGraphDestroy(made);
    return CAPTURE_INVALIDATED;
  }
  *out = made;
  return 0;
}

ENTRY(int, cuGraphInstantiateWithFlags, graph **exec, const graph *g, unsigned long long flags) {
  void *made = NULL;
  ENTER(cuGraphInstantiateWithFlags);
  int code = flags > 15 ? INVALID_VALUE : fake_give(&made, sizeof **exec);
  if (code != 0) {
    return code;
  }
  graph *copy = made;
  for (int i = 0; i < g->count && code == 0; i++) {
    code = fake_record(copy, &g->nodes[i]);
  }
  *exec = copy;
  return code;
}

ENTRY(int, cuGraphLaunch, const graph *exec, stream *in) {
  ENTER(cuGraphLaunch);
  int code = 0;
  fake_spend(1e-9 * LAUNCH_NS);
  for (int i = 0; i < exec->count && code == 0; i++) {
    fake_spend(1e-9 * NODE_NS);
    code = fake_execute(&exec->nodes[i], in);
  }
  return code;
}

ENTRY(int, cuGraphExecDestroy, graph *exec) {
  return cuGraphDestroy(exec);
}
