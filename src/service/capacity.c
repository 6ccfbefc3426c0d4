#include "service/capacity.h"

#include <math.h>

#include "roofline/units.h"
#include "service/adapters.h"

/** Tokens of a mean prompt and answer; a trace's are its own. */
static void mean_request(const roof_service_settings *s, double *prompt, double *generate) {
  *prompt = roof_lengths_mean(&s->prompt), *generate = roof_lengths_mean(&s->generate);
  if (s->trace == NULL || s->trace->count == 0) {
    return;
  }
  *prompt = s->trace->prompt_tokens / (double)s->trace->count;
  *generate = s->trace->generated_tokens / (double)s->trace->count;
}

service_capacity rf_capacity_of(const roof_model_target *target, const roof_model_target *draft,
                                const roof_service_settings *s) {
  roof_model_target t = *target;
  roof_model_settings *set = &t.settings;
  set->prefix = 0, set->generate = 0;
  set->chunk = s->budget, set->prompt = s->budget + 1, set->batch = s->sequences * set->dp;
  roof_model_capacity full = roof_model_capacity_of(&t);
  service_capacity c = {.room_bytes = full.capacity_bytes - full.weight_bytes - full.workspace_bytes -
                                      full.activation_bytes};
  c.kept = rf_kept_layers(target, &c.block_bytes);
  if (draft != NULL) {
    double bytes;
    service_kept kept = rf_kept_layers(draft, &bytes);
    c.kept = rf_kept_both(&c.kept, c.block_bytes, &kept, bytes);
    c.block_bytes += bytes;
    c.room_bytes -= roof_model_capacity_of(draft).weight_bytes;
  }
  service_adapters adapters = rf_adapters_of(target, s);
  c.room_bytes -= adapters.slots * adapters.bytes;
  bool known = !isnan(c.room_bytes) && c.block_bytes > 0;
  c.blocks = known ? floor(fmax(0, c.room_bytes) / c.block_bytes) : INFINITY;
  double prompt, generate, page = target->settings.page;
  mean_request(s, &prompt, &generate);
  double each = ceil(prompt) + ceil(generate), length = ceil(each / page) * page;
  c.tokens = c.blocks * length / rf_kept_blocks(&c.kept, page, each);
  return c;
}

roof_status rf_capacity_check(const roof_model_target *t, const service_capacity *c, roof_error *error) {
  char shortage[48];
  return c->room_bytes < 0
             ? roof_error_set(error, ROOF_E_ARGUMENT,
                              "serve: %s does not fit, %s short on each device of %.0f %s", t->model->name,
                              roof_bytes_format(shortage, sizeof shortage, -c->room_bytes), t->devices,
                              t->machine->name)
             : ROOF_OK;
}
