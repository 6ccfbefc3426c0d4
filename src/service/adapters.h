/** LoRA adapters of a service: what they take on a device and in a step. */
#ifndef SERVICE_ADAPTERS_H
#define SERVICE_ADAPTERS_H

#include "roofline/service.h"

typedef struct service_adapters {
  double count, slots;
  double bytes;              /**< of one on a device */
  double step_seconds;       /**< of a step with any: launches of their kernels */
  double each_seconds;       /**< of a step for each that it has: its weights are read */
  double token_seconds;      /**< for each token: what its products read and write */
  double token_flop_seconds; /**< and their FLOPs, at the same time */
  double load_seconds;       /**< from the host's memory */
} service_adapters;

/** All zero without any. An adapter is on every linear layer of attention and of MLPs that are no experts, in the format of the
 *  activations (Hu et al. 2021, "LoRA": rank x (inputs + outputs) each). The kernels for all adapters of a step are two for
 *  each layer's inputs (Chen et al. 2024, "Punica"): of Q, K and V, of their output, of gate and up, of down. Of a product, for `n` adapters,
 *  FLOP = tokens x inputs x outputs x 2 and bytes = (tokens x (inputs + outputs) + n x inputs x outputs) x 2 (section 7.1 there). */
service_adapters rf_adapters_of(const roof_model_target *target, const roof_service_settings *settings);

/** What a step of so many tokens, for requests of so many adapters, takes longer for them. */
double rf_adapters_seconds(const service_adapters *adapters, double count, double tokens);

#endif
