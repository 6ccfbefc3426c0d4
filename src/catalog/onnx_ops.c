/* Every operator that is known: how its output's sizes follow, what it computes and what it moves. FLOPs an
 * element of the output are those of the library's own operations where there is one; elsewhere each
 * addition, multiplication, comparison and function (exp, log, sqrt, erf, sin) counts 1. Formulas: onnx/onnx
 * docs/Operators.md. */
#include <string.h>

#include "catalog/onnx.h"

#define MAP(name, flops_)                                                                                    \
  { .type = name, .shape = onnx_same, .flops = flops_ }
#define MAP_FOLDED(name, flops_)                                                                             \
  { .type = name, .shape = onnx_same, .flops = flops_, .fold = onnx_fold_map }
#define PAIR(name)                                                                                           \
  { .type = name, .shape = onnx_broadcast, .flops = 1, .fold = onnx_fold_binary }
#define TEST(name)                                                                                           \
  { .type = name, .shape = onnx_broadcast, .flops = 1, .result = ONNX_BOOL, .fold = onnx_fold_binary }
#define PRODUCT(name, shape_)                                                                                \
  { .type = name, .shape = shape_, .unit = ROOF_MATRIX }
#define MOVE(name, shape_)                                                                                   \
  { .type = name, .shape = shape_ }
#define TAKE(name, shape_)                                                                                   \
  { .type = name, .shape = shape_, .moves = ONNX_MOVES_RESULT }
#define VIEW(name, shape_)                                                                                   \
  { .type = name, .shape = shape_, .moves = ONNX_MOVES_NOTHING, .fold = onnx_fold_copy }

static const onnx_op ops[] = {
    /* products and windows */
    PRODUCT("Conv", onnx_conv),
    PRODUCT("FusedConv", onnx_conv),
    {.type = "ConvInteger", .shape = onnx_conv, .unit = ROOF_MATRIX, .result = ONNX_INT32},
    {.type = "QLinearConv", .shape = onnx_quantised_conv, .unit = ROOF_MATRIX, .result = -7},
    PRODUCT("ConvTranspose", onnx_conv_transpose),
    PRODUCT("Gemm", onnx_gemm),
    PRODUCT("FusedGemm", onnx_gemm),
    PRODUCT("MatMul", onnx_matmul),
    {.type = "MatMulInteger", .shape = onnx_matmul, .unit = ROOF_MATRIX, .result = ONNX_INT32},
    {.type = "QLinearMatMul", .shape = onnx_quantised_matmul, .unit = ROOF_MATRIX, .result = -7},
    PRODUCT("MatMulNBits", onnx_packed_matmul),
    PRODUCT("LSTM", onnx_recurrent),
    PRODUCT("GRU", onnx_recurrent),
    PRODUCT("RNN", onnx_recurrent),
    {.type = "MaxPool", .shape = onnx_pool},
    {.type = "AveragePool", .shape = onnx_pool},
    {.type = "LpPool", .shape = onnx_pool},
    {.type = "GlobalAveragePool", .shape = onnx_global_pool},
    {.type = "GlobalMaxPool", .shape = onnx_global_pool},
    {.type = "LRN", .shape = onnx_local_norm},
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
    {.type = "IsNaN", .shape = onnx_same, .flops = 1, .result = ONNX_BOOL},
    {.type = "IsInf", .shape = onnx_same, .flops = 1, .result = ONNX_BOOL},
    {.type = "Cast", .shape = onnx_cast, .fold = onnx_fold_map},
    {.type = "CastLike", .shape = onnx_same, .result = -1},
    {.type = "QuantizeLinear", .shape = onnx_same, .flops = 3, .result = -2},
    {.type = "DequantizeLinear", .shape = onnx_same, .flops = 2, .result = -1},
    {.type = "DynamicQuantizeLinear", .shape = onnx_dynamic_quantise, .flops = 5, .result = ONNX_UINT8},
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
    {.type = "Where", .shape = onnx_where, .flops = 1, .result = -1, .fold = onnx_fold_where},
    /* sums over axes */
    MOVE("ReduceMean", onnx_reduce),
    MOVE("ReduceSum", onnx_reduce),
    MOVE("ReduceMax", onnx_reduce),
    MOVE("ReduceMin", onnx_reduce),
    MOVE("ReduceL1", onnx_reduce),
    MOVE("ReduceL2", onnx_reduce),
    MOVE("ReduceSumSquare", onnx_reduce),
    MOVE("ReduceLogSumExp", onnx_reduce),
    {.type = "ReduceProd", .shape = onnx_reduce, .fold = onnx_fold_product},
    {.type = "ArgMax", .shape = onnx_arg, .result = ONNX_INT64},
    {.type = "ArgMin", .shape = onnx_arg, .result = ONNX_INT64},
    MOVE("TopK", onnx_top_k),
    /* moves */
    {.type = "Concat", .shape = onnx_concat, .fold = onnx_fold_concat},
    MOVE("Split", onnx_split),
    {.type = "Transpose", .shape = onnx_transpose},
    MOVE("Pad", onnx_pad),
    MOVE("Tile", onnx_tile),
    MOVE("DepthToSpace", onnx_depth_to_space),
    MOVE("SpaceToDepth", onnx_space_to_depth),
    MOVE("ScatterND", onnx_same),
    MOVE("ScatterElements", onnx_same),
    {.type = "Resize", .shape = onnx_resize, .flops = 1},
    {.type = "Upsample", .shape = onnx_resize, .flops = 1},
    {.type = "OneHot", .shape = onnx_one_hot, .result = -2, .moves = ONNX_MOVES_RESULT},
    {.type = "Expand", .shape = onnx_expand, .fold = onnx_fold_expand},
    {.type = "Slice", .shape = onnx_slice, .moves = ONNX_MOVES_RESULT, .fold = onnx_fold_slice},
    {.type = "Gather", .shape = onnx_gather, .moves = ONNX_MOVES_RESULT, .fold = onnx_fold_gather},
    TAKE("GatherElements", onnx_gather_elements),
    TAKE("GatherND", onnx_gather_nd),
    {.type = "NonZero", .shape = onnx_data_dependent, .result = ONNX_INT64},
    {.type = "NonMaxSuppression", .shape = onnx_data_dependent, .result = ONNX_INT64},
    /* views, and what is known before the graph runs */
    VIEW("Reshape", onnx_reshape),
    VIEW("Flatten", onnx_flatten),
    VIEW("Squeeze", onnx_squeeze),
    VIEW("Unsqueeze", onnx_unsqueeze),
    VIEW("Identity", onnx_same),
    VIEW("Dropout", onnx_same),
    {.type = "Constant", .shape = onnx_constant, .moves = ONNX_MOVES_NOTHING},
    {.type = "ConstantOfShape", .shape = onnx_filled, .moves = ONNX_MOVES_NOTHING},
    {.type = "Range", .shape = onnx_range, .moves = ONNX_MOVES_NOTHING, .fold = onnx_fold_range},
    {.type = "Shape", .shape = onnx_shape, .moves = ONNX_MOVES_NOTHING, .result = ONNX_INT64},
    {.type = "Size", .shape = onnx_size, .moves = ONNX_MOVES_NOTHING, .result = ONNX_INT64},
};
enum { OPS = sizeof ops / sizeof ops[0] };

const onnx_op *onnx_op_find(const onnx_node *n) {
  bool known =
      n->domain[0] == '\0' || strcmp(n->domain, "ai.onnx") == 0 || strcmp(n->domain, "com.microsoft") == 0;
  for (int i = 0; i < OPS && known; i++) {
    if (strcmp(ops[i].type, n->type) == 0) {
      return &ops[i];
    }
  }
  return NULL;
}

const char *const *onnx_op_names(void) {
  static const char *names[OPS + 1];
  for (int i = 0; i < OPS; i++) {
    names[i] = ops[i].type;
  }
  return names;
}
