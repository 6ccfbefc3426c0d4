/** A whole model: an architecture as data, and what running it asks of a machine.
 *
 *  Example:
 *    extern const roof_model *model; // by roof_model_load
 *    extern const roof_machine *machine; // by roof_catalog_load
 *    static roof_model_target target;
 *    static roof_model_answer answer;
 *    roof_model_settings settings = roof_model_settings_default(model);
 *    if (roof_model_target_init(&target, model, machine, &settings, NULL) == ROOF_OK) {
 *      roof_model_answer_of(&target, &answer);
 *      printf("%g s to the first token\n", answer.ttft_seconds);
 *    } */
#ifndef ROOFLINE_MODEL_H
#define ROOFLINE_MODEL_H

#include "roofline/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_BLOCK_MAX 16
#define ROOF_LAYER_MAX 256
#define ROOF_MODEL_NOTE_MAX 8
#define ROOF_MODEL_IGNORED_MAX 32
#define ROOF_MODEL_OPERATION_MAX 128
#define ROOF_MODEL_OP_MAX 26
#define ROOF_STORED_MAX 24
#define ROOF_STREAM_MAX 2
#define ROOF_MODEL_PRODUCT_MAX 16

/** X(symbol, name): how a layer mixes tokens. */
#define ROOF_MIXER_MAP(X)                                                                                    \
  X(ROOF_MIX_NONE, "none")                                                                                   \
  X(ROOF_MIX_ATTENTION, "attention")                                                                         \
  X(ROOF_MIX_LATENT, "latent attention")                                                                     \
  X(ROOF_MIX_CROSS, "cross attention")                                                                       \
  X(ROOF_MIX_MAMBA1, "mamba")                                                                                \
  X(ROOF_MIX_MAMBA2, "mamba2")                                                                               \
  X(ROOF_MIX_DELTA, "gated delta net")                                                                       \
  X(ROOF_MIX_RWKV, "rwkv")

typedef enum roof_mixer {
#define ROOF_MIXER_ENUM(symbol, name) symbol,
  ROOF_MIXER_MAP(ROOF_MIXER_ENUM)
#undef ROOF_MIXER_ENUM
      ROOF_MIXER_COUNT
} roof_mixer;

/** X(symbol, name): parts of the weights that may be stored each in a format of its own. */
#define ROOF_PART_MAP(X)                                                                                     \
  X(ROOF_PART_MIXER, "mixer")                                                                                \
  X(ROOF_PART_MLP, "mlp")                                                                                    \
  X(ROOF_PART_EXPERTS, "experts")                                                                            \
  X(ROOF_PART_HEAD, "head")                                                                                  \
  X(ROOF_PART_ROUTER, "router")

typedef enum roof_model_part {
#define ROOF_PART_ENUM(symbol, name) symbol,
  ROOF_PART_MAP(ROOF_PART_ENUM)
#undef ROOF_PART_ENUM
      ROOF_PART_COUNT
} roof_model_part;

/** X(symbol, name): what the bytes of an operation are. Network bytes go over a link, not through memory. */
#define ROOF_BYTES_MAP(X)                                                                                    \
  X(ROOF_BYTES_WEIGHTS, "weights")                                                                           \
  X(ROOF_BYTES_ACTIVATIONS, "activations")                                                                   \
  X(ROOF_BYTES_KV, "kv")                                                                                     \
  X(ROOF_BYTES_NETWORK, "network")

typedef enum roof_bytes_class {
#define ROOF_BYTES_ENUM(symbol, name) symbol,
  ROOF_BYTES_MAP(ROOF_BYTES_ENUM)
#undef ROOF_BYTES_ENUM
      ROOF_BYTES_CLASS_COUNT
} roof_bytes_class;

/** X(symbol, name, kernels that become one). A fusion plan is a set of these bits. */
#define ROOF_FUSION_MAP(X)                                                                                   \
  X(ROOF_FUSE_QKV, "qkv", "the projections of Q, K and V")                                                   \
  X(ROOF_FUSE_GATE_UP, "gate-up", "the gate and up projections of a gated MLP")                              \
  X(ROOF_FUSE_FLASH, "flash", "scores, softmax and values: the scores stay on chip")                         \
  X(ROOF_FUSE_ROPE, "rope", "the rotation of Q and K and the store into the KV cache")                       \
  X(ROOF_FUSE_RESIDUAL, "residual", "the residual add and the norm after it")                                \
  X(ROOF_FUSE_ACTIVATION, "activation", "the activation (SwiGLU, GELU) into the projection before it")       \
  X(ROOF_FUSE_NORM, "norm", "the norm into the projection after it")

typedef enum roof_fusion_index {
#define ROOF_FUSION_INDEX(symbol, name, text) symbol##_INDEX,
  ROOF_FUSION_MAP(ROOF_FUSION_INDEX)
#undef ROOF_FUSION_INDEX
      ROOF_FUSION_COUNT
} roof_fusion_index;

typedef enum roof_fusion {
#define ROOF_FUSION_ENUM(symbol, name, text) symbol = 1u << symbol##_INDEX,
  ROOF_FUSION_MAP(ROOF_FUSION_ENUM)
#undef ROOF_FUSION_ENUM
} roof_fusion;

/** What serving engines do today: all but the activation and the norm inside the matrix product. */
#define ROOF_FUSION_SERVING                                                                                  \
  (ROOF_FUSE_QKV | ROOF_FUSE_GATE_UP | ROOF_FUSE_FLASH | ROOF_FUSE_ROPE | ROOF_FUSE_RESIDUAL)
#define ROOF_FUSION_ALL ((1u << ROOF_FUSION_COUNT) - 1)

/** X(symbol, name, what is paid) */
#define ROOF_LAUNCH_MAP(X)                                                                                   \
  X(ROOF_LAUNCH_EAGER, "eager", "every kernel is launched by the host")                                      \
  X(ROOF_LAUNCH_GRAPH, "graph", "kernels follow each other in a recorded graph")                             \
  X(ROOF_LAUNCH_PERSISTENT, "persistent", "one kernel per step; a grid barrier between operations")

typedef enum roof_launch {
#define ROOF_LAUNCH_ENUM(symbol, name, text) symbol,
  ROOF_LAUNCH_MAP(ROOF_LAUNCH_ENUM)
#undef ROOF_LAUNCH_ENUM
      ROOF_LAUNCH_COUNT
} roof_launch;

/** X(symbol, name): what a model is asked to do. `encode` is what runs before its own layers, or all of an encoder, `verify` checks drafted tokens, `mixed` is a decode step
 *  that carries a chunk of a prompt, `denoise` is one step of a diffusion model, `train` is forward, backward and optimizer. */
#define ROOF_PHASE_MAP(X)                                                                                    \
  X(ROOF_PHASE_ENCODE, "encode")                                                                             \
  X(ROOF_PHASE_PREFILL, "prefill")                                                                           \
  X(ROOF_PHASE_DECODE, "decode")                                                                             \
  X(ROOF_PHASE_VERIFY, "verify")                                                                             \
  X(ROOF_PHASE_MIXED, "mixed")                                                                               \
  X(ROOF_PHASE_DENOISE, "denoise")                                                                           \
  X(ROOF_PHASE_TRAIN, "train")

typedef enum roof_phase {
#define ROOF_PHASE_ENUM(symbol, name) symbol,
  ROOF_PHASE_MAP(ROOF_PHASE_ENUM)
#undef ROOF_PHASE_ENUM
      ROOF_PHASE_COUNT
} roof_phase;

/** X(symbol, name, what the backward pass does again instead of having kept it) */
#define ROOF_RECOMPUTE_MAP(X)                                                                                \
  X(ROOF_RECOMPUTE_NONE, "none", "nothing")                                                                  \
  X(ROOF_RECOMPUTE_SELECTIVE, "selective", "scores and softmax of attention")                                \
  X(ROOF_RECOMPUTE_FULL, "full", "every layer")

typedef enum roof_recompute {
#define ROOF_RECOMPUTE_ENUM(symbol, name, text) symbol,
  ROOF_RECOMPUTE_MAP(ROOF_RECOMPUTE_ENUM)
#undef ROOF_RECOMPUTE_ENUM
      ROOF_RECOMPUTE_COUNT
} roof_recompute;

/** X(symbol, name): by whose rule the cache gets its part of a device's memory (docs/plans.md). */
#define ROOF_MEMORY_RULE_MAP(X)                                                                              \
  X(ROOF_MEMORY_VLLM, "vllm")                                                                                \
  X(ROOF_MEMORY_SGLANG, "sglang")                                                                            \
  X(ROOF_MEMORY_TENSORRT_LLM, "tensorrt-llm")

typedef enum roof_memory_rule {
#define ROOF_MEMORY_RULE_ENUM(symbol, name) symbol,
  ROOF_MEMORY_RULE_MAP(ROOF_MEMORY_RULE_ENUM)
#undef ROOF_MEMORY_RULE_ENUM
      ROOF_MEMORY_RULE_COUNT
} roof_memory_rule;

/** "vllm", "sglang" or "tensorrt-llm".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_memory_rule_name(roof_memory_rule rule);

/** Finds a rule by name.
 *  Units: none.
 *  Ownership: writes *rule on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_memory_rule_parse(const char *text, roof_memory_rule *rule, roof_error *error);

/** X(symbol, name): what kind of kernel an operation is. */
#define ROOF_OPERATION_KIND_MAP(X)                                                                           \
  X(ROOF_KIND_ELEMENTWISE, "elementwise")                                                                    \
  X(ROOF_KIND_PRODUCT, "product")                                                                            \
  X(ROOF_KIND_ATTENTION, "attention")                                                                        \
  X(ROOF_KIND_STATE, "state")                                                                                \
  X(ROOF_KIND_COLLECTIVE, "collective")                                                                      \
  X(ROOF_KIND_SAMPLING, "sampling")                                                                          \
  X(ROOF_KIND_OPTIMIZER, "optimizer")

typedef enum roof_operation_kind {
#define ROOF_OPERATION_KIND_ENUM(symbol, name) symbol,
  ROOF_OPERATION_KIND_MAP(ROOF_OPERATION_KIND_ENUM)
#undef ROOF_OPERATION_KIND_ENUM
      ROOF_OPERATION_KIND_COUNT
} roof_operation_kind;

/** How the weights of a part are stored and in what format they are multiplied. */
typedef struct roof_weight_format {
  roof_dtype stored;
  roof_dtype compute; /**< of the multiplier where the machine has it, else they are dequantised */
  bool weight_only;   /**< activations are not quantised: multiplied in the activations' format */
  double group;       /**< weights that share one scale, 0: none that matter */
  double scale_bits;  /**< of one scale with its zero point */
  double bytes;       /**< of one weight on average, as a file of weights has them; 0: by the fields above */
  char label[24];     /**< the file's types, most bytes first; "": named by the fields above */
} roof_weight_format;

typedef struct roof_model_precision {
  roof_dtype activations;
  roof_dtype kv;
  roof_dtype state; /**< of state-space layers */
  roof_weight_format weights[ROOF_PART_COUNT];
  double table_bytes;  /**< of one element of the tables that are looked up; 0: as activations */
  double vector_bytes; /**< of one gain or bias; 0: as activations */
} roof_model_precision;

/** Tensors of one type in a file of weights. */
typedef struct roof_stored_type {
  const char *name;
  double tensors, elements, bytes;
} roof_stored_type;

/** One kind of layer: a mixer of tokens, then an MLP, either of which may be missing. Counts are whole
 *  numbers held as double; 0 means that the thing is not there. */
typedef struct roof_model_block {
  roof_mixer mixer;
  double stream; /**< whose tokens go through it: 0 the model's own, else a stream's number from 1 */
  double source; /**< cross attention: the stream whose tokens are the keys */
  double joint;  /**< a stream whose tokens the layer works on and attends to together with the model's own */
  bool joint_weights;      /**< with weights of its own for them (the double blocks of MMDiT) */
  bool joint_keys_only;    /**< of which keys and values alone are used */
  double modulation;       /**< vectors of the layer's width that a projection of the conditioning makes */
  double joint_modulation; /**< for the stream's tokens, where it has weights of its own */
  double shift_table; /**< vectors of the layer's width that are added to a modulation all layers share */
  bool bare_norms;    /**< norms without gains */
  bool reuses_kv; /**< attends to the keys and values of a layer before it; its own projections lie idle */
  double laurel;  /**< rank of a low-rank branch next to the mixer (Gemma 3n) */
  double layer_input; /**< elements that each layer looks up for a token besides the model's table */
  double altup;       /**< copies of the residual stream that the layer predicts and corrects, 0: one */
  double squares;     /**< rwkv: square matrices, the one out of the mixer among them */
  /* attention; of state-space layers: heads of `head_dim` */
  double heads;
  double kv_heads;
  double head_dim;    /**< of queries and keys; latent: without the rotated part */
  double value_dim;   /**< of values */
  double window;      /**< keys a query sees at most, itself included; 0: all before it */
  bool chunked;       /**< the window does not slide: a query sees its own chunk only (Llama 4) */
  double q_rank;      /**< latent: rank of the queries' projection, 0: none */
  double kv_rank;     /**< latent: elements of the latent that stands for K and V */
  double rope_dim;    /**< latent: rotated elements of a key, shared by the heads */
  double index_heads; /**< sparse attention: heads of the indexer, 0: this layer reuses another's choice */
  double index_dim;
  double index_keys; /**< keys that a query reads at most, 0: all */
  double qk_norm;    /**< gains of the norms on Q and K */
  bool qkv_bias;
  bool bare_keys; /**< K has none of these biases (Whisper) */
  bool out_bias;
  bool output_gate; /**< the queries' projection is twice as wide: a gate on the result */
  bool shared_kv;   /**< one projection is both K and V */
  bool sinks;       /**< a learned score a head that no key has */
  /* state-space and linear attention */
  double state;   /**< elements of the state a channel (mamba) or a row of keys (delta) */
  double groups;  /**< groups that share B and C */
  double kernel;  /**< taps of the convolution */
  double dt_rank; /**< mamba: rank of the step's projection */
  double scan;    /**< tokens of a chunk of the parallel scan */
  double
      gate_rank; /**< delta: gate and decay, one for each channel, come through this rank; 0: a full gate, a decay a head */
  bool mamba_bias; /**< of the projections in and out */
  bool conv_bias;
  bool mamba_norms; /**< mamba: norms on the step, B and C (Jamba) */
  /* MLP */
  double width; /**< of the dense MLP, or of the shared experts together */
  bool gated;
  bool mlp_bias;
  double experts; /**< 0: a dense layer */
  double experts_per_token;
  double expert_groups; /**< groups that the experts are spread over; 0: none */
  double token_groups;  /**< of them, those that a token's experts lie in at most */
  double expert_width;
  bool expert_bias;
  bool router_bias;
  bool shared_gate; /**< the shared experts' result is scaled by a gate of one output */
  double norms;     /**< of the layer's width */
  bool parallel;    /**< mixer and MLP read the same input: one residual add */
} roof_model_block;

/** Tokens of another kind than the model's own, with a width and layers of their own: an encoder that runs before
 *  the model (sound, an image, the text of an encoder-decoder). */
typedef struct roof_model_stream {
  char name[24];  /**< "audio", "vision", "text" */
  char input[32]; /**< what one of its inputs is: "30 s of sound", "an image" */
  double seconds; /**< that one of its inputs lasts, 0: it does not */
  double hidden;
  double tokens; /**< of one input; 0: as many as the prompt has, which goes in here */
  double result; /**< tokens that the model gets of an input as part of its prompt; 0: it attends to them */
  double positions;  /**< learned, or stored as if */
  double activation; /**< FLOPs per element */
  double vectors;    /**< elements that no layer has: a class token, norms of what makes its result */
  bool rotary;
  bool layer_norm;
  bool shiftless;
  bool embedding_norm;
  bool final_norm;
  bool looked_up; /**< its tokens are looked up in the model's own table */
} roof_model_stream;

/** A product outside of the layers: what makes tokens of patches or sound, or fits one stream to another. */
typedef struct roof_model_product {
  char name[24];
  double stream; /**< with whose tokens it runs */
  double rows;   /**< of one input; 0: one for each token */
  double in, out;
  bool bias;
  bool last; /**< after the layers */
} roof_model_product;

/** An architecture. A plain value: copy it freely. */
typedef struct roof_model {
  char name[96];
  char architecture[ROOF_NAME_MAX]; /**< the config's model_type */
  double hidden;
  double vocab;
  double context;       /**< longest sequence it was made for, 0: not said */
  double positions;     /**< learned positions, 0: rotary or none */
  double token_types;   /**< learned segment embeddings (BERT) */
  double vectors;       /**< elements that no layer has: a class token */
  double layer_vocab;   /**< rows of the table that the layers look up, 0: none */
  double embedding_dim; /**< of the token table where it is not `hidden` */
  double patch; /**< inputs of a token that a projection embeds (a patch of an image), 0: it is looked up */
  bool bare_patches; /**< that projection has no bias */
  bool rotary;
  bool tied; /**< the token table is also the output projection */
  bool
      denoises; /**< a step of diffusion: tokens are patches of a latent, nothing is generated token by token */
  double pixels;       /**< of the image, that a side of its token stands for */
  bool encoder;        /**< every token sees every other, nothing is generated */
  bool layer_norm;     /**< norms have a mean and a shift */
  bool shiftless;      /**< layer_norm without the shift (Cohere) */
  bool embedding_norm; /**< a norm right after the embedding */
  bool final_norm;
  bool head_bias;
  bool pooler;                    /**< a projection of the first token (BERT) */
  double activation;              /**< FLOPs per element: silu 4, gelu 12, relu 1 */
  roof_model_precision precision; /**< as the file stores it */
  roof_model_block blocks[ROOF_BLOCK_MAX];
  int block_count;
  unsigned char layers[ROOF_LAYER_MAX]; /**< the block of each layer, first to last */
  int layer_count;
  roof_model_stream streams[ROOF_STREAM_MAX];
  int stream_count;
  roof_model_product products[ROOF_MODEL_PRODUCT_MAX];
  int product_count;
  double usual_prompt;   /**< tokens that go in unless set otherwise, 0: as for any model */
  double usual_generate; /**< and come out */
  double usual_size;     /**< pixels of an image's side */
  double usual_steps;    /**< of diffusion */
  double usual_passes;   /**< of a step, 2 with classifier-free guidance */
  roof_stored_type
      stored[ROOF_STORED_MAX]; /**< of the file of weights, where one was read; most bytes first */
  int stored_count;
  char notes[ROOF_MODEL_NOTE_MAX][ROOF_SOURCE_MAX]; /**< what is not counted, and why */
  int note_count;
  char ignored[ROOF_MODEL_IGNORED_MAX][ROOF_NAME_MAX]; /**< keys that were read leniently: not known */
  int ignored_count;
  char typed[96];      /**< as it was called where that is not its name: "llama-3.3-70b"; else "" */
  char repository[96]; /**< that engines load from Hugging Face; "": not known */
} roof_model;

/** What answers call a model: as it was typed, else its name.
 *  Units: none.
 *  Ownership: of the model.
 *  Errors: none. */
ROOF_API const char *roof_model_title(const roof_model *model);

/** Parameters. Active: those that one token uses; both embeddings count whole. Published counts often leave out the
 *  table: `active - embedding`. */
typedef struct roof_model_parameters {
  double total;
  double active;
  double embedding;              /**< tables that are only looked up */
  double parts[ROOF_PART_COUNT]; /**< matrices; the head's has the output projection even when it is tied */
  double vectors;                /**< gains, biases and what else is stored in the activations' format */
  double kv_elements_per_token;  /**< K and V of all layers, windows not applied */
  double state_elements;         /**< of one sequence, all layers */
} roof_model_parameters;

/** How a model is run. Start from roof_model_settings_default(). */
typedef struct roof_model_settings {
  double batch;    /**< sequences at once */
  double prompt;   /**< tokens of a prompt */
  double generate; /**< tokens generated after it */
  double size;  /**< pixels of the side of an image that a diffusion model makes; 0: as prompt= has tokens */
  double steps; /**< of diffusion */
  double guidance;   /**< passes of a step for each image: 2 with classifier-free guidance */
  double text;       /**< tokens of the text that an image is made of, 0: as the model's pipeline has it */
  double images;     /**< of each sequence: inputs of a stream that the model takes as part of its prompt */
  double prefix;     /**< of a prompt, that a prefix cache already holds: tokens, or under 1 a share */
  double offload;    /**< share of the weights that lies in the host's memory and is streamed in every pass */
  double offload_kv; /**< the same of the cache; under 1 */
  double sharers;    /**< sequences that share one copy of that prefix; 0: all of a replica */
  double chunk;      /**< tokens of prompts processed at once, over all sequences; 0: all of them */
  double draft;      /**< tokens drafted and verified together, 0: no speculation */
  double accept;     /**< probability that a drafted token is right */
  roof_model_precision precision;
  roof_launch launch;
  double kernel_seconds; /**< cost of one kernel; NaN: the machine's, or the mode's own assumption */
  unsigned fusion;       /**< roof_fusion bits */
  double tp, pp, dp, ep; /**< devices along each axis; experts are spread over tp x dp devices at most */
  double expert_skew;    /**< of experts' popularity, the exponent of Zipf's law; 0: none is preferred */
  const double
      *expert_shares; /**< how often each is chosen, the most first, instead; NULL: expert_skew says it */
  int expert_count;   /**< of them */
  double redundant_experts; /**< copies of experts beyond one of each */
  double cp;                /**< devices that share each sequence (context parallel) */
  bool sp;                  /**< sequence parallel: tp's devices also share what is between its products */
  double microbatches;      /**< of a pipeline, and of a training step, whose gradients are accumulated; 0: as
                               many as stages if there are so many sequences, in training a sequence each */
  double node;              /**< devices that the machine's own link joins; NaN: roof_node_devices */
  const roof_link *network; /**< between nodes; NULL: the machine's own, or InfiniBand NDR */
  bool train;               /**< a training step of batch x prompt tokens instead of prefill and decoding */
  roof_recompute recompute; /**< of a training step */
  double
      interleave; /**< stages of each device in the pipeline of a training step, one after another; 1: one */
  double
      offload_optimizer; /**< share of the optimizer's state that lies in the host's memory and comes for each update */
  double lora;           /**< rank of adapters that a training step changes alone; 0: all weights */
  double zero;           /**< stage of ZeRO, 0 to 3, over the replicas of a training step */
  double tokens;    /**< of a whole training run, 0: not said */
  double page;      /**< tokens of a page of the KV cache */
  double workspace; /**< bytes that the runtime and its libraries hold */
  double
      memory_share; /**< of a device's memory, that the engine may use: 1 all, 0.9 as vLLM; of what is free: TensorRT-LLM */
  roof_memory_rule memory_rule;
  double price;                    /**< of one device and hour, NaN: not given */
  const roof_listed_price *listed; /**< that is the price, with its source; NULL: it was typed */
  unsigned long long typed;        /**< what roof_model_settings_read read, for roof_model_settings_check */
  const char *expert_framework; /**< whose kernels multiply the experts; NULL: those of options.framework */
  roof_options options;
} roof_model_settings;

/** Where the cost of a kernel comes from. */
typedef struct roof_kernel_cost {
  double seconds;
  roof_provenance kind;
  const char *source;
} roof_kernel_cost;

/** X(symbol, text): where a transfer goes. */
#define ROOF_SPAN_MAP(X)                                                                                     \
  X(ROOF_SPAN_NODE, "within a node")                                                                         \
  X(ROOF_SPAN_CLUSTER, "between nodes")                                                                      \
  X(ROOF_SPAN_HOST, "to the host")                                                                           \
  X(ROOF_SPAN_NEIGHBOURS, "between neighbours")

typedef enum roof_span {
#define ROOF_SPAN_ENUM(symbol, text) symbol,
  ROOF_SPAN_MAP(ROOF_SPAN_ENUM)
#undef ROOF_SPAN_ENUM
      ROOF_SPAN_COUNT
} roof_span;

/** X(symbol, operation): what devices do together. */
#define ROOF_COLLECTIVE_MAP(X)                                                                               \
  X(ROOF_ALL_REDUCE, "allreduce")                                                                            \
  X(ROOF_ALL_GATHER, "allgather")                                                                            \
  X(ROOF_REDUCE_SCATTER, "reducescatter")                                                                    \
  X(ROOF_ALL_TO_ALL, "alltoall")                                                                             \
  X(ROOF_SEND, "sendrecv")

typedef enum roof_collective {
#define ROOF_COLLECTIVE_ENUM(symbol, name) symbol,
  ROOF_COLLECTIVE_MAP(ROOF_COLLECTIVE_ENUM)
#undef ROOF_COLLECTIVE_ENUM
      ROOF_COLLECTIVE_COUNT
} roof_collective;

/** A model, its settings and a machine resolved once, for many answers. Points into model and machine: keep
 *  them alive. */
typedef struct roof_model_target {
  const roof_model *model;
  const roof_machine *machine;
  roof_model_settings settings;
  roof_model_parameters parameters;
  roof_target parts[ROOF_PART_COUNT];   /**< products with the weights of each part */
  roof_target plain;                    /**< everything else, in the activations' format */
  roof_target cached;                   /**< the same on keys and values in the cache's format */
  bool native[ROOF_PART_COUNT];         /**< false: dequantised, the machine has no path for the format */
  double weight_bytes[ROOF_PART_COUNT]; /**< of one weight with its share of a scale */
  double input_bytes[ROOF_PART_COUNT];  /**< of one activation that enters the product */
  double
      rounded_share[ROOF_PART_COUNT]; /**< of a product's FLOPs at best: below 1 where it may run in int8 */
  double activation_bytes, kv_bytes, state_bytes;
  double table_bytes, vector_bytes;
  /* formats in which operands are stored and moved, which need not be those of the multiplier */
  roof_types stored[ROOF_PART_COUNT + 1]; /**< the last of what has no weights, and no cache */
  roof_types cache_types;                 /**< with the cache in its format */
  roof_types state_types;                 /**< with the state of state-space layers */
  roof_types vector_types;                /**< with weights stored as gains and biases are */
  const roof_op *ops[ROOF_MODEL_OP_MAX];  /**< that its layers are made of */
  double layers[ROOF_BLOCK_MAX];          /**< of each block */
  roof_kernel_cost kernel;
  /* the plan */
  double devices;
  double stage_layers[ROOF_BLOCK_MAX]; /**< of each block, on the stage with the most layers */
  roof_link links[ROOF_SPAN_COUNT];    /**< with latencies, assumed where the machine has none */
  const roof_op *collectives[ROOF_COLLECTIVE_COUNT];
} roof_model_target;

/** One operation of a phase on one device. Works and times are of one call; `count` calls make the step. The
 * work is that of `op`, to which `vectors` and `kernels` add what its formula leaves out. */
typedef struct roof_model_operation {
  const char *name;
  const roof_op *op;       /**< NULL: waiting for the pipeline */
  const roof_types *types; /**< of the call; the target's */
  double vectors;          /**< elements of gains and biases that are read as well */
  double kernels;          /**< launches; 0: part of the kernel next to it, which reads and writes for it */
  double values[ROOF_PARAM_MAX];
  roof_operation_kind kind;
  roof_model_part part; /**< whose weights it reads; ROOF_PART_COUNT: none */
  double stream;        /**< whose tokens it works on, 0: the model's own */
  double count;
  double flops;
  double bytes[ROOF_BYTES_CLASS_COUNT];
  double intensity; /**< FLOP/byte of memory */
  double ridge;
  roof_regime regime;
  const roof_peak *peak;
  const roof_level *level; /**< that binds in memory */
  roof_span span;          /**< of a transfer */
  const char *algorithm;   /**< of a transfer: "ring", "tree" or "direct"; NULL where there is no choice */
  const roof_model_block *block; /**< of attention and states: the first block that does it; else NULL */
  double compute_seconds, memory_seconds, network_seconds, overhead_seconds;
  double lower_seconds, upper_seconds, expected_seconds, expected_low_seconds, expected_high_seconds;
  double energy_joules;
} roof_model_operation;

/** One step of a phase on one device: for prefill the whole prompt, for decode the mean step. */
typedef struct roof_model_phase {
  bool present;
  roof_phase kind;  /**< where it is present */
  double tokens;    /**< tokens that go in, all sequences */
  double sequences; /**< sequences in the step */
  double steps;     /**< chunks of a prefill, else 1: all of them are in the figures */
  double yield;     /**< tokens that come out */
  double flops;
  double bytes[ROOF_BYTES_CLASS_COUNT];
  double memory_bytes; /**< all classes but the network */
  double kernels;
  double compute_seconds, memory_seconds, network_seconds, overhead_seconds; /**< sums over the operations */
  double lower_seconds, upper_seconds, expected_seconds, expected_low_seconds, expected_high_seconds;
  double energy_joules;
  double link_seconds[ROOF_SPAN_COUNT];       /**< of the network seconds */
  double stream_seconds[ROOF_STREAM_MAX + 1]; /**< of the expected time, by stream */
  double bubble;                              /**< share of the pipeline's time in which a device waits */
  double recomputed_flops;                    /**< of the FLOPs of a training step */
  double backward_seconds; /**< of the expected time of a training step, with what is computed again */
  double replica_seconds;  /**< transfers between replicas one after another, hidden or not */
  double hidden_seconds;   /**< of them those that hide behind the passes: not in the expected time */
  /* of a training step the mean of all devices: */
  double mfu; /**< FLOPs but for recomputed ones / (expected time x peak of the widest product) */
  double hfu; /**< the same with all FLOPs */
  double mbu; /**< bytes / (expected time x bandwidth of the memory) */
  roof_model_operation operations[ROOF_MODEL_OPERATION_MAX];
  int count;
} roof_model_phase;

/** What must be in the memory of one device, at the end of the generation. */
typedef struct roof_model_capacity {
  double weight_bytes;
  double kv_bytes;                /**< a prefix that sequences share is there once */
  double shared_kv_bytes;         /**< that sharing a prefix saves */
  double kv_bytes_per_token;      /**< of one sequence, windows not applied */
  double kv_bytes_beyond_windows; /**< of a token of one sequence when all windows are full */
  double kv_window_bytes;         /**< that full windows keep of one sequence */
  double state_bytes;
  double fragmentation_bytes; /**< of half-filled pages */
  double
      host_bytes; /**< in the host's memory: weights, cache and state of the optimizer that are offloaded */
  double activation_bytes; /**< of a training step: those that the backward pass needs */
  double gradient_bytes;   /**< of a training step, else 0 */
  double optimizer_bytes;  /**< master weights and both moments of a training step, else 0 */
  double workspace_bytes;
  double total_bytes;
  double capacity_bytes;  /**< NaN: the machine does not say */
  bool fits;              /**< false also where the capacity is unknown */
  double spare_bytes;     /**< negative: short by so much */
  double longest_context; /**< tokens per sequence at this batch, 0: not one */
  double largest_batch;   /**< sequences of prompt + generate tokens, of all replicas; 0: not one */
} roof_model_capacity;

/** Requests that come one after another: each replica processes one prompt at a time between the decoding steps
 *  of the others, so that every token waits for its share of the other requests' prompts. NaN where no token follows
 *  the first, but for the time to it. */
typedef struct roof_model_continuous {
  double ttft_seconds; /**< the prefill of one prompt, alone on its replica */
  double
      wait_seconds; /**< other sequences of a replica x a stage's part of TTFT / generated tokens: of each token */
  double tpot_seconds;             /**< the decoding step per token, and the wait */
  double device_tokens_per_second; /**< the request's own prompt counted as well */
  double price_per_million_tokens; /**< generated; NaN without a price */
} roof_model_continuous;

/** A training run of settings.tokens tokens: whole steps, each as long as the next, without restarts, checkpoints
 *  or evaluation. All NaN where the tokens are not said. */
typedef struct roof_model_training {
  double tokens;
  double steps;
  double seconds, low_seconds, high_seconds; /**< low and high: the step's, times the steps */
  double device_seconds;                     /**< of all devices */
  double price;                              /**< of all devices; NaN without a price */
} roof_model_training;

/** The answer. TTFT: one request's whole prefill with the batch, queueing apart. TPOT: the mean step of the
 *  generation after the first token, per token and sequence. Both are of one batch at a time, `continuous` is
 *  of requests that come one after another. */
typedef struct roof_model_answer {
  double devices;
  double image_seconds;  /**< of a diffusion model: all steps of a batch of images; NaN: it makes none */
  double encode_seconds; /**< of the TTFT: what runs before the model's own layers; NaN: nothing does */
  double ttft_seconds;
  double ttft_low_seconds, ttft_high_seconds; /**< 10th and 90th percentile of what comparable kernels do */
  double tpot_seconds;
  double tpot_low_seconds, tpot_high_seconds;
  double tpot_first_seconds;       /**< of the first step after the prompt: the shortest cache */
  double tpot_last_seconds;        /**< of the last step: the longest */
  double request_seconds;          /**< TTFT + the steps for the other tokens */
  double tokens_per_second;        /**< of one request: 1 / TPOT */
  double batch_tokens_per_second;  /**< of all sequences; of a training step those that it trains on */
  double device_tokens_per_second; /**< that / devices */
  double prompt_tokens_per_second;
  double joules_per_token;         /**< generated; all devices, prefill included */
  double price_per_million_tokens; /**< generated, or trained on; NaN without a price */
  roof_model_continuous continuous;
  roof_model_continuous continuous_low, continuous_high; /**< of the ranges' ends */
  roof_model_continuous continuous_least;                /**< of the lower bounds */
  roof_model_training training;
  roof_model_capacity capacity;
  roof_model_phase phases[ROOF_PHASE_COUNT];
} roof_model_answer;

/** "attention", "mamba2", ...
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_mixer_name(roof_mixer mixer);

/** "mixer", "mlp", "experts", "head" or "router".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_model_part_name(roof_model_part part);

/** Finds a part by name.
 *  Units: none.
 *  Ownership: writes *part on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_model_part_parse(const char *text, roof_model_part *part, roof_error *error);

/** "weights", "activations", "kv" or "network".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_bytes_class_name(roof_bytes_class class_);

/** "prefill", "decode", ...
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_phase_name(roof_phase phase);

/** "product", "attention", ...
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_operation_kind_name(roof_operation_kind kind);

/** "eager", "graph" or "persistent".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_launch_name(roof_launch launch);

/** Finds a launch mode by name.
 *  Units: none.
 *  Ownership: writes *launch on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_launch_parse(const char *text, roof_launch *launch, roof_error *error);

/** "none", "selective" or "full".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_recompute_name(roof_recompute recompute);

/** Finds what is computed again by name.
 *  Units: none.
 *  Ownership: writes *recompute on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_recompute_parse(const char *text, roof_recompute *recompute, roof_error *error);

/** Reads a fusion plan: `none`, `serving`, `all` or names separated by commas.
 *  Units: none.
 *  Ownership: writes *fusion on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_fusion_parse(const char *text, unsigned *fusion, roof_error *error);

/** The name of fusion number `index`, and in *text (nullable) the kernels that become one.
 *  Units: none.
 *  Ownership: static strings.
 *  Errors: "?" for an index out of range. */
ROOF_API const char *roof_fusion_name(int index, const char **text);

/** Finds a weight format by name: fp16, bf16, fp32, fp8, fp8-block, mxfp8, w8a8, w8a16, w4a16, nf4, nvfp4, mxfp4, and of weights
 *  alone fp8a16, nvfp4a16, mxfp4a16.
 *  Units: none.
 *  Ownership: writes *format on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_weight_format_parse(const char *text, roof_weight_format *format,
                                              roof_error *error);

/** Plain weights of one format, multiplied in it.
 *  Units: none.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_weight_format roof_weight_format_of(roof_dtype dtype);

/** The name of a format as the presets have it, else stored format and group: "int4 group 32".
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_weight_format_name(const roof_weight_format *format, char *buffer, size_t size);

/** Bytes of one weight with its share of a scale.
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_weight_format_bytes(const roof_weight_format *format);

/** Changes the format of activations, and with them of what is stored in the same format: cache and plain
 *  weights. Weights in a format of their own keep it, as do the bytes of a file.
 *  Units: none.
 *  Ownership: changes *precision.
 *  Errors: none. */
ROOF_API void roof_model_precision_retype(roof_model_precision *precision, roof_dtype dtype);

/** The same with the format as a user names it ("fp16").
 *  Units: none.
 *  Ownership: changes *precision, which a failure leaves as it was.
 *  Errors: ROOF_E_ARGUMENT for no format, and for one of weights alone (under 2 bytes). */
ROOF_API roof_status roof_model_precision_read(const char *dtype, roof_model_precision *precision,
                                               roof_error *error);

/** The parts of a model whose weights are in a format of their own, not that of the activations: "mlp fp8, experts fp8".
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`; "" where all are stored as the activations. */
ROOF_API char *roof_model_own_formats(const roof_model *model, const roof_model_precision *precision,
                                      char *buffer, size_t size);

/** Stores every matrix in `format` and leaves the embedding, output projection and router plain; activations
 *  stay as they are.
 *  Units: none.
 *  Ownership: changes *precision.
 *  Errors: none. */
ROOF_API void roof_model_precision_quantize(roof_model_precision *precision,
                                            const roof_weight_format *format);

/** Reads formats separated by commas: `FORMAT` for all matrices, or `PART=FORMAT` for one part.
 *  Units: none.
 *  Ownership: changes *precision on success only.
 *  Errors: ROOF_E_NAME with the nearest name, ROOF_E_ARGUMENT when too long. */
ROOF_API roof_status roof_model_precision_parse(const char *text, roof_model_precision *precision,
                                                roof_error *error);

#define ROOF_PRECISION_MAX 8

/** Precisions to compare, each by what people call it. */
typedef struct roof_model_precisions {
  roof_model_precision list[ROOF_PRECISION_MAX];
  char names[ROOF_PRECISION_MAX][48];
  int count;
} roof_model_precisions;

/** Reads precisions with slashes between them ("bf16/fp8/fp8,head=bf16"), each a change of `base`; NULL:
 *  `base` alone, which is called "as stored".
 *  Units: none.
 *  Ownership: fills *precisions on success only.
 *  Errors: as roof_model_precision_parse; ROOF_E_ARGUMENT for more than ROOF_PRECISION_MAX. */
ROOF_API roof_status roof_model_precisions_parse(const char *text, const roof_model_precision *base,
                                                 roof_model_precisions *precisions, roof_error *error);

/** Everything in one plain format.
 *  Units: none.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_model_precision roof_model_precision_of(roof_dtype dtype);

/** An empty description: no layers, bf16, a gated MLP is what a block must say.
 *  Units: none.
 *  Ownership: the caller's storage.
 *  Errors: none. */
ROOF_API void roof_model_init(roof_model *model);

/** The block equal to `block`, added when there is none, becomes the next layer.
 *  Units: none.
 *  Ownership: copies.
 *  Errors: ROOF_E_ARGUMENT when there are too many kinds or layers. */
ROOF_API roof_status roof_model_add_layer(roof_model *model, const roof_model_block *block,
                                          roof_error *error);

/** Adds a note for the reader; later ones are dropped when there are too many.
 *  Units: none.
 *  Ownership: copies.
 *  Errors: none. */
ROOF_API void roof_model_note(roof_model *model, const char *format, ...) ROOF_PRINTF(2, 3);

/** Checks that a description can be computed: sizes in range, what divides what.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_ARGUMENT naming what is wrong. */
ROOF_API roof_status roof_model_check(const roof_model *model, roof_error *error);

/** Counts parameters, KV and state of a checked description.
 *  Units: elements.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_model_parameters roof_model_count(const roof_model *model);

/** Parameters that a training step changes: all, or those of the adapters that it trains alone (`lora`).
 *  Units: elements.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_model_trained(const roof_model *model, const roof_model_settings *settings);

/** What a file of weights holds, all types together.
 *  Units: bytes.
 *  Ownership: by value; `name` is NULL.
 *  Errors: zeros where no file was read. */
ROOF_API roof_stored_type roof_model_stored(const roof_model *model);

/** The defaults: batch 1, 2048 tokens in, 256 out, the model's own precision, graphs, one device.
 *  Units: as the fields.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_model_settings roof_model_settings_default(const roof_model *model);

/** Resolves a model, a machine and settings. Formats that the machine has no path for are dequantised.
 *  Units: none.
 *  Ownership: *target points into `model` and `machine`; nothing to free.
 *  Errors: ROOF_E_ARGUMENT for a setting out of range or a split that does not divide, as
 *  roof_target_init. */
ROOF_API roof_status roof_model_target_init(roof_model_target *target, const roof_model *model,
                                            const roof_machine *machine, const roof_model_settings *settings,
                                            roof_error *error);

/** One phase with the target's settings; a step of decoding (or verifying) is the mean over those with
 *  `past_first` to `past_last` tokens already there, which the other phases do not use.
 *  Units: tokens; s, bytes, FLOP, J.
 *  Ownership: fills *phase; pointers in it live as long as the machine.
 *  Errors: none. */
ROOF_API void roof_model_phase_of(const roof_model_target *target, roof_phase kind, double past_first,
                                  double past_last, roof_model_phase *phase);

/** Predicts one call of an operation of a phase: its `op` with its `values`, which may have been changed, on
 * the device that the target says.
 *  Units: s, bytes, FLOP, J.
 *  Ownership: fills *prediction; pointers in it live as long as the machine and the target.
 *  Errors: none; `op` must not be NULL. */
ROOF_API void roof_model_operation_predict(const roof_model_target *target,
                                           const roof_model_operation *operation,
                                           roof_prediction *prediction);

/** The name of what an operation is bound by: a level, a link, else its regime.
 *  Units: none.
 *  Ownership: of the target's machine, or static.
 *  Errors: none. */
ROOF_API const char *roof_model_operation_binding(const roof_model_target *target,
                                                  const roof_model_operation *operation);

/** What is done first: prefill, encode, or the training step.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API roof_phase roof_model_first_phase(const roof_model_target *target);

/** True where tokens follow the first one: there is a phase decode, and a time per token.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_model_generates(const roof_model_target *target);

/** What the training run of the settings takes on so many devices, each step as `step`.
 *  Units: s; the price in the settings' money.
 *  Ownership: by value.
 *  Errors: NaN where the settings say no tokens. */
ROOF_API roof_model_training roof_model_training_of(const roof_model_settings *settings, double devices,
                                                    const roof_model_phase *step);

/** What a figure of an answer counts. */
typedef struct roof_model_definition {
  const char *name, *text;
} roof_model_definition;

/** The definition at `index`, from 0.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL when out of range. */
ROOF_API const roof_model_definition *roof_model_definition_at(int index);

/** Writes into `buffer` that a sequence is longer than what the model was made for; false when it is not.
 *  Units: tokens.
 *  Ownership: fills the caller's buffer.
 *  Errors: truncates to `size`. */
ROOF_API bool roof_model_too_long(const roof_model_target *target, char *buffer, size_t size);

/** Writes into `buffer` that the plan cuts blocks of weights that share a scale, which engines refuse, and which do not;
 *  false when it does not.
 *  Units: none.
 *  Ownership: fills the caller's buffer.
 *  Errors: truncates to `size`. */
ROOF_API bool roof_model_cuts_blocks(const roof_model_target *target, char *buffer, size_t size);

/** What one fusion removes from a step: bytes of memory, kernels, expected seconds. */
typedef struct roof_model_saving {
  double bytes;
  double kernels;
  double seconds;
} roof_model_saving;

/** The phase without fusion number `index` minus the phase with it, everything else as in the settings.
 *  Units: bytes, kernels, s.
 *  Ownership: by value.
 *  Errors: NaN when out of memory. */
ROOF_API roof_model_saving roof_model_fusion_saving(const roof_model_target *target, roof_phase kind,
                                                    int index);

/** The whole answer: every phase that the settings ask for, capacity, and the figures people compare. No
 *  allocation, no failure: what is unknown is NaN.
 *  Units: s, bytes, FLOP, J.
 *  Ownership: fills *answer; pointers in it live as long as the machine.
 *  Errors: none. */
ROOF_API void roof_model_answer_of(const roof_model_target *target, roof_model_answer *answer);

/** X(symbol, name): what of a run may grow until another ceiling limits it. */
#define ROOF_GROWTH_MAP(X)                                                                                   \
  X(ROOF_GROW_BATCH, "batch")                                                                                \
  X(ROOF_GROW_PROMPT, "prompt")                                                                              \
  X(ROOF_GROW_GENERATE, "generate")

typedef enum roof_growth {
#define ROOF_GROWTH_ENUM(symbol, name) symbol,
  ROOF_GROWTH_MAP(ROOF_GROWTH_ENUM)
#undef ROOF_GROWTH_ENUM
      ROOF_GROWTH_COUNT
} roof_growth;

/** Where the compute time of a step passes its memory time, both summed over its operations. */
typedef struct roof_model_crossing {
  double value;       /**< a real number; NaN: never */
  double at;          /**< first whole value of the other side; NaN: never */
  bool compute_first; /**< compute takes longer at the smallest value */
  bool compute_last;  /**< and at the largest */
  double intensity;   /**< FLOP/byte of the step at `value`, or where it tends to */
  double ridge;       /**< FLOP/byte there, by the mix of its formats */
} roof_model_crossing;

/** "batch", "prompt" or "generate".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_growth_name(roof_growth growth);

/** The critical value of one setting for a phase, all others as in the target: of the whole step, or of its
 *  products alone, without attention and what goes over the activations. Solved up to 1e9, to twelve digits.
 *  Units: sequences, tokens.
 *  Ownership: by value.
 *  Errors: NaN where the side never changes or a time is unknown. */
ROOF_API roof_model_crossing roof_model_critical(const roof_model_target *target, roof_phase phase,
                                                 roof_growth growth, bool products);

/** What people ask of a setting that grows: where a phase, or its products alone, changes sides. */
typedef struct roof_model_question {
  roof_growth growth;
  roof_phase phase;
  bool products;
} roof_model_question;

/** The question at `index`, from 0, of those that the target has phases for.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL when out of range. */
ROOF_API const roof_model_question *roof_model_question_at(const roof_model_target *target, int index);

/** A crossing in words: "compute-bound from batch=310 (exactly 309.7): ...", or why never.
 *  Units: FLOP/byte.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_model_crossing_text(const roof_model_crossing *crossing, roof_growth growth, char *buffer,
                                        size_t size);

/** The phase that repeats: verification or decoding, else the only one.
 *  Units: none.
 *  Ownership: of `answer`.
 *  Errors: none. */
ROOF_API const roof_model_phase *roof_model_step(const roof_model_answer *answer);

/** What the longest of a phase's times is of: computing, memory, launches or links.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API roof_regime roof_model_phase_regime(const roof_model_phase *phase);

/** The ceiling at which a phase spends the longest of these times: "bf16 matrix", a level's or a link's name, "launch", "unknown".
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_model_phase_binding(const roof_model_target *target, const roof_model_phase *phase,
                                        char *buffer, size_t size);

/** Whose link binds a phase, by the time of its transfers.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_SPAN_NODE where there are none. */
ROOF_API roof_span roof_model_phase_span(const roof_model_phase *phase);

/** Sequences of one replica (data parallel).
 *  Units: sequences.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_model_replica_batch(const roof_model_target *target);

/** Tokens of each prompt that a prefix cache holds: never the last, whose logits are asked for.
 *  Units: tokens.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_model_prefix(const roof_model_settings *settings);

/** Microbatches of a replica: those set, else as many as stages where there are so many sequences.
 *  Units: count.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_model_microbatches(const roof_model_target *target);

/** Sequences at once where a run of them bends and ends. NaN: never, or not known. */
typedef struct roof_model_batches {
  double
      knee; /**< the first at which a token takes twice as long as with one sequence per replica: from there on each
                       more adds less than half of what the first added */
  double largest; /**< that fit, 0: not one */
} roof_model_batches;

/** How many sequences pay, and how many fit, all other settings as in the target.
 *  Units: sequences.
 *  Ownership: by value.
 *  Errors: NaN where nothing is generated, or out of memory. */
ROOF_API roof_model_batches roof_model_batches_of(const roof_model_target *target);

/** The name of a stream by its number.
 *  Units: none.
 *  Ownership: of the model.
 *  Errors: NULL for the model's own tokens. */
ROOF_API const char *roof_model_stream_name(const roof_model *model, double stream);

/** Tokens of one input of a stream: its own, or the prompt's.
 *  Units: tokens.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_model_stream_tokens(const roof_model_target *target, int stream);

/** Tokens of a prompt that go through the model's own layers: one where the prompt goes into a stream.
 *  Units: tokens.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_model_own_prompt(const roof_model_target *target);

/** Capacity alone.
 *  Units: bytes, tokens, sequences.
 *  Ownership: by value.
 *  Errors: NaN where the machine does not say. */
ROOF_API roof_model_capacity roof_model_capacity_of(const roof_model_target *target);

#ifdef __cplusplus
}
#endif
#endif
