/** What a replica's cache holds. */
#ifndef SERVICE_CAPACITY_H
#define SERVICE_CAPACITY_H

#include "roofline/service.h"
#include "service/kept.h"

enum { SERVICE_SEQUENCES = 256 }; /**< that an engine admits to a replica, unless somebody says how many */

typedef struct service_capacity {
  double blocks;      /**< infinite where the machine does not say its memory */
  double block_bytes; /**< of a block on one device: a page of all layers' tokens */
  double tokens;      /**< in requests of mean length */
  service_kept kept;  /**< what a sequence takes */
  double room_bytes;  /**< of one device, after weights, runtime and activations; negative: they do not fit */
  double step_tokens, step_bytes; /**< of the largest step, and its activations */
} service_capacity;

/** `draft` (nullable) is the model that drafts on the same devices. */
service_capacity rf_capacity_of(const roof_model_target *target, const roof_model_target *draft,
                                const roof_service_settings *settings);

roof_status rf_capacity_check(const roof_model_target *target, const service_capacity *capacity,
                              roof_error *error);

#endif
