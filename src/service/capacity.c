#include "service/capacity.h"

#include <math.h>
#include <string.h>

#include "models/words.h"
#include "roofline/analysis.h"
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
                                      full.activation_bytes,
                        .step_tokens = s->budget,
                        .step_bytes = full.activation_bytes};
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

/** Not what a service has no use for: it keeps nothing with the host, and its largest step is of no one request. */
static bool is_of_service(const roof_model_fit *f) {
  return strncmp(f->change, "--", 2) == 0 || strncmp(f->change, "tp=", 3) == 0;
}

/** The largest step is room that a request of its own does not take. */
static void add_fits(roof_text *out, const roof_model_target *t, const service_capacity *c) {
  roof_model_fit fits[ROOF_MODEL_FITS_MAX];
  roof_model_target one = *t;
  char spare[48];
  int named = 0;
  one.settings.batch = one.settings.dp;
  one.settings.workspace += c->step_bytes;
  size_t count = roof_model_fits_of(&one, fits);
  for (size_t i = 0; i < count; i++) {
    if (is_of_service(&fits[i])) {
      roof_text_addf(out, "%s%s (%s spare)", named++ > 0 ? ", " : "", fits[i].change,
                     roof_bytes_format(spare, sizeof spare, fits[i].spare_bytes));
    }
  }
  roof_text_add(out, named > 0 ? "" : "no one change; `roofline plan` tries all plans");
}

roof_status rf_capacity_check(const roof_model_target *t, const service_capacity *c, roof_error *error) {
  char shortage[48];
  roof_text why = {0};
  if (!(c->room_bytes < 0)) {
    return ROOF_OK;
  }
  roof_text_addf(&why, "%s short on each device of %.0f %s",
                 roof_bytes_format(shortage, sizeof shortage, -c->room_bytes), t->devices, t->machine->name);
  rf_model_add_memory_rule(&why, &t->settings, true);
  roof_text_addf(&why, ", with steps of %.0f tokens; fits with ", c->step_tokens);
  add_fits(&why, t, c);
  roof_error_set(error, ROOF_E_ARGUMENT, "serve: %s does not fit, %s", roof_model_title(t->model),
                 why.failed ? "out of memory" : why.data);
  roof_text_done(&why);
  return ROOF_E_ARGUMENT;
}
