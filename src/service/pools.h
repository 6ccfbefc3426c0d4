/** Two pools of replicas: some process prompts, others generate, each by its own plan and on its own machine. */
#ifndef SERVICE_POOLS_H
#define SERVICE_POOLS_H

#include "roofline/service.h"

typedef struct service_pools {
  roof_service *prefill, *decode; /**< the steps of a replica of each */
  double prefills, decodes;       /**< replicas */
  double transfer_seconds;        /**< of a cache of `transfer_tokens`, from one pool to the other */
  double transfer_tokens;
} service_pools;

/** As roof_service_run of both together; `prefills` of the settings does not count. */
roof_status rf_pools_run(const service_pools *pools, const roof_service_settings *settings,
                         roof_service_answer *answer, roof_error *error);

#endif
