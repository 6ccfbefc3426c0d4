/* Those that generate: each gets its tokens in every step, so that a counter of steps serves them all. While nobody comes or goes,
 * many steps are taken at once: their time is a straight line over the context, from one node of the table to the next. */
#include <math.h>

#include "service/replica.h"

/** Those whose last token came with the latest step. */
static void leave(service_replica *r) {
  service_shop *shop = r->shop;
  while (r->ends.count > 0 && shop->pool.list[r->ends.list[0]].until <= r->steps) {
    int request = r->ends.list[0];
    rf_replica_stop(r, request);
    service_request *q = &shop->pool.list[request];
    q->last = r->now;
    q->made = q->as.generate;
    shop->done(shop->data, r->number, request, true);
  }
}

void rf_decode_stepped(service_replica *r, uint64_t count, double low, double high) {
  service_tally *t = &r->shop->tally;
  double sequences = r->ends.count, steps = (double)count, others = sequences - r->returned;
  double waited = r->stalled / fmax(1, others);
  if (r->returned > 0) { /* in a single step */
    rf_histogram_add(&t->itl, low + r->away_seconds / r->returned, r->returned);
  }
  if (others > 0) {
    rf_histogram_spread(&t->itl, low + waited, high + waited, sequences * steps - r->returned);
  }
  t->emitted += sequences * steps;
  t->batch_sum += sequences * steps;
  t->batch_steps += steps;
  r->steps += count;
  r->context += sequences * steps * r->shop->yield;
  r->decoded = r->now;
  r->stalled = r->returned = r->away_seconds = 0;
  leave(r);
}

/** Blocks that the next `count` steps need. */
static double growth_of(const service_replica *r, uint64_t count) {
  double blocks = (double)(count / r->cycle) * r->growth;
  for (uint64_t i = 0; i < count % r->cycle; i++) {
    blocks += r->turns[(r->steps + i) % r->cycle];
  }
  return blocks;
}

/** Steps, at most `count`, for which there are blocks; the first one's have been secured. */
static uint64_t steps_in_cache(const service_replica *r, uint64_t count) {
  double room = r->engine->blocks - r->used;
  double cycles = r->growth > 0 ? floor(room / r->growth) : INFINITY;
  if (cycles * (double)r->cycle >= (double)count) {
    return count;
  }
  uint64_t steps = (uint64_t)cycles * r->cycle;
  room -= cycles * r->growth;
  while (steps < count && r->turns[(r->steps + steps) % r->cycle] <= room) {
    room -= r->turns[(r->steps + steps) % r->cycle];
    steps++;
  }
  return steps > 0 ? steps : 1;
}

/** Seconds of `count` steps on a line. */
static double seconds_of(const service_line *l, double step, double count) {
  return count * l->seconds + step * l->slope * count * (count - 1) / 2;
}

/** The fewest steps on a line, of `step` tokens more each, that take `seconds`; at most `most`. */
static uint64_t steps_in(const service_line *l, double step, double seconds, uint64_t most) {
  uint64_t low = 0, high = most;
  if (!(seconds_of(l, step, (double)most) > seconds)) {
    return most;
  }
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    *(seconds_of(l, step, (double)middle) < seconds ? &low : &high) = middle;
  }
  return high;
}

void rf_decode_jump(service_replica *r, double until) {
  const service_shop *shop = r->shop;
  const service_clock *clock = &r->engine->clock;
  uint64_t left = steps_in_cache(r, shop->pool.list[r->ends.list[0]].until - r->steps);
  do {
    double sequences = r->ends.count, context = r->context / sequences, before = r->used;
    service_line line = clock->decode(clock->data, sequences, context);
    line.seconds += rf_replica_adapter_seconds(r, sequences * (shop->drafts + 1));
    double on_line = ceil((line.end - context) / shop->yield);
    uint64_t count = on_line < (double)left ? (uint64_t)fmax(1, on_line) : left;
    count = steps_in(&line, shop->yield, until - r->now, count);
    r->used += growth_of(r, count);
    rf_replica_pass(r, seconds_of(&line, shop->yield, (double)count), before);
    left -= count;
    rf_decode_stepped(r, count, line.seconds, line.seconds + line.slope * shop->yield * ((double)count - 1));
  } while (left > 0 && r->now < until);
  rf_replica_trim(r);
}
