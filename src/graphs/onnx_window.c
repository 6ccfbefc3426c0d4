/* Operators with windows, and matrix products. */
#include <stdio.h>
#include <string.h>

#include "graphs/onnx.h"

/** A window over the dimensions that follow batch and channels. */
typedef struct window {
  int rank;
  double kernel[ONNX_RANK], strides[ONNX_RANK], dilations[ONNX_RANK], pads[2 * ONNX_RANK];
  char auto_pad[16];
  bool ceil;
} window;

static void fill(double *values, int from, int to, double value) {
  for (int i = from; i < to; i++) {
    values[i] = value;
  }
}

static roof_status read_window(onnx_call *c, const onnx_value *x, window *w) {
  w->rank = x->rank - 2;
  if (w->rank < 1) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "`%.60s`: %d dimensions, at least 3 are needed", x->name,
                        x->rank);
  }
  int given = rf_onnx_ints(c->node, "kernel_shape", w->kernel, ONNX_RANK);
  fill(w->strides, rf_onnx_ints(c->node, "strides", w->strides, ONNX_RANK), w->rank, 1);
  fill(w->dilations, rf_onnx_ints(c->node, "dilations", w->dilations, ONNX_RANK), w->rank, 1);
  fill(w->pads, rf_onnx_ints(c->node, "pads", w->pads, 2 * ONNX_RANK), 2 * w->rank, 0);
  rf_onnx_text(c->node, "auto_pad", w->auto_pad, sizeof w->auto_pad);
  w->ceil = rf_onnx_int(c->node, "ceil_mode", 0) == 1;
  return given > 0 && given != w->rank
             ? rf_onnx_fail(c, ROOF_E_ARGUMENT, "a kernel of %d dimensions over %d", given, w->rank)
             : ROOF_OK;
}

static roof_status check_window(onnx_call *c, const window *w) {
  for (int i = 0; i < w->rank; i++) {
    if (!(w->kernel[i] >= 1 && w->strides[i] >= 1 && w->dilations[i] >= 1)) {
      return rf_onnx_fail(c, ROOF_E_ARGUMENT, "kernel %g, stride %g, dilation %g: must be at least 1",
                          w->kernel[i], w->strides[i], w->dilations[i]);
    }
  }
  return ROOF_OK;
}

/** Outputs along a dimension: onnx/docs/Operators.md, Conv and MaxPool. */
static double window_side(const window *w, int i, double in) {
  double span = w->dilations[i] * (w->kernel[i] - 1) + 1, stride = w->strides[i];
  if (strncmp(w->auto_pad, "SAME", 4) == 0) {
    return ceil(in / stride);
  }
  bool valid = strcmp(w->auto_pad, "VALID") == 0;
  double begin = valid ? 0 : w->pads[i], padded = in + (valid ? 0 : w->pads[i] + w->pads[i + w->rank]);
  double steps = (padded - span) / stride;
  double side = (w->ceil ? ceil(steps) : floor(steps)) + 1;
  return w->ceil && (side - 1) * stride >= in + begin ? side - 1 : side; /* no window begins in the padding */
}

static void describe_window(onnx_call *c, const window *w) {
  size_t used = 0;
  for (int i = 0; i < w->rank && used < sizeof c->detail; i++) {
    used += (size_t)snprintf(c->detail + used, sizeof c->detail - used, "%s%.0f", i > 0 ? "x" : " k",
                             w->kernel[i]);
  }
  if (w->strides[0] != 1 && used < sizeof c->detail) {
    snprintf(c->detail + used, sizeof c->detail - used, "/%.0f", w->strides[0]);
  }
}

/** The windows' outputs of `channels` channels, batch first. */
static roof_status set_windows(onnx_call *c, const onnx_value *x, const window *w, double channels) {
  double dims[ONNX_RANK] = {x->dims[0], channels};
  roof_status status = check_window(c, w);
  for (int i = 0; i < w->rank && status == ROOF_OK; i++) {
    dims[i + 2] = window_side(w, i, x->dims[i + 2]);
    if (!(dims[i + 2] >= 1)) {
      status = rf_onnx_fail(c, ROOF_E_ARGUMENT, "a kernel of %g is larger than the padded input of %g",
                            w->kernel[i], x->dims[i + 2]);
    }
  }
  for (int i = 0; i < c->node->out_count && status == ROOF_OK; i++) {
    if (rf_onnx_out(c, i) != NULL) {
      rf_onnx_set(rf_onnx_out(c, i), x->rank, dims);
      rf_onnx_out(c, i)->type = i > 0 ? ONNX_INT64 : 0; /* a pool's second output: where the largest are */
    }
  }
  describe_window(c, w);
  return status;
}

static double product_of(const double *values, int from, int to) {
  double product = 1;
  for (int i = from; i < to; i++) {
    product *= values[i];
  }
  return product;
}

/** Share of the input between the windows of a stride that is longer than the kernel. */
static double between_windows(const onnx_value *x, const onnx_value *y, const window *w) {
  double read = 1;
  for (int i = 0; i < w->rank; i++) {
    double in = x->dims[i + 2];
    read *= w->strides[i] > w->kernel[i] ? fmin(1, y->dims[i + 2] * w->kernel[i] / in) : 1;
  }
  return 1 - read;
}

/** A convolution of input 0 with the weights `weights`: (out, in / groups, kernel). */
static roof_status convolve(onnx_call *c, int weights) {
  const onnx_value *x = rf_onnx_in(c, 0), *k = rf_onnx_in(c, weights);
  double groups = rf_onnx_int(c->node, "group", 1);
  window w = {0};
  if (x == NULL || k == NULL || x->rank != k->rank) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "input and weights have different ranks");
  }
  roof_status status = read_window(c, x, &w);
  if (status != ROOF_OK) {
    return status;
  }
  if (!(groups >= 1 && k->dims[1] * groups == x->dims[1])) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "%g input channels, but weights for %g in %g groups", x->dims[1],
                        k->dims[1], groups);
  }
  memcpy(w.kernel, k->dims + 2, (size_t)w.rank * sizeof *w.kernel);
  status = set_windows(c, x, &w, k->dims[0]);
  if (status == ROOF_OK) {
    c->flops = 2 * rf_onnx_elements(rf_onnx_out(c, 0)) * product_of(k->dims, 1, k->rank);
    c->left_out = between_windows(x, rf_onnx_out(c, 0), &w);
    size_t used = strlen(c->detail);
    if (groups > 1) {
      snprintf(c->detail + used, sizeof c->detail - used, " g%.0f", groups);
    }
  }
  return status;
}

roof_status rf_onnx_conv(onnx_call *c) {
  return convolve(c, 1);
}

roof_status rf_onnx_quantised_conv(onnx_call *c) {
  return convolve(c, 3);
}

roof_status rf_onnx_conv_transpose(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0), *k = rf_onnx_in(c, 1);
  double more[ONNX_RANK] = {0}, sides[ONNX_RANK] = {0}, dims[ONNX_RANK];
  window w = {0};
  if (x == NULL || k == NULL || x->rank != k->rank || x->dims[1] != k->dims[0]) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "input and weights do not match");
  }
  roof_status status = read_window(c, x, &w);
  memcpy(w.kernel, k->dims + 2, (size_t)(w.rank > 0 ? w.rank : 0) * sizeof *w.kernel);
  status = status == ROOF_OK ? check_window(c, &w) : status;
  if (status != ROOF_OK) {
    return status;
  }
  fill(more, rf_onnx_ints(c->node, "output_padding", more, ONNX_RANK), w.rank, 0);
  int given = rf_onnx_ints(c->node, "output_shape", sides, ONNX_RANK);
  dims[0] = x->dims[0];
  dims[1] = k->dims[1] * rf_onnx_int(c->node, "group", 1);
  for (int i = 0; i < w.rank; i++) {
    double span = w.dilations[i] * (w.kernel[i] - 1) + 1, stride = w.strides[i];
    double pads = w.auto_pad[0] == 'S' ? span - stride : w.pads[i] + w.pads[i + w.rank];
    dims[i + 2] = given > i ? sides[i] : stride * (x->dims[i + 2] - 1) + more[i] + span - pads;
  }
  c->flops = 2 * rf_onnx_elements(x) * product_of(k->dims, 1, k->rank);
  rf_onnx_set(rf_onnx_out(c, 0), x->rank, dims);
  describe_window(c, &w);
  return ROOF_OK;
}

roof_status rf_onnx_pool(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  window w = {0};
  if (x == NULL) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "no input");
  }
  roof_status status = read_window(c, x, &w);
  status = status == ROOF_OK ? set_windows(c, x, &w, x->dims[1]) : status;
  if (status == ROOF_OK) {
    c->flops = rf_onnx_elements(rf_onnx_out(c, 0)) * product_of(w.kernel, 0, w.rank);
  }
  return status;
}

roof_status rf_onnx_global_pool(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0);
  double dims[ONNX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
  if (x == NULL || x->rank < 2) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "the input needs at least 2 dimensions");
  }
  memcpy(dims, x->dims, 2 * sizeof *dims);
  rf_onnx_set(rf_onnx_out(c, 0), x->rank, dims);
  c->flops = rf_onnx_elements(x);
  return ROOF_OK;
}

roof_status rf_onnx_local_norm(onnx_call *c) {
  roof_status status = rf_onnx_same(c);
  if (status == ROOF_OK) { /* a square and a sum over the window, then scale, bias, power and division */
    c->flops = (2 * rf_onnx_int(c->node, "size", 1) + 4) * rf_onnx_elements(rf_onnx_in(c, 0));
  }
  return status;
}

roof_status rf_onnx_cast(onnx_call *c) {
  rf_onnx_out(c, 0)->type = (int)fmin(fmax(rf_onnx_int(c->node, "to", ONNX_FLOAT), 0), 255);
  return rf_onnx_same(c);
}

roof_status rf_onnx_dynamic_quantise(onnx_call *c) {
  roof_status status = rf_onnx_same(c);
  for (int i = 1; i < 3 && status == ROOF_OK; i++) {
    if (rf_onnx_out(c, i) != NULL) { /* the scale and the zero point */
      rf_onnx_set(rf_onnx_out(c, i), 0, NULL);
      rf_onnx_out(c, i)->type = i == 1 ? ONNX_FLOAT : ONNX_UINT8;
    }
  }
  return status;
}

static roof_status multiply(onnx_call *c, const onnx_value *a, const onnx_value *b) {
  double dims[ONNX_RANK] = {0};
  if (a == NULL || b == NULL || a->rank < 1 || b->rank < 1) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "factors of at least one dimension are needed");
  }
  int left = a->rank > 2 ? a->rank - 2 : 0, right = b->rank > 2 ? b->rank - 2 : 0;
  int rank = left > right ? left : right;
  double inner = a->dims[a->rank - 1], other = b->dims[b->rank > 1 ? b->rank - 2 : 0];
  if (inner != other) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "`%.40s` has %g columns, `%.40s` %g rows", a->name, inner,
                        b->name, other);
  }
  for (int i = 0; i < rank; i++) {
    double x = i >= rank - left ? a->dims[i - rank + left] : 1,
           y = i >= rank - right ? b->dims[i - rank + right] : 1;
    if (x != y && x != 1 && y != 1) {
      return rf_onnx_fail(c, ROOF_E_ARGUMENT, "batch sizes %g and %g differ", x, y);
    }
    dims[i] = x == 1 ? y : x;
  }
  if (a->rank > 1) {
    dims[rank++] = a->dims[a->rank - 2];
  }
  if (b->rank > 1) {
    dims[rank++] = b->dims[b->rank - 1];
  }
  rf_onnx_set(rf_onnx_out(c, 0), rank, dims);
  c->inner = inner;
  c->flops = 2 * rf_onnx_elements(rf_onnx_out(c, 0)) * inner;
  return ROOF_OK;
}

roof_status rf_onnx_matmul(onnx_call *c) {
  return multiply(c, rf_onnx_in(c, 0), rf_onnx_in(c, 1));
}

roof_status rf_onnx_quantised_matmul(onnx_call *c) {
  return multiply(c, rf_onnx_in(c, 0), rf_onnx_in(c, 3));
}

roof_status rf_onnx_gemm(onnx_call *c) {
  const onnx_value *a = rf_onnx_in(c, 0), *b = rf_onnx_in(c, 1);
  if (a == NULL || b == NULL || a->rank != 2 || b->rank != 2) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "factors of two dimensions are needed");
  }
  int ta = rf_onnx_int(c->node, "transA", 0) != 0, tb = rf_onnx_int(c->node, "transB", 0) != 0;
  double dims[2] = {a->dims[ta], b->dims[1 - tb]};
  if (a->dims[1 - ta] != b->dims[tb]) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "`%.40s` has %g columns, `%.40s` %g rows", a->name,
                        a->dims[1 - ta], b->name, b->dims[tb]);
  }
  rf_onnx_set(rf_onnx_out(c, 0), 2, dims);
  c->inner = b->dims[tb];
  c->flops = 2 * dims[0] * dims[1] * c->inner;
  return ROOF_OK;
}

roof_status rf_onnx_packed_matmul(onnx_call *c) {
  const onnx_value *a = rf_onnx_in(c, 0);
  double dims[ONNX_RANK], columns = rf_onnx_int(c->node, "N", 0);
  if (a == NULL || a->rank < 1 || !(columns >= 1) || a->dims[a->rank - 1] != rf_onnx_int(c->node, "K", 0)) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "K and N do not match the input");
  }
  memcpy(dims, a->dims, sizeof dims);
  dims[a->rank - 1] = columns;
  rf_onnx_set(rf_onnx_out(c, 0), a->rank, dims);
  c->inner = a->dims[a->rank - 1];
  c->flops = 2 * rf_onnx_elements(a) * columns;
  return ROOF_OK;
}

/** LSTM, GRU, RNN: X (steps, batch, in), W (directions, gates hidden, in), R (directions, gates hidden,
 * hidden). */
roof_status rf_onnx_recurrent(onnx_call *c) {
  const onnx_value *x = rf_onnx_in(c, 0), *w = rf_onnx_in(c, 1), *r = rf_onnx_in(c, 2);
  if (x == NULL || w == NULL || r == NULL || x->rank != 3 || w->rank != 3 || r->rank != 3) {
    return rf_onnx_fail(c, ROOF_E_ARGUMENT, "input and weights of three dimensions are needed");
  }
  bool batch_first = rf_onnx_int(c->node, "layout", 0) == 1;
  double steps = x->dims[batch_first], batch = x->dims[!batch_first], hidden = r->dims[2];
  double all[] = {steps, w->dims[0], batch, hidden}, last[] = {w->dims[0], batch, hidden};
  double all_first[] = {batch, steps, w->dims[0], hidden}, last_first[] = {batch, w->dims[0], hidden};
  for (int i = 0; i < c->node->out_count; i++) {
    if (rf_onnx_out(c, i) != NULL && i == 0) {
      rf_onnx_set(rf_onnx_out(c, 0), 4, batch_first ? all_first : all);
    } else if (rf_onnx_out(c, i) != NULL) {
      rf_onnx_set(rf_onnx_out(c, i), 3, batch_first ? last_first : last);
    }
  }
  c->flops = 2 * steps * batch * (rf_onnx_elements(w) + rf_onnx_elements(r));
  return ROOF_OK;
}
