/* Continuous batching: in each step a token for every request that generates, then pieces of prompts as far as the budget of
 * tokens goes (Agrawal et al. 2024, Sarathi-Serve; the scheduler of vLLM's V1). Where the cache is full, the request
 * admitted last makes room. */
#include "service/replica.h"

#include <math.h>
#include <stdlib.h>

#include "service/timeline.h"

bool rf_replica_init(service_replica *r, service_shop *shop, const service_engine *engine, int number,
                     service_role role) {
  double cycle = floor(shop->page / shop->yield + 0.5);
  *r = (service_replica){.shop = shop,
                         .engine = engine,
                         .number = number,
                         .role = role,
                         .waiting = service_empty,
                         .running = service_empty,
                         .prompting = SERVICE_NONE,
                         .cycle = cycle > 1 ? (uint64_t)cycle : 1};
  rf_cache_init(&r->cache);
  rf_cache_init(&r->adapters);
  r->turns = calloc(r->cycle, sizeof *r->turns);
  return r->turns != NULL;
}

void rf_replica_done(service_replica *r) {
  free(r->turns);
  free(r->ends.list);
  rf_cache_done(&r->cache);
  rf_cache_done(&r->adapters);
}

bool rf_replica_is_busy(const service_replica *r) {
  return r->waiting.count + r->running.count > 0;
}

void rf_replica_take(service_replica *r, int request, double seconds) {
  if (!rf_replica_is_busy(r)) {
    r->now = fmax(r->now, seconds);
  }
  r->shop->tally.in_system_area += fmax(0, r->now - seconds); /* of a step that is in flight */
  rf_list_append(&r->shop->pool, &r->waiting, request);
}

/** Hashes of whole blocks of a request's prompt that this replica's cache is asked for. */
static size_t hashes_of(const service_replica *r, const service_request *q) {
  bool asked = r->shop->settings->cache && q->as.blocks != NULL;
  double whole = asked ? floor(q->as.prompt / r->shop->hashed) : 0;
  return whole < (double)q->as.block_count ? (size_t)whole : q->as.block_count;
}

void rf_replica_keep(service_replica *r, const unsigned *hashes, size_t count) {
  size_t fresh;
  if (r->shop->settings->cache && rf_cache_hold(&r->cache, hashes, count, &fresh)) {
    rf_cache_release(&r->cache, hashes, count);
    rf_replica_trim(r);
  }
}

/** Takes the blocks that a request begins with; false where there are not so many besides what the next tokens of the
 *  others need. */
static bool allocate(service_replica *r, service_request *q) {
  service_shop *shop = r->shop;
  size_t hashes = hashes_of(r, q), known = rf_cache_match(&r->cache, q->as.blocks, hashes), fresh = 0;
  double each = shop->hash_blocks, own = rf_blocks_of(shop, q->work) - (double)hashes * each;
  if (hashes > 0 && !rf_cache_hold(&r->cache, q->as.blocks, hashes, &fresh)) {
    shop->failed = true;
    return false;
  }
  double next = q->swapped ? rf_blocks_of(shop, q->work + 1) - rf_blocks_of(shop, q->work) : 0;
  if (r->used + (double)fresh * each + own + next + rf_decode_growth(r) > r->engine->blocks) {
    rf_cache_release(&r->cache, q->as.blocks, hashes);
    rf_replica_trim(r);
    return false;
  }
  double cached = fmin((double)known * shop->hashed, q->work - 1);
  shop->failed |= !rf_replica_take_adapter(r, q);
  q->shared = (double)hashes;
  q->blocks = own;
  q->done = q->swapped ? q->work : cached;
  shop->tally.cached_tokens += isnan(q->begun) ? cached : 0;
  r->used += (double)fresh * each + own;
  rf_replica_trim(r);
  return true;
}

/** What a request that generated has made so far, and when its latest token came. */
static void note_progress(service_replica *r, service_request *q) {
  q->made = fmin(q->made + floor((double)(r->steps - q->from) * r->shop->yield), q->as.generate - 1);
  if (r->steps == q->from && q->away) {
    r->returned--;
    r->away_seconds -= r->now - q->last;
    return;
  }
  q->last = r->steps > q->from ? r->decoded : q->last;
  r->stalled = fmax(0, r->stalled - (r->now - q->last));
}

/** The request admitted last goes back to the head of the queue. */
static void preempt(service_replica *r) {
  service_shop *shop = r->shop;
  int request = r->running.last;
  service_request *q = &shop->pool.list[request];
  bool generates = !rf_replica_is_prompting(q),
       kept = generates && shop->settings->preemption == ROOF_PREEMPT_SWAP;
  if (generates) {
    note_progress(r, q);
    q->work = q->as.prompt + q->made - (kept ? 1 : 0);
  }
  rf_replica_stop(r, request);
  q->swapped = kept;
  q->swap_seconds = kept ? rf_blocks_of(shop, q->work) * shop->swap_seconds : 0;
  r->extra_seconds += q->swap_seconds;
  q->done = q->piece = 0;
  q->encoded = false; /* with the prompt's cache what it made of the inputs is gone */
  if (shop->settings->timeline != NULL) {
    rf_timeline_preempt(shop->settings->timeline, r->now);
  }
  shop->tally.preemptions++;
  rf_list_prepend(&shop->pool, &r->waiting, request);
}

/** Makes room for the next tokens of those that generate; false where somebody had to give way. */
static bool secure_growth(service_replica *r) {
  bool enough = true;
  while (r->used + rf_decode_growth(r) > r->engine->blocks && r->running.count > 1) {
    preempt(r);
    enough = false;
  }
  return enough;
}

/** Gives a request its piece of the budget. */
static void cut_piece(const service_replica *r, service_request *q, double *budget) {
  double rest = q->work - q->done;
  if (r->shop->settings->whole_prompts && rest > *budget && *budget < r->shop->settings->budget) {
    *budget = 0; /* and those after it wait too */
  }
  q->piece = fmin(rest, *budget);
  *budget -= q->piece;
}

/** Steps of decoding alone come next, and nobody has waited for them. */
static bool only_decodes(const service_replica *r) {
  return r->prompting == SERVICE_NONE && r->extra_seconds == 0 && r->stalled == 0 && r->returned == 0 &&
         r->ends.count > 0;
}

/** A request is processed for the first time, perhaps after it waited for a slot. */
static void note_begin(service_replica *r, service_request *q) {
  q->begun = r->now;
  if (!isnan(q->passed_over)) {
    r->shop->tally.slot_waits++;
    r->shop->tally.slot_wait_seconds += r->now - q->passed_over;
  }
}

static void begin(service_replica *r, int request) {
  service_request *q = &r->shop->pool.list[request];
  if (isnan(q->begun)) {
    note_begin(r, q);
  }
  rf_list_remove(&r->shop->pool, &r->waiting, request);
  rf_list_append(&r->shop->pool, &r->running, request);
  if (q->swapped) { /* its cache is in place again */
    r->extra_seconds += q->swap_seconds;
    r->returned++;
    r->away_seconds += r->now - q->last;
    q->swapped = false;
    q->away = true;
    rf_decode_enter(r, request);
  } else if (r->prompting == SERVICE_NONE) {
    r->prompting = request;
  }
}

/** The first in the queue whose adapter fits; those behind it do not wait for one that finds no slot, as in vLLM. */
static int next_waiting(const service_replica *r) {
  int request = r->waiting.first;
  while (request != SERVICE_NONE && !rf_replica_fits_adapter(r, &r->shop->pool.list[request])) {
    service_request *q = &r->shop->pool.list[request];
    q->passed_over = isnan(q->passed_over) ? r->now : q->passed_over;
    request = q->next;
  }
  return request;
}

/** Admits from the queue while there are tokens, places and blocks. One whose cache is in place again waits until no prompt
 *  is in flight, so that those that generate stay before the prompts. */
static void admit(service_replica *r, double budget) {
  service_shop *shop = r->shop;
  while (r->waiting.count > 0 && r->running.count < shop->settings->sequences && budget > 0) {
    int request = next_waiting(r);
    if (request == SERVICE_NONE) {
      return;
    }
    service_request *q = &shop->pool.list[request];
    if ((q->swapped && r->prompting != SERVICE_NONE) || !allocate(r, q)) {
      return;
    }
    bool ready = q->swapped;
    begin(r, request);
    if (!ready) {
      cut_piece(r, q, &budget);
    }
  }
}

/** Plans the pieces of a step. Who gave way is not taken back in the same step. */
static void plan(service_replica *r) {
  const roof_service_settings *set = r->shop->settings;
  bool enough = secure_growth(r);
  double generated = r->ends.count * (r->shop->drafts + 1);
  double budget = fmax(0, set->budget - (set->whole_prompts ? 0 : generated));
  for (int i = r->prompting; i != SERVICE_NONE; i = r->shop->pool.list[i].next) {
    cut_piece(r, &r->shop->pool.list[i], &budget);
  }
  if (enough) {
    admit(r, budget);
  }
}

/** What the step does: pieces of equal size that have as many pairs of query and key as the ones planned. */
static roof_load load_of(const service_replica *r) {
  const service_shop *shop = r->shop;
  roof_load l = {0};
  double tokens = 0, pairs = 0;
  for (int i = r->prompting; i != SERVICE_NONE; i = shop->pool.list[i].next) {
    const service_request *q = &shop->pool.list[i];
    if (q->piece > 0) {
      l.prompts++;
      tokens += q->piece;
      pairs += q->piece * (q->done + q->piece / 2);
      l.logits += q->done + q->piece >= q->work ? 1 : 0;
    }
  }
  if (l.prompts > 0) {
    l.queries = tokens / l.prompts;
    l.past = fmax(0, pairs / tokens - l.queries / 2);
  }
  if (r->ends.count > 0 && !(shop->settings->whole_prompts && l.prompts > 0)) {
    l.decodes = r->ends.count;
    l.context = r->context / l.decodes;
    l.logits += l.decodes * (shop->drafts + 1);
  }
  return l;
}

/** A prompt is processed, which gives a token so much later. */
static void finish_prompt(service_replica *r, int request, double lag) {
  service_shop *shop = r->shop;
  service_request *q = &shop->pool.list[request];
  if (!isnan(q->last)) {
    rf_histogram_add(&shop->tally.itl, r->now - q->last, 1);
  }
  q->first = isnan(q->first) ? r->now : q->first;
  q->last = r->now;
  q->lag = fmax(q->lag, lag);
  q->made++;
  shop->tally.emitted++;
  q->away = false;
  r->prompting = q->next;
  bool left = q->made >= q->as.generate;
  if (left || r->role == SERVICE_PREFILLS) {
    double own = q->blocks;
    rf_replica_release(r, q, own);
    rf_list_remove(&shop->pool, &r->running, request);
    shop->done(shop->data, r->number, request, left);
  } else {
    rf_decode_enter(r, request);
  }
}

static void apply_pieces(service_replica *r, double lag) {
  service_pool *pool = &r->shop->pool;
  for (int i = r->prompting, next; i != SERVICE_NONE; i = next) {
    service_request *q = &pool->list[i];
    next = q->next;
    q->encoded |= q->piece > 0;
    q->done += q->piece;
    q->piece = 0;
    if (q->done >= q->work) {
      finish_prompt(r, i, lag);
    }
  }
}

/** Seconds of the encoders of the prompts that begin in the step, and in *lag those until they are through a pipeline. */
static double encode(const service_replica *r, double *lag) {
  const service_clock *clock = &r->engine->clock;
  double begin = 0;
  *lag = 0;
  for (int i = r->prompting; i != SERVICE_NONE; i = r->shop->pool.list[i].next) {
    const service_request *q = &r->shop->pool.list[i];
    begin += q->piece > 0 && !q->encoded ? 1 : 0;
  }
  return clock->encode != NULL && begin > 0 ? clock->encode(clock->data, begin, lag) : 0;
}

static void step(service_replica *r) {
  service_shop *shop = r->shop;
  roof_load load = load_of(r);
  const service_clock *clock = &r->engine->clock;
  double seconds = clock->step(clock->data, &load), before = r->used;
  double lag = clock->lag != NULL && load.prompts > 0 ? clock->lag(clock->data, &load, seconds) : 0;
  double encoder_lag, encoders = encode(r, &encoder_lag);
  seconds += encoders + r->extra_seconds;
  lag += encoder_lag;
  seconds += rf_replica_adapter_seconds(r, load.prompts * load.queries + load.decodes * (shop->drafts + 1));
  r->extra_seconds = 0;
  if (load.decodes > 0) {
    r->used += rf_decode_growth(r);
  }
  rf_replica_trim(r);
  rf_replica_pass(r, seconds, before);
  if (load.decodes > 0) {
    rf_decode_stepped(r, 1, seconds, seconds);
  } else {
    r->stalled += seconds * (r->ends.count - r->returned);
    r->away_seconds += seconds * r->returned;
  }
  apply_pieces(r, lag);
}

void rf_replica_advance(service_replica *r, double until) {
  do {
    plan(r);
    if (only_decodes(r)) {
      rf_decode_jump(r, until);
    } else {
      step(r);
    }
  } while (rf_replica_is_busy(r) && r->now < until && !r->shop->failed && !r->shop->sent);
}
