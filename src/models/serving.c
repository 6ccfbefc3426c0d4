/* What requests share, and what they wait for: prefixes; requests that come one after another, where each replica
 * processes a prompt at a time between the decoding steps of the others, each stage of a pipeline its part. A request has its
 * first token from its prompt, so that it takes one decoding step fewer than tokens; of the other requests' prompts as many
 * come between two tokens of its own as before its first. What `model` says of a plan and what a search ranks by is this one
 * function. */
#include <math.h>

#include "models/step.h"

/** Whole tokens: a share that comes out whole as people write it (29 % of 100) is not a token less for its rounding. */
double roof_model_prefix(const roof_model_settings *s) {
  double tokens = s->prefix < 1 ? s->prefix * s->prompt * (1 + 1e-12) : s->prefix;
  return fmax(0, fmin(floor(tokens), s->prompt - 1));
}

double rf_model_fresh_tokens(const roof_model_target *t) {
  return roof_model_own_prompt(t) - roof_model_prefix(&t->settings);
}

roof_model_continuous rf_model_continuous(const roof_model_target *t, double prompt_seconds,
                                          double busy_seconds, double step_seconds) {
  double tokens = t->settings.generate, others = roof_model_replica_batch(t) - 1;
  double wait = others * busy_seconds / tokens;
  double each = /* from a request to the next */
      prompt_seconds + others * busy_seconds + (tokens > 1 ? (tokens - 1) * step_seconds : 0);
  roof_model_continuous c = {
      .ttft_seconds = prompt_seconds, .wait_seconds = wait, .tpot_seconds = step_seconds + wait};
  c.device_tokens_per_second = t->settings.batch * tokens / each / t->devices;
  c.price_per_million_tokens = 1e6 * t->settings.price / 3600 / c.device_tokens_per_second;
  return c;
}
