/* What a request leaves behind: its blocks, its place, and the time that it took. */
#include <math.h>

#include "service/replica.h"
#include "service/timeline.h"

double rf_blocks_of(const service_shop *shop, double tokens) {
  return rf_kept_blocks(&shop->kept, shop->page, tokens);
}

void rf_replica_trim(service_replica *r) {
  double each = r->shop->hash_blocks;
  rf_cache_trim(&r->cache, each > 0 ? floor((r->engine->blocks - r->used) / each) : INFINITY);
}

bool rf_replica_fits_adapter(const service_replica *r, const service_request *q) {
  return q->as.adapter == 0 || r->adapters_used < r->shop->adapters.slots ||
         rf_cache_match(&r->adapters, &q->as.adapter, 1) == 1;
}

bool rf_replica_take_adapter(service_replica *r, const service_request *q) {
  size_t fresh;
  if (q->as.adapter == 0) {
    return true;
  }
  bool there = rf_cache_match(&r->adapters, &q->as.adapter, 1) == 1;
  if (!rf_cache_hold(&r->adapters, &q->as.adapter, 1, &fresh)) {
    return false;
  }
  r->adapters_used += (double)fresh;
  rf_cache_trim(&r->adapters, r->shop->adapters.slots - r->adapters_used);
  if (!there) {
    r->extra_seconds += r->shop->adapters.load_seconds;
    r->shop->tally.adapter_loads++;
  }
  return true;
}

double rf_replica_adapter_seconds(const service_replica *r, double tokens) {
  return rf_adapters_seconds(&r->shop->adapters, r->adapters_used, tokens);
}

void rf_replica_release(service_replica *r, service_request *q, double own) {
  if (q->as.adapter > 0) {
    r->adapters_used -= (double)rf_cache_release(&r->adapters, &q->as.adapter, 1);
  }
  size_t idle = rf_cache_release(&r->cache, q->as.blocks, (size_t)q->shared);
  r->used -= own + (double)idle * r->shop->hash_blocks;
  q->shared = q->blocks = 0;
}

bool rf_replica_is_prompting(const service_request *q) {
  return q->place == SERVICE_NONE;
}

void rf_replica_stop(service_replica *r, int request) {
  service_request *q = &r->shop->pool.list[request];
  double own = q->blocks;
  if (!rf_replica_is_prompting(q)) {
    rf_decode_leave(r, request, &own);
  } else if (r->prompting == request) {
    r->prompting = q->next;
  }
  rf_replica_release(r, q, own);
  rf_list_remove(&r->shop->pool, &r->running, request);
}

void rf_replica_pass(service_replica *r, double seconds, double before) {
  service_tally *t = &r->shop->tally;
  if (r->shop->settings->timeline != NULL) {
    const roof_service_bin state = {r->waiting.count, r->ends.count, (before + r->used) / 2, 0};
    rf_timeline_add(r->shop->settings->timeline, r->now, seconds, &state);
  }
  r->now += seconds;
  t->busy_seconds += seconds;
  t->in_system_area += seconds * (r->waiting.count + r->running.count);
  t->kv_area += seconds * (before + r->used) / 2;
  t->kv_most = fmax(t->kv_most, r->used / r->engine->blocks);
}
