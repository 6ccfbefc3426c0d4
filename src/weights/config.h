/** A Hugging Face config.json as numbers: which keys mean what (config_keys.c), what each architecture leaves
 *  out (config_archs.c), how layers follow each other (config_layers.c), how weights are stored
 *  (config_quant.c). */
#ifndef WEIGHTS_CONFIG_H
#define WEIGHTS_CONFIG_H

#include <jansson.h>
#include <regex.h>

#include "roofline/model.h"

/** X(symbol, name shown where it is missing): what keys give. Flags are 0 or 1. */
#define CONFIG_QUANTITY_MAP(X)                                                                               \
  X(Q_LAYERS, "num_hidden_layers")                                                                           \
  X(Q_HIDDEN, "hidden_size")                                                                                 \
  X(Q_VOCAB, "vocab_size")                                                                                   \
  X(Q_CONTEXT, "max_position_embeddings")                                                                    \
  X(Q_LENGTH, "model_max_length")                                                                            \
  X(Q_WIDTH, "intermediate_size")                                                                            \
  X(Q_DENSE_WIDTH, "intermediate_size_mlp")                                                                  \
  X(Q_HEADS, "num_attention_heads")                                                                          \
  X(Q_KV_HEADS, "num_key_value_heads")                                                                       \
  X(Q_HEAD_DIM, "head_dim")                                                                                  \
  X(Q_GLOBAL_KV_HEADS, "num_global_key_value_heads")                                                         \
  X(Q_GLOBAL_HEAD_DIM, "global_head_dim")                                                                    \
  X(Q_SHARED_KV, "attention_k_eq_v")                                                                         \
  X(Q_MULTI_QUERY, "multi_query")                                                                            \
  X(Q_NEW_DECODER, "new_decoder_architecture")                                                               \
  X(Q_Q_RANK, "q_lora_rank")                                                                                 \
  X(Q_KV_RANK, "kv_lora_rank")                                                                               \
  X(Q_NOPE_DIM, "qk_nope_head_dim")                                                                          \
  X(Q_ROPE_DIM, "qk_rope_head_dim")                                                                          \
  X(Q_VALUE_DIM, "v_head_dim")                                                                               \
  X(Q_INDEX_HEADS, "index_n_heads")                                                                          \
  X(Q_INDEX_DIM, "index_head_dim")                                                                           \
  X(Q_INDEX_KEYS, "index_topk")                                                                              \
  X(Q_WINDOW, "sliding_window")                                                                              \
  X(Q_USE_WINDOW, "use_sliding_window")                                                                      \
  X(Q_WINDOW_FROM, "max_window_layers")                                                                      \
  X(Q_WINDOW_PATTERN, "sliding_window_pattern")                                                              \
  X(Q_CHUNK, "attention_chunk_size")                                                                         \
  X(Q_EXPERTS, "num_local_experts")                                                                          \
  X(Q_EXPERT_GROUPS, "n_group")                                                                              \
  X(Q_TOKEN_GROUPS, "topk_group")                                                                            \
  X(Q_TOP_K, "num_experts_per_tok")                                                                          \
  X(Q_EXPERT_WIDTH, "moe_intermediate_size")                                                                 \
  X(Q_SHARED_COUNT, "n_shared_experts")                                                                      \
  X(Q_SHARED_WIDTH, "shared_expert_intermediate_size")                                                       \
  X(Q_DENSE_LAYERS, "first_k_dense_replace")                                                                 \
  X(Q_MOE_STEP, "decoder_sparse_step")                                                                       \
  X(Q_MOE_FREQ, "moe_layer_freq")                                                                            \
  X(Q_MOE_PERIOD, "expert_layer_period")                                                                     \
  X(Q_MOE_OFFSET, "expert_layer_offset")                                                                     \
  X(Q_MOE_BESIDE, "enable_moe_block")                                                                        \
  X(Q_ATTENTION_PERIOD, "attn_layer_period")                                                                 \
  X(Q_ATTENTION_OFFSET, "attn_layer_offset")                                                                 \
  X(Q_FULL_INTERVAL, "full_attention_interval")                                                              \
  X(Q_STATE, "mamba_d_state")                                                                                \
  X(Q_KERNEL, "mamba_d_conv")                                                                                \
  X(Q_INNER, "mamba_d_ssm")                                                                                  \
  X(Q_EXPAND, "mamba_expand")                                                                                \
  X(Q_STATE_HEADS, "mamba_n_heads")                                                                          \
  X(Q_STATE_HEAD_DIM, "mamba_d_head")                                                                        \
  X(Q_STATE_GROUPS, "mamba_n_groups")                                                                        \
  X(Q_SCAN, "mamba_chunk_size")                                                                              \
  X(Q_DT_RANK, "mamba_dt_rank")                                                                              \
  X(Q_STATE_BIAS, "mamba_proj_bias")                                                                         \
  X(Q_CONV_BIAS, "mamba_conv_bias")                                                                          \
  X(Q_LINEAR_KEY_HEADS, "linear_num_key_heads")                                                              \
  X(Q_LINEAR_VALUE_HEADS, "linear_num_value_heads")                                                          \
  X(Q_LINEAR_KEY_DIM, "linear_key_head_dim")                                                                 \
  X(Q_LINEAR_VALUE_DIM, "linear_value_head_dim")                                                             \
  X(Q_LINEAR_KERNEL, "linear_conv_kernel_dim")                                                               \
  X(Q_OUTPUT_GATE, "attn_output_gate")                                                                       \
  X(Q_QKV_BIAS, "qkv_bias")                                                                                  \
  X(Q_OUT_BIAS, "attention_bias")                                                                            \
  X(Q_MLP_BIAS, "mlp_bias")                                                                                  \
  X(Q_ALL_BIAS, "bias")                                                                                      \
  X(Q_EXPERT_BIAS, "expert_bias")                                                                            \
  X(Q_ROUTER_BIAS, "use_routing_bias")                                                                       \
  X(Q_QK_NORM, "use_qk_norm")                                                                                \
  X(Q_FINAL_NORM, "do_layer_norm_before")                                                                    \
  X(Q_TIED, "tie_word_embeddings")                                                                           \
  X(Q_PARALLEL, "parallel_attn")                                                                             \
  X(Q_HEAD_BIAS, "lm_head_bias")                                                                             \
  X(Q_TOKEN_TYPES, "type_vocab_size")                                                                        \
  X(Q_EMBEDDING_DIM, "word_embed_proj_dim")                                                                  \
  X(Q_EXTRA_LAYERS, "num_nextn_predict_layers")                                                              \
  X(Q_ENCODER_LAYERS, "encoder_layers")                                                                      \
  X(Q_ENCODER_HEADS, "encoder_attention_heads")                                                              \
  X(Q_ENCODER_WIDTH, "encoder_ffn_dim")                                                                      \
  X(Q_DECODER_LAYERS, "decoder_layers")                                                                      \
  X(Q_DECODER_HEADS, "decoder_attention_heads")                                                              \
  X(Q_DECODER_WIDTH, "decoder_ffn_dim")                                                                      \
  X(Q_BANDS, "num_mel_bins")                                                                                 \
  X(Q_SOURCE, "max_source_positions")                                                                        \
  X(Q_BUCKETS, "relative_attention_num_buckets")                                                             \
  X(Q_PROJECTION, "projection_dim")                                                                          \
  X(Q_REGISTERS, "num_register_tokens")                                                                      \
  X(Q_EMBED_WIDTH, "embed_dim")                                                                              \
  X(Q_OUT_WIDTH, "out_hidden_size")                                                                          \
  X(Q_MERGE, "spatial_merge_size")                                                                           \
  X(Q_FRAMES, "temporal_patch_size")                                                                         \
  X(Q_POSITION_ROWS, "num_position_embeddings")                                                              \
  X(Q_WINDOW_PIXELS, "window_size")                                                                          \
  X(Q_IMAGE_TOKENS, "mm_tokens_per_image")                                                                   \
  X(Q_SINGLE_LAYERS, "num_single_layers")                                                                    \
  X(Q_JOINT, "joint_attention_dim")                                                                          \
  X(Q_CAPTION, "caption_channels")                                                                           \
  X(Q_POOLED, "pooled_projection_dim")                                                                       \
  X(Q_GUIDED, "guidance_embeds")                                                                             \
  X(Q_IN_CHANNELS, "in_channels")                                                                            \
  X(Q_OUT_CHANNELS, "out_channels")                                                                          \
  X(Q_SAMPLE, "sample_size")                                                                                 \
  X(Q_POSITIONS_SIDE, "pos_embed_max_size")                                                                  \
  X(Q_PER_LAYER_INPUT, "hidden_size_per_layer_input")                                                        \
  X(Q_PER_LAYER_VOCAB, "vocab_size_per_layer_input")                                                         \
  X(Q_ALTUP, "altup_num_inputs")                                                                             \
  X(Q_LAUREL, "laurel_rank")                                                                                 \
  X(Q_DECAY_RANK, "decay_low_rank_dim")                                                                      \
  X(Q_GATE_RANK, "gate_low_rank_dim")                                                                        \
  X(Q_RATE_RANK, "a_low_rank_dim")                                                                           \
  X(Q_VALUE_RANK, "v_low_rank_dim")                                                                          \
  X(Q_KV_SHARED_LAYERS, "num_kv_shared_layers")

typedef enum config_quantity {
#define CONFIG_QUANTITY_ENUM(symbol, name) symbol,
  CONFIG_QUANTITY_MAP(CONFIG_QUANTITY_ENUM)
#undef CONFIG_QUANTITY_ENUM
      Q_COUNT
} config_quantity;

/** X(symbol): values that are not one number. */
#define CONFIG_ITEM_MAP(X)                                                                                   \
  X(ITEM_LAYER_TYPES)                                                                                        \
  X(ITEM_MLP_TYPES)                                                                                          \
  X(ITEM_MLP_TYPE)                                                                                           \
  X(ITEM_INDEXER_TYPES)                                                                                      \
  X(ITEM_DENSE_LAYERS)                                                                                       \
  X(ITEM_MOE_FREQ)                                                                                           \
  X(ITEM_ROPE_LAYERS)                                                                                        \
  X(ITEM_PATTERN)                                                                                            \
  X(ITEM_BLOCKS)                                                                                             \
  X(ITEM_ACTIVATION)                                                                                         \
  X(ITEM_DTYPE)                                                                                              \
  X(ITEM_QUANTIZATION)                                                                                       \
  X(ITEM_QK_NORM_TYPE)                                                                                       \
  X(ITEM_DIFFUSERS)                                                                                          \
  X(ITEM_ATTENTION_TYPES)                                                                                    \
  X(ITEM_LINEAR)                                                                                             \
  X(ITEM_IMAGE)                                                                                              \
  X(ITEM_PATCH)                                                                                              \
  X(ITEM_CHANNELS)                                                                                           \
  X(ITEM_VISION)                                                                                             \
  X(ITEM_DUAL_LAYERS)                                                                                        \
  X(ITEM_WIDTHS)                                                                                             \
  X(ITEM_FULL_LAYERS)                                                                                        \
  X(ITEM_DEEP_LAYERS)

typedef enum config_item {
#define CONFIG_ITEM_ENUM(symbol) symbol,
  CONFIG_ITEM_MAP(CONFIG_ITEM_ENUM)
#undef CONFIG_ITEM_ENUM
      ITEM_COUNT
} config_item;

/** What a key is: a number, a flag, something else that is kept, a section that is read too, or of no effect
 *  on what is computed. */
typedef enum config_kind {
  KEY_NUMBER,
  KEY_FLAG,
  KEY_ITEM,
  KEY_SECTION,
  KEY_TYPE,
  KEY_TOWER,
  KEY_NO_EFFECT
} config_kind;

typedef struct config_key {
  const char *name; /**< may hold * */
  config_kind kind;
  int index; /**< a quantity or an item */
} config_key;

/** The row of a key, or NULL. */
const config_key *rf_config_key_find(const char *name);
/** Every name, for suggestions; NULL-terminated. */
const char *const *rf_config_key_names(void);
const char *rf_config_quantity_name(config_quantity quantity);

/** How norms on Q and K are shaped. */
typedef enum config_qk_norm { QK_NORM_NONE, QK_NORM_HEAD, QK_NORM_WHOLE } config_qk_norm;

/** DeepSeek's inference files have keys of their own and no model_type. */
#define CONFIG_OWN_DEEPSEEK "deepseek-inference"

/** What the pipeline of a diffusion transformer takes, and how its class conditions a layer. */
typedef struct config_diffusion {
  double text;              /**< tokens of the text, 0: an image is made of a label */
  double steps, passes;     /**< of a pipeline's default; 2 passes with classifier-free guidance */
  double size;              /**< pixels of an image's side where the config does not say */
  double modulation;        /**< vectors that a layer's own projection makes */
  double shared_modulation; /**< that one projection makes for all layers */
  double shift_table;
  double labels;
  double mlp;            /**< width of the MLP, in widths of the layer; 0: 4 */
  bool packed;           /**< the pipeline packs 2 x 2 of the latent into a token's channels */
  bool crosses;          /**< layers attend to the text; else text and image attend together */
  bool last_text_unused; /**< of the last layer's text only keys and values are used */
  bool qk_norm;
} config_diffusion;

/** A family of models: what its class fixes or takes where the config is silent. */
typedef struct config_arch {
  const char *types;   /**< model_type values, separated by spaces */
  const char *classes; /**< class names without the task's suffix, separated by spaces */
  const char *source;
  double defaults[Q_COUNT]; /**< 0: none */
  const char *activation;   /**< where the config names none */
  bool plain_mlp;           /**< not gated */
  bool layer_norm;
  bool shiftless; /**< LayerNorm with a gain alone */
  double norms;   /**< a layer; 0: 2 */
  config_qk_norm qk_norm;
  bool qk_norm_always;
  bool learned_positions;
  double more_positions; /**< rows of the position table that no position uses (OPT: 2) */
  double
      first_position; /**< rows that the table, as long as the config says, has before the first (RoBERTa: 2) */
  bool no_positions; /**< neither learned nor rotary (ALiBi, none) */
  bool encoder;
  bool patches;      /**< embeds patches of an image, no tokens */
  bool bare_patches; /**< their projection has no bias */
  bool class_token;  /**< one more than the patches */
  bool embedding_norm;
  bool no_final_norm;
  bool sinks;
  bool expert_is_width;  /**< experts are as wide as `intermediate_size` says */
  bool shared_is_expert; /**< one shared expert as wide as the others, not named in the config */
  bool shared_gate;
  bool four_times;  /**< an MLP whose width is not given is 4 times the hidden size */
  bool fixed_bias;  /**< biases are the class's, whatever the config says */
  bool bare_keys;   /**< the projection of K has no bias */
  bool bias_of_qkv; /**< `attention_bias` does not mean the output projection */
  bool router_bias;
  double norms_parallel;   /**< more norms where experts run in parallel to a dense MLP */
  bool mamba_alone;        /**< layers are a mixer only */
  bool mamba_parallel;     /**< every layer attends and has a state at the same time (Falcon-H1) */
  bool lightning;          /**< linear attention is MiniMax's: a fixed decay a head, no convolution */
  bool mamba_where_silent; /**< without a list of layers all are mamba */
  bool window_everywhere;  /**< `sliding_window` holds for all layers */
  bool window_needs_flag;  /**< only where `use_sliding_window` says so */
  bool mamba1;
  bool mamba_norms;
  bool separate_norms; /**< parallel, yet mixer and MLP have a norm each (GPT-NeoX) */
  bool pooler;
  bool pair;           /**< an encoder, and a decoder that attends to it */
  bool sound;          /**< the encoder's tokens are made of frames of sound */
  bool pair_positions; /**< the encoder's are learned as the decoder's */
  double image;        /**< images are of any size: pixels of a side that is taken where one is asked for */
  const config_diffusion *diffusion; /**< NULL: it is none */
  double rwkv_squares;               /**< every layer is RWKV, with so many square matrices */
  double rwkv_rank;                  /**< of its low-rank products together, where the config is silent */
  double rwkv_width;                 /**< of its channel mix, in widths */
  bool projects;                     /**< a projection of the result, as wide as `projection_dim` */
} config_arch;

/** Finds the row of a model_type or of a class name; NULL when there is none. */
const config_arch *rf_config_arch_find(const char *type, const char *class_name);
/** What of an architecture that is known by name is not computed; NULL where the name is not known either. */
const char *rf_config_arch_refusal(const char *type, const char *class_name);
/** Every model_type, for suggestions; NULL-terminated. */
const char *const *rf_config_arch_names(void);

/** Containers that a key may stand in: the file, its `config`, a section. */
enum { CONFIG_DEPTH = 3 };

typedef struct config {
  const char *text; /**< as read, with what JSON lacks made harmless */
  size_t length;
  const char *file;
  roof_error *error;
  const config_arch *arch;
  double values[Q_COUNT];     /**< NaN: not said */
  json_t *items[ITEM_COUNT];  /**< borrowed; NULL: not said */
  size_t place[CONFIG_DEPTH]; /**< steps to ITEM_QUANTIZATION, as rf_json_locate takes them */
  size_t place_depth;
  roof_model *model;
} config;

/** As roof_model_read, but keys that are not known are left out and named. */
roof_status rf_config_read_lenient(const char *text, size_t length, const char *file, roof_model *model,
                                   roof_error *error);

/** Number of the member `key` of `object`, or one past the last. */
size_t rf_config_member(const json_t *object, const char *key);
/** The value, or the class's default, or `fallback`. */
double rf_config_value(const config *c, config_quantity quantity, double fallback);
bool rf_config_flag(const config *c, config_quantity quantity);
/** ROOF_E_ARGUMENT at the file's start: `what` is in the message. */
roof_status rf_config_fail(const config *c, const char *format, ...) ROOF_PRINTF(2, 3);
/** The value or, with an error that names the key, nothing. */
roof_status rf_config_need(const config *c, config_quantity quantity, double *value);

/* config_layers.c */
roof_status rf_config_layers(config *c);
/** A layer that attends to all before it and has a dense MLP. */
roof_status rf_config_layer(const config *c, roof_model_block *block);
/* config_altup.c */
/** What Gemma 3n adds to its layers and around them. */
roof_status rf_config_altup(config *c);
/* config_diffusion.c */
/** The layers of a diffusion transformer, and what lies around them. */
roof_status rf_config_diffusion(config *c);
/* config_streams.c */
/** The layers of an encoder and of the decoder that attends to it. */
roof_status rf_config_pair(config *c);
/** Adds an encoder that was read by itself as a stream of `model`. Keeps the caller's storage. */
roof_status rf_config_graft(roof_model *model, const roof_model *tower, const char *name, const char *input,
                            roof_error *error);
roof_status rf_config_add_product(config *c, const roof_model_product *product);
/** What makes tokens of the model of an image's, by the type of the whole config; false where that is not known. */
bool rf_config_projects(const char *type);
/** Adds it behind the stream that was grafted last; `vision` is what its section says. */
roof_status rf_config_project(config *c, const char *type, const config *vision);
/* config_quant.c */
roof_status rf_config_quantization(config *c);
/** Formats as ITEM_QUANTIZATION says, for a model whose precision is plain so far. */
roof_status rf_config_quantize(config *c);
/* config_modules.c */
/** The mean of formats that have these shares of the elements, named by the two that have most; one of over 99.9 % is it. */
roof_weight_format rf_config_mean(const roof_weight_format *formats, const double *shares, int count);
/** Adds a module's elements ("model.layers.3.self_attn.q_proj", "lm_head") to its part's; false where it is not known. */
bool rf_config_count_module(const config *c, const char *name, double elements[ROOF_PART_COUNT]);
/** What the list `modules` of a key names stays in the activations' format; a part has the mean of both. Notes what of it is
 *  not known. */
roof_status rf_config_leave_modules(config *c, const char *key, const json_t *modules);

#define CONFIG_PATTERN_MAX 256

/** A matrix of a layer: what it lies in and its own names, with `|` between those of different classes. */
typedef struct config_module {
  const char *parents, *names;
  roof_model_part part;
  double elements;
} config_module;

/** A name or a pattern in a list of modules. */
typedef struct config_pattern {
  char text[CONFIG_PATTERN_MAX]; /**< after `layers.` and its number, where it has them */
  long layer;                    /**< -1: any */
  bool after_layers, is_glob, is_regex;
  bool one_expert; /**< of the experts one */
  regex_t regex;
} config_pattern;

/* config_patterns.c */
/** False where it is not understood. Call _done in either case. */
bool rf_config_pattern_read(const char *text, config_pattern *pattern);
void rf_config_pattern_done(config_pattern *pattern);
bool rf_config_pattern_covers(const config_pattern *pattern, int layer, const config_module *module);
/** Whether a name is of what lies outside of the layers: towers, the head, the table. */
bool rf_config_pattern_is_outside(const char *text);
/** Whether a name is of what no format is counted of: a router, gains. */
bool rf_config_pattern_is_small(const char *text);

#endif
