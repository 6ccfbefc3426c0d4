/** Parallel plans: links between devices, what a plan costs, the search for the best, a cluster that
 *  trains.
 *
 *  Example:
 *    const roof_link *ndr;
 *    const roof_op *op;
 *    const char *algorithm;
 *    roof_work work;
 *    if (roof_network_find("ndr", NULL, &ndr, NULL) == ROOF_OK && roof_op_find("allreduce", &op, NULL) == ROOF_OK) {
 *      roof_link link = roof_link_complete(ndr, true);
 *      double seconds = roof_collective_seconds(NULL, op, &link, 1e9, 64, &algorithm, &work);
 *      printf("%g s as a %s\n", seconds, algorithm);
 *    } */
#ifndef ROOFLINE_PLAN_H
#define ROOFLINE_PLAN_H

#include "roofline/failures.h"
#include "roofline/model.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A link between nodes, by the name that people type. */
typedef struct roof_network {
  const char *id;
  roof_link link;
} roof_network;

/** The network at `index`, from 0: one port of each, one direction.
 *  Units: bytes/s, s.
 *  Ownership: static.
 *  Errors: NULL when out of range. */
ROOF_API const roof_network *roof_network_at(int index);

/** Finds a network by id ("ndr"), by its link's name ("InfiniBand NDR") or among the machine's own links.
 *  Units: none.
 *  Ownership: writes *link, static or the machine's, on success only.
 *  Errors: ROOF_E_NAME with the nearest id. */
ROOF_API roof_status roof_network_find(const char *name, const roof_machine *machine, const roof_link **link,
                                       roof_error *error);

/** The link, which is between nodes or not, with a latency: its own, or one assumed by its kind and said so in `source`.
 *  Units: s.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_link roof_link_complete(const roof_link *link, bool between_nodes);

/** Devices of a node of such machines, without a setting: 8, or as many as a link joins that goes beyond the host,
 *  whose devices PCI Express joins: 72 of GB200 NVL72.
 *  Units: devices.
 *  Ownership: none.
 *  Errors: 8 where the file does not say what its links join. */
ROOF_API double roof_node_devices(const roof_machine *machine);

/** "ring" or "tree": the faster for this buffer over this link, with the time to expect of it; NULL and the only time
 *  for an operation without algorithms. Without a target, or where its machine has no constants of collectives, the
 *  time at the link's bandwidth and latency.
 *  Units: bytes, s.
 *  Ownership: sets *algorithm (static) and *work, neither NULL.
 *  Errors: NaN of less than one rank, and over a link without a latency (roof_link_complete gives one) where the target
 *  has no constants. `op` is a collective, with an algorithm or without. */
ROOF_API double roof_collective_seconds(const roof_target *target, const roof_op *op, const roof_link *link,
                                        double bytes, double ranks, const char **algorithm, roof_work *work);

#define ROOF_FRONT_MAX 128

/** What a search may spend. */
typedef struct roof_plan_limits {
  double devices;
  double ttft_seconds; /**< NaN: any */
  double tpot_seconds; /**< NaN: any */
  double users;        /**< requests at once, shared evenly by the replicas; 0: any batch */
  double rate;         /**< requests per second that come at random, instead of users; 0: not said */
  double share;        /**< of the requests, that keep the limits (0.9); 0: they hold on average */
  double energy_price; /**< of a kWh, counted with the devices' price; 0: none */
} roof_plan_limits;

/** One plan with one batch, as the requests see it: queues are those of roof_plan_limits.share (docs/plans.md). */
typedef struct roof_plan_point {
  double tp, pp, dp, ep, cp, batch;
  double chunk;  /**< tokens of a prompt that a decoding step carries; 0: whole prompts between the steps */
  int precision; /**< index of the precisions searched */
  double ttft_seconds;
  double tpot_seconds;
  double prompt_seconds; /**< of the TTFT, what is no waiting */
  double busy; /**< share of the time in which a replica processes a prompt; from 1 on it is saturated */
  double device_tokens_per_second; /**< of the users, where the batch is rounded up for the replicas */
  double joules_per_token;         /**< generated; all devices */
  double price_per_million_tokens; /**< generated; NaN without a price */
  double total_bytes;              /**< of one device */
} roof_plan_point;

typedef struct roof_plan_front {
  double tried;            /**< plans x batches x policies x precisions */
  double fit;              /**< of them in memory */
  double within;           /**< of those within the limits */
  roof_plan_point best;    /**< most tokens per second within the limits; batch 0: none */
  roof_plan_point nearest; /**< that fits and exceeds a limit by the least factor; batch 0: none */
  double short_bytes;      /**< of one device, the least of what does not fit; NaN: all fits */
  roof_plan_point points[ROOF_FRONT_MAX]; /**< that fit and no other is better than, by rising TPOT */
  int count;
} roof_plan_front;

/** The time per token; of requests of one token, which have none, the time to it.
 *  Units: s.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_plan_token_seconds(const roof_plan_point *point);

/** By what factor a point exceeds the limit that it exceeds most: 1.2 is 20 % too slow. What is saturated exceeds
 *  any limit, the less saturated by less.
 *  Units: none.
 *  Ownership: none.
 *  Errors: NaN without limits. */
ROOF_API double roof_plan_excess(const roof_plan_limits *limits, const roof_plan_point *point);

/** "tp 2 pp 1 dp 4 ep 8 b16 fp8": a plan in few words, ep and cp where they are shared, the name of its precision where
 *  `precision` is not NULL.
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_plan_point_text(const roof_plan_point *point, const char *precision, char *buffer,
                                    size_t size);

/** Tries every tp x pp x dp (ep and cp) that has `limits->devices` devices and divides the model, each with whole prompts
 *  and with chunks of them, with batches of powers of two per replica up to what fits, or of the users, or as many as
 *  the rate makes, in each precision; other settings are those of `base`, whose chunk and cp are the only ones
 *  where they are set. The front is of time per token against tokens per second and device, whatever the limits.
 *  Units: s, tokens/s, bytes.
 *  Ownership: fills *front on success only.
 *  Errors: as roof_model_target_init; ROOF_E_ARGUMENT when no plan divides the model, or both users and rate are
 *  given; ROOF_E_UNSUPPORTED for an encoder, or a machine that does not say its memory; ROOF_E_MEMORY. */
ROOF_API roof_status roof_plan_search(const roof_model *model, const roof_machine *machine,
                                      const roof_model_settings *base, const roof_model_precision *precisions,
                                      int precision_count, const roof_plan_limits *limits,
                                      roof_plan_front *front, roof_error *error);

/** A point again with the times at the ends of their range, 10th and 90th percentile of what comparable kernels do.
 *  Units: s.
 *  Ownership: fills *low and *high on success only.
 *  Errors: as roof_plan_search. */
ROOF_API roof_status roof_plan_range(const roof_model *model, const roof_machine *machine,
                                     const roof_model_settings *base, const roof_model_precision *precision,
                                     const roof_plan_limits *limits, const roof_plan_point *point,
                                     roof_plan_point *low, roof_plan_point *high, roof_error *error);

/** One plan of a training step. */
typedef struct roof_train_point {
  double tp, pp, dp, ep; /**< tp is 0: no plan */
  bool sp;
  roof_recompute recompute;
  double zero, microbatches;
  double micro_batch; /**< sequences of a microbatch */
  double seconds;     /**< expected, of a step */
  double device_tokens_per_second;
  double mfu;                   /**< mean of all devices */
  double total_bytes;           /**< of one device */
  roof_model_training training; /**< the whole run, where the settings say its tokens */
} roof_train_point;

typedef struct roof_train_front {
  double batch;          /**< sequences per step of all plans */
  double tried;          /**< plans with their microbatches, recomputation and ZeRO */
  double fit;            /**< of them in memory */
  roof_train_point best; /**< the fastest */
  roof_train_point
      points[ROOF_FRONT_MAX]; /**< that fit and no other is faster and smaller than, fastest first */
  int count;
  /* where none fits: */
  roof_train_point nearest; /**< that takes the least memory; its times are NaN */
  double short_bytes;       /**< that it lacks on each device; else NaN */
  double
      enough_devices; /**< of twice as many, four times, ... the first on which a plan fits; NaN: none up to 64 times */
} roof_train_front;

/** A share of the peak that a training run is published to have reached. */
typedef struct roof_published_mfu {
  const char *model, *device; /**< part of the machine's name */
  double devices, mfu;
  const char *source;
} roof_published_mfu;

/** The published MFU at `index`, from 0.
 *  Units: of the dense peak.
 *  Ownership: static.
 *  Errors: NULL when out of range. */
ROOF_API const roof_published_mfu *roof_published_mfu_at(int index);

/** Appends what is published of such a machine, a line each, or that nothing is known here.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_published_mfu_describe(roof_text *out, const roof_machine *machine);

/** Tries every tp x pp x dp (and ep) that has so many devices and divides the model and the batch of `base`,
 *  with and without sequence parallelism, every recomputation, stage of ZeRO and number of microbatches that
 *  divides a replica's sequences; other settings are those of `base`, where a batch of NaN is one sequence per
 *  device. Of equals the first, which is the simplest, stays.
 *  Units: s, tokens/s, bytes.
 *  Ownership: fills *front on success only.
 *  Errors: as roof_plan_search. */
ROOF_API roof_status roof_train_search(const roof_model *model, const roof_machine *machine,
                                       const roof_model_settings *base, double devices,
                                       roof_train_front *front, roof_error *error);

/** X(symbol, name, text): how an all-reduce goes through a cluster. */
#define ROOF_ROUTE_MAP(X)                                                                                    \
  X(ROOF_ROUTE_RING, "ring", "one ring over all devices by one port of each node, the slowest link binds")   \
  X(ROOF_ROUTE_TREE, "tree",                                                                                 \
    "halving and doubling over all devices by one port of each node, the slowest link binds")                \
  X(ROOF_ROUTE_HIERARCHY, "hierarchical",                                                                    \
    "summed within each node, each device's share between nodes, then distributed within the node, piece "   \
    "by piece at once")

typedef enum roof_route {
#define ROOF_ROUTE_ENUM(symbol, name, text) symbol,
  ROOF_ROUTE_MAP(ROOF_ROUTE_ENUM)
#undef ROOF_ROUTE_ENUM
      ROOF_ROUTE_COUNT
} roof_route;

/** Devices that train together, a replica each. */
typedef struct roof_cluster {
  const roof_target *target; /**< of one device, for the times to expect; NULL: those of the bare links */
  roof_link links[ROOF_SPAN_COUNT]; /**< complete: roof_link_complete */
  double node;                      /**< devices that the first link joins */
  double flops_per_second;          /**< of one device */
  double parameters;
  double active_parameters; /**< that a token computes with: no table, few experts; NaN or 0: all */
  double tokens;            /**< of a step, all devices */
  double gradient_bytes;    /**< of one parameter */
} roof_cluster;

/** "ring", "tree" or "hierarchical", and in *text (nullable) what it does.
 *  Units: none.
 *  Ownership: static strings.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_route_name(roof_route route, const char **text);

/** An all-reduce of `bytes` over `devices`, a whole number: 2 (N - 1) / N of the bytes through a link, and its messages, as
 *  the target's constants of collectives say. A ring or tree over several nodes passes the links in them as well, and takes
 *  as long as over the slower; a switch that adds does so by hierarchy alone. By hierarchy N are nodes, and the devices
 *  of the last, which may be fewer, share all bytes.
 *  Units: bytes, s.
 *  Ownership: none.
 *  Errors: NaN where a link's bandwidth is unknown. */
ROOF_API double roof_cluster_all_reduce(const roof_cluster *cluster, roof_route route, double bytes,
                                        double devices);

/** The compute time of a training step on one of `devices`: 6 FLOPs per token and parameter that it uses, 2/3
 *  of it backward (Kaplan et al. 2020).
 *  Units: s.
 *  Ownership: none.
 *  Errors: NaN. */
ROOF_API double roof_cluster_compute(const roof_cluster *cluster, double devices);

/** FLOPs of a step per byte that a device sends: 3 tokens / ((N - 1) x gradient bytes), times the share of the
 *  parameters that a token uses: the gradients sent are those of all.
 *  Units: FLOP/byte.
 *  Ownership: none.
 *  Errors: infinity for one device. */
ROOF_API double roof_cluster_intensity(const roof_cluster *cluster, double devices);

/** The width D from which a product of B x D by D x F, split in two along D, hides the sum of its halves:
 *  each is B D F FLOPs and sends B F elements of `bytes`.
 *  Units: elements.
 *  Ownership: none.
 *  Errors: NaN where the link's bandwidth is unknown. */
ROOF_API double roof_cluster_split_width(const roof_link *link, double flops_per_second, double bytes);

/** The number of devices (real, but whole up to the first beyond a full node, where the time jumps) from which
 *  the gradients' all-reduce takes longer than `share` of the compute time: 1 the whole step, 2/3 the backward
 *  pass that it can hide behind. By hierarchy of devices in full nodes: with fewer in the last, fewer may be too many.
 *  Units: devices.
 *  Ownership: none.
 *  Errors: infinity when it never does, NaN where unknown. */
ROOF_API double roof_cluster_limit(const roof_cluster *cluster, roof_route route, double share);

/** Bytes a device holds for each parameter of mixed-precision Adam at ZeRO `stage` 0 to 3 over `devices`: 2
 *  of weights, 2 of gradients, 12 of optimizer state, each divided from stages 3, 2 and 1 on (Rajbhandari et
 *  al. 2020).
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: NaN for another stage. */
ROOF_API double roof_zero_bytes(int stage, double devices);

/** Bytes a device sends a step for each parameter at that stage: reduce-scatter and all-gather of 2 bytes
 *  each, and at stage 3 the weights gathered once more.
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: NaN for another stage. */
ROOF_API double roof_zero_traffic(int stage, double devices);

/** Share of the time that a pipeline's device waits: (p - 1) / (m + p - 1) (Huang et al. 2019).
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_pipeline_bubble(double stages, double microbatches);

#define ROOF_ZERO_STAGES 4

/** What is asked of a cluster. Start from roof_cluster_settings_default(). */
typedef struct roof_cluster_settings {
  double devices;
  double node; /**< devices that the machine's own link joins; NaN: roof_node_devices */
  double parameters;
  double active_parameters; /**< that a token computes with; NaN: all */
  double tokens;            /**< of a step, all devices */
  double gradient_bytes;    /**< of one parameter */
  double buffer_bytes;      /**< of an all-reduce; NaN: all gradients */
  double stages, microbatches;
  const roof_link *network; /**< between nodes; NULL: InfiniBand NDR */
  unsigned typed;           /**< a bit for each setting that roof_cluster_settings_read has read */
} roof_cluster_settings;

/** What one link asks of the computation. */
typedef struct roof_cluster_link {
  const char *name, *source;
  double bytes_per_second;         /**< one way */
  double flops_per_byte;           /**< that the device does in the time of a byte, one way */
  double flops_per_byte_both_ways; /**< of the bytes of both ways together */
  double split_width;              /**< roof_cluster_split_width, 16 bits per element */
} roof_cluster_link;

/** An all-reduce by one route. */
typedef struct roof_cluster_route {
  const char *name, *text;
  double seconds;                /**< of the buffer asked about */
  double bus_bytes_per_second;   /**< as nccl-tests count it; NaN for one device */
  double gradient_seconds;       /**< of all gradients */
  double exposed_seconds;        /**< of those, after the backward pass that they can hide behind */
  double devices_limit;          /**< from which that takes longer than the step's computation */
  double devices_limit_backward; /**< than its backward pass */
} roof_cluster_route;

/** A stage of ZeRO on one device. */
typedef struct roof_cluster_zero {
  int stage;
  double bytes_per_parameter;
  double bytes, sent_bytes; /**< held, and sent in a step */
  bool fits;                /**< in the memory; true where that is not known */
} roof_cluster_zero;

/** Everything that a cluster is asked. */
typedef struct roof_cluster_answer {
  roof_cluster cluster;
  roof_cluster_link links[ROOF_LINK_MAX + 1]; /**< the machine's, then the one between nodes */
  int link_count;
  roof_cluster_route routes[ROOF_ROUTE_COUNT];
  roof_cluster_zero zero[ROOF_ZERO_STAGES];
  double buffer_bytes;        /**< of the all-reduce */
  double compute_seconds;     /**< of a step on one device */
  double backward_seconds;    /**< of those, of the backward pass */
  double flops_per_byte_sent; /**< infinite for one device */
  double bubble;
} roof_cluster_answer;

/** 64 devices in the machine's nodes, 8e9 parameters, 4e6 tokens per step, gradients in 16 bits, 4 stages, 16
 *  microbatches.
 *  Units: as the fields.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_cluster_settings roof_cluster_settings_default(void);

/** Reads a word key=value: devices, node, params, active, tokens, size, bytes, stages or microbatches.
 *  Units: as roof_cluster_settings.
 *  Ownership: changes *settings on success only.
 *  Errors: ROOF_E_NAME with the nearest name, ROOF_E_PARSE or ROOF_E_ARGUMENT for a value or a setting given twice. */
ROOF_API roof_status roof_cluster_settings_read(const char *word, roof_cluster_settings *settings,
                                                roof_error *error);

/** What the links of a cluster of a target's machine ask for, and how far data parallelism scales on it.
 *  Units: bytes, bytes/s, FLOP/byte, s.
 *  Ownership: fills *answer; texts in it live as long as the machine, the network and the answer.
 *  Errors: ROOF_E_ARGUMENT for settings that no cluster is, and for a network where all devices are in one node;
 *  ROOF_E_UNSUPPORTED where the machine's file has no link or
 *  no peak of the format on the matrix unit; *answer is left alone. */
ROOF_API roof_status roof_cluster_answer_of(const roof_target *target, const roof_cluster_settings *settings,
                                            roof_cluster_answer *answer, roof_error *error);

/** Appends the answer in three paragraphs: an all-reduce by each route, how far data parallelism scales, and what each
 *  stage of ZeRO holds and sends.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_cluster_describe(const roof_cluster_settings *settings, const roof_cluster_answer *answer,
                                    roof_text *out);

/** Appends what a search of training plans found: what was tried, and the best plan, with the days and cost of its run and
 *  its `failures` (nullable).
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_train_plans_sentence(roof_text *out, const roof_model *model, const roof_machine *machine,
                                        const roof_model_settings *settings, double devices,
                                        const roof_train_front *front, const roof_failures *failures);

#ifdef __cplusplus
}
#endif
#endif
