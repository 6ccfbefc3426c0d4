/* The weights that one device holds. */
#include <math.h>

#include "models/step.h"

/** Share of the layers that the fullest stage has. */
static double stage_share(const roof_model_target *t) {
  return ceil(t->model->layer_count / t->settings.pp) / t->model->layer_count;
}

/** Elements of the projections that are whole on every device of tp, beyond its share. */
static double repeated_elements(const roof_model *m, const roof_model_block *b, double tp) {
  if (b->mixer == ROOF_MIX_LATENT) {
    return m->hidden * (b->q_rank + b->kv_rank + b->rope_dim) * (1 - 1 / tp);
  }
  return rf_model_has_heads(b) && tp > b->kv_heads
             ? rf_model_stream(m, b->stream).hidden * (b->head_dim + (b->shared_kv ? 0 : b->value_dim)) *
                   (1 - b->kv_heads / tp)
             : 0;
}

/** Copies of experts that the devices hold of each, on average, so that all hold as many. */
static double expert_copies(const roof_model_target *t) {
  double copies = 1;
  for (int i = 0; i < t->model->block_count; i++) {
    const roof_model_block *b = &t->model->blocks[i];
    copies = b->experts > 0 ? fmax(copies, rf_model_expert_slots(b, &t->settings) / b->experts) : copies;
  }
  return copies;
}

/** Matrices are split, the router, the latent's projections down and vectors are not; of what layers have a device has `share`. */
static model_weights split(const roof_model_target *t, const roof_model_parameters *p, double share) {
  double tp = t->settings.tp;
  model_weights w = {.vectors = p->vectors * share, .table = p->embedding / tp};
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    double over = part == ROOF_PART_ROUTER ? 1 : part == ROOF_PART_EXPERTS ? fmax(tp, t->settings.ep) : tp;
    w.parts[part] = p->parts[part] / over * (part == ROOF_PART_HEAD ? 1 : share);
  }
  w.parts[ROOF_PART_EXPERTS] *= expert_copies(t);
  return w;
}

double rf_model_layer_bytes(const roof_model_target *t, const roof_model_block *b) {
  roof_model_parameters p = {0};
  rf_model_count_layers(t->model, b, 1, &p);
  model_weights w = split(t, &p, 1);
  w.parts[ROOF_PART_MIXER] += repeated_elements(t->model, b, t->settings.tp);
  w.table = 0; /* one of all layers */
  return rf_model_weight_bytes(t, &w);
}

model_weights rf_model_local_weights(const roof_model_target *t) {
  double tp = t->settings.tp;
  model_weights w = split(t, &t->parameters, stage_share(t));
  for (int i = 0; i < t->model->block_count; i++) {
    w.parts[ROOF_PART_MIXER] += t->stage_layers[i] * repeated_elements(t->model, &t->model->blocks[i], tp);
  }
  if (t->settings.pp > 1) { /* the first stage looks up, the last projects: the larger of both */
    double table = w.table * t->table_bytes, head = w.parts[ROOF_PART_HEAD] * t->weight_bytes[ROOF_PART_HEAD];
    *(table < head ? &w.table : &w.parts[ROOF_PART_HEAD]) = 0;
  }
  return w;
}

double rf_model_weight_bytes(const roof_model_target *t, const model_weights *w) {
  double bytes = w->vectors * t->vector_bytes + w->table * t->table_bytes;
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    bytes += w->parts[part] * t->weight_bytes[part];
  }
  return bytes;
}

double rf_model_weight_elements(const model_weights *w, bool experts) {
  double elements = experts ? w->parts[ROOF_PART_EXPERTS] : w->vectors + w->table;
  for (int part = 0; part < ROOF_PART_COUNT && !experts; part++) {
    elements += part == ROOF_PART_EXPERTS ? 0 : w->parts[part];
  }
  return elements;
}
