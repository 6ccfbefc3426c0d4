/* A step with any sequences and pieces of prompts in it. */
#include "models/load.h"

#include <math.h>

/** The pieces of prompts of one microbatch. */
static void add_pieces(model_step *s, const roof_load *l) {
  const roof_model_settings *set = &s->target->settings;
  model_group g = {.sequences = l->prompts / s->steps,
                   .queries = l->queries,
                   .past_first = l->past,
                   .past_last = l->past,
                   .causal = true,
                   .cached = true,
                   .query_split = set->cp,
                   .key_split = 1};
  rf_model_add_group(s, &g);
}

static void make(const roof_model_target *t, const roof_load *l, model_extent extent,
                 roof_model_phase *phase) {
  const roof_model_settings *set = &t->settings;
  model_step s;
  rf_model_start(&s, t, phase);
  double sequences = fmax(1, l->decodes + l->prompts);
  s.microbatches = l->microbatches > 0 ? l->microbatches : rf_model_microbatches(set, sequences);
  s.steps = s.heads = s.microbatches;
  s.wanted = extent;
  if (l->decodes > 0) {
    s.batch = l->decodes;
    rf_model_add_decoding(&s, set->draft + 1, l->context, l->context);
  }
  if (l->prompts > 0) {
    add_pieces(&s, l);
  }
  s.batch = sequences;
  s.logits = l->logits / s.microbatches;
  phase->kind = l->prompts <= 0  ? (set->draft > 0 ? ROOF_PHASE_VERIFY : ROOF_PHASE_DECODE)
                : l->decodes > 0 ? ROOF_PHASE_MIXED
                                 : ROOF_PHASE_PREFILL;
  rf_model_walk(&s);
  phase->steps = s.steps;
  phase->tokens = s.tokens * s.steps;
  phase->sequences = phase->yield = sequences;
}

void roof_load_phase(const roof_model_target *t, const roof_load *load, roof_model_phase *phase) {
  make(t, load, MODEL_OF_ALL, phase);
}

double rf_model_load_seconds(const roof_model_target *t, const roof_load *load, model_extent extent,
                             roof_model_phase *scratch) {
  make(t, load, extent, scratch);
  scratch->present = false;
  return scratch->expected_seconds;
}
