/* Low-rank adapters (Hu et al. 2021, "LoRA"): rank x (inputs + outputs) elements added to every linear layer of attention and of MLPs that
 * are no experts. */
#include "models/shape.h"

double rf_model_adapter_elements(const roof_model_target *t) {
  double hidden = t->model->hidden, elements = 0;
  for (int i = 0; i < t->model->block_count; i++) {
    const roof_model_block *b = &t->model->blocks[i];
    model_widths w = rf_model_widths_of(b, t->settings.tp);
    double mixer = rf_model_has_heads(b) ? 4 * hidden + w.queries + w.keys + w.values + w.mixed : 0;
    double mlp = w.mlp > 0 ? (b->gated ? 3 : 2) * (hidden + w.mlp) : 0;
    elements += t->stage_layers[i] * (mixer + mlp);
  }
  return elements;
}

double roof_model_trained(const roof_model *model, const roof_model_settings *settings) {
  roof_model_target whole = {.model = model, .settings = {.tp = 1}};
  for (int i = 0; i < model->layer_count; i++) {
    whole.stage_layers[model->layers[i]]++;
  }
  return settings->lora > 0 ? settings->lora * rf_model_adapter_elements(&whole)
                            : roof_model_count(model).total;
}

double rf_model_adapted_products(const roof_model_target *t) {
  double products = 0;
  for (int i = 0; i < t->model->block_count; i++) {
    const roof_model_block *b = &t->model->blocks[i];
    double mixer = rf_model_has_heads(b) ? 4 : 0;
    double mlp = rf_model_widths_of(b, t->settings.tp).mlp > 0 ? (b->gated ? 3 : 2) : 0;
    products += t->stage_layers[i] * (mixer + mlp);
  }
  return products;
}
