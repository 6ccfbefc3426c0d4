#include "service/adapters.h"

#include <math.h>

#include "models/shape.h"

double roof_service_adapter_slots(const roof_service_settings *s) {
  return s->adapter_slots > 0 ? s->adapter_slots : s->adapters;
}

service_adapters rf_adapters_of(const roof_model_target *t, const roof_service_settings *s) {
  enum { KERNELS = 8 }; /* two for each of four inputs */
  service_adapters a = {.count = s->adapters, .slots = roof_service_adapter_slots(s)};
  if (!(s->adapters > 0)) {
    return (service_adapters){.count = 0};
  }
  double layers = 0, host = t->links[ROOF_SPAN_HOST].bytes_per_second;
  for (int i = 0; i < t->model->block_count; i++) {
    layers += t->stage_layers[i];
  }
  double elements = rf_model_adapter_elements(t);
  a.bytes = s->adapter_rank * t->activation_bytes * elements;
  a.step_seconds = KERNELS * layers * t->kernel.seconds;
  double byte = t->plain.seconds_per_byte[t->plain.memory][ROOF_MIX_READ], rank = s->adapter_rank;
  double inputs_outputs = elements + 2 * rank * rf_model_adapted_products(t);
  a.each_seconds = a.bytes * byte;
  a.token_seconds = inputs_outputs * t->activation_bytes * byte;
  a.token_flop_seconds = 2 * rank * elements * t->plain.seconds_per_flop[ROOF_MATRIX];
  a.load_seconds = host > 0 ? a.bytes / host : NAN;
  return a;
}

double rf_adapters_seconds(const service_adapters *a, double count, double tokens) {
  double memory = count * a->each_seconds + tokens * a->token_seconds;
  return count > 0 ? a->step_seconds + fmax(memory, tokens * a->token_flop_seconds) : 0;
}
