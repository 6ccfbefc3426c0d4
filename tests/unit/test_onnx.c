/* ONNX graphs: nodes built here byte by byte, ResNet-50 layer by layer against conv2d, and the samples. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "roofline/graphs.h"
#include "roofline/ops.h"

enum { SIZE = 1 << 14, FLOAT = 1, INT64 = 7 };

/** Bytes of a message. */
typedef struct bytes {
  unsigned char data[SIZE];
  size_t used;
} bytes;

static void put_varint(bytes *b, uint64_t value) {
  for (; value > 127; value >>= 7) {
    b->data[b->used++] = (unsigned char)(value | 128);
  }
  b->data[b->used++] = (unsigned char)value;
}

static void put_number(bytes *b, unsigned field, int64_t value) {
  put_varint(b, field << 3);
  put_varint(b, (uint64_t)value);
}

static void put_data(bytes *b, unsigned field, const void *data, size_t length) {
  put_varint(b, field << 3 | 2);
  put_varint(b, length);
  memcpy(b->data + b->used, data, length);
  b->used += length;
}

static void put_text(bytes *b, unsigned field, const char *text) {
  put_data(b, field, text, strlen(text));
}

static void put_message(bytes *b, unsigned field, const bytes *message) {
  put_data(b, field, message->data, message->used);
}

/** A tensor's name and sizes: "2x3x0"; 0 is a dimension named `n`, `=` before known int64 elements: "=1,2".
 */
static void put_input(bytes *graph, const char *name, const char *sizes) {
  static bytes shape, tensor, type, info, dimension;
  shape.used = tensor.used = type.used = info.used = 0;
  if (sizes[0] == '=') {
    int count = 0;
    char *end = NULL;
    for (const char *at = sizes; *at != '\0' && at[1] != '\0'; at = end, count++) {
      put_number(&type, 7, strtol(at + 1, &end, 10));
    }
    put_number(&type, 1, count);
    put_number(&type, 2, INT64);
    put_text(&type, 8, name);
    put_message(graph, 5, &type);
    return;
  }
  for (const char *at = sizes; *at != '\0'; at += strcspn(at, "x"), at += *at == 'x') {
    long size = strtol(at, NULL, 10);
    dimension.used = 0;
    if (size > 0) {
      put_number(&dimension, 1, size);
    } else {
      put_text(&dimension, 2, "n");
    }
    put_message(&shape, 1, &dimension);
  }
  put_number(&tensor, 1, FLOAT);
  put_message(&tensor, 2, &shape);
  put_message(&type, 1, &tensor);
  put_text(&info, 1, name);
  put_message(&info, 2, &type);
  put_message(graph, 11, &info);
}

/** Attributes: "axis=1 pads=1,1,1,1 auto_pad='SAME_UPPER". */
static void put_attributes(bytes *node, const char *text) {
  static bytes attribute;
  char copy[256], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", text);
  for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(word, '=');
    *value++ = '\0';
    attribute.used = 0;
    put_text(&attribute, 1, word);
    if (*value == '\'') {
      put_text(&attribute, 4, value + 1);
    } else if (strchr(value, ',') == NULL) {
      put_number(&attribute, 3, strtol(value, NULL, 10));
    }
    for (char *end = value; strchr(value, ',') != NULL && *end != '\0';) {
      put_number(&attribute, 8, strtol(end, &end, 10));
      end += *end == ',';
    }
    put_message(node, 5, &attribute);
  }
}

/** A model of one node; inputs are sizes separated by spaces, outputs are `a`, `b`, ... */
static size_t build(unsigned char *file, const char *op, const char *inputs, const char *attributes,
                    int outputs) {
  static bytes graph, node, model;
  char copy[256], *rest = NULL, name[] = "x0", output[] = "a";
  graph.used = node.used = model.used = 0;
  snprintf(copy, sizeof copy, "%s", inputs);
  for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    put_text(&node, 1, word[0] == '-' ? "" : name);
    if (word[0] != '-') {
      put_input(&graph, name, word);
    }
    name[1]++;
  }
  for (int i = 0; i < outputs; i++, output[0]++) {
    put_text(&node, 2, output);
  }
  put_text(&node, 3, "the node");
  put_text(&node, 4, op);
  put_attributes(&node, attributes);
  put_message(&graph, 1, &node);
  put_message(&model, 7, &graph);
  memcpy(file, model.data, model.used);
  return model.used;
}

static roof_workload_reading reading = {.floats = ROOF_DTYPE_COUNT};

/** Sizes and FLOPs by hand from onnx/docs/Operators.md. `-`: an input left out. */
static void operators(void **state) {
  (void)state;
  static const struct {
    const char *op, *inputs, *attributes, *size;
    double flops;
    int outputs;
  } rows[] = {
      {"Conv", "2x3x9x9 8x3x3x3", "", "2x8x7x7 k3x3", 2.0 * 2 * 8 * 49 * 27, 1},
      {"Conv", "1x4x9x9 8x2x3x3", "group=2 pads=1,1,1,1 strides=2,2", "1x8x5x5 k3x3/2 g2", 2.0 * 8 * 25 * 18,
       1},
      {"Conv", "1x1x9x7 1x1x3x5", "auto_pad='SAME_UPPER strides=2,2", "1x1x5x4 k3x5/2", 2.0 * 20 * 15, 1},
      {"Conv", "1x1x9x9 1x1x3x3", "dilations=2,2", "1x1x5x5 k3x3", 2.0 * 25 * 9, 1},
      {"Conv", "1x2x9 4x2x3", "", "1x4x7 k3", 2.0 * 28 * 6, 1},
      {"ConvTranspose", "1x1x3x3 1x2x3x3", "strides=3,2 output_padding=1,1", "1x2x10x8 k3x3/3", 2.0 * 9 * 18,
       1},
      {"Gemm", "4x3 5x4", "transA=1 transB=1", "3x5 k4", 2.0 * 3 * 5 * 4, 1},
      {"MatMul", "2x1x3x4 5x4x6", "", "2x5x3x6 k4", 2.0 * 180 * 4, 1},
      {"MatMul", "4 4x6", "", "6 k4", 48, 1},
      {"LSTM", "5x2x3 1x16x3 1x16x4", "hidden_size=4", "5x1x2x4", 2.0 * 10 * (48 + 64), 2},
      {"MaxPool", "1x1x4x4", "kernel_shape=3,3 strides=2,2 ceil_mode=1", "1x1x2x2 k3x3/2", 36, 1},
      {"AveragePool", "1x1x32x32", "kernel_shape=3,3 strides=3,3", "1x1x10x10 k3x3/3", 900, 1},
      {"GlobalAveragePool", "2x3x5x5", "", "2x3x1x1", 150, 1},
      {"LRN", "1x4x2x2", "size=5", "1x4x2x2", 16 * 14, 1},
      {"BatchNormalization", "1x4x2x2 4 4 4 4", "", "1x4x2x2", 128, 1},
      {"LayerNormalization", "2x8 8 8", "axis=-1", "2x8", 128, 1},
      {"Softmax", "2x8", "axis=-1", "2x8", 80, 1},
      {"Relu", "2x8", "", "2x8", 16, 1},
      {"Add", "2x1x3 4x1", "", "2x4x3", 24, 1},
      {"ReduceMean", "2x3x4", "axes=-1, keepdims=0", "2x3", 24, 1},
      {"ReduceSum", "2x3x4 =1", "keepdims=1", "2x1x4", 24, 1},
      {"ArgMax", "2x3x4", "axis=1 keepdims=0", "2x4", 24, 1},
      {"TopK", "2x30 =5", "", "2x5", 60, 2},
      {"Concat", "2x3 2x4", "axis=-1", "2x7", 0, 1},
      {"Split", "2x7 =3,4", "axis=1", "2x3", 0, 2},
      {"Transpose", "2x3x4", "perm=2,0,1", "4x2x3", 0, 1},
      {"Slice", "9x8 =1,-3 =7,9223372036854775807 =0,1 =2,1", "", "3x3", 0, 1},
      {"Gather", "9x8 =1,1,5", "axis=1", "9x3", 0, 1},
      {"Pad", "2x3 =0,1,0,2", "", "2x6", 0, 1},
      {"Tile", "2x3 =2,1", "", "4x3", 0, 1},
      {"Expand", "3x1 =2,1,4", "", "2x3x4", 0, 1},
      {"Resize", "1x1x2x2 - - =1,1,6,4", "", "1x1x6x4", 24, 1},
      {"DepthToSpace", "1x8x2x3", "blocksize=2", "1x2x4x6", 0, 1},
      {"OneHot", "2x3 =7 2", "", "2x3x7", 0, 1},
  };
  static unsigned char file[SIZE];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_workload w;
    roof_error error = {0};
    size_t length = build(file, rows[i].op, rows[i].inputs, rows[i].attributes, rows[i].outputs);
    if (roof_workload_read_onnx(file, length, "x.onnx", &reading, &w, &error) != ROOF_OK) {
      fail_msg("%s: %s", rows[i].op, error.message);
    }
    assert_int_equal(w.count, 1);
    assert_string_equal(w.items[0].shape, rows[i].size);
    assert_true(w.items[0].work.flops == rows[i].flops);
    roof_workload_done(&w);
  }
}

/** Each operand moves once, in the types of the file or in the format asked for. */
static void moves(void **state) {
  (void)state;
  static unsigned char file[SIZE];
  roof_workload w;
  size_t length = build(file, "MatMul", "2x3 3x5", "", 1);
  assert_int_equal(roof_workload_read_onnx(file, length, "x.onnx", &reading, &w, NULL), ROOF_OK);
  assert_true(w.items[0].work.read_bytes == 4 * (6 + 15) && w.items[0].work.write_bytes == 4 * 10);
  assert_true(w.items[0].types.compute == ROOF_FP32 && w.items[0].work.unit == ROOF_MATRIX);
  assert_true(w.activation_bytes == 4 * (6 + 15 + 10) && w.weight_bytes == 0);
  roof_workload_done(&w);
  roof_workload_reading half = {.floats = ROOF_FP16};
  assert_int_equal(roof_workload_read_onnx(file, length, "x.onnx", &half, &w, NULL), ROOF_OK);
  assert_true(w.items[0].work.read_bytes == 2 * (6 + 15) && w.items[0].types.compute == ROOF_FP16);
  roof_workload_done(&w);
  length = build(file, "Gather", "1000x64 =3,4", "axis=0", 1); /* rows that are not taken do not move */
  assert_int_equal(roof_workload_read_onnx(file, length, "x.onnx", &reading, &w, NULL), ROOF_OK);
  assert_true(w.items[0].work.read_bytes == 2 * 64 * 4 + 2 * 8);
  roof_workload_done(&w);
}

static void refuse(size_t length, const unsigned char *file, const roof_workload_reading *how,
                   const char *words) {
  roof_workload w = {.count = 77};
  roof_error error = {0};
  assert_int_not_equal(roof_workload_read_onnx(file, length, "x.onnx", how, &w, &error), ROOF_OK);
  assert_true(w.count == 77);
  if (strstr(error.message, words) == NULL) {
    fail_msg("no `%s` in: %s", words, error.message);
  }
  assert_string_equal(error.file, "x.onnx");
}

static void refuses(void **state) {
  (void)state;
  static const struct {
    const char *op, *inputs, *attributes, *words;
  } rows[] = {
      {"MatMull", "2x3 3x5", "", "node 1 `the node` (MatMull): unknown operator; did you mean `MatMul`?"},
      {"MatMul", "2x3 4x5", "", "(MatMul): `x0` has 3 columns, `x1` 4 rows"},
      {"Conv", "1x3x9x9 8x4x3x3", "", "3 input channels, but weights for 4"},
      {"Conv", "1x3x2x2 8x3x3x3", "", "larger than the padded input"},
      {"Reshape", "2x3 =4,2", "", "6 elements cannot be reshaped to 8"},
      {"Reshape", "2x3 2", "", "depend on data"},
      {"NonZero", "2x3", "", "depend on data"},
      {"Concat", "2x3 3x3", "axis=1", "does not match the others"},
      {"Softmax", "2x3x4x5x6x7x8x9x1", "", "more than 8 dimensions"},
      {"Add", "2x3 4", "", "cannot broadcast"},
      {"Relu", "2x0", "", "dimension 1 is `n`; give `n=N`"},
  };
  static unsigned char file[SIZE];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    refuse(build(file, rows[i].op, rows[i].inputs, rows[i].attributes, 1), file, &reading, rows[i].words);
  }
  size_t length = build(file, "Relu", "2x3", "", 1);
  refuse(length - 1, file, &reading, "truncated");
  refuse(0, file, &reading, "not an ONNX model");
  roof_dimension odd = {"sequence", 8};
  roof_workload_reading wrong = {.floats = ROOF_DTYPE_COUNT, .dimensions = &odd, .dimension_count = 1};
  refuse(length, file, &wrong, "sequence=: no input");
}

/** Dimensions by name; the first of an input is the batch. */
static void dimensions(void **state) {
  (void)state;
  static unsigned char file[SIZE];
  roof_workload w;
  roof_dimension sizes[] = {{"batch", 4}, {"n", 7}};
  roof_workload_reading both = {.floats = ROOF_DTYPE_COUNT, .dimensions = sizes, .dimension_count = 2};
  size_t length = build(file, "Relu", "3x0", "", 1);
  assert_int_equal(roof_workload_read_onnx(file, length, "x.onnx", &both, &w, NULL), ROOF_OK);
  assert_string_equal(w.items[0].shape, "4x7");
  assert_true(w.batch == 4);
  roof_workload_done(&w);
  length = build(file, "Relu", "0x3", "", 1);
  assert_int_equal(roof_workload_read_onnx(file, length, "x.onnx", &reading, &w, NULL), ROOF_OK);
  assert_string_equal(w.items[0].shape, "1x3");
  roof_workload_done(&w);
}

static void load(const char *path, const roof_workload_reading *how, roof_workload *w) {
  roof_error error = {0};
  FILE *there = fopen(path, "rb");
  if (there == NULL) {
    print_message("skipped: no %s\n", path);
    skip();
  }
  fclose(there);
  assert_true(roof_workload_is(path));
  if (roof_workload_load(path, how, w, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
}

/** The convolution's parameters from the table of He et al. 2015, in the order of the file. */
static void check_conv(const roof_workload_item *item, double batch, double in, double out, double side,
                       double kernel, double stride) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_work work;
  roof_types types = roof_types_of(ROOF_FP16);
  assert_int_equal(roof_op_find("conv2d", &op, NULL), ROOF_OK);
  roof_op_defaults(op, values);
  const struct {
    const char *name;
    double value;
  } given[] = {{"batch", batch}, {"in_channels", in}, {"out_channels", out}, {"height", side},
               {"width", side},  {"kernel", kernel},  {"stride", stride},    {"padding", floor(kernel / 2)}};
  for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
    values[roof_op_param_index(op, given[i].name)] = given[i].value;
  }
  assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
  roof_work_init(&work);
  op->work(op, values, &types, &work);
  if (item->work.flops != work.flops || item->work.read_bytes != work.read_bytes + 2 * out ||
      item->work.write_bytes != work.write_bytes) { /* a bias is read too */
    fail_msg("%s: %.0f FLOP, %.0f + %.0f B, not %.0f, %.0f + %.0f", item->name, item->work.flops,
             item->work.read_bytes, item->work.write_bytes, work.flops, work.read_bytes, work.write_bytes);
  }
}

static const roof_workload_item *next_conv(const roof_workload *w, size_t *at) {
  while (*at < w->count && strcmp(w->items[*at].op, "Conv") != 0) {
    ++*at;
  }
  assert_true(*at < w->count);
  return &w->items[(*at)++];
}

/** A weight whose format no version of ONNX names: found by fuzzing. */
static void a_format_that_is_not_known(void **state) {
  (void)state;
  static unsigned char file[SIZE];
  static const roof_dimension sizes[] = {{"batch", 2}, {"sequence", 16}};
  const roof_workload_reading how = {.floats = ROOF_DTYPE_COUNT, .dimensions = sizes, .dimension_count = 2};
  const char *source = getenv("ROOFLINE_SOURCE");
  char path[512];
  snprintf(path, sizeof path, "%s/tests/fuzz/corpus/onnx/unknown-type", source != NULL ? source : ".");
  FILE *stream = fopen(path, "rb");
  assert_non_null(stream);
  size_t length = fread(file, 1, sizeof file, stream);
  fclose(stream);
  refuse(length, file, &how, "the format of what it reads or writes is not known");
}

static void resnet50(void **state) {
  (void)state;
  char path[512];
  const char *source = getenv("ROOFLINE_SOURCE");
  roof_workload w;
  size_t at = 0;
  double macs = 0, in = 64, side = 56, batch = 2;
  roof_dimension two = {"batch", batch};
  roof_workload_reading half = {.floats = ROOF_FP16, .dimensions = &two, .dimension_count = 1};
  snprintf(path, sizeof path, "%s/examples/resnet50.onnx", source != NULL ? source : ".");
  load(path, &half, &w);
  check_conv(next_conv(&w, &at), batch, 3, 64, 224, 7, 2);
  static const double blocks[] = {3, 4, 6, 3};
  for (int layer = 0; layer < 4; layer++) {
    double width = 64 << layer;
    for (int block = 0; block < blocks[layer]; block++) {
      double stride = block == 0 && layer > 0 ? 2 : 1;
      check_conv(next_conv(&w, &at), batch, in, width, side, 1, 1);
      check_conv(next_conv(&w, &at), batch, width, width, side, 3, stride);
      check_conv(next_conv(&w, &at), batch, width, 4 * width, side / stride, 1, 1);
      if (block == 0) {
        check_conv(next_conv(&w, &at), batch, in, 4 * width, side, 1, stride);
      }
      side /= stride;
      in = 4 * width;
    }
  }
  for (size_t i = 0; i < w.count; i++) {
    macs += w.items[i].work.unit == ROOF_MATRIX ? w.items[i].work.flops / 2 : 0;
  }
  assert_true(macs == batch * 4089184256.0);
  /* torchvision's 25,557,032 with the norms' gains and shifts folded into biases */
  assert_true(w.parameters == 25557032.0 - 53120 + 26560);
  assert_true(w.weight_bytes == 2 * w.parameters);
  roof_workload_done(&w);
}

static void samples(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double macs;
  } files[] = {{"light_bvlc_alexnet", 654560384}, {"light_shufflenet", 124664528}, {"test_operator_mm", 24}};
  const char *shared = getenv("ROOFLINE_SHARED");
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
    char path[512];
    roof_workload w;
    double macs = 0;
    snprintf(path, sizeof path, "%s/profiler-samples/onnx/%s.onnx", shared != NULL ? shared : "../shared",
             files[f].name);
    load(path, &reading, &w);
    for (size_t i = 0; i < w.count; i++) {
      macs += w.items[i].work.unit == ROOF_MATRIX ? w.items[i].work.flops / 2 : 0;
    }
    assert_true(macs == files[f].macs);
    roof_workload_done(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators),  cmocka_unit_test(moves),
      cmocka_unit_test(refuses),    cmocka_unit_test(a_format_that_is_not_known),
      cmocka_unit_test(dimensions), cmocka_unit_test(resnet50),
      cmocka_unit_test(samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
