/* What Gemma 3n adds to a stack of layers: a table that each layer looks up, copies of the residual stream (AltUp: Baykal et
 * al. 2023), a low-rank branch (LAuReL: Menghani et al. 2024), layers that attend to another's keys. Source:
 * src/transformers/models/gemma3n of huggingface/transformers. */
#include "weights/config.h"

roof_status rf_config_altup(config *c) {
  roof_model *m = c->model;
  double copies = rf_config_value(c, Q_ALTUP, 0), input = rf_config_value(c, Q_PER_LAYER_INPUT, 0);
  double all = input * m->layer_count;
  m->layer_vocab = rf_config_value(c, Q_PER_LAYER_VOCAB, 0);
  const roof_model_product products[] = {
      {.name = "per_layer_proj", .in = m->hidden, .out = all},
      {.name = "altup_proj", .in = m->hidden, .out = (copies - 1) * m->hidden},
      {.name = "altup_unembed", .in = m->hidden, .out = (copies - 1) * m->hidden, .last = true}};
  roof_status status = ROOF_OK;
  for (int i = 0; i < 3 && status == ROOF_OK; i++) {
    status = products[i].out >= 1 ? rf_config_add_product(c, &products[i]) : ROOF_OK;
  }
  roof_model_note(m,
                  "without the tables that the layers look up (%.3g B of %.3g B parameters), which may stay "
                  "with the host, %.3g B: "
                  "what is published as effective",
                  m->layer_vocab * all / 1e9, roof_model_count(m).total / 1e9,
                  (roof_model_count(m).total - m->layer_vocab * all) / 1e9);
  roof_model_note(m, "activation_sparsity_pattern: counted as if every element of the MLP were computed");
  return status;
}
