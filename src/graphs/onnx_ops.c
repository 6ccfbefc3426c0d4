/* All known operators: how the sizes of the output follow, what is computed and what is moved. FLOPs per
 * element of the output are those of the library's own operations where there is one; elsewhere each
 * addition, multiplication, comparison and function (exp, log, sqrt, erf, sin) counts 1. Formulas: onnx/onnx
 * docs/Operators.md. */
#include <string.h>

#include "graphs/onnx.h"

#define MAP(name, flops_)                                                                                    \
  { .type = name, .shape = rf_onnx_same, .flops = flops_ }
#define MAP_FOLDED(name, flops_)                                                                             \
  { .type = name, .shape = rf_onnx_same, .flops = flops_, .fold = rf_onnx_fold_map }
#define PAIR(name)                                                                                           \
  { .type = name, .shape = rf_onnx_broadcast, .flops = 1, .fold = rf_onnx_fold_binary }
#define TEST(name)                                                                                           \
  { .type = name, .shape = rf_onnx_broadcast, .flops = 1, .result = ONNX_BOOL, .fold = rf_onnx_fold_binary }
#define PRODUCT(name, shape_)                                                                                \
  { .type = name, .shape = shape_, .unit = ROOF_MATRIX }
#define MOVE(name, shape_)                                                                                   \
  { .type = name, .shape = shape_ }
#define TAKE(name, shape_)                                                                                   \
  { .type = name, .shape = shape_, .moves = ONNX_MOVES_RESULT }
#define VIEW(name, shape_)                                                                                   \
  { .type = name, .shape = shape_, .moves = ONNX_MOVES_NOTHING, .fold = rf_onnx_fold_copy }

static const onnx_op ops[] = {
    /* products and windows */
    PRODUCT("Conv", rf_onnx_conv),
    PRODUCT("FusedConv", rf_onnx_conv),
    {.type = "ConvInteger", .shape = rf_onnx_conv, .unit = ROOF_MATRIX, .result = ONNX_INT32},
    {.type = "QLinearConv", .shape = rf_onnx_quantised_conv, .unit = ROOF_MATRIX, .result = -7},
    PRODUCT("ConvTranspose", rf_onnx_conv_transpose),
    PRODUCT("Gemm", rf_onnx_gemm),
    PRODUCT("FusedGemm", rf_onnx_gemm),
    PRODUCT("MatMul", rf_onnx_matmul),
    {.type = "MatMulInteger", .shape = rf_onnx_matmul, .unit = ROOF_MATRIX, .result = ONNX_INT32},
    {.type = "QLinearMatMul", .shape = rf_onnx_quantised_matmul, .unit = ROOF_MATRIX, .result = -7},
    PRODUCT("MatMulNBits", rf_onnx_packed_matmul),
    PRODUCT("LSTM", rf_onnx_recurrent),
    PRODUCT("GRU", rf_onnx_recurrent),
    PRODUCT("RNN", rf_onnx_recurrent),
    {.type = "MaxPool", .shape = rf_onnx_pool},
    {.type = "AveragePool", .shape = rf_onnx_pool},
    {.type = "LpPool", .shape = rf_onnx_pool},
    {.type = "GlobalAveragePool", .shape = rf_onnx_global_pool},
    {.type = "GlobalMaxPool", .shape = rf_onnx_global_pool},
    {.type = "LRN", .shape = rf_onnx_local_norm},
    /* norms */
    MAP("BatchNormalization", 8),
    MAP("InstanceNormalization", 8),
    MAP("GroupNormalization", 8),
    MAP("LayerNormalization", 8),
    MAP("SkipLayerNormalization", 9),
    MAP("RMSNormalization", 5),
    MAP("SimplifiedLayerNormalization", 5),
    MAP("SkipSimplifiedLayerNormalization", 6),
    MAP("LpNormalization", 3),
    MAP("MeanVarianceNormalization", 6),
    MAP("Softmax", 5),
    MAP("LogSoftmax", 5),
    MAP("Hardmax", 1),
    /* one input */
    MAP("Relu", 1),
    MAP("LeakyRelu", 2),
    MAP("PRelu", 2),
    MAP("ThresholdedRelu", 1),
    MAP("Elu", 4),
    MAP("Celu", 5),
    MAP("Selu", 5),
    MAP("Sigmoid", 3),
    MAP("HardSigmoid", 4),
    MAP("HardSwish", 5),
    MAP("Tanh", 5),
    MAP("Gelu", 12),
    MAP("FastGelu", 12),
    MAP("BiasGelu", 13),
    MAP("QuickGelu", 5),
    MAP("Mish", 8),
    MAP("Softplus", 3),
    MAP("Softsign", 3),
    MAP("Clip", 2),
    MAP("Exp", 1),
    MAP("Log", 1),
    MAP("Erf", 1),
    MAP("Reciprocal", 1),
    MAP("Round", 1),
    MAP("Sign", 1),
    MAP("Sin", 1),
    MAP("Cos", 1),
    MAP("Tan", 1),
    MAP("Atan", 1),
    MAP("CumSum", 1),
    MAP_FOLDED("Neg", 1),
    MAP_FOLDED("Abs", 1),
    MAP_FOLDED("Floor", 1),
    MAP_FOLDED("Ceil", 1),
    MAP_FOLDED("Sqrt", 1),
    MAP_FOLDED("Not", 1),
    {.type = "IsNaN", .shape = rf_onnx_same, .flops = 1, .result = ONNX_BOOL},
    {.type = "IsInf", .shape = rf_onnx_same, .flops = 1, .result = ONNX_BOOL},
    {.type = "Cast", .shape = rf_onnx_cast, .fold = rf_onnx_fold_map},
    {.type = "CastLike", .shape = rf_onnx_same, .result = -1},
    {.type = "QuantizeLinear", .shape = rf_onnx_same, .flops = 3, .result = -2},
    {.type = "DequantizeLinear", .shape = rf_onnx_same, .flops = 2, .result = -1},
    {.type = "DynamicQuantizeLinear", .shape = rf_onnx_dynamic_quantise, .flops = 5, .result = ONNX_UINT8},
    MAP("Trilu", 0),
    /* several inputs */
    PAIR("Add"),
    PAIR("Sub"),
    PAIR("Mul"),
    PAIR("Div"),
    PAIR("Mod"),
    PAIR("Pow"),
    PAIR("Min"),
    PAIR("Max"),
    PAIR("Sum"),
    PAIR("Mean"),
    TEST("Equal"),
    TEST("Greater"),
    TEST("GreaterOrEqual"),
    TEST("Less"),
    TEST("LessOrEqual"),
    TEST("And"),
    TEST("Or"),
    TEST("Xor"),
    {.type = "Where", .shape = rf_onnx_where, .flops = 1, .result = -1, .fold = rf_onnx_fold_where},
    /* sums over axes */
    MOVE("ReduceMean", rf_onnx_reduce),
    MOVE("ReduceSum", rf_onnx_reduce),
    MOVE("ReduceMax", rf_onnx_reduce),
    MOVE("ReduceMin", rf_onnx_reduce),
    MOVE("ReduceL1", rf_onnx_reduce),
    MOVE("ReduceL2", rf_onnx_reduce),
    MOVE("ReduceSumSquare", rf_onnx_reduce),
    MOVE("ReduceLogSumExp", rf_onnx_reduce),
    {.type = "ReduceProd", .shape = rf_onnx_reduce, .fold = rf_onnx_fold_product},
    {.type = "ArgMax", .shape = rf_onnx_arg, .result = ONNX_INT64},
    {.type = "ArgMin", .shape = rf_onnx_arg, .result = ONNX_INT64},
    MOVE("TopK", rf_onnx_top_k),
    /* moves */
    {.type = "Concat", .shape = rf_onnx_concat, .fold = rf_onnx_fold_concat},
    MOVE("Split", rf_onnx_split),
    {.type = "Transpose", .shape = rf_onnx_transpose},
    MOVE("Pad", rf_onnx_pad),
    MOVE("Tile", rf_onnx_tile),
    MOVE("DepthToSpace", rf_onnx_depth_to_space),
    MOVE("SpaceToDepth", rf_onnx_space_to_depth),
    MOVE("ScatterND", rf_onnx_same),
    MOVE("ScatterElements", rf_onnx_same),
    {.type = "Resize", .shape = rf_onnx_resize, .flops = 1},
    {.type = "Upsample", .shape = rf_onnx_resize, .flops = 1},
    {.type = "OneHot", .shape = rf_onnx_one_hot, .result = -2, .moves = ONNX_MOVES_RESULT},
    {.type = "Expand", .shape = rf_onnx_expand, .fold = rf_onnx_fold_expand},
    {.type = "Slice", .shape = rf_onnx_slice, .moves = ONNX_MOVES_RESULT, .fold = rf_onnx_fold_slice},
    {.type = "Gather", .shape = rf_onnx_gather, .moves = ONNX_MOVES_RESULT, .fold = rf_onnx_fold_gather},
    TAKE("GatherElements", rf_onnx_gather_elements),
    TAKE("GatherND", rf_onnx_gather_nd),
    {.type = "NonZero", .shape = rf_onnx_data_dependent, .result = ONNX_INT64},
    {.type = "NonMaxSuppression", .shape = rf_onnx_data_dependent, .result = ONNX_INT64},
    /* views, and values known before the graph runs */
    VIEW("Reshape", rf_onnx_reshape),
    VIEW("Flatten", rf_onnx_flatten),
    VIEW("Squeeze", rf_onnx_squeeze),
    VIEW("Unsqueeze", rf_onnx_unsqueeze),
    VIEW("Identity", rf_onnx_same),
    VIEW("Dropout", rf_onnx_same),
    {.type = "Constant", .shape = rf_onnx_constant, .moves = ONNX_MOVES_NOTHING},
    {.type = "ConstantOfShape", .shape = rf_onnx_filled, .moves = ONNX_MOVES_NOTHING},
    {.type = "Range", .shape = rf_onnx_range, .moves = ONNX_MOVES_NOTHING, .fold = rf_onnx_fold_range},
    {.type = "Shape", .shape = rf_onnx_shape, .moves = ONNX_MOVES_NOTHING, .result = ONNX_INT64},
    {.type = "Size", .shape = rf_onnx_size, .moves = ONNX_MOVES_NOTHING, .result = ONNX_INT64},
};
enum { OPS = sizeof ops / sizeof ops[0] };

const onnx_op *rf_onnx_op_find(const onnx_node *n) {
  bool known =
      n->domain[0] == '\0' || strcmp(n->domain, "ai.onnx") == 0 || strcmp(n->domain, "com.microsoft") == 0;
  for (int i = 0; i < OPS && known; i++) {
    if (strcmp(ops[i].type, n->type) == 0) {
      return &ops[i];
    }
  }
  return NULL;
}

const char *const *rf_onnx_op_names(void) {
  static const char *names[OPS + 1];
  for (int i = 0; i < OPS; i++) {
    names[i] = ops[i].type;
  }
  return names;
}
