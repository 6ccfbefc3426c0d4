#include "service/loop.h"

#include <math.h>
#include <stdlib.h>

#include "service/calendar.h"
#include "service/router.h"
#include "service/timeline.h"

enum { MOST_WAITING = 200000 };

typedef struct loop {
  service_shop shop;
  service_engine engines[2]; /**< of all, and of those that only process prompts */
  const service_plant *plant;
  service_source source;
  service_arrival next;
  bool coming; /**< `next` is one */
  service_replica *replicas;
  int count, prefills;
  service_router entry, exit; /**< to those that process prompts, and to those that then generate */
  service_calendar calendar;  /**< requests at the host or between two replicas; clients who ask again */
  double hosted;              /**< requests at the host */
  double read_seconds;        /**< when the host has read the prompts that came so far, one after another */
  double *links;              /**< when each replica's link is free */
  double half_queue, half_seconds; /**< what waited when half of the requests had arrived */
  double end_queue, end_seconds;   /**< when the last had */
  double most_queue;
} loop;

static double queue_of(const loop *l) {
  double waiting = l->hosted;
  for (int i = 0; i < l->count; i++) {
    waiting += l->replicas[i].waiting.count;
  }
  return waiting;
}

static void fetch(loop *l) {
  l->coming = rf_source_next(&l->source, &l->next);
}

static void send(loop *l, double seconds, int request) {
  l->shop.failed |= !rf_calendar_add(&l->calendar, seconds, request);
  l->shop.sent = true;
}

/** Sends a request to the replicas that generate. A replica's link takes one cache after another, and the first token leaves with
 *  it: the client is answered from there. */
static void hand_over(loop *l, int replica, int request) {
  service_request *q = &l->shop.pool.list[request];
  double from = l->replicas[replica].now, start = fmax(from + q->lag, l->links[replica]);
  double there = start + l->plant->transfer_latency +
                 rf_kept_tokens(&l->plant->kept, l->plant->page, q->work) * l->plant->transfer_seconds;
  l->links[replica] = there;
  l->shop.tally.in_system_area += there - from;
  q->swapped = true;
  q->first = q->last = there;
  q->lag = 0;
  send(l, there, request);
}

/** What is sent for a session's next turn, as for a request; SERVICE_NONE and under. */
static int turn_of(int session) {
  return SERVICE_NONE - session;
}

/** A turn of a session has its answer, which stays in the replica's cache; true: there is another turn. */
static bool goes_on(loop *l, int replica, double seconds, const service_arrival *turn) {
  double delay;
  if (!rf_source_answered(&l->source, turn, &delay)) {
    return false;
  }
  const service_session *session = rf_sessions_at(&l->source.sessions, turn->session);
  rf_replica_keep(&l->replicas[replica], session->block, session->count);
  send(l, seconds + delay, turn_of(turn->session));
  return true;
}

static void done(void *data, int replica, int request, bool left) {
  loop *l = data;
  if (!left) {
    hand_over(l, replica, request);
    return;
  }
  const service_arrival as = l->shop.pool.list[request].as;
  double seconds = l->replicas[replica].now + l->shop.pool.list[request].lag;
  rf_tally_leave(&l->shop.tally, l->shop.settings, &l->shop.pool.list[request]);
  rf_pool_give(&l->shop.pool, request);
  bool on = as.session > 0 && goes_on(l, replica, seconds, &as);
  if (!on && l->shop.settings->concurrency > 0) {
    send(l, seconds, SERVICE_NONE);
  }
}

/** A request takes its place in a queue. */
static void enter(loop *l, int request, double seconds) {
  int entries = l->prefills > 0 ? l->prefills : l->count;
  int chosen = rf_router_choose(&l->entry, l->replicas, 0, entries, &l->shop.pool.list[request]);
  rf_replica_take(&l->replicas[chosen], request, seconds);
}

/** When the host has a request ready for a queue: it reads one prompt after another. */
static double ready_seconds(loop *l, const service_arrival *arrival) {
  const roof_service_settings *set = l->shop.settings;
  l->read_seconds = fmax(l->read_seconds, arrival->seconds) + set->host_token_seconds * arrival->prompt;
  return l->read_seconds + set->host_seconds;
}

static void arrive(loop *l, const service_arrival *arrival) {
  service_tally *t = &l->shop.tally;
  int request = rf_pool_take(&l->shop.pool, arrival);
  if (request == SERVICE_NONE) {
    free(arrival->copied);
    l->shop.failed = true;
    return;
  }
  double ready = ready_seconds(l, arrival);
  if (ready > arrival->seconds) {
    l->hosted++;
    t->in_system_area += ready - arrival->seconds;
    send(l, ready, request);
  } else {
    enter(l, request, arrival->seconds);
  }
  t->arrived++;
  l->end_queue = queue_of(l), l->end_seconds = arrival->seconds;
  l->most_queue = fmax(l->most_queue, l->end_queue);
  if (t->arrived == ceil(l->source.total / 2)) {
    l->half_queue = l->end_queue, l->half_seconds = l->end_seconds;
  }
}

/** A client asks: the next turn of a session, or what comes next. */
static void ask(loop *l, const service_passage *p) {
  service_arrival arrival;
  bool asks = p->request < SERVICE_NONE && rf_source_turn(&l->source, turn_of(p->request), &arrival);
  if (!asks && (p->request == SERVICE_NONE || l->shop.settings->concurrency > 0)) {
    asks = rf_source_next(&l->source, &arrival);
  }
  if (asks) {
    arrival.seconds = p->seconds;
    arrive(l, &arrival);
  }
}

/** What is in flight arrives. */
static void receive(loop *l) {
  service_passage p = rf_calendar_take(&l->calendar);
  if (p.request <= SERVICE_NONE) {
    ask(l, &p);
    return;
  }
  const service_request *q = &l->shop.pool.list[p.request];
  if (!q->swapped) {
    l->hosted--;
    enter(l, p.request, p.seconds);
    return;
  }
  int chosen = rf_router_choose(&l->exit, l->replicas, l->prefills, l->count, q);
  rf_replica_take(&l->replicas[chosen], p.request, p.seconds);
}

static double next_event(const loop *l) {
  return fmin(l->coming ? l->next.seconds : INFINITY, rf_calendar_next(&l->calendar));
}

/** The busy replica that is farthest behind, or NULL; in *other where the next one is. */
static service_replica *behind(loop *l, double *other) {
  double first = *other = INFINITY;
  int last = -1;
  for (int i = 0; i < l->count; i++) {
    if (rf_replica_is_busy(&l->replicas[i])) {
      double now = l->replicas[i].now;
      *other = fmin(*other, fmax(first, now));
      last = now < first ? i : last;
      first = fmin(first, now);
    }
  }
  return last >= 0 ? &l->replicas[last] : NULL;
}

/** Every event in its order. Where what leaves one replica comes to another, none runs ahead of the others. */
static void run(loop *l) {
  const roof_service_settings *set = l->shop.settings;
  bool coupled = set->concurrency > 0 || l->prefills > 0 || rf_source_has_sessions(set);
  while (!l->shop.failed && !l->source.failed && l->end_queue <= MOST_WAITING) {
    double event = next_event(l), other;
    service_replica *r = behind(l, &other);
    l->shop.sent = false;
    if (r != NULL && r->now < event) {
      rf_replica_advance(r, coupled ? fmin(event, other) : event);
    } else if (isinf(event)) {
      return;
    } else if (l->coming && l->next.seconds <= event) {
      service_arrival arrival = l->next;
      fetch(l);
      arrive(l, &arrival);
    } else {
      receive(l);
    }
  }
}

/** Whether the queue grew to the end: by more than chance, which is of the order of the root of the number, and than
 *  2 % of what arrived. */
static void judge(const loop *l, roof_service_answer *a) {
  const roof_service_settings *set = l->shop.settings;
  double arrived = l->source.total / 2, grown = l->end_queue - l->half_queue;
  bool stopped = l->end_queue > MOST_WAITING;
  bool open = set->concurrency <= 0 && !isinf(set->rate) && l->end_seconds > l->half_seconds;
  a->overloaded = stopped || (open && grown > fmax(3 * sqrt(arrived), 0.02 * arrived));
  a->queue_most = l->most_queue;
  a->queue_growth = !a->overloaded ? 0
                    : stopped      ? l->end_queue / l->end_seconds
                    : set->trace   ? grown / (l->end_seconds - l->half_seconds)
                                   : grown / arrived * set->rate; /* not of what came by chance */
}

static void drop_times(roof_service_answer *a) {
  const roof_service_times none = {0, NAN, NAN, NAN, NAN, NAN, NAN};
  a->ttft = a->tpot = a->itl = a->end_to_end = a->wait = none;
  a->goodput = a->within = a->in_system = NAN;
}

/** Of all replicas. */
static double blocks_of(const loop *l) {
  double blocks = 0;
  for (int i = 0; i < l->count; i++) {
    blocks += l->replicas[i].engine->blocks;
  }
  return blocks;
}

static void answer_of(const loop *l, roof_service_answer *a) {
  const service_tally *t = &l->shop.tally;
  const roof_service_settings *set = l->shop.settings;
  *a = (roof_service_answer){0};
  rf_tally_answer(t, set, a);
  double seconds = l->end_queue > MOST_WAITING ? l->end_seconds : t->last_seconds;
  bool limited = !isnan(set->ttft_seconds) || !isnan(set->tpot_seconds);
  a->seconds = seconds;
  a->requests_per_second = t->left / seconds;
  a->tokens_per_second = t->generated_tokens / seconds;
  a->within = limited ? t->good / t->left : NAN;
  a->goodput = limited ? t->good / seconds : NAN;
  a->utilisation = t->busy_seconds / (l->count * seconds);
  double blocks = blocks_of(l);
  a->kv_mean = isinf(blocks) ? NAN : t->kv_area / (blocks * seconds);
  a->kv_most = isinf(blocks) ? NAN : t->kv_most;
  a->in_system = t->in_system_area / seconds;
  judge(l, a);
  if (a->overloaded) {
    drop_times(a);
  }
}

static bool start(loop *l, const service_plant *plant, const roof_service_settings *set) {
  l->plant = plant;
  l->prefills = (int)set->prefills;
  l->entry.routing = l->exit.routing = set->routing;
  l->shop = (service_shop){.settings = set,
                           .page = plant->page,
                           .hashed = plant->hashed,
                           .kept = plant->kept,
                           .hash_blocks = rf_kept_lasting(&plant->kept) * ceil(plant->hashed / plant->page),
                           .drafts = plant->drafts,
                           .accept = plant->accept,
                           .yield = 1,
                           .accepted = rf_random_start((uint64_t)set->seed, SERVICE_STREAM_ACCEPTED),
                           .swap_seconds = plant->swap_seconds,
                           .adapters = plant->adapters,
                           .done = done,
                           .data = l};
  for (double right = plant->accept, i = 0; i < plant->drafts; i++, right *= plant->accept) {
    l->shop.yield += right;
  }
  l->engines[0] = (service_engine){plant->clock, plant->blocks};
  l->engines[1] = plant->first.clock.step != NULL ? plant->first : l->engines[0];
  rf_tally_start(&l->shop.tally);
  if (set->timeline != NULL) {
    rf_timeline_start(set->timeline);
  }
  rf_source_start(&l->source, set, plant->shared, plant->longest, plant->page);
  l->replicas = calloc((size_t)plant->replicas, sizeof *l->replicas);
  l->links = calloc((size_t)plant->replicas, sizeof *l->links);
  bool enough = l->replicas != NULL && l->links != NULL;
  for (; enough && l->count < (int)plant->replicas; l->count++) {
    service_role role = l->prefills == 0         ? SERVICE_BOTH
                        : l->count < l->prefills ? SERVICE_PREFILLS
                                                 : SERVICE_DECODES;
    enough = rf_replica_init(&l->replicas[l->count], &l->shop, &l->engines[role == SERVICE_PREFILLS],
                             l->count, role);
  }
  return enough;
}

static void stop(loop *l) {
  for (int i = 0; i < l->count; i++) {
    rf_replica_done(&l->replicas[i]);
  }
  free(l->replicas);
  free(l->links);
  rf_source_done(&l->source);
  free(l->calendar.list);
  rf_pool_done(&l->shop.pool);
  free(l->coming ? l->next.copied : NULL);
  free(l);
}

roof_status rf_loop_run(const service_plant *plant, const roof_service_settings *settings,
                        roof_service_answer *answer, service_tally *tally, roof_error *error) {
  loop *l = calloc(1, sizeof *l);
  bool enough = l != NULL && start(l, plant, settings);
  if (enough) {
    for (double client = 0; client < settings->concurrency; client++) {
      send(l, 0, SERVICE_NONE);
    }
    if (settings->concurrency <= 0) {
      fetch(l);
    }
    run(l);
    enough = !l->shop.failed && !l->source.failed;
  }
  if (enough) {
    answer_of(l, answer);
    if (settings->timeline != NULL) {
      rf_timeline_end(settings->timeline, blocks_of(l));
    }
    if (tally != NULL) {
      *tally = l->shop.tally;
    }
  }
  const roof_error why = l != NULL ? l->source.why : (roof_error){.code = ROOF_OK};
  if (l != NULL) {
    stop(l);
  }
  if (why.code != ROOF_OK) {
    return roof_error_set(error, why.code, "%s", why.message);
  }
  return enough ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "serve: out of memory");
}
