/* The work of operators that multiply: matrix products, convolutions, attention. */
#include <math.h>
#include <string.h>

#include "import/_torch_row.h"

/** Products use the matrix unit, but fp32 and fp64 only if the kernel's name shows it. */
static void set_product(torch_work *w, roof_dtype dtype, double flops, double bytes) {
  w->dtype = dtype;
  w->unit = dtype == ROOF_FP32 || dtype == ROOF_FP64 ? ROOF_VECTOR : ROOF_MATRIX;
  w->product = true;
  w->flops = flops;
  w->bytes = bytes;
}

static bool multiply(const torch_row *r, const torch_arguments *a, double batch, const double mnk[3],
                     torch_work *w) {
  const torch_tensor *left = rf_torch_argument(a, r->at[0]), *right = rf_torch_argument(a, r->at[1]);
  if (left->type < 0 || right->type < 0 || rf_torch_dtype(left) < 0) {
    return false;
  }
  roof_work work;
  roof_types formats = roof_types_of((roof_dtype)rf_torch_dtype(left));
  formats.weights = rf_torch_dtype(right) >= 0 ? (roof_dtype)rf_torch_dtype(right) : formats.compute;
  formats.output = r->at[3] == 0                  ? formats.compute
                   : formats.compute == ROOF_INT8 ? ROOF_FP32 /* int32: as wide */
                                                  : ROOF_BF16;
  if (!rf_torch_ask(r->op, &formats, 4, (double[]){mnk[0], mnk[1], mnk[2], batch}, &work)) {
    return false;
  }
  set_product(w, formats.compute, work.flops,
              work.read_bytes + work.write_bytes + rf_torch_bytes(rf_torch_argument(a, r->at[2])));
  return true;
}

/** a[..., m, k] b[..., k, n]; a vector is one column. */
bool rf_torch_product(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *left = rf_torch_argument(a, r->at[0]), *right = rf_torch_argument(a, r->at[1]);
  int l = left->rank, n = right->rank;
  if (l < 2 || n < 1 || n > l) {
    return false;
  }
  double inner = left->size[l - 1], columns = n > 1 ? right->size[n - 1] : 1;
  double rows_all = left->elements / inner, batch = 1;
  for (int i = 0; i < n - 2; i++) {
    batch *= right->size[i];
  }
  bool fits = right->size[n > 1 ? n - 2 : 0] == inner && inner > 0 && fmod(rows_all, batch) == 0;
  return fits && multiply(r, a, batch, (double[]){rows_all / batch, columns, inner}, w);
}

/** x[..., in] weight[out, in]. */
bool rf_torch_product_transposed(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *x = rf_torch_argument(a, r->at[0]), *weight = rf_torch_argument(a, r->at[1]);
  bool fits =
      x->rank >= 1 && weight->rank == 2 && weight->size[1] > 0 && x->size[x->rank - 1] == weight->size[1];
  return fits &&
         multiply(r, a, 1, (double[]){x->elements / weight->size[1], weight->size[0], weight->size[1]}, w);
}

/** Elements that a convolution gives, NaN when its stride or padding is not recorded. */
static double convolved(const torch_row *r, const torch_arguments *a, const torch_tensor *x,
                        const torch_tensor *weight) {
  double stride[TORCH_RANK], padding[TORCH_RANK], dilation[TORCH_RANK];
  int strides = rf_torch_numbers(a, r->at[2], stride), paddings = rf_torch_numbers(a, r->at[3], padding);
  int dilations = rf_torch_numbers(a, r->at[4], dilation);
  double elements = x->size[0] * weight->size[0];
  for (int d = 0; d < x->rank - 2; d++) {
    double step = strides > 0 ? stride[d < strides ? d : strides - 1] : NAN;
    double edge = paddings > 0 ? padding[d < paddings ? d : paddings - 1] : NAN;
    double apart = dilations > 0 ? dilation[d < dilations ? d : dilations - 1] : 1;
    double side = floor((x->size[d + 2] + 2 * edge - apart * (weight->size[d + 2] - 1) - 1) / step) + 1;
    elements *= side > 0 ? side : NAN;
  }
  return elements;
}

/** A convolution of any number of dimensions is one product: a pixel's taps by the weights of its group. */
static bool convolve(const torch_tensor *x, const torch_tensor *weight, double results, double taps,
                     double moved, double times, torch_work *w) {
  int dtype = rf_torch_dtype(x);
  roof_work work;
  roof_types formats = roof_types_of((roof_dtype)(dtype >= 0 ? dtype : 0));
  if (dtype < 0 || weight->type < 0 || !(results >= 1) || !(taps >= 1) ||
      !rf_torch_ask("gemm", &formats, 4, (double[]){results, 1, taps, 1}, &work)) {
    return false;
  }
  set_product(w, formats.compute, times * work.flops,
              times * (rf_torch_bytes(x) + rf_torch_bytes(weight) + moved * rf_torch_width(x)));
  return true;
}

bool rf_torch_convolution(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *x = rf_torch_argument(a, r->at[0]), *weight = rf_torch_argument(a, r->at[1]);
  bool fits = x->rank >= 3 && x->rank == weight->rank && weight->size[0] > 0;
  if (!fits || rf_torch_truth(a, r->at[5]) == 1) {
    return false;
  }
  double results = convolved(r, a, x, weight);
  return convolve(x, weight, results, weight->elements / weight->size[0], results, 1, w);
}

/** The gradients of the input and of the weight each multiply as often as the forward pass. */
bool rf_torch_convolution_backward(const torch_row *r, const torch_arguments *a, torch_work *w) {
  const torch_tensor *gradient = rf_torch_argument(a, r->at[0]), *x = rf_torch_argument(a, r->at[1]),
                     *weight = rf_torch_argument(a, r->at[2]);
  if (x->rank < 3 || x->rank != weight->rank || weight->size[0] <= 0 || rf_torch_truth(a, r->at[3]) == 1) {
    return false;
  }
  double times = 2;
  if (r->at[4] < a->value_count) {
    rf_span mask = a->values[r->at[4]]; /* "[True, True, False]" */
    const char *first = memchr(mask.at, '[', mask.size), *comma = memchr(mask.at, ',', mask.size);
    times = first != NULL && comma != NULL
                ? (first[1] == 'T') + (mask.at + mask.size > comma + 2 && comma[2] == 'T')
                : 2;
  } else {
    w->estimated = true;
  }
  return times > 0 && convolve(x, weight, gradient->elements, weight->elements / weight->size[0],
                               gradient->elements, times, w);
}

static bool attend(const torch_row *r, const torch_arguments *a, double flops, double bytes, torch_work *w) {
  const torch_tensor *q = rf_torch_argument(a, r->at[0]), *k = rf_torch_argument(a, r->at[1]);
  int heads = r->at[4], positions = r->at[5], causal = rf_torch_truth(a, r->at[3]);
  if (q->rank != 4 || k->rank != 4 || q->type < 0 || rf_torch_dtype(q) < 0) {
    return false;
  }
  roof_work work;
  roof_types formats = roof_types_of((roof_dtype)rf_torch_dtype(q));
  const double values[] = {q->size[0], q->size[heads], q->size[positions], k->size[positions],
                           q->size[3], k->size[heads], causal == 1};
  if (!rf_torch_ask(r->op, &formats, 7, values, &work)) {
    return false;
  }
  set_product(w, formats.compute, flops * work.flops, bytes * (work.read_bytes + work.write_bytes));
  w->estimated = causal < 0;
  return true;
}

bool rf_torch_attention(const torch_row *r, const torch_arguments *a, torch_work *w) {
  return attend(r, a, 1, 1, w);
}

/** Five products instead of two; Q, K, V, O and the gradient of each (Dao et al. 2022). */
bool rf_torch_attention_backward(const torch_row *r, const torch_arguments *a, torch_work *w) {
  return attend(r, a, 2.5, 2, w);
}
