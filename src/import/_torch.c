/* PyTorch's operators: one row each. Which of our operations it is, or FLOPs per element, and the
 * positions of its arguments in the operator's schema (PyTorch, aten/src/ATen/native/native_functions.yaml). Bytes are
 * compulsory: each tensor once. */
#include <math.h>
#include <string.h>

#include "import/_torch_row.h"

#define ROW(name, op, flops, work, tensors, wraps, values, ...)                                              \
  { name, op, flops, rf_torch_##work, tensors, {__VA_ARGS__}, wraps, values }
#define LEAF(name, op, work, tensors, ...) ROW(name, op, 0, work, tensors, false, false, __VA_ARGS__)
#define COUNTED(name, op, flops, work, tensors, ...)                                                         \
  ROW(name, op, flops, work, tensors, false, false, __VA_ARGS__)
#define LEAF_VALUES(name, op, work, tensors, ...) ROW(name, op, 0, work, tensors, false, true, __VA_ARGS__)
#define AROUND(name, op, work, tensors, ...) ROW(name, op, 0, work, tensors, true, false, __VA_ARGS__)
#define AROUND_VALUES(name, op, work, tensors, ...) ROW(name, op, 0, work, tensors, true, true, __VA_ARGS__)

static const torch_row rows[] = {
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
    AROUND_VALUES("aten::cudnn_convolution_backward", "conv2d", convolution_backward, 3, 1, 0, 2, -1, 10),
    /* at: query, key, value, is_causal, dimension of the heads, of the positions */
    AROUND_VALUES("aten::scaled_dot_product_attention", "attention", attention, 4, 0, 1, 2, 5, 1, 2),
    LEAF_VALUES("aten::_scaled_dot_product_flash_attention", "attention", attention, 3, 0, 1, 2, 4, 1, 2),
    LEAF_VALUES("aten::_scaled_dot_product_efficient_attention", "attention", attention, 4, 0, 1, 2, 6, 1, 2),
    LEAF_VALUES("aten::_scaled_dot_product_cudnn_attention", "attention", attention, 4, 0, 1, 2, 6, 1, 2),
    LEAF_VALUES("aten::_scaled_dot_product_fused_attention_overrideable", "attention", attention, 4, 0, 1, 2,
                5, 1, 2),
    LEAF_VALUES("aten::_flash_attention_forward", "attention", attention, 3, 0, 1, 2, 8, 2, 1),
    LEAF_VALUES("aten::_efficient_attention_forward", "attention", attention, 4, 0, 1, 2, -1, 2, 1),
    LEAF_VALUES("flash_attn::_flash_attn_forward", "attention", attention, 3, 0, 1, 2, 5, 2, 1),
    LEAF_VALUES("aten::_scaled_dot_product_flash_attention_backward", "attention", attention_backward, 10, 1,
                2, 3, 11, 1, 2),
    LEAF_VALUES("aten::_scaled_dot_product_efficient_attention_backward", "attention", attention_backward, 9,
                1, 2, 3, 11, 1, 2),
    LEAF_VALUES("aten::_scaled_dot_product_cudnn_attention_backward", "attention", attention_backward, 11, 1,
                2, 3, 14, 1, 2),
    LEAF_VALUES("aten::_flash_attention_backward", "attention", attention_backward, 10, 1, 2, 3, 11, 2, 1),
    LEAF_VALUES("flash_attn::_flash_attn_backward", "attention", attention_backward, 9, 1, 2, 3, 11, 2, 1),
    /* at: operands that are brought together, 0: all; bytes of a second result per element */
    LEAF("aten::_softmax", "softmax", map, 1, 0),
    LEAF("aten::_log_softmax", "softmax", map, 1, 0),
    AROUND("aten::softmax", "softmax", map, 1, 0),
    AROUND("aten::log_softmax", "softmax", map, 1, 0),
    LEAF("aten::native_layer_norm", "layernorm", map, 3, 1),
    AROUND("aten::layer_norm", "layernorm", map, 3, 1),
    LEAF("aten::native_group_norm", "layernorm", map, 3, 1),
    AROUND("aten::rms_norm", "rmsnorm", map, 2, 1),
    LEAF("aten::_fused_rms_norm", "rmsnorm", map, 2, 1),
    LEAF("aten::native_batch_norm", "batchnorm", map, 5, 1),
    LEAF("aten::cudnn_batch_norm", "batchnorm", map, 5, 1),
    LEAF("aten::miopen_batch_norm", "batchnorm", map, 5, 1),
    LEAF("aten::relu", "relu", map, 1, 0),
    LEAF("aten::threshold_backward", "relu", map, 2, 0),
    LEAF("aten::clamp_min", "relu", map, 1, 0),
    LEAF("aten::clamp_max", "relu", map, 1, 0),
    LEAF("aten::gelu", "gelu", map, 1, 0),
    LEAF("aten::silu", "silu", map, 1, 0),
    LEAF("aten::native_dropout", "dropout", map, 1, 0, 1),
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
    LEAF("aten::where", "copy", map, 3, 0),
    LEAF("aten::eq", "add", test, 2, 0),
    LEAF("aten::ne", "add", test, 2, 0),
    LEAF("aten::lt", "add", test, 2, 0),
    LEAF("aten::le", "add", test, 2, 0),
    LEAF("aten::gt", "add", test, 2, 0),
    LEAF("aten::ge", "add", test, 2, 0),
    /* FLOPs per element of our own, forward: exp, log, tanh's parts as in DESIGN; a compare is 1 */
    COUNTED("aten::sigmoid", "sigmoid", 4, map, 1, 0), /* negate, exp, add, divide, as silu */
    COUNTED("aten::tanh", "tanh", 5, map, 1, 0),       /* as in gelu */
    COUNTED("aten::clamp", "clamp", 2, map, 3, 0),     /* two compares */
    COUNTED("aten::hardtanh", "clamp", 2, map, 1, 0),
    COUNTED("aten::leaky_relu", "leaky relu", 2, map, 1, 0),    /* compare, multiply */
    COUNTED("aten::elu", "elu", 3, map, 1, 0),                  /* compare, exp, subtract */
    COUNTED("aten::softplus", "softplus", 3, map, 1, 0),        /* exp, add, log */
    COUNTED("aten::hardsigmoid", "hard sigmoid", 4, map, 1, 0), /* add, two compares, divide */
    COUNTED("aten::hardswish", "hard swish", 5, map, 1, 0),     /* hard sigmoid, multiply */
    COUNTED("aten::logit", "logit", 3, map, 1, 0),              /* subtract, divide, log */
    COUNTED("aten::lerp", "lerp", 3, map, 3, 0),                /* subtract, multiply, add */
    COUNTED("aten::nan_to_num", "nan to number", 3, map, 1, 0), /* three compares */
    COUNTED("aten::mse_loss", "squared error", 2, map, 2, 0),   /* subtract, square */
    LEAF("aten::log2", "scale", map, 1, 0),
    LEAF("aten::log1p", "scale", map, 1, 0),
    LEAF("aten::erf", "scale", map, 1, 0),
    LEAF("aten::sin", "scale", map, 1, 0),
    LEAF("aten::cos", "scale", map, 1, 0),
    LEAF("aten::pow", "scale", map, 2, 0),
    LEAF("aten::cumsum", "scale", map, 1, 0),
    LEAF("aten::cumprod", "scale", map, 1, 0),
    /* backward, from the formula of the derivative in aten/src/ATen/native/cuda */
    COUNTED("aten::sigmoid_backward", "sigmoid backward", 3, map, 2, 0), /* g (1 - y) y */
    COUNTED("aten::tanh_backward", "tanh backward", 3, map, 2, 0),       /* g (1 - y y) */
    /* g (s (1 + x (1 - s))): sigmoid 4, subtract, multiply, add, multiply, multiply */
    COUNTED("aten::silu_backward", "silu backward", 9, map, 2, 0),
    /* tanh form: the argument 5, tanh 5, its derivative 2, the argument's 3, halves 2, sum and products 5 */
    COUNTED("aten::gelu_backward", "gelu backward", 22, map, 2, 0),
    COUNTED("aten::leaky_relu_backward", "leaky relu backward", 2, map, 2, 0),
    COUNTED("aten::hardtanh_backward", "clamp backward", 2, map, 2, 0),
    COUNTED("aten::logit_backward", "logit backward", 3, map, 2, 0), /* g / (x (1 - x)) */
    COUNTED("aten::native_dropout_backward", "dropout backward", 2, map, 2, 0),
    COUNTED("aten::mse_loss_backward", "squared error backward", 3, map, 3, 0), /* c (x - t) g */
    /* y (g - sum g y): multiply, sum, subtract, multiply; g - exp(y) sum g: sum, exp, multiply, subtract */
    COUNTED("aten::_softmax_backward_data", "softmax backward", 4, map, 2, 0),
    COUNTED("aten::_log_softmax_backward_data", "log softmax backward", 4, map, 2, 0),
    /* x' = (x - mean) / deviation 2, g gain 1, its sums alone and with x' 3, (g - s1 - x' s2) / deviation 4,
     * gradients of gain and shift 3; rms has neither mean nor shift */
    COUNTED("aten::native_layer_norm_backward", "layernorm backward", 13, map, 7, 2),
    COUNTED("aten::_fused_rms_norm_backward", "rmsnorm backward", 9, map, 5, 2),
    /* the gradients of shift and gain are the two sums: 2 + 3 + 4 */
    COUNTED("aten::native_batch_norm_backward", "batchnorm backward", 9, map, 7, 2),
    COUNTED("aten::cudnn_batch_norm_backward", "batchnorm backward", 9, map, 8, 2),
    COUNTED("aten::miopen_batch_norm_backward", "batchnorm backward", 9, map, 7, 2),
    COUNTED("aten::native_group_norm_backward", "groupnorm backward", 9, map, 5, 2),
    LEAF("aten::masked_fill", "copy", map, 2, 0),
    LEAF("aten::flip", "copy", map, 1, 0),
    LEAF("aten::roll", "copy", map, 1, 0),
    LEAF("aten::tril", "copy", map, 1, 0),
    LEAF("aten::triu", "copy", map, 1, 0),
    LEAF("aten::logical_and", "copy", test, 2, 0),
    LEAF("aten::logical_or", "copy", test, 2, 0),
    LEAF("aten::logical_not", "copy", test, 1, 0),
    LEAF("aten::isnan", "copy", test, 1, 0),
    /* at: what is written; what is read */
    LEAF("aten::copy", "copy", fill, 2, 0, 1),
    LEAF("aten::fill", "copy", fill, 2, 0, -1),
    LEAF("aten::zero", "copy", fill, 1, 0, -1),
    LEAF("aten::sum", "reduce", fill, 1, -1, 0),
    LEAF("aten::mean", "reduce", fill, 1, -1, 0),
    LEAF("aten::prod", "reduce", fill, 1, -1, 0),
    LEAF("aten::max", "reduce", fill, 1, -1, 0),
    LEAF("aten::min", "reduce", fill, 1, -1, 0),
    LEAF("aten::amax", "reduce", fill, 1, -1, 0),
    LEAF("aten::amin", "reduce", fill, 1, -1, 0),
    LEAF("aten::argmax", "reduce", fill, 1, -1, 0),
    LEAF("aten::argmin", "reduce", fill, 1, -1, 0),
    LEAF("aten::any", "reduce", fill, 1, -1, 0),
    LEAF("aten::all", "reduce", fill, 1, -1, 0),
    COUNTED("aten::linalg_vector_norm", "norm", 2, fill, 1, -1, 0), /* square, add */
    COUNTED("aten::var", "variance", 4, fill, 1, -1, 0),            /* mean 1, variance 3, as in layernorm */
    COUNTED("aten::std", "variance", 4, fill, 1, -1, 0),
    /* random numbers: whole-number arithmetic that is not counted, bytes alone */
    COUNTED("aten::uniform", "random numbers", NAN, fill, 1, 0, -1),
    COUNTED("aten::normal", "random numbers", NAN, fill, 1, 0, -1),
    COUNTED("aten::bernoulli", "random numbers", NAN, fill, 1, 0, -1),
    COUNTED("aten::random", "random numbers", NAN, fill, 1, 0, -1),
    COUNTED("aten::exponential", "random numbers", NAN, fill, 1, 0, -1),
    /* at: table, indices */
    AROUND("aten::embedding", "embedding", embed, 2, 0, 1),
    /* at: as their functions say */
    LEAF_VALUES("aten::embedding_dense_backward", "embedding backward", embed_backward, 2, 0, 1, 2),
    LEAF("aten::_embedding_bag", "embedding bags", embed_bags, 4, 0, 1, 2),
    LEAF("aten::_embedding_bag_forward_only", "embedding bags", embed_bags, 4, 0, 1, 2),
    LEAF("aten::gather", "gather", pick, 2, 0, 2),
    LEAF("aten::take", "gather", pick, 2, 0, 1),
    LEAF_VALUES("aten::index_select", "gather", select, 2, 0, 1, 2),
    LEAF("aten::scatter", "scatter", scatter, 3, 0, 2, 3),
    LEAF("aten::scatter_add", "scatter and add", scatter, 3, 0, 2, 3, 1),
    LEAF_VALUES("aten::max_pool2d_with_indices", "max pooling", pool, 1, 0, 1, 2, 3, 4, 5),
    LEAF_VALUES("aten::avg_pool2d", "mean pooling", pool, 1, 0, 1, 2, 3, -1, 4),
    LEAF_VALUES("aten::_adaptive_avg_pool2d", "mean pooling", pool_whole, 1, 0, 1),
    COUNTED("aten::max_pool2d_with_indices_backward", "max pooling backward", 1, pool_backward, 3, 0, 1, 7),
    COUNTED("aten::_adaptive_avg_pool2d_backward", "mean pooling backward", 1, pool_backward, 2, 0, 1, -1, 1),
    /* lists; at: the first that is read, times that the first list is written */
    COUNTED("aten::cat", "concatenation", 0, lists, 0, 0, 1),
    COUNTED("aten::stack", "concatenation", 0, lists, 0, 0, 1),
    COUNTED("aten::_foreach_copy", "copies", 0, lists, 0, 1, 1),
    COUNTED("aten::_foreach_zero", "zeros", 0, lists, 0, 31, 1),
    COUNTED("aten::_foreach_add", "sums", 1, lists, 1, 0, 1),
    COUNTED("aten::_foreach_sub", "differences", 1, lists, 1, 0, 1),
    COUNTED("aten::_foreach_mul", "products", 1, lists, 1, 0, 1),
    COUNTED("aten::_foreach_div", "quotients", 1, lists, 1, 0, 1),
    COUNTED("aten::_foreach_neg", "negatives", 1, lists, 0, 0, 1),
    COUNTED("aten::_foreach_sqrt", "roots", 1, lists, 0, 0, 1),
    COUNTED("aten::_foreach_reciprocal", "reciprocals", 1, lists, 0, 0, 1),
    COUNTED("aten::_foreach_clamp_max", "clamps", 1, lists, 0, 0, 1),
    COUNTED("aten::_foreach_addcmul", "sums of products", 3, lists, 1, 0, 1), /* x + c a b */
    COUNTED("aten::_foreach_addcdiv", "sums of quotients", 3, lists, 1, 0, 1),
    COUNTED("aten::_foreach_lerp", "lerps", 3, lists, 1, 0, 1),
    COUNTED("aten::_foreach_norm", "norms", 2, lists, 0, 0, 0),
    /* parameter, gradient and two moments read, all but the gradient written; 12 FLOP as `adam` */
    COUNTED("aten::_fused_adam", "adam", 12, lists, 2, 0, 3),
    COUNTED("aten::_fused_adamw", "adam", 14, lists, 2, 0, 3), /* and the decay: multiply, subtract */
    COUNTED("aten::_fused_sgd", "sgd", 4, lists, 2, 0, 2),     /* momentum 2, step 2 */
    /* vLLM, csrc/layernorm_kernels.cu and activation_kernels.cu: results are arguments */
    COUNTED("_C::rms_norm", "rmsnorm", 5, move, 3, 1),
    COUNTED("_C::silu_and_mul", "swiglu", 5, move, 2, 1),
    /* fbgemm_gpu; at: bytes of a result, more elements in its row */
    COUNTED("fbgemm::FloatToFP8RowwiseQuantized", "quantization", 2, convert, 1, 1, 8), /* largest, scale */
    COUNTED("fbgemm::FP8RowwiseQuantizedToFloat", "dequantization", 1, convert, 1, 4, -8),
    COUNTED("fbgemm::FloatToHFP8Quantized", "quantization", NAN, convert, 1, 1),
    COUNTED("fbgemm::HFP8QuantizedToFloat", "dequantization", NAN, convert, 1, 4),
    COUNTED("fbgemm::bounds_check_indices", "check", NAN, move, 4, 1),
    COUNTED("fbgemm::asynchronous_complete_cumsum", "cumulative sum", NAN, move, 1, 2),
    LEAF("fbgemm::permute_pooled_embs_auto_grad", "copy", move, 5, 2),
    LEAF("torch::autograd::CppNode<fbgemm_gpu::PermutePooledEmbsFunction<&fbgemm_gpu::permute_pooled_embs_"
         "gpu> >",
         "copy", move, 1, 2),
};

static const torch_row *find(rf_span name) {
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

bool rf_torch_has_formula(rf_span name, bool *values) {
  const torch_row *r = find(name);
  *values = r != NULL && r->values;
  return r != NULL;
}

/** What is more than the operator takes is the tensor for its results, which is not read. */
static void drop_result(torch_arguments *a, int most) {
  const torch_tensor *last = rf_torch_argument(a, a->count - 1);
  int tensors = 0;
  for (int i = 0; i < a->count; i++) {
    tensors += a->list[i].type >= 0;
  }
  a->count -= most > 0 && tensors == most + 1 && last->type >= 0 && last->rank > 0;
}

torch_work rf_torch_work_of(const torch_call *call) {
  const torch_row *r = find(call->name);
  torch_work w = {.known = r == NULL ? TORCH_NO_FORMULA : TORCH_NO_SHAPES};
  if (r == NULL || call->shapes.at == NULL || *call->shapes.at != '[') {
    return w;
  }
  torch_arguments a;
  int tensors = 0;
  bool typed = false;
  rf_torch_arguments_read(call, &a);
  drop_result(&a, r->tensors);
  for (int i = 0; i < a.count; i++) {
    typed |= a.list[i].type >= 0 || a.list[i].list;
    tensors += a.list[i].type >= 0 && a.list[i].rank > 0;
  }
  w.op = r->op;
  w.each = r->flops;
  w.wraps = r->wraps;
  bool fits = typed && tensors <= r->tensors && r->work(r, &a, &w);
  bool counted = isfinite(w.flops) || (isnan(r->flops) && isnan(w.flops));
  w.known = fits && counted && isfinite(w.bytes) ? TORCH_KNOWN : TORCH_MISFIT;
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
        rf_torch_ask(names[i].op, &formats, sends ? 1 : 2, (double[]){size, ranks}, &work)) {
      return work.link_bytes;
    }
  }
  return NAN;
}
