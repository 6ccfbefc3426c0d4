/** One step of a phase on one device, put together from operations. Nothing here allocates or fails. */
#ifndef MODELS_STEP_H
#define MODELS_STEP_H

#include "models/shape.h"
#include "ops/values.h"
#include "roofline/plan.h"

/** X(symbol, operation): what a model's layers are made of on one device. */
#define MODEL_OP_MAP(X)                                                                                      \
  X(MODEL_LINEAR, "linear")                                                                                  \
  X(MODEL_LINEAR_ACT, "linear_act")                                                                          \
  X(MODEL_GROUPED, "grouped")                                                                                \
  X(MODEL_COMBINE, "combine")                                                                                \
  X(MODEL_EMBEDDING, "embedding")                                                                            \
  X(MODEL_EMBEDDING_SUM, "embedding_sum")                                                                    \
  X(MODEL_ATTEND, "attend")                                                                                  \
  X(MODEL_INDEXER, "indexer")                                                                                \
  X(MODEL_ROPE, "rope")                                                                                      \
  X(MODEL_STORE_KV, "store_kv")                                                                              \
  X(MODEL_RMSNORM, "rmsnorm")                                                                                \
  X(MODEL_LAYERNORM, "layernorm")                                                                            \
  X(MODEL_ADD_RMSNORM, "add_rmsnorm")                                                                        \
  X(MODEL_ADD_LAYERNORM, "add_layernorm")                                                                    \
  X(MODEL_GATED_RMSNORM, "gated_rmsnorm")                                                                    \
  X(MODEL_TOPK, "topk")                                                                                      \
  X(MODEL_RESIDUAL, "residual")                                                                              \
  X(MODEL_SILU, "silu")                                                                                      \
  X(MODEL_ACTIVATION, "activation")                                                                          \
  X(MODEL_CONV1D, "conv1d")                                                                                  \
  X(MODEL_MAMBA, "mamba")                                                                                    \
  X(MODEL_MAMBA2, "mamba2")                                                                                  \
  X(MODEL_DELTA, "delta")                                                                                    \
  X(MODEL_ADAM, "adam")                                                                                      \
  X(MODEL_COPY, "copy")                                                                                      \
  X(MODEL_NRM2, "nrm2")

typedef enum model_op {
#define MODEL_OP_ENUM(symbol, name) symbol,
  MODEL_OP_MAP(MODEL_OP_ENUM)
#undef MODEL_OP_ENUM
      MODEL_OP_COUNT
} model_op;
_Static_assert(MODEL_OP_COUNT <= ROOF_MODEL_OP_MAX, "room for every operation");

/** Sequences that do the same: `queries` new tokens each after some that are already there. */
typedef struct model_group {
  double sequences;
  double queries;
  double past_first, past_last; /**< tokens already there, the mean over first, first + stride, ..., last */
  double stride;
  bool causal;
  bool absorbed;      /**< latent attention works on the latent itself (decoding) */
  bool cached;        /**< keys and values are kept */
  double query_split; /**< devices that share its queries (context parallel) */
  double key_split;   /**< devices that share its keys */
} model_group;

/** What an operation grows with: with the tokens of the step, with what its sequences have there already, or with the rows of
 *  logits. The seconds of a step are the sum over the three. */
typedef enum model_extent { MODEL_OF_TOKENS, MODEL_OF_GROUPS, MODEL_OF_LOGITS, MODEL_OF_ALL } model_extent;

/** Where in a pipeline an operation is done: in every stage's layers, between two stages, by the last stage alone, or anywhere
 *  else. */
typedef enum model_place {
  MODEL_OUTSIDE,
  MODEL_IN_LAYERS,
  MODEL_BETWEEN,
  MODEL_IN_HEAD,
  MODEL_PLACE_COUNT
} model_place;

/** What of an operation's times a pipeline adds up: at best without transfers, of each link, and all others. */
typedef enum model_time {
  MODEL_TIME_WORK,
  MODEL_TIME_LINKS,
  MODEL_TIME_UPPER = MODEL_TIME_LINKS + ROOF_SPAN_COUNT,
  MODEL_TIME_EXPECTED,
  MODEL_TIME_LOW,
  MODEL_TIME_HIGH,
  MODEL_TIME_COUNT
} model_time;

/** Seconds as each of a prediction's times has them. */
typedef struct model_seconds {
  double lower, upper, expected, low, high;
} model_seconds;

typedef struct model_step {
  const roof_model_target *target;
  double batch;        /**< sequences of a replica */
  double microbatches; /**< that they are cut into */
  model_group groups[2];
  int group_count;
  double tokens;     /**< of all groups */
  double logits;     /**< rows of the output projection */
  double steps;      /**< times that all of it is done but the output projection */
  double heads;      /**< times that the output projection is done, for `logits` rows each */
  bool fills;        /**< the steps follow one another; else each has to wait for its own last one */
  bool training;     /**< with the backward pass */
  model_place place; /**< of what is added */
  double times[MODEL_PLACE_COUNT][MODEL_TIME_COUNT]; /**< of a pipeline */
  model_seconds backward;                            /**< of training: what sums may hide behind */
  bool attention_only;                               /**< all else is left out */
  model_extent wanted;   /**< operations that grow with something else are left out */
  model_extent extent;   /**< of what is emitted now */
  bool bare_norms;       /**< the layer's norms have no gains */
  bool concurrent;       /**< what is added runs while something else of the step does */
  double stream;         /**< whose layers are walked */
  roof_model_stream own; /**< what it is, also the model's own */
  roof_model_phase *out;
} model_step;

/** One call of an operation of `ops` on one device. */
typedef struct model_call {
  const char *name;
  const roof_op *op;
  const roof_types *types; /**< NULL: the part's, or those of what has no weights */
  double values[ROOF_PARAM_MAX];
  double vectors; /**< elements of biases and gains, in a format of their own, which formulas leave out */
  double kernels; /**< 0: part of the kernel next to it, which reads and writes for it */
  roof_model_part part; /**< whose weights; ROOF_PART_COUNT: none */
  roof_operation_kind kind;
  roof_span span;
  double passes; /**< times that a training step does it, but for recomputation; 0: by its kind */
  const roof_model_block *block; /**< of attention and states */
} model_call;

/** Adds `count` calls to the phase, joined with equal calls that are there already. */
void rf_model_emit(model_step *step, double count, const model_call *call);

/** Times what was emitted and sums it. */
void rf_model_finish(model_step *step);

/** rows x in times in x out, with `vectors` more elements of weights, and `activation` FLOPs for each result. */
typedef struct model_product {
  const char *name;
  roof_model_part part;
  double rows, in, out, vectors, activation;
  bool gated; /**< a result is of two columns */
} model_product;

/** After what writes its input in its format. */
void rf_model_product_of(model_step *step, double count, const model_product *product);

/** The same without activation. */
void rf_model_product(model_step *step, double count, const char *name, roof_model_part part, double rows,
                      double in, double out, double vectors);

/** An operation on the activations alone, with up to three values. */
void rf_model_map(model_step *step, double count, const char *name, model_op op, const double values[3],
                  double vectors);

/** silu of one input times another. */
void rf_model_silu_gate(model_step *step, double count, const char *name, double elements);

/** Devices that exchange a buffer of `bytes`: `ranks` of them, every `stride`-th of the cluster. */
typedef struct model_transfer {
  const char *name;
  roof_collective kind;
  double bytes, ranks, stride;
  double passes;    /**< as of a call */
  double far_bytes; /**< of an all-to-all, between nodes */
} model_transfer;

/** How devices lie in nodes that are filled one after another. */
typedef struct model_nodes {
  double local; /**< devices in a full node */
  double count;
  double least; /**< devices in the last node, and so its ports */
} model_nodes;

/* network.c */
/** Devices of a node of a machine that does not say it. */
enum { MODEL_USUAL_NODE = 8 };

/** Devices of a node: as the settings say, else as the machine's links do. */
double rf_model_node(const roof_model_settings *settings, const roof_machine *machine);

/** The link between nodes: the settings', else InfiniBand NDR, which is assumed. */
const roof_link *rf_model_network(const roof_model_settings *settings);

/** Refuses a network that was asked for by name where all devices are in one node. */
roof_status rf_model_network_check(const roof_link *network, double devices, double node, roof_error *error);

/** Where `ranks` devices lie, of which a node has `local`. */
model_nodes rf_model_nodes(double ranks, double local);

/** Seconds to expect of a collective over a link, with its values in order: bytes, ranks, algorithm; those of the bare
 * link where the target has no constants for it, or is NULL. */
double rf_model_transfer_seconds(const roof_target *target, const roof_op *op, const roof_link *link,
                                 const double values[3], roof_work *work);

/** The same where `neighbours` of the ranks share what a host has of the link; 0: all ranks. */
double rf_model_shared_seconds(const roof_target *target, const roof_op *op, const roof_link *link,
                               const double values[3], double neighbours, roof_work *work);

/** Index of the algorithm that is the faster for this buffer over this link; an engine's, or NCCL's. */
int rf_model_faster(const roof_target *target, const roof_op *op, const roof_link *link, double bytes,
                    double ranks, bool engine);

/* pipeline.c */
/** Adds `count` times what a pipeline's stages are timed by. */
void rf_model_pipeline_add(model_step *step, double count, const roof_model_operation *operation);

/** Devices' time with nothing to do. */
model_seconds rf_model_idle(const model_step *step);

/** The least seconds of a step, an update not counted, however the layers are cut into stages. */
double rf_model_pipeline_least(const model_step *step);

/** Stages that hold the model's layers when each is as full as the fullest. */
double rf_model_full_stages(const roof_model_target *target);

/* transfer.c */
/** Adds `count` transfers by the faster of ring and tree; over several nodes first in the node, then between
 *  nodes what is left. Nothing with one rank. */
void rf_model_transfers(model_step *step, double count, const model_transfer *transfer);

/** What the layers of a kind exchange: sums (tensor parallel), tokens (experts), keys or results
 *  (context). */
void rf_model_layer_transfers(model_step *step, double count, const roof_model_block *block);

/** Adds up `count` times the parts of a result of all tokens that the devices of tp have. */
void rf_model_sum(model_step *step, double count);

/** The logits of all parts of the vocabulary. */
void rf_model_logits_transfer(model_step *step);

/** What a stage of a pipeline hands to the next. */
void rf_model_stage_transfers(model_step *step);

/* target.c */
/** What a kernel costs in addition to its work: `given` unless that is NaN, the machine's, or the mode's
 *  assumption. */
roof_kernel_cost rf_model_kernel_cost(const roof_machine *machine, roof_launch mode, double given);
/** Has a target whose options give the cost of a launch count it once, and as little as it may be in its bound. */
void rf_model_launched(roof_target *target, const roof_kernel_cost *cost, roof_launch mode, double given);

/** The format that activations are multiplied in: their own, the other 16-bit one, or fp32. */
roof_dtype rf_model_compute(const roof_machine *machine, roof_dtype wanted);
/** Bytes that a step reads where a weight takes so many. */
double rf_model_passing_weights(const roof_model_target *target, double weight_bytes);
/** Activations are quantised to the format of a part's weights where the machine multiplies it. */
bool rf_model_is_quantized(const roof_model_precision *precision, int part);

/* train.c */
/** How often an operation is done. */
typedef struct model_passes {
  double all;      /**< once but for training */
  double backward; /**< of them in the backward pass */
  double again;    /**< of those, what the forward pass did already */
} model_passes;

model_passes rf_model_passes_of(const model_step *step, const model_call *call);

/** Adds what replicas exchange, and the optimizer. */
void rf_model_update(model_step *step);

/** Operations from `first` on are rf_model_update's: what hides of their transfers is taken from their
 *  expected time. */
void rf_model_hide(model_step *step, int first);

/* shares.c */
/** Bytes of the weights with the host that a training step reads, once in each pass of each microbatch. */
double rf_model_streamed_weights(const model_step *step);

/** Bytes that an update moves to the host, where state of the optimizer or weights lie there: not fewer than come back. */
double rf_model_streamed_update(const model_step *step);

/** Replicas of the dense weights, or of the experts'. */
double rf_model_replicas(const roof_model_settings *settings, bool experts);

/** Bytes of the weights that are this device's, of which ZeRO 3 leaves it a part. */
double rf_model_own_weights(const roof_model_target *target);
/** Elements that are trained, of which from a stage of ZeRO on each replica has its part. */
double rf_model_own_trained(const roof_model_target *target, double stage);
/** Bytes of this device's part of the optimizer's state. */
double rf_model_own_state(const roof_model_target *target);

/** Has the host keep a share of `*bytes`: two layers of it are on the device, the one in use and the one that comes. */
void rf_model_move_out(const roof_model_target *target, roof_model_capacity *capacity, double *bytes,
                       double share);

/* skew.c */
/** Whether some experts are chosen more often than others, as far as is known. */
bool rf_model_prefers_experts(const roof_model_settings *settings);

/* train_memory.c */
/** Weights, gradients, optimizer and kept activations of a training step. */
void rf_model_train_capacity(const roof_model_target *target, roof_model_capacity *capacity);
/* capacity.c */
/** Elements of weights that one device has a share of, on the fullest stage. */
typedef struct model_weights {
  double parts[ROOF_PART_COUNT];
  double vectors, table;
} model_weights;

model_weights rf_model_local_weights(const roof_model_target *target);

/** Bytes that this device has of one layer of a kind. */
double rf_model_layer_bytes(const roof_model_target *target, const roof_model_block *block);

/** Bytes of them as they are stored. */
double rf_model_weight_bytes(const roof_model_target *target, const model_weights *weights);

/** Elements of the experts, or of all others. */
double rf_model_weight_elements(const model_weights *weights, bool experts);

/** Elements on one device that a training step changes, those of experts or the others. */
double rf_model_trained_elements(const roof_model_target *t, const model_weights *w, bool experts);

/* settings.c */
/** Bytes of a device that `c` may take in all: engine_memory.c. NaN where its memory is not known. */
double rf_engine_capacity(const roof_model_target *t, const roof_model_capacity *c);

/** The bit of `typed` of the setting `name`. */
unsigned long long rf_model_setting_bit(const char *name);

/** Whether the setting `name` was given as a word. */
bool rf_model_typed(const roof_model_settings *settings, const char *name);

/** Refuses what no cluster is. */
roof_status rf_cluster_settings_check(const roof_cluster_settings *settings, roof_error *error);

/* plan.c */
/** Microbatches of so many sequences of a replica. */
double rf_model_microbatches(const roof_model_settings *settings, double sequences);

/** The next divisor of so many sequences after `count`; infinite after the last. */
double rf_model_next_microbatches(double sequences, double count);

/** Checks that the settings' plan divides the model. */
roof_status rf_model_plan_check(const roof_model *model, const roof_model_settings *settings,
                                roof_error *error);

/** The same, and that it cuts no weights that engines refuse to cut. */
bool rf_model_plan_runs(const roof_model *model, const roof_model_settings *settings);

/** Resolves links and operations of a target's plan and what each device gets. Refuses several devices of a
 *  machine without a link. */
roof_status rf_model_plan_init(roof_model_target *target, roof_error *error);

/** Whether a device exchanges with others of its node over the link that leads to the host. */
bool rf_model_one_port(const roof_model_target *target);

/* capacity.c */
/** What is there, and whether it fits, where so many tokens of prompts are processed at once; not what would fit besides. */
roof_model_capacity rf_model_capacity_at(roof_model_target *target, double tokens);

/* answer.c */
/** A step of the target's batch, to which nothing is added yet; it is written to `out`. */
void rf_model_start(model_step *step, const roof_model_target *target, roof_model_phase *out);
void rf_model_add_group(model_step *step, const model_group *group);
/** `queries` tokens of each sequence of the batch, after `first` to `last` that are there. */
void rf_model_add_decoding(model_step *step, double queries, double first, double last);
/** The phase of the streams' inputs of so many sequences of a replica, as a prompt begins with; false, and the phase untouched,
 *  where the model has none. */
bool rf_model_encode(const roof_model_target *target, double sequences, roof_model_phase *phase);
/** Seconds of one prompt on each replica, its encoder's included, of which each stage of a pipeline waits for the others a share,
 *  scratch->bubble; scratch->energy_joules is of both. `scratch` is left with no phase in it. */
double rf_model_one_prompt_seconds(const roof_model_target *target, roof_model_phase *scratch);

/* serving.c */
/** Of a prompt, those that no cache holds. */
double rf_model_fresh_tokens(const roof_model_target *target);
/** Of a target's batch, from the seconds of a prompt, those of them that the fullest stage is busy, and a step's per token. */
roof_model_continuous rf_model_continuous(const roof_model_target *target, double prompt_seconds,
                                          double busy_seconds, double step_seconds);

/* queue.c */
/** A share of the requests, 0: what holds on average; and the quantile of the normal curve there. */
typedef struct model_quantile {
  double share, normal;
} model_quantile;

model_quantile rf_model_quantile(double share);

/** Times of one replica's requests. */
typedef struct model_pace {
  double first; /**< seconds of a prompt that waits for no other */
  double next; /**< seconds after which the next prompt can begin: in a pipeline before this one is through */
  double busy; /**< of them, those that the other requests' tokens wait */
  double step; /**< seconds per token without prompts */
  double tokens; /**< generated by a request, the first of them by its prompt */
} model_pace;

typedef struct model_seen {
  double ttft_seconds,
      tpot_seconds; /**< that a share of the requests do not exceed; infinite: saturated; NaN: no token follows */
  double rate;      /**< requests per second */
  double busy;      /**< share of the time in which a prompt is processed */
} model_seen;

/** So many requests at once, each followed by the next. */
model_seen rf_model_closed(const model_pace *pace, double sequences, const model_quantile *quantile);

/** Requests that come at random, so many per second; `step` is that of the sequences that there are then. */
model_seen rf_model_open(const model_pace *pace, double rate, const model_quantile *quantile);

/** Sequences at once that a share of the time does not exceed. */
double rf_model_at_once(double mean, const model_quantile *quantile);

/* search.c */
typedef void model_plan_visit(void *data, double tp, double pp, double dp, double ep);

/** Every split of the devices along the axes; what does not divide the model is among them. */
void rf_model_each_plan(const roof_model *model, double devices, model_plan_visit *visit, void *data);

/** Refuses a number of devices, or a machine that does not say its memory or link. */
roof_status rf_model_search_check(const roof_model_target *target, double devices, roof_error *error);

/** Price of a million tokens on devices that together cost so much an hour, with the energy of each token where that is paid
 *  for. */
double rf_model_token_price(const roof_plan_limits *limits, double price, double tokens_per_second,
                            double joules_per_token);

/** Refuses a search that found no plan. */
roof_status rf_model_search_end(const roof_model *model, double devices, double plans, roof_error *error);

/** What each device gets, from the settings, and the link within a node; false where none joins those that share. */
bool rf_model_plan_share(roof_model_target *target);

/** Tokens of the step that are on this device between the products that tp shares: sequence parallel gives
 *  each device some. */
double rf_model_outer_tokens(const model_step *step);

/** Experts that the devices hold together: as many on each, of which those beyond the model's are copies (redundant
 *  experts). */
double rf_model_expert_slots(const roof_model_block *block, const roof_model_settings *settings);

/* skew.c */
/** What the busiest of the devices that share experts has to do, over the mean: they are placed by what they have to do, the most
 *  first, to the device with the least (EPLB, deepseek-ai/EPLB 2025). 1 where all are as popular. */
double rf_model_expert_imbalance(const roof_model_block *block, const roof_model_settings *settings);

/** Experts that `tokens` touch, copies counted. */
double rf_model_experts_touched(const roof_model_block *block, const roof_model_settings *settings,
                                double tokens);

/** Devices over which one expert is cut: those of tp that are not taken by ep. */
double rf_model_expert_cut(const roof_model_settings *settings);

/* One layer's parts, `count` layers of them. */
void rf_model_attention(model_step *step, double count, const roof_model_block *block);
void rf_model_state_space(model_step *step, double count, const roof_model_block *block);
void rf_model_mlp(model_step *step, double count, const roof_model_block *block);
void rf_model_extras(model_step *step, double count, const roof_model_block *block);

/* stream.c */
/** Passes of a step for each image, 1 where none is made. */
double rf_model_passes(const roof_model_target *target);
/** Inputs of a stream that each sequence has: one to attend to, or as many as the settings say. */
double rf_model_inputs(const roof_model_target *target, const roof_model_stream *stream);
/** Devices' inputs of a stream that runs before the model's own layers: whether any does with these settings. */
bool rf_model_encodes(const roof_model_target *target);
/** Sets up the step for a stream's inputs of all sequences. */
void rf_model_start_stream(model_step *step, double stream);
/** The products outside of layers, before or after them. */
void rf_model_outer_products(model_step *step, bool last);
/** Keys and values that the model's own layers attend to, made once of a stream's result. */
void rf_model_source_keys(model_step *step);

/* walk.c */
/** The layers of the step's stream. */
void rf_model_stage(model_step *step);
/** Norms of `rows` tokens of the step's stream, after a residual add in the same kernel or alone. */
void rf_model_norm(model_step *step, double count, const char *name, bool added, double rows);

/** Every operation of the streams that run before the model's own layers. */
void rf_model_walk_streams(model_step *step);

/** Every operation of the step. */
void rf_model_walk(model_step *step);

/** Pairs of a query and a key that it sees, for one sequence: the mean over the group's pasts. */
double rf_model_pairs(const model_group *group, double window, bool chunked);

/** Distinct keys that one sequence's queries see together. */
double rf_model_keys(const model_group *group, const roof_model_block *block);

#endif
