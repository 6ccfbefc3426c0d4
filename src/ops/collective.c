/* Communication between ranks: bytes and messages through a rank's busiest link, one direction. The adds and
 * the memory traffic of a reduction hide behind the link and are not counted. `size` is, as in nccl-tests,
 * the bytes of the whole buffer: what every rank holds after an allgather or before a reducescatter. */
#include "ops/row.h"
#include "ops/values.h"

/** Messages in sequence: one per other rank in a ring, one per doubling in a tree, one where all are sent at once. */
static double messages(const double *v) {
  return v[RF_ALGORITHM] == RF_DIRECT ? v[RF_RANKS] > 1
         : v[RF_ALGORITHM] == RF_TREE ? ceil(log2(v[RF_RANKS]))
                                      : v[RF_RANKS] - 1;
}

/** Messages that wait for one another where ranks within a node form a chain, and nodes of eight a tree: a library chooses that
 * itself (NCCL's trees), whichever of the two is named. */
static double chain(const double *v) {
  enum { NODE = 8 };
  double ranks = v[RF_RANKS];
  return v[RF_ALGORITHM] == RF_DIRECT ? messages(v)
         : ranks > NODE               ? NODE - 1 + ceil(log2(ranks / NODE))
                                      : ranks - 1;
}

static void through_link(const double *v, double bytes, double steps, roof_work *w) {
  w->link_bytes = bytes;
  w->link_steps = steps;
  w->working_set = v[RF_SIZE];
  w->kernel = (roof_kernel_shape){.kind = ROOF_KERNEL_COLLECTIVE, .count = v[RF_RANKS], .depth = steps};
}

static void sendrecv(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op, (void)t;
  through_link(v, v[RF_SIZE], 1, w);
  w->kernel.count = 2;
}

/** Every rank sends each of the other ranks' parts once, and copies its own; one alone has it in place. */
static void share(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op, (void)t;
  double part = v[RF_SIZE] / v[RF_RANKS];
  through_link(v, part * (v[RF_RANKS] - 1), messages(v), w);
  w->kernel.rows = v[RF_RANKS] > 1 ? part : 0;
  w->kernel.depth = chain(v);
}

static bool is_integer(roof_dtype dtype) {
  return dtype == ROOF_INT8 || dtype == ROOF_INT4;
}

/** Every rank sends its whole buffer to all others at once and adds up what it has got of all. */
static void sum_in_one(const double *v, roof_work *w) {
  w->link_bytes = v[RF_SIZE] * (v[RF_RANKS] - 1);
  w->link_steps = v[RF_RANKS] > 1;
  w->kernel.rows = v[RF_RANKS] > 1 ? v[RF_SIZE] * v[RF_RANKS] : 0;
  w->kernel.depth = ceil(log2(v[RF_RANKS]));
  w->kernel.group = 1;
}

/** Switches add floating point. */
static void allreduce(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  share(op, v, t, w);
  w->link_bytes *= 2;
  w->link_steps *= 2;
  w->kernel.depth *= 2;
  if (v[RF_ALGORITHM] == RF_ONESHOT) {
    sum_in_one(v, w);
  }
  w->least.link_bytes = is_integer(t->compute) ? NAN : fmin(w->link_bytes, v[RF_SIZE]);
}

/** All messages go at once. */
static void alltoall(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  share(op, v, t, w);
  w->kernel.depth = ceil(log2(v[RF_RANKS]));
  if (v[RF_ALGORITHM] == RF_TREE) {
    w->link_bytes = v[RF_SIZE] / 2 * messages(v);
  }
}

static void broadcast(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op, (void)t;
  double copies = v[RF_ALGORITHM] == RF_TREE ? messages(v) : v[RF_RANKS] > 1;
  through_link(v, v[RF_SIZE] * copies, messages(v), w);
  w->kernel.depth = chain(v);
}

enum { EP_TOKENS, EP_HIDDEN, EP_TOP_K, EP_RANKS, EP_GROUPS };

/** A token goes once to each rank that has experts of it, or to the groups of ranks that it is limited to, where
 * it is handed on. */
static void to_experts(const double *v, double bytes, roof_work *w) {
  double ranks = v[EP_RANKS], copies = rf_token_copies(ranks, v[EP_TOP_K], v[EP_GROUPS]);
  w->link_bytes = v[EP_TOKENS] * v[EP_HIDDEN] * bytes * copies * (ranks - 1) / ranks;
  w->link_steps = ranks - 1;
  w->working_set = v[EP_TOKENS] * v[EP_HIDDEN] * bytes * copies;
  w->kernel = (roof_kernel_shape){.kind = ROOF_KERNEL_COLLECTIVE,
                                  .count = ranks,
                                  .rows = ranks > 1 ? w->working_set / ranks : 0,
                                  .depth = ceil(log2(ranks))};
}

static void ep_dispatch(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  to_experts(v, roof_dtype_bytes(t->compute), w);
}

static void ep_combine(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  to_experts(v, roof_dtype_bytes(t->output), w);
}

#define COPIES "ranks * (1 - (1 - 1 / ranks)^top_k)"
#define TO_EXPERTS(op_name, function, meaning, element)                                                      \
  {                                                                                                          \
    .name = op_name, .family = "collective", .summary = meaning, .unit = ROOF_VECTOR, .flops = "0",          \
    .bytes = "0",                                                                                            \
    .link = "tokens * hidden * " element " * (groups > 0 ? min(groups, " COPIES ") : " COPIES                \
            ") * (ranks - 1) / ranks",                                                                       \
    .steps = "ranks - 1", .flops_per_element = NAN,                                                          \
    .source = "Lepikhin et al. 2020 (GShard); DeepSeek-V3 2024, sections 2.1.2 and 3.2.2 (limit of nodes)",  \
    .work = function,                                                                                        \
    .params =                                                                                                \
        PARAMS([EP_TOKENS] = COUNT("tokens", "tokens of a rank"),                                            \
               [EP_HIDDEN] = COUNT("hidden", "elements of a token"),                                         \
               [EP_TOP_K] = COUNT("top_k", "experts that a token is sent to"),                               \
               [EP_RANKS] = COUNT("ranks", "ranks that share the experts, or nodes where a node hands on"),  \
               [EP_GROUPS] = {.name = "groups",                                                              \
                              .kind = ROOF_PARAM_AMOUNT,                                                     \
                              .fallback = 0,                                                                 \
                              .text = "copies of a token at most (topk_group of a config); 0: any"})         \
  }

#define BUFFER                                                                                               \
  { .name = "size", .kind = ROOF_PARAM_BYTES, .fallback = NAN, .text = "bytes of the whole buffer" }
#define STEPS "(algorithm == tree ? ceil(log2(ranks)) : ranks - 1)"
#define SUM_STEPS "(algorithm == direct ? (ranks > 1) : algorithm == tree ? ceil(log2(ranks)) : ranks - 1)"
#define SOURCE(rest) "nccl-tests PERFORMANCE.md (bus bandwidth); Thakur et al. 2005 (steps; tree: " rest ")"

#define COLLECTIVE(op_name, function, meaning, link_text, steps_text, origin)                                \
  COLLECTIVE_BY(op_name, function, meaning, link_text, steps_text, origin,                                   \
                "ring: most bandwidth; tree: fewest steps", "ring", "tree")
#define COLLECTIVE_BY(op_name, function, meaning, link_text, steps_text, origin, algorithms, ...)            \
  {                                                                                                          \
    .name = op_name, .family = "collective", .summary = meaning, .unit = ROOF_VECTOR, .flops = "0",          \
    .bytes = "0", .link = link_text, .steps = steps_text, .flops_per_element = NAN, .source = origin,        \
    .work = function,                                                                                        \
    .params = PARAMS([RF_SIZE] = BUFFER, [RF_RANKS] = COUNT("ranks", "ranks that take part"),                \
                     [RF_ALGORITHM] = {.name = "algorithm",                                                  \
                                       .kind = ROOF_PARAM_CHOICE,                                            \
                                       .fallback = RF_RING,                                                  \
                                       .choices = {__VA_ARGS__},                                             \
                                       .text = algorithms})                                                  \
  }

static const roof_op ops[] = {
    COLLECTIVE_BY(
        "allreduce", allreduce, "every rank gets the sum of all buffers",
        "size * (ranks - 1) * (algorithm == oneshot ? 1 : 2 / ranks)",
        "(algorithm == oneshot ? (ranks > 1) : 2 * " SUM_STEPS ")",
        SOURCE("recursive halving and doubling") "; direct: vLLM csrc/custom_all_reduce.cuh, two stages; "
                                                 "oneshot: TensorRT-LLM allReduceFusionKernels.cu",
        "ring: most bandwidth; tree: fewer steps; direct: to all ranks at once, as engines do within a node; "
        "oneshot: so, the whole buffer",
        "ring", "tree", "direct", "oneshot"),
    COLLECTIVE("allgather", share, "every rank gets every rank's part", "size * (ranks - 1) / ranks", STEPS,
               SOURCE("recursive doubling")),
    COLLECTIVE("reducescatter", share, "every rank gets its part of the sum", "size * (ranks - 1) / ranks",
               STEPS, SOURCE("recursive halving")),
    COLLECTIVE("alltoall", alltoall, "every rank sends each rank a part of its buffer",
               "algorithm == tree ? size / 2 * ceil(log2(ranks)) : size * (ranks - 1) / ranks", STEPS,
               SOURCE("Bruck")),
    COLLECTIVE("broadcast", broadcast, "every rank gets the root's buffer",
               "size * (algorithm == tree ? ceil(log2(ranks)) : (ranks > 1))", STEPS, SOURCE("binomial")),
    {.name = "sendrecv",
     .family = "collective",
     .summary = "a rank sends its buffer to one other rank and receives another",
     .unit = ROOF_VECTOR,
     .flops = "0",
     .bytes = "0",
     .link = "size",
     .steps = "1",
     .flops_per_element = NAN,
     .source = "nccl-tests PERFORMANCE.md (bus bandwidth)",
     .work = sendrecv,
     .params = PARAMS([RF_SIZE] = BUFFER)},
    TO_EXPERTS("ep_dispatch", ep_dispatch, "tokens to the ranks of their experts, once to each", "a"),
    TO_EXPERTS("ep_combine", ep_combine, "the experts' results back to the ranks of their tokens", "o"),
};

FAMILY(collective);
