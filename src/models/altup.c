/* What Gemma 3n's layers do besides mixer and MLP: the copies of the residual stream are predicted before the layer and
 * corrected after it (Baykal et al. 2023, algorithm 1), a low-rank branch next to the mixer (Menghani et al. 2024), and
 * what the layer looks up for a token. */
#include "models/step.h"

static void emit_altup(model_step *s, double n, const roof_model_block *b) {
  double hidden = s->own.hidden, copies = b->altup, elements = copies * s->tokens * hidden;
  rf_model_product(s, n, "altup_router", ROOF_PART_MIXER, 2 * s->tokens, hidden, copies,
                   copies * copies * (copies + 1) + 2 * hidden);
  rf_model_map(s, n, "altup_predict", MODEL_ACTIVATION, (double[3]){elements, 2 * copies, 0}, 0);
  rf_model_map(s, n, "altup_correct", MODEL_ACTIVATION, (double[3]){elements, 2, 0}, 0);
}

void rf_model_extras(model_step *s, double n, const roof_model_block *b) {
  double hidden = s->own.hidden;
  if (b->altup > 0) {
    emit_altup(s, n, b);
  }
  if (b->laurel > 0) {
    rf_model_product(s, n, "laurel_left", ROOF_PART_MIXER, s->tokens, hidden, b->laurel, 0);
    rf_model_product(s, n, "laurel_right", ROOF_PART_MIXER, s->tokens, b->laurel, hidden, hidden);
  }
  if (b->layer_input > 0) {
    rf_model_product(s, n, "layer_gate", ROOF_PART_MIXER, s->tokens, hidden, b->layer_input, 0);
    rf_model_product(s, n, "layer_proj", ROOF_PART_MIXER, s->tokens, b->layer_input, hidden, hidden);
  }
}
