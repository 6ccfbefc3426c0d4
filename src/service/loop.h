/** The event loop: arrivals, replicas, and what is in flight between them. */
#ifndef SERVICE_LOOP_H
#define SERVICE_LOOP_H

#include "service/replica.h"

/** What a service is made of, whatever its steps take. */
typedef struct service_plant {
  service_clock clock;
  double replicas;
  service_engine first; /**< of the replicas that only process prompts; without a clock: as of the others */
  double page, blocks, hashed; /**< as of a service_shop */
  service_kept kept;
  double drafts, accept;
  double swap_seconds; /**< of a block */
  service_adapters adapters;
  double shared;  /**< tokens that all prompts begin with */
  double longest; /**< tokens that a request may have */
  double
      transfer_seconds; /**< of the cache of a token in all layers from a replica that processed its prompt to one that generates */
  double transfer_latency;
} service_plant;

/** Runs all requests, or until the queue has grown beyond what can be waited for. The answer has all but devices and price;
 *  *tally (nullable) what has been counted. */
roof_status rf_loop_run(const service_plant *plant, const roof_service_settings *settings,
                        roof_service_answer *answer, service_tally *tally, roof_error *error);

#endif
