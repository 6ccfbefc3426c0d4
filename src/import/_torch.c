/* One row per operator: which of our operations it is, and the positions of its arguments in the operator's
 * schema (PyTorch, aten/src/ATen/native/native_functions.yaml). Bytes are compulsory: each tensor once. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "import/_torch.h"
#include "roofline/ops.h"

enum { ARGUMENTS = 24, RANK = 8 };

/** A type's name in a trace (caffe2::TypeMeta). */
static const struct {
  const char *name;
  double bytes;
  int dtype; /* -1: it does no FLOPs */
} types[] = {{"float", 4, ROOF_FP32},
             {"double", 8, ROOF_FP64},
             {"c10::Half", 2, ROOF_FP16},
             {"c10::BFloat16", 2, ROOF_BF16},
             {"c10::Float8_e4m3fn", 1, ROOF_FP8},
             {"c10::Float8_e5m2", 1, ROOF_FP8},
             {"c10::Float8_e4m3fnuz", 1, ROOF_FP8},
             {"c10::Float8_e5m2fnuz", 1, ROOF_FP8},
             {"signed char", 1, ROOF_INT8},
             {"unsigned char", 1, -1},
             {"bool", 1, -1},
             {"short", 2, -1},
             {"int", 4, -1},
             {"long", 8, -1},
             {"long int", 8, -1},
             {"c10::complex<float>", 8, -1},
             {"c10::complex<double>", 16, -1}};

enum { TYPES = sizeof types / sizeof types[0] };

/** One argument. A scalar is a tensor of no dimension; `type` -1: no tensor, or of a type not known. */
typedef struct tensor {
  int rank, type;
  double size[RANK], elements;
} tensor;

typedef struct arguments {
  tensor list[ARGUMENTS];
  int count;
  rf_span values[ARGUMENTS];
  int value_count;
} arguments;

static double bytes_of(const tensor *t) {
  return t->type >= 0 ? t->elements * types[t->type].bytes : 0;
}

static int type_of(rf_span name) {
  for (int i = 0; i < TYPES; i++) {
    if (rf_scan_is(name, types[i].name)) {
      return i;
    }
  }
  return -1;
}

/** Sizes of a list of numbers. False for anything else: a list of tensors has lists in it. */
static bool read_sizes(rf_span list, tensor *t) {
  const char *at = list.at + 1;
  rf_span key, value;
  t->elements = 1;
  while (rf_scan_next(&at, &key, &value)) {
    int64_t size = rf_chrome_whole(value, -1);
    if (t->rank == RANK || size < 0) {
      return false;
    }
    t->size[t->rank++] = (double)size;
    t->elements *= (double)size;
  }
  return true;
}

static void read_arguments(const torch_call *call, arguments *a) {
  rf_span key, value;
  const char *shape = call->shapes.at + 1, *type = call->types.at != NULL ? call->types.at + 1 : "";
  *a = (arguments){.count = 0};
  while (a->count < ARGUMENTS && rf_scan_next(&shape, &key, &value)) {
    tensor *t = &a->list[a->count++];
    bool plain = *value.at == '[' && read_sizes(value, t);
    t->type = rf_scan_next(&type, &key, &value) && plain ? type_of(value) : -1;
  }
  const char *at = call->values.at != NULL ? call->values.at + 1 : "";
  while (a->value_count < ARGUMENTS && rf_scan_next(&at, &key, &a->values[a->value_count])) {
    a->value_count++;
  }
}

/* The rows */

typedef struct row row;
typedef bool row_work(const row *r, const arguments *a, torch_work *w);
static row_work product, product_transposed, convolution, convolution_backward, attention, attention_backward,
    map, test, fill, gather;

/** `at`: the positions of the arguments that the function reads; -1: none. */
struct row {
  const char *name; /* without the trailing `_` of the variant in place */
  const char *op;
  row_work *work;
  int tensors; /* at most so many of its arguments are tensors */
  signed char at[6];
  bool wraps, values;
};

#define ROW(name, op, work, tensors, wraps, values, ...)                                                     \
  { name, op, work, tensors, {__VA_ARGS__}, wraps, values }
#define LEAF(name, op, work, tensors, ...) ROW(name, op, work, tensors, false, false, __VA_ARGS__)
#define LEAF_VALUES(name, op, work, tensors, ...) ROW(name, op, work, tensors, false, true, __VA_ARGS__)
#define AROUND(name, op, work, tensors, ...) ROW(name, op, work, tensors, true, false, __VA_ARGS__)
#define AROUND_VALUES(name, op, work, tensors, ...) ROW(name, op, work, tensors, true, true, __VA_ARGS__)

static const row rows[] = {
    /* at: a, b, added, 1: the result is wider (fp8 gives bf16, int8 gives int32) */
    LEAF("aten::mm", "gemm", product, 2, 0, 1, -1),
    LEAF("aten::addmm", "gemm", product, 3, 1, 2, 0),
    LEAF("aten::bmm", "gemm", product, 2, 0, 1, -1),
    LEAF("aten::baddbmm", "gemm", product, 3, 1, 2, 0),
    LEAF("aten::_addmm_activation", "gemm", product, 3, 1, 2, 0),
    LEAF("aten::_scaled_mm", "gemm", product, 6, 0, 1, -1, 1),
    LEAF("aten::_int_mm", "gemm", product, 2, 0, 1, -1, 1),
    LEAF("aten::mv", "gemm", product, 2, 0, 1, -1),
    LEAF("aten::addmv", "gemm", product, 3, 1, 2, 0),
    AROUND("aten::matmul", "gemm", product, 2, 0, 1, -1),
    AROUND("aten::linear", "gemm", product_transposed, 3, 0, 1, 2),
    /* at: input, weight, stride, padding, dilation, transposed */
    AROUND_VALUES("aten::conv1d", "conv2d", convolution, 3, 0, 1, 3, 4, 5, -1),
    AROUND_VALUES("aten::conv2d", "conv2d", convolution, 3, 0, 1, 3, 4, 5, -1),
    AROUND_VALUES("aten::conv3d", "conv2d", convolution, 3, 0, 1, 3, 4, 5, -1),
    AROUND_VALUES("aten::convolution", "conv2d", convolution, 3, 0, 1, 3, 4, 5, 6),
    AROUND_VALUES("aten::_convolution", "conv2d", convolution, 3, 0, 1, 3, 4, 5, 6),
    LEAF_VALUES("aten::cudnn_convolution", "conv2d", convolution, 2, 0, 1, 3, 2, 4, -1),
    LEAF_VALUES("aten::cudnn_convolution_relu", "conv2d", convolution, 3, 0, 1, 3, 4, 5, -1),
    LEAF_VALUES("aten::miopen_convolution", "conv2d", convolution, 3, 0, 1, 4, 3, 5, -1),
    LEAF_VALUES("aten::miopen_depthwise_convolution", "conv2d", convolution, 3, 0, 1, 4, 3, 5, -1),
    LEAF_VALUES("aten::_conv_depthwise2d", "conv2d", convolution, 3, 0, 1, 4, 5, 6, -1),
    LEAF_VALUES("aten::_slow_conv2d_forward", "conv2d", convolution, 3, 0, 1, 4, 5, -1, -1),
    LEAF_VALUES("aten::mkldnn_convolution", "conv2d", convolution, 3, 0, 1, 4, 3, 5, -1),
    /* at: gradient, input, weight, transposed, mask of the results */
    LEAF_VALUES("aten::convolution_backward", "conv2d", convolution_backward, 3, 0, 1, 2, 7, 10),
    /* at: query, key, value, is_causal, dimension of the heads, of the positions */
    AROUND_VALUES("aten::scaled_dot_product_attention", "attention", attention, 4, 0, 1, 2, 5, 1, 2),
    LEAF_VALUES("aten::_scaled_dot_product_flash_attention", "attention", attention, 3, 0, 1, 2, 4, 1, 2),
    LEAF_VALUES("aten::_scaled_dot_product_efficient_attention", "attention", attention, 4, 0, 1, 2, 6, 1, 2),
    LEAF_VALUES("aten::_scaled_dot_product_cudnn_attention", "attention", attention, 4, 0, 1, 2, 6, 1, 2),
    LEAF_VALUES("aten::_scaled_dot_product_fused_attention_overrideable", "attention", attention, 4, 0, 1, 2,
                5, 1, 2),
    LEAF_VALUES("aten::_flash_attention_forward", "attention", attention, 3, 0, 1, 2, 8, 2, 1),
    LEAF_VALUES("flash_attn::_flash_attn_forward", "attention", attention, 3, 0, 1, 2, 5, 2, 1),
    LEAF_VALUES("aten::_scaled_dot_product_flash_attention_backward", "attention", attention_backward, 10, 1,
                2, 3, 11, 1, 2),
    LEAF_VALUES("aten::_scaled_dot_product_efficient_attention_backward", "attention", attention_backward, 9,
                1, 2, 3, 11, 1, 2),
    LEAF_VALUES("aten::_scaled_dot_product_cudnn_attention_backward", "attention", attention_backward, 11, 1,
                2, 3, 14, 1, 2),
    LEAF_VALUES("aten::_flash_attention_backward", "attention", attention_backward, 10, 1, 2, 3, 11, 2, 1),
    LEAF_VALUES("flash_attn::_flash_attn_backward", "attention", attention_backward, 9, 1, 2, 3, 11, 2, 1),
    /* at: nothing; each element of the largest tensor once */
    LEAF("aten::_softmax", "softmax", map, 1, 0),
    LEAF("aten::_log_softmax", "softmax", map, 1, 0),
    AROUND("aten::softmax", "softmax", map, 1, 0),
    AROUND("aten::log_softmax", "softmax", map, 1, 0),
    LEAF("aten::native_layer_norm", "layernorm", map, 3, 0),
    AROUND("aten::layer_norm", "layernorm", map, 3, 0),
    LEAF("aten::native_group_norm", "layernorm", map, 3, 0),
    AROUND("aten::rms_norm", "rmsnorm", map, 2, 0),
    LEAF("aten::_fused_rms_norm", "rmsnorm", map, 2, 0),
    LEAF("aten::native_batch_norm", "batchnorm", map, 5, 0),
    LEAF("aten::cudnn_batch_norm", "batchnorm", map, 5, 0),
    LEAF("aten::miopen_batch_norm", "batchnorm", map, 5, 0),
    LEAF("aten::relu", "relu", map, 1, 0),
    LEAF("aten::threshold_backward", "relu", map, 2, 0),
    LEAF("aten::clamp_min", "relu", map, 1, 0),
    LEAF("aten::clamp_max", "relu", map, 1, 0),
    LEAF("aten::gelu", "gelu", map, 1, 0),
    LEAF("aten::silu", "silu", map, 1, 0),
    LEAF("aten::native_dropout", "dropout", map, 1, 0),
    LEAF("aten::add", "add", map, 2, 0),
    LEAF("aten::sub", "add", map, 2, 0),
    LEAF("aten::rsub", "add", map, 2, 0),
    LEAF("aten::mul", "add", map, 2, 0),
    LEAF("aten::div", "add", map, 2, 0),
    LEAF("aten::maximum", "add", map, 2, 0),
    LEAF("aten::minimum", "add", map, 2, 0),
    LEAF("aten::neg", "scale", map, 1, 0),
    LEAF("aten::abs", "scale", map, 1, 0),
    LEAF("aten::exp", "scale", map, 1, 0),
    LEAF("aten::log", "scale", map, 1, 0),
    LEAF("aten::sqrt", "scale", map, 1, 0),
    LEAF("aten::rsqrt", "scale", map, 1, 0),
    LEAF("aten::reciprocal", "scale", map, 1, 0),
    LEAF("aten::square", "scale", map, 1, 0),
    LEAF("aten::addcmul", "triad", map, 3, 0),
    LEAF("aten::addcdiv", "triad", map, 3, 0),
    LEAF("aten::masked_fill", "copy", map, 2, 0),
    LEAF("aten::where", "copy", map, 3, 0),
    LEAF("aten::eq", "add", test, 2, 0),
    LEAF("aten::ne", "add", test, 2, 0),
    LEAF("aten::lt", "add", test, 2, 0),
    LEAF("aten::le", "add", test, 2, 0),
    LEAF("aten::gt", "add", test, 2, 0),
    LEAF("aten::ge", "add", test, 2, 0),
    /* at: what is written; what is read */
    LEAF("aten::copy", "copy", fill, 2, 0, 1),
    LEAF("aten::fill", "copy", fill, 2, 0, -1),
    LEAF("aten::zero", "copy", fill, 1, 0, -1),
    LEAF("aten::sum", "reduce", fill, 1, -1, 0),
    LEAF("aten::mean", "reduce", fill, 1, -1, 0),
    /* at: table, indices */
    AROUND("aten::embedding", "embedding", gather, 2, 0, 1),
};

static const row *find(rf_span name) {
  size_t size = name.size;
  for (int pass = 0; pass < 2 && size > 0; pass++) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
      if (strlen(rows[i].name) == size && memcmp(rows[i].name, name.at, size) == 0) {
        return &rows[i];
      }
    }
    size -= name.at[size - 1] == '_';
  }
  return NULL;
}

/* Their work */

static const tensor *argument(const arguments *a, int at) {
  static const tensor none = {.type = -1};
  return at >= 0 && at < a->count ? &a->list[at] : &none;
}

/** Our operation's work with its first parameters as given. */
static bool ask(const char *name, const roof_types *formats, int count, const double *given,
                roof_work *work) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  if (roof_op_find(name, &op, NULL) != ROOF_OK) {
    return false;
  }
  roof_op_defaults(op, values);
  memcpy(values, given, (size_t)count * sizeof *given);
  if (roof_op_complete(op, values, NULL) != ROOF_OK) {
    return false;
  }
  roof_work_init(work);
  op->work(op, values, formats, work);
  return true;
}

/** Products use the matrix unit, but fp32 and fp64 only if the kernel's name shows it. */
static void set_product(torch_work *w, roof_dtype dtype, double flops, double bytes) {
  w->dtype = dtype;
  w->unit = dtype == ROOF_FP32 || dtype == ROOF_FP64 ? ROOF_VECTOR : ROOF_MATRIX;
  w->product = true;
  w->flops = flops;
  w->bytes = bytes;
}

static bool multiply(const row *r, const arguments *a, double batch, const double mnk[3], torch_work *w) {
  const tensor *left = argument(a, r->at[0]), *right = argument(a, r->at[1]);
  if (left->type < 0 || right->type < 0 || types[left->type].dtype < 0) {
    return false;
  }
  roof_work work;
  roof_types formats = roof_types_of((roof_dtype)types[left->type].dtype);
  formats.weights = types[right->type].dtype >= 0 ? (roof_dtype)types[right->type].dtype : formats.compute;
  formats.output = r->at[3] == 0                  ? formats.compute
                   : formats.compute == ROOF_INT8 ? ROOF_FP32 /* int32: as wide */
                                                  : ROOF_BF16;
  if (!ask(r->op, &formats, 4, (double[]){mnk[0], mnk[1], mnk[2], batch}, &work)) {
    return false;
  }
  set_product(w, formats.compute, work.flops,
              work.read_bytes + work.write_bytes + bytes_of(argument(a, r->at[2])));
  return true;
}

/** a[..., m, k] b[..., k, n]; a vector is one column. */
static bool product(const row *r, const arguments *a, torch_work *w) {
  const tensor *left = argument(a, r->at[0]), *right = argument(a, r->at[1]);
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
static bool product_transposed(const row *r, const arguments *a, torch_work *w) {
  const tensor *x = argument(a, r->at[0]), *weight = argument(a, r->at[1]);
  bool fits =
      x->rank >= 1 && weight->rank == 2 && weight->size[1] > 0 && x->size[x->rank - 1] == weight->size[1];
  return fits &&
         multiply(r, a, 1, (double[]){x->elements / weight->size[1], weight->size[0], weight->size[1]}, w);
}

/** A value that is a list of whole numbers, "[1, 1]", or one number for all; how many it has, 0: none. */
static int numbers(const arguments *a, int at, double *list) {
  if (at < 0 || at >= a->value_count) {
    return 0;
  }
  int count = 0;
  const char *p = a->values[at].at, *end = p + a->values[at].size;
  while (p < end && count < RANK) {
    double value = 0;
    bool digits = false;
    for (; p < end && isdigit((unsigned char)*p); p++) {
      value = value * 10 + (*p - '0');
      digits = true;
    }
    if (digits) {
      list[count++] = value;
    }
    p += p < end && !digits;
  }
  return count;
}

/** A value's truth: 1, 0, or -1 when it is not recorded. */
static int truth(const arguments *a, int at) {
  if (at < 0 || at >= a->value_count) {
    return -1;
  }
  return rf_scan_is(a->values[at], "True") ? 1 : rf_scan_is(a->values[at], "False") ? 0 : -1;
}

/** Elements that a convolution gives, NaN when its stride or padding is not recorded. */
static double convolved(const row *r, const arguments *a, const tensor *x, const tensor *weight) {
  double stride[RANK], padding[RANK], dilation[RANK];
  int strides = numbers(a, r->at[2], stride), paddings = numbers(a, r->at[3], padding);
  int dilations = numbers(a, r->at[4], dilation);
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
static bool convolve(const tensor *x, const tensor *weight, double results, double taps, double moved,
                     double times, torch_work *w) {
  int dtype = x->type >= 0 ? types[x->type].dtype : -1;
  roof_work work;
  roof_types formats = roof_types_of((roof_dtype)(dtype >= 0 ? dtype : 0));
  if (dtype < 0 || weight->type < 0 || !(results >= 1) || !(taps >= 1) ||
      !ask("gemm", &formats, 4, (double[]){results, 1, taps, 1}, &work)) {
    return false;
  }
  set_product(w, formats.compute, times * work.flops,
              times * (bytes_of(x) + bytes_of(weight) + moved * types[x->type].bytes));
  return true;
}

static bool convolution(const row *r, const arguments *a, torch_work *w) {
  const tensor *x = argument(a, r->at[0]), *weight = argument(a, r->at[1]);
  bool fits = x->rank >= 3 && x->rank == weight->rank && weight->size[0] > 0;
  if (!fits || truth(a, r->at[5]) == 1) {
    return false;
  }
  double results = convolved(r, a, x, weight);
  return convolve(x, weight, results, weight->elements / weight->size[0], results, 1, w);
}

/** The gradients of the input and of the weight each multiply as often as the forward pass. */
static bool convolution_backward(const row *r, const arguments *a, torch_work *w) {
  const tensor *gradient = argument(a, r->at[0]), *x = argument(a, r->at[1]), *weight = argument(a, r->at[2]);
  if (x->rank < 3 || x->rank != weight->rank || weight->size[0] <= 0 || truth(a, r->at[3]) == 1) {
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

static bool attend(const row *r, const arguments *a, double flops, double bytes, torch_work *w) {
  const tensor *q = argument(a, r->at[0]), *k = argument(a, r->at[1]);
  int heads = r->at[4], positions = r->at[5], causal = truth(a, r->at[3]);
  if (q->rank != 4 || k->rank != 4 || q->type < 0 || types[q->type].dtype < 0) {
    return false;
  }
  roof_work work;
  roof_types formats = roof_types_of((roof_dtype)types[q->type].dtype);
  const double values[] = {q->size[0], q->size[heads], q->size[positions], k->size[positions],
                           q->size[3], k->size[heads], causal == 1};
  if (!ask(r->op, &formats, 7, values, &work)) {
    return false;
  }
  set_product(w, formats.compute, flops * work.flops, bytes * (work.read_bytes + work.write_bytes));
  w->estimated = causal < 0;
  return true;
}

static bool attention(const row *r, const arguments *a, torch_work *w) {
  return attend(r, a, 1, 1, w);
}

/** Five products instead of two; Q, K, V, O and the gradient of each (Dao et al. 2022). */
static bool attention_backward(const row *r, const arguments *a, torch_work *w) {
  return attend(r, a, 2.5, 2, w);
}

/** The sizes of all tensors brought together, as broadcasting does. False when they do not fit. */
static bool broadcast(const arguments *a, int tensors, tensor *result) {
  *result = (tensor){.type = -1, .elements = 1};
  double wide[RANK];
  for (int d = 0; d < RANK; d++) {
    wide[d] = 1;
  }
  for (int i = 0; i < a->count && i < tensors; i++) {
    const tensor *t = &a->list[i];
    for (int d = 0; d < t->rank && t->type >= 0; d++) {
      double size = t->size[t->rank - 1 - d];
      if (size != 1 && wide[d] != 1 && size != wide[d]) {
        return false;
      }
      wide[d] = wide[d] == 1 ? size : wide[d];
    }
    bool widest = t->type >= 0 && (result->type < 0 || t->rank > result->rank ||
                                   (t->rank == result->rank && types[t->type].dtype >= 0 &&
                                    types[t->type].bytes > types[result->type].bytes));
    result->type = widest ? t->type : result->type;
    result->rank = t->rank > result->rank ? t->rank : result->rank;
  }
  for (int d = 0; d < RANK; d++) {
    result->elements *= wide[d];
  }
  return result->type >= 0;
}

/** A fixed count of FLOPs per element, from our operation's own. */
static bool each(const row *r, const arguments *a, const tensor *shape, double moved, torch_work *w) {
  const roof_op *op = NULL;
  if (roof_op_find(r->op, &op, NULL) != ROOF_OK) {
    return false;
  }
  int dtype = types[shape->type].dtype;
  for (int i = 0; i < a->count; i++) {
    w->bytes += bytes_of(&a->list[i]);
  }
  w->bytes += moved;
  w->flops = dtype >= 0 && dtype != ROOF_INT8 ? op->flops_per_element * shape->elements : 0;
  w->dtype = dtype >= 0 ? (roof_dtype)dtype : ROOF_FP32;
  w->unit = ROOF_VECTOR;
  return true;
}

static bool map(const row *r, const arguments *a, torch_work *w) {
  tensor shape;
  bool norm = strstr(r->op, "norm") != NULL; /* its vectors are no operands of a map */
  return broadcast(a, norm ? 1 : r->tensors, &shape) && each(r, a, &shape, bytes_of(&shape), w);
}

/** A comparison gives a byte. */
static bool test(const row *r, const arguments *a, torch_work *w) {
  tensor shape;
  return broadcast(a, r->tensors, &shape) && each(r, a, &shape, shape.elements, w);
}

/** What is written as it is, what is read each element once. */
static bool fill(const row *r, const arguments *a, torch_work *w) {
  const tensor *to = argument(a, r->at[0]), *from = argument(a, r->at[1]);
  const tensor *shape = from->type >= 0 ? from : to;
  const roof_op *op = NULL;
  if (shape->type < 0 || roof_op_find(r->op, &op, NULL) != ROOF_OK) {
    return false;
  }
  int dtype = types[shape->type].dtype;
  w->flops = dtype >= 0 ? op->flops_per_element * shape->elements : 0;
  w->bytes = bytes_of(to) + bytes_of(from);
  w->dtype = dtype >= 0 ? (roof_dtype)dtype : ROOF_FP32;
  w->unit = ROOF_VECTOR;
  return true;
}

static bool gather(const row *r, const arguments *a, torch_work *w) {
  const tensor *table = argument(a, r->at[0]), *indices = argument(a, r->at[1]);
  roof_work work;
  if (table->rank != 2 || table->type < 0 || types[table->type].dtype < 0) {
    return false;
  }
  roof_types formats = roof_types_of((roof_dtype)types[table->type].dtype);
  if (!ask(r->op, &formats, 2, (double[]){indices->elements, table->size[1]}, &work)) {
    return false;
  }
  w->bytes = work.read_bytes + work.write_bytes;
  w->dtype = formats.compute;
  w->unit = ROOF_VECTOR;
  return true;
}

bool rf_torch_has_formula(rf_span name, bool *values) {
  const row *r = find(name);
  *values = r != NULL && r->values;
  return r != NULL;
}

torch_work rf_torch_work_of(const torch_call *call) {
  const row *r = find(call->name);
  torch_work w = {.known = r == NULL ? TORCH_NO_FORMULA : TORCH_NO_SHAPES};
  if (r == NULL || call->shapes.at == NULL || *call->shapes.at != '[') {
    return w;
  }
  arguments a;
  int tensors = 0;
  bool typed = false;
  read_arguments(call, &a);
  for (int i = 0; i < a.count; i++) {
    typed |= a.list[i].type >= 0;
    tensors += a.list[i].type >= 0 && a.list[i].rank > 0;
  }
  w.op = r->op;
  w.wraps = r->wraps;
  w.known = typed && tensors <= r->tensors && r->work(r, &a, &w) && isfinite(w.flops) && isfinite(w.bytes)
                ? TORCH_KNOWN
                : TORCH_MISFIT;
  return w;
}

double rf_torch_collective_bytes(rf_span name, rf_span type, double in, double out, double ranks) {
  static const struct {
    const char *nccl, *op;
  } names[] = {{"allreduce", "allreduce"},
               {"_allgather_base", "allgather"},
               {"allgather", "allgather"},
               {"_reduce_scatter_base", "reducescatter"},
               {"reduce_scatter", "reducescatter"},
               {"reduce_scatter_tensor_coalesced", "reducescatter"},
               {"allgather_into_tensor_coalesced", "allgather"},
               {"allreduce_coalesced", "allreduce"},
               {"all_to_all", "alltoall"},
               {"all_to_allv", "alltoall"},
               {"alltoall", "alltoall"},
               {"broadcast", "broadcast"},
               {"send", "sendrecv"},
               {"recv", "sendrecv"}};
  static const struct {
    const char *name;
    double bytes;
  } widths[] = {{"Float", 4}, {"Half", 2},          {"BFloat16", 2},   {"Double", 8},
                {"Long", 8},  {"Int", 4},           {"Byte", 1},       {"Char", 1},
                {"Bool", 1},  {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}};
  double width = NAN;
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
    width = rf_scan_is(type, widths[i].name) ? widths[i].bytes : width;
  }
  roof_types formats = roof_types_of(ROOF_FP32);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    bool sends = strcmp(names[i].op, "sendrecv") == 0;
    roof_work work;
    double size = fmax(in, out) * width;
    if (rf_scan_is(name, names[i].nccl) && size > 0 &&
        ask(names[i].op, &formats, sends ? 1 : 2, (double[]){size, ranks}, &work)) {
      return work.link_bytes;
    }
  }
  return NAN;
}
