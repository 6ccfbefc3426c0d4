#include "service/router.h"

static double load_of(const service_replica *r) {
  return r->waiting.count + r->running.count;
}

static int least_loaded(const service_replica *replicas, int first, int end) {
  int least = first;
  for (int i = first + 1; i < end; i++) {
    least = load_of(&replicas[i]) < load_of(&replicas[least]) ? i : least;
  }
  return least;
}

/** The one that knows most of the prompt, unless it has twice as much to do as the least loaded and a few more. */
static int most_known(const service_replica *replicas, int first, int end, const service_request *q) {
  enum { FEW = 8 };
  int least = least_loaded(replicas, first, end), best = least;
  size_t most = 0;
  for (int i = first; i < end; i++) {
    size_t known = rf_cache_match(&replicas[i].cache, q->as.blocks, q->as.block_count);
    bool free_enough = load_of(&replicas[i]) <= 2 * load_of(&replicas[least]) + FEW;
    if (known > most && free_enough) {
      best = i, most = known;
    }
  }
  return best;
}

int rf_router_choose(service_router *router, const service_replica *replicas, int first, int end,
                     const service_request *request) {
  switch (router->routing) {
  case ROOF_ROUTE_LEAST_LOADED:
    return least_loaded(replicas, first, end);
  case ROOF_ROUTE_PREFIX:
    return most_known(replicas, first, end, request);
  default:
    return first + (int)(router->turn++ % (unsigned)(end - first));
  }
}
