/** A service under load, event by event: requests arrive, wait, are batched continuously on the predicted step times of a model,
 *  and leave. What is reported is what the serving benchmark of vLLM reports.
 *
 *  Definitions (vLLM, benchmarks/serve.py):
 *    TTFT        from a request's arrival to its first token: its wait in the queue and its prefill
 *    TPOT        (end-to-end time - TTFT) / (generated tokens - 1), of requests that generate more than one
 *    ITL         the time between two tokens of a request that follow each other; each pair counts, tokens that come
 *                together by speculative decoding as one
 *    end-to-end  from the arrival to the last token
 *    throughput  requests, or generated tokens, over the time from the first arrival to the last token
 *    goodput     requests that keep all limits, over the same time
 *
 *  Example:
 *    extern const roof_model_target *target; // by roof_model_target_init
 *    roof_service *service = NULL;
 *    roof_service_answer answer;
 *    if (roof_service_new(target, &service, NULL) == ROOF_OK) {
 *      roof_service_settings settings = roof_service_settings_default(target);
 *      settings.rate = 4;
 *      if (roof_service_run(service, &settings, &answer, NULL) == ROOF_OK && !answer.overloaded) {
 *        printf("%g s to the first token for 99 %% of requests\n", answer.ttft.p99);
 *      }
 *    }
 *    roof_service_free(service); */
#ifndef ROOFLINE_SERVICE_H
#define ROOFLINE_SERVICE_H

#include "roofline/draw.h"
#include "roofline/model.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, name, text): how requests arrive. */
#define ROOF_ARRIVAL_MAP(X)                                                                                  \
  X(ROOF_ARRIVE_POISSON, "poisson", "independent of each other")                                             \
  X(ROOF_ARRIVE_GAMMA, "gamma", "gaps of a gamma distribution: in bursts where `burstiness` is under 1")     \
  X(ROOF_ARRIVE_CONSTANT, "constant", "evenly spaced")

typedef enum roof_arrival {
#define ROOF_ARRIVAL_ENUM(symbol, name, text) symbol,
  ROOF_ARRIVAL_MAP(ROOF_ARRIVAL_ENUM)
#undef ROOF_ARRIVAL_ENUM
      ROOF_ARRIVAL_COUNT
} roof_arrival;

/** X(symbol, name, form): how lengths are distributed. */
#define ROOF_LENGTHS_MAP(X)                                                                                  \
  X(ROOF_LENGTHS_CONSTANT, "constant", "N")                                                                  \
  X(ROOF_LENGTHS_UNIFORM, "uniform", "uniform:LOW:HIGH")                                                     \
  X(ROOF_LENGTHS_EXPONENTIAL, "exponential", "exponential:MEAN")                                             \
  X(ROOF_LENGTHS_LOGNORMAL, "lognormal", "lognormal:MEAN:SIGMA")

typedef enum roof_lengths_kind {
#define ROOF_LENGTHS_ENUM(symbol, name, form) symbol,
  ROOF_LENGTHS_MAP(ROOF_LENGTHS_ENUM)
#undef ROOF_LENGTHS_ENUM
      ROOF_LENGTHS_COUNT
} roof_lengths_kind;

/** Lengths in tokens, rounded to whole ones, at least 1. Exponential and lognormal ones are cut to what can be served. */
typedef struct roof_lengths {
  roof_lengths_kind kind;
  double mean;  /**< uniform: the lowest */
  double other; /**< uniform: the highest; lognormal: the standard deviation of the logarithm */
} roof_lengths;

/** X(symbol, name, text): which replica a request goes to. */
#define ROOF_ROUTING_MAP(X)                                                                                  \
  X(ROOF_ROUTE_ROUND_ROBIN, "round-robin", "one replica after another")                                      \
  X(ROOF_ROUTE_LEAST_LOADED, "least-loaded", "the replica with the fewest requests, the first of equals")    \
  X(ROOF_ROUTE_PREFIX, "prefix",                                                                             \
    "the replica that has most of the prompt in its cache, then the least loaded")

typedef enum roof_routing {
#define ROOF_ROUTING_ENUM(symbol, name, text) symbol,
  ROOF_ROUTING_MAP(ROOF_ROUTING_ENUM)
#undef ROOF_ROUTING_ENUM
      ROOF_ROUTING_COUNT
} roof_routing;

/** X(symbol, name, text): what becomes of a request whose cache must make room. */
#define ROOF_PREEMPTION_MAP(X)                                                                               \
  X(ROOF_PREEMPT_RECOMPUTE, "recompute", "its tokens are processed again, as a prompt")                      \
  X(ROOF_PREEMPT_SWAP, "swap", "its cache goes to the host's memory and comes back")

typedef enum roof_preemption {
#define ROOF_PREEMPTION_ENUM(symbol, name, text) symbol,
  ROOF_PREEMPTION_MAP(ROOF_PREEMPTION_ENUM)
#undef ROOF_PREEMPTION_ENUM
      ROOF_PREEMPTION_COUNT
} roof_preemption;

/** A request of a trace. */
typedef struct roof_request {
  double seconds; /**< since the first */
  double prompt, generate;
  size_t first_block; /**< of its prompt, among roof_requests.blocks */
  size_t block_count; /**< 0: not known */
  size_t line;        /**< of its file */
} roof_request;

/** Requests as they came, by time. Start from `{0}`, release with roof_requests_done. A file in the order of its times is read again
 *  by each run, line by line, and only what all of it is like is kept. */
typedef struct roof_requests {
  const char *format;     /**< static */
  char *path;             /**< of the file that is read again; NULL: `requests` has them all */
  roof_request *requests; /**< NULL where there is a path */
  size_t count;
  double first_seconds, last_seconds; /**< as the file has them */
  double prompt_tokens, generated_tokens;
  roof_request longest;  /**< of the most tokens */
  size_t longest_number; /**< among all, from 1 */
  unsigned *blocks;      /**< equal numbers are equal blocks with equal ones before them */
  size_t block_count;
  double block_tokens; /**< of a block */
  size_t skipped;      /**< rows without a prompt or an answer: requests that failed */
} roof_requests;

/** A stretch of a run, all replicas together: means over its time. */
typedef struct roof_service_bin {
  double queue;       /**< requests that wait */
  double batch;       /**< sequences that generate */
  double kv;          /**< share of the cache's blocks in use; NaN where the memory is unknown */
  double preemptions; /**< in this stretch */
} roof_service_bin;

#define ROOF_SERVICE_BINS 240

/** A run over time, in as many bins whatever its length. */
typedef struct roof_service_timeline {
  double bin_seconds;
  size_t count; /**< of the bins those up to the last in which something is there */
  roof_service_bin bins[ROOF_SERVICE_BINS];
} roof_service_timeline;

/** Seconds of the host for a request that an engine serves (HTTP, scheduler, first message), and for each token of its prompt
 *  (tokenizer), one prompt after another. Of 25 to 45 ms and 3 to 7 us what leaves the least error of the time to the first
 *  token of 1,549 serving points, simulated (ai-dynamo/aiconfigurator@095f58a; 2026-11-23). */
#define ROOF_SERVICE_HOST_SECONDS 0.04
#define ROOF_SERVICE_HOST_TOKEN_SECONDS 5e-6

/** How a service is run. Start from roof_service_settings_default(). */
typedef struct roof_service_settings {
  double rate; /**< requests per second; infinite: all at once */
  roof_arrival arrival;
  double burstiness; /**< shape of the gamma distribution: 1 as Poisson, less in bursts, more evenly */
  double
      concurrency; /**< requests that are always in flight, the next comes as one leaves; 0: they come by the rate */
  double requests;               /**< that arrive in all; of a trace 0: all */
  double seed;                   /**< whole, from 0: the same seed, the same answer */
  roof_lengths prompt, generate; /**< of sessions prompt: what each turn adds */
  roof_lengths turns;            /**< of a session; 1: none. They begin at the rate over their mean */
  double turn_seconds;           /**< mean time from an answer to the next turn, exponentially distributed */
  const roof_requests *trace;    /**< arrivals and lengths of requests; NULL: none */
  double speed;                  /**< of the trace: 2 is twice as fast */
  double sequences;              /**< of a replica at once (vLLM's max_num_seqs) */
  double budget;                 /**< tokens of a step (vLLM's max_num_batched_tokens) */
  bool whole_prompts;            /**< prompts in steps of their own, not in pieces between tokens */
  bool cache;                    /**< blocks of prompts are kept for later ones that begin alike */
  bool
      two_batch_overlap; /**< a step's halves take turns, so that one's transfers hide behind the other's work, where that pays */
  roof_preemption preemption;
  roof_routing routing;
  double
      prefills; /**< of the replicas those that only process prompts and hand over to the others; 0: each does both */
  double host_seconds; /**< of a request before it is in a queue: HTTP, scheduler, first message */
  double
      host_token_seconds; /**< before that for each token of its prompt, one prompt after another: tokenizer */
  roof_service_timeline *timeline; /**< filled by a run; NULL: not wanted */
  double adapters;                 /**< of LoRA, one drawn for each request; 0: none */
  double adapter_rank;
  double adapter_slots; /**< that a device holds at once; 0: all */
  double adapter_skew;  /**< the i-th is asked for i^-skew as often as the first (Zipf); 0: all as often */
  double warmup;       /**< requests that leave first and count in no time but ITL: a service in full swing */
  double share;        /**< of the requests, that roof_service_times.asked is of; 0: none */
  double ttft_seconds; /**< limits of the goodput; NaN: none */
  double tpot_seconds;
} roof_service_settings;

/** A distribution: exact mean and extremes, percentiles within 0.5 %. NaN: of nothing. */
typedef struct roof_service_times {
  double count, mean, p50, p90, p99, most;
  double asked; /**< of the settings' share of the requests; NaN where it is 0 */
} roof_service_times;

typedef struct roof_service_answer {
  double requests; /**< that left */
  double seconds;  /**< from the first arrival to the last token */
  double prompt_tokens, generated_tokens;
  bool
      overloaded; /**< the queue grew to the end: the times below are NaN, for they depend on how long it runs */
  double queue_growth; /**< of the queue, requests per second; 0 where it did not grow */
  double queue_most;   /**< requests that waited at once */
  roof_service_times ttft, tpot, itl, end_to_end;
  roof_service_times wait; /**< before anything of a request is processed; part of the TTFT */
  double requests_per_second, tokens_per_second; /**< tokens: generated */
  double goodput;     /**< requests per second that keep the limits; NaN without any */
  double within;      /**< share of them */
  double utilisation; /**< share of the time that a replica is busy */
  double batch;       /**< sequences that generate, mean over the steps in which one does */
  double kv_mean,
      kv_most; /**< share of the cache's blocks in use, over time; NaN where the machine does not say its memory */
  double preemptions;
  double adapter_loads;            /**< from the host's memory */
  double slot_waits;               /**< share of the requests that found no slot for their adapter at first */
  double slot_wait_seconds;        /**< for one, the mean of all requests; part of the queue */
  double cached;                   /**< share of the prompts' tokens that were in the cache */
  double in_system;                /**< requests, mean over time */
  double price_per_million_tokens; /**< generated; NaN without a price */
  double devices;
} roof_service_answer;

/** A model's steps, tabulated as they are asked for. Many runs may use it, one at a time. */
typedef struct roof_service roof_service;

/** "poisson", "gamma" or "constant".
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_arrival_name(roof_arrival arrival);

/** "round-robin", "least-loaded" or "prefix".
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_routing_name(roof_routing routing);

/** "recompute" or "swap".
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_preemption_name(roof_preemption preemption);

/** Finds arrivals by name.
 *  Units: none.
 *  Ownership: writes *arrival on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_arrival_parse(const char *text, roof_arrival *arrival, roof_error *error);

/** Finds a routing by name.
 *  Units: none.
 *  Ownership: writes *routing on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_routing_parse(const char *text, roof_routing *routing, roof_error *error);

/** Finds a preemption by name.
 *  Units: none.
 *  Ownership: writes *preemption on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_preemption_parse(const char *text, roof_preemption *preemption, roof_error *error);

/** Reads lengths: 1024, 4k, uniform:128:2048, exponential:512, lognormal:512:0.8.
 *  Units: tokens.
 *  Ownership: writes *lengths on success only.
 *  Errors: ROOF_E_NAME, ROOF_E_PARSE, ROOF_E_ARGUMENT for lengths under 1. */
ROOF_API roof_status roof_lengths_parse(const char *text, roof_lengths *lengths, roof_error *error);

/** The mean of a distribution before it is rounded and cut.
 *  Units: tokens.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_lengths_mean(const roof_lengths *lengths);

/** As the reader takes it: "lognormal:512:0.8".
 *  Units: tokens.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_lengths_text(const roof_lengths *lengths, char *buffer, size_t size);

/** Reads a trace: CSV of the Azure LLM inference traces (2023, 2024) or of BurstGPT, or JSON lines of Mooncake; which one, its first
 *  line says. Requests are ordered by their time, those without a prompt or an answer counted and left out.
 *  Units: s, tokens.
 *  Ownership: fills *requests on success only; release it with roof_requests_done.
 *  Errors: ROOF_E_INPUT, ROOF_E_PARSE with line and column, ROOF_E_MEMORY. */
ROOF_API roof_status roof_requests_read(const char *path, roof_requests *requests, roof_error *error);

/** Frees the requests.
 *  Units: none.
 *  Ownership: releases; leaves it empty.
 *  Errors: none. */
ROOF_API void roof_requests_done(roof_requests *requests);

/** The mean rate of a trace.
 *  Units: requests/s.
 *  Ownership: none.
 *  Errors: infinity where all come at once. */
ROOF_API double roof_requests_rate(const roof_requests *requests);

/** One request per second, Poisson, 10000 of them, seed 1; lengths, sequences at once (batch, 256 where it is 1) and tokens
 *  of a step (chunk, 8192 where it is 0) of the target's settings.
 *  Units: as the fields.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_service_settings roof_service_settings_default(const roof_model_target *target);

/** Prepares a target's steps.
 *  Units: none.
 *  Ownership: *service copies the target, but points to its model and machine; release it with roof_service_free.
 *  Errors: ROOF_E_UNSUPPORTED for an encoder, offloaded weights or what generates nothing; ROOF_E_ARGUMENT where the weights do
 *  not fit; ROOF_E_MEMORY. */
ROOF_API roof_status roof_service_new(const roof_model_target *target, roof_service **service,
                                      roof_error *error);

/** Drafts tokens with a model of its own, on the same devices: its steps take time, its weights and cache take room. The target's
 *  settings say how many are drafted (draft, accept).
 *  Units: none.
 *  Ownership: copies the target, but points to its model and machine.
 *  Errors: as roof_service_new; ROOF_E_ARGUMENT where nothing is drafted. */
ROOF_API roof_status roof_service_draft(roof_service *service, const roof_model_target *draft,
                                        roof_error *error);

/** Processes prompts in a pool of its own, all replicas of that target, each of which hands its caches over to the service's: those
 *  only generate. A cache goes over the slower of the links between nodes of both machines, by a port for each device of the smaller
 *  replica.
 *  Units: none.
 *  Ownership: copies the target, but points to its model and machine.
 *  Errors: as roof_service_new; ROOF_E_ARGUMENT for another model or another format of the cache. */
ROOF_API roof_status roof_service_prefill(roof_service *service, const roof_model_target *pool,
                                          roof_error *error);

/** Frees a service, NULL is fine.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none. */
ROOF_API void roof_service_free(roof_service *service);

/** Runs it once. Some hundred nanoseconds for a step; memory grows with the requests in flight, not with all.
 *  Units: s, tokens, requests/s.
 *  Ownership: fills *answer on success only.
 *  Errors: ROOF_E_ARGUMENT for a setting out of range, or requests that can never be served: over the model's context, or
 *  more tokens than the cache holds; ROOF_E_MEMORY. */
ROOF_API roof_status roof_service_run(roof_service *service, const roof_service_settings *settings,
                                      roof_service_answer *answer, roof_error *error);

/** The highest rate at which the queue does not grow, by bisection to 1 %, with the other settings as they are; of a trace at
 *  what mean rate.
 *  Units: requests/s.
 *  Ownership: writes *rate on success only.
 *  Errors: as roof_service_run. */
ROOF_API roof_status roof_service_saturation(roof_service *service, const roof_service_settings *settings,
                                             double *rate, roof_error *error);

/** The share of the requests that keeps the limits at the rate of roof_service_limit_rate. */
#define ROOF_SERVICE_LIMIT_SHARE 0.9

/** The highest rate up to `most` at which that share of the requests keeps the limits of the settings, as roof_service_saturation
 *  finds its rate; 0: at none.
 *  Units: requests/s.
 *  Ownership: writes *rate on success only.
 *  Errors: as roof_service_run. */
ROOF_API roof_status roof_service_limit_rate(roof_service *service, const roof_service_settings *settings,
                                             double most, double *rate, roof_error *error);

/** Tokens that the cache of one replica holds.
 *  Units: tokens.
 *  Ownership: none.
 *  Errors: infinity where the machine does not say its memory. */
ROOF_API double roof_service_cache_tokens(const roof_service *service, const roof_service_settings *settings);

/** Adapters that a device holds at once.
 *  Units: none.
 *  Ownership: none.
 *  Errors: 0 without adapters. */
ROOF_API double roof_service_adapter_slots(const roof_service_settings *settings);

/** Bytes of an adapter on one device.
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: 0 without adapters. */
ROOF_API double roof_service_adapter_bytes(const roof_service *service,
                                           const roof_service_settings *settings);

/** What was asked of a service, and what was found at each rate. */
typedef struct roof_service_study {
  const roof_model_target *target;
  const roof_model_target *pool; /**< that processes prompts; NULL: the target's replicas do */
  roof_service *service;
  roof_service_settings settings; /**< the rate is that of the run */
  roof_requests trace;            /**< where the settings have one, they point to it */
  double *rates;                  /**< asked about */
  size_t count;
  roof_service_answer *answers; /**< at each */
  double saturation;            /**< requests/s; NaN where no rate was asked about */
  double limit_rate;            /**< roof_service_limit_rate up to it; NaN without limits too */
} roof_service_study;

/** X(name): what is typed of a load, a text each, with its unit. */
#define ROOF_SERVICE_MAP(X)                                                                                  \
  X(rate)                                                                                                    \
  X(arrivals)                                                                                                \
  X(burstiness)                                                                                              \
  X(concurrency)                                                                                             \
  X(requests)                                                                                                \
  X(seed)                                                                                                    \
  X(trace)                                                                                                   \
  X(speed)                                                                                                   \
  X(turns)                                                                                                   \
  X(turn_delay)                                                                                              \
  X(preempt)                                                                                                 \
  X(route)                                                                                                   \
  X(prefill)                                                                                                 \
  X(host_time)                                                                                               \
  X(ttft)                                                                                                    \
  X(tpot)

/** X(name): what a load has without a value. */
#define ROOF_SERVICE_SWITCHES_MAP(X) X(whole_prompts) X(no_cache) X(two_batch_overlap)

/** A load as it is typed. NULL or 0: not said. */
typedef struct roof_service_text {
#define ROOF_SERVICE_MEMBER(name) const char *name;
  ROOF_SERVICE_MAP(ROOF_SERVICE_MEMBER)
#undef ROOF_SERVICE_MEMBER
#define ROOF_SERVICE_SWITCH(name) int name;
  ROOF_SERVICE_SWITCHES_MAP(ROOF_SERVICE_SWITCH)
#undef ROOF_SERVICE_SWITCH
  const char *prompt, *generate; /**< distributions, by roof_service_settings_read, as what follows */
  const char *adapters, *rank, *slots, *adapter_skew; /**< of LoRA */
} roof_service_text;

/** Reads words key=value as roof_model_settings_read, where prompt= and generate= may be distributions, as roof_lengths_parse
 *  reads them: those are kept in `typed`, and the settings get their means; adapters=, rank=, slots= and adapter_skew= are kept as well. The share of
 *  the memory is that which engines take where the words have none.
 *  Units: as roof_model_settings.
 *  Ownership: *typed points into the words.
 *  Errors: as roof_model_settings_read, without lists, and as roof_lengths_parse. */
ROOF_API roof_status roof_service_settings_read(const char *const *words, int count,
                                                roof_model_settings *settings, roof_service_text *typed,
                                                roof_error *error);

/** A target with one sequence of each replica, whose settings' batch is the most that a replica takes at once.
 *  Units: none.
 *  Ownership: as roof_model_target_init.
 *  Errors: as roof_model_target_init. */
ROOF_API roof_status roof_service_target_init(roof_model_target *target, const roof_model *model,
                                              const roof_machine *machine,
                                              const roof_model_settings *settings, roof_error *error);

/** Prepares the service and the load as it was typed; several rates, 1..16*2, are a run each.
 *  Units: none.
 *  Ownership: *study points to the target; release it with roof_service_study_done. On failure nothing is to be released.
 *  Errors: as roof_service_new and roof_requests_read; ROOF_E_PARSE, ROOF_E_NAME or ROOF_E_ARGUMENT with the option's name. */
ROOF_API roof_status roof_service_study_init(roof_service_study *study, const roof_model_target *target,
                                             const roof_service_text *typed, roof_error *error);

/** Drafts tokens with a model in the target's plan, in its own precision: roof_service_draft.
 *  Units: none.
 *  Ownership: points to the model.
 *  Errors: as roof_service_draft and roof_model_target_init. */
ROOF_API roof_status roof_service_study_draft(roof_service_study *study, const roof_model *drafter,
                                              roof_error *error);

/** Processes prompts in a pool of its own: roof_service_prefill.
 *  Units: none.
 *  Ownership: points to the target.
 *  Errors: as roof_service_prefill. */
ROOF_API roof_status roof_service_study_prefill(roof_service_study *study, const roof_model_target *pool,
                                                roof_error *error);

/** Runs every rate, then looks for the one that is too much. Once for a study.
 *  Units: as roof_service_answer.
 *  Ownership: the answers are the study's.
 *  Errors: as roof_service_run. */
ROOF_API roof_status roof_service_study_run(roof_service_study *study, roof_error *error);

/** Frees a study.
 *  Units: none.
 *  Ownership: releases; leaves it empty.
 *  Errors: none. */
ROOF_API void roof_service_study_done(roof_service_study *study);

/** Appends the answer's first line: TTFT and TPOT of one run, or what rate is too much.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_service_study_sentence(roof_text *out, const roof_service_study *study);

/** TTFT and TPOT over the rate, or of a run with a timeline what it is like over time.
 *  Units: s, requests/s.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT for fewer than two rates at which the queue does not grow, a trace, or a constant concurrency. */
ROOF_API roof_status roof_service_study_chart(const roof_service_study *study, roof_curves *chart,
                                              roof_error *error);

/** Requests per second of a run.
 *  Units: requests/s.
 *  Ownership: none.
 *  Errors: NaN for a constant concurrency, infinite where all come at once. */
ROOF_API double roof_service_study_rate(const roof_service_study *study, size_t run);

/** Appends the study as JSON, roofline.service/1.
 *  Units: SI, named by the keys.
 *  Ownership: appends to the caller's text.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_service_study_write(const roof_service_study *study, roof_text *out,
                                              roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
