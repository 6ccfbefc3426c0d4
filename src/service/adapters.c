#include "service/adapters.h"

#include <math.h>

#include "models/shape.h"

/** Elements of an adapter of rank 1 in a layer on one device. */
static double elements_of(const roof_model_target *t, const roof_model_block *b) {
  double hidden = t->model->hidden;
  model_widths w = rf_model_widths_of(b, t->settings.tp);
  double mixer = rf_model_has_heads(b) ? 4 * hidden + w.queries + w.keys + w.values + w.mixed : 0;
  return mixer + (w.mlp > 0 ? (b->gated ? 3 : 2) * (hidden + w.mlp) : 0);
}

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
    a.bytes += t->stage_layers[i] * elements_of(t, &t->model->blocks[i]);
    layers += t->stage_layers[i];
  }
  a.bytes *= s->adapter_rank * t->activation_bytes;
  a.step_seconds = KERNELS * layers * t->kernel.seconds;
  a.each_seconds = a.bytes * t->plain.seconds_per_byte[t->plain.memory][ROOF_MIX_READ];
  a.load_seconds = host > 0 ? a.bytes / host : NAN;
  return a;
}
