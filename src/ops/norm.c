/* Row operations: each row is read once (it stays on chip between its passes) and written once. The vectors
 * of scale and shift (one element per column) are not counted: they are negligible against the rows. */
#include "ops/check.h"
#include "ops/row.h"
#include "ops/values.h"

static void rows_work(const roof_op *op, const double *v, const roof_types *types, roof_work *work) {
  map_work(op, v[RF_ROWS] * v[RF_COLS], 1, types, work);
  work->kernel.rows = v[RF_ROWS];
}

/** The deviation waits for the mean. A host makes both for the rows too: half as long again, for PyTorch on five of six GPUs
 * (NeuSight). */
static void layer_norm(const roof_op *op, const double *v, const roof_types *types, roof_work *work) {
  rows_work(op, v, types, work);
  work->kernel.depth = 1;
  work->kernel.count = 1.5;
}

/** Libraries share out the rows of a column among their blocks: none waits for a row. */
static void columns_work(const roof_op *op, const double *v, const roof_types *types, roof_work *work) {
  map_work(op, v[RF_ROWS] * v[RF_COLS], 1, types, work);
}

/** Those of engines read a row element by element. */
static void rms_work(const roof_op *op, const double *v, const roof_types *types, roof_work *work) {
  rows_work(op, v, types, work);
  work->kernel.group = 1;
}

/** Two inputs are added; the sum is a result of its own. */
static void add_norm(const roof_op *op, const double *v, const roof_types *types, roof_work *work) {
  map_work(op, v[RF_ROWS] * v[RF_COLS], 2, types, work);
  work->kernel.rows = v[RF_ROWS];
  work->write_bytes *= 2;
  work->working_set = work->read_bytes + work->write_bytes;
}

static void add_layer_norm(const roof_op *op, const double *v, const roof_types *types, roof_work *work) {
  add_norm(op, v, types, work);
  work->kernel.depth = 1; /* as layer_norm */
}

/** A row that does not stay on chip is read again in every pass but the last, which writes. */
static void softmax(const roof_op *op, const double *v, const roof_types *types, roof_work *work) {
  enum { OF_ONE_WARP = 1024 }; /* elements of a row that stay in the registers of a warp */
  rows_work(op, v, types, work);
  work->kernel.rows = v[RF_COLS] > OF_ONE_WARP ? v[RF_ROWS] : 0;
  work->kernel.depth = 1;
  work->kernel.count = 1.1; /* of a host's time for relu: NeuSight's timings of PyTorch, from 1.06 to 1.25 */
  work->read_bytes *= v[RF_SOFTMAX_PASSES] - 1;
}

static roof_status check_passes(const roof_op *op, const double *v, roof_error *error) {
  double passes = v[RF_SOFTMAX_PASSES];
  return passes >= 2 && passes <= 4
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: passes=%.0f: from 2 (read, write) to 4", op->name,
                              passes);
}

static void gated_norm(const roof_op *op, const double *v, const roof_types *types, roof_work *work) {
  map_work(op, v[RF_ROWS] * v[RF_COLS], 2, types, work);
  work->kernel.rows = v[RF_ROWS];
}

static void topk(const roof_op *op, const double *v, const roof_types *types, roof_work *work) {
  (void)op;
  choice_work(v[RF_ROWS], v[RF_COLS], v[RF_TOPK_KEPT], types, work);
}

static roof_status check_kept(const roof_op *op, const double *v, roof_error *error) {
  return rf_check_at_most(op, v, RF_TOPK_KEPT, RF_COLS, error);
}

#define ROWS(op_name, count, text, bytes_text, function, meaning, origin)                                    \
  {                                                                                                          \
    .name = op_name, .family = "norm", .summary = meaning, .unit = ROOF_VECTOR, .flops = text,               \
    .bytes = bytes_text, .flops_per_element = count, .source = origin, .work = function,                     \
    .params = PARAMS([RF_ROWS] = COUNT("rows", "rows"), [RF_COLS] = COUNT("cols", "elements of a row"))      \
  }

static const roof_op ops[] = {
    {.name = "softmax",
     .family = "norm",
     .summary = "each row: exp(x - max) / sum",
     .unit = ROOF_VECTOR,
     .flops = "5 * rows * cols",
     .bytes = "rows * cols * ((passes - 1) * a + o)",
     .flops_per_element = 5,
     .source = "5 FLOP per element: max, subtract, exp, add, divide; passes as Milakov and Gimelshein 2018",
     .work = softmax,
     .check = check_passes,
     .params = PARAMS([RF_ROWS] = COUNT("rows", "rows"), [RF_COLS] = COUNT("cols", "elements of a row"),
                      [RF_SOFTMAX_PASSES] = COUNT_OR(
                          "passes", 2,
                          "over memory: 2 where a row stays on chip, 3 with max and sum at once, 4 apart"))},
    ROWS("layernorm", 8, "8 * rows * cols", "rows * cols * (a + o)", layer_norm,
         "each row: (x - mean) / deviation, scaled and shifted",
         "Ba et al. 2016; 8 FLOP per element: mean 1, variance 3, normalise 2, scale and shift 2"),
    ROWS("rmsnorm", 5, "5 * rows * cols", "rows * cols * (a + o)", rms_work,
         "each row: x / root mean square, scaled",
         "Zhang and Sennrich 2019; 5 FLOP per element: square, sum, mean, scale by 1/rms, scale by gain"),
    ROWS("batchnorm", 8, "8 * rows * cols", "rows * cols * (a + o)", columns_work,
         "each column over the rows: normalised, scaled and shifted",
         "Ioffe and Szegedy 2015; 8 FLOP per element, as layernorm"),
    ROWS("add_rmsnorm", 6, "6 * rows * cols", "2 * rows * cols * (a + o)", add_norm,
         "y = x + f(x) and its rmsnorm in one pass", "residual 1 and rmsnorm 5; the sum is written too"),
    ROWS("add_layernorm", 9, "9 * rows * cols", "2 * rows * cols * (a + o)", add_layer_norm,
         "y = x + f(x) and its layernorm in one pass", "residual 1 and layernorm 8; the sum is written too"),
    ROWS("gated_rmsnorm", 10, "10 * rows * cols", "rows * cols * (2 * a + o)", gated_norm,
         "rmsnorm of x silu(z) in one pass", "silu 4, product 1 and rmsnorm 5; Dao and Gu 2024, section 7"),
    {.name = "topk",
     .family = "norm",
     .summary = "each row: softmax and its k largest (a router), or a draw from it (k=0: sampling)",
     .unit = ROOF_VECTOR,
     .flops = "5 * rows * cols",
     .bytes = "rows * (cols * a + k * o)",
     .flops_per_element = 5,
     .source = "as softmax; the choice itself and its 4 bytes per row are not counted",
     .work = topk,
     .check = check_kept,
     .params = PARAMS([RF_ROWS] = COUNT("rows", "rows"), [RF_COLS] = COUNT("cols", "elements of a row"),
                      [RF_TOPK_KEPT] = {.name = "k",
                                        .kind = ROOF_PARAM_AMOUNT,
                                        .fallback = 0,
                                        .text = "elements of a row that are written"})},
};

FAMILY(norm);
