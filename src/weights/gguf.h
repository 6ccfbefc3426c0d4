/** A GGUF header: numbers by what their keys end in, and the tensors (gguf.c); the same said as a config.json
 *  (gguf_config.c). Layout and types: ggml-org/ggml docs/gguf.md and include/ggml.h. */
#ifndef WEIGHTS_GGUF_H
#define WEIGHTS_GGUF_H

#include "weights/weights.h"

/** X(symbol, key without the architecture, key of a config.json or NULL) */
#define GGUF_NUMBER_MAP(X)                                                                                   \
  X(GGUF_LAYERS, "block_count", "num_hidden_layers")                                                         \
  X(GGUF_HIDDEN, "embedding_length", "hidden_size")                                                          \
  X(GGUF_WIDTH, "feed_forward_length", "intermediate_size")                                                  \
  X(GGUF_HEADS, "attention.head_count", "num_attention_heads")                                               \
  X(GGUF_KV_HEADS, "attention.head_count_kv", "num_key_value_heads")                                         \
  X(GGUF_CONTEXT, "context_length", "max_position_embeddings")                                               \
  X(GGUF_VOCAB, "vocab_size", "vocab_size")                                                                  \
  X(GGUF_WINDOW, "attention.sliding_window", "sliding_window")                                               \
  X(GGUF_EXPERTS, "expert_count", "num_local_experts")                                                       \
  X(GGUF_TOP_K, "expert_used_count", "num_experts_per_tok")                                                  \
  X(GGUF_EXPERT_WIDTH, "expert_feed_forward_length", "moe_intermediate_size")                                \
  X(GGUF_SHARED, "expert_shared_count", "n_shared_experts")                                                  \
  X(GGUF_SHARED_WIDTH, "expert_shared_feed_forward_length", "shared_expert_intermediate_size")               \
  X(GGUF_DENSE_LAYERS, "leading_dense_block_count", "first_k_dense_replace")                                 \
  X(GGUF_KV_RANK, "attention.kv_lora_rank", "kv_lora_rank")                                                  \
  X(GGUF_Q_RANK, "attention.q_lora_rank", "q_lora_rank")                                                     \
  X(GGUF_KEY, "attention.key_length", NULL)                                                                  \
  X(GGUF_VALUE, "attention.value_length", NULL)                                                              \
  X(GGUF_LATENT_KEY, "attention.key_length_mla", NULL)                                                       \
  X(GGUF_LATENT_VALUE, "attention.value_length_mla", NULL)                                                   \
  X(GGUF_ROPE, "rope.dimension_count", NULL)                                                                 \
  X(GGUF_MOE_STEP, "interleave_moe_layer_step", "interleave_moe_layer_step")                                 \
  X(GGUF_MOE_LATENT, "moe_latent_size", NULL)                                                                \
  X(GGUF_NEXT, "nextn_predict_layers", "num_nextn_predict_layers")                                           \
  X(GGUF_INTERVAL, "full_attention_interval", "full_attention_interval")                                     \
  X(GGUF_INDEX_HEADS, "attention.indexer.head_count", "index_n_heads")                                       \
  X(GGUF_INDEX_DIM, "attention.indexer.key_length", "index_head_dim")                                        \
  X(GGUF_INDEX_KEYS, "attention.indexer.top_k", "index_topk")                                                \
  X(GGUF_STATE, "ssm.state_size", NULL)                                                                      \
  X(GGUF_KERNEL, "ssm.conv_kernel", NULL)                                                                    \
  X(GGUF_DT_RANK, "ssm.time_step_rank", NULL)                                                                \
  X(GGUF_INNER, "ssm.inner_size", NULL)                                                                      \
  X(GGUF_GROUPS, "ssm.group_count", NULL)                                                                    \
  X(GGUF_TOKEN_TYPES, "tokenizer.ggml.token_type_count", "type_vocab_size")

typedef enum gguf_number {
#define GGUF_NUMBER_ENUM(symbol, key, name) symbol,
  GGUF_NUMBER_MAP(GGUF_NUMBER_ENUM)
#undef GGUF_NUMBER_ENUM
      GGUF_NUMBER_COUNT
} gguf_number;

/** Numbers of which a list may have one per layer. */
typedef enum gguf_list { GGUF_EACH_HEADS, GGUF_EACH_KV, GGUF_EACH_WIDTH, GGUF_EACH_COUNT } gguf_list;

typedef struct gguf {
  char architecture[ROOF_NAME_MAX];
  double numbers[GGUF_NUMBER_COUNT]; /**< NaN: not said; of a list the largest */
  bool uneven[GGUF_NUMBER_COUNT];    /**< layers differ */
  double each[GGUF_EACH_COUNT][ROOF_LAYER_MAX];
  int each_count[GGUF_EACH_COUNT]; /**< 0: no list */
  bool router[ROOF_LAYER_MAX];     /**< layers with a router of experts */
  double tokens;                   /**< of the tokenizer's list, 0: none */
  double shards;                   /**< files the model is split into */
  double alignment;
  double tensors;
  bool output;   /**< an output projection of its own */
  bool qkv_bias; /**< biases of the projections of Q, K and V */
  bool qk_norm;  /**< norms of Q and K */
  weights stored;
} gguf;

/** The key of a number, without the architecture. */
const char *rf_gguf_key(gguf_number number);
/** As roof_model_read_gguf, of the beginning of a file that is `whole` bytes long: header, metadata and sizes of tensors. */
roof_status rf_gguf_read(const void *data, size_t length, double whole, const char *file, roof_model *model,
                         roof_error *error);
/** Describes the model; errors without a place in the file. */
roof_status rf_gguf_describe(const gguf *g, const char *file, roof_model *model, roof_error *error);

#endif
