/* Mixtures of experts: the router's choice, the experts' products over the rows that they got, the sum of their
 * results, and the layer as a whole. */
#include "ops/check.h"
#include "ops/row.h"
#include "ops/values.h"

#define SAME_EXPERTS "all tokens picking the same experts"

/** `groups` matrices, each for some of the rows; the activation at the end takes no pass of its own. */
static void grouped(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double rows = v[RF_GROUPED_BATCH], in = v[RF_GROUPED_IN], out = v[RF_GROUPED_OUT];
  double gated = v[RF_GROUPED_GATED], results = rows * out / (1 + gated), a = roof_dtype_bytes(t->compute);
  w->flops = 2 * rows * in * out + results * (v[RF_GROUPED_ACTIVATION] + gated);
  w->weight_bytes = roof_types_weight_bytes(t, v[RF_GROUPED_GROUPS] * in * out);
  w->read_bytes = rows * in * a + w->weight_bytes;
  w->write_bytes = results * roof_dtype_bytes(t->output);
  w->working_set = w->read_bytes + w->write_bytes;
  w->no_reuse_bytes = rows * in * out * (a + roof_types_weight_bytes(t, 1));
  w->kernel = (roof_kernel_shape){.kind = ROOF_KERNEL_EXPERTS, /* rows are sorted for one of them too */
                                  .count = v[RF_GROUPED_GROUPS],
                                  .rows = rows,
                                  .columns = out,
                                  .depth = in};
  double spared = v[RF_GROUPED_GROUPS] - fmin(v[RF_GROUPED_FEWEST], rows);
  if (spared > 0) {
    w->least.bytes = w->read_bytes + w->write_bytes - roof_types_weight_bytes(t, spared * in * out);
    w->least.why = v[RF_GROUPED_FEWEST] < rows ? SAME_EXPERTS : "no matrix read without a row";
  }
}

static roof_status check_grouped(const roof_op *op, const double *v, roof_error *error) {
  roof_status status = rf_check_at_most(op, v, RF_GROUPED_FEWEST, RF_GROUPED_GROUPS, error);
  return status == ROOF_OK ? rf_check_halves(op, v, RF_GROUPED_OUT, RF_GROUPED_GATED, error) : status;
}

static void combine(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double hidden = v[RF_COMBINE_HIDDEN];
  w->flops = 2 * v[RF_COMBINE_ROWS] * hidden;
  w->read_bytes = v[RF_COMBINE_ROWS] * hidden * roof_dtype_bytes(t->compute);
  w->write_bytes = v[RF_COMBINE_TOKENS] * hidden * roof_dtype_bytes(t->output);
  w->working_set = w->read_bytes + w->write_bytes;
}

enum { TOKENS, HIDDEN, INTERMEDIATE, EXPERTS, TOP_K, EP, GATED, ACTIVATION, ROUTER, IMBALANCE, TOUCHED };

/** Experts of this device that get a row: as given, else of tokens that pick evenly. */
static double touched_experts(const double *v) {
  return v[TOUCHED] > 0 ? v[TOUCHED] : rf_places_hit(v[EXPERTS], v[TOP_K], v[TOKENS]) / v[EP];
}

static double rows_here(const double *v) {
  return v[TOKENS] * v[TOP_K] / v[EP] * v[IMBALANCE];
}

static void add(roof_work *w, const roof_work *part) {
  w->flops += part->flops;
  w->read_bytes += part->read_bytes;
  w->write_bytes += part->write_bytes;
  w->weight_bytes += part->weight_bytes;
  w->working_set += part->working_set;
}

/** Both products of the experts, with the activation in the first. */
static void add_products(const double *v, double rows, const roof_types *t, roof_work *w) {
  double touched = touched_experts(v), wide = v[INTERMEDIATE];
  double up[] = {rows, touched, v[HIDDEN], (1 + v[GATED]) * wide, v[ACTIVATION], v[GATED], touched};
  double down[] = {rows, touched, wide, v[HIDDEN], 0, 0, touched};
  roof_work first, second;
  roof_work_init(&first);
  roof_work_init(&second);
  grouped(NULL, up, t, &first);
  grouped(NULL, down, t, &second);
  add(w, &first);
  add(w, &second);
  w->no_reuse_bytes = first.no_reuse_bytes + second.no_reuse_bytes;
  w->kernel = first.kernel;
  w->kernel.group = wide;
  w->kernel.routed = v[TOKENS] * v[TOP_K];
}

/** The router's product and its choice. */
static void add_router(const double *v, const roof_types *t, roof_work *w) {
  roof_work product, choice;
  roof_work_init(&product);
  roof_work_init(&choice);
  product_work(v[TOKENS], v[EXPERTS], v[HIDDEN], 1, t, &product);
  choice_work(v[TOKENS], v[EXPERTS], v[TOP_K], t, &choice);
  add(w, &product);
  add(w, &choice);
}

/** Of one kernel that does all: each token in and out once, the fewest experts. Those that `touched` says may be an estimate. */
static double least_bytes(const double *v, double rows, const roof_types *t) {
  double tokens = fmin(rows, v[TOKENS]), touched = touched_experts(v);
  double weights = rf_fewest_experts(touched, v[TOP_K], v[EP]) * (2 + v[GATED]) * v[INTERMEDIATE];
  return tokens * v[HIDDEN] * (roof_dtype_bytes(t->compute) + roof_dtype_bytes(t->output)) +
         roof_types_weight_bytes(t, v[HIDDEN] * (weights + v[ROUTER] * v[EXPERTS]));
}

/** Of the parts' data, what one wrote and the next reads, and the tokens that the router has read before. */
static double counted_twice(const double *v, double rows, const roof_types *t) {
  double tokens = v[ROUTER] > 0 ? rows * v[HIDDEN] + v[TOKENS] * v[EXPERTS] : 0;
  return (rows * (v[INTERMEDIATE] + v[HIDDEN]) + tokens) * roof_dtype_bytes(t->compute);
}

static void moe(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  double rows = rows_here(v);
  roof_work sum;
  roof_work_init(&sum);
  combine(op, (double[]){rows, v[TOKENS], v[HIDDEN]}, t, &sum);
  add(w, &sum);
  add_products(v, rows, t, w);
  if (v[ROUTER] > 0) {
    add_router(v, t, w);
  }
  w->working_set -= counted_twice(v, rows, t);
  w->least.bytes = least_bytes(v, rows, t);
  w->least.why = SAME_EXPERTS ", in one kernel";
}

/** Whether so many experts can get a row: a device has no more, each row touches one, and a token's are different ones. */
static roof_status check_touched(const roof_op *op, const double *v, roof_error *error) {
  static const double rounding = 1e-9;
  double all = v[EXPERTS] / v[EP], rows = v[TOKENS] * v[TOP_K], least = v[TOP_K] / v[EP];
  double touched = v[TOUCHED];
  if (touched > all * (1 + rounding)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: touched=%g is more than the %g experts of a device",
                          op->name, touched, all);
  }
  if (touched > rows * (1 + rounding)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: touched=%g is more than the %g rows of tokens x top_k",
                          op->name, touched, rows);
  }
  if (touched > 0 && touched < least * (1 - rounding)) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "%s: touched=%g is less than %g: a token goes to top_k different experts", op->name,
                          touched, least);
  }
  return ROOF_OK;
}

static roof_status check_moe(const roof_op *op, const double *v, roof_error *error) {
  roof_status status = rf_check_at_most(op, v, TOP_K, EXPERTS, error);
  status = status == ROOF_OK ? rf_check_at_most(op, v, EP, EXPERTS, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  if (v[IMBALANCE] < 1) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "%s: imbalance=%g: the layer waits for the device with the most rows, at least 1, an even share",
        op->name, v[IMBALANCE]);
  }
  if (v[IMBALANCE] > v[EP]) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: imbalance=%g is more than all rows of ep=%.0f",
                          op->name, v[IMBALANCE], v[EP]);
  }
  return check_touched(op, v, error);
}

#define MOE_ROWS "tokens * top_k / ep * imbalance"
#define MOE_TOUCHED                                                                                          \
  "(touched > 0 ? touched : (top_k < experts ? experts * (1 - (1 - top_k / experts)^tokens) : experts) / "   \
  "ep)"

static const roof_op ops[] = {
    {.name = "moe",
     .family = "experts",
     .summary =
         "a layer of experts on one device: router, both products of the experts touched, weighted sum",
     .unit = ROOF_MATRIX,
     .flops =
         MOE_ROWS " * (2 * hidden * intermediate * (2 + gated) + intermediate * (activation + gated) + 2 * "
                  "hidden) + router * tokens * experts * (2 * hidden + 5)",
     .bytes = MOE_ROWS
     " * (2 * hidden * a + intermediate * (a + o) + hidden * o) + tokens * hidden * o + " MOE_TOUCHED
     " * hidden * intermediate * (2 + gated) * w + router * (tokens * (hidden * a + experts * (a + "
     "o) + top_k * o) + hidden * experts * w)",
     .flops_per_element = NAN,
     .source =
         "grouped, combine, linear and topk together; Shazeer et al. 2017; experts touched when each token "
         "picks independently and evenly",
     .work = moe,
     .check = check_moe,
     .batch = "tokens",
     .params = PARAMS([TOKENS] = COUNT("tokens", "tokens, of all devices that share the experts"),
                      [HIDDEN] = COUNT("hidden", "elements of a token"),
                      [INTERMEDIATE] = COUNT("intermediate", "width of an expert on this device"),
                      [EXPERTS] = COUNT("experts", "experts, of all devices"),
                      [TOP_K] = COUNT("top_k", "experts that a token is sent to"),
                      [EP] = COUNT_OR("ep", 1, "devices that the experts are spread over"),
                      [GATED] = {.name = "gated",
                                 .kind = ROOF_PARAM_FLAG,
                                 .fallback = 1,
                                 .text = "1: three matrices an expert, 0: two"},
                      [ACTIVATION] = {.name = "activation",
                                      .kind = ROOF_PARAM_AMOUNT,
                                      .fallback = 4,
                                      .text = "FLOPs of it for an element: silu 4, gelu 12, relu 1"},
                      [ROUTER] = {.name = "router",
                                  .kind = ROOF_PARAM_FLAG,
                                  .fallback = 1,
                                  .text = "0: the tokens are sorted already"},
                      [IMBALANCE] = {.name = "imbalance",
                                     .kind = ROOF_PARAM_AMOUNT,
                                     .fallback = 1,
                                     .text = "rows of the busiest device over its even share"},
                      [TOUCHED] = {.name = "touched",
                                   .kind = ROOF_PARAM_AMOUNT,
                                   .fallback = 0,
                                   .text = "experts of this device that get a row; 0: as even picks do"})},
    {.name = "grouped",
     .family = "experts",
     .summary = "y = f(x W), the rows shared out among `groups` matrices: a mixture's experts",
     .unit = ROOF_MATRIX,
     .flops = FLOPS_OF_RESULTS,
     .bytes = "batch * in * a + groups * in * out * w + batch * out / (1 + gated) * o",
     .flops_per_element = NAN,
     .source = "as linear; Shazeer et al. 2017 (experts), Shazeer 2020 (gated units)",
     .work = grouped,
     .check = check_grouped,
     .batch = "batch",
     .params =
         PARAMS([RF_GROUPED_BATCH] = COUNT("batch", "rows of x, of all groups together"),
                [RF_GROUPED_GROUPS] = COUNT("groups", "matrices that are read"),
                [RF_GROUPED_IN] = COUNT("in", "input features"),
                [RF_GROUPED_OUT] = COUNT("out", "output features of a matrix"),
                [RF_GROUPED_ACTIVATION] = ACTIVATION_OF_RESULTS, [RF_GROUPED_GATED] = GATED_RESULTS,
                [RF_GROUPED_FEWEST] =
                    {.name = "fewest",
                     .kind = ROOF_PARAM_COUNT,
                     .fallback = NAN,
                     .same_as = "groups",
                     .text = "of the matrices, those that are read at least, where `groups` is expected"})},
    {.name = "combine",
     .family = "experts",
     .summary = "each token's sum of its experts' results, weighted",
     .unit = ROOF_VECTOR,
     .flops = "2 * rows * hidden",
     .bytes = "hidden * (rows * a + tokens * o)",
     .flops_per_element = NAN,
     .source = "Shazeer et al. 2017, equation 1; weight and add: 2 FLOP per element",
     .work = combine,
     .params = PARAMS([RF_COMBINE_ROWS] = COUNT("rows", "results of experts, of all tokens"),
                      [RF_COMBINE_TOKENS] = COUNT("tokens", "tokens"),
                      [RF_COMBINE_HIDDEN] = COUNT("hidden", "elements of a result"))},
};

FAMILY(experts);
