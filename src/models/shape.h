/** Elements that a block's parts have, whole and on one device. */
#ifndef MODELS_SHAPE_H
#define MODELS_SHAPE_H

#include "roofline/model.h"

/** Widths of a block's tensors on one of `tp` devices. */
typedef struct model_widths {
  double heads, kv_heads; /**< KV heads are repeated where there are fewer than devices */
  double queries;         /**< elements of Q, without an output gate */
  double keys, values;    /**< elements of K and of V */
  double mixed;           /**< elements that enter the output projection */
  double mlp, expert;     /**< widths */
  double inner;           /**< state space: channels; delta: elements of the values */
  double conv;            /**< channels of the convolution */
  double in;              /**< elements of the projection in, gate and steps included */
  double state;           /**< elements of one sequence's state */
} model_widths;

model_widths rf_model_widths_of(const roof_model_block *block, double tp);

/** A stream by its number: 0 is the model's own tokens. */
roof_model_stream rf_model_stream(const roof_model *model, double stream);

/** Gains and shifts of a norm of the stream. */
double rf_model_norm_vectors(const roof_model_stream *stream);

/** Elements of the bias of the block's K, which has so many `keys`. */
double rf_model_key_biases(const roof_model_block *block, double keys);

/** Elements that one token adds to a sequence's cache in one layer, on one of `tp` devices. */
double rf_model_kv_elements(const roof_model_block *block, double tp);

/** Heads with keys and values: attention of the layer's own tokens, or of a stream's. */
bool rf_model_has_heads(const roof_model_block *block);

/** Tokens of a sequence of `context` tokens that the cache must keep. */
double rf_model_kept_tokens(const roof_model_block *block, double context);

/** Elements of adapters of rank 1 on one device of the fullest stage. */
double rf_model_adapter_elements(const roof_model_target *target);
/** Linear layers there that have them. */
double rf_model_adapted_products(const roof_model_target *target);

bool rf_model_has_mlp(const roof_model_block *block);

/** Residual adds of a layer. */
double rf_model_sublayers(const roof_model_block *block);

/** Adds to `parameters` what so many layers of a kind have. */
void rf_model_count_layers(const roof_model *model, const roof_model_block *block, double layers,
                           roof_model_parameters *parameters);

#endif
