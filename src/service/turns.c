/* Who generates, and in which step of a cycle each needs another block. */
#include <math.h>

#include "service/replica.h"

/** Steps until `tokens` are there: one each, or what of the drafted tokens is right and one more. */
static uint64_t steps_for(service_shop *shop, double tokens) {
  uint64_t steps = 0;
  if (shop->drafts <= 0) {
    return (uint64_t)tokens;
  }
  for (double made = 0; made < tokens; steps++) {
    double right = 0;
    while (right < shop->drafts && rf_random_share(&shop->accepted) <= shop->accept) {
      right++;
    }
    made += right + 1;
  }
  return steps;
}

/** The turn, modulo the cycle, in which a request fills a block and needs another. */
static uint64_t turn_of(const service_replica *r, const service_request *q) {
  uint64_t filled = (uint64_t)floor(q->context / r->shop->yield) % r->cycle;
  return (q->from + r->cycle - filled) % r->cycle;
}

/** Turns of those before step `end`. */
static uint64_t turns_before(const service_replica *r, uint64_t turn, uint64_t end) {
  return (end + r->cycle - 1 - turn) / r->cycle;
}

void rf_decode_enter(service_replica *r, int request) {
  service_request *q = &r->shop->pool.list[request];
  q->context = q->work;
  q->from = r->steps;
  q->until = r->steps + steps_for(r->shop, q->as.generate - q->made);
  q->growth = rf_kept_growth(&r->shop->kept, q->context, q->context + q->as.generate - q->made);
  r->turns[turn_of(r, q)] += q->growth;
  r->growth += q->growth;
  r->context += q->context;
  r->shop->failed |= !rf_heap_add(&r->shop->pool, &r->ends, request);
}

void rf_decode_leave(service_replica *r, int request, double *blocks) {
  service_request *q = &r->shop->pool.list[request];
  uint64_t turn = turn_of(r, q);
  *blocks =
      q->blocks + q->growth * (double)(turns_before(r, turn, r->steps) - turns_before(r, turn, q->from));
  r->turns[turn] = fmax(0, r->turns[turn] - q->growth);
  r->growth = r->ends.count > 1 ? fmax(0, r->growth - q->growth) : 0;
  r->context -= q->context + (double)(r->steps - q->from) * r->shop->yield;
  rf_heap_remove(&r->shop->pool, &r->ends, request);
  r->context = r->ends.count > 0 ? r->context : 0;
}

double rf_decode_growth(const service_replica *r) {
  return r->turns[r->steps % r->cycle];
}
