/* Layers with a state of fixed size: selective state spaces (Mamba: Gu and Dao 2023; Mamba-2: Dao and Gu
 * 2024) and linear attention with the gated delta rule (Yang et al. 2025). The state of a sequence, and the
 * last inputs of its convolution, are read and written once. */
#include "ops/check.h"
#include "ops/row.h"
#include "ops/values.h"

/** Elements of one sequence's state and of one token's inputs and results. */
static void recurrence(const double *v, double flops, double state, double inputs, double results,
                       const roof_types *t, roof_work *w) {
  double tokens = v[RF_STATE_SEQUENCES] * v[RF_STATE_TOKENS];
  double kept = v[RF_STATE_SEQUENCES] * state * roof_dtype_bytes(t->kv);
  w->flops = tokens * flops;
  w->read_bytes = tokens * inputs * roof_dtype_bytes(t->compute) + kept;
  w->write_bytes = tokens * results * roof_dtype_bytes(t->output) + kept;
  w->cache_bytes = 2 * kept;
  w->working_set = w->read_bytes + w->write_bytes - kept;
}

static void mamba(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double channels = v[RF_MAMBA_CHANNELS], state = v[RF_MAMBA_STATE];
  recurrence(v, 9 * channels * state, channels * (state + v[RF_MAMBA_KERNEL] - 1), 2 * channels + 2 * state,
             channels, t, w);
}

/** Tokens of its chunk that a token sees in the mean; a chunk is no longer than the prompt. */
static double seen_in_chunk(const double *v, double scan) {
  return (fmin(scan, v[RF_STATE_TOKENS]) + 1) / 2;
}

/** In chunks: inside one the scores of half of its keys, 2 N per group, and their product with the inputs, 2 P
 * per head; the chunk's state in and out, 2 N P per head each. */
static double mamba2_flops(const double *v, double inner) {
  double state = v[RF_MAMBA2_STATE], half = seen_in_chunk(v, v[RF_MAMBA2_SCAN]);
  return v[RF_MAMBA2_SCAN] > 0 ? half * (2 * v[RF_MAMBA2_GROUPS] * state + 2 * inner) + 4 * inner * state
                               : 6 * inner * state;
}

static void mamba2(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  double inner = v[RF_MAMBA2_HEADS] * v[RF_MAMBA2_HEAD_DIM], state = v[RF_MAMBA2_STATE];
  double conv = inner + 2 * v[RF_MAMBA2_GROUPS] * state;
  w->unit = v[RF_MAMBA2_SCAN] > 0 ? op->unit : ROOF_VECTOR;
  recurrence(v, mamba2_flops(v, inner), inner * state + conv * (v[RF_MAMBA2_KERNEL] - 1),
             conv + 2 * v[RF_MAMBA2_HEADS], inner, t, w);
}

/** In chunks a triangular system is solved for each: as many FLOPs again as the scores. */
static double delta_flops(const double *v) {
  double heads = v[RF_DELTA_HEADS], key = v[RF_DELTA_KEY_DIM], value = v[RF_DELTA_VALUE_DIM];
  double half = seen_in_chunk(v, v[RF_DELTA_SCAN]);
  return v[RF_DELTA_SCAN] > 0 ? half * heads * (4 * key + 4 * value) + 6 * heads * key * value
                              : 7 * heads * key * value;
}

static void delta(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  double heads = v[RF_DELTA_HEADS], key = v[RF_DELTA_KEY_DIM], inner = heads * v[RF_DELTA_VALUE_DIM];
  double conv = 2 * v[RF_DELTA_KEY_HEADS] * key + inner;
  w->unit = v[RF_DELTA_SCAN] > 0 ? op->unit : ROOF_VECTOR;
  recurrence(v, delta_flops(v), inner * key + conv * (v[RF_DELTA_KERNEL] - 1), conv + 2 * heads, inner, t, w);
}

static roof_status check_groups(const roof_op *op, const double *v, roof_error *error) {
  return rf_check_divides(op, v, RF_MAMBA2_GROUPS, RF_MAMBA2_HEADS, error);
}

static roof_status check_keys(const roof_op *op, const double *v, roof_error *error) {
  return rf_check_divides(op, v, RF_DELTA_KEY_HEADS, RF_DELTA_HEADS, error);
}

static void conv1d(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double elements = v[RF_CONV1D_TOKENS] * v[RF_CONV1D_CHANNELS];
  w->flops = elements * (2 * v[RF_CONV1D_KERNEL] + 4);
  w->weight_bytes = roof_types_weight_bytes(t, v[RF_CONV1D_CHANNELS] * v[RF_CONV1D_KERNEL]);
  w->read_bytes = elements * roof_dtype_bytes(t->compute) + w->weight_bytes;
  w->write_bytes = elements * roof_dtype_bytes(t->output);
  w->working_set = w->read_bytes + w->write_bytes;
}

#define SEQUENCES                                                                                            \
  [RF_STATE_SEQUENCES] = COUNT("sequences", "sequences, a state each"),                                      \
  [RF_STATE_TOKENS] = COUNT("tokens", "tokens of a sequence (1 in decode)")
#define KERNEL COUNT_OR("kernel", 1, "taps of the convolution before it, whose last inputs are kept")
#define SCAN                                                                                                 \
  {                                                                                                          \
    .name = "scan", .kind = ROOF_PARAM_AMOUNT, .fallback = 0,                                                \
    .text = "tokens of a chunk of the parallel scan, on the matrix unit; 0: one after the other"             \
  }
#define SEEN_IN_CHUNK "(min(scan, tokens) + 1) / 2"
#define MAMBA2_INNER "heads * head_dim"
#define MAMBA2_CONV "(" MAMBA2_INNER " + 2 * groups * state)"
#define DELTA_CONV "(2 * key_heads * key_dim + heads * value_dim)"

static const roof_op ops[] = {
    {.name = "conv1d",
     .family = "state",
     .summary = "causal convolution of each channel and silu, before a state-space layer",
     .unit = ROOF_VECTOR,
     .flops = "tokens * channels * (2 * kernel + 4)",
     .bytes = "tokens * channels * (a + o) + channels * kernel * w",
     .flops_per_element = NAN,
     .source = "Gu and Dao 2023, section 3.4; a product and an add a tap, silu 4",
     .work = conv1d,
     .params = PARAMS([RF_CONV1D_TOKENS] = COUNT("tokens", "tokens"),
                      [RF_CONV1D_CHANNELS] = COUNT("channels", "channels"),
                      [RF_CONV1D_KERNEL] = COUNT("kernel", "taps"))},
    {.name = "mamba",
     .family = "state",
     .summary = "selective state space: each channel's state decays, takes the input, gives the output",
     .unit = ROOF_VECTOR,
     .flops = "9 * sequences * tokens * channels * state",
     .bytes = "sequences * (tokens * ((2 * channels + 2 * state) * a + channels * o) + "
              "2 * channels * (state + kernel - 1) * kv)",
     .flops_per_element = NAN,
     .source = "Gu and Dao 2023; state-spaces/mamba issue 110: step, decay, input, update, output are 9 FLOP",
     .work = mamba,
     .params = PARAMS(
         SEQUENCES, [RF_MAMBA_CHANNELS] = COUNT("channels", "channels"),
         [RF_MAMBA_STATE] = COUNT("state", "elements of the state a channel"), [RF_MAMBA_KERNEL] = KERNEL)},
    {.name = "mamba2",
     .family = "state",
     .summary = "state space of heads, one decay per head; a prompt is scanned in chunks",
     .unit = ROOF_MATRIX,
     .flops = "sequences * tokens * (scan > 0 ? " SEEN_IN_CHUNK " * (2 * groups * state + 2 * " MAMBA2_INNER
              ") + 4 * " MAMBA2_INNER " * state : 6 * " MAMBA2_INNER " * state)",
     .bytes = "sequences * (tokens * ((" MAMBA2_CONV " + 2 * heads) * a + " MAMBA2_INNER " * o) + "
              "2 * (" MAMBA2_INNER " * state + " MAMBA2_CONV " * (kernel - 1)) * kv)",
     .flops_per_element = NAN,
     .source = "Dao and Gu 2024, sections 6 and 7; without chunks decay 1, input 2, add 1, output 2",
     .work = mamba2,
     .check = check_groups,
     .params = PARAMS(SEQUENCES, [RF_MAMBA2_HEADS] = COUNT("heads", "heads"),
                      [RF_MAMBA2_HEAD_DIM] = COUNT("head_dim", "elements of a head"),
                      [RF_MAMBA2_STATE] = COUNT("state", "elements of the state an element of a head"),
                      [RF_MAMBA2_GROUPS] = COUNT_OR("groups", 1, "groups of heads that share B and C"),
                      [RF_MAMBA2_KERNEL] = KERNEL, [RF_MAMBA2_SCAN] = SCAN)},
    {.name = "delta",
     .family = "state",
     .summary = "linear attention with the gated delta rule; a prompt is scanned in chunks",
     .unit = ROOF_MATRIX,
     .flops = "sequences * tokens * heads * (scan > 0 ? " SEEN_IN_CHUNK
              " * (4 * key_dim + 4 * value_dim) + 6 * key_dim * value_dim : 7 * key_dim * value_dim)",
     .bytes = "sequences * (tokens * ((" DELTA_CONV " + 2 * heads) * a + heads * value_dim * o) + "
              "2 * (heads * key_dim * value_dim + " DELTA_CONV " * (kernel - 1)) * kv)",
     .flops_per_element = NAN,
     .source = "Yang et al. 2025; without chunks decay 1, read by the key 2, outer product 2, read 2",
     .work = delta,
     .check = check_keys,
     .params = PARAMS(SEQUENCES, [RF_DELTA_HEADS] = COUNT("heads", "heads of values"),
                      [RF_DELTA_KEY_HEADS] = {.name = "key_heads",
                                              .kind = ROOF_PARAM_COUNT,
                                              .fallback = NAN,
                                              .same_as = "heads",
                                              .text = "heads of queries and keys"},
                      [RF_DELTA_KEY_DIM] = COUNT("key_dim", "elements of a key"),
                      [RF_DELTA_VALUE_DIM] = COUNT("value_dim", "elements of a value"),
                      [RF_DELTA_KERNEL] = KERNEL, [RF_DELTA_SCAN] = SCAN)},
};

FAMILY(state);
