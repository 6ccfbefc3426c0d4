/** Which replica a request goes to. */
#ifndef SERVICE_ROUTER_H
#define SERVICE_ROUTER_H

#include "service/replica.h"

typedef struct service_router {
  roof_routing routing;
  unsigned turn; /**< of round-robin */
} service_router;

/** One of the replicas from `first` to before `end`. */
int rf_router_choose(service_router *router, const service_replica *replicas, int first, int end,
                     const service_request *request);

#endif
