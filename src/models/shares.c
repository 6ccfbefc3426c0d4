/* What of the weights, of what is trained and of the optimizer's state is one replica's, and what of it lies with the host. */
#include <math.h>

#include "models/step.h"

double rf_model_replicas(const roof_model_settings *s, bool experts) {
  double devices = s->tp * s->cp * s->dp;
  return experts ? devices / fmax(s->tp, s->ep) : s->cp * s->dp;
}

double rf_model_trained_elements(const roof_model_target *t, const model_weights *w, bool experts) {
  double rank = t->settings.lora, adapters = experts ? 0 : rank * rf_model_adapter_elements(t);
  return rank > 0 ? adapters : rf_model_weight_elements(w, experts);
}

double rf_model_own_weights(const roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  model_weights w = rf_model_local_weights(t);
  double experts = w.parts[ROOF_PART_EXPERTS] * t->weight_bytes[ROOF_PART_EXPERTS];
  double dense = rf_model_weight_bytes(t, &w) - experts;
  return s->zero < 3 ? dense + experts
                     : dense / rf_model_replicas(s, false) + experts / rf_model_replicas(s, true);
}

double rf_model_own_trained(const roof_model_target *t, double stage) {
  const roof_model_settings *s = &t->settings;
  model_weights w = rf_model_local_weights(t);
  double dense = rf_model_trained_elements(t, &w, false), experts = rf_model_trained_elements(t, &w, true);
  return s->zero < stage ? dense + experts
                         : dense / rf_model_replicas(s, false) + experts / rf_model_replicas(s, true);
}

double rf_model_own_state(const roof_model_target *t) {
  return rf_model_own_trained(t, 1) * rf_adam_bytes(t->activation_bytes);
}

void rf_model_move_out(const roof_model_target *t, roof_model_capacity *c, double *bytes, double away) {
  double all = *bytes;
  *bytes = all * (1 - away) + all * fmin(away, away * 2 / t->model->layer_count);
  c->host_bytes += all * away;
}

double rf_model_streamed_weights(const model_step *s) {
  return 2 * s->steps * s->target->settings.offload * rf_model_own_weights(s->target);
}

double rf_model_streamed_update(const model_step *s) {
  const roof_model_settings *set = &s->target->settings;
  double weights = set->lora > 0 ? 0 : set->offload * rf_model_own_weights(s->target);
  return set->offload_optimizer * rf_model_own_state(s->target) + weights;
}
